/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash index: leads from the hash of an entry to the entry's number. uthash serves where nothing is hot;
 * objects/hash_table.h is a table of its own for use inside malloc, and objects/thread_requests_inline.h one whose keys
 * lie in the operations.
 *
 * It is a flat table with linear probing. A slot has 32 bits of the hash beside the number, so an entry is mostly
 * looked at only where it is the right one, and growing looks at none. Entries and their keys are the caller's, and the
 * caller compares them:
 *
 *     struct hash_slot *slot = hash_index_first(&x, hash);
 *     while (slot->number && !is_equal(slot->number))
 *         slot = hash_index_next(&x, slot);
 *
 * Then SLOT is the entry's, or the free slot where it belongs. Removal moves later slots back, so there are no
 * tombstones. At most three quarters of the slots are used: an entry takes 11 to 21 bytes here. An index is used by one
 * thread at a time. */
#ifndef PILGRIM_HASH_INDEX_H
#define PILGRIM_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
    uint32_t hash;
    uint32_t number; /* of the entry; 0: the slot is free */
};

/* All zero is an empty index. */
struct hash_index {
    struct hash_slot *slots; /* NULL: none yet */
    uint32_t mask;           /* how many there are, a power of two, - 1 */
    uint32_t count;          /* of those that are used */
};

/* The hash of KEY. Fibonacci hashing: the high half of the product depends on all bits of the key. */
static inline uint32_t hash_word(uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The hash of a key that has WORD behind what HASH is of. */
static inline uint32_t hash_more(uint32_t hash, uint64_t word)
{
    return hash_word(((uint64_t)hash << 32 | hash) ^ word);
}

/* Returns the first slot from AT on that has HASH or is free. */
static inline struct hash_slot *hash_index_from(const struct hash_index *x, uint32_t at, uint32_t hash)
{
    while (x->slots[at].number && x->slots[at].hash != hash)
        at = (at + 1) & x->mask;
    return &x->slots[at];
}

/* Returns the first slot that an entry with HASH may have. There are slots, and a free one among them. */
static inline struct hash_slot *hash_index_first(const struct hash_index *x, uint32_t hash)
{
    return hash_index_from(x, hash & x->mask, hash);
}

/* Returns the next one after SLOT, which another entry of the same hash has. */
static inline struct hash_slot *hash_index_next(const struct hash_index *x, const struct hash_slot *slot)
{
    return hash_index_from(x, ((uint32_t)(slot - x->slots) + 1) & x->mask, slot->hash);
}

/* Gives the free SLOT, which hash_index_first and hash_index_next led to, to the entry NUMBER. */
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

/* Doubles the slots, or takes the first 8. False: no memory, or too many; the index is then as it was. */
bool hash_index_grow(struct hash_index *x);

/* Makes room for one more entry. False: as above. */
static inline bool hash_index_reserve(struct hash_index *x)
{
    return !hash_index_is_full(x) || hash_index_grow(x);
}

/* Moves all into SLOTS: COUNT of them, a power of two, all zero. The caller frees those from before. For memory that is
 * not malloc's. */
void hash_index_move(struct hash_index *x, struct hash_slot *slots, uint32_t count);

/* Frees SLOT, which an entry has. */
void hash_index_remove(struct hash_index *x, struct hash_slot *slot);

/* Makes TO, which is overwritten, the same as FROM. False: no memory; TO is empty. */
bool hash_index_copy(struct hash_index *to, const struct hash_index *from);

void hash_index_clear(struct hash_index *x); /* leaves it empty, with its memory */
void hash_index_free(struct hash_index *x);

static inline size_t hash_index_bytes(const struct hash_index *x)
{
    return x->slots ? ((size_t)x->mask + 1) * sizeof *x->slots : 0;
}

#endif
