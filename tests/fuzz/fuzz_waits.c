/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace of any bytes, as pilgrim-waits reads it: whatever its properties say of times. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "fuzz.h"
#include "sections.h"
#include "read/file/load.h"
#include "analysis/efficiency.h"

enum { HEAD = 10, RANKS_MAX = 32, CALLS_MAX = 3000, MEMORY = 16 << 20 };

int waits_main(int argc, char **argv);

/* True if TRACE has few calls: a few bytes may stand for billions. */
static bool is_short(const struct pilgrim_trace *trace)
{
    uint64_t calls = 0;
    if (pilgrim_rank_count(trace) > RANKS_MAX)
        return false;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(trace, rank); thread++) {
            const uint64_t count = pilgrim_call_count(trace, rank, thread);
            if (thread > RANKS_MAX || count > CALLS_MAX || (calls += count) > CALLS_MAX)
                return false;
        }
    return true;
}

/* Each part of a wait is due to something, and none is longer than its call; only polls are calls before it, too. */
static bool check_wait(void *context, const struct cause_event *event)
{
    const uint64_t longest = event->kind == WAIT_POLLED ? event->leave_ns : event->leave_ns - event->enter_ns;
    (void)context;
    ck_assert(event->wait_ns > event->error_ns && event->wait_ns - event->error_ns <= longest);
    return true;
}

/* Finds waits in traces that pilgrim-waits refuses, too: of any times. */
static void find(const struct pilgrim_trace *trace)
{
    struct wait_states w;
    struct pilgrim_error error;
    struct path_share *shares = NULL;
    struct delay_cost *costs = NULL;
    size_t count, i;
    uint64_t length;
    double due = 0, waits = 0;
    const enum pilgrim_status status = wait_states_find(&w, trace, NULL, check_wait, NULL, &error);
    ck_assert(status != PILGRIM_NOMEM);
    const struct efficiency e = efficiency_of(&w);
    ck_assert(e.parallel >= 0 && e.parallel <= 1 && e.load_balance <= 1.000001 && e.serialization <= 1);
    ck_assert(critical_path_of(&w, &shares, &count, &length) && delay_costs_of(&w, &costs, &count));
    for (i = 0; i < count; i++)
        due += costs[i].direct_ns + costs[i].indirect_ns;
    for (i = 0; i < w.row_count; i++)
        waits += (double)w.rows[i].sum.total_ns;
    ck_assert_msg(due <= waits * 1.000001 + 1, "%f ns are due, of %f", due, waits);
    free(shares);
    free(costs);
    wait_states_free(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static int file;
    char path[FUZZ_PATH_MAX];
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    static const char *const views[] = {"pilgrim-waits", "pilgrim-waits --format=json --each",
                                        "pilgrim-waits --format=csv", "pilgrim-waits --path",
                                        "pilgrim-waits --rank=0 --loop=1 --pattern=late-sender"};
    fuzz_file(&file, data, length, path);
    const enum pilgrim_status status = trace_open(path, MEMORY / 2, MEMORY, &trace, &error);
    ck_assert(status != PILGRIM_NOMEM);
    if (!trace)
        return 0;
    const bool all = is_short(trace);
    if (all)
        find(trace);
    pilgrim_close(trace);
    if (all) {
        const char *view = views[length % (sizeof views / sizeof *views)];
        const int result = fuzz_main(waits_main, view, path);
        ck_assert_msg(result == 0 || result == 1, "%s: %d\n", view, result);
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t length, size_t max, unsigned seed)
{
    return sections_mutate(data, length, max, seed, HEAD);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_length, const uint8_t *other, size_t other_length,
                                 uint8_t *out, size_t max, unsigned seed)
{
    return sections_cross(one, one_length, other, other_length, out, max, seed, HEAD);
}
