/* SPDX-License-Identifier: BSD-3-Clause */
/* Request array deltas: a decoder gets the plain arrays back from the keys, and keys are equal where they can be. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "objects/request_array_delta.h"

enum { CLASSES = 5, REGISTERS = 16, ITEMS = 300 };

static uint32_t state;

static unsigned draw(unsigned below)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}

/* An array of requests; number 0 is MPI_REQUEST_NULL. */
struct request_array {
    unsigned count;
    unsigned items[ITEMS];
};

enum { CLASS = 3, NULL_NAME = 5 };

/* ---- what a decoder makes of it ---- */

struct decoder {
    struct request_array registers[REGISTERS];
    bool set[REGISTERS];
};

static unsigned take_u16(struct cursor *key)
{
    const uint8_t *at = cursor_take(key, 2);
    return at ? at[0] | (unsigned)at[1] << 8 : 0;
}

static unsigned take_item(struct cursor *key)
{
    if (cursor_u8(key) == VALUE_NAME) {
        ck_assert_uint_eq(take_u16(key), NULL_NAME);
        return 0;
    }
    ck_assert_uint_eq(cursor_u64(key), CLASS);
    return (unsigned)cursor_u64(key);
}

enum { PARAMETER = 3 };

/* SAID: the places that the call says. */
static struct request_array take_array(struct cursor *key, const struct decoder *d, const struct request_array *in,
                                       const struct completed_indices *said)
{
    uint8_t tag = cursor_u8(key);
    struct request_array r = {0};
    if (tag == VALUE_ARRAY) {
        r.count = cursor_u32(key);
        ck_assert_uint_le(r.count, ITEMS);
        for (unsigned i = 0, run; i < r.count; i += run) {
            run = 1;
            if (key->data[key->position] == VALUE_SERIES) { /* base/value_run.h */
                cursor_u8(key);
                run = cursor_u32(key);
                ck_assert(r.count >= VALUE_SERIES_MIN && run >= 3 && run <= r.count - i);
                r.items[i + 1] = take_item(key);
            }
            r.items[i] = run > 1 ? r.items[i + 1] : 0;
            r.items[i + (run > 1)] = take_item(key);
            for (unsigned j = 2; j < run; j++)
                r.items[i + j] = 2 * r.items[i + j - 1] - r.items[i + j - 2];
        }
        return r;
    }
    if (tag == VALUE_COMPLETED) {
        ck_assert(in && said);
        ck_assert_uint_eq(cursor_u8(key), PARAMETER);
        unsigned item = take_item(key);
        r = *in;
        for (int64_t i = 0; i < said->count; i++) {
            ck_assert(said->indices[i] >= 0 && (unsigned)said->indices[i] < r.count);
            r.items[said->indices[i]] = item;
        }
        return r;
    }
    ck_assert_int_eq(tag, VALUE_EDITED);
    unsigned base = take_u16(key), count = take_u16(key);
    ck_assert(base ? base <= REGISTERS && d->set[base - 1] : in != NULL);
    r = base ? d->registers[base - 1] : *in;
    ck_assert_uint_le(count * ARRAY_DELTA_SHARE, r.count);
    for (unsigned i = 0, last = 0; i < count; i++) {
        ck_assert_int_eq(cursor_u8(key), VALUE_INT);
        unsigned index = (unsigned)cursor_u64(key);
        ck_assert(index < r.count && (i == 0 || index > last));
        r.items[index] = take_item(key);
        last = index;
    }
    return r;
}

static void expect(const struct request_array *a, const struct request_array *b)
{
    ck_assert_uint_eq(a->count, b->count);
    ck_assert_mem_eq(a->items, b->items, a->count * sizeof *a->items);
}

/* Returns the register that the value goes to; REGISTERS: none. */
static unsigned take_register(struct cursor *key)
{
    if (!cursor_left(key) || key->data[key->position] != VALUE_REGISTER)
        return REGISTERS;
    cursor_u8(key);
    unsigned number = take_u16(key);
    ck_assert_uint_lt(number, REGISTERS);
    return number;
}

static void keep(struct decoder *d, unsigned number, const struct request_array *value)
{
    if (number == REGISTERS)
        return;
    d->registers[number] = *value;
    d->set[number] = true;
}

/* Reads a call's two values. LOST: it is not recorded, so nothing is kept. */
static void expect_call(struct decoder *d, const struct bytes *key, const struct request_array *in,
                        const struct request_array *out, const struct completed_indices *said, bool lost)
{
    struct cursor c;
    cursor_init(&c, key->data, key->length);
    const unsigned first_register = take_register(&c);
    struct request_array first = take_array(&c, d, NULL, NULL), second;
    expect(&first, in);
    const unsigned second_register = take_register(&c);
    second = take_array(&c, d, &first, said);
    expect(&second, out);
    ck_assert_uint_eq(cursor_left(&c), 0);
    ck_assert_int_eq(c.status, PILGRIM_OK);
    keep(d, lost ? REGISTERS : first_register, &first);
    keep(d, lost ? REGISTERS : second_register, &second);
}

/* ---- ---- */

static void put_plain(struct bytes *key, const struct request_array *r)
{
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, r->count);
    for (unsigned i = 0; i < r->count; i++) {
        bytes_put_u8(key, r->items[i] ? VALUE_REQUEST : VALUE_NAME);
        if (r->items[i]) {
            bytes_put_u64(key, CLASS);
            bytes_put_u64(key, r->items[i]);
        } else {
            bytes_put(key, (uint8_t[]){NULL_NAME, 0}, 2);
        }
    }
}

static void fill(struct operation_array *array, const struct request_array *in)
{
    for (unsigned i = 0; i < in->count; i++) {
        array->items[i] = in->items[i] ? (struct operation_name){CLASS, in->items[i]}
                                       : (struct operation_name){.class_number = REQUEST_NULL};
        array->null[i / 64] |= (uint64_t)!in->items[i] << i % 64;
    }
}

static void set_over(struct request_array_delta *k, const struct request_array *in, const struct request_array *out)
{
    for (unsigned i = 0; i < in->count; i++) {
        ck_assert_int_eq(array_delta_live(k, i / 64) >> i % 64 & 1, in->items[i] != 0);
        k->over[i / 64] |= (uint64_t)(in->items[i] && !out->items[i]) << i % 64;
    }
}

static void make_call(struct request_array_delta *k, uint32_t *own_register, struct bytes *key,
                      const struct request_array *in, const struct request_array *out,
                      const struct completed_indices *said)
{
    k->null_name = NULL_NAME;
    key->length = 0;
    struct operation_array *array = array_delta_begin(k, in->count);
    ck_assert_int_eq(array != NULL, in->count >= ARRAY_DELTA_MIN);
    ck_assert_int_eq(array != NULL, array_delta_under_way(k));
    if (!array) {
        put_plain(key, in);
        put_plain(key, out);
        return;
    }
    fill(array, in);
    ck_assert_int_eq(array_delta_in(k, own_register, key), own_register != NULL);
    set_over(k, in, out);
    array_delta_out(k, key, said);
}

/* The places that became null from IN to OUT, in any order; sometimes others. */
static struct completed_indices say(int *indices, const struct request_array *in, const struct request_array *out)
{
    struct completed_indices said = {.parameter = PARAMETER, .indices = indices};
    for (unsigned i = 0; i < in->count; i++)
        if (in->items[i] != out->items[i])
            indices[said.count++] = (int)i;
    if (said.count > 1 && draw(2)) {
        int first = indices[0];
        indices[0] = indices[said.count - 1];
        indices[said.count - 1] = first;
    }
    if (draw(6) == 0)
        indices[said.count++] = (int)draw(90) - 10;
    else if (said.count > 0 && draw(6) == 0)
        indices[draw((unsigned)said.count)] = (int)draw(90) - 10;
    else if (said.count > 0 && draw(12) == 0)
        said.count--;
    return said;
}

START_TEST(a_decoder_gets_the_arrays_back)
{
    struct request_array_delta k = {0};
    struct decoder d = {0};
    struct bytes key = {0};
    uint32_t own_register[CLASSES] = {0};
    struct request_array arrays[3] = {{.count = 9}, {.count = 30}, {.count = 5}};
    unsigned next = 1, edited = 0, completed = 0;
    state = (uint32_t)_i;
    for (unsigned i = 0; i < 4000; i++) {
        unsigned class = draw(CLASSES), which = draw(3);
        struct request_array *a = &arrays[which];
        if (draw(60) == 0)
            a->count = draw(3) ? draw(70) : draw(2) ? 3 + draw(2) * 60 + draw(3) : draw(ITEMS); /* at the limits, too */
        if (draw(40) == 0)                                                                      /* runs of requests */
            for (unsigned n = 0, first = draw(20); n < a->count; n++)
                a->items[n] = first + n;
        for (unsigned n = draw(3) ? 0 : draw(a->count + 1); n > 0; n--)
            a->items[draw(a->count)] = draw(5) ? next++ % 50 : 0;
        struct request_array in = *a;
        for (unsigned n = draw(4) ? draw(2) : draw(a->count + 1); n > 0 && a->count; n--)
            a->items[draw(a->count)] = 0;
        bool lost = draw(10) == 0;
        int indices[ITEMS + 10];
        struct completed_indices said = say(indices, &in, a);
        make_call(&k, class ? &own_register[class] : NULL, &key, &in, a, draw(4) ? &said : NULL);
        edited += key.data[0] == VALUE_EDITED;
        completed += memchr(key.data, VALUE_COMPLETED, key.length) != NULL;
        expect_call(&d, &key, &in, a, &said, lost);
        if (!lost)
            array_delta_commit(&k);
    }
    ck_assert_uint_gt(edited, 100);
    ck_assert_uint_gt(completed, 100);
    array_delta_free(&k);
    bytes_free(&key);
}
END_TEST

/* N requests complete one by one, in the same order each time: as many signatures as in one segment. */
START_TEST(rounds_are_alike)
{
    enum { N = 9, ROUNDS = 20 };
    struct request_array_delta k = {0};
    struct bytes keys[N] = {0}, key = {0};
    uint32_t own_register = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct request_array r = {.count = N, .items = {1, 2, 3, 4, 5, 6, 7, 8, 9}};
        for (unsigned i = 0; i < N; i++) {
            struct request_array in = r;
            r.items[i * 2 % N] = 0;
            make_call(&k, &own_register, &key, &in, &r, NULL);
            array_delta_commit(&k);
            if (round == 0)
                bytes_put(&keys[i], key.data, key.length);
            ck_assert_uint_eq(key.length, keys[i].length);
            ck_assert_mem_eq(key.data, keys[i].data, key.length);
            ck_assert_int_eq(key.data[0], i ? VALUE_EDITED : VALUE_ARRAY);
        }
    }
    for (unsigned i = 0; i < N; i++)
        bytes_free(&keys[i]);
    bytes_free(&key);
    array_delta_free(&k);
}
END_TEST

/* An array that is polled, all of it again each time, is one signature whatever was there before. */
START_TEST(an_array_that_comes_again_is_written_alike)
{
    struct request_array_delta k = {0};
    struct bytes first = {0}, key = {0};
    uint32_t own_register = 0;
    struct request_array r = {.count = 6, .items = {1, 2, 3, 4, 5, 6}};
    for (unsigned i = 0; i < 50; i++) {
        struct request_array out = r;
        make_call(&k, &own_register, &key, &r, &r, NULL); /* in vain */
        array_delta_commit(&k);
        if (i == 0)
            bytes_put(&first, key.data, key.length);
        ck_assert_uint_eq(key.length, first.length);
        ck_assert_mem_eq(key.data, first.data, key.length);
        out.items[i * i % 6] = 0;
        make_call(&k, &own_register, &key, &r, &out, NULL);
        array_delta_commit(&k);
    }
    bytes_free(&first);
    bytes_free(&key);
    array_delta_free(&k);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("keep");
    TCase *tests = tcase_create("keep");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_decoder_gets_the_arrays_back, 0, 10);
    tcase_add_test(tests, rounds_are_alike);
    tcase_add_test(tests, an_array_that_comes_again_is_written_alike);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
