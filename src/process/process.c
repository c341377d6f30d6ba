/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's state, what it says on stderr, and which MPI it is bound to; see capture.h. */
#include "process/capture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "mpi/entry.h"
#include "objects/heap.h"

struct capture capture = {
    .off = OFF_UNLOADED | OFF_UNBOUND,
    .world = {.rank = -1},
    .size = 1,
};

void capture_say(const char *format, ...)
{
    char line[1024] = "pilgrim: ";
    va_list arguments;
    va_start(arguments, format);
    size_t used = strlen(line);
    vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    va_end(arguments);
    used = strlen(line);
    line[used++] = '\n';
    /* One write, so that the lines of several processes do not mix. Nothing can be done where it fails. */
    ssize_t written = write(STDERR_FILENO, line, used);
    (void)written;
}

void capture_fail(const char *why)
{
    if (!(atomic_fetch_or(&capture.off, OFF_FAILED) & OFF_FAILED))
        capture_say("%s; tracing is off", why);
}

/* Whether this process is the one to speak for all, where MPI cannot be asked: as its launcher says. */
static bool speaks(void)
{
    static const char *const ranks[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const char *rank = getenv(ranks[i]);
        if (rank)
            return !strcmp(rank, "0");
    }
    return true;
}

static void say_missing(void)
{
    capture_say("the program calls an MPI function, and no MPI library in this process has it");
}

static void say_other(void)
{
    if (speaks())
        capture_say("this program's MPI is %s, this library is for %s; tracing is off", mpi_library_other,
                    mpi_library_built_for);
}

bool capture_bind(const void *site)
{
    unsigned before;
    mpi_library_missing_hook = say_missing;
    switch (mpi_library_bind(site)) {
    case MPI_LIBRARY_BUILT_FOR:
        handles_set_null_request();
        if (atomic_load(&capture.off) & OFF_SETTING)
            entries_bypass();
        else
            clock_choose(capture.settings.timing != TIMING_OFF ? capture.settings.clock : CLOCK_OFF);
        atomic_fetch_and(&capture.off, ~(unsigned)OFF_UNBOUND);
        break;
    case MPI_LIBRARY_OTHER:
        entries_bypass();
        memory_followed = false;
        before = atomic_fetch_or(&capture.off, OFF_OTHER);
        atomic_fetch_and(&capture.off, ~(unsigned)OFF_UNBOUND);
        if (!(before & (OFF_OTHER | OFF_SETTING)))
            say_other();
        break;
    default:
        break;
    }
    return !(atomic_load(&capture.off) & ~(unsigned)(OFF_PAUSED | OFF_MOVED));
}
