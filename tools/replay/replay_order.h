/* SPDX-License-Identifier: BSD-3-Clause */
/* What nondeterministic calls found when they were recorded: the source and tag of wildcard receives. */
#ifndef REPLAY_ORDER_H
#define REPLAY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "pilgrim/reader.h"
#include "replay_objects.h"

struct replay_wildcard;

/* The status of a receive that was begun with wildcards stands in a later call. A second cursor runs ahead to it; what
 * it sees of other such receives on its way is kept until they come. */
struct replay_order {
    struct pilgrim_trace *trace;
    uint32_t rank, thread;
    struct pilgrim_cursor *ahead; /* NULL: no receive had a wildcard yet */
    bool ended;
    uint64_t seen;               /* the number of the last call that it read; 0: none */
    uint64_t first, count, room; /* wildcards[number % room], for numbers from first to below first + count */
    struct replay_wildcard *wildcards;
    struct replay_objects pending;    /* by request; the slot is the number in `wildcards` */
    struct replay_objects persistent; /* requests with wildcards, by name */
};

/* Finds what a receive got that call number SEQ of the thread began. Returns false if it got nothing, or if that is
 * too far ahead. PLACE: among the requests that the call began; source, tag: of its status */
bool order_received(struct replay_order *order, uint64_t seq, size_t place, int64_t *source, int64_t *tag);

/* Returns how many persistent requests the call starts; 0: it is another call. */
size_t order_started(const struct pilgrim_call *call);

/* Returns the I-th of them. */
const struct pilgrim_value *order_started_request(const struct pilgrim_call *call, size_t i);

void order_close(struct replay_order *order);

/* Returns true if the parameter was a wildcard: MPI_ANY_SOURCE, MPI_ANY_TAG. */
bool order_wildcard(const struct pilgrim_value *v);

#endif
