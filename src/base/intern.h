/* SPDX-License-Identifier: BSD-3-Clause */
/* Interning: each distinct string of bytes gets a number, 0, 1, 2, ... in order of first appearance.
 *
 * Tables of everything that is stored once by content: strings, shapes, sequences, columns, signatures. An entry takes
 * its bytes and some 30 more. */
#ifndef PILGRIM_INTERN_H
#define PILGRIM_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "pilgrim/status.h"

/* All zero is an empty table. */
struct intern {
    struct hash_index index; /* of numbers + 1 */
    uint8_t **entries;       /* by number: u32 length, the bytes, a 0 */
    uint32_t count;
    uint32_t capacity; /* of ENTRIES */
    struct arena memory;
};

/* The number of DATA, LENGTH bytes (0 is legal), in *NUMBER; copied if new.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (2^30 entries, 2^32 - 1 bytes); the table is unchanged */
enum pilgrim_status intern_add(struct intern *t, const void *data, size_t length, uint32_t *number) PILGRIM_CHECKED;

/* Entry NUMBER < t->count: its bytes, borrowed until the table is freed, aligned to 4. A 0 byte follows them. */
const uint8_t *intern_get(const struct intern *t, uint32_t number, size_t *length);

size_t intern_memory_bytes(const struct intern *t);
void intern_free(struct intern *t);

#endif
