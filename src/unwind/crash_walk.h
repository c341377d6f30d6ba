/* SPDX-License-Identifier: BSD-3-Clause */
/* The stack of a thread that a signal has interrupted.
 *
 * Async-signal-safe, unlike the walks of call_path.h: it asks /proc/self/maps where modules are, not the loader, whose
 * lock the thread may hold, and it reads the stack, which may be damaged, with a system call that fails where the
 * thread would get another signal. */
#ifndef PILGRIM_CRASH_WALK_H
#define PILGRIM_CRASH_WALK_H

#include "base/crash_stack.h"

/* Fills in frames and modules of STACK from CONTEXT, the third argument of a signal's handler. One thread at a time. */
void crash_walk(const void *context, struct crash_stack *stack);

#endif
