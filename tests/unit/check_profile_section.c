/* SPDX-License-Identifier: BSD-3-Clause */
/* Profile sections that are built field by field, as docs/FORMAT.md has them: what the reader says of them. Each
 * impossible field is reported as damage; other bytes are refused or read, in bounded time. */
#include <stdio.h>
#include <stdlib.h>

#include "built_trace.h"
#include "hostile_trace.h"
#include "timing/distribution.h"
#include "timing/profile_model.h"
#include "timing/share_code_inline.h"

enum { RANKS = 8, ROWS = 3, RANK_BITS = 3 };

/* ---- fields ---- */

enum section_field {
    NONE,
    PARTS,
    COUNT,
    NEW_COUNT,
    MEAN_BUCKET,
    HIGH_RANK,
    HIGH,
    LONGEST,
    LOW,
    SPREAD,
    HISTOGRAM,
    GAP_PARTS,
    BEFORES,
    BEFORE,
    WHICH,
    RUNS,
    BLOCKS,
    BLOCK_RANKS,
    VALUE,
    MOST,
    AT,
    FIELDS
};

/* The field that gets another value, the TURN-th time that it is written. */
struct wrong {
    enum section_field field;
    unsigned turn;
    uint64_t value;
    const char *problem;
};

static const struct wrong *wrong;
static unsigned turns;
static struct range_encoder out;
static struct profile_model model;

static uint64_t chosen(enum section_field field, uint64_t value)
{
    return wrong && field == wrong->field && turns++ == wrong->turn ? wrong->value : value;
}

static void put_number(enum section_field field, struct number_context *context, uint64_t value)
{
    encode_number(&out, context, chosen(field, value));
}

static void put_bits(enum section_field field, unsigned bits, uint64_t value)
{
    encode_bits(&out, bits, chosen(field, value));
}

/* ---- distributions ---- */

struct section_times {
    uint64_t count, mean, most, least, deviation;
    uint32_t rank;
    bool brief;
    uint8_t shares[8]; /* of the buckets from that of the shortest on */
    bool slight;       /* in a short profile only */
    bool shared;       /* with others of its place: in a shared profile only */
};

/* The form of the section: SECTION_PROFILE, SECTION_SHORT_PROFILE or SECTION_SHARED_PROFILE. */
static uint8_t form;
static bool is_short;                     /* any but the first */
static bool shared_before[PROFILE_KINDS]; /* by the one class that has such */

static void put_count(unsigned k, uint64_t count)
{
    unsigned at = 0;
    while (at < PROFILE_RECENT && model.recent[at] != count)
        at++;
    put_number(COUNT, &model.contexts.count[k], at);
    if (at == PROFILE_RECENT)
        put_number(NEW_COUNT, &model.contexts.new_count[k], count - 1);
    profile_recent_use(&model, at, count);
}

/* Returns true if the times were put before. */
static bool put_sharing(unsigned k, const struct section_times *t)
{
    struct profile_contexts *c = &model.contexts;
    bool before = shared_before[k];
    if (t->slight && form == SECTION_SHARED_PROFILE)
        encode_flag(&out, before ? &c->like[k] : &c->shared[k], t->shared);
    shared_before[k] |= t->shared;
    return t->shared && before;
}

/* LAST: gaps before first calls, which share nothing. */
static void put_times_of(unsigned k, const struct section_times *t, bool last)
{
    struct profile_contexts *c = &model.contexts;
    if (is_short)
        encode_flag(&out, &c->slight[k], t->slight);
    put_count(k, t->count);
    if (!last && put_sharing(k, t))
        return;
    unsigned bucket = (unsigned)chosen(MEAN_BUCKET, bucket_of(t->mean)) % 64, node = 1;
    for (unsigned i = 6; i-- > 0; node = 2 * node + (bucket >> i & 1))
        encode_flag(&out, &c->bucket[k][t->slight][node], bucket >> i & 1);
    for (unsigned i = 0; i + 1 < bucket && i < (t->slight && !t->shared ? 3 : 8); i++)
        encode_bits(&out, 1, t->mean >> (bucket - 2 - i) & 1);
    if (t->slight) {
        if (t->count > 1 || t->shared)
            put_number(LONGEST, &c->longest[k], bucket_of(t->most) - bucket);
        return;
    }
    if (k == PROFILE_DURATIONS)
        put_bits(HIGH_RANK, RANK_BITS, t->rank);
    if (t->count == 1)
        return;
    encode_flag(&out, &c->brief[k], t->brief);
    put_number(HIGH, &c->high[k], figure_of(t->most, 4) - figure_of(t->mean, 4));
    if (t->brief)
        return;
    put_number(LOW, &c->low[k], figure_of(t->mean, 4) - figure_of(t->least, 4));
    put_number(SPREAD, &c->spread[k], figure_of(t->most, 4) - figure_of(t->deviation, 4));
    unsigned left = 32;
    for (unsigned i = 0; i + bucket_of(t->least) < bucket_of(t->most) && left > 0; left -= t->shares[i++])
        put_number(HISTOGRAM, &c->histogram[k], t->shares[i]);
}

static void put_times(unsigned k, const struct section_times *t)
{
    put_times_of(k, t, false);
}

static void check(const struct pilgrim_statistic *s, const struct section_times *t, bool gaps)
{
    uint64_t used = 0, shares = 0;
    ck_assert_uint_eq(s->count, t->count);
    ck_assert_double_eq(s->mean_ns, (double)figure_ns(figure_of(t->mean, 8), 8));
    ck_assert_uint_eq(s->max_rank, gaps || t->slight ? PILGRIM_RANK_UNKNOWN : t->rank);
    ck_assert(s->brief == t->brief);
    ck_assert(s->shared == t->shared);
    uint64_t most = figure_ns(figure_of(t->most, t->slight ? 0 : 4), t->slight ? 0 : 4);
    ck_assert_uint_eq(s->max_ns, most > (uint64_t)s->mean_ns ? most : (uint64_t)s->mean_ns);
    if (t->brief)
        return;
    ck_assert_uint_le(s->min_ns, t->least);
    ck_assert_uint_ge(s->min_ns, figure_ns(figure_of(t->least, 4), 4));
    ck_assert_double_eq(s->deviation_ns, (double)figure_ns(figure_of(t->deviation, 4), 4));
    for (unsigned k = bucket_of(t->least); k <= bucket_of(t->most); k++) {
        shares += t->shares[k - bucket_of(t->least)];
        used += s->histogram[k];
        ck_assert_uint_eq(used, t->count * (t->count == 1 ? 32 : shares) / 32);
    }
}

/* ---- the trace ---- */

/* Class 1: two distributions of durations, three of gaps, and one before threads' first calls; class 2: told briefly;
 * class 3: not told. */
static const struct section_times
    durations[] = {{1000, 5000, 9000, 300, 77, 5, false, {4, 0, 0, 20, 6, 2}, false, false},
                   {7, 1, 1, 0, 0, 0, false, {1, 31}, false, false}},
    gaps[] = {{500, 100, 100, 100, 0, 0, false, {32}, false, false},
              {507, UINT64_C(1) << 50, UINT64_C(1) << 51, UINT64_C(1) << 50, 0, 0, true, {0}, false, false},
              {1, 123456, 123456, 123456, 0, 0, false, {32}, false, false}},
    first = {8, 0, 40, 0, 12, 0, false, {30, 0, 0, 0, 0, 0, 2}, false, false},
    brief = {8, 77, 1000, 0, 0, 7, true, {0}, false, false}, slight = {8, 72, 1000, 0, 0, 0, true, {0}, true, false},
    slight_gaps[] = {{2, 5, 7, 0, 0, 0, true, {0}, true, false}, {1, 96, 96, 96, 0, 0, false, {32}, true, false}},
    shared = {1, 77, 1000, 0, 0, 0, true, {0}, true, true},
    shared_gaps[] = {{2, 5, 7, 0, 0, 0, true, {0}, true, false},
                     {3, 1001, 5000, 0, 0, 0, true, {0}, true, true},
                     {1, 1001, 5000, 0, 0, 0, true, {0}, true, true}};
/* Behind which classes: the second one and the third one. */
static const uint32_t behind[2][2] = {{2, 40}, {1, 0}};

/* The ranks 0, 1, 2; 3 to 5; 6, 7 are the blocks {1, 1, 1, 3, 2}. */
static const uint32_t blocks[3][2] = {{3, 1}, {1, 3}, {1, 2}};

static void put_blocks(void)
{
    struct profile_contexts *c = &model.contexts;
    put_number(RUNS, &c->runs, 2);
    for (unsigned i = 0; i < 3; i++) {
        put_number(BLOCKS, &c->blocks, blocks[i][0] - 1);
        put_number(BLOCK_RANKS, &c->ranks, blocks[i][1] - 1);
    }
}

static const int64_t codes[5] = {0, SHARE_CODE_MAX, 500, 17, 16};

static void put_share_row(void)
{
    struct profile_contexts *c = &model.contexts;
    int64_t last = 0;
    encode_flag(&out, &c->empty, false);
    for (unsigned i = 0; i < 5; last = codes[i++]) {
        encode_difference(&out, &c->value, (int64_t)chosen(VALUE, (uint64_t)(codes[i] - last)));
        if (i < 3)
            continue;
        put_number(MOST, &c->most, i);
        put_bits(AT, i == 3 ? 2 : 1, i == 3 ? 2 : 1);
    }
}

static void put_shares(void)
{
    struct profile_contexts *c = &model.contexts;
    encode_flag(&out, &c->shares, true);
    put_blocks();
    for (unsigned i = 0; i < PROFILE_ACTIVITIES; i++)
        if (i % 2)
            put_share_row();
        else
            encode_flag(&out, &c->empty, true);
    put_blocks();
    for (unsigned class = 1; class <= 2; class ++) {
        encode_flag(&out, &c->by_rank, class == 1);
        if (class == 1)
            put_share_row();
        encode_flag(&out, &c->by_rank_gaps, class == 2);
        if (class == 2)
            put_share_row();
    }
}

/* Behind classes 1 and 2 a part each; behind class 3 the first one. */
static void put_shared_gaps(void)
{
    struct profile_contexts *c = &model.contexts;
    put_number(GAP_PARTS, &c->gap_parts, 3);
    for (unsigned i = 0; i < 3; i++) {
        put_times(PROFILE_GAPS, &shared_gaps[i]);
        if (i == 0)
            continue;
        put_number(BEFORES, &c->befores, 1);
        put_number(BEFORE, &c->before, i);
    }
}

static void put_profile(void)
{
    struct profile_contexts *c = &model.contexts;
    put_number(PARTS, &c->parts, 2);
    put_times(PROFILE_DURATIONS, &durations[0]);
    put_times(PROFILE_DURATIONS, &durations[1]);
    put_number(GAP_PARTS, &c->gap_parts, 3);
    for (unsigned i = 0; i < 3; i++) {
        put_times(PROFILE_GAPS, &gaps[i]);
        if (i > 0)
            put_number(BEFORES, &c->befores, i == 1 ? 2 : 1);
        for (unsigned k = 0, next = 0; i > 0 && k < (i == 1 ? 2 : 1); next = behind[i - 1][k++] + 1)
            put_number(BEFORE, &c->before, behind[i - 1][k] - next);
    }
    encode_flag(&out, &c->first, true);
    put_times_of(PROFILE_GAPS, &first, true);
    put_number(PARTS, &c->parts, 1);
    put_times(PROFILE_DURATIONS, form == SECTION_SHARED_PROFILE ? &shared : is_short ? &slight : &brief);
    if (form == SECTION_SHARED_PROFILE)
        put_shared_gaps();
    else
        put_number(GAP_PARTS, &c->gap_parts, is_short ? 1 : 0);
    if (form == SECTION_SHORT_PROFILE)
        put_times(PROFILE_GAPS, &slight_gaps[0]);
    encode_flag(&out, &c->first, is_short);
    if (is_short)
        put_times_of(PROFILE_GAPS, &slight_gaps[1], true);
    put_number(PARTS, &c->parts, 0);
    encode_flag(&out, &c->again, false); /* the row of class 1 has three signatures: 1, 1, 0 */
    put_number(WHICH, &c->which, 1);
    encode_flag(&out, &c->again, true);
    encode_flag(&out, &c->again, false);
    put_number(WHICH, &c->which, 0);
    put_shares();
}

/* All ranks do the same: calls of class 1 with three signatures, one of class 2, one of class 3. */
static void make(struct built *b)
{
    uint32_t rows[ROWS], signatures[3];
    static const uint64_t sequence[] = {0, 0, 1, 0, 2}, values[] = {0, 1, 2};
    built_begin(b, RANKS, 0);
    uint32_t shape = put_shape(b, int_tokens, sizeof int_tokens);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t column = put_column(b, EXPRESSION_CONSTANT, i);
        signatures[i] = put_signature(b, shape, 0, &column, 1);
    }
    for (unsigned i = 0; i < ROWS; i++) {
        uint64_t order = put_sequence(b, values, i == 0 ? 3 : 1);
        rows[i] = put_group_class(b, 1 + i, 0);
        put_value_group(b, order, signatures, i == 0 ? 3 : 1);
    }
    put_group(b, false, put_sequence(b, sequence, 5), rows, ROWS, put_counting(b, RANKS));
    b->profile = (struct bytes){0};
    b->profile_form = form;
    is_short = form != SECTION_PROFILE;
    memset(shared_before, 0, sizeof shared_before);
    encoder_init(&out, &b->profile);
    profile_model_init(&model);
    turns = 0;
    put_profile();
    encoder_end(&out);
}

/* ---- checks ---- */

static void check_gaps(const struct pilgrim_cursor *cursor, size_t class, uint64_t before,
                       const struct section_times *t)
{
    struct pilgrim_statistic s;
    ck_assert_int_eq(pilgrim_gaps(cursor, class, PILGRIM_STRUCTURE_GROUP, before, &s), PILGRIM_OK);
    check(&s, t, true);
}

static void check_ranks(const struct pilgrim_trace *trace)
{
    static const uint32_t block[RANKS] = {0, 1, 2, 3, 3, 3, 4, 4}, block_first[5] = {0, 1, 2, 3, 6},
                          ranks_of[5] = {1, 1, 1, 3, 2};
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct pilgrim_rank_profile found;
        struct pilgrim_rank_class one;
        struct pilgrim_error error;
        struct pilgrim_cursor *cursor = open_cursor(trace, rank);
        uint32_t k = block[rank];
        double mean = share_ns((unsigned)codes[k]);
        ck_assert_int_eq(pilgrim_rank_profile(trace, rank, &found, &error), PILGRIM_OK);
        ck_assert_uint_eq(found.first_rank, block_first[k]);
        ck_assert_uint_eq(found.rank_count, ranks_of[k]);
        for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
            ck_assert_double_eq(found.ns[i], i % 2 ? mean : 0);
            ck_assert_double_eq(found.most_ns[i], i % 2 ? share_ns((unsigned)codes[k] + (k < 3 ? 0 : k)) : 0);
            ck_assert_uint_eq(found.most_rank[i], i % 2 && k >= 3 ? block_first[k] + ranks_of[k] - 1 : rank);
        }
        for (unsigned class = 0; class < ROWS; class ++) {
            ck_assert_int_eq(pilgrim_rank_class(cursor, class, &one), PILGRIM_OK);
            ck_assert_uint_eq(one.rank_count, ranks_of[k]);
            ck_assert(one.has_durations == (class == 0) && one.has_gaps == (class == 1));
            ck_assert_double_eq(class == 0 ? one.durations_ns : one.gaps_ns, class < 2 ? mean : 0);
        }
        pilgrim_cursor_close(cursor);
    }
}

static const uint8_t forms[] = {SECTION_PROFILE, SECTION_SHORT_PROFILE, SECTION_SHARED_PROFILE};

START_TEST(what_is_stored_is_said)
{
    struct built b;
    struct pilgrim_statistic s;
    uint64_t before = PILGRIM_ANY_CALL;
    wrong = NULL;
    form = forms[_i];
    make(&b);
    struct pilgrim_trace *trace = open_good(&b);
    struct pilgrim_cursor *cursor = open_cursor(trace, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(pilgrim_durations(cursor, 0, i, &s), PILGRIM_OK);
        check(&s, &durations[i < 2], false);
    }
    ck_assert_int_eq(pilgrim_durations(cursor, 0, PILGRIM_VALUE_GROUP, &s), PILGRIM_OK);
    ck_assert_uint_eq(s.count, 1007);
    ck_assert_int_eq(pilgrim_durations(cursor, 1, 0, &s), PILGRIM_OK);
    check(&s, form == SECTION_SHARED_PROFILE ? &shared : is_short ? &slight : &brief, false);
    ck_assert_int_eq(pilgrim_durations(cursor, 2, 0, &s), PILGRIM_OK);
    ck_assert_uint_eq(s.count, 0);
    check_gaps(cursor, 0, 0, &gaps[2]);
    check_gaps(cursor, 0, 1, &gaps[1]);
    check_gaps(cursor, 0, 2, &gaps[0]);
    check_gaps(cursor, 0, PILGRIM_NO_CALL, &first);
    if (form == SECTION_SHORT_PROFILE)
        check_gaps(cursor, 1, 0, &slight_gaps[0]);
    for (unsigned i = 0; i < 3 && form == SECTION_SHARED_PROFILE; i++)
        check_gaps(cursor, 1, (i + 2) % 3, &shared_gaps[i]);
    if (is_short)
        check_gaps(cursor, 1, PILGRIM_NO_CALL, &slight_gaps[1]);
    ck_assert_int_eq(pilgrim_gaps(cursor, 0, 0, PILGRIM_ANY_CALL, &s), PILGRIM_OK);
    ck_assert_uint_eq(s.count, 1008);
    ck_assert(s.brief);
    static const uint64_t expected[] = {PILGRIM_NO_CALL, 0, 1};
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(pilgrim_class_before(cursor, 0, 0, &before), PILGRIM_OK);
        ck_assert_uint_eq(before, expected[i]);
    }
    ck_assert_int_eq(pilgrim_class_before(cursor, 0, 0, &before), PILGRIM_END);
    ck_assert_int_eq(pilgrim_durations(cursor, ROWS, 0, &s), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_durations(cursor, 0, 3, &s), PILGRIM_INVALID);
    check_ranks(trace);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

/* ---- what cannot be ---- */

#define FIGURES ((UINT64_C(64) << 4) - 1)

static const struct wrong wrongs[] = {
    {PARTS, 0, 65, "too many distributions"},
    {PARTS, 0, UINT64_MAX >> 1, "too many distributions"},
    {GAP_PARTS, 1, 65, "too many distributions"},
    {COUNT, 0, 9, "a count that does not exist"},
    {COUNT, 0, 0, "a count of 0"},
    {NEW_COUNT, 0, INT64_MAX, "a count that cannot be"},
    {NEW_COUNT, 1, UINT64_MAX - 1, "a count that cannot be"},
    {HIGH, 0, FIGURES, "a longest time that cannot be"},
    {LONGEST, 0, 57, "a longest time that cannot be"},
    {LOW, 0, 13 << 4 | 4, "a shortest time that cannot be"},
    {SPREAD, 0, 14 << 4 | 3, "a deviation that cannot be"},
    {HISTOGRAM, 0, 33, "a histogram of more than 32 shares"},
    {HISTOGRAM, 3, 29, "a histogram of more than 32 shares"},
    {BEFORES, 0, COMPLETING_CLASS + 2, "more classes than there are"},
    {BEFORE, 0, COMPLETING_CLASS + 1, "a class that does not exist"},
    {BEFORE, 1, COMPLETING_CLASS - 2, "a class that does not exist"},
    {WHICH, 0, 2, "a distribution that does not exist"},
    {RUNS, 0, RANKS, "too many blocks"},
    {BLOCKS, 0, RANKS, "too many blocks"},
    {BLOCKS, 2, 1, "blocks of more ranks than there are, or too many"},
    {BLOCK_RANKS, 0, RANKS, "a block of too many ranks"},
    {BLOCK_RANKS, 0, 3, "blocks of more ranks than there are, or too many"},
    {BLOCK_RANKS, 2, 0, "blocks of fewer ranks than there are"},
    {BLOCK_RANKS, 5, 0, "blocks of fewer ranks than there are"},
    {VALUE, 1, SHARE_CODE_MAX + 1, "a share that cannot be"},
    {VALUE, 0, UINT64_MAX, "a share that cannot be"}, /* -1 */
    {VALUE, 1, INT64_MAX, "a share that cannot be"},
    {MOST, 0, SHARE_CODE_MAX - 16, "a share that cannot be"},
    {AT, 0, 3, "a rank that its block does not have"},
};

static struct pilgrim_trace *open_damaged(struct built *b, const char *problem)
{
    struct pilgrim_error error;
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    built_contents(b);
    built_file(b, 1, &file);
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
    ck_assert_msg(error.status == PILGRIM_DAMAGED && strstr(error.message, problem), "'%s', not '%s'",
                  error.status == PILGRIM_OK ? "" : error.message, problem);
    ck_assert_ptr_nonnull(strstr(error.message, "profile"));
    bytes_free(&file);
    built_free(b);
    return trace;
}

/* The calls are there all the same, without times. */
static void require_calls_alone(struct pilgrim_trace *trace)
{
    struct pilgrim_statistic s;
    struct pilgrim_rank_profile found;
    struct pilgrim_error error;
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    for (unsigned i = 0; i < 5; i++)
        (void)next_call(cursor);
    ck_assert_int_eq(pilgrim_durations(cursor, 0, 0, &s), PILGRIM_OK);
    ck_assert_uint_eq(s.count, 0);
    ck_assert_int_eq(pilgrim_rank_profile(trace, 0, &found, &error), PILGRIM_END);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}

START_TEST(fields_that_cannot_be)
{
    for (unsigned i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct built b;
        wrong = &wrongs[i];
        form = _i == 0 && wrong->field == LONGEST ? SECTION_SHORT_PROFILE : forms[_i];
        make(&b);
        require_calls_alone(open_damaged(&b, wrong->problem));
    }
}
END_TEST

START_TEST(bytes_that_cannot_be)
{
    struct built b;
    wrong = NULL;
    form = SECTION_PROFILE;
    make(&b);
    memset(b.profile.data, 0, b.profile.length); /* bits of 1 without end */
    require_calls_alone(open_damaged(&b, "a number that is too long"));
    make(&b);
    for (unsigned i = 0; i < 4; i++)
        bytes_put_u8(&b.profile, 1);
    require_calls_alone(open_damaged(&b, "bytes left over"));
}
END_TEST

/* Other bytes, and other sections' fields around them. */
START_TEST(sections_changed)
{
    unsigned refused = 0, taken = 0;
    limit_memory();
    for (unsigned i = 0; i < few_trials(1500); i++) {
        struct built b;
        struct pilgrim_trace *trace;
        struct pilgrim_error error;
        struct bytes file = {0};
        struct wrong any = {.field = 1 + i % (FIELDS - 1)};
        form = forms[_i];
        state = i + 10000 * (uint64_t)_i;
        draw();
        any.turn = (unsigned)below(4);
        any.value = below(3) ? below(70) : draw() * draw() >> below(60);
        wrong = i % 3 ? &any : NULL;
        make(&b);
        if (!wrong)
            mutate(&b.profile);
        built_contents(&b);
        built_file(&b, 1, &file);
        ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
        ck_assert(error.status == PILGRIM_OK || error.status == PILGRIM_DAMAGED || error.status == PILGRIM_LIMIT);
        refused += error.status != PILGRIM_OK;
        taken += error.status == PILGRIM_OK;
        walk_thread(trace, 0, 0);
        walk_profile(trace);
        pilgrim_close(trace);
        bytes_free(&file);
        built_free(&b);
    }
    ck_assert_uint_gt(refused, few_trials(300));
    ck_assert_uint_gt(taken, few_trials(50));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile_section");
    TCase *tests = tcase_create("profile_section");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, what_is_stored_is_said, 0, 3);
    tcase_add_loop_test(tests, fields_that_cannot_be, 0, 3);
    tcase_add_test(tests, bytes_that_cannot_be);
    tcase_add_loop_test(tests, sections_changed, 0, 3);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
