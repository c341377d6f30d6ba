/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls of a trace mean: calls that fit a selection, in the order of their ranks or of their times; arguments
 * by name; the messages and bytes that a call moves, and the ranks that it moves them to and from.
 *
 *     struct pilgrim_selection *selection;
 *     struct pilgrim_calls *calls;
 *     struct pilgrim_call call;
 *     struct pilgrim_volume volume;
 *     if (pilgrim_selection_new(&selection) == PILGRIM_OK &&
 *         pilgrim_selection_add(selection, "func", "MPI_*send", &error) == PILGRIM_OK &&
 *         pilgrim_calls_open(trace, selection, PILGRIM_BY_RANK, &calls, &error) == PILGRIM_OK)
 *         while (pilgrim_calls_next(calls, &call, &error) == PILGRIM_OK)
 *             if (pilgrim_calls_volume(calls, &volume, &error) == PILGRIM_OK)
 *                 sent += volume.sent;
 *
 * It stands on pilgrim/reader.h, whose rules for arguments, errors, memory and threads hold here, too. A program is
 * linked with -lpilgrim-analysis before -lpilgrim-reader (`pkg-config --libs pilgrim-analysis`). */
#ifndef PILGRIM_ANALYSIS_H
#define PILGRIM_ANALYSIS_H

#include "pilgrim/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- values by name ---- */

/* Returns the value that goes in as parameter NAME of the call, or comes out of it; one of type PILGRIM_NONE if there
 * is no such parameter or no such value. NULL if an argument is.
 * name:    as the MPI standard has it: "count", "comm"
 * memory:  borrowed as long as the call's values are
 * threads: any number at once */
PILGRIM_API const struct pilgrim_value *pilgrim_call_in(const struct pilgrim_call *call, const char *name);
PILGRIM_API const struct pilgrim_value *pilgrim_call_out(const struct pilgrim_call *call, const char *name);

/* Returns true if the call's function returns an error code, and it returned another one than MPI_SUCCESS.
 * threads: any number at once */
PILGRIM_API bool pilgrim_call_failed(const struct pilgrim_call *call);

/* Returns the size of a predefined datatype ("MPI_INT"), as MPI_Type_size has it on 64-bit Linux; UINT64_MAX if there
 * is no such datatype.
 * threads: any number at once */
PILGRIM_API uint64_t pilgrim_datatype_size(const char *name);

/* ---- selections ---- */

/* Says which calls are wanted: those that fit all of its criteria. Without any: all calls. It belongs to no trace. */
struct pilgrim_selection;

/* Makes an empty selection.
 * selection: to be freed by pilgrim_selection_free
 * errors:  PILGRIM_NOMEM
 * threads: any number at once */
PILGRIM_API enum pilgrim_status pilgrim_selection_new(struct pilgrim_selection **selection) PILGRIM_CHECKED;

/* Frees the selection.
 * selection: NULL is legal
 * threads: exclusive */
PILGRIM_API void pilgrim_selection_free(struct pilgrim_selection *selection);

/* Adds a criterion. One that is added again takes the place of the earlier one; "func" and "site" are added to it.
 * These are:
 *
 *   rank, thread  numbers and ranges: "0,3,8-15"
 *   func          globs with commas between them; those that begin with - leave functions out: "MPI_I*,-MPI_Iprobe"
 *   site          call sites with commas between them: FILE:LINE, FILE, a function, or MODULE+0xOFFSET
 *   comm          of an argument: "MPI_COMM_WORLD", or the name that the process gave it: "comm:3"
 *   peer          ranks of MPI_COMM_WORLD, one of which the call sends to, receives from, or accesses: "0,3,8-15"
 *   tag           of the call or of its statuses; numbers and ranges
 *   bytes         that the call moves at least (pilgrim_volume): "4096", "64K", "1M", "2G"
 *   failed        no value: calls that returned an error
 *   phase         the text of a marker: calls of its thread from there on to the next marker with another text
 *   loop          calls in the loop of their thread with this number: they count from 1 in the order of
 *                 `pilgrim-decode --loops`
 *   iteration     with loop: numbers and ranges of its iterations, which count from 1 each time that it is entered
 *   call          numbers and ranges of calls of a thread, from 0
 *   since, until  times on the common axis (pilgrim_clock_common): calls that end at `since` or later, and begin
 *                 before `until`. "10s", "10.5s", "250ms", "3us", "17ns"
 *
 * name:    of the criterion. An unknown one is PILGRIM_INVALID, as is a wrong value; *error says what it may be
 * value:   NULL for "failed"; copied
 * errors:  PILGRIM_NOMEM
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_selection_add(struct pilgrim_selection *selection, const char *name,
                                                      const char *value, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns true if the selection has a criterion of that name.
 * threads: shared */
PILGRIM_API bool pilgrim_selection_has(const struct pilgrim_selection *selection, const char *name);

/* Says if calls of the trace can fit: PILGRIM_INVALID if no rank, thread or call has such a number, or if the trace
 * lacks what a criterion needs; *error says what there is ("no rank 7: the trace has ranks 0-3").
 * threads: shared */
PILGRIM_API enum pilgrim_status pilgrim_selection_check(const struct pilgrim_selection *selection,
                                                        const struct pilgrim_trace *trace,
                                                        struct pilgrim_error *error) PILGRIM_CHECKED;

/* ---- calls of many threads ---- */

struct pilgrim_calls;

enum pilgrim_order {
    PILGRIM_BY_RANK, /* rank by rank, thread by thread, in the order of the calls */
    PILGRIM_BY_TIME  /* by the times on the common axis at which they began; equal times: by rank and thread */
};

/* Opens the stream of the calls that fit. What does not fit is skipped where that can be: calls before the first one of
 * a range of numbers or times are not read, and of loops only the sequence of classes.
 *
 * By time, the times of calls are those of the common axis, and there is a cursor for each thread.
 * selection: borrowed until the stream is closed; NULL: all calls
 * calls:   to be closed by pilgrim_calls_close, before the trace
 * errors:  as pilgrim_selection_check and pilgrim_cursor_open; PILGRIM_INVALID also for PILGRIM_BY_TIME if the trace
 *          has no times of single calls, or no common axis
 * threads: shared: on the trace and on the selection */
PILGRIM_API enum pilgrim_status pilgrim_calls_open(const struct pilgrim_trace *trace,
                                                   const struct pilgrim_selection *selection, enum pilgrim_order order,
                                                   struct pilgrim_calls **calls,
                                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* Fills in the next call. PILGRIM_END behind the last one. After an error the stream is at its end.
 * call:    its pointers are borrowed until the next call of this function or of pilgrim_calls_close
 * errors:  as pilgrim_cursor_next; PILGRIM_INVALID if no thread has the loop that the selection names
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_calls_next(struct pilgrim_calls *calls, struct pilgrim_call *call,
                                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* What a call moves. Bytes are those of the datatypes' sizes, without gaps. */
struct pilgrim_volume {
    uint64_t messages; /* that it sends to another process, point to point; or operations on windows */
    uint64_t sent;     /* bytes that it sends, puts or writes; what a persistent request sends counts at its start. Of a
                          collective call: those that this process gives, whatever the algorithm: to one process for
                          MPI_Bcast, MPI_Reduce and the like, to each one for MPI_Alltoall and the like */
    uint64_t received; /* bytes that it receives, as far as its own status or buffer says so, gets or reads */
    bool known;        /* false: the size of a datatype or communicator is not known, and some bytes are missing */
};

/* Fills in what the call moves that pilgrim_calls_next gave last. The first time it may read what is before that call.
 * errors:  PILGRIM_NOMEM, and as pilgrim_cursor_next; PILGRIM_INVALID also before the first call
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_calls_volume(struct pilgrim_calls *calls, struct pilgrim_volume *volume,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* ---- what values of a call stand for ----
 *
 * These are of values of the call that pilgrim_calls_next gave last. Names of a process's objects ("comm:3") stand for
 * other objects later. The first time they may read what is before that call. */

/* Sets *BYTES to the size of a datatype, a derived one, too, as MPI_Type_size returns it; UINT64_MAX if it is not
 * known: it was made while recording was paused, or what it is made of is not known. datatype: an argument of the call
 * errors:  as pilgrim_calls_volume
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_calls_datatype_size(struct pilgrim_calls *calls,
                                                            const struct pilgrim_value *datatype, uint64_t *bytes,
                                                            struct pilgrim_error *error) PILGRIM_CHECKED;

/* Sets *LOWER and *EXTENT to the lower bound and the extent of a datatype, a derived one, too, as MPI_Type_get_extent
 * returns them; INT64_MIN is an extent that is not known: as above, or MPI libraries differ in it (gaps behind other
 * datatypes than structures, and structures of datatypes that were resized).
 * datatype: an argument of the call
 * errors:  as pilgrim_calls_volume
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_calls_datatype_extent(struct pilgrim_calls *calls,
                                                              const struct pilgrim_value *datatype, int64_t *lower,
                                                              int64_t *extent,
                                                              struct pilgrim_error *error) PILGRIM_CHECKED;

/* Sets *SIZE to how many processes a communicator or window has; UINT64_MAX if it is not known, or an
 * inter-communicator.
 * communicator: an argument of the call: a communicator or a window
 * errors:  as pilgrim_calls_volume
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_calls_communicator_size(struct pilgrim_calls *calls,
                                                                const struct pilgrim_value *communicator,
                                                                uint64_t *size,
                                                                struct pilgrim_error *error) PILGRIM_CHECKED;

/* Sets *WORLD to the rank in MPI_COMM_WORLD of the process that has rank RANK in a communicator, or in the group of a
 * window; -1 if it is not known, in another world, or in an inter-communicator. With each RANK below its size, these
 * are the members of a communicator. group:   an argument of the call: a communicator or a window errors:  as
 * pilgrim_calls_volume threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_calls_world_rank(struct pilgrim_calls *calls, const struct pilgrim_value *group,
                                                         int64_t rank, int64_t *world,
                                                         struct pilgrim_error *error) PILGRIM_CHECKED;

/* Closes the stream.
 * calls:   NULL is legal
 * threads: exclusive */
PILGRIM_API void pilgrim_calls_close(struct pilgrim_calls *calls);

#ifdef __cplusplus
}
#endif

#endif
