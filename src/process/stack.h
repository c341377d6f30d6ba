/* SPDX-License-Identifier: BSD-3-Clause */
/* PILGRIM_STACK=n: the call class has the n innermost frames of the application, not the call site alone.
 *
 * The unwinder is libunwind's, loaded when the first stack is taken and never linked: it defines the _Unwind_ names of
 * the compiler's run-time library, which must not take the place of the program's own. A stack is known by its return
 * addresses; each thread keeps those it has seen, so that in a loop only the unwinding costs. */
#ifndef PILGRIM_STACK_H
#define PILGRIM_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/site.h"

struct call_stacks;

/* Whether libunwind can be had; if not, WHY is a part of a sentence. */
bool stacks_available(const char **why);

/* The stacks of one thread, DEPTH frames each at most (2..SITE_FRAMES_MAX). Not before stacks_available().
 * NULL where memory is short. */
struct call_stacks *stacks_new(unsigned depth);
void stacks_free(struct call_stacks *s);

/* The stack that the calling thread is on now, from the return address SITE outwards: the same pointer for the same
 * addresses, valid as long as S. What lies within SITE (this library, MPI's own layers) is left out. If the
 * unwinder does not find SITE, the stack is SITE alone. NULL where memory is short. */
const void *stacks_here(struct call_stacks *s, const void *site);

/* Whether ADDRESS, which an unwinder came to last, is of the C library's beginning of program or thread, or the
 * program's. */
bool stack_ends_at(const void *address);

/* The frames of what stacks_here returned, innermost first: no further than main, or the function that the thread began
 * with, and up to the first one that lies in no module. Fills in FRAMES, room for SITE_FRAMES_MAX; returns how many. */
size_t stack_frames(const void *stack, struct code_frame *frames);

#endif
