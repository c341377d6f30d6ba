/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns: a number for each member of a set (docs/FORMAT.md, "Columns"). */
#ifndef PILGRIM_COLUMNS_H
#define PILGRIM_COLUMNS_H

#include "read/table/parser.h"

/* Reads the table of columns. */
void columns_parse(struct parser *p);

/* Returns the value for the member at POSITION. X: what docs/FORMAT.md calls x. */
int64_t column_value(const struct shard *v, const struct stored_column *c, uint64_t position, int64_t x);

/* ---- columns whose values increase ---- */

/* Returns the number of values. */
uint64_t column_size(const struct stored_column *c);

/* Returns the last value. */
int64_t column_last(const struct shard *v, const struct stored_column *c);

/* Sets *POSITION to the position of VALUE. False: the column does not have it. */
bool column_find(const struct shard *v, const struct stored_column *c, int64_t value, uint64_t *position);

#endif
