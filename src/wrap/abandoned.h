/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that never return: a callback of the program (an error handler, a reduction, a copy of an attribute) leaves
 * them by longjmp or by a C++ exception.
 *
 * Nobody is told, so it is found out where the thread's next call begins, if that looks like one made inside of the
 * call before: whether that one is on the stack still. If it is not, it is recorded as what is known of it: with what
 * went in, without what came out and without a return value, as long as a call that takes no time. The requests that it
 * had to do with may be complete or not: they are forgotten. */
#ifndef PILGRIM_ABANDONED_H
#define PILGRIM_ABANDONED_H

#include <stdint.h>

struct fortran_call;
struct thread;

/* A call of T begins at SITE, whose struct call is FRAME, and another one counts as under way: puts an end to that, and
 * to those made inside of it, if it is gone. */
void abandoned_calls(struct thread *t, const void *frame, const void *site);

/* The same for calls from Fortran: a call of the C function FUNCTION begins. FUNCTION_COUNT: one from Fortran does,
 * which claims nothing. Returns the innermost call from Fortran that is there, or NULL. */
struct fortran_call *abandoned_fortran(uint32_t function, const void *frame, const void *site);

#endif
