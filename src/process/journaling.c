/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of a recorded process; see journaling.h.
 *
 * The processes of a machine share a file. It lies in the run's folder beside the trace; in a run of many machines in
 * memory of the machine, since a parallel file system is not made for thousands of small files at once. */
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
#include "functions.h"
#include "journal/journal.h"
#include "journal/machine_name.h"
#include "process/capture.h"
#include "process/clock_sync.h"
#include "process/host_location.h"
#include "process/spill_file.h"

enum { NODES_BESIDE_TRACE = 64, NAME_BYTES = 160 };

static char *place; /* what pilgrim-merge is given */
static bool apart;  /* it is the file itself */

/* Sets PATH to the name of the file in FOLDER, which others use, too. */
static enum pilgrim_status path_in(const char *folder, struct bytes *path)
{
    char name[NAME_BYTES];
    char *absolute = realpath(folder, NULL);
    if (!absolute)
        return PILGRIM_IO;
    int length =
        snprintf(name, sizeof name, "/pilgrim-%ld-%016" PRIx64 JOURNAL_FILE_SUFFIX, (long)geteuid(), capture.run.id);
    bytes_put(path, absolute, strlen(absolute));
    bytes_put(path, name, (size_t)length + 1);
    free(absolute);
    return bytes_status(path);
}

/* Sets PATH to where the journal goes, and `place`. */
static enum pilgrim_status find_path(int nodes, const char *machine, struct bytes *path)
{
    static const char memory[] = "/dev/shm";
    const char *folder = capture.settings.journal_folder;
    char name[NAME_BYTES + sizeof JOURNAL_FILE_SUFFIX];
    if (!folder && nodes > NODES_BESIDE_TRACE)
        folder = memory;
    apart = folder;
    if (folder) {
        TRY(path_in(folder, path));
        place = strdup((const char *)path->data);
        return place ? PILGRIM_OK : PILGRIM_NOMEM;
    }
    snprintf(name, sizeof name, "%s" JOURNAL_FILE_SUFFIX, machine);
    TRY(spill_file_path_in_folder(name, path));
    place = strdup((const char *)path->data);
    if (!place)
        return PILGRIM_NOMEM;
    *strrchr(place, '/') = 0;
    return PILGRIM_OK;
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
    return good && journal_log_whole(JOURNAL_SHARED);
}

void journaling_begin(int nodes)
{
    char machine[NAME_BYTES];
    struct bytes path = {0};
    if (!capture.settings.journal || !journal_wanted()) {
        journal_never();
        return;
    }
    machine_name(machine, sizeof machine);
    const struct journal_identity identity = {.run = capture.run.id, .tracer = CAPTURE_TRACER, .host = machine};
    enum pilgrim_status status = find_path(nodes, machine, &path);
    if (status == PILGRIM_OK)
        status = journal_start((const char *)path.data, &identity, (uint32_t)capture.rank, (uint32_t)capture.size,
                               &vocabulary);
    if (status == PILGRIM_OK && !put_begin()) {
        journaling_end();
        status = PILGRIM_NOMEM;
    }
    if (status != PILGRIM_OK) {
        /* If the trace's folder is no good, that is said where the trace is written. */
        if (status != PILGRIM_IO || (!capture.run.no_place && errno != ENOENT && errno != ENOTDIR && errno != EACCES &&
                                     errno != EROFS && errno != ENAMETOOLONG))
            capture_say("%s: %s; there is no journal, so if this process dies its calls are lost",
                        path.data ? (const char *)path.data : capture.run.trace,
                        status == PILGRIM_IO ? strerror(errno) : "out of memory");
        journal_never();
    }
    bytes_free(&path);
}

void journaling_end(void)
{
    const char *path;
    char said[PATH_MAX + sizeof JOURNAL_SAID_SUFFIX];
    if (!journal_finish(&path))
        return;
    unlink(path);
    snprintf(said, sizeof said, "%s" JOURNAL_SAID_SUFFIX, path);
    if (apart)
        unlink(said);
}

bool journaling_is_apart(void)
{
    return apart;
}

const char *journaling_path(void)
{
    return journal_started() ? place : NULL;
}
