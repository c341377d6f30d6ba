/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a run; see run_folder.h.
 *
 * A folder belongs to the run whose mark is in its file "run". The first process makes this file, and it can be made
 * only once, so no process has to ask another one. One that was told the folder's number looks there first, and asks
 * the file system for the mark alone.
 *
 * A process puts a mark only into a folder that it has just made, or that its user owns and nobody else can write to.
 * Nobody else can read the mark. So a folder with the run's mark is one that a process of the run trusted. No symbolic
 * link is followed, and a folder is opened before it is looked at: another user may rename what is in a folder that
 * both can write to, such as the one of the trace. */
#define _GNU_SOURCE 1 /* AT_SYMLINK_NOFOLLOW of fchmodat */
#include "format/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/spare_files.h"
#include "base/try.h"
#include "format/trace_output.h"
#include "format/trace_path.h"

static const char mark_name[] = "run";
/* Files that say something about a run, and have nothing of it. */
static const char *const signs[] = {RUN_FOLDER_SAID, mark_name};

enum {
    MARK_BYTES = 17,
    /* A process waits so often, so long, for the mark in a folder that is not its user's. On some file systems all
     * folders belong to another user, or to nobody: NFS maps root, and a FAT has no owners. Where it has waited in vain
     * it waits half as long at the next one: another user may have made thousands of such folders. */
    LOOKS = 50,
    LOOK_NS = 10000000,
    SIGN_COUNT = sizeof signs / sizeof signs[0]
};

struct mark {
    char text[MARK_BYTES + 1];
};

static struct mark mark_of(uint64_t run)
{
    struct mark mark;
    snprintf(mark.text, sizeof mark.text, "%016" PRIx64 "\n", run);
    return mark;
}

/* True if NAME, relative to the folder IN, is MARK. errno is EEXIST if it is another one. */
static bool is_mark(int in, const char *name, const struct mark *mark)
{
    char found[MARK_BYTES];
    size_t length = 0;
    ssize_t got;
    int file = spare_open(in, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (file < 0) {
        errno = errno == EACCES || errno == ELOOP ? EEXIST : errno;
        return false;
    }
    do {
        got = read(file, found + length, sizeof found - length);
        length += got > 0 ? (size_t)got : 0;
    } while (length < sizeof found && (got > 0 || (got < 0 && errno == EINTR)));
    int error = got < 0 ? errno : EEXIST;
    spare_close(file);
    errno = error;
    return length == MARK_BYTES && !memcmp(found, mark->text, MARK_BYTES);
}

/* The same of the folder IN. */
static bool mark_found(int in, const struct mark *mark)
{
    return is_mark(in, mark_name, mark);
}

/* The same of the folder NAME. A link that leads to the mark leads to the run's folder. */
static bool is_marked(const char *name, const struct mark *mark)
{
    char path[PATH_MAX];
    return (size_t)snprintf(path, sizeof path, "%s/%s", name, mark_name) < sizeof path && is_mark(AT_FDCWD, path, mark);
}

static bool is_own(int in)
{
    struct stat found;
    return !fstat(in, &found) && found.st_uid == geteuid() && !(found.st_mode & (S_IWGRP | S_IWOTH));
}

/* As mark_found, in a folder of another user. Waits LOOKS times, and halves that if the mark does not come. */
static bool mark_awaited(int in, const struct mark *mark, unsigned *looks)
{
    for (unsigned i = 0; i < *looks; i++) {
        if (mark_found(in, mark))
            return true;
        if (errno != ENOENT)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    *looks /= 2;
    bool found = mark_found(in, mark);
    errno = errno == ENOENT ? EEXIST : errno;
    return found;
}

/* True if the folder IN belongs to the run with MARK. MADE: this process has just made it. *FIRST is true if this call
 * has put the mark there. errno is EEXIST if the folder is no folder for this run. LOOKS: see mark_awaited. */
static bool claim(int in, const struct mark *mark, bool made, bool *first, unsigned *looks)
{
    if (!made) {
        if (mark_found(in, mark))
            return true;
        if (errno != ENOENT)
            return false;
        if (!is_own(in))
            return mark_awaited(in, mark, looks);
    }
    enum pilgrim_status status = output_put_file(in, mark_name, mark->text, MARK_BYTES);
    *first = status == PILGRIM_OK;
    if (status == PILGRIM_NOMEM)
        errno = ENOMEM;
    return *first || (errno == EEXIST && mark_found(in, mark));
}

static int open_folder(const char *name)
{
    return spare_open(AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
}

/* Makes or takes the folder NAME. errors as for claim; ESTALE: another run has just removed it */
static bool take(const char *name, const struct mark *mark, bool *first, unsigned *looks)
{
    bool made = !mkdir(name, 0700);
    if (!made && errno != EEXIST)
        return false;
    int in = open_folder(name);
    if (in < 0 && made && !fchmodat(AT_FDCWD, name, 0700, AT_SYMLINK_NOFOLLOW)) /* the umask is too strict */
        in = open_folder(name);
    bool good = in >= 0 && claim(in, mark, made, first, looks);
    int error = errno;
    if (in >= 0)
        spare_close(in);
    else if (!made && (error == ENOTDIR || error == ELOOP || error == EACCES))
        error = EEXIST;
    if (error == ENOENT)
        error = ESTALE;
    if (!good && made)
        rmdir(name);
    errno = error;
    return good;
}

static enum pilgrim_status name_of(const char *path, uint32_t number, struct bytes *folder)
{
    TRY(trace_path_number(path, number, folder));
    return trace_path_put(folder, RUN_FOLDER_SUFFIX);
}

enum pilgrim_status run_folder_make(const char *path, uint64_t run, bool begins, uint32_t *number, struct bytes *folder,
                                    bool *first)
{
    struct mark mark = mark_of(run);
    unsigned gone = 0, looks = LOOKS;
    *first = false;
    if (*number != RUN_FOLDER_ANY) {
        TRY(name_of(path, *number, folder));
        if (is_marked((const char *)folder->data, &mark))
            return PILGRIM_OK;
    }
    for (*number = 0; *number < TRACE_PATH_NUMBERS;) {
        TRY(name_of(path, *number, folder));
        if (take((const char *)folder->data, &mark, first, &looks))
            return PILGRIM_OK;
        if (errno == ESTALE && gone++ < LOOKS)
            continue;
        if (errno != EEXIST)
            return errno == ENOMEM ? PILGRIM_NOMEM : PILGRIM_IO;
        *number = begins && !*number ? trace_path_free_number(path, RUN_FOLDER_SUFFIX) : *number + 1;
    }
    return PILGRIM_IO;
}

int run_folder_open(const char *folder, uint64_t run)
{
    struct mark mark = mark_of(run);
    int in = open_folder(folder);
    if (in >= 0 && !mark_found(in, &mark)) {
        int error = errno == EEXIST ? ESTALE : errno;
        spare_close(in);
        in = -1;
        errno = error;
    }
    return in;
}

/* True if NAME is one of `signs`, which FOUND then says. */
static bool note_sign(const char *name, bool found[SIGN_COUNT])
{
    bool any = false;
    for (size_t i = 0; i < SIGN_COUNT; i++) {
        const bool is = !strcmp(name, signs[i]);
        found[i] |= is;
        any |= is;
    }
    return any;
}

/* True if the folder D has no file but those in `signs`. FOUND says which of these it has. */
static bool is_empty(DIR *d, bool found[SIGN_COUNT])
{
    bool empty = true;
    for (struct dirent *e; empty && (e = readdir(d));)
        empty = note_sign(e->d_name, found) || !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
    return empty;
}

bool run_folder_remove(const char *folder)
{
    int in = open_folder(folder);
    bool gone = in < 0 && errno == ENOENT, found[SIGN_COUNT] = {false};
    DIR *d = in < 0 ? NULL : fdopendir(in);
    if (d && is_empty(d, found)) {
        for (size_t i = 0; i < SIGN_COUNT; i++)
            if (found[i])
                unlinkat(in, signs[i], 0);
        gone = !rmdir(folder);
    }
    if (d)
        closedir(d);
    else if (in >= 0)
        spare_close(in);
    return gone;
}
