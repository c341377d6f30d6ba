/* SPDX-License-Identifier: BSD-3-Clause */
/* Handle cache: the tokens that a thread used last for handles, rank bases and buffers. A loop over the same objects
 * takes no lock and asks nobody.
 *
 * There are two hash tables, one for objects and one for buffers. An entry is valid in the generation in which it was
 * made (handles.h, heap.h). A buffer may also be in one of the entries beside its own, because a program may well have
 * hundreds of buffers. Pages of entries that are never used are never touched. A buffer without an entry is looked for
 * in the allocations of late (memory.h). */
#ifndef PILGRIM_HANDLE_CACHE_H
#define PILGRIM_HANDLE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "objects/handles.h"
#include "objects/heap.h"
#include "objects/memory.h"

enum { CACHED_OBJECT_BITS = 5, CACHED_BUFFER_BITS = 11, CACHED_BUFFER_WAYS = 4 };

/* A token of at most 15 bytes (base/value.h). The last byte is its length; 0: there is none. */
struct short_token {
    uint64_t words[2];
};
enum { TOKEN_BYTES = sizeof(struct short_token), TOKEN_LENGTH = TOKEN_BYTES - 1 };

struct cached_object {
    uint64_t handle;
    uint64_t generation; /* 0: empty */
    struct short_token token;
    struct rank_base base;
    uint8_t kind;
    uint8_t based_kind; /* the kind + 1; 0: it has no rank base */
    uint64_t unused;    /* makes the size a power of two, so that an index is a shift */
};

enum { CACHED_BUFFER_BYTES = 32 };
struct cached_buffer {
    uint64_t address;
    uint64_t generation;                /* 0: empty */
    uint8_t token[CACHED_BUFFER_BYTES]; /* the last byte is its length */
    bool known;                         /* it lies in known memory */
    uint64_t unused;
};

_Static_assert(sizeof(struct cached_object) == 64 && sizeof(struct cached_buffer) == 64, "powers of two");

/* The caches of one thread. All zero is empty. */
struct handle_cache {
    struct memory_blocks blocks;
    struct cached_object objects[1 << CACHED_OBJECT_BITS];
    struct cached_buffer buffers[1 << CACHED_BUFFER_BITS];
};

/* Looks HANDLE up, names it if it has no name, and returns its new entry. */
const struct cached_object *handle_cache_learn_object(struct handle_cache *cache, enum object_kind kind,
                                                      uint64_t handle);

/* As handle_cache_learn_object, for ADDRESS, which is not NULL; first looks in the entries beside its own. Returns
 * NULL if ONLY_KNOWN and the address lies in no known memory. The caller uses the result at once: the entry of a
 * name that does not last is not found again. */
const struct cached_buffer *handle_cache_learn_buffer(struct handle_cache *cache, const void *address, bool only_known);

/* Returns the hash of KEY in BITS bits. The kind is left out, because equal handles of different kinds are rare. */
static inline uint32_t handle_cache_hash(uint64_t key, unsigned bits)
{
    return (uint32_t)key * 0x9e3779b1u >> (32 - bits);
}

static inline const struct cached_object *handle_cache_slot(const struct handle_cache *cache, uint64_t handle)
{
    return &cache->objects[handle_cache_hash(handle, CACHED_OBJECT_BITS)];
}

static inline bool cached_object_holds(const struct cached_object *o, enum object_kind kind, uint64_t handle)
{
    return o->handle == handle &&
           o->generation >= atomic_load_explicit(&objects_generation[kind], memory_order_acquire);
}

/* Returns the hash of ADDRESS. Buffers that lie 8 or 4 bytes apart are spread evenly. */
static inline uint64_t handle_cache_buffer_hash(uint64_t address)
{
    return (address * (UINT64_C(0x9e3779b97f4a7c15) >> 3)) >> (64 - CACHED_BUFFER_BITS);
}

/* Returns the entry of HANDLE; NULL: call handle_cache_learn_object. */
static inline const struct cached_object *handle_cache_object(const struct handle_cache *cache, enum object_kind kind,
                                                              uint64_t handle)
{
    const struct cached_object *o = handle_cache_slot(cache, handle);
    return __builtin_expect(o->kind == kind && cached_object_holds(o, kind, handle), 1) ? o : NULL;
}

/* As handle_cache_object, and NULL also if the entry has no rank base. */
static inline const struct cached_object *handle_cache_based_object(const struct handle_cache *cache,
                                                                    enum object_kind kind, uint64_t handle)
{
    const struct cached_object *o = handle_cache_slot(cache, handle);
    return __builtin_expect(o->based_kind == kind + 1 && cached_object_holds(o, kind, handle), 1) ? o : NULL;
}

/* Returns the entry of POINTER; NULL: call handle_cache_learn_buffer, which also looks in the entries beside it. */
static inline const struct cached_buffer *handle_cache_buffer(const struct handle_cache *cache, const void *pointer)
{
    uint64_t address = (uintptr_t)pointer;
    const struct cached_buffer *b = &cache->buffers[handle_cache_buffer_hash(address)];
    bool holds =
        b->address == address && b->generation == atomic_load_explicit(&memory_generation, memory_order_acquire);
    return __builtin_expect(holds, 1) ? b : NULL;
}

#endif
