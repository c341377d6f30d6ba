/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for sets of ranks: what is found is the set, and each set of a grid's edges is found. */
#include "../../decoder/rank_words.c"

#include <check.h>
#include <string.h>

#include "trials.h"

enum { RANKS = 1000 };

static bool in[RANKS];

static bool has(const struct rank_digit *digits, size_t count, uint32_t rank)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t digit = rank / digits[i].step % digits[i].extent;
        if (digit < digits[i].from || digit >= digits[i].until)
            return false;
    }
    return true;
}

static const char *words_of(uint32_t world)
{
    static char text[256];
    struct rank_digit digits[RANK_DIGITS_MAX];
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < world; rank++)
        count += in[rank];
    const size_t found = rank_words_find(in, world, count, digits);
    for (uint32_t rank = 0; found && rank < world; rank++)
        ck_assert_int_eq(in[rank], has(digits, found, rank));
    rank_words_write(digits, found, world, text, sizeof text);
    return text;
}

/* The ranks of a grid of X x Y x Z for which KEEP says so of each place. */
static const char *grid(uint32_t x, uint32_t y, uint32_t z, bool (*keep)(uint32_t, uint32_t, uint32_t))
{
    for (uint32_t rank = 0; rank < x * y * z; rank++)
        in[rank] = keep(rank % x, rank / x % y, rank / x / y);
    return words_of(x * y * z);
}

static bool not_first_x(uint32_t x, uint32_t y, uint32_t z)
{
    (void)y, (void)z;
    return x > 0;
}

static bool first_y(uint32_t x, uint32_t y, uint32_t z)
{
    (void)x, (void)z;
    return y == 0;
}

static bool not_last_z(uint32_t x, uint32_t y, uint32_t z)
{
    (void)x, (void)y;
    return z < 7;
}

static bool corner(uint32_t x, uint32_t y, uint32_t z)
{
    return x > 0 && y < 7 && z > 0;
}

static bool within(uint32_t x, uint32_t y, uint32_t z)
{
    (void)z;
    return x > 0 && x < 7 && y == 7;
}

static bool diagonal(uint32_t x, uint32_t y, uint32_t z)
{
    (void)z;
    return x == y;
}

START_TEST(edges_have_words)
{
    ck_assert_str_eq(grid(8, 8, 8, not_first_x), "not the first of every 8");
    ck_assert_str_eq(grid(8, 8, 8, first_y), "the first 8 of every 64");
    ck_assert_str_eq(grid(8, 8, 8, not_last_z), "not the last 64");
    ck_assert_str_eq(grid(8, 8, 8, corner), "not the first of every 8, not the last 8 of every 64, not the first 64");
    ck_assert_str_eq(grid(8, 8, 8, within), "neither the first nor the last of every 8, the last 8 of every 64");
    ck_assert_str_eq(grid(2, 3, 5, not_first_x), "the last of every 2");
    ck_assert_str_eq(grid(8, 8, 8, diagonal), "");
}
END_TEST

START_TEST(all_and_none_have_no_words)
{
    memset(in, true, sizeof in);
    ck_assert_str_eq(words_of(RANKS), "");
    memset(in, false, sizeof in);
    ck_assert_str_eq(words_of(RANKS), "");
    in[17] = true;
    ck_assert_str_eq(words_of(1), "");
}
END_TEST

/* Sets that are no products, too: what is found is the set (words_of). */
START_TEST(random_sets)
{
    unsigned found = 0;
    srandom(1);
    for (unsigned trial = 0; trial < trials(4500); trial++) {
        const uint32_t sizes[3] = {1 + (uint32_t)random() % 6, 1 + (uint32_t)random() % 6, 1 + (uint32_t)random() % 6};
        const uint32_t world = sizes[0] * sizes[1] * sizes[2];
        const long kinds[3] = {random() % 6, random() % 6, random() % 6}, flips = random() % 3 ? 0 : random() % 3;
        bool some = false, all = true;
        for (uint32_t rank = 0; rank < world; rank++) {
            const uint32_t at[3] = {rank % sizes[0], rank / sizes[0] % sizes[1], rank / sizes[0] / sizes[1]};
            in[rank] = true;
            for (int i = 0; i < 3; i++)
                in[rank] &= kinds[i] == 0   ? at[i] > 0
                            : kinds[i] == 1 ? at[i] + 1 < sizes[i]
                            : kinds[i] == 2 ? at[i] == 0
                            : kinds[i] == 3 ? at[i] + 1 == sizes[i]
                                            : true;
            some |= in[rank];
            all &= in[rank];
        }
        for (long i = 0; i < flips; i++)
            in[random() % world] ^= true;
        const char *words = words_of(world);
        if (flips == 0)
            ck_assert_msg((some && !all) == (words[0] != 0), "%u x %u x %u: \"%s\"", sizes[0], sizes[1], sizes[2],
                          words);
        found += words[0] != 0;
    }
    ck_assert_uint_gt(found, trials(4500) / 3);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rank words");
    TCase *t = tcase_create("rank words");
    tcase_add_test(t, edges_have_words);
    tcase_add_test(t, all_and_none_have_no_words);
    tcase_add_test(t, random_sets);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
