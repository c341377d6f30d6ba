/* SPDX-License-Identifier: BSD-3-Clause */
/* Coded definitions: contents are read back, what is in the dictionary takes little, and any bytes can be read without
 * harm. tests/readers compares with the second decoder, which is written from the document. */
#include "format/definitions_code.h"

#include <check.h>
#include <string.h>

#include "base/value.h"
#include "format/dictionary.h"
#include "format/trace_format.h"
#include "random.h"

static void put_text(struct bytes *b, const char *text)
{
    bytes_put(b, text, strlen(text) + 1);
}

static void put_random_text(struct bytes *b)
{
    static const char *const lines[] = {"MPI_COMM_WORLD", "library", "MPI_Finalize", "main", ""};
    if (random_below(2)) {
        put_text(b, lines[random_below(5)]);
        return;
    }
    for (unsigned left = random_below(12); left > 0; left--)
        bytes_put_u8(b, (uint8_t)(1 + random_below(255)));
    bytes_put_u8(b, 0);
}

static void put_texts(struct bytes *b, unsigned count)
{
    bytes_put_varint(b, count);
    for (; count > 0; count--)
        put_random_text(b);
}

/* ---- classes ---- */

enum { FUNCTIONS = 5, CLASSES_MAX = 40 };

static void put_classes(struct bytes *b)
{
    unsigned count = random_below(CLASSES_MAX), depth = 0, frames = 0, addresses = 0;
    bytes_put_varint(b, count);
    for (unsigned i = 0; i < count; i++)
        bytes_put_varint(b, random_below(2 * FUNCTIONS));
    for (unsigned i = 0; i < count; i++) {
        unsigned dropped = random_below(depth + 1), added = random_below(5);
        bytes_put_varint(b, dropped);
        bytes_put_varint(b, added);
        depth += added - dropped;
        frames += added;
        if (depth > 60) {
            count = i + 1;
            b->failed = true;
        }
    }
    for (; frames > 0; frames--) {
        unsigned known = random_below(addresses + 3);
        bytes_put_varint(b, known < addresses ? known + 1 : 0);
        addresses += known >= addresses;
    }
    for (unsigned i = 0; i < addresses; i++) {
        unsigned kind = random_below(6);
        bytes_put_varint(b, kind);
        if (kind == 0)
            bytes_put_varint(b, random_below(3));
    }
    for (unsigned i = 0; i < addresses; i++)
        bytes_put_varint(b, (uint64_t)random_below(UINT32_MAX) >> random_below(30));
}

/* ---- shapes ---- */

static void put_value(struct bytes *b, unsigned depth);

static void put_values(struct bytes *b, unsigned depth, unsigned count)
{
    for (; count > 0; count--)
        put_value(b, depth);
}

static void put_value(struct bytes *b, unsigned depth)
{
    uint8_t tag = (uint8_t)(1 + random_below(VALUE_TAG_COUNT - 1));
    unsigned n = random_below(depth ? 4 : 12);
    if (depth > 4)
        tag = VALUE_INT;
    bytes_put_u8(b, tag);
    switch (tag) {
    case VALUE_NAME:
    case VALUE_OBJECT:
        bytes_put_varint(b, n);
        break;
    case VALUE_STRING:
    case VALUE_SYMBOL:
        bytes_put_varint(b, n);
        for (; n > 0; n--)
            bytes_put_u8(b, (uint8_t)random_below(256));
        break;
    case VALUE_ARRAY:
    case VALUE_FLAGS:
        bytes_put_varint(b, n);
        put_values(b, depth + 1, n);
        break;
    case VALUE_STATUS:
        bytes_put_u8(b, (uint8_t)n);
        put_values(b, depth + 1, n & STATUS_ERROR ? 5 : 4);
        break;
    case VALUE_POSTED:
        bytes_put_u8(b, (uint8_t)(128 + n));
        break;
    case VALUE_SERIES:
        bytes_put_varint(b, 1000);
        bytes_put_varint(b, n);
        put_values(b, depth + 1, n);
        break;
    case VALUE_EDITED:
        bytes_put_varint(b, 0);
        bytes_put_varint(b, n);
        put_values(b, depth + 1, 2 * n);
        break;
    case VALUE_RANK_BASE:
    case VALUE_REGISTER:
    case VALUE_COMPLETED:
        if (tag != VALUE_RANK_BASE)
            bytes_put_varint(b, n);
        put_values(b, depth + 1, 1);
        break;
    default:
        break;
    }
}

static void put_shapes(struct bytes *b)
{
    unsigned count = random_below(20);
    bytes_put_varint(b, count);
    for (; count > 0; count--) {
        struct bytes shape = {0};
        put_values(&shape, 0, random_below(5));
        bytes_put_varint(b, shape.length);
        bytes_put(b, shape.data, shape.length);
        bytes_free(&shape);
    }
}

/* ---- contents ---- */

static void put_content(struct bytes *b)
{
    unsigned count = random_below(4);
    put_texts(b, random_below(20));
    bytes_put_varint(b, count);
    for (unsigned i = 0; i < 2 * count; i++)
        bytes_put_varint(b, random_below(300));
    put_texts(b, FUNCTIONS);
    bytes_put_varint(b, 3);
    bytes_put(b, "\0\0\1\4abcd\2\41\3", 11);
    count = random_below(4);
    bytes_put_varint(b, count);
    for (unsigned i = 0; i < 2 * count; i++)
        bytes_put_svarint(b, (int64_t)random_below(UINT32_MAX) << random_below(32));
    for (; count > 0; count--)
        put_random_text(b);
    put_classes(b);
    put_shapes(b);
}

/* Makes a content from SEED, with paths that are not too long. */
static void make_content(struct bytes *b, unsigned seed)
{
    random_state = seed;
    do {
        bytes_free(b);
        *b = (struct bytes){0};
        put_content(b);
    } while (b->failed);
}

START_TEST(contents_are_read_back)
{
    for (unsigned seed = 1; seed <= 60; seed++) {
        struct bytes content = {0}, coded = {0}, found = {0};
        make_content(&content, seed);
        ck_assert_int_eq(definitions_encode(&content, &coded), PILGRIM_OK);
        bytes_put_u8(&found, 'x'); /* what is there already */
        ck_assert_int_eq(
            definitions_decode(SECTION_CODED_DEFINITIONS, coded.data, coded.length, content.length, &found),
            PILGRIM_OK);
        ck_assert_uint_eq(found.length, content.length + 1);
        ck_assert(memcmp(found.data + 1, content.data, content.length) == 0);
        bytes_free(&content);
        bytes_free(&coded);
        bytes_free(&found);
    }
}
END_TEST

/* What the coder has learnt from takes a sixth of its bytes at most. */
START_TEST(the_example)
{
    struct bytes content = {0}, coded = {0};
    bytes_put(&content, definitions_example, definitions_example_length);
    ck_assert_int_eq(definitions_encode(&content, &coded), PILGRIM_OK);
    ck_assert_uint_lt(coded.length, content.length / 6);
    bytes_free(&content);
    bytes_free(&coded);
}
END_TEST

/* A content that is cut off, or has something behind it, cannot be coded. */
START_TEST(other_contents)
{
    struct bytes content = {0}, coded = {0};
    make_content(&content, 3);
    const size_t length = content.length, step = length / 60 + 1;
    for (content.length = 0; content.length < length; content.length += step)
        ck_assert_int_eq(definitions_encode(&content, &coded), PILGRIM_DAMAGED);
    content.length = length;
    bytes_put_u8(&content, 0);
    ck_assert_int_eq(definitions_encode(&content, &coded), PILGRIM_DAMAGED);
    while (content.length <= CODED_DEFINITIONS_MAX)
        bytes_put_u8(&content, 0);
    ck_assert_int_eq(definitions_encode(&content, &coded), PILGRIM_DAMAGED);
    bytes_free(&content);
    bytes_free(&coded);
}
END_TEST

/* Any bytes are a content of the length that is asked for, or damage. */
START_TEST(changed_bytes)
{
    unsigned good = 0;
    struct bytes content = {0}, coded = {0};
    make_content(&content, 5);
    ck_assert_int_eq(definitions_encode(&content, &coded), PILGRIM_OK);
    for (unsigned i = 0; i < 150; i++) {
        struct bytes found = {0};
        size_t at = random_below((unsigned)coded.length),
               raw = random_below(8) ? content.length : random_below(1 << 14);
        uint8_t before = coded.data[at];
        coded.data[at] = (uint8_t)random_below(256);
        size_t length = random_below(3) ? coded.length : random_below((unsigned)coded.length);
        enum pilgrim_status status = definitions_decode(SECTION_CODED_DEFINITIONS, coded.data, length, raw, &found);
        ck_assert(status == PILGRIM_DAMAGED || (status == PILGRIM_OK && found.length == raw));
        good += status == PILGRIM_OK;
        coded.data[at] = before;
        bytes_free(&found);
    }
    struct bytes found = {0};
    ck_assert_int_eq(
        definitions_decode(SECTION_CODED_DEFINITIONS, coded.data, coded.length, CODED_DEFINITIONS_MAX + 1, &found),
        PILGRIM_DAMAGED);
    bytes_put(&coded, "\0\0\0\0\0", 5);
    ck_assert_int_eq(definitions_decode(SECTION_CODED_DEFINITIONS, coded.data, coded.length, content.length, &found),
                     PILGRIM_DAMAGED);
    ck_assert_uint_lt(good, 75);
    bytes_free(&content);
    bytes_free(&coded);
    bytes_free(&found);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("definitions_code");
    TCase *tests = tcase_create("definitions_code");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, contents_are_read_back);
    tcase_add_test(tests, the_example);
    tcase_add_test(tests, other_contents);
    tcase_add_test(tests, changed_bytes);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
