/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that a calls section may consist of: columns of each kind, groups and value groups of each form, array and
 * signature series, ramps, shards. Each is compared with plain numbers, and read with changed bytes.
 *
 * One file, as one model builds and reads back all of it. */
#include <stdlib.h>

#include "built_trace.h"
#include "hostile_trace.h"
#include "trials.h"

static void expect_end(struct pilgrim_cursor *cursor)
{
    struct pilgrim_error error;
    struct pilgrim_call call;
    ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
    pilgrim_cursor_close(cursor);
}

/* ---- sequences and columns, stored in some way ---- */

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
        return put_column(b, EXPRESSION_CONSTANT, values[0]);
    if (below(2))
        return put_list(b, values, count);
    return put_sums(b, values[0], put_differences(b, values, count));
}

/* ---- columns ---- */

/* What the test knows of a column. */
struct expected_values {
    enum expression_kind kind;
    int64_t c;
    uint64_t modulus;
    int64_t values[300];
    uint32_t number;
};

/* A column for COUNT members. */
static void draw_column(struct built *b, struct expected_values *k, size_t count)
{
    k->kind = (enum expression_kind)below(EXPRESSION_KIND_COUNT);
    k->c = (int64_t)below(200) - 100;
    k->modulus = 1 + below(20);
    int64_t value = k->c;
    for (size_t i = 0; i < count; i++) {
        k->values[i] = value;
        value += (int64_t)(below(3) ? 2 : below(9) - 4);
    }
    if (k->kind == EXPRESSION_LIST)
        k->number = put_list(b, k->values, count);
    else if (k->kind == EXPRESSION_SUMS)
        k->number = put_sums(b, k->c, put_differences(b, k->values, count));
    else if (k->kind == EXPRESSION_MODULO)
        k->number = put_modulo(b, k->c, k->modulus);
    else
        k->number = put_column(b, k->kind, k->c);
}

static int64_t expected_value(const struct expected_values *k, size_t position, int64_t x)
{
    int64_t rest = (x + k->c) % (int64_t)k->modulus;
    const int64_t of_kind[EXPRESSION_KIND_COUNT] = {k->c,
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
static const uint8_t mixed[] = {VALUE_ARRAY, 3, VALUE_INT, VALUE_RANK, VALUE_RANK_BASE, VALUE_RANK, VALUE_NONE};

struct expected_member {
    const struct expected_values *columns; /* VALUES - 1 of them: int, rank, rank */
    size_t position;
};

/* A part of COUNT members: its signature, and what each of them (WHO[i]: ranks) is to see. */
static uint32_t put_mixed_part(struct built *b, uint32_t shape, struct expected_values *columns,
                               struct expected_member *members, const uint32_t *who, size_t count)
{
    for (unsigned i = 0; i < 3; i++)
        draw_column(b, &columns[i], count);
    const uint32_t numbers[VALUES] = {columns[0].number, columns[1].number, put_column(b, EXPRESSION_CONSTANT, 1),
                                      columns[2].number};
    for (size_t i = 0; i < count; i++)
        members[who[i]] = (struct expected_member){columns, i};
    return put_signature(b, shape, 0, numbers, VALUES);
}

/* The numbers below COUNT, dealt to SETS sets at random, each at least once: OF[i] is the set of i. */
static void deal(uint32_t *of, size_t count, size_t sets, bool in_blocks)
{
    for (size_t i = 0; i < count; i++)
        of[i] = (uint32_t)(i < sets ? i : in_blocks ? i * sets / count : below(sets));
}

/* A group of COUNT members (WHO), in one part or in some. */
static void put_mixed_group(struct built *b, uint32_t shape, struct expected_values *columns,
                            struct expected_member *members, const uint32_t *who, size_t count)
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
    for (size_t i = 0; i < count; i++)
        values[i] = of[i];
    const bool has_labels = parts > 1 && below(2);
    uint32_t partition = has_labels  ? 1 + put_labels(b, put_values(b, values, count), parts)
                         : parts > 1 ? 1 + put_partition(b, places, parts)
                                     : 0;
    uint32_t row = put_group_class(b, 1, partition);
    for (size_t part = 0; part < parts; part++)
        put_value_group(b, 1, &signatures[part], 1);
    for (size_t i = 0; i < count; i++)
        values[i] = who[i];
    put_group(b, false, 1, &row, 1, put_values(b, values, count));
}

static void check_mixed(const struct pilgrim_trace *trace, uint32_t rank, uint32_t ranks,
                        const struct expected_member *member)
{
    struct pilgrim_cursor *cursor = open_cursor(trace, rank);
    struct pilgrim_call call = next_call(cursor);
    int64_t x = rank, other = rank / 2 % SIZE_1;
    const struct expected_values *k = member->columns;
    ck_assert_int_eq(call.in[0].type, PILGRIM_ARRAY);
    ck_assert_uint_eq(call.in[0].count, 3);
    ck_assert_int_eq(call.in[0].items[0].integer, expected_value(&k[0], member->position, x));
    expect_rank(&call.in[0].items[1], expected_value(&k[1], member->position, x), x, ranks);
    expect_rank(&call.in[0].items[2], expected_value(&k[2], member->position, other), other, SIZE_1);
    expect_end(cursor);
}

/* Groups and parts of all sizes, held by columns of all kinds: each rank gets its own numbers. */
START_TEST(columns_groups_and_parts)
{
    state = (uint64_t)_i * 77 + 1;
    struct built b;
    struct expected_member members[RANKS_MAX];
    uint32_t ranks = (uint32_t)(1 + below(_i % 4 ? 40 : RANKS_MAX)), of[RANKS_MAX], who[RANKS_MAX];
    size_t groups = 1 + below(_i % 3 ? 4 : ranks), used = 0;
    groups = groups > ranks ? ranks : groups;
    struct expected_values *columns = calloc(3 * 12 * (groups + 1), sizeof *columns);
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

/* One group of all ranks whose calls, SEQUENCE, have the class list 1, 2, ... and the value 10 x class + 1000 x rank.
 */
static void put_plain_group(struct built *b, uint64_t sequence, uint32_t classes, const uint64_t *values)
{
    uint32_t rows[CLASSES], shape = put_shape(b, int_tokens, sizeof int_tokens);
    for (uint32_t i = 0; i < classes; i++) {
        const uint32_t column = put_column(b, EXPRESSION_PLUS, 1000 * (i + 1));
        const uint32_t signature = put_signature(b, shape, 0, &column, 1);
        rows[i] = put_group_class(b, i + 1, 0);
        put_value_group(b, values[i], &signature, 1);
    }
    put_group(b, false, sequence, rows, classes, put_counting(b, b->ranks));
}

/* So many ranks as a file may have however small it is, and no more memory than for one. */
START_TEST(a_few_bytes_of_many_ranks)
{
    enum { RANKS = 1 << 20 };
    struct built b;
    built_begin(&b, RANKS, 0);
    put_plain_group(&b, 1, 1, (uint64_t[]){1});
    struct pilgrim_trace *trace = open_good(&b);
    ck_assert_uint_eq(pilgrim_rank_count(trace), RANKS);
    static const uint32_t some[] = {0, 1, 123456, RANKS - 1};
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
    const uint32_t column = put_column(b, EXPRESSION_CONSTANT, value),
                   signature = put_signature(b, shape, 0, &column, 1);
    const uint32_t row = put_group_class(b, 1, 0);
    put_value_group(b, 1, &signature, 1);
    put_group(b, false, 1, &row, 1, put_values(b, members, count));
}

/* Every third rank is alone in its group; the others are in four groups, one behind the other and between each other.
 */
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
        &b, (struct rules_symbol[]){{0, 10, false, true}, {rules_start(inner), 2, true, false}, {5, 3, false, false}},
        3);
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
    struct pilgrim_cursor *cursor = open_cursor(trace, 1);
    pilgrim_thread_info(cursor, &info);
    ck_assert_int_eq(pilgrim_grammar_open(cursor, info.structure, &grammar, &error), PILGRIM_OK);
    ck_assert_uint_eq(pilgrim_grammar_length(grammar), LENGTH);
    ck_assert_uint_eq(pilgrim_grammar_rules(grammar), 2);
    ck_assert_uint_eq(pilgrim_grammar_symbols(grammar, 0), 3);
    ck_assert_uint_eq(pilgrim_grammar_symbols(grammar, 2), 0);
    struct pilgrim_symbol first = pilgrim_grammar_symbol(grammar, 0, 0), second = pilgrim_grammar_symbol(grammar, 0, 1);
    ck_assert(first.ramp && !first.is_rule && first.value == 0 && first.exponent == 10);
    ck_assert(!second.ramp && second.is_rule && second.value == 1 && second.exponent == 2);
    pilgrim_grammar_close(grammar);
    ck_assert_int_eq(pilgrim_grammar_open(cursor, 2 * CLASSES + 2000, &grammar, &error), PILGRIM_INVALID);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

/* ---- blocks ---- */

/* S -> A^2 3 with A a block: it is shown by its terminals. */
START_TEST(blocks)
{
    struct built b;
    static const uint64_t order[] = {0, 2, 1, 1, 2, 0, 2, 1, 1, 2, 3};
    enum { LENGTH = sizeof order / sizeof *order, HALF = 5, USED = 4 };
    uint64_t values[USED] = {0}, times[USED] = {0};
    struct pilgrim_error error;
    built_begin(&b, 3, 0);
    uint64_t block = put_block(&b, order, HALF);
    uint64_t outer =
        put_rule(&b, (struct rules_symbol[]){{rules_start(block), 2, true, false}, {3, 1, false, false}}, 2);
    for (size_t i = 0; i < LENGTH; i++)
        times[order[i]]++;
    for (size_t i = 0; i < USED; i++)
        values[i] = times[i] < 2 ? 1 : put_rule(&b, (struct rules_symbol[]){{0, times[i], false, false}}, 1);
    put_plain_group(&b, outer, USED, values);
    struct pilgrim_trace *trace = open_good(&b);
    for (size_t from = 0; from <= LENGTH; from++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, 2);
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, from), PILGRIM_OK);
        for (size_t i = from; i < LENGTH; i++)
            ck_assert_int_eq(next_call(cursor).in[0].integer, 1000 * (int64_t)(order[i] + 1) + 2);
        expect_end(cursor);
    }
    struct pilgrim_thread_info info;
    struct pilgrim_grammar *grammar;
    struct pilgrim_cursor *cursor = open_cursor(trace, 1);
    pilgrim_thread_info(cursor, &info);
    ck_assert_int_eq(pilgrim_grammar_open(cursor, info.structure, &grammar, &error), PILGRIM_OK);
    ck_assert_uint_eq(pilgrim_grammar_rules(grammar), 2);
    ck_assert_uint_eq(pilgrim_grammar_symbols(grammar, 0), 2);
    ck_assert_uint_eq(pilgrim_grammar_symbols(grammar, 1), HALF);
    for (size_t i = 0; i <= HALF; i++) {
        struct pilgrim_symbol symbol = pilgrim_grammar_symbol(grammar, 1, i);
        ck_assert(!symbol.ramp && !symbol.is_rule && symbol.exponent == (i < HALF) &&
                  symbol.value == (i < HALF ? order[i] : 0));
    }
    pilgrim_grammar_close(grammar);
    pilgrim_cursor_close(cursor);
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
        const uint32_t column = put_column(&b, EXPRESSION_CONSTANT, i);
        signatures[i] = put_signature(&b, shape, 0, &column, 1);
    }
    uint32_t rows[2];
    rows[0] = put_group_class(&b, 1, 0);
    put_value_group(&b, zeros, signatures, 1);
    rows[1] = put_group_class(&b, 2, 0);
    put_value_group(&b, turns, signatures + 1, 2);
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

/* Signatures: one alone, a vector of VECTOR, one alone; the calls' numbers are 0 .. 10 and some of them again. Odd
 * ranks have other differences than even ones. */
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
    const uint32_t single[] = {put_column(&b, EXPRESSION_CONSTANT, -5), put_column(&b, EXPRESSION_CONSTANT, 1)};
    const uint32_t vector[] = {put_list(&b, first, RANKS), put_list(&b, sequences, RANKS),
                               put_column(&b, EXPRESSION_PLUS, 0), put_column(&b, EXPRESSION_CONSTANT, (int64_t)ones)};
    const uint32_t zero = put_column(&b, EXPRESSION_CONSTANT, 0);
    const uint32_t still[] = {single[0], zero, single[1], zero};
    const uint32_t signatures[] = {put_signature(&b, shape, 0, single, 2), put_signature(&b, shape, VECTOR, vector, 4),
                                   put_signature(&b, shape, 2, still, 4)};
    const uint32_t row = put_group_class(&b, 1, 0);
    put_value_group(&b, put_sequence(&b, order, LENGTH), signatures, 3);
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
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    ck_assert_int_eq(pilgrim_class_info(cursor, 0, &info), PILGRIM_OK);
    pilgrim_cursor_close(cursor);
    ck_assert_uint_eq(info.signature_count, 12);
    pilgrim_close(trace);
}
END_TEST

/* A list may have a signature several times: an unzipped one counts at each of its places for itself. */
START_TEST(signatures_that_stand_twice)
{
    enum { RANKS = 3, ROUNDS = 700 };
    static const uint64_t order[] = {0, 1, 0, 2, 1, 3, 0, 0, 1};
    enum { LENGTH = sizeof order / sizeof *order };
    struct built b;
    built_begin(&b, RANKS, 0);
    const uint32_t shape = put_shape(&b, int_tokens, sizeof int_tokens);
    uint64_t steps = put_rule(&b, (struct rules_symbol[]){{2, 2, false, false}, {8, 5 * ROUNDS, false, false}},
                              2); /* 1, 1, 4, 4, ... */
    const uint32_t columns[] = {put_column(&b, EXPRESSION_PLUS, 7), put_column(&b, EXPRESSION_CONSTANT, (int64_t)steps),
                                put_column(&b, EXPRESSION_CONSTANT, -3)};
    const uint32_t one = put_column(&b, EXPRESSION_PLUS, 100), unzipped = put_unzipped(&b, shape, columns, 3);
    const uint32_t single = put_signature(&b, shape, 0, &one, 1), signatures[] = {unzipped, unzipped, single, single};
    const uint32_t row = put_group_class(&b, 1, 0);
    uint64_t round = put_sequence(&b, order, LENGTH);
    put_value_group(&b, put_rule(&b, (struct rules_symbol[]){{rules_start(round), ROUNDS, true, false}}, 1), signatures,
                    4);
    put_group(&b, false, put_rule(&b, (struct rules_symbol[]){{0, LENGTH * ROUNDS, false, false}}, 1), &row, 1,
              put_counting(&b, RANKS));
    struct pilgrim_trace *trace = open_good(&b);
    for (uint32_t r = 0; r < RANKS; r++) {
        int64_t met[2] = {0, 0};
        struct pilgrim_cursor *cursor = open_cursor(trace, r), *behind = open_cursor(trace, r);
        ck_assert_int_eq(pilgrim_cursor_skip(behind, LENGTH * (ROUNDS - 1)), PILGRIM_OK);
        for (size_t i = 0; i < LENGTH * ROUNDS; i++) {
            uint64_t place = order[i % LENGTH];
            int64_t k = place < 2 ? met[place]++ : 0,
                    expected = place < 2 ? 7 + r - 3 * (k < 3 ? k : 4 * k - 6) : 100 + r;
            ck_assert_int_eq(next_call(cursor).in[0].integer, expected);
            if (i >= LENGTH * (ROUNDS - 1))
                ck_assert_int_eq(next_call(behind).in[0].integer, expected);
        }
        expect_end(cursor);
        expect_end(behind);
    }
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
    const uint32_t columns[] = {put_column(&b, EXPRESSION_CONSTANT, 5),
                                put_column(&b, EXPRESSION_CONSTANT, (int64_t)steps)};
    const uint32_t signature = put_signature(&b, put_shape(&b, int_tokens, sizeof int_tokens), 10000, columns, 2);
    const uint32_t row = put_group_class(&b, 1, 0);
    put_value_group(&b, put_sequence(&b, order, LENGTH), &signature, 1);
    put_group(&b, false, put_rule(&b, (struct rules_symbol[]){{0, LENGTH, false, false}}, 1), &row, 1,
              put_counting(&b, 1));
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
    const uint8_t tokens[] = {VALUE_SERIES, (uint8_t)n, shapes,     VALUE_INT, VALUE_ARRAY, 2,
                              VALUE_RANK,   VALUE_BOOL, VALUE_NONE, VALUE_NONE};
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
        columns[count++] = put_column(b, EXPRESSION_CONSTANT, (int64_t)put_differences(b, pattern, n));
    columns[count++] = put_column(b, EXPRESSION_PLUS, ints[0]);
    columns[count++] = put_column(b, EXPRESSION_CONSTANT, (int64_t)put_differences(b, ints, int_count));
    if (shapes > 1) {
        columns[count++] = put_column(b, EXPRESSION_PLUS, ranks[0]);
        columns[count++] = put_column(b, EXPRESSION_CONSTANT, (int64_t)put_differences(b, ranks, rank_count));
        columns[count++] = put_column(b, EXPRESSION_CONSTANT, bools[0]);
        columns[count++] = put_column(b, EXPRESSION_CONSTANT, (int64_t)put_differences(b, bools, rank_count));
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
    const uint32_t signature = put_series(&b, pattern, n, _i % 5 ? 3 : 1), row = put_group_class(&b, 1, 0);
    put_value_group(&b, 1, &signature, 1);
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

/* ---- shards ---- */

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
            put_rule(&parts[i], (struct rules_symbol[]){{7, 7, false, false}},
                     1); /* other numbers for the same rules */
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
        pilgrim_thread_info(cursor, &info);
        ck_assert_uint_eq(info.structure_group, r < 2 ? 1 : r < 3 ? 3 : 5);
        expect_end(cursor);
    }
    pilgrim_close(trace);
    /* Without its end: as many shards as are whole. */
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

/* ---- hostile contents ---- */

/* One in SHARDS of the changes to a trace of groups, parts, columns, vectors and series of all kinds. */
enum { SHARDS = 4, MUTATIONS = 4000 };

START_TEST(contents_changed)
{
    struct built b;
    struct expected_member members[RANKS_MAX];
    uint32_t who[RANKS_MAX];
    struct expected_values *columns = calloc(3 * 12 * 3, sizeof *columns);
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
    const uint32_t zero = put_column(&b, EXPRESSION_CONSTANT, 0);
    const uint32_t vector[] = {put_column(&b, EXPRESSION_MINUS, 5),
                               put_column(&b, EXPRESSION_CONSTANT, 2 * 4 + 1),
                               put_column(&b, EXPRESSION_XOR, 3),
                               zero,
                               zero,
                               zero,
                               put_column(&b, EXPRESSION_XOR_RELATIVE, 3),
                               zero};
    const uint32_t signatures[] = {put_series(&b, pattern, 20, 3), put_signature(&b, shape, 2, vector, 8)};
    const uint32_t row = put_group_class(&b, 1, 0);
    uint64_t ramp = put_rule(&b, (struct rules_symbol[]){{0, 3, false, true}}, 1);
    put_value_group(&b, put_rule(&b, (struct rules_symbol[]){{rules_start(ramp), 3, true, false}}, 1), signatures, 2);
    put_group(&b, false, put_rule(&b, (struct rules_symbol[]){{0, 9, false, false}}, 1), &row, 1,
              put_sums(&b, 30, put_rule(&b, (struct rules_symbol[]){{2, 9, false, false}}, 1)));
    built_contents(&b);
    struct bytes contents[SECTION_TYPE_COUNT] = {[SECTION_DEFINITIONS] = b.definitions, [SECTION_CALLS] = b.calls},
                 file = {0};
    put_together(contents, SECTION_CALLS, &file);
    ck_assert_int_eq(walk(file.data, file.length), PILGRIM_OK);
    ck_assert_uint_gt(walk_changed(contents, SECTION_CALLS, trials(MUTATIONS)), trials(MUTATIONS) / 50);
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
    tcase_add_test(good, blocks);
    tcase_add_test(good, skip_far);
    tcase_add_test(good, vectors_of_signatures);
    tcase_add_test(good, signatures_that_stand_twice);
    tcase_add_test(good, long_vector);
    tcase_add_loop_test(good, series, 0, 20);
    tcase_add_test(good, volumes);
    tcase_add_loop_test(bad, contents_changed, 0, SHARDS);
    suite_add_tcase(suite, good);
    suite_add_tcase(suite, bad);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
