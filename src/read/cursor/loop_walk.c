/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops: classes of a group that stand for their body, repeated (docs/FORMAT.md, "Loops").
 *
 * A walk has an explicit stack of the loops that it is in. A body has only loops with lower class indexes, so no loop
 * is in itself, and the stack has at most one entry for each loop. Bodies are not empty, so the walk makes progress;
 * only loops with 0 trips lead to no call, and their number is limited. */
#include "read/cursor/loop_walk.h"

#include <stdlib.h>

#include "read/cursor/class_values.h"
#include "rules/rules_uses.h"

enum pilgrim_status loop_trips(struct pilgrim_cursor *c, struct class_state *state, uint64_t *trips,
                               const char **problem)
{
    uint64_t number;
    int64_t value = 0;
    struct values_position at;
    enum pilgrim_status status = class_next(c, state, &number, &at, problem);
    if (status == PILGRIM_OK && !at.signature)
        at = values_find(c->shard, state->value_group, number, state->position);
    if (status == PILGRIM_OK)
        status = signature_int(c->shard, &at, &c->caller, &value, problem);
    if (status == PILGRIM_OK && value < 0) {
        *problem = "a loop with a negative number of trips";
        status = PILGRIM_DAMAGED;
    }
    *trips = (uint64_t)value;
    return status;
}

void loop_close(struct loop_position *l)
{
    rules_cursor_free(&l->body);
    free(l->iteration);
}

/* ---- whole iterations ---- */

/* Counts the calls of one iteration of L by class. L has no inner loops. */
static enum pilgrim_status count_iteration(struct pilgrim_cursor *c, struct loop_position *l)
{
    uint64_t work, *counts = malloc((c->class_count + 1) * sizeof *counts);
    uint32_t different = 0;
    if (!counts)
        return PILGRIM_NOMEM;
    enum pilgrim_status status =
        rules_count_terminals(&c->shard->rules, l->loop->body, l->loop->calls, counts, c->class_count, &work);
    for (size_t i = 0; i < c->class_count && status == PILGRIM_OK; i++)
        different += counts[i] > 0;
    l->no_iteration = status == PILGRIM_OK && !memory_fits(&c->memory_left, different * sizeof *l->iteration);
    if (status == PILGRIM_OK && !l->no_iteration) {
        l->iteration = malloc((different + 1) * sizeof *l->iteration);
        status = l->iteration ? PILGRIM_OK : PILGRIM_NOMEM;
    }
    for (size_t i = 0; i < c->class_count && l->iteration; i++)
        if (counts[i] > 0)
            l->iteration[l->iteration_classes++] = (struct class_count){(uint32_t)i, counts[i]};
    free(counts);
    return status;
}

/* Passes iterations of L that have not begun, with up to LIMIT calls together. */
static enum pilgrim_status pass_iterations(struct pilgrim_cursor *c, struct loop_position *l, uint64_t limit,
                                           uint64_t *passed)
{
    if (l->loop->has_loops || l->no_iteration || l->left == 0 || limit < l->loop->calls)
        return PILGRIM_OK;
    if (!l->iteration) {
        enum pilgrim_status status = count_iteration(c, l);
        if (status != PILGRIM_OK || l->no_iteration)
            return status;
    }
    uint64_t iterations = limit / l->loop->calls;
    if (iterations > l->left)
        iterations = l->left;
    for (uint32_t i = 0; i < l->iteration_classes; i++)
        c->classes[l->iteration[i].class_index].behind += iterations * l->iteration[i].count;
    l->left -= iterations;
    *passed += iterations * l->loop->calls;
    return PILGRIM_OK;
}

/* ---- the walk ---- */

/* Begins the next iteration of the innermost loop, or leaves the loop. */
static enum pilgrim_status next_iteration(struct pilgrim_cursor *c, struct loop_position *l)
{
    if (l->left == 0) {
        c->depth--;
        return PILGRIM_OK;
    }
    l->left--;
    if (!l->body.rules)
        return rules_cursor_init(&l->body, &c->shard->rules, l->loop->body);
    rules_cursor_restart(&l->body, l->loop->body);
    return PILGRIM_OK;
}

/* Checks at the end of the segment that each class has as many values as calls. */
static enum pilgrim_status check_end(const struct pilgrim_cursor *c, const char **problem)
{
    for (size_t i = 0; i < c->class_count; i++) {
        const struct class_state *state = &c->classes[i];
        if (state->taken + state->behind == rules_length(&c->shard->rules, state->value_group->sequence))
            continue;
        *problem = "more or fewer values than calls of a class";
        return PILGRIM_DAMAGED;
    }
    return PILGRIM_END;
}

enum pilgrim_status loops_next(struct pilgrim_cursor *c, uint64_t limit, uint64_t *passed, uint64_t *class_index,
                               const char **problem)
{
    enum pilgrim_status status = PILGRIM_OK;
    *passed = 0;
    while (status == PILGRIM_OK) {
        struct loop_position *top = c->depth > 0 ? c->nest[c->depth - 1] : NULL;
        if (!rules_cursor_next(top ? &top->body : &c->structure, class_index)) {
            if (!top)
                return check_end(c, problem);
            uint64_t before = *passed;
            if (limit > 0)
                status = pass_iterations(c, top, limit - before, passed);
            c->idle = *passed > before ? 0 : c->idle;
            if (limit > 0 && *passed == limit) {
                *class_index = PLACE_NONE;
                return status;
            }
            if (status == PILGRIM_OK)
                status = next_iteration(c, top);
            continue;
        }
        struct class_state *state = &c->classes[*class_index];
        if (!state->loop) {
            c->idle = 0;
            return PILGRIM_OK;
        }
        status = loop_trips(c, state, &state->loop->left, problem);
        if (status != PILGRIM_OK)
            break;
        if (state->loop->left > 0) {
            c->nest[c->depth++] = state->loop;
        } else if (++c->idle > c->class_count) {
            *problem = "loops without iterations, one after the other";
            return PILGRIM_DAMAGED;
        }
        if (c->tells_loops)
            return PILGRIM_OK;
    }
    return status;
}
