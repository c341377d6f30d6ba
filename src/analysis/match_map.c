/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table with linear probing; see match_map.h. A slot that gets free is filled by moving later ones back, so
 * there are no marks of what was deleted. */
#include "analysis/match_map.h"

#include <stdlib.h>

enum { CAPACITY_FIRST = 16 };

static size_t home(const struct match_map *map, const struct match_key *key)
{
    uint64_t h = key->part[0];
    for (int i = 1; i < 3; i++)
        h = (h ^ h >> 29) * UINT64_C(0x9e3779b97f4a7c15) + key->part[i];
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(h ^ h >> 32) & (map->capacity - 1);
}

static bool equal(const struct match_key *a, const struct match_key *b)
{
    return a->part[0] == b->part[0] && a->part[1] == b->part[1] && a->part[2] == b->part[2];
}

/* Returns the slot of KEY, or the free one where it belongs. The table has a free slot. */
static size_t slot_of(const struct match_map *map, const struct match_key *key)
{
    size_t i = home(map, key);
    while (map->slots[i].value && !equal(&map->slots[i].key, key))
        i = (i + 1) & (map->capacity - 1);
    return i;
}

void *match_map_find(const struct match_map *map, struct match_key key)
{
    return map->count ? map->slots[slot_of(map, &key)].value : NULL;
}

static bool grow(struct match_map *map)
{
    const struct match_map old = *map;
    struct match_map new = {.capacity = old.capacity ? 2 * old.capacity : CAPACITY_FIRST, .count = old.count};
    new.slots = calloc(new.capacity, sizeof *new.slots);
    if (!new.slots)
        return false;
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].value)
            new.slots[slot_of(&new, &old.slots[i].key)] = old.slots[i];
    free(old.slots);
    *map = new;
    return true;
}

bool match_map_put(struct match_map *map, struct match_key key, void *value)
{
    if (4 * (map->count + 1) > 3 * map->capacity && !grow(map))
        return false;
    struct match_slot *slot = &map->slots[slot_of(map, &key)];
    map->count += !slot->value;
    *slot = (struct match_slot){key, value};
    return true;
}

void *match_map_take(struct match_map *map, struct match_key key)
{
    if (!map->count)
        return NULL;
    size_t hole = slot_of(map, &key), mask = map->capacity - 1;
    void *value = map->slots[hole].value;
    map->count -= value != NULL;
    for (size_t i = (hole + 1) & mask; value && map->slots[i].value; i = (i + 1) & mask)
        if (((i - home(map, &map->slots[i].key)) & mask) >= ((i - hole) & mask)) { /* it may stand in the hole */
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    map->slots[hole].value = NULL;
    return value;
}

void match_map_free(struct match_map *map)
{
    free(map->slots);
    *map = (struct match_map){0};
}
