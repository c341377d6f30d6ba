/* SPDX-License-Identifier: BSD-3-Clause */
/* Call stacks (PILGRIM_STACK=n): a call class then has the n innermost frames of the program, not the call site alone.
 *
 * The unwinder is libunwind. It is loaded when the first stack is taken, and never linked: it defines the _Unwind_
 * names of the compiler's run-time library, which must not replace those of the program. A stack is identified by its
 * return addresses. Each thread keeps the stacks that it has seen, so in a loop only the unwinding costs time. */
#ifndef PILGRIM_STACK_H
#define PILGRIM_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/site.h"

struct call_stacks;

/* True if libunwind can be loaded. If not, *WHY is a clause that says why. */
bool stacks_available(const char **why);

/* Returns an empty set of stacks for one thread, of at most DEPTH frames each (2 to SITE_FRAMES_MAX). Call
 * stacks_available first. NULL: out of memory. */
struct call_stacks *stacks_new(unsigned depth);
void stacks_free(struct call_stacks *s);

/* Returns the stack of the calling thread from the return address SITE outwards: the same pointer for the same
 * addresses, valid as long as S. Frames inside SITE (this library, MPI's own layers) are left out. If the unwinder does
 * not find SITE, the stack is SITE alone. NULL: out of memory. */
const void *stacks_here(struct call_stacks *s, const void *site);

/* True if ADDRESS, the outermost that an unwinder found, is in the code that starts the program or a thread. */
bool stack_ends_at(const void *address);

/* Fills FRAMES, which has room for SITE_FRAMES_MAX, with the frames of STACK, a result of stacks_here, innermost first.
 * They end with main or the thread's first function, and before a frame that is in no module. Returns how many there
 * are. */
size_t stack_frames(const void *stack, struct code_frame *frames);

#endif
