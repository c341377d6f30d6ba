/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of a recorded process; see journaling.h.
 *
 * The processes of a machine share a file. It lies in the run's folder beside the trace; in a run of many machines in
 * memory of the machine, or on its disk, since a parallel file system is not made for thousands of small files at once.
 * The user then copies the files into the run's folder. */
#define _GNU_SOURCE 1 /* secure_getenv */
#include "process/journaling.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/try.h"
#include "base/value.h"
#include "format/run_folder.h"
#include "functions.h"
#include "journal/journal.h"
#include "journal/journal_leader.h"
#include "journal/journal_mappings.h"
#include "journal/machine_name.h"
#include "process/capture.h"
#include "process/clock_sync.h"
#include "process/host_location.h"
#include "process/spill_file.h"
#include "process/thread.h"

enum { FILES_BESIDE_TRACE = 64, MACHINE_BYTES = 160, NAME_BYTES = 64 + MACHINE_BYTES };

static char *place;       /* of the journal: the run's folder, or a file */
static char *instruction; /* how to make a trace of them */
static bool apart;        /* `place` is the file itself */
static char *scattered;   /* the instruction, if the machines do not share the folder */

/* The folders of a machine of its own, the best one first. */
static const char *const local_folders[] = {"/dev/shm", "$TMPDIR", "/tmp"};

/* Sets PATH to the name of the file in FOLDER, which other users and machines use, too. */
static enum pilgrim_status path_in(const char *folder, const char *machine, struct bytes *path)
{
    char name[NAME_BYTES];
    const char *named = *folder == '$' ? secure_getenv(folder + 1) : folder;
    char *absolute = realpath(named ? named : "", NULL);
    if (!absolute)
        return PILGRIM_IO;
    int length = snprintf(name, sizeof name, "/pilgrim-%ld-%016" PRIx64 "-%s" JOURNAL_FILE_SUFFIX, (long)geteuid(),
                          capture.run.id, machine);
    bytes_put(path, absolute, strlen(absolute));
    bytes_put(path, name, (size_t)length + 1);
    free(absolute);
    return bytes_status(path);
}

/* Sets `place` and `instruction`. FILES: the files of all machines, where they are not in the run's folder; NULL: they
 * are. */
static enum pilgrim_status set_place(const char *at, const char *files)
{
    const char *run = capture_shown(capture.run.trace);
    int length = files ? asprintf(&instruction,
                                  "on each machine: mkdir -p %s" RUN_FOLDER_SUFFIX "; cp %s %s" RUN_FOLDER_SUFFIX
                                  "; then: pilgrim-merge %s" RUN_FOLDER_SUFFIX,
                                  run, files, run, run)
                       : asprintf(&instruction, "pilgrim-merge %s", at);
    instruction = length < 0 ? NULL : instruction;
    place = strdup(at);
    return place && instruction ? PILGRIM_OK : PILGRIM_NOMEM;
}

/* Sets PATH to the name of the file in FOLDER. */
static enum pilgrim_status find_path_in(const char *folder, const char *machine, struct bytes *path)
{
    struct bytes files = {0};
    enum pilgrim_status status = path_in(folder, machine, path);
    if (status == PILGRIM_OK)
        status = path_in(folder, "*", &files);
    if (status == PILGRIM_OK)
        status = set_place((const char *)path->data, (const char *)files.data);
    bytes_free(&files);
    return status;
}

/* Sets PATH to the name of the file in FOLDER; NULL: in the run's folder. */
static enum pilgrim_status find_path(const char *folder, const char *machine, struct bytes *path)
{
    char name[NAME_BYTES];
    free(place);
    free(instruction);
    place = instruction = NULL;
    apart = folder;
    if (folder)
        return find_path_in(folder, machine, path);
    snprintf(name, sizeof name, "%s" JOURNAL_FILE_SUFFIX, machine);
    TRY(spill_file_path_in_folder(name, path));
    char *slash = strrchr((char *)path->data, '/');
    *slash = 0;
    enum pilgrim_status status = set_place((const char *)path->data, NULL);
    *slash = '/';
    return status;
}

static bool put_file_head(void)
{
    struct bytes head = {0};
    bool good = spill_file_head(&head) == PILGRIM_OK;
    if (good)
        journal_put(JOURNAL_SHARED, JOURNAL_FILE_HEAD, head.data, head.length);
    bytes_free(&head);
    return good;
}

static bool put_identity(void)
{
    struct bytes values = {0};
    bytes_put_u32(&values, clock_sync_known() ? FUNCTION_pilgrim_process_clock : FUNCTION_pilgrim_process);
    host_location_put(&values, capture.settings.system);
    if (clock_sync_known())
        clock_sync_put(&values);
    bytes_put_u8(&values, VALUE_NONE);
    bool good = bytes_status(&values) == PILGRIM_OK;
    if (good)
        journal_put(JOURNAL_SHARED, JOURNAL_IDENTITY, values.data, values.length);
    bytes_free(&values);
    return good;
}

static void put_communicator_function(void)
{
    const uint32_t function = FUNCTION_pilgrim_communicator;
    journal_put(JOURNAL_SHARED, JOURNAL_COMMUNICATORS, &function, sizeof function);
}

static void put_clock(void)
{
    struct journal_clock clock = {0};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_anchor(&clock.ticks, &clock.monotonic_ns, &clock.rate);
    clock.realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    journal_put(JOURNAL_SHARED, JOURNAL_CLOCK, &clock, sizeof clock);
}

/* Puts what is known now into the process's log. */
static bool put_begin(void)
{
    bool good = put_file_head() && put_identity();
    put_communicator_function();
    put_clock();
    return good;
}

/* Begins the journal in FOLDER, as find_path. SHARED: as journal_start has it. PATH: the name of the file. */
static enum pilgrim_status begin_in(const char *folder, const char *machine, int shared, struct bytes *path)
{
    const struct journal_identity identity = {.run = capture.run.id, .tracer = CAPTURE_TRACER, .host = machine};
    path->length = 0;
    enum pilgrim_status status = find_path(folder, machine, path);
    if (status == PILGRIM_OK)
        return journal_start((const char *)path->data, shared, &identity, (uint32_t)capture.rank,
                             (uint32_t)capture.size, &vocabulary);
    if (shared >= 0)
        close(shared);
    return status;
}

/* What is on its way from this process in MPI goes on. */
static void make_progress(void)
{
    int found;
    (void)PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, capture.comm, &found, MPI_STATUS_IGNORE);
}

/* Begins it in the run's folder: in the file that the leader of the machine has opened, if it hands that over. */
static enum pilgrim_status begin_in_folder(const char *machine, struct bytes *path)
{
    struct bytes name = {0};
    enum pilgrim_status status = PILGRIM_IO;
    int shared = journal_leader_ask(&name, make_progress);
    if (shared >= 0 && spill_file_take_folder((const char *)name.data))
        status = begin_in(NULL, machine, shared, path);
    else if (shared >= 0)
        close(shared);
    bytes_free(&name);
    if (status != PILGRIM_OK)
        status = begin_in(NULL, machine, -1, path);
    if (status == PILGRIM_OK && journal_leader_is_this())
        journal_leader_tell(journal_descriptor(), spill_file_known_folder());
    return status;
}

/* Begins it in the first of the machine's own folders that has room. */
static enum pilgrim_status begin_local(const char *machine, struct bytes *path)
{
    enum pilgrim_status status = PILGRIM_IO;
    for (size_t i = 0; i < sizeof local_folders / sizeof local_folders[0] && status == PILGRIM_IO; i++)
        status = begin_in(local_folders[i], machine, -1, path);
    return status;
}

/* True if there is to be a journal in the run's folder. FILES: as journaling_prepare. */
static bool is_in_folder(int files)
{
    return capture.settings.journal && journal_wanted() && !capture.settings.journal_folder &&
           files <= FILES_BESIDE_TRACE;
}

/* Meets those processes of the machine that will open the same file. */
static void meet(void)
{
    char machine[MACHINE_BYTES];
    struct bytes key = {0};
    machine_name(machine, sizeof machine);
    bytes_put(&key, machine, strlen(machine) + 1);
    bytes_put(&key, CAPTURE_TRACER, sizeof CAPTURE_TRACER);
    if (bytes_status(&key) == PILGRIM_OK)
        journal_leader_meet(capture.run.meeting, key.data, key.length);
    bytes_free(&key);
}

uint32_t journaling_prepare(int files)
{
    if (!is_in_folder(files))
        return 0;
    if (capture.size > 1)
        meet();
    return capture.rank == 0 ? spill_file_make_folder() : 0;
}

void journaling_begin(int files, uint32_t told)
{
    char machine[MACHINE_BYTES];
    struct bytes path = {0};
    const char *folder = capture.settings.journal_folder;
    spill_file_know_folder(told);
    if (!capture.settings.journal || !journal_wanted()) {
        journal_never();
        return;
    }
    machine_name(machine, sizeof machine);
    bool local = !folder && !is_in_folder(files);
    enum pilgrim_status status = !put_begin() ? PILGRIM_NOMEM
                                 : local      ? begin_local(machine, &path)
                                 : folder     ? begin_in(folder, machine, -1, &path)
                                              : begin_in_folder(machine, &path);
    int error = errno;
    journal_leader_end();
    journal_keep();
    errno = error;
    if (status == PILGRIM_OK && !journal_log_whole(JOURNAL_SHARED)) {
        (void)journaling_end();
        status = PILGRIM_NOMEM;
    }
    if (status != PILGRIM_OK) {
        /* If the trace's folder is no good, that is said where the trace is written. */
        if (local || status != PILGRIM_IO ||
            (!capture.run.no_place && errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != EROFS &&
             errno != ENAMETOOLONG))
            capture_say("%s: %s; there is no journal, so if this process dies its calls are lost",
                        path.length ? (const char *)path.data : capture.run.trace,
                        status == PILGRIM_IO ? strerror(errno) : "out of memory");
        journal_never();
    }
    bytes_free(&path);
}

bool journaling_end(void)
{
    const char *path;
    char said[PATH_MAX + sizeof JOURNAL_SAID_SUFFIX];
    const bool started = journal_started();
    if (!journal_finish(&path))
        return !started || apart;
    unlink(path);
    snprintf(said, sizeof said, "%s" JOURNAL_SAID_SUFFIX, path);
    if (apart)
        unlink(said);
    return true;
}

bool journaling_is_apart(void)
{
    return apart;
}

bool journaling_is_intact(const struct thread *t)
{
    char why[PATH_MAX + 128];
    if (journal_is_intact(t->journal, &t->log))
        return true;
    snprintf(why, sizeof why, "rank %d: another program has overwritten its journal in %s or made it shorter",
             capture.rank, capture_shown(place));
    capture_fail(why);
    return false;
}

bool journaling_is_damaged(void)
{
    return journal_damaged();
}

void journaling_is_scattered(const char *places, const char *more)
{
    const char *slash = place ? strrchr(place, '/') : NULL; /* NULL: this process has no journal */
    if (place && asprintf(&scattered, "mkdir all; scp -r %s%s all; pilgrim-merge all/%s", places, more,
                          slash ? slash + 1 : place) < 0)
        scattered = NULL;
}

const char *journaling_scattered(void)
{
    return scattered;
}

const char *journaling_path(void)
{
    return journal_started() ? place : NULL;
}

const char *journaling_instruction(void)
{
    return !journal_started() ? NULL : scattered ? scattered : instruction;
}
