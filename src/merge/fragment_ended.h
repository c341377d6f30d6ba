/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the ended threads of a process (record/ended_threads.h) to its fragment. */
#ifndef PILGRIM_FRAGMENT_ENDED_H
#define PILGRIM_FRAGMENT_ENDED_H

#include "record/ended_threads.h"
#include "merge/fragment.h"
#include "merge/value_group.h"

struct replay;

/* Prepares the threads of E to be added one after the other, by their numbers, which are below COUNT. Borrows E until
 * the replay is freed. The caller frees *R, also after an error. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status replay_new(struct ended_threads *e, size_t count, struct replay **r) PILGRIM_CHECKED;
void replay_free(struct replay *r); /* R may be NULL */

/* True if thread NUMBER is one of the ended threads. */
bool replay_has(const struct replay *r, uint32_t number);

/* Adds the ended thread NUMBER as the next thread of F. Call it in ascending order of NUMBER. errors: as
 * fragment_add_thread */
enum pilgrim_status replay_add(struct replay *r, uint32_t number, struct fragment *f, uint32_t rank,
                               const struct rank_bases *bases) PILGRIM_CHECKED;

#endif
