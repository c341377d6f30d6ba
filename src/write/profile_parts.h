/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls of a class have a distribution of their own in the profile: those that differ enough to matter.
 *
 * The calls of a class are in leaves: value groups of several structure groups, with a signature each. Sorted by mean,
 * neighbours are put together again and again, those first for which least time is then told of the wrong calls, until
 * all that are left apart have means a quarter apart, and together would tell a 32nd of the run's time wrongly. So the
 * number of distributions is bounded by what they say, not by the number of groups. */
#ifndef PILGRIM_PROFILE_PARTS_H
#define PILGRIM_PROFILE_PARTS_H

#include "merge/fragment_data.h"

/* A distribution of gaps, and the classes of the calls before. */
struct gap_parts {
    struct distribution all;
    uint32_t *before; /* ascending; of the first part it is empty: it has all others */
    uint32_t before_count;
};

/* What the profile says of one class. */
struct class_parts {
    bool called;                    /* there is a row of it, other than of process streams and of loops */
    struct distribution *durations; /* for each part */
    uint32_t part_count;
    uint32_t leaf; /* the first of its leaves */
    uint32_t leaf_count;
    struct gap_parts *gaps;
    uint32_t gap_count;
    struct distribution first; /* gaps before threads' first calls */
};

struct profile_parts {
    struct class_parts *classes; /* by number */
    uint32_t class_count;
    uint8_t *parts; /* of each class's leaves, one class after the other */
    double run;     /* ns: durations and gaps of all threads, but those before first calls */
};

/* Takes the statistics of F apart. *PARTS is to be freed, in any case. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status profile_parts_make(const struct fragment *f, struct profile_parts *parts) PILGRIM_CHECKED;
void profile_parts_free(struct profile_parts *parts);

/* Calls VISIT for the leaves of F in the order in which they stand in the profile: ENTRIES of a part's list, of which S
 * (borrowed, sorted) has the cells from CELL on; CELLS 0: nothing is known of them. errors: PILGRIM_NOMEM,
 * PILGRIM_DAMAGED, what VISIT returns */
struct profile_leaf {
    const struct structure_group *group;
    uint32_t class;
    uint32_t entries;
    const struct statistics *statistics;
    uint32_t cell, cells;
};
typedef enum pilgrim_status profile_visit(void *context, const struct profile_leaf *leaf);
enum pilgrim_status profile_leaves(const struct fragment *f, profile_visit *visit, void *context) PILGRIM_CHECKED;

#endif
