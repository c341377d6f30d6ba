/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace of any bytes, as each file that pilgrim-convert writes. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "fuzz.h"
#include "sections.h"
#include "read/file/load.h"
#include "../../tools/convert/convert_run.h"

enum { HEAD = 10, RANKS_MAX = 32, CALLS_MAX = 3000, MEMORY = 16 << 20 };

/* True if TRACE has few calls: a few bytes may stand for billions. */
static bool has_few_calls(const struct pilgrim_trace *trace)
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

/* Returns how many numbers there are for what records of KIND are about. */
static size_t numbers(const struct mpi_records *r, unsigned kind)
{
    return kind < RECORD_REMOTE          ? COMM_TABLE_FIRST + r->comms.count
           : kind < RECORD_FILE_OPENED   ? r->windows.count
           : kind != RECORD_FILE_DELETED ? r->files.count
                                         : r->path_count;
}

/* Reads the records that formats of folders are written from. */
static void read_records(const struct pilgrim_trace *trace)
{
    struct mpi_records records;
    struct pilgrim_error error;
    const struct records_wanted wanted = {.untimed = true};
    ck_assert(mpi_records_read(&records, trace, NULL, &wanted, &error) != PILGRIM_NOMEM);
    for (size_t i = 0; i < records.first[records.ranks]; i++)
        for (size_t k = 0; k < records.threads[i].count; k++) {
            const struct mpi_record *record = &records.threads[i].records[k];
            ck_assert(record->group <= records.groups);
            ck_assert(record->kind == RECORD_TEST || record->comm < numbers(&records, record->kind));
        }
    mpi_records_free(&records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static int file, nowhere;
    static struct output out;
    char path[FUZZ_PATH_MAX];
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    struct convert_result result;
    static const struct convert_format *const formats[] = {&convert_arrow, &convert_chrome, &convert_csv, &convert_goal,
                                                           &convert_perfetto};
    fuzz_file(&file, data, length, path);
    ck_assert(trace_open(path, MEMORY / 2, MEMORY, &trace, &error) != PILGRIM_NOMEM);
    if (!trace)
        return 0;
    if (!nowhere)
        nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (has_few_calls(trace)) {
        out = (struct output){.descriptor = nowhere};
        struct convert c = {.trace = trace, .out = &out, .arguments = length % 2};
        const struct convert_format *format = formats[length / 2 % (sizeof formats / sizeof *formats)];
        ck_assert(convert_run(&c, format, NULL, NULL, &result, &error) != PILGRIM_NOMEM);
        read_records(trace);
    }
    pilgrim_close(trace);
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
