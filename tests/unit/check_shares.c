/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of very many ranks: however they are merged, each block has the mean of its ranks and the first of the ranks
 * that have most. */
#include "merge/shares.h"

#include <string.h>

#include "random.h"

static double apart(double a, double b)
{
    return a > b ? a - b : b - a;
}

/* What a rank takes in a row. */
static double share_of(uint32_t rank, uint32_t row)
{
    return row == 2   ? 0
           : row == 3 ? rank % 5 == 0
                      : 1000.0 * row + rank % 97 + (rank * 31 % 4001 == 0 ? 1e6 : 0) + rank / 100.0;
}

static struct shares shares_of(uint32_t first, uint32_t count)
{
    struct shares s = {0};
    for (uint32_t rank = first; rank < first + count; rank++) {
        ck_assert_int_eq(shares_add_rank(&s), PILGRIM_OK);
        for (uint32_t row = 0; row < PROFILE_ACTIVITIES; row++)
            EXPECT(shares_add(&s.activities, row, share_of(rank, row) / 2) == PILGRIM_OK &&
                       shares_add(&s.activities, row, share_of(rank, row) / 2) == PILGRIM_OK &&
                       shares_add(&s.classes, 3 - row % 2, row == 1 ? share_of(rank, 1) : 0) == PILGRIM_OK,
                   "no memory");
    }
    return s;
}

/* Each block's mean, and the first of its ranks that has most, of a table whose row i is what ranks have as ROW. */
static void require_blocks(const struct share_table *t, uint32_t i, uint32_t row, uint32_t ranks)
{
    uint32_t rank = 0;
    for (uint32_t b = 0; b < t->block_count; rank += t->ranks[b++]) {
        double sum = 0, most = -1;
        uint32_t at = 0;
        EXPECT(t->ranks[b] > 0 && t->ranks[b] <= ranks - rank, "a block of %u ranks", t->ranks[b]);
        for (uint32_t k = 0; k < t->ranks[b]; k++) {
            sum += share_of(rank + k, row);
            at = (double)(float)share_of(rank + k, row) > most ? k : at;
            most = (double)(float)share_of(rank + at, row);
        }
        const struct share *s = &t->rows[i][b];
        EXPECT(apart((double)s->mean, sum / t->ranks[b]) <= 1e-5 * sum, "block %u has %g", b, (double)s->mean);
        EXPECT(s->at == at && apart((double)s->most, most) <= 1e-5 * most, "block %u has most, %g, at %u, not %g at %u",
               b, (double)s->most, s->at, most, at);
    }
    ck_assert_uint_eq(rank, ranks);
}

static void through_transport(struct shares *s, uint32_t ranks)
{
    struct bytes packed = {0}, again = {0};
    struct cursor in;
    struct shares back = {0};
    shares_pack(s, &packed);
    cursor_init(&in, packed.data, packed.length);
    ck_assert_int_eq(shares_unpack(&in, ranks + 1, 2, &back), PILGRIM_DAMAGED);
    shares_free(&back);
    cursor_init(&in, packed.data, packed.length);
    ck_assert_int_eq(shares_unpack(&in, ranks, 1, &back), PILGRIM_DAMAGED);
    shares_free(&back);
    cursor_init(&in, packed.data, packed.length);
    ck_assert_int_eq(shares_unpack(&in, ranks, 2, &back), PILGRIM_OK);
    ck_assert_uint_eq(cursor_left(&in), 0);
    shares_pack(&back, &again);
    ck_assert_uint_eq(again.length, packed.length);
    ck_assert_mem_eq(again.data, packed.data, packed.length);
    shares_free(s);
    *s = back;
    bytes_free(&packed);
    bytes_free(&again);
}

START_TEST(shares_of_many_ranks)
{
    static const uint32_t sizes[] = {1, 7, 1000, 40000, 150001};
    static const uint32_t classes[] = {3, 1}; /* where the classes 0 and 1 of the one merged go to */
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint32_t ranks = sizes[i], done = 0;
        struct shares all = {0};
        random_state = i;
        while (done < ranks) {
            uint32_t part = 1 + random_below(ranks / 3 + 1);
            part = part < ranks - done ? part : ranks - done;
            struct shares s = shares_of(done, part);
            if (done % 2)
                through_transport(&s, part);
            ck_assert_int_eq(shares_merge(&all, &s, classes), PILGRIM_OK);
            shares_free(&s);
            done += part;
        }
        ck_assert_uint_le(all.activities.block_count * 5, SHARES_VALUES_MAX);
        ck_assert_uint_ge(all.activities.block_count * 5,
                          ranks * 5 < SHARES_VALUES_MAX ? ranks * 5 : SHARES_VALUES_MAX / 8);
        ck_assert_uint_le(all.classes.block_count, SHARES_VALUES_MAX);
        for (uint32_t row = 0; row < PROFILE_ACTIVITIES; row++)
            if (row != 2)
                require_blocks(&all.activities, row, row, ranks);
        ck_assert(all.activities.row_count <= 2 || !all.activities.rows[2]);
        require_blocks(&all.classes, 2, 1, ranks); /* class 1 is row 2 and 3; what was added there is the durations' */
        struct share_table few;
        const bool chosen[8] = {[1] = true, [4] = true};
        ck_assert_int_eq(shares_select(&all.activities, chosen, 100, &few), PILGRIM_OK);
        ck_assert_uint_le(few.block_count * 2, 100);
        ck_assert(!few.rows[0] && few.rows[1] && few.rows[4]);
        require_blocks(&few, 1, 1, ranks);
        require_blocks(&few, 4, 4, ranks);
        share_table_free(&few);
        shares_free(&all);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shares");
    TCase *tests = tcase_create("shares");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, shares_of_many_ranks);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
