/* SPDX-License-Identifier: BSD-3-Clause */
/* Request arrays that a call completes, and statuses that follow from the posted receive, are read as the plain values,
 * whatever way the cursor takes to the call. Damaged ones are refused. */
#include "built_trace.h"
#include "read/value/begun.h"

enum { RANKS = 3, CALLS = 300, ITEMS = 6, REQUEST_CLASS = 7, PARAMETER = 1 };

/* A rank sees its own on top of source. */
struct post {
    int64_t count, source, tag;
    bool known;
};

struct request {
    int64_t request_index;
    struct post post; /* of the last call before that gave it out */
};

struct completion {
    struct request in[ITEMS];
    size_t count;
    size_t indices[ITEMS];
    int64_t unit[ITEMS]; /* 0: the status is null */
    bool ignored[ITEMS];
};

struct begun_model {
    bool completes[CALLS];
    struct completion completions[CALLS];
    struct post posts[CALLS];
    int64_t request_index[CALLS];
};

struct begun_draft {
    struct built *built;
    struct bytes tokens;
    uint32_t columns[64];
    size_t count;
};

static void put_tokens(struct begun_draft *d, const uint8_t *tokens, size_t count)
{
    bytes_put(&d->tokens, tokens, count);
}

#define TOKENS(d, ...) put_tokens(d, (uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__})

static void put_slot(struct begun_draft *d, enum expression_kind kind, int64_t value)
{
    d->columns[d->count++] = put_column(d->built, kind, value);
}

static uint32_t finish(struct begun_draft *d)
{
    TOKENS(d, VALUE_NONE);
    uint32_t signature =
        put_signature(d->built, put_shape(d->built, d->tokens.data, d->tokens.length), 0, d->columns, d->count);
    bytes_free(&d->tokens);
    return signature;
}

static uint32_t put_post(struct built *b, const struct post *post, int64_t request_index)
{
    struct begun_draft d = {.built = b};
    TOKENS(&d, VALUE_INT, VALUE_INT, VALUE_INT, VALUE_REQUEST);
    put_slot(&d, EXPRESSION_CONSTANT, post->count);
    put_slot(&d, EXPRESSION_PLUS, post->source);
    put_slot(&d, EXPRESSION_CONSTANT, post->tag);
    put_slot(&d, EXPRESSION_CONSTANT, REQUEST_CLASS);
    put_slot(&d, EXPRESSION_CONSTANT, request_index);
    return finish(&d);
}

static uint32_t put_completion(struct built *b, const struct completion *c)
{
    struct begun_draft d = {.built = b};
    TOKENS(&d, VALUE_ARRAY, ITEMS);
    for (size_t i = 0; i < ITEMS; i++) {
        TOKENS(&d, VALUE_REQUEST);
        put_slot(&d, EXPRESSION_CONSTANT, REQUEST_CLASS);
        put_slot(&d, EXPRESSION_CONSTANT, c->in[i].request_index);
    }
    TOKENS(&d, VALUE_COMPLETED, PARAMETER, VALUE_NONE);
    if (c->count != 1)
        TOKENS(&d, VALUE_ARRAY, (uint8_t)c->count);
    for (size_t i = 0; i < c->count; i++) {
        TOKENS(&d, VALUE_INT);
        put_slot(&d, EXPRESSION_CONSTANT, (int64_t)c->indices[i]);
    }
    TOKENS(&d, VALUE_ARRAY, (uint8_t)c->count);
    for (size_t i = 0; i < c->count; i++) {
        if (!c->unit[i]) {
            TOKENS(&d, VALUE_NONE);
            continue;
        }
        TOKENS(&d, VALUE_POSTED, c->ignored[i]);
        put_slot(&d, EXPRESSION_CONSTANT, (int64_t)c->indices[i]);
        put_slot(&d, EXPRESSION_CONSTANT, c->unit[i]);
    }
    return finish(&d);
}

static void draw_completion(struct completion *c, const struct post *posts, size_t index_count)
{
    for (size_t i = 0; i < ITEMS; i++) {
        c->in[i].request_index = (int64_t)below(index_count);
        c->in[i].post = posts[c->in[i].request_index];
    }
    for (size_t i = 0; i < ITEMS; i++) {
        if (below(3))
            continue;
        c->indices[c->count] = i;
        c->unit[c->count] = c->in[i].post.known && below(4) ? 1 + (int64_t)below(9) : 0;
        c->ignored[c->count++] = below(2);
    }
}

/* Puts the first BEFORE of COUNT terminals, the next WITHIN of them REPEATS times, and the others. */
static uint64_t put_repeated(struct built *b, const uint64_t *terminals, size_t before, size_t within, size_t count,
                             uint64_t repeats)
{
    struct rules_symbol symbols[3];
    size_t used = 0;
    for (size_t part = 0; part < 3; part++) {
        const size_t from = part == 0 ? 0 : part == 1 ? before : before + within;
        const size_t to = part == 0 ? before : part == 1 ? before + within : count;
        if (to - from == 1)
            symbols[used++] = (struct rules_symbol){.value = terminals[from], .exponent = part == 1 ? repeats : 1};
        else if (to > from)
            symbols[used++] = (struct rules_symbol){.value = rules_start(put_sequence(b, &terminals[from], to - from)),
                                                    .exponent = part == 1 ? repeats : 1,
                                                    .is_rule = true};
    }
    return put_rule(b, symbols, used);
}

/* FROM, PERIOD: calls that come REPEATS times. */
static struct pilgrim_trace *open_repeated(struct begun_model *m, size_t from, size_t period, uint64_t repeats)
{
    enum { PLACES = 40 };
    struct built b;
    struct post posts[PLACES] = {{0}};
    uint32_t signatures[2][CALLS];
    uint64_t structure[CALLS], numbers[CALLS], sequences[2];
    size_t counts[2] = {0}, before[2] = {0}, within[2] = {0};
    memset(m, 0, sizeof *m);
    built_begin(&b, RANKS, 0);
    for (size_t i = 0; i < CALLS; i++) {
        m->completes[i] = i > 1 ? below(2) : i;
        structure[i] = m->completes[i];
        numbers[i] = i;
        before[m->completes[i]] += i < from;
        within[m->completes[i]] += i >= from && i < from + period;
        uint32_t *next = &signatures[m->completes[i]][counts[m->completes[i]]++];
        if (m->completes[i]) {
            draw_completion(&m->completions[i], posts, PLACES);
            *next = put_completion(&b, &m->completions[i]);
        } else {
            m->posts[i] = (struct post){1 + (int64_t)below(100), (int64_t)below(10), (int64_t)below(5), true};
            m->request_index[i] = (int64_t)below(PLACES);
            posts[m->request_index[i]] = m->posts[i];
            *next = put_post(&b, &m->posts[i], m->request_index[i]);
        }
    }
    for (size_t k = 0; k < 2; k++) {
        struct rules_symbol ramp = {.value = 0, .exponent = counts[k], .is_ramp = true};
        sequences[k] =
            repeats == 1 ? put_rule(&b, &ramp, 1) : put_repeated(&b, numbers, before[k], within[k], counts[k], repeats);
    }
    const uint64_t sequence =
        repeats == 1 ? put_sequence(&b, structure, CALLS) : put_repeated(&b, structure, from, period, CALLS, repeats);
    uint32_t rows[2];
    for (size_t k = 0; k < 2; k++) {
        rows[k] = put_group_class(&b, k ? COMPLETING_CLASS : POSTING_CLASS, 0);
        put_value_group(&b, sequences[k], signatures[k], counts[k]);
    }
    put_group(&b, false, sequence, rows, 2, put_counting(&b, RANKS));
    return open_good(&b);
}

static struct pilgrim_trace *open_model(struct begun_model *m)
{
    return open_repeated(m, 0, 0, 1);
}

static bool completes(const struct completion *c, size_t index)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->indices[i] == index)
            return true;
    return false;
}

static void expect_completion(const struct pilgrim_call *call, const struct completion *c, uint32_t rank)
{
    const struct pilgrim_value *after = &call->out[0], *statuses = &call->out[2];
    ck_assert_int_eq(after->type, PILGRIM_ARRAY);
    ck_assert_uint_eq(after->count, ITEMS);
    for (size_t i = 0; i < ITEMS; i++) {
        ck_assert_int_eq(call->in[0].items[i].type, PILGRIM_REQUEST);
        ck_assert_int_eq(after->items[i].type, completes(c, i) ? PILGRIM_NONE : PILGRIM_REQUEST);
        ck_assert_int_eq(after->items[i].offset, completes(c, i) ? 0 : c->in[i].request_index);
    }
    ck_assert_uint_eq(statuses->count, c->count);
    for (size_t i = 0; i < c->count; i++) {
        const struct pilgrim_value *status = &statuses->items[i];
        const struct post *post = &c->in[c->indices[i]].post;
        ck_assert_int_eq(status->type, c->unit[i] ? PILGRIM_STATUS : PILGRIM_NONE);
        if (!c->unit[i])
            continue;
        ck_assert_uint_eq(status->count, 4);
        ck_assert_int_eq(status->ignored, c->ignored[i]);
        ck_assert_int_eq(status->items[0].integer, post->source + rank);
        ck_assert_int_eq(status->items[1].integer, post->tag);
        ck_assert_int_eq(status->items[2].integer, post->count * c->unit[i]);
        ck_assert_int_eq(status->items[3].type, PILGRIM_BOOL);
        ck_assert_int_eq(status->items[3].integer, 0);
    }
}

START_TEST(values_are_the_plain_ones)
{
    static struct begun_model m;
    struct pilgrim_error error;
    struct pilgrim_call call;
    state = (uint64_t)_i + 1;
    struct pilgrim_trace *trace = open_model(&m);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct pilgrim_cursor *cursor = open_cursor(trace, rank);
        for (size_t i = 0; i < CALLS;) {
            uint64_t way = rank == 0 ? 0 : below(6);
            if (way == 1) {
                uint64_t count = below(i % 3 ? 5 : 50);
                ck_assert_int_eq(pilgrim_cursor_skip(cursor, count), PILGRIM_OK);
                i += count;
            } else if (way == 2) { /* what is stored does not disturb */
                ck_assert_int_eq(pilgrim_signature(cursor, below(2), 0, &call, &error), PILGRIM_OK);
            } else {
                ck_assert_msg(pilgrim_cursor_next(cursor, &call, &error) == PILGRIM_OK, "%s", error.message);
                ck_assert_uint_eq(call.seq, i);
                if (m.completes[i])
                    expect_completion(&call, &m.completions[i], rank);
                i++;
            }
        }
        ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, &error), PILGRIM_END);
        pilgrim_cursor_close(cursor);
    }
    pilgrim_close(trace);
}
END_TEST

static void expect_equal(const struct pilgrim_value *a, const struct pilgrim_value *b)
{
    ck_assert_int_eq(a->type, b->type);
    ck_assert_int_eq(a->integer, b->integer);
    ck_assert_int_eq(a->id, b->id);
    ck_assert_int_eq(a->offset, b->offset);
    ck_assert_uint_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        expect_equal(&a->items[i], &b->items[i]);
}

/* Two periods are read, then all but some are passed over at once. What is read then is what a cursor has that read
 * each call. */
START_TEST(repeats_are_passed)
{
    enum { REPEATS = 700, LEFT = 3 };
    static struct begun_model m;
    struct pilgrim_error error;
    state = (uint64_t)_i + 1;
    const size_t from = 2 + below(100), period = 3 + below(60);
    struct pilgrim_trace *trace = open_repeated(&m, from, period, REPEATS);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct pilgrim_cursor *all = open_cursor(trace, rank), *some = open_cursor(trace, rank);
        const uint64_t calls = CALLS + (REPEATS - 1) * period, passed = (REPEATS - 2 - LEFT) * period;
        for (uint64_t i = 0; i < calls; i++) {
            const struct pilgrim_call a = next_call(all);
            if (i == from + 2 * period)
                ck_assert_int_eq(pilgrim_cursor_skip_repeats(some, passed), PILGRIM_OK);
            if (i >= from + 2 * period && i < from + 2 * period + passed)
                continue;
            const struct pilgrim_call b = next_call(some);
            ck_assert_uint_eq(a.seq, b.seq);
            ck_assert_ptr_eq(a.class_, b.class_);
            for (size_t k = 0; k < a.function->parameter_count; k++) {
                expect_equal(&a.in[k], &b.in[k]);
                expect_equal(&a.out[k], &b.out[k]);
            }
        }
        struct pilgrim_call call;
        ck_assert_int_eq(pilgrim_cursor_next(some, &call, &error), PILGRIM_END);
        pilgrim_cursor_close(all);
        pilgrim_cursor_close(some);
    }
    pilgrim_close(trace);
}
END_TEST

/* ---- one call that posts, one that completes ---- */

static const char nobody[] = "a request that no call has posted", nowhere[] = "where no parameter begins",
                  no_such_index[] = "a completed array without the completed indexes",
                  no_array[] = "an array that does not exist";

#define BYTES(...)                                                                                                     \
    sizeof(uint8_t[]){__VA_ARGS__},                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define POSTS       VALUE_INT, VALUE_INT, VALUE_INT, VALUE_REQUEST
#define ONE_REQUEST VALUE_ARRAY, 1, VALUE_REQUEST

/* Slots are 0 but those of the second call's statuses. */
static const struct {
    const char *message; /* NULL: nothing is wrong */
    bool late;           /* a cursor meets it */
    uint8_t first_length, first[8];
    uint8_t second_length, second[24];
    int64_t position; /* the last slots of the second call: this and 4 */
} cases[] = {
    {NULL, true, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_COMPLETED, 1, VALUE_NONE, VALUE_INT, VALUE_POSTED, 0), 0},
    {NULL, true, BYTES(POSTS),
     BYTES(ONE_REQUEST, VALUE_COMPLETED, 1, VALUE_NONE, VALUE_ARRAY, 0, VALUE_ARRAY, 1, VALUE_POSTED, 1), 0},
    {NULL, true, BYTES(POSTS),
     BYTES(ONE_REQUEST, VALUE_REGISTER, 0, VALUE_COMPLETED, 1, VALUE_NONE, VALUE_INT, VALUE_POSTED, 0), 0},
    {NULL, true, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_COMPLETED, 2, VALUE_POSTED, 0, VALUE_NONE, VALUE_INT), 0},
    {nobody, true, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_NONE, VALUE_NONE, VALUE_POSTED, 0), 1},
    {nobody, true, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_NONE, VALUE_NONE, VALUE_POSTED, 0), -1},
    {nobody, true, BYTES(POSTS), BYTES(VALUE_NONE, VALUE_NONE, VALUE_NONE, VALUE_POSTED, 0), 0},
    {nobody, true, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_NONE, VALUE_POSTED, 0, VALUE_NONE), 9},
    {nobody, true, BYTES(POSTS), BYTES(VALUE_POSTED, 0, VALUE_NONE, VALUE_NONE, VALUE_NONE), 0},
    {nobody, true, BYTES(VALUE_NONE, VALUE_INT, VALUE_INT, VALUE_REQUEST),
     BYTES(ONE_REQUEST, VALUE_NONE, VALUE_NONE, VALUE_POSTED, 0), 0},
    {nobody, true, BYTES(VALUE_INT, VALUE_INT, VALUE_INT, VALUE_NONE),
     BYTES(ONE_REQUEST, VALUE_NONE, VALUE_NONE, VALUE_POSTED, 0), 0},
    {no_such_index, true, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_COMPLETED, 0, VALUE_NONE, VALUE_INT, VALUE_POSTED, 0),
     0},
    {no_such_index, true, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_COMPLETED, 3, VALUE_NONE, VALUE_INT, VALUE_POSTED, 0),
     0},
    {no_such_index, true, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_COMPLETED, 1, VALUE_NONE, VALUE_NONE, VALUE_POSTED, 0),
     0},
    {no_such_index, true, BYTES(POSTS),
     BYTES(ONE_REQUEST, VALUE_COMPLETED, 1, VALUE_NONE, VALUE_ARRAY, 1, VALUE_NONE, VALUE_POSTED, 0), 0},
    {no_such_index, true, BYTES(POSTS), BYTES(VALUE_ARRAY, 0, VALUE_COMPLETED, 1, VALUE_NONE, VALUE_INT, VALUE_NONE),
     0},
    {no_array, true, BYTES(POSTS), BYTES(VALUE_NONE, VALUE_COMPLETED, 1, VALUE_NONE, VALUE_NONE, VALUE_NONE), 0},
    {no_array, true, BYTES(POSTS), BYTES(VALUE_COMPLETED, 1, VALUE_NONE, VALUE_NONE, VALUE_NONE, VALUE_NONE), 0},
    {no_array, true, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_NONE, VALUE_COMPLETED, 2, VALUE_NONE, VALUE_NONE), 0},
    {nowhere, false, BYTES(POSTS),
     BYTES(ONE_REQUEST, VALUE_ARRAY, 1, VALUE_COMPLETED, 1, VALUE_NONE, VALUE_INT, VALUE_NONE), 0},
    {nowhere, false, BYTES(POSTS),
     BYTES(ONE_REQUEST, VALUE_COMPLETED, 1, VALUE_COMPLETED, 1, VALUE_NONE, VALUE_INT, VALUE_NONE), 0},
    {"unknown bits", false, BYTES(POSTS), BYTES(ONE_REQUEST, VALUE_NONE, VALUE_NONE, VALUE_POSTED, 2), 0},
    {"in a series", false, BYTES(POSTS),
     BYTES(ONE_REQUEST, VALUE_NONE, VALUE_NONE, VALUE_SERIES, 2, 1, VALUE_POSTED, 0), 0},
};

static uint32_t put_tokens_of(struct built *b, const uint8_t *tokens, size_t length, int64_t position)
{
    struct begun_draft d = {.built = b};
    put_tokens(&d, tokens, length);
    for (size_t i = 0; i < length; i++) {
        for (unsigned k = 0; k < value_slots(tokens[i]); k++)
            put_slot(&d, EXPRESSION_CONSTANT, tokens[i] != VALUE_POSTED ? 0 : k ? 4 : position);
        i += tokens[i] == VALUE_ARRAY || tokens[i] == VALUE_REGISTER || tokens[i] == VALUE_COMPLETED ||
             tokens[i] == VALUE_POSTED;
        i += tokens[i] == VALUE_SERIES ? 2 : 0;
    }
    return finish(&d);
}

START_TEST(told_apart)
{
    struct built b;
    struct pilgrim_error error;
    struct pilgrim_call call;
    built_begin(&b, 1, 0);
    const uint32_t signatures[2] = {put_tokens_of(&b, cases[_i].first, cases[_i].first_length, 0),
                                    put_tokens_of(&b, cases[_i].second, cases[_i].second_length, cases[_i].position)};
    uint32_t rows[2];
    for (size_t k = 0; k < 2; k++) {
        rows[k] = put_group_class(&b, k ? COMPLETING_CLASS : POSTING_CLASS, 0);
        put_value_group(&b, 1, &signatures[k], 1);
    }
    struct rules_symbol both = {.value = 0, .exponent = 2, .is_ramp = true};
    put_group(&b, false, put_rule(&b, &both, 1), rows, 2, put_counting(&b, 1));
    struct pilgrim_trace *trace = built_open(&b, &error);
    if (!cases[_i].late) {
        ck_assert_ptr_null(trace);
        ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
        ck_assert_msg(strstr(error.message, cases[_i].message) != NULL, "%s", error.message);
        return;
    }
    ck_assert_msg(trace != NULL, "%s", error.message);
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    ck_assert_msg(pilgrim_cursor_next(cursor, &call, &error) == PILGRIM_OK, "%s", error.message);
    enum pilgrim_status status = pilgrim_cursor_next(cursor, &call, &error);
    ck_assert_msg(status == (cases[_i].message ? PILGRIM_DAMAGED : PILGRIM_OK), "%s", error.message);
    if (cases[_i].message)
        ck_assert_msg(strstr(error.message, cases[_i].message) != NULL, "%s", error.message);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

START_TEST(a_signature_is_given_as_it_is_stored)
{
    static struct begun_model m;
    struct pilgrim_error error;
    struct pilgrim_call call;
    state = 5;
    struct pilgrim_trace *trace = open_model(&m);
    struct pilgrim_cursor *cursor = open_cursor(trace, 1);
    uint64_t number = 0, posted = 0;
    for (size_t i = 0; i < CALLS; i++) {
        if (!m.completes[i])
            continue;
        ck_assert_int_eq(pilgrim_signature(cursor, 1, number++, &call, &error), PILGRIM_OK);
        ck_assert_int_eq(call.out[0].type, PILGRIM_COMPLETED);
        ck_assert_int_eq(call.out[0].id, PARAMETER);
        ck_assert_uint_eq(call.out[0].count, 1);
        for (size_t k = 0; k < m.completions[i].count; k++) {
            const struct pilgrim_value *status = &call.out[2].items[k];
            if (!m.completions[i].unit[k])
                continue;
            ck_assert_int_eq(status->type, PILGRIM_POSTED);
            ck_assert_int_eq(status->id, (int64_t)m.completions[i].indices[k]);
            ck_assert_int_eq(status->offset, m.completions[i].unit[k]);
            posted++;
        }
    }
    ck_assert_uint_gt(posted, 10);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}
END_TEST

/* ---- the table ---- */

/* Where there is no room for more, what is known is right, and what is not is not. Values of calls with an identity are
 * borrowed until the table is told. */
START_TEST(room_ends)
{
    enum { REQUESTS = 500, NOTED = 4000 };
    static struct pilgrim_value values[NOTED][3];
    static char text[] = "a long text that is longer than the others are";
    struct begun b = {.limit = (uint64_t)_i * 1000};
    const struct begun_parameters p = {.items = {0, 1, 2}, .request = 0};
    int64_t last[REQUESTS] = {0};
    size_t missing = 0;
    state = (uint64_t)_i + 1;
    for (int64_t i = 1; i < NOTED; i++) {
        struct pilgrim_value *in = values[i];
        in[0] = (struct pilgrim_value){.type = PILGRIM_INT, .integer = -i};
        in[1] = (struct pilgrim_value){.type = PILGRIM_INT};
        in[2] = (struct pilgrim_value){.type = PILGRIM_INT, .integer = i};
        struct pilgrim_value request = {
            .type = PILGRIM_REQUEST, .id = (int64_t)below(3), .offset = (int64_t)below(REQUESTS / 5)};
        if (below(5) == 0)
            in[1] = (struct pilgrim_value){.type = PILGRIM_STRING, .text = text, .length = strlen(text)};
        uint64_t identity = below(2) ? (uint64_t)i : 0;
        ck_assert_int_eq(begun_note(&b, &p, in, &request, identity), PILGRIM_OK);
        uint64_t found = begun_identity(&b, request.id, request.offset);
        ck_assert(found == identity || (found == 0 && b.full));
        if (below(100) == 0) {
            begun_settle(&b);
            memset(values, 0, sizeof values);
        }
        ck_assert_uint_le(b.bytes, b.limit);
        last[request.id * (REQUESTS / 5) + request.offset] = i;
    }
    for (int64_t i = 0; i < REQUESTS; i++) {
        const struct pilgrim_value *items;
        enum pilgrim_status status = begun_get(&b, i / (REQUESTS / 5), i % (REQUESTS / 5), &items);
        ck_assert(status == PILGRIM_OK || (status == PILGRIM_LIMIT && _i < 1000));
        if (status == PILGRIM_OK && items && items->items[BEGUN_COUNT].type == PILGRIM_INT) {
            ck_assert_int_eq(items->items[BEGUN_COUNT].integer, last[i]);
            ck_assert_int_eq(items->items[BEGUN_SOURCE].integer, -last[i]);
        } else {
            missing += last[i] > 0;
        }
    }
    ck_assert(b.full || b.bytes + 1000 > b.limit || missing == 0);
    begun_free(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("begun");
    TCase *tests = tcase_create("begun");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, values_are_the_plain_ones, 0, 10);
    tcase_add_loop_test(tests, repeats_are_passed, 0, 20);
    tcase_add_loop_test(tests, told_apart, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tests, a_signature_is_given_as_it_is_stored);
    tcase_add_loop_test(tests, room_ends, 0, 150);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
