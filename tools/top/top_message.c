/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages on stderr; see top_message.h. */
#include "top_message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../decoder/decode_errors.h"
#include "base/printable.h"

enum { MESSAGE_BYTES = 2 * 4096 + 512 }; /* the longest message names two paths */

/* Prints a line without the control characters that names may have. */
static void print_line(const char *format, va_list arguments)
{
    char text[MESSAGE_BYTES], shown[PRINTABLE_MAX];
    vsnprintf(text, sizeof text, format, arguments);
    fputs("pilgrim-top: ", stderr);
    for (size_t at = 0, left = strlen(text), n; left > 0; at += n, left -= n) {
        n = printable_next(text + at, left, shown);
        fputs(shown, stderr);
    }
    fputc('\n', stderr);
}

bool top_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return false;
}

/* For src/analysis/source_lines.c. */
void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}
