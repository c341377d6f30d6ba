/* A class's signatures: a uthash over keys in an arena. Each signature remembers which one followed it, so that a
 * loop's steady state is one memcmp. */
#include "signature/signature.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct signature {
    UT_hash_handle hh;
    struct signature *successor; /* the signature that came after this one last time */
    uint32_t terminal;
    uint32_t length;
    uint8_t key[];
};

static struct signature *signature_add(struct signatures *s, const void *key, size_t length)
{
    if (s->count == s->capacity) {
        uint32_t capacity = s->capacity * 2 + 4;
        struct signature **by_terminal = realloc(s->by_terminal, capacity * sizeof(struct signature *));
        if (!by_terminal)
            return NULL;
        s->by_terminal = by_terminal;
        s->capacity = capacity;
    }
    struct signature *e = arena_take(&s->memory, sizeof *e + length);
    if (!e)
        return NULL;
    e->successor = NULL;
    e->terminal = s->count;
    e->length = (uint32_t)length;
    memcpy(e->key, key, length);
    HASH_ADD_KEYPTR(hh, s->table, e->key, length, e);
    if (!e->hh.tbl)
        return NULL;
    s->by_terminal[s->count++] = e;
    return e;
}

enum pilgrim_status signature_intern(struct signatures *s, const void *key, size_t length, uint32_t *terminal)
{
    struct signature *last = s->last;
    struct signature *e = last ? last->successor : NULL;
    if (!e || e->length != length || memcmp(e->key, key, length) != 0) {
        if (length == 0 || length > (size_t)1 << 31 || s->count >= UINT32_MAX / 4)
            return PILGRIM_LIMIT;
        HASH_FIND(hh, s->table, key, length, e);
        if (!e)
            e = signature_add(s, key, length);
        if (!e)
            return PILGRIM_NOMEM;
        if (last)
            last->successor = e;
    }
    s->last = e;
    *terminal = e->terminal;
    return PILGRIM_OK;
}

const uint8_t *signature_key(const struct signatures *s, uint32_t terminal, size_t *length)
{
    const struct signature *e = s->by_terminal[terminal];
    *length = e->length;
    return e->key;
}

size_t signatures_memory_bytes(const struct signatures *s)
{
    return s->memory.total + s->capacity * sizeof(struct signature *) +
           (s->table ? s->table->hh.tbl->num_buckets * sizeof(UT_hash_bucket) : 0);
}

void signatures_free(struct signatures *s)
{
    HASH_CLEAR(hh, s->table);
    free(s->by_terminal);
    arena_free(&s->memory);
    *s = (struct signatures){0};
}
