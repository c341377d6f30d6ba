/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder [--seed=N | --first=N --count=N] [--seconds=S] [--write=FILE] [--wrong]: from recorder to reader. Random
 * programs (made_program.h) are recorded, made into fragments, rank by rank and round by round, merged, written and
 * read, and each value of each call is compared with what the program's own calls are.
 *
 * --count programs from --first on are run, fewer if there is no time left; a program with a difference is a line FAIL,
 * whose seed makes it again. --write: leaves the last trace. --wrong: one value of each log is changed; it must be
 * noticed. */
#include "recorder.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "read/file/load.h"

void require(bool good, const char *what, uint64_t seed)
{
    if (good)
        return;
    printf("FAIL recorder: %s; again: recorder --seed=%" PRIu64 "\n", what, seed);
    exit(EXIT_FAILURE);
}

struct totals {
    uint64_t programs, calls, bytes;
};

static bool run(uint64_t seed, bool wrong, const char *path, struct totals *totals)
{
    struct program p;
    struct bytes out = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    bool good = true;
    program_make(&p, seed);
    record(&p, &out);
    FILE *file = path ? fopen(path, "wb") : NULL;
    require(!path || (file && fwrite(out.data, 1, out.length, file) == out.length && !fclose(file)), "cannot write",
            seed);
    require(trace_load(out.data, out.length, &trace, &error) == PILGRIM_OK, error.message, seed);
    require(error.status == PILGRIM_OK, error.message, seed);
    for (uint32_t rank = 0; rank < p.ranks; rank++)
        for (uint32_t t = 0; t < p.threads; t++) {
            good = compare_thread(&p, trace, rank, t, wrong) && good;
            totals->calls += pilgrim_call_count(trace, rank, t);
        }
    totals->programs++;
    totals->bytes += out.length;
    pilgrim_close(trace);
    bytes_free(&out);
    return good;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"seed", required_argument, NULL, 's'},
                                            {"first", required_argument, NULL, 'f'},
                                            {"count", required_argument, NULL, 'c'},
                                            {"seconds", required_argument, NULL, 't'},
                                            {"write", required_argument, NULL, 'o'},
                                            {"wrong", no_argument, NULL, 'w'},
                                            {NULL, 0, NULL, 0}};
    struct totals totals = {0};
    uint64_t first = 1, count = 1;
    const char *path = NULL;
    time_t end = 0;
    bool wrong = false, good = true;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (option) {
        case 's':
        case 'f':
            first = strtoull(optarg, NULL, 10);
            break;
        case 'c':
            count = strtoull(optarg, NULL, 10);
            break;
        case 't':
            end = time(NULL) + strtol(optarg, NULL, 10);
            break;
        case 'o':
            path = optarg;
            break;
        case 'w':
            wrong = true;
            break;
        default:
            return 2;
        }
    for (uint64_t i = 0; i < count && (i == 0 || !end || time(NULL) < end); i++)
        good = run(first + i, wrong, path, &totals) && good;
    printf("%" PRIu64 " programs from seed %" PRIu64 " on, %" PRIu64 " calls, %" PRIu64 " bytes\n", totals.programs,
           first, totals.calls, totals.bytes);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
