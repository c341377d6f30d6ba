/* What all sections are parsed with: memory within a budget, counts, indices, runs.
 *
 * A content may be 256 times as long as what is stored for it, and tables take more room than their bytes. Both
 * together would let a small hostile file ask for any amount of memory, so the reader also counts what it takes. */
#include <string.h>

#include "reader/trace.h"

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
    if (bytes > p->trace->budget) {
        parser_fail_with(p, PILGRIM_LIMIT, "needs more memory than a file of its length may take");
        return false;
    }
    p->trace->budget -= bytes;
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
    void *at = arena_take(&p->trace->arena, bytes + !bytes);
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

void parser_runs(struct parser *p, uint64_t length, uint64_t limit, struct runs *runs)
{
    size_t count = parser_count(p, 2, "more runs than bytes");
    struct run *entries = parser_take(p, count, sizeof *entries);
    uint64_t end = 0;
    for (size_t i = 0; i < count && parser_good(p); i++) {
        uint64_t value = cursor_varint(&p->in);
        uint64_t more = cursor_varint(&p->in);
        if (!parser_good(p))
            parser_fail(p, "a run that is not a number");
        else if (value >= limit)
            parser_fail(p, "a run with a value that does not exist");
        else if (i > 0 && entries[i - 1].value == value)
            parser_fail(p, "neighbouring runs of the same value");
        else if (more >= length - end)
            parser_fail(p, "runs longer than what they describe");
        else
            entries[i] = (struct run){.end = end += more + 1, .value = (uint32_t)value};
    }
    if (parser_good(p) && end != length)
        parser_fail(p, "runs shorter than what they describe");
    if (parser_good(p))
        *runs = (struct runs){.entries = entries, .count = count, .length = length};
}

const struct run *runs_find(const struct runs *runs, uint64_t i)
{
    size_t low = 0, high = runs->count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runs->entries[middle].end > i)
            high = middle;
        else
            low = middle + 1;
    }
    return &runs->entries[low];
}

uint64_t runs_start(const struct runs *runs, const struct run *run)
{
    return run == runs->entries ? 0 : run[-1].end;
}

void runs_rank(struct runs *runs, uint64_t *totals)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->entries[i];
        run->before = totals[run->value];
        totals[run->value] += run->end - runs_start(runs, run);
    }
}
