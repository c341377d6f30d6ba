/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls as columns: arrays of numbers, one element a call, for programs that compute with many calls at once (arrays of
 * NumPy, Arrow's record batches).
 *
 *     const char *const names[] = {"rank", "func", "start", "end"};
 *     static int32_t rank[ROWS], func[ROWS];
 *     static int64_t start[ROWS], end[ROWS];
 *     void *const arrays[] = {rank, func, start, end};
 *     size_t rows;
 *     if (pilgrim_columns_open(trace, selection, PILGRIM_BY_RANK, names, 4, &columns, &error) == PILGRIM_OK)
 *         while (pilgrim_columns_fill(columns, arrays, ROWS, &rows, &error) == PILGRIM_OK)
 *             for (size_t i = 0; i < rows; i++)
 *                 printf("%d %s\n", rank[i], pilgrim_columns_text(columns, 1, func[i], NULL));
 *
 * It stands on pilgrim/analysis.h, whose rules for arguments, errors, memory and threads hold here, too, and belongs to
 * its library. */
#ifndef PILGRIM_COLUMNS_H
#define PILGRIM_COLUMNS_H

#include "pilgrim/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pilgrim_columns;

/* What the array of a column has. */
enum pilgrim_column_type {
    PILGRIM_COLUMN_INT32, /* int32_t; none is missing */
    PILGRIM_COLUMN_INT64, /* int64_t; PILGRIM_MISSING: the call has no such value, or it is no number, or not known */
    PILGRIM_COLUMN_TEXT   /* int32_t: number of a text of the column (pilgrim_columns_text); -1: the call has none */
};

#define PILGRIM_MISSING INT64_MIN

/* Opens the columns of the calls that fit. Their names are:
 *
 *   rank, thread  int32; of the caller
 *   seq           int64; number among the thread's calls, from 0
 *   func          text; "MPI_Send"
 *   start, end    int64; ns, on the common axis where the trace has one (pilgrim_clock_common); missing where the trace
 *                 has no times of single calls
 *   site          text; "FILE:LINE" where the program is there with debug information, else "MODULE+0xOFFSET"; of a
 *                 module whose functions are known "FUNCTION+0xOFFSET"
 *   comm          text; as the process names it: "MPI_COMM_WORLD", "comm:3"
 *   peer          int64; the rank in the communicator, or in the window's group, that the call sends to, else accesses,
 *                 else receives from: of dest, target_rank, source. MPI_ANY_SOURCE: the source that the call's status
 *                 has. Missing for MPI_PROC_NULL
 *   tag           int64; of the call, or of what it sends. MPI_ANY_TAG: the tag that the status has
 *   count         int64; elements: of count, sendcount, origin_count, incount, recvcount
 *   datatype      text; of that count: "MPI_INT", "datatype:2"
 *   bytes         int64; that the call sends and receives, as struct pilgrim_volume has them
 *   request       text; of the call: "request:2.0"; of several: "[request:2.0, request:2.1]"
 *   ret           int64; the error code that it returned: 0 is MPI_SUCCESS
 *
 * Each other name is that of an argument, as the MPI standard has it: "root", "buf", "newcomm". What goes into the call
 * is given; of arguments that only come out of it, what does. NAME:out is what comes out of one that does both.
 * Arguments that are numbers in the standard are int64, others text as pilgrim-decode prints it. NAME:int and NAME:text
 * say which of both is wanted: "source:text" has "MPI_ANY_SOURCE", where "source" has a missing number. NAME:text:out
 * is legal, too.
 *
 * Memory is that of pilgrim_calls_open, some MB, and the different texts of each column.
 * selection: borrowed until the columns are closed; NULL: all calls
 * names:   COUNT of them; they are copied
 * columns: to be closed by pilgrim_columns_close, before the trace
 * errors:  as pilgrim_calls_open; PILGRIM_INVALID also if no function of the trace has an argument of that name, and
 *          if a name comes twice
 * threads: shared: on the trace and on the selection */
PILGRIM_API enum pilgrim_status pilgrim_columns_open(const struct pilgrim_trace *trace,
                                                     const struct pilgrim_selection *selection,
                                                     enum pilgrim_order order, const char *const *names, size_t count,
                                                     struct pilgrim_columns **columns,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the name of column I, from 0, and sets *TYPE. NULL behind the last one: *TYPE stays.
 * memory:  borrowed until the columns are closed
 * threads: shared */
PILGRIM_API const char *pilgrim_columns_at(const struct pilgrim_columns *columns, size_t i,
                                           enum pilgrim_column_type *type);

/* Fills in the next calls. PILGRIM_END behind the last one: *FILLED is 0. With any other status than PILGRIM_OK,
 * *FILLED says how many calls were read before the error; all is at its end then. What is wrong with times only
 * (pilgrim_cursor_times) is the status behind the last call, where PILGRIM_END would be.
 * arrays:  by column, each with room for ROWS elements of its type
 * filled:  how many elements were filled in; ROWS, but for the last time
 * errors:  as pilgrim_calls_next and pilgrim_calls_volume; PILGRIM_LIMIT: a column has more than 2^31 - 1 texts
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_columns_fill(struct pilgrim_columns *columns, void *const *arrays, size_t rows,
                                                     size_t *filled, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns how many texts column I has so far: their numbers are below. They stay as they are, and more come as calls
 * are read. 0 if it is no column of texts. threads: exclusive */
PILGRIM_API size_t pilgrim_columns_texts(const struct pilgrim_columns *columns, size_t i);

/* Returns text NUMBER of column I; NULL if there is none. It is UTF-8: what is not in a trace is escaped as
 * pilgrim_printable does.
 * length:  bytes without the NUL behind it; may be NULL
 * memory:  borrowed until the columns are closed
 * threads: exclusive */
PILGRIM_API const char *pilgrim_columns_text(const struct pilgrim_columns *columns, size_t i, int64_t number,
                                             size_t *length);

/* Closes the columns.
 * columns: NULL is legal
 * threads: exclusive */
PILGRIM_API void pilgrim_columns_close(struct pilgrim_columns *columns);

#ifdef __cplusplus
}
#endif

#endif
