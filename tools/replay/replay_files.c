/* SPDX-License-Identifier: BSD-3-Clause */
/* The scratch folder; see replay_files.h. Files in it are named by a hash of the recorded name, so that all ranks and
 * all calls mean the same file. */
#include "replay_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t hash(const char *text, size_t length)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return h;
}

void files_replaced(char *name, const char *text, size_t length)
{
    snprintf(name, REPLAY_NAME_BYTES, "name-%016" PRIx64, hash(text, length));
}

static char *path_of(struct replay_scratch *scratch, const char *folder, const char *what, const char *text,
                     size_t length)
{
    char *path = scratch_alloc(scratch, REPLAY_PATH_BYTES);
    if (path)
        snprintf(path, REPLAY_PATH_BYTES, "%s/%s-%016" PRIx64, folder, what, hash(text, length));
    return path;
}

char *files_path(struct replay_scratch *scratch, const char *folder, const char *text, size_t length)
{
    return path_of(scratch, folder, "file", text, length);
}

void files_make(const char *path)
{
    int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0)
        close(file);
}

void files_port_opened(const char *folder, const char *text, size_t length, const char *port)
{
    struct replay_scratch scratch = {0};
    char *path = path_of(&scratch, folder, "port", text, length),
         *partial = path_of(&scratch, folder, "new", text, length);
    FILE *file = path && partial ? fopen(partial, "we") : NULL;
    if (file) {
        fputs(port, file);
        if (fclose(file) == 0)
            (void)!rename(partial, path);
    }
    scratch_free(scratch.blocks);
}

char *files_port(struct replay_scratch *scratch, const char *folder, const char *text, size_t length, double limit_s)
{
    char *path = path_of(scratch, folder, "port", text, length), *port = scratch_alloc(scratch, REPLAY_PATH_BYTES);
    struct timespec moment = {.tv_nsec = 1000000};
    for (double waited = 0; path && port && waited <= limit_s; waited += 0.001) {
        FILE *file = fopen(path, "re");
        if (file) {
            port[fread(port, 1, REPLAY_PATH_BYTES - 1, file)] = 0;
            fclose(file);
            return port;
        }
        if (limit_s > 0)
            nanosleep(&moment, NULL);
    }
    return NULL;
}

const char *files_folder_new(void)
{
    static char folder[REPLAY_PATH_BYTES];
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/pilgrim-replay-XXXXXX", place && *place ? place : "/tmp");
    return mkdtemp(folder);
}

void files_folder_share(const char *folder)
{
    mkdir(folder, 0700);
}

void files_folder_remove(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        closedir(d);
    rmdir(folder);
}
