/* SPDX-License-Identifier: BSD-3-Clause */
/* Interning by content; see intern.h. Entries lie in an arena. An array leads from numbers to entries, a hash index
 * from contents to numbers + 1. */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Returns the slot of DATA, or the free slot where it belongs. The index must have slots. */
static struct hash_slot *find_slot(const struct intern *t, uint32_t hash, const void *data, size_t length)
{
    for (struct hash_slot *slot = hash_index_first(&t->index, hash);; slot = hash_index_next(&t->index, slot)) {
        size_t known_length;
        const uint8_t *known = slot->number ? intern_get(t, slot->number - 1, &known_length) : NULL;
        if (!known || (known_length == length && !memcmp(known, data, length)))
            return slot;
    }
}

/* Makes room for one more entry. */
static enum pilgrim_status reserve(struct intern *t)
{
    if (!hash_index_reserve(&t->index))
        return PILGRIM_NOMEM;
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
    struct hash_slot *slot = find_slot(t, hash, data, length);
    t->entries[t->count++] = entry;
    hash_index_put(&t->index, slot, hash, t->count);
    return PILGRIM_OK;
}

static uint32_t hash_of(const void *data, size_t length)
{
    return (uint32_t)XXH3_64bits(data, length);
}

enum pilgrim_status intern_add(struct intern *t, const void *data, size_t length, uint32_t *number)
{
    static const uint8_t nothing[1];
    if (length >= UINT32_MAX || t->count >= UINT32_MAX / 4)
        return PILGRIM_LIMIT;
    if (!length)
        data = nothing;
    uint32_t hash = hash_of(data, length);
    const struct hash_slot *slot = t->count ? find_slot(t, hash, data, length) : NULL;
    if (slot && slot->number) {
        *number = slot->number - 1;
        return PILGRIM_OK;
    }
    uint32_t count = t->count;
    enum pilgrim_status status = add(t, hash, data, length);
    if (status == PILGRIM_OK)
        *number = count;
    return status;
}

bool intern_find(const struct intern *t, const void *data, size_t length, uint32_t *number)
{
    const struct hash_slot *slot = t->count && length ? find_slot(t, hash_of(data, length), data, length) : NULL;
    if (!slot || !slot->number)
        return false;
    *number = slot->number - 1;
    return true;
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
    return hash_index_bytes(&t->index) + t->capacity * sizeof *t->entries + t->memory.total;
}

void intern_free(struct intern *t)
{
    hash_index_free(&t->index);
    free(t->entries);
    arena_free(&t->memory);
    *t = (struct intern){0};
}
