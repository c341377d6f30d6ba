/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the slots of a shape stand (docs/FORMAT.md, section 4, "Coded calls"), and what tokens have in a shape. */
#ifndef PILGRIM_SLOT_PLACES_H
#define PILGRIM_SLOT_PLACES_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many operands a token has in a shape. TAG is below VALUE_TAG_COUNT. */
unsigned token_operands(uint64_t tag);

/* Writes the places of the first slots of a shape, at most COUNT, to PLACES. Stops at an array series, or at what is no
 * shape. Returns how many it wrote. */
size_t slot_places(const uint8_t *tokens, size_t length, uint64_t *places, size_t count);

#endif
