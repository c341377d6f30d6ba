/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares one iteration of a loop with another one; see iteration_compare.h. Both are streams of the calls that fit a
 * selection, thread by thread; a thread that comes in one stream only has no such iteration in the other. */
#include "iteration_compare.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/analysis_errors.h"
#include "analysis/calls_stream.h"
#include "walked.h"

/* Sets W->upcoming to the next call of the stream. */
static enum pilgrim_status look_ahead(struct walked *w, struct pilgrim_error *error)
{
    if (w->held || w->ended)
        return PILGRIM_OK;
    enum pilgrim_status status = pilgrim_calls_next(w->calls, &w->upcoming, error);
    w->held = status == PILGRIM_OK;
    w->ended = status == PILGRIM_END;
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* The next call of the thread that is compared. */
static enum pilgrim_status next_of_stream(struct walked *w, struct pilgrim_error *error)
{
    enum pilgrim_status status = look_ahead(w, error);
    if (status != PILGRIM_OK)
        return status;
    if (!w->held || w->upcoming.rank != w->rank || w->upcoming.thread != w->thread)
        return PILGRIM_END;
    w->call = w->upcoming;
    w->held = false;
    w->place++;
    w->given++;
    return PILGRIM_OK;
}

static bool is_before(const struct walked *a, const struct walked *b)
{
    if (!a->held || !b->held)
        return a->held;
    return a->upcoming.rank != b->upcoming.rank ? a->upcoming.rank < b->upcoming.rank
                                                : a->upcoming.thread < b->upcoming.thread;
}

/* Counts the calls of each kind, also those that are left of a thread. */
struct iteration_counts {
    struct key_table of_kind; /* kind and side -> calls */
    uint64_t calls[2];
};

/* Goes to the ends of both threads. */
static enum pilgrim_status count_rest(struct comparison *c, struct walked w[2], struct iteration_counts *counts,
                                      struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (unsigned side = 0; side < 2; side++) {
        while (w[side].kind != NO_KIND && status == PILGRIM_OK)
            status = walked_next(c, side, &w[side], error);
        counts->calls[side] = w[side].place;
    }
    return status;
}

static void add_counts(struct comparison *c, const struct diff_where *where, const struct key_table *counts)
{
    for (uint32_t kind = 0; call_kinds_at(c->kinds, kind); kind++) {
        uint64_t sums[2];
        for (unsigned side = 0; side < 2; side++) {
            const uint64_t *sum = key_table_find(counts, (struct key){{kind, side}});
            sums[side] = sum ? *sum : 0;
        }
        if (sums[0] != sums[1])
            differ_count(c->found, where, kind, sums);
    }
}

/* Compares the thread that comes next. */
static enum pilgrim_status compare_thread(struct comparison *c, struct walked w[2], struct pilgrim_error *error)
{
    const struct walked *first = is_before(&w[1], &w[0]) ? &w[1] : &w[0];
    const uint32_t rank = first->upcoming.rank, thread = first->upcoming.thread, ranks[2] = {rank, rank};
    struct diff_where where = {rank, thread, {0, 0}, {NO_GROUP, NO_GROUP}, {0, 0}, {0, 0}, false};
    struct iteration_counts counts = {0};
    bool differs;
    for (unsigned side = 0; side < 2; side++) {
        w[side].rank = rank;
        w[side].thread = thread;
        w[side].place = 0;
        w[side].counts = &counts.of_kind;
    }
    key_table_clear(&c->kind_of);
    enum pilgrim_status status = walked_compare(c, w, &where, ranks, &differs, error);
    const uint32_t kinds[2] = {w[0].kind, w[1].kind};
    if (status == PILGRIM_OK && differs)
        status = count_rest(c, w, &counts, error);
    if (status == PILGRIM_OK && differs) {
        differ_first(c->found, &where, kinds, counts.calls, NO_CALL);
        add_counts(c, &where, &counts.of_kind);
    }
    key_table_clear(&counts.of_kind);
    return status;
}

static enum pilgrim_status open_stream(struct walked *w, const struct pilgrim_trace *trace,
                                       const struct pilgrim_selection *selection, struct pilgrim_error *error)
{
    *w = (struct walked){.next = next_of_stream};
    enum pilgrim_status status = pilgrim_calls_open(trace, selection, PILGRIM_BY_RANK, &w->calls, error);
    return status == PILGRIM_OK ? look_ahead(w, error) : status;
}

/* Sets *SELECTION to ITERATION of LOOP. */
static enum pilgrim_status select_iteration(uint64_t loop, uint64_t iteration, struct pilgrim_selection **selection,
                                            struct pilgrim_error *error)
{
    char text[24];
    *selection = NULL;
    if (pilgrim_selection_new(selection) != PILGRIM_OK)
        return no_memory(error);
    snprintf(text, sizeof text, "%" PRIu64, loop);
    enum pilgrim_status status = pilgrim_selection_add(*selection, "loop", text, error);
    snprintf(text, sizeof text, "%" PRIu64, iteration);
    return status == PILGRIM_OK ? pilgrim_selection_add(*selection, "iteration", text, error) : status;
}

enum pilgrim_status iterations_compare(struct comparison *c, uint64_t loop, const uint64_t iterations[2],
                                       uint64_t calls[2], struct pilgrim_error *error)
{
    struct pilgrim_selection *selections[2] = {NULL, NULL};
    struct walked w[2] = {{0}, {0}};
    enum pilgrim_status status = PILGRIM_OK;
    c->found->by_place = true;
    for (unsigned side = 0; side < 2 && status == PILGRIM_OK; side++) {
        status = select_iteration(loop, iterations[side], &selections[side], error);
        if (status == PILGRIM_OK)
            status = open_stream(&w[side], c->sides[side]->trace, selections[side], error);
        if (status == PILGRIM_OK && !w[side].held) {
            *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
            snprintf(error->message, sizeof error->message, "loop %" PRIu64 " has no iteration %" PRIu64 " on any rank",
                     loop, iterations[side]);
            status = PILGRIM_INVALID;
        }
    }
    while (status == PILGRIM_OK && (w[0].held || w[1].held)) {
        status = compare_thread(c, w, error);
        for (unsigned side = 0; side < 2 && status == PILGRIM_OK; side++)
            status = look_ahead(&w[side], error);
    }
    for (unsigned side = 0; side < 2; side++) {
        calls[side] = w[side].given;
        pilgrim_calls_close(w[side].calls);
        pilgrim_selection_free(selections[side]);
    }
    return status;
}
