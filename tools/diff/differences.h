/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found to differ, for all ranks: ranks that differ alike are one row. */
#ifndef PILGRIM_DIFF_DIFFERENCES_H
#define PILGRIM_DIFF_DIFFERENCES_H

#include "interned_texts.h"
#include "value_compare.h"

/* Ranks, ascending. */
struct rank_ranges {
    struct rank_range {
        uint32_t first, last;
    } * items;
    size_t count, capacity;
    uint64_t ranks;
};

#define NO_CALL  UINT64_MAX /* behind the last call */
#define NO_KIND  UINT32_MAX
#define NO_GROUP UINT32_MAX

/* Where something is. */
struct diff_where {
    uint32_t rank, thread;
    uint64_t call[2];  /* number of the call, by trace */
    uint32_t group[2]; /* structure group, by trace; NO_GROUP: none */
    uint64_t at[2];    /* the position in its structure; valid if there is a group */
    uint32_t ranks[2]; /* by trace: the ranks that were compared call by call; valid if `walked` */
    bool walked;
};

/* The first call of which the kinds differ. */
struct first_row {
    struct diff_where where; /* of the first rank */
    uint32_t kinds[2];       /* NO_KIND: there is no call any more */
    uint64_t calls[2];       /* of the thread */
    uint64_t alike_again;    /* so many calls at the end are alike; NO_CALL: not known */
    struct rank_ranges ranks;
};

/* Calls of one kind that are more in one trace. */
struct count_row {
    uint32_t kind, thread;
    uint64_t calls[2];
    struct rank_ranges ranks;
};

/* A value that differs. */
struct value_row {
    uint32_t kind, parameter; /* PARAMETER: number of its text */
    uint32_t text[2];         /* what it is, by trace; UINT32_MAX: various */
    bool is_relative;         /* texts tell ranks and numbers as distances from the rank */
    bool is_chosen;           /* of the absolute and the relative rows of a parameter, one kind is shown */
    struct diff_where where;  /* of the first rank: the first such call */
    uint64_t calls;           /* on all ranks together */
    struct rank_ranges ranks;
};

struct differences {
    struct interned_texts texts, keys;
    struct first_row *firsts;
    struct count_row *counts;
    struct value_row *values;
    size_t first_count, count_count, value_count;
    size_t first_capacity, count_capacity, value_capacity;
    uint32_t *row_of_key;
    size_t key_capacity;
    struct output *scratch; /* where values become texts */
    bool by_place;          /* rows are of calls at one place in an iteration (`at`), whatever their numbers are */
    bool failed;            /* no memory: some are missing */
};

void differences_free(struct differences *d);

/* Add a difference of a rank; ranks come in ascending order. */
void differ_first(struct differences *d, const struct diff_where *where, const uint32_t kinds[2],
                  const uint64_t calls[2], uint64_t alike_again);
void differ_count(struct differences *d, const struct diff_where *where, uint32_t kind, const uint64_t calls[2]);

/* CALLS: how many calls of the rank differ so, the one at WHERE is the first. RANKS: the rank in each trace. */
void differ_value(struct differences *d, const struct diff_where *where, uint32_t kind,
                  const struct value_difference *value, uint64_t calls, const uint32_t ranks[2]);

/* Chooses which rows of values are shown, and sorts all rows: those of most ranks and the earliest first. */
void differences_finish(struct differences *d);

/* Adds RANK, which is not lower than those before. False: no memory. */
bool ranks_add(struct rank_ranges *r, uint32_t rank);

static inline bool differences_found(const struct differences *d)
{
    return d->first_count + d->count_count + d->value_count > 0;
}

#endif
