/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder's state in this process, its messages on stderr, and its binding to the MPI library; see capture.h. */
#include "process/capture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "mpi/entry.h"
#include "objects/heap.h"
#include "process/launcher.h"

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
    /* One write, so that the lines of several processes do not mix. If it fails, nothing can be done. */
    ssize_t written = write(STDERR_FILENO, line, used);
    (void)written;
}

void capture_fail(const char *why)
{
    if (!(atomic_fetch_or(&capture.off, OFF_FAILED) & OFF_FAILED))
        capture_say("%s; tracing is off", why);
}

static void say_missing(void)
{
    capture_say("the program calls an MPI function that no MPI library of this process has");
}

static void say_other(void)
{
    if (launcher_is_first())
        capture_say("the program uses %s, but this library was built for %s; tracing is off", mpi_library_other,
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
