/* SPDX-License-Identifier: BSD-3-Clause */
/* Signatures, of classes that are unzipped or not, and interning: numbers by first appearance, equal numbers for equal
 * bytes, bytes given back. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/value.h"
#include "rules/rules_walk.h"
#include "record/signature.h"

enum { DISTINCT = 5000, DRAWS = 60000 };

static size_t make_key(unsigned value, char *key)
{
    return (size_t)sprintf(key, "key %u %.*s", value, (int)(value % 300),
                           "................................................");
}

/* ---- what was recorded, back again ---- */

/* A grammar's or a sequence of numbers' expansion. */
static uint64_t *expand(const struct bytes *serialised, size_t *count)
{
    struct cursor c;
    struct rules rules;
    struct rules_cursor at;
    uint64_t terminal;
    cursor_init(&c, serialised->data, serialised->length);
    ck_assert_int_eq(rules_parse(&c, UINT64_MAX, &rules), PILGRIM_OK);
    ck_assert_uint_eq(cursor_left(&c), 0);
    size_t length = (size_t)rules_length(&rules, RULES_SEQUENCE(0));
    uint64_t *terminals = malloc(length * sizeof *terminals + 1);
    ck_assert_int_eq(rules_cursor_init(&at, &rules, RULES_SEQUENCE(0)), PILGRIM_OK);
    for (*count = 0; rules_cursor_next(&at, &terminal);)
        terminals[(*count)++] = terminal;
    ck_assert_uint_eq(*count, length);
    rules_cursor_free(&at);
    rules_free(&rules);
    return terminals;
}

static int64_t *expand_deltas(const struct delta_sequence *n, const struct intern *pool)
{
    struct bytes b = {0};
    int64_t factor;
    ck_assert_int_eq(delta_sequence_serialise(n, pool, &b, &factor), PILGRIM_OK);
    int64_t *values = calloc(n->count + 1, sizeof *values);
    size_t count = n->count - 1;
    uint64_t *codes = b.length ? expand(&b, &count) : calloc(n->count, sizeof *codes);
    ck_assert_uint_eq(count, n->count - 1);
    ck_assert_int_ne(factor, 0);
    values[0] = n->first;
    for (size_t i = 0; i < count; i++)
        values[i + 1] = (int64_t)((uint64_t)values[i] + (uint64_t)factor * (uint64_t)unzigzag(codes[i]));
    free(codes);
    bytes_free(&b);
    return values;
}

static void put_slot(uint8_t *key, uint32_t offset, int64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        key[offset + i] = (uint8_t)((uint64_t)value >> (8 * i));
}

struct recorded {
    uint8_t key[400];
    size_t length;
};

static bool same_signature(const struct signatures *s, uint32_t a, uint32_t b)
{
    size_t lengths[2];
    const uint32_t *offsets[2] = {NULL, NULL};
    const struct delta_sequence *deltas;
    uint32_t varying = signature_varying(s, a, &offsets[0], &deltas);
    return varying == signature_varying(s, b, &offsets[1], &deltas) &&
           (!varying || !memcmp(offsets[0], offsets[1], varying * sizeof *offsets[0])) &&
           signature_key(s, a, &lengths[0]) && signature_key(s, b, &lengths[1]) && lengths[0] == lengths[1] &&
           !memcmp(signature_key(s, a, &lengths[0]), signature_key(s, b, &lengths[1]), lengths[0]);
}

/* No signature has two numbers. */
static void check_once(const struct signatures *s)
{
    struct intern keys = {0};
    uint32_t *first = malloc((s->count + 1) * sizeof *first), number;
    for (uint32_t i = 0; i < s->count; i++) {
        size_t length;
        const uint8_t *key = signature_key(s, i, &length);
        uint32_t known = keys.count;
        ck_assert_int_eq(intern_add(&keys, key, length, &number), PILGRIM_OK);
        if (keys.count > known)
            first[number] = i;
        else
            ck_assert_msg(!same_signature(s, first[number], i), "signature %u is number %u as well", first[number], i);
    }
    free(first);
    intern_free(&keys);
}

/* KEY, of S, with strings in place of texts. */
static struct bytes restore_texts(const struct signatures *s, const uint8_t *key, size_t length)
{
    struct bytes b = {0};
    for (size_t at = 0; at < length;) {
        uint8_t tag = key[at];
        size_t size = 1 + (size_t)value_operands(tag) + 8 * (size_t)value_slots(tag);
        if (s->numbered && tag == VALUE_TEXT) {
            size_t text_length;
            uint32_t number = (uint32_t)key[at + 9] | (uint32_t)key[at + 10] << 8 | (uint32_t)key[at + 11] << 16;
            ck_assert_uint_lt(number, s->texts->count);
            const uint8_t *text = intern_get(s->texts, number, &text_length);
            bytes_put_u8(&b, VALUE_STRING);
            bytes_put_u32(&b, (uint32_t)text_length);
            bytes_put(&b, text, text_length);
        } else {
            size += tag == VALUE_STRING ? key[at + 1] : 0;
            bytes_put(&b, key + at, s->numbered ? size : length);
        }
        at += s->numbered ? size : length;
    }
    return b;
}

/* Whether S gives CALLS back, in their order. */
static void check_back(const struct signatures *s, const struct intern *pool, const struct recorded *calls,
                       size_t call_count)
{
    struct bytes b = {0};
    check_once(s);
    ck_assert_int_eq(sequence_serialise(&s->sequence, pool, &b), PILGRIM_OK);
    size_t count;
    uint64_t *terminals = expand(&b, &count);
    ck_assert_uint_eq(count, call_count);
    int64_t ***values = calloc(s->count, sizeof *values);
    size_t *used = calloc(s->count, sizeof *used);
    for (size_t i = 0; i < count; i++) {
        uint32_t t = (uint32_t)terminals[i];
        size_t length;
        const uint32_t *offsets;
        const struct delta_sequence *deltas;
        uint32_t varying = signature_varying(s, t, &offsets, &deltas);
        const uint8_t *stored = signature_key(s, t, &length);
        uint8_t key[400];
        memcpy(key, stored, length);
        if (varying && !values[t]) {
            values[t] = calloc(varying, sizeof **values);
            for (uint32_t k = 0; k < varying; k++)
                values[t][k] = expand_deltas(&deltas[k], pool);
        }
        for (uint32_t k = 0; k < varying; k++) {
            ck_assert_uint_lt(used[t], deltas[k].count);
            put_slot(key, offsets[k], values[t][k][used[t]]);
        }
        used[t]++;
        struct bytes restored = restore_texts(s, key, length);
        ck_assert_uint_eq(restored.length, calls[i].length);
        ck_assert_mem_eq(restored.data, calls[i].key, restored.length);
        bytes_free(&restored);
    }
    for (uint32_t t = 0; t < s->count; t++) {
        const uint32_t *offsets;
        const struct delta_sequence *deltas;
        uint32_t varying = signature_varying(s, t, &offsets, &deltas);
        for (uint32_t k = 0; k < varying; k++) {
            ck_assert_uint_eq(deltas[k].count, used[t]);
            free(values[t] ? values[t][k] : NULL);
        }
        free(values[t]);
    }
    free(values);
    free(used);
    free(terminals);
    bytes_free(&b);
}

/* ---- keys ---- */

static void put_byte(struct recorded *r, unsigned byte)
{
    r->key[r->length++] = (uint8_t)byte;
}

static void put_int(struct recorded *r, unsigned tag, int64_t value)
{
    put_byte(r, tag);
    put_slot(r->key, (uint32_t)r->length, value);
    r->length += 8;
}

/* An array of ints. */
static void put_array(struct recorded *r, uint32_t count, int64_t first)
{
    put_byte(r, VALUE_ARRAY);
    for (unsigned i = 0; i < 4; i++)
        put_byte(r, count >> (8 * i) & 0xff);
    for (uint32_t i = 0; i < count; i++)
        put_int(r, VALUE_INT, first + i);
}

enum { CHANGING = 8, KINDS = 11, CALLS = 20000 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 20) % below;
}

/* A call of a class that changes its ways after it has had too many calls to be recorded anew: other slots, and what
 * was there before comes again. */
static void make_changing_call(unsigned kind, size_t i, struct recorded *r)
{
    bool random = i >= 9000 && i < 11000, again = i >= 13000 && i < 15000;
    r->length = 0;
    put_int(r, VALUE_INT, again && kind ? (int64_t)draw(3000) : 5);
    if (random || again || (kind == 2 && i % 10 == 0))
        put_int(r, VALUE_INT, random ? (int64_t)draw(30000) : (int64_t)(i % 2));
    else
        put_byte(r, VALUE_NONE);
    if (kind == 2)
        put_int(r, VALUE_INT, i % 1000 == 0 ? INT64_MAX - (int64_t)draw(2) : 0);
}

/* A call as of a kind of program. */
static void make_call(unsigned kind, size_t i, struct recorded *r)
{
    static int64_t wide[] = {0, INT64_MAX, INT64_MIN, 1, -1, INT64_MAX / 2 + 1};
    if (kind >= CHANGING) {
        make_changing_call(kind - CHANGING, i, r);
        return;
    }
    r->length = 0;
    put_int(r, VALUE_RANK, kind == 1 ? (int64_t)(i % 3) : (int64_t)draw(8));
    put_byte(r, VALUE_NAME);
    put_byte(r, 1);
    put_byte(r, 0);
    switch (kind) {
    case 0: /* random tags and counts */
        put_int(r, VALUE_INT, (int64_t)draw(30000));
        put_int(r, VALUE_INT, 4 * (int64_t)draw(4000));
        break;
    case 1: /* a loop over three, then the step counts up */
        put_int(r, VALUE_INT, (int64_t)(i / 3));
        break;
    case 2: /* two shapes, an array */
        if (draw(2))
            put_array(r, 1 + (uint32_t)draw(3), (int64_t)draw(1000));
        else
            put_int(r, VALUE_INT, -(int64_t)draw(100000));
        break;
    case 3: /* differences that fit no terminal now and then */
        put_int(r, VALUE_INT, draw(50) ? (int64_t)draw(5000) : wide[draw(6)]);
        break;
    case 4: /* a permutation of 700 again and again */
        put_int(r, VALUE_INT, (int64_t)((i % 700 + 1) * (i % 700 + 7) * UINT64_C(0x9e3779b97f4a7c15) >> 48));
        r->key[1] = 3;
        break;
    case 5: /* regular for long, then not */
        put_int(r, VALUE_INT, i < 12000 ? (int64_t)(i % 5) : (int64_t)draw(1 << 20));
        break;
    case 6: /* all at random, of texts too */
        put_byte(r, VALUE_STRING);
        put_byte(r, 1);
        for (int k = 0; k < 3; k++)
            put_byte(r, 0);
        put_byte(r, 'a' + (unsigned)draw(3));
        put_int(r, VALUE_INT, (int64_t)draw(1 << 30));
        break;
    default: /* long arrays stay as they are */
        put_array(r, 1 + (uint32_t)draw(70) % 5, (int64_t)draw(1 << 16));
        break;
    }
}

START_TEST(calls_come_back)
{
    unsigned kind = (unsigned)_i;
    struct signatures s = {0};
    struct intern pool = {0};
    struct recorded *calls = calloc(CALLS, sizeof *calls);
    state = kind + 1;
    for (size_t i = 0; i < CALLS; i++) {
        make_call(kind, i, &calls[i]);
        ck_assert_int_eq(signature_append(&s, &pool, calls[i].key, calls[i].length), PILGRIM_OK);
    }
    check_back(&s, &pool, calls, CALLS);
    if (kind == 0) {
        ck_assert_uint_le(s.count, 8);
        ck_assert_uint_le(signatures_memory_bytes(&s) + intern_memory_bytes(&pool), 40 * CALLS);
    }
    free(calls);
    signatures_free(&s);
    intern_free(&pool);
}
END_TEST

/* ---- strings ---- */

enum { STRING_KINDS = 6, STRING_CALLS = 30000 };

static void put_string(struct recorded *r, const char *text)
{
    size_t length = strlen(text);
    put_byte(r, VALUE_STRING);
    for (unsigned k = 0; k < 4; k++)
        put_byte(r, (unsigned)(length >> (8 * k)) & 255);
    for (size_t i = 0; i < length; i++)
        put_byte(r, (uint8_t)text[i]);
}

static void make_string_call(unsigned kind, size_t i, struct recorded *r)
{
    char text[64];
    r->length = 0;
    put_int(r, VALUE_INT, (int64_t)(i % 3));
    switch (kind) {
    case 0: /* always a new one */
        sprintf(text, "file.%05zu", i);
        break;
    case 1: /* noise, and what comes again at random */
        sprintf(text, "%08x", (unsigned)(draw(2) ? draw(UINT32_MAX) : draw(2000)));
        break;
    case 2: /* regular for long, then not */
        sprintf(text, "%c%zu", 'a' + (int)(i % 5), i < 12000 ? 0 : i / 2);
        break;
    case 3: /* a few strings, whose numbers stay in the key, and a number at random; the empty one is among them */
        sprintf(text, "%.*s", (int)draw(20), "....................");
        put_int(r, VALUE_INT, (int64_t)draw(1 << 30));
        break;
    case 4: /* strings that come once, then no strings at all */
        if (i < 9000 || i % 100 == 0) {
            sprintf(text, "%zu", i);
            break;
        }
        put_int(r, VALUE_INT, (int64_t)draw(1 << 20));
        return;
    default: /* a byte 0 within stays where it is */
        put_string(r, "ab");
        r->key[r->length - 1] = i % 2 ? 0 : 'c';
        sprintf(text, "%zu", i);
    }
    put_string(r, text);
    put_int(r, VALUE_INT, 7);
}

START_TEST(strings_come_back)
{
    unsigned kind = (unsigned)_i;
    struct intern pool = {0}, texts = {0};
    struct signatures s = {.texts = &texts};
    struct recorded *calls = calloc(STRING_CALLS, sizeof *calls);
    state = kind + 1;
    for (size_t i = 0; i < STRING_CALLS; i++) {
        make_string_call(kind, i, &calls[i]);
        ck_assert_int_eq(signature_append(&s, &pool, calls[i].key, calls[i].length), PILGRIM_OK);
    }
    check_back(&s, &pool, calls, STRING_CALLS);
    ck_assert(s.numbered);
    if (kind == 0) {
        ck_assert_uint_le(s.count, 4);
        ck_assert_uint_le(signatures_memory_bytes(&s) + intern_memory_bytes(&pool) + intern_memory_bytes(&texts),
                          60 * STRING_CALLS);
    }
    free(calls);
    signatures_free(&s);
    intern_free(&pool);
    intern_free(&texts);
}
END_TEST

/* Where the values come round, memory ceases to grow. */
/* Where memory is short a few signatures are enough: values that keep being new then take little; those that come again
 * stay signatures. */
START_TEST(relief_unzips_early)
{
    enum { SHORT = 40 };
    struct signatures fresh = {0}, steady = {0};
    struct intern pool = {0};
    bool unzipped;
    uint8_t key[9] = {VALUE_INT};
    for (int i = 0; i < SHORT; i++) {
        put_slot(key, 1, i * 7919 % 1009);
        ck_assert_int_eq(signature_append(&fresh, &pool, key, sizeof key), PILGRIM_OK);
        put_slot(key, 1, i % 8);
        ck_assert_int_eq(signature_append(&steady, &pool, key, sizeof key), PILGRIM_OK);
    }
    size_t before = signatures_memory_bytes(&fresh);
    ck_assert_uint_eq(fresh.count, SHORT);
    ck_assert_int_eq(signatures_relieve(&fresh, &pool, &unzipped), PILGRIM_OK);
    ck_assert(unzipped);
    ck_assert_uint_eq(fresh.count, 1);
    ck_assert_uint_eq(sequence_length(&fresh.sequence), SHORT);
    ck_assert_uint_lt(signatures_memory_bytes(&fresh), before / 2);
    ck_assert_int_eq(signatures_relieve(&steady, &pool, &unzipped), PILGRIM_OK);
    ck_assert(!unzipped);
    ck_assert_uint_eq(steady.count, 8);
    signatures_free(&fresh);
    signatures_free(&steady);
    intern_free(&pool);
}
END_TEST

START_TEST(what_repeats_takes_no_more)
{
    struct signatures s = {0};
    struct intern pool = {0};
    size_t memory = 0;
    for (size_t i = 0; i < 700 * 400; i++) {
        struct recorded r;
        make_call(4, i, &r);
        ck_assert_int_eq(signature_append(&s, &pool, r.key, r.length), PILGRIM_OK);
        if (i == 700 * 100)
            memory = signatures_memory_bytes(&s) + intern_memory_bytes(&pool);
    }
    ck_assert_uint_le(signatures_memory_bytes(&s) + intern_memory_bytes(&pool), memory + memory / 8);
    signatures_free(&s);
    intern_free(&pool);
}
END_TEST

/* The same differences times a factor are the same bytes. */
START_TEST(factors_are_taken_out)
{
    static const int64_t factors[] = {1, 4, -1, -8, 1000};
    struct bytes first = {0};
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        struct delta_sequence n = {0};
        struct intern pool = {0};
        struct bytes b = {0};
        int64_t factor;
        state = 5;
        ck_assert_int_eq(delta_sequence_append(&n, &pool, 17 * factors[f]), PILGRIM_OK);
        for (int i = 0; i < 5000; i++)
            ck_assert_int_eq(delta_sequence_append(&n, &pool, factors[f] * (int64_t)draw(4000)), PILGRIM_OK);
        ck_assert_int_eq(delta_sequence_serialise(&n, &pool, &b, &factor), PILGRIM_OK);
        if (f == 0)
            bytes_put(&first, b.data, b.length);
        ck_assert_int_eq(llabs(factor), llabs(factors[f]));
        ck_assert_uint_eq(b.length, first.length);
        ck_assert_mem_eq(b.data, first.data, b.length);
        bytes_free(&b);
        delta_sequence_free(&n);
        intern_free(&pool);
    }
    bytes_free(&first);
}
END_TEST

START_TEST(terminals_follow_first_appearance)
{
    struct signatures s = {0};
    struct intern pool = {0};
    struct bytes b = {0};
    uint32_t *expected = malloc(DISTINCT * sizeof *expected), known = 0, *values = malloc(DRAWS * sizeof *values);
    memset(expected, 0xff, DISTINCT * sizeof *expected);
    srand(3);
    for (unsigned i = 0; i < DRAWS; i++) {
        char key[400];
        /* a loop of 7, disturbed now and then: predicted and unpredicted keys, which are no values */
        values[i] = rand() % 5 ? i % 7 : (unsigned)rand() % DISTINCT;
        size_t length = make_key(values[i], key);
        ck_assert_int_eq(signature_append(&s, &pool, key, length), PILGRIM_OK);
        if (expected[values[i]] == UINT32_MAX)
            expected[values[i]] = known++;
    }
    ck_assert_int_eq(sequence_serialise(&s.sequence, &pool, &b), PILGRIM_OK);
    size_t count;
    uint64_t *terminals = expand(&b, &count);
    ck_assert_uint_eq(count, DRAWS);
    for (unsigned i = 0; i < DRAWS; i++)
        ck_assert_uint_eq(terminals[i], expected[values[i]]);
    ck_assert_uint_eq(s.count, known);
    for (unsigned value = 0; value < DISTINCT; value++) {
        char key[400];
        size_t length = make_key(value, key), stored_length;
        if (expected[value] == UINT32_MAX)
            continue;
        const uint8_t *stored = signature_key(&s, expected[value], &stored_length);
        ck_assert_uint_eq(stored_length, length);
        ck_assert_mem_eq(stored, key, length);
    }
    ck_assert_uint_gt(signatures_memory_bytes(&s), known * 8);
    free(expected);
    free(values);
    free(terminals);
    bytes_free(&b);
    signatures_free(&s);
    intern_free(&pool);
}
END_TEST

START_TEST(a_prefix_is_another_key)
{
    struct signatures s = {0};
    struct intern pool = {0};
    ck_assert_int_eq(signature_append(&s, &pool, "abc", 3), PILGRIM_OK);
    ck_assert_int_eq(signature_append(&s, &pool, "ab", 2), PILGRIM_OK);
    ck_assert_int_eq(signature_append(&s, &pool, "abc", 3), PILGRIM_OK);
    ck_assert_uint_eq(s.count, 2);
    ck_assert_int_eq(signature_append(&s, &pool, "", 0), PILGRIM_LIMIT);
    signatures_free(&s);
    intern_free(&pool);
}
END_TEST

START_TEST(interned_bytes_come_back)
{
    struct intern t = {0};
    uint32_t number;
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 3000; i++) {
            char key[400];
            size_t length = i ? make_key(i, key) : 0; /* number 0: no bytes at all */
            ck_assert_int_eq(intern_add(&t, key, length, &number), PILGRIM_OK);
            ck_assert_uint_eq(number, i);
            size_t stored_length;
            const uint8_t *stored = intern_get(&t, number, &stored_length);
            ck_assert_uint_eq(stored_length, length);
            ck_assert(length == 0 || memcmp(stored, key, length) == 0);
            ck_assert_uint_eq(stored[length], 0);
        }
    }
    ck_assert_uint_eq(t.count, 3000);
    intern_free(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("signature");
    TCase *tests = tcase_create("signature");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, calls_come_back, 0, KINDS);
    tcase_add_loop_test(tests, strings_come_back, 0, STRING_KINDS);
    tcase_add_test(tests, relief_unzips_early);
    tcase_add_test(tests, what_repeats_takes_no_more);
    tcase_add_test(tests, factors_are_taken_out);
    tcase_add_test(tests, terminals_follow_first_appearance);
    tcase_add_test(tests, a_prefix_is_another_key);
    tcase_add_test(tests, interned_bytes_come_back);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
