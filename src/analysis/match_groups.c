/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of processes (MPI_Group), as far as the calls of their process say what they are; see match_data.h.
 *
 * A group of all of a communicator has no list, so that one of each rank takes no memory. */
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "analysis/match_data.h"

enum { MEMBERS_MOST = 1 << 16 };

const struct match_group *match_group_of(const struct match *m, const struct pilgrim_value *value)
{
    return match_object(m, KIND_GROUP, value);
}

int64_t match_group_member(const struct match *m, const struct match_group *group, size_t i)
{
    return i >= group->count ? -1
           : group->of_comm  ? match_world_rank(m, &group->comm, (int64_t)i)
                             : (int64_t)group->members[i];
}

/* Returns a group with room for a list. NULL: no memory */
static struct match_group *new_group(size_t most)
{
    return calloc(1, sizeof(struct match_group) + most * sizeof(uint32_t));
}

/* Returns false if GROUP has no such member: it is not known, then. */
static bool append(struct match_group *group, int64_t rank)
{
    if (rank < 0)
        return false;
    group->members[group->count++] = (uint32_t)rank;
    return true;
}

static bool is_in(const struct match *m, const struct match_group *group, int64_t rank)
{
    for (size_t i = 0; i < group->count; i++)
        if (match_group_member(m, group, i) == rank)
            return true;
    return false;
}

/* Sets CHOSEN[rank] to the place of each rank that the call lists, from 1; *COUNT: how many. false: a list that is not
 * legal */
static bool choose(const struct pilgrim_value *ranks, size_t size, bool range, uint32_t *chosen, uint32_t *count)
{
    for (size_t i = 0; ranks->type == PILGRIM_ARRAY && i < ranks->count; i++) {
        const struct pilgrim_value *item = &ranks->items[i];
        int64_t first = item->integer, last = item->integer, step = 1;
        if (range && (item->type != PILGRIM_ARRAY || item->count != 3))
            return false;
        if (range) {
            first = item->items[0].integer;
            last = item->items[1].integer;
            step = item->items[2].integer;
        }
        if (!step || first < 0 || last < 0 || (uint64_t)first >= size || (uint64_t)last >= size)
            return false;
        for (int64_t rank = first; step > 0 ? rank <= last : rank >= last; rank += step)
            chosen[rank] = ++*count;
    }
    return true;
}

/* Members of GROUP that are listed, in the order of the list; or those that are not. *MADE: NULL if it is not known.
 * false: no memory */
static bool part_of(const struct match *m, const struct match_group *group, bool included, bool range,
                    struct match_group **made)
{
    uint32_t *chosen = calloc(group->count + 1, sizeof *chosen), count = 0;
    struct match_group *part = new_group(group->count);
    bool good = chosen && part;
    if (!good || !choose(role_in(m->role, m->call, P_RANKS), group->count, range, chosen, &count)) {
        free(chosen);
        free(part);
        return good;
    }
    bool known = true;
    part->count = included ? count : 0;
    for (size_t i = 0; i < group->count && known; i++) {
        const int64_t rank = match_group_member(m, group, i);
        if (included && chosen[i]) {
            known = rank >= 0;
            part->members[chosen[i] - 1] = (uint32_t)rank;
        } else if (!included && !chosen[i])
            known = append(part, rank);
    }
    free(chosen);
    if (known)
        *made = part;
    else
        free(part);
    return true;
}

/* The union, intersection or difference of two groups. */
static bool combine(const struct match *m, const struct match_group *a, const struct match_group *b, const char *how,
                    struct match_group **made)
{
    const bool joined = strcmp(how, "union") == 0, both = strcmp(how, "intersection") == 0;
    struct match_group *all = new_group(a->count + b->count);
    bool known = true;
    if (!all)
        return false;
    for (size_t i = 0; i < a->count && known; i++) {
        const int64_t rank = match_group_member(m, a, i);
        if (joined || is_in(m, b, rank) == both)
            known = append(all, rank);
    }
    for (size_t i = 0; joined && i < b->count && known; i++) {
        const int64_t rank = match_group_member(m, b, i);
        if (!is_in(m, a, rank))
            known = append(all, rank);
    }
    if (known)
        *made = all;
    else
        free(all);
    return true;
}

/* The group of a communicator, or of a window's. */
static bool whole(struct match *m, struct match_group **made)
{
    const struct match_container *window = match_object(m, KIND_CONTAINER, role_in(m->role, m->call, P_CONTAINER));
    const struct match_comm *comm = window ? &window->comm : match_comm_of(m, role_in(m->role, m->call, P_COMM));
    if (!comm || !comm->identity || comm->side || !comm->members)
        return true;
    if (!(*made = new_group(0)))
        return false;
    (*made)->of_comm = true;
    (*made)->comm = *comm;
    (*made)->count = (size_t)comm->members;
    return true;
}

bool match_group_made(struct match *m)
{
    const char *name = m->role->name + strlen("MPI_");
    const struct pilgrim_value *out = role_out(m->role, m->call, P_MADE);
    const struct match_group *group = match_group_of(m, role_in(m->role, m->call, P_GROUP)),
                             *second = match_group_of(m, role_in(m->role, m->call, P_GROUP_2));
    struct match_group *made = NULL;
    bool good = true;
    if (out->type != PILGRIM_OBJECT)
        return true;
    if (strncmp(name, "Group_", strlen("Group_")) != 0)
        good = whole(m, &made);
    else if (group && group->count <= MEMBERS_MOST && m->role->index[P_GROUP_2] < 0)
        good = part_of(m, group, strstr(name, "incl") != NULL, strstr(name, "range") != NULL, &made);
    else if (group && second && group->count <= MEMBERS_MOST && second->count <= MEMBERS_MOST)
        good = combine(m, group, second, name + strlen("Group_"), &made);
    if (!good)
        return false;
    if (!made) {
        free(match_object_take(m, KIND_GROUP, out)); /* another one has its number now */
        return true;
    }
    good = match_object_set(m, KIND_GROUP, out, made);
    if (!good)
        free(made);
    return good;
}
