/* The environment variables PILGRIM_*. */
#ifndef PILGRIM_SETTINGS_H
#define PILGRIM_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct settings {
    const char *trace;  /* PILGRIM_TRACE: pattern of the trace's path, or NULL (borrowed) */
    const char *shadow; /* PILGRIM_SHADOW: folder, or NULL (borrowed) */
    bool off;           /* PILGRIM_OFF=1 */
    bool quiet;         /* PILGRIM_QUIET=1 */
    bool buffers;       /* PILGRIM_BUFFERS=on|off */
    bool times;         /* PILGRIM_TIMING=aggregate|off */
    bool system;        /* PILGRIM_SYSTEM=on|off */
    uint32_t stack;     /* PILGRIM_STACK: frames of a call class, 1..SITE_FRAMES_MAX */
    uint32_t merge_limit_s; /* PILGRIM_MERGE_TIMEOUT */
};

/* Reads ENVIRONMENT ("NAME=VALUE", NULL-terminated). What is unknown or bad is as if it were not set. Strings are
 * borrowed from it. */
void settings_read(struct settings *s, char *const *environment);

/* What settings_read passed over: WARN is called with a line for each, which names the variable and says what it
 * accepts. */
void settings_check(char *const *environment, void (*warn)(const char *line));

#endif
