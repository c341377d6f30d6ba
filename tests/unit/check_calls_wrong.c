/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces with one thing wrong: each is refused with the right message, when it is opened or when the wrong thing is
 * reached. */
#include <stdlib.h>

#include "built_trace.h"

enum { WRONG_RANKS = 40 };

/* What a trace of two classes and WRONG_RANKS ranks is made of, each of which a case may spoil. */
struct wrong_trace {
    uint32_t shape, column, signature, row, other_row, members;
    uint64_t sequence; /* of the calls: 0, 1, 0 */
    uint64_t values;   /* of those of class 0: 0, 0 */
};

static void start(struct built *b, struct wrong_trace *r)
{
    built_begin(b, WRONG_RANKS, 0);
    r->sequence = put_sequence(b, (uint64_t[]){0, 1, 0}, 3);
    r->values = put_sequence(b, (uint64_t[]){0, 0}, 2);
    r->shape = put_shape(b, int_tokens, sizeof int_tokens);
    r->column = put_column(b, EXPRESSION_CONSTANT, 3);
    r->signature = put_signature(b, r->shape, 0, &r->column, 1);
    r->members = put_counting(b, WRONG_RANKS);
}

static void put_rows(struct built *b, struct wrong_trace *r)
{
    r->row = put_group_class(b, 1, 0);
    put_value_group(b, r->values, &r->signature, 1);
    r->other_row = put_group_class(b, 2, 0);
    put_value_group(b, 1, &r->signature, 1);
}

static void finish(struct built *b, struct wrong_trace *r)
{
    put_rows(b, r);
    put_group(b, false, r->sequence, (uint32_t[]){r->row, r->other_row}, 2, r->members);
}

static void nothing_wrong(struct built *b, struct wrong_trace *r)
{
    finish(b, r);
}

static void falling_members(struct built *b, struct wrong_trace *r)
{
    r->members = put_list(b, (int64_t[]){1, 0}, 2);
    finish(b, r);
}

static void members_of_the_rank(struct built *b, struct wrong_trace *r)
{
    r->members = put_column(b, EXPRESSION_PLUS, 0);
    finish(b, r);
}

static void members_missing(struct built *b, struct wrong_trace *r)
{
    r->members = put_counting(b, WRONG_RANKS - 1);
    finish(b, r);
}

static void members_too_many(struct built *b, struct wrong_trace *r)
{
    r->members = put_counting(b, WRONG_RANKS + 1);
    finish(b, r);
}

static void no_members(struct built *b, struct wrong_trace *r)
{
    finish(b, r);
    put_group(b, false, 0, NULL, 0, put_list(b, NULL, 0));
}

/* Two groups of one and the same rank. */
static void member_twice(struct built *b, struct wrong_trace *r)
{
    r->members = put_counting(b, WRONG_RANKS - 2);
    finish(b, r);
    for (unsigned i = 0; i < 2; i++)
        put_group(b, false, r->sequence, (uint32_t[]){r->row, r->other_row}, 2,
                  put_column(b, EXPRESSION_CONSTANT, WRONG_RANKS - 1));
}

static void class_missing(struct built *b, struct wrong_trace *r)
{
    put_rows(b, r);
    put_group(b, false, r->sequence, &r->row, 1, r->members);
}

static void row_beyond(struct built *b, struct wrong_trace *r)
{
    put_rows(b, r);
    put_group(b, false, 1, (uint32_t[]){r->other_row + 1}, 1, r->members);
}

static void values_too_few(struct built *b, struct wrong_trace *r)
{
    r->values = 1;
    finish(b, r);
}

static void values_unequal(struct built *b, struct wrong_trace *r)
{
    uint32_t places[] = {put_counting(b, WRONG_RANKS - 1), put_column(b, EXPRESSION_CONSTANT, WRONG_RANKS - 1)};
    uint32_t row = put_group_class(b, 1, 1 + put_partition(b, places, 2));
    put_value_group(b, r->values, &r->signature, 1);
    put_value_group(b, 1, &r->signature, 1);
    put_group(b, false, 1, &row, 1, r->members);
}

static void value_beyond(struct built *b, struct wrong_trace *r)
{
    r->values = put_sequence(b, (uint64_t[]){0, 1}, 2);
    finish(b, r);
}

static void column_too_long(struct built *b, struct wrong_trace *r)
{
    uint32_t column = put_counting(b, WRONG_RANKS + 1);
    r->signature = put_signature(b, r->shape, 0, &column, 1);
    finish(b, r);
}

static void columns_of_two_lengths(struct built *b, struct wrong_trace *r)
{
    uint32_t column = put_counting(b, WRONG_RANKS + 1);
    r->signature = put_signature(b, r->shape, 2, (uint32_t[]){column, r->members}, 2);
    finish(b, r);
}

static void column_beyond(struct built *b, struct wrong_trace *r)
{
    r->signature = put_signature(b, r->shape, 0, (uint32_t[]){1000}, 1);
    finish(b, r);
}

static void other_values(struct built *b, struct wrong_trace *r)
{
    r->signature = put_signature(b, put_shape(b, (uint8_t[]){VALUE_INT}, 1), 0, &r->column, 1);
    finish(b, r);
}

static void modulo_nothing(struct built *b, struct wrong_trace *r)
{
    put_modulo(b, 3, 0);
    finish(b, r);
}

static void modulo_too_much(struct built *b, struct wrong_trace *r)
{
    put_modulo(b, 3, (uint64_t)INT64_MAX + 1);
    finish(b, r);
}

static void ramp_of_differences(struct built *b, struct wrong_trace *r)
{
    put_sums(b, 3, put_rule(b, (struct rules_symbol[]){{0, 5, false, true}}, 1));
    finish(b, r);
}

/* Terminals 0, 1, 0 as a block; with SUMS the differences 0, -1, 0. */
static uint64_t put_block_010(struct built *b, bool sums)
{
    const uint8_t plain[] = {0, 3, 1 << 2, 0, 2}, summed[] = {0, 3, 1 << 2 | 1, 1, 1};
    bytes_put(&b->rules.data, sums ? summed : plain, sizeof plain);
    return RULES_SEQUENCE(b->rules.count++);
}

static void block_of_calls(struct built *b, struct wrong_trace *r)
{
    r->sequence = put_block_010(b, false);
    finish(b, r);
}

static void sums_of_calls(struct built *b, struct wrong_trace *r)
{
    r->sequence = put_block_010(b, true);
    finish(b, r);
}

/* In a rule around them, they are no better. */
static void sums_of_values(struct built *b, struct wrong_trace *r)
{
    uint64_t block = put_block_010(b, true);
    r->values = put_rule(b, (struct rules_symbol[]){{rules_start(block), 2, true, false}}, 1);
    finish(b, r);
}

static void wrong_block(struct built *b, struct wrong_trace *r)
{
    put_block_010(b, false);
    b->rules.data.data[b->rules.data.length - 1] |= 8;
    finish(b, r);
}

static void rule_beyond(struct built *b, struct wrong_trace *r)
{
    put_sums(b, 3, RULES_SEQUENCE(1000));
    finish(b, r);
}

static void vector_of_one(struct built *b, struct wrong_trace *r)
{
    put_signature(b, r->shape, 1, (uint32_t[]){r->column, r->column}, 2);
    finish(b, r);
}

static void vector_of_series(struct built *b, struct wrong_trace *r)
{
    static const uint8_t tokens[] = {VALUE_SERIES, 2, 1, VALUE_INT, VALUE_NONE};
    put_signature(b, put_shape(b, tokens, sizeof tokens), 2, (uint32_t[]){r->column, r->column}, 2);
    finish(b, r);
}

static void series_of_series(struct built *b, struct wrong_trace *r)
{
    static const uint8_t tokens[] = {VALUE_SERIES, 2, 1, VALUE_SERIES, 2, 1, VALUE_INT};
    put_shape(b, tokens, sizeof tokens);
    finish(b, r);
}

static void series_of_more_shapes(struct built *b, struct wrong_trace *r)
{
    static const uint8_t tokens[] = {VALUE_SERIES, 2, 3, VALUE_INT, VALUE_NONE, VALUE_NONE};
    put_shape(b, tokens, sizeof tokens);
    finish(b, r);
}

static void too_many_values(struct built *b, struct wrong_trace *r)
{
    static const uint8_t tokens[] = {VALUE_SERIES, 0xff, 0xff, 0xff, 0x7f, 1, VALUE_INT};
    put_shape(b, tokens, sizeof tokens);
    finish(b, r);
}

static void one_part(struct built *b, struct wrong_trace *r)
{
    put_partition(b, &r->members, 1);
    finish(b, r);
}

static void parts_overlap(struct built *b, struct wrong_trace *r)
{
    put_partition(b, (uint32_t[]){put_counting(b, 3), put_list(b, (int64_t[]){2, 3}, 2)}, 2);
    finish(b, r);
}

static void one_label(struct built *b, struct wrong_trace *r)
{
    put_labels(b, put_list(b, (int64_t[]){0, 0}, 2), 1);
    finish(b, r);
}

static void label_beyond(struct built *b, struct wrong_trace *r)
{
    put_labels(b, put_list(b, (int64_t[]){0, 2, 1}, 3), 2);
    finish(b, r);
}

static void label_below(struct built *b, struct wrong_trace *r)
{
    put_labels(b, put_list(b, (int64_t[]){0, -1, 1}, 3), 2);
    finish(b, r);
}

static void label_missing(struct built *b, struct wrong_trace *r)
{
    put_labels(b, put_list(b, (int64_t[]){0, 2, 0}, 3), 3);
    finish(b, r);
}

static void labels_of_the_rank(struct built *b, struct wrong_trace *r)
{
    put_labels(b, put_column(b, EXPRESSION_PLUS, 0), 2);
    finish(b, r);
}

static void labels_of_others(struct built *b, struct wrong_trace *r)
{
    uint32_t labels = put_list(b, (int64_t[]){0, 1, 0, 1, 1}, 5);
    uint32_t row = put_group_class(b, 1, 1 + put_labels(b, labels, 2));
    put_value_group(b, 1, &r->signature, 1);
    put_value_group(b, 1, &r->signature, 1);
    put_group(b, false, 1, &row, 1, r->members);
}

static void too_many_labels(struct built *b, struct wrong_trace *r)
{
    int64_t labels[LABELS_MAX + 1] = {1};
    put_labels(b, put_list(b, labels, LABELS_MAX + 1), 2);
    finish(b, r);
}

static void parts_of_others(struct built *b, struct wrong_trace *r)
{
    uint32_t places[] = {put_counting(b, 3), put_list(b, (int64_t[]){3, 4}, 2)};
    uint32_t row = put_group_class(b, 1, 1 + put_partition(b, places, 2));
    put_value_group(b, 1, &r->signature, 1);
    put_value_group(b, 1, &r->signature, 1);
    put_group(b, false, 1, &row, 1, r->members);
}

static const struct {
    const char *message; /* in what opening says; NULL: nothing is wrong */
    void (*make)(struct built *b, struct wrong_trace *r);
} wrong[] = {
    {NULL, nothing_wrong},
    {NULL, block_of_calls},
    {"a sequence of calls with sums", sums_of_calls},
    {"a sequence of values with sums", sums_of_values},
    {"a wrong rule", wrong_block},
    {"members of a group that do not increase", falling_members},
    {"members of a group that do not increase", members_of_the_rank},
    {"groups that do not hold each thread once", members_missing},
    {"groups that do not hold each thread once", members_too_many},
    {"groups that do not hold each thread once", no_members},
    {"groups that do not hold each thread once", member_twice},
    {"a sequence of calls with a class that its group does not have", class_missing},
    {"a group class that does not exist", row_beyond},
    {"more or fewer values than calls of a class", values_too_few},
    {"more or fewer values than calls of a class", values_unequal},
    {"a sequence of values with a signature that its class does not have", value_beyond},
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
    {"a partition with a wrong number of value groups", one_part},
    {"a partition with a wrong number of value groups", one_label},
    {"a partition whose value groups do not hold each member once", parts_overlap},
    {"a partition whose value groups do not hold each member once", label_beyond},
    {"a partition whose value groups do not hold each member once", label_below},
    {"a partition whose value groups do not hold each member once", label_missing},
    {"a partition whose value groups do not hold each member once", labels_of_the_rank},
    {"a partition whose value groups do not hold each member once", too_many_labels},
    {"a partition that is not as long as its group", parts_of_others},
    {"a partition that is not as long as its group", labels_of_others},
};

START_TEST(refused)
{
    struct built b;
    struct wrong_trace r;
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
    struct wrong_trace r;
    start(&b, &r); /* 20 ranks twice, 20 not at all */
    r.members = put_sums(&b, 1, put_rule(&b, (struct rules_symbol[]){{4, 19, false, false}}, 1));
    finish(&b, &r);
    put_group(&b, false, r.sequence, (uint32_t[]){r.row, r.other_row}, 2, r.members);
    expect_failure(&b, PILGRIM_DAMAGED, "is in no group");
    static const struct {
        uint64_t count;
        int64_t sequence;
        bool good;
    } vectors[] = {{4, 0, true},     {2, 1, true},   {4, 1, false}, {2, 1001, true},
                   {2, 1000, false}, {2, -2, false}, {2, -1, false}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        start(&b, &r);
        uint32_t sequence = put_column(&b, EXPRESSION_CONSTANT, vectors[i].sequence);
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
    } spoiled[] = {{{1, -1, 1}, 2 * 0 + 1, NULL},
                   {{1, -1, 2}, 2 * 0 + 1, "a shape that does not exist"},
                   {{-1, 1, 1}, 2 * 0 + 1, "a shape that does not exist"},
                   {{1, 0, 0}, 2 * 0 + 1, lengths},
                   {{1, -1, 0}, 2 * 0 + 1, lengths}};
    static const uint8_t tokens[] = {VALUE_SERIES, 4, 2, VALUE_INT, VALUE_NONE, VALUE_NONE};
    for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
        uint64_t codes[3];
        start(&b, &r);
        for (size_t k = 0; k < 3; k++)
            codes[k] = zigzag(spoiled[i].shapes[k]);
        const uint32_t columns[] = {put_column(&b, EXPRESSION_CONSTANT, (int64_t)put_sequence(&b, codes, 3)), r.column,
                                    put_column(&b, EXPRESSION_CONSTANT, spoiled[i].ints)};
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
    struct wrong_trace r;
    start(&b, &r);
    uint32_t zero = put_column(&b, EXPRESSION_CONSTANT, 0);
    r.signature = put_signature(&b, put_shape(&b, tokens, sizeof tokens), 0, (uint32_t[]){r.column, zero}, 2);
    finish(&b, &r);
    expect_failure(&b, PILGRIM_LIMIT, "needs more memory than is allowed");
}
END_TEST

/* Many groups, all of whose sequences are made of one long rule. */
START_TEST(work_without_end)
{
    enum { MANY = 10000, SYMBOLS = 100000 };
    struct built b;
    struct wrong_trace r;
    struct pilgrim_error error;
    built_begin(&b, MANY, 0);
    struct rules_symbol *symbols = calloc(SYMBOLS, sizeof *symbols);
    for (size_t i = 0; i < SYMBOLS; i++)
        symbols[i].exponent = 1;
    const uint32_t big = rules_start(put_rule(&b, symbols, SYMBOLS));
    free(symbols);
    r.shape = put_shape(&b, int_tokens, sizeof int_tokens);
    r.column = put_column(&b, EXPRESSION_CONSTANT, 3);
    r.signature = put_signature(&b, r.shape, 0, &r.column, 1);
    r.row = put_group_class(&b, 1, 0);
    put_value_group(&b, RULES_SEQUENCE(big), &r.signature, 1);
    for (size_t i = 0; i < MANY; i++) {
        uint64_t sequence = put_rule(&b, (struct rules_symbol[]){{big, 1, true, false}}, 1);
        put_group(&b, false, sequence, &r.row, 1, put_column(&b, EXPRESSION_CONSTANT, (int64_t)i));
    }
    ck_assert_ptr_null(built_open(&b, &error));
    ck_assert_int_eq(error.status, PILGRIM_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "more time than a file of its length may take"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("calls wrong");
    TCase *tests = tcase_create("calls wrong");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, refused, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tests, damage_met_late);
    tcase_add_test(tests, values_without_end);
    tcase_add_test(tests, work_without_end);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
