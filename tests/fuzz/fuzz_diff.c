/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace of any bytes, as pilgrim-diff reads it: against the good one that FUZZ_OTHER names, on either side, and
 * against a copy of itself, to which it is equal. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "fuzz.h"
#include "sections.h"
#include "read/file/load.h"

#include <stdlib.h>

enum { HEAD = 10, RANKS_MAX = 32, CALLS_MAX = 2000, MEMORY = 16 << 20, EQUAL = 0, WRONG = 2 };

#define LIMITED "pilgrim-diff --memory=16M"

int diff_main(int argc, char **argv);

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

static int compare(const char *words, const char *first, char *last)
{
    char text[256];
    snprintf(text, sizeof text, LIMITED " %s %s", words, first);
    return fuzz_main(diff_main, text, last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static const char *const of_two[] = {"", "--format=json --all", "--structure", "--ignore=times,polls,sites",
                                         "--replay --format=json"};
    static const char *const of_one[] = {"--ranks=0:1", "--iterations=1:2", "--iterations=2:3 --loop=2 --format=json"};
    static int files[2];
    char path[FUZZ_PATH_MAX], copy[FUZZ_PATH_MAX], other[FUZZ_PATH_MAX];
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    const char *good = getenv("FUZZ_OTHER");
    fuzz_file(&files[0], data, length, path);
    const enum pilgrim_status status = trace_open(path, MEMORY / 2, MEMORY, &trace, &error);
    ck_assert(status != PILGRIM_NOMEM);
    const bool all = trace && is_short(trace), whole = all && error.status == PILGRIM_OK;
    pilgrim_close(trace);
    if (trace && !all)
        return 0;
    const char *view = of_two[length % (sizeof of_two / sizeof *of_two)];
    fuzz_file(&files[1], data, length, copy);
    int result = compare(view, path, copy);
    ck_assert_msg(result == EQUAL || result == WRONG, "%s of a trace with itself: %d\n", view, result);
    ck_assert_msg(whole || result == WRONG, "a damaged trace is compared\n");
    if (good) {
        snprintf(other, sizeof other, "%s", good);
        result = length % 2 ? compare(view, path, other) : compare(view, other, path);
        ck_assert_msg(result >= EQUAL && result <= WRONG, "%s: %d\n", view, result);
    }
    if (whole) {
        view = of_one[length % (sizeof of_one / sizeof *of_one)];
        result = compare(view, "", path);
        ck_assert_msg(result >= EQUAL && result <= WRONG, "%s: %d\n", view, result);
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
