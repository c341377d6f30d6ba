/* SPDX-License-Identifier: BSD-3-Clause */
/* From ended threads (ended.h) to a fragment; what fragment_streams.c and fragment_ended.c share. */
#ifndef PILGRIM_FRAGMENT_ENDED_H
#define PILGRIM_FRAGMENT_ENDED_H

#include "record/ended_threads.h"
#include "merge/fragment_data.h"
#include "sequence/slots.h"

/* What the process's rank bases are of. */
struct rank_bases {
    struct rank *items;
    size_t count;
};

/* What the rank is to the values of SLOT. */
struct rank fragment_slot_rank(const struct rank_bases *bases, const struct slot *slot, uint32_t rank);

/* The first member of P, which has nothing but its entries: thread number MEMBER of the group, of RANK. errors:
 * PILGRIM_NOMEM */
enum pilgrim_status value_group_begin(struct value_group *p, const struct rank_bases *bases, uint32_t rank,
                                      uint64_t member, const struct slots *slots) PILGRIM_CHECKED;

/* Where a stream has been put. */
struct placed {
    uint32_t group;
    uint32_t *value_groups; /* of its classes, to be filled in, or NULL */
    uint32_t loops;         /* that were found in it */
};

/* Adds S, the next thread of F's, to rank RANK. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status fragment_add_thread(struct fragment *f, const struct stream *s, uint32_t rank,
                                        const struct rank_bases *bases, struct placed *placed) PILGRIM_CHECKED;

struct replay;

/* The threads of E below COUNT, in order of number. E is borrowed. *R is to be freed in any case.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status replay_new(struct ended_threads *e, size_t count, struct replay **r) PILGRIM_CHECKED;
void replay_free(struct replay *r); /* NULL is legal */

/* Whether thread NUMBER is in there. */
bool replay_has(const struct replay *r, uint32_t number);

/* Adds thread NUMBER, the next of those that are in there and the next of F's. errors: as fragment_add_thread */
enum pilgrim_status replay_add(struct replay *r, uint32_t number, struct fragment *f, uint32_t rank,
                               const struct rank_bases *bases) PILGRIM_CHECKED;

#endif
