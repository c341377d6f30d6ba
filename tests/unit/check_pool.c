/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools of ids, hash tables, and ranges of mapped memory, compared with plain models. */
#include "objects/pool.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "objects/mappings.h"
#include "objects/hash_table.h"

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

START_TEST(ids_count_up_and_the_smallest_comes_back)
{
    struct pool p = {0};
    for (int64_t i = 0; i < 300000; i++) /* more than 64^3: four levels */
        ck_assert_int_eq(pool_take(&p), i);
    pool_give(&p, 299999);
    pool_give(&p, 70000);
    pool_give(&p, 63);
    pool_give(&p, 4096);
    ck_assert_int_eq(pool_take(&p), 63);
    ck_assert_int_eq(pool_take(&p), 4096);
    ck_assert_int_eq(pool_take(&p), 70000);
    ck_assert_int_eq(pool_take(&p), 299999);
    ck_assert_int_eq(pool_take(&p), 300000);
    pool_free(&p);
    ck_assert_int_eq(pool_take(&p), 0);
    pool_free(&p);
}
END_TEST

/* Few, as many as a word of words has, and more: quickly where that is simple, or never so. */
START_TEST(ids_are_the_smallest_free_of_a_model)
{
    enum { STEPS = 60000, NEAR = 64 * 64, MOST = NEAR + 300 };
    static bool taken[MOST + 2];
    memset(taken, 0, sizeof taken);
    struct pool p = {0};
    uint32_t state = (uint32_t)_i;
    int64_t count = 0, wanted = 0, quick = 0;
    for (int i = 0; i < STEPS; i++) {
        int64_t index = 0, got = -1;
        if (i % 6000 == 0)
            wanted = (int64_t[]){10, 70, NEAR, MOST, 100}[i / 6000 % 5];
        if (random_next(&state) % 10 < (count < wanted ? 9u : 1u) || count == 0) {
            if (count == MOST)
                continue;
            while (taken[index])
                index++;
            if (_i && (got = pool_take_quickly(&p)) >= 0)
                quick++;
            else
                got = pool_take(&p);
            ck_assert_int_eq(got, index);
            taken[index] = true;
            count++;
        } else {
            index = random_next(&state) % MOST;
            while (!taken[index])
                index = (index + 1) % MOST;
            if (_i)
                pool_give_quickly(&p, (uint32_t)index);
            else
                pool_give(&p, index);
            taken[index] = false;
            count--;
        }
    }
    ck_assert(_i ? quick > STEPS / 4 : quick == 0);
    pool_free(&p);
}
END_TEST

START_TEST(giving_back_twice_or_nonsense_changes_nothing)
{
    struct pool p = {0};
    ck_assert_int_eq(pool_take(&p), 0);
    ck_assert_int_eq(pool_take(&p), 1);
    pool_give(&p, 0);
    pool_give(&p, 0);
    pool_give(&p, -1);
    pool_give(&p, 64);
    pool_give(&p, 1 << 30);
    ck_assert_int_eq(pool_take(&p), 0);
    ck_assert_int_eq(pool_take(&p), 2);
    pool_free(&p);
}
END_TEST

START_TEST(pool_is_the_smallest_free_of_a_model)
{
    enum { IDS = 5000, STEPS = 200000 };
    static bool taken[IDS];
    struct pool p = {0};
    uint32_t state = 7;
    int64_t count = 0;
    for (int i = 0; i < STEPS; i++) {
        /* Growing and shrinking by turns, so that whole words fill and empty. */
        bool take = random_next(&state) % 10 < (i / 20000 % 2 ? 3u : 7u);
        if (take && count < IDS) {
            int64_t smallest = 0;
            while (taken[smallest])
                smallest++;
            ck_assert_int_eq(pool_take(&p), smallest);
            taken[smallest] = true;
            count++;
        } else {
            uint32_t id = random_next(&state) % IDS;
            pool_give(&p, id);
            count -= taken[id];
            taken[id] = false;
        }
    }
    pool_free(&p);
}
END_TEST

START_TEST(table_is_a_model)
{
    enum { KEYS = 3000, STEPS = 300000 };
    static uint64_t model[KEYS];
    struct hash_table t = {0};
    uint32_t state = 3;
    size_t count = 0;
    ck_assert_uint_eq(hash_table_get(&t, 0), 0);
    ck_assert_uint_eq(hash_table_remove(&t, 0), 0);
    for (int i = 0; i < STEPS; i++) {
        uint32_t k = random_next(&state) % KEYS;
        /* Keys as they come: 0, handles that differ in low bits, addresses that differ in high ones. */
        uint64_t key = k % 2 ? (uint64_t)k << 40 | 0x10 : k;
        switch (random_next(&state) % 3) {
        case 0:
            ck_assert(hash_table_set(&t, key, (uint64_t)i + 1));
            count += !model[k];
            model[k] = (uint64_t)i + 1;
            break;
        case 1:
            ck_assert_uint_eq(hash_table_remove(&t, key), model[k]);
            count -= model[k] != 0;
            model[k] = 0;
            break;
        default:
            ck_assert_uint_eq(hash_table_get(&t, key), model[k]);
            break;
        }
        ck_assert_uint_eq(t.count, count);
    }
    for (uint32_t k = 0; k < KEYS; k++)
        ck_assert_uint_eq(hash_table_get(&t, k % 2 ? (uint64_t)k << 40 | 0x10 : k), model[k]);
    hash_table_free(&t);
}
END_TEST

START_TEST(mapping_keeps_its_name_in_pieces)
{
    struct mappings m = {0};
    int64_t id;
    ck_assert(mappings_add(&m, 0x10000, 0x20000));
    ck_assert(mappings_add(&m, 0x30000, 0x40000));
    mappings_name(&m, mappings_find(&m, 0x10000), 5);
    ck_assert(mappings_cut(&m, 0x14000, 0x18000, &id));
    ck_assert_int_eq(id, -1);
    ck_assert(!mappings_cut(&m, 0x14000, 0x18000, &id));
    ck_assert_ptr_null(mappings_find(&m, 0x14000));
    ck_assert_ptr_null(mappings_find(&m, 0x17fff));
    ck_assert_ptr_null(mappings_find(&m, 0x20000));
    ck_assert_ptr_null(mappings_find(&m, 0xffff));
    struct memory_mapping *rear = mappings_find(&m, 0x18000);
    ck_assert_int_eq(rear->id, 5);
    ck_assert_uint_eq(rear->base, 0x10000);
    ck_assert(mappings_cut(&m, 0x10000, 0x14000, &id));
    ck_assert_int_eq(id, -1); /* the rear piece still has it */
    ck_assert(mappings_cut(&m, 0x0, 0x38000, &id));
    ck_assert_int_eq(id, 5);
    ck_assert(mappings_cut(&m, 0x0, 0x38000, &id)); /* the front of the other one */
    ck_assert_int_eq(id, -1);
    ck_assert(!mappings_cut(&m, 0x0, 0x38000, &id));
    ck_assert_uint_eq(mappings_find(&m, 0x38000)->base, 0x30000);
    ck_assert_uint_eq(m.count, 1);
}
END_TEST

START_TEST(mappings_are_a_model)
{
    enum { PAGES = 200, STEPS = 100000 };
    static int64_t owner[PAGES]; /* 0: none, else the number of the mapping */
    struct mappings m = {0};
    uint32_t state = 11;
    for (int64_t i = 1; i <= STEPS; i++) {
        uint32_t from = random_next(&state) % PAGES, to = from + 1 + random_next(&state) % 20;
        int64_t id;
        if (to > PAGES)
            to = PAGES;
        while (mappings_cut(&m, from, to, &id))
            ;
        bool add = random_next(&state) % 2;
        if (add) {
            ck_assert(mappings_add(&m, from, to));
            mappings_name(&m, mappings_find(&m, from), i);
        }
        for (uint32_t p = from; p < to; p++)
            owner[p] = add ? i : 0;
        uint32_t p = random_next(&state) % PAGES;
        struct memory_mapping *r = mappings_find(&m, p);
        ck_assert_int_eq(r ? r->id : 0, owner[p]);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pool");
    TCase *c = tcase_create("pool");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, ids_count_up_and_the_smallest_comes_back);
    tcase_add_loop_test(c, ids_are_the_smallest_free_of_a_model, 0, 2);
    tcase_add_test(c, giving_back_twice_or_nonsense_changes_nothing);
    tcase_add_test(c, pool_is_the_smallest_free_of_a_model);
    tcase_add_test(c, table_is_a_model);
    tcase_add_test(c, mapping_keeps_its_name_in_pieces);
    tcase_add_test(c, mappings_are_a_model);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
