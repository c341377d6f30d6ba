/* SPDX-License-Identifier: BSD-3-Clause */
/* Request array deltas; see request_array_delta.h.
 *
 * A call only makes items null, so the array that comes out is the array that went in and a set of bits. The array
 * that goes in mostly equals the stored one: one comparison. Afterwards the stored one has some more items that are
 * null. */
#include "objects/request_array_delta.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/equal_inline.h"
#include "base/hash.h"
#include "base/value.h"

enum {
    HEAD_BYTES = 5,  /* of an array: tag, count; of changes: tag, base, count */
    INDEX_BYTES = 9, /* an int */
    ITEM_BYTES = 17, /* a request; the null operation takes less */
    DELTA_BYTES = 3,
    ARRAY_BYTES = HEAD_BYTES + ARRAY_DELTA_MAX * ITEM_BYTES,
    CHANGES_MAX = ARRAY_DELTA_MAX / ARRAY_DELTA_SHARE,
    CHANGES_BYTES = HEAD_BYTES + CHANGES_MAX * (INDEX_BYTES + ITEM_BYTES)
};

_Static_assert(CHANGES_BYTES <= ARRAY_BYTES, "room for an array is room for changes");

static const struct operation_name null_item = {.class_number = REQUEST_NULL};

static uint64_t bit(int64_t index)
{
    return UINT64_C(1) << index;
}

/* Counts by clearing bits: mostly there are none, or one. */
static uint32_t count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* ---- values ---- */

static inline uint8_t *store_item(uint8_t *at, const struct request_array_delta *d, const struct operation_name *item)
{
    if (item->class_number == REQUEST_NULL) {
        *at = VALUE_NAME;
        return store_u16(at + 1, d->null_name);
    }
    *at = VALUE_REQUEST;
    return store_slot(store_slot(at + 1, item->class_number), item->request_index);
}

/* Appends the array that went in, with the items OVER as null. */
static uint8_t *store_array(uint8_t *at, const struct request_array_delta *d, uint64_t over)
{
    const uint32_t count = htole32(d->in.count);
    *at = VALUE_ARRAY;
    memcpy(at + 1, &count, sizeof count);
    at += HEAD_BYTES;
    for (uint32_t i = 0; i < d->in.count; i++)
        at = store_item(at, d, over & bit(i) ? &null_item : &d->in.items[i]);
    return at;
}

/* Appends the changes to array BASE: the items CHANGED are those that went in, or null if NULLED. */
static uint8_t *store_changes(uint8_t *at, const struct request_array_delta *d, uint32_t base, uint64_t changed,
                              bool nulled)
{
    *at = VALUE_EDITED;
    at = store_u16(store_u16(at + 1, base), count_bits(changed));
    for (; changed; changed &= changed - 1) {
        int index = __builtin_ctzll(changed);
        *at = VALUE_INT;
        at = store_item(store_slot(at + 1, index), d, nulled ? &null_item : &d->in.items[index]);
    }
    return at;
}

static inline uint8_t *room(struct bytes *key, size_t count)
{
    return !key->failed && key->capacity - key->length >= count ? key->data + key->length : bytes_reserve(key, count);
}

static void end_at(struct bytes *key, const uint8_t *at)
{
    key->length = (size_t)(at - key->data);
}

/* ---- arrays ---- */

static bool is_little(uint64_t changed, const struct operation_array *a)
{
    return count_bits(changed) <= a->count / ARRAY_DELTA_SHARE;
}

static bool array_equal(const struct operation_array *a, const struct operation_array *b)
{
    return a->null == b->null && a->count == b->count && equal_bytes(a->items, b->items, a->count * sizeof a->items[0]);
}

/* Puts the items that differ in A and B into *CHANGED, a bit each. False: too many, or the arrays differ in length. */
static bool array_changes(const struct operation_array *a, const struct operation_array *b, uint64_t *changed)
{
    *changed = 0;
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->items[i].class_number != b->items[i].class_number ||
            a->items[i].request_index != b->items[i].request_index)
            *changed |= bit(i);
    return is_little(*changed, a);
}

/* True if the items OVER of A are the completed indices. */
static bool array_completes(const struct operation_array *a, uint64_t over, const struct completed_indices *completed)
{
    uint64_t indices = 0;
    if (completed->count < 1 || completed->count > a->count)
        return false;
    for (int64_t i = 0; i < completed->count; i++) {
        if (completed->indices[i] < 0 || completed->indices[i] >= (int64_t)a->count)
            return false;
        indices |= bit(completed->indices[i]);
    }
    return over == indices;
}

/* ---- registers ---- */

static struct request_register *register_of(const struct request_array_delta *d, uint32_t number)
{
    return number ? d->registers[number - 1] : NULL;
}

/* Makes a register. Returns its number + 1; 0: no memory, or too many. */
static uint32_t register_add(struct request_array_delta *d)
{
    if (d->count == ARRAY_DELTA_REGISTERS_MAX)
        return 0;
    if (d->count == d->capacity) {
        uint32_t capacity = d->capacity * 2 + 8;
        struct request_register **registers = realloc(d->registers, capacity * sizeof(struct request_register *));
        if (!registers)
            return 0;
        d->registers = registers;
        d->capacity = capacity;
    }
    d->registers[d->count] = calloc(1, sizeof *d->registers[d->count]);
    return d->registers[d->count] ? ++d->count : 0;
}

void array_delta_free(struct request_array_delta *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        free(d->registers[i]);
    free(d->registers);
    *d = (struct request_array_delta){.null_name = d->null_name};
}

static uint64_t array_hash(const struct operation_array *a)
{
    uint64_t hash = XXH3_64bits(a->items, a->count * sizeof a->items[0]);
    return hash ? hash : 1;
}

static uint64_t null_bit(const struct operation_array *a)
{
    return UINT64_C(1) << ((a->null * UINT64_C(0x9e3779b97f4a7c15)) >> 58);
}

/* True if A was remembered. The bits of `null` are compared first: most new arrays have nulls where no remembered
 * one has. */
static bool is_written(const struct request_register *r, const struct operation_array *a)
{
    if (!(r->written_null & null_bit(a)))
        return false;
    uint64_t hash = array_hash(a);
    const uint64_t *set = r->written[hash % ARRAY_DELTA_WRITTEN_SETS];
    for (unsigned i = 0; i < ARRAY_DELTA_WRITTEN_WAYS; i++)
        if (set[i] == hash)
            return true;
    return false;
}

static void remember_written(struct request_register *r, const struct operation_array *a)
{
    uint64_t hash = array_hash(a);
    uint64_t *set = r->written[hash % ARRAY_DELTA_WRITTEN_SETS];
    memmove(set + 1, set, (ARRAY_DELTA_WRITTEN_WAYS - 1) * sizeof *set);
    set[0] = hash;
    r->written_null |= null_bit(a);
}

/* ---- calls ---- */

/* Returns the register to which the array that goes in is the smallest change: its number + 1, with the change in
 * *CHANGED. 0: none is good. */
static uint32_t find_base(const struct request_array_delta *d, uint64_t *changed)
{
    const struct request_register *own_register = register_of(d, d->own_register), *last = register_of(d, d->last);
    bool good = array_changes(&own_register->last, &d->in, changed);
    if (good && !*changed)
        return d->own_register;
    if (last && last != own_register) {
        uint64_t others;
        bool other = array_changes(&last->last, &d->in, &others);
        if (other && (!good || !others)) {
            *changed = others;
            return d->last;
        }
    }
    return good ? d->own_register : 0;
}

struct operation_array *array_delta_begin(struct request_array_delta *d, int64_t count)
{
    d->own_register = d->pending = 0;
    d->in.count = 0;
    if (count < ARRAY_DELTA_MIN || count > ARRAY_DELTA_MAX)
        return NULL;
    d->in.count = (uint32_t)count;
    return &d->in;
}

/* Appends the array that goes in, if the class has a register. */
static uint8_t *store_in(struct request_array_delta *d, uint8_t *at)
{
    struct request_register *r = register_of(d, d->own_register);
    uint64_t changed = 0;
    if (is_written(r, &d->in))
        return store_array(at, d, 0);
    if (array_equal(&r->last, &d->in))
        return store_changes(at, d, d->own_register, 0, false);
    uint32_t base = find_base(d, &changed);
    if (!base || changed)
        remember_written(r, &d->in);
    return base ? store_changes(at, d, base, changed, false) : store_array(at, d, 0);
}

bool array_delta_in(struct request_array_delta *d, uint32_t *own_register, struct bytes *key)
{
    if (own_register && !*own_register)
        *own_register = register_add(d);
    d->own_register = own_register ? *own_register : 0;
    uint8_t *at = room(key, ARRAY_BYTES);
    if (at)
        end_at(key, d->own_register ? store_in(d, at) : store_array(at, d, 0));
    return d->own_register;
}

void array_delta_out(struct request_array_delta *d, uint64_t over, struct bytes *key,
                     const struct completed_indices *completed)
{
    bool changed_little = is_little(over, &d->in);
    uint8_t *at = room(key, DELTA_BYTES + ARRAY_BYTES);
    if (!at)
        return;
    /* If all requests have completed at once, no later call goes on with this array. */
    if (d->own_register && (changed_little || over != array_delta_live(d))) {
        *at = VALUE_REGISTER;
        at = store_u16(at + 1, d->own_register - 1);
        d->pending = d->own_register;
        d->over = over;
    }
    if (completed && array_completes(&d->in, over, completed)) {
        at[0] = VALUE_COMPLETED;
        at[1] = completed->parameter;
        at = store_item(at + 2, d, &null_item);
    } else if (changed_little) {
        at = store_changes(at, d, 0, over, true);
    } else {
        at = store_array(at, d, over);
    }
    end_at(key, at);
}

void array_delta_commit(struct request_array_delta *d)
{
    struct request_register *r = register_of(d, d->pending);
    if (!r)
        return;
    r->last.count = d->in.count;
    memcpy(r->last.items, d->in.items, d->in.count * sizeof d->in.items[0]);
    for (uint64_t over = d->over; over; over &= over - 1)
        r->last.items[__builtin_ctzll(over)] = null_item;
    r->last.null = d->in.null | d->over;
    d->last = d->pending;
    d->pending = 0;
}
