/* Keys of three numbers; see key_table.h. */
#include "key_table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64, KEPT_CAPACITY = 4096 };

static size_t hash(const struct key *key)
{
    uint64_t h = 0;
    for (int i = 0; i < 3; i++) {
        h = (h ^ key->part[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (size_t)h;
}

/* Where KEY is, or would be put. */
static struct key_slot *slot_of(const struct key_table *t, const struct key *key)
{
    size_t i = hash(key) & (t->capacity - 1);
    while (t->slots[i].used && memcmp(&t->slots[i].key, key, sizeof *key) != 0)
        i = (i + 1) & (t->capacity - 1);
    return &t->slots[i];
}

uint64_t *key_table_find(const struct key_table *t, struct key key)
{
    if (!t->count)
        return NULL;
    struct key_slot *slot = slot_of(t, &key);
    return slot->used ? &slot->value : NULL;
}

static bool grow(struct key_table *t)
{
    struct key_table larger = {.capacity = t->capacity ? 2 * t->capacity : FIRST_CAPACITY, .count = t->count};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < t->capacity; i++)
        if (t->slots[i].used)
            *slot_of(&larger, &t->slots[i].key) = t->slots[i];
    free(t->slots);
    *t = larger;
    return true;
}

uint64_t *key_table_put(struct key_table *t, struct key key, uint64_t value)
{
    if (2 * (t->count + 1) > t->capacity && !grow(t))
        return NULL;
    struct key_slot *slot = slot_of(t, &key);
    if (!slot->used) {
        *slot = (struct key_slot){.key = key, .value = value, .used = true};
        t->count++;
    }
    return &slot->value;
}

void key_table_clear(struct key_table *t)
{
    if (t->capacity > KEPT_CAPACITY)
        key_table_free(t);
    else if (t->count)
        memset(t->slots, 0, t->capacity * sizeof *t->slots);
    t->count = 0;
}

void key_table_free(struct key_table *t)
{
    free(t->slots);
    *t = (struct key_table){0};
}
