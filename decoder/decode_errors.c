/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages on stderr; see decode_errors.h. */
#include "decode_errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *complain_as = "pilgrim-decode";

void complain(const char *format, ...)
{
    char text[2 * 4096 + 512], shown[PILGRIM_PRINTABLE_MAX]; /* the longest message names two paths */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: ", complain_as);
    for (size_t at = 0, left = strlen(text), n; left > 0; at += n, left -= n) {
        n = pilgrim_printable(text + at, left, shown);
        fputs(shown, stderr);
    }
    fputc('\n', stderr);
}
