/* SPDX-License-Identifier: BSD-3-Clause */
/* The shadow: each call as a line of JSON, as pilgrim-decode prints it, straight from the arguments.
 *
 * It is the oracle that the trace is compared with, so it shares nothing with the encoder (call.h) but the names
 * of objects (handles.h, requests.h, memory.h) and the tables of constants. The generator writes, for each MPI function
 * F, shadow_in_F(struct shadow *s, in-arguments...)    before the real call, after the encoder's puts
 *   shadow_out_F(struct shadow *s, all arguments..., ret)  after it, after the encoder's puts
 * which call the functions below, and the layer that calls them (shadow_calls.h). Each parameter's text is kept apart,
 * so that in and out meet in one line.
 *
 * Line: {"rank":..,"thread":..,"seq":..,"func":..[,"lang":"fortran"],"args":{..},"ret":..,"site":"..",
 *        "start":..,"end":..,"raw":{"PARAM":"0x..",...}}
 * start, end: ns, whatever PILGRIM_TIMING keeps of them; without a clock they are not there.
 * raw: for every handle and pointer the value as it was passed (in) and returned (out): "PARAM>" for out.
 * Events, apart: {"released":"comm:3"}, before the line of the call that released it. One file a process:
 * DIR/shadow.RANK.jsonl, in order of completion for each thread. */
#ifndef PILGRIM_SHADOW_H
#define PILGRIM_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/handles.h"
#include "mpi/mpi_library.h"
#include "objects/requests.h"

struct shadow;

/* What comes next is the in- or out-value of parameter number PARAMETER (0-based). */
void shadow_in(struct shadow *s, unsigned parameter);
void shadow_out(struct shadow *s, unsigned parameter);

/* The return value comes next. shadow_ret for error codes. */
void shadow_return(struct shadow *s);
void shadow_ret(struct shadow *s, int ret);

/* ---- JSON values; each prints one ---- */
void shadow_null(struct shadow *s);
void shadow_name(struct shadow *s, const char *name); /* a JSON string, of a constant's name */
void shadow_int(struct shadow *s, int64_t v);
void shadow_bool(struct shadow *s, int v);
void shadow_real(struct shadow *s, double v);
void shadow_string(struct shadow *s, const char *string);
void shadow_strings(struct shadow *s, char *const *strings, int64_t count);
void shadow_enum(struct shadow *s, unsigned enumeration, int64_t v);
void shadow_flags(struct shadow *s, unsigned enumeration, int64_t v);
void shadow_rank(struct shadow *s, int64_t rank); /* absolute, special ones by name */
void shadow_buffer(struct shadow *s, const void *p);
void shadow_pointer(struct shadow *s, const void *p);
void shadow_address(struct shadow *s, int64_t v);
void shadow_function(struct shadow *s, const void *function);
void shadow_handle(struct shadow *s, enum object_kind kind, uint64_t handle);

/* Arrays: open, values, close. Commas come by themselves. */
void shadow_open(struct shadow *s);
void shadow_close(struct shadow *s);

/* ---- requests and statuses: the shadow keeps the operations of shadow_requests for the out side ---- */
void shadow_request(struct shadow *s, MPI_Request request);                         /* in, one */
void shadow_requests(struct shadow *s, const MPI_Request *requests, int64_t count); /* in, an array */
void shadow_new_request(struct shadow *s, MPI_Request request);                     /* out of a creating call */
void shadow_request_after(struct shadow *s, MPI_Request request);
void shadow_requests_after(struct shadow *s, const MPI_Request *requests, int64_t count);
void shadow_status(struct shadow *s, const MPI_Status *status, bool ignored);
void shadow_status_io(struct shadow *s, const MPI_Status *status, bool ignored);
void shadow_status_of(struct shadow *s, int64_t index, const MPI_Status *status, bool ignored);
void shadow_statuses(struct shadow *s, const MPI_Status *statuses, int64_t count, bool ignored);
void shadow_statuses_some(struct shadow *s, const MPI_Status *statuses, const int *indices, int64_t count,
                          bool ignored);

#endif
