/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash indices; see hash_index.h. */
#include "base/hash_index.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 8u
#define LAST_SLOTS  0x80000000u

void hash_index_move(struct hash_index *x, struct hash_slot *slots, uint32_t count)
{
    uint32_t mask = count - 1;
    for (uint32_t i = 0; x->slots && i <= x->mask; i++) {
        if (!x->slots[i].number)
            continue;
        uint32_t at = x->slots[i].hash & mask;
        while (slots[at].number)
            at = (at + 1) & mask;
        slots[at] = x->slots[i];
    }
    x->slots = slots;
    x->mask = mask;
}

bool hash_index_grow(struct hash_index *x)
{
    uint32_t count = x->slots ? x->mask + 1 : FIRST_SLOTS / 2;
    struct hash_slot *before = x->slots;
    struct hash_slot *slots = count < LAST_SLOTS ? calloc(2 * (size_t)count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    hash_index_move(x, slots, 2 * count);
    free(before);
    return true;
}

void hash_index_remove(struct hash_index *x, struct hash_slot *slot)
{
    uint32_t hole = (uint32_t)(slot - x->slots);
    /* An entry may move back into the hole unless its home slot lies behind the hole, on the way to the entry. */
    for (uint32_t i = (hole + 1) & x->mask; x->slots[i].number; i = (i + 1) & x->mask) {
        uint32_t home = x->slots[i].hash & x->mask;
        if (((i - home) & x->mask) >= ((i - hole) & x->mask)) {
            x->slots[hole] = x->slots[i];
            hole = i;
        }
    }
    x->slots[hole].number = 0;
    x->count--;
}

bool hash_index_copy(struct hash_index *to, const struct hash_index *from)
{
    size_t bytes = hash_index_bytes(from);
    *to = (struct hash_index){0};
    struct hash_slot *slots = bytes ? malloc(bytes) : NULL;
    if (!slots)
        return !bytes;
    memcpy(slots, from->slots, bytes);
    *to = (struct hash_index){slots, from->mask, from->count};
    return true;
}

void hash_index_clear(struct hash_index *x)
{
    if (x->count)
        memset(x->slots, 0, hash_index_bytes(x));
    x->count = 0;
}

void hash_index_free(struct hash_index *x)
{
    free(x->slots);
    *x = (struct hash_index){0};
}
