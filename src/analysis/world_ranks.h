/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps members of groups of processes to ranks in MPI_COMM_WORLD. */
#ifndef ANALYSIS_WORLD_RANKS_H
#define ANALYSIS_WORLD_RANKS_H

#include <pilgrim/reader.h>

#include "analysis/key_table.h"

enum { GROUP_UNKNOWN, GROUP_WORLD, GROUP_FIRST }; /* groups that are added here have numbers from GROUP_FIRST on */

/* A process, as another process names it in an argument. */
struct group_member {
    uint64_t group; /* a number for the group of a communicator */
    uint64_t side;  /* 0; in an inter-communicator: a number for the one of its two groups that the caller is in */
    int64_t rank;   /* rank in the group; in an inter-communicator: in the other one */
};

/* All zero: nothing is known. */
struct world_ranks {
    struct key_table members, sides;
};

/* Adds a member: rank WORLD of MPI_COMM_WORLD is rank RANK of GROUP, on SIDE. false: no memory */
bool world_ranks_add(struct world_ranks *w, uint64_t group, uint64_t side, int64_t rank, uint32_t world);

/* Returns the rank of MEMBER in MPI_COMM_WORLD, which has RANK_COUNT ranks; -1 if nobody was added there, or several
 * were. */
int64_t world_ranks_find(const struct world_ranks *w, const struct group_member *member, uint32_t rank_count);

void world_ranks_free(struct world_ranks *w);

#endif
