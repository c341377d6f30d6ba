/* SPDX-License-Identifier: BSD-3-Clause */
/* The standard input as a trace; see trace_input.h. */
#include "trace_input.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies the standard input to FILE. False: errno says why. */
static bool copy_input(FILE *file)
{
    char bytes[1 << 16];
    ssize_t count;
    while ((count = read(STDIN_FILENO, bytes, sizeof bytes)) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 || fwrite(bytes, 1, (size_t)count, file) != (size_t)count)
            return false;
    }
    return fflush(file) == 0;
}

const char *input_path(const char *path, char place[INPUT_PATH_MAX], FILE **copy)
{
    struct stat file;
    *copy = NULL;
    if (strcmp(path, "-") != 0)
        return path;
    if (fstat(STDIN_FILENO, &file) != 0)
        return NULL;
    int descriptor = STDIN_FILENO;
    if (!S_ISREG(file.st_mode)) {
        *copy = tmpfile();
        if (!*copy || !copy_input(*copy))
            return NULL;
        descriptor = fileno(*copy);
    }
    snprintf(place, INPUT_PATH_MAX, "/proc/self/fd/%d", descriptor);
    return place;
}
