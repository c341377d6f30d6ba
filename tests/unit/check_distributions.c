/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributions that the reader gives: sections are built by docs/FORMAT.md from random calls with known times, and
 * read.
 *
 * There are two structure groups, of the first ranks and of the others, with random classes, value groups, signatures
 * (some stand for several calls' values) and times from 0 ns to days. Every number that can be asked for is compared
 * with one computed from the calls. */
#include <stdio.h>
#include <stdlib.h>

#include "built_trace.h"
#include "hostile_trace.h"
#include "trials.h"

enum { RANKS_MAX = 6, ROWS_MAX = 4, PARTS_MAX = 2, ENTRIES_MAX = 5, CALLS_MAX = 40, SAMPLES_MAX = 4000, LEVELS = 48 };

/* A part, and how its signatures stand for numbers of values. */
struct made_part {
    uint32_t entries;
    uint32_t values[ENTRIES_MAX]; /* of each: one or more */
    uint32_t numbers;
    bool each;                 /* has a statistic for each signature */
    bool any[ENTRIES_MAX];     /* whatever came before is one distribution */
    uint64_t order[CALLS_MAX]; /* numbers, of the calls */
};

struct made_row {
    uint32_t split; /* members of the first part; 0: there is one part */
    uint32_t calls;
    struct made_part parts[PARTS_MAX];
};

struct made_group {
    uint32_t first, members; /* ranks */
    uint32_t row_count;
    uint64_t places[CALLS_MAX];
    uint32_t calls;
    struct made_row rows[ROWS_MAX];
};

/* One call. */
struct distribution_sample {
    uint32_t group, row, part, entry, number, rank;
    int before;
    uint64_t gap, duration;
};

static struct made_group groups[2];
static struct distribution_sample samples[SAMPLES_MAX];
static uint32_t sample_count;
static uint32_t ranks;
static uint32_t shape;

/* ---- making ---- */

static uint64_t random_ns(void)
{
    uint64_t bits = below(LEVELS);
    return bits ? UINT64_C(1) << (bits - 1) | draw() * draw() % (UINT64_C(1) << (bits - 1)) : 0;
}

static void make_part(struct made_part *p, uint32_t calls)
{
    *p = (struct made_part){.entries = 1 + (uint32_t)below(ENTRIES_MAX), .each = below(3) > 0};
    p->each |= p->entries == 1;
    for (uint32_t i = 0; i < p->entries; i++) {
        p->values[i] = below(3) ? 1 : 2 + (uint32_t)below(3);
        p->any[i] = below(4) == 0;
        p->numbers += p->values[i];
    }
    for (uint32_t i = 0; i < calls; i++)
        p->order[i] = below(p->numbers);
}

static void make_group(struct made_group *g, uint32_t first, uint32_t members)
{
    *g = (struct made_group){.first = first, .members = members, .row_count = 1 + (uint32_t)below(ROWS_MAX)};
    g->calls = g->row_count + (uint32_t)below(CALLS_MAX - ROWS_MAX + 1);
    for (uint32_t i = 0; i < g->calls; i++) {
        g->places[i] = i < g->row_count ? i : below(g->row_count);
        g->rows[g->places[i]].calls++;
    }
    for (uint32_t i = 0; i < g->row_count; i++) {
        g->rows[i].split = members > 1 && below(2) ? 1 + (uint32_t)below(members - 1) : 0;
        for (unsigned k = 0; k < PARTS_MAX; k++)
            make_part(&g->rows[i].parts[k], g->rows[i].calls);
    }
}

static uint32_t part_of(const struct made_row *row, uint32_t member)
{
    return row->split && member >= row->split;
}

static uint32_t entry_of(const struct made_part *p, uint64_t number)
{
    uint32_t entry = 0;
    for (; number >= p->values[entry]; entry++)
        number -= p->values[entry];
    return entry;
}

static void make_samples(uint32_t group, uint32_t member)
{
    const struct made_group *g = &groups[group];
    uint32_t met[ROWS_MAX] = {0};
    for (uint32_t i = 0; i < g->calls; i++) {
        uint32_t place = (uint32_t)g->places[i], part = part_of(&g->rows[place], member);
        const struct made_part *p = &g->rows[place].parts[part];
        uint64_t number = p->order[met[place]++];
        ck_assert_uint_lt(sample_count, SAMPLES_MAX);
        samples[sample_count++] = (struct distribution_sample){group,
                                                               place,
                                                               part,
                                                               entry_of(p, number),
                                                               (uint32_t)number,
                                                               g->first + member,
                                                               i > 0 ? (int)g->places[i - 1] : -1,
                                                               random_ns(),
                                                               random_ns()};
    }
}

/* ---- what is known of some calls ---- */

/* Which ones; -2: whatever. */
struct choice {
    int group, row, part, entry, number, before;
    bool gaps;
};

static bool is_chosen(const struct distribution_sample *s, const struct choice *c)
{
    return (int)s->group == c->group && (int)s->row == c->row && (c->part == -2 || (int)s->part == c->part) &&
           (c->entry == -2 || (int)s->entry == c->entry) && (c->before == -2 || s->before == c->before);
}

static unsigned bucket_of(uint64_t ns)
{
    return ns ? 64 - (unsigned)__builtin_clzll(ns) : 0;
}

struct truth {
    uint64_t count, min, max;
    double mean, deviation;
    uint32_t min_rank, max_rank;
    uint64_t histogram[PILGRIM_BUCKETS];
};

static uint64_t time_of(const struct distribution_sample *s, const struct choice *c)
{
    return c->gaps ? s->gap : s->duration;
}

static struct truth truth_of(const struct choice *c)
{
    struct truth t = {.min = UINT64_MAX};
    long double sum = 0, squares = 0;
    for (uint32_t i = 0; i < sample_count; i++) {
        if (!is_chosen(&samples[i], c))
            continue;
        uint64_t ns = time_of(&samples[i], c);
        t.count++;
        sum += (long double)ns;
        t.histogram[bucket_of(ns)]++;
        if (ns < t.min || (ns == t.min && samples[i].rank < t.min_rank)) {
            t.min = ns;
            t.min_rank = samples[i].rank;
        }
        if (t.count == 1 || ns > t.max || (ns == t.max && samples[i].rank < t.max_rank)) {
            t.max = ns;
            t.max_rank = samples[i].rank;
        }
    }
    t.mean = t.count ? (double)(sum / (long double)t.count) : 0;
    for (uint32_t i = 0; i < sample_count; i++) {
        long double apart = (long double)time_of(&samples[i], c) - (t.count ? sum / (long double)t.count : 0);
        if (is_chosen(&samples[i], c))
            squares += apart * apart;
    }
    double variance = t.count ? (double)(squares / (long double)t.count) : 0, r = variance > 1 ? variance : 1;
    for (int i = 0; i < 200; i++)
        r = (r + variance / r) / 2;
    t.deviation = variance > 0 ? r : 0;
    if (t.count == 0)
        t.min = 0;
    return t;
}

/* ---- writing ---- */

struct made_list {
    struct choice choices[2000];
    size_t gaps, count; /* those of gaps stand before those of durations */
};

static struct made_list list;

/* Puts what stands for the signatures ENTRY (-2: all together), in `parts`. */
static void put_predecessors(struct bytes *to, struct choice c, const struct made_part *p)
{
    struct choice durations[1] = {c};
    bool known[ROWS_MAX + 1] = {false}, any = p->any[c.entry < 0 ? 0 : c.entry];
    size_t count = 0;
    for (uint32_t i = 0; i < sample_count; i++)
        if (is_chosen(&samples[i], &c) && !known[samples[i].before + 1]) {
            known[samples[i].before + 1] = true;
            count++;
        }
    c.gaps = true;
    if (any)
        count = 0;
    bytes_put_varint(to, count);
    for (int before = -1; before < ROWS_MAX && count > 0; before++) {
        if (!known[before + 1])
            continue;
        c.before = before;
        bytes_put_svarint(to, c.row - 1 - before);
        list.choices[list.gaps++] = c;
    }
    if (count == 0)
        list.choices[list.gaps++] = c;
    list.choices[1000 + list.count++] = durations[0];
}

static uint8_t place_in(uint64_t ns)
{
    unsigned k = bucket_of(ns);
    uint64_t place = k ? ns - (UINT64_C(1) << (k - 1)) : 0;
    return (uint8_t)(k > 9 ? place >> (k - 9) : place);
}

/* The lists of all distributions; ONLY: the durations' last counts are left out. */
static void put_lists(struct bytes *to)
{
    static struct truth all[2000];
    static unsigned first[2000], last[2000];
    for (size_t i = 0; i < list.count; i++)
        list.choices[list.gaps + i] = list.choices[1000 + i];
    size_t count = list.gaps + list.count;
    for (size_t i = 0; i < count; i++) {
        all[i] = truth_of(&list.choices[i]);
        first[i] = bucket_of(all[i].min);
        last[i] = bucket_of(all[i].max);
        bytes_put_u8(to, (uint8_t)first[i]);
    }
    for (size_t i = 0; i < count; i++)
        bytes_put_u8(to, (uint8_t)(all[i].count ? last[i] - first[i] + 1 : 0));
    for (size_t i = 0; i < count; i++)
        for (unsigned k = first[i]; k < last[i] + (all[i].count && i < list.gaps); k++)
            bytes_put_varint(to, all[i].histogram[k]);
    for (size_t i = 0; i < count; i++)
        if (all[i].count > 1)
            bytes_put_u8(to, (uint8_t)(bucket_of((uint64_t)all[i].mean) - first[i]));
    for (size_t i = 0; i < count; i++)
        if (all[i].count > 1)
            bytes_put_u8(to, (uint8_t)(last[i] - bucket_of((uint64_t)all[i].deviation)));
    for (size_t i = 0; i < count; i++)
        if (all[i].count > 0)
            bytes_put_u8(to, place_in(all[i].min));
    for (size_t i = 0; i < count; i++)
        if (all[i].count > 1)
            bytes_put_u8(to, place_in(all[i].max));
    for (size_t i = 0; i < count; i++)
        if (all[i].count > 1)
            bytes_put_u8(to, place_in((uint64_t)all[i].mean));
    for (size_t i = 0; i < count; i++)
        if (all[i].count > 1)
            bytes_put_u8(to, place_in((uint64_t)all[i].deviation));
    for (size_t i = 0; i < count && ranks > 1; i++)
        if (all[i].count > 0)
            bytes_put_varint(to, all[i].min_rank);
    for (size_t i = 0; i < count && ranks > 1; i++)
        if (all[i].count > 1)
            bytes_put_varint(to, all[i].max_rank);
}

static void put_statistics(struct bytes *to)
{
    list = (struct made_list){0};
    for (int g = 0; g < 2; g++) {
        for (int r = 0; r < (int)groups[g].row_count && groups[g].members > 0; r++) {
            for (int k = 0; k < (groups[g].rows[r].split ? 2 : 1); k++) {
                const struct made_part *p = &groups[g].rows[r].parts[k];
                struct choice c = {.group = g, .row = r, .part = k, .entry = -2, .number = -2, .before = -2};
                if (p->entries > 1)
                    bytes_put_u8(to, p->each);
                for (c.entry = p->each ? 0 : -2; c.entry < (p->each ? (int)p->entries : -1); c.entry++)
                    put_predecessors(to, c, p);
            }
        }
    }
    put_lists(to);
}

static uint32_t put_made_row(struct built *b, const struct made_group *g, uint32_t number)
{
    const struct made_row *row = &g->rows[number];
    uint32_t partition = 0, list_of[PARTS_MAX];
    static const int64_t places[RANKS_MAX] = {0, 1, 2, 3, 4, 5};
    if (row->split) {
        list_of[0] = put_list(b, places, row->split);
        list_of[1] = put_list(b, places + row->split, g->members - row->split);
        partition = put_partition(b, list_of, 2) + 1;
    }
    uint32_t signatures[PARTS_MAX][ENTRIES_MAX];
    uint64_t sequences[PARTS_MAX];
    for (unsigned k = 0; k < (row->split ? 2 : 1); k++) {
        const struct made_part *p = &row->parts[k];
        for (uint32_t i = 0; i < p->entries; i++) {
            const uint32_t columns[] = {put_column(b, EXPRESSION_CONSTANT, 100 * k + i),
                                        put_column(b, EXPRESSION_CONSTANT, 0)};
            signatures[k][i] =
                put_signature(b, shape, p->values[i] > 1 ? p->values[i] : 0, columns, p->values[i] > 1 ? 2 : 1);
        }
        sequences[k] = put_sequence(b, p->order, row->calls);
    }
    uint32_t made = put_group_class(b, 1 + number, partition);
    for (unsigned k = 0; k < (row->split ? 2 : 1); k++)
        put_value_group(b, sequences[k], signatures[k], row->parts[k].entries);
    return made;
}

static void put_made_group(struct built *b, const struct made_group *g)
{
    uint32_t rows[ROWS_MAX];
    int64_t members[RANKS_MAX];
    for (uint32_t i = 0; i < g->members; i++)
        members[i] = g->first + i;
    for (uint32_t i = 0; i < g->row_count; i++)
        rows[i] = put_made_row(b, g, i);
    put_group(b, false, put_sequence(b, g->places, g->calls), rows, g->row_count, put_list(b, members, g->members));
}

static void make(struct built *b, uint64_t seed)
{
    state = seed;
    draw();
    ranks = 1 + (uint32_t)below(RANKS_MAX);
    uint32_t split = ranks > 1 ? 1 + (uint32_t)below(ranks) : 1;
    sample_count = 0;
    built_begin(b, ranks, 0);
    shape = put_shape(b, int_tokens, sizeof int_tokens);
    for (uint32_t g = 0; g < 2; g++) {
        make_group(&groups[g], g ? split : 0, g ? ranks - split : split);
        for (uint32_t m = 0; m < groups[g].members; m++)
            make_samples(g, m);
        if (groups[g].members > 0)
            put_made_group(b, &groups[g]);
    }
    put_statistics(&b->statistics);
}

/* ---- checks ---- */

static uint64_t rounded(uint64_t ns)
{
    unsigned k = bucket_of(ns);
    return k > 9 ? ns >> (k - 9) << (k - 9) : ns;
}

static double apart(double a, double b)
{
    return a > b ? a - b : b - a;
}

static void check(const struct pilgrim_statistic *s, const struct choice *c)
{
    const struct truth t = truth_of(c);
    bool min_rank = false, max_rank = false;
    ck_assert_uint_eq(s->count, t.count);
    ck_assert_mem_eq(s->histogram, t.histogram, sizeof t.histogram);
    ck_assert_uint_eq(s->min_ns, rounded(t.min));
    ck_assert_uint_eq(s->max_ns, rounded(t.max));
    ck_assert_double_le(apart(s->mean_ns, t.mean), t.mean / 256 + 1);
    ck_assert_double_le(apart(s->total_ns, t.mean * (double)t.count), (double)t.count * (t.mean / 256 + 1));
    ck_assert_double_le(apart(s->deviation_ns, t.deviation), (t.deviation + t.mean) / 64 + 2);
    for (uint32_t i = 0; i < sample_count; i++) {
        if (!is_chosen(&samples[i], c))
            continue;
        min_rank |= samples[i].rank == s->min_rank && rounded(time_of(&samples[i], c)) == s->min_ns;
        max_rank |= samples[i].rank == s->max_rank && rounded(time_of(&samples[i], c)) == s->max_ns;
    }
    ck_assert(t.count == 0 || (min_rank && max_rank));
}

/* Of SIGNATURES of a class, which are those of CHOICE; KNOWN: what came before is known of all of them. */
static void check_class(const struct pilgrim_cursor *cursor, uint64_t signatures, struct choice c, bool known)
{
    struct pilgrim_statistic s;
    uint64_t before = PILGRIM_ANY_CALL, gaps = 0, count;
    size_t class = (size_t)c.row;
    ck_assert_int_eq(pilgrim_durations(cursor, class, signatures, &s), PILGRIM_OK);
    check(&s, &c);
    count = s.count;
    c.gaps = true;
    while (pilgrim_class_before(cursor, class, signatures, &before) == PILGRIM_OK) {
        ck_assert_int_eq(pilgrim_gaps(cursor, class, signatures, before, &s), PILGRIM_OK);
        c.before = before == PILGRIM_NO_CALL ? -1 : (int)before;
        if (known)
            check(&s, &c);
        ck_assert_uint_gt(s.count, 0);
        gaps += s.count;
    }
    ck_assert(known ? gaps == count : gaps <= count);
    ck_assert_int_eq(pilgrim_gaps(cursor, class, signatures, PILGRIM_NO_CALL, &s), PILGRIM_OK);
    gaps = s.count;
    ck_assert_int_eq(pilgrim_gaps(cursor, class, signatures, PILGRIM_ANY_CALL, &s), PILGRIM_OK);
    ck_assert_uint_eq(gaps + s.count, count);
}

static bool is_known(const struct made_part *p, int entry)
{
    for (uint32_t i = 0; i < p->entries; i++)
        if (p->any[i] && (p->each ? entry < 0 || entry == (int)i : i == 0))
            return false;
    return true;
}

static void check_row(const struct pilgrim_cursor *cursor, int group, int row, uint32_t member)
{
    const struct made_row *r = &groups[group].rows[row];
    uint32_t part = part_of(r, member), number = 0;
    const struct made_part *p = &r->parts[part];
    struct choice c = {.group = group, .row = row, .part = -2, .entry = -2, .before = -2};
    bool others = !r->split || is_known(&r->parts[1 - part], -1);
    check_class(cursor, PILGRIM_STRUCTURE_GROUP, c, is_known(p, -1) && others);
    c.part = (int)part;
    check_class(cursor, PILGRIM_VALUE_GROUP, c, is_known(p, -1));
    for (uint32_t i = 0; i < p->entries; i++)
        for (uint32_t k = 0; k < p->values[i]; k++, number++) {
            c.entry = p->each ? (int)i : -2;
            check_class(cursor, number, c, is_known(p, p->each ? (int)i : -1));
        }
    struct pilgrim_statistic s;
    ck_assert_int_eq(pilgrim_durations(cursor, (size_t)row, number, &s), PILGRIM_INVALID);
}

START_TEST(statistics_of_random_calls)
{
    for (uint64_t seed = 1; seed <= trials(100); seed++) {
        struct built b;
        make(&b, seed + 1000 * (uint64_t)_i);
        struct pilgrim_trace *trace = open_good(&b);
        for (uint32_t rank = 0; rank < ranks; rank++) {
            struct pilgrim_cursor *cursor = open_cursor(trace, rank);
            int group = rank >= groups[1].first;
            for (uint32_t i = 0; i < groups[group].row_count; i++)
                check_row(cursor, group, (int)i, rank - groups[group].first);
            pilgrim_cursor_close(cursor);
        }
        pilgrim_close(trace);
    }
}
END_TEST

/* Sections of other bytes are refused, or give statistics whose counts agree; calls are there all the same. */
START_TEST(sections_changed)
{
    unsigned refused = 0, taken = 0;
    limit_memory();
    for (uint64_t seed = 1; seed <= trials(400); seed++) {
        struct built b;
        struct pilgrim_error error;
        make(&b, seed + 1000 * (uint64_t)_i);
        struct bytes *s = &b.statistics;
        if (seed % 4 == 0)
            s->length = below(s->length) + 1;
        else
            s->data[below(s->length)] ^= (uint8_t)(1u << below(8));
        struct pilgrim_trace *trace;
        struct bytes file = {0};
        built_contents(&b);
        built_file(&b, 1, &file);
        ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
        bytes_free(&file);
        built_free(&b);
        refused += error.status != PILGRIM_OK;
        taken += error.status == PILGRIM_OK;
        ck_assert(error.status == PILGRIM_OK || error.status == PILGRIM_DAMAGED || error.status == PILGRIM_LIMIT);
        walk_thread(trace, 0, 0);
        pilgrim_close(trace);
    }
    ck_assert_uint_gt(refused, trials(100));
    ck_assert_uint_gt(taken, trials(10));
}
END_TEST

START_TEST(sums_of_statistics)
{
    struct pilgrim_statistic none = {0},
                             a = {.count = 3,
                                  .total_ns = 30,
                                  .mean_ns = 10,
                                  .min_ns = 10,
                                  .max_ns = 10,
                                  .min_rank = 4,
                                  .max_rank = 4,
                                  .histogram = {[4] = 3}},
                             sum = none;
    pilgrim_statistic_add(&sum, &none);
    ck_assert_uint_eq(sum.count, 0);
    pilgrim_statistic_add(&sum, &a);
    ck_assert_mem_eq(&sum, &a, sizeof a);
    pilgrim_statistic_add(&sum, &none);
    ck_assert_mem_eq(&sum, &a, sizeof a);
    a = (struct pilgrim_statistic){.count = 1,
                                   .total_ns = 18,
                                   .mean_ns = 18,
                                   .min_ns = 18,
                                   .max_ns = 18,
                                   .min_rank = 2,
                                   .max_rank = 2,
                                   .histogram = {[5] = 1}};
    pilgrim_statistic_add(&sum, &a); /* 10 10 10 18 */
    ck_assert_uint_eq(sum.count, 4);
    ck_assert_double_eq_tol(sum.mean_ns, 12, 1e-9);
    ck_assert_double_eq_tol(sum.deviation_ns * sum.deviation_ns, 12, 1e-6);
    ck_assert(sum.min_ns == 10 && sum.min_rank == 4 && sum.max_ns == 18 && sum.max_rank == 2);
    ck_assert(sum.histogram[4] == 3 && sum.histogram[5] == 1);
    a.min_ns = a.max_ns = 10;
    pilgrim_statistic_add(&sum, &a);
    ck_assert_uint_eq(sum.min_rank, 2); /* the lowest of those that had it */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distributions");
    TCase *tests = tcase_create("distributions");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, statistics_of_random_calls, 0, 2);
    tcase_add_loop_test(tests, sections_changed, 0, 2);
    tcase_add_test(tests, sums_of_statistics);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
