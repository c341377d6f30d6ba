/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups whose members go different ways at random. They are read with one loop forest (loops/loops_shared.h): what
 * comes in some iterations only is a loop with one trip or none, and the order of these trips is all that differs. */
#ifndef PILGRIM_ONE_FOREST_H
#define PILGRIM_ONE_FOREST_H

#include "template/families.h"

/* Makes the structure of FAMILY, which has its groups; these have no loops. KEYS: how many keys there are. *MADE false:
 * the groups cannot be read so, or no loop has changing trips. The caller frees the structure in any case.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status one_forest_make(const struct fragment *f, const struct families *families,
                                    struct group_family *family, uint32_t keys, bool *made) PILGRIM_CHECKED;

#endif
