/* SPDX-License-Identifier: BSD-3-Clause */
/* Beginning and end of recording in this process. */
#define _GNU_SOURCE 1 /* environ */
#include "lifecycle/init.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/blocks.h"
#include "process/capture.h"
#include "wrap/communicator_calls.h"
#include "process/filter.h"
#include "process/spill_file.h"
#include "process/spill.h"
#include "process/stack.h"
#include "process/sync.h"
#include "process/thread.h"
#include "objects/heap.h"
#include "objects/memory.h"
#include "objects/sharing.h"

/* In the child. Where it is inside of a call's callback, that call is to be looked at when it ends. */
static void forked(void)
{
    struct thread *t = thread_registered();
    atomic_fetch_or(&capture.off, OFF_CHILD);
    if (t)
        t->grown = true;
}

static enum readings readings_of(const struct settings *s)
{
    static const enum readings by_timing[] = {[TIMING_OFF] = READINGS_NOT_KEPT,
                                              [TIMING_AGGREGATE] = READINGS_NOT_KEPT,
                                              [TIMING_BINS] = READINGS_IN_BINS,
                                              [TIMING_EXACT] = READINGS_EXACT};
    return s->keeps_readings ? READINGS_VALUES : by_timing[s->timing];
}

__attribute__((constructor)) static void capture_load(void)
{
    capture.process = getpid();
    settings_read(&capture.settings, environ);
    capture.readings = readings_of(&capture.settings);
    filter_begin();
    memory_followed = capture.settings.buffers && !capture.settings.off;
    if (memory_followed)
        heap_own();
    if (capture.settings.off)
        atomic_fetch_or(&capture.off, OFF_SETTING);
    if (pthread_atfork(NULL, NULL, forked))
        atomic_fetch_or(&capture.off, OFF_SETTING);
    atomic_fetch_and(&capture.off, ~(unsigned)OFF_UNLOADED);
    (void)capture_bind(NULL);
}

/* Fills capture.library from "MPICH Version:      4.0.2\n..." or "Open MPI v4.1.4, package: ...". */
static void read_version(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    const char *version = PMPI_Get_library_version(text, &length) == MPI_SUCCESS ? strpbrk(text, "0123456789") : NULL;
    snprintf(capture.library, sizeof capture.library, "%s %.*s", mpi_library_built_for,
             version ? (int)strcspn(version, " ,\t\r\n") : 0, version ? version : "");
}

static bool usable(unsigned reasons)
{
    return !(atomic_load(&capture.off) & reasons);
}

static void warn(const char *line)
{
    capture_say("%s", line);
}

static void say_settings(void)
{
    const char *why;
    settings_check(environ, warn);
    filter_check(warn);
    if (capture.settings.stack > 1 && !stacks_available(&why))
        capture_say("PILGRIM_STACK=%u is ignored: %s", capture.settings.stack, why);
    if (capture.settings.clock == CLOCK_TSC && clock_source == CLOCK_SOURCE_MONOTONIC)
        capture_say("PILGRIM_CLOCK=tsc is ignored: the processor's counter cannot be read here");
}

int capture_locals_told(void)
{
    static const char *const names[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_LOCAL_SIZE"};
    int told = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && told <= 0; i++) {
        const char *value = getenv(names[i]);
        told = value ? atoi(value) : 0;
    }
    return told > 0 ? told : 0;
}

/* How much memory this process may use depends on how many of them the machine has. To ask MPI is collective, and may
 * cost rank 0 as much memory as all of recording: so rank 0 has said for all whether it is done. */
static void begin_spilling(void)
{
    MPI_Comm local = MPI_COMM_NULL;
    int processes = capture_locals_told();
    if (!capture.run.told_locals &&
        PMPI_Comm_split_type(capture.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local) == MPI_SUCCESS &&
        local != MPI_COMM_NULL) {
        PMPI_Comm_size(local, &processes);
        PMPI_Comm_free(&local);
    }
    spill_begin(processes ? processes : capture.size);
}

void capture_after_init(void)
{
    if (capture.initialized || !usable(OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD))
        return;
    if (spill_forget())
        capture_fail("MPI_Init comes after more calls of sessions than memory has room for");
    /* The names of rank and thread that they have are no longer right: those first calls have no times. */
    blocks_forget();
    spill_file_remove();
    read_version();
    int provided = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&provided);
    objects_set_threads(provided == MPI_THREAD_MULTIPLE);
    PMPI_Comm_rank(MPI_COMM_WORLD, &capture.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &capture.size);
    if (capture.rank == 0)
        say_settings();
    /* From here on this process takes part in the gather, whatever becomes of its tracing. */
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &capture.comm) != MPI_SUCCESS) {
        capture.comm = MPI_COMM_NULL;
        capture_fail("no communicator of its own");
        return;
    }
    PMPI_Comm_set_errhandler(capture.comm, MPI_ERRORS_RETURN);
    capture_agree();
    clock_settle();
    sync_begin();
    begin_spilling();
    capture.world = object_rank_base(KIND_COMM, HANDLE(MPI_COMM_WORLD));
    communicators_begin();
    memory_know_stack();
    capture.initialized = true;
    if (!capture.session)
        thread_becomes_first();
}

void capture_after_session_init(void)
{
    if (capture.initialized || capture.session || !usable(OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD))
        return;
    read_version();
    /* The session's thread level is not that of the process; locks are always right. */
    objects_set_threads(true);
    memory_know_stack();
    capture.comm = MPI_COMM_NULL;
    capture_agree();
    clock_settle();
    /* How many processes share the machine is not known: at most as many as it has processors. */
    spill_begin((int)sysconf(_SC_NPROCESSORS_ONLN));
    capture.session = true;
    thread_becomes_first();
}

void capture_before_finalize(void)
{
    if (!usable(OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD) || !capture.initialized)
        return;
    atomic_fetch_or(&capture.off, OFF_FINISHED);
    capture_finish();
}

static void say_no_trace(const char *why)
{
    const char *folder = spill_segments() ? spill_file_folder() : NULL;
    if (!folder)
        spill_file_remove();
    capture_say("%s%s%s", why, folder ? "; what was recorded first is in " : "", folder ? folder : "");
}

void capture_before_abort(void)
{
    if (usable(OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD | OFF_FAILED | OFF_OTHER))
        say_no_trace("MPI_Abort: an aborted run leaves no trace");
    atomic_fetch_or(&capture.off, OFF_FINISHED);
}

/* What failed in this process, in a session, the others do not know. */
void capture_after_unrecorded_init(void)
{
    if (!usable(OFF_FAILED))
        capture_after_init();
}

/* A process that ends without MPI_Finalize. One that only had sessions has a trace of its own: what other processes
 * it talked to is not known without asking them, and they may be gone. */
__attribute__((destructor)) static void capture_unload(void)
{
    /* Of a child that was made past the C library nobody has said so: what is written and removed here is not its own.
     */
    if (!usable(OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD) || capture.process != getpid())
        return;
    atomic_fetch_or(&capture.off, OFF_FINISHED);
    if (capture.initialized) {
        if (capture.rank == 0)
            say_no_trace("the program ended without MPI_Finalize and leaves no trace");
    } else if (capture.session) {
        capture_finish();
    }
}
