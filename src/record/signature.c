/* SPDX-License-Identifier: BSD-3-Clause */
/* The signatures of a class: a uthash over keys in an arena.
 *
 * The expected signature is the one that the sequence predicts, else the successor of the last one: each signature
 * remembers which one followed it. So a key in a loop is compared once, and not hashed. */
#include "record/signature.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/try.h"
#include "record/class_signature.h"
#include "record/skeleton.h"
#include "record/texts.h"
#include "record/unzip.h"

enum { FEW = 8 }; /* signatures_restart keeps memory for this many signatures */

static void slot_set(uint8_t *key, uint32_t offset, int64_t v)
{
    uint64_t value = htole64((uint64_t)v);
    memcpy(key + offset, &value, sizeof value);
}

static int64_t slot_at(const uint8_t *key, uint32_t offset)
{
    uint64_t value;
    memcpy(&value, key + offset, sizeof value);
    return (int64_t)le64toh(value);
}

/* ---- new signatures ---- */

static enum pilgrim_status reserve(struct signatures *s)
{
    if (s->count >= UINT32_MAX / 4)
        return PILGRIM_LIMIT;
    if (s->count < s->capacity)
        return PILGRIM_OK;
    uint32_t capacity = s->capacity * 2 + 4;
    struct class_signature **by_terminal = realloc(s->by_terminal, capacity * sizeof(struct class_signature *));
    if (!by_terminal)
        return PILGRIM_NOMEM;
    s->by_terminal = by_terminal;
    s->capacity = capacity;
    return PILGRIM_OK;
}

static enum pilgrim_status begin_deltas(struct signatures *s, struct class_signature *e,
                                        const struct skeleton *skeleton)
{
    uint32_t count = skeleton->varying;
    struct unzipped_state *u = arena_take(&s->memory, sizeof *u + count * sizeof u->steps[0]);
    uint32_t *offsets = arena_take(&s->memory, count * sizeof *offsets);
    uint8_t *predicted = arena_take(&s->memory, e->length);
    struct delta_sequence *deltas = calloc(count, sizeof *deltas);
    if (!u || !offsets || !predicted || !deltas) {
        free(deltas);
        return PILGRIM_NOMEM;
    }
    memcpy(offsets, skeleton->offsets, count * sizeof *offsets);
    memcpy(predicted, e->key, e->length);
    *u = (struct unzipped_state){.skeleton = skeleton, .deltas = deltas, .predicted = predicted, .offsets = offsets};
    e->unzipped = u;
    e->varying = count;
    return PILGRIM_OK;
}

/* Adds the signature KEY. SKELETON is NULL for a zipped one; else it is KEY's, and KEY has 0 in the varying slots. */
static enum pilgrim_status signature_add(struct signatures *s, const struct skeleton *skeleton, const void *key,
                                         size_t length, struct class_signature **added)
{
    TRY(reserve(s));
    struct class_signature *e = arena_take(&s->memory, sizeof *e + length);
    if (!e)
        return PILGRIM_NOMEM;
    memset(e, 0, sizeof *e);
    e->terminal = s->count;
    e->length = (uint32_t)length;
    memcpy(e->key, key, length);
    if (skeleton) {
        TRY(begin_deltas(s, e, skeleton));
        HASH_ADD_KEYPTR(hh, s->unzipped, e->key, length, e);
    } else if (!s->table && !s->only) {
        s->only = e;
    } else {
        HASH_ADD_KEYPTR(hh, s->table, e->key, length, e);
    }
    if (!e->hh.tbl && e != s->only) {
        if (skeleton)
            free(e->unzipped->deltas);
        return PILGRIM_NOMEM;
    }
    s->by_terminal[s->count++] = e;
    *added = e;
    return PILGRIM_OK;
}

/* ---- values that continue by the same steps ---- */

/* Appends to E's delta sequences the predicted calls that they do not have yet. */
static void settle(const struct class_signature *e)
{
    struct unzipped_state *u = e->unzipped;
    for (uint32_t i = 0; i < e->varying; i++)
        delta_sequence_go_on(&u->deltas[i], u->steady);
    u->steady = 0;
}

/* Returns the value after V. */
static inline int64_t go_on(int64_t v, int64_t step)
{
    return (int64_t)((uint64_t)v + (uint64_t)step);
}

void signature_go_on(struct signatures *s)
{
    struct class_signature *e = s->expected_varies;
    struct unzipped_state *u = e->unzipped;
    u->steady++;
    for (uint32_t i = 0; i < e->varying; i++)
        slot_set(u->predicted, u->offsets[i], go_on(slot_at(u->predicted, u->offsets[i]), u->steps[i]));
    s->last = e;
}

/* Predicts the next key of E from KEY, which has just been recorded. */
static void predict(const struct class_signature *e, const uint8_t *key)
{
    struct unzipped_state *u = e->unzipped;
    u->is_predicted = true;
    for (uint32_t i = 0; i < e->varying; i++) {
        u->is_predicted = delta_sequence_step(&u->deltas[i], &u->steps[i]) && u->is_predicted;
        slot_set(u->predicted, u->offsets[i], go_on(slot_at(key, u->offsets[i]), u->steps[i]));
    }
}

static enum pilgrim_status append_deltas(const struct class_signature *e, struct intern *pool, const uint8_t *key)
{
    settle(e);
    for (uint32_t i = 0; i < e->varying; i++)
        TRY(delta_sequence_append(&e->unzipped->deltas[i], pool, slot_at(key, e->unzipped->offsets[i])));
    predict(e, key);
    return PILGRIM_OK;
}

/* ---- finding a signature ---- */

static bool deltas_take(const struct class_signature *e, const uint8_t *key)
{
    for (uint32_t i = 0; i < e->varying; i++)
        if (!delta_sequence_fits(&e->unzipped->deltas[i], slot_at(key, e->unzipped->offsets[i])))
            return false;
    return true;
}

/* True if E stands for KEY. A byte that follows equal bytes is part of a slot in both keys or in neither. */
static bool is_of(const struct class_signature *e, const uint8_t *key, size_t length)
{
    if (e->length != length)
        return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < e->varying; i++) {
        uint32_t offset = e->unzipped->offsets[i];
        if (!equal_bytes(e->key + at, key + at, offset - at))
            return false;
        at = offset + SLOT_BYTES;
    }
    return equal_bytes(e->key + at, key + at, length - at) && deltas_take(e, key);
}

/* Returns the signature of KEY, whose skeleton is SKELETON, or NULL. Leaves the key of that signature, with 0 in the
 * varying slots, in S->scratch. */
static struct class_signature *find_unzipped(struct signatures *s, const struct skeleton *skeleton, const uint8_t *key,
                                             size_t length)
{
    struct class_signature *e = NULL;
    uint8_t *masked = s->scratch.data;
    memcpy(masked, key, length);
    for (uint32_t i = 0; i < skeleton->varying; i++)
        memset(masked + skeleton->offsets[i], 0, SLOT_BYTES);
    HASH_FIND(hh, s->unzipped, masked, length, e);
    return e && e->unzipped->skeleton == skeleton ? e : NULL;
}

/* Sets *FOUND to the unzipped signature of KEY, which is added if it is new; NULL if KEY has no skeleton in the
 * table. Tries the skeleton of the last signature first. */
static enum pilgrim_status search_unzipped(struct signatures *s, const uint8_t *key, size_t length,
                                           struct class_signature **found)
{
    struct class_signature *e = NULL;
    struct skeleton *skeleton;
    *found = NULL;
    if (s->last && s->last->varying && s->last->length == length)
        e = find_unzipped(s, s->last->unzipped->skeleton, key, length);
    if (!e) {
        TRY(skeleton_find(s->skeletons, key, length, &s->scratch, &skeleton));
        if (!skeleton)
            return PILGRIM_OK;
        e = find_unzipped(s, skeleton, key, length);
        if (!e)
            TRY(signature_add(s, skeleton, s->scratch.data, length, &e));
    }
    *found = deltas_take(e, key) ? e : NULL;
    return PILGRIM_OK;
}

/* Sets *FOUND to the zipped signature with KEY, or NULL. S->only is NULL in the latter case. errors: PILGRIM_NOMEM */
static enum pilgrim_status find_zipped(struct signatures *s, const uint8_t *key, size_t length,
                                       struct class_signature **found)
{
    struct class_signature *only = s->only;
    *found = only && only->length == length && equal_bytes(only->key, key, length) ? only : NULL;
    if (*found)
        return PILGRIM_OK;
    if (only) {
        HASH_ADD_KEYPTR(hh, s->table, only->key, only->length, only);
        if (!only->hh.tbl)
            return PILGRIM_NOMEM;
        s->only = NULL;
        return PILGRIM_OK;
    }
    HASH_FIND(hh, s->table, key, length, *found);
    return PILGRIM_OK;
}

static __attribute__((noinline)) enum pilgrim_status search(struct signatures *s, const uint8_t *key, size_t length,
                                                            struct class_signature **found)
{
    *found = NULL;
    if (length == 0 || length > (size_t)1 << 31)
        return PILGRIM_LIMIT;
    if (s->skeletons)
        TRY(search_unzipped(s, key, length, found));
    if (*found)
        return PILGRIM_OK;
    TRY(find_zipped(s, key, length, found));
    return *found ? PILGRIM_OK : signature_add(s, NULL, key, length, found);
}

/* ---- recording ---- */

/* Sets what is expected next. */
static void expect(struct signatures *s)
{
    uint32_t terminal = sequence_predicted(&s->sequence)->terminal;
    struct class_signature *e = terminal == GRAMMAR_NOTHING ? NULL : s->by_terminal[terminal];
    bool steps = e && e->varying && s->last && s->last->successor == e && e->unzipped->is_predicted;
    s->expected_varies = steps ? e : NULL;
    s->expected = steps ? e->unzipped->predicted : e && !e->varying ? e->key : NULL;
    s->expected_length = s->expected ? e->length : 0;
}

void signature_advance(struct signatures *s)
{
    s->last = s->by_terminal[sequence_predicted(&s->sequence)->terminal];
    grammar_advance(s->sequence.grammar);
    expect(s);
}

/* Records a call that is not the expected one. */
static __attribute__((noinline)) enum pilgrim_status append(struct signatures *s, struct intern *pool, const void *key,
                                                            size_t length)
{
    struct class_signature *last = s->last;
    struct class_signature *e = last ? last->successor : NULL;
    uint32_t before = s->count;
    s->foreseen = false;
    if (!e || !is_of(e, key, length)) {
        TRY(search(s, key, length, &e));
        if (last)
            last->successor = e;
    }
    s->last = e;
    s->recorded = e->terminal + s->number_base;
    s->found = e->terminal < before && !e->varying ? e->terminal : GRAMMAR_NOTHING;
    if (e->varying)
        TRY(append_deltas(e, pool, key));
    if (sequence_predicted(&s->sequence)->terminal == e->terminal) {
        if (!grammar_step(s->sequence.grammar))
            grammar_advance(s->sequence.grammar);
        expect(s);
        return PILGRIM_OK;
    }
    TRY(sequence_append(&s->sequence, pool, e->terminal));
    expect(s);
    if (s->count - s->checked < UNZIP_NEW)
        return PILGRIM_OK;
    uint32_t found = s->found;
    TRY(unzip_consider(s, pool, UNZIP_DISTINCT));
    s->foreseen = false; /* unzipping may have recorded all calls again */
    s->found = found;
    return PILGRIM_OK;
}

static enum pilgrim_status append_key(struct signatures *s, struct intern *pool, const void *key, size_t length)
{
    s->foreseen = true;
    s->found = GRAMMAR_NOTHING;
    if (length && signature_expects(s, key, length)) {
        s->recorded = signature_predicted(s);
        if (s->expected_varies)
            signature_go_on(s);
        signature_step(s);
        return PILGRIM_OK;
    }
    return append(s, pool, key, length);
}

const uint8_t *signature_foreseen(const struct signatures *s, size_t *length)
{
    *length = s->expected_length;
    return s->expected;
}

enum pilgrim_status signature_append_stored(struct signatures *s, struct intern *pool, const void *key, size_t length)
{
    return append_key(s, pool, key, length);
}

enum pilgrim_status signature_append(struct signatures *s, struct intern *pool, const void *key, size_t length)
{
    if (!s->numbered)
        return append_key(s, pool, key, length);
    size_t texts = s->texts->count;
    TRY(texts_number(s->texts, key, length, &s->numbered_key));
    TRY(append_key(s, pool, s->numbered_key.data, s->numbered_key.length));
    s->foreseen = s->foreseen && s->texts->count == texts; /* a number may be predicted, but not the text */
    return PILGRIM_OK;
}

bool signature_can_skip(const struct signatures *s)
{
    size_t length;
    bool in_loop = s->sequence.grammar && grammar_in_loop(s->sequence.grammar);
    return s->sequence.grammar && signature_foreseen(s, &length) && !(in_loop && s->skeletons);
}

bool signature_skip(struct signatures *s, uint64_t count)
{
    const struct class_signature *e = s->by_terminal[sequence_predicted(&s->sequence)->terminal];
    for (uint32_t i = 0; i < e->varying; i++) {
        uint32_t at = e->unzipped->offsets[i];
        uint64_t further = (uint64_t)e->unzipped->steps[i] * count;
        slot_set(e->unzipped->predicted, at, (int64_t)((uint64_t)slot_at(e->unzipped->predicted, at) + further));
    }
    if (e->varying)
        e->unzipped->steady += count;
    if (!grammar_skip(s->sequence.grammar, count - 1))
        return false;
    s->last = s->by_terminal[sequence_predicted(&s->sequence)->terminal];
    if (!grammar_step(s->sequence.grammar))
        grammar_advance(s->sequence.grammar);
    expect(s);
    return true;
}

const uint8_t *signature_key(const struct signatures *s, uint32_t terminal, size_t *length)
{
    const struct class_signature *e = s->by_terminal[terminal];
    *length = e->length;
    return e->key;
}

uint32_t signature_varying(const struct signatures *s, uint32_t terminal, const uint32_t **offsets,
                           const struct delta_sequence **deltas)
{
    const struct class_signature *e = s->by_terminal[terminal];
    if (e->varying) {
        settle(e);
        *offsets = e->unzipped->offsets;
        *deltas = e->unzipped->deltas;
    }
    return e->varying;
}

enum pilgrim_status signatures_relieve(struct signatures *s, struct intern *pool, bool *unzipped)
{
    uint32_t base = s->number_base;
    TRY(sequence_relieve(&s->sequence, pool));
    expect(s);
    if (s->count - s->checked >= UNZIP_NEW_SHORT)
        TRY(unzip_consider(s, pool, UNZIP_DISTINCT_SHORT));
    *unzipped = s->number_base != base;
    return PILGRIM_OK;
}

/* Returns bytes by the count of signatures. The number of buckets depends on hashes, and so on the rank; but ranks
 * that do the same have to begin segments at the same call. */
static size_t table_bytes(const struct class_signature *table)
{
    return table ? sizeof(UT_hash_table) + 2 * HASH_COUNT(table) * sizeof(UT_hash_bucket) : 0;
}

size_t signatures_memory_bytes(const struct signatures *s)
{
    size_t total = s->memory.total + s->capacity * sizeof(struct class_signature *) + table_bytes(s->table) +
                   table_bytes(s->unzipped) + skeletons_memory_bytes(s->skeletons) + s->scratch.capacity +
                   s->numbered_key.capacity;
    total += sequence_memory_bytes(&s->sequence);
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < s->by_terminal[i]->varying; k++)
            total +=
                sizeof(struct delta_sequence) + delta_sequence_memory_bytes(&s->by_terminal[i]->unzipped->deltas[k]);
    return total;
}

void signatures_restart(struct signatures *s)
{
    if (s->skeletons || s->number_base || s->count > FEW) {
        signatures_free(s);
        return;
    }
    HASH_CLEAR(hh, s->table);
    sequence_restart(&s->sequence);
    arena_clear(&s->memory);
    *s = (struct signatures){.by_terminal = s->by_terminal,
                             .capacity = s->capacity,
                             .sequence = s->sequence,
                             .scratch = s->scratch,
                             .memory = s->memory};
}

void signatures_free(struct signatures *s)
{
    HASH_CLEAR(hh, s->table);
    HASH_CLEAR(hh, s->unzipped);
    skeletons_free(&s->skeletons);
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = 0; k < s->by_terminal[i]->varying; k++)
            delta_sequence_free(&s->by_terminal[i]->unzipped->deltas[k]);
        if (s->by_terminal[i]->varying)
            free(s->by_terminal[i]->unzipped->deltas);
    }
    free(s->by_terminal);
    sequence_free(&s->sequence);
    bytes_free(&s->scratch);
    bytes_free(&s->numbered_key);
    arena_free(&s->memory);
    *s = (struct signatures){0};
}
