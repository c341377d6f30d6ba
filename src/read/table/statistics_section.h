/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the section of statistics (docs/FORMAT.md, "Appendix: statistics of version 5"). */
#ifndef PILGRIM_STATISTICS_SECTION_H
#define PILGRIM_STATISTICS_SECTION_H

#include "read/table/parser.h"

#define STATISTICS_INDEX_BITS 8 /* of a time's position in its bucket */

/* The calls are read before. */
void statistics_parse(struct parser *p);

/* True if D has more than one time. */
static inline bool distribution_is_many(const struct stored_distribution *d)
{
    return d->buckets > 1 || (d->buckets == 1 && d->counts[0] > 1);
}

/* The last bucket that is not empty. D is not empty. */
static inline unsigned distribution_last_bucket(const struct stored_distribution *d)
{
    return d->first + d->buckets - 1u;
}

#endif
