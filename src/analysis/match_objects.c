/* SPDX-License-Identifier: BSD-3-Clause */
/* What the names in a process's calls stand for: communicators, datatypes, windows, files; see match_data.h.
 *
 * The trace lists the communicators that a process created, in their order; here they are read before the calls, so
 * that the ranks of all communicators are known from the first call on. The processes that made an inter-communicator
 * from the same local communicator are one side of it.
 *
 * Threads of a process take numbers from one store, and nothing says in which order. What a thread made itself and has
 * not freed is what it means by the number; else it means what the process made last. */
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "analysis/analysis_errors.h"
#include "analysis/match_data.h"
#include "analysis/type_sizes.h"

/* Identities of communicators are hashes. That of MPI_COMM_WORLD is 1, that of a rank's MPI_COMM_SELF is 2 + rank. */
static const uint64_t identity_world = GROUP_WORLD, identity_self = GROUP_WORLD + 1;

enum { OF_PROCESS = 0 };

/* OWNER: OF_PROCESS, or thread + 1 for what the thread made itself. */
static struct match_key owned_key(enum match_kind kind, int64_t number, uint64_t owner)
{
    return (struct match_key){{kind, (uint64_t)number, owner}};
}

static struct match_key object_key(enum match_kind kind, int64_t number)
{
    return owned_key(kind, number, OF_PROCESS);
}

/* Returns what the thread has made of this number, which the process may not have made last; NULL: nothing, or the
 * process has only one thread. */
static void *own_object(const struct match *m, enum match_kind kind, int64_t number)
{
    return m->process->thread_count > 1
               ? match_map_find(&m->process->objects, owned_key(kind, number, (uint64_t)m->thread + 1))
               : NULL;
}

/* ---- communicators ---- */

static int64_t number_of(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? strtoll(colon + 1, NULL, 10) : -1;
}

/* Returns the index of the communicator that has NAME when all in the list so far have been created. */
static int64_t latest(const struct match_process *p, const char *name)
{
    if (name && strcmp(name, "MPI_COMM_WORLD") == 0)
        return PARENT_WORLD;
    if (name && strcmp(name, "MPI_COMM_SELF") == 0)
        return PARENT_SELF;
    const int64_t number = name ? number_of(name) : -1;
    for (size_t i = p->created_count; i-- > 0 && number >= 0;)
        if (p->created[i].number == number)
            return (int64_t)i;
    return PARENT_NONE;
}

static bool add_created(struct match_process *p, const struct pilgrim_communicator *c)
{
    if (p->created_count == p->created_capacity) {
        size_t capacity = p->created_capacity ? 2 * p->created_capacity : 8;
        struct match_created *larger = realloc(p->created, capacity * sizeof *larger);
        if (!larger)
            return false;
        p->created = larger;
        p->created_capacity = capacity;
    }
    struct match_created made = {.thread = c->thread,
                                 .number = number_of(c->name),
                                 .parent = latest(p, c->parent),
                                 .size = c->size,
                                 .inter = c->inter};
    made.comm = (struct match_comm){
        .identity = c->identity <= UINT32_MAX ? 0 : c->identity, .number = made.number, .rank = c->rank};
    if (c->size > 0 && c->remote_size >= 0)
        made.comm.members = (uint64_t)c->size + (uint64_t)c->remote_size;
    p->created[p->created_count++] = made;
    return true;
}

/* Returns the side of those who made an inter-communicator of PARENT, or of one of SIZE that is not known. */
static uint64_t side_of(const struct match_comm *parent, int64_t size)
{
    if (parent && parent->side)
        return parent->side;
    return parent && parent->identity ? parent->identity * 2 + 1 : ~(uint64_t)size | UINT64_C(1) << 63;
}

static const struct match_comm *parent_of(const struct match_process *p, const struct match_created *c)
{
    return c->parent >= 0              ? &p->created[c->parent].comm
           : c->parent == PARENT_WORLD ? &p->world
           : c->parent == PARENT_SELF  ? &p->self
                                       : NULL;
}

static bool put_object(struct match_process *p, struct match_key key, void *object)
{
    match_map_take(&p->objects, key);
    return match_map_put(&p->objects, key, object);
}

static bool bind_comm(struct match_process *p, struct match_created *made)
{
    if (p->thread_count > 1 && made->thread >= 0 &&
        !put_object(p, owned_key(KIND_COMM, made->number, (uint64_t)made->thread + 1), made))
        return false;
    return put_object(p, object_key(KIND_COMM, made->number), made);
}

/* Returns true if THREAD creates an inter-communicator, at LEFT or behind it, of which the list does not say what it
 * was made of. */
static bool has_orphan(const struct match_process *p, uint32_t thread, size_t left)
{
    for (size_t i = left; i < p->created_count; i++)
        if (p->created[i].inter && p->created[i].parent == PARENT_NONE && p->created[i].thread == thread)
            return true;
    return false;
}

/* Reads the thread's calls until it has created all such inter-communicators, and notes their sides. */
static enum pilgrim_status look_for_parents(struct match *m, uint32_t thread, struct pilgrim_error *error)
{
    struct match_process *p = m->process;
    struct match_thread *t = &p->threads[thread];
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    enum pilgrim_status status = pilgrim_cursor_open(m->trace, p->rank, thread, &cursor, error);
    m->thread = thread;
    m->call = &call;
    t->created = 0;
    while (status == PILGRIM_OK && has_orphan(p, thread, t->created) &&
           (status = pilgrim_cursor_next(cursor, &call, error)) == PILGRIM_OK) {
        m->role = match_role_of(&m->roles, call.function);
        if (!m->role)
            status = no_memory(error);
        else if ((m->role->act == ACT_COMM || m->role->act == ACT_COMM_ALONE) && call_succeeded(&call)) {
            const struct match_comm *parent = match_comm_of(m, role_in(m->role, &call, P_COMM));
            const uint64_t side = side_of(parent, 0);
            const size_t before = t->created;
            if (!match_comm_made(m, role_out(m->role, &call, P_MADE)))
                status = no_memory(error);
            struct match_created *made = t->created > before ? &p->created[t->created - 1] : NULL;
            if (made && made->inter && made->parent == PARENT_NONE && parent && parent->identity)
                made->comm.side = side;
        }
    }
    pilgrim_cursor_close(cursor);
    t->created = 0;
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Binds what no recorded call made. */
static enum pilgrim_status bind_unrecorded(struct match_process *p, struct pilgrim_error *error)
{
    for (size_t i = 0; i < p->created_count; i++)
        if (p->created[i].thread < 0 && p->created[i].number >= 0 && !bind_comm(p, &p->created[i]))
            return no_memory(error);
    return PILGRIM_OK;
}

static enum pilgrim_status know_members(struct match *m, struct match_process *p, struct pilgrim_error *error)
{
    for (size_t i = 0; i < p->created_count; i++) {
        struct match_created *made = &p->created[i];
        if (made->inter && !made->comm.side)
            made->comm.side = side_of(parent_of(p, made), made->size);
        if (made->number >= 0 && made->comm.identity &&
            !world_ranks_add(&m->world_ranks, made->comm.identity, made->comm.side, made->comm.rank, p->rank))
            return no_memory(error);
    }
    match_map_free(&p->objects); /* what looking for parents has bound: no call has made it yet */
    return bind_unrecorded(p, error);
}

enum pilgrim_status match_read_created(struct match *m, struct match_process *p, struct pilgrim_error *error)
{
    struct pilgrim_communicators *list;
    struct pilgrim_communicator c;
    p->world = (struct match_comm){
        .identity = identity_world, .number = MATCH_WORLD, .rank = p->rank, .members = m->process_count};
    p->self = (struct match_comm){.identity = identity_self + p->rank, .number = MATCH_SELF, .members = 1};
    enum pilgrim_status status = pilgrim_communicators_open(m->trace, p->rank, &list, error);
    while (status == PILGRIM_OK && (status = pilgrim_communicators_next(list, &c, error)) == PILGRIM_OK)
        if (!add_created(p, &c))
            status = no_memory(error);
    pilgrim_communicators_close(list);
    if (status == PILGRIM_END)
        status = bind_unrecorded(p, error);
    for (uint32_t thread = 0; thread < p->thread_count && status == PILGRIM_OK; thread++)
        if (has_orphan(p, thread, 0))
            status = look_for_parents(m, thread, error);
    return status == PILGRIM_OK ? know_members(m, p, error) : status;
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
    return found && bind_comm(p, found) ? &found->comm : NULL;
}

static struct match_created *created_of(const struct match *m, const struct pilgrim_value *name)
{
    struct match_created *own = own_object(m, KIND_COMM, name->id);
    return own ? own : match_object(m, KIND_COMM, name);
}

struct match_comm *match_comm_of(struct match *m, const struct pilgrim_value *value)
{
    if (value_is_name(value, "MPI_COMM_WORLD"))
        return &m->process->world;
    if (value_is_name(value, "MPI_COMM_SELF"))
        return &m->process->self;
    if (value->type != PILGRIM_OBJECT)
        return NULL;
    struct match_created *found = created_of(m, value);
    return found ? &found->comm : expected_comm(m, value->id);
}

/* Takes KEY out if it stands for the communicator. */
static void unbind_comm(struct match_process *p, struct match_key key, const struct match_created *comm)
{
    if (match_map_find(&p->objects, key) == comm)
        match_map_take(&p->objects, key);
}

void match_comm_freed(struct match *m, const struct pilgrim_value *name)
{
    const struct match_created *comm = name->type == PILGRIM_OBJECT ? created_of(m, name) : NULL;
    if (!comm)
        return;
    unbind_comm(m->process, object_key(KIND_COMM, name->id), comm);
    unbind_comm(m->process, owned_key(KIND_COMM, name->id, (uint64_t)(comm->thread + 1)), comm);
}

bool match_comm_made(struct match *m, const struct pilgrim_value *name)
{
    struct match_process *p = m->process;
    struct match_thread *t = &p->threads[m->thread];
    while (t->created < p->created_count && p->created[t->created].thread != m->thread)
        t->created++;
    if (t->created == p->created_count)
        return true;
    struct match_created *next = &p->created[t->created];
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

bool match_object_there(const struct match_process *p, const struct pilgrim_value *name)
{
    static const char *const names[KIND_COUNT] = {
        [KIND_COMM] = "comm", [KIND_TYPE] = "datatype",   [KIND_CONTAINER] = "win",
        [KIND_FILE] = "file", [KIND_MESSAGE] = "message", [KIND_GROUP] = "group"};
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (strcmp(name->text, names[kind]) == 0)
            return match_map_find(&p->objects, object_key((enum match_kind)kind, name->id)) != NULL;
    return false;
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
    const struct match_type *found = type->type == PILGRIM_OBJECT ? own_object(m, KIND_TYPE, type->id) : NULL;
    if (!found)
        found = match_object(m, KIND_TYPE, type);
    return found ? found->size : TYPE_SIZE_UNKNOWN;
}

uint64_t match_bytes(struct match *m, const struct pilgrim_value *count, const struct pilgrim_value *type)
{
    uint64_t elements;
    return value_count(count, &elements) ? type_size_times(elements, match_type_size(m, type)) : TYPE_SIZE_UNKNOWN;
}

static bool set_type(struct match *m, struct match_key key, uint64_t size)
{
    struct match_type *kept = malloc(sizeof *kept);
    if (!kept)
        return false;
    *kept = (struct match_type){.size = size, .thread = m->thread};
    free(match_map_take(&m->process->objects, key));
    if (match_map_put(&m->process->objects, key, kept))
        return true;
    free(kept);
    return false;
}

static bool set_size(struct match *m, const struct pilgrim_value *type, uint64_t size)
{
    if (type->type != PILGRIM_OBJECT)
        return true;
    return (m->process->thread_count <= 1 ||
            set_type(m, owned_key(KIND_TYPE, type->id, (uint64_t)m->thread + 1), size)) &&
           set_type(m, object_key(KIND_TYPE, type->id), size);
}

static void type_freed(struct match *m, const struct pilgrim_value *type)
{
    if (type->type != PILGRIM_OBJECT)
        return;
    struct match_map *objects = &m->process->objects;
    const struct match_type *own = own_object(m, KIND_TYPE, type->id);
    const struct match_type *last = match_object(m, KIND_TYPE, type);
    const uint64_t owner = own ? (uint64_t)m->thread + 1 : last ? (uint64_t)last->thread + 1 : OF_PROCESS;
    if (last && last->thread + UINT64_C(1) == owner)
        free(match_map_take(objects, object_key(KIND_TYPE, type->id)));
    if (owner != OF_PROCESS)
        free(match_map_take(objects, owned_key(KIND_TYPE, type->id, owner)));
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
        type_freed(m, in);
        return true;
    }
}

/* ---- for the caller ---- */

uint64_t match_seen_comm(struct match *m, const struct pilgrim_value *comm)
{
    const struct match_comm *found = match_comm_of(m, comm);
    return found ? found->identity : 0;
}

static const struct match_container *container_of(const struct match *m, const struct pilgrim_value *name)
{
    const bool file = name->type == PILGRIM_OBJECT && strcmp(name->text, "file") == 0;
    return match_object(m, file ? KIND_FILE : KIND_CONTAINER, name);
}

uint64_t match_seen_container(const struct match *m, const struct pilgrim_value *container, uint64_t *sub)
{
    const struct match_container *found = container_of(m, container);
    *sub = found ? found->sub : 0;
    return found ? found->comm.identity : 0;
}

uint64_t match_seen_bytes(struct match *m, const struct pilgrim_value *count, const struct pilgrim_value *type)
{
    return match_bytes(m, count, type);
}

int64_t match_seen_world_rank(const struct match *m, const struct pilgrim_value *container, int64_t rank)
{
    const struct match_container *found = container_of(m, container);
    return found ? match_world_rank(m, &found->comm, rank) : -1;
}

bool match_member_at(const struct match *m, uint32_t rank, size_t i, struct match_member *member)
{
    const struct match_process *p = &m->processes[rank];
    if (i >= p->created_count)
        return false;
    const struct match_created *c = &p->created[i];
    *member = (struct match_member){c->comm.identity, c->comm.side, c->comm.members, c->number, c->comm.rank, c->inter};
    return true;
}
