/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares: what each rank did with its time, by activity and by call class. A part of each fragment.
 *
 * A table has one row for each activity, or two for each class (durations and gaps). A row has one value for each block
 * of neighbouring ranks. At first a block is one rank. When the table is too large, each two neighbouring blocks become
 * one, which has their mean and the rank with the largest value. So a table of a million ranks is as large as one of a
 * few thousand. */
#ifndef PILGRIM_SHARES_H
#define PILGRIM_SHARES_H

#include "base/bytes.h"
#include "timing/profile_model.h"

enum { SHARES_VALUES_MAX = 1 << 17 }; /* of a table in memory */

struct share {
    float mean; /* of the ranks of the block, in ns */
    float most;
    uint32_t at; /* the rank with MOST, counted from the block's first; the first one of several */
};

struct share_table {
    struct share **rows; /* by activity or class; NULL: all 0 */
    uint32_t row_count;
    uint32_t *ranks; /* of each block */
    uint32_t block_count;
    uint32_t capacity; /* of RANKS and of each row */
};

struct shares {
    struct share_table activities; /* row: enum activity */
    struct share_table classes;    /* row 2 x class: durations; row 2 x class + 1: gaps */
};

/* Adds a rank, with all values 0. errors: PILGRIM_NOMEM */
enum pilgrim_status shares_add_rank(struct shares *s) PILGRIM_CHECKED;

/* Adds NS to the last rank's value in ROW. errors: PILGRIM_NOMEM */
enum pilgrim_status shares_add(struct share_table *t, uint32_t row, double ns) PILGRIM_CHECKED;

/* Appends FROM's ranks. CLASSES maps FROM's class numbers to those of INTO. errors: PILGRIM_NOMEM */
enum pilgrim_status shares_merge(struct shares *into, const struct shares *from,
                                 const uint32_t *classes) PILGRIM_CHECKED;

/* Copies the rows of T whose CHOSEN is true to OUT, where they have the same numbers. Joins many neighbouring blocks
 * that are 0 in all rows, then blocks until there are at most VALUES values. The caller frees *OUT, also after an
 * error. errors: PILGRIM_NOMEM */
enum pilgrim_status shares_select(const struct share_table *t, const bool *chosen, uint32_t values,
                                  struct share_table *out) PILGRIM_CHECKED;

/* Packs shares for another process of the same run, and unpacks them there. It is not a file format. RANKS: how many
 * ranks there must be; CLASSES: how many classes there are. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
void shares_pack(const struct shares *s, struct bytes *out);
enum pilgrim_status shares_unpack(struct cursor *c, uint64_t ranks, uint32_t classes, struct shares *s) PILGRIM_CHECKED;

void share_table_free(struct share_table *t);
void shares_free(struct shares *s);

#endif
