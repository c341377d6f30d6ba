/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of columns (pilgrim/columns.h): what each is of. */
#ifndef ANALYSIS_COLUMN_NAMES_H
#define ANALYSIS_COLUMN_NAMES_H

#include "pilgrim/columns.h"

enum column_source {
    COLUMN_RANK,
    COLUMN_THREAD,
    COLUMN_SEQ,
    COLUMN_START,
    COLUMN_END,
    COLUMN_BYTES,
    /* Equal for equal calls: */
    COLUMN_FUNC,
    COLUMN_SITE,
    COLUMN_COMM,
    COLUMN_PEER,
    COLUMN_TAG,
    COLUMN_COUNT,
    COLUMN_DATATYPE,
    COLUMN_REQUEST,
    COLUMN_RET,
    COLUMN_ARGUMENT
};

struct column_kind {
    enum column_source source;
    enum pilgrim_column_type type;
    char *argument; /* COLUMN_ARGUMENT: its name, to be freed */
    bool out;       /* ... what comes out of it, if it does both */
};

/* Sets *KIND to what NAME means. errors: PILGRIM_NOMEM; PILGRIM_INVALID: there is no such ending */
enum pilgrim_status column_kind_of(const char *name, struct column_kind *kind,
                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* Says if a function of TRACE has each argument that one of KINDS is of: PILGRIM_INVALID if not. errors: as
 * pilgrim_cursor_next */
enum pilgrim_status column_arguments_check(const struct pilgrim_trace *trace, const struct column_kind *kinds,
                                           size_t count, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the value that a column is of: of COMM to ARGUMENT. One of type PILGRIM_NONE: there is none. */
const struct pilgrim_value *column_kind_value(const struct column_kind *kind, const struct pilgrim_call *call);

/* Returns the number that stands for a value in a column of numbers. */
int64_t column_number(const struct column_kind *kind, const struct pilgrim_call *call);

#endif
