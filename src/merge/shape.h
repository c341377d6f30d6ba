/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes: what is left of a key (base/value.h) when the numbers are taken out; docs/FORMAT.md, section 5.
 *
 * Inside a fragment a shape is written as in the file, with the fragment's own string numbers. */
#ifndef PILGRIM_SHAPE_H
#define PILGRIM_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sequence/slots.h"
#include "pilgrim/status.h"

/* What a key's names are in a fragment. */
struct shape_names {
    const uint32_t *strings; /* of the vocabulary's name i, below COUNT; UINT32_MAX: not known yet */
    uint32_t count;
    uint32_t missing; /* the one that was not known, after PILGRIM_INVALID */
    int64_t texts;    /* what stands for the thread's texts, or 0 */
};

/* Splits KEY into SHAPE and SLOTS, both appended to. Long arrays become series, whose lists go to STORED_DELTAS.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (not a key), PILGRIM_INVALID (a name that is not known yet: NAMES->missing) */
enum pilgrim_status shape_split(const uint8_t *key, size_t length, struct shape_names *names,
                                struct intern *stored_deltas, struct bytes *shape, struct slots *slots) PILGRIM_CHECKED;

/* Rewrites SHAPE with string i as MAP[i] (MAP has COUNT entries), appended to OUT. errors: PILGRIM_DAMAGED,
 * PILGRIM_NOMEM */
enum pilgrim_status shape_rewrite(const uint8_t *shape, size_t length, const uint32_t *map, uint32_t count,
                                  struct bytes *out) PILGRIM_CHECKED;

/* How many slots SHAPE has, those in series counted twice; *HAS_SERIES: whether there is one. errors: PILGRIM_DAMAGED
 */
enum pilgrim_status shape_slots(const uint8_t *shape, size_t length, uint32_t *slots, bool *has_series) PILGRIM_CHECKED;

#endif
