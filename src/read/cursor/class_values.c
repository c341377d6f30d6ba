/* SPDX-License-Identifier: BSD-3-Clause */
/* The position of a cursor in the values of a class; see class_values.h. Calls that were skipped are caught up with
 * when a value is asked for. */
#include "read/cursor/class_values.h"

#include <stdlib.h>
#include <string.h>

#include "read/value/unzipped.h"
#include "read/value/unzipped_values.h"
#include "rules/rules_uses.h"

#define WALK_MAX            1024       /* fewer values are passed one by one */
#define NUMBERS_COUNTED_MAX (1u << 20) /* if a class has more numbers, their occurrences are not counted */

bool memory_fits(uint64_t *left, uint64_t bytes)
{
    if (bytes > *left)
        return false;
    *left -= bytes;
    return true;
}

static size_t cache_size(const struct class_state *state)
{
    uint64_t numbers = state->value_group->call_count_limit;
    return numbers < CACHED_NUMBERS_MAX ? (size_t)numbers : CACHED_NUMBERS_MAX;
}

static void *take_zeroed(struct arena *arena, size_t bytes)
{
    void *at = arena_take(arena, bytes + !bytes);
    return at ? memset(at, 0, bytes) : NULL;
}

enum pilgrim_status class_begin(struct pilgrim_cursor *c, struct class_state *state)
{
    if (!state->cache && !state->loop) {
        state->cache = take_zeroed(&c->arena, (cache_size(state) + 1) * sizeof *state->cache);
        if (!state->cache)
            return PILGRIM_NOMEM;
    }
    if (!state->values.rules)
        return rules_cursor_init(&state->values, &c->shard->rules, state->value_group->sequence);
    return PILGRIM_OK;
}

void class_close(struct class_state *state)
{
    rules_cursor_free(&state->values);
    for (uint32_t i = 0; state->unzipped && i < state->value_group->count; i++)
        unzipped_free(&state->unzipped[i]);
}

/* ---- unzipped signatures ---- */

/* Sets *UNZIPPED to the state of the signature at AT, which is unzipped, and opens it if needed. */
static enum pilgrim_status open_unzipped(struct pilgrim_cursor *c, struct class_state *state,
                                         const struct values_position *at, struct unzipped_values **unzipped,
                                         const char **problem)
{
    size_t bytes = state->value_group->count * sizeof *state->unzipped;
    if (!state->unzipped) {
        *problem = c->shard->memory_problem;
        if (!memory_fits(&c->memory_left, bytes))
            return PILGRIM_LIMIT;
        state->unzipped = take_zeroed(&c->arena, bytes);
        if (!state->unzipped)
            return PILGRIM_NOMEM;
    }
    *unzipped = &state->unzipped[at->index];
    if ((*unzipped)->shard)
        return PILGRIM_OK;
    enum pilgrim_status status =
        unzipped_open(c->shard, at->signature, at->position, c->rank, &c->memory_left, *unzipped, problem);
    if (status != PILGRIM_OK)
        unzipped_free(*unzipped);
    return status;
}

/* Moves the state of signature NUMBER, if it is unzipped, over COUNT calls. */
static enum pilgrim_status pass_number(struct pilgrim_cursor *c, struct class_state *state, uint64_t number,
                                       uint64_t count, const char **problem)
{
    const struct values_position at = values_find(c->shard, state->value_group, number, state->position);
    struct unzipped_values *unzipped;
    if (!at.signature->is_unzipped || count == 0)
        return PILGRIM_OK;
    enum pilgrim_status status = open_unzipped(c, state, &at, &unzipped, problem);
    return status == PILGRIM_OK ? unzipped_skip(unzipped, count, problem) : status;
}

/* Passes COUNT values by counting how often each unzipped signature occurs among them. */
static enum pilgrim_status pass_counted(struct pilgrim_cursor *c, struct class_state *state, uint64_t count,
                                        const char **problem)
{
    uint64_t work, numbers = state->value_group->call_count_limit,
                   *counts = malloc((size_t)(numbers + 1) * sizeof *counts);
    if (!counts)
        return PILGRIM_NOMEM;
    enum pilgrim_status status = rules_count_terminals(&c->shard->rules, state->value_group->sequence,
                                                       state->taken + count, counts, (size_t)numbers, &work);
    rules_cursor_skip(&state->values, count);
    for (uint32_t i = 0; i < state->value_group->count && status == PILGRIM_OK; i++) {
        uint64_t number = state->value_group->first ? state->value_group->first[i] : i;
        uint64_t met = state->unzipped ? state->unzipped[i].met : 0;
        status = pass_number(c, state, number, counts[number] - met, problem);
    }
    free(counts);
    return status;
}

static enum pilgrim_status pass_walking(struct pilgrim_cursor *c, struct class_state *state, uint64_t count,
                                        const char **problem)
{
    enum pilgrim_status status = PILGRIM_OK;
    uint64_t number;
    for (; count > 0 && status == PILGRIM_OK && rules_cursor_next(&state->values, &number); count--)
        status = pass_number(c, state, number, 1, problem);
    return status;
}

/* ---- the next values ---- */

static enum pilgrim_status run_out(const char **problem)
{
    *problem = "more calls of a class than values";
    return PILGRIM_DAMAGED;
}

static enum pilgrim_status catch_up(struct pilgrim_cursor *c, struct class_state *state, const char **problem)
{
    uint64_t count = state->behind, left = rules_length(&c->shard->rules, state->value_group->sequence) - state->taken;
    enum pilgrim_status status = PILGRIM_OK;
    if (count > left)
        return run_out(problem);
    if (!state->value_group->has_unzipped)
        rules_cursor_skip(&state->values, count);
    else if (count > WALK_MAX && state->value_group->call_count_limit < NUMBERS_COUNTED_MAX)
        status = pass_counted(c, state, count, problem);
    else
        status = pass_walking(c, state, count, problem);
    state->taken += count;
    state->behind = 0;
    return status;
}

enum pilgrim_status class_next(struct pilgrim_cursor *c, struct class_state *state, uint64_t *number,
                               struct values_position *at, const char **problem)
{
    enum pilgrim_status status = class_begin(c, state);
    if (status == PILGRIM_OK && state->behind > 0)
        status = catch_up(c, state, problem);
    if (status != PILGRIM_OK)
        return status;
    /* Opening has checked this for groups without loops. */
    if (!rules_cursor_next(&state->values, number))
        return run_out(problem);
    state->taken++;
    at->signature = NULL;
    if (!state->value_group->has_unzipped && !state->value_group->needs_registers)
        return PILGRIM_OK;
    *at = values_find(c->shard, state->value_group, *number, state->position);
    if (!at->signature->is_unzipped)
        return PILGRIM_OK;
    struct unzipped_values *unzipped;
    status = open_unzipped(c, state, at, &unzipped, problem);
    if (status == PILGRIM_OK)
        status = unzipped_next(unzipped, problem);
    at->unzipped = unzipped;
    return status;
}
