/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets that together hold each number below a limit once: finds the set of a number, and the number's index in it. */
#ifndef PILGRIM_MEMBER_INDEX_H
#define PILGRIM_MEMBER_INDEX_H

#include "read/table/parser.h"

/* Adds the set of the values of COLUMN to INDEX, which has room for it. NUMBER: of its group or value group. */
void member_index_add(struct member_index *index, const struct stored_column *column, uint32_t number);

/* Checks that the columns of INDEX->sets increase and hold the TOTAL numbers below TOTAL, each once, and prepares
 * member_index_find. WHAT: the problem if they do not. */
void member_index_parse(struct parser *p, struct member_index *index, uint64_t total, const char *what);

/* Adds COUNT sets to INDEX, which has room for them: set i holds the positions at which LABELS has i. Prepares
 * member_index_find. WHAT: the problem if LABELS has other values, lacks one, or is too long. */
void member_index_parse_labels(struct parser *p, struct member_index *index, const struct stored_column *labels,
                               size_t count, const char *what);

/* Returns the set that holds VALUE, and sets *POSITION to the index of VALUE in it. NULL: no set holds it. */
const struct member_set *member_index_find(const struct shard *v, const struct member_index *index, uint64_t value,
                                           uint64_t *position);

#endif
