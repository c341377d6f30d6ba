/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from 64-bit keys (handles, addresses) to 64-bit values that are not 0.
 *
 * Open addressing, in memory of its own (pages.h), so it may be used inside malloc and free. One thread at a time. */
#ifndef PILGRIM_HASH_TABLE_H
#define PILGRIM_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_table_entry {
    uint64_t key;
    uint64_t value; /* 0: empty */
};

/* All zero is an empty table. */
struct hash_table {
    struct hash_table_entry *entries;
    size_t capacity; /* 0 or a power of two */
    size_t count;
};

/* Returns KEY's value; 0: no such key. */
uint64_t hash_table_get(const struct hash_table *t, uint64_t key);

/* Sets KEY's value, not 0. False: memory is short, and the table is as before. */
bool hash_table_set(struct hash_table *t, uint64_t key, uint64_t value);

/* Removes KEY. Returns the value that it had; 0: no such key. */
uint64_t hash_table_remove(struct hash_table *t, uint64_t key);

/* Frees the entries; leaves an empty table. */
void hash_table_free(struct hash_table *t);

#endif
