/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows groups of processes; see rank_groups.h. */
#include "rank_groups.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"

static struct match_key object_key(uint32_t rank, int64_t number)
{
    return (struct match_key){{rank, (uint64_t)number, 0}};
}

/* Returns the group of these members; NULL: no memory. */
static struct rank_group *intern(struct rank_groups *g, const uint64_t *members, size_t count)
{
    struct rank_group *found = NULL;
    const size_t bytes = count * sizeof *members;
    HASH_FIND(hh, g->table, members, bytes, found);
    if (found)
        return found;
    found = calloc(1, sizeof *found + bytes);
    if (!found)
        return NULL;
    found->count = count;
    memcpy(found->members, members, bytes);
    HASH_ADD_KEYPTR(hh, g->table, found->members, bytes, found);
    return found;
}

uint32_t rank_groups_use(struct rank_groups *g, struct rank_group *group)
{
    if (group->used)
        return group->number;
    group->used = true;
    group->number = g->count++;
    if (g->last)
        g->last->next = group;
    else
        g->first = group;
    g->last = group;
    return group->number;
}

static bool is_in(const struct rank_group *group, uint64_t rank)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->members[i] == rank)
            return true;
    return false;
}

struct rank_group *rank_groups_find(const struct rank_groups *g, uint32_t rank, const struct pilgrim_value *value)
{
    return value->type == PILGRIM_OBJECT ? match_map_find(&g->objects, object_key(rank, value->id)) : NULL;
}

/* Notes what the object NAME is from now on; MADE: a group, or NULL if it is not known. false: no memory */
static bool set(struct rank_groups *g, uint32_t rank, const struct pilgrim_value *name, struct rank_group *made)
{
    if (name->type != PILGRIM_OBJECT)
        return true;
    match_map_take(&g->objects, object_key(rank, name->id));
    return !made || match_map_put(&g->objects, object_key(rank, name->id), made);
}

/* Sets *MADE to the group of a communicator, NULL if that is not known. false: no memory */
static bool of_comm(struct rank_groups *g, const struct comm_table *comms, uint32_t comm, uint32_t rank,
                    struct rank_group **made)
{
    const struct match_key key = {{comm, comm == COMM_TABLE_SELF ? rank + (uint64_t)1 : 0, 0}};
    *made = NULL;
    if (comm == COMM_TABLE_NONE || comm_table_is_inter(comms, comm))
        return true;
    if ((*made = match_map_find(&g->of_comms, key)))
        return true;
    const size_t count = comm_table_size(comms, comm);
    uint64_t *members = malloc((count + 1) * sizeof *members);
    for (size_t i = 0; members && i < count; i++)
        members[i] = comm_table_world_rank(comms, comm, i, rank);
    *made = members ? intern(g, members, count) : NULL;
    free(members);
    return *made && match_map_put(&g->of_comms, key, *made);
}

enum { INCLUDED, EXCLUDED };

/* Members of a group that are chosen one by one, each at most once. */
struct rank_choice {
    const struct rank_group *group;
    uint64_t *members;
    bool *chosen; /* of each rank */
    size_t count;
};

/* Adds rank RANK of the group. false: there is none, or it was chosen before, as only in damaged traces */
static bool choose_rank(struct rank_choice *c, int64_t rank)
{
    if (rank < 0 || (uint64_t)rank >= c->group->count || c->chosen[rank])
        return false;
    c->chosen[rank] = true;
    c->members[c->count++] = c->group->members[rank];
    return true;
}

static bool is_number(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_INT || v->type == PILGRIM_RANK;
}

/* Adds what ITEM says: a rank, or a range of them, its first, its last, and the step between two. */
static bool choose_item(struct rank_choice *c, const struct pilgrim_value *item)
{
    if (is_number(item))
        return choose_rank(c, item->integer);
    if (item->type != PILGRIM_ARRAY || item->count != 3 || !is_number(&item->items[0]) || !is_number(&item->items[1]) ||
        !is_number(&item->items[2]))
        return false;
    const int64_t first = item->items[0].integer, last = item->items[1].integer, step = item->items[2].integer;
    const int64_t ranks = (int64_t)c->group->count;
    if (first < 0 || last < 0 || first >= ranks || last >= ranks || step == 0 || step > INT32_MAX || step < -INT32_MAX)
        return false;
    for (int64_t rank = first; step > 0 ? rank <= last : rank >= last; rank += step)
        if (!choose_rank(c, rank))
            return false;
    return true;
}

/* The group of those members of GROUP whose ranks are listed, or are not. */
static bool choose(struct rank_groups *g, const struct rank_group *group, const struct pilgrim_value *ranks, int which,
                   struct rank_group **made)
{
    struct rank_choice c = {.group = group,
                            .members = malloc((group->count + 1) * sizeof *c.members),
                            .chosen = calloc(group->count + 1, sizeof *c.chosen)};
    const size_t listed = ranks->type == PILGRIM_ARRAY ? ranks->count : 0;
    bool good = c.members && c.chosen, known = good;
    for (size_t i = 0; i < listed && known; i++)
        known = choose_item(&c, &ranks->items[i]);
    if (known && which == EXCLUDED) {
        c.count = 0;
        for (size_t i = 0; i < group->count; i++)
            if (!c.chosen[i])
                c.members[c.count++] = group->members[i];
    }
    if (known)
        good = (*made = intern(g, c.members, c.count)) != NULL;
    free(c.members);
    free(c.chosen);
    return good;
}

/* The members of A, and those of B that are not in A (union), or those of A that are in B or are not. */
static bool combine(struct rank_groups *g, const struct rank_group *a, const struct rank_group *b, const char *how,
                    struct rank_group **made)
{
    uint64_t *members = malloc((a->count + b->count + 1) * sizeof *members);
    const bool joined = strcmp(how, "union") == 0, both = strcmp(how, "intersection") == 0;
    size_t count = 0;
    if (!members)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (joined || is_in(b, a->members[i]) == both)
            members[count++] = a->members[i];
    for (size_t i = 0; joined && i < b->count; i++)
        if (!is_in(a, b->members[i]))
            members[count++] = b->members[i];
    *made = intern(g, members, count);
    free(members);
    return *made != NULL;
}

bool rank_groups_take(struct rank_groups *g, const struct comm_table *comms, struct match *m,
                      const struct match_seen *seen)
{
    const struct pilgrim_call *call = seen->call;
    const char *name = call->function->name + strlen("MPI_");
    struct rank_group *made = NULL;
    uint64_t sub;
    if (!call_succeeded(call))
        return true;
    if (strcmp(name, "Comm_group") == 0) {
        const uint32_t comm = comm_table_find(comms, match_seen_comm(m, call_in(call, "comm")));
        return of_comm(g, comms, comm, seen->rank, &made) && set(g, seen->rank, call_out(call, "group"), made);
    }
    if (strcmp(name, "Win_get_group") == 0) {
        const uint64_t identity = match_seen_container(m, call_in(call, "win"), &sub);
        return of_comm(g, comms, comm_table_find(comms, identity), seen->rank, &made) &&
               set(g, seen->rank, call_out(call, "group"), made);
    }
    if (strncmp(name, "Group_", 6) != 0)
        return true;
    const struct rank_group *of = rank_groups_find(g, seen->rank, call_in(call, "group")),
                            *first = rank_groups_find(g, seen->rank, call_in(call, "group1")),
                            *second = rank_groups_find(g, seen->rank, call_in(call, "group2"));
    const bool incl = strcmp(name, "Group_incl") == 0, excl = strcmp(name, "Group_excl") == 0,
               range_incl = strcmp(name, "Group_range_incl") == 0, range_excl = strcmp(name, "Group_range_excl") == 0;
    bool good = true;
    if (of && (incl || excl))
        good = choose(g, of, call_in(call, "ranks"), incl ? INCLUDED : EXCLUDED, &made);
    else if (of && (range_incl || range_excl))
        good = choose(g, of, call_in(call, "ranges"), range_incl ? INCLUDED : EXCLUDED, &made);
    else if (first && second && strcmp(name, "Group_compare") != 0 && strcmp(name, "Group_translate_ranks") != 0)
        good = combine(g, first, second, name + strlen("Group_"), &made);
    return good && set(g, seen->rank, call_out(call, "newgroup"), made);
}

void rank_groups_free(struct rank_groups *g)
{
    struct rank_group *group, *next;
    HASH_ITER(hh, g->table, group, next)
    {
        HASH_DEL(g->table, group);
        free(group);
    }
    match_map_free(&g->objects);
    match_map_free(&g->of_comms);
    *g = (struct rank_groups){0};
}
