/* SPDX-License-Identifier: BSD-3-Clause */
/* The structure that a tree of elements stands for: one grammar for all of its groups, and loops (docs/FORMAT.md,
 * section 4, "Loops"). What some groups have and others have not, or more often, is a loop. Its trips are the same each
 * time, and one number for each group. */
#ifndef PILGRIM_STRUCTURE_H
#define PILGRIM_STRUCTURE_H

#include "base/bytes.h"
#include "base/intern.h"
#include "loops/loops.h"
#include "template/elements.h"

struct template_loop {
    struct bytes body;        /* a serialised grammar over class indices */
    uint64_t *trips;          /* by group: the trips, or the first ones if they change; its end is ... */
    uint64_t *met;            /* ... this: how often a member of the group meets the loop */
    struct loops_loop *times; /* NULL: the trips are the same each time; else by group: the trips, without bodies */
};

struct structure {
    uint32_t *keys; /* of each call class, in the order of class indices */
    uint32_t call_count;
    struct bytes top;   /* a serialised grammar */
    struct bytes *kept; /* bodies of loops that groups had already: class indices from call_count on */
    uint32_t kept_count;
    uint32_t *kept_of;           /* of the loops of all groups, one group after the other: the index in KEPT */
    struct template_loop *loops; /* loop i has the class index call_count + kept_count + i */
    uint32_t loop_count;
    uint32_t changing_groups; /* of loops with changing trips: how many groups they have */
};

/* Makes the structure of T, which has at least one group. *MADE false: readers would refuse it, or it is too large. The
 * caller frees *S in any case. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status structure_make(const struct elements *t, struct structure *s, bool *made) PILGRIM_CHECKED;

/* *S is empty then, and may be freed again. */
void structure_free(struct structure *s);

/* Appends the serialised grammar DATA to OUT; its terminal i, below LIMIT, becomes TERMINALS[i].
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status structure_translate(const uint8_t *data, size_t length, const uint32_t *terminals, uint32_t limit,
                                        struct bytes *out) PILGRIM_CHECKED;

#endif
