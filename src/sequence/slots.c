/* SPDX-License-Identifier: BSD-3-Clause */
/* Slots and series of slots; see slots.h. */
#include "sequence/slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/try.h"

enum pilgrim_status slots_add(struct slots *s, struct slot slot)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity * 2 + 16;
        struct slot *items = realloc(s->items, capacity * sizeof *items);
        if (!items)
            return PILGRIM_NOMEM;
        s->items = items;
        s->capacity = capacity;
    }
    s->items[s->count++] = slot;
    return PILGRIM_OK;
}

void slots_free(struct slots *s)
{
    free(s->items);
    *s = (struct slots){0};
}

int64_t stored_deltas_hash(const void *packed, size_t length)
{
    int64_t hash = (int64_t)XXH3_64bits(packed, length);
    return hash + !hash;
}

bool slot_series_has_deltas(const struct slot_series *s)
{
    return s->differences;
}

/* A difference has to fit into a terminal: zigzag-coded it is below 2^62 (docs/FORMAT.md, section 4). */
static bool is_narrow(int64_t difference)
{
    return zigzag(difference) < UINT64_C(1) << 62;
}

static int64_t difference(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

static enum pilgrim_status slot_series_follow(struct slot_series *s, const struct slot *slots)
{
    for (size_t i = 0; i < s->width; i++) {
        s->step[i] = difference(s->last[i], slots[i].value);
        TRY(nested_runs_append(&s->differences[i], s->step[i], 1));
        s->last[i] = slots[i].value;
    }
    return PILGRIM_OK;
}

/* Begins differences: the series is long enough, and the slots so far become differences. */
static enum pilgrim_status slot_series_begin_deltas(struct slot_series *s)
{
    s->differences = calloc(s->width, sizeof *s->differences);
    if (!s->differences)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < s->width; i++)
        s->last[i] = s->raw.items[i].value;
    for (uint64_t k = 1; k < s->count; k++)
        TRY(slot_series_follow(s, &s->raw.items[k * s->width]));
    return PILGRIM_OK;
}

enum pilgrim_status slot_series_add(struct slot_series *s, const struct slot *slots, bool *fits)
{
    *fits = true;
    if (s->count && s->width)
        for (size_t i = 0; i < s->width; i++)
            if (!is_narrow(difference(s->last[i], slots[i].value)))
                *fits = false;
    if (!*fits)
        return PILGRIM_OK;
    if (!s->last) {
        s->last = malloc(2 * s->width * sizeof *s->last + 1);
        if (!s->last)
            return PILGRIM_NOMEM;
        s->step = s->last + s->width;
    }
    s->count++;
    if (s->differences)
        return slot_series_follow(s, slots);
    for (size_t i = 0; i < s->width; i++) {
        TRY(slots_add(&s->raw, slots[i]));
        s->last[i] = slots[i].value;
    }
    return s->count == s->min && s->width ? slot_series_begin_deltas(s) : PILGRIM_OK;
}

enum pilgrim_status slot_series_go_on(struct slot_series *s, uint64_t count)
{
    for (size_t i = 0; i < s->width; i++) {
        TRY(nested_runs_append(&s->differences[i], s->step[i], count));
        s->last[i] = (int64_t)((uint64_t)s->last[i] + (uint64_t)s->step[i] * count);
    }
    s->count += count;
    return PILGRIM_OK;
}

/* Adds ENTRY to the table and frees it. *HASH: its hash. */
static enum pilgrim_status store_entry(struct intern *table, struct bytes *entry, int64_t *hash)
{
    uint32_t ignored;
    enum pilgrim_status status = bytes_status(entry);
    if (status == PILGRIM_OK)
        status = intern_add(table, entry->data, entry->length, &ignored);
    if (status == PILGRIM_OK)
        *hash = stored_deltas_hash(entry->data, entry->length);
    bytes_free(entry);
    return status;
}

enum pilgrim_status stored_deltas_add(struct intern *table, struct nested_runs *differences, int64_t *hash)
{
    *hash = 0;
    if (!differences->count && !differences->open.value)
        return PILGRIM_OK;
    struct bytes entry = {0};
    TRY(nested_runs_close(differences));
    bytes_put_u8(&entry, STORED_DELTAS_RUNS);
    nested_runs_pack(differences, &entry);
    return store_entry(table, &entry, hash);
}

enum pilgrim_status stored_deltas_add_grammar(struct intern *table, const void *serialised, size_t length,
                                              int64_t *hash)
{
    struct bytes entry = {0};
    bytes_put_u8(&entry, STORED_DELTAS_GRAMMAR);
    bytes_put(&entry, serialised, length);
    return store_entry(table, &entry, hash);
}

enum pilgrim_status stored_deltas_add_texts(struct intern *table, const struct intern *texts, int64_t *hash)
{
    struct bytes entry = {0};
    *hash = 0;
    if (!texts->count)
        return PILGRIM_OK;
    bytes_put_u8(&entry, STORED_DELTAS_TEXTS);
    for (uint32_t i = 0; i < texts->count; i++) {
        size_t length;
        const uint8_t *text = intern_get(texts, i, &length);
        bytes_put(&entry, text, length + 1);
    }
    return store_entry(table, &entry, hash);
}

uint32_t stored_deltas_text_count(const uint8_t *data, size_t length)
{
    uint32_t count = 0;
    if (!length || data[0] != STORED_DELTAS_TEXTS)
        return 0;
    for (const uint8_t *at = data + 1, *end = data + length; at < end; count++) {
        const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
        at = stop ? stop + 1 : end;
    }
    return count;
}

static enum pilgrim_status end_deltas(struct slot_series *s, struct slots *out)
{
    for (size_t i = 0; i < s->width; i++) {
        struct slot deltas = {.kind = SLOT_DELTAS};
        TRY(stored_deltas_add(s->stored_deltas, &s->differences[i], &deltas.value));
        uint32_t kind =
            s->raw.items[i].kind == SLOT_DELTAS ? SLOT_DELTAS : SLOT_NUMBER; /* SLOT_DELTAS: the hash of stored texts */
        TRY(slots_add(out, (struct slot){.value = s->raw.items[i].value, .kind = kind}));
        TRY(slots_add(out, deltas));
    }
    return PILGRIM_OK;
}

enum pilgrim_status slot_series_end(struct slot_series *s, struct slots *out)
{
    if (slot_series_has_deltas(s))
        TRY(end_deltas(s, out));
    else
        for (size_t i = 0; i < s->raw.count; i++)
            TRY(slots_add(out, s->raw.items[i]));
    slot_series_free(s);
    return PILGRIM_OK;
}

void slot_series_free(struct slot_series *s)
{
    for (size_t i = 0; s->differences && i < s->width; i++)
        nested_runs_free(&s->differences[i]);
    free(s->differences);
    free(s->last);
    slots_free(&s->raw);
    *s = (struct slot_series){.width = s->width, .min = s->min, .stored_deltas = s->stored_deltas};
}
