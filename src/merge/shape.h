/* Shapes: what is left of a key (base/value.h) when the numbers are taken out; docs/FORMAT.md, section 5.
 *
 * Inside a fragment a shape is written as in the file, with the fragment's own string numbers. */
#ifndef PILGRIM_SHAPE_H
#define PILGRIM_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* Splits KEY into SHAPE (appended) and its slots (appended to SLOTS as 8 bytes each). NAMES[i] is the string number of the
 * vocabulary's name i, below NAME_COUNT; UINT32_MAX: not known yet, then *MISSING is set to it and PILGRIM_INVALID returned.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (not a key) */
enum pilgrim_status shape_split(const uint8_t *key, size_t length, const uint32_t *names, uint32_t name_count,
                                struct bytes *shape, struct bytes *slots, uint32_t *missing) PILGRIM_CHECKED;

/* Rewrites SHAPE with string i as MAP[i] (MAP has COUNT entries), appended to OUT; *SLOTS: how many it has.
 * MAP NULL: nothing is rewritten, only counted. errors: PILGRIM_DAMAGED, PILGRIM_NOMEM */
enum pilgrim_status shape_rewrite(const uint8_t *shape, size_t length, const uint32_t *map, uint32_t count,
                                  struct bytes *out, uint32_t *slots) PILGRIM_CHECKED;

#endif
