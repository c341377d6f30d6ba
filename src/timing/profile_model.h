/* SPDX-License-Identifier: BSD-3-Clause */
/* The model that the coder of a profile learns, for writer and reader (docs/FORMAT.md, section 6, "The profile"). */
#ifndef PILGRIM_PROFILE_MODEL_H
#define PILGRIM_PROFILE_MODEL_H

#include "format/range_coder.h"

enum {
    PROFILE_PARTS_MAX = 64,     /* distributions of a class's durations, or of its gaps */
    PROFILE_RECENT = 8,         /* remembered counts */
    PROFILE_SHARES = 32,        /* of a histogram */
    PROFILE_MEAN_PRECISION = 8, /* precision of the mean's figure; below, of other figures */
    PROFILE_PRECISION = 4,
    PROFILE_SLIGHT_MEAN = 3, /* the precision of the mean of a slight distribution; its longest has precision 0 */
    PROFILE_BUCKET_BITS = 6,
    PROFILE_ACTIVITIES = 6,
    PROFILE_BLOCKS_MAX = 1 << 16
};

/* What a distribution is of. */
enum profile_kind { PROFILE_DURATIONS, PROFILE_GAPS, PROFILE_KINDS };

struct profile_contexts {
    struct number_context count[PROFILE_KINDS], new_count[PROFILE_KINDS];
    struct number_context low[PROFILE_KINDS], high[PROFILE_KINDS], spread[PROFILE_KINDS], histogram[PROFILE_KINDS];
    struct bit_context bucket[PROFILE_KINDS][2][1 << PROFILE_BUCKET_BITS]; /* [1]: of slight ones */
    struct number_context longest[PROFILE_KINDS];
    struct bit_context shared[PROFILE_KINDS], like[PROFILE_KINDS];
    struct number_context parts, gap_parts, befores, before, which;
    struct bit_context first, again, brief[PROFILE_KINDS], slight[PROFILE_KINDS];
    struct bit_context shares, by_rank, by_rank_gaps, empty;
    struct number_context runs, blocks, ranks, value, most;
};

struct profile_model {
    struct profile_contexts contexts;
    uint64_t recent[PROFILE_RECENT]; /* the last count first */
};

static inline void profile_model_init(struct profile_model *m)
{
    CONTEXTS_INIT(&m->contexts);
    for (unsigned i = 0; i < PROFILE_RECENT; i++)
        m->recent[i] = 0;
}

/* Moves COUNT to the front. INDEX is its index among the recent counts; PROFILE_RECENT if it is not there. */
static inline void profile_recent_use(struct profile_model *m, unsigned index, uint64_t count)
{
    for (unsigned i = index < PROFILE_RECENT ? index : PROFILE_RECENT - 1; i > 0; i--)
        m->recent[i] = m->recent[i - 1];
    m->recent[0] = count;
}

/* Returns how many bits numbers below COUNT have. */
static inline unsigned profile_bits(uint64_t count)
{
    return count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;
}

#endif
