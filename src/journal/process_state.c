/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc; see process_state.h. */
#include "journal/process_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAT_BYTES = 1024, STATE_FIELD = 3, STARTED_FIELD = 22 };

/* Reads the file PATH into TEXT. Returns where its field 2, the program's name, ends, as that may have spaces; NULL: it
 * is not there. */
static const char *read_stat(const char *path, char text[STAT_BYTES])
{
    FILE *stat = fopen(path, "re");
    size_t length = stat ? fread(text, 1, STAT_BYTES - 1, stat) : 0;
    if (stat)
        fclose(stat);
    text[length] = 0;
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
    const char *at = field(name_end, STARTED_FIELD);
    return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t process_started(void)
{
    char text[STAT_BYTES];
    return started_of(read_stat("/proc/self/stat", text));
}

char process_state(uint32_t pid, uint64_t started)
{
    char path[64], text[STAT_BYTES];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", pid);
    const char *name_end = read_stat(path, text);
    const char *state = started_of(name_end) == started ? field(name_end, STATE_FIELD) : NULL;
    return state && *state != 'Z' && *state != 'X' ? *state : 0;
}
