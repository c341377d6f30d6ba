/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads counts, indexes and sequences, and limits memory and time; see parser.h.
 *
 * A content may have 256 times the bytes that are stored for it, and tables take more memory than their bytes. So a
 * small hostile file could ask for any amount of memory: the parser counts what it takes. Grammars share their rules,
 * so a small file may have many long sequences: the parser counts the steps that are not one for each entry. */
#include "read/table/parser.h"

#include <string.h>

const char too_much_for_file[] = "needs more memory than a file of its length may take";
const char too_much_for_caller[] =
    "needs more memory than is allowed; --memory=SIZE (pilgrim_open_limited) allows more";

bool parser_good(const struct parser *p)
{
    return p->in.status == PILGRIM_OK;
}

void parser_fail_with(struct parser *p, enum pilgrim_status status, const char *problem)
{
    if (p->in.status == PILGRIM_OK)
        p->in.status = status;
    if (!p->problem)
        p->problem = problem;
}

void parser_fail(struct parser *p, const char *problem)
{
    parser_fail_with(p, PILGRIM_DAMAGED, problem);
}

bool parser_charge(struct parser *p, uint64_t bytes)
{
    if (bytes > p->budget->bytes)
        parser_fail_with(p, PILGRIM_LIMIT, p->budget->problem);
    if (!parser_good(p))
        return false;
    p->budget->bytes -= bytes;
    return true;
}

void *parser_take(struct parser *p, size_t count, size_t size)
{
    if (!parser_good(p))
        return NULL;
    if (count > SIZE_MAX / 2 / size)
        count = SIZE_MAX / 2 / size;
    size_t bytes = count * size;
    if (!parser_charge(p, bytes))
        return NULL;
    void *at = arena_take(&p->shard->arena, bytes + !bytes);
    if (!at) {
        parser_fail_with(p, PILGRIM_NOMEM, "not enough memory");
        return NULL;
    }
    return memset(at, 0, bytes + !bytes);
}

size_t parser_count(struct parser *p, size_t minimum, const char *what)
{
    size_t count = cursor_count(&p->in, minimum);
    if (!parser_good(p))
        parser_fail(p, what);
    return count;
}

uint32_t parser_index(struct parser *p, size_t limit, const char *what)
{
    size_t index = cursor_index(&p->in, limit);
    if (!parser_good(p))
        parser_fail(p, what);
    return (uint32_t)index;
}

bool parser_work(struct parser *p, uint64_t steps)
{
    if (steps > p->budget->steps) {
        parser_fail_with(p, PILGRIM_LIMIT, "needs more time than a file of its length may take");
        return false;
    }
    p->budget->steps -= steps;
    return true;
}

struct string parser_text(struct parser *p)
{
    const char *from = (const char *)p->in.data + p->in.position;
    const char *end = parser_good(p) ? memchr(from, 0, cursor_left(&p->in)) : NULL;
    if (!end) {
        parser_fail(p, "a text without an end");
        return (struct string){.text = ""};
    }
    cursor_take(&p->in, (size_t)(end - from) + 1);
    return (struct string){.text = from, .length = (size_t)(end - from)};
}

uint64_t parser_sequence(struct parser *p)
{
    uint64_t sequence = cursor_varint(&p->in);
    if (parser_good(p) && rules_have(&p->shard->rules, sequence))
        return sequence;
    parser_fail(p, "a sequence that does not exist");
    return 0;
}

uint32_t parser_resolve(struct parser *p, uint64_t code, size_t limit, uint32_t *next, const char *what)
{
    if (parser_good(p) && (code ? code - 1 : *next) < limit)
        return reference_resolve(code, next);
    parser_fail(p, what);
    return 0;
}

uint32_t parser_reference(struct parser *p, size_t limit, uint32_t *next, const char *what)
{
    return parser_resolve(p, cursor_varint(&p->in), limit, next, what);
}
