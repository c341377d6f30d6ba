/* SPDX-License-Identifier: BSD-3-Clause */
/* Unzipped signatures; see unzipped.h, and docs/FORMAT.md, "Streams and groups". */
#include "read/value/unzipped.h"

#include <stdlib.h>

#include "read/table/columns.h"

bool is_differences(const struct shard *v, int64_t number)
{
    return number >= 0 && rules_have(&v->rules, (uint64_t)number) &&
           !rules_sequence_total(&v->rules, (uint64_t)number).has_ramp;
}

static bool fits(uint64_t *left, uint64_t bytes)
{
    if (bytes > *left)
        return false;
    *left -= bytes;
    return true;
}

/* Reads a column's value. X: what columns are functions of. */
static int64_t read_column(const struct shard *v, struct cursor *columns, uint32_t *next, uint64_t position, int64_t x)
{
    uint32_t number = reference_resolve(cursor_varint(columns), next);
    return column_value(v, &v->columns[number], position, x);
}

enum pilgrim_status unzipped_open(const struct shard *v, const struct stored_signature *s, uint64_t position,
                                  uint32_t rank, uint64_t *budget, struct unzipped_values *u, const char **problem)
{
    const struct bytes *content = &v->content[SECTION_CALLS];
    uint32_t next = s->next_column, count = v->shapes[s->shape].slot_count;
    struct cursor columns;
    *u = (struct unzipped_values){.shard = v};
    *problem = v->memory_problem;
    if (!fits(budget, (uint64_t)count * sizeof *u->slots))
        return PILGRIM_LIMIT;
    u->slots = calloc((size_t)count + 1, sizeof *u->slots);
    if (!u->slots)
        return PILGRIM_NOMEM;
    cursor_init(&columns, s->columns, (size_t)(content->data + content->length - s->columns));
    for (; u->slot_count < count; u->slot_count++) {
        struct unzipped_slot *slot = &u->slots[u->slot_count];
        slot->first = slot->value = (uint64_t)read_column(v, &columns, &next, position, rank);
        int64_t sequence = read_column(v, &columns, &next, position, rank);
        slot->factor = (uint64_t)read_column(v, &columns, &next, position, rank);
        if (!is_differences(v, sequence)) {
            *problem = "differences that are no sequence";
            return PILGRIM_DAMAGED;
        }
        slot->sequence = (uint64_t)sequence;
        if (!fits(budget, rules_cursor_bytes(&v->rules, slot->sequence)))
            return PILGRIM_LIMIT;
        if (rules_cursor_init(&slot->differences, &v->rules, slot->sequence) != PILGRIM_OK)
            return PILGRIM_NOMEM;
    }
    *problem = NULL;
    return PILGRIM_OK;
}

void unzipped_free(struct unzipped_values *u)
{
    for (uint32_t i = 0; i < u->slot_count; i++)
        rules_cursor_free(&u->slots[i].differences);
    free(u->slots);
    arena_free(&u->arena);
    *u = (struct unzipped_values){0};
}

static enum pilgrim_status run_out(const char **problem)
{
    *problem = "differences that are fewer than the calls";
    return PILGRIM_DAMAGED;
}

enum pilgrim_status unzipped_next(struct unzipped_values *u, const char **problem)
{
    if (u->met++ == 0)
        return PILGRIM_OK;
    for (uint32_t i = 0; i < u->slot_count; i++) {
        struct unzipped_slot *slot = &u->slots[i];
        uint64_t code;
        if (slot->sequence == 0)
            continue;
        if (!rules_cursor_next(&slot->differences, &code))
            return run_out(problem);
        slot->value += slot->factor * (uint64_t)unzigzag(code);
    }
    return PILGRIM_OK;
}

enum pilgrim_status unzipped_skip(struct unzipped_values *u, uint64_t count, const char **problem)
{
    if (count == 0)
        return PILGRIM_OK;
    uint64_t before = u->met > 0 ? u->met - 1 : 0, after = u->met + count - 1;
    u->met += count;
    for (uint32_t i = 0; i < u->slot_count; i++) {
        struct unzipped_slot *slot = &u->slots[i];
        if (slot->sequence == 0)
            continue;
        if (rules_cursor_skip(&slot->differences, after - before) < after - before)
            return run_out(problem);
        slot->value = slot->first + slot->factor * (uint64_t)rules_sum(&u->shard->rules, slot->sequence, after);
    }
    return PILGRIM_OK;
}
