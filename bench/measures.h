/* SPDX-License-Identifier: BSD-3-Clause */
/* What the benchmarks share: random numbers, the same in each run, and what the process has used so far. */
#ifndef BENCH_MEASURES_H
#define BENCH_MEASURES_H

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

/* Returns a random number below BELOW. */
static inline unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*state >> 33) % below);
}

static inline double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double cpu_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* Returns the peak of resident memory. */
static inline long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

#endif
