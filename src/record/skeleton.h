/* SPDX-License-Identifier: BSD-3-Clause */
/* Skeletons: keys without their numbers, and which of their slots vary too much to stay in the key. */
#ifndef PILGRIM_SKELETON_H
#define PILGRIM_SKELETON_H

#include "base/hash.h"
#include "record/signature.h"

#define SLOT_BYTES 8u

struct skeleton {
    UT_hash_handle hh;
    uint32_t varying;
    uint32_t *offsets; /* of the slots that vary, increasing */
    size_t length;
    uint8_t key[]; /* 0 in all slots */
};

/* The skeleton of KEY in *FOUND, NULL if it is none of TABLE's. It is put into SCRATCH, at least LENGTH bytes.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status skeleton_find(const struct skeleton *table, const uint8_t *key, size_t length,
                                  struct bytes *scratch, struct skeleton **found) PILGRIM_CHECKED;

/* Where the slots of KEY are, which has a skeleton, appended to OFFSETS. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (it has
 * none) */
enum pilgrim_status skeleton_slots(const uint8_t *key, size_t length, struct bytes *offsets) PILGRIM_CHECKED;

/* The I-th of them. */
uint32_t skeleton_slot(const struct bytes *offsets, size_t i);

/* Looks at the signatures of S from number FIRST on, and chooses slots of the skeletons that an eighth of them or more
 * have: those with more than DISTINCT values (UNZIP_DISTINCT). *CHOSEN: there are new ones. errors: PILGRIM_NOMEM */
enum pilgrim_status skeletons_choose(struct skeleton **table, const struct signatures *s, uint32_t first,
                                     uint32_t distinct, bool *chosen) PILGRIM_CHECKED;

/* What they take, about. */
size_t skeletons_memory_bytes(const struct skeleton *table);

void skeletons_free(struct skeleton **table);

#endif
