/* SPDX-License-Identifier: BSD-3-Clause */
/* What loops take in the trace, compared with the grammar that they stand for. */
#ifndef PILGRIM_LOOPS_SIZE_H
#define PILGRIM_LOOPS_SIZE_H

#include "loops/loops.h"

/* What the trace needs for L, about, in bytes; SIZE_MAX: no memory. And whether that is clearly less than what it needs
 * for the grammar DATA. */
size_t loops_bytes(const struct loops *l);
bool loops_pay(const struct loops *l, const void *data, size_t length);

/* False: clearly more than DATA, a sample of a grammar. */
bool loops_may_pay(const struct loops *l, const void *data, size_t length);

#endif
