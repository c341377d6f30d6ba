/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files; see trace_output.h.
 *
 * A file is written under a temporary name in its own folder. Then it is named without replacing another file: by
 * renameat2 with RENAME_NOREPLACE, else by link and unlink, else by rename over a placeholder that this process has
 * made. Numbers are tried in order, so that two runs at once get two files.
 *
 * A folder for several processes belongs to the run whose mark is in its file "run". The first process makes that
 * file, in the same way as any other. So no process has to ask another one.
 *
 * The file is over 400 lines because whole files, files in pieces and folders share these steps. It knows no MPI and
 * is tested without it. */
#define _GNU_SOURCE 1 /* renameat2 */
#include "format/trace_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/leftovers.h"
#include "format/write_file.h"

#define INFIX        ".tmp-"
#define INFIX_LOCKED ".tmp-merge-"

static const char suffix[] = ".pilgrim";
static const char mark_name[] = "run";

enum { NUMBER_MAX = 1000000, TEMPORARY_TRIES = 100, MARK_BYTES = 17 };

bool output_pattern_valid(const char *pattern)
{
    for (; *pattern; pattern++)
        if (*pattern == '%' && !strchr("pjt%", *++pattern))
            return false;
        else if (!*pattern)
            return false;
    return true;
}

static void put_text(struct bytes *b, const char *text)
{
    bytes_put(b, text, strlen(text));
}

/* Appends a 0, which B->length does not count. */
static enum pilgrim_status terminate(struct bytes *b)
{
    uint8_t *end = bytes_reserve(b, 1);
    if (end)
        *end = 0;
    return bytes_status(b);
}

enum pilgrim_status output_expand(const char *pattern, const char *program, const char *job, time_t now,
                                  struct bytes *path)
{
    if (!pattern || !*pattern)
        pattern = "%p.pilgrim";
    if (!output_pattern_valid(pattern))
        return PILGRIM_INVALID;
    char text[32];
    struct tm local;
    for (; *pattern; pattern++) {
        if (*pattern != '%') {
            bytes_put_u8(path, (uint8_t)*pattern);
            continue;
        }
        switch (*++pattern) {
        case 'p':
            put_text(path, program);
            break;
        case 'j':
            put_text(path, job);
            break;
        case 't':
            if (localtime_r(&now, &local) && strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local))
                put_text(path, text);
            break;
        default:
            bytes_put_u8(path, '%');
            break;
        }
    }
    if (path->length && path->data[path->length - 1] == '/') {
        put_text(path, program);
        put_text(path, suffix);
    }
    return terminate(path);
}

char *output_job(char *text, size_t size)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID",   "LSB_JOBID", "PJM_JOBID",
                                        "COBALT_JOBID", "FLUX_JOB_ID", "JOB_ID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value && !strchr(value, '/')) {
            snprintf(text, size, "%s", value);
            return text;
        }
    }
    snprintf(text, size, "%ld", (long)getpid());
    return text;
}

/* Sets NAME to PATH, with NUMBER inserted if that is above 0. */
static enum pilgrim_status number_path(const char *path, unsigned number, struct bytes *name)
{
    name->length = 0;
    size_t length = strlen(path), tail = 0;
    if (length > sizeof suffix - 1 && !strcmp(path + length - (sizeof suffix - 1), suffix))
        tail = sizeof suffix - 1;
    bytes_put(name, path, length - tail);
    if (number) {
        char text[16];
        snprintf(text, sizeof text, ".%u", number);
        put_text(name, text);
    }
    bytes_put(name, path + length - tail, tail);
    return terminate(name);
}

/* Renames TEMPORARY to FINAL. False if that fails; errno is EEXIST if there is such a file. */
static bool rename_new(const char *temporary, const char *final)
{
    if (!renameat2(AT_FDCWD, temporary, AT_FDCWD, final, RENAME_NOREPLACE))
        return true;
    if (errno == EEXIST)
        return false;
    if (!link(temporary, final)) {
        unlink(temporary);
        return true;
    }
    if (errno == EEXIST)
        return false;
    int placeholder = open(final, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (placeholder < 0)
        return false;
    close(placeholder);
    if (!rename(temporary, final))
        return true;
    int error = errno;
    unlink(final);
    errno = error;
    return false;
}

/* Creates a temporary file beside PATH, named after it and INFIX, and opens it for writing. NAME gets its name. Returns
 * -1 with errno if that fails. */
static int open_temporary(const char *path, const char *infix, struct bytes *name)
{
    for (unsigned i = 0; i < TEMPORARY_TRIES; i++) {
        char text[48];
        snprintf(text, sizeof text, "%s%ld-%u", infix, (long)getpid(), i);
        name->length = 0;
        put_text(name, path);
        put_text(name, text);
        if (terminate(name) != PILGRIM_OK) {
            errno = ENOMEM;
            return -1;
        }
        int file = open((const char *)name->data, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* Puts the new name on disk, so that it survives a power cut. A folder that cannot be opened or synchronised is no
 * failure. */
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
    free(folder);
}

/* Gives TEMPORARY the name PATH, or the first free one with a number. WRITTEN gets the name. */
static enum pilgrim_status name_file(const char *temporary, const char *path, struct bytes *written)
{
    for (unsigned number = 0; number < NUMBER_MAX; number++) {
        if (number_path(path, number, written) != PILGRIM_OK)
            return PILGRIM_NOMEM;
        if (rename_new(temporary, (const char *)written->data))
            return PILGRIM_OK;
        if (errno != EEXIST)
            return PILGRIM_IO;
    }
    return PILGRIM_IO;
}

/* Frees NAME, and removes the file of this name if it is left (LEFT). Keeps errno. */
static void end_temporary(struct bytes *name, bool left)
{
    int error = errno;
    if (left)
        unlink((const char *)name->data);
    bytes_free(name);
    errno = error;
}

/* Writes DATA to a temporary file beside PATH, and to the disk. NAME gets its name. Leaves no file if that fails. */
static enum pilgrim_status write_temporary(const char *path, const void *data, size_t length, struct bytes *name)
{
    int file = open_temporary(path, INFIX, name);
    bool good = file >= 0 && write_whole(file, data, length) && !fsync(file);
    int error = errno;
    if (file >= 0 && close(file) && good) {
        good = false;
        error = errno;
    }
    if (!good) {
        errno = error;
        end_temporary(name, file >= 0);
    }
    return good ? PILGRIM_OK : error == ENOMEM ? PILGRIM_NOMEM : PILGRIM_IO;
}

/* Gives the temporary file, which is on disk, its final name. */
static enum pilgrim_status temporary_path(struct bytes *temporary, const char *path, struct bytes *written)
{
    enum pilgrim_status status = name_file((const char *)temporary->data, path, written);
    if (status == PILGRIM_OK)
        sync_folder((const char *)written->data);
    end_temporary(temporary, status != PILGRIM_OK);
    return status;
}

enum pilgrim_status output_write(const char *path, const void *data, size_t length, struct bytes *written)
{
    struct bytes temporary = {0};
    if (number_path(path, 0, written) != PILGRIM_OK)
        return PILGRIM_NOMEM;
    enum pilgrim_status status = write_temporary(path, data, length, &temporary);
    return status == PILGRIM_OK ? temporary_path(&temporary, path, written) : status;
}

static enum pilgrim_status begin(struct trace_output *o, const char *path, const char *infix)
{
    *o = (struct trace_output){0};
    if (number_path(path, 0, &o->path) != PILGRIM_OK)
        return PILGRIM_NOMEM;
    o->file = open_temporary(path, infix, &o->temporary);
    if (o->file >= 0)
        return PILGRIM_OK;
    end_temporary(&o->temporary, false);
    return errno == ENOMEM ? PILGRIM_NOMEM : PILGRIM_IO;
}

enum pilgrim_status output_begin(struct trace_output *o, const char *path)
{
    return begin(o, path, INFIX);
}

enum pilgrim_status output_begin_locked(struct trace_output *o, const char *path)
{
    leftovers_remove(path, INFIX_LOCKED);
    enum pilgrim_status status = begin(o, path, INFIX_LOCKED);
    if (status == PILGRIM_OK)
        (void)flock(o->file, LOCK_EX | LOCK_NB); /* if there are no locks here, no leftovers are removed either */
    return status;
}

enum pilgrim_status output_append(struct trace_output *o, const void *data, size_t length)
{
    if (!write_whole(o->file, data, length))
        return PILGRIM_IO;
    o->length += length;
    return PILGRIM_OK;
}

enum pilgrim_status output_share(struct trace_output *o, struct bytes *path)
{
    char *absolute = fsync(o->file) ? NULL : realpath((const char *)o->temporary.data, NULL);
    if (!absolute)
        return errno == ENOMEM ? PILGRIM_NOMEM : PILGRIM_IO;
    put_text(path, absolute);
    free(absolute);
    return terminate(path);
}

enum pilgrim_status output_take_over(struct trace_output *o, uint64_t length)
{
    off_t end = lseek(o->file, 0, SEEK_END);
    if (end < 0)
        return PILGRIM_IO;
    if ((uint64_t)end != o->length + length) {
        errno = EIO;
        return PILGRIM_IO;
    }
    o->length += length;
    return PILGRIM_OK;
}

enum pilgrim_status output_end(struct trace_output *o, struct bytes *written)
{
    bool good = !fsync(o->file);
    int error = errno;
    if (close(o->file) && good) {
        good = false;
        error = errno;
    }
    enum pilgrim_status status = PILGRIM_IO;
    if (good) {
        status = temporary_path(&o->temporary, (const char *)o->path.data, written);
    } else {
        errno = error;
        end_temporary(&o->temporary, true);
        status = number_path((const char *)o->path.data, 0, written) == PILGRIM_OK ? PILGRIM_IO : PILGRIM_NOMEM;
        errno = error;
    }
    end_temporary(&o->path, false);
    return status;
}

void output_cancel(struct trace_output *o)
{
    int error = errno;
    if (o->temporary.data) {
        close(o->file);
        end_temporary(&o->temporary, true);
    }
    bytes_free(&o->path);
    *o = (struct trace_output){0};
    errno = error;
}

enum pilgrim_status output_put_file(const char *path, const void *data, size_t length)
{
    struct bytes temporary = {0};
    enum pilgrim_status status = write_temporary(path, data, length, &temporary);
    if (status != PILGRIM_OK)
        return status;
    bool good = rename_new((const char *)temporary.data, path);
    end_temporary(&temporary, !good);
    return good ? PILGRIM_OK : PILGRIM_IO;
}

/* ---- a folder for several processes ---- */

/* True if the file PATH has MARK. errno is EEXIST if it has something else. */
static bool mark_found(const char *path, const char mark[MARK_BYTES])
{
    char found[MARK_BYTES];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, found, sizeof found);
    int error = length < 0 ? errno : EEXIST;
    close(file);
    errno = error;
    return length == MARK_BYTES && !memcmp(found, mark, MARK_BYTES);
}

/* True if FOLDER belongs to the run with MARK. *FIRST is true if this call has made it so. errno is EEXIST if it
 * belongs to another run. */
static bool folder_claim(const char *folder, const char mark[MARK_BYTES], bool *first)
{
    struct bytes path = {0};
    put_text(&path, folder);
    put_text(&path, "/");
    put_text(&path, mark_name);
    if (terminate(&path) != PILGRIM_OK) {
        bytes_free(&path);
        errno = ENOMEM;
        return false;
    }
    const char *name = (const char *)path.data;
    bool good = mark_found(name, mark);
    if (!good && errno == ENOENT) {
        *first = good = output_put_file(name, mark, MARK_BYTES) == PILGRIM_OK;
        if (!good && errno == EEXIST)
            good = mark_found(name, mark);
    }
    end_temporary(&path, false);
    return good;
}

enum pilgrim_status output_folder(const char *path, uint64_t run, struct bytes *folder, bool *first)
{
    char mark[MARK_BYTES + 1];
    unsigned gone = 0;
    snprintf(mark, sizeof mark, "%016" PRIx64 "\n", run);
    *first = false;
    for (unsigned number = 0; number < NUMBER_MAX; number++) {
        if (number_path(path, number, folder) != PILGRIM_OK)
            return PILGRIM_NOMEM;
        put_text(folder, OUTPUT_FOLDER_SUFFIX);
        if (terminate(folder) != PILGRIM_OK)
            return PILGRIM_NOMEM;
        const char *name = (const char *)folder->data;
        if (mkdir(name, 0777) && errno != EEXIST)
            return PILGRIM_IO;
        if (folder_claim(name, mark, first))
            return PILGRIM_OK;
        if (errno == ENOENT && gone++ < NUMBER_MAX) { /* another run has just removed it: make it again */
            number--;
            continue;
        }
        if (errno != EEXIST && errno != ENOTDIR)
            return errno == ENOMEM ? PILGRIM_NOMEM : PILGRIM_IO;
    }
    return PILGRIM_IO;
}

/* True if FOLDER has no file but its mark. */
static bool folder_is_empty(const char *folder)
{
    DIR *d = opendir(folder);
    bool empty = d;
    for (struct dirent *e; empty && (e = readdir(d));)
        empty = !strcmp(e->d_name, mark_name) || !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
    if (d)
        closedir(d);
    return empty;
}

void output_folder_remove(const char *folder)
{
    struct bytes path = {0};
    put_text(&path, folder);
    put_text(&path, "/");
    put_text(&path, mark_name);
    if (terminate(&path) == PILGRIM_OK && folder_is_empty(folder)) {
        unlink((const char *)path.data);
        rmdir(folder);
    }
    bytes_free(&path);
}
