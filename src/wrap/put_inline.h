/* SPDX-License-Identifier: BSD-3-Clause */
/* Inline functions that append values to a call's key; for the put_ and store_ functions of this folder.
 *
 * A put is a bounds check and a few stores. If the key cannot grow, its `failed` is set, further values are dropped,
 * and call_done switches tracing off. */
#ifndef PILGRIM_PUT_INLINE_H
#define PILGRIM_PUT_INLINE_H

#include "base/value.h"
#include "wrap/call.h"
#include "objects/memory.h"

enum { KEY_MAX = 0x7fffffff, SLOT_BYTES = 8 };

/* Appends COUNT bytes to the key. Returns where they are, or NULL. */
static inline uint8_t *put_room(struct call *c, size_t count)
{
    struct bytes *key = c->key;
    if (__builtin_expect(count > key->capacity - key->length || key->failed, 0))
        if (count > KEY_MAX - key->length || !bytes_reserve(key, count)) {
            key->failed = true;
            return NULL;
        }
    uint8_t *at = key->data + key->length;
    key->length += count;
    return at;
}

static inline void put_tag(struct call *c, enum value_tag tag)
{
    uint8_t *at = put_room(c, 1);
    if (at)
        *at = (uint8_t)tag;
}

static inline void put_slot(struct call *c, enum value_tag tag, int64_t v)
{
    uint8_t *at = put_room(c, 1 + SLOT_BYTES);
    if (at) {
        *at = (uint8_t)tag;
        store_slot(at + 1, v);
    }
}

static inline void put_slots(struct call *c, enum value_tag tag, int64_t v, int64_t w)
{
    uint8_t *at = put_room(c, 1 + 2 * SLOT_BYTES);
    if (at) {
        *at = (uint8_t)tag;
        store_slot(store_slot(at + 1, v), w);
    }
}

/* Appends TAG with a 4-byte operand N, and ROOM bytes for what follows. Returns where these are, or NULL. */
static inline uint8_t *put_counted(struct call *c, enum value_tag tag, uint64_t n, size_t room)
{
    uint8_t *at = n > KEY_MAX || room > KEY_MAX ? NULL : put_room(c, 5 + room);
    if (!at) {
        c->key->failed = true;
        return NULL;
    }
    *at = (uint8_t)tag;
    return store_u32(at + 1, (uint32_t)n);
}

/* Returns the distance from the caller's rank to RANK, modulo the size: the number of smallest magnitude, the positive
 * one of two. Both ranks are below the size. */
static inline int64_t rank_distance(const struct rank_base *base, int rank)
{
    int64_t r = (int64_t)rank - base->rank, size = base->size;
    if (__builtin_expect((uint64_t)(2 * r + size - 1) >= (uint64_t)(2 * size), 0)) /* not in (-size/2, size/2] */
        r += r > 0 ? -size : size;
    return r;
}

#endif
