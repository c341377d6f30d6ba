/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from keys of three numbers to a number. */
#ifndef DECODER_KEY_TABLE_H
#define DECODER_KEY_TABLE_H

#include <stdint.h>

struct key {
    uint64_t part[3];
};

struct key_entry;

/* All zero: empty. */
struct key_table {
    struct key_entry *entries; /* of uthash */
};

/* The value of KEY; NULL: it is not there. Borrowed until the table is cleared. */
uint64_t *key_table_find(const struct key_table *t, struct key key);

/* The value of KEY, which is VALUE if it is new. NULL: no memory. Borrowed as above. */
uint64_t *key_table_put(struct key_table *t, struct key key, uint64_t value);

void key_table_clear(struct key_table *t); /* it is empty again, and needs no memory */

#endif
