/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from keys of three numbers to one number. */
#ifndef ANALYSIS_KEY_TABLE_H
#define ANALYSIS_KEY_TABLE_H

#include <stdint.h>

struct key {
    uint64_t part[3];
};

struct key_entry;

/* All zero: empty. */
struct key_table {
    struct key_entry *entries; /* the head of a uthash table */
};

/* Returns the value of KEY, which the caller may change; NULL: it is not there. Borrowed until the table is cleared. */
uint64_t *key_table_find(const struct key_table *t, struct key key);

/* Returns the value of KEY; sets it to VALUE if KEY is new. NULL: no memory. Borrowed as above. */
uint64_t *key_table_put(struct key_table *t, struct key key, uint64_t value);

void key_table_clear(struct key_table *t); /* empties the table and frees its memory */

#endif
