/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash index: maps the hash of an entry to the entry's number. Code that is not hot uses uthash. Two other tables
 * exist: objects/hash_table.h for use inside malloc, and objects/thread_requests_inline.h, whose keys lie in the
 * operations.
 *
 * The index is a flat table with linear probing. A slot stores 32 bits of the hash beside the number. So a search
 * rarely looks at a wrong entry, and growing looks at none. The caller owns the entries and keys, and compares them:
 *
 *     struct hash_slot *slot = hash_index_first(&x, hash);
 *     while (slot->number && !is_equal(slot->number))
 *         slot = hash_index_next(&x, slot);
 *
 * Then SLOT is the slot of the entry, or the free slot where it belongs. Removal moves later slots back, so there are
 * no tombstones. At most three quarters of the slots are used; an entry takes 11 to 21 bytes of the index. One thread
 * uses an index at a time. */
#ifndef PILGRIM_HASH_INDEX_H
#define PILGRIM_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
    uint32_t hash;
    uint32_t number; /* number of the entry; 0: the slot is free */
};

/* An index of zeros is empty. */
struct hash_index {
    struct hash_slot *slots; /* NULL: no slots yet */
    uint32_t mask;           /* number of slots - 1; that number is a power of two */
    uint32_t count;          /* number of used slots */
};

/* Returns the hash of KEY. Fibonacci hashing: the high half of the product depends on all bits of the key. */
static inline uint32_t hash_word(uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Returns the hash of a key that continues with WORD, where HASH is the hash of what comes before. */
static inline uint32_t hash_more(uint32_t hash, uint64_t word)
{
    return hash_word(((uint64_t)hash << 32 | hash) ^ word);
}

/* Returns the first slot from AT on that has HASH or is free. The index must have a free slot. */
static inline struct hash_slot *hash_index_from(const struct hash_index *x, uint32_t at, uint32_t hash)
{
    while (x->slots[at].number && x->slots[at].hash != hash)
        at = (at + 1) & x->mask;
    return &x->slots[at];
}

/* Returns the first slot that may hold an entry with HASH, or the free slot behind them. The index must have a free
 * slot. */
static inline struct hash_slot *hash_index_first(const struct hash_index *x, uint32_t hash)
{
    return hash_index_from(x, hash & x->mask, hash);
}

/* Returns the next such slot after SLOT, which holds another entry of the same hash. */
static inline struct hash_slot *hash_index_next(const struct hash_index *x, const struct hash_slot *slot)
{
    return hash_index_from(x, ((uint32_t)(slot - x->slots) + 1) & x->mask, slot->hash);
}

/* Puts the entry NUMBER into the free SLOT that hash_index_first or hash_index_next returned. */
static inline void hash_index_put(struct hash_index *x, struct hash_slot *slot, uint32_t hash, uint32_t number)
{
    *slot = (struct hash_slot){hash, number};
    x->count++;
}

/* True if three quarters of the slots are used, or if there are none. */
static inline bool hash_index_is_full(const struct hash_index *x)
{
    return !x->slots || x->count >= (x->mask + 1) / 4 * 3;
}

/* Doubles the slots, or allocates the first 8. False if memory is short or there are too many; the index is then
 * unchanged. */
bool hash_index_grow(struct hash_index *x);

/* Makes room for one more entry. False as for hash_index_grow. */
static inline bool hash_index_reserve(struct hash_index *x)
{
    return !hash_index_is_full(x) || hash_index_grow(x);
}

/* Moves all entries into SLOTS: COUNT zeroed slots, a power of two. The caller frees the old slots. For memory that
 * does not come from malloc. */
void hash_index_move(struct hash_index *x, struct hash_slot *slots, uint32_t count);

/* Removes the entry of SLOT. */
void hash_index_remove(struct hash_index *x, struct hash_slot *slot);

/* Overwrites TO with a copy of FROM. False if memory is short; TO is then empty. */
bool hash_index_copy(struct hash_index *to, const struct hash_index *from);

void hash_index_clear(struct hash_index *x); /* empties the index and keeps its memory */
void hash_index_free(struct hash_index *x);

static inline size_t hash_index_bytes(const struct hash_index *x)
{
    return x->slots ? ((size_t)x->mask + 1) * sizeof *x->slots : 0;
}

#endif
