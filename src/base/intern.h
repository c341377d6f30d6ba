/* SPDX-License-Identifier: BSD-3-Clause */
/* Interning: gives each distinct byte string a number, 0, 1, 2, ... in order of first appearance.
 *
 * Everything that is stored once by content is in such a table: strings, shapes, sequences, columns, signatures. An
 * entry takes its bytes and about 30 more. */
#ifndef PILGRIM_INTERN_H
#define PILGRIM_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "pilgrim/status.h"

/* A table of zeros is empty. One thread uses it at a time. */
struct intern {
    struct hash_index index; /* its numbers are those of the entries + 1 */
    uint8_t **entries;       /* by number; each: u32 length, the bytes, a 0 byte */
    uint32_t count;
    uint32_t capacity; /* of ENTRIES */
    struct arena memory;
};

/* Sets *NUMBER to the number of the LENGTH bytes at DATA (0 bytes are legal), which are copied if they are new.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (2^30 entries, 2^32 - 1 bytes); the table is then unchanged */
enum pilgrim_status intern_add(struct intern *t, const void *data, size_t length, uint32_t *number) PILGRIM_CHECKED;

/* Sets *NUMBER to that of an entry with these bytes. False: there is none. Any number of threads at once, while none
 * adds entries. */
bool intern_find(const struct intern *t, const void *data, size_t length, uint32_t *number);

/* Returns the bytes of entry NUMBER < t->count, borrowed until the table is freed, aligned to 4 and followed by a 0
 * byte. *LENGTH, if LENGTH is not NULL: how many they are. */
const uint8_t *intern_get(const struct intern *t, uint32_t number, size_t *length);

size_t intern_memory_bytes(const struct intern *t);
void intern_free(struct intern *t);

#endif
