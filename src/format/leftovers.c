/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary files that a killed program left; see leftovers.h.
 *
 * A lock ends with its process, however that ends. Its age guards a file on a file system whose locks do not reach
 * other machines. If there are no locks at all, nothing is removed. */
#define _GNU_SOURCE 1
#include "format/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { AGE_S = 3600 };

/* Returns NAME behind PREFIX, or NULL if NAME does not begin with it. */
static const char *behind(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) ? NULL : name + length;
}

/* True if TEXT is a number, '-' and a number. */
static bool is_numbers(const char *text)
{
    static const char digits[] = "0123456789";
    size_t first = strspn(text, digits);
    if (!first || text[first] != '-')
        return false;
    size_t second = strspn(text + first + 1, digits);
    return second && !text[first + 1 + second];
}

/* True if FILE is a leftover. It is then locked. */
static bool is_leftover(int file)
{
    struct stat found;
    return !fstat(file, &found) && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
           found.st_mtime < time(NULL) - AGE_S && !flock(file, LOCK_EX | LOCK_NB);
}

static void consider(int folder, const char *name)
{
    int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && is_leftover(file))
        unlinkat(folder, name, 0);
    if (file >= 0)
        close(file);
}

void leftovers_remove(const char *path, const char *infix)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *name = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    DIR *folder = name ? opendir(name) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *rest = behind(entry->d_name, base);
        rest = rest ? behind(rest, infix) : NULL;
        if (rest && is_numbers(rest))
            consider(dirfd(folder), entry->d_name);
    }
    if (folder)
        closedir(folder);
    free(name);
}
