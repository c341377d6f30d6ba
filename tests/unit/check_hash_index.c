/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests hash indices against a plain model: entries that share a hash, removal, and the entries behind a removed
 * one. */
#include <check.h>
#include <stdlib.h>

#include "base/hash_index.h"

enum { STEPS = 60000, MOST = 3000 };

/* Returns one of few hashes, which lie close together at the end of the table, or one of many. */
static uint32_t hash_of(uint32_t number, int few)
{
    return few ? UINT32_MAX - number % 5 : hash_word(number);
}

static struct hash_slot *find(const struct hash_index *x, uint32_t number, int few)
{
    struct hash_slot *slot = hash_index_first(x, hash_of(number, few));
    while (slot->number && slot->number != number)
        slot = hash_index_next(x, slot);
    return slot;
}

static void compare(const struct hash_index *x, const bool *there, uint32_t most, int few)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i <= most; i++) {
        ck_assert_uint_eq(find(x, i, few)->number, there[i] ? i : 0);
        count += there[i];
    }
    ck_assert_uint_eq(x->count, count);
}

START_TEST(entries_are_those_of_a_model)
{
    static bool there[MOST + 1];
    struct hash_index x = {0}, copy;
    uint32_t state = 1, most = _i ? 60 : MOST;
    for (uint32_t i = 1; i <= most; i++)
        there[i] = false;
    for (int i = 0; i < STEPS; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t number = 1 + (state >> 8) % most;
        ck_assert(hash_index_reserve(&x));
        struct hash_slot *slot = find(&x, number, _i);
        ck_assert_uint_eq(slot->number, there[number] ? number : 0);
        if (there[number])
            hash_index_remove(&x, slot);
        else
            hash_index_put(&x, slot, hash_of(number, _i), number);
        there[number] = !there[number];
        if (i % (STEPS / 20) == 0)
            compare(&x, there, most, _i);
    }
    compare(&x, there, most, _i);
    ck_assert(hash_index_copy(&copy, &x));
    hash_index_clear(&x);
    ck_assert_uint_eq(find(&x, 1, _i)->number, 0);
    hash_index_free(&x);
    compare(&copy, there, most, _i);
    ck_assert_uint_le(hash_index_bytes(&copy), 2 * sizeof(struct hash_slot) * (most + 4));
    hash_index_free(&copy);
    ck_assert_uint_eq(hash_index_bytes(&copy), 0);
    ck_assert(hash_index_copy(&x, &copy));
    ck_assert_ptr_null(x.slots);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hash_index");
    TCase *c = tcase_create("model");
    tcase_add_loop_test(c, entries_are_those_of_a_model, 0, 2);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
