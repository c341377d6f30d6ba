/* What a trace may be made of, way by way: columns of each kind, groups and parts of each form, vectors, series, ramps, volumes,
 * each against the plain numbers; and what is wrong in one place. */
#include <stdlib.h>

#include "built_trace.h"

static uint64_t state;

static uint64_t draw(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state >> 33;
}

static uint64_t below(uint64_t limit)
{
    return draw() % limit;
}

#include "hostile_trace.h"

static struct pilgrim_trace *open_good(struct built *b)
{
    struct pilgrim_error error;
    struct pilgrim_trace *trace = built_open(b, &error);
    ck_assert_msg(trace != NULL, "%s", error.message);
    return trace;
}

static struct pilgrim_cursor *open_cursor(const struct pilgrim_trace *trace, uint32_t rank)
{
    struct pilgrim_error error;
    struct pilgrim_cursor *cursor;
    ck_assert_uint_eq(pilgrim_thread_count(trace, rank), 1);
    ck_assert_msg(pilgrim_cursor_open(trace, rank, 0, &cursor, &error) == PILGRIM_OK, "%s", error.message);
    return cursor;
}

static struct pilgrim_call next_call(struct pilgrim_cursor *cursor)
{
    struct pilgrim_error error;
    struct pilgrim_call call;
    ck_assert_msg(pilgrim_cursor_next(cursor, &call, &error) == PILGRIM_OK, "%s", error.message);
    return call;
}

static void expect_end(struct pilgrim_cursor *cursor)
{
    struct pilgrim_error error;
    struct pilgrim_call call;
    ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
    pilgrim_cursor_close(cursor);
}

/* ---- sequences, stored in some way ---- */

/* Terminals FROM .. END - 1: one rule of runs, or rules of halves. */
static uint64_t put_sequence(struct built *b, const uint64_t *terminals, size_t count)
{
    struct rules_symbol symbols[512];
    size_t used = 0;
    if (count < 2)
        return count ? 2 * terminals[0] + 1 : 0;
    if (count > 4 && (count > 500 || below(4) == 0)) {
        size_t half = 2 + below(count - 3);
        for (int side = 0; side < 2; side++) {
            uint64_t rule = put_sequence(b, terminals + (side ? half : 0), side ? count - half : half);
            symbols[used++] = (struct rules_symbol){.value = rules_start(rule), .exponent = 1, .is_rule = true};
        }
        return put_rule(b, symbols, used);
    }
    for (size_t i = 0; i < count; used++) {
        size_t run = 1;
        while (i + run < count && terminals[i + run] == terminals[i])
            run++;
        symbols[used] = (struct rules_symbol){.value = terminals[i], .exponent = run};
        i += run;
    }
    return put_rule(b, symbols, used);
}

static uint64_t put_differences(struct built *b, const int64_t *values, size_t count)
{
    uint64_t *codes = calloc(count + 1, sizeof *codes);
    for (size_t i = 1; i < count; i++)
        codes[i - 1] = zigzag(values[i] - values[i - 1]);
    uint64_t sequence = put_sequence(b, codes, count ? count - 1 : 0);
    free(codes);
    return sequence;
}

/* VALUES as a column of one kind or another that holds just these. */
static uint32_t put_values(struct built *b, const int64_t *values, size_t count)
{
    if (count == 1 && below(2))
        return put_column(b, COLUMN_CONSTANT, values[0]);
    if (below(2))
        return put_list(b, values, count);
    return put_sums(b, values[0], put_differences(b, values, count));
}

/* ---- columns ---- */

/* What the test knows of a column. */
struct known {
    enum column_kind kind;
    int64_t c;
    uint64_t modulus;
    int64_t values[300];
    uint32_t number;
};

/* A column for COUNT members. */
static void draw_column(struct built *b, struct known *k, size_t count)
{
    k->kind = (enum column_kind)below(COLUMN_KIND_COUNT);
    k->c = (int64_t)below(200) - 100;
    k->modulus = 1 + below(20);
    int64_t value = k->c;
    for (size_t i = 0; i < count; i++) {
        k->values[i] = value;
        value += (int64_t)(below(3) ? 2 : below(9) - 4);
    }
    if (k->kind == COLUMN_LIST)
        k->number = put_list(b, k->values, count);
    else if (k->kind == COLUMN_SUMS)
        k->number = put_sums(b, k->c, put_differences(b, k->values, count));
    else if (k->kind == COLUMN_MODULO)
        k->number = put_modulo(b, k->c, k->modulus);
    else
        k->number = put_column(b, k->kind, k->c);
}

static int64_t known_value(const struct known *k, size_t position, int64_t x)
{
    int64_t rest = (x + k->c) % (int64_t)k->modulus;
    const int64_t of_kind[COLUMN_KIND_COUNT] = {k->c,
                                                x + k->c,
                                                k->c - x,
                                                k->c - 2 * x,
                                                (x ^ k->c) - x,
                                                x ^ k->c,
                                                rest < 0 ? rest + (int64_t)k->modulus : rest,
                                                k->values[position],
                                                k->values[position]};
    return of_kind[k->kind];
}

static void expect_rank(const struct pilgrim_value *v, int64_t stored, int64_t own, int64_t size)
{
    int64_t wanted = ((stored + own) % size + size) % size;
    ck_assert_int_eq(v->type, PILGRIM_RANK);
    ck_assert_int_eq(v->integer, wanted);
    ck_assert(2 * v->relative > -size && 2 * v->relative <= size);
    ck_assert_int_eq((own + v->relative - wanted) % size, 0);
}

/* ---- groups and parts ---- */

enum { RANKS_MAX = 300, VALUES = 4 };

/* An int, a rank of view 0, a rank of view 1. */
static const uint8_t mixed[] = {VALUE_ARRAY, 3, VALUE_INT, VALUE_RANK, VALUE_VIEW, VALUE_RANK, VALUE_NONE};

struct member {
    const struct known *columns; /* VALUES - 1 of them: int, rank, rank */
    size_t position;
};

/* A part of COUNT members: its signature, and what each of them (WHO[i]: ranks) is to see. */
static uint32_t put_mixed_part(struct built *b, uint32_t shape, struct known *columns, struct member *members,
                               const uint32_t *who, size_t count)
{
    for (unsigned i = 0; i < 3; i++)
        draw_column(b, &columns[i], count);
    const uint32_t numbers[VALUES] = {columns[0].number, columns[1].number, put_column(b, COLUMN_CONSTANT, 1),
                                      columns[2].number};
    for (size_t i = 0; i < count; i++)
        members[who[i]] = (struct member){columns, i};
    return put_signature(b, shape, 0, numbers, VALUES);
}

/* The numbers below COUNT, dealt to SETS sets at random, each at least once: OF[i] is the set of i. */
static void deal(uint32_t *of, size_t count, size_t sets, bool in_blocks)
{
    for (size_t i = 0; i < count; i++)
        of[i] = (uint32_t)(i < sets ? i : in_blocks ? i * sets / count : below(sets));
}

/* A group of COUNT members (WHO), in one part or in some. */
static void put_mixed_group(struct built *b, uint32_t shape, struct known *columns, struct member *members,
                            const uint32_t *who, size_t count)
{
    uint32_t of[RANKS_MAX], signatures[RANKS_MAX], places[RANKS_MAX], chosen[RANKS_MAX];
    int64_t values[RANKS_MAX];
    size_t parts = count < 2 || below(2) ? 1 : 2 + below(count < 12 ? count - 1 : 10);
    deal(of, count, parts, below(2));
    for (size_t part = 0; part < parts; part++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++) {
            if (of[i] != part)
                continue;
            values[found] = (int64_t)i;
            chosen[found++] = who[i];
        }
        if (parts > 1)
            places[part] = put_values(b, values, found);
        signatures[part] = put_mixed_part(b, shape, columns + 3 * part, members, chosen, found);
    }
    uint32_t row = put_row(b, 1, parts > 1 ? 1 + put_partition(b, places, parts) : 0);
    for (size_t part = 0; part < parts; part++)
        put_part(b, 1, &signatures[part], 1);
    for (size_t i = 0; i < count; i++)
        values[i] = who[i];
    put_group(b, false, 1, &row, 1, put_values(b, values, count));
}

static void check_mixed(const struct pilgrim_trace *trace, uint32_t rank, uint32_t ranks, const struct member *member)
{
    struct pilgrim_cursor *cursor = open_cursor(trace, rank);
    struct pilgrim_call call = next_call(cursor);
    int64_t x = rank, other = rank / 2 % SIZE_1;
    const struct known *k = member->columns;
    ck_assert_int_eq(call.in[0].type, PILGRIM_ARRAY);
    ck_assert_uint_eq(call.in[0].count, 3);
    ck_assert_int_eq(call.in[0].items[0].integer, known_value(&k[0], member->position, x));
    expect_rank(&call.in[0].items[1], known_value(&k[1], member->position, x), x, ranks);
    expect_rank(&call.in[0].items[2], known_value(&k[2], member->position, other), other, SIZE_1);
    expect_end(cursor);
}

/* Groups and parts of all sizes, held by columns of all kinds: each rank gets its own numbers. */
START_TEST(columns_groups_and_parts)
{
    state = (uint64_t)_i * 77 + 1;
    struct built b;
    struct member members[RANKS_MAX];
    uint32_t ranks = (uint32_t)(1 + below(_i % 4 ? 40 : RANKS_MAX)), of[RANKS_MAX], who[RANKS_MAX];
    size_t groups = 1 + below(_i % 3 ? 4 : ranks), used = 0;
    groups = groups > ranks ? ranks : groups;
    struct known *columns = calloc(3 * 12 * (groups + 1), sizeof *columns);
    built_begin(&b, ranks, 0);
    uint32_t shape = put_shape(&b, mixed, sizeof mixed);
    deal(of, ranks, groups, below(2));
    for (size_t g = 0; g < groups; g++) {
        size_t count = 0;
        for (uint32_t r = 0; r < ranks; r++)
            if (of[r] == g)
                who[count++] = r;
        put_mixed_group(&b, shape, columns + used, members, who, count);
        used += 3 * 12;
    }
    struct pilgrim_trace *trace = open_good(&b);
    ck_assert_uint_eq(pilgrim_rank_count(trace), ranks);
    for (uint32_t r = 0; r < ranks; r++)
        check_mixed(trace, r, ranks, &members[r]);
    pilgrim_close(trace);
    free(columns);
}
END_TEST

static const uint8_t int_tokens[] = {VALUE_INT, VALUE_NONE};

/* One group of all ranks whose calls, SEQUENCE, have the class list 1, 2, ... and the value 10 x class + 1000 x rank. */
static void put_plain_group(struct built *b, uint64_t sequence, uint32_t classes, const uint64_t *values)
{
    uint32_t rows[CLASSES], shape = put_shape(b, int_tokens, sizeof int_tokens);
    for (uint32_t i = 0; i < classes; i++) {
        const uint32_t column = put_column(b, COLUMN_PLUS, 1000 * (i + 1));
        const uint32_t signature = put_signature(b, shape, 0, &column, 1);
        rows[i] = put_row(b, i + 1, 0);
        put_part(b, values[i], &signature, 1);
    }
    put_group(b, false, sequence, rows, classes, put_counting(b, b->ranks));
}

/* 2^32 - 1 ranks, and no more memory than for one. */
START_TEST(a_few_bytes_of_many_ranks)
{
    struct built b;
    built_begin(&b, UINT32_MAX, 0);
    put_plain_group(&b, 1, 1, (uint64_t[]){1});
    struct pilgrim_trace *trace = open_good(&b);
    ck_assert_uint_eq(pilgrim_rank_count(trace), UINT32_MAX);
    static const uint32_t some[] = {0, 1, 12345678, UINT32_MAX - 1};
    for (unsigned i = 0; i < 4; i++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, some[i]);
        ck_assert_int_eq(next_call(cursor).in[0].integer, (int64_t)some[i] + 1000);
        expect_end(cursor);
    }
    pilgrim_close(trace);
}
END_TEST

/* One group with these members, whose calls' value is VALUE. */
static void put_valued_group(struct built *b, uint32_t shape, const int64_t *members, size_t count, int64_t value)
{
    const uint32_t column = put_column(b, COLUMN_CONSTANT, value), signature = put_signature(b, shape, 0, &column, 1);
    const uint32_t row = put_row(b, 1, 0);
    put_part(b, 1, &signature, 1);
    put_group(b, false, 1, &row, 1, put_values(b, members, count));
}

/* Every third rank is alone in its group; the others are in four groups, one behind the other and between each other. */
START_TEST(many_groups)
{
    enum { MANY = 30000 };
    struct built b;
    built_begin(&b, MANY, 0);
    uint32_t shape = put_shape(&b, int_tokens, sizeof int_tokens);
    int64_t *members = calloc(MANY, sizeof *members);
    for (uint32_t group = 0; group < 4; group++) {
        size_t count = 0;
        for (uint32_t r = 0; r < MANY; r++)
            if (r % 3 == 1 + group % 2 && (r >= MANY / 2) == (group >= 2))
                members[count++] = r;
        put_valued_group(&b, shape, members, count, group);
    }
    for (uint32_t r = 0; r < MANY; r += 3)
        put_valued_group(&b, shape, (int64_t[]){r}, 1, 10 + (int64_t)r);
    free(members);
    struct pilgrim_trace *trace = open_good(&b);
    for (uint32_t r = 0; r < MANY; r += 1 + r % 7) {
        struct pilgrim_cursor *cursor = open_cursor(trace, r);
        ck_assert_int_eq(next_call(cursor).in[0].integer, r % 3 == 0 ? 10 + r : r % 3 - 1 + (r < MANY / 2 ? 0 : 2));
        expect_end(cursor);
    }
    pilgrim_close(trace);
}
END_TEST

/* ---- ramps ---- */

/* S -> 0..9 A^2 5^3 with A -> 3..4 0 and so on: the order of the classes, and of what passes over them. */
START_TEST(ramps)
{
    struct built b;
    static const uint64_t order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 4, 0, 3, 4, 0, 5, 5, 5};
    enum { LENGTH = sizeof order / sizeof *order, USED = 10 };
    uint64_t values[USED] = {0}, times[USED] = {0};
    struct pilgrim_error error;
    built_begin(&b, 3, 0);
    uint64_t inner = put_rule(&b, (struct rules_symbol[]){{3, 2, false, true}, {0, 1, false, false}}, 2);
    uint64_t outer = put_rule(
        &b, (struct rules_symbol[]){{0, 10, false, true}, {rules_start(inner), 2, true, false}, {5, 3, false, false}}, 3);
    for (size_t i = 0; i < LENGTH; i++)
        times[order[i]]++;
    for (size_t i = 0; i < USED; i++)
        values[i] = times[i] < 2 ? 1 : put_rule(&b, (struct rules_symbol[]){{0, times[i], false, false}}, 1);
    put_plain_group(&b, outer, USED, values);
    struct pilgrim_trace *trace = open_good(&b);
    for (size_t from = 0; from <= LENGTH; from++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, 2);
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, from), PILGRIM_OK);
        for (size_t i = from; i < LENGTH; i++) {
            struct pilgrim_call call = next_call(cursor);
            ck_assert_uint_eq(call.seq, i);
            ck_assert_int_eq(call.in[0].integer, 1000 * (int64_t)(order[i] + 1) + 2);
        }
        expect_end(cursor);
    }
    struct pilgrim_thread_info info;
    struct pilgrim_grammar *grammar;
    ck_assert_int_eq(pilgrim_thread_info(trace, 1, 0, &info), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_grammar_open(trace, 1, info.structure, &grammar, &error), PILGRIM_OK);
    ck_assert_uint_eq(pilgrim_grammar_length(grammar), LENGTH);
    ck_assert_uint_eq(pilgrim_grammar_rules(grammar), 2);
    ck_assert_uint_eq(pilgrim_grammar_symbols(grammar, 0), 3);
    ck_assert_uint_eq(pilgrim_grammar_symbols(grammar, 2), 0);
    struct pilgrim_symbol first = pilgrim_grammar_symbol(grammar, 0, 0), second = pilgrim_grammar_symbol(grammar, 0, 1);
    ck_assert(first.ramp && !first.is_rule && first.value == 0 && first.exponent == 10);
    ck_assert(!second.ramp && second.is_rule && second.value == 1 && second.exponent == 2);
    pilgrim_grammar_close(grammar);
    ck_assert_int_eq(pilgrim_grammar_open(trace, 3, info.structure, &grammar, &error), PILGRIM_INVALID);
    ck_assert_int_eq(pilgrim_grammar_open(trace, 1, 2 * CLASSES + 2000, &grammar, &error), PILGRIM_INVALID);
    pilgrim_close(trace);
}
END_TEST

/* (0 1^3)^(2^40), the calls of class 1 with the values 1 and 2 in turn: far away is as near as the beginning. */
START_TEST(skip_far)
{
    struct built b;
    const uint64_t rounds = UINT64_C(1) << 40;
    built_begin(&b, 1, 0);
    uint64_t round = put_rule(&b, (struct rules_symbol[]){{0, 1, false, false}, {1, 3, false, false}}, 2);
    uint64_t turn = put_rule(&b, (struct rules_symbol[]){{0, 2, false, true}}, 1);
    uint64_t calls = put_rule(&b, (struct rules_symbol[]){{rules_start(round), rounds, true, false}}, 1);
    uint64_t zeros = put_rule(&b, (struct rules_symbol[]){{0, rounds, false, false}}, 1);
    uint64_t turns = put_rule(&b, (struct rules_symbol[]){{rules_start(turn), 3 * rounds / 2, true, false}}, 1);
    uint32_t shape = put_shape(&b, int_tokens, sizeof int_tokens), signatures[3];
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t column = put_column(&b, COLUMN_CONSTANT, i);
        signatures[i] = put_signature(&b, shape, 0, &column, 1);
    }
    uint32_t rows[2];
    rows[0] = put_row(&b, 1, 0);
    put_part(&b, zeros, signatures, 1);
    rows[1] = put_row(&b, 2, 0);
    put_part(&b, turns, signatures + 1, 2);
    put_group(&b, false, calls, rows, 2, put_counting(&b, 1));
    struct pilgrim_trace *trace = open_good(&b);
    static const uint64_t skips[] = {0, 1, 5, 1023, 1024, 1025, 40001, UINT64_C(3) << 38, 7, UINT64_C(1) << 40, 100002};
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    uint64_t at = 0;
    for (size_t i = 0; i < sizeof skips / sizeof *skips; i++) {
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, skips[i]), PILGRIM_OK);
        at += skips[i];
        for (unsigned k = 0; k < 9; k++, at++) {
            struct pilgrim_call call = next_call(cursor);
            ck_assert_uint_eq(call.seq, at);
            uint64_t before = at / 4 * 3 + at % 4 - 1; /* calls of class 1 */
            ck_assert_int_eq(call.in[0].integer, at % 4 == 0 ? 0 : (int64_t)(1 + before % 2));
        }
    }
    ck_assert_int_eq(pilgrim_cursor_skip(cursor, UINT64_MAX), PILGRIM_OK);
    expect_end(cursor);
    pilgrim_close(trace);
}
END_TEST

/* ---- vectors ---- */

enum { VECTOR = 9 };

/* Values of a vector for a rank: ints and, as they are stored, ranks. */
static int64_t vector_int(uint32_t rank, size_t i)
{
    return (int64_t)(rank % 2 ? 100 + 7 * i : i * i) + 1000 * (int64_t)rank;
}

/* Signatures: one alone, a vector of VECTOR, one alone; the calls' numbers are 0 .. 10 and some of them again. Odd ranks have
 * other differences than even ones. */
START_TEST(vectors_of_signatures)
{
    struct built b;
    struct pilgrim_error error;
    enum { RANKS = 6 };
    static const uint8_t tokens[] = {VALUE_ARRAY, 2, VALUE_INT, VALUE_RANK, VALUE_NONE};
    static const uint64_t order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 4, 0, 9, 10};
    enum { LENGTH = sizeof order / sizeof *order };
    int64_t first[RANKS], sequences[RANKS], odd[VECTOR], even[VECTOR];
    built_begin(&b, RANKS, 0);
    uint32_t shape = put_shape(&b, tokens, sizeof tokens);
    for (size_t i = 0; i < VECTOR; i++) {
        even[i] = vector_int(0, i);
        odd[i] = vector_int(1, i) - 1000;
    }
    const uint64_t differences[2] = {put_differences(&b, even, VECTOR), put_differences(&b, odd, VECTOR)};
    const uint64_t ones = put_rule(&b, (struct rules_symbol[]){{2, VECTOR - 1, false, false}}, 1);
    for (uint32_t r = 0; r < RANKS; r++) {
        first[r] = vector_int(r, 0);
        sequences[r] = (int64_t)differences[r % 2];
    }
    const uint32_t single[] = {put_column(&b, COLUMN_CONSTANT, -5), put_column(&b, COLUMN_CONSTANT, 1)};
    const uint32_t vector[] = {put_list(&b, first, RANKS), put_list(&b, sequences, RANKS), put_column(&b, COLUMN_PLUS, 0),
                               put_column(&b, COLUMN_CONSTANT, (int64_t)ones)};
    const uint32_t zero = put_column(&b, COLUMN_CONSTANT, 0);
    const uint32_t still[] = {single[0], zero, single[1], zero};
    const uint32_t signatures[] = {put_signature(&b, shape, 0, single, 2), put_signature(&b, shape, VECTOR, vector, 4),
                                   put_signature(&b, shape, 2, still, 4)};
    const uint32_t row = put_row(&b, 1, 0);
    put_part(&b, put_sequence(&b, order, LENGTH), signatures, 3);
    put_group(&b, false, put_rule(&b, (struct rules_symbol[]){{0, LENGTH, false, false}}, 1), &row, 1,
              put_counting(&b, RANKS));
    struct pilgrim_trace *trace = open_good(&b);
    for (uint32_t r = 0; r < RANKS; r++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, r);
        struct pilgrim_call call;
        for (size_t i = 0; i < LENGTH; i++) {
            call = next_call(cursor);
            const struct pilgrim_value *v = call.in[0].items;
            bool alone = order[i] == 0 || order[i] > VECTOR;
            ck_assert_int_eq(v[0].integer, alone ? -5 : vector_int(r, order[i] - 1));
            expect_rank(&v[1], alone ? 1 : (int64_t)(r + order[i] - 1), r, RANKS);
        }
        static const uint64_t runs[] = {1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 2, 1, 0};
        for (uint64_t i = 0; i < 13; i++)
            ck_assert_uint_eq(pilgrim_signature_run(cursor, 0, i), runs[i]);
        ck_assert_int_eq(pilgrim_signature(cursor, 0, 4, &call, &error), PILGRIM_OK);
        ck_assert_int_eq(call.in[0].items[0].integer, vector_int(r, 3));
        ck_assert_int_eq(pilgrim_signature(cursor, 0, 12, &call, &error), PILGRIM_INVALID);
        expect_end(cursor);
    }
    struct pilgrim_class_info info;
    ck_assert_int_eq(pilgrim_class_info(trace, 0, 0, 0, &info), PILGRIM_OK);
    ck_assert_uint_eq(info.signature_count, 12);
    pilgrim_close(trace);
}
END_TEST

/* A vector longer than what a cursor keeps. */
START_TEST(long_vector)
{
    static const uint64_t order[] = {1, 4097, 1, 1 + 2 * 4096, 0, 4096, 9999, 1};
    enum { LENGTH = sizeof order / sizeof *order };
    struct built b;
    built_begin(&b, 1, 0);
    uint64_t steps = put_rule(&b, (struct rules_symbol[]){{6, 9999, false, false}}, 1); /* 3 each */
    const uint32_t columns[] = {put_column(&b, COLUMN_CONSTANT, 5), put_column(&b, COLUMN_CONSTANT, (int64_t)steps)};
    const uint32_t signature = put_signature(&b, put_shape(&b, int_tokens, sizeof int_tokens), 10000, columns, 2);
    const uint32_t row = put_row(&b, 1, 0);
    put_part(&b, put_sequence(&b, order, LENGTH), &signature, 1);
    put_group(&b, false, put_rule(&b, (struct rules_symbol[]){{0, LENGTH, false, false}}, 1), &row, 1, put_counting(&b, 1));
    struct pilgrim_trace *trace = open_good(&b);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    for (size_t i = 0; i < LENGTH; i++)
        ck_assert_int_eq(next_call(cursor).in[0].integer, 5 + 3 * (int64_t)order[i]);
    expect_end(cursor);
    pilgrim_close(trace);
}
END_TEST

/* ---- series ---- */

/* An array of N values in the shapes of PATTERN: an int (shape 0), [rank, bool] (1), null (2); SHAPES of them. */
static uint32_t put_series(struct built *b, const int64_t *pattern, size_t n, uint8_t shapes)
{
    const uint8_t tokens[] = {VALUE_SERIES, (uint8_t)n, shapes, VALUE_INT,
                              VALUE_ARRAY,  2,          VALUE_RANK, VALUE_BOOL, VALUE_NONE, VALUE_NONE};
    const uint8_t one[] = {VALUE_SERIES, (uint8_t)n, 1, VALUE_INT, VALUE_NONE};
    int64_t ints[100], ranks[100], bools[100];
    size_t int_count = 0, rank_count = 0;
    for (size_t i = 0; i < n; i++) {
        if (pattern[i] == 0)
            ints[int_count++] = (int64_t)(i * i) - 50;
        if (pattern[i] == 1) {
            ranks[rank_count] = (int64_t)i;
            bools[rank_count++] = i % 2;
        }
    }
    uint32_t columns[7], count = 0;
    if (shapes > 1)
        columns[count++] = put_column(b, COLUMN_CONSTANT, (int64_t)put_differences(b, pattern, n));
    columns[count++] = put_column(b, COLUMN_PLUS, ints[0]);
    columns[count++] = put_column(b, COLUMN_CONSTANT, (int64_t)put_differences(b, ints, int_count));
    if (shapes > 1) {
        columns[count++] = put_column(b, COLUMN_PLUS, ranks[0]);
        columns[count++] = put_column(b, COLUMN_CONSTANT, (int64_t)put_differences(b, ranks, rank_count));
        columns[count++] = put_column(b, COLUMN_CONSTANT, bools[0]);
        columns[count++] = put_column(b, COLUMN_CONSTANT, (int64_t)put_differences(b, bools, rank_count));
    }
    uint32_t shape = shapes > 1 ? put_shape(b, tokens, sizeof tokens) : put_shape(b, one, sizeof one);
    return put_signature(b, shape, 0, columns, count);
}

START_TEST(series)
{
    state = (uint64_t)_i + 5;
    struct built b;
    enum { RANKS = 3 };
    size_t n = 6 + below(90);
    int64_t pattern[100] = {0, 1, 2};
    for (size_t i = 3; i < n; i++)
        pattern[i] = (int64_t)(_i % 2 ? below(3) : i % 3);
    if (_i % 5 == 0)
        memset(pattern, 0, sizeof pattern);
    built_begin(&b, RANKS, 0);
    const uint32_t signature = put_series(&b, pattern, n, _i % 5 ? 3 : 1), row = put_row(&b, 1, 0);
    put_part(&b, 1, &signature, 1);
    put_group(&b, false, 1, &row, 1, put_counting(&b, RANKS));
    struct pilgrim_trace *trace = open_good(&b);
    for (uint32_t r = 0; r < RANKS; r++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, r);
        struct pilgrim_call call = next_call(cursor);
        ck_assert_int_eq(call.in[0].type, PILGRIM_ARRAY);
        ck_assert_uint_eq(call.in[0].count, n);
        for (size_t i = 0; i < n; i++) {
            const struct pilgrim_value *v = &call.in[0].items[i];
            ck_assert_int_eq(v->type, pattern[i] == 0 ? PILGRIM_INT : pattern[i] == 1 ? PILGRIM_ARRAY : PILGRIM_NONE);
            if (pattern[i] == 0)
                ck_assert_int_eq(v->integer, (int64_t)(i * i) - 50 + r);
            if (pattern[i] != 1)
                continue;
            expect_rank(&v->items[0], (int64_t)(i + r), r, RANKS);
            ck_assert_int_eq(v->items[1].integer, i % 2);
        }
        ck_assert_int_eq(call.ret.type, PILGRIM_NONE);
        expect_end(cursor);
    }
    pilgrim_close(trace);
}
END_TEST

/* ---- volumes ---- */

START_TEST(volumes)
{
    struct built parts[3];
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    static const uint32_t ranks[] = {2, 1, 4};
    size_t ends[3] = {0};
    for (uint32_t i = 0, before = 0; i < 3; before += ranks[i++]) {
        built_begin(&parts[i], ranks[i], before);
        for (uint32_t k = 0; k < i; k++)
            put_rule(&parts[i], (struct rules_symbol[]){{7, 7, false, false}}, 1); /* other numbers for the same rules */
        put_plain_group(&parts[i], 1, 1, (uint64_t[]){1});
        built_contents(&parts[i]);
        struct bytes part = {0};
        built_file(parts, i + 1, &part);
        ends[i] = part.length;
        bytes_free(&part);
    }
    built_file(parts, 3, &file);
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
    ck_assert_int_eq(error.status, PILGRIM_OK);
    ck_assert_uint_eq(pilgrim_rank_count(trace), 7);
    ck_assert_uint_eq(pilgrim_thread_count(trace, 7), 0);
    for (uint32_t r = 0; r < 7; r++) {
        struct pilgrim_thread_info info;
        struct pilgrim_cursor *cursor = open_cursor(trace, r);
        struct pilgrim_call call = next_call(cursor);
        ck_assert_uint_eq(call.rank, r);
        ck_assert_int_eq(call.in[0].integer, 1000 + (int64_t)r);
        ck_assert_int_eq(pilgrim_thread_info(trace, r, 0, &info), PILGRIM_OK);
        ck_assert_uint_eq(info.structure_group, r < 2 ? 1 : r < 3 ? 3 : 5);
        expect_end(cursor);
    }
    pilgrim_close(trace);
    /* Without its end: as many volumes as are whole. */
    for (size_t length = ends[0]; length < file.length; length++) {
        ck_assert_int_eq(trace_load(file.data, length, &trace, &error), PILGRIM_OK);
        ck_assert_int_eq(error.status, PILGRIM_TRUNCATED);
        uint32_t found = pilgrim_rank_count(trace);
        ck_assert(found == 2 || found == 3 || found == 7);
        ck_assert(found >= (length >= ends[1] ? 3 : 2));
        struct pilgrim_cursor *cursor = open_cursor(trace, found - 1);
        ck_assert_uint_eq(next_call(cursor).rank, found - 1);
        expect_end(cursor);
        pilgrim_close(trace);
    }
    for (unsigned i = 0; i < 3; i++)
        built_free(&parts[i]);
    bytes_free(&file);
}
END_TEST

/* ---- what is wrong ---- */

enum { WRONG_RANKS = 40 };

/* What a trace of two classes and WRONG_RANKS ranks is made of, each of which a case may spoil. */
struct recipe {
    uint32_t shape, column, signature, row, other_row, members;
    uint64_t sequence; /* of the calls: 0, 1, 0 */
    uint64_t values;   /* of those of class 0: 0, 0 */
};

static void start(struct built *b, struct recipe *r)
{
    built_begin(b, WRONG_RANKS, 0);
    r->sequence = put_sequence(b, (uint64_t[]){0, 1, 0}, 3);
    r->values = put_sequence(b, (uint64_t[]){0, 0}, 2);
    r->shape = put_shape(b, int_tokens, sizeof int_tokens);
    r->column = put_column(b, COLUMN_CONSTANT, 3);
    r->signature = put_signature(b, r->shape, 0, &r->column, 1);
    r->members = put_counting(b, WRONG_RANKS);
}

static void put_rows(struct built *b, struct recipe *r)
{
    r->row = put_row(b, 1, 0);
    put_part(b, r->values, &r->signature, 1);
    r->other_row = put_row(b, 2, 0);
    put_part(b, 1, &r->signature, 1);
}

static void finish(struct built *b, struct recipe *r)
{
    put_rows(b, r);
    put_group(b, false, r->sequence, (uint32_t[]){r->row, r->other_row}, 2, r->members);
}

static void nothing_wrong(struct built *b, struct recipe *r)
{
    finish(b, r);
}

static void falling_members(struct built *b, struct recipe *r)
{
    r->members = put_list(b, (int64_t[]){1, 0}, 2);
    finish(b, r);
}

static void members_of_the_rank(struct built *b, struct recipe *r)
{
    r->members = put_column(b, COLUMN_PLUS, 0);
    finish(b, r);
}

static void members_missing(struct built *b, struct recipe *r)
{
    r->members = put_counting(b, WRONG_RANKS - 1);
    finish(b, r);
}

static void members_too_many(struct built *b, struct recipe *r)
{
    r->members = put_counting(b, WRONG_RANKS + 1);
    finish(b, r);
}

static void no_members(struct built *b, struct recipe *r)
{
    finish(b, r);
    put_group(b, false, 0, NULL, 0, put_list(b, NULL, 0));
}

/* Two groups of one and the same rank. */
static void member_twice(struct built *b, struct recipe *r)
{
    r->members = put_counting(b, WRONG_RANKS - 2);
    finish(b, r);
    for (unsigned i = 0; i < 2; i++)
        put_group(b, false, r->sequence, (uint32_t[]){r->row, r->other_row}, 2, put_column(b, COLUMN_CONSTANT, WRONG_RANKS - 1));
}

static void class_twice(struct built *b, struct recipe *r)
{
    put_rows(b, r);
    put_group(b, false, 1, (uint32_t[]){r->other_row, r->other_row}, 2, r->members);
}

static void class_missing(struct built *b, struct recipe *r)
{
    put_rows(b, r);
    put_group(b, false, r->sequence, &r->row, 1, r->members);
}

static void row_beyond(struct built *b, struct recipe *r)
{
    put_rows(b, r);
    put_group(b, false, 1, (uint32_t[]){r->other_row + 1}, 1, r->members);
}

static void values_too_few(struct built *b, struct recipe *r)
{
    r->values = 1;
    finish(b, r);
}

static void values_unequal(struct built *b, struct recipe *r)
{
    uint32_t places[] = {put_counting(b, WRONG_RANKS - 1), put_column(b, COLUMN_CONSTANT, WRONG_RANKS - 1)};
    uint32_t row = put_row(b, 1, 1 + put_partition(b, places, 2));
    put_part(b, r->values, &r->signature, 1);
    put_part(b, 1, &r->signature, 1);
    put_group(b, false, 1, &row, 1, r->members);
}

static void value_beyond(struct built *b, struct recipe *r)
{
    r->values = put_sequence(b, (uint64_t[]){0, 1}, 2);
    finish(b, r);
}

static void signature_twice(struct built *b, struct recipe *r)
{
    uint32_t row = put_row(b, 1, 0);
    put_part(b, 1, (uint32_t[]){r->signature, r->signature}, 2);
    put_group(b, false, 1, &row, 1, r->members);
}

static void column_too_long(struct built *b, struct recipe *r)
{
    uint32_t column = put_counting(b, WRONG_RANKS + 1);
    r->signature = put_signature(b, r->shape, 0, &column, 1);
    finish(b, r);
}

static void columns_of_two_lengths(struct built *b, struct recipe *r)
{
    uint32_t column = put_counting(b, WRONG_RANKS + 1);
    r->signature = put_signature(b, r->shape, 2, (uint32_t[]){column, r->members}, 2);
    finish(b, r);
}

static void column_beyond(struct built *b, struct recipe *r)
{
    r->signature = put_signature(b, r->shape, 0, (uint32_t[]){1000}, 1);
    finish(b, r);
}

static void other_values(struct built *b, struct recipe *r)
{
    r->signature = put_signature(b, put_shape(b, (uint8_t[]){VALUE_INT}, 1), 0, &r->column, 1);
    finish(b, r);
}

static void modulo_nothing(struct built *b, struct recipe *r)
{
    put_modulo(b, 3, 0);
    finish(b, r);
}

static void modulo_too_much(struct built *b, struct recipe *r)
{
    put_modulo(b, 3, (uint64_t)INT64_MAX + 1);
    finish(b, r);
}

static void ramp_of_differences(struct built *b, struct recipe *r)
{
    put_sums(b, 3, put_rule(b, (struct rules_symbol[]){{0, 5, false, true}}, 1));
    finish(b, r);
}

static void rule_beyond(struct built *b, struct recipe *r)
{
    put_sums(b, 3, RULES_SEQUENCE(1000));
    finish(b, r);
}

static void vector_of_one(struct built *b, struct recipe *r)
{
    put_signature(b, r->shape, 1, (uint32_t[]){r->column, r->column}, 2);
    finish(b, r);
}

static void vector_of_series(struct built *b, struct recipe *r)
{
    static const uint8_t tokens[] = {VALUE_SERIES, 2, 1, VALUE_INT, VALUE_NONE};
    put_signature(b, put_shape(b, tokens, sizeof tokens), 2, (uint32_t[]){r->column, r->column}, 2);
    finish(b, r);
}

static void series_of_series(struct built *b, struct recipe *r)
{
    static const uint8_t tokens[] = {VALUE_SERIES, 2, 1, VALUE_SERIES, 2, 1, VALUE_INT};
    put_shape(b, tokens, sizeof tokens);
    finish(b, r);
}

static void series_of_more_shapes(struct built *b, struct recipe *r)
{
    static const uint8_t tokens[] = {VALUE_SERIES, 2, 3, VALUE_INT, VALUE_NONE, VALUE_NONE};
    put_shape(b, tokens, sizeof tokens);
    finish(b, r);
}

static void too_many_values(struct built *b, struct recipe *r)
{
    static const uint8_t tokens[] = {VALUE_SERIES, 0xff, 0xff, 0xff, 0x7f, 1, VALUE_INT};
    put_shape(b, tokens, sizeof tokens);
    finish(b, r);
}

static void one_part(struct built *b, struct recipe *r)
{
    put_partition(b, &r->members, 1);
    finish(b, r);
}

static void parts_overlap(struct built *b, struct recipe *r)
{
    put_partition(b, (uint32_t[]){put_counting(b, 3), put_list(b, (int64_t[]){2, 3}, 2)}, 2);
    finish(b, r);
}

static void parts_of_others(struct built *b, struct recipe *r)
{
    uint32_t places[] = {put_counting(b, 3), put_list(b, (int64_t[]){3, 4}, 2)};
    uint32_t row = put_row(b, 1, 1 + put_partition(b, places, 2));
    put_part(b, 1, &r->signature, 1);
    put_part(b, 1, &r->signature, 1);
    put_group(b, false, 1, &row, 1, r->members);
}

static const struct {
    const char *message; /* in what opening says; NULL: nothing is wrong */
    void (*make)(struct built *b, struct recipe *r);
} wrong[] = {
    {NULL, nothing_wrong},
    {"members of a group that do not increase", falling_members},
    {"members of a group that do not increase", members_of_the_rank},
    {"groups that do not hold each thread once", members_missing},
    {"groups that do not hold each thread once", members_too_many},
    {"groups that do not hold each thread once", no_members},
    {"groups that do not hold each thread once", member_twice},
    {"a call class twice in a group", class_twice},
    {"a sequence of calls with a class that its group does not have", class_missing},
    {"a row that does not exist", row_beyond},
    {"more or fewer values than calls of a class", values_too_few},
    {"more or fewer values than calls of a class", values_unequal},
    {"a sequence of values with a signature that its class does not have", value_beyond},
    {"a signature twice in a value group", signature_twice},
    {"a column that is not as long as its value group", column_too_long},
    {"a column that is not as long as its value group", columns_of_two_lengths},
    {"a column that does not exist", column_beyond},
    {"a shape that does not hold the values of its function", other_values},
    {"a column with a wrong modulus", modulo_nothing},
    {"a column with a wrong modulus", modulo_too_much},
    {"a column whose differences have a ramp", ramp_of_differences},
    {"a sequence that does not exist", rule_beyond},
    {"a vector with a wrong number of values", vector_of_one},
    {"a series in a vector", vector_of_series},
    {"a series in a series", series_of_series},
    {"a series with a wrong number of values", series_of_more_shapes},
    {"a shape of too many values", too_many_values},
    {"a partition with a wrong number of parts", one_part},
    {"a partition whose parts do not hold each place once", parts_overlap},
    {"a partition that is not as long as its group", parts_of_others},
};

START_TEST(refused)
{
    struct built b;
    struct recipe r;
    struct pilgrim_error error;
    start(&b, &r);
    wrong[_i].make(&b, &r);
    struct pilgrim_trace *trace = built_open(&b, &error);
    ck_assert_msg((trace == NULL) == (wrong[_i].message != NULL), "%s", error.message);
    if (wrong[_i].message) {
        ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
        ck_assert_msg(strstr(error.message, wrong[_i].message) != NULL, "%s", error.message);
        ck_assert_ptr_nonnull(strstr(error.message, " at byte "));
    }
    pilgrim_close(trace);
}
END_TEST

/* What only shows where it is met: the first call of rank 0, or the cursor, fails. */
static void expect_failure(struct built *b, enum pilgrim_status status, const char *message)
{
    struct pilgrim_trace *trace = open_good(b);
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error = {0};
    struct pilgrim_call call;
    enum pilgrim_status found = pilgrim_cursor_open(trace, 0, 0, &cursor, &error);
    if (found == PILGRIM_OK)
        found = pilgrim_cursor_next(cursor, &call, &error);
    ck_assert_int_eq(found, status);
    ck_assert_msg(strstr(error.message, message) != NULL, "%s", error.message);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}

START_TEST(damage_met_late)
{
    static const char lengths[] = "differences that are not a sequence of the right length";
    struct built b;
    struct recipe r;
    start(&b, &r); /* 20 ranks twice, 20 not at all */
    r.members = put_sums(&b, 1, put_rule(&b, (struct rules_symbol[]){{4, 19, false, false}}, 1));
    finish(&b, &r);
    put_group(&b, false, r.sequence, (uint32_t[]){r.row, r.other_row}, 2, r.members);
    expect_failure(&b, PILGRIM_DAMAGED, "is in none of the groups");
    static const struct {
        uint64_t count;
        int64_t sequence;
        bool good;
    } vectors[] = {{4, 0, true}, {2, 1, true}, {4, 1, false}, {2, 1001, true}, {2, 1000, false}, {2, -2, false}, {2, -1, false}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        start(&b, &r);
        uint32_t sequence = put_column(&b, COLUMN_CONSTANT, vectors[i].sequence);
        r.signature = put_signature(&b, r.shape, vectors[i].count, (uint32_t[]){r.column, sequence}, 2);
        finish(&b, &r);
        if (vectors[i].good) {
            struct pilgrim_trace *trace = open_good(&b);
            struct pilgrim_cursor *cursor = open_cursor(trace, 0);
            ck_assert_int_eq(next_call(cursor).in[0].integer, 3);
            pilgrim_cursor_close(cursor);
            pilgrim_close(trace);
        } else {
            expect_failure(&b, PILGRIM_DAMAGED, "differences that are ");
        }
    }
    /* Series of 4: {shapes 0 1 0 1, ints of 2}; what the shapes and the ints' sequence are. */
    static const struct {
        int64_t shapes[3], ints;
        const char *message;
    } spoiled[] = {{{1, -1, 1}, 2 * 0 + 1, NULL},  {{1, -1, 2}, 2 * 0 + 1, "a shape that does not exist"},
                   {{-1, 1, 1}, 2 * 0 + 1, "a shape that does not exist"}, {{1, 0, 0}, 2 * 0 + 1, lengths},
                   {{1, -1, 0}, 2 * 0 + 1, lengths}};
    static const uint8_t tokens[] = {VALUE_SERIES, 4, 2, VALUE_INT, VALUE_NONE, VALUE_NONE};
    for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
        uint64_t codes[3];
        start(&b, &r);
        for (size_t k = 0; k < 3; k++)
            codes[k] = zigzag(spoiled[i].shapes[k]);
        const uint32_t columns[] = {put_column(&b, COLUMN_CONSTANT, (int64_t)put_sequence(&b, codes, 3)), r.column,
                                    put_column(&b, COLUMN_CONSTANT, spoiled[i].ints)};
        r.signature = put_signature(&b, put_shape(&b, tokens, sizeof tokens), 0, columns, 3);
        finish(&b, &r);
        if (spoiled[i].message)
            expect_failure(&b, PILGRIM_DAMAGED, spoiled[i].message);
        else
            pilgrim_close(open_good(&b));
    }
}
END_TEST

/* 2^27 ints in a few bytes: nobody is given that much. */
START_TEST(values_without_end)
{
    static const uint8_t tokens[] = {VALUE_SERIES, 0x80, 0x80, 0x80, 0x40, 1, VALUE_INT, VALUE_NONE};
    struct built b;
    struct recipe r;
    start(&b, &r);
    uint32_t zero = put_column(&b, COLUMN_CONSTANT, 0);
    r.signature = put_signature(&b, put_shape(&b, tokens, sizeof tokens), 0, (uint32_t[]){r.column, zero}, 2);
    finish(&b, &r);
    expect_failure(&b, PILGRIM_LIMIT, "more memory than a file of its length may take");
}
END_TEST

/* Many groups, all of whose sequences are made of one long rule. */
START_TEST(work_without_end)
{
    enum { MANY = 10000, SYMBOLS = 100000 };
    struct built b;
    struct recipe r;
    struct pilgrim_error error;
    built_begin(&b, MANY, 0);
    struct rules_symbol *symbols = calloc(SYMBOLS, sizeof *symbols);
    for (size_t i = 0; i < SYMBOLS; i++)
        symbols[i].exponent = 1;
    const uint32_t big = rules_start(put_rule(&b, symbols, SYMBOLS));
    free(symbols);
    r.shape = put_shape(&b, int_tokens, sizeof int_tokens);
    r.column = put_column(&b, COLUMN_CONSTANT, 3);
    r.signature = put_signature(&b, r.shape, 0, &r.column, 1);
    r.row = put_row(&b, 1, 0);
    put_part(&b, RULES_SEQUENCE(big), &r.signature, 1);
    for (size_t i = 0; i < MANY; i++) {
        uint64_t sequence = put_rule(&b, (struct rules_symbol[]){{big, 1, true, false}}, 1);
        put_group(&b, false, sequence, &r.row, 1, put_column(&b, COLUMN_CONSTANT, (int64_t)i));
    }
    ck_assert_ptr_null(built_open(&b, &error));
    ck_assert_int_eq(error.status, PILGRIM_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "more time than a file of its length may take"));
}
END_TEST

/* One in SHARDS of the changes to a trace of groups, parts, columns, vectors and series of all kinds. */
enum { SHARDS = 4, MUTATIONS = 1000 };

START_TEST(contents_changed)
{
    struct built b;
    struct member members[RANKS_MAX];
    uint32_t who[RANKS_MAX];
    struct known *columns = calloc(3 * 12 * 3, sizeof *columns);
    int64_t pattern[20];
    state = 0x1234567 + (uint64_t)_i;
    built_begin(&b, 40, 0);
    uint32_t shape = put_shape(&b, mixed, sizeof mixed);
    for (uint32_t group = 0; group < 3; group++) {
        for (uint32_t i = 0; i < 10; i++)
            who[i] = group + 3 * i;
        put_mixed_group(&b, shape, columns + 36 * group, members, who, 10);
    }
    for (size_t i = 0; i < 20; i++)
        pattern[i] = (int64_t)(i < 3 ? i : below(3));
    const uint32_t zero = put_column(&b, COLUMN_CONSTANT, 0);
    const uint32_t vector[] = {put_column(&b, COLUMN_MINUS, 5), put_column(&b, COLUMN_CONSTANT, 2 * 4 + 1),
                               put_column(&b, COLUMN_XOR, 3), zero, zero, zero, put_column(&b, COLUMN_XOR_MINUS, 3), zero};
    const uint32_t signatures[] = {put_series(&b, pattern, 20, 3), put_signature(&b, shape, 2, vector, 8)};
    const uint32_t row = put_row(&b, 1, 0);
    uint64_t ramp = put_rule(&b, (struct rules_symbol[]){{0, 3, false, true}}, 1);
    put_part(&b, put_rule(&b, (struct rules_symbol[]){{rules_start(ramp), 3, true, false}}, 1), signatures, 2);
    put_group(&b, false, put_rule(&b, (struct rules_symbol[]){{0, 9, false, false}}, 1), &row, 1,
              put_sums(&b, 30, put_rule(&b, (struct rules_symbol[]){{2, 9, false, false}}, 1)));
    built_contents(&b);
    struct bytes contents[SECTION_TYPE_COUNT] = {[SECTION_DEFINITIONS] = b.definitions, [SECTION_CALLS] = b.calls}, file = {0};
    put_together(contents, SECTION_CALLS, &file);
    ck_assert_int_eq(walk(file.data, file.length), PILGRIM_OK);
    ck_assert_uint_gt(walk_changed(contents, SECTION_CALLS, MUTATIONS), MUTATIONS / 50);
    bytes_free(&file);
    built_free(&b);
    free(columns);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("calls");
    TCase *good = tcase_create("good"), *bad = tcase_create("bad");
    tcase_set_timeout(good, 120);
    tcase_set_timeout(bad, 120);
    tcase_add_loop_test(good, columns_groups_and_parts, 0, 60);
    tcase_add_test(good, a_few_bytes_of_many_ranks);
    tcase_add_test(good, many_groups);
    tcase_add_test(good, ramps);
    tcase_add_test(good, skip_far);
    tcase_add_test(good, vectors_of_signatures);
    tcase_add_test(good, long_vector);
    tcase_add_loop_test(good, series, 0, 20);
    tcase_add_test(good, volumes);
    tcase_add_loop_test(bad, refused, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(bad, damage_met_late);
    tcase_add_test(bad, values_without_end);
    tcase_add_test(bad, work_without_end);
    tcase_add_loop_test(bad, contents_changed, 0, SHARDS);
    suite_add_tcase(suite, good);
    suite_add_tcase(suite, bad);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
