/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that never return. A callback of the program (an error handler, a reduction, a copy of an attribute) may leave
 * the MPI call by longjmp or a C++ exception.
 *
 * Nothing reports that. When the thread's next call begins and looks as if it were made inside the call before, Pilgrim
 * finds out if that one is still on the stack. If not, it is recorded with its inputs, but without outputs and return
 * value, and with a duration of 0. Its requests are forgotten, because they may be complete or not. */
#ifndef PILGRIM_ABANDONED_H
#define PILGRIM_ABANDONED_H

#include <stdbool.h>
#include <stdint.h>

struct fortran_call;
struct thread;

/* A call of T begins at SITE with the struct call FRAME while another call counts as in progress. Ends that call, and
 * the calls inside it, if it is gone. CALLER: CALL_FRAME, or NULL. */
void abandoned_calls(struct thread *t, const void *frame, const void *site, const void *caller);

/* True if MPI is a library of its own, so that its calls can be told from the program's. After mpi_library_bind. */
bool abandoned_knows_mpi(void);

/* True if MPI itself makes the call at SITE. LAYER: a function of MPI's Fortran layer, or NULL. */
bool abandoned_is_of_mpi(const void *site, const void *layer);

/* The same as abandoned_calls for calls from Fortran. FUNCTION: the C function whose call begins; FUNCTION_COUNT: the
 * call is one from Fortran, which no call from Fortran waits for. Returns the innermost call from Fortran that is still
 * on the stack, or NULL. */
struct fortran_call *abandoned_fortran(uint32_t function, const void *frame, const void *site);

#endif
