/* SPDX-License-Identifier: BSD-3-Clause */
/* The process's fragment file; see spill_file.h. */
#include "process/spill_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/try.h"
#include "process/capture.h"
#include "process/rank_fragment.h"
#include "format/trace_output.h"
#include "format/write_file.h"

enum { NAME_BYTES = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `lock`: */
static bool first;          /* this process created the folder */
static struct bytes folder; /* absolute, 0-terminated; empty: none yet */
static struct bytes path;   /* of the file in the folder */
static uint64_t file_length;

enum pilgrim_status spill_file_head(struct bytes *file)
{
    struct fragment_head head = {
        .run = capture.run.id,
        .rank = (uint32_t)capture.rank,
        .ranks = (uint32_t)capture.size,
        .times = capture.settings.timing != TIMING_OFF,
        .tracer = CAPTURE_TRACER,
        .trace = capture.run.trace,
    };
    head.property_count = run_properties(head.properties);
    return fragment_file_begin(&head, file);
}

enum pilgrim_status spill_file_name(const char *in, struct bytes *name)
{
    char text[NAME_BYTES];
    int length = snprintf(text, sizeof text, "/%d" FRAGMENT_FILE_SUFFIX, capture.rank);
    bytes_put(name, in, strlen(in));
    bytes_put(name, text, (size_t)length + 1);
    return bytes_status(name);
}

/* Sets `folder` to FOUND, made absolute. */
static enum pilgrim_status set_folder(const char *found)
{
    char *here = *found == '/' ? strdup("") : getcwd(NULL, 0);
    if (!here)
        return errno == ENOMEM ? PILGRIM_NOMEM : PILGRIM_IO;
    bytes_put(&folder, here, strlen(here));
    if (*here)
        bytes_put_u8(&folder, '/');
    bytes_put(&folder, found, strlen(found) + 1);
    free(here);
    return bytes_status(&folder);
}

/* Sets `path` to NAME. Another thread may still be printing the old path after its append has failed, so an equal path
 * stays where it is in memory. */
static void set_path(struct bytes *name)
{
    if (name->length == path.length && !memcmp(name->data, path.data, path.length)) {
        bytes_free(name);
        return;
    }
    bytes_free(&path);
    path = *name;
}

/* Finds or makes the folder. */
static enum pilgrim_status find_folder(void)
{
    struct bytes found = {0};
    bool made = false;
    if (folder.length)
        return PILGRIM_OK;
    enum pilgrim_status status = output_folder(capture.run.trace, capture.run.id, &found, &made);
    first |= made;
    if (status == PILGRIM_OK)
        status = set_folder((const char *)found.data);
    bytes_free(&found);
    return status;
}

/* Creates the folder and puts the head of the file into FILE. Uses the folder of an earlier attempt if there is one. */
static enum pilgrim_status begin(struct bytes *file)
{
    TRY(spill_file_head(file));
    if (!*capture.run.trace)
        return PILGRIM_LIMIT;
    struct bytes name = {0};
    enum pilgrim_status status = find_folder();
    if (status == PILGRIM_OK)
        status = spill_file_name((const char *)folder.data, &name);
    if (status == PILGRIM_OK)
        set_path(&name);
    else
        bytes_free(&name);
    return status;
}

static enum pilgrim_status append(const struct bytes *data, struct spill_extent *extent)
{
    struct bytes file = {0};
    enum pilgrim_status status = file_length ? PILGRIM_OK : begin(&file);
    size_t head = file.length;
    if (status == PILGRIM_OK && head) {
        bytes_put(&file, data->data, data->length);
        status = bytes_status(&file);
    }
    *extent = (struct spill_extent){file_length + head, data->length};
    const struct bytes *all = head ? &file : data;
    if (status == PILGRIM_OK)
        status = append_file((const char *)path.data, &file_length, all->data, all->length);
    int error = errno;
    bytes_free(&file);
    errno = error;
    return status;
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
    return read_part((const char *)path.data, extent->start, (size_t)extent->length, data);
}

uint64_t spill_file_length(void)
{
    pthread_mutex_lock(&lock);
    uint64_t length = file_length;
    pthread_mutex_unlock(&lock);
    return length;
}

bool spill_file_exists(void)
{
    return file_length;
}

const char *spill_file_path(void)
{
    pthread_mutex_lock(&lock);
    const char *name = path.length ? (const char *)path.data : capture.run.trace;
    pthread_mutex_unlock(&lock);
    return name;
}

const char *spill_file_folder(void)
{
    return file_length ? (const char *)folder.data : NULL;
}

bool spill_file_first(void)
{
    return first;
}

enum pilgrim_status spill_file_path_in_folder(const char *name, struct bytes *to)
{
    pthread_mutex_lock(&lock);
    enum pilgrim_status status = *capture.run.trace ? find_folder() : PILGRIM_LIMIT;
    if (status == PILGRIM_OK)
        bytes_put(to, folder.data, folder.length - 1);
    pthread_mutex_unlock(&lock);
    bytes_put_u8(to, '/');
    bytes_put(to, name, strlen(name) + 1);
    return status == PILGRIM_OK ? bytes_status(to) : status;
}

static void remove_all(void)
{
    if (!folder.length)
        return;
    if (file_length)
        unlink((const char *)path.data);
    output_folder_remove((const char *)folder.data);
    file_length = 0;
    first = false;
    bytes_free(&folder);
    bytes_free(&path);
}

void spill_file_remove(void)
{
    pthread_mutex_lock(&lock);
    remove_all();
    pthread_mutex_unlock(&lock);
}
