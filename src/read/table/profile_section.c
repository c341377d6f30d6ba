/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the profile section; docs/FORMAT.md, section 6, "The profile".
 *
 * Coded bits have no end, so each list is limited before it is read, and each entry counts as a step. */
#include "read/table/profile_section.h"

#include <stdlib.h>

#include "base/intern.h"
#include "read/table/streams.h"
#include "timing/distribution.h"
#include "timing/share_code_inline.h"

enum { PROFILE_LAST_BUCKET = 63, FIGURE_MAX = ((PROFILE_LAST_BUCKET + 1) << PROFILE_PRECISION) - 1 };

/* Times that slight distributions have in common. Their classes are of one place: function and call site. */
struct place_times {
    struct profile_times times;
    bool known;
};

struct profile_reader {
    struct parser *p;
    struct range_decoder in;
    struct profile_model model;
    struct stored_profile *profile;
    uint32_t *last; /* by class: the distribution of its last leaf */
    struct intern places;
    struct place_times (*shared)[PROFILE_KINDS]; /* by place */
};

static bool is_good(struct profile_reader *r)
{
    if (r->in.damaged)
        parser_fail(r->p, "a number that is too long");
    return parser_good(r->p);
}

/* Reads a number of at most LIMIT. Returns 0 and fails if it is larger. */
static uint64_t take_number(struct profile_reader *r, struct number_context *context, uint64_t limit,
                            const char *problem)
{
    uint64_t v = parser_work(r->p, 1) ? decode_number(&r->in, context) : 0;
    if (is_good(r) && v > limit)
        parser_fail(r->p, problem);
    return parser_good(r->p) ? v : 0;
}

/* ---- distributions ---- */

static void take_count(struct profile_reader *r, enum profile_kind kind, struct profile_times *d)
{
    struct profile_contexts *c = &r->model.contexts;
    unsigned at = (unsigned)take_number(r, &c->count[kind], PROFILE_RECENT, "a count that does not exist");
    d->count = at < PROFILE_RECENT ? r->model.recent[at]
                                   : take_number(r, &c->new_count[kind], INT64_MAX - 1, "a count that cannot be") + 1;
    if (d->count == 0)
        parser_fail(r->p, "a count of 0");
    profile_recent_use(&r->model, at, d->count);
}

/* PRECISION: of the figure as it is stored. */
static void take_mean(struct profile_reader *r, enum profile_kind kind, bool slight, unsigned precision,
                      struct profile_times *d)
{
    unsigned node = 1;
    for (unsigned i = 0; i < PROFILE_BUCKET_BITS; i++)
        node = node << 1 | decode_flag(&r->in, &r->model.contexts.bucket[kind][slight][node]);
    unsigned bucket = node - (1u << PROFILE_BUCKET_BITS), behind = bucket > 1 ? bucket - 1 : 0;
    unsigned bits = behind < precision ? behind : precision;
    unsigned below = (unsigned)decode_bits(&r->in, bits) << (PROFILE_MEAN_PRECISION - bits);
    d->mean = (uint16_t)(bucket << PROFILE_MEAN_PRECISION | below);
}

static void take_histogram(struct profile_reader *r, enum profile_kind kind, struct profile_times *d)
{
    unsigned first = histogram_bucket(d->least >> PROFILE_PRECISION),
             end = histogram_bucket(d->most >> PROFILE_PRECISION) + 1;
    uint64_t left = PROFILE_SHARES;
    d->first = (uint8_t)first;
    d->buckets = (uint8_t)(end - first);
    d->shares = parser_take(r->p, d->buckets, 1);
    for (unsigned k = 0; d->shares && k + 1u < d->buckets && left > 0; k++) {
        d->shares[k] =
            (uint8_t)take_number(r, &r->model.contexts.histogram[kind], left, "a histogram of more than 32 shares");
        left -= d->shares[k];
    }
    if (d->shares)
        d->shares[d->buckets - 1] = (uint8_t)left;
}

/* Sets all figures to the mean, of which nothing but the count is known yet. */
static void set_alike(struct profile_times *d)
{
    d->least = d->most = (uint16_t)(d->mean >> (PROFILE_MEAN_PRECISION - PROFILE_PRECISION));
    d->high_rank = PILGRIM_RANK_UNKNOWN;
}

/* The longest is known by its bucket, and nothing else is. SHARED: the times that the place's distributions may have
 * in common; NULL: none. */
static void take_slight(struct profile_reader *r, enum profile_kind kind, struct place_times *shared,
                        struct profile_times *d)
{
    struct profile_contexts *c = &r->model.contexts;
    const bool again = shared && shared->known;
    const bool common = shared && decode_flag(&r->in, again ? &c->like[kind] : &c->shared[kind]);
    if (again && common) {
        const uint64_t count = d->count;
        *d = shared->times;
        d->count = count;
        return;
    }
    take_mean(r, kind, true, common ? PROFILE_MEAN_PRECISION : PROFILE_SLIGHT_MEAN, d);
    set_alike(d);
    if (d->count > 1 || common) {
        unsigned bucket = d->mean >> PROFILE_MEAN_PRECISION;
        uint64_t more =
            take_number(r, &c->longest[kind], PROFILE_LAST_BUCKET - bucket, "a longest time that cannot be");
        d->brief = true;
        if (more > 0)
            d->most = (uint16_t)((bucket + more) << PROFILE_PRECISION);
    } else if (parser_good(r->p)) {
        take_histogram(r, kind, d);
    }
    d->shared = common;
    if (common)
        *shared = (struct place_times){.times = *d, .known = true};
}

/* SHARED: as take_slight has it. */
static void take_distribution(struct profile_reader *r, enum profile_kind kind, struct place_times *shared,
                              struct profile_times *d)
{
    struct profile_contexts *c = &r->model.contexts;
    uint32_t ranks = r->p->shard->rank_count;
    const bool slight = r->p->stored_type != SECTION_PROFILE && decode_flag(&r->in, &c->slight[kind]);
    take_count(r, kind, d);
    if (slight) {
        take_slight(r, kind, shared, d);
        return;
    }
    take_mean(r, kind, false, PROFILE_MEAN_PRECISION, d);
    set_alike(d);
    unsigned middle = d->most;
    if (kind == PROFILE_DURATIONS) {
        d->high_rank = (uint32_t)decode_bits(&r->in, profile_bits(ranks));
        if (d->high_rank >= ranks)
            parser_fail(r->p, "a rank that does not exist");
    }
    if (d->count > 1 && parser_good(r->p)) {
        d->brief = decode_flag(&r->in, &c->brief[kind]);
        d->most =
            (uint16_t)(middle + take_number(r, &c->high[kind], FIGURE_MAX - middle, "a longest time that cannot be"));
        if (d->brief)
            return;
        d->least = (uint16_t)(middle - take_number(r, &c->low[kind], middle, "a shortest time that cannot be"));
        d->deviation = (uint16_t)(d->most - take_number(r, &c->spread[kind], d->most, "a deviation that cannot be"));
    }
    if (parser_good(r->p))
        take_histogram(r, kind, d);
}

/* ---- classes ---- */

static void take_before(struct profile_reader *r, struct stored_profile_gaps *gaps)
{
    struct profile_contexts *c = &r->model.contexts;
    size_t classes = r->p->shard->class_count;
    gaps->before_count = (size_t)take_number(r, &c->befores, classes, "more classes than there are");
    uint32_t *before = parser_take(r->p, gaps->before_count, sizeof *before);
    uint64_t next = 0;
    for (size_t i = 0; before && i < gaps->before_count && parser_good(r->p); i++) {
        next += take_number(r, &c->before, classes - 1, "a class that does not exist");
        if (next >= classes)
            parser_fail(r->p, "a class that does not exist");
        before[i] = (uint32_t)next++;
    }
    gaps->before = before;
}

/* Returns the times that distributions of the class may share with others of its place: of durations, then of gaps.
 * NULL: none, or there is no memory. */
static struct place_times *shared_of(struct profile_reader *r, size_t class)
{
    const struct shard *v = r->p->shard;
    const struct class *row = &v->classes[class];
    const struct stored_frame *site = (const struct stored_frame *)row->shown.site;
    uint32_t key[2] = {row->function << 1 | row->shown.fortran, v->address_count && site ? site->address + 1 : 0},
             place;
    if (r->p->stored_type != SECTION_SHARED_PROFILE || !parser_good(r->p))
        return NULL;
    enum pilgrim_status status = intern_add(&r->places, key, sizeof key, &place);
    if (status != PILGRIM_OK)
        parser_fail_with(r->p, status, "not enough memory");
    return status == PILGRIM_OK ? r->shared[place] : NULL;
}

static void take_class(struct profile_reader *r, struct stored_profile_class *class, struct place_times *shared)
{
    struct profile_contexts *c = &r->model.contexts;
    size_t parts = (size_t)take_number(r, &c->parts, PROFILE_PARTS_MAX, "too many distributions");
    if (parts == 0)
        return;
    struct profile_times *durations = parser_take(r->p, parts, sizeof *durations);
    for (size_t i = 0; i < parts && parser_good(r->p); i++)
        take_distribution(r, PROFILE_DURATIONS, shared, &durations[i]);
    class->durations = durations;
    class->part_count = parts;
    class->gap_count = (size_t)take_number(r, &c->gap_parts, PROFILE_PARTS_MAX, "too many distributions");
    struct stored_profile_gaps *gaps = parser_take(r->p, class->gap_count, sizeof *gaps);
    for (size_t i = 0; i < class->gap_count && parser_good(r->p); i++) {
        take_distribution(r, PROFILE_GAPS, shared ? &shared[PROFILE_GAPS] : NULL, &gaps[i].all);
        if (i > 0)
            take_before(r, &gaps[i]);
    }
    class->gaps = gaps;
    if (decode_flag(&r->in, &c->first))
        take_distribution(r, PROFILE_GAPS, NULL, &class->first);
}

/* Sets CALLED for each class of a group that is not of process streams, and that is no loop. */
static void find_called(struct profile_reader *r, uint8_t *called)
{
    const struct shard *v = r->p->shard;
    for (size_t i = 0; i < v->group_count && parser_work(r->p, v->groups[i].class_count); i++)
        for (uint32_t k = 0; !v->groups[i].is_process && k < v->groups[i].class_count; k++)
            if (!class_is_loop(v, v->groups[i].classes[k]))
                called[v->group_classes[v->groups[i].classes[k]].class] = 1;
}

static void take_classes(struct profile_reader *r)
{
    size_t count = r->p->shard->class_count;
    uint8_t *called = parser_take(r->p, count, 1);
    r->profile->classes = parser_take(r->p, count, sizeof *r->profile->classes);
    if (!parser_good(r->p))
        return;
    find_called(r, called);
    for (size_t i = 0; i < count && is_good(r); i++)
        if (called[i])
            take_class(r, &r->profile->classes[i], shared_of(r, i));
}

/* ---- leaves ---- */

static uint32_t value_groups_of(const struct shard *v, const struct group_class *row)
{
    return row->partition == 0 ? 1 : (uint32_t)v->partitions[row->partition - 1].count;
}

static const uint8_t *take_value_group(struct profile_reader *r, const struct stored_value_group *part, uint32_t class)
{
    struct profile_contexts *c = &r->model.contexts;
    size_t parts = r->profile->classes[class].part_count;
    uint8_t *which = parser_take(r->p, part->count, 1);
    for (uint32_t i = 0; which && i < part->count && parser_work(r->p, 1) && is_good(r); i++) {
        if (!decode_flag(&r->in, &c->again))
            r->last[class] = (uint32_t)take_number(r, &c->which, parts - 1, "a distribution that does not exist");
        which[i] = (uint8_t)r->last[class];
    }
    return which;
}

static void take_group(struct profile_reader *r, struct stored_group *g)
{
    const struct shard *v = r->p->shard;
    g->leaves = parser_take(r->p, g->class_count, sizeof *g->leaves);
    for (uint32_t k = 0; k < g->class_count && is_good(r); k++) {
        const struct group_class *row = &v->group_classes[g->classes[k]];
        if (class_is_loop(v, g->classes[k]) || r->profile->classes[row->class].part_count < 2)
            continue;
        uint32_t parts = value_groups_of(v, row);
        const uint8_t **leaves = parser_take(r->p, parts, sizeof *leaves);
        for (uint32_t i = 0; leaves && i < parts && is_good(r); i++)
            leaves[i] = take_value_group(r, &row->value_groups[i], row->class);
        g->leaves[k] = leaves;
    }
}

static void take_leaves(struct profile_reader *r)
{
    struct shard *v = r->p->shard;
    r->last = parser_take(r->p, v->class_count, sizeof *r->last);
    for (size_t i = 0; i < v->group_count && is_good(r); i++)
        if (!v->groups[i].is_process)
            take_group(r, &v->groups[i]);
}

/* ---- shares ---- */

static void take_blocks(struct profile_reader *r, struct profile_blocks *b)
{
    struct profile_contexts *c = &r->model.contexts;
    uint32_t ranks = r->p->shard->rank_count, at = 0, most = ranks < PROFILE_BLOCKS_MAX ? ranks : PROFILE_BLOCKS_MAX;
    uint64_t runs = take_number(r, &c->runs, most - 1, "too many blocks") + 1;
    b->first = parser_take(r->p, (size_t)most + 1, sizeof *b->first);
    for (; runs > 0 && is_good(r); runs--) {
        uint64_t blocks = take_number(r, &c->blocks, most - 1, "too many blocks") + 1;
        uint64_t each = take_number(r, &c->ranks, ranks - 1, "a block of too many ranks") + 1;
        if (blocks * each > ranks - at || b->count + blocks > most) {
            parser_fail(r->p, "blocks of more ranks than there are, or too many");
            return;
        }
        for (; blocks > 0 && parser_work(r->p, 1); blocks--, at += (uint32_t)each)
            b->first[b->count++] = at;
    }
    if (is_good(r) && at < ranks)
        parser_fail(r->p, "blocks of fewer ranks than there are");
    else if (is_good(r))
        b->first[b->count] = at;
}

/* Reads a table of shares. NULL: there is no time. */
static const struct profile_share *take_row(struct profile_reader *r, const struct profile_blocks *b)
{
    struct profile_contexts *c = &r->model.contexts;
    if (!is_good(r) || decode_flag(&r->in, &c->empty))
        return NULL;
    struct profile_share *row = parser_take(r->p, b->count, sizeof *row);
    int64_t code = 0;
    for (size_t i = 0; row && i < b->count && parser_work(r->p, 1) && is_good(r); i++) {
        uint32_t ranks = b->first[i + 1] - b->first[i];
        int64_t difference = decode_difference(&r->in, &c->value);
        if (difference < -code || difference > SHARE_CODE_MAX - code) {
            parser_fail(r->p, "a share that cannot be");
            return NULL;
        }
        code += difference;
        row[i].mean = row[i].most = (uint16_t)code;
        if (ranks == 1)
            continue;
        row[i].most = (uint16_t)(code + (int64_t)take_number(r, &c->most, (uint64_t)(SHARE_CODE_MAX - code),
                                                             "a share that cannot be"));
        row[i].at = (uint32_t)decode_bits(&r->in, profile_bits(ranks));
        if (row[i].at >= ranks)
            parser_fail(r->p, "a rank that its block does not have");
    }
    return row;
}

static void take_shares(struct profile_reader *r)
{
    struct profile_contexts *c = &r->model.contexts;
    struct stored_profile *profile = r->profile;
    if (!is_good(r) || !decode_flag(&r->in, &c->shares))
        return;
    take_blocks(r, &profile->blocks);
    for (unsigned i = 0; i < PROFILE_ACTIVITIES && is_good(r); i++)
        profile->activities[i] = take_row(r, &profile->blocks);
    take_blocks(r, &profile->class_blocks);
    for (size_t i = 0; i < r->p->shard->class_count && is_good(r); i++) {
        struct stored_profile_class *class = &profile->classes[i];
        if (class->part_count > 0 && decode_flag(&r->in, &c->by_rank))
            class->by_rank = take_row(r, &profile->class_blocks);
        if (class->part_count > 0 && decode_flag(&r->in, &c->by_rank_gaps))
            class->gaps_by_rank = take_row(r, &profile->class_blocks);
    }
}

void profile_parse(struct parser *p)
{
    struct profile_reader *r = calloc(1, sizeof *r);
    if (!r) {
        parser_fail_with(p, PILGRIM_NOMEM, "not enough memory");
        return;
    }
    r->p = p;
    r->profile = parser_take(p, 1, sizeof *r->profile);
    profile_model_init(&r->model);
    if (p->stored_type == SECTION_SHARED_PROFILE && parser_charge(p, p->shard->class_count * sizeof *r->shared)) {
        r->shared = calloc(p->shard->class_count + 1, sizeof *r->shared);
        if (!r->shared)
            parser_fail_with(p, PILGRIM_NOMEM, "not enough memory");
    }
    size_t length = cursor_left(&p->in);
    decoder_init(&r->in, cursor_take(&p->in, length), length);
    if (parser_good(p))
        take_classes(r);
    if (is_good(r))
        take_leaves(r);
    take_shares(r);
    if (is_good(r) && r->in.position < r->in.length)
        parser_fail(p, "bytes left over");
    if (is_good(r))
        p->shard->profile = r->profile;
    intern_free(&r->places);
    free(r->shared);
    free(r);
}
