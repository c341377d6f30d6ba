/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of processes: who in MPI_COMM_WORLD is which one of them. */
#ifndef DECODER_WORLD_RANKS_H
#define DECODER_WORLD_RANKS_H

#include <pilgrim/reader.h>

#include "key_table.h"

enum { GROUP_UNKNOWN, GROUP_WORLD, GROUP_FIRST }; /* of groups that are told of here numbers are GROUP_FIRST or more */

/* A process, as another one names it in an argument. */
struct group_member {
    uint64_t group; /* a number for the processes of a communicator */
    uint64_t side;  /* 0; of an inter-communicator a number for the one of its two groups that the caller is in */
    int64_t rank;   /* in the group; of an inter-communicator in the other one */
};

/* All zero: nothing is known. */
struct world_ranks {
    struct key_table members, sides;
};

/* Rank WORLD is number RANK of GROUP, in its group SIDE. false: no memory */
bool world_ranks_add(struct world_ranks *w, uint64_t group, uint64_t side, int64_t rank, uint32_t world);

/* The rank in MPI_COMM_WORLD, of RANK_COUNT, of MEMBER; -1: nobody has said that it is there, or several have. */
int64_t world_ranks_find(const struct world_ranks *w, const struct group_member *member, uint32_t rank_count);

void world_ranks_free(struct world_ranks *w);

#endif
