/* A hash table from keys of three numbers to a number. */
#ifndef DECODER_KEY_TABLE_H
#define DECODER_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key {
    uint64_t part[3];
};

struct key_slot {
    struct key key;
    uint64_t value;
    bool used;
};

/* All zero: empty. Linear probing; at most half of the slots are used. */
struct key_table {
    struct key_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* The value of KEY; NULL: it is not there. Borrowed until another key is put. */
uint64_t *key_table_find(const struct key_table *t, struct key key);

/* The value of KEY, which is VALUE if it is new. NULL: no memory. Borrowed as above. */
uint64_t *key_table_put(struct key_table *t, struct key key, uint64_t value);

void key_table_clear(struct key_table *t); /* it is empty again */
void key_table_free(struct key_table *t);

#endif
