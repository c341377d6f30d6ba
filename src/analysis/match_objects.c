/* SPDX-License-Identifier: BSD-3-Clause */
/* What the names in a process's calls stand for: communicators, datatypes, windows, files; see match_data.h.
 *
 * The trace lists the communicators that a process created, in their order; here they are read before the calls, so that
 * the ranks of all communicators are known from the first call on. The processes that made an inter-communicator from
 * the same local communicator are one side of it. */
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "analysis/analysis_errors.h"
#include "analysis/match_data.h"
#include "analysis/type_sizes.h"

/* Identities of communicators are hashes. That of MPI_COMM_WORLD is 1, that of a rank's MPI_COMM_SELF is 2 + rank. */
static const uint64_t identity_world = GROUP_WORLD, identity_self = GROUP_WORLD + 1;

static struct match_key object_key(enum match_kind kind, int64_t number)
{
    return (struct match_key){{kind, (uint64_t)number, 0}};
}

/* ---- communicators ---- */

static int64_t number_of(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? strtoll(colon + 1, NULL, 10) : -1;
}

/* Returns the communicator that had NAME when all in the list so far had been created; NULL: not known. */
static const struct match_comm *latest(const struct match_process *p, const char *name)
{
    if (!name)
        return NULL;
    if (strcmp(name, "MPI_COMM_WORLD") == 0)
        return &p->world;
    if (strcmp(name, "MPI_COMM_SELF") == 0)
        return &p->self;
    int64_t number = number_of(name);
    for (size_t i = p->created_count; i-- > 0 && number >= 0;)
        if (p->created[i].number == number)
            return &p->created[i].comm;
    return NULL;
}

static uint64_t side_of(const struct match_comm *parent, const struct pilgrim_communicator *c)
{
    if (!c->inter)
        return 0;
    if (parent && parent->side)
        return parent->side;
    return parent && parent->identity ? parent->identity * 2 + 1 : ~(uint64_t)c->size | UINT64_C(1) << 63;
}

static bool add_created(struct match *m, struct match_process *p, const struct pilgrim_communicator *c)
{
    if (p->created_count == p->created_capacity) {
        size_t capacity = p->created_capacity ? 2 * p->created_capacity : 8;
        struct match_created *larger = realloc(p->created, capacity * sizeof *larger);
        if (!larger)
            return false;
        p->created = larger;
        p->created_capacity = capacity;
    }
    struct match_created made = {.thread = c->thread, .number = number_of(c->name)};
    made.comm = (struct match_comm){.identity = c->identity <= UINT32_MAX ? 0 : c->identity,
                                    .side = side_of(latest(p, c->parent), c),
                                    .number = made.number,
                                    .rank = c->rank};
    if (c->size > 0 && c->remote_size >= 0)
        made.comm.members = (uint64_t)c->size + (uint64_t)c->remote_size;
    p->created[p->created_count++] = made;
    return made.number < 0 || !made.comm.identity ||
           world_ranks_add(&m->world_ranks, made.comm.identity, made.comm.side, c->rank, p->rank);
}

static bool bind_comm(struct match_process *p, const struct match_created *made)
{
    const struct match_key key = object_key(KIND_COMM, made->number);
    struct match_comm *comm = malloc(sizeof *comm);
    if (!comm)
        return false;
    *comm = made->comm;
    free(match_map_take(&p->objects, key));
    if (match_map_put(&p->objects, key, comm))
        return true;
    free(comm);
    return false;
}

enum pilgrim_status match_read_created(struct match *m, struct match_process *p, struct pilgrim_error *error)
{
    struct pilgrim_communicators *list;
    struct pilgrim_communicator c;
    p->world = (struct match_comm){identity_world, 0, MATCH_WORLD, p->rank, m->process_count, 0, 0};
    p->self = (struct match_comm){identity_self + p->rank, 0, MATCH_SELF, 0, 1, 0, 0};
    enum pilgrim_status status = pilgrim_communicators_open(m->trace, p->rank, &list, error);
    while (status == PILGRIM_OK && (status = pilgrim_communicators_next(list, &c, error)) == PILGRIM_OK)
        if (!add_created(m, p, &c))
            status = no_memory(error);
    pilgrim_communicators_close(list);
    for (size_t i = 0; i < p->created_count && status == PILGRIM_END; i++)
        if (p->created[i].thread < 0 && p->created[i].number >= 0 && !bind_comm(p, &p->created[i]))
            status = no_memory(error);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Returns the communicator of this number that a thread will create whose calls are not read yet, if there is only one
 * of it; NULL: none. */
static struct match_comm *expected_comm(const struct match *m, int64_t number)
{
    struct match_process *p = m->process;
    struct match_created *found = NULL;
    for (size_t i = 0; i < p->created_count && p->thread_count > 1; i++)
        if (p->created[i].number == number) {
            if (found && found->comm.identity != p->created[i].comm.identity)
                return NULL;
            found = &p->created[i];
        }
    return found && bind_comm(p, found) ? match_map_find(&p->objects, object_key(KIND_COMM, number)) : NULL;
}

struct match_comm *match_comm_of(struct match *m, const struct pilgrim_value *value)
{
    if (value_is_name(value, "MPI_COMM_WORLD"))
        return &m->process->world;
    if (value_is_name(value, "MPI_COMM_SELF"))
        return &m->process->self;
    if (value->type != PILGRIM_OBJECT)
        return NULL;
    struct match_comm *found = match_object(m, KIND_COMM, value);
    return found ? found : expected_comm(m, value->id);
}

bool match_comm_made(struct match *m, const struct pilgrim_value *name)
{
    struct match_process *p = m->process;
    struct match_thread *t = &p->threads[m->thread];
    while (t->created < p->created_count && p->created[t->created].thread != m->thread)
        t->created++;
    if (t->created == p->created_count)
        return true;
    const struct match_created *next = &p->created[t->created];
    if (next->number < 0 ? name->type != PILGRIM_NAME : name->type != PILGRIM_OBJECT || name->id != next->number)
        return true; /* the call made none */
    t->created++;
    return next->number < 0 || bind_comm(p, next);
}

int64_t match_world_rank(const struct match *m, const struct match_comm *comm, int64_t rank)
{
    if (comm->identity == identity_world)
        return rank >= 0 && rank < m->process_count ? rank : -1;
    if (comm->number == MATCH_SELF)
        return rank == 0 ? (int64_t)m->process->rank : -1;
    const struct group_member member = {comm->identity, comm->side, rank};
    return comm->identity ? world_ranks_find(&m->world_ranks, &member, m->process_count) : -1;
}

/* ---- all objects ---- */

void *match_object(const struct match *m, enum match_kind kind, const struct pilgrim_value *name)
{
    return name->type == PILGRIM_OBJECT ? match_map_find(&m->process->objects, object_key(kind, name->id)) : NULL;
}

void *match_object_take(struct match *m, enum match_kind kind, const struct pilgrim_value *name)
{
    return name->type == PILGRIM_OBJECT ? match_map_take(&m->process->objects, object_key(kind, name->id)) : NULL;
}

bool match_object_set(struct match *m, enum match_kind kind, const struct pilgrim_value *name, void *object)
{
    void *before = match_object_take(m, kind, name);
    if (kind != KIND_MESSAGE)
        free(before);
    return match_map_put(&m->process->objects, object_key(kind, name->id), object);
}

/* ---- datatypes ---- */

static uint64_t size_found(void *context, const struct pilgrim_value *type)
{
    return match_type_size(context, type);
}

uint64_t match_type_size(struct match *m, const struct pilgrim_value *type)
{
    if (type->type == PILGRIM_NAME)
        return type_size_predefined(type->text);
    const uint64_t *size = match_object(m, KIND_TYPE, type);
    return size ? *size : TYPE_SIZE_UNKNOWN;
}

uint64_t match_bytes(struct match *m, const struct pilgrim_value *count, const struct pilgrim_value *type)
{
    uint64_t elements;
    return value_count(count, &elements) ? type_size_times(elements, match_type_size(m, type)) : TYPE_SIZE_UNKNOWN;
}

static bool set_size(struct match *m, const struct pilgrim_value *type, uint64_t size)
{
    if (type->type != PILGRIM_OBJECT)
        return true;
    uint64_t *kept = malloc(sizeof *kept);
    if (!kept)
        return false;
    *kept = size;
    if (match_object_set(m, KIND_TYPE, type, kept))
        return true;
    free(kept);
    return false;
}

bool match_type_act(struct match *m)
{
    uint64_t size;
    const struct pilgrim_value *in = role_in(m->role, m->call, P_TYPE);
    switch (m->role->act) {
    case ACT_TYPE:
        return set_size(m, role_out(m->role, m->call, P_MADE), type_size_made(m->call, size_found, m));
    case ACT_TYPE_SIZE:
        return !value_count(role_out(m->role, m->call, P_MADE), &size) || set_size(m, in, size);
    default:
        free(match_object_take(m, KIND_TYPE, in));
        return true;
    }
}
