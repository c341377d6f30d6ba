/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers from the profile; table/profile_section.c reads it. */
#include "read/time/profile_query.h"

#include <stdlib.h>

#include "base/try.h"
#include "read/table/trace_error.h"
#include "read/time/distributions.h"
#include "timing/distribution.h"
#include "timing/share_code_inline.h"

/* Sets the counts of buckets from shares. Each border is rounded, not each bucket, so the counts add up to the count.
 */
static void unfold_histogram(const struct profile_times *d, struct pilgrim_statistic *s)
{
    unsigned shares = 0;
    uint64_t so_far = 0;
    for (unsigned i = 0; i < d->buckets; i++) {
        shares += d->shares[i];
        uint64_t up_to = (uint64_t)((unsigned __int128)d->count * shares / PROFILE_SHARES);
        s->histogram[d->first + i] = up_to - so_far;
        so_far = up_to;
    }
}

static struct pilgrim_statistic unfold(const struct shard *v, const struct profile_times *d)
{
    struct pilgrim_statistic s = {.count = d->count};
    if (d->count == 0)
        return s;
    s.mean_ns = (double)figure_ns(d->mean, PROFILE_MEAN_PRECISION);
    s.total_ns = s.mean_ns * (double)d->count;
    s.max_ns = figure_ns(d->most, PROFILE_PRECISION); /* the mean is more precise, and may be larger */
    s.max_ns = s.max_ns > (uint64_t)s.mean_ns ? s.max_ns : (uint64_t)s.mean_ns;
    s.max_rank = d->high_rank == PILGRIM_RANK_UNKNOWN ? PILGRIM_RANK_UNKNOWN : v->first_rank + d->high_rank;
    s.min_rank = PILGRIM_RANK_UNKNOWN;
    s.brief = d->brief;
    s.shared = d->shared;
    if (d->brief)
        return s;
    s.min_ns = d->count == 1 ? s.max_ns : figure_ns(d->least, PROFILE_PRECISION);
    s.deviation_ns = d->count == 1 ? 0 : (double)figure_ns(d->deviation, PROFILE_PRECISION);
    unfold_histogram(d, &s);
    return s;
}

static void add(const struct shard *v, const struct profile_times *d, struct pilgrim_statistic *to)
{
    const struct pilgrim_statistic one = unfold(v, d);
    pilgrim_statistic_add(to, &one);
}

/* ---- of calls that a cursor names ---- */

/* Finds the calls that are asked for, and the profile of their class in *CLASS. NULL: there is no profile. */
static enum pilgrim_status find_class(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                      struct calls_asked *asked, const struct stored_profile_class **class)
{
    TRY(calls_find(c, class_number, signatures, asked));
    *class = c->shard->profile ? &c->shard->profile->classes[asked->class->class] : NULL;
    return PILGRIM_OK;
}

/* Returns the distributions, one bit each, of the leaves of signatures I to before END. */
static uint64_t leaves_of(const uint8_t *leaves, uint32_t i, uint32_t end)
{
    uint64_t parts = 0;
    for (; i < end; i++)
        parts |= UINT64_C(1) << leaves[i];
    return parts;
}

/* Returns the distributions of durations, one bit each, that the calls are in. */
static uint64_t parts_of(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                         const struct calls_asked *asked)
{
    const struct shard *v = c->shard;
    const struct stored_group *g = c->stream.group;
    const uint8_t **leaves = g->leaves[class_number];
    if (!leaves)
        return v->profile->classes[asked->class->class].part_count > 0;
    if (signatures < PILGRIM_VALUE_GROUP) {
        uint32_t index = values_find(v, asked->value_group.value_group, signatures, asked->value_group.position).index;
        return leaves_of(leaves[asked->value_group.number], index, index + 1);
    }
    if (signatures == PILGRIM_VALUE_GROUP)
        return leaves_of(leaves[asked->value_group.number], 0, asked->value_group.value_group->count);
    uint32_t count = asked->class->partition == 0 ? 1 : (uint32_t)v->partitions[asked->class->partition - 1].count;
    uint64_t parts = 0;
    for (uint32_t i = 0; i < count; i++)
        parts |= leaves_of(leaves[i], 0, asked->class->value_groups[i].count);
    return parts;
}

enum pilgrim_status profile_durations(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                      struct pilgrim_statistic *statistic)
{
    struct calls_asked asked;
    const struct stored_profile_class *class;
    TRY(find_class(c, class_number, signatures, &asked, &class));
    uint64_t parts = parts_of(c, class_number, signatures, &asked);
    for (size_t i = 0; i < class->part_count; i++)
        if (parts >> i & 1)
            add(c->shard, &class->durations[i], statistic);
    return PILGRIM_OK;
}

/* Returns the gaps of CLASS behind calls of class BEFORE. */
static const struct profile_times *gaps_behind(const struct stored_profile_class *class, uint32_t before)
{
    for (size_t i = 1; i < class->gap_count; i++)
        for (size_t k = 0; k < class->gaps[i].before_count; k++)
            if (class->gaps[i].before[k] == before)
                return &class->gaps[i].all;
    return class->gap_count > 0 ? &class->gaps[0].all : NULL;
}

enum pilgrim_status profile_gaps(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                 uint64_t before, struct pilgrim_statistic *statistic)
{
    const struct shard *v = c->shard;
    const struct stored_group *g = c->stream.group;
    struct calls_asked asked;
    const struct stored_profile_class *class;
    TRY(find_class(c, class_number, signatures, &asked, &class));
    if (before == PILGRIM_ANY_CALL) {
        for (size_t i = 0; i < class->gap_count; i++)
            add(v, &class->gaps[i].all, statistic);
    } else if (before == PILGRIM_NO_CALL) {
        add(v, &class->first, statistic);
    } else if (before < g->class_count && !class_is_loop(v, g->classes[before])) {
        const struct profile_times *found = gaps_behind(class, v->group_classes[g->classes[before]].class);
        if (found)
            add(v, found, statistic);
    }
    return PILGRIM_OK;
}

enum pilgrim_status profile_class_before(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                         uint64_t *before)
{
    const struct shard *v = c->shard;
    const struct stored_group *g = c->stream.group;
    struct calls_asked asked;
    const struct stored_profile_class *class;
    TRY(find_class(c, class_number, signatures, &asked, &class));
    if (*before == PILGRIM_ANY_CALL && class->first.count > 0) {
        *before = PILGRIM_NO_CALL;
        return PILGRIM_OK;
    }
    for (uint64_t class_index = *before < PILGRIM_NO_CALL ? *before + 1 : 0; class_index < g->class_count;
         class_index++)
        if (!class_is_loop(v, g->classes[class_index]) && class->gap_count > 0 &&
            gaps_behind(class, v->group_classes[g->classes[class_index]].class) != &class->gaps[0].all) {
            *before = class_index;
            return PILGRIM_OK;
        }
    return PILGRIM_END;
}

/* ---- classes ---- */

struct pilgrim_profile {
    const struct pilgrim_trace *trace;
    const struct shard *shard; /* held, or NULL */
    size_t next_shard;
    uint32_t next_class;
};

enum pilgrim_status pilgrim_profile_open(const struct pilgrim_trace *trace, struct pilgrim_profile **profile,
                                         struct pilgrim_error *error)
{
    if (profile)
        *profile = NULL;
    if (!trace || !profile)
        return trace_null(error);
    *profile = calloc(1, sizeof **profile);
    if (!*profile)
        return trace_no_memory(error);
    (*profile)->trace = trace;
    return PILGRIM_OK;
}

static void class_profile(const struct shard *v, uint32_t number, struct pilgrim_class_profile *found)
{
    *found = (struct pilgrim_class_profile){.class_ = &v->classes[number].shown};
    if (!v->profile) {
        statistics_of_class(v, number, found);
        return;
    }
    const struct stored_profile_class *class = &v->profile->classes[number];
    for (size_t i = 0; i < class->part_count; i++)
        add(v, &class->durations[i], &found->durations);
    for (size_t i = 0; i < class->gap_count; i++)
        add(v, &class->gaps[i].all, &found->gaps);
    add(v, &class->first, &found->first_gaps);
}

enum pilgrim_status pilgrim_profile_next(struct pilgrim_profile *p, struct pilgrim_class_profile *found,
                                         struct pilgrim_error *error)
{
    if (!p || !found)
        return trace_null(error);
    for (;;) {
        while (p->shard && p->next_class < p->shard->class_count) {
            class_profile(p->shard, p->next_class++, found);
            if (found->durations.count > 0)
                return PILGRIM_OK;
        }
        shard_release(p->trace, p->shard);
        p->shard = NULL;
        p->next_class = 0;
        if (p->next_shard == p->trace->shard_count)
            return PILGRIM_END;
        enum pilgrim_status status = shard_hold(p->trace, p->next_shard++, &p->shard, error);
        if (status != PILGRIM_OK)
            return status;
    }
}

void pilgrim_profile_close(struct pilgrim_profile *profile)
{
    if (profile)
        shard_release(profile->trace, profile->shard);
    free(profile);
}

/* ---- ranks ---- */

const char *pilgrim_activity_name(enum pilgrim_activity activity)
{
    static const char *const names[PILGRIM_ACTIVITIES] = {[PILGRIM_COMPUTING] = "computing",
                                                          [PILGRIM_POINT_TO_POINT] = "point to point",
                                                          [PILGRIM_COLLECTIVE] = "collective",
                                                          [PILGRIM_ONE_SIDED] = "one-sided",
                                                          [PILGRIM_FILE] = "file",
                                                          [PILGRIM_OTHER_CALLS] = "other calls"};
    return (unsigned)activity < PILGRIM_ACTIVITIES ? names[activity] : "";
}

/* Returns the block of RANK, a rank of the shard. */
static size_t block_of(const struct profile_blocks *b, uint32_t rank)
{
    size_t low = 0, high = b->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (b->first[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Adds the times of RANK in V, a shard of one segment. MOST: the longest time in a segment so far. */
static void add_segment(const struct shard *v, uint32_t rank, double most[PILGRIM_ACTIVITIES],
                        struct pilgrim_rank_profile *found)
{
    const struct profile_blocks *b = &v->profile->blocks;
    size_t block = block_of(b, rank - v->first_rank);
    uint32_t first = v->first_rank + b->first[block], count = b->first[block + 1] - b->first[block];
    if (count >= found->rank_count) {
        found->first_rank = first;
        found->rank_count = count;
    }
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        const struct profile_share *share = v->profile->activities[i] ? &v->profile->activities[i][block] : NULL;
        if (!share)
            continue;
        found->ns[i] += share_ns(share->mean);
        found->most_ns[i] += share_ns(share->most);
        if (share_ns(share->most) > most[i]) {
            most[i] = share_ns(share->most);
            found->most_rank[i] = first + share->at;
        }
    }
}

enum pilgrim_status pilgrim_rank_profile(const struct pilgrim_trace *trace, uint32_t rank,
                                         struct pilgrim_rank_profile *found, struct pilgrim_error *error)
{
    if (!trace || !found)
        return trace_null(error);
    *found = (struct pilgrim_rank_profile){.first_rank = rank};
    double most[PILGRIM_ACTIVITIES] = {0};
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++)
        found->most_rank[i] = rank;
    if (rank >= trace->rank_count)
        return trace_error(error, PILGRIM_INVALID, 0, "has no rank %u", rank);
    for (uint32_t segment = 0; segment < trace->segment_count; segment++) {
        const struct shard *v;
        enum pilgrim_status status = segment_hold(trace, segment, rank, &v, error);
        if (status == PILGRIM_END)
            continue;
        if (status != PILGRIM_OK)
            return status;
        if (v->profile && v->profile->blocks.count > 0)
            add_segment(v, rank, most, found);
        shard_release(trace, v);
    }
    return found->rank_count > 0 ? PILGRIM_OK : PILGRIM_END;
}

enum pilgrim_status pilgrim_rank_class(const struct pilgrim_cursor *c, size_t class_number,
                                       struct pilgrim_rank_class *found)
{
    struct calls_asked asked;
    const struct stored_profile_class *class;
    if (!c || !found)
        return PILGRIM_INVALID;
    const struct shard *v = c->shard;
    *found = (struct pilgrim_rank_class){0};
    TRY(find_class(c, class_number, PILGRIM_VALUE_GROUP, &asked, &class));
    if (!class || v->profile->class_blocks.count == 0)
        return PILGRIM_OK;
    const struct profile_blocks *b = &v->profile->class_blocks;
    size_t block = block_of(b, c->rank - v->first_rank);
    found->rank_count = b->first[block + 1] - b->first[block];
    found->has_durations = class->by_rank != NULL;
    found->has_gaps = class->gaps_by_rank != NULL;
    found->durations_ns = class->by_rank ? share_ns(class->by_rank[block].mean) : 0;
    found->gaps_ns = class->gaps_by_rank ? share_ns(class->gaps_by_rank[block].mean) : 0;
    return PILGRIM_OK;
}
