/* The statistics section (docs/FORMAT.md, section 6): what kind of number it is decides where a number stands, as alike ones compress
 * well. */
#include "base/try.h"
#include "merge/fragment_data.h"

enum list {
    LIST_PARTS,
    LIST_FIRST,
    LIST_BUCKETS,
    LIST_COUNTS,
    LIST_MEAN,
    LIST_DEVIATION,
    LIST_LEAST,
    LIST_MOST,
    LIST_MEANS,
    LIST_DEVIATIONS,
    LIST_LOWS,
    LIST_HIGHS,
    LIST_COUNT
};

struct lists {
    struct bytes list[LIST_COUNT];
    bool ranks;          /* are told */
    uint32_t first_rank;
};

static void put_figure(struct lists *l, enum list places, uint64_t ns)
{
    bytes_put_u8(&l->list[places], bucket_place(ns, bucket_of(ns)));
}

/* Of more than one time. */
static void put_spread(struct lists *l, const struct distribution *d)
{
    uint64_t mean = distribution_mean(d), deviation = distribution_deviation(d);
    bytes_put_u8(&l->list[LIST_MEAN], (uint8_t)(bucket_of(mean) - bucket_of(d->least)));
    bytes_put_u8(&l->list[LIST_DEVIATION], (uint8_t)(bucket_of(d->most) - bucket_of(deviation)));
    put_figure(l, LIST_MOST, d->most);
    put_figure(l, LIST_MEANS, mean);
    put_figure(l, LIST_DEVIATIONS, deviation);
    if (l->ranks)
        bytes_put_varint(&l->list[LIST_HIGHS], d->high_rank - l->first_rank);
}

/* COUNTED: how many there are is known, so the last bucket's count is, too. */
static void put_distribution(struct lists *l, const struct distribution *d, bool counted)
{
    bool empty = d->least == UINT64_MAX;
    unsigned first = empty ? 0 : bucket_of(d->least), end = empty ? 0 : bucket_of(d->most) + 1;
    bytes_put_u8(&l->list[LIST_FIRST], (uint8_t)first);
    bytes_put_u8(&l->list[LIST_BUCKETS], (uint8_t)(end - first));
    if (empty)
        return;
    for (unsigned k = first; k < end - counted; k++)
        bytes_put_varint(&l->list[LIST_COUNTS], d->counts[k]);
    put_figure(l, LIST_LEAST, d->least);
    if (l->ranks)
        bytes_put_varint(&l->list[LIST_LOWS], d->low_rank - l->first_rank);
    if (distribution_count(d) > 1)
        put_spread(l, d);
}

/* All gaps are written before all durations. */
enum pass { PASS_GAPS, PASS_DURATIONS };

static void put_predecessors(struct lists *l, const struct statistics *s, uint32_t cell, uint32_t cells, uint32_t place)
{
    struct bytes *parts = &l->list[LIST_PARTS];
    bytes_put_varint(parts, s->one_predecessor ? 0 : cells);
    for (uint32_t i = cell; i < cell + cells && !s->one_predecessor; i++) {
        int64_t predecessor = (int64_t)(uint32_t)(s->cells[i].predecessor + 1) - 1;
        bytes_put_svarint(parts, (int64_t)place - 1 - predecessor);
    }
}

/* The next signature, whose cells begin at CELL; how many those are. */
static uint32_t put_signature(struct lists *l, const struct statistics *s, uint32_t cell, uint32_t place, enum pass pass)
{
    uint32_t cells;
    struct distribution durations = statistics_durations(s, cell, &cells);
    if (pass == PASS_DURATIONS) {
        put_distribution(l, &durations, true);
        return cells;
    }
    put_predecessors(l, s, cell, cells, place);
    for (uint32_t i = cell; i < cell + cells; i++)
        put_distribution(l, &s->cells[i].gaps, false);
    return cells;
}

/* A signature of which nothing is known. */
static void put_unknown(struct lists *l, enum pass pass)
{
    struct distribution nothing;
    distribution_init(&nothing);
    if (pass == PASS_GAPS)
        bytes_put_varint(&l->list[LIST_PARTS], 0);
    put_distribution(l, &nothing, false);
}

static enum pilgrim_status put_part(struct lists *l, const struct part *p, enum pass pass)
{
    struct statistics s = {0};
    struct cursor in;
    cursor_init(&in, p->statistics.data, p->statistics.length);
    enum pilgrim_status status = p->statistics.length ? statistics_unpack(&in, &s) : PILGRIM_OK;
    bool each = p->entry_count == 1 || (s.count && !s.one_signature);
    if (pass == PASS_GAPS && p->entry_count > 1)
        bytes_put_u8(&l->list[LIST_PARTS], each);
    uint32_t cell = 0;
    for (uint32_t i = 0; status == PILGRIM_OK && i < (each ? p->entry_count : 1); i++) {
        if (cell < s.count && s.cells[cell].signature == i)
            cell += put_signature(l, &s, cell, p->place, pass);
        else
            put_unknown(l, pass);
    }
    statistics_free(&s);
    return status;
}

static enum pilgrim_status put_pass(const struct fragment *f, struct lists *l, enum pass pass)
{
    for (uint32_t i = 0; i < f->group_keys.count; i++) {
        const struct group *g = &f->groups[i];
        for (uint32_t k = 0; !g->process && k < g->list.count - g->list.loop_count; k++)
            for (uint32_t p = 0; p < g->lists[k].count; p++)
                TRY(put_part(l, &f->parts[g->lists[k].parts[p]], pass));
    }
    return PILGRIM_OK;
}

enum pilgrim_status statistics_write(const struct fragment *f, struct bytes *out)
{
    struct lists l = {.ranks = f->rank_count > 1, .first_rank = f->first_rank};
    enum pilgrim_status status = put_pass(f, &l, PASS_GAPS);
    if (status == PILGRIM_OK)
        status = put_pass(f, &l, PASS_DURATIONS);
    for (unsigned i = 0; i < LIST_COUNT; i++) {
        if (status == PILGRIM_OK)
            status = bytes_status(&l.list[i]);
        bytes_put(out, l.list[i].data, l.list[i].length);
        bytes_free(&l.list[i]);
    }
    return status == PILGRIM_OK ? bytes_status(out) : status;
}
