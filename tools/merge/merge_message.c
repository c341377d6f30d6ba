/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of pilgrim-merge; see merge_message.h. */
#define _GNU_SOURCE 1 /* vasprintf */
#include "merge_message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/decode_errors.h"
#include "../../decoder/progress.h"
#include "base/printable.h"

/* Prints a line without the control characters that texts and names of files may have. */
static void print_line(FILE *to, const char *format, va_list arguments)
{
    char *text, shown[PRINTABLE_MAX];
    int length = vasprintf(&text, format, arguments);
    for (size_t at = 0, left = length > 0 ? (size_t)length : 0, n; left > 0; at += n, left -= n) {
        n = printable_next(text + at, left, shown);
        fputs(shown, to);
    }
    fputc('\n', to);
    if (length >= 0)
        free(text);
}

static void say(const char *format, va_list arguments)
{
    progress_clear();
    fputs("pilgrim-merge: ", stderr);
    print_line(stderr, format, arguments);
}

bool fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return false;
}

/* For src/analysis/source_lines.c. */
void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void report(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(stdout, format, arguments);
    va_end(arguments);
}

bool fail_status(const char *path, enum pilgrim_status status)
{
    static const char *const reasons[] = {
        [PILGRIM_NOMEM] = "out of memory",
        [PILGRIM_LIMIT] = "the ranks together are more than a trace can hold",
        [PILGRIM_NOT_TRACE] = "not a fragment file",
        [PILGRIM_VERSION] = "made by another version of Pilgrim",
        [PILGRIM_DAMAGED] = "damaged",
        [PILGRIM_TRUNCATED] = "cut off",
        [PILGRIM_INVALID] = "damaged: not the fragment of its rank",
    };
    return fail("%s: %s", path, status == PILGRIM_IO ? strerror(errno) : reasons[status]);
}
