/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of pilgrim-diff on stderr; see diff_message.h. */
#include "diff_message.h"

#include <pilgrim/reader.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_BYTES = 2 * 4096 + 512 }; /* the longest message names two paths */

/* Prints a line without the control characters that names may have. */
static void print_line(const char *format, va_list arguments)
{
    char text[MESSAGE_BYTES], shown[PILGRIM_PRINTABLE_MAX];
    vsnprintf(text, sizeof text, format, arguments);
    fputs("pilgrim-diff: ", stderr);
    for (size_t at = 0, left = strlen(text), n; left > 0; at += n, left -= n) {
        n = pilgrim_printable(text + at, left, shown);
        fputs(shown, stderr);
    }
    fputc('\n', stderr);
}

void diff_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}
