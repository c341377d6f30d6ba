/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a loop's calls are; see replay_loop.h. Calls are found by the selection that pilgrim-decode --loop has. */
#include "replay_loop.h"

#include <inttypes.h>
#include <stdio.h>

#include "pilgrim/analysis.h"

/* Calls FIRST to below END; none if both are equal. */
struct loop_part {
    uint64_t first, end;
};

static enum pilgrim_status add(struct pilgrim_selection *s, const char *name, uint64_t from, uint64_t to,
                               struct pilgrim_error *error)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 "-%" PRIu64, from, to);
    if (from == to)
        snprintf(text, sizeof text, "%" PRIu64, from);
    return pilgrim_selection_add(s, name, text, error);
}

/* Finds the calls of iterations FROM to TO, of the first time that there are such iterations. */
static enum pilgrim_status find_part(const struct pilgrim_trace *trace, uint32_t rank, uint64_t number, uint64_t from,
                                     uint64_t to, struct loop_part *part, struct pilgrim_error *error)
{
    struct pilgrim_selection *s = NULL;
    struct pilgrim_calls *calls = NULL;
    struct pilgrim_call call;
    enum pilgrim_status status = pilgrim_selection_new(&s);
    *part = (struct loop_part){0, 0};
    if (status == PILGRIM_OK)
        status = add(s, "rank", rank, rank, error);
    if (status == PILGRIM_OK)
        status = add(s, "thread", 0, 0, error);
    if (status == PILGRIM_OK)
        status = add(s, "loop", number, number, error);
    if (status == PILGRIM_OK)
        status = add(s, "iteration", from, to, error);
    if (status == PILGRIM_OK)
        status = pilgrim_calls_open(trace, s, PILGRIM_BY_RANK, &calls, error);
    while (status == PILGRIM_OK && (status = pilgrim_calls_next(calls, &call, error)) == PILGRIM_OK) {
        if (part->end && call.seq != part->end)
            break;
        if (!part->end)
            part->first = call.seq;
        part->end = call.seq + 1;
    }
    pilgrim_calls_close(calls);
    pilgrim_selection_free(s);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Finds how many trips are made the first time: at most MOST. WHOLE: the calls of trips 1 to MOST. */
static enum pilgrim_status count_trips(const struct pilgrim_trace *trace, uint32_t rank, uint64_t number, uint64_t most,
                                       const struct loop_part *whole, uint64_t *count, struct pilgrim_error *error)
{
    uint64_t low = 1, high = most; /* trip `low` is there */
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        struct loop_part part;
        enum pilgrim_status status = find_part(trace, rank, number, middle, middle, &part, error);
        if (status != PILGRIM_OK && status != PILGRIM_INVALID) /* invalid: there is no such iteration */
            return status;
        if (part.end && part.first >= whole->first && part.first < whole->end)
            low = middle;
        else
            high = middle - 1;
    }
    *count = low;
    return PILGRIM_OK;
}

enum pilgrim_status loop_find(const struct pilgrim_trace *trace, uint32_t rank, uint64_t number, uint64_t trips,
                              struct replay_loop *loop, struct pilgrim_error *error)
{
    struct loop_part whole, rest = {0, 0};
    uint64_t count = 1;
    enum pilgrim_status status = find_part(trace, rank, number, 1, trips, &whole, error);
    if (status == PILGRIM_OK && !whole.end) {
        snprintf(error->message, sizeof error->message, "there is no loop %" PRIu64, number);
        return PILGRIM_INVALID;
    }
    if (status == PILGRIM_OK)
        status = count_trips(trace, rank, number, trips, &whole, &count, error);
    if (status == PILGRIM_OK && trips % count)
        status = find_part(trace, rank, number, 1, trips % count, &rest, error);
    *loop = (struct replay_loop){
        .first = whole.first, .passes = trips / count, .end = whole.end, .rest = rest.end ? rest.end : whole.first};
    return status;
}
