/* SPDX-License-Identifier: BSD-3-Clause */
/* What the trace says of each communicator: its kind, the caller's rank in it, and which communicators of other
 * processes are the same one.
 *
 * To identify a communicator no message is needed, because the processes that create it make the same calls in the same
 * order on its parent. Its identity is the parent, the number of communicators made from the parent before, and the
 * leader: the process with rank 0, by its rank in MPI_COMM_WORLD. If not all processes of the parent take part, or if
 * there is no common parent, a hash of the members stands for the parent. The numbers are not stored: a reader counts.
 *
 * Each creation is one pseudo call pilgrim_communicator in the process stream (docs/FORMAT.md), in the order in which
 * the process created them. */
#ifndef PILGRIM_COMMUNICATOR_CALLS_H
#define PILGRIM_COMMUNICATOR_CALLS_H

#include "wrap/call.h"

/* After MPI_Init. Prepares questions about MPI_COMM_WORLD, and records the parent of a spawned process. */
void communicators_begin(void);

/* put_new and put_new_pending (put.h) for communicators. COMM was made from PARENT, or from MPI_COMM_NULL. SALT is not
 * 0 if the members identify COMM. COMM may be MPI_COMM_NULL, if this process is not a member. */
void put_new_comm(struct call *c, MPI_Comm comm, MPI_Comm parent, uint64_t salt);
void put_new_comm_pending(struct call *c, MPI_Comm comm, MPI_Comm parent);

/* Returns a salt, never 0, from the tag that the members of a new communicator pass. */
uint64_t comm_salt(int tag);
uint64_t comm_salt_text(const char *tag);

/* The same for communicators that a call created that is not recorded. */
void communicators_untracked(MPI_Comm comm, MPI_Comm parent, uint64_t salt);
void communicators_untracked_pending(MPI_Comm comm, MPI_Comm parent);

/* Before MPI_Finalize. Asks MPI nothing more. */
void communicators_end(void);

#endif
