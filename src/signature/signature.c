/* A class's signatures: a uthash over keys in an arena. Each signature remembers which one followed it, so that a
 * loop's steady state is one memcmp. */
#include "signature/signature.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/try.h"
#include "grammar/rules.h"
#include "signature/skeleton.h"

struct signature {
    UT_hash_handle hh;
    struct signature *successor; /* the signature that came after this one last time */
    uint32_t terminal;
    uint32_t length;
    uint32_t varying;            /* slots that vary; 0: it is not unzipped */
    const struct skeleton *skeleton; /* that it is unzipped by, if it can come again */
    const uint32_t *offsets;     /* where those are in the key */
    struct numbers *numbers;     /* for each of those */
    uint8_t key[];               /* 0 in the slots that vary */
};

static int64_t slot_at(const uint8_t *key, uint32_t offset)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < SLOT_BYTES; i++)
        value |= (uint64_t)key[offset + i] << (8 * i);
    return (int64_t)value;
}

/* ---- new ones ---- */

static enum pilgrim_status reserve(struct signatures *s)
{
    if (s->count >= UINT32_MAX / 4)
        return PILGRIM_LIMIT;
    if (s->count < s->capacity)
        return PILGRIM_OK;
    uint32_t capacity = s->capacity * 2 + 4;
    struct signature **by_terminal = realloc(s->by_terminal, capacity * sizeof(struct signature *));
    if (!by_terminal)
        return PILGRIM_NOMEM;
    s->by_terminal = by_terminal;
    s->capacity = capacity;
    return PILGRIM_OK;
}

static enum pilgrim_status begin_numbers(struct signatures *s, struct signature *e, const struct skeleton *skeleton)
{
    uint32_t *offsets = arena_take(&s->memory, skeleton->varying * sizeof *offsets);
    e->numbers = calloc(skeleton->varying, sizeof *e->numbers);
    if (!offsets || !e->numbers) {
        free(e->numbers);
        return PILGRIM_NOMEM;
    }
    memcpy(offsets, skeleton->offsets, skeleton->varying * sizeof *offsets);
    e->skeleton = skeleton;
    e->offsets = offsets;
    e->varying = skeleton->varying;
    return PILGRIM_OK;
}

/* SKELETON: NULL, or that of KEY, which then has 0 in the slots that vary. */
static enum pilgrim_status signature_add(struct signatures *s, const struct skeleton *skeleton, const void *key, size_t length,
                                         struct signature **added)
{
    TRY(reserve(s));
    struct signature *e = arena_take(&s->memory, sizeof *e + length);
    if (!e)
        return PILGRIM_NOMEM;
    memset(e, 0, sizeof *e);
    e->terminal = s->count;
    e->length = (uint32_t)length;
    memcpy(e->key, key, length);
    if (skeleton) {
        TRY(begin_numbers(s, e, skeleton));
        HASH_ADD_KEYPTR(hh, s->unzipped, e->key, length, e);
    } else {
        HASH_ADD_KEYPTR(hh, s->table, e->key, length, e);
    }
    if (!e->hh.tbl) {
        free(e->numbers);
        return PILGRIM_NOMEM;
    }
    s->by_terminal[s->count++] = e;
    *added = e;
    return PILGRIM_OK;
}

/* ---- finding ---- */

static bool numbers_take(const struct signature *e, const uint8_t *key)
{
    for (uint32_t i = 0; i < e->varying; i++)
        if (!numbers_fit(&e->numbers[i], slot_at(key, e->offsets[i])))
            return false;
    return true;
}

/* Whether E stands for KEY. Bytes that are equal up to a slot say that it is a slot in both. */
static bool is_of(const struct signature *e, const uint8_t *key, size_t length)
{
    if (e->length != length)
        return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < e->varying; at = e->offsets[i++] + SLOT_BYTES)
        if (memcmp(e->key + at, key + at, e->offsets[i] - at) != 0)
            return false;
    return memcmp(e->key + at, key + at, length - at) == 0 && numbers_take(e, key);
}

/* The signature that KEY belongs to if its skeleton is SKELETON. What comes in S->scratch is what it is known by. */
static struct signature *find_unzipped(struct signatures *s, const struct skeleton *skeleton, const uint8_t *key, size_t length)
{
    struct signature *e = NULL;
    uint8_t *masked = s->scratch.data;
    memcpy(masked, key, length);
    for (uint32_t i = 0; i < skeleton->varying; i++)
        memset(masked + skeleton->offsets[i], 0, SLOT_BYTES);
    HASH_FIND(hh, s->unzipped, masked, length, e);
    return e && e->skeleton == skeleton ? e : NULL;
}

/* *FOUND: the unzipped signature that KEY belongs to, added if new; NULL: to none. Mostly the skeleton is that of the last one. */
static enum pilgrim_status search_unzipped(struct signatures *s, const uint8_t *key, size_t length, struct signature **found)
{
    struct signature *e = NULL;
    struct skeleton *skeleton;
    *found = NULL;
    if (s->last && s->last->varying && s->last->length == length)
        e = find_unzipped(s, s->last->skeleton, key, length);
    if (!e) {
        TRY(skeleton_find(s->skeletons, key, length, &s->scratch, &skeleton));
        if (!skeleton)
            return PILGRIM_OK;
        e = find_unzipped(s, skeleton, key, length);
        if (!e)
            TRY(signature_add(s, skeleton, s->scratch.data, length, &e));
    }
    *found = numbers_take(e, key) ? e : NULL;
    return PILGRIM_OK;
}

static __attribute__((noinline)) enum pilgrim_status search(struct signatures *s, const uint8_t *key, size_t length,
                                                            struct signature **found)
{
    *found = NULL;
    if (length == 0 || length > (size_t)1 << 31)
        return PILGRIM_LIMIT;
    if (s->skeletons)
        TRY(search_unzipped(s, key, length, found));
    if (*found)
        return PILGRIM_OK;
    HASH_FIND(hh, s->table, key, length, *found);
    return *found ? PILGRIM_OK : signature_add(s, NULL, key, length, found);
}

/* ---- unzipping ---- */

/* From now on all signatures are looked for, and made, anew. */
static void forget(struct signatures *s)
{
    HASH_CLEAR(hh, s->table);
    HASH_CLEAR(hh, s->unzipped);
    for (uint32_t i = 0; i < s->count; i++)
        s->by_terminal[i]->successor = NULL;
    s->last = NULL;
}

/* Records in TO what S has recorded. */
static enum pilgrim_status record_again(const struct signatures *s, struct signatures *to, struct intern *pool)
{
    struct bytes b = {0};
    struct rules rules = {0};
    struct rules_cursor at = {0};
    struct cursor c;
    uint64_t terminal;
    enum pilgrim_status status = sequence_serialise(&s->sequence, pool, &b);
    cursor_init(&c, b.data, b.length);
    if (status == PILGRIM_OK)
        status = rules_parse(&c, s->count, &rules);
    if (status == PILGRIM_OK)
        status = rules_cursor_init(&at, &rules, RULES_SEQUENCE(0));
    while (status == PILGRIM_OK && rules_cursor_next(&at, &terminal)) {
        const struct signature *e = s->by_terminal[terminal];
        to->checked = to->count; /* not now */
        status = signature_append(to, pool, e->key, e->length);
    }
    rules_cursor_free(&at);
    rules_free(&rules);
    bytes_free(&b);
    return status;
}

static enum pilgrim_status replay(struct signatures *s, struct intern *pool)
{
    struct signatures again = {.skeletons = s->skeletons};
    enum pilgrim_status status = record_again(s, &again, pool);
    struct signatures *useless = status == PILGRIM_OK ? s : &again;
    useless->skeletons = NULL;
    signatures_free(useless);
    if (status == PILGRIM_OK)
        *s = again;
    return status;
}

/* New signatures come thick and fast: see whether slots are to leave. */
static __attribute__((noinline)) enum pilgrim_status consider(struct signatures *s, struct intern *pool)
{
    uint64_t calls = s->sequence.length, since = calls - s->checked_calls;
    uint32_t first = s->checked;
    bool first_time = !s->skeletons, unzipped = false;
    s->checked = s->count;
    s->checked_calls = calls;
    if (since > (uint64_t)UNZIP_SHARE * (s->count - first))
        return PILGRIM_OK;
    TRY(skeletons_choose(&s->skeletons, s, first, &unzipped));
    if (!unzipped)
        return PILGRIM_OK;
    if (first_time && calls <= UNZIP_REPLAY)
        return replay(s, pool);
    forget(s);
    return PILGRIM_OK;
}

/* ---- the interface ---- */

enum pilgrim_status signature_append(struct signatures *s, struct intern *pool, const void *key, size_t length)
{
    struct signature *last = s->last;
    struct signature *e = last ? last->successor : NULL;
    if (!e || !is_of(e, key, length)) {
        TRY(search(s, key, length, &e));
        if (last)
            last->successor = e;
    }
    s->last = e;
    for (uint32_t i = 0; i < e->varying; i++)
        TRY(numbers_append(&e->numbers[i], pool, slot_at(key, e->offsets[i])));
    TRY(sequence_append(&s->sequence, pool, e->terminal));
    return s->count - s->checked < UNZIP_NEW ? PILGRIM_OK : consider(s, pool);
}

const uint8_t *signature_key(const struct signatures *s, uint32_t terminal, size_t *length)
{
    const struct signature *e = s->by_terminal[terminal];
    *length = e->length;
    return e->key;
}

uint32_t signature_varying(const struct signatures *s, uint32_t terminal, const uint32_t **offsets,
                           const struct numbers **numbers)
{
    const struct signature *e = s->by_terminal[terminal];
    *offsets = e->offsets;
    *numbers = e->numbers;
    return e->varying;
}

static size_t table_bytes(const struct signature *table)
{
    return table ? table->hh.tbl->num_buckets * sizeof(UT_hash_bucket) : 0;
}

size_t signatures_memory_bytes(const struct signatures *s)
{
    size_t total = s->memory.total + s->capacity * sizeof(struct signature *) + table_bytes(s->table) +
                   table_bytes(s->unzipped) + s->scratch.capacity;
    total += sequence_memory_bytes(&s->sequence);
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < s->by_terminal[i]->varying; k++)
            total += sizeof(struct numbers) + numbers_memory_bytes(&s->by_terminal[i]->numbers[k]);
    return total;
}

void signatures_free(struct signatures *s)
{
    HASH_CLEAR(hh, s->table);
    HASH_CLEAR(hh, s->unzipped);
    skeletons_free(&s->skeletons);
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = 0; k < s->by_terminal[i]->varying; k++)
            numbers_free(&s->by_terminal[i]->numbers[k]);
        free(s->by_terminal[i]->numbers);
    }
    free(s->by_terminal);
    sequence_free(&s->sequence);
    bytes_free(&s->scratch);
    arena_free(&s->memory);
    *s = (struct signatures){0};
}
