/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for buffers before the replay begins. The program had written its data before it sent them; a replay whose
 * buffers become memory only in its calls takes the system's time for each page there. */
#ifndef REPLAY_TOUCH_H
#define REPLAY_TOUCH_H

#include <stdint.h>

#include "replay_warm.h"

struct pilgrim_trace;

/* Touches what the first million calls of a rank send from and receive into, as far as it is contiguous, up to a share
 * of the memory that is free, which RANKS processes have. */
void touch_buffers(struct replay_warm *warm, const struct pilgrim_trace *trace, uint32_t rank, uint32_t ranks);

#endif
