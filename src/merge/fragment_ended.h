/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the ended threads of a process (record/ended.h) to its fragment. The header also declares what
 * fragment_streams.c, value_group_begin.c and fragment_ended.c share. */
#ifndef PILGRIM_FRAGMENT_ENDED_H
#define PILGRIM_FRAGMENT_ENDED_H

#include "record/ended.h"
#include "merge/fragment_data.h"
#include "sequence/slots.h"

/* The rank bases of a process, by their number. */
struct rank_bases {
    struct rank *items;
    size_t count;
};

/* Returns what the rank means to the values of SLOT, for a process with rank number RANK. */
struct rank fragment_slot_rank(const struct rank_bases *bases, const struct slot *slot, uint32_t rank);

/* Adds the first member to P, which has only its entries so far. The member is number MEMBER of the group and belongs
 * to RANK. errors: PILGRIM_NOMEM */
enum pilgrim_status value_group_begin(struct value_group *p, const struct rank_bases *bases, uint32_t rank,
                                      uint64_t member, const struct slots *slots) PILGRIM_CHECKED;

/* Where fragment_add_thread has put a stream. */
struct stream_placement {
    uint32_t group;
    uint32_t *value_groups; /* NULL, or an array for the caller to provide: the value group of each class */
    uint32_t loops;         /* number of loops found in the stream */
};

/* Adds S as the next thread of F. It belongs to RANK. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status fragment_add_thread(struct fragment *f, const struct stream *s, uint32_t rank,
                                        const struct rank_bases *bases,
                                        struct stream_placement *placement) PILGRIM_CHECKED;

struct replay;

/* Prepares the threads of E to be added one after the other, by their numbers, which are below COUNT. Borrows E until
 * the replay is freed. The caller frees *R, also after an error. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status replay_new(struct ended *e, size_t count, struct replay **r) PILGRIM_CHECKED;
void replay_free(struct replay *r); /* R may be NULL */

/* True if thread NUMBER is one of the ended threads. */
bool replay_has(const struct replay *r, uint32_t number);

/* Adds the ended thread NUMBER as the next thread of F. Call it in ascending order of NUMBER. errors: as
 * fragment_add_thread */
enum pilgrim_status replay_add(struct replay *r, uint32_t number, struct fragment *f, uint32_t rank,
                               const struct rank_bases *bases) PILGRIM_CHECKED;

#endif
