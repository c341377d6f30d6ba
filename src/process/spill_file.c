/* SPDX-License-Identifier: BSD-3-Clause */
/* The process's fragment file; see spill_file.h. */
#define _GNU_SOURCE 1 /* gethostname */
#include "process/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spare_files.h"
#include "base/try.h"
#include "process/capture.h"
#include "process/rank_fragment.h"
#include "format/run_folder.h"
#include "format/trace_path.h"
#include "format/write_file.h"

enum { NAME_BYTES = 32, HOST_BYTES = 256, PART_BYTES = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `lock`: */
/* A folder for fragments. */
struct fragments_folder {
    struct bytes name; /* absolute, 0-terminated; empty: there is none yet */
    uint32_t number;   /* as run_folder_make has it */
    bool first;        /* this process made it */
};
static struct fragments_folder folder = {.number = RUN_FOLDER_ANY}; /* of the run */
/* Where the file is, if there was no room for it in `folder`. */
static struct fragments_folder apart = {.number = RUN_FOLDER_ANY};
static struct bytes path; /* of the file, or of what could not be made */
static struct reopened_file file;
static bool linked; /* `folder` has a link to the file */

enum pilgrim_status spill_file_head(struct bytes *out)
{
    struct fragment_head head = {
        .run = capture.run.id,
        .rank = (uint32_t)capture.rank,
        .ranks = (uint32_t)capture.size,
        .times = capture.settings.timing != TIMING_OFF,
        .tracer = CAPTURE_TRACER,
        .trace = capture_shown(capture.run.trace),
    };
    head.property_count = run_properties(head.properties);
    return fragment_file_begin(&head, out);
}

/* Sets `path` to START and END. The old path is not freed: another thread may still be printing it after its append has
 * failed. There are two or three in a run. */
static enum pilgrim_status set_path(const struct bytes *start, const char *end)
{
    struct bytes name = {0};
    int error = errno;
    enum pilgrim_status status = trace_path_put(&name, start->data ? (const char *)start->data : "");
    if (status == PILGRIM_OK)
        status = trace_path_put(&name, end);
    if (status == PILGRIM_OK && (name.length != path.length || memcmp(name.data, path.data, path.length)))
        path = name;
    else
        bytes_free(&name);
    errno = error;
    return status;
}

/* Makes PLACE, beside TRACE. BEGINS: see run_folder_make. `path` becomes what could not be made. */
static enum pilgrim_status make(struct fragments_folder *place, const char *trace, bool begins)
{
    enum pilgrim_status status =
        run_folder_make(trace, capture.run.id, begins, &place->number, &place->name, &place->first);
    if (status == PILGRIM_OK)
        return status;
    place->number = RUN_FOLDER_ANY;
    if (status == PILGRIM_IO && set_path(&place->name, "") != PILGRIM_OK)
        status = PILGRIM_NOMEM;
    int error = errno;
    bytes_free(&place->name);
    errno = error;
    return status;
}

/* Removes PLACE, if it is empty. */
static void leave(struct fragments_folder *place)
{
    int error = errno;
    if (place->name.length && run_folder_remove((const char *)place->name.data)) {
        bytes_free(&place->name);
        place->number = RUN_FOLDER_ANY;
        place->first = false;
    }
    errno = error;
}

/* Creates the file in PLACE, with DATA. */
static enum pilgrim_status create(struct fragments_folder *place, const struct bytes *data)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "/%d" FRAGMENT_FILE_SUFFIX, capture.rank);
    TRY(set_path(&place->name, name));
    int in = run_folder_open((const char *)place->name.data, capture.run.id);
    enum pilgrim_status status = PILGRIM_IO;
    if (in >= 0) {
        status = append_file(in, name + 1, &file, data->data, data->length);
        int error = errno;
        spare_close(in);
        errno = error;
    }
    return status;
}

/* Says that PLACE is used, because ERROR was the errno of what failed at FAILED. */
static void say_elsewhere(const struct fragments_folder *place, const struct bytes *failed, int error)
{
    char host[HOST_BYTES] = "";
    gethostname(host, sizeof host - 1);
    if (place->first)
        capture_say("%s: %s; on %s fragments go to %s", capture_shown((const char *)failed->data), strerror(error),
                    host, (const char *)place->name.data);
}

/* Makes PLACE in a folder for temporary files, because of the errno of what failed at `path`. DATA: with the file,
 * which has it. Keeps `path` and errno if that fails, too. A limit on the length of files holds everywhere. */
static enum pilgrim_status make_elsewhere(struct fragments_folder *place, const struct bytes *data)
{
    struct bytes other = {0}, failed = path;
    int error = errno;
    path = (struct bytes){0};
    bool good = error != EFBIG && trace_path_elsewhere(capture.run.trace, error, &other) &&
                make(place, (const char *)other.data, false) == PILGRIM_OK;
    bytes_free(&other);
    if (good && data && create(place, data) != PILGRIM_OK) {
        leave(place);
        good = false;
    }
    if (good)
        say_elsewhere(place, &failed, error);
    if (good && data)
        return PILGRIM_OK;
    bytes_free(&path);
    path = failed;
    errno = error;
    return good ? PILGRIM_OK : PILGRIM_IO;
}

/* Makes the folder of a process that is a run by itself, because it only has sessions. There may be thousands of them
 * here, so it does not try one number after another. */
static enum pilgrim_status make_own(void)
{
    struct bytes trace = {0};
    enum pilgrim_status status = trace_path_number(capture.run.trace, (unsigned)capture.run.id | 1, &trace);
    if (status == PILGRIM_OK)
        status = make(&folder, (const char *)trace.data, false);
    int error = errno;
    bytes_free(&trace);
    errno = error;
    return status;
}

/* Finds or makes the folder of the run. BEGINS: see run_folder_make. */
static enum pilgrim_status find_folder(bool begins)
{
    if (folder.name.length)
        return PILGRIM_OK;
    if (!*capture.run.trace)
        return PILGRIM_LIMIT;
    bool alone = capture.session && !capture.initialized;
    enum pilgrim_status status = alone ? make_own() : make(&folder, capture.run.trace, begins);
    if (status != PILGRIM_IO)
        return status;
    status = make_elsewhere(&folder, NULL);
    folder.number = RUN_FOLDER_ANY; /* of a name that other processes may not find */
    return status;
}

/* Creates the file in the folder of the run, with DATA. Another process may have removed that folder, because it was
 * empty and it had nothing to put there. */
static enum pilgrim_status create_in_folder(const struct bytes *data)
{
    bool found = folder.name.length;
    TRY(find_folder(false));
    enum pilgrim_status status = create(&folder, data);
    if (status != PILGRIM_IO || errno != ENOENT || !found)
        return status;
    bytes_free(&folder.name);
    TRY(find_folder(false));
    return create(&folder, data);
}

/* Puts a link to the file into the folder of the run, so that who reads that folder finds it on this machine. */
static void link_here(void)
{
    int in = run_folder_open((const char *)folder.name.data, capture.run.id);
    if (in < 0)
        return;
    linked = !symlinkat((const char *)path.data, in, strrchr((const char *)path.data, '/') + 1);
    spare_close(in);
}

static void unlink_here(void)
{
    char target;
    const char *name = linked ? strrchr((const char *)path.data, '/') + 1 : "";
    int in = linked ? run_folder_open((const char *)folder.name.data, capture.run.id) : -1;
    linked = false;
    if (in < 0)
        return;
    if (readlinkat(in, name, &target, 1) == 1)
        unlinkat(in, name, 0);
    spare_close(in);
}

/* Creates the file with a head and DATA. */
static enum pilgrim_status begin(const struct bytes *data)
{
    struct bytes whole = {0};
    enum pilgrim_status status = spill_file_head(&whole);
    bytes_put(&whole, data->data, data->length);
    if (status == PILGRIM_OK)
        status = bytes_status(&whole);
    if (status == PILGRIM_OK)
        status = create_in_folder(&whole);
    if (status == PILGRIM_IO && folder.name.length)
        status = make_elsewhere(&apart, &whole);
    int error = errno;
    if (!file.length)
        bytes_free(&apart.name);
    else if (apart.name.length)
        link_here();
    bytes_free(&whole);
    errno = error;
    return status;
}

/* Removes the file PATH_OF, which is in PLACE, if it still is MADE. */
static void remove_file(const struct fragments_folder *place, const char *path_of, const struct reopened_file *made)
{
    struct stat found;
    int in = made->length ? run_folder_open((const char *)place->name.data, capture.run.id) : -1;
    if (in < 0)
        return;
    const char *name = strrchr(path_of, '/') + 1;
    if (!fstatat(in, name, &found, AT_SYMLINK_NOFOLLOW) && found.st_dev == made->device && found.st_ino == made->inode)
        unlinkat(in, name, 0);
    spare_close(in);
}

/* Appends what FROM has, behind its first DONE bytes, to the file. FROM_PATH: its path. */
static enum pilgrim_status copy_rest(const char *from_path, const struct reopened_file *from, uint64_t done)
{
    struct bytes part = {0};
    enum pilgrim_status status = PILGRIM_OK;
    while (status == PILGRIM_OK && done < from->length) {
        uint64_t length = from->length - done < PART_BYTES ? from->length - done : PART_BYTES;
        part.length = 0;
        status = read_part(from_path, from, done, (size_t)length, &part);
        if (status == PILGRIM_OK)
            status = append_file(AT_FDCWD, (const char *)path.data, &file, part.data, part.length);
        done += length;
    }
    int error = errno;
    bytes_free(&part);
    errno = error;
    return status;
}

/* Moves the file from the folder of the run to a folder for temporary files, because it cannot grow there: the disk is
 * full, mostly. Keeps `path`, `file` and errno if that fails, too. */
static enum pilgrim_status move(void)
{
    const struct reopened_file from = file;
    struct bytes first = {0}, from_path = path;
    int error = errno;
    enum pilgrim_status status = read_part((const char *)path.data, &file, 0,
                                           (size_t)(from.length < PART_BYTES ? from.length : PART_BYTES), &first);
    errno = error;
    file = (struct reopened_file){0};
    if (status == PILGRIM_OK)
        status = make_elsewhere(&apart, &first);
    if (status == PILGRIM_OK && copy_rest((const char *)from_path.data, &from, file.length) != PILGRIM_OK) {
        remove_file(&apart, (const char *)path.data, &file);
        leave(&apart);
        status = PILGRIM_IO;
    }
    bytes_free(&first);
    if (status == PILGRIM_OK) {
        remove_file(&folder, (const char *)from_path.data, &from);
        link_here();
        errno = error;
        return PILGRIM_OK;
    }
    file = from;
    path = from_path;
    errno = error;
    return PILGRIM_IO;
}

static enum pilgrim_status append(const struct bytes *data, struct spill_extent *extent)
{
    enum pilgrim_status status =
        file.length ? append_file(AT_FDCWD, (const char *)path.data, &file, data->data, data->length) : begin(data);
    if (status == PILGRIM_IO && file.length && !apart.name.length && move() == PILGRIM_OK)
        status = append_file(AT_FDCWD, (const char *)path.data, &file, data->data, data->length);
    TRY(status);
    *extent = (struct spill_extent){file.length - data->length, data->length};
    return PILGRIM_OK;
}

enum pilgrim_status spill_file_append(const struct bytes *data, struct spill_extent *extent)
{
    pthread_mutex_lock(&lock);
    enum pilgrim_status status = append(data, extent);
    pthread_mutex_unlock(&lock);
    return status;
}

enum pilgrim_status spill_file_read(const struct spill_extent *extent, struct bytes *data)
{
    return read_part((const char *)path.data, &file, extent->start, (size_t)extent->length, data);
}

uint64_t spill_file_length(void)
{
    pthread_mutex_lock(&lock);
    uint64_t length = file.length;
    pthread_mutex_unlock(&lock);
    return length;
}

const char *spill_file_path(void)
{
    pthread_mutex_lock(&lock);
    const char *name = path.length ? (const char *)path.data : capture.run.trace;
    pthread_mutex_unlock(&lock);
    return capture_shown(name);
}

const char *spill_file_folder(void)
{
    const struct fragments_folder *place = apart.name.length && !linked ? &apart : &folder;
    bool others = capture.size > 1 && place->name.length;
    return file.length || others ? capture_shown((const char *)place->name.data) : NULL;
}

bool spill_file_made_folder(void)
{
    return folder.first;
}

bool spill_file_first(void)
{
    return apart.name.length && !linked ? apart.first : folder.first;
}

enum pilgrim_status spill_file_path_in_folder(const char *name, struct bytes *to)
{
    pthread_mutex_lock(&lock);
    enum pilgrim_status status = find_folder(false);
    const struct bytes *start = status == PILGRIM_OK ? &folder.name : &path;
    enum pilgrim_status put = trace_path_put(to, start->length ? (const char *)start->data : capture.run.trace);
    pthread_mutex_unlock(&lock);
    if (put == PILGRIM_OK && status == PILGRIM_OK && (put = trace_path_put(to, "/")) == PILGRIM_OK)
        put = trace_path_put(to, name);
    return status == PILGRIM_OK ? put : status;
}

uint32_t spill_file_make_folder(void)
{
    pthread_mutex_lock(&lock);
    bool good = find_folder(true) == PILGRIM_OK && folder.number != RUN_FOLDER_ANY;
    uint32_t told = good ? folder.number + 1 : 0;
    pthread_mutex_unlock(&lock);
    return told;
}

void spill_file_know_folder(uint32_t told)
{
    pthread_mutex_lock(&lock);
    if (told && !folder.name.length)
        folder.number = told - 1;
    pthread_mutex_unlock(&lock);
}

const char *spill_file_known_folder(void)
{
    pthread_mutex_lock(&lock);
    const char *name = folder.name.length ? (const char *)folder.name.data : NULL;
    pthread_mutex_unlock(&lock);
    return name;
}

bool spill_file_take_folder(const char *name)
{
    pthread_mutex_lock(&lock);
    bool good = folder.name.length || trace_path_put(&folder.name, name) == PILGRIM_OK;
    if (!good)
        bytes_free(&folder.name);
    pthread_mutex_unlock(&lock);
    return good;
}

void spill_file_end(void)
{
    pthread_mutex_lock(&lock);
    if (!linked && (apart.name.length || !file.length))
        leave(&folder);
    pthread_mutex_unlock(&lock);
}

void spill_file_remove(void)
{
    pthread_mutex_lock(&lock);
    unlink_here();
    remove_file(apart.name.length ? &apart : &folder, (const char *)path.data, &file);
    leave(&apart);
    file = (struct reopened_file){0};
    bytes_free(&path);
    pthread_mutex_unlock(&lock);
}
