/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace of any bytes, through all functions of the reader and all views of pilgrim-decode. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "fuzz.h"
#include "read/file/load.h"
#include "sections.h"
#include "walk_trace.h"

/* TURNS: an input goes through one view in so many, by its length. */
enum { TURNS = 5, HEAD = 10, RANKS_MAX = 32, CALLS_MAX = 1000, MEMORY = 16 << 20 };

int decode_main(int argc, char **argv);

static const char *const views[] = {
    "pilgrim-decode",
    "pilgrim-decode --format=json --no-polls --from=1",
    "pilgrim-decode --clock=common --func=MPI_*",
    "pilgrim-decode --stats=histograms",
    "pilgrim-decode --stats --format=json --rank=0-2 --thread=0",
    "pilgrim-decode --stats --by=rank",
    "pilgrim-decode --stats --by=site,phase,communicator,datatype",
    "pilgrim-decode --stats --by=size,rank,peer --format=json",
    "pilgrim-decode --loops",
    "pilgrim-decode --grammar",
    "pilgrim-decode --matrix",
    "pilgrim-decode --matrix=rma",
    "pilgrim-decode --messages",
    "pilgrim-decode --messages --format=json",
    "pilgrim-decode --communicators --format=json",
    "pilgrim-decode --system",
    "pilgrim-decode --system --format=json",
    "pilgrim-decode --system --rank=0-9",
    "pilgrim-decode --properties",
};

/* True if TRACE has few calls, so that all of them are soon printed: a few bytes may stand for billions. */
static bool is_short(const struct pilgrim_trace *trace)
{
    uint64_t calls = 0;
    if (pilgrim_rank_count(trace) > RANKS_MAX)
        return false;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(trace, rank); thread++) {
            uint64_t count = pilgrim_call_count(trace, rank, thread);
            if (thread > RANKS_MAX || count > CALLS_MAX || (calls += count) > CALLS_MAX)
                return false;
        }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static int file;
    char path[FUZZ_PATH_MAX];
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    fuzz_file(&file, data, length, path);
    /* Every other file with room for one shard at a time, which are then read again. */
    enum pilgrim_status status = trace_open(path, length % 2 ? 1 : MEMORY / 2, MEMORY, &trace, &error);
    ck_assert(status != PILGRIM_NOMEM && (status == PILGRIM_OK) == (trace != NULL));
    ck_assert(error.offset <= length);
    if (!trace)
        return 0;
    walk_trace(trace);
    const bool all = is_short(trace);
    pilgrim_close(trace);
    for (size_t i = length % TURNS; all && i < sizeof views / sizeof *views; i += TURNS) {
        int result = fuzz_main(decode_main, views[i], path);
        const bool wants_times = strstr(views[i], "--clock=common"); /* 2: there are none */
        ck_assert_msg(result == 0 || result == 1 || (wants_times && result == 2), "%s: %d\n", views[i], result);
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
