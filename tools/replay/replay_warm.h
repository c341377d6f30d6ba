/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program did with its buffers between calls, as far as caches see it.
 *
 * A program writes what it sends, and reads what it has received. So its buffers are in its own core's cache when it
 * calls MPI; a replay's would be where the last message left them, in part in that of the other rank. So a replay
 * writes the buffers of a call in the gap before it, as far as the gap is long enough. What is in them stays. */
#ifndef REPLAY_WARM_H
#define REPLAY_WARM_H

#include <stddef.h>
#include <stdint.h>

#include "replay_arenas.h"

struct pilgrim_call;
struct pilgrim_value;

struct warm_buffer {
    int64_t id, offset;
    uint64_t bytes; /* 0: the place is free */
    enum replay_space space;
};

/* Buffers and their sizes. */
struct replay_warm {
    struct replay_arenas *arenas;
    struct warm_buffer *buffers;
    size_t count, capacity;
};

/* Notes the size of a buffer; the largest one counts. What there is no memory for is not known later. */
void warm_note(struct replay_warm *warm, const struct pilgrim_value *buffer, uint64_t bytes);

/* Uses the buffers of the call until END_NS. No other thread may use arenas. */
void warm_use(const struct replay_warm *warm, const struct pilgrim_call *call, uint64_t end_ns);

#endif
