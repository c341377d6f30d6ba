/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths of this process: what a call class has, unless PILGRIM_STACK says that it has the call site alone.
 * unwind/call_path.h has the paths; this has the stacks that threads run on, and where stacks begin. */
#ifndef PILGRIM_STACK_H
#define PILGRIM_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "unwind/call_path.h"

/* The stacks that a thread runs on: its own, and some that the program made. */
struct call_stacks;

/* NULL: out of memory. */
struct call_stacks *stacks_new(void);
void stacks_free(struct call_stacks *s);

/* Returns the path of a call of the calling thread, which has S. Sets *WALK to how it was found; it is valid until the
 * next call. NULL: out of memory. */
const struct call_path *stacks_path(struct call_stacks *s, const void *site, const void *frame,
                                    const struct path_walk **walk);

/* Returns the path of a call at SITE that is made inside a call of FUNCTION at OUTER_SITE, which has the path OUTER
 * (NULL: it has none). S is of the calls inside of others. NULL: out of memory. */
const struct call_path *stacks_path_inside(struct call_stacks *s, const void *site, const void *frame,
                                           uint32_t function, const void *outer_site, const struct call_path *outer);

/* True if a call of the calling thread, which has S, at SITE is made, by whatever, inside the one that returns to
 * OUTER. False: it is not, or the walk ends before. */
bool stacks_lead_to(struct call_stacks *s, const void *site, const void *frame, const void *outer);

/* Code was unloaded: forgets what was known of it. To be called by each thread that then goes on with its streams. */
void stacks_moved(void);

/* True if ADDRESS, the outermost that an unwinder found, is in the code that starts the program or a thread. */
bool stack_ends_at(const void *address);

#endif
