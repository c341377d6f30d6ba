/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files; see trace_output.h.
 *
 * A file is written under a temporary name in its own folder. Then it is named without replacing another file: by
 * renameat2 with RENAME_NOREPLACE, else by link and unlink, else by rename over a placeholder that this process has
 * made. If the name is taken, the folder is read for the first free number; from there on numbers are tried in order,
 * so that two runs at once get two files.
 *
 * A new file can be read and written by its owner alone: it has arguments and names of hosts. The umask may take more
 * away. */
#define _GNU_SOURCE 1 /* renameat2 */
#include "format/trace_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spare_files.h"
#include "base/try.h"
#include "format/leftovers.h"
#include "format/trace_path.h"
#include "format/write_file.h"

#define INFIX        ".tmp-"
#define INFIX_LOCKED ".tmp-merge-"

enum { TEMPORARY_TRIES = 100 };

/* Renames TEMPORARY to FINAL, relative to the folder IN. False if that fails; errno is EEXIST if there is such a file.
 */
static bool rename_new(int in, const char *temporary, const char *final)
{
    if (!renameat2(in, temporary, in, final, RENAME_NOREPLACE))
        return true;
    if (errno == EEXIST)
        return false;
    if (!linkat(in, temporary, in, final, 0)) {
        unlinkat(in, temporary, 0);
        return true;
    }
    if (errno == EEXIST)
        return false;
    int placeholder = spare_open(in, final, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (placeholder < 0)
        return false;
    spare_close(placeholder);
    if (!renameat(in, temporary, in, final))
        return true;
    int error = errno;
    unlinkat(in, final, 0);
    errno = error;
    return false;
}

/* Creates a temporary file beside PATH, relative to the folder IN, named after PATH and INFIX, and opens it for
 * writing. NAME gets its name. Returns -1 with errno if that fails. */
static int open_temporary(int in, const char *path, const char *infix, struct bytes *name)
{
    for (unsigned i = 0; i < TEMPORARY_TRIES; i++) {
        char text[48];
        snprintf(text, sizeof text, "%s%ld-%u", infix, (long)getpid(), i);
        name->length = 0;
        if (trace_path_put(name, path) != PILGRIM_OK || trace_path_put(name, text) != PILGRIM_OK) {
            errno = ENOMEM;
            return -1;
        }
        int file = spare_open(in, (const char *)name->data, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
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
    int file = folder ? spare_open(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) : -1;
    if (file >= 0) {
        (void)fsync(file);
        spare_close(file);
    }
    free(folder);
}

/* Gives TEMPORARY the name PATH, or the first free one with a number. WRITTEN gets the name. */
static enum pilgrim_status name_file(const char *temporary, const char *path, struct bytes *written)
{
    for (unsigned number = 0; number < TRACE_PATH_NUMBERS;
         number = number ? number + 1 : trace_path_free_number(path, "")) {
        if (trace_path_number(path, number, written) != PILGRIM_OK)
            return PILGRIM_NOMEM;
        if (rename_new(AT_FDCWD, temporary, (const char *)written->data))
            return PILGRIM_OK;
        if (errno != EEXIST)
            return PILGRIM_IO;
    }
    return PILGRIM_IO;
}

/* Frees NAME, and removes the file of this name in the folder IN if it is left (LEFT). Keeps errno. */
static void end_temporary(int in, struct bytes *name, bool left)
{
    int error = errno;
    if (left)
        unlinkat(in, (const char *)name->data, 0);
    bytes_free(name);
    errno = error;
}

/* Writes DATA to a temporary file beside PATH, relative to the folder IN, and to the disk. MODE: of the file, whatever
 * the umask says; 0: as it is made. NAME gets its name. Leaves no file if that fails. */
static enum pilgrim_status write_temporary(int in, const char *path, const void *data, size_t length, mode_t mode,
                                           struct bytes *name)
{
    int file = open_temporary(in, path, INFIX, name);
    bool good = file >= 0 && (!mode || !fchmod(file, mode)) && write_whole(file, data, length) && !fsync(file);
    int error = errno;
    if (file >= 0 && spare_close(file) && good) {
        good = false;
        error = errno;
    }
    if (!good) {
        errno = error;
        end_temporary(in, name, file >= 0);
    }
    return good ? PILGRIM_OK : error == ENOMEM ? PILGRIM_NOMEM : PILGRIM_IO;
}

/* Gives the temporary file, which is on disk, its final name. */
static enum pilgrim_status temporary_path(struct bytes *temporary, const char *path, struct bytes *written)
{
    enum pilgrim_status status = name_file((const char *)temporary->data, path, written);
    if (status == PILGRIM_OK)
        sync_folder((const char *)written->data);
    end_temporary(AT_FDCWD, temporary, status != PILGRIM_OK);
    return status;
}

enum pilgrim_status output_write(const char *path, const void *data, size_t length, struct bytes *written)
{
    struct bytes temporary = {0};
    if (trace_path_number(path, 0, written) != PILGRIM_OK)
        return PILGRIM_NOMEM;
    enum pilgrim_status status = write_temporary(AT_FDCWD, path, data, length, 0, &temporary);
    return status == PILGRIM_OK ? temporary_path(&temporary, path, written) : status;
}

static enum pilgrim_status begin(struct trace_output *o, const char *path, const char *infix)
{
    *o = (struct trace_output){0};
    if (trace_path_number(path, 0, &o->path) != PILGRIM_OK)
        return PILGRIM_NOMEM;
    o->file = open_temporary(AT_FDCWD, path, infix, &o->temporary);
    if (o->file >= 0)
        return PILGRIM_OK;
    end_temporary(AT_FDCWD, &o->temporary, false);
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
    enum pilgrim_status status = trace_path_put(path, absolute);
    free(absolute);
    return status;
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
    if (spare_close(o->file) && good) {
        good = false;
        error = errno;
    }
    enum pilgrim_status status = PILGRIM_IO;
    if (good) {
        status = temporary_path(&o->temporary, (const char *)o->path.data, written);
    } else {
        errno = error;
        end_temporary(AT_FDCWD, &o->temporary, true);
        status = trace_path_number((const char *)o->path.data, 0, written) == PILGRIM_OK ? PILGRIM_IO : PILGRIM_NOMEM;
        errno = error;
    }
    end_temporary(AT_FDCWD, &o->path, false);
    return status;
}

void output_cancel(struct trace_output *o)
{
    int error = errno;
    if (o->temporary.data) {
        spare_close(o->file);
        end_temporary(AT_FDCWD, &o->temporary, true);
    }
    bytes_free(&o->path);
    *o = (struct trace_output){0};
    errno = error;
}

enum pilgrim_status output_put_file(int in, const char *name, const void *data, size_t length)
{
    struct bytes temporary = {0};
    TRY(write_temporary(in, name, data, length, 0600, &temporary));
    bool good = rename_new(in, (const char *)temporary.data, name);
    end_temporary(in, &temporary, !good);
    return good ? PILGRIM_OK : PILGRIM_IO;
}
