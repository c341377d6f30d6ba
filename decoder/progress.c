/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a tool is; see progress.h. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define REFRESH_NS  100000000
#define PATIENCE_NS 1000000000

static const char *program; /* NULL: there is no work */
static uint64_t whole, done;
static bool is_bytes;
static int64_t begin_ns, shown_ns; /* CLOCK_MONOTONIC: from when on it is shown; when it was shown last, 0: it is not */

static int64_t now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

void progress_begin(const char *name, uint64_t amount, bool bytes, bool is_at_once)
{
    progress_end();
    if (!isatty(STDERR_FILENO))
        return;
    program = name;
    whole = amount;
    done = 0;
    is_bytes = bytes;
    begin_ns = now() + (is_at_once ? 0 : PATIENCE_NS);
}

void progress_at(uint64_t amount)
{
    done = amount;
    if (!program)
        return;
    const int64_t time_ns = now();
    if (time_ns < begin_ns || (shown_ns && time_ns - shown_ns < REFRESH_NS))
        return;
    shown_ns = time_ns;
    const double percent = whole ? 100.0 * (double)done / (double)whole : 100.0;
    if (is_bytes)
        fprintf(stderr, "\r%s: %3.0f%% of %.1f MB\033[K", program, percent, (double)whole / 1e6);
    else
        fprintf(stderr, "\r%s: %3.0f%% of %llu ranks\033[K", program, percent, (unsigned long long)whole);
    fflush(stderr);
}

void progress_add(uint64_t more)
{
    progress_at(done + more);
}

void progress_clear(void)
{
    if (shown_ns)
        fputs("\r\033[K", stderr);
    shown_ns = 0;
}

void progress_end(void)
{
    progress_clear();
    program = NULL;
}
