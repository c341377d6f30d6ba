/* Shapes and slots, with vectors: together they give the key back. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

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
    put(key, VALUE_VIEW, 1, 0);
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

/* ---- back from shape, slots and lists ---- */

struct joiner {
    struct cursor shape;
    const struct slots *slots;
    size_t next;
    const struct intern *lists;
    struct bytes key;
    unsigned vectors;
};

/* The differences of the list with this hash, to be freed. */
static int64_t *list_of(const struct joiner *j, int64_t hash, uint64_t count)
{
    int64_t *differences = calloc(count + 1, sizeof *differences);
    for (uint32_t i = 0; hash && i < j->lists->count; i++) {
        size_t length, at = 0;
        struct cursor in;
        struct repeats r = {0};
        struct repeats_item item;
        size_t starts[64], depth = 0;
        uint64_t n = 0;
        const uint8_t *packed = intern_get(j->lists, i, &length);
        if (list_hash(packed, length) != hash)
            continue;
        cursor_init(&in, packed, length);
        ck_assert_int_eq(repeats_unpack(&in, &r), PILGRIM_OK);
        while (repeats_next(&r, &at, &item)) {
            if (item.exponent & REPEATS_BEGIN) {
                starts[depth++] = n;
            } else if (item.exponent & REPEATS_END) {
                uint64_t size = n - starts[--depth];
                for (uint64_t k = 1; k < (item.exponent & ~REPEATS_END); k++, n += size)
                    memcpy(&differences[n], &differences[starts[depth]], size * sizeof *differences);
            } else {
                for (uint64_t k = 0; k < item.exponent; k++)
                    differences[n++] = item.value;
            }
            ck_assert_uint_le(n, count);
        }
        ck_assert_uint_eq(n, count);
        repeats_free(&r);
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

/* VALUES: of the slots in a vector, in their order; NULL: outside of one. */
static void join_value(struct joiner *j, const int64_t *values, size_t *slot)
{
    uint8_t tag = cursor_u8(&j->shape);
    uint64_t children = 0;
    bytes_put_u8(&j->key, tag);
    if (tag == VALUE_NAME || tag == VALUE_OBJECT)
        bytes_put(&j->key, (uint8_t[]){(uint8_t)number_of(strings, cursor_varint(&j->shape)), 0}, 2);
    if (tag == VALUE_ARRAY) {
        children = cursor_varint(&j->shape);
        bytes_put_u32(&j->key, (uint32_t)children);
    }
    if (tag == VALUE_STATUS) {
        uint8_t bits = cursor_u8(&j->shape);
        bytes_put_u8(&j->key, bits);
        children = bits & STATUS_ERROR ? 5 : 4;
    }
    if (tag == VALUE_VIEW)
        children = 1;
    for (unsigned i = 0; i < value_slots(tag); i++)
        bytes_put_u64(&j->key, (uint64_t)(values ? values[(*slot)++] : j->slots->items[j->next++].value));
    while (children > 0) {
        if (j->shape.data[j->shape.position] != VALUE_VECTOR) {
            join_value(j, values, slot);
            children--;
            continue;
        }
        cursor_u8(&j->shape);
        uint64_t k = cursor_varint(&j->shape);
        ck_assert_uint_ge(k, VECTOR_MIN);
        ck_assert_ptr_null(values);
        struct cursor element = j->shape, back = element;
        int64_t at[32], *lists[32];
        size_t width = 0;
        struct bytes key = j->key;
        j->key = (struct bytes){0}; /* once for its slots */
        int64_t nothing[32] = {0};
        join_value(j, nothing, &width);
        bytes_free(&j->key);
        j->key = key;
        for (size_t i = 0; i < width; i++) {
            at[i] = j->slots->items[j->next++].value;
            ck_assert_int_eq(j->slots->items[j->next].kind, SLOT_LIST);
            lists[i] = list_of(j, j->slots->items[j->next++].value, k - 1);
        }
        for (uint64_t n = 0; n < k; n++) {
            size_t next = 0;
            j->shape = back;
            join_value(j, at, &next);
            for (size_t i = 0; i < width; i++)
                at[i] = (int64_t)((uint64_t)at[i] + (uint64_t)(n + 1 < k ? lists[i][n] : 0));
        }
        for (size_t i = 0; i < width; i++)
            free(lists[i]);
        children -= k;
        j->vectors++;
    }
}

START_TEST(shape_and_slots_give_the_key)
{
    unsigned vectors = 0;
    for (int round = 0; round < 1500; round++) {
        struct bytes key = {0}, shape = {0}, rewritten = {0};
        struct slots slots = {0};
        struct intern lists = {0};
        struct shape_names names = {.strings = strings, .count = 3};
        for (uint64_t k = draw(3); k > 0; k--)
            put_array(&key, 0);
        put(&key, VALUE_INT, 5, 0);
        ck_assert_int_eq(shape_split(key.data, key.length, &names, &lists, &shape, &slots), PILGRIM_OK);

        uint32_t count;
        bool has_vector;
        ck_assert_int_eq(shape_slots(shape.data, shape.length, &count, &has_vector), PILGRIM_OK);
        ck_assert_uint_eq(count, slots.count);
        static const uint32_t same[301] = {[5] = 5, [7] = 7, [300] = 300};
        ck_assert_int_eq(shape_rewrite(shape.data, shape.length, same, 301, &rewritten), PILGRIM_OK);
        ck_assert_uint_eq(rewritten.length, shape.length);
        ck_assert_mem_eq(rewritten.data, shape.data, shape.length);

        struct joiner j = {.slots = &slots, .lists = &lists};
        cursor_init(&j.shape, shape.data, shape.length);
        while (cursor_left(&j.shape) > 0)
            join_value(&j, NULL, NULL);
        ck_assert_uint_eq(j.key.length, key.length);
        ck_assert_mem_eq(j.key.data, key.data, key.length);
        ck_assert_uint_eq(j.next, slots.count);
        ck_assert_int_eq(has_vector, j.vectors > 0);
        vectors += j.vectors;
        bytes_free(&j.key);
        bytes_free(&key);
        bytes_free(&shape);
        bytes_free(&rewritten);
        slots_free(&slots);
        intern_free(&lists);
    }
    ck_assert_uint_gt(vectors, 1000);
}
END_TEST

START_TEST(what_is_not_a_key_is_refused)
{
    struct bytes key = {0};
    put_array(&key, 0);
    put(&key, VALUE_OBJECT, 1, 0);
    for (size_t length = 0; length < key.length; length++) {
        struct bytes shape = {0};
        struct slots slots = {0};
        struct intern lists = {0};
        struct shape_names names = {.strings = strings, .count = 3};
        uint8_t *copy = malloc(length + 1);
        memcpy(copy, key.data, length);
        enum pilgrim_status status = shape_split(copy, length, &names, &lists, &shape, &slots);
        ck_assert(length == 0 || status == PILGRIM_DAMAGED || status == PILGRIM_OK);
        free(copy);
        bytes_free(&shape);
        slots_free(&slots);
        intern_free(&lists);
    }
    bytes_free(&key);
}
END_TEST

START_TEST(a_name_that_is_not_known_is_asked_for)
{
    static const uint32_t unknown[] = {0, UINT32_MAX, 2};
    struct bytes key = {0}, shape = {0};
    struct slots slots = {0};
    struct intern lists = {0};
    struct shape_names names = {.strings = unknown, .count = 3};
    put(&key, VALUE_NAME, 1, 0);
    ck_assert_int_eq(shape_split(key.data, key.length, &names, &lists, &shape, &slots), PILGRIM_INVALID);
    ck_assert_uint_eq(names.missing, 1);
    bytes_free(&key);
    bytes_free(&shape);
    slots_free(&slots);
    intern_free(&lists);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shape");
    TCase *tests = tcase_create("shape");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, shape_and_slots_give_the_key);
    tcase_add_test(tests, what_is_not_a_key_is_refused);
    tcase_add_test(tests, a_name_that_is_not_known_is_asked_for);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
