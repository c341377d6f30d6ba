/* SPDX-License-Identifier: BSD-3-Clause */
/* The shadow: each call as a line of JSON, as pilgrim-decode prints it, made straight from the arguments.
 *
 * The oracle compares the trace with it. So it shares nothing with the code that records values (call.h), except for
 * the names of objects (handles.h, requests.h, memory.h) and the tables of constants. For each MPI function F the
 * generator writes two functions,
 *   shadow_in_F(struct shadow *s, input arguments...)     before the real call, after the wrapper's puts of inputs
 *   shadow_out_F(struct shadow *s, all arguments..., ret)  after the real call and the wrapper's puts of outputs
 * which call the functions below, and the layer that calls these two (shadow_calls.h). The text of each parameter is
 * stored apart, so that inputs and outputs meet in one line.
 *
 * A line: {"rank":..,"thread":..,"seq":..,"func":..[,"lang":"fortran"],"args":{..},"ret":..,"site":"..",
 *         "start":..,"end":..,"raw":{"PARAM":"0x..",...}}
 * start, end: in ns, whatever PILGRIM_TIMING is; missing without a clock. raw: the value of each handle and pointer as
 * the program passed it ("PARAM") and as it came back ("PARAM>"). A released object has a line of its own,
 * {"released":"comm:3"}, before the line of the call that released it. Each process has a file
 * FOLDER/shadow.RANK.jsonl, in which the calls of a thread are in the order in which they ended. */
#ifndef PILGRIM_SHADOW_H
#define PILGRIM_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/handles.h"
#include "mpi/mpi_library.h"
#include "objects/requests.h"

struct shadow;

/* The next value is the input or output of parameter number PARAMETER, counted from 0. */
void shadow_in(struct shadow *s, unsigned parameter);
void shadow_out(struct shadow *s, unsigned parameter);

/* The next value is the return value. shadow_ret also prints it: an error code. */
void shadow_return(struct shadow *s);
void shadow_ret(struct shadow *s, int ret);

/* ---- JSON values; each function prints one ---- */
void shadow_null(struct shadow *s);
void shadow_name(struct shadow *s, const char *name); /* name of a constant, as a JSON string */
void shadow_int(struct shadow *s, int64_t v);
void shadow_bool(struct shadow *s, int v);
void shadow_real(struct shadow *s, double v);
void shadow_string(struct shadow *s, const char *string);
void shadow_strings(struct shadow *s, char *const *strings, int64_t count);
void shadow_enum(struct shadow *s, unsigned enumeration, int64_t v);
void shadow_flags(struct shadow *s, unsigned enumeration, int64_t v);
void shadow_rank(struct shadow *s, int64_t rank); /* absolute; MPI_ANY_SOURCE and the like by name */
void shadow_buffer(struct shadow *s, const void *p);
void shadow_pointer(struct shadow *s, const void *p);
void shadow_address(struct shadow *s, int64_t v);
void shadow_function(struct shadow *s, const void *function);
void shadow_handle(struct shadow *s, enum object_kind kind, uint64_t handle);

/* An array: open, values, close. Commas are added. */
void shadow_open(struct shadow *s);
void shadow_close(struct shadow *s);

/* ---- requests and statuses: S remembers the operations of the inputs, for the outputs ---- */
void shadow_request(struct shadow *s, MPI_Request request);                         /* input */
void shadow_requests(struct shadow *s, const MPI_Request *requests, int64_t count); /* input */
void shadow_new_request(struct shadow *s, MPI_Request request);                     /* output of a call that began it */
void shadow_request_after(struct shadow *s, MPI_Request request);
void shadow_requests_after(struct shadow *s, const MPI_Request *requests, int64_t count);
void shadow_status(struct shadow *s, const MPI_Status *status, bool ignored);
void shadow_status_io(struct shadow *s, const MPI_Status *status, bool ignored);
void shadow_status_of(struct shadow *s, int64_t index, const MPI_Status *status, bool ignored);
void shadow_statuses(struct shadow *s, const MPI_Status *statuses, int64_t count, bool ignored);
void shadow_statuses_some(struct shadow *s, const MPI_Status *statuses, const int *indices, int64_t count,
                          bool ignored);

#endif
