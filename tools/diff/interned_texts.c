/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts with numbers, on uthash; see interned_texts.h. */
#include "interned_texts.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1 /* a failed insertion leaves the entry's hh.tbl NULL */
#include <uthash.h>

struct interned_text {
    uint32_t number;
    UT_hash_handle hh;
    char text[];
};

uint32_t interned_text(struct interned_texts *t, const char *text)
{
    struct interned_text *entry;
    size_t length = strlen(text);
    HASH_FIND(hh, t->table, text, length, entry);
    if (entry)
        return entry->number;
    if (t->count == t->capacity) {
        size_t capacity = 2 * t->capacity + 64;
        struct interned_text **grown =
            capacity < UINT32_MAX ? realloc(t->by_number, capacity * sizeof(struct interned_text *)) : NULL;
        if (!grown)
            return UINT32_MAX;
        t->by_number = grown;
        t->capacity = capacity;
    }
    entry = malloc(sizeof *entry + length + 1);
    if (!entry)
        return UINT32_MAX;
    entry->number = (uint32_t)t->count;
    memcpy(entry->text, text, length + 1);
    HASH_ADD_KEYPTR(hh, t->table, entry->text, length, entry);
    if (!entry->hh.tbl) {
        free(entry);
        return UINT32_MAX;
    }
    t->by_number[t->count++] = entry;
    return entry->number;
}

uint32_t interned_text_known(const struct interned_texts *t, const char *text)
{
    struct interned_text *entry;
    HASH_FIND(hh, t->table, text, strlen(text), entry);
    return entry ? entry->number : UINT32_MAX;
}

const char *interned_text_at(const struct interned_texts *t, uint32_t number)
{
    return t->by_number[number]->text;
}

void interned_texts_free(struct interned_texts *t)
{
    HASH_CLEAR(hh, t->table);
    for (size_t i = 0; i < t->count; i++)
        free(t->by_number[i]);
    free(t->by_number);
    *t = (struct interned_texts){0};
}
