/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads of a process have in common: objects that one makes and others use, and requests that one begins and
 * another completes. Threads of the generated program are not in step as those of the recorded one were. So each has
 * objects and requests of its own, and what is shared has a number, by which the others wait for it. */
#ifndef GENERATE_THREADS_H
#define GENERATE_THREADS_H

#include "generate_state.h"

/* Reads all threads, and finds what they share. Does nothing if no rank has several. */
void threads_scan(struct proxy *p);

/* Returns the number of an object among those that are shared, as the thread of S knows it; -1: it is the thread's own.
 * OWN: the thread made it, or makes it now. */
int64_t threads_shared(struct rank_state *s, const char *kind, int64_t id, bool own);

/* Returns the request class of a request that another thread completes than began it, and *FOREIGN: the thread of S did
 * not begin it. SIZE_MAX: it is the thread's own. */
size_t threads_request(const struct rank_state *s, int64_t id, int64_t offset, bool *foreign);

/* Begin and end the row of a call with what waits for other threads, and lets them go on. */
void threads_before(struct call_writer *w);
void threads_after(struct call_writer *w);

/* True if the object is given away by its maker, for others to free; and if the maker has done so. */
bool threads_given(const struct rank_state *s, const struct pilgrim_value *v);
bool threads_given_away(const struct rank_state *s, const struct pilgrim_value *v);

/* Keeps that the call frees an object. */
void threads_note_free(struct rank_state *s, const char *kind, int64_t id);

/* Adds statements to the program of a thread that wait for shared objects before they are used, and for their last use
 * before they are freed. STATES: those of the ranks that were read with this tree. */
void threads_place(struct proxy *p, struct node *root, struct rank_state *const *states, size_t count);

#endif
