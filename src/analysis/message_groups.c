/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the group of processes behind each communicator of a rank; see messages_data.h.
 *
 * The number of a group is the identity of its communicator; a duplicate has that of its parent. The processes that
 * made an inter-communicator from the same local communicator are one side of it. */
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "analysis/messages_data.h"
#include "analysis/analysis_errors.h"

/* GROUP_SELF: the rank that is read. Identities of communicators are hashes from GROUP_IDENTITY on; a smaller one
 * counts as not known. */
enum { GROUP_SELF = GROUP_FIRST, GROUP_IDENTITY };

static const struct bound unknown_group = {GROUP_UNKNOWN, 0};

struct bound messages_group(const struct messages *m, enum bound_kind kind, const struct pilgrim_value *v)
{
    if (value_is_name(v, "MPI_COMM_WORLD"))
        return (struct bound){GROUP_WORLD, 0};
    if (value_is_name(v, "MPI_COMM_SELF"))
        return (struct bound){GROUP_SELF, 0};
    const struct bound *found = bindings_find(&m->bindings, kind, v);
    return found ? *found : unknown_group;
}

/* Returns a number, not 0, for the side that the processes of this local communicator are on. If the communicator is
 * not known, its SIZE tells the sides apart. */
static uint64_t side_of_local(const struct messages *m, struct bound local, int64_t size)
{
    if (local.a == GROUP_UNKNOWN)
        return ~(uint64_t)size | UINT64_C(1) << 63;
    return (local.a == GROUP_SELF ? m->rank : local.a) * 2 + 1;
}

static struct created created_of(const struct pilgrim_communicator *c)
{
    const char *number = strchr(c->name, ':');
    struct created made = {
        .thread = c->thread, .identity = c->identity, .size = c->size, .rank = c->rank, .inter = c->inter};
    made.null = !number;
    if (number)
        made.name = (struct pilgrim_value){.type = PILGRIM_OBJECT, .text = "comm", .id = strtoll(number + 1, NULL, 10)};
    return made;
}

static uint64_t group_of_identity(uint64_t identity)
{
    return identity >= GROUP_IDENTITY ? identity : GROUP_UNKNOWN;
}

/* Binds a communicator that no recorded call made, for all threads. false: no memory */
static bool share_unrecorded(struct messages *m, const struct created *made)
{
    struct bound group = {group_of_identity(made->identity),
                          made->inter ? side_of_local(m, unknown_group, made->size) : 0};
    return bindings_share(&m->bindings, BOUND_COMM, &made->name, group) &&
           (group.a == GROUP_UNKNOWN || world_ranks_add(&m->world, group.a, group.b, made->rank, m->rank));
}

enum pilgrim_status messages_begin_groups(struct messages *m, struct pilgrim_error *error)
{
    struct pilgrim_communicators *list;
    struct pilgrim_communicator c;
    enum pilgrim_status status = pilgrim_communicators_open(m->trace, m->rank, &list, error);
    while (status == PILGRIM_OK && (status = pilgrim_communicators_next(list, &c, error)) == PILGRIM_OK) {
        const struct created made = created_of(&c);
        if (made.thread < 0 && !made.null && !share_unrecorded(m, &made))
            status = no_memory(error);
    }
    pilgrim_communicators_close(list);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Moves to the next communicator that the thread created; there is none behind the last. */
static void find_next(struct messages *m)
{
    struct pilgrim_communicator c;
    struct pilgrim_error error;
    m->has_next = false;
    while (!m->has_next && pilgrim_communicators_next(m->created, &c, &error) == PILGRIM_OK) {
        m->has_next = c.thread == m->thread;
        m->next = created_of(&c);
    }
}

enum pilgrim_status messages_begin_created(struct messages *m, struct pilgrim_error *error)
{
    pilgrim_communicators_close(m->created);
    m->has_next = false;
    enum pilgrim_status status = pilgrim_communicators_open(m->trace, m->rank, &m->created, error);
    if (status == PILGRIM_OK)
        find_next(m);
    return status;
}

/* Takes the next communicator that the thread created into *MADE. False if there is none, or if it is not NAME. */
static bool take_next(struct messages *m, const struct pilgrim_value *name, struct created *made)
{
    *made = m->next;
    if (!m->has_next ||
        (made->null ? name->type != PILGRIM_NAME : name->type != PILGRIM_OBJECT || name->id != made->name.id))
        return false;
    find_next(m);
    return true;
}

bool messages_created(struct messages *m, const struct pilgrim_value *name, struct bound parent, bool same,
                      struct bound *group)
{
    struct created made;
    *group = same ? parent : unknown_group;
    if (!take_next(m, name, &made) || made.null || group->a != GROUP_UNKNOWN)
        return true;
    group->a = group_of_identity(made.identity);
    group->b = !made.inter ? 0 : parent.b ? parent.b : side_of_local(m, parent, made.size);
    return group->a == GROUP_UNKNOWN || m->looking ||
           world_ranks_add(&m->world, group->a, group->b, made.rank, m->rank);
}

struct group_member messages_group_member(const struct messages *m, struct bound group, int64_t rank)
{
    if (group.a == GROUP_UNKNOWN)
        return (struct group_member){GROUP_UNKNOWN, 0, 0};
    return group.a == GROUP_SELF ? (struct group_member){GROUP_WORLD, 0, m->rank}
                                 : (struct group_member){group.a, group.b, rank};
}

/* ---- members of all communicators ---- */

static enum pilgrim_status know_rank(struct messages *m, uint32_t rank, struct pilgrim_error *error)
{
    struct pilgrim_communicators *list;
    struct pilgrim_communicator c;
    enum pilgrim_status status = pilgrim_communicators_open(m->trace, rank, &list, error);
    while (status == PILGRIM_OK && (status = pilgrim_communicators_next(list, &c, error)) == PILGRIM_OK) {
        const struct created made = created_of(&c);
        uint64_t group = group_of_identity(made.identity);
        if (made.null || made.inter || made.rank < 0 || group == GROUP_UNKNOWN)
            continue;
        if (!key_table_put(&m->sizes, (struct key){{group}}, (uint64_t)made.size) ||
            !world_ranks_add(&m->world, group, 0, made.rank, rank))
            status = no_memory(error);
    }
    pilgrim_communicators_close(list);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

enum pilgrim_status messages_know_members(struct messages *m, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(m->trace) && status == PILGRIM_OK; rank++)
        status = know_rank(m, rank, error);
    return status;
}

/* Returns the group of a communicator, or of a window. */
static struct bound group_of(const struct messages *m, const struct pilgrim_value *of)
{
    bool window = of->type == PILGRIM_OBJECT && strcmp(of->text, "win") == 0;
    bool communicator = of->type == PILGRIM_NAME || (of->type == PILGRIM_OBJECT && strcmp(of->text, "comm") == 0);
    return window || communicator ? messages_group(m, window ? BOUND_WIN : BOUND_COMM, of) : unknown_group;
}

uint64_t messages_size(const struct messages *m, const struct pilgrim_value *comm)
{
    struct bound group = group_of(m, comm);
    if (group.a == GROUP_WORLD || group.a == GROUP_SELF)
        return group.a == GROUP_SELF ? 1 : pilgrim_rank_count(m->trace);
    const uint64_t *size = group.b ? NULL : key_table_find(&m->sizes, (struct key){{group.a}});
    return size ? *size : UINT64_MAX;
}

uint64_t messages_type_size(struct messages *m, const struct pilgrim_value *type)
{
    return messages_size_of(m, type);
}

struct type_extent messages_type_extent(struct messages *m, const struct pilgrim_value *type)
{
    return messages_extent_of(m, type);
}

struct group_member messages_member(const struct messages *m, const struct pilgrim_value *of, int64_t rank)
{
    return messages_group_member(m, group_of(m, of), rank);
}
