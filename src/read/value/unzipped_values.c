/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of unzipped signatures; see unzipped_values.h.
 *
 * The values of one call and the next differ in some numbers only. So values are evaluated once, with a note of where
 * each slot's number stands; for later calls these numbers are changed in place. This is impossible if an array is made
 * from another one, which copies numbers, or if a changing number decides what others mean (a rank base). */
#include "read/value/unzipped_values.h"

#include <string.h>

#include "base/live_requests.h"
#include "read/value/evaluation.h"
#include "read/value/unzipped.h"

static bool can_be_overwritten(const struct shape *shape)
{
    return !shape->has_registers && !shape->has_posted && !shape->has_live && !shape->has_edited && !shape->has_series;
}

/* Keeps the uses whose slots change. False: one of them cannot be changed in place. */
static bool leave_changing(struct unzipped_values *u)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < u->slot_count; i++) {
        if (u->slots[i].sequence == 0)
            continue;
        if (u->uses[i].kind == SLOT_UNSEEN || u->uses[i].kind == SLOT_RANK_BASE)
            return false;
        u->uses[count++] = u->uses[i];
    }
    u->use_count = count;
    return true;
}

/* Makes the values. An error is not reported here: signature_evaluate will find it again. */
static void make_values(struct unzipped_values *u, const struct values_position *at, const struct stored_function *f,
                        const struct caller *caller, uint64_t *budget)
{
    struct evaluation e = evaluation_begin(u->shard, at, caller, &u->arena);
    struct call_values *values;
    const char *problem;
    if (e.budget > *budget)
        e.budget = *budget;
    e.uses = u->uses = evaluation_take(&e, u->slot_count * sizeof *u->uses);
    if (!u->uses)
        return;
    memset(u->uses, 0, u->slot_count * sizeof *u->uses);
    if (evaluate_call(&e, f, &values, &problem) == PILGRIM_OK && leave_changing(u)) {
        u->values = values;
        u->requests = values->uses;
    }
    if (!u->values)
        arena_free(&u->arena);
    *budget -= u->arena.total < *budget ? u->arena.total : *budget;
}

static enum pilgrim_status change_values(const struct unzipped_values *u, const struct caller *caller,
                                         const char **problem)
{
    for (uint32_t i = 0; i < u->use_count; i++) {
        const struct slot_use *use = &u->uses[i];
        const int64_t value = (int64_t)u->slots[use->slot].value;
        if (use->kind == SLOT_RANK)
            rank_set(use->to, use->base, value);
        else if (use->kind != SLOT_TEXT)
            memcpy(use->to, &value, sizeof value);
        if (use->kind == SLOT_TRUTH && value != 0 && value != 1) {
            *problem = truth_problem;
            return PILGRIM_DAMAGED;
        }
        if (use->kind == SLOT_TEXT && !text_set(u->shard, use->to, (int64_t)u->slots[use->slot - 1].value, value)) {
            *problem = text_problem; /* the base is the slot before */
            return PILGRIM_DAMAGED;
        }
    }
    for (const struct request_use *use = u->requests; use; use = use->next) {
        use->value->offset = live_request_index(caller->live, use->value->id);
        if (use->value->offset < 0) {
            *problem = "a request without a free index";
            return PILGRIM_DAMAGED;
        }
    }
    return PILGRIM_OK;
}

enum pilgrim_status unzipped_values(const struct values_position *at, const struct stored_function *f,
                                    const struct caller *caller, uint64_t *budget, struct call_values **values,
                                    const char **problem)
{
    struct unzipped_values *u = at->unzipped;
    *values = u->values;
    if (u->values)
        return change_values(u, caller, problem);
    if (!u->tried && can_be_overwritten(&u->shard->shapes[at->signature->shape]))
        make_values(u, at, f, caller, budget);
    u->tried = true;
    *values = u->values;
    return PILGRIM_OK;
}
