/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the reader library, the text of each status, and texts as they may be printed. */
#include "base/printable.h"
#include "pilgrim/reader.h"

unsigned pilgrim_version_number(void)
{
    return PILGRIM_VERSION_NUMBER;
}

const char *pilgrim_version_text(void)
{
    return PILGRIM_VERSION_TEXT;
}

/* A switch without a default, so that the compiler names a status that has no text. */
const char *pilgrim_status_text(enum pilgrim_status status)
{
    switch (status) {
    case PILGRIM_OK:
        return "no error";
    case PILGRIM_END:
        return "nothing is left";
    case PILGRIM_NOMEM:
        return "out of memory";
    case PILGRIM_LIMIT:
        return "too large";
    case PILGRIM_IO:
        return "input or output failed";
    case PILGRIM_NOT_TRACE:
        return "not a Pilgrim trace";
    case PILGRIM_VERSION:
        return "a format version that this library does not read";
    case PILGRIM_DAMAGED:
        return "damaged";
    case PILGRIM_TRUNCATED:
        return "ends too early";
    case PILGRIM_INVALID:
        return "invalid argument";
    }
    return "unknown status";
}

size_t pilgrim_printable(const char *text, size_t length, char shown[PILGRIM_PRINTABLE_MAX])
{
    return text && shown && length ? printable_next(text, length, shown) : 0;
}
