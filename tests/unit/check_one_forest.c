/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups that go different ways at random: their calls are exact, whatever the way, and what the ways take is near
 * their entropy. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "merge/fragment_data.h"
#include "pilgrim/reader.h"
#include "template/template.h"
#include "template_family.h"
#include "trials.h"
#include "write/trace_writer.h"

enum { RANKS_MAX = 12, STEPS = 24, LENGTH = 3000, RANK_BYTES = 30 };

/* When a step of an iteration is taken. */
enum way { ALWAYS, AT_RANDOM, ELSE, BY_RANK, SEVERAL, WAYS };

struct step {
    enum way way;
    uint32_t calls; /* this one and the next ones, at most 3 */
};

static struct step steps[STEPS];
static uint32_t calls[RANKS_MAX][LENGTH];
static uint32_t length[RANKS_MAX];
static uint64_t ways; /* taken at random, of all ranks */

static void make_steps(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        steps[i] = (struct step){.way = random_below(2) ? ALWAYS : random_below(WAYS), .calls = 1 + random_below(3)};
}

static void perform_rank(uint32_t rank, uint32_t count, uint32_t iterations)
{
    uint32_t n = 0;
    calls[rank][n++] = 0;
    for (uint32_t k = 0; k < iterations; k++) {
        bool last = false;
        for (uint32_t i = 0; i < count && n < LENGTH - 100; i++) {
            uint32_t times = 1;
            if (steps[i].way == AT_RANDOM || steps[i].way == SEVERAL) {
                times = random_below(steps[i].way == SEVERAL ? 4 : 2);
                last = times > 0;
                ways++;
            } else if (steps[i].way == ELSE) {
                times = !last;
            } else if (steps[i].way == BY_RANK) {
                times = (rank * 7 + i) % 3 > 0;
            }
            for (; times > 0; times--)
                for (uint32_t c = 0; c < steps[i].calls; c++)
                    calls[rank][n++] = 1 + (i + c * 11) % (CALLS - 2);
        }
    }
    calls[rank][n++] = CALLS - 1;
    length[rank] = n;
}

static size_t write_trace(struct fragment *f, struct pilgrim_trace **trace)
{
    struct bytes written = {0};
    struct pilgrim_error error;
    char path[] = "/tmp/check_one_forest-XXXXXX";
    ck_assert_int_eq(trace_write(f, false, &written), PILGRIM_OK);
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, written.data, written.length), (ssize_t)written.length);
    close(file);
    enum pilgrim_status status = pilgrim_open(path, trace, &error);
    unlink(path);
    ck_assert_msg(status == PILGRIM_OK, "%s", error.message);
    const size_t bytes = written.length;
    bytes_free(&written);
    return bytes;
}

static void check_trace(struct fragment *f, uint32_t ranks)
{
    struct pilgrim_trace *t;
    struct pilgrim_cursor *c;
    struct pilgrim_call call;
    struct pilgrim_error error;
    (void)write_trace(f, &t);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        ck_assert_int_eq(pilgrim_cursor_open(t, rank, 0, &c, &error), PILGRIM_OK);
        for (uint32_t i = 0; i < length[rank]; i++) {
            EXPECT(pilgrim_cursor_next(c, &call, &error) == PILGRIM_OK, "rank %u, call %u: %s", rank, i, error.message);
            EXPECT(call.class_->site->offset == (calls[rank][i] + UINT64_C(1)) * 16, "rank %u, call %u", rank, i);
            EXPECT(call.in[0].integer == value_of(rank, calls[rank][i], i), "rank %u, call %u: value", rank, i);
        }
        ck_assert_int_eq(pilgrim_cursor_next(c, &call, &error), PILGRIM_END);
        pilgrim_cursor_close(c);
    }
    pilgrim_close(t);
}

static struct fragment *make_fragment(uint32_t ranks, uint32_t count, uint32_t iterations, bool same)
{
    struct fragment *f = fragment_new(0);
    ways = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        perform_rank(i, count, iterations + (same ? 0 : random_below(3)));
        add_rank(f, i, ranks, calls[i], length[i]);
    }
    return f;
}

/* Returns F with all groups that are alike read with one forest; NULL: there are none. */
static struct fragment *join(const struct fragment *f)
{
    struct families found;
    struct fragment *joined = NULL;
    ck_assert_int_eq(families_find(f, FAMILIES_ONE_FOREST, &found), PILGRIM_OK);
    if (found.count)
        ck_assert_int_eq(templates_make(f, &found, &joined), PILGRIM_OK);
    families_free(&found);
    return joined;
}

START_TEST(traces_are_exact)
{
    uint64_t joined_count = 0, tried = trials(1500);
    for (uint32_t seed = 1; seed <= tried; seed++) {
        random_state = seed;
        const uint32_t ranks = 2 + random_below(RANKS_MAX - 1), count = 1 + random_below(STEPS - 1);
        values = VALUES_MIXED;
        make_steps(count);
        struct fragment *f = make_fragment(ranks, count, 1 + random_below(30), random_below(2)), *joined = join(f);
        check_trace(f, ranks);
        if (joined) {
            fragment_has_call_times(joined); /* so that it stays as it is */
            check_trace(joined, ranks);
            joined_count++;
        }
        templates_free(joined);
        fragment_free(f);
    }
    ck_assert_uint_gt(joined_count, tried / 3);
}
END_TEST

/* Each rank chooses two ways at random in each of 60 iterations. That takes a bit each, some bytes for each rank, as it
 * calls some classes more or less often than others do, and what the same program takes that always goes one way. */
START_TEST(ways_take_their_entropy)
{
    static const struct step random[] = {{ALWAYS, 3}, {AT_RANDOM, 1}, {ELSE, 2},
                                         {ALWAYS, 1}, {AT_RANDOM, 2}, {ALWAYS, 3}};
    static const struct step steady[] = {{ALWAYS, 3}, {ALWAYS, 1}, {ALWAYS, 2}, {ALWAYS, 1}, {ALWAYS, 2}, {ALWAYS, 3}};
    struct pilgrim_trace *t;
    size_t bytes[2];
    values = VALUES_OF_RANK;
    for (uint32_t k = 0; k < 2; k++) {
        random_state = 1;
        memcpy(steps, k ? random : steady, sizeof random);
        struct fragment *f = make_fragment(RANKS_MAX, 6, 60, true);
        bytes[k] = write_trace(f, &t);
        pilgrim_close(t);
        fragment_has_call_times(f); /* so that each rank keeps its own structure */
        const size_t own = write_trace(f, &t);
        pilgrim_close(t);
        ck_assert(k ? bytes[k] <= own - own / 4 : bytes[k] <= own);
        fragment_free(f);
    }
    ck_assert_uint_le(bytes[1], bytes[0] + ways / 8 + RANKS_MAX * RANK_BYTES);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("one_forest");
    TCase *tests = tcase_create("one_forest");
    tcase_set_timeout(tests, 1800);
    tcase_add_test(tests, traces_are_exact);
    tcase_add_test(tests, ways_take_their_entropy);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
