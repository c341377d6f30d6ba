/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups that have the same call classes, but cannot be laid over each other: they are too long, or have loops with
 * changing trips. Their structures stand beside each other: each is the body of a loop that its own group goes through
 * once, and the others never. The groups share their classes, and so the values of these. */
#ifndef PILGRIM_BESIDE_H
#define PILGRIM_BESIDE_H

#include "template/families.h"

/* Makes the structure of FAMILY, which has its groups. KEYS: how many keys there are. The caller frees the structure in
 * any case. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status beside_make(const struct fragment *f, const struct families *families, struct group_family *family,
                                uint32_t keys) PILGRIM_CHECKED;

#endif
