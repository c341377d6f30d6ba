/* SPDX-License-Identifier: BSD-3-Clause */
/* What loops take in the trace, compared with the grammar that they stand for. */
#ifndef PILGRIM_LOOPS_SIZE_H
#define PILGRIM_LOOPS_SIZE_H

#include "loops/loops.h"

/* loops_bytes: about how many bytes L takes in the trace; SIZE_MAX if memory is short. loops_pay: true if that is
 * clearly less than the grammar DATA takes. */
size_t loops_bytes(const struct loops *l);
bool loops_pay(const struct loops *l, const void *data, size_t length);

/* False if L takes clearly more than DATA, the grammar of a sample, so that loops of the whole are not worth a try. */
bool loops_may_pay(const struct loops *l, const void *data, size_t length);

#endif
