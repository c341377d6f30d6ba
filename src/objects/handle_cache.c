/* SPDX-License-Identifier: BSD-3-Clause */
/* Handle cache; see handle_cache.h. This is what happens where an entry is missing. */
#include "objects/handle_cache.h"

#include "base/value.h"
#include "functions.h"

const struct cached_object *handle_cache_learn_object(struct handle_cache *cache, enum object_kind kind,
                                                      uint64_t handle)
{
    struct cached_object *o = &cache->objects[handle_cache_hash(handle, CACHED_OBJECT_BITS)];
    struct object_seen seen = {
        0}; /* if memory is short: generation 0, so no entry, and a name that another object may have */
    (void)object_see(kind, handle, true, &seen);
    uint8_t bytes[TOKEN_BYTES] = {0};
    uint8_t *end;
    if (seen.name.predefined) {
        bytes[0] = VALUE_NAME;
        end = store_u16(bytes + 1, seen.name.name);
    } else {
        bytes[0] = VALUE_OBJECT;
        end = store_slot(store_u16(bytes + 1, object_kind_name[kind]), seen.name.id);
    }
    bytes[TOKEN_LENGTH] = (uint8_t)(end - bytes);
    *o = (struct cached_object){.handle = handle,
                                .generation = seen.generation,
                                .base = seen.base,
                                .kind = (uint8_t)kind,
                                .based_kind = seen.has_base ? (uint8_t)(kind + 1) : 0};
    memcpy(&o->token, bytes, sizeof bytes);
    return o;
}

static uint8_t *store_memory(uint8_t *at, const struct memory_name *m)
{
    switch (m->space) {
    case MEMORY_HEAP:
        *at = VALUE_HEAP;
        return store_slot(store_slot(at + 1, m->id), m->offset);
    case MEMORY_STATIC:
        *at = VALUE_STATIC;
        return store_slot(store_slot(at + 1, m->id), m->offset);
    case MEMORY_DEVICE:
        *at = VALUE_DEVICE;
        return store_slot(store_slot(store_slot(at + 1, m->device), m->id), m->offset);
    default:
        *at = VALUE_STACK;
        return store_slot(at + 1, m->id);
    }
}

/* Returns the entry of ADDRESS. If there is none: a free one among those that it may use, else the first of them. */
static struct cached_buffer *buffer_slot(struct handle_cache *cache, uint64_t address, uint64_t generation)
{
    uint64_t hash = handle_cache_buffer_hash(address);
    struct cached_buffer *free = NULL;
    for (unsigned i = 0; i < CACHED_BUFFER_WAYS; i++) {
        struct cached_buffer *b = &cache->buffers[hash ^ i];
        if (b->generation != generation)
            free = free ? free : b;
        else if (b->address == address)
            return b;
    }
    return free ? free : &cache->buffers[hash];
}

const struct cached_buffer *handle_cache_learn_buffer(struct handle_cache *cache, const void *address, bool only_known)
{
    uint64_t generation = atomic_load_explicit(&memory_generation, memory_order_acquire);
    struct cached_buffer *b = buffer_slot(cache, (uintptr_t)address, generation);
    if (b->address == (uintptr_t)address && b->generation == generation)
        return b->known || !only_known ? b : NULL;
    struct memory_name name;
    bool is_known = memory_find_lasting(&cache->blocks, address, &name, &generation);
    if (!is_known && only_known)
        return NULL;
    if (!is_known)
        name = memory_name_unknown(address);
    *b = (struct cached_buffer){.address = (uintptr_t)address, .generation = generation, .known = is_known};
    b->token[CACHED_BUFFER_BYTES - 1] = (uint8_t)(store_memory(b->token, &name) - b->token);
    return b;
}
