/* SPDX-License-Identifier: BSD-3-Clause */
/* What became of each rank's time: by activity, and by call class. Part of a fragment.
 *
 * A table has a row for each activity or for the durations and the gaps of each class, and a value for each block of
 * neighbouring ranks. A block is one rank until the table is too large; then each two neighbouring blocks become one,
 * which knows its mean and its rank with the most. So a table of a million ranks is as large as one of some thousand.
 */
#ifndef PILGRIM_SHARES_H
#define PILGRIM_SHARES_H

#include "base/bytes.h"
#include "timing/profile_model.h"

enum { SHARES_VALUES_MAX = 1 << 17 }; /* of a table in memory */

struct share {
    float mean; /* ns */
    float most;
    uint32_t at; /* which of the block's ranks has the most: the first one of several */
};

struct share_table {
    struct share **rows; /* NULL: all 0 */
    uint32_t row_count;
    uint32_t *ranks; /* of each block */
    uint32_t block_count;
    uint32_t capacity; /* of RANKS and of each row */
};

struct shares {
    struct share_table
        activities;             /* computing, then the others as enum activity has them, behind it: other calls first */
    struct share_table classes; /* 2 x class: durations; 2 x class + 1: gaps */
};

/* One more rank, of which nothing is known yet. errors: PILGRIM_NOMEM */
enum pilgrim_status shares_add_rank(struct shares *s) PILGRIM_CHECKED;

/* Adds NS to a row of the last rank. errors: PILGRIM_NOMEM */
enum pilgrim_status shares_add(struct share_table *t, uint32_t row, double ns) PILGRIM_CHECKED;

/* Appends FROM's ranks; class i of FROM is CLASSES[i]. errors: PILGRIM_NOMEM */
enum pilgrim_status shares_merge(struct shares *into, const struct shares *from,
                                 const uint32_t *classes) PILGRIM_CHECKED;

/* The rows of T that CHOOSE is true for, in blocks so that there are at most VALUES values; row i stays row i. *OUT is
 * to be freed, in any case. errors: PILGRIM_NOMEM */
enum pilgrim_status shares_select(const struct share_table *t, const bool *chosen, uint32_t values,
                                  struct share_table *out) PILGRIM_CHECKED;

/* For transport between processes of one run; not a file format. RANKS: how many there must be. errors: PILGRIM_NOMEM,
 * PILGRIM_DAMAGED */
void shares_pack(const struct shares *s, struct bytes *out);
enum pilgrim_status shares_unpack(struct cursor *c, uint64_t ranks, uint32_t classes, struct shares *s) PILGRIM_CHECKED;

void share_table_free(struct share_table *t);
void shares_free(struct shares *s);

#endif
