/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists communicators; see comm_table.h. */
#include "comm_table.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/world_ranks.h"

static struct match_key key_of(uint64_t identity)
{
    return (struct match_key){{identity, 0, 0}};
}

/* Returns the index of a communicator, adding it if it is new; SIZE_MAX: no memory. */
static size_t index_of(struct comm_table *t, const struct match_member *member)
{
    const uintptr_t found = (uintptr_t)match_map_find(&t->by_identity, key_of(member->identity));
    if (found)
        return found - 1;
    if (t->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 16;
        struct comm_table_entry *entries = realloc(t->entries, capacity * sizeof *entries);
        if (!entries)
            return SIZE_MAX;
        t->entries = entries;
        t->capacity = capacity;
    }
    if (!match_map_put(&t->by_identity, key_of(member->identity), (void *)(uintptr_t)(t->count + 1)))
        return SIZE_MAX;
    t->entries[t->count] = (struct comm_table_entry){
        .identity = member->identity, .number = member->number, .inter = member->inter, .whole = true};
    return t->count++;
}

static bool add(struct comm_table *t, uint32_t world, const struct match_member *member)
{
    const size_t i = index_of(t, member);
    if (i == SIZE_MAX)
        return false;
    struct comm_table_entry *entry = &t->entries[i];
    if (entry->count > 0 && entry->members[entry->count - 1].world == world)
        return true; /* a damaged trace may say so */
    if (entry->count == entry->capacity) {
        const size_t capacity = entry->capacity ? 2 * entry->capacity : 8;
        struct comm_table_member *members = realloc(entry->members, capacity * sizeof *members);
        if (!members)
            return false;
        entry->members = members;
        entry->capacity = capacity;
    }
    entry->members[entry->count++] = (struct comm_table_member){world, member->rank, member->side};
    entry->inter |= member->inter;
    return true;
}

/* Returns true if the members of each group have the ranks from 0 on. */
static bool is_whole(const struct comm_table_entry *entry, uint64_t members)
{
    uint64_t sides[2] = {0, 0};
    size_t counts[2] = {0, 0}, groups = 0;
    uint64_t sums[2] = {0, 0};
    if (entry->count != members)
        return false;
    for (size_t i = 0; i < entry->count; i++) {
        size_t side = 0;
        while (side < groups && sides[side] != entry->members[i].side)
            side++;
        if (side == 2 || entry->members[i].rank < 0 || (uint64_t)entry->members[i].rank >= entry->count)
            return false;
        if (side == groups)
            sides[groups++] = entry->members[i].side;
        counts[side]++;
        sums[side] += (uint64_t)entry->members[i].rank;
    }
    for (size_t side = 0; side < groups; side++)
        if (sums[side] != (uint64_t)counts[side] * (counts[side] - 1) / 2)
            return false;
    return groups == (entry->inter ? 2 : 1);
}

static bool list_worlds(struct comm_table_entry *entry)
{
    if (!entry->whole || entry->inter)
        return true;
    entry->worlds = calloc(entry->count + 1, sizeof *entry->worlds);
    for (size_t i = 0; entry->worlds && i < entry->count; i++)
        entry->worlds[entry->members[i].rank] = entry->members[i].world;
    return entry->worlds != NULL;
}

bool comm_table_read(struct comm_table *t, const struct match *m, uint32_t ranks)
{
    struct match_member member;
    t->ranks = ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (size_t i = 0; match_member_at(m, rank, i, &member); i++)
            if (member.identity && member.number >= 0 && !add(t, rank, &member))
                return false;
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (size_t i = 0; match_member_at(m, rank, i, &member); i++) {
            const uintptr_t found = (uintptr_t)match_map_find(&t->by_identity, key_of(member.identity));
            struct comm_table_entry *entry = found ? &t->entries[found - 1] : NULL;
            if (entry && entry->members[0].world == rank && !is_whole(entry, member.members))
                entry->whole = false;
        }
    for (size_t i = 0; i < t->count; i++)
        if (!list_worlds(&t->entries[i]))
            return false;
    return true;
}

void comm_table_free(struct comm_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->entries[i].members);
        free(t->entries[i].worlds);
        free(t->entries[i].name);
    }
    free(t->entries);
    match_map_free(&t->by_identity);
    *t = (struct comm_table){0};
}

uint32_t comm_table_find(const struct comm_table *t, uint64_t identity)
{
    if (!identity)
        return COMM_TABLE_NONE;
    if (identity == GROUP_WORLD)
        return COMM_TABLE_WORLD;
    if (identity <= (uint64_t)GROUP_WORLD + t->ranks)
        return COMM_TABLE_SELF;
    const uintptr_t found = (uintptr_t)match_map_find(&t->by_identity, key_of(identity));
    return found && t->entries[found - 1].whole ? (uint32_t)(COMM_TABLE_FIRST + found - 1) : COMM_TABLE_NONE;
}

int64_t comm_table_rank(const struct comm_table *t, uint32_t comm, int64_t world)
{
    if (world < 0 || comm == COMM_TABLE_NONE)
        return -1;
    if (comm < COMM_TABLE_FIRST)
        return comm == COMM_TABLE_WORLD ? world : 0;
    const struct comm_table_entry *entry = &t->entries[comm - COMM_TABLE_FIRST];
    size_t low = 0, high = entry->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (entry->members[middle].world < world)
            low = middle + 1;
        else
            high = middle;
    }
    return low < entry->count && entry->members[low].world == world ? entry->members[low].rank : -1;
}

size_t comm_table_size(const struct comm_table *t, uint32_t comm)
{
    return comm == COMM_TABLE_WORLD  ? t->ranks
           : comm == COMM_TABLE_SELF ? 1
                                     : t->entries[comm - COMM_TABLE_FIRST].count;
}

uint32_t comm_table_world_rank(const struct comm_table *t, uint32_t comm, size_t rank, uint32_t self)
{
    if (comm < COMM_TABLE_FIRST)
        return comm == COMM_TABLE_WORLD ? (uint32_t)rank : self;
    return t->entries[comm - COMM_TABLE_FIRST].worlds[rank];
}

bool comm_table_is_inter(const struct comm_table *t, uint32_t comm)
{
    return comm >= COMM_TABLE_FIRST && comm != COMM_TABLE_NONE && t->entries[comm - COMM_TABLE_FIRST].inter;
}

bool comm_table_name(struct comm_table *t, uint32_t comm, const char *name)
{
    if (comm < COMM_TABLE_FIRST || comm == COMM_TABLE_NONE || t->entries[comm - COMM_TABLE_FIRST].name)
        return true;
    return (t->entries[comm - COMM_TABLE_FIRST].name = strdup(name)) != NULL;
}
