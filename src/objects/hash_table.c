/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash table with linear probing (Knuth, The Art of Computer Programming 3, section 6.4); see hash_table.h.
 *
 * Invariant: no entry between the home of a key and the entry that has it is empty. Removal moves later entries back
 * (algorithm R), so there are no tombstones and a table that has been used for long is as fast as a new one. */
#include "objects/hash_table.h"

#include "objects/pages.h"

enum { FIRST_CAPACITY = 256 };

static size_t home(const struct hash_table *t, uint64_t key)
{
    /* Fibonacci hashing: the high half of the product depends on all bits of the key. */
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (t->capacity - 1);
}

static struct hash_table_entry *entry_of(const struct hash_table *t, uint64_t key)
{
    size_t i = home(t, key);
    while (t->entries[i].value && t->entries[i].key != key)
        i = (i + 1) & (t->capacity - 1);
    return &t->entries[i];
}

uint64_t hash_table_get(const struct hash_table *t, uint64_t key)
{
    return t->capacity ? entry_of(t, key)->value : 0;
}

static bool grow(struct hash_table *t)
{
    struct hash_table bigger = {.capacity = t->capacity ? t->capacity * 2 : FIRST_CAPACITY, .count = t->count};
    bigger.entries = pages_take(bigger.capacity * sizeof *bigger.entries);
    if (!bigger.entries)
        return false;
    for (size_t i = 0; i < t->capacity; i++)
        if (t->entries[i].value)
            *entry_of(&bigger, t->entries[i].key) = t->entries[i];
    pages_give(t->entries, t->capacity * sizeof *t->entries);
    *t = bigger;
    return true;
}

bool hash_table_set(struct hash_table *t, uint64_t key, uint64_t value)
{
    if (t->count >= t->capacity / 2 && !hash_table_get(t, key) && !grow(t))
        return false;
    struct hash_table_entry *e = entry_of(t, key);
    t->count += !e->value;
    *e = (struct hash_table_entry){key, value};
    return true;
}

uint64_t hash_table_remove(struct hash_table *t, uint64_t key)
{
    if (!t->capacity)
        return 0;
    struct hash_table_entry *e = entry_of(t, key);
    uint64_t value = e->value;
    if (!value)
        return 0;
    size_t mask = t->capacity - 1;
    size_t hole = (size_t)(e - t->entries);
    for (size_t i = (hole + 1) & mask; t->entries[i].value; i = (i + 1) & mask) {
        /* An entry may fill the hole, unless its home lies behind the hole. */
        if (((i - home(t, t->entries[i].key)) & mask) >= ((i - hole) & mask)) {
            t->entries[hole] = t->entries[i];
            hole = i;
        }
    }
    t->entries[hole].value = 0;
    t->count--;
    return value;
}

void hash_table_free(struct hash_table *t)
{
    pages_give(t->entries, t->capacity * sizeof *t->entries);
    *t = (struct hash_table){0};
}
