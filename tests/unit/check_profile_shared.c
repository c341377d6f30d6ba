/* SPDX-License-Identifier: BSD-3-Clause */
/* Which slight distributions share their times: those of one function and call site, unless that would be too wrong. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/profile_shared.h"

enum { CLASSES = 8, RUN = 1 << 30, RANKS = 4, SLIGHT = RUN / 4096 };

/* Classes 0 to 3 and 7 are paths to one call site; 4 is of another function, 5 from another site, 6 without a site. */
static const struct class_told {
    uint64_t function, site, outer;
    uint64_t calls, ns;
} told[CLASSES] = {{2, 16, 1, 10, 1000}, {2, 16, 2, 30, 1100}, {2, 16, 3, 200, 1200}, {2, 16, 4, 7, SLIGHT / 16},
                   {4, 16, 1, 10, 1000}, {2, 32, 1, 10, 1000}, {2, 0, 0, 10, 1000},   {2, 16, 5, 8000, 1}};

static struct fragment fragment;
static struct profile_parts parts;
static struct class_parts classes[CLASSES];
static struct distribution durations[CLASSES];

static void set_up(void)
{
    fragment = (struct fragment){.rank_count = RANKS};
    parts = (struct profile_parts){.classes = classes, .class_count = CLASSES, .run = RUN};
    for (unsigned i = 0; i < CLASSES; i++) {
        const struct class_told *t = &told[i];
        struct bytes b = {0};
        uint32_t number;
        bytes_put_varint(&b, t->function);
        bytes_put_varint(&b, t->site ? 2 : 0);
        const uint64_t frames[4] = {0, t->site, 0, t->outer};
        for (unsigned k = 0; t->site && k < 4; k++)
            bytes_put_varint(&b, frames[k]);
        ck_assert_int_eq(intern_add(&fragment.classes, b.data, b.length, &number), PILGRIM_OK);
        ck_assert_uint_eq(number, i);
        bytes_free(&b);
        distribution_init(&durations[i]);
        for (uint64_t k = 0; k < t->calls; k++)
            distribution_add(&durations[i], t->ns);
        classes[i] = (struct class_parts){.durations = &durations[i], .part_count = 1};
    }
}

static void tear_down(void)
{
    intern_free(&fragment.classes);
}

static struct shared_times *shared_of(const struct profile_shared *s, uint32_t class)
{
    return profile_shared_of(s, class, PROFILE_DURATIONS, &durations[class]);
}

START_TEST(paths_of_a_site)
{
    struct profile_shared s;
    set_up();
    ck_assert_int_eq(profile_shared_make(&fragment, &parts, &s), PILGRIM_OK);
    const struct shared_times *shared = shared_of(&s, 0);
    ck_assert_ptr_nonnull(shared);
    ck_assert(shared_of(&s, 1) == shared && shared_of(&s, 2) == shared);
    ck_assert_ptr_null(shared_of(&s, 3)); /* its calls take much longer, and the difference matters */
    for (uint32_t i = 4; i < 7; i++)
        ck_assert_ptr_null(shared_of(&s, i)); /* alone in its place */
    ck_assert(shared_of(&s, 7) == NULL);      /* many short calls would get the mean of long ones */
    ck_assert_uint_eq(shared->all.count, 240);
    ck_assert_double_eq(distribution_total(&shared->all), 10 * 1000 + 30 * 1100 + 200 * 1200);
    ck_assert_uint_eq(shared->all.most, 1200);
    profile_shared_free(&s);
    tear_down();
}
END_TEST

START_TEST(slight_ones)
{
    struct profile_shared s;
    struct distribution d;
    set_up();
    ck_assert_int_eq(profile_shared_make(&fragment, &parts, &s), PILGRIM_OK);
    distribution_init(&d);
    for (unsigned i = 0; i < 4; i++) {
        distribution_add(&d, SLIGHT / 4 - 1);
        ck_assert(profile_is_slight(&s, &d));
    }
    distribution_add(&d, 4);
    ck_assert(!profile_is_slight(&s, &d)); /* as much as a 4096th of all time */
    distribution_init(&d);
    distribution_add(&d, SLIGHT / RANKS);
    ck_assert(!profile_is_slight(&s, &d)); /* one as long as a 4096th of a rank's time */
    profile_shared_free(&s);
    tear_down();
}
END_TEST

/* However many they are: what one gets that is another one's is bounded, and the sums are right. */
START_TEST(random_ones)
{
    uint64_t state = 1;
    for (unsigned trial = 0; trial < 200; trial++) {
        struct profile_shared s;
        double total = 0, moved = 0, own = 0;
        set_up();
        for (unsigned i = 0; i < CLASSES; i++) {
            distribution_init(&durations[i]);
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            const uint64_t count = 1 + (state >> 40) % 300, ns = UINT64_C(1) << (state >> 50) % 16;
            for (uint64_t k = 0; k < count; k++)
                distribution_add(&durations[i], ns + k % 7);
        }
        ck_assert_int_eq(profile_shared_make(&fragment, &parts, &s), PILGRIM_OK);
        for (uint32_t i = 0; i < CLASSES; i++) {
            const struct shared_times *shared = profile_is_slight(&s, &durations[i]) ? shared_of(&s, i) : NULL;
            total += distribution_total(&durations[i]);
            if (!shared) {
                own += distribution_total(&durations[i]);
                continue;
            }
            const double got =
                (double)durations[i].count * distribution_total(&shared->all) / (double)shared->all.count;
            const double had = distribution_total(&durations[i]);
            own += got;
            moved = fmax(got, had) > 1.6 * fmin(got, had) ? fmax(moved, fabs(got - had)) : moved;
        }
        ck_assert(fabs(own - total) < 1e-6 * total);
        ck_assert(moved < 2.0 * CLASSES * RUN / 16384);
        profile_shared_free(&s);
        tear_down();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile_shared");
    TCase *tests = tcase_create("profile_shared");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, paths_of_a_site);
    tcase_add_test(tests, slight_ones);
    tcase_add_test(tests, random_ones);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
