/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes: keys (base/value.h) without their numbers; docs/FORMAT.md, section 5.
 *
 * A fragment has its shapes as the file has them, but with the fragment's own string numbers. */
#ifndef PILGRIM_SHAPE_H
#define PILGRIM_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sequence/slots.h"
#include "pilgrim/status.h"

/* Which strings of a fragment the names of a key are. */
struct shape_names {
    const uint32_t *strings; /* string of the vocabulary's name i; UINT32_MAX: it has none yet */
    uint32_t count;
    uint32_t missing; /* after PILGRIM_INVALID: the name that has no string yet */
    int64_t texts;    /* the hash of the thread's texts (sequence/slots.h), or 0 */
};

/* Splits KEY into a shape and slots, and appends both. Long arrays become array series, whose delta sequences go to
 * STORED_DELTAS. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (not a key), PILGRIM_INVALID (NAMES->missing has no string yet)
 */
enum pilgrim_status shape_split(const uint8_t *key, size_t length, struct shape_names *names,
                                struct intern *stored_deltas, struct bytes *shape, struct slots *slots) PILGRIM_CHECKED;

/* Appends SHAPE to OUT, with string i replaced by MAP[i]. MAP has COUNT entries. errors: PILGRIM_DAMAGED, PILGRIM_NOMEM
 */
enum pilgrim_status shape_rewrite(const uint8_t *shape, size_t length, const uint32_t *map, uint32_t count,
                                  struct bytes *out) PILGRIM_CHECKED;

/* Counts the slots of SHAPE; a slot inside of an array series counts twice. *HAS_SERIES: true if SHAPE has an array
 * series. errors: PILGRIM_DAMAGED, PILGRIM_LIMIT */
enum pilgrim_status shape_slots(const uint8_t *shape, size_t length, uint32_t *slots, bool *has_series) PILGRIM_CHECKED;

/* A request in a shape that begins or is live, outside of array series. */
struct shape_request {
    uint32_t slot; /* its class */
    bool is_live;
};

/* Finds the requests of SHAPE that begin (begun) or are live. REQUESTS has room for LENGTH. errors: PILGRIM_DAMAGED,
 * PILGRIM_LIMIT */
enum pilgrim_status shape_requests(const uint8_t *shape, size_t length, struct shape_request *requests,
                                   uint32_t *count) PILGRIM_CHECKED;

/* Appends SHAPE to OUT, outside of array series with own in place of begun if OWN, and live back in place of live if
 * LIVE_BACK. errors: PILGRIM_DAMAGED, PILGRIM_NOMEM */
enum pilgrim_status shape_without_classes(const uint8_t *shape, size_t length, bool own, bool live_back,
                                          struct bytes *out) PILGRIM_CHECKED;

#endif
