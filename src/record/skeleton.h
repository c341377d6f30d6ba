/* SPDX-License-Identifier: BSD-3-Clause */
/* Skeletons: keys without their numbers. A skeleton says which slots of its keys vary too much to stay in them. */
#ifndef PILGRIM_SKELETON_H
#define PILGRIM_SKELETON_H

#include "base/hash.h"
#include "record/signature.h"

#define SLOT_BYTES 8u

struct skeleton {
    UT_hash_handle hh;
    uint32_t varying;
    uint32_t *offsets; /* of the varying slots, increasing */
    size_t length;
    uint8_t key[]; /* 0 in all slots */
};

/* Looks up the skeleton of KEY. *FOUND is NULL if it is not in TABLE. SCRATCH then has the skeleton's key, LENGTH
 * bytes at least. errors: PILGRIM_NOMEM */
enum pilgrim_status skeleton_find(const struct skeleton *table, const uint8_t *key, size_t length,
                                  struct bytes *scratch, struct skeleton **found) PILGRIM_CHECKED;

/* Appends the offsets of all slots of KEY to OFFSETS, u32 each. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (KEY has no
 * skeleton) */
enum pilgrim_status skeleton_slots(const uint8_t *key, size_t length, struct bytes *offsets) PILGRIM_CHECKED;

/* Returns offset number I of OFFSETS. */
uint32_t skeleton_slot(const struct bytes *offsets, size_t i);

/* Chooses slots by the signatures of S from number FIRST on. Looks at skeletons that at least an eighth of them
 * have, and takes slots with more than DISTINCT values (UNZIP_DISTINCT). *CHOSEN is true if slots were added to
 * TABLE. errors: PILGRIM_NOMEM */
enum pilgrim_status skeletons_choose(struct skeleton **table, const struct signatures *s, uint32_t first,
                                     uint32_t distinct, bool *chosen) PILGRIM_CHECKED;

/* Returns about how many bytes TABLE takes. */
size_t skeletons_memory_bytes(const struct skeleton *table);

void skeletons_free(struct skeleton **table);

#endif
