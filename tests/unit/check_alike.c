/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of calls: calls of a cursor with equal identities are equal. The values of unzipped signatures, which
 * the cursor changes in place, are those that were stored. */
#include <stdlib.h>

#include "built_trace.h"

enum { CALLS = 300, ROUNDS = 40 };

static uint32_t put_constant(struct built *b, int64_t c)
{
    return put_column(b, EXPRESSION_CONSTANT, c);
}

/* Calls of one class whose numbers are NUMBERS, of these signatures. */
static void put_calls(struct built *b, const uint64_t *numbers, size_t count, const uint32_t *signatures,
                      size_t signature_count)
{
    const uint32_t row = put_group_class(b, 1, 0);
    put_value_group(b, put_sequence(b, numbers, count), signatures, signature_count);
    put_group(b, false, put_rule(b, (struct rules_symbol[]){{0, count, false, false}}, 1), &row, 1,
              put_counting(b, b->ranks));
}

/* ---- identities ---- */

/* Some signatures of a number each, the last one unzipped. */
START_TEST(identities)
{
    enum { KNOWN = 9 };
    struct built b;
    uint32_t signatures[KNOWN];
    uint64_t numbers[CALLS], seen[KNOWN] = {0}, highest = 0;
    state = (uint64_t)_i + 1;
    built_begin(&b, 1, 0);
    const uint32_t shape = put_shape(&b, int_tokens, sizeof int_tokens), zero = put_constant(&b, 0);
    for (uint32_t i = 0; i + 1 < KNOWN; i++) {
        const uint32_t column = put_constant(&b, 100 + i);
        signatures[i] = put_signature(&b, shape, 0, &column, 1);
    }
    signatures[KNOWN - 1] = put_unzipped(&b, shape, (uint32_t[]){put_constant(&b, 7), zero, zero}, 3);
    for (size_t i = 0; i < CALLS; i++)
        numbers[i] = i < KNOWN ? i : below(KNOWN);
    put_calls(&b, numbers, CALLS, signatures, KNOWN);
    struct pilgrim_trace *trace = open_good(&b);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    for (size_t i = 0; i < CALLS; i++) {
        const struct pilgrim_call call = next_call(cursor);
        const bool is_unzipped = numbers[i] == KNOWN - 1;
        ck_assert_int_eq(call.in[0].integer, is_unzipped ? 7 : 100 + (int64_t)numbers[i]);
        ck_assert_int_eq(call.identity == 0, is_unzipped);
        if (!is_unzipped && seen[numbers[i]] == 0)
            ck_assert_uint_eq(call.identity, ++highest);
        else
            ck_assert_uint_eq(call.identity, seen[numbers[i]]);
        seen[numbers[i]] = call.identity;
    }
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

/* More signatures than a cursor keeps: what is evaluated again has another identity. */
START_TEST(identities_of_many)
{
    enum { MANY = 20000 };
    struct built b;
    built_begin(&b, 1, 0);
    const uint64_t steps = put_rule(&b, (struct rules_symbol[]){{6, MANY - 1, false, false}}, 1);
    const uint32_t columns[] = {put_constant(&b, 5), put_constant(&b, (int64_t)steps)};
    const uint32_t signature = put_signature(&b, put_shape(&b, int_tokens, sizeof int_tokens), MANY, columns, 2);
    uint64_t *numbers = calloc(2 * MANY, sizeof *numbers);
    int64_t *of = calloc(2 * MANY + 1, sizeof *of); /* each identity: the value + 1 */
    for (size_t i = 0; i < 2 * MANY; i++)
        numbers[i] = i % MANY;
    put_calls(&b, numbers, 2 * MANY, &signature, 1);
    struct pilgrim_trace *trace = open_good(&b);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    for (size_t i = 0; i < 2 * MANY; i++) {
        const struct pilgrim_call call = next_call(cursor);
        ck_assert_int_eq(call.in[0].integer, 5 + 3 * (int64_t)numbers[i]);
        ck_assert(call.identity > 0 && call.identity <= 2 * MANY);
        ck_assert(of[call.identity] == 0 || of[call.identity] == call.in[0].integer + 1);
        of[call.identity] = call.in[0].integer + 1;
    }
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
    free(numbers);
    free(of);
}
END_TEST

/* ---- in place ---- */

/* What slots there are: an int, a truth value, a real, a view and a rank in it, an allocation's id and offset, a
 * status' source, tag, bytes and cancelled, a rank of the same view. */
static const uint8_t many_tokens[] = {VALUE_ARRAY,     6,          VALUE_INT,  VALUE_BOOL,   VALUE_REAL,
                                      VALUE_RANK_BASE, VALUE_RANK, VALUE_HEAP, VALUE_STATUS, 0,
                                      VALUE_INT,       VALUE_INT,  VALUE_INT,  VALUE_BOOL,   VALUE_RANK};
enum { SLOTS = 12, TRUTH = 1, REAL = 2, VIEW = 3, VIEWED = 4, CANCELLED = 10, LAST = 11, RANKS = 3 };

/* What slot SLOT has in call I. CHANGES: bits of the slots that change. */
static int64_t slot_value(unsigned slot, size_t i, unsigned changes)
{
    const uint64_t x = changes >> slot & 1 ? (i + 1) * (slot + 3) * UINT64_C(0x9e3779b97f4a7c15) >> 40 : slot;
    if (slot == TRUTH || slot == CANCELLED || slot == VIEW)
        return (int64_t)(x % 2);
    return (int64_t)(slot % 3 ? x : 0 - x);
}

static uint32_t put_changing(struct built *b, unsigned changes, size_t bad_at)
{
    uint32_t columns[3 * SLOTS];
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        uint64_t codes[CALLS], all = 0;
        for (size_t i = 0; i + 1 < CALLS; i++) {
            int64_t next = slot_value(slot, i + 1, changes), before = slot_value(slot, i, changes);
            codes[i] =
                zigzag((slot == TRUTH && i + 1 == bad_at ? 2 : next) - (slot == TRUTH && i == bad_at ? 2 : before));
            all |= codes[i];
        }
        columns[3 * slot] = put_constant(b, slot_value(slot, 0, changes));
        columns[3 * slot + 1] = put_constant(b, all ? (int64_t)put_sequence(b, codes, CALLS - 1) : 0);
        columns[3 * slot + 2] = put_constant(b, 1);
    }
    return put_unzipped(b, put_shape(b, many_tokens, sizeof many_tokens), columns, 3 * SLOTS);
}

static void expect_rank(const struct pilgrim_value *v, int64_t stored, int64_t own, int64_t size)
{
    ck_assert_int_eq(v->type, PILGRIM_RANK);
    ck_assert_int_eq(v->integer, ((stored + own) % size + size) % size);
    ck_assert_int_eq(((stored - v->relative) % size + size) % size, 0);
    ck_assert(2 * v->relative > -size && 2 * v->relative <= size);
}

static void expect_changing(const struct pilgrim_call *call, uint32_t rank, size_t i, unsigned changes)
{
    int64_t s[SLOTS], bits;
    const struct pilgrim_value *v = call->in[0].items;
    for (unsigned slot = 0; slot < SLOTS; slot++)
        s[slot] = slot_value(slot, i, changes);
    ck_assert_int_eq(v[0].integer, s[0]);
    ck_assert_int_eq(v[1].integer, s[TRUTH]);
    memcpy(&bits, &v[2].real, sizeof bits);
    ck_assert_int_eq(bits, s[REAL]);
    const int64_t own = s[VIEW] ? rank / 2 % SIZE_1 : rank, size = s[VIEW] ? SIZE_1 : RANKS;
    expect_rank(&v[3], s[VIEWED], own, size);
    ck_assert_int_eq(v[4].id, s[5]);
    ck_assert_int_eq(v[4].offset, s[6]);
    for (unsigned k = 0; k < 4; k++)
        ck_assert_int_eq(v[5].items[k].integer, s[7 + k]);
    expect_rank(&call->ret, s[LAST], own, size);
    ck_assert_uint_eq(call->identity, 0);
}

/* Any slots change; BAD_AT: from this call on a truth value is wrong. */
START_TEST(in_place)
{
    struct built b;
    struct pilgrim_error error;
    struct pilgrim_call call;
    const uint64_t numbers[CALLS] = {0};
    state = (uint64_t)_i + 77;
    unsigned changes = _i == 0 ? 0 : _i == 1 ? (1u << SLOTS) - 1 : (unsigned)below(1u << SLOTS);
    if (_i % 3)
        changes &= ~(1u << VIEW);
    const size_t bad_at = _i % 5 == 4 ? 1 + below(CALLS - 1) : CALLS;
    built_begin(&b, RANKS, 0);
    const uint32_t signature = put_changing(&b, changes, bad_at);
    put_calls(&b, numbers, CALLS, &signature, 1);
    struct pilgrim_trace *trace = open_good(&b);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, rank);
        size_t i = rank * below(20);
        ck_assert_int_eq(pilgrim_cursor_skip(cursor, i), PILGRIM_OK);
        for (; i < bad_at && i < CALLS; i++) {
            call = next_call(cursor);
            expect_changing(&call, rank, i, changes);
            if (i % 50 == 20 && i + 9 < bad_at && i + 9 < CALLS)
                i += (size_t)(pilgrim_cursor_skip(cursor, 9) == PILGRIM_OK) * 9;
        }
        const bool bad = bad_at < CALLS && i == bad_at;
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), bad ? PILGRIM_DAMAGED : PILGRIM_END);
        if (bad)
            ck_assert_msg(strstr(error.message, "a truth value that is neither") != NULL, "%s", error.message);
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alike");
    TCase *tests = tcase_create("alike");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, identities, 0, ROUNDS);
    tcase_add_test(tests, identities_of_many);
    tcase_add_loop_test(tests, in_place, 0, ROUNDS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
