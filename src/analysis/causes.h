/* SPDX-License-Identifier: BSD-3-Clause */
/* Brings the calls of all threads into an order in which no call is dealt with before those that it waited for, and
 * follows in that order what delayed whom (delay_costs.h), the critical path (critical_path.h), and how long the run
 * would take if messages took no time.
 *
 * A call is an event: it is entered once all calls of its thread before it were left, and left once all calls that it
 * depends on were entered. A thread that cannot go on sleeps on the event that it needs. If calls wait for each other
 * in a circle, as times that are wrong may say, the one that began first goes on without. */
#ifndef ANALYSIS_CAUSES_H
#define ANALYSIS_CAUSES_H

#include <pilgrim/reader.h>

#include "analysis/critical_path.h"
#include "analysis/delay_costs.h"

struct cause_dependency {
    struct cause_event *event;
    struct cause_hub *hub; /* or all of these */
};

/* A call that others may wait for, or that waits. Counted references. */
struct cause_event {
    uint32_t references, thread, site;
    bool known;    /* its place and times */
    bool resolved; /* all that it waits for is known */
    bool entered, left;
    uint64_t number, enter_ns, leave_ns;
    uint64_t gap_ns;   /* since the call before */
    uint64_t seq;      /* of the call in its thread, for the caller */
    uint64_t position; /* in its thread's log; with the following three, once it was entered */
    struct way_node *path;
    uint64_t ideal_ns;
    uint32_t sleeper; /* the first thread that sleeps on it, + 1 */
    struct cause_dependency *dependencies;
    size_t dependency_count, dependency_capacity;
    /* what it waited for, for the caller; and for how long */
    uint32_t kind;
    uint64_t wait_ns, error_ns;
    uint64_t least_ns, most_ns; /* how long it may have waited, as far as times are rounded */
    uint64_t aside_ns; /* what it waited in another way: `found` has it when the call was left, in order; 0: nothing */
    /* for the caller: what its operation took when nobody was late any more, of which pattern that is */
    uint64_t complete_ns, complete_error_ns;
    uint32_t completes;
    bool left_out; /* its wait is not wanted */
    struct cause_event *late;
    uint64_t late_ns; /* when the late call began: its event may not know it yet */
    uint64_t sent_ns; /* when the first of the messages that it received was sent at the latest; 0: it received none */
};

/* Events of which all must have been entered. Counted references. */
struct cause_hub {
    uint32_t references;
    struct cause_event **events;
    size_t count, capacity, done;
    uint64_t ideal_ns; /* the last of those that are done */
};

struct cause_item;

/* A thread. */
struct cause_thread {
    uint32_t rank, thread, next_sleeper;
    bool begun, ready;
    struct cause_event *asleep; /* on this event */
    uint64_t first_ns, last_ns, useful_ns, mpi_ns, ideal_ns, wait_ns;
    uint64_t counted_ns;      /* its waits, for the caller */
    uint64_t left_ns;         /* when its last call that was read ended */
    struct cause_item *items; /* what is not dealt with yet: a ring */
    size_t capacity;
    uint64_t head, tail;
    struct delay_log log;
    struct way_node *path;
};

/* What the caller learns of a wait, in the order of its thread. EVENT->kind is what it said. ROOTS: NULL for what it
 * waited aside. false: no memory */
typedef bool (*cause_found)(void *context, const struct cause_event *event, const struct delay_roots *roots);

struct causes {
    cause_found found;
    void *context;
    struct cause_thread *threads;
    uint32_t thread_count, process_count;
    uint32_t *first_thread; /* of each rank, and one more */
    uint32_t *ready;
    size_t ready_count, steps_most, points_most;
    uint64_t numbers, queued;
    uint64_t *by_class; /* the time of all threads */
    size_t classes;
    uint64_t forced; /* events that went on without what they depend on */
    struct way_tree tree;
    struct delay_scratch scratch;
};

/* Prepares; *C is to be freed in any case. false: no memory */
bool causes_begin(struct causes *c, const struct pilgrim_trace *trace, cause_found found, void *context);

/* The next call of a thread. EVENT: NULL if nothing may depend on the call, and it on nothing; else it is held until
 * it was left. An event that is not RESOLVED yet is so by causes_resolve. Times on the common axis.
 * false: no memory */
bool causes_call(struct causes *c, uint32_t rank, uint32_t thread, uint32_t site, uint64_t enter_ns, uint64_t leave_ns,
                 struct cause_event *event);

/* Goes on with the event's thread. false: no memory */
bool causes_resolve(struct causes *c, struct cause_event *event);

/* Deals with what is left. false: no memory */
bool causes_end(struct causes *c);
void causes_free(struct causes *c);

/* Returns an event with one reference. NULL: no memory. */
struct cause_event *cause_event_new(void);
void cause_event_drop(struct causes *c, struct cause_event *event);
struct cause_hub *cause_hub_new(void);
bool cause_hub_add(struct cause_hub *hub, struct cause_event *event);
void cause_hub_drop(struct causes *c, struct cause_hub *hub);

/* EVENT cannot be left before ON, or all of HUB, were entered. Nothing happens once it was left. false: no memory */
bool cause_depends(struct cause_event *event, struct cause_event *on, struct cause_hub *hub);

/* Returns the critical path's sums by thread << 32 | class: the way of the thread that ended last. NULL: none. */
const struct way_node *causes_path(struct causes *c);

#endif
