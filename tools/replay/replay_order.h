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
    uint64_t first, count, room; /* wildcards[number % room], for numbers from first to below first + count */
    struct replay_wildcard *wildcards;
    struct replay_objects pending; /* by request; the slot is the number in `wildcards` */
};

/* Finds what the receive that is call number SEQ of the thread got. Returns false if it got nothing, or if it is too
 * far ahead. source, tag: of its status; borrowed until the next call of a function here */
bool order_received(struct replay_order *order, uint64_t seq, int64_t *source, int64_t *tag);

void order_close(struct replay_order *order);

/* Returns true if the parameter was a wildcard: MPI_ANY_SOURCE, MPI_ANY_TAG. */
bool order_wildcard(const struct pilgrim_value *v);

#endif
