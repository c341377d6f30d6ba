/* Interning by content: the entries in an arena, an array from number to entry, and a hash table of numbers, with linear probing. A
 * slot of it has 32 bits of the hash beside the number, so an entry is looked at only where it is the one, mostly. */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { SLOTS_FIRST = 8 };

struct intern_slot {
    uint32_t hash;
    uint32_t entry; /* its number + 1; 0: the slot is free */
};

/* The slot of DATA, or the free one where it belongs. There are slots, and a free one among them. */
static struct intern_slot *find_slot(const struct intern *t, uint32_t hash, const void *data, size_t length)
{
    for (uint32_t i = hash & t->slot_mask;; i = (i + 1) & t->slot_mask) {
        struct intern_slot *slot = &t->slots[i];
        if (!slot->entry)
            return slot;
        if (slot->hash != hash)
            continue;
        size_t known_length;
        const uint8_t *known = intern_get(t, slot->entry - 1, &known_length);
        if (known_length == length && !memcmp(known, data, length))
            return slot;
    }
}

/* Twice as many slots. */
static enum pilgrim_status grow_slots(struct intern *t)
{
    size_t count = t->slots ? 2 * ((size_t)t->slot_mask + 1) : SLOTS_FIRST;
    struct intern_slot *slots = calloc(count, sizeof *slots);
    if (!slots)
        return PILGRIM_NOMEM;
    uint32_t mask = (uint32_t)(count - 1);
    for (uint32_t i = 0; t->slots && i <= t->slot_mask; i++) {
        if (!t->slots[i].entry)
            continue;
        uint32_t at = t->slots[i].hash & mask;
        while (slots[at].entry)
            at = (at + 1) & mask;
        slots[at] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->slot_mask = mask;
    return PILGRIM_OK;
}

/* Room for one more entry; at most three quarters of the slots are used. */
static enum pilgrim_status reserve(struct intern *t)
{
    if (!t->slots || t->count >= (t->slot_mask + 1) / 4 * 3) {
        enum pilgrim_status status = grow_slots(t);
        if (status != PILGRIM_OK)
            return status;
    }
    if (t->count < t->capacity)
        return PILGRIM_OK;
    uint32_t capacity = t->capacity + t->capacity / 2 + 8;
    uint8_t **entries = realloc(t->entries, capacity * sizeof *entries);
    if (!entries)
        return PILGRIM_NOMEM;
    t->entries = entries;
    t->capacity = capacity;
    return PILGRIM_OK;
}

static enum pilgrim_status add(struct intern *t, uint32_t hash, const void *data, size_t length)
{
    uint32_t size = (uint32_t)length;
    enum pilgrim_status status = reserve(t);
    uint8_t *entry = status == PILGRIM_OK ? arena_take_small(&t->memory, sizeof size + length + 1) : NULL;
    if (!entry)
        return PILGRIM_NOMEM;
    memcpy(entry, &size, sizeof size);
    memcpy(entry + sizeof size, data, length);
    entry[sizeof size + length] = 0;
    *find_slot(t, hash, data, length) = (struct intern_slot){hash, t->count + 1};
    t->entries[t->count++] = entry;
    return PILGRIM_OK;
}

enum pilgrim_status intern_add(struct intern *t, const void *data, size_t length, uint32_t *number)
{
    static const uint8_t nothing[1];
    if (length >= UINT32_MAX || t->count >= UINT32_MAX / 4)
        return PILGRIM_LIMIT;
    if (!length)
        data = nothing;
    uint32_t hash = (uint32_t)XXH3_64bits(data, length);
    const struct intern_slot *slot = t->slots ? find_slot(t, hash, data, length) : NULL;
    if (slot && slot->entry) {
        *number = slot->entry - 1;
        return PILGRIM_OK;
    }
    uint32_t count = t->count;
    enum pilgrim_status status = add(t, hash, data, length);
    if (status == PILGRIM_OK)
        *number = count;
    return status;
}

const uint8_t *intern_get(const struct intern *t, uint32_t number, size_t *length)
{
    const uint8_t *entry = t->entries[number];
    uint32_t size;
    memcpy(&size, entry, sizeof size);
    if (length)
        *length = size;
    return entry + sizeof size;
}

size_t intern_memory_bytes(const struct intern *t)
{
    size_t slots = t->slots ? ((size_t)t->slot_mask + 1) * sizeof *t->slots : 0;
    return slots + t->capacity * sizeof *t->entries + t->memory.total;
}

void intern_free(struct intern *t)
{
    free(t->slots);
    free(t->entries);
    arena_free(&t->memory);
    *t = (struct intern){0};
}
