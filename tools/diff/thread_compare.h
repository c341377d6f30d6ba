/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares what two threads do. */
#ifndef PILGRIM_DIFF_THREAD_COMPARE_H
#define PILGRIM_DIFF_THREAD_COMPARE_H

#include "analysis/key_table.h"
#include "diff_side.h"
#include "differences.h"

/* How the structures of two groups differ. */
struct structure_result {
    const struct side_group *groups[2];
    bool differs;
    uint64_t alike;       /* so many calls at the beginning are alike, polls that are ignored left out */
    uint64_t alike_again; /* and so many at the end */
    uint64_t call[2];     /* numbers of the first calls that differ */
    uint32_t kinds[2];    /* of these calls; NO_KIND: there is none */
    uint32_t *partner;    /* by class of A: the class of B of its kind; UINT32_MAX: there is none */
    uint64_t *counts[2];  /* by class: how many calls; NULL if nothing differs */
};

struct comparison {
    struct diff_side *sides[2];
    struct call_kinds *kinds;
    struct value_rules rules;
    bool structure_only;
    struct differences *found;
    struct structure_result **results; /* by pair of groups */
    size_t result_count, result_capacity;
    struct key_table result_of; /* pair of groups -> index */
    struct key_table
        values_of; /* pair of groups and of sequences -> how many terminals are alike, or UINT64_MAX: all */
    struct key_table equal_values; /* pair of groups, class and value groups: equal on all ranks that are in both */
    struct key_table kind_of;      /* while threads are walked: side and class -> kind */
};

/* Compares two threads, and adds to C->found how they differ. A NULL: thread B has no partner, and the other way round.
 * RANK: the one that rows name. errors: as pilgrim_cursor_next */
enum pilgrim_status threads_compare(struct comparison *c, const struct side_thread *a, const struct side_thread *b,
                                    uint32_t rank, struct pilgrim_error *error);

/* The same for threads whose grammars do not say all: call by call. */
enum pilgrim_status threads_walk(struct comparison *c, const struct side_thread *a, const struct side_thread *b,
                                 uint32_t rank, struct pilgrim_error *error);

void comparison_free(struct comparison *c);

#endif
