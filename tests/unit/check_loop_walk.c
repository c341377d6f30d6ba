/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests reading loops: groups of calls and nested loops at random, whose members have different trips, are compared
 * with plain arrays of their calls. Damaged loops are reported.
 *
 * One file, because everything is built and read back by the same model. */
#include <stdlib.h>

#include "built_trace.h"
#include "hostile_trace.h"
#include "trials.h"

enum { ROWS_MAX = 12, TERMS_MAX = 6, MEMBERS_MAX = 5, EVENTS_MAX = 3000, NOTHING = 1 << 20 };

/* A sequence of group classes, by index. */
struct terms {
    uint64_t place[TERMS_MAX * 2];
    size_t count;
};

/* What one member does: the values of each group class in order (a call's argument, a loop's trips), and the calls. */
struct walk_run {
    int64_t values[ROWS_MAX][EVENTS_MAX];
    size_t value_count[ROWS_MAX];
    struct {
        uint32_t place;
        int64_t value;
    } calls[EVENTS_MAX];
    size_t call_count;
    unsigned idle;
};

struct walk_program {
    size_t rows, members;
    bool is_loop[ROWS_MAX];
    struct terms body[ROWS_MAX], main;
    struct walk_run *runs;
};

/* ---- a program at random, and its runs ---- */

/* Makes a sequence of group classes below LIMIT. The last one is the call, class 0. */
static void draw_terms(struct terms *t, const struct walk_program *p, size_t limit)
{
    t->count = 0;
    for (size_t n = below(TERMS_MAX); n > 0; n--) {
        uint64_t place = below(p->rows);
        if (p->is_loop[place] && place >= limit)
            continue;
        for (size_t more = 1 + (below(3) == 0); more > 0; more--)
            t->place[t->count++] = place;
    }
    t->place[t->count++] = 0;
}

static int64_t draw_trips(const struct walk_program *p, struct walk_run *r, unsigned depth)
{
    size_t limit = depth > 2 || r->call_count > EVENTS_MAX / 6 ? 2 : 7;
    int64_t trips = r->call_count > EVENTS_MAX / 3 ? 0 : (int64_t)below(limit);
    if (trips > 0 || r->idle == p->rows)
        return trips > 0 ? trips : 1;
    r->idle++;
    return 0;
}

static void run_terms(const struct walk_program *p, const struct terms *t, struct walk_run *r, unsigned depth)
{
    for (size_t i = 0; i < t->count; i++) {
        uint32_t place = (uint32_t)t->place[i];
        ck_assert_uint_lt(r->call_count, EVENTS_MAX);
        ck_assert_uint_lt(r->value_count[place], EVENTS_MAX);
        int64_t *value = &r->values[place][r->value_count[place]++];
        *value = p->is_loop[place] ? draw_trips(p, r, depth) : (int64_t)below(5) * 7 - 9;
        if (!p->is_loop[place]) {
            r->calls[r->call_count].place = place;
            r->calls[r->call_count++].value = *value;
            r->idle = 0;
        }
        for (int64_t trip = 0, trips = *value; p->is_loop[place] && trip < trips; trip++)
            run_terms(p, &p->body[place], r, depth + 1);
    }
}

static void draw_program(struct walk_program *p)
{
    p->rows = 2 + below(ROWS_MAX - 1);
    p->members = 1 + below(MEMBERS_MAX);
    p->runs = calloc(p->members, sizeof *p->runs);
    for (size_t i = 1; i < p->rows; i++)
        p->is_loop[i] = below(2);
    for (size_t i = 1; i < p->rows; i++)
        if (p->is_loop[i])
            draw_terms(&p->body[i], p, i);
    draw_terms(&p->main, p, p->rows);
    for (size_t m = 0; m < p->members; m++)
        run_terms(p, &p->main, &p->runs[m], 0);
}

/* ---- the same, stored ---- */

static uint64_t put_terms(struct built *b, const struct terms *t)
{
    return put_sequence(b, t->place, t->count);
}

/* The differences of COUNT values, divided by FACTOR. */
static int64_t put_steps(struct built *b, const int64_t *values, size_t count, int64_t factor)
{
    uint64_t *codes = calloc(count + 1, sizeof *codes);
    bool all_zero = true;
    for (size_t i = 1; i < count; i++) {
        codes[i - 1] = zigzag((values[i] - values[i - 1]) / factor);
        all_zero &= codes[i - 1] == 0;
    }
    uint64_t more = below(2); /* leftover bits have no meaning */
    if (more && count > 0)
        codes[count - 1] = 77;
    uint64_t sequence = all_zero ? 0 : put_sequence(b, codes, count > 0 ? count - 1 + more : 0);
    free(codes);
    return (int64_t)sequence;
}

static uint32_t put_constant(struct built *b, int64_t c)
{
    return put_column(b, EXPRESSION_CONSTANT, c);
}

static uint32_t put_steps_signature(struct built *b, uint32_t shape, const int64_t *values, size_t count,
                                    int64_t factor)
{
    int64_t first = count > 0 ? values[0] : 0;
    return put_unzipped(b, shape,
                        (uint32_t[]){put_constant(b, first), put_constant(b, put_steps(b, values, count, factor)),
                                     put_constant(b, factor)},
                        3);
}

/* As one unzipped signature. */
static void put_all_unzipped(struct built *b, uint32_t shape, const int64_t *values, size_t count)
{
    uint64_t *zeros = calloc(count + 1, sizeof *zeros);
    uint32_t signature = put_steps_signature(b, shape, values, count, 1);
    put_value_group(b, put_sequence(b, zeros, count), &signature, 1);
    free(zeros);
}

/* As signatures of one value each. Some of the values, those for which PICK is their remainder by 3, are one unzipped
 * signature. */
static void put_some(struct built *b, uint32_t shape, const int64_t *values, size_t count, int64_t pick)
{
    uint32_t signatures[64];
    int64_t known[64], *picked = calloc(count + 1, sizeof *picked);
    uint64_t *numbers = calloc(count + 1, sizeof *numbers);
    size_t different = 0, picked_count = 0, at;
    for (size_t i = 0; i < count; i++) {
        bool unzipped = pick >= 0 && values[i] % 3 == pick;
        int64_t key = unzipped ? NOTHING : values[i];
        for (at = 0; at < different && known[at] != key; at++)
            continue;
        known[at] = key;
        different += at == different;
        numbers[i] = at;
        if (unzipped)
            picked[picked_count++] = values[i];
    }
    for (at = 0; at < different; at++) {
        uint32_t column = put_constant(b, known[at]);
        signatures[at] = known[at] == NOTHING ? put_steps_signature(b, shape, picked, picked_count, 3)
                                              : put_signature(b, shape, 0, &column, 1);
    }
    put_value_group(b, put_sequence(b, numbers, count), signatures, different);
    free(picked);
    free(numbers);
}

/* As one signature series of all values. */
static void put_as_vector(struct built *b, uint32_t shape, const int64_t *values, size_t count)
{
    struct rules_symbol all = {0, count, false, true};
    uint64_t *codes = calloc(count, sizeof *codes);
    for (size_t i = 1; i < count; i++)
        codes[i - 1] = zigzag(values[i] - values[i - 1]);
    int64_t sequence = (int64_t)put_sequence(b, codes, count - 1);
    uint32_t signature =
        put_signature(b, shape, count, (uint32_t[]){put_constant(b, values[0]), put_constant(b, sequence)}, 2);
    put_value_group(b, put_rule(b, &all, 1), &signature, 1);
    free(codes);
}

static void put_values_of(struct built *b, uint32_t shape, const int64_t *values, size_t count)
{
    switch (below(4)) {
    case 0:
        put_all_unzipped(b, shape, values, count);
        break;
    case 1:
        put_some(b, shape, values, count, (int64_t)below(3));
        break;
    case 2:
        if (count >= 2) {
            put_as_vector(b, shape, values, count);
            break;
        }
        /* fall through */
    default:
        put_some(b, shape, values, count, -1);
    }
}

static void put_program(struct built *b, const struct walk_program *p)
{
    uint32_t rows[ROWS_MAX], columns[MEMBERS_MAX], partition = 0;
    uint64_t bodies[ROWS_MAX] = {0};
    uint32_t call = put_shape(b, int_tokens, sizeof int_tokens),
             trips = put_shape(b, trips_tokens, sizeof trips_tokens);
    for (size_t m = 0; m < p->members; m++)
        columns[m] = put_constant(b, (int64_t)m);
    if (p->members > 1)
        partition = 1 + put_partition(b, columns, p->members);
    for (size_t i = 0; i < p->rows; i++) {
        if (p->is_loop[i])
            bodies[i] = put_terms(b, &p->body[i]);
        rows[i] = put_group_class(b, p->is_loop[i] ? LOOP_CLASS : (uint32_t)(1 + i), partition);
        for (size_t m = 0; m < p->members; m++)
            put_values_of(b, p->is_loop[i] ? trips : call, p->runs[m].values[i], p->runs[m].value_count[i]);
    }
    put_loop_group(b, false, put_terms(b, &p->main), rows, bodies, p->rows, put_counting(b, p->members));
}

/* ---- what is read ---- */

static void expect_call(struct pilgrim_cursor *cursor, const struct walk_run *run, size_t i)
{
    struct pilgrim_call call = next_call(cursor);
    struct pilgrim_class_info info;
    ck_assert_uint_eq(call.seq, i);
    ck_assert_int_eq(call.in[0].integer, run->calls[i].value);
    ck_assert_int_eq(pilgrim_class_info(cursor, run->calls[i].place, &info), PILGRIM_OK);
    ck_assert_ptr_eq(call.class_, info.class_);
    ck_assert_uint_eq(info.body, 0);
}

static void expect_end(struct pilgrim_cursor *cursor)
{
    struct pilgrim_error error;
    struct pilgrim_call call;
    size_t class;
    uint64_t count;
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_msg(pilgrim_cursor_next(cursor, &call, &error) == PILGRIM_END, "%s", error.message);
        ck_assert_int_eq(pilgrim_cursor_pass(cursor, &class, &count, &error), PILGRIM_END);
    }
    pilgrim_cursor_close(cursor);
}

/* Reads calls, passes them one by one, and skips them, in turns. */
static void expect_mixed(const struct pilgrim_trace *trace, const struct walk_run *run, uint32_t rank)
{
    struct pilgrim_cursor *cursor = open_cursor(trace, rank);
    struct pilgrim_error error;
    struct pilgrim_class_info info;
    for (size_t i = 0; i < run->call_count;) {
        size_t count = below(below(3) ? 4 : 1500), class;
        switch (below(3)) {
        case 0:
            ck_assert_int_eq(pilgrim_cursor_skip(cursor, count), PILGRIM_OK);
            i = i + count < run->call_count ? i + count : run->call_count;
            break;
        case 1:
            for (; count > 0 && i < run->call_count; count--) {
                uint64_t same;
                ck_assert_int_eq(pilgrim_cursor_pass(cursor, &class, &same, &error), PILGRIM_OK);
                ck_assert_uint_le(same, run->call_count - i);
                count += same == 0;
                if (same == 0)
                    ck_assert_int_eq(pilgrim_class_info(cursor, class, &info), PILGRIM_OK);
                ck_assert(same > 0 || info.body != 0);
                for (; same > 0; same--)
                    ck_assert_uint_eq(class, run->calls[i++].place);
            }
            break;
        default:
            expect_call(cursor, run, i++);
        }
    }
    expect_end(cursor);
}

static void expect_trips(const struct pilgrim_trace *trace, const struct walk_program *p, uint32_t rank)
{
    struct pilgrim_error error;
    struct pilgrim_cursor *cursor = open_cursor(trace, rank);
    for (size_t i = 0; i < p->rows; i++) {
        const struct walk_run *run = &p->runs[rank];
        struct pilgrim_trips trips;
        struct pilgrim_class_info info;
        enum pilgrim_status status = pilgrim_loop_trips(cursor, i, &trips, &error);
        ck_assert_int_eq(status, p->is_loop[i] ? PILGRIM_OK : PILGRIM_INVALID);
        ck_assert_int_eq(pilgrim_class_info(cursor, i, &info), PILGRIM_OK);
        ck_assert_int_eq(info.body != 0, p->is_loop[i]);
        if (!p->is_loop[i])
            continue;
        uint64_t total = 0, min = UINT64_MAX, max = 0;
        for (size_t n = 0; n < run->value_count[i]; n++) {
            uint64_t one = (uint64_t)run->values[i][n];
            total += one;
            min = one < min ? one : min;
            max = one > max ? one : max;
        }
        ck_assert_uint_eq(trips.entered, run->value_count[i]);
        ck_assert_uint_eq(trips.total, total);
        ck_assert_uint_eq(trips.max, max);
        ck_assert_uint_eq(trips.min, run->value_count[i] ? min : 0);
    }
    pilgrim_cursor_close(cursor);
}

static void expect_program(const struct pilgrim_trace *trace, const struct walk_program *p)
{
    for (uint32_t rank = 0; rank < p->members; rank++) {
        const struct walk_run *run = &p->runs[rank];
        struct pilgrim_cursor *cursor = open_cursor(trace, rank);
        for (size_t i = 0; i < run->call_count; i++)
            expect_call(cursor, run, i);
        expect_end(cursor);
        ck_assert_uint_eq(pilgrim_call_count(trace, rank, 0), run->call_count);
        expect_trips(trace, p, rank);
        for (unsigned i = 0; i < 4; i++)
            expect_mixed(trace, run, rank);
    }
}

START_TEST(programs)
{
    state = 0x5eed + (uint64_t)_i * 77;
    for (unsigned i = 0; i < 20; i++) {
        struct walk_program p = {0};
        struct built b;
        draw_program(&p);
        built_begin(&b, (uint32_t)p.members, 0);
        put_program(&b, &p);
        struct pilgrim_trace *trace = open_good(&b);
        expect_program(trace, &p);
        pilgrim_close(trace);
        free(p.runs);
    }
}
END_TEST

/* ---- one rank and a few group classes ---- */

/* Group class 0 is a call, 1 and 2 are loops: their bodies, the number of their values, and the values. */
struct small {
    struct terms main, body[2];
    size_t calls; /* values of group class 0: 3 each time */
    int64_t trips[2][4];
    size_t trip_count[2];
    const char *message; /* error of opening, or of the first call that cannot be read; NULL: no error */
    uint64_t good;       /* calls before the error */
};

static void put_small(struct built *b, const struct small *s)
{
    uint64_t bodies[3] = {0}, *zeros = calloc(s->calls + 1, sizeof *zeros);
    uint32_t rows[3];
    built_begin(b, 1, 0);
    uint32_t call = put_shape(b, int_tokens, sizeof int_tokens),
             trips = put_shape(b, trips_tokens, sizeof trips_tokens);
    uint32_t three = put_constant(b, 3), signature = put_signature(b, call, 0, &three, 1);
    rows[0] = put_group_class(b, 1, 0);
    put_value_group(b, put_sequence(b, zeros, s->calls), &signature, 1);
    for (unsigned i = 0; i < 2; i++) {
        rows[1 + i] = put_group_class(b, LOOP_CLASS, 0);
        put_all_unzipped(b, trips, s->trips[i], s->trip_count[i]);
        bodies[1 + i] = put_terms(b, &s->body[i]);
    }
    put_loop_group(b, false, put_terms(b, &s->main), rows, bodies, 3, put_counting(b, 1));
    free(zeros);
}

static const struct small smalls[] = {
    {{{1, 2, 0}, 3}, {{{0}, 1}, {{0, 1}, 2}}, 6, {{2, 0, 1}, {2}}, {3, 1}, NULL, 6},
    {{{1, 2, 0}, 3}, {{{0}, 1}, {{0, 1}, 2}}, 7, {{2, 0, 1}, {2}}, {3, 1}, "more or fewer values than calls", 6},
    {{{1, 2, 0}, 3}, {{{0}, 1}, {{0, 1}, 2}}, 5, {{2, 0, 1}, {2}}, {3, 1}, "more calls of a class than values", 5},
    {{{1, 2, 0}, 3}, {{{0}, 1}, {{0, 1}, 2}}, 6, {{2, 0}, {2}}, {2, 1}, "more calls of a class than values", 4},
    {{{1, 2, 0}, 3}, {{{0}, 1}, {{0, 1}, 2}}, 6, {{2, 0, 1, 0}, {2}}, {4, 1}, "more or fewer values than calls", 6},
    {{{1, 2, 0}, 3},
     {{{0}, 1}, {{0, 1}, 2}},
     6,
     {{2, 0, 1}, {2, 2}},
     {3, 2},
     "more or fewer values than calls of a class",
     0},
    {{{1, 2, 0}, 3}, {{{0}, 1}, {{0, 1}, 2}}, 6, {{2, -1, 1}, {2}}, {3, 1}, "a negative number of trips", 3},
    {{{1, 2, 0}, 3}, {{{0}, 1}, {{0, 2}, 2}}, 6, {{2, 0, 1}, {2}}, {3, 1}, "a loop that does not come before", 0},
    {{{1, 2, 0}, 3}, {{{2}, 1}, {{0, 0}, 2}}, 6, {{2, 0, 1}, {2}}, {3, 1}, "a loop that does not come before", 0},
    {{{1, 2, 0}, 3}, {{{0}, 0}, {{0, 1}, 2}}, 6, {{2, 0, 1}, {2}}, {3, 1}, "", 0}, /* what follows replaces a body */
    {{{1, 2, 0}, 3}, {{{0}, 1}, {{3, 1}, 2}}, 6, {{2, 0, 1}, {2}}, {3, 1}, "a class that its group does not have", 0},
    {{{1, 3, 0}, 3}, {{{0}, 1}, {{0, 1}, 2}}, 6, {{2, 0, 1}, {2}}, {3, 1}, "a class that its group does not have", 0},
    {{{2}, 1}, {{{0}, 1}, {{1}, 1}}, 4, {{2, 0, 0, 2}, {4}}, {4, 1}, NULL, 4},
    {{{0, 1, 1, 1, 0}, 5}, {{{0}, 1}, {{1}, 1}}, 2, {{0, 0, 0}, {0}}, {3, 0}, NULL, 2},
    {{{0, 1, 1, 1, 1, 0}, 6}, {{{0}, 1}, {{1}, 1}}, 2, {{0, 0, 0, 0}, {0}}, {4, 0}, "loops without iterations", 1},
    {{{1, 2}, 2}, {{{0}, 1}, {{0}, 1}}, 0, {{0}, {0}}, {1, 1}, NULL, 0},
};

/* Reads until an error; with SKIP, by skipping. */
static void expect_small(const struct small *s, bool skip)
{
    struct built b;
    struct pilgrim_error error;
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    uint64_t good = 0;
    put_small(&b, s);
    struct pilgrim_trace *trace = built_open(&b, &error);
    enum pilgrim_status status = error.status;
    if (trace) {
        cursor = open_cursor(trace, 0);
        if (skip)
            ck_assert_int_eq(pilgrim_cursor_skip(cursor, 1000), PILGRIM_OK);
        while ((status = pilgrim_cursor_next(cursor, &call, &error)) == PILGRIM_OK)
            good++;
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), status);
        pilgrim_cursor_close(cursor);
        pilgrim_close(trace);
    }
    ck_assert_int_eq(status, s->message ? PILGRIM_DAMAGED : PILGRIM_END);
    if (s->message)
        ck_assert_msg(strstr(error.message, s->message) != NULL, "%s instead of %s", error.message, s->message);
    if (!skip)
        ck_assert_uint_eq(good, s->good);
}

START_TEST(small_groups)
{
    const struct small *s = &smalls[_i];
    state = 1;
    expect_small(s, false);
    if (!s->message)
        expect_small(s, true);
}
END_TEST

/* Loops in loops: 4^31 iterations without a call, and as many with one. */
START_TEST(rounds_without_end)
{
    enum { DEPTH = 31 };
    for (unsigned with_call = 0; with_call < 2; with_call++) {
        struct built b;
        struct pilgrim_error error;
        struct pilgrim_call call;
        uint32_t rows[DEPTH + 1];
        uint64_t bodies[DEPTH + 1] = {0};
        built_begin(&b, 1, 0);
        uint32_t shape = put_shape(&b, int_tokens, sizeof int_tokens),
                 trips = put_shape(&b, trips_tokens, sizeof trips_tokens);
        uint32_t column = put_constant(&b, 4), none = put_constant(&b, 0);
        uint32_t four = put_signature(&b, trips, 0, &column, 1), zero = put_signature(&b, trips, 0, &none, 1);
        uint32_t value = put_signature(&b, shape, 0, &column, 1);
        rows[0] = put_group_class(&b, 1, 0);
        put_value_group(&b,
                        with_call ? put_rule(&b, (struct rules_symbol[]){{0, UINT64_C(1) << 62, false, false}}, 1) : 0,
                        &value, 1);
        for (unsigned i = 1; i <= DEPTH; i++) {
            uint64_t entered = UINT64_C(1) << (2 * (DEPTH - i));
            bool last = i == 1 && !with_call;
            rows[i] = put_group_class(&b, LOOP_CLASS, 0);
            put_value_group(&b, entered == 1 ? 1 : put_rule(&b, (struct rules_symbol[]){{0, entered, false, false}}, 1),
                            last ? &zero : &four, 1);
            bodies[i] = 2 * (uint64_t)(i - 1) + 1;
        }
        put_loop_group(&b, false, 2 * (uint64_t)DEPTH + 1, rows, bodies, DEPTH + 1, put_counting(&b, 1));
        struct pilgrim_trace *trace = open_good(&b);
        struct pilgrim_cursor *cursor = open_cursor(trace, 0);
        ck_assert_uint_eq(pilgrim_call_count(trace, 0, 0), with_call ? UINT64_C(1) << 62 : 0);
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), with_call ? PILGRIM_OK : PILGRIM_DAMAGED);
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, 100000), PILGRIM_OK);
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), with_call ? PILGRIM_OK : PILGRIM_DAMAGED);
        if (with_call)
            ck_assert_uint_eq(call.seq, 100001);
        pilgrim_cursor_close(cursor);
        pilgrim_close(trace);
    }
}
END_TEST

/* A loop of 2^61 iterations is skipped at once. */
START_TEST(skip_far)
{
    struct small s = {{{0, 1, 0}, 3}, {{{0, 0, 0, 0}, 4}, {{0}, 1}}, 2, {{INT64_C(1) << 60}, {0}}, {1, 0}, NULL, 0};
    struct built b;
    struct pilgrim_error error;
    struct pilgrim_call call;
    put_small(&b, &s);
    struct pilgrim_trace *trace = open_good(&b);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    ck_assert_uint_eq(pilgrim_call_count(trace, 0, 0), (UINT64_C(1) << 62) + 2);
    ck_assert_int_eq(pilgrim_cursor_skip(cursor, UINT64_C(1) << 61), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_DAMAGED);
    ck_assert_ptr_nonnull(strstr(error.message, "more calls of a class than values"));
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

START_TEST(loops_elsewhere)
{
    struct built b;
    struct pilgrim_error error;
    static const uint8_t no_int[] = {VALUE_BOOL};
    for (unsigned i = 0; i < 2; i++) {
        built_begin(&b, 1, 0);
        uint32_t shape = put_shape(&b, i ? no_int : trips_tokens, 1), column = put_constant(&b, 1);
        uint32_t signature = put_signature(&b, shape, 0, &column, 1), row = put_group_class(&b, LOOP_CLASS, 0);
        put_value_group(&b, 0, &signature, 1);
        put_loop_group(&b, i == 0, 0, &row, (uint64_t[]){1}, 1, put_counting(&b, 1));
        ck_assert_ptr_null(built_open(&b, &error));
        ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
        ck_assert_msg(strstr(error.message, i ? "trips of a loop that are no number" : "a loop in a process stream") !=
                          NULL,
                      "%s", error.message);
    }
}
END_TEST

/* ---- unzipped signatures ---- */

/* Three calls of one unzipped signature: the first value is 5, and each difference counts twice. */
static const struct {
    int64_t values[3];
    size_t good;
    const char *message;
    int64_t sequence; /* -3: the sequence of the differences 1, 3; -4: of 1; -5: a ramp; else the sequence itself */
} unzipped[] = {
    {{5, 5, 5}, 3, NULL, 0},
    {{5, 7, 13}, 3, NULL, -3},
    {{5, 7}, 2, "differences that are fewer than the calls", -4},
    {{5, 505}, 2, "differences that are fewer than the calls", 2 * 500 + 1},
    {{0}, 0, "differences that are no sequence", -2},
    {{0}, 0, "differences that are no sequence", 1000},
    {{0}, 0, "differences that are no sequence", -5},
};

static int64_t put_unzipped_sequence(struct built *b, int64_t sequence)
{
    static const uint64_t codes[] = {2, 6};
    if (sequence == -3)
        return (int64_t)put_sequence(b, codes, 2);
    if (sequence == -4)
        return (int64_t)put_sequence(b, codes, 1);
    return sequence == -5 ? (int64_t)put_rule(b, (struct rules_symbol[]){{2, 9, false, true}}, 1) : sequence;
}

static struct pilgrim_trace *open_unzipped_calls(unsigned i)
{
    struct built b;
    state = 1;
    built_begin(&b, 1, 0);
    uint32_t columns[] = {put_constant(&b, 5), put_constant(&b, put_unzipped_sequence(&b, unzipped[i].sequence)),
                          put_constant(&b, 2)};
    uint32_t signature = put_unzipped(&b, put_shape(&b, int_tokens, sizeof int_tokens), columns, 3),
             row = put_group_class(&b, 1, 0);
    uint64_t three = put_rule(&b, (struct rules_symbol[]){{0, 3, false, false}}, 1);
    put_value_group(&b, three, &signature, 1);
    put_group(&b, false, three, &row, 1, put_counting(&b, 1));
    return open_good(&b);
}

START_TEST(unzipped_calls)
{
    struct pilgrim_trace *trace = open_unzipped_calls((unsigned)_i);
    struct pilgrim_error error;
    struct pilgrim_call call;
    for (size_t skipped = 0; skipped <= 3; skipped++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, 0);
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, skipped), PILGRIM_OK);
        for (size_t i = skipped; i < unzipped[_i].good; i++)
            ck_assert_int_eq(next_call(cursor).in[0].integer, unzipped[_i].values[i]);
        bool wrong = unzipped[_i].message && skipped < 3;
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), wrong ? PILGRIM_DAMAGED : PILGRIM_END);
        if (wrong)
            ck_assert_msg(strstr(error.message, unzipped[_i].message) != NULL, "%s", error.message);
        if (unzipped[_i].good > 0) {
            ck_assert_int_eq(pilgrim_signature(cursor, 0, 0, &call, &error), PILGRIM_OK);
            ck_assert_int_eq(call.in[0].integer, 5);
        }
        ck_assert(pilgrim_signature_varies(cursor, 0, 0) && !pilgrim_signature_varies(cursor, 0, 1));
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
}
END_TEST

/* ---- hostile contents ---- */

enum { SHARDS = 4, MUTATIONS = 1500 };

START_TEST(contents_changed)
{
    struct walk_program p = {0};
    struct built b;
    state = 0x1234567 + (uint64_t)_i;
    do {
        free(p.runs);
        p = (struct walk_program){0};
        draw_program(&p);
    } while (p.runs[0].call_count > 200 || p.runs[0].call_count < 20);
    built_begin(&b, (uint32_t)p.members, 0);
    put_program(&b, &p);
    built_contents(&b);
    struct bytes contents[SECTION_TYPE_COUNT] = {[SECTION_DEFINITIONS] = b.definitions, [SECTION_CALLS] = b.calls},
                 file = {0};
    put_together(contents, SECTION_CALLS, &file);
    ck_assert_int_eq(walk(file.data, file.length), PILGRIM_OK);
    ck_assert_uint_gt(walk_changed(contents, SECTION_CALLS, trials(MUTATIONS)), trials(MUTATIONS) / 50);
    bytes_free(&file);
    built_free(&b);
    free(p.runs);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("loop walk");
    TCase *good = tcase_create("good"), *bad = tcase_create("bad");
    tcase_set_timeout(good, 120);
    tcase_set_timeout(bad, 120);
    tcase_add_loop_test(good, programs, 0, 20);
    tcase_add_test(good, skip_far);
    tcase_add_loop_test(bad, small_groups, 0, (int)(sizeof smalls / sizeof *smalls));
    tcase_add_loop_test(bad, unzipped_calls, 0, (int)(sizeof unzipped / sizeof *unzipped));
    tcase_add_test(bad, rounds_without_end);
    tcase_add_test(bad, loops_elsewhere);
    tcase_add_loop_test(bad, contents_changed, 0, SHARDS);
    suite_add_tcase(suite, good);
    suite_add_tcase(suite, bad);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
