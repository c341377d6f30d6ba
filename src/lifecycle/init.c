/* SPDX-License-Identifier: BSD-3-Clause */
/* Beginning and end of recording in this process; see init.h. */
#define _GNU_SOURCE 1 /* environ */
#include "lifecycle/init.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spare_files.h"
#include "lifecycle/finalize.h"
#include "lifecycle/own_communicator.h"
#include "lifecycle/separate_folders.h"
#include "process/times_sections.h"
#include "process/capture.h"
#include "wrap/communicator_calls.h"
#include "process/endings.h"
#include "process/filter.h"
#include "process/journaling.h"
#include "process/launcher.h"
#include "process/short_memory.h"
#include "process/spill_file.h"
#include "process/spill.h"
#include "process/clock_sync.h"
#include "process/thread.h"
#include "objects/heap.h"
#include "objects/memory.h"
#include "objects/sharing.h"

/* In the child of a fork. A process that has not called MPI may be a supervisor, and the child the MPI program: the
 * child begins like any process. Else its calls are not those of the parent's rank. If that forked in a callback, the
 * call in progress must be looked at when it ends. */
static void forked(void)
{
    struct thread *t = thread_registered();
    if (!capture.initialized && !capture.session && threads_none()) {
        capture.process = getpid();
        return;
    }
    atomic_fetch_or(&capture.off, OFF_CHILD);
    if (t) {
        t->grown = true;
        journal_forked(t->journal);
    }
}

static enum readings readings_of(const struct settings *s)
{
    static const enum readings by_timing[] = {[TIMING_OFF] = READINGS_NOT_KEPT,
                                              [TIMING_AGGREGATE] = READINGS_NOT_KEPT,
                                              [TIMING_BINS] = READINGS_IN_BINS,
                                              [TIMING_EXACT] = READINGS_EXACT};
    return s->keeps_readings ? READINGS_VALUES : by_timing[s->timing];
}

static void begin_late(void);

__attribute__((constructor)) static void capture_load(void)
{
    bool secure = getauxval(AT_SECURE); /* a set-user-ID program: its user must not tell it which files to write */
    capture_know_stderr();
    capture.process = getpid();
    launcher_look();
    capture_late_hook = begin_late;
    settings_read(&capture.settings, secure ? NULL : environ);
    capture.settings.off |= secure;
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

/* Sets capture.library from "MPICH Version: 4.0.2\n..." or "Open MPI v4.1.4, package: ...". */
static void read_version(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    const char *version = PMPI_Get_library_version(text, &length) == MPI_SUCCESS ? strpbrk(text, "0123456789") : NULL;
    snprintf(capture.library, sizeof capture.library, "%s %.*s", mpi_library_built_for,
             version ? (int)strcspn(version, " ,\t\r\n") : 0, version ? version : "");
}

/* Sets capture.folder, where readers of the trace look for the program. */
static void read_folder(void)
{
    ssize_t length = capture.settings.system ? readlink("/proc/self/exe", capture.folder, sizeof capture.folder) : -1;
    const char *slash = length > 0 ? memrchr(capture.folder, '/', (size_t)length) : NULL;
    bool whole = slash && slash > capture.folder && (size_t)length < sizeof capture.folder;
    capture.folder[whole ? slash - capture.folder : 0] = 0;
}

static bool usable(unsigned reasons)
{
    return !(atomic_load(&capture.off) & reasons);
}

static void warn(const char *line)
{
    capture_say("%s", line);
}

/* Says which functions of a newer MPI this build does not know. */
static void say_unknown(void)
{
    char names[256];
    if (mpi_library_unknown(names, sizeof names))
        capture_say("this MPI is newer than the one that Pilgrim was built with; calls of %s are not recorded. Build "
                    "Pilgrim with this MPI to record them",
                    names);
}

/* Says that the launcher and the MPI library do not know each other, so that each process is a world by itself. */
static void say_alone(void)
{
    bool first;
    const int processes = launcher_world(&first);
    if (capture.size == 1 && processes > 1 && first)
        capture_say("%d processes were started, but MPI_COMM_WORLD has one: each runs by itself and writes a trace of "
                    "its own. The launcher is not one for %s: use that library's mpiexec, or another --mpi of srun",
                    processes, mpi_library_built_for);
}

/* Says which functions do not come here, because another library has them before this one. */
static void say_hidden(void)
{
    char names[256];
    const char *object = NULL;
    if (mpi_library_hidden(names, sizeof names, &object))
        capture_say("C calls of %s go to %s, which comes before Pilgrim: they are recorded only if it hands them on by "
                    "these names and not by PMPI's. In LD_PRELOAD, libpilgrim.so should be the first",
                    names, object);
}

static void say_settings(void)
{
    say_alone();
    say_hidden();
    settings_check(environ, warn);
    filter_check(warn);
    say_unknown();
    if (capture.settings.clock == CLOCK_TSC && clock_source == CLOCK_SOURCE_MONOTONIC)
        capture_say("PILGRIM_CLOCK=tsc is ignored: the processor's counter cannot be used here");
}

/* Sets the bound on memory, which depends on the number of processes on this machine. To ask MPI is collective, and may
 * cost rank 0 as much memory as all of recording. So it is asked only if the launcher did not tell rank 0. Returns the
 * number of machines, at least. */
static int begin_spilling(void)
{
    MPI_Comm local = MPI_COMM_NULL;
    int processes = launcher_local_count();
    if (!capture.run.local_count_known &&
        PMPI_Comm_split_type(capture.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local) == MPI_SUCCESS &&
        local != MPI_COMM_NULL) {
        PMPI_Comm_size(local, &processes);
        PMPI_Comm_free(&local);
    }
    spill_begin(processes ? processes : capture.size);
    return processes ? capture.size / processes : 1;
}

/* Begins the journal in all processes. The reduction ends when all have prepared. FILES: as begin_spilling returns it.
 */
static void begin_journal(int files)
{
    uint32_t folder = journaling_prepare(files);
    if (capture.size > 1 &&
        PMPI_Allreduce(MPI_IN_PLACE, &folder, 1, MPI_UINT32_T, MPI_MAX, capture.comm) != MPI_SUCCESS)
        folder = 0;
    journaling_begin(files, folder);
    separate_folders_find();
}

void capture_after_init(void)
{
    if (capture.initialized || !usable(OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD))
        return;
    atomic_fetch_and(&capture.off, ~(unsigned)OFF_BEFORE);
    if (spill_forget())
        capture_fail("MPI_Init comes after calls of sessions that needed more than PILGRIM_MEMORY");
    /* Times so far have a rank and thread number that are wrong now. The calls before MPI_Init stay without times. */
    times_sections_forget();
    if (capture.session) {
        (void)journaling_end(); /* it is of a process that is a run by itself */
        journal_never();
    }
    spill_file_remove();
    spill_file_end();
    read_version();
    read_folder();
    int provided = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&provided);
    objects_set_threads(provided == MPI_THREAD_MULTIPLE);
    PMPI_Comm_rank(MPI_COMM_WORLD, &capture.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &capture.size);
    if (capture.rank == 0)
        say_settings();
    /* From here on this process takes part in the gather, even if its own tracing fails. */
    if (!own_communicator_make()) {
        capture.comm = MPI_COMM_NULL;
        capture_fail("Pilgrim could not duplicate MPI_COMM_WORLD for its own messages");
        return;
    }
    PMPI_Comm_set_errhandler(capture.comm, MPI_ERRORS_RETURN);
    capture_agree();
    clock_settle();
    clock_sync_begin();
    spare_files_begin();
    begin_journal(begin_spilling());
    endings_watch();
    capture.world = object_rank_base(KIND_COMM, HANDLE(MPI_COMM_WORLD));
    communicators_begin();
    memory_know_stack();
    short_memory_begin();
    capture.initialized = true;
    if (!capture.session)
        thread_becomes_first();
}

/* capture_late_hook. MPI_Init has not come here: a tool in front of Pilgrim has it. */
static void begin_late(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int initialised = 0, finalised = 0;
    struct thread *t;
    if (PMPI_Initialized(&initialised) != MPI_SUCCESS || !initialised || PMPI_Finalized(&finalised) != MPI_SUCCESS ||
        finalised || !(t = thread_self()))
        return;
    thread_enter(t);
    pthread_mutex_lock(&lock);
    if (!capture.initialized && atomic_load(&capture.off) & OFF_BEFORE) {
        capture_after_init();
        if (capture.initialized)
            finalize_watch();
    }
    pthread_mutex_unlock(&lock);
    thread_leave(t);
}

void capture_after_session_init(void)
{
    if (capture.initialized || capture.session || !usable(OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD))
        return;
    read_version();
    read_folder();
    /* A session's thread level is not that of the process; locking is always correct. */
    objects_set_threads(true);
    memory_know_stack();
    capture.comm = MPI_COMM_NULL;
    capture_agree();
    clock_settle();
    /* The number of processes on the machine is unknown; assume one for each processor. */
    spill_begin((int)sysconf(_SC_NPROCESSORS_ONLN));
    capture.session = true;
    atomic_fetch_and(&capture.off, ~(unsigned)OFF_BEFORE);
    spare_files_begin();
    journaling_begin(launcher_count(), 0); /* each process is a run by itself */
    endings_watch();
    thread_becomes_first();
}

/* The program ends without MPI_Finalize, as ENDING and WHY say. */
static void end_early(enum journal_ending ending, int number, const char *why)
{
    if (journal_started()) {
        endings_note(ending, number);
        return;
    }
    bool first;
    (void)launcher_world(&first);
    if (ending == JOURNAL_EXIT && capture.rank)
        return;
    if (!capture.initialized && !capture.session && !first) /* where MPI_Init fails, it does so in most processes */
        return;
    const char *folder = spill_segments() ? spill_file_folder() : NULL;
    if (!folder) {
        spill_file_remove();
        spill_file_end();
    }
    capture_say("%s; there is no trace%s%s", why, folder ? "; the calls recorded first are in " : "",
                folder ? folder : "");
}

void capture_before_abort(int code)
{
    if (usable(OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD | OFF_OTHER) &&
        (usable(OFF_FAILED) || journal_started()))
        end_early(JOURNAL_ABORT, code, "the program called MPI_Abort");
    atomic_fetch_or(&capture.off, OFF_FINISHED);
}

enum { ERROR_LINE_BYTES = 1024 };

bool capture_has_begun(void)
{
    return usable(OFF_UNLOADED | OFF_SETTING | OFF_FAILED | OFF_FINISHED | OFF_CHILD | OFF_OTHER) &&
           capture.process == getpid();
}

void capture_before_error(int code, const char *text)
{
    char why[ERROR_LINE_BYTES];
    endings_error(text);
    snprintf(why, sizeof why, "a fatal MPI error%s", text);
    end_early(JOURNAL_ERROR, code, why);
    endings_are_over();
}

static void say_child(void)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        capture_say("a process that had called MPI before has forked this one, whose calls are not recorded; fork "
                    "before the first call of MPI");
}

/* If tracing failed in this process, in a session, the other processes do not know it. */
void capture_after_unrecorded_init(void)
{
    if (!usable(OFF_CHILD) && usable(OFF_SETTING | OFF_FINISHED))
        say_child();
    if (!usable(OFF_FAILED))
        capture_after_init();
}

/* At the end of a process without MPI_Finalize. A process that only had sessions writes a trace of its own: to learn
 * which other processes it talked to, it would have to ask them, and they may be gone. */
__attribute__((destructor)) static void capture_unload(void)
{
    /* In a child that was not made by the C library's fork, nothing has set OFF_CHILD; but the files are the
     * parent's. */
    if (!usable(OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD) || capture.process != getpid())
        return;
    atomic_fetch_or(&capture.off, OFF_FINISHED);
    if (capture.initialized) {
        end_early(JOURNAL_EXIT, 0, "the program ended without MPI_Finalize");
    } else if (capture.session) {
        threads_settle();
        capture_finish();
    }
}
