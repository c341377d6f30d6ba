/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers: values that are stored in them, and arrays that are stored as changes to them, are read as the plain
 * arrays, whatever way the cursor takes to the call. Damaged ones are refused. */
#include <stdlib.h>

#include "built_trace.h"

enum { RANKS = 3, CALLS = 300, ITEMS = 6, REGISTERS = 4 };

/* What a rank sees is this, and its rank on top in the even places. */
struct array {
    int64_t items[ITEMS];
    bool set;
};

struct register_model {
    struct array in[CALLS], out[CALLS];
    struct array registers[REGISTERS];
};

static void put_varints(struct bytes *b, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_put_varint(b, values[i]);
}

/* A shape and its columns, which grow value by value. */
struct register_draft {
    struct built *built;
    struct bytes tokens;
    uint32_t columns[64];
    size_t count;
};

static void put_item(struct register_draft *d, int64_t value, size_t index)
{
    bytes_put_u8(&d->tokens, VALUE_INT);
    d->columns[d->count++] = put_column(d->built, index % 2 ? EXPRESSION_CONSTANT : EXPRESSION_PLUS, value);
}

static void put_array(struct register_draft *d, struct array *a)
{
    bytes_put_u8(&d->tokens, VALUE_ARRAY);
    bytes_put_varint(&d->tokens, ITEMS);
    for (size_t i = 0; i < ITEMS; i++) {
        a->items[i] = (int64_t)below(1000);
        put_item(d, a->items[i], i);
    }
}

/* A: what BASE stands for, then with changes. */
static void put_edited(struct register_draft *d, uint64_t base, struct array *a)
{
    uint64_t count = 0, chosen = below(1u << ITEMS);
    for (size_t i = 0; i < ITEMS; i++)
        count += chosen >> i & 1;
    bytes_put_u8(&d->tokens, VALUE_EDITED);
    put_varints(&d->tokens, (uint64_t[]){base, count}, 2);
    for (size_t i = 0; i < ITEMS; i++) {
        if (!(chosen >> i & 1))
            continue;
        bytes_put_u8(&d->tokens, VALUE_INT);
        d->columns[d->count++] = put_column(d->built, EXPRESSION_CONSTANT, (int64_t)i);
        a->items[i] = (int64_t)below(1000);
        put_item(d, a->items[i], i);
    }
}

/* A value in one of all ways. IN: the in-value, or NULL. AFTER: the registers after the call. */
static void put_some(struct register_draft *d, const struct register_model *m, struct array *after,
                     const struct array *in, struct array *a)
{
    size_t to = below(2 * REGISTERS), from = below(REGISTERS);
    if (to < REGISTERS) {
        bytes_put_u8(&d->tokens, VALUE_REGISTER);
        bytes_put_varint(&d->tokens, to);
    }
    if (in && below(2)) {
        *a = *in;
        put_edited(d, 0, a);
    } else if (m->registers[from].set && below(4)) {
        *a = m->registers[from];
        put_edited(d, from + 1, a);
    } else {
        put_array(d, a);
    }
    a->set = true;
    if (to < REGISTERS)
        after[to] = *a;
}

static uint32_t put_call(struct built *b, struct register_model *m, size_t i)
{
    struct register_draft d = {.built = b};
    struct array after[REGISTERS];
    memcpy(after, m->registers, sizeof after);
    put_some(&d, m, after, NULL, &m->in[i]);
    put_some(&d, m, after, &m->in[i], &m->out[i]);
    bytes_put_u8(&d.tokens, VALUE_NONE);
    memcpy(m->registers, after, sizeof after);
    uint32_t signature = put_signature(b, put_shape(b, d.tokens.data, d.tokens.length), 0, d.columns, d.count);
    bytes_free(&d.tokens);
    return signature;
}

/* Signatures each of which stands for one call. */
static struct pilgrim_trace *open_model(struct register_model *m)
{
    struct built b;
    uint32_t signatures[CALLS];
    struct rules_symbol ramp = {.value = 0, .exponent = CALLS, .is_ramp = true};
    struct rules_symbol same = {.value = 0, .exponent = CALLS};
    memset(m, 0, sizeof *m);
    built_begin(&b, RANKS, 0);
    for (size_t i = 0; i < CALLS; i++)
        signatures[i] = put_call(&b, m, i);
    const uint64_t values = put_rule(&b, &ramp, 1), structure = put_rule(&b, &same, 1);
    const uint32_t row = put_group_class(&b, CHANGING_CLASS, 0);
    put_value_group(&b, values, signatures, CALLS);
    put_group(&b, false, structure, &row, 1, put_counting(&b, RANKS));
    return open_good(&b);
}

static void expect_array(const struct pilgrim_value *v, const struct array *a, uint32_t rank)
{
    ck_assert_int_eq(v->type, PILGRIM_ARRAY);
    ck_assert_uint_eq(v->count, ITEMS);
    for (size_t i = 0; i < ITEMS; i++)
        if (v->items[i].type != PILGRIM_INT || v->items[i].integer != a->items[i] + (i % 2 ? 0 : rank))
            ck_abort_msg("item %zu of rank %u is %lld", i, rank, (long long)v->items[i].integer);
}

START_TEST(values_are_those_of_the_plain_arrays)
{
    static struct register_model m;
    struct pilgrim_error error;
    state = (uint64_t)_i + 1;
    struct pilgrim_trace *trace = open_model(&m);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, rank);
        for (size_t i = 0; i < CALLS;) {
            uint64_t way = rank == 0 ? 0 : below(6);
            struct pilgrim_call call;
            if (way == 1) {
                uint64_t count = below(i % 3 ? 5 : 50);
                ck_assert_int_eq(pilgrim_cursor_skip(cursor, count), PILGRIM_OK);
                i += count;
            } else if (way == 3) { /* what is stored does not disturb */
                ck_assert_int_eq(pilgrim_signature(cursor, 0, below(CALLS), &call, &error), PILGRIM_OK);
            } else {
                ck_assert_msg(pilgrim_cursor_next(cursor, &call, &error) == PILGRIM_OK, "%s", error.message);
                ck_assert_uint_eq(call.seq, i);
                expect_array(&call.in[0], &m.in[i], rank);
                expect_array(&call.out[0], &m.out[i], rank);
                i++;
            }
        }
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
}
END_TEST

/* Who passes over calls without a look at what they keep is told so, not given something else. */
START_TEST(passed_over)
{
    static struct register_model m;
    struct pilgrim_error error;
    struct pilgrim_call call;
    size_t number;
    state = 1;
    struct pilgrim_trace *trace = open_model(&m);
    struct pilgrim_cursor *cursor = open_cursor(trace, 1);
    for (uint64_t i = 0, count; i < CALLS; i += count) {
        ck_assert_int_eq(pilgrim_cursor_pass(cursor, &number, &count, &error), PILGRIM_OK);
        ck_assert_uint_eq(number, 0);
        ck_assert_uint_ge(count, 1);
        ck_assert_uint_le(i + count, CALLS);
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_INVALID);
    }
    uint64_t count;
    ck_assert_int_eq(pilgrim_cursor_pass(cursor, &number, &count, &error), PILGRIM_END);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

/* ---- what is stored ---- */

/* A trace of one call with a shape of TOKENS, whose slots are COLUMNS. */
static void one_call(struct built *b, const uint8_t *tokens, size_t length, const int64_t *values, size_t count)
{
    uint32_t columns[16];
    built_begin(b, 1, 0);
    for (size_t i = 0; i < count; i++)
        columns[i] = put_column(b, EXPRESSION_CONSTANT, values[i]);
    const uint32_t signature = put_signature(b, put_shape(b, tokens, length), 0, columns, count);
    const uint32_t row = put_group_class(b, CHANGING_CLASS, 0);
    put_value_group(b, 1, &signature, 1);
    put_group(b, false, 1, &row, 1, put_counting(b, 1));
}

START_TEST(a_signature_is_given_as_it_is_stored)
{
    static const uint8_t tokens[] = {VALUE_REGISTER, 2, VALUE_ARRAY, 1,         VALUE_INT,  VALUE_REGISTER, 3,
                                     VALUE_EDITED,   9, 1,           VALUE_INT, VALUE_NONE, VALUE_NONE};
    struct built b;
    struct pilgrim_error error;
    struct pilgrim_call call;
    one_call(&b, tokens, sizeof tokens, (int64_t[]){7, 4}, 2);
    struct pilgrim_trace *trace = open_good(&b);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    ck_assert_int_eq(pilgrim_signature(cursor, 0, 0, &call, &error), PILGRIM_OK);
    ck_assert_int_eq(call.in[0].type, PILGRIM_KEPT);
    ck_assert_int_eq(call.in[0].id, 2);
    ck_assert_int_eq(call.in[0].items[0].type, PILGRIM_ARRAY);
    ck_assert_int_eq(call.out[0].type, PILGRIM_KEPT);
    const struct pilgrim_value *edited = &call.out[0].items[0];
    ck_assert_int_eq(edited->type, PILGRIM_EDITED);
    ck_assert_int_eq(edited->id, 9);
    ck_assert_uint_eq(edited->count, 2);
    ck_assert_int_eq(edited->items[0].integer, 4);
    ck_assert_int_eq(edited->items[1].type, PILGRIM_NONE);
    /* As a call it is wrong, and stays so. */
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_DAMAGED);
        ck_assert_ptr_nonnull(strstr(error.message, "changes of an array that does not exist"));
    }
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

/* ---- what is wrong ---- */

static const char nowhere[] = "where no parameter begins", not_there[] = "an array that does not exist",
                  item_indices[] = "indexes that do not increase or do not exist";

#define ARRAY_2 VALUE_ARRAY, 2, VALUE_INT, VALUE_INT
#define TOKENS(...)                                                                                                    \
    sizeof(uint8_t[]){__VA_ARGS__},                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define BIG_REGISTER 0x80, 0x80, 4 /* 65536 */

static const struct {
    const char *message; /* NULL: nothing is */
    bool late;           /* a cursor meets it */
    uint8_t slots;
    uint8_t length;
    uint8_t tokens[24];
} wrong[] = {
    {NULL, true, 3, TOKENS(ARRAY_2, VALUE_EDITED, 0, 1, VALUE_INT, VALUE_NONE, VALUE_NONE)},
    {NULL, true, 2, TOKENS(VALUE_REGISTER, 0xff, 0xff, 3, ARRAY_2, VALUE_NONE, VALUE_NONE)},
    {nowhere, false, 0, TOKENS(VALUE_ARRAY, 1, VALUE_EDITED, 0, 0, VALUE_NONE, VALUE_NONE)},
    {nowhere, false, 0, TOKENS(VALUE_ARRAY, 1, VALUE_REGISTER, 0, VALUE_NONE, VALUE_NONE, VALUE_NONE)},
    {nowhere, false, 0, TOKENS(VALUE_REGISTER, 0, VALUE_REGISTER, 0, VALUE_NONE, VALUE_NONE, VALUE_NONE)},
    {nowhere, false, 1, TOKENS(VALUE_EDITED, 0, 1, VALUE_INT, VALUE_EDITED, 0, 0, VALUE_NONE, VALUE_NONE)},
    {nowhere, false, 0, TOKENS(VALUE_EDITED, 0, 0, VALUE_NONE, VALUE_EDITED, 0, 0)},
    {nowhere, false, 0, TOKENS(VALUE_NONE, VALUE_NONE, VALUE_REGISTER, 0, VALUE_NONE)},
    {"a register that does not exist", false, 0,
     TOKENS(VALUE_REGISTER, BIG_REGISTER, VALUE_NONE, VALUE_NONE, VALUE_NONE)},
    {"a register that does not exist", false, 0, TOKENS(VALUE_EDITED, 0x81, 0x80, 4, 0, VALUE_NONE, VALUE_NONE)},
    {"more changes than bytes", false, 0, TOKENS(VALUE_EDITED, 0, 9, VALUE_NONE, VALUE_NONE)},
    {"more changes than bytes", false, 0,
     TOKENS(VALUE_EDITED, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1)},
    {"an index of a change that is no number", false, 2,
     TOKENS(ARRAY_2, VALUE_EDITED, 0, 1, VALUE_NONE, VALUE_NONE, VALUE_NONE)},
    {"a series beside keep or edited", false, 0,
     TOKENS(VALUE_SERIES, 2, 1, VALUE_NONE, VALUE_EDITED, 0, 0, VALUE_NONE)},
    {not_there, true, 0, TOKENS(VALUE_EDITED, 0, 0, VALUE_NONE, VALUE_NONE)},                 /* of what goes in */
    {not_there, true, 0, TOKENS(VALUE_NONE, VALUE_EDITED, 0, 0, VALUE_NONE)},                 /* not an array */
    {not_there, true, 0, TOKENS(VALUE_EDITED, 1, 0, VALUE_NONE, VALUE_NONE)},                 /* not set */
    {not_there, true, 0, TOKENS(VALUE_EDITED, 0x80, 0x80, 4, 0, VALUE_NONE, VALUE_NONE)},     /* idem, the last one */
    {not_there, true, 2, TOKENS(VALUE_REGISTER, 0, ARRAY_2, VALUE_EDITED, 1, 0, VALUE_NONE)}, /* not before this call */
    {not_there, true, 1, TOKENS(VALUE_FLAGS, 1, VALUE_INT, VALUE_EDITED, 0, 0, VALUE_NONE)},
    {item_indices, true, 4,
     TOKENS(ARRAY_2, VALUE_EDITED, 0, 2, VALUE_INT, VALUE_NONE, VALUE_INT, VALUE_NONE, VALUE_NONE)},
    {item_indices, true, 2, TOKENS(VALUE_ARRAY, 1, VALUE_INT, VALUE_EDITED, 0, 1, VALUE_INT, VALUE_NONE, VALUE_NONE)},
    {item_indices, true, 1, TOKENS(VALUE_ARRAY, 0, VALUE_EDITED, 0, 1, VALUE_INT, VALUE_NONE, VALUE_NONE)},
};

START_TEST(refused)
{
    struct built b;
    struct pilgrim_error error;
    struct pilgrim_call call;
    static const int64_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    one_call(&b, wrong[_i].tokens, wrong[_i].length, ones, wrong[_i].slots);
    struct pilgrim_trace *trace = built_open(&b, &error);
    if (!wrong[_i].late) {
        ck_assert_ptr_null(trace);
        ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
        ck_assert_msg(strstr(error.message, wrong[_i].message) != NULL, "%s", error.message);
        return;
    }
    ck_assert_msg(trace != NULL, "%s", error.message);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    enum pilgrim_status status = pilgrim_cursor_next(cursor, &call, &error);
    if (wrong[_i].message) {
        ck_assert_int_eq(status, PILGRIM_DAMAGED);
        ck_assert_msg(strstr(error.message, wrong[_i].message) != NULL, "%s", error.message);
    } else {
        ck_assert_msg(status == PILGRIM_OK, "%s", error.message);
    }
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

/* What is damaged where calls were passed over is said by the next one. */
START_TEST(damage_that_is_passed)
{
    struct built b;
    struct pilgrim_error error;
    struct pilgrim_call call;
    static const uint8_t good[] = {VALUE_REGISTER, 0, ARRAY_2, VALUE_NONE, VALUE_NONE},
                         bad[] = {VALUE_EDITED, 1, 1, VALUE_INT, VALUE_NONE, VALUE_NONE, VALUE_NONE};
    built_begin(&b, 1, 0);
    const uint32_t nine = put_column(&b, EXPRESSION_CONSTANT, 9), both[] = {nine, nine};
    const uint32_t signatures[] = {put_signature(&b, put_shape(&b, good, sizeof good), 0, both, 2),
                                   put_signature(&b, put_shape(&b, bad, sizeof bad), 0, &nine, 1)};
    struct rules_symbol symbols[] = {{0, 2, false, false}, {1, 1, false, false}, {0, 5, false, false}};
    struct rules_symbol same = {.value = 0, .exponent = 8};
    const uint64_t values = put_rule(&b, symbols, 3), structure = put_rule(&b, &same, 1);
    const uint32_t row = put_group_class(&b, CHANGING_CLASS, 0);
    put_value_group(&b, values, signatures, 2);
    put_group(&b, false, structure, &row, 1, put_counting(&b, 1));
    struct pilgrim_trace *trace = open_good(&b);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_cursor_skip(cursor, 4), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_DAMAGED);
    ck_assert_msg(strstr(error.message, item_indices) != NULL, "%s", error.message);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("registers");
    TCase *tests = tcase_create("registers");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, values_are_those_of_the_plain_arrays, 0, 10);
    tcase_add_test(tests, passed_over);
    tcase_add_test(tests, a_signature_is_given_as_it_is_stored);
    tcase_add_loop_test(tests, refused, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tests, damage_that_is_passed);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
