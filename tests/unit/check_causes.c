/* SPDX-License-Identifier: BSD-3-Clause */
/* Causes of waits, the critical path and the run without transfer times, of runs whose figures were computed by hand,
 * whatever the order in which threads are read; threads that wait in a circle; many threads. */
#include "../../src/analysis/causes.c"
#include "../../src/analysis/critical_path.c"
#include "../../src/analysis/delay_costs.c"

#include <check.h>
#include <stdio.h>
#include <sys/resource.h>

enum { THREADS_MANY = 10000, ROUNDS = 20, KB_MOST = 2 << 20 };
enum { SITE_FIRST, SITE_SEND, SITE_RECEIVE, SITE_FORWARD, SITE_BARRIER };

static uint32_t ranks;
static struct delay_roots due[2];
static size_t due_count;

uint32_t pilgrim_rank_count(const struct pilgrim_trace *trace)
{
    (void)trace;
    return ranks;
}

uint32_t pilgrim_thread_count(const struct pilgrim_trace *trace, uint32_t rank)
{
    (void)trace, (void)rank;
    return 1;
}

static bool keep(void *context, const struct cause_event *event, const struct delay_roots *roots)
{
    (void)context, (void)event;
    if (due_count < 2)
        due[due_count] = *roots;
    due_count++;
    return true;
}

/* An event of THREAD that waits WAIT ns for LATE; NULL: for nothing. */
static struct cause_event *event_of(uint32_t thread, uint32_t site, uint64_t wait, struct cause_event *late)
{
    struct cause_event *event = cause_event_new();
    ck_assert(event != NULL);
    event->thread = thread;
    event->site = site;
    event->resolved = true;
    event->wait_ns = wait;
    event->late = late;
    if (late) {
        late->references++;
        ck_assert(cause_depends(event, late, NULL));
    }
    return event;
}

static void check_root(const struct delay_root *root, uint32_t thread, uint32_t class, double ns, bool direct)
{
    ck_assert_uint_eq(root->thread, thread);
    ck_assert_uint_eq(root->class, class);
    ck_assert(root->ns > ns - 0.001 && root->ns < ns + 0.001);
    ck_assert_int_eq(root->direct, direct);
}

/* Rank 0 sends late, rank 1 waits and sends on, rank 2 waits for that. */
START_TEST(chain)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct causes c;
    struct cause_event *sent, *forwarded, *received[2];
    ranks = 3;
    due_count = 0;
    ck_assert(causes_begin(&c, NULL, keep, NULL));
    sent = event_of(0, SITE_SEND, 0, NULL);
    forwarded = event_of(1, SITE_FORWARD, 0, NULL);
    received[0] = event_of(1, SITE_RECEIVE, 900, sent);
    received[1] = event_of(2, SITE_RECEIVE, 1000, forwarded);
    for (int i = 0; i < 3; i++) {
        const uint32_t rank = (uint32_t)orders[_i][i];
        ck_assert(causes_call(&c, rank, 0, SITE_FIRST, 0, 0, NULL));
        if (rank == 0)
            ck_assert(causes_call(&c, 0, 0, SITE_SEND, 1000, 1010, sent));
        if (rank == 1)
            ck_assert(causes_call(&c, 1, 0, SITE_RECEIVE, 100, 1020, received[0]) &&
                      causes_call(&c, 1, 0, SITE_FORWARD, 1100, 1110, forwarded));
        if (rank == 2)
            ck_assert(causes_call(&c, 2, 0, SITE_RECEIVE, 100, 1120, received[1]));
    }
    ck_assert(causes_end(&c));
    ck_assert_uint_eq(c.forced, 0);
    ck_assert_uint_eq(due_count, 2);
    ck_assert_uint_eq(due[0].count, 1);
    check_root(&due[0].roots[0], 0, delay_class(SITE_SEND, false), 900, true);
    ck_assert_uint_eq(due[1].count, 3);
    check_root(&due[1].roots[0], 0, delay_class(SITE_SEND, false), 900, false);
    check_root(&due[1].roots[1], 1, delay_class(SITE_FORWARD, false), 80, true);
    check_root(&due[1].roots[2], 1, delay_class(SITE_RECEIVE, true), 20, true);
    ck_assert_uint_eq(c.threads[2].ideal_ns, 1080);
    const struct way_node *path = causes_path(&c);
    uint64_t length = 0, computing = 0;
    for (; path; path = path->parent)
        for (size_t i = 0; i < path->count; i++) {
            length += path->sums[i].ns;
            if (path->sums[i].key == delay_class(SITE_SEND, false))
                computing += path->sums[i].ns;
        }
    ck_assert_uint_eq(length, 1120);
    ck_assert_uint_eq(computing, 1000);
    cause_event_drop(&c, sent);
    cause_event_drop(&c, forwarded);
    cause_event_drop(&c, received[0]);
    cause_event_drop(&c, received[1]);
    causes_free(&c);
    ck_assert_uint_eq(c.tree.nodes, 0);
}
END_TEST

/* Each rank waits for what the other one does after its wait, as wrong clocks may say. */
START_TEST(circle)
{
    struct causes c;
    struct cause_event *events[2][2];
    ranks = 2;
    ck_assert(causes_begin(&c, NULL, keep, NULL));
    for (uint32_t rank = 0; rank < 2; rank++)
        events[rank][1] = event_of(rank, SITE_SEND, 0, NULL);
    for (uint32_t rank = 0; rank < 2; rank++) {
        events[rank][0] = event_of(rank, SITE_RECEIVE, 50, events[1 - rank][1]);
        ck_assert(causes_call(&c, rank, 0, SITE_RECEIVE, 100, 200, events[rank][0]));
        ck_assert(causes_call(&c, rank, 0, SITE_SEND, 300, 400, events[rank][1]));
    }
    ck_assert(c.queued > 0 && causes_end(&c));
    ck_assert_uint_eq(c.queued, 0);
    ck_assert_uint_eq(c.forced, 1);
    for (uint32_t i = 0; i < 4; i++)
        cause_event_drop(&c, events[i / 2][i % 2]);
    causes_free(&c);
}
END_TEST

/* All wait for another rank each time: memory is far below 2 GB, and the way is one. */
START_TEST(many)
{
    struct causes c;
    struct rusage usage;
    ranks = THREADS_MANY;
    due_count = 0;
    ck_assert(causes_begin(&c, NULL, keep, NULL));
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint32_t last = (uint32_t)(round * 7919 % THREADS_MANY);
        const uint64_t now = 1000 * round;
        struct cause_event *late = event_of(last, SITE_BARRIER, 0, NULL);
        for (uint32_t rank = 0; rank < THREADS_MANY; rank++) {
            struct cause_event *event = rank == last ? late : event_of(rank, SITE_BARRIER, 800, late);
            ck_assert(causes_call(&c, rank, 0, SITE_BARRIER, now + (rank == last ? 900 : 100), now + 1000, event));
            if (rank != last)
                cause_event_drop(&c, event);
        }
        cause_event_drop(&c, late);
    }
    ck_assert(causes_end(&c));
    ck_assert_uint_eq(due_count, (size_t)ROUNDS * (THREADS_MANY - 1));
    ck_assert_uint_eq(c.forced, 0);
    ck_assert_msg(c.tree.nodes < 8 * THREADS_MANY, "%zu nodes", c.tree.nodes);
    getrusage(RUSAGE_SELF, &usage);
    ck_assert_msg(usage.ru_maxrss < KB_MOST, "%ld kB", usage.ru_maxrss);
    printf("# %d threads: %ld kB\n", THREADS_MANY, usage.ru_maxrss);
    causes_free(&c);
}
END_TEST

/* So many calls follow on one that is not resolved that its thread goes on without. What it was late for is there until
 * it is resolved. */
START_TEST(forced)
{
    struct causes causes;
    ranks = 2;
    ck_assert(causes_begin(&causes, NULL, keep, NULL));
    struct cause_event *late = event_of(0, SITE_SEND, 0, NULL), *event = event_of(1, SITE_RECEIVE, 5, late);
    event->resolved = false;
    ck_assert(causes_call(&causes, 0, 0, SITE_SEND, 10, 20, late));
    ck_assert(causes_call(&causes, 1, 0, SITE_RECEIVE, 5, 20, event));
    for (uint64_t i = 0; i <= QUEUED_MOST / 2; i++) /* each one is two: itself, and the time before it */
        ck_assert(causes_call(&causes, 1, 0, SITE_FORWARD, 21 + 2 * i, 22 + 2 * i, NULL));
    struct cause_event *last = event_of(1, SITE_BARRIER, 0, NULL);
    ck_assert(causes_call(&causes, 1, 0, SITE_BARRIER, 30 + QUEUED_MOST, 31 + QUEUED_MOST, last));
    ck_assert_uint_eq(causes.forced, 1);
    ck_assert_ptr_eq(event->late, late);
    ck_assert(causes_resolve(&causes, event));
    ck_assert_ptr_null(event->late);
    cause_event_drop(&causes, late);
    cause_event_drop(&causes, event);
    cause_event_drop(&causes, last);
    ck_assert(causes_end(&causes));
    causes_free(&causes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("causes");
    TCase *tests = tcase_create("causes");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, chain, 0, 6);
    tcase_add_test(tests, circle);
    tcase_add_test(tests, forced);
    tcase_add_test(tests, many);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
