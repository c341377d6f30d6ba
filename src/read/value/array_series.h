/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates array series (docs/FORMAT.md, section 5: series). */
#ifndef PILGRIM_ARRAY_SERIES_H
#define PILGRIM_ARRAY_SERIES_H

#include "read/value/evaluation.h"

/* Evaluates the series whose tag was read, into V. */
void evaluate_series(struct evaluation *e, struct pilgrim_value *v);

/* Returns the next slot of a value in a series. */
int64_t series_slot(struct evaluation *e);

#endif
