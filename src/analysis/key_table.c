/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table of keys of three numbers, on uthash; see key_table.h. */
#include "analysis/key_table.h"

#include <stdlib.h>

static unsigned hash_key(const struct key *key)
{
    uint64_t h = 0;
    for (int i = 0; i < 3; i++) {
        h = (h ^ key->part[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (unsigned)h;
}

#define HASH_FUNCTION(key, length, value) ((value) = hash_key(key))
#define HASH_NONFATAL_OOM                 1 /* a failed insertion leaves the entry's hh.tbl NULL */
#include <uthash.h>

struct key_entry {
    struct key key;
    uint64_t value;
    UT_hash_handle hh;
};

uint64_t *key_table_find(const struct key_table *t, struct key key)
{
    struct key_entry *entry;
    HASH_FIND(hh, t->entries, &key, sizeof key, entry);
    return entry ? &entry->value : NULL;
}

uint64_t *key_table_put(struct key_table *t, struct key key, uint64_t value)
{
    uint64_t *known = key_table_find(t, key);
    struct key_entry *entry = known ? NULL : malloc(sizeof *entry);
    if (!entry)
        return known;
    entry->key = key;
    entry->value = value;
    HASH_ADD(hh, t->entries, key, sizeof key, entry);
    if (entry->hh.tbl)
        return &entry->value;
    free(entry);
    return NULL;
}

void key_table_clear(struct key_table *t)
{
    struct key_entry *entry, *next;
    HASH_ITER(hh, t->entries, entry, next)
    {
        HASH_DEL(t->entries, entry);
        free(entry);
    }
}
