/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective operation as the messages that a member sends and receives, for simulators that know messages only. */
#ifndef CONVERT_COLLECTIVE_STEPS_H
#define CONVERT_COLLECTIVE_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "collective_kinds.h"

/* The part of a member. Bytes are those between it and another member. */
struct collective {
    enum collective_kind kind;
    size_t members, own; /* how many there are, and its rank among them */
    size_t root;         /* of those that have one */
    uint64_t to_each, from_each;
    const uint64_t *to, *from; /* not NULL: by the other member's rank, in place of the former */
};

uint64_t collective_bytes_to(const struct collective *c, size_t member);
uint64_t collective_bytes_from(const struct collective *c, size_t member);

/* Both return false if they are short of memory. */
struct collective_steps {
    void *context;
    bool (*message)(void *context, bool send, size_t member, uint64_t bytes);
    bool (*round)(void *context); /* what was given must end before the member goes on */
};

/* Gives the messages of a member, with each other one at most once in each direction. Barriers and reductions to all
 * are by dissemination, broadcasts and reductions by a binomial tree, scans by doubled distances, others between pairs.
 * ONE_ROUND: no message waits for another one: from or to the root directly, else between all pairs. So operations
 * that do not block can be begun at once. */
bool collective_expand(const struct collective *c, bool one_round, const struct collective_steps *steps);

#endif
