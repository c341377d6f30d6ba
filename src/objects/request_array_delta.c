/* SPDX-License-Identifier: BSD-3-Clause */
/* Request array deltas; see request_array_delta.h.
 *
 * A call only makes items null, so the array that comes out is the array that went in and a set of bits. The array
 * that goes in mostly equals the stored one, which is known without looking where the call before left both. Afterwards
 * the stored one has some more items that are null. */
#include "objects/request_array_delta.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/equal_inline.h"
#include "base/hash.h"
#include "base/value.h"
#include "base/value_run.h"

enum {
    HEAD_BYTES = 5,  /* of an array: tag, count; of changes: tag, base, count */
    INDEX_BYTES = 9, /* an int */
    ITEM_BYTES = 17, /* a request; the null operation takes less */
    DELTA_BYTES = 3,
    CHANGE_BYTES = INDEX_BYTES + ITEM_BYTES,
    FEW_ITEMS = 64 /* for so many there is room from the first array on */
};

_Static_assert(CHANGE_BYTES <= ARRAY_DELTA_SHARE * ITEM_BYTES, "room for an array is room for changes");

static const struct operation_name null_item = {.class_number = REQUEST_NULL};

static bool has_bit(const uint64_t *bits, uint32_t index)
{
    return bits[index / 64] >> index % 64 & 1;
}

static void set_bit(uint64_t *bits, uint32_t index)
{
    bits[index / 64] |= UINT64_C(1) << index % 64;
}

/* Counts by clearing bits: mostly there are none, or one. */
static uint32_t count_bits(const uint64_t *words, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < array_delta_words(count); i++)
        for (uint64_t bits = words[i]; bits; bits &= bits - 1)
            found++;
    return found;
}

/* Makes the items null that BITS name. */
static void nullify(struct operation_array *a, const uint64_t *bits)
{
    for (uint32_t i = 0; i < array_delta_words(a->count); i++) {
        a->null[i] |= bits[i];
        for (uint64_t left = bits[i]; left; left &= left - 1)
            a->items[64 * i + (uint32_t)__builtin_ctzll(left)] = null_item;
    }
}

/* ---- memory ---- */

static void array_free(struct operation_array *a)
{
    free(a->null);
    free(a->items);
    *a = (struct operation_array){0};
}

/* Makes room for COUNT items; those that are there stay. False: no memory. */
static bool array_reserve(struct operation_array *a, uint32_t count)
{
    if (count <= a->capacity)
        return true;
    const uint32_t capacity = count <= FEW_ITEMS ? FEW_ITEMS : (count + count / 4 + 63) / 64 * 64;
    uint64_t *null = realloc(a->null, capacity / 64 * sizeof *null);
    if (!null)
        return false;
    a->null = null;
    struct operation_name *items = realloc(a->items, capacity * sizeof *items);
    if (!items)
        return false;
    a->items = items;
    a->capacity = capacity;
    return true;
}

/* Makes room for an array of COUNT items that goes in, and its sets of bits. */
static bool reserve(struct request_array_delta *d, uint32_t count)
{
    if (count <= d->in.capacity)
        return true;
    free(d->over);
    d->in.count = d->in.capacity = 0; /* so that the bits grow with it, whatever fails */
    d->over = d->changed = d->others = NULL;
    if (!array_reserve(&d->in, count))
        return false;
    const size_t words = array_delta_words(d->in.capacity);
    d->over = calloc(3 * words, sizeof *d->over);
    if (!d->over) {
        d->in.capacity = 0;
        return false;
    }
    d->changed = d->over + words;
    d->others = d->changed + words;
    return true;
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

/* Appends the array that went in, with the items OVER as null; NULL: as it was. A long one has runs (value_run.h). */
static uint8_t *store_array(uint8_t *at, const struct request_array_delta *d, const uint64_t *over)
{
    const uint32_t count = htole32(d->in.count);
    const bool long_array = d->in.count >= VALUE_SERIES_MIN;
    struct run_writer run;
    run_begin(&run);
    *at = VALUE_ARRAY;
    memcpy(at + 1, &count, sizeof count);
    at += HEAD_BYTES;
    for (uint32_t i = 0; i < d->in.count; i++) {
        uint8_t *item = at;
        at = store_item(at, d, over && has_bit(over, i) ? &null_item : &d->in.items[i]);
        if (long_array)
            at = run_put(&run, item, at);
    }
    return at;
}

/* Appends the changes to array BASE: the items CHANGED are those that went in, or null if NULLED. */
static uint8_t *store_changes(uint8_t *at, const struct request_array_delta *d, uint32_t base, const uint64_t *changed,
                              bool nulled)
{
    *at = VALUE_EDITED;
    at = store_u16(store_u16(at + 1, base), changed ? count_bits(changed, d->in.count) : 0);
    for (uint32_t i = 0; changed && i < array_delta_words(d->in.count); i++)
        for (uint64_t bits = changed[i]; bits; bits &= bits - 1) {
            const uint32_t index = 64 * i + (uint32_t)__builtin_ctzll(bits);
            *at = VALUE_INT;
            at = store_item(store_slot(at + 1, index), d, nulled ? &null_item : &d->in.items[index]);
        }
    return at;
}

/* The bytes that the array that went in takes at most, written in any way. */
static size_t array_bytes(const struct request_array_delta *d)
{
    const size_t run = d->in.count >= VALUE_SERIES_MIN ? RUN_HEAD_BYTES : 0;
    return HEAD_BYTES + d->in.count * (ITEM_BYTES + run);
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

static bool array_equal(const struct operation_array *a, const struct operation_array *b)
{
    return a->count == b->count && equal_bytes(a->null, b->null, array_delta_words(a->count) * sizeof *a->null) &&
           equal_bytes(a->items, b->items, a->count * sizeof a->items[0]);
}

/* Puts the items that differ in A and B into CHANGED, a bit each; *NONE: there are none. False: too many, or the arrays
 * differ in length. */
static bool array_changes(const struct operation_array *a, const struct operation_array *b, uint64_t *changed,
                          bool *none)
{
    const uint32_t most = a->count / ARRAY_DELTA_SHARE;
    uint32_t found = 0;
    if (a->count != b->count)
        return false;
    memset(changed, 0, array_delta_words(a->count) * sizeof *changed);
    for (uint32_t i = 0; i < a->count && found <= most; i++)
        if (a->items[i].class_number != b->items[i].class_number ||
            a->items[i].request_index != b->items[i].request_index) {
            set_bit(changed, i);
            found++;
        }
    *none = !found;
    return found <= most;
}

/* True if the items OVER are the completed indices. */
static bool array_completes(struct request_array_delta *d, const struct completed_indices *completed)
{
    const size_t bytes = array_delta_words(d->in.count) * sizeof *d->others;
    if (completed->count < 1 || completed->count > d->in.count)
        return false;
    memset(d->others, 0, bytes);
    for (int64_t i = 0; i < completed->count; i++) {
        if (completed->indices[i] < 0 || completed->indices[i] >= (int64_t)d->in.count)
            return false;
        set_bit(d->others, (uint32_t)completed->indices[i]);
    }
    return equal_bytes(d->over, d->others, bytes);
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

/* Makes room in A, of a register, for the array that went in. False: no memory, or long arrays have too many items. */
static bool register_reserve(struct request_array_delta *d, struct operation_array *a)
{
    const uint32_t before = a->capacity;
    if (d->in.count <= before)
        return true;
    if (d->in.count > FEW_ITEMS && d->in.count > ARRAY_DELTA_KEPT_MAX - d->kept)
        return false;
    if (!array_reserve(a, d->in.count))
        return false;
    if (a->capacity > FEW_ITEMS)
        d->kept += a->capacity - before;
    return true;
}

static void array_copy(struct operation_array *to, const struct operation_array *from)
{
    to->count = from->count;
    memcpy(to->items, from->items, from->count * sizeof from->items[0]);
    memcpy(to->null, from->null, array_delta_words(from->count) * sizeof *from->null);
}

void array_delta_free(struct request_array_delta *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        array_free(&d->registers[i]->last);
        free(d->registers[i]);
    }
    free(d->registers);
    array_free(&d->in);
    free(d->over);
    *d = (struct request_array_delta){.null_name = d->null_name};
}

static uint64_t array_hash(const struct operation_array *a)
{
    uint64_t hash = XXH3_64bits(a->items, a->count * sizeof a->items[0]);
    return hash ? hash : 1;
}

static uint64_t null_bit(const struct operation_array *a)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < array_delta_words(a->count); i++)
        sum = (sum + a->null[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return UINT64_C(1) << (sum >> 58);
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
 * *CHANGED, NULL if there is none. 0: none is good. */
static uint32_t find_base(const struct request_array_delta *d, const uint64_t **changed)
{
    const struct request_register *own_register = register_of(d, d->own_register), *last = register_of(d, d->last);
    bool none = false, other_none = false;
    bool good = array_changes(&own_register->last, &d->in, d->changed, &none);
    *changed = none ? NULL : d->changed;
    if (good && none)
        return d->own_register;
    if (last && last != own_register) {
        bool other = array_changes(&last->last, &d->in, d->others, &other_none);
        if (other && (!good || other_none)) {
            *changed = other_none ? NULL : d->others;
            return d->last;
        }
    }
    return good ? d->own_register : 0;
}

struct operation_array *array_delta_begin(struct request_array_delta *d, int64_t count)
{
    d->own_register = d->pending = d->pending_again = d->in_register = d->left = 0;
    d->in.count = 0;
    if (count < ARRAY_DELTA_MIN || count > ARRAY_DELTA_MAX || !reserve(d, (uint32_t)count))
        return NULL;
    d->in.count = (uint32_t)count;
    memset(d->in.null, 0, array_delta_words(d->in.count) * sizeof *d->in.null);
    memset(d->over, 0, array_delta_words(d->in.count) * sizeof *d->over);
    return &d->in;
}

struct operation_array *array_delta_again(struct request_array_delta *d)
{
    d->own_register = d->pending = d->pending_again = 0;
    d->in_register = d->left;
    nullify(&d->in, d->over);
    memset(d->over, 0, array_delta_words(d->in.count) * sizeof *d->over);
    return &d->in;
}

/* Appends the array that goes in, which was written out before. A long one goes into a register of its own, so that it
 * takes little when it comes again. */
static uint8_t *store_written(struct request_array_delta *d, struct request_register *r, uint8_t *at)
{
    if (d->in.count < VALUE_SERIES_MIN)
        return store_array(at, d, NULL);
    if (!r->again)
        r->again = register_add(d);
    struct request_register *again = register_of(d, r->again);
    if (again && register_reserve(d, &again->last)) {
        *at = VALUE_REGISTER;
        at = store_u16(at + 1, r->again - 1);
        again->last.count = 0; /* unknown until it is known that the call is recorded */
        d->pending_again = r->again;
    }
    return store_array(at, d, NULL);
}

/* True if the register of the class has the array that goes in. */
static bool is_kept(struct request_array_delta *d, const struct request_register *r)
{
    if (d->in_register != d->own_register && !array_equal(&r->last, &d->in))
        return false;
    d->in_register = d->own_register;
    return true;
}

/* Appends the array that goes in, if the class has a register. A short one that was written out before is written out
 * again in any case. */
static uint8_t *store_in(struct request_array_delta *d, uint8_t *at)
{
    struct request_register *r = register_of(d, d->own_register);
    const uint64_t *changed = NULL;
    const bool is_long = d->in.count >= VALUE_SERIES_MIN;
    if (is_long && is_kept(d, r))
        return store_changes(at, d, d->own_register, NULL, false);
    if (r->again && array_equal(&register_of(d, r->again)->last, &d->in))
        return store_changes(at, d, r->again, NULL, false);
    if (is_written(r, &d->in))
        return store_written(d, r, at);
    if (!is_long && is_kept(d, r))
        return store_changes(at, d, d->own_register, NULL, false);
    uint32_t base = find_base(d, &changed);
    if (!base || changed)
        remember_written(r, &d->in);
    return base ? store_changes(at, d, base, changed, false) : store_array(at, d, NULL);
}

bool array_delta_in(struct request_array_delta *d, uint32_t *own_register, struct bytes *key)
{
    if (own_register && !*own_register)
        *own_register = register_add(d);
    d->own_register = own_register ? *own_register : 0;
    uint8_t *at = room(key, DELTA_BYTES + array_bytes(d));
    if (at)
        end_at(key, d->own_register ? store_in(d, at) : store_array(at, d, NULL));
    return d->own_register;
}

void array_delta_out(struct request_array_delta *d, struct bytes *key, const struct completed_indices *completed)
{
    const uint32_t over = count_bits(d->over, d->in.count), null = count_bits(d->in.null, d->in.count);
    const bool changed_little = over <= d->in.count / ARRAY_DELTA_SHARE;
    uint8_t *at = room(key, DELTA_BYTES + array_bytes(d));
    if (!at)
        return;
    /* If all requests have completed at once, no later call goes on with this array. */
    if (d->own_register && (changed_little || over + null < d->in.count) &&
        register_reserve(d, &register_of(d, d->own_register)->last)) {
        *at = VALUE_REGISTER;
        at = store_u16(at + 1, d->own_register - 1);
        d->pending = d->own_register;
    }
    if (completed && array_completes(d, completed)) {
        at[0] = VALUE_COMPLETED;
        at[1] = completed->parameter;
        at = store_item(at + 2, d, &null_item);
    } else if (changed_little) {
        at = store_changes(at, d, 0, d->over, true);
    } else {
        at = store_array(at, d, d->over);
    }
    end_at(key, at);
}

void array_delta_commit(struct request_array_delta *d)
{
    struct request_register *r = register_of(d, d->pending);
    if (d->pending_again)
        array_copy(&register_of(d, d->pending_again)->last, &d->in);
    d->pending_again = 0;
    d->left = d->pending;
    if (!r)
        return;
    if (d->in_register != d->pending)
        array_copy(&r->last, &d->in);
    nullify(&r->last, d->over);
    d->last = d->pending;
    d->pending = 0;
}
