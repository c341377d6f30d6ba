/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists windows and open files; see container_table.h. */
#include "container_table.h"

#include <stdlib.h>

bool container_table_find(struct container_table *t, uint64_t identity, uint64_t sub, uint32_t comm, uint32_t *index)
{
    const struct match_key key = {{identity, sub, 0}};
    const uintptr_t found = (uintptr_t)match_map_find(&t->by_key, key);
    if (found) {
        *index = (uint32_t)(found - 1);
        return true;
    }
    if (t->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 16;
        struct container *entries = realloc(t->entries, capacity * sizeof *entries);
        if (!entries)
            return false;
        t->entries = entries;
        t->capacity = capacity;
    }
    if (!match_map_put(&t->by_key, key, (void *)(uintptr_t)(t->count + 1)))
        return false;
    t->entries[t->count] = (struct container){.comm = comm};
    *index = (uint32_t)t->count++;
    return true;
}

void container_table_free(struct container_table *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->entries[i].name);
    free(t->entries);
    match_map_free(&t->by_key);
    *t = (struct container_table){0};
}
