/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which calls of a class get a distribution of their own in the profile: those whose times differ enough to
 * matter.
 *
 * The calls of a class are in leaves. A leaf is one entry of a value group, or all entries of one whose statistics do
 * not tell signatures apart. The leaves are sorted by mean. Then two neighbours are joined, again and again, first
 * those whose joining misattributes the least time. It ends when any two neighbours that are left have means that
 * differ by a quarter, and joining them would misattribute a 32nd of the run's time. So the number of distributions
 * does not grow with the number of groups. */
#ifndef PILGRIM_PROFILE_PARTS_H
#define PILGRIM_PROFILE_PARTS_H

#include "merge/fragment_data.h"

/* A distribution of gaps, and the classes of the calls before these gaps. */
struct gap_parts {
    struct distribution all;
    uint32_t *before; /* ascending; empty for the first part, which has all classes that no other part lists */
    uint32_t before_count;
};

/* The distributions of one class. */
struct class_parts {
    bool called;                    /* a structure group of threads has the class (loops do not count) */
    struct distribution *durations; /* one for each part */
    uint32_t part_count;
    uint32_t leaf; /* number of the first of its leaves */
    uint32_t leaf_count;
    struct gap_parts *gaps;
    uint32_t gap_count;
    struct distribution first; /* gaps before the first call of a thread */
};

struct profile_parts {
    struct class_parts *classes; /* by number */
    uint32_t class_count;
    uint8_t *parts; /* by leaf: its part; the leaves of a class follow each other */
    double run;     /* ns: all durations and gaps of all threads, without the gaps before first calls */
};

/* Divides the statistics of F into parts. The caller frees *PARTS, also after an error. errors: PILGRIM_NOMEM,
 * PILGRIM_DAMAGED */
enum pilgrim_status profile_parts_make(const struct fragment *f, struct profile_parts *parts) PILGRIM_CHECKED;
void profile_parts_free(struct profile_parts *parts);

/* Calls VISIT for each leaf of F, in the order of the profile. A leaf stands for ENTRIES entries of a value group.
 * CELLS cells of STATISTICS (borrowed, sorted), from CELL on, belong to it; none if its times were not recorded.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED, what VISIT returns */
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
