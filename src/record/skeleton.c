/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the varying slots of a class. */
#include "record/skeleton.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/try.h"
#include "base/value.h"

enum { SKELETON_SHARE = 8 };

/* Sets all slots of KEY to 0. Appends their offsets to OFFSETS, unless that is NULL. False if KEY cannot be
 * unzipped, because it has an array that becomes an array series. */
static bool make_skeleton(uint8_t *key, size_t length, struct bytes *offsets)
{
    size_t at = 0;
    while (at < length) {
        uint8_t tag = key[at++];
        unsigned operands = value_operands(tag), slots = value_slots(tag);
        uint32_t operand = 0;
        if (tag == 0 || tag == VALUE_SERIES || tag >= VALUE_TAG_COUNT || operands > length - at)
            return false;
        for (unsigned i = 0; i < operands; i++)
            operand |= (uint32_t)key[at + i] << (8 * i);
        at += operands;
        if (tag == VALUE_ARRAY && operand >= VALUE_SERIES_MIN)
            return false;
        if (tag == VALUE_STRING || tag == VALUE_SYMBOL) {
            if (operand > length - at)
                return false;
            at += operand;
        }
        if (slots * SLOT_BYTES > length - at)
            return false;
        memset(key + at, 0, slots * SLOT_BYTES);
        for (; slots > 0; slots--, at += SLOT_BYTES)
            if (offsets)
                bytes_put_u32(offsets, (uint32_t)at);
    }
    return true;
}

/* Puts KEY into SCRATCH with 0 in its slots. *GOOD is false if KEY has no skeleton. */
static enum pilgrim_status put_skeleton(const uint8_t *key, size_t length, struct bytes *scratch, struct bytes *offsets,
                                        bool *good)
{
    scratch->length = 0;
    bytes_put(scratch, key, length);
    TRY(bytes_status(scratch));
    *good = make_skeleton(scratch->data, length, offsets);
    return offsets ? bytes_status(offsets) : PILGRIM_OK;
}

enum pilgrim_status skeleton_find(const struct skeleton *table, const uint8_t *key, size_t length,
                                  struct bytes *scratch, struct skeleton **found)
{
    bool good;
    *found = NULL;
    TRY(put_skeleton(key, length, scratch, NULL, &good));
    if (good)
        HASH_FIND(hh, table, scratch->data, length, *found);
    return PILGRIM_OK;
}

enum pilgrim_status skeleton_slots(const uint8_t *key, size_t length, struct bytes *offsets)
{
    struct bytes scratch = {0};
    bool good = false;
    enum pilgrim_status status = put_skeleton(key, length, &scratch, offsets, &good);
    bytes_free(&scratch);
    return status == PILGRIM_OK && !good ? PILGRIM_DAMAGED : status;
}

uint32_t skeleton_slot(const struct bytes *offsets, size_t i)
{
    const uint8_t *at = offsets->data + i * sizeof(uint32_t);
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* ---- choosing slots ---- */

/* The signatures by which slots are chosen. */
struct slot_sample {
    const struct signatures *signatures;
    uint32_t first;
    uint32_t distinct; /* slots with more values than this are chosen */
    struct intern skeletons;
    uint32_t *skeleton_of;  /* by signature: number of its skeleton; UINT32_MAX if it has none */
    uint32_t *members;      /* by skeleton: its signatures */
    int64_t *values;        /* of one slot, each once */
    struct hash_index seen; /* index of `values`, by number + 1 */
    struct bytes scratch;
    struct bytes offsets; /* of the slots of one skeleton, u32 each */
    bool *chosen;         /* by number of the slot */
};

static enum pilgrim_status take_sample(struct slot_sample *a)
{
    uint32_t count = a->signatures->count - a->first;
    a->skeleton_of = malloc(count * sizeof *a->skeleton_of + 1);
    a->members = calloc(count + 1, sizeof *a->members);
    a->values = malloc(count * sizeof *a->values + 1);
    if (!a->skeleton_of || !a->members || !a->values)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        size_t length;
        bool good;
        const uint8_t *key = signature_key(a->signatures, a->first + i, &length);
        TRY(put_skeleton(key, length, &a->scratch, NULL, &good));
        a->skeleton_of[i] = UINT32_MAX;
        if (!good)
            continue;
        TRY(intern_add(&a->skeletons, a->scratch.data, length, &a->skeleton_of[i]));
        a->members[a->skeleton_of[i]]++;
    }
    return PILGRIM_OK;
}

/* Adds VALUE to the values of the slot if it is new. */
static enum pilgrim_status note_value(struct slot_sample *a, int64_t value)
{
    uint32_t hash = hash_word((uint64_t)value);
    if (!hash_index_reserve(&a->seen))
        return PILGRIM_NOMEM;
    struct hash_slot *slot = hash_index_first(&a->seen, hash);
    while (slot->number && a->values[slot->number - 1] != value)
        slot = hash_index_next(&a->seen, slot);
    if (slot->number)
        return PILGRIM_OK;
    a->values[a->seen.count] = value;
    hash_index_put(&a->seen, slot, hash, a->seen.count + 1);
    return PILGRIM_OK;
}

/* Counts the distinct values of the slot at OFFSET. */
static enum pilgrim_status count_values(struct slot_sample *a, uint32_t skeleton, uint32_t offset, uint32_t *distinct)
{
    hash_index_clear(&a->seen);
    for (uint32_t i = 0; i < a->signatures->count - a->first; i++) {
        size_t length;
        int64_t value;
        if (a->skeleton_of[i] != skeleton)
            continue;
        memcpy(&value, signature_key(a->signatures, a->first + i, &length) + offset, SLOT_BYTES);
        TRY(note_value(a, value));
    }
    *distinct = a->seen.count;
    return PILGRIM_OK;
}

static uint32_t slot_count(const struct slot_sample *a)
{
    return (uint32_t)(a->offsets.length / sizeof(uint32_t));
}

/* Chooses the slots of SKELETON that vary too much. *COUNT says how many there are. */
static enum pilgrim_status choose_slots(struct slot_sample *a, uint32_t skeleton, uint32_t *count)
{
    uint32_t slots = slot_count(a), most = 1, widest = 0, distinct;
    *count = 0;
    for (uint32_t i = 0; i < slots; i++) {
        TRY(count_values(a, skeleton, skeleton_slot(&a->offsets, i), &distinct));
        a->chosen[i] = distinct > a->distinct;
        *count += a->chosen[i];
        if (distinct > most) {
            most = distinct;
            widest = i;
        }
    }
    if (*count == 0 && most > 1) {
        a->chosen[widest] = true;
        *count = 1;
    }
    return PILGRIM_OK;
}

static bool has_offset(const struct skeleton *skeleton, uint32_t offset)
{
    for (uint32_t i = 0; skeleton && i < skeleton->varying; i++)
        if (skeleton->offsets[i] == offset)
            return true;
    return false;
}

static enum pilgrim_status skeleton_add(struct skeleton **table, const uint8_t *key, size_t length,
                                        struct skeleton **added)
{
    struct skeleton *e = calloc(1, sizeof *e + length);
    if (!e)
        return PILGRIM_NOMEM;
    e->length = length;
    memcpy(e->key, key, length);
    HASH_ADD_KEYPTR(hh, *table, e->key, length, e);
    if (!e->hh.tbl) {
        free(e);
        return PILGRIM_NOMEM;
    }
    *added = e;
    return PILGRIM_OK;
}

/* Stores in TABLE the skeleton KEY with the chosen slots and those that it had before. *ADDED is true if there are
 * more than before. */
static enum pilgrim_status store_skeleton(const struct slot_sample *a, struct skeleton **table, const uint8_t *key,
                                          size_t length, bool *added)
{
    struct skeleton *skeleton;
    uint32_t slots = slot_count(a), count = 0;
    HASH_FIND(hh, *table, key, length, skeleton);
    if (!skeleton)
        TRY(skeleton_add(table, key, length, &skeleton));
    uint32_t *varying = malloc(slots * sizeof *varying);
    if (!varying)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < slots; i++)
        if (a->chosen[i] || has_offset(skeleton, skeleton_slot(&a->offsets, i)))
            varying[count++] = skeleton_slot(&a->offsets, i);
    *added = count > skeleton->varying;
    skeleton->varying = count;
    free(skeleton->offsets);
    skeleton->offsets = varying;
    return PILGRIM_OK;
}

static enum pilgrim_status choose(struct slot_sample *a, struct skeleton **table, uint32_t skeleton, bool *added)
{
    size_t length;
    bool good;
    uint32_t count = 0;
    const uint8_t *key = intern_get(&a->skeletons, skeleton, &length);
    *added = false;
    a->offsets.length = 0;
    TRY(put_skeleton(key, length, &a->scratch, &a->offsets, &good));
    a->chosen = calloc(slot_count(a) + 1u, sizeof *a->chosen);
    if (!a->chosen)
        return PILGRIM_NOMEM;
    enum pilgrim_status status = choose_slots(a, skeleton, &count);
    if (status == PILGRIM_OK && count)
        status = store_skeleton(a, table, key, length, added);
    free(a->chosen);
    return status;
}

static enum pilgrim_status choose_all(struct slot_sample *a, struct skeleton **table, bool *chosen)
{
    uint32_t count = a->signatures->count - a->first;
    TRY(take_sample(a));
    for (uint32_t i = 0; i < a->skeletons.count; i++) {
        bool added = false;
        if ((uint64_t)a->members[i] * SKELETON_SHARE >= count)
            TRY(choose(a, table, i, &added));
        *chosen |= added;
    }
    return PILGRIM_OK;
}

enum pilgrim_status skeletons_choose(struct skeleton **table, const struct signatures *s, uint32_t first,
                                     uint32_t distinct, bool *chosen)
{
    struct slot_sample a = {.signatures = s, .first = first, .distinct = distinct};
    *chosen = false;
    enum pilgrim_status status = choose_all(&a, table, chosen);
    intern_free(&a.skeletons);
    free(a.skeleton_of);
    free(a.members);
    free(a.values);
    hash_index_free(&a.seen);
    bytes_free(&a.scratch);
    bytes_free(&a.offsets);
    return status;
}

size_t skeletons_memory_bytes(const struct skeleton *table)
{
    size_t total = table ? sizeof(UT_hash_table) : 0;
    for (const struct skeleton *e = table; e; e = e->hh.next)
        total += sizeof *e + e->length + e->varying * sizeof *e->offsets + 2 * sizeof(UT_hash_bucket);
    return total;
}

void skeletons_free(struct skeleton **table)
{
    struct skeleton *e, *next;
    HASH_ITER(hh, *table, e, next)
    {
        HASH_DEL(*table, e);
        free(e->offsets);
        free(e);
    }
}
