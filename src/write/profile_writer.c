/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the profile section (docs/FORMAT.md, section 6): the distributions of each class by parts (profile_parts.h),
 * and each rank's shares. */
#include "write/profile_writer.h"

#include <stdlib.h>

#include "base/descriptor.h"
#include "base/try.h"
#include "write/profile_shared.h"
#include "timing/share_code_inline.h"

/* A distribution with less than this share of the run's time is brief: its histogram, minimum and deviation are left
 * out. */
#define BRIEF_SHARE (1.0 / 512)

/* A class has values for each rank if its ranks differ by this ratio, and by this share of a rank's time. */
#define BY_RANK_RATIO 1.1
#define BY_RANK_SHARE (1.0 / 64)
enum { VALUES_MAX = 1 << 15 }; /* in a table of shares in the file */

struct profile_writer {
    const struct fragment *fragment;
    struct profile_parts parts;
    struct profile_shared shared;
    struct range_encoder out;
    struct profile_model model;
    uint32_t class, function;      /* those that are written */
    uint32_t *last;                /* by class: the part of its last leaf ... */
    uint32_t *leaf;                /* ... and the number of its next leaf */
    double (*rest)[PROFILE_KINDS]; /* by function: ns of slight distributions that rounding has left out so far */
};

/* ---- distributions ---- */

static void put_count(struct profile_writer *w, enum profile_kind kind, uint64_t count)
{
    unsigned at = 0;
    while (at < PROFILE_RECENT && w->model.recent[at] != count)
        at++;
    encode_number(&w->out, &w->model.contexts.count[kind], at);
    if (at == PROFILE_RECENT)
        encode_number(&w->out, &w->model.contexts.new_count[kind], count - 1);
    profile_recent_use(&w->model, at, count);
}

/* FIGURE: of the mean, of PRECISION. */
static void put_mean(struct profile_writer *w, enum profile_kind kind, bool slight, unsigned figure, unsigned precision)
{
    struct bit_context *contexts = w->model.contexts.bucket[kind][slight];
    unsigned bucket = figure >> precision, node = 1, behind = bucket > 1 ? bucket - 1 : 0;
    for (unsigned i = PROFILE_BUCKET_BITS; i-- > 0; node = node << 1 | (bucket >> i & 1))
        encode_flag(&w->out, &contexts[node], bucket >> i & 1);
    unsigned bits = behind < precision ? behind : precision;
    encode_bits(&w->out, bits, figure >> (precision - bits));
}

/* Writes the histogram as 32nds of all values. A bucket's share is wrong by a 64th at most. LEAST and MOST are the
 * first and the last bucket. */
static void put_histogram(struct profile_writer *w, enum profile_kind kind, const struct distribution *d,
                          unsigned least, unsigned most)
{
    uint64_t sum = 0, so_far = 0, used = 0;
    for (unsigned k = least; k <= most; k++)
        sum += d->histogram[k];
    for (unsigned k = least; k < most && used < PROFILE_SHARES; k++) {
        so_far += d->histogram[k];
        /* Each is rounded from the sum so far, so that errors do not add up. */
        uint64_t up_to = sum > 0 ? (so_far * PROFILE_SHARES + sum / 2) / sum : 0;
        encode_number(&w->out, &w->model.contexts.histogram[kind], up_to - used);
        used = up_to;
    }
}

/* Puts the longest of D, whose mean is in BUCKET. */
static void put_longest(struct profile_writer *w, enum profile_kind kind, const struct distribution *d, unsigned bucket)
{
    encode_number(&w->out, &w->model.contexts.longest[kind], bucket_of(d->most) - bucket);
}

/* Rounds the mean so that what rounding adds and leaves out is about the same in each function: the sum of many slight
 * distributions is as right as that of a few others. */
static void put_slight(struct profile_writer *w, enum profile_kind kind, const struct distribution *d)
{
    unsigned figure = figure_of(distribution_mean(d), PROFILE_SLIGHT_MEAN),
             end = figure_of(d->most, PROFILE_SLIGHT_MEAN);
    double count = (double)d->count, *rest = &w->rest[w->function][kind];
    *rest += distribution_total(d) - count * (double)figure_ns(figure, PROFILE_SLIGHT_MEAN);
    double step = count * (double)(figure_ns(figure + 1, PROFILE_SLIGHT_MEAN) - figure_ns(figure, PROFILE_SLIGHT_MEAN));
    if (figure<end && * rest> step / 2) {
        *rest -= step;
        figure++;
    }
    put_mean(w, kind, true, figure, PROFILE_SLIGHT_MEAN);
    if (d->count > 1)
        put_longest(w, kind, d, figure >> PROFILE_SLIGHT_MEAN);
}

/* Puts the times that the slight distributions of a place share, unless they were put before. */
static void put_shared(struct profile_writer *w, enum profile_kind kind, struct shared_times *shared)
{
    unsigned figure = figure_of(distribution_mean(&shared->all), PROFILE_MEAN_PRECISION);
    if (shared->written)
        return;
    shared->written = true;
    w->rest[w->function][kind] += distribution_total(&shared->all) -
                                  (double)shared->all.count * (double)figure_ns(figure, PROFILE_MEAN_PRECISION);
    put_mean(w, kind, true, figure, PROFILE_MEAN_PRECISION);
    put_longest(w, kind, &shared->all, figure >> PROFILE_MEAN_PRECISION);
}

/* Puts what is known of the times of a slight distribution. MAY_SHARE: with others of its place. */
static void put_slight_times(struct profile_writer *w, enum profile_kind kind, const struct distribution *d,
                             bool may_share)
{
    struct profile_contexts *c = &w->model.contexts;
    struct shared_times *of_place = &w->shared.by_place[w->shared.places[w->class]][kind],
                        *shared = may_share ? profile_shared_of(&w->shared, w->class, kind, d) : NULL;
    if (may_share)
        encode_flag(&w->out, of_place->written ? &c->like[kind] : &c->shared[kind], shared != NULL);
    if (shared)
        put_shared(w, kind, shared);
    else
        put_slight(w, kind, d);
}

/* MAY_SHARE: its times, with others of its place. */
static void put_distribution(struct profile_writer *w, enum profile_kind kind, const struct distribution *d,
                             bool may_share)
{
    struct profile_contexts *c = &w->model.contexts;
    const struct fragment *f = w->fragment;
    uint64_t mean = distribution_mean(d);
    bool slight = profile_is_slight(&w->shared, d);
    encode_flag(&w->out, &c->slight[kind], slight);
    put_count(w, kind, d->count);
    if (slight) {
        put_slight_times(w, kind, d, may_share);
        return;
    }
    put_mean(w, kind, false, figure_of(mean, PROFILE_MEAN_PRECISION), PROFILE_MEAN_PRECISION);
    if (kind == PROFILE_DURATIONS)
        encode_bits(&w->out, profile_bits(f->rank_count), d->high_rank - f->first_rank);
    if (d->count == 1)
        return;
    unsigned middle = figure_of(mean, PROFILE_PRECISION), most = figure_of(d->most, PROFILE_PRECISION);
    bool brief = distribution_total(d) < BRIEF_SHARE * w->parts.run;
    encode_flag(&w->out, &c->brief[kind], brief);
    encode_number(&w->out, &c->high[kind], most - middle);
    if (brief)
        return;
    encode_number(&w->out, &c->low[kind], middle - figure_of(d->least, PROFILE_PRECISION));
    encode_number(&w->out, &c->spread[kind], most - figure_of(distribution_deviation(d), PROFILE_PRECISION));
    put_histogram(w, kind, d, histogram_bucket(bucket_of(d->least)), histogram_bucket(bucket_of(d->most)));
}

/* ---- classes ---- */

static void put_gaps(struct profile_writer *w, const struct gap_parts *gaps, bool listed)
{
    struct profile_contexts *c = &w->model.contexts;
    put_distribution(w, PROFILE_GAPS, &gaps->all, true);
    if (!listed)
        return;
    encode_number(&w->out, &c->befores, gaps->before_count);
    for (uint32_t i = 0, next = 0; i < gaps->before_count; next = gaps->before[i++] + 1)
        encode_number(&w->out, &c->before, gaps->before[i] - next);
}

static void put_class(struct profile_writer *w, const struct class_parts *class)
{
    struct profile_contexts *c = &w->model.contexts;
    if (!class->called)
        return;
    encode_number(&w->out, &c->parts, class->part_count);
    if (class->part_count == 0)
        return;
    for (uint32_t i = 0; i < class->part_count; i++)
        put_distribution(w, PROFILE_DURATIONS, &class->durations[i], true);
    encode_number(&w->out, &c->gap_parts, class->gap_count);
    for (uint32_t i = 0; i < class->gap_count; i++)
        put_gaps(w, &class->gaps[i], i > 0);
    encode_flag(&w->out, &c->first, class->first.count > 0);
    if (class->first.count > 0)
        put_distribution(w, PROFILE_GAPS, &class->first, false);
}

static enum pilgrim_status put_classes(struct profile_writer *w)
{
    const struct fragment *f = w->fragment;
    w->rest = calloc((size_t)f->functions.count + 1, sizeof *w->rest);
    for (uint32_t i = 0; w->rest && i < w->parts.class_count; i++) {
        size_t length;
        struct cursor c;
        const uint8_t *data = intern_get(&f->classes, i, &length);
        cursor_init(&c, data, length);
        uint64_t function = cursor_varint(&c) >> 1;
        w->class = i;
        w->function = function < f->functions.count ? (uint32_t)function : 0;
        put_class(w, &w->parts.classes[i]);
    }
    enum pilgrim_status status = w->rest ? PILGRIM_OK : PILGRIM_NOMEM;
    free(w->rest);
    return status;
}

static enum pilgrim_status put_leaf(void *context, const struct profile_leaf *leaf)
{
    struct profile_writer *w = context;
    const struct class_parts *class = &w->parts.classes[leaf->class];
    uint32_t part = w->parts.parts[class->leaf + w->leaf[leaf->class]++];
    for (uint32_t i = 0; class->part_count > 1 && i < leaf->entries; i++) {
        bool again = part == w->last[leaf->class];
        encode_flag(&w->out, &w->model.contexts.again, again);
        if (!again)
            encode_number(&w->out, &w->model.contexts.which, part);
        w->last[leaf->class] = part;
    }
    return PILGRIM_OK;
}

static enum pilgrim_status put_leaves(struct profile_writer *w)
{
    w->last = calloc((size_t)w->parts.class_count + 1, sizeof *w->last);
    w->leaf = calloc((size_t)w->parts.class_count + 1, sizeof *w->leaf);
    enum pilgrim_status status = w->last && w->leaf ? profile_leaves(w->fragment, put_leaf, w) : PILGRIM_NOMEM;
    free(w->last);
    free(w->leaf);
    return status;
}

/* ---- shares ---- */

static void put_blocks(struct profile_writer *w, const struct share_table *t)
{
    struct profile_contexts *c = &w->model.contexts;
    uint32_t runs = 0, end;
    for (uint32_t i = 0; i < t->block_count; i++)
        runs += i == 0 || t->ranks[i] != t->ranks[i - 1];
    encode_number(&w->out, &c->runs, runs - 1);
    for (uint32_t i = 0; i < t->block_count; i = end) {
        for (end = i + 1; end < t->block_count && t->ranks[end] == t->ranks[i]; end++)
            ;
        encode_number(&w->out, &c->blocks, end - i - 1);
        encode_number(&w->out, &c->ranks, t->ranks[i] - 1);
    }
}

static void put_row(struct profile_writer *w, const struct share_table *t, uint32_t number)
{
    struct profile_contexts *c = &w->model.contexts;
    const struct share *row = number < t->row_count ? t->rows[number] : NULL;
    encode_flag(&w->out, &c->empty, !row);
    int64_t last = 0;
    for (uint32_t i = 0; row && i < t->block_count; i++) {
        int64_t code = share_code(row[i].mean), most = share_code(row[i].most);
        encode_difference(&w->out, &c->value, code - last);
        last = code;
        if (t->ranks[i] == 1)
            continue;
        encode_number(&w->out, &c->most, most > code ? (uint64_t)(most - code) : 0);
        encode_bits(&w->out, profile_bits(t->ranks[i]), row[i].at);
    }
}

/* True if the values of a row differ between ranks enough to matter. RUN: the time of a rank, in ns. */
static bool is_by_rank(const struct share_table *t, uint32_t number, double run)
{
    const struct share *row = t->rows[number];
    double least = row ? (double)row[0].mean : 0, most = least;
    for (uint32_t i = 0; row && i < t->block_count; i++) {
        least = (double)row[i].mean < least ? (double)row[i].mean : least;
        most = (double)row[i].most > most ? (double)row[i].most : most;
    }
    return most - least >= BY_RANK_SHARE * run && most > BY_RANK_RATIO * least;
}

static enum pilgrim_status put_class_shares(struct profile_writer *w, const struct share_table *all)
{
    struct profile_contexts *c = &w->model.contexts;
    struct share_table t = {0};
    bool *chosen = calloc((size_t)all->row_count + 1, sizeof *chosen);
    for (uint32_t i = 0; chosen && i < all->row_count; i++)
        chosen[i] =
            is_by_rank(all, i, w->parts.run / w->fragment->rank_count) && w->parts.classes[i / 2].part_count > 0;
    enum pilgrim_status status = chosen ? shares_select(all, chosen, VALUES_MAX, &t) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        put_blocks(w, &t);
    for (uint32_t i = 0; status == PILGRIM_OK && i < 2 * w->parts.class_count; i++) {
        if (w->parts.classes[i / 2].part_count == 0)
            continue;
        bool there = i < all->row_count && chosen[i];
        encode_flag(&w->out, i % 2 ? &c->by_rank_gaps : &c->by_rank, there);
        if (there)
            put_row(w, &t, i);
    }
    share_table_free(&t);
    free(chosen);
    return status;
}

static enum pilgrim_status put_shares(struct profile_writer *w)
{
    const struct shares *s = &w->fragment->shares;
    const bool all[2 * ACTIVITY_COUNT] = {true, true, true, true, true, true, true, true, true, true, true, true};
    bool known = s->activities.block_count > 0 && w->parts.run > 0;
    struct share_table t;
    encode_flag(&w->out, &w->model.contexts.shares, known);
    if (!known)
        return PILGRIM_OK;
    enum pilgrim_status status = shares_select(&s->activities, all, VALUES_MAX, &t);
    if (status == PILGRIM_OK)
        put_blocks(w, &t);
    for (uint32_t i = 0; status == PILGRIM_OK && i < ACTIVITY_COUNT; i++)
        put_row(w, &t, i);
    share_table_free(&t);
    return status == PILGRIM_OK ? put_class_shares(w, &s->classes) : status;
}

enum pilgrim_status profile_write(const struct fragment *f, struct bytes *out)
{
    struct profile_writer *w = calloc(1, sizeof *w);
    if (!w)
        return PILGRIM_NOMEM;
    w->fragment = f;
    profile_model_init(&w->model);
    encoder_init(&w->out, out);
    enum pilgrim_status status = profile_parts_make(f, &w->parts);
    if (status == PILGRIM_OK)
        status = profile_shared_make(f, &w->parts, &w->shared);
    if (status == PILGRIM_OK)
        status = put_classes(w);
    if (status == PILGRIM_OK)
        status = put_leaves(w);
    if (status == PILGRIM_OK)
        status = put_shares(w);
    encoder_end(&w->out);
    profile_shared_free(&w->shared);
    profile_parts_free(&w->parts);
    free(w);
    return status == PILGRIM_OK ? bytes_status(out) : status;
}
