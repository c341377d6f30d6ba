/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of a class: the public functions. They answer from the profile (profile_query.c), or in version 5 from
 * statistics, which are put together from the stored lists when they are asked for. */
#include "read/time/distributions.h"

#include "read/table/statistics_section.h"
#include "read/time/profile_query.h"

/* ---- public ---- */

/* Returns the time at INDEX of bucket K, rounded down. */
static uint64_t bucket_number(unsigned k, uint8_t index)
{
    uint64_t smallest = k ? UINT64_C(1) << (k - 1) : 0;
    return smallest + (k <= STATISTICS_INDEX_BITS + 1 ? index : (uint64_t)index << (k - STATISTICS_INDEX_BITS - 1));
}

static struct pilgrim_statistic unfold(const struct shard *v, const struct stored_distribution *d)
{
    struct pilgrim_statistic s = {0};
    if (d->buckets == 0)
        return s;
    for (unsigned i = 0; i < d->buckets; i++) {
        s.histogram[d->first + i] = d->counts[i];
        s.count += d->counts[i];
    }
    s.min_ns = s.max_ns = bucket_number(d->first, d->least);
    s.mean_ns = (double)s.min_ns;
    if (distribution_is_many(d)) {
        s.max_ns = bucket_number(distribution_last_bucket(d), d->most);
        s.mean_ns = (double)bucket_number(d->first + d->mean_bucket, d->mean);
        s.deviation_ns = (double)bucket_number(distribution_last_bucket(d) - d->deviation_bucket, d->deviation);
    }
    s.total_ns = s.mean_ns * (double)s.count;
    s.min_rank = v->first_rank + d->low;
    s.max_rank = v->first_rank + d->high;
    return s;
}

static void add_extremes(struct pilgrim_statistic *into, const struct pilgrim_statistic *from)
{
    if (from->min_ns < into->min_ns || (from->min_ns == into->min_ns && from->min_rank < into->min_rank)) {
        into->min_ns = from->min_ns;
        into->min_rank = from->min_rank;
    }
    if (from->max_ns > into->max_ns || (from->max_ns == into->max_ns && from->max_rank < into->max_rank)) {
        into->max_ns = from->max_ns;
        into->max_rank = from->max_rank;
    }
}

/* Returns the square root of X, by Newton's method from ABOVE, which is not below it. So programs need no libm. */
static double root(double x, double above)
{
    double r = above, next = above;
    do {
        r = next;
        next = r > 0 ? (r + x / r) / 2 : 0;
    } while (next < r);
    return r;
}

void pilgrim_statistic_add(struct pilgrim_statistic *into, const struct pilgrim_statistic *from)
{
    if (!into || !from || from->count == 0)
        return;
    if (into->count == 0) {
        *into = *from;
        return;
    }
    double a = (double)into->count, b = (double)from->count, apart = from->mean_ns - into->mean_ns;
    double squares = a * into->deviation_ns * into->deviation_ns + b * from->deviation_ns * from->deviation_ns;
    into->deviation_ns = root((squares + apart * apart * a / (a + b) * b) / (a + b),
                              into->deviation_ns + from->deviation_ns + (apart < 0 ? -apart : apart));
    into->total_ns += from->total_ns;
    into->count += from->count;
    into->mean_ns = into->total_ns / (a + b);
    into->brief |= from->brief;
    into->shared |= from->shared;
    add_extremes(into, from);
    if (into->brief) {
        into->min_ns = 0;
        into->min_rank = PILGRIM_RANK_UNKNOWN;
        into->deviation_ns = 0;
    }
    for (unsigned i = 0; i < PILGRIM_BUCKETS; i++)
        into->histogram[i] += from->histogram[i];
}

enum pilgrim_status calls_find(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                               struct calls_asked *asked)
{
    const struct shard *v = c->shard;
    const struct stored_group *g = c->stream.group;
    if (class_number >= g->class_count || class_is_loop(v, g->classes[class_number]))
        return PILGRIM_INVALID;
    asked->class = &v->group_classes[g->classes[class_number]];
    if (!value_group_find(v, asked->class, &c->stream, &asked->value_group))
        return PILGRIM_DAMAGED;
    return signatures < PILGRIM_VALUE_GROUP && signatures >= asked->value_group.value_group->call_count_limit
               ? PILGRIM_INVALID
               : PILGRIM_OK;
}

/* The numbers of durations that are asked for: from FIRST to before END. */
struct statistics_range {
    uint32_t first, end;
};

/* Finds the durations of SIGNATURES of the class; none if the shard has no times. */
static enum pilgrim_status find_range(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                      struct statistics_range *range)
{
    const struct shard *v = c->shard;
    const struct stored_group *g = c->stream.group;
    struct calls_asked asked;
    *range = (struct statistics_range){0};
    enum pilgrim_status status = calls_find(c, class_number, signatures, &asked);
    if (status != PILGRIM_OK || !v->timed)
        return status;
    const struct group_class *row = asked.class;
    const struct value_group_position found = asked.value_group;
    const uint32_t *first = g->statistics[class_number];
    uint32_t parts = row->partition == 0 ? 1 : (uint32_t)v->partitions[row->partition - 1].count;
    if (signatures == PILGRIM_STRUCTURE_GROUP) {
        *range = (struct statistics_range){first[0], first[parts]};
        return PILGRIM_OK;
    }
    *range = (struct statistics_range){first[found.number], first[found.number + 1]};
    if (signatures < PILGRIM_VALUE_GROUP && range->end - range->first > 1) {
        range->first += values_find(v, found.value_group, signatures, found.position).index;
        range->end = range->first + 1;
    }
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_durations(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                      struct pilgrim_statistic *statistic)
{
    struct statistics_range range;
    if (!c || !statistic)
        return PILGRIM_INVALID;
    const struct shard *v = c->shard;
    *statistic = (struct pilgrim_statistic){0};
    if (v->profile)
        return profile_durations(c, class_number, signatures, statistic);
    enum pilgrim_status status = find_range(c, class_number, signatures, &range);
    for (uint32_t i = range.first; i < range.end; i++) {
        const struct pilgrim_statistic one = unfold(v, &v->distributions[v->gap_count + i]);
        pilgrim_statistic_add(statistic, &one);
    }
    return status;
}

/* Returns the predecessor as the API has it. */
static uint64_t shown_before(uint32_t predecessor)
{
    return predecessor == PREDECESSOR_NONE  ? PILGRIM_NO_CALL
           : predecessor == PREDECESSOR_ANY ? PILGRIM_ANY_CALL
                                            : predecessor;
}

enum pilgrim_status pilgrim_gaps(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                 uint64_t before, struct pilgrim_statistic *statistic)
{
    struct statistics_range range;
    if (!c || !statistic)
        return PILGRIM_INVALID;
    const struct shard *v = c->shard;
    *statistic = (struct pilgrim_statistic){0};
    if (v->profile)
        return profile_gaps(c, class_number, signatures, before, statistic);
    enum pilgrim_status status = find_range(c, class_number, signatures, &range);
    if (range.first == range.end)
        return status;
    for (uint32_t i = v->first_gap[range.first]; i < v->first_gap[range.end]; i++) {
        uint64_t stored = shown_before(v->predecessors[i]);
        if (before == PILGRIM_ANY_CALL ? stored == PILGRIM_NO_CALL : stored != before)
            continue;
        const struct pilgrim_statistic one = unfold(v, &v->distributions[i]);
        pilgrim_statistic_add(statistic, &one);
    }
    return status;
}

enum pilgrim_status pilgrim_class_before(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                         uint64_t *before)
{
    struct statistics_range range;
    bool found = false;
    if (!c || !before)
        return PILGRIM_INVALID;
    const struct shard *v = c->shard;
    if (v->profile)
        return profile_class_before(c, class_number, signatures, before);
    enum pilgrim_status status = find_range(c, class_number, signatures, &range);
    if (status != PILGRIM_OK)
        return status;
    /* Class indexes + 1, so that 0 is PILGRIM_NO_CALL and they count up. */
    uint64_t least = *before == PILGRIM_ANY_CALL ? 0 : *before == PILGRIM_NO_CALL ? 1 : *before + 2, next = UINT64_MAX;
    for (uint32_t i = range.first < range.end ? v->first_gap[range.first] : 0;
         range.first < range.end && i < v->first_gap[range.end]; i++) {
        uint32_t predecessor = v->predecessors[i];
        uint64_t class_index = predecessor == PREDECESSOR_NONE ? 0 : (uint64_t)predecessor + 1;
        if (predecessor == PREDECESSOR_ANY || class_index < least || class_index >= next)
            continue;
        next = class_index;
        found = true;
    }
    if (!found)
        return PILGRIM_END;
    *before = next ? next - 1 : PILGRIM_NO_CALL;
    return PILGRIM_OK;
}

/* ---- all of a class ---- */

static void add_part(const struct shard *v, uint32_t from, uint32_t to, struct pilgrim_class_profile *all)
{
    for (uint32_t i = from; i < to; i++) {
        const struct pilgrim_statistic one = unfold(v, &v->distributions[v->gap_count + i]);
        pilgrim_statistic_add(&all->durations, &one);
        for (uint32_t k = v->first_gap[i]; k < v->first_gap[i + 1]; k++) {
            const struct pilgrim_statistic gap = unfold(v, &v->distributions[k]);
            pilgrim_statistic_add(v->predecessors[k] == PREDECESSOR_NONE ? &all->first_gaps : &all->gaps, &gap);
        }
    }
}

void statistics_of_class(const struct shard *v, uint32_t class, struct pilgrim_class_profile *all)
{
    for (size_t i = 0; v->timed && i < v->group_count; i++) {
        const struct stored_group *g = &v->groups[i];
        for (uint32_t k = 0; !g->is_process && k < g->class_count; k++) {
            const struct group_class *row = &v->group_classes[g->classes[k]];
            uint32_t parts = row->partition == 0 ? 1 : (uint32_t)v->partitions[row->partition - 1].count;
            if (row->class == class && g->statistics[k])
                add_part(v, g->statistics[k][0], g->statistics[k][parts], all);
        }
    }
}
