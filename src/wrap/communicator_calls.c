/* SPDX-License-Identifier: BSD-3-Clause */
/* Pseudo calls that describe communicators; see communicator_calls.h. Whatever is asked of MPI here, a process answers
 * by itself. */
#include "wrap/communicator_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/value.h"
#include "process/capture.h"
#include "wrap/constant_names.h"
#include "wrap/put.h"
#include "process/process_stream.h"
#include "process/thread.h"
#include "functions.h"

enum { NO_LEADER = -1, NO_THREAD = -1 };

static MPI_Group world; /* group of MPI_COMM_WORLD; set once */
static bool world_known;

struct description {
    bool inter;
    int topology;
    int size, rank, remote_size;
    int leader;
};

/* ---- asking MPI ---- */

/* Returns the rank in MPI_COMM_WORLD of rank 0 of GROUP. */
static int leader_of(MPI_Group group)
{
    int first = 0, leader = MPI_UNDEFINED, size = 0;
    if (world_known && PMPI_Group_size(group, &size) == MPI_SUCCESS && size > 0)
        PMPI_Group_translate_ranks(group, 1, &first, world, &leader);
    return leader == MPI_UNDEFINED ? NO_LEADER : leader;
}

/* Returns a hash of the ranks in MPI_COMM_WORLD of GROUP's members. */
static uint64_t members_of(MPI_Group group)
{
    int size = 0;
    uint64_t hash = 0;
    PMPI_Group_size(group, &size);
    int *ranks = malloc(2 * (size_t)size * sizeof *ranks + 1);
    if (ranks && world_known) {
        for (int i = 0; i < size; i++)
            ranks[i] = i;
        PMPI_Group_translate_ranks(group, size, ranks, world, ranks + size);
        hash = XXH3_64bits(ranks + size, (size_t)size * sizeof *ranks);
    }
    free(ranks);
    return hash;
}

/* Returns a hash of COMM's members and SALT. For an inter-communicator it includes both groups, and is equal on both
 * sides. */
static uint64_t members_key(MPI_Comm comm, bool inter, uint64_t salt)
{
    uint64_t parts[3] = {0, 0, salt};
    MPI_Group group;
    if (PMPI_Comm_group(comm, &group) == MPI_SUCCESS) {
        parts[0] = members_of(group);
        PMPI_Group_free(&group);
    }
    if (inter && PMPI_Comm_remote_group(comm, &group) == MPI_SUCCESS) {
        parts[1] = members_of(group);
        PMPI_Group_free(&group);
    }
    if (parts[1] < parts[0]) {
        uint64_t first = parts[1];
        parts[1] = parts[0];
        parts[0] = first;
    }
    return XXH3_64bits(parts, sizeof parts);
}

static struct description describe(MPI_Comm comm)
{
    struct rank_base base = object_rank_base(KIND_COMM, HANDLE(comm));
    struct description d = {.inter = base.inter,
                            .topology = MPI_UNDEFINED,
                            .size = base.local_size,
                            .rank = base.rank,
                            .remote_size = base.inter ? base.size : 0,
                            .leader = NO_LEADER};
    MPI_Group group;
    PMPI_Topo_test(comm, &d.topology);
    if (PMPI_Comm_group(comm, &group) == MPI_SUCCESS) {
        d.leader = leader_of(group);
        PMPI_Group_free(&group);
    }
    if (d.inter && PMPI_Comm_remote_group(comm, &group) == MPI_SUCCESS) {
        int other = leader_of(group);
        if (d.leader == NO_LEADER || (other != NO_LEADER && other < d.leader))
            d.leader = other;
        PMPI_Group_free(&group);
    }
    return d;
}

/* ---- the pseudo call ---- */

static void key_int(struct bytes *key, int64_t v)
{
    bytes_put_u8(key, VALUE_INT);
    bytes_put_u64(key, (uint64_t)v);
}

static void key_name_number(struct bytes *key, unsigned name)
{
    bytes_put_u8(key, (uint8_t)name);
    bytes_put_u8(key, (uint8_t)(name >> 8));
}

static void key_name(struct bytes *key, unsigned name)
{
    bytes_put_u8(key, VALUE_NAME);
    key_name_number(key, name);
}

static void key_communicator(struct bytes *key, MPI_Comm comm)
{
    struct object_name n = object_name_of(KIND_COMM, HANDLE(comm));
    if (n.predefined) {
        key_name(key, n.name);
        return;
    }
    bytes_put_u8(key, VALUE_OBJECT);
    key_name_number(key, object_kind_name[KIND_COMM]);
    bytes_put_u64(key, (uint64_t)n.id);
}

static void key_topology(struct bytes *key, int topology)
{
    const struct constant *constant = constant_find(ENUM_TOPOLOGY, topology);
    if (constant)
        key_name(key, constant->name);
    else
        key_int(key, topology);
}

static void add(int64_t thread, MPI_Comm comm, MPI_Comm parent, uint64_t members, const struct description *d)
{
    struct bytes *key = process_stream_begin();
    key_communicator(key, comm);
    key_int(key, thread);
    if (parent == MPI_COMM_NULL)
        bytes_put_u8(key, VALUE_NONE);
    else
        key_communicator(key, parent);
    bytes_put_u8(key, VALUE_BOOL);
    bytes_put_u64(key, d->inter);
    key_topology(key, d->topology);
    key_int(key, d->size);
    key_int(key, d->rank);
    key_int(key, d->remote_size);
    key_int(key, d->leader);
    if (members)
        key_int(key, (int64_t)members);
    else
        bytes_put_u8(key, VALUE_NONE);
    bytes_put_u8(key, VALUE_NONE); /* the pseudo call returns nothing */
    enum pilgrim_status status = process_stream_add();
    if (status != PILGRIM_OK)
        capture_fail("out of memory");
}

/* Returns the number of the thread that made the call C; NO_THREAD if C is not recorded, because no thread's stream has
 * it then. */
static int64_t thread_of(const struct call *c)
{
    return !c->dropped ? (int64_t)c->thread->index : NO_THREAD;
}

void communicators_begin(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    world_known = PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS;
    if (PMPI_Comm_get_parent(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL)
        return;
    (void)object_created(KIND_COMM, HANDLE(parent));
    struct description d = describe(parent);
    add(NO_THREAD, parent, MPI_COMM_NULL, 0, &d);
}

/* Records the creation of COMM, which has a symbolic id. */
static void add_made(int64_t thread, MPI_Comm comm, MPI_Comm parent, uint64_t salt)
{
    struct description d = {.topology = MPI_UNDEFINED, .rank = -1, .leader = NO_LEADER};
    if (comm != MPI_COMM_NULL)
        d = describe(comm);
    else if (salt) /* this process is not a member */
        return;
    add(thread, comm, parent, salt ? members_key(comm, d.inter, salt) : 0, &d);
}

void put_new_comm(struct call *c, MPI_Comm comm, MPI_Comm parent, uint64_t salt)
{
    put_new(c, KIND_COMM, HANDLE(comm));
    add_made(thread_of(c), comm, parent, salt);
}

void communicators_untracked(MPI_Comm comm, MPI_Comm parent, uint64_t salt)
{
    (void)object_created(KIND_COMM, HANDLE(comm));
    add_made(NO_THREAD, comm, parent, salt);
}

void communicators_untracked_pending(MPI_Comm comm, MPI_Comm parent)
{
    struct description d = describe(parent);
    struct rank_base base = object_rank_base(KIND_COMM, HANDLE(parent));
    (void)object_created_like(KIND_COMM, HANDLE(comm), &base);
    add(NO_THREAD, comm, parent, 0, &d);
}

void put_new_comm_pending(struct call *c, MPI_Comm comm, MPI_Comm parent)
{
    struct description d = describe(parent);
    put_new_pending(c, KIND_COMM, HANDLE(comm));
    add(thread_of(c), comm, parent, 0, &d);
}

uint64_t comm_salt(int tag)
{
    return XXH3_64bits(&tag, sizeof tag) | 1;
}

uint64_t comm_salt_text(const char *tag)
{
    return XXH3_64bits(tag ? tag : "", tag ? strlen(tag) : 0) | 1;
}

void communicators_end(void)
{
    if (world_known)
        PMPI_Group_free(&world);
    world_known = false;
}
