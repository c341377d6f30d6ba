/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams of calls of many threads; see pilgrim/analysis.h. By rank, one thread is open at a time; by time, all of
 * them, in a heap by the times of their next calls. */
#include "analysis/calls_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_timing.h"
#include "analysis/call_values.h"
#include "analysis/selector.h"
#include "analysis/type_sizes.h"

/* A thread that is read. */
struct call_source {
    uint32_t rank, thread;
    struct pilgrim_cursor *cursor;
    struct pilgrim_clock clock;
    struct selector *selector;
    bool all;                /* nothing is selected */
    struct volumes *volumes; /* NULL: nobody asked so far */
    uint64_t next;           /* the number of the cursor's next call */
    struct pilgrim_call call;
};

struct pilgrim_calls {
    const struct pilgrim_trace *trace;
    const struct pilgrim_selection *selection;
    enum pilgrim_order order;
    bool common;
    struct source_lines *lines, *own_lines;
    bool moves;                  /* volumes were asked for */
    struct call_source *sources; /* by time: a heap of those that have a call; by rank: the one that is read */
    size_t count;
    struct selector *selector; /* by rank: of all threads */
    uint32_t rank, thread;     /* by rank: the next one to open, ... */
    uint32_t end;              /* ... whose rank is below this */
    bool lacks;                /* by rank: it ended, and had no loop or phase that is wanted */
    bool given, ended;         /* sources[0].call was given; nothing follows */
    struct pilgrim_error times;
    struct pilgrim_error nothing; /* by time: what a thread has in place of what is wanted */
};

static void close_source(struct pilgrim_calls *c, struct call_source *s)
{
    struct pilgrim_error error;
    if (s->cursor && c->times.status == PILGRIM_OK) {
        error.status = pilgrim_cursor_times(s->cursor, &error);
        if (error.status != PILGRIM_OK)
            c->times = error;
    }
    pilgrim_cursor_close(s->cursor);
    if (s->selector != c->selector)
        selector_free(s->selector);
    volumes_free(s->volumes);
    *s = (struct call_source){0};
}

/* ---- one thread ---- */

static enum pilgrim_status open_source(struct pilgrim_calls *c, uint32_t rank, uint32_t thread, struct call_source *s,
                                       struct pilgrim_error *error)
{
    *s = (struct call_source){.rank = rank, .thread = thread, .selector = c->selector, .all = !c->selection};
    if (!s->selector)
        s->selector = selector_new(c->trace, c->selection, c->lines);
    if (!s->selector)
        return no_memory(error);
    enum pilgrim_status status = selector_begin(s->selector, rank, thread, error);
    if (status == PILGRIM_OK && c->common)
        status = pilgrim_clock_of(c->trace, rank, &s->clock, error);
    if (status == PILGRIM_OK && c->common && !s->clock.point_count && pilgrim_rank_count(c->trace) > 1) {
        *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
        snprintf(error->message, sizeof error->message,
                 "it has no clock measurement for rank %u, so its times are on no common axis", rank);
        return PILGRIM_INVALID;
    }
    if (status == PILGRIM_OK && c->moves) {
        s->volumes = volumes_new(c->trace);
        status = s->volumes ? volumes_begin(s->volumes, rank, thread, error) : no_memory(error);
    }
    return status == PILGRIM_OK ? pilgrim_cursor_open(c->trace, rank, thread, &s->cursor, error) : status;
}

/* Sets s->call to the next call of S. PILGRIM_END: there is none. */
static enum pilgrim_status next_of_all(struct call_source *s, struct pilgrim_error *error)
{
    enum pilgrim_status status = pilgrim_cursor_next(s->cursor, &s->call, error);
    if (status == PILGRIM_OK && s->volumes)
        status = volumes_see(s->volumes, &s->call, error);
    s->next = s->call.seq + 1;
    if (status == PILGRIM_OK && s->clock.point_count)
        pilgrim_clock_apply(&s->clock, &s->call);
    return status;
}

/* The same with the next call that fits. */
static enum pilgrim_status next_of(struct call_source *s, struct pilgrim_error *error)
{
    if (s->all)
        return next_of_all(s, error);
    uint64_t wanted;
    bool fits = false;
    bool all = selector_needs_all(s->selector) || s->volumes;
    enum pilgrim_status status = selector_next(s->selector, s->next, &wanted, error);
    while (status == PILGRIM_OK && wanted != SELECTOR_NONE) {
        if (!all && wanted > s->next) {
            if (pilgrim_cursor_skip(s->cursor, wanted - s->next) != PILGRIM_OK)
                return no_memory(error);
            s->next = wanted;
        }
        status = pilgrim_cursor_next(s->cursor, &s->call, error);
        if (status != PILGRIM_OK)
            return status;
        if (s->volumes)
            status = volumes_see(s->volumes, &s->call, error);
        s->next = s->call.seq + 1;
        if (status == PILGRIM_OK)
            status = selector_see(s->selector, &s->call, pilgrim_cursor_segment(s->cursor), &fits, error);
        if (status != PILGRIM_OK)
            return status;
        if (fits && s->call.seq == wanted) {
            if (s->clock.point_count)
                pilgrim_clock_apply(&s->clock, &s->call);
            return PILGRIM_OK;
        }
        if (s->next > wanted)
            status = selector_next(s->selector, s->next, &wanted, error);
    }
    return status == PILGRIM_OK ? PILGRIM_END : status;
}

/* ---- by rank ---- */

/* Opens the next thread that is wanted. PILGRIM_END: there is none. */
static enum pilgrim_status next_thread(struct pilgrim_calls *c, struct pilgrim_error *error)
{
    for (; c->rank < c->end; c->rank++, c->thread = 0) {
        if (!selector_has_rank(c->selector, c->rank))
            continue;
        while (c->thread < pilgrim_thread_count(c->trace, c->rank)) {
            uint32_t thread = c->thread++;
            if (!selector_has_thread(c->selector, c->rank, thread))
                continue;
            c->count = 1;
            return open_source(c, c->rank, thread, c->sources, error);
        }
    }
    return PILGRIM_END;
}

static enum pilgrim_status next_by_rank(struct pilgrim_calls *c, struct pilgrim_error *error)
{
    for (;;) {
        enum pilgrim_status status = c->count ? next_of(c->sources, error) : PILGRIM_END;
        if (status != PILGRIM_END)
            return status;
        if (c->count)
            close_source(c, c->sources);
        c->count = 0;
        status = next_thread(c, error);
        if (status == PILGRIM_END && selector_end(c->selector, error) != PILGRIM_OK) {
            c->lacks = true;
            return PILGRIM_INVALID;
        }
        if (status != PILGRIM_OK)
            return status;
    }
}

/* ---- by time ---- */

static bool is_earlier(const struct call_source *a, const struct call_source *b)
{
    if (a->call.start_ns != b->call.start_ns)
        return a->call.start_ns < b->call.start_ns;
    return a->rank != b->rank ? a->rank < b->rank : a->thread < b->thread;
}

/* Moves sources[I] down to where it belongs. */
static void sink(struct pilgrim_calls *c, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < c->count; child++)
            if (is_earlier(&c->sources[child], &c->sources[least]))
                least = child;
        if (least == i)
            return;
        struct call_source s = c->sources[i];
        c->sources[i] = c->sources[least];
        c->sources[least] = s;
        i = least;
    }
}

/* Opens the thread; if it has no call that fits, closes it again. */
static enum pilgrim_status add_thread(struct pilgrim_calls *c, size_t *capacity, uint32_t rank, uint32_t thread,
                                      struct pilgrim_error *error)
{
    if (c->count == *capacity) {
        struct call_source *sources = realloc(c->sources, 2 * *capacity * sizeof *sources);
        if (!sources)
            return no_memory(error);
        c->sources = sources;
        *capacity *= 2;
    }
    struct call_source *s = &c->sources[c->count];
    enum pilgrim_status status = open_source(c, rank, thread, s, error);
    if (status == PILGRIM_OK)
        status = next_of(s, error);
    if (status == PILGRIM_OK) {
        c->count++;
        return PILGRIM_OK;
    }
    if (status == PILGRIM_END)
        (void)selector_chose(s->selector, &c->nothing);
    if (status == PILGRIM_END)
        status = selector_end(s->selector, error) == PILGRIM_OK ? PILGRIM_OK : PILGRIM_END;
    close_source(c, s);
    return status;
}

static enum pilgrim_status open_by_time(struct pilgrim_calls *c, struct pilgrim_error *error)
{
    size_t capacity = 1;
    bool lacks = false;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(c->trace); rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(c->trace, rank); thread++) {
            if (!selection_has_number(c->selection, SELECT_RANK, rank) ||
                !selection_has_number(c->selection, SELECT_THREAD, thread))
                continue;
            enum pilgrim_status status = add_thread(c, &capacity, rank, thread, error);
            lacks |= status == PILGRIM_END; /* a loop or phase that is wanted */
            if (status != PILGRIM_OK && status != PILGRIM_END)
                return status;
        }
    for (size_t i = c->count; i-- > 0;)
        sink(c, i);
    return c->count == 0 && lacks ? PILGRIM_INVALID : PILGRIM_OK;
}

static enum pilgrim_status next_by_time(struct pilgrim_calls *c, struct pilgrim_error *error)
{
    if (c->given) {
        uint64_t start_ns = c->sources[0].call.start_ns;
        enum pilgrim_status status = next_of(&c->sources[0], error);
        if (status == PILGRIM_END) {
            close_source(c, &c->sources[0]);
            c->sources[0] = c->sources[--c->count];
        } else if (status != PILGRIM_OK) {
            return status;
        } else if (!c->sources[0].call.timed) {
            c->sources[0].call.start_ns = start_ns; /* its times are damaged: behind the call before */
        }
        sink(c, 0);
    }
    return c->count ? PILGRIM_OK : PILGRIM_END;
}

/* ---- all ---- */

uint32_t calls_segment(const struct pilgrim_calls *calls)
{
    return pilgrim_cursor_segment(calls->sources[0].cursor);
}

void calls_ranks(struct pilgrim_calls *calls, uint32_t first, uint32_t end)
{
    calls->rank = first;
    calls->end = end < calls->end ? end : calls->end;
}

bool calls_lack(const struct pilgrim_calls *calls)
{
    return calls->lacks;
}

bool calls_chose(const struct pilgrim_calls *c, struct pilgrim_error *error)
{
    if (c->selector)
        return selector_chose(c->selector, error);
    if (c->nothing.status != PILGRIM_OK)
        *error = c->nothing;
    return c->nothing.status == PILGRIM_OK;
}

static enum pilgrim_status check_times(const struct pilgrim_calls *c, struct pilgrim_error *error)
{
    if (c->order != PILGRIM_BY_TIME || calls_have_times(c->trace))
        return PILGRIM_OK;
    *error = (struct pilgrim_error){.status = PILGRIM_INVALID,
                                    .message = "calls in the order of time need times of calls: record with "
                                               "PILGRIM_TIMING=bins or exact"};
    return PILGRIM_INVALID;
}

enum pilgrim_status calls_open(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                               enum pilgrim_order order, bool common, struct source_lines *lines,
                               struct pilgrim_calls **calls, struct pilgrim_error *error)
{
    struct pilgrim_calls *c = calloc(1, sizeof *c);
    *calls = NULL;
    if (!c)
        return no_memory(error);
    *c = (struct pilgrim_calls){.trace = trace, .selection = selection, .order = order, .lines = lines};
    c->common = common || order == PILGRIM_BY_TIME;
    c->end = pilgrim_rank_count(trace);
    c->sources = calloc(1, sizeof *c->sources);
    if (order == PILGRIM_BY_RANK)
        c->selector = selector_new(trace, selection, lines);
    enum pilgrim_status status = check_times(c, error);
    if (status == PILGRIM_OK && selection)
        status = pilgrim_selection_check(selection, trace, error);
    if (!c->sources || (order == PILGRIM_BY_RANK && !c->selector))
        status = no_memory(error);
    if (status == PILGRIM_OK && order == PILGRIM_BY_TIME)
        status = open_by_time(c, error);
    if (status == PILGRIM_OK)
        *calls = c;
    else
        pilgrim_calls_close(c);
    return status;
}

enum pilgrim_status pilgrim_calls_open(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                                       enum pilgrim_order order, struct pilgrim_calls **calls,
                                       struct pilgrim_error *error)
{
    struct pilgrim_error ignored;
    struct source_lines *lines = NULL;
    if (calls)
        *calls = NULL;
    if (!trace || !calls || (order != PILGRIM_BY_RANK && order != PILGRIM_BY_TIME))
        return PILGRIM_INVALID;
    if (selection_has(selection, SELECT_SITE)) {
        lines = source_lines_new("", NULL);
        if (!lines)
            return no_memory(error ? error : &ignored);
        source_lines_ran_in(lines, pilgrim_property(trace, "folder"));
        source_lines_use_trace(lines, trace, pilgrim_frame_function);
    }
    enum pilgrim_status status = calls_open(trace, selection, order, false, lines, calls, error ? error : &ignored);
    if (status == PILGRIM_OK)
        (*calls)->own_lines = lines;
    else
        source_lines_free(lines);
    return status;
}

enum pilgrim_status pilgrim_calls_next(struct pilgrim_calls *calls, struct pilgrim_call *call,
                                       struct pilgrim_error *error)
{
    struct pilgrim_error ignored;
    if (!calls || !call)
        return PILGRIM_INVALID;
    if (calls->ended)
        return PILGRIM_END;
    enum pilgrim_status status = calls->order == PILGRIM_BY_RANK ? next_by_rank(calls, error ? error : &ignored)
                                                                 : next_by_time(calls, error ? error : &ignored);
    calls->given = status == PILGRIM_OK;
    calls->ended = status != PILGRIM_OK;
    if (status == PILGRIM_OK)
        *call = calls->sources[0].call;
    return status;
}

/* Gives S a finder of volumes that has seen the calls up to the one that was given. */
static enum pilgrim_status catch_up(struct pilgrim_calls *c, struct call_source *s, struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    s->volumes = volumes_new(c->trace);
    if (!s->volumes)
        return no_memory(error);
    enum pilgrim_status status = volumes_begin(s->volumes, s->rank, s->thread, error);
    if (status == PILGRIM_OK)
        status = pilgrim_cursor_open(c->trace, s->rank, s->thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    do {
        status = pilgrim_cursor_next(cursor, &call, error);
        call.identity = 0; /* of this cursor; the next calls are of another one */
        if (status == PILGRIM_OK)
            status = volumes_see(s->volumes, &call, error);
    } while (status == PILGRIM_OK && call.seq < s->call.seq);
    pilgrim_cursor_close(cursor);
    return status;
}

/* Sets *SOURCE to the source of the call that was given, whose volumes know all before it. */
static enum pilgrim_status given_source(struct pilgrim_calls *calls, struct call_source **source,
                                        struct pilgrim_error *error)
{
    struct pilgrim_error ignored;
    if (!calls || !calls->given)
        return PILGRIM_INVALID;
    *source = &calls->sources[0];
    calls->moves = true;
    return (*source)->volumes ? PILGRIM_OK : catch_up(calls, *source, error ? error : &ignored);
}

enum pilgrim_status pilgrim_calls_volume(struct pilgrim_calls *calls, struct pilgrim_volume *volume,
                                         struct pilgrim_error *error)
{
    struct call_source *s;
    enum pilgrim_status status = volume ? given_source(calls, &s, error) : PILGRIM_INVALID;
    if (status == PILGRIM_OK)
        *volume = volumes_of(s->volumes, &s->call);
    return status;
}

uint64_t calls_changes(const struct pilgrim_calls *calls)
{
    const struct call_source *s = &calls->sources[0];
    return calls->given && s->volumes ? messages_changes(volumes_messages(s->volumes)) : UINT64_MAX;
}

enum pilgrim_status pilgrim_calls_datatype_size(struct pilgrim_calls *calls, const struct pilgrim_value *datatype,
                                                uint64_t *bytes, struct pilgrim_error *error)
{
    struct call_source *s;
    enum pilgrim_status status = datatype && bytes ? given_source(calls, &s, error) : PILGRIM_INVALID;
    if (status == PILGRIM_OK)
        *bytes = messages_type_size(volumes_messages(s->volumes), datatype);
    return status;
}

enum pilgrim_status pilgrim_calls_datatype_extent(struct pilgrim_calls *calls, const struct pilgrim_value *datatype,
                                                  int64_t *lower, int64_t *extent, struct pilgrim_error *error)
{
    struct call_source *s;
    enum pilgrim_status status = datatype && lower && extent ? given_source(calls, &s, error) : PILGRIM_INVALID;
    if (status != PILGRIM_OK)
        return status;
    const struct type_extent e = messages_type_extent(volumes_messages(s->volumes), datatype);
    *lower = e.known ? e.lower : 0;
    *extent = e.known ? e.upper - e.lower : INT64_MIN;
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_calls_communicator_size(struct pilgrim_calls *calls,
                                                    const struct pilgrim_value *communicator, uint64_t *size,
                                                    struct pilgrim_error *error)
{
    struct call_source *s;
    enum pilgrim_status status = communicator && size ? given_source(calls, &s, error) : PILGRIM_INVALID;
    if (status == PILGRIM_OK)
        *size = messages_size(volumes_messages(s->volumes), communicator);
    return status;
}

enum pilgrim_status pilgrim_calls_world_rank(struct pilgrim_calls *calls, const struct pilgrim_value *group,
                                             int64_t rank, int64_t *world, struct pilgrim_error *error)
{
    struct call_source *s;
    enum pilgrim_status status = group && world ? given_source(calls, &s, error) : PILGRIM_INVALID;
    if (status != PILGRIM_OK)
        return status;
    const struct group_member member = messages_member(volumes_messages(s->volumes), group, rank);
    *world = messages_world_rank(volumes_messages(s->volumes), &member);
    return PILGRIM_OK;
}

enum pilgrim_status calls_times(const struct pilgrim_calls *calls, struct pilgrim_error *error)
{
    if (calls->times.status != PILGRIM_OK) {
        *error = calls->times;
        return error->status;
    }
    for (size_t i = 0; i < calls->count; i++) {
        enum pilgrim_status status = pilgrim_cursor_times(calls->sources[i].cursor, error);
        if (status != PILGRIM_OK)
            return status;
    }
    return PILGRIM_OK;
}

void pilgrim_calls_close(struct pilgrim_calls *calls)
{
    if (!calls)
        return;
    for (size_t i = 0; calls->sources && i < calls->count; i++)
        close_source(calls, &calls->sources[i]);
    selector_free(calls->selector);
    source_lines_free(calls->own_lines);
    free(calls->sources);
    free(calls);
}

/* ---- values ---- */

const struct pilgrim_value *pilgrim_call_in(const struct pilgrim_call *call, const char *name)
{
    return call && name ? call_in(call, name) : NULL;
}

const struct pilgrim_value *pilgrim_call_out(const struct pilgrim_call *call, const char *name)
{
    return call && name ? call_out(call, name) : NULL;
}

bool pilgrim_call_failed(const struct pilgrim_call *call)
{
    return call && call->function->returns_error_code && call->ret.type == PILGRIM_INT && call->ret.integer != 0;
}

uint64_t pilgrim_datatype_size(const char *name)
{
    return name ? type_size_predefined(name) : TYPE_SIZE_UNKNOWN;
}
