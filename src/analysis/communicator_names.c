/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of communicators; see communicator_names.h. The calls that give and free names are found by their classes, and
 * a second cursor reads the values of these only. They are kept for the rank that was asked about last. */
#include "analysis/communicator_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"

enum {
    EVENTS_MOST = 1 << 16, /* of a rank; later ones are not known */
    COMMS_MOST = 1024,     /* communicators with higher numbers have no names */
    LISTS = 64             /* kept lists: that of rank R is in slot R modulo LISTS */
};

/* A call behind which COMM has NAME, or, if that is NULL, none. */
struct comm_naming {
    uint32_t thread;
    uint64_t seq;
    int64_t comm;
    char *name;
};

/* The events of all threads of a rank, thread by thread. */
struct comm_naming_list {
    struct comm_naming *events;
    size_t count, capacity;
    uint32_t rank;
    bool is_read;
};

struct communicator_names {
    const struct pilgrim_trace *trace;
    unsigned char *ranks; /* by rank: whether it gives names */
    struct comm_naming_list lists[LISTS];
    const struct comm_naming_list *list; /* of the rank; NULL: it gives no names */
    size_t next, end;                    /* the thread's events that are not yet done */
    const char *now[COMMS_MOST];         /* by number */
    uint32_t listed;                     /* the rank of communicator_names_next, plus 1; 0: none yet */
    const struct comm_naming_list *listed_events;
    size_t at[COMMS_MOST]; /* by number: the events up to where the last one of them was freed */
};

enum { RANK_UNKNOWN, RANK_HAS_NONE, RANK_HAS_SOME };

struct communicator_names *communicator_names_new(const struct pilgrim_trace *trace)
{
    struct communicator_names *n = calloc(1, sizeof *n);
    if (n)
        n->ranks = calloc(pilgrim_rank_count(trace), 1);
    if (!n || !n->ranks) {
        free(n);
        return NULL;
    }
    n->trace = trace;
    return n;
}

static void clear(struct comm_naming_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->events[i].name);
    free(list->events);
    *list = (struct comm_naming_list){0};
}

void communicator_names_free(struct communicator_names *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < LISTS; i++)
        clear(&n->lists[i]);
    free(n->ranks);
    free(n);
}

/* ---- reading ---- */

static bool names_it(const char *function)
{
    return strcmp(function, "MPI_Comm_set_name") == 0;
}

static bool frees_it(const char *function)
{
    return strcmp(function, "MPI_Comm_free") == 0 || strcmp(function, "MPI_Comm_disconnect") == 0;
}

/* True if the cursor's segment has a class that gives a name or, unless ONLY_NAMES, frees one. */
static bool segment_has(const struct pilgrim_cursor *cursor, bool only_names)
{
    struct pilgrim_thread_info thread;
    struct pilgrim_class_info class;
    pilgrim_thread_info(cursor, &thread);
    for (size_t i = 0; i < thread.class_count; i++)
        if (pilgrim_class_info(cursor, i, &class) == PILGRIM_OK && class.class_ && !class.body &&
            (names_it(class.class_->function->name) || (!only_names && frees_it(class.class_->function->name))))
            return true;
    return false;
}

/* True if the thread gives a name in some segment. */
static bool gives_names(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_cursor *cursor;
    if (pilgrim_cursor_open(trace, rank, thread, &cursor, NULL) != PILGRIM_OK)
        return false;
    bool found = segment_has(cursor, true);
    while (!found && pilgrim_cursor_next_segment(cursor, NULL) == PILGRIM_OK)
        found = segment_has(cursor, true);
    pilgrim_cursor_close(cursor);
    return found;
}

/* Adds what CALL does to names. False: no memory. */
static bool add_event(struct comm_naming_list *list, const struct pilgrim_call *call)
{
    const struct pilgrim_value *comm = call_in(call, "comm"), *name = call_in(call, "comm_name");
    const bool is_naming = names_it(call->function->name);
    if (comm->type != PILGRIM_OBJECT || comm->id < 0 || comm->id >= COMMS_MOST || !call_succeeded(call) ||
        (is_naming && name->type != PILGRIM_STRING))
        return true;
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 16;
        struct comm_naming *more = realloc(list->events, capacity * sizeof *more);
        if (!more)
            return false;
        list->events = more;
        list->capacity = capacity;
    }
    struct comm_naming *event = &list->events[list->count];
    *event = (struct comm_naming){.thread = call->thread, .seq = call->seq, .comm = comm->id};
    if (is_naming && name->length > 0 && !(event->name = strndup(name->text, name->length)))
        return false;
    list->count++;
    return true;
}

/* Reads the next call, number SEQ, with the cursor VALUES, which is at call *AT. */
static bool read_event(struct comm_naming_list *list, struct pilgrim_cursor *values, uint64_t seq, uint64_t *at)
{
    struct pilgrim_call call;
    if (pilgrim_cursor_skip(values, seq - *at) != PILGRIM_OK)
        return false;
    *at = seq + 1;
    if (pilgrim_cursor_next(values, &call, NULL) != PILGRIM_OK)
        return true; /* a name is missing; who reads the calls themselves says what is damaged */
    return add_event(list, &call);
}

static bool read_thread(const struct pilgrim_trace *trace, struct comm_naming_list *list, uint32_t rank,
                        uint32_t thread)
{
    struct pilgrim_cursor *classes = NULL, *values = NULL;
    struct pilgrim_class_info class;
    uint64_t count, seq = 0, at = 0;
    size_t number;
    bool good = true;
    if (pilgrim_cursor_open(trace, rank, thread, &classes, NULL) == PILGRIM_OK &&
        pilgrim_cursor_open(trace, rank, thread, &values, NULL) == PILGRIM_OK) {
        while (good && list->count < EVENTS_MOST && pilgrim_cursor_pass(classes, &number, &count, NULL) == PILGRIM_OK) {
            if (count > 0 && pilgrim_class_info(classes, number, &class) == PILGRIM_OK && class.class_ &&
                (names_it(class.class_->function->name) || frees_it(class.class_->function->name)))
                for (uint64_t i = 0; i < count && good && list->count < EVENTS_MOST; i++)
                    good = read_event(list, values, seq + i, &at);
            seq += count;
        }
    }
    pilgrim_cursor_close(classes);
    pilgrim_cursor_close(values);
    return good;
}

/* Sets *LIST to that of RANK, NULL if it gives no names. False: no memory. */
static bool find_list(struct communicator_names *n, uint32_t rank, const struct comm_naming_list **list)
{
    struct comm_naming_list *slot = &n->lists[rank % LISTS];
    const uint32_t threads = pilgrim_thread_count(n->trace, rank);
    bool good = true, some = false;
    *list = NULL;
    for (uint32_t thread = 0; n->ranks[rank] == RANK_UNKNOWN && thread < threads && !some; thread++)
        some = gives_names(n->trace, rank, thread);
    if (n->ranks[rank] == RANK_UNKNOWN)
        n->ranks[rank] = some ? RANK_HAS_SOME : RANK_HAS_NONE;
    if (n->ranks[rank] == RANK_HAS_NONE)
        return true;
    if (!slot->is_read || slot->rank != rank) {
        clear(slot);
        for (uint32_t thread = 0; thread < threads && good; thread++)
            good = read_thread(n->trace, slot, rank, thread);
        slot->rank = rank;
        slot->is_read = good;
    }
    *list = slot;
    return good;
}

/* ---- asking ---- */

/* Fills in the names that other threads give, of communicators that only one call names. */
static void begin_others(struct communicator_names *n, uint32_t thread)
{
    unsigned char times[COMMS_MOST] = {0};
    for (size_t i = 0; i < n->list->count; i++) {
        const struct comm_naming *event = &n->list->events[i];
        if (!event->name)
            continue;
        n->now[event->comm] = event->thread != thread && !times[event->comm] ? event->name : NULL;
        times[event->comm] = 1;
    }
}

bool communicator_names_begin(struct communicator_names *n, uint32_t rank, uint32_t thread)
{
    n->next = n->end = 0;
    if (n->list)
        memset(n->now, 0, sizeof n->now);
    if (!find_list(n, rank, &n->list))
        return false;
    if (!n->list)
        return true;
    while (n->next < n->list->count && n->list->events[n->next].thread != thread)
        n->next++;
    n->end = n->next;
    while (n->end < n->list->count && n->list->events[n->end].thread == thread)
        n->end++;
    begin_others(n, thread);
    return true;
}

bool communicator_names_at(struct communicator_names *n, uint64_t seq)
{
    const size_t before = n->next;
    while (n->next < n->end && n->list->events[n->next].seq < seq) {
        const struct comm_naming *event = &n->list->events[n->next++];
        n->now[event->comm] = event->name;
    }
    return n->next != before;
}

const char *communicator_names_find(const void *names, int64_t comm)
{
    const struct communicator_names *n = names;
    return comm >= 0 && comm < COMMS_MOST ? n->now[comm] : NULL;
}

/* Begins with the communicators of RANK. Those that several threads named or freed have no events left. */
static bool list_rank(struct communicator_names *n, uint32_t rank)
{
    static const uint32_t nobody = UINT32_MAX;
    uint32_t threads[COMMS_MOST];
    if (!find_list(n, rank, &n->listed_events))
        return false;
    n->listed = rank + 1;
    memset(n->at, 0, sizeof n->at);
    for (size_t i = 0; i < COMMS_MOST; i++)
        threads[i] = nobody;
    for (size_t i = 0; n->listed_events && i < n->listed_events->count; i++) {
        const struct comm_naming *event = &n->listed_events->events[i];
        if (threads[event->comm] != nobody && threads[event->comm] != event->thread)
            n->at[event->comm] = n->listed_events->count;
        threads[event->comm] = event->thread;
    }
    return true;
}

bool communicator_names_next(struct communicator_names *n, uint32_t rank, const char *comm, const char **name)
{
    int64_t number;
    *name = NULL;
    if (n->listed != rank + 1 && !list_rank(n, rank))
        return false;
    if (!n->listed_events || sscanf(comm, "comm:%" SCNd64, &number) != 1 || number < 0 || number >= COMMS_MOST)
        return true;
    for (size_t *at = &n->at[number]; *at < n->listed_events->count;) {
        const struct comm_naming *event = &n->listed_events->events[(*at)++];
        if (event->comm != number)
            continue;
        if (!event->name)
            break;
        *name = event->name;
    }
    return true;
}
