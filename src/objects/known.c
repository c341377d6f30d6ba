/* What a thread knows of objects and memory; see known.h. */
#include "objects/known.h"

#include "base/value.h"
#include "functions.h"
#include "objects/memory.h"

const struct known_object *known_object_learn(struct known *known, enum object_kind kind, uint64_t handle)
{
    struct known_object *o = &known->objects[known_hash(handle, KNOWN_OBJECT_BITS)];
    struct object_seen seen = {0}; /* where memory is short: no entry, a name that may be another's */
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
    *o = (struct known_object){.handle = handle,
                               .generation = seen.generation,
                               .view = seen.view,
                               .kind = (uint8_t)kind,
                               .viewed_kind = seen.has_view ? (uint8_t)(kind + 1) : 0};
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

/* The place of ADDRESS, or if it is in none its own, or else one beside it that is free. */
static struct known_buffer *buffer_place(struct known *known, uint64_t address, uint64_t generation)
{
    uint64_t hash = known_buffer_hash(address);
    struct known_buffer *free = NULL;
    for (unsigned i = 0; i < KNOWN_BUFFER_WAYS; i++) {
        struct known_buffer *b = &known->buffers[hash ^ i];
        if (b->generation != generation)
            free = free ? free : b;
        else if (b->address == address)
            return b;
    }
    return free ? free : &known->buffers[hash];
}

const struct known_buffer *known_buffer_learn(struct known *known, const void *address, bool only_known)
{
    uint64_t generation = atomic_load_explicit(&memory_generation, memory_order_acquire);
    struct known_buffer *b = buffer_place(known, (uintptr_t)address, generation);
    if (b->address == (uintptr_t)address && b->generation == generation)
        return b->known || !only_known ? b : NULL;
    struct memory_name name;
    bool is_known = memory_find_lasting(address, &name, &generation);
    if (!is_known && only_known)
        return NULL;
    if (!is_known)
        name = memory_name_unknown(address);
    *b = (struct known_buffer){.address = (uintptr_t)address, .generation = generation, .known = is_known};
    b->token[KNOWN_BUFFER_BYTES - 1] = (uint8_t)(store_memory(b->token, &name) - b->token);
    return b;
}
