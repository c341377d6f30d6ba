/* SPDX-License-Identifier: BSD-3-Clause */
/* The roles of MPI functions in matching; see match_roles.h. */
#include "analysis/match_roles.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "analysis/polls.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { NAME_MAX_LENGTH = 64, CAPACITY_FIRST = 256 };

/* Functions but collective ones, without MPI_ and _c. */
static const struct named_act {
    const char *name;
    enum match_act act;
    bool persistent, buffered;
    const char *made;
} acts[] = {
    {"Accumulate", ACT_REMOTE, false, false, NULL},
    {"Bsend", ACT_SEND, false, true, NULL},
    {"Bsend_init", ACT_SEND, true, true, NULL},
    {"Cancel", ACT_CANCEL, false, false, NULL},
    {"Cart_create", ACT_COMM, false, false, "comm_cart"},
    {"Cart_sub", ACT_COMM, false, false, "newcomm"},
    {"Comm_accept", ACT_COMM, false, false, "newcomm"},
    {"Comm_connect", ACT_COMM, false, false, "newcomm"},
    {"Comm_create", ACT_COMM, false, false, "newcomm"},
    {"Comm_create_from_group", ACT_COMM_ALONE, false, false, "newcomm"},
    {"Comm_create_group", ACT_COMM_ALONE, false, false, "newcomm"},
    {"Comm_disconnect", ACT_COMM_END, false, false, NULL},
    {"Comm_dup", ACT_COMM, false, false, "newcomm"},
    {"Comm_dup_with_info", ACT_COMM, false, false, "newcomm"},
    {"Comm_free", ACT_COMM_END, false, false, NULL},
    {"Comm_group", ACT_GROUP, false, false, "group"},
    {"Comm_idup", ACT_COMM, false, false, "newcomm"},
    {"Comm_idup_with_info", ACT_COMM, false, false, "newcomm"},
    {"Comm_join", ACT_COMM_ALONE, false, false, "intercomm"},
    {"Comm_shrink", ACT_COMM_ALONE, false, false, "newcomm"},
    {"Comm_spawn", ACT_COMM, false, false, "intercomm"},
    {"Comm_spawn_multiple", ACT_COMM, false, false, "intercomm"},
    {"Comm_split", ACT_COMM, false, false, "newcomm"},
    {"Comm_split_type", ACT_COMM, false, false, "newcomm"},
    {"Compare_and_swap", ACT_REMOTE, false, false, NULL},
    {"Dist_graph_create", ACT_COMM, false, false, "comm_dist_graph"},
    {"Dist_graph_create_adjacent", ACT_COMM, false, false, "comm_dist_graph"},
    {"Fetch_and_op", ACT_REMOTE, false, false, NULL},
    {"File_close", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_open", ACT_CONTAINER, false, false, NULL},
    {"File_preallocate", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_read_all", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_read_at_all", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_read_ordered", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_set_size", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_set_view", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_sync", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_write_all", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_write_at_all", ACT_CONTAINER_CALL, false, false, NULL},
    {"File_write_ordered", ACT_CONTAINER_CALL, false, false, NULL},
    {"Get", ACT_REMOTE, false, false, NULL},
    {"Get_accumulate", ACT_REMOTE, false, false, NULL},
    {"Graph_create", ACT_COMM, false, false, "comm_graph"},
    {"Group_difference", ACT_GROUP, false, false, "newgroup"},
    {"Group_excl", ACT_GROUP, false, false, "newgroup"},
    {"Group_incl", ACT_GROUP, false, false, "newgroup"},
    {"Group_intersection", ACT_GROUP, false, false, "newgroup"},
    {"Group_range_excl", ACT_GROUP, false, false, "newgroup"},
    {"Group_range_incl", ACT_GROUP, false, false, "newgroup"},
    {"Group_union", ACT_GROUP, false, false, "newgroup"},
    {"Ibsend", ACT_SEND, false, true, NULL},
    {"Improbe", ACT_PROBE, false, false, NULL},
    {"Imrecv", ACT_TAKE, false, false, NULL},
    {"Intercomm_create", ACT_COMM, false, false, "newintercomm"},
    {"Intercomm_create_from_groups", ACT_COMM_ALONE, false, false, "newintercomm"},
    {"Intercomm_merge", ACT_COMM, false, false, "newintracomm"},
    {"Iprobe", ACT_LOOK, false, false, NULL},
    {"Irecv", ACT_RECEIVE, false, false, NULL},
    {"Irsend", ACT_SEND, false, false, NULL},
    {"Isend", ACT_SEND, false, false, NULL},
    {"Isendrecv", ACT_EXCHANGE, false, false, NULL},
    {"Isendrecv_replace", ACT_EXCHANGE, false, false, NULL},
    {"Issend", ACT_SEND, false, false, NULL},
    {"Mprobe", ACT_PROBE, false, false, NULL},
    {"Mrecv", ACT_TAKE, false, false, NULL},
    {"Pcontrol", ACT_PAUSE, false, false, NULL},
    {"Pready", ACT_READY, false, false, NULL},
    {"Pready_list", ACT_READY, false, false, NULL},
    {"Pready_range", ACT_READY, false, false, NULL},
    {"Precv_init", ACT_RECEIVE, true, false, NULL},
    {"Psend_init", ACT_SEND, true, false, NULL},
    {"Put", ACT_REMOTE, false, false, NULL},
    {"Raccumulate", ACT_REMOTE, false, false, NULL},
    {"Recv", ACT_RECEIVE, false, false, NULL},
    {"Recv_init", ACT_RECEIVE, true, false, NULL},
    {"Request_free", ACT_FREE, false, false, NULL},
    {"Rget", ACT_REMOTE, false, false, NULL},
    {"Rget_accumulate", ACT_REMOTE, false, false, NULL},
    {"Rput", ACT_REMOTE, false, false, NULL},
    {"Rsend", ACT_SEND, false, false, NULL},
    {"Rsend_init", ACT_SEND, true, false, NULL},
    {"Send", ACT_SEND, false, false, NULL},
    {"Send_init", ACT_SEND, true, false, NULL},
    {"Sendrecv", ACT_EXCHANGE, false, false, NULL},
    {"Sendrecv_replace", ACT_EXCHANGE, false, false, NULL},
    {"Ssend", ACT_SEND, false, false, NULL},
    {"Ssend_init", ACT_SEND, true, false, NULL},
    {"Start", ACT_START, false, false, NULL},
    {"Startall", ACT_START, false, false, NULL},
    {"Test", ACT_WAIT, false, false, NULL},
    {"Testall", ACT_WAIT, false, false, NULL},
    {"Testany", ACT_WAIT, false, false, NULL},
    {"Testsome", ACT_WAIT, false, false, NULL},
    {"Type_contiguous", ACT_TYPE, false, false, "newtype"},
    {"Type_create_darray", ACT_TYPE, false, false, "newtype"},
    {"Type_create_f90_complex", ACT_TYPE, false, false, "newtype"},
    {"Type_create_f90_integer", ACT_TYPE, false, false, "newtype"},
    {"Type_create_f90_real", ACT_TYPE, false, false, "newtype"},
    {"Type_create_hindexed", ACT_TYPE, false, false, "newtype"},
    {"Type_create_hindexed_block", ACT_TYPE, false, false, "newtype"},
    {"Type_create_hvector", ACT_TYPE, false, false, "newtype"},
    {"Type_create_indexed_block", ACT_TYPE, false, false, "newtype"},
    {"Type_create_resized", ACT_TYPE, false, false, "newtype"},
    {"Type_create_struct", ACT_TYPE, false, false, "newtype"},
    {"Type_create_subarray", ACT_TYPE, false, false, "newtype"},
    {"Type_dup", ACT_TYPE, false, false, "newtype"},
    {"Type_free", ACT_TYPE_END, false, false, NULL},
    {"Type_get_value_index", ACT_TYPE, false, false, "pair_type"},
    {"Type_hindexed", ACT_TYPE, false, false, "newtype"},
    {"Type_hvector", ACT_TYPE, false, false, "newtype"},
    {"Type_indexed", ACT_TYPE, false, false, "newtype"},
    {"Type_match_size", ACT_TYPE, false, false, "datatype"},
    {"Type_size", ACT_TYPE_SIZE, false, false, "size"},
    {"Type_size_x", ACT_TYPE_SIZE, false, false, "size"},
    {"Type_struct", ACT_TYPE, false, false, "newtype"},
    {"Type_vector", ACT_TYPE, false, false, "newtype"},
    {"Wait", ACT_WAIT, false, false, NULL},
    {"Waitall", ACT_WAIT, false, false, NULL},
    {"Waitany", ACT_WAIT, false, false, NULL},
    {"Waitsome", ACT_WAIT, false, false, NULL},
    {"Win_allocate", ACT_CONTAINER, false, false, NULL},
    {"Win_allocate_shared", ACT_CONTAINER, false, false, NULL},
    {"Win_complete", ACT_EPOCH, false, false, NULL},
    {"Win_create", ACT_CONTAINER, false, false, NULL},
    {"Win_create_dynamic", ACT_CONTAINER, false, false, NULL},
    {"Win_fence", ACT_CONTAINER_CALL, false, false, NULL},
    {"Win_flush", ACT_EPOCH, false, false, NULL},
    {"Win_flush_all", ACT_EPOCH, false, false, NULL},
    {"Win_free", ACT_CONTAINER_CALL, false, false, NULL},
    {"Win_get_group", ACT_GROUP, false, false, "group"},
    {"Win_lock", ACT_EPOCH, false, false, NULL},
    {"Win_lock_all", ACT_EPOCH, false, false, NULL},
    {"Win_post", ACT_EPOCH, false, false, NULL},
    {"Win_start", ACT_EPOCH, false, false, NULL},
    {"Win_test", ACT_EPOCH, false, false, NULL},
    {"Win_unlock", ACT_EPOCH, false, false, NULL},
    {"Win_unlock_all", ACT_EPOCH, false, false, NULL},
    {"Win_wait", ACT_EPOCH, false, false, NULL},
};

/* Collective functions on a communicator, without MPI_, I, _init and _c. */
static const struct named_pattern {
    const char *name;
    enum match_pattern pattern;
} patterns[] = {
    {"Allgather", MATCH_ALL},
    {"Allgatherv", MATCH_ALL},
    {"Allreduce", MATCH_ALL},
    {"Alltoall", MATCH_ALL},
    {"Alltoallv", MATCH_PAIRS},
    {"Alltoallw", MATCH_PAIRS},
    {"Barrier", MATCH_BARRIER},
    {"Bcast", MATCH_FROM},
    {"Exscan", MATCH_SCAN},
    {"Finalize", MATCH_OTHER},
    {"Gather", MATCH_TO},
    {"Gatherv", MATCH_TO},
    {"Init", MATCH_OTHER},
    {"Init_thread", MATCH_OTHER},
    {"Neighbor_allgather", MATCH_NEIGHBORS},
    {"Neighbor_allgatherv", MATCH_NEIGHBORS},
    {"Neighbor_alltoall", MATCH_NEIGHBORS},
    {"Neighbor_alltoallv", MATCH_NEIGHBORS},
    {"Neighbor_alltoallw", MATCH_NEIGHBORS},
    {"Reduce", MATCH_TO},
    {"Reduce_scatter", MATCH_ALL},
    {"Reduce_scatter_block", MATCH_ALL},
    {"Scan", MATCH_SCAN},
    {"Scatter", MATCH_FROM},
    {"Scatterv", MATCH_FROM},
};

/* Names of parameters. The first name that a function has is the one. */
static const struct named_parameter {
    const char *name;
    enum match_parameter parameter;
} names[] = {
    {"comm", P_COMM},
    {"comm_old", P_COMM},
    {"local_comm", P_COMM},
    {"intercomm", P_COMM},
    {"dest", P_DEST},
    {"source", P_SOURCE},
    {"tag", P_TAG},
    {"count", P_COUNT},
    {"datatype", P_TYPE},
    {"request", P_REQUEST},
    {"array_of_requests", P_REQUESTS},
    {"status", P_STATUS},
    {"array_of_statuses", P_STATUSES},
    {"flag", P_FLAG},
    {"index", P_INDEX},
    {"array_of_indices", P_INDICES},
    {"outcount", P_OUTCOUNT},
    {"message", P_MESSAGE},
    {"partitions", P_PARTITIONS},
    {"root", P_ROOT},
    {"sendtag", P_SENDTAG},
    {"recvtag", P_RECVTAG},
    {"sendcount", P_SENDCOUNT},
    {"recvcount", P_RECVCOUNT},
    {"sendtype", P_SENDTYPE},
    {"recvtype", P_RECVTYPE},
    {"sendcounts", P_SENDCOUNTS},
    {"recvcounts", P_RECVCOUNTS},
    {"sendbuf", P_SENDBUF},
    {"recvbuf", P_RECVBUF},
    {"buf", P_BUF},
    {"win", P_CONTAINER},
    {"group", P_GROUP},
    {"group1", P_GROUP},
    {"group2", P_GROUP_2},
    {"ranks", P_RANKS},
    {"ranges", P_RANKS},
    {"rank", P_RANK},
    {"target_rank", P_RANK},
    {"lock_type", P_LOCK},
    {"origin_count", P_SENDCOUNT},
    {"origin_datatype", P_SENDTYPE},
    {"result_count", P_RECVCOUNT},
    {"result_datatype", P_RECVTYPE},
    {"fh", P_CONTAINER},
};

/* What functions on windows do to epochs, without MPI_Win_. */
static const struct named_sync {
    const char *name;
    enum match_sync sync;
} syncs[] = {
    {"complete", SYNC_COMPLETE}, {"fence", SYNC_FENCE}, {"flush", SYNC_FLUSH},   {"flush_all", SYNC_FLUSH},
    {"free", SYNC_FREE},         {"lock", SYNC_LOCK},   {"lock_all", SYNC_LOCK}, {"post", SYNC_POST},
    {"start", SYNC_START},       {"test", SYNC_WAIT},   {"unlock", SYNC_UNLOCK}, {"unlock_all", SYNC_UNLOCK},
    {"wait", SYNC_WAIT},
};

static int compare_name(const void *wanted, const void *entry)
{
    return strcmp(wanted, *(const char *const *)entry); /* both tables begin with the name */
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), cut = strlen(end);
    return length > cut && strcmp(text + length - cut, end) == 0;
}

/* Looks up a collective function: MPI_Ibcast, MPI_Bcast_init and MPI_Bcast do the same. */
static void find_collective(struct match_role *role, char *name)
{
    if (ends_with(name, "_init")) {
        role->persistent = true;
        name[strlen(name) - strlen("_init")] = 0;
    }
    if (name[0] == 'I' && islower((unsigned char)name[1]) && strncmp(name, "Init", 4) != 0) {
        name++;
        name[0] = (char)toupper((unsigned char)name[0]);
    }
    const struct named_pattern *found = bsearch(name, patterns, COUNT(patterns), sizeof *patterns, compare_name);
    if (!found)
        return;
    role->act = ACT_COLLECTIVE;
    role->pattern = found->pattern;
    role->finalize = strcmp(name, "Finalize") == 0;
    role->init = strncmp(name, "Init", 4) == 0;
}

static void find_act(struct match_role *role, const char **made)
{
    char name[NAME_MAX_LENGTH];
    *made = NULL;
    role->act = ACT_NONE;
    role->pattern = MATCH_OTHER;
    const char *short_name = call_short_name(role->name);
    if (!short_name || strlen(short_name) >= sizeof name)
        return;
    strcpy(name, short_name);
    if (ends_with(name, "_c"))
        name[strlen(name) - 2] = 0;
    const struct named_act *found = bsearch(name, acts, COUNT(acts), sizeof *acts, compare_name);
    if (!found) {
        find_collective(role, name);
        return;
    }
    role->act = found->act;
    if (strncmp(name, "Win_", 4) == 0) {
        const struct named_sync *sync = bsearch(name + 4, syncs, COUNT(syncs), sizeof *syncs, compare_name);
        role->sync = sync ? sync->sync : SYNC_NONE;
    }
    role->persistent = found->persistent;
    role->buffered = found->buffered;
    role->synchronous = strncmp(name, "Ssend", strlen("Ssend")) == 0 || strcmp(name, "Issend") == 0;
    *made = found->made;
}

static void find_parameters(struct match_role *role, const struct pilgrim_function *function, const char *made)
{
    for (int p = 0; p < PARAMETERS; p++)
        role->index[p] = -1;
    for (size_t i = 0; i < function->parameter_count && i < 64; i++) {
        const char *name = function->parameters[i].name;
        if (made && strcmp(name, made) == 0)
            role->index[P_MADE] = (int)i;
        for (size_t n = 0; n < COUNT(names) && (!made || strcmp(name, made) != 0); n++)
            if (strcmp(names[n].name, name) == 0 && role->index[names[n].parameter] < 0)
                role->index[names[n].parameter] = (int)i;
    }
}

static struct match_role *make_role(const struct pilgrim_function *function)
{
    size_t length = strlen(function->name) + 1;
    struct match_role *role = calloc(1, sizeof *role + length);
    const char *made;
    if (!role)
        return NULL;
    memcpy(role + 1, function->name, length);
    role->name = (const char *)(role + 1);
    role->parameter_count = function->parameter_count;
    find_act(role, &made);
    find_parameters(role, function, made);
    role->poll = call_poll_parameter(function);
    return role;
}

static size_t home(const struct match_roles *roles, const char *name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ h >> 32) & (roles->capacity - 1);
}

static struct match_role **slot_of(const struct match_roles *roles, const char *name, size_t parameter_count)
{
    size_t i = home(roles, name);
    while (roles->slots[i] &&
           (strcmp(roles->slots[i]->name, name) != 0 || roles->slots[i]->parameter_count != parameter_count))
        i = (i + 1) & (roles->capacity - 1);
    return &roles->slots[i];
}

static bool grow(struct match_roles *roles)
{
    const struct match_roles old = *roles;
    struct match_roles larger = {.capacity = old.capacity ? 2 * old.capacity : CAPACITY_FIRST, .count = old.count};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i])
            *slot_of(&larger, old.slots[i]->name, old.slots[i]->parameter_count) = old.slots[i];
    free(old.slots);
    *roles = larger;
    return true;
}

const struct match_role *match_role_of(struct match_roles *roles, const struct pilgrim_function *function)
{
    if (2 * (roles->count + 1) > roles->capacity && !grow(roles))
        return NULL;
    struct match_role **slot = slot_of(roles, function->name, function->parameter_count);
    if (!*slot && (*slot = make_role(function)))
        roles->count++;
    return *slot;
}

void match_roles_free(struct match_roles *roles)
{
    for (size_t i = 0; i < roles->capacity; i++)
        free(roles->slots[i]);
    free(roles->slots);
    *roles = (struct match_roles){0};
}

static const struct pilgrim_value none = {.type = PILGRIM_NONE};

const struct pilgrim_value *role_in(const struct match_role *role, const struct pilgrim_call *call,
                                    enum match_parameter parameter)
{
    return role->index[parameter] < 0 ? &none : &call->in[role->index[parameter]];
}

const struct pilgrim_value *role_out(const struct match_role *role, const struct pilgrim_call *call,
                                     enum match_parameter parameter)
{
    return role->index[parameter] < 0 ? &none : &call->out[role->index[parameter]];
}
