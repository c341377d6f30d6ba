/* SPDX-License-Identifier: BSD-3-Clause */
/* Knows functions by their names; see collective_kinds.h. */
#include "collective_kinds.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LENGTH = 64 };

/* OTF2_RegionRole */
enum {
    ROLE_FUNCTION = 1,
    ROLE_BARRIER = 15,
    ROLE_FROM_ONE = 23,
    ROLE_TO_ONE = 24,
    ROLE_ALL = 25,
    ROLE_COLLECTIVE = 26,
    ROLE_FILE = 27,
    ROLE_MESSAGE = 28,
    ROLE_RMA = 29,
    ROLE_FILE_DATA = 38
};

/* Without MPI_, the I of non-blocking ones, _init and _c; in small letters, in order. */
static const struct named_kind {
    const char *name;
    int kind, role;
} kinds[] = {
    {"allgather", COLLECTIVE_ALLGATHER, ROLE_ALL},
    {"allgatherv", COLLECTIVE_ALLGATHERV, ROLE_ALL},
    {"allreduce", COLLECTIVE_ALLREDUCE, ROLE_ALL},
    {"alltoall", COLLECTIVE_ALLTOALL, ROLE_ALL},
    {"alltoallv", COLLECTIVE_ALLTOALLV, ROLE_ALL},
    {"alltoallw", COLLECTIVE_ALLTOALLW, ROLE_ALL},
    {"barrier", COLLECTIVE_BARRIER, ROLE_BARRIER},
    {"bcast", COLLECTIVE_BCAST, ROLE_FROM_ONE},
    {"cart_create", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"cart_sub", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"comm_create", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"comm_disconnect", COLLECTIVE_DESTROY, ROLE_COLLECTIVE},
    {"comm_dup", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"comm_dup_with_info", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"comm_free", COLLECTIVE_DESTROY, ROLE_COLLECTIVE},
    {"comm_split", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"comm_split_type", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"dist_graph_create", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"dist_graph_create_adjacent", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"exscan", COLLECTIVE_EXSCAN, ROLE_COLLECTIVE},
    {"gather", COLLECTIVE_GATHER, ROLE_TO_ONE},
    {"gatherv", COLLECTIVE_GATHERV, ROLE_TO_ONE},
    {"graph_create", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"intercomm_create", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"intercomm_merge", COLLECTIVE_CREATE, ROLE_COLLECTIVE},
    {"reduce", COLLECTIVE_REDUCE, ROLE_TO_ONE},
    {"reduce_scatter", COLLECTIVE_REDUCE_SCATTER, ROLE_ALL},
    {"reduce_scatter_block", COLLECTIVE_REDUCE_SCATTER_BLOCK, ROLE_ALL},
    {"scan", COLLECTIVE_SCAN, ROLE_COLLECTIVE},
    {"scatter", COLLECTIVE_SCATTER, ROLE_FROM_ONE},
    {"scatterv", COLLECTIVE_SCATTERV, ROLE_FROM_ONE},
};

/* Other functions, by how they begin; the first that fits. */
static const struct named_role {
    const char *begin;
    int role;
} roles[] = {
    {"file_read", ROLE_FILE},
    {"file_write", ROLE_FILE},
    {"file_iread", ROLE_FILE},
    {"file_iwrite", ROLE_FILE},
    {"file_", ROLE_FILE_DATA},
    {"win_", ROLE_RMA},
    {"put", ROLE_RMA},
    {"rput", ROLE_RMA},
    {"get_accumulate", ROLE_RMA},
    {"rget", ROLE_RMA},
    {"accumulate", ROLE_RMA},
    {"raccumulate", ROLE_RMA},
    {"fetch_and_op", ROLE_RMA},
    {"compare_and_swap", ROLE_RMA},
    {"send", ROLE_MESSAGE},
    {"bsend", ROLE_MESSAGE},
    {"ssend", ROLE_MESSAGE},
    {"rsend", ROLE_MESSAGE},
    {"isend", ROLE_MESSAGE},
    {"ibsend", ROLE_MESSAGE},
    {"issend", ROLE_MESSAGE},
    {"irsend", ROLE_MESSAGE},
    {"recv", ROLE_MESSAGE},
    {"irecv", ROLE_MESSAGE},
    {"mrecv", ROLE_MESSAGE},
    {"imrecv", ROLE_MESSAGE},
    {"psend", ROLE_MESSAGE},
    {"precv", ROLE_MESSAGE},
    {"probe", ROLE_MESSAGE},
    {"iprobe", ROLE_MESSAGE},
    {"mprobe", ROLE_MESSAGE},
    {"improbe", ROLE_MESSAGE},
    {"wait", ROLE_MESSAGE},
    {"test", ROLE_MESSAGE},
    {"start", ROLE_MESSAGE},
    {"neighbor_", ROLE_COLLECTIVE},
    {"ineighbor_", ROLE_COLLECTIVE},
};

static void cut(char *name, const char *ending)
{
    const size_t length = strlen(name), cut = strlen(ending);
    if (length > cut && strcmp(name + length - cut, ending) == 0)
        name[length - cut] = 0;
}

/* Writes NAME without MPI_ and _c, in small letters. */
static void shorten(const char *name, char to[NAME_LENGTH])
{
    size_t n = 0;
    name += strncmp(name, "MPI_", 4) == 0 ? 4 : 0;
    while (name[n] && n < NAME_LENGTH - 1) {
        to[n] = (char)tolower((unsigned char)name[n]);
        n++;
    }
    to[n] = 0;
    cut(to, "_c");
}

static int compare(const void *name, const void *kind)
{
    return strcmp(name, ((const struct named_kind *)kind)->name);
}

static const struct named_kind *find(char *name, bool nonblocking)
{
    cut(name, "_init");
    const struct named_kind *found = bsearch(name, kinds, sizeof kinds / sizeof *kinds, sizeof *kinds, compare);
    if (found || !nonblocking)
        return found;
    char *i = strncmp(name, "comm_i", 6) == 0 ? name + 5 : name;
    if (*i != 'i')
        return NULL;
    memmove(i, i + 1, strlen(i));
    return bsearch(name, kinds, sizeof kinds / sizeof *kinds, sizeof *kinds, compare);
}

int collective_kind_of(const char *name, bool nonblocking)
{
    char shortened[NAME_LENGTH];
    shorten(name, shortened);
    const struct named_kind *found = find(shortened, nonblocking);
    return found ? found->kind : -1;
}

bool makes_communicator(const char *name)
{
    return !strstr(name, "_get_");
}

int function_role(const char *name)
{
    char shortened[NAME_LENGTH];
    shorten(name, shortened);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strncmp(shortened, roles[i].begin, strlen(roles[i].begin)) == 0)
            return roles[i].role;
    if (strcmp(shortened, "get") == 0)
        return ROLE_RMA;
    const struct named_kind *found = find(shortened, true);
    return found ? found->role : ROLE_FUNCTION;
}

/* Between groups of processes that are no communicator, or not all of one. */
static bool joins_groups(const char *shortened)
{
    static const char *const begins[] = {"comm_create_", "comm_accept", "comm_connect",
                                         "comm_spawn",   "comm_join",   "intercomm_create_"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(shortened, begins[i], strlen(begins[i])) == 0)
            return strstr(shortened, "keyval") == NULL && strstr(shortened, "errhandler") == NULL;
    return false;
}

bool function_communicates(const char *name)
{
    char shortened[NAME_LENGTH];
    const int role = function_role(name);
    shorten(name, shortened);
    return role == ROLE_MESSAGE || (role >= ROLE_FROM_ONE && role <= ROLE_COLLECTIVE) || role == ROLE_BARRIER ||
           joins_groups(shortened);
}

bool function_waits(const char *name)
{
    static const char *const goes_on[] = {"i", "test", "start", "bsend", "psend", "precv", "comm_idup"};
    char shortened[NAME_LENGTH];
    shorten(name, shortened);
    for (size_t i = 0; i < sizeof goes_on / sizeof *goes_on; i++)
        if (strncmp(shortened, goes_on[i], strlen(goes_on[i])) == 0 && strncmp(shortened, "intercomm", 9) != 0)
            return false;
    return function_communicates(name) && !strstr(shortened, "_init");
}

bool function_is_unsaid(const char *name)
{
    char shortened[NAME_LENGTH];
    const int role = function_role(name);
    shorten(name, shortened);
    return role == ROLE_RMA || role == ROLE_FILE || role == ROLE_FILE_DATA || strstr(shortened, "neighbor_") ||
           (strstr(shortened, "_init") && collective_kind_of(name, true) >= 0) || joins_groups(shortened);
}
