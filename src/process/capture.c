/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder's state in this process, its messages on stderr, and its binding to the MPI library; see capture.h. */
#define _GNU_SOURCE 1 /* pthread_setcancelstate */
#include "process/capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/printable.h"
#include "format/write_file.h"
#include "mpi/entry.h"
#include "objects/heap.h"
#include "process/launcher.h"

struct capture capture = {
    .off = OFF_UNLOADED | OFF_UNBOUND | OFF_BEFORE,
    .world = {.rank = -1},
    .size = 1,
};

void (*capture_late_hook)(void);

/* As of the loading of the library. */
static struct {
    bool open;
    dev_t device;
    ino_t inode;
} stderr_file;

void capture_know_stderr(void)
{
    struct stat found = {0};
    stderr_file.open = !fstat(STDERR_FILENO, &found);
    stderr_file.device = found.st_dev;
    stderr_file.inode = found.st_ino;
}

static bool stderr_is_same(void)
{
    struct stat now;
    return stderr_file.open && !fstat(STDERR_FILENO, &now) && now.st_dev == stderr_file.device &&
           now.st_ino == stderr_file.inode;
}

void capture_write(const char *line, size_t length)
{
    struct write_guard guard;
    int error = errno, cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    write_guard_begin(&guard);
    /* One write, so that the lines of several processes do not mix. If it fails, nothing can be done. */
    if (stderr_is_same())
        (void)!write(STDERR_FILENO, line, length);
    write_guard_end(&guard);
    pthread_setcancelstate(cancel_state, NULL);
    errno = error;
}

enum { LINE_BYTES = 1024 };

void capture_say(const char *format, ...)
{
    char line[LINE_BYTES] = "pilgrim: ", text[LINE_BYTES];
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t used = strlen(line);
    printable_copy(line + used, sizeof line - used - 1, text);
    used = strlen(line);
    line[used++] = '\n';
    capture_write(line, used);
    errno = error;
}

const char *capture_shown(const char *path)
{
    size_t length = capture.run.here_length;
    return length && !strncmp(path, capture.run.trace, length) ? path + length : path;
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
        if (atomic_load(&capture.off) & OFF_UNLOADED)
            break; /* a constructor calls MPI, as libmpi_cxx's does: ours, which comes later, binds again and says it */
        memory_followed = false;
        before = atomic_fetch_or(&capture.off, OFF_OTHER);
        atomic_fetch_and(&capture.off, ~(unsigned)OFF_UNBOUND);
        if (!(before & (OFF_OTHER | OFF_SETTING)))
            say_other();
        break;
    default:
        break;
    }
    return !(atomic_load(&capture.off) & ~(unsigned)(OFF_PAUSED | OFF_HINTS));
}
