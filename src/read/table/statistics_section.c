/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads statistics; docs/FORMAT.md, "Appendix: statistics of version 5". They stay as they are stored, in lists. */
#include "read/table/statistics_section.h"

#include "read/table/streams.h"

#define BUCKET_MAX 63

/* A walk over group classes, value groups and signatures in the order of their distributions, for one reading of
 * `parts`. */
struct parts_walk {
    struct parser *p;
    uint64_t durations, gaps; /* so far */
    bool fill;                /* store what is read: memory is allocated */
};

/* ---- `parts` ---- */

/* Reads the predecessors of the calls of one signature, of the class at CLASS_INDEX of G. */
static void walk_signature(struct parts_walk *w, const struct stored_group *g, uint32_t class_index)
{
    struct shard *v = w->p->shard;
    size_t count = parser_count(w->p, 1, "a count of predecessors");
    int64_t last = -2;
    if (w->fill)
        v->first_gap[w->durations] = (uint32_t)w->gaps;
    for (size_t i = 0; i < count && parser_good(w->p); i++) {
        int64_t before = (int64_t)((uint64_t)class_index - 1 - (uint64_t)cursor_svarint(&w->p->in));
        if (before <= last || before >= (int64_t)g->class_count ||
            (before >= 0 && class_is_loop(v, g->classes[before])))
            parser_fail(w->p, "a predecessor that does not exist");
        else if (w->fill)
            v->predecessors[w->gaps + i] = before < 0 ? PREDECESSOR_NONE : (uint32_t)before;
        last = before;
    }
    if (w->fill && count == 0)
        v->predecessors[w->gaps] = PREDECESSOR_ANY;
    w->gaps += count + !count;
    w->durations++;
}

static void walk_class(struct parts_walk *w, struct stored_group *g, uint32_t class_index)
{
    struct shard *v = w->p->shard;
    const struct group_class *row = &v->group_classes[g->classes[class_index]];
    uint32_t parts = row->partition == 0 ? 1 : (uint32_t)v->partitions[row->partition - 1].count;
    if (!parser_work(w->p, parts))
        return;
    uint32_t *first = w->fill ? parser_take(w->p, (size_t)parts + 1, sizeof *first) : NULL;
    for (uint32_t i = 0; i < parts && parser_good(w->p); i++) {
        uint32_t count = row->value_groups[i].count;
        if (first)
            first[i] = (uint32_t)w->durations;
        if (count > 1) {
            uint8_t each = cursor_u8(&w->p->in);
            if (each > 1)
                parser_fail(w->p, "neither one statistic nor one for each signature");
            count = each ? count : 1;
        }
        for (uint32_t k = 0; k < count && parser_good(w->p); k++)
            walk_signature(w, g, class_index);
    }
    if (first) {
        first[parts] = (uint32_t)w->durations;
        g->statistics[class_index] = first;
    }
}

static void walk_groups(struct parts_walk *w)
{
    struct shard *v = w->p->shard;
    for (size_t i = 0; i < v->group_count && parser_good(w->p); i++) {
        struct stored_group *g = &v->groups[i];
        if (g->is_process)
            continue;
        if (w->fill)
            g->statistics = parser_take(w->p, g->class_count, sizeof *g->statistics);
        for (uint32_t k = 0; k < g->class_count && parser_good(w->p); k++)
            if (!class_is_loop(v, g->classes[k]))
                walk_class(w, g, k);
    }
}

/* Reads `parts` twice: to count, and to store. */
static void parse_parts(struct parser *p)
{
    struct shard *v = p->shard;
    struct cursor begin = p->in;
    struct parts_walk w = {.p = p};
    walk_groups(&w);
    if (parser_good(p) && w.gaps + w.durations >= UINT32_MAX)
        parser_fail_with(p, PILGRIM_LIMIT, "too many statistics");
    v->first_gap = parser_take(p, (size_t)w.durations + 1, sizeof *v->first_gap);
    v->predecessors = parser_take(p, (size_t)w.gaps, sizeof *v->predecessors);
    v->distributions = parser_take(p, (size_t)(w.gaps + w.durations), sizeof *v->distributions);
    if (!parser_good(p))
        return;
    v->gap_count = (uint32_t)w.gaps;
    v->duration_count = (uint32_t)w.durations;
    p->in = begin;
    w = (struct parts_walk){.p = p, .fill = true};
    walk_groups(&w);
    v->first_gap[v->duration_count] = v->gap_count;
}

/* ---- distributions ---- */

static void parse_buckets(struct parser *p, uint32_t count)
{
    struct stored_distribution *all = p->shard->distributions;
    size_t sum = 0;
    for (uint32_t i = 0; i < count && parser_good(p); i++)
        all[i].first = cursor_u8(&p->in);
    for (uint32_t i = 0; i < count && parser_good(p); i++) {
        struct stored_distribution *d = &all[i];
        d->buckets = cursor_u8(&p->in);
        if (d->buckets > 0 ? distribution_last_bucket(d) > BUCKET_MAX : d->first > 0)
            parser_fail(p, "a bucket that does not exist");
        sum += d->buckets;
    }
    uint64_t *counts = parser_take(p, sum, sizeof *counts);
    for (uint32_t i = 0; i < count && parser_good(p); i++) {
        all[i].counts = counts;
        counts += all[i].buckets;
    }
}

/* Reads the counts of D's buckets without the last BUT. Returns their sum. */
static uint64_t parse_counts(struct parser *p, const struct stored_distribution *d, unsigned but)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i + but < d->buckets && parser_good(p); i++) {
        d->counts[i] = cursor_varint(&p->in);
        if (d->counts[i] > UINT64_MAX - sum || ((i == 0 || i + 1u == d->buckets) && d->counts[i] == 0))
            parser_fail(p, "a count that cannot be");
        else
            sum += d->counts[i];
    }
    return sum;
}

static uint64_t sum_of(struct parser *p, const struct stored_distribution *d, uint64_t sum)
{
    for (unsigned i = 0; i < d->buckets && parser_good(p); i++) {
        if (d->counts[i] > UINT64_MAX - sum)
            parser_fail(p, "a count that cannot be");
        sum += d->counts[i];
    }
    return sum;
}

/* Reads all counts. A call has one gap and one duration, so the last count of durations follows from the gaps. */
static void parse_all_counts(struct parser *p)
{
    const struct shard *v = p->shard;
    for (uint32_t i = 0; i < v->gap_count && parser_good(p); i++)
        (void)parse_counts(p, &v->distributions[i], 0);
    for (uint32_t i = 0; i < v->duration_count && parser_good(p); i++) {
        const struct stored_distribution *d = &v->distributions[v->gap_count + i];
        uint64_t calls = 0, others = parse_counts(p, d, 1);
        for (uint32_t k = v->first_gap[i]; k < v->first_gap[i + 1] && parser_good(p); k++)
            calls = sum_of(p, &v->distributions[k], calls);
        if (d->buckets > 0 ? others >= calls : calls > 0)
            parser_fail(p, "counts of gaps and durations that differ");
        else if (d->buckets > 0)
            d->counts[d->buckets - 1] = calls - others;
    }
}

/* Reads an index in BUCKET. */
static uint8_t parse_bucket_index(struct parser *p, unsigned bucket)
{
    uint8_t index = cursor_u8(&p->in);
    if (bucket <= STATISTICS_INDEX_BITS && index >= (bucket ? 1u << (bucket - 1) : 1))
        parser_fail(p, "a time that its bucket does not have");
    return index;
}

static uint32_t parse_rank(struct parser *p)
{
    return parser_index(p, p->shard->rank_count, "a rank that does not exist");
}

static void parse_figures(struct parser *p, uint32_t count)
{
    struct shard *v = p->shard;
    struct stored_distribution *d = v->distributions, *end = d + count;
    for (d = v->distributions; d < end && parser_good(p); d++)
        if (distribution_is_many(d) && (d->mean_bucket = cursor_u8(&p->in)) >= d->buckets)
            parser_fail(p, "a mean that is not between the shortest and the longest");
    for (d = v->distributions; d < end && parser_good(p); d++)
        if (distribution_is_many(d) && (d->deviation_bucket = cursor_u8(&p->in)) > distribution_last_bucket(d))
            parser_fail(p, "a deviation that does not exist");
    for (d = v->distributions; d < end && parser_good(p); d++)
        if (d->buckets > 0)
            d->least = parse_bucket_index(p, d->first);
    for (d = v->distributions; d < end && parser_good(p); d++)
        if (distribution_is_many(d))
            d->most = parse_bucket_index(p, distribution_last_bucket(d));
    for (d = v->distributions; d < end && parser_good(p); d++)
        if (distribution_is_many(d))
            d->mean = parse_bucket_index(p, d->first + d->mean_bucket);
    for (d = v->distributions; d < end && parser_good(p); d++)
        if (distribution_is_many(d))
            d->deviation = parse_bucket_index(p, distribution_last_bucket(d) - d->deviation_bucket);
    for (d = v->distributions; d < end && parser_good(p) && v->rank_count > 1; d++)
        if (d->buckets > 0)
            d->high = d->low = parse_rank(p);
    for (d = v->distributions; d < end && parser_good(p) && v->rank_count > 1; d++)
        if (distribution_is_many(d))
            d->high = parse_rank(p);
}

void statistics_parse(struct parser *p)
{
    parse_parts(p);
    if (!parser_good(p))
        return;
    uint32_t count = p->shard->gap_count + p->shard->duration_count;
    parse_buckets(p, count);
    parse_all_counts(p);
    parse_figures(p, count);
}
