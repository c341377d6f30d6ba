/* SPDX-License-Identifier: BSD-3-Clause */
/* How many loops without trips a group may meet between two of its calls. Readers have a limit for that. */
#ifndef PILGRIM_IDLE_H
#define PILGRIM_IDLE_H

#include "template/elements.h"

/* Returns the largest number of elements that one of the first GROUP_COUNT groups lacks, one after another, in BLOCK:
 * before its first call, between two calls, or after the last one. */
uint64_t idle_most(const struct element *block, uint32_t group_count);

#endif
