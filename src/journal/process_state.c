/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc; see process_state.h. */
#include "journal/process_state.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spare_files.h"

enum { PATH_BYTES = 32, STAT_BYTES = 1024, STATE_FIELD = 3, STARTED_FIELD = 22 };

/* Reads the file PATH into TEXT. Returns where its field 2, the program's name, ends, as that may have spaces; NULL: it
 * is not there. */
static const char *read_stat(const char *path, char text[STAT_BYTES])
{
    int file = spare_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    ssize_t length = file >= 0 ? read(file, text, STAT_BYTES - 1) : 0;
    if (file >= 0)
        spare_close(file);
    text[length > 0 ? length : 0] = 0;
    return strrchr(text, ')');
}

/* Returns field NUMBER; AT is where field 2 ends. NULL: there is none. */
static const char *field(const char *at, int number)
{
    for (int i = STATE_FIELD; at && i <= number; i++) {
        at = strchr(at, ' ');
        at += at != NULL;
    }
    return at;
}

static uint64_t started_of(const char *name_end)
{
    uint64_t number = 0;
    for (const char *at = field(name_end, STARTED_FIELD); at && *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return number;
}

/* Writes "/proc/PID/stat". */
static void put_path(uint32_t pid, char path[PATH_BYTES])
{
    char digits[10];
    size_t count = sizeof digits, used = strlen("/proc/");
    memcpy(path, "/proc/", used);
    do
        digits[--count] = (char)('0' + pid % 10);
    while (pid /= 10);
    while (count < sizeof digits)
        path[used++] = digits[count++];
    memcpy(path + used, "/stat", sizeof "/stat");
}

uint64_t process_started(void)
{
    char text[STAT_BYTES];
    return started_of(read_stat("/proc/self/stat", text));
}

char process_state(uint32_t pid, uint64_t started)
{
    char path[PATH_BYTES], text[STAT_BYTES];
    put_path(pid, path);
    const char *name_end = read_stat(path, text);
    const char *state = started_of(name_end) == started ? field(name_end, STATE_FIELD) : NULL;
    return state && *state != 'Z' && *state != 'X' ? *state : 0;
}

uint32_t process_id_space(void)
{
    struct stat found;
    return stat("/proc/self/ns/pid", &found) ? 0 : (uint32_t)found.st_ino;
}
