/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from keys of three numbers to pointers, quick for entries that come and go: one array, open addressing,
 * no memory for an entry. */
#ifndef ANALYSIS_MATCH_MAP_H
#define ANALYSIS_MATCH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct match_key {
    uint64_t part[3];
};

struct match_slot {
    struct match_key key;
    void *value; /* NULL: the slot is free */
};

/* All zero: empty. */
struct match_map {
    struct match_slot *slots;
    size_t capacity, count; /* the capacity is 0 or a power of two */
};

/* Returns the value of KEY; NULL: it is not there. */
void *match_map_find(const struct match_map *map, struct match_key key);

/* Sets the value of KEY; VALUE is not NULL. false: no memory */
bool match_map_put(struct match_map *map, struct match_key key, void *value);

/* Takes KEY out and returns its value; NULL: it was not there. */
void *match_map_take(struct match_map *map, struct match_key key);

/* Frees the table, not the values. */
void match_map_free(struct match_map *map);

#endif
