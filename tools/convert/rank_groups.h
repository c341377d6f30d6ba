/* SPDX-License-Identifier: BSD-3-Clause */
/* What the groups of processes in a trace's calls (MPI_Group) are, as far as the calls say it. */
#ifndef CONVERT_RANK_GROUPS_H
#define CONVERT_RANK_GROUPS_H

#include <uthash.h>

#include "comm_table.h"

/* A list of processes; each one is there once. */
struct rank_group {
    UT_hash_handle hh;
    struct rank_group *next; /* that is used, in the order of their numbers */
    uint32_t number;         /* among those that are used, from 0 */
    bool used;
    size_t count;
    uint64_t members[]; /* ranks in MPI_COMM_WORLD */
};

/* All zero: empty. */
struct rank_groups {
    struct rank_group *table;
    struct rank_group *first, *last; /* of those that are used */
    uint32_t count;
    struct match_map objects;  /* by rank and number */
    struct match_map of_comms; /* of all processes of a communicator */
};

/* Takes a call of a process, if it makes a group. false: no memory */
bool rank_groups_take(struct rank_groups *g, const struct comm_table *comms, struct match *m,
                      const struct match_seen *seen);

/* Returns the group that VALUE names on RANK; NULL: not known. */
struct rank_group *rank_groups_find(const struct rank_groups *g, uint32_t rank, const struct pilgrim_value *value);

/* GROUP is used; returns its number. */
uint32_t rank_groups_use(struct rank_groups *g, struct rank_group *group);

void rank_groups_free(struct rank_groups *g);

#endif
