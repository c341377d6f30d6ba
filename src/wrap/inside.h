/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls inside other calls: those that a callback (of an attribute, an operation, an error handler, a generalized
 * request) makes while MPI is in a call of the same thread.
 *
 * They are calls of the thread like all others. A call is recorded when it ends, so those inside it stand before it.
 * Its path says what it is inside of (unwind/call_path.h). It has no time of its own. MPI's own calls are not the
 * program's, nor are those of a tool behind this library. What handlers of signals call there is not recorded. */
#ifndef PILGRIM_INSIDE_H
#define PILGRIM_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "pilgrim/status.h"

struct call;
struct fortran_call;
struct thread;

/* True if the innermost call of T is a recorded one and in MPI, so that T holds none of Pilgrim's locks. */
bool inside_mpi(const struct thread *t);

/* True if a call of FUNCTION at SITE, inside a call of T, is to be recorded. False: it is MPI's own, or it cannot be,
 * which is noted for the user: the call around it is not recorded, or is not in MPI at this moment, or the handler of a
 * signal makes the call. FRAME: CALL_FRAME. FROM: the call from
 * Fortran that it belongs to; NULL: none. */
bool inside_is_recorded(struct thread *t, uint32_t function, const void *site, const void *frame,
                        const struct fortran_call *from);

/* T, from thread_nested, begins such a call. Sets t->class. False: out of memory; tracing is then off. */
bool inside_begin(struct thread *t, uint32_t function, const void *site, const void *frame, bool fortran);

/* It has ended; its key is in T. Records it.
 * errors: as stream_append */
enum pilgrim_status inside_end(struct thread *t, bool failed_poll) PILGRIM_CHECKED;

#endif
