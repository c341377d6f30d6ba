/* Arrays of requests by what changed; see keep.h. */
#include "capture/keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/value.h"

enum {
    HEAD_BYTES = 5,  /* of an array: tag, count */
    PLACE_BYTES = 9, /* an int */
    CHANGES_MAX = KEEP_MAX / KEEP_SHARE
};

/* What changed from one array to another. */
struct changes {
    uint32_t count;
    uint32_t place[CHANGES_MAX];
    const uint8_t *item[CHANGES_MAX]; /* in the other array */
    size_t bytes[CHANGES_MAX];
};

/* ---- arrays ---- */

/* Bytes of the item at AT: MPI_REQUEST_NULL or a request. */
static size_t item_bytes(const uint8_t *at)
{
    return *at == VALUE_NAME ? 3 : 17;
}

/* Copies the array that KEY has from START on. false: it is none, or none to keep. */
static bool array_take(struct keep_array *a, const struct bytes *key, size_t start)
{
    const uint8_t *at = key->data + start;
    a->count = 0;
    a->bytes.length = 0;
    if (key->failed || key->length < start + HEAD_BYTES || *at != VALUE_ARRAY)
        return false;
    uint32_t count = (uint32_t)at[1] | (uint32_t)at[2] << 8 | (uint32_t)at[3] << 16 | (uint32_t)at[4] << 24;
    if (count < KEEP_MIN || count > KEEP_MAX)
        return false;
    bytes_put(&a->bytes, at, key->length - start);
    if (a->bytes.failed) {
        a->bytes.failed = false;
        return false;
    }
    a->count = count;
    return true;
}

/* Whether no item is a request. */
static bool array_is_null(const struct keep_array *a)
{
    return a->bytes.length == HEAD_BYTES + 3 * (size_t)a->count;
}

/* What changed from A to B. false: too much, or they are not of the same length. */
static bool array_changes(const struct keep_array *a, const struct keep_array *b, struct changes *changes)
{
    changes->count = 0;
    if (a->count != b->count)
        return false;
    if (a->bytes.length == b->bytes.length && memcmp(a->bytes.data, b->bytes.data, a->bytes.length) == 0)
        return true;
    const uint8_t *x = a->bytes.data + HEAD_BYTES, *y = b->bytes.data + HEAD_BYTES;
    for (uint32_t i = 0; i < a->count; i++) {
        size_t x_bytes = item_bytes(x), y_bytes = item_bytes(y);
        if (x_bytes != y_bytes || memcmp(x, y, x_bytes) != 0) {
            if (changes->count == a->count / KEEP_SHARE)
                return false;
            changes->place[changes->count] = i;
            changes->item[changes->count] = y;
            changes->bytes[changes->count++] = y_bytes;
        }
        x += x_bytes;
        y += y_bytes;
    }
    return true;
}

/* Whether B is A with MPI_REQUEST_NULL at the completed places, and nowhere else. */
static bool array_completes(const struct keep_array *a, const struct keep_array *b, const struct keep_places *completed)
{
    uint64_t places = 0, changed = 0;
    if (a->count != b->count || completed->count < 1 || completed->count > a->count)
        return false;
    for (int64_t i = 0; i < completed->count; i++) {
        if (completed->places[i] < 0 || completed->places[i] >= (int64_t)a->count)
            return false;
        places |= UINT64_C(1) << completed->places[i];
    }
    const uint8_t *x = a->bytes.data + HEAD_BYTES, *y = b->bytes.data + HEAD_BYTES;
    for (uint32_t i = 0; i < a->count; i++) {
        size_t x_bytes = item_bytes(x), y_bytes = item_bytes(y);
        if (x_bytes != y_bytes || memcmp(x, y, x_bytes) != 0) {
            if (*y != VALUE_NAME)
                return false;
            changed |= UINT64_C(1) << i;
        }
        x += x_bytes;
        y += y_bytes;
    }
    return changed == places;
}

static void put_u16(struct bytes *key, uint32_t value)
{
    bytes_put_u8(key, (uint8_t)value);
    bytes_put_u8(key, (uint8_t)(value >> 8));
}

static void put_changes(struct bytes *key, uint32_t base, const struct changes *changes)
{
    bytes_put_u8(key, VALUE_EDITED);
    put_u16(key, base);
    put_u16(key, changes->count);
    for (uint32_t i = 0; i < changes->count; i++) {
        bytes_put_u8(key, VALUE_INT);
        bytes_put_u64(key, changes->place[i]);
        bytes_put(key, changes->item[i], changes->bytes[i]);
    }
}

/* PLACE: one of the completed ones; what stands there in A stands in all. */
static void put_completed(struct bytes *key, const struct keep_array *a, uint8_t parameter, int place)
{
    const uint8_t *item = a->bytes.data + HEAD_BYTES;
    for (; place > 0; place--)
        item += item_bytes(item);
    bytes_put_u8(key, VALUE_COMPLETED);
    bytes_put_u8(key, parameter);
    bytes_put(key, item, item_bytes(item));
}

/* ---- registers ---- */

static struct keep_register *register_of(const struct keeper *k, uint32_t number)
{
    return number ? k->registers[number - 1] : NULL;
}

/* The number + 1 of a new register; 0: there is none. */
static uint32_t register_add(struct keeper *k)
{
    if (k->count == KEEP_REGISTERS_MAX)
        return 0;
    if (k->count == k->capacity) {
        uint32_t capacity = k->capacity * 2 + 8;
        struct keep_register **registers = realloc(k->registers, capacity * sizeof(struct keep_register *));
        if (!registers)
            return 0;
        k->registers = registers;
        k->capacity = capacity;
    }
    k->registers[k->count] = calloc(1, sizeof *k->registers[k->count]);
    return k->registers[k->count] ? ++k->count : 0;
}

void keeper_free(struct keeper *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        bytes_free(&k->registers[i]->kept.bytes);
        free(k->registers[i]);
    }
    free(k->registers);
    bytes_free(&k->in.bytes);
    bytes_free(&k->out.bytes);
    *k = (struct keeper){0};
}

static uint64_t array_hash(const struct keep_array *a)
{
    uint64_t hash = XXH3_64bits(a->bytes.data, a->bytes.length);
    return hash ? hash : 1;
}

static bool is_known(const struct keep_register *r, uint64_t hash)
{
    const uint64_t *set = r->known[hash % KEEP_KNOWN_SETS];
    for (unsigned i = 0; i < KEEP_KNOWN_WAYS; i++)
        if (set[i] == hash)
            return true;
    return false;
}

static void know(struct keep_register *r, uint64_t hash)
{
    uint64_t *set = r->known[hash % KEEP_KNOWN_SETS];
    memmove(set + 1, set, (KEEP_KNOWN_WAYS - 1) * sizeof *set);
    set[0] = hash;
}

/* ---- calls ---- */

/* The register that the array which goes in is best written by, in *CHANGES how; its number + 1, or 0: none. */
static uint32_t find_base(const struct keeper *k, struct changes *changes)
{
    const struct keep_register *own = register_of(k, k->own), *last = register_of(k, k->last);
    bool good = array_changes(&own->kept, &k->in, changes);
    if (good && changes->count == 0)
        return k->own;
    if (last && last != own) {
        struct changes others;
        bool other = array_changes(&last->kept, &k->in, &others);
        if (other && (!good || others.count == 0)) {
            *changes = others;
            return k->last;
        }
    }
    return good ? k->own : 0;
}

void keep_in(struct keeper *k, uint32_t *own, struct bytes *key, size_t start)
{
    struct changes changes;
    k->own = k->pending = 0;
    if (!array_take(&k->in, key, start) || !own)
        return;
    if (!*own)
        *own = register_add(k);
    k->own = *own;
    if (!k->own)
        return;
    struct keep_register *r = register_of(k, k->own);
    uint64_t hash = array_hash(&k->in);
    if (is_known(r, hash))
        return;
    uint32_t base = find_base(k, &changes);
    if (!base || changes.count > 0)
        know(r, hash);
    if (base) {
        key->length = start;
        put_changes(key, base, &changes);
    }
}

void keep_out(struct keeper *k, struct bytes *key, size_t start, const struct keep_places *completed)
{
    struct changes changes;
    if (!k->in.count || !array_take(&k->out, key, start))
        return;
    bool changed_little = array_changes(&k->in, &k->out, &changes);
    bool completes = completed && array_completes(&k->in, &k->out, completed);
    /* Where all requests have completed at once there is nothing to come back to. */
    bool keeps = k->own && (changed_little || !array_is_null(&k->out));
    if (!changed_little && !completes && !keeps)
        return;
    key->length = start;
    if (keeps) {
        bytes_put_u8(key, VALUE_KEEP);
        put_u16(key, k->own - 1);
        k->pending = k->own;
    }
    if (completes)
        put_completed(key, &k->out, completed->parameter, completed->places[0]);
    else if (changed_little)
        put_changes(key, 0, &changes);
    else
        bytes_put(key, k->out.bytes.data, k->out.bytes.length);
}

void keep_commit(struct keeper *k)
{
    struct keep_register *r = register_of(k, k->pending);
    if (!r)
        return;
    struct keep_array before = r->kept;
    r->kept = k->out;
    k->out = before;
    k->last = k->pending;
    k->pending = 0;
}
