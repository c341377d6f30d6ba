/* SPDX-License-Identifier: BSD-3-Clause */
/* Coded calls: numbers and contents are read back, what is likely takes little, and any bytes can be read without harm.
 * tests/readers compares with the second decoder, which is written from the document. */
#include "format/calls_code.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "format/mixed_coder.h"
#include "format/trace_format.h"
#include "random.h"

/* ---- numbers ---- */

enum { NUMBERS = 3000 };

struct coded_number {
    struct mixed_context about;
    uint64_t value;
};

static uint64_t draw_long(void)
{
    uint64_t v = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
    return v >> random_below(64);
}

static struct coded_number draw_number(void)
{
    static const uint64_t ends[] = {0, 1, 4095, 4096, 8191, UINT64_MAX >> 1, UINT64_MAX - 1, UINT64_MAX};
    struct coded_number n = {{random_below(MIXED_FIELDS_MAX), random_below(3), random_below(3), draw_long(), 7}, 0};
    n.value = random_below(9) ? draw_long() : ends[random_below(8)];
    return n;
}

static struct mixed_coder mixed;

START_TEST(numbers_are_read_back)
{
    static struct coded_number numbers[NUMBERS];
    struct range_encoder e;
    struct range_decoder d;
    struct bytes out = {0};
    random_state = 1;
    encoder_init(&e, &out);
    mixed_init(&mixed, false, &e, NULL);
    for (unsigned i = 0; i < NUMBERS; i++) {
        numbers[i] = draw_number();
        ck_assert_uint_eq(mixed_number(&mixed, &numbers[i].about, numbers[i].value), numbers[i].value);
    }
    encoder_end(&e);
    decoder_init(&d, out.data, out.length);
    mixed_init(&mixed, false, NULL, &d);
    for (unsigned i = 0; i < NUMBERS; i++)
        ck_assert_uint_eq(mixed_number(&mixed, &numbers[i].about, 0), numbers[i].value);
    bytes_free(&out);
}
END_TEST

/* What any of the neighbours says takes next to nothing, if the others are random. */
START_TEST(what_is_likely_takes_little)
{
    for (unsigned which = 0; which < 5; which++) {
        struct range_encoder e;
        struct bytes out = {0};
        random_state = 1;
        encoder_init(&e, &out);
        mixed_init(&mixed, false, &e, NULL);
        for (unsigned i = 0; i < NUMBERS; i++) {
            uint64_t v = random_below(50);
            struct mixed_context x = {3, which == 1 ? v : 0, which == 2 ? v : random_below(100),
                                      which == 3 ? v : random_below(100), 0};
            if (which == 4)
                x.a = x.b = x.c = v;
            mixed_number(&mixed, &x, which == 0 ? 12345 : v);
        }
        encoder_end(&e);
        ck_assert_msg(out.length < 500, "%u: %zu bytes", which, out.length);
        bytes_free(&out);
    }
}
END_TEST

/* ---- contents ---- */

enum { SHAPES = 4, CLASSES = 5, FUNCTIONS = 12 };

static struct calls_known known;

static void set_known(void)
{
    /* an array of null and an int; two requests; a heap buffer, and a value that is cut off */
    static const char *const tokens[SHAPES] = {"\x01", "\x0f\x02\x01\x03", "\x19\x19", "\x0a\x03\x02"};
    free(known.classes); /* of an earlier test */
    free(known.shapes);
    known.class_count = CLASSES;
    known.shape_count = SHAPES;
    known.function_count = FUNCTIONS;
    known.classes = calloc(CLASSES, sizeof *known.classes);
    known.shapes = calloc(SHAPES, sizeof *known.shapes);
    for (uint32_t i = 0; i < CLASSES; i++) {
        known.classes[i].function = FUNCTIONS - 1 - i % 3;
        known.classes[i].is_loop = i == 2;
    }
    for (uint32_t i = 0; i < SHAPES; i++) {
        known.shapes[i].tokens = (const uint8_t *)tokens[i];
        known.shapes[i].length = strlen(tokens[i]);
        known.shapes[i].columns = i;
    }
}

static void put_rules(struct bytes *b)
{
    bytes_put_varint(b, 3);
    bytes_put_varint(b, 0); /* a block */
    bytes_put_varint(b, 5);
    bytes_put_u8(b, 13 << 2);
    bytes_put_svarint(b, INT64_MIN);
    for (unsigned i = 0; i < (5 * 13 + 7) / 8; i++)
        bytes_put_u8(b, (uint8_t)random_below(256));
    for (unsigned i = 0; i < 2; i++) {
        unsigned symbols = 1 + random_below(20);
        bytes_put_varint(b, symbols);
        for (; symbols > 0; symbols--) {
            unsigned flags = random_below(4);
            bytes_put_varint(b, (flags & 1 ? random_below(1 + i) : draw_long() >> 2) << 2 | flags);
            if (flags & 2)
                bytes_put_varint(b, flags & 1 ? 2 * random_below(9) : draw_long());
        }
    }
}

static void put_columns(struct bytes *b)
{
    bytes_put_varint(b, 9);
    for (unsigned kind = 0; kind < 9; kind++) {
        bytes_put_varint(b, kind);
        if (kind == 8)
            bytes_put_varint(b, 3);
        for (unsigned i = kind == 8 ? 3 : 1; i > 0; i--)
            bytes_put_svarint(b, (int64_t)draw_long());
        if (kind == 6 || kind == 7)
            bytes_put_varint(b, draw_long());
    }
}

static void put_signatures(struct bytes *b)
{
    unsigned count = 30;
    bytes_put_varint(b, count);
    for (; count > 0; count--) {
        unsigned shape = random_below(SHAPES), form = random_below(3); /* single, series, unzipped */
        bytes_put_varint(b, (uint64_t)(shape + 1) << 1 | (form > 0));
        if (form > 0)
            bytes_put_varint(b, form == 1 ? 17 : 0);
        for (unsigned i = shape * (form + 1); i > 0; i--)
            bytes_put_varint(b, random_below(5));
    }
}

/* Every table, with three partitions, of 2, 3 and 2 value groups; the last one has labels. */
static void put_content(struct bytes *b)
{
    static const unsigned parts[] = {2, 3, 2};
    put_rules(b);
    put_columns(b);
    put_signatures(b);
    bytes_put_varint(b, 3);
    for (unsigned i = 0; i < 3; i++) {
        if (i == 2)
            bytes_put_varint(b, 0);
        bytes_put_varint(b, parts[i]);
        for (unsigned k = 0; k < (i == 2 ? 1 : parts[i]); k++)
            bytes_put_varint(b, random_below(10));
    }
    bytes_put_varint(b, 8 << 1 | 1);
    bytes_put_varint(b, 3);
    bytes_put_varint(b, CLASSES); /* group classes */
    for (unsigned i = 0; i < CLASSES; i++) {
        unsigned partition = random_below(4);
        bytes_put_varint(b, i == 0 ? 0 : i + 1);
        bytes_put_varint(b, partition ? partition + 1 : 0);
        for (unsigned k = partition ? parts[partition - 1] : 1; k > 0; k--) {
            unsigned signatures = random_below(4);
            bytes_put_varint(b, random_below(6));
            bytes_put_varint(b, signatures);
            for (; signatures > 0; signatures--)
                bytes_put_varint(b, random_below(30));
        }
    }
    bytes_put_varint(b, 2); /* groups */
    for (unsigned i = 0; i < 2; i++) {
        bytes_put_varint(b, random_below(9));
        bytes_put_varint(b, CLASSES);
        for (unsigned k = 0; k < CLASSES; k++) {
            bytes_put_varint(b, k + 1);
            if (k == 2)
                bytes_put_varint(b, random_below(9)); /* the body of the loop */
        }
        bytes_put_varint(b, random_below(9));
    }
}

START_TEST(contents_are_read_back)
{
    set_known();
    for (unsigned seed = 1; seed <= 100; seed++) {
        struct bytes content = {0}, coded = {0}, found = {0};
        random_state = seed;
        put_content(&content);
        ck_assert_int_eq(calls_encode(&known, &content, &coded), PILGRIM_OK);
        bytes_put_u8(&found, 'x'); /* what is there already */
        ck_assert_int_eq(calls_decode(&known, SECTION_CODED_CALLS, coded.data, coded.length, content.length, &found),
                         PILGRIM_OK);
        ck_assert_uint_eq(found.length, content.length + 1);
        ck_assert(memcmp(found.data + 1, content.data, content.length) == 0);
        bytes_free(&content);
        bytes_free(&coded);
        bytes_free(&found);
    }
}
END_TEST

enum { PLACES = 16, SUBSETS = 40 };

/* Columns take little that stand where they stood in signatures of other shapes: arrays of 16 ints or names. */
START_TEST(columns_by_place)
{
    static uint8_t tokens[SUBSETS][2 + 2 * PLACES];
    struct bytes content = {0}, coded = {0};
    struct calls_known subsets = {.shape_count = SUBSETS, .function_count = 1};
    subsets.shapes = calloc(SUBSETS, sizeof *subsets.shapes);
    random_state = 7;
    bytes_put_varint(&content, 0);
    bytes_put_varint(&content, 0);
    bytes_put_varint(&content, SUBSETS);
    for (unsigned i = 0; i < SUBSETS; i++) {
        size_t length = 0;
        tokens[i][length++] = 15;
        tokens[i][length++] = PLACES;
        bytes_put_varint(&content, 0);
        for (unsigned k = 0; k < PLACES; k++) {
            const bool is_int = random_below(2);
            tokens[i][length++] = is_int ? 3 : 2;
            if (is_int)
                bytes_put_varint(&content, 1 + (k * 7919 + 13) % 1000);
            else
                tokens[i][length++] = 0;
            subsets.shapes[i].columns += is_int;
        }
        subsets.shapes[i].tokens = tokens[i];
        subsets.shapes[i].length = length;
    }
    for (unsigned i = 0; i < 5; i++) /* no partitions, no ranks, ... */
        bytes_put_varint(&content, 0);
    ck_assert_int_eq(calls_encode(&subsets, &content, &coded), PILGRIM_OK);
    ck_assert_msg(coded.length < 110, "%zu bytes", coded.length);
    bytes_free(&content);
    bytes_free(&coded);
    free(subsets.shapes);
}
END_TEST

/* A content that is cut off, or has something behind it, cannot be coded. */
START_TEST(other_contents)
{
    set_known();
    struct bytes content = {0}, coded = {0};
    random_state = 3;
    put_content(&content);
    const size_t length = content.length;
    for (content.length = 0; content.length < length; content.length++)
        ck_assert_int_eq(calls_encode(&known, &content, &coded), PILGRIM_DAMAGED);
    bytes_put_u8(&content, 0);
    ck_assert_int_eq(calls_encode(&known, &content, &coded), PILGRIM_DAMAGED);
    while (content.length <= CODED_CALLS_MAX)
        bytes_put_u8(&content, 0);
    ck_assert_int_eq(calls_encode(&known, &content, &coded), PILGRIM_DAMAGED);
    bytes_free(&content);
    bytes_free(&coded);
}
END_TEST

/* Any bytes are a content of the length that is asked for, or damage. */
START_TEST(changed_bytes)
{
    unsigned good = 0;
    set_known();
    struct bytes content = {0}, coded = {0};
    random_state = 5;
    put_content(&content);
    ck_assert_int_eq(calls_encode(&known, &content, &coded), PILGRIM_OK);
    for (unsigned i = 0; i < 2000; i++) {
        struct bytes found = {0};
        size_t at = random_below((unsigned)coded.length),
               raw = random_below(4) ? content.length : random_below(CODED_CALLS_MAX);
        uint8_t before = coded.data[at];
        coded.data[at] = (uint8_t)random_below(256);
        size_t length = random_below(3) ? coded.length : random_below((unsigned)coded.length);
        enum pilgrim_status status = calls_decode(&known, SECTION_CODED_CALLS, coded.data, length, raw, &found);
        ck_assert(status == PILGRIM_DAMAGED || (status == PILGRIM_OK && found.length == raw));
        good += status == PILGRIM_OK;
        coded.data[at] = before;
        bytes_free(&found);
    }
    struct bytes found = {0};
    ck_assert_int_eq(calls_decode(&known, SECTION_CODED_CALLS, coded.data, coded.length, CODED_CALLS_MAX + 1, &found),
                     PILGRIM_DAMAGED);
    bytes_put(&coded, "\0\0\0\0\0", 5);
    ck_assert_int_eq(calls_decode(&known, SECTION_CODED_CALLS, coded.data, coded.length, content.length, &found),
                     PILGRIM_DAMAGED);
    ck_assert_uint_lt(good, 100);
    bytes_free(&content);
    bytes_free(&coded);
    bytes_free(&found);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("calls_code");
    TCase *tests = tcase_create("calls_code");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, numbers_are_read_back);
    tcase_add_test(tests, what_is_likely_takes_little);
    tcase_add_test(tests, contents_are_read_back);
    tcase_add_test(tests, columns_by_place);
    tcase_add_test(tests, other_contents);
    tcase_add_test(tests, changed_bytes);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
