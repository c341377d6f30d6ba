/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills in a struct pilgrim_error; see trace_error.h. */
#include "read/table/trace_error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/printable.h"

enum pilgrim_status trace_error(struct pilgrim_error *error, enum pilgrim_status status, uint64_t offset,
                                const char *format, ...)
{
    if (error) {
        char text[sizeof error->message];
        va_list arguments;
        error->status = status;
        error->offset = offset;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        printable_copy(error->message, sizeof error->message, text); /* it may name a function of the trace */
    }
    return status;
}

enum pilgrim_status trace_no_memory(struct pilgrim_error *error)
{
    return trace_error(error, PILGRIM_NOMEM, 0, "not enough memory");
}

enum pilgrim_status trace_null(struct pilgrim_error *error)
{
    return trace_error(error, PILGRIM_INVALID, 0, "an argument is NULL");
}
