/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads messages as flows; see flows.h. */
#include "flows.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/calls_stream.h"
#include "analysis/match.h"

/* ---- reading ---- */

static bool add(struct flow_thread *t, uint64_t seq, uint64_t id, bool received)
{
    if (t->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 64;
        struct message_end *flows = realloc(t->flows, capacity * sizeof *flows);
        if (!flows)
            return false;
        t->flows = flows;
        t->capacity = capacity;
    }
    t->flows[t->count++] = (struct message_end){.seq = seq, .id = id, .received = received};
    return true;
}

static bool add_change(struct flows *f, uint64_t ns, int64_t bytes, int64_t messages)
{
    if (f->change_count == f->change_capacity) {
        const size_t capacity = f->change_capacity ? 2 * f->change_capacity : 256;
        struct flow_change *changes = realloc(f->changes, capacity * sizeof *changes);
        if (!changes)
            return false;
        f->changes = changes;
        f->change_capacity = capacity;
    }
    f->changes[f->change_count++] = (struct flow_change){ns, bytes, messages};
    return true;
}

static struct flow_thread *thread_of(const struct flows *f, uint32_t rank, uint32_t thread)
{
    return &f->threads[f->first[rank] + thread];
}

static bool take_message(void *context, const struct match_operation *send, const struct match_operation *receive)
{
    struct flows *f = context;
    if (!send || !receive || !send->begun || !receive->ended)
        return true;
    const struct match_call *from = send->begun, *to = receive->ended;
    if (!f->drawn && (!from->timed || !to->timed))
        return true; /* calls whose times are lost are not converted */
    const uint64_t id = ++f->messages;
    if (!add(thread_of(f, from->rank, from->thread), from->seq, id, false) ||
        !add(thread_of(f, to->rank, to->thread), to->seq, id, true))
        return false;
    if (!from->timed || !to->timed || to->leave_ns < from->enter_ns)
        return true;
    const int64_t bytes = send->bytes <= INT64_MAX ? (int64_t)send->bytes : 0;
    return add_change(f, from->enter_ns, bytes, 1) && add_change(f, to->leave_ns, -bytes, -1);
}

static int by_call(const void *a, const void *b)
{
    const struct message_end *x = a, *y = b;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_time(const void *a, const void *b)
{
    const struct flow_change *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->messages < y->messages) - (x->messages > y->messages); /* sent before it is received */
}

/* ---- selected calls ---- */

/* Counts in ENDS the calls of each message that are converted. */
static enum pilgrim_status count_ends(const struct flows *f, const struct pilgrim_trace *trace,
                                      const struct pilgrim_selection *selection, unsigned char *ends,
                                      struct pilgrim_error *error)
{
    struct pilgrim_calls *calls;
    struct pilgrim_call call;
    uint32_t rank = UINT32_MAX, thread = 0;
    size_t at = 0, count;
    enum pilgrim_status status = pilgrim_calls_open(trace, selection, PILGRIM_BY_RANK, &calls, error);
    while (status == PILGRIM_OK && (status = pilgrim_calls_next(calls, &call, error)) == PILGRIM_OK) {
        if (call.rank != rank || call.thread != thread)
            at = 0;
        rank = call.rank;
        thread = call.thread;
        const struct message_end *found = flows_of(f, &call, &at, &count);
        for (size_t i = 0; i < count; i++)
            ends[found[i].id]++;
    }
    pilgrim_calls_close(calls);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

static void keep_whole(struct flow_thread *t, const unsigned char *ends)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++)
        if (ends[t->flows[i].id] == 2)
            t->flows[kept++] = t->flows[i];
    t->count = kept;
}

/* Leaves out messages of which one call is not converted. */
static enum pilgrim_status select_whole(struct flows *f, const struct pilgrim_trace *trace, size_t threads,
                                        const struct pilgrim_selection *selection, struct pilgrim_error *error)
{
    unsigned char *ends = calloc(f->messages + 1, 1);
    if (!ends)
        return no_memory(error);
    enum pilgrim_status status = count_ends(f, trace, selection, ends, error);
    for (size_t i = 0; i < threads; i++)
        keep_whole(&f->threads[i], ends);
    free(ends);
    return status;
}

/* ---- all ---- */

static enum pilgrim_status read_messages(struct flows *f, const struct pilgrim_trace *trace,
                                         struct pilgrim_error *error)
{
    const struct match_events events = {.context = f, .message = take_message};
    struct match_totals totals;
    struct match *match = match_new(trace);
    if (!match)
        return no_memory(error);
    enum pilgrim_status status = match_trace(match, &events, true, &totals, error);
    match_free(match);
    return status;
}

enum pilgrim_status flows_read(struct flows *f, const struct pilgrim_trace *trace,
                               const struct pilgrim_selection *selection, bool drawn, struct pilgrim_error *error)
{
    size_t threads = 0;
    *f = (struct flows){.ranks = pilgrim_rank_count(trace), .drawn = drawn};
    f->first = calloc(f->ranks + (size_t)1, sizeof *f->first);
    if (!f->first)
        return no_memory(error);
    for (uint32_t rank = 0; rank < f->ranks; rank++) {
        f->first[rank] = threads;
        threads += pilgrim_thread_count(trace, rank);
    }
    f->first[f->ranks] = threads;
    f->threads = calloc(threads + 1, sizeof *f->threads);
    if (!f->threads)
        return no_memory(error);
    enum pilgrim_status status = read_messages(f, trace, error);
    for (size_t i = 0; i < threads; i++)
        if (f->threads[i].count)
            qsort(f->threads[i].flows, f->threads[i].count, sizeof *f->threads[i].flows, by_call);
    if (f->change_count)
        qsort(f->changes, f->change_count, sizeof *f->changes, by_time);
    if ((status == PILGRIM_OK && !selection) || status == PILGRIM_NOMEM)
        return status;
    /* of a damaged trace, the calls before the damage are converted */
    struct pilgrim_error found;
    const enum pilgrim_status selected = select_whole(f, trace, threads, selection, &found);
    if (status == PILGRIM_OK && selected != PILGRIM_OK)
        *error = found;
    return status == PILGRIM_OK ? selected : status;
}

void flows_free(struct flows *f)
{
    for (size_t i = 0; f->threads && i < f->first[f->ranks]; i++)
        free(f->threads[i].flows);
    free(f->threads);
    free(f->first);
    free(f->changes);
    *f = (struct flows){0};
}

const struct message_end *flows_of(const struct flows *f, const struct pilgrim_call *call, size_t *at, size_t *count)
{
    const struct flow_thread *t = thread_of(f, call->rank, call->thread);
    while (*at < t->count && t->flows[*at].seq < call->seq)
        ++*at;
    const size_t first = *at;
    while (*at < t->count && t->flows[*at].seq == call->seq)
        ++*at;
    *count = *at - first;
    return *count ? t->flows + first : NULL;
}
