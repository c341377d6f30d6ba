/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the arguments of one call. */
#ifndef REPLAY_SCRATCH_H
#define REPLAY_SCRATCH_H

#include <stddef.h>

struct replay_block;

struct replay_scratch {
    struct replay_block *blocks; /* the newest first */
};

/* Returns zeroed, aligned memory; NULL if there is none. */
void *scratch_alloc(struct replay_scratch *scratch, size_t bytes);
/* Gives up what was allocated, but keeps a block for the next call. */
void scratch_reset(struct replay_scratch *scratch);
/* Hands over what was allocated; the scratch is empty then. */
struct replay_block *scratch_take(struct replay_scratch *scratch);
void scratch_free(struct replay_block *blocks);

#endif
