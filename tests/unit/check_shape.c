/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes, slots and array series: together they give the key back. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/value_run.h"
#include "base/value.h"
#include "merge/shape.h"

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

static const uint32_t strings[] = {7, 5, 300};

/* ---- keys ---- */

static void put(struct bytes *key, uint8_t tag, int64_t a, int64_t b)
{
    bytes_put_u8(key, tag);
    if (tag == VALUE_NAME || tag == VALUE_OBJECT)
        bytes_put(key, (uint8_t[]){(uint8_t)(a % 3), 0}, 2);
    if (value_slots(tag) > 0)
        bytes_put_u64(key, (uint64_t)a);
    if (value_slots(tag) > 1)
        bytes_put_u64(key, (uint64_t)b);
}

static void put_status(struct bytes *key, int64_t i, bool error)
{
    bytes_put_u8(key, VALUE_STATUS);
    bytes_put_u8(key, error ? STATUS_ERROR : 0);
    put(key, VALUE_RANK_BASE, 1, 0);
    put(key, VALUE_RANK, i % 5, 0);
    put(key, VALUE_INT, i, 0);
    put(key, VALUE_INT, 8, 0);
    put(key, VALUE_BOOL, 0, 0);
    if (error)
        put(key, VALUE_INT, 3, 0);
}

/* One element; KIND stays the same for a while, so that there are series. */
static void put_element(struct bytes *key, unsigned kind, int64_t i)
{
    static const uint8_t tags[] = {VALUE_INT, VALUE_NAME, VALUE_REQUEST, VALUE_NONE, VALUE_HEAP};
    if (kind == 0)
        put_status(key, i, i % 7 == 9);
    else if (kind == 6)
        put(key, VALUE_INT, i % 50 == 3 ? INT64_MIN : (int64_t)draw(1000000), 0); /* differences that do not fit */
    else
        put(key, tags[kind - 1], kind == 2 ? 1 : i * 4, 17);
}

static void put_array(struct bytes *key, unsigned depth)
{
    uint32_t n = (uint32_t)draw(depth ? 70 : 400);
    unsigned kind = (unsigned)draw(7);
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!draw(150))
            kind = (unsigned)draw(7);
        if (!depth && !draw(200))
            put_array(key, 1);
        else
            put_element(key, kind, i);
    }
}

static void put_u16(struct bytes *key, uint64_t value)
{
    bytes_put(key, (uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, 2);
}

/* An array that is kept, or changes of one, or both. */
static bool put_kept(struct bytes *key)
{
    uint64_t way = draw(5), count = draw(300);
    if (way == 3) {
        bytes_put_u8(key, VALUE_POSTED);
        bytes_put_u8(key, (uint8_t)draw(2));
        bytes_put_u64(key, draw(64));
        bytes_put_u64(key, draw(9));
        return false;
    }
    const bool is_register = way < 2 || draw(2);
    if (is_register) {
        bytes_put_u8(key, VALUE_REGISTER);
        put_u16(key, draw(2) ? draw(65536) : draw(3));
    }
    if (way == 0) {
        bytes_put_u8(key, VALUE_ARRAY);
        bytes_put_u32(key, 2);
        put_element(key, 0, 5);
        put_element(key, 3, 5);
        return is_register;
    }
    if (way == 4) {
        bytes_put_u8(key, VALUE_COMPLETED);
        bytes_put_u8(key, (uint8_t)draw(256));
        put_element(key, (unsigned)draw(7), (int64_t)count);
        return is_register;
    }
    bytes_put_u8(key, VALUE_EDITED);
    put_u16(key, draw(2) ? draw(65536) : draw(3));
    put_u16(key, count);
    for (uint64_t i = 0; i < count; i++) {
        put(key, VALUE_INT, (int64_t)i * 3, 0);
        put_element(key, (unsigned)draw(7), (int64_t)i);
    }
    return true;
}

/* ---- back from shape, slots and lists ---- */

struct joiner {
    struct cursor shape;
    const struct slots *slots;
    size_t next;
    const struct intern *stored_deltas;
    struct bytes key;
    unsigned series, mixed;
};

/* The differences of the list with this hash, to be freed. */
static int64_t *stored_deltas_of(const struct joiner *j, int64_t hash, uint64_t count)
{
    int64_t *differences = calloc(count + 1, sizeof *differences);
    for (uint32_t i = 0; hash && i < j->stored_deltas->count; i++) {
        size_t length, at = 0;
        struct cursor in;
        struct nested_runs r = {0};
        struct nested_run item;
        size_t starts[64], depth = 0;
        uint64_t n = 0;
        const uint8_t *packed = intern_get(j->stored_deltas, i, &length);
        if (stored_deltas_hash(packed, length) != hash)
            continue;
        cursor_init(&in, packed, length);
        ck_assert_int_eq(cursor_u8(&in), STORED_DELTAS_RUNS);
        ck_assert_int_eq(nested_runs_unpack(&in, &r), PILGRIM_OK);
        while (nested_runs_next(&r, &at, &item)) {
            if (item.exponent & NESTED_RUN_BEGIN) {
                starts[depth++] = n;
            } else if (item.exponent & NESTED_RUN_END) {
                uint64_t size = n - starts[--depth];
                for (uint64_t k = 1; k < (item.exponent & ~NESTED_RUN_END); k++, n += size)
                    memcpy(&differences[n], &differences[starts[depth]], size * sizeof *differences);
            } else {
                for (uint64_t k = 0; k < item.exponent; k++)
                    differences[n++] = item.value;
            }
            ck_assert_uint_le(n, count);
        }
        ck_assert_uint_eq(n, count);
        nested_runs_free(&r);
        return differences;
    }
    ck_assert_int_eq(hash, 0);
    return differences;
}

static int64_t number_of(const uint32_t *map, uint64_t string)
{
    for (int64_t i = 0; i < 3; i++)
        if (map[i] == string)
            return i;
    ck_abort_msg("a string that was never given");
}

static void join_series(struct joiner *j);

/* VALUES: of the slots in a series, in their order; NULL: outside of one. */
static void join_value(struct joiner *j, const int64_t *values, size_t *slot)
{
    uint8_t tag = cursor_u8(&j->shape);
    uint64_t children = 0;
    if (tag == VALUE_SERIES) {
        ck_assert_ptr_null(values);
        join_series(j);
        return;
    }
    bytes_put_u8(&j->key, tag);
    if (tag == VALUE_NAME || tag == VALUE_OBJECT)
        bytes_put(&j->key, (uint8_t[]){(uint8_t)number_of(strings, cursor_varint(&j->shape)), 0}, 2);
    if (tag == VALUE_ARRAY) {
        children = cursor_varint(&j->shape);
        bytes_put_u32(&j->key, (uint32_t)children);
    }
    if (tag == VALUE_REGISTER || tag == VALUE_EDITED) {
        put_u16(&j->key, cursor_varint(&j->shape));
        children = 1;
    }
    if (tag == VALUE_EDITED) {
        children = cursor_varint(&j->shape);
        put_u16(&j->key, children);
        children *= 2;
    }
    if (tag == VALUE_COMPLETED) {
        bytes_put_u8(&j->key, (uint8_t)cursor_varint(&j->shape));
        children = 1;
    }
    if (tag == VALUE_POSTED)
        bytes_put_u8(&j->key, cursor_u8(&j->shape));
    if (tag == VALUE_STATUS) {
        uint8_t bits = cursor_u8(&j->shape);
        bytes_put_u8(&j->key, bits);
        children = bits & STATUS_ERROR ? 5 : 4;
    }
    if (tag == VALUE_RANK_BASE)
        children = 1;
    for (unsigned i = 0; i < value_slots(tag); i++)
        bytes_put_u64(&j->key, (uint64_t)(values ? values[(*slot)++] : j->slots->items[j->next++].value));
    while (children-- > 0)
        join_value(j, values, slot);
}

enum { WIDTH_MAX = 1024, KINDS_MAX = 16 };

/* The values of one shape in a series. */
struct value_kind {
    struct cursor shape;
    size_t width;
    int64_t at[WIDTH_MAX], *stored_deltas[WIDTH_MAX];
    uint64_t count, next;
};

/* Where the slots of a kind are and what they hold; its values come COUNT times. */
static void read_kind(struct joiner *j, struct value_kind *k, uint64_t count)
{
    static const int64_t nothing[WIDTH_MAX];
    struct bytes key = j->key;
    k->shape = j->shape;
    k->count = count;
    k->width = 0;
    k->next = 0;
    j->key = (struct bytes){0};
    join_value(j, nothing, &k->width);
    bytes_free(&j->key);
    j->key = key;
    ck_assert_uint_lt(k->width, WIDTH_MAX);
    for (size_t i = 0; i < k->width; i++) {
        k->at[i] = j->slots->items[j->next++].value;
        ck_assert_int_eq(j->slots->items[j->next].kind, SLOT_DELTAS);
        k->stored_deltas[i] = stored_deltas_of(j, j->slots->items[j->next++].value, count - 1);
    }
}

static void next_of_kind(struct joiner *j, struct value_kind *k)
{
    struct cursor after = j->shape;
    size_t slot = 0;
    j->shape = k->shape;
    join_value(j, k->at, &slot);
    j->shape = after;
    if (++k->next < k->count)
        for (size_t i = 0; i < k->width; i++)
            k->at[i] = (int64_t)((uint64_t)k->at[i] + (uint64_t)k->stored_deltas[i][k->next - 1]);
}

static void join_series(struct joiner *j)
{
    static struct value_kind kinds[KINDS_MAX];
    uint64_t n = cursor_varint(&j->shape), m = cursor_varint(&j->shape), counts[KINDS_MAX] = {0};
    ck_assert_uint_ge(n, SLOT_SERIES_MIN);
    ck_assert_uint_le(m, KINDS_MAX);
    int64_t *changes = stored_deltas_of(j, m > 1 ? j->slots->items[j->next++].value : 0, n - 1), at = 0;
    for (uint64_t i = 0; i < n; i++) {
        counts[at]++;
        at += i + 1 < n ? changes[i] : 0;
        ck_assert(at >= 0 && (uint64_t)at < m);
    }
    for (uint64_t i = 0; i < m; i++)
        read_kind(j, &kinds[i], counts[i]);
    bytes_put_u8(&j->key, VALUE_ARRAY);
    bytes_put_u32(&j->key, (uint32_t)n);
    at = 0;
    for (uint64_t i = 0; i < n; i++) {
        next_of_kind(j, &kinds[at]);
        at += i + 1 < n ? changes[i] : 0;
    }
    for (uint64_t i = 0; i < m; i++)
        for (size_t k = 0; k < kinds[i].width; k++)
            free(kinds[i].stored_deltas[k]);
    free(changes);
    j->series++;
    j->mixed += m > 1;
}

START_TEST(shape_and_slots_give_the_key)
{
    unsigned series = 0, mixed = 0;
    for (int round = 0; round < 1500; round++) {
        struct bytes key = {0}, shape = {0}, rewritten = {0};
        struct slots slots = {0};
        struct intern stored_deltas = {0};
        struct shape_names names = {.strings = strings, .count = 3};
        for (uint64_t k = draw(3); k > 0; k--)
            put_array(&key, 0);
        bool registers = false; /* then no array is a series */
        for (uint64_t k = draw(2) ? draw(3) : 0; k > 0; k--)
            registers |= put_kept(&key);
        put(&key, VALUE_INT, 5, 0);
        ck_assert_int_eq(shape_split(key.data, key.length, &names, &stored_deltas, &shape, &slots), PILGRIM_OK);

        uint32_t count;
        bool has_series;
        ck_assert_int_eq(shape_slots(shape.data, shape.length, &count, &has_series), PILGRIM_OK);
        ck_assert_uint_eq(count, slots.count);
        ck_assert(!registers || !has_series);
        static const uint32_t same[301] = {[5] = 5, [7] = 7, [300] = 300};
        ck_assert_int_eq(shape_rewrite(shape.data, shape.length, same, 301, &rewritten), PILGRIM_OK);
        ck_assert_uint_eq(rewritten.length, shape.length);
        ck_assert_mem_eq(rewritten.data, shape.data, shape.length);

        struct joiner j = {.slots = &slots, .stored_deltas = &stored_deltas};
        cursor_init(&j.shape, shape.data, shape.length);
        while (cursor_left(&j.shape) > 0)
            join_value(&j, NULL, NULL);
        ck_assert_uint_eq(j.key.length, key.length);
        ck_assert_mem_eq(j.key.data, key.data, key.length);
        ck_assert_uint_eq(j.next, slots.count);
        ck_assert_int_eq(has_series, j.series > 0);
        series += j.series;
        mixed += j.mixed;
        bytes_free(&j.key);
        bytes_free(&key);
        bytes_free(&shape);
        bytes_free(&rewritten);
        slots_free(&slots);
        intern_free(&stored_deltas);
    }
    ck_assert_uint_gt(series, 500);
    ck_assert_uint_gt(mixed, 200);
}
END_TEST

/* N values in a row, by steps that change now and then, as they are and in runs. */
static void put_runs(struct bytes *key, struct bytes *short_key, uint32_t n)
{
    struct run_writer run = {0};
    unsigned kind = 1;
    int64_t at = 0, step = 1;
    for (struct bytes *to = key; to; to = to == key ? short_key : NULL) {
        bytes_put_u8(to, VALUE_ARRAY);
        bytes_put_u32(to, n);
    }
    uint8_t *short_end = bytes_reserve(short_key, n * 64);
    ck_assert_ptr_nonnull(short_end);
    for (uint32_t i = 0; i < n; i++) {
        size_t before = key->length;
        if (!draw(20)) {
            kind = (unsigned)draw(6);
            step = (int64_t)draw(5) - 2;
        }
        if (!draw(40))
            at = (int64_t)draw(2) ? INT64_MAX - 3 : 0;
        at = (int64_t)((uint64_t)at + (uint64_t)step);
        if (kind == 0)
            put_status(key, at, draw(50) == 0);
        else
            put(key, (const uint8_t[]){VALUE_INT, VALUE_NAME, VALUE_REQUEST, VALUE_NONE, VALUE_LIVE}[kind - 1],
                kind == 2 || kind == 3 || kind == 5 ? (int64_t)draw(40) / 39 : at, at);
        memcpy(short_end, key->data + before, key->length - before);
        short_end = run_put(&run, short_end, short_end + (key->length - before));
    }
    short_key->length = (size_t)(short_end - short_key->data);
}

START_TEST(runs_are_the_values_that_they_stand_for)
{
    size_t plain = 0, in_runs = 0;
    for (int round = 0; round < 500; round++) {
        struct bytes keys[2] = {{0}}, shapes[2] = {{0}};
        struct slots slots[2] = {{0}};
        struct intern stored_deltas[2] = {0};
        put_runs(&keys[0], &keys[1], (uint32_t)draw(400));
        plain += keys[0].length;
        in_runs += keys[1].length;
        for (int i = 0; i < 2; i++) {
            struct shape_names names = {.strings = strings, .count = 3};
            put(&keys[i], VALUE_INT, 5, 0);
            ck_assert_int_eq(
                shape_split(keys[i].data, keys[i].length, &names, &stored_deltas[i], &shapes[i], &slots[i]),
                PILGRIM_OK);
        }
        ck_assert_uint_eq(shapes[1].length, shapes[0].length);
        ck_assert_mem_eq(shapes[1].data, shapes[0].data, shapes[0].length);
        ck_assert_uint_eq(slots[1].count, slots[0].count);
        for (size_t i = 0; i < slots[0].count; i++) {
            ck_assert_int_eq(slots[1].items[i].value, slots[0].items[i].value);
            ck_assert_uint_eq(slots[1].items[i].kind, slots[0].items[i].kind);
            ck_assert_int_eq(slots[1].items[i].base, slots[0].items[i].base);
        }
        ck_assert_uint_eq(stored_deltas[1].count, stored_deltas[0].count);
        for (int i = 0; i < 2; i++) {
            bytes_free(&keys[i]);
            bytes_free(&shapes[i]);
            slots_free(&slots[i]);
            intern_free(&stored_deltas[i]);
        }
    }
    ck_assert_uint_lt(in_runs, plain / 3 * 2);
}
END_TEST

/* A run that is longer than its array, or whose values are not alike, or that stands elsewhere. */
START_TEST(a_run_that_cannot_be_is_refused)
{
    for (int way = 0; way < 5; way++) {
        struct bytes key = {0}, shape = {0};
        struct slots slots = {0};
        struct intern stored_deltas = {0};
        struct shape_names names = {.strings = strings, .count = 3};
        if (way != 2) {
            bytes_put_u8(&key, VALUE_ARRAY);
            bytes_put_u32(&key, 100);
        }
        bytes_put_u8(&key, VALUE_SERIES);
        bytes_put_u32(&key, way == 1 ? 101 : way == 3 ? 1 : 100);
        put(&key, VALUE_INT, 1, 0);
        put(&key, way == 4 ? VALUE_BOOL : VALUE_INT, 2, 0);
        ck_assert_int_eq(shape_split(key.data, key.length, &names, &stored_deltas, &shape, &slots),
                         way ? PILGRIM_DAMAGED : PILGRIM_OK);
        bytes_free(&key);
        bytes_free(&shape);
        slots_free(&slots);
        intern_free(&stored_deltas);
    }
}
END_TEST

START_TEST(what_is_not_a_key_is_refused)
{
    struct bytes key = {0};
    put_array(&key, 0);
    put_kept(&key);
    put(&key, VALUE_OBJECT, 1, 0);
    for (size_t length = 0; length < key.length; length++) {
        struct bytes shape = {0};
        struct slots slots = {0};
        struct intern stored_deltas = {0};
        struct shape_names names = {.strings = strings, .count = 3};
        uint8_t *copy = malloc(length + 1);
        memcpy(copy, key.data, length);
        enum pilgrim_status status = shape_split(copy, length, &names, &stored_deltas, &shape, &slots);
        ck_assert(length == 0 || status == PILGRIM_DAMAGED || status == PILGRIM_OK);
        free(copy);
        bytes_free(&shape);
        slots_free(&slots);
        intern_free(&stored_deltas);
    }
    bytes_free(&key);
}
END_TEST

START_TEST(a_name_that_is_not_known_is_asked_for)
{
    static const uint32_t unknown[] = {0, UINT32_MAX, 2};
    struct bytes key = {0}, shape = {0};
    struct slots slots = {0};
    struct intern stored_deltas = {0};
    struct shape_names names = {.strings = unknown, .count = 3};
    put(&key, VALUE_NAME, 1, 0);
    ck_assert_int_eq(shape_split(key.data, key.length, &names, &stored_deltas, &shape, &slots), PILGRIM_INVALID);
    ck_assert_uint_eq(names.missing, 1);
    bytes_free(&key);
    bytes_free(&shape);
    slots_free(&slots);
    intern_free(&stored_deltas);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shape");
    TCase *tests = tcase_create("shape");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, shape_and_slots_give_the_key);
    tcase_add_test(tests, runs_are_the_values_that_they_stand_for);
    tcase_add_test(tests, a_run_that_cannot_be_is_refused);
    tcase_add_test(tests, what_is_not_a_key_is_refused);
    tcase_add_test(tests, a_name_that_is_not_known_is_asked_for);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
