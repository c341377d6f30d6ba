/* Interning by content: a uthash over entries that live in an arena, and an array from number to entry. */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct intern_entry {
    UT_hash_handle hh;
    uint32_t number;
    uint32_t length;
    uint8_t data[];
};

enum pilgrim_status intern_add(struct intern *t, const void *data, size_t length, uint32_t *number)
{
    if (length >= UINT32_MAX || t->count == UINT32_MAX)
        return PILGRIM_LIMIT;
    struct intern_entry *e = NULL;
    static const uint8_t nothing[1];
    if (!length)
        data = nothing;
    HASH_FIND(hh, t->table, data, length, e);
    if (e) {
        *number = e->number;
        return PILGRIM_OK;
    }
    if (t->count == t->capacity) {
        uint32_t capacity = t->capacity < UINT32_MAX / 2 ? t->capacity * 2 + 8 : UINT32_MAX;
        struct intern_entry **entries = realloc(t->entries, capacity * sizeof *entries);
        if (!entries)
            return PILGRIM_NOMEM;
        t->entries = entries;
        t->capacity = capacity;
    }
    e = arena_take(&t->memory, sizeof *e + length + 1);
    if (!e)
        return PILGRIM_NOMEM;
    e->number = t->count;
    e->length = (uint32_t)length;
    memcpy(e->data, data, length);
    e->data[length] = 0;
    HASH_ADD_KEYPTR(hh, t->table, e->data, length, e);
    if (!e->hh.tbl)
        return PILGRIM_NOMEM; /* the bytes stay in the arena, unused */
    t->entries[t->count++] = e;
    *number = e->number;
    return PILGRIM_OK;
}

const uint8_t *intern_get(const struct intern *t, uint32_t number, size_t *length)
{
    if (length)
        *length = t->entries[number]->length;
    return t->entries[number]->data;
}

size_t intern_memory_bytes(const struct intern *t)
{
    size_t table = t->table ? t->table->hh.tbl->num_buckets * sizeof(UT_hash_bucket) : 0;
    return table + t->capacity * sizeof(struct intern_entry *) + t->memory.total;
}

void intern_free(struct intern *t)
{
    HASH_CLEAR(hh, t->table);
    free(t->entries);
    arena_free(&t->memory);
    *t = (struct intern){0};
}
