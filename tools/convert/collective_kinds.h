/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of collective operations, and of MPI functions. */
#ifndef CONVERT_COLLECTIVE_KINDS_H
#define CONVERT_COLLECTIVE_KINDS_H

#include <stdbool.h>

/* As OTF2 numbers them (OTF2_CollectiveOp). */
enum collective_kind {
    COLLECTIVE_BARRIER = 0,
    COLLECTIVE_BCAST = 1,
    COLLECTIVE_GATHER = 2,
    COLLECTIVE_GATHERV = 3,
    COLLECTIVE_SCATTER = 4,
    COLLECTIVE_SCATTERV = 5,
    COLLECTIVE_ALLGATHER = 6,
    COLLECTIVE_ALLGATHERV = 7,
    COLLECTIVE_ALLTOALL = 8,
    COLLECTIVE_ALLTOALLV = 9,
    COLLECTIVE_ALLTOALLW = 10,
    COLLECTIVE_ALLREDUCE = 11,
    COLLECTIVE_REDUCE = 12,
    COLLECTIVE_REDUCE_SCATTER = 13,
    COLLECTIVE_SCAN = 14,
    COLLECTIVE_EXSCAN = 15,
    COLLECTIVE_REDUCE_SCATTER_BLOCK = 16,
    COLLECTIVE_CREATE = 17, /* a communicator */
    COLLECTIVE_DESTROY = 18
};

/* Returns what the collective function NAME on a communicator does, enum collective_kind; -1: none of these. A
 * persistent one ("MPI_Bcast_init") has the kind of what each start does. NONBLOCKING: it makes a request. */
int collective_kind_of(const char *name, bool nonblocking);

/* True if NAME, which returns a communicator, has made it. */
bool makes_communicator(const char *name);

/* Returns what the function NAME is for, as OTF2 numbers it (OTF2_RegionRole). */
int function_role(const char *name);

/* True if calls of the function wait for messages or other processes: point to point or collective. */
bool function_communicates(const char *name);

/* True if such a call may wait: it sends or receives and blocks, or waits for requests, or is a collective operation
 * that blocks. */
bool function_waits(const char *name);

/* True if calls of the function communicate in a way that is no message and no collective operation of those above:
 * windows, files, neighbors, persistent collective operations. */
bool function_is_unsaid(const char *name);

#endif
