/* SPDX-License-Identifier: BSD-3-Clause */
/* What the trace says of each communicator: its kind, the caller's place in it, and which communicators of other
 * processes are the same one.
 *
 * Identity needs no message (the processes that create a communicator make the same calls in the same order on what
 * they create it from): it is the parent, how many were made from the parent before, and the leader, the process that
 * is rank 0, by its rank in MPI_COMM_WORLD. Where not all processes of the parent take part, or there is no common
 * parent, a key stands for the members, and those with equal keys are counted. Neither count is stored: a reader
 * counts.
 *
 * Each creation is one call of pilgrim_communicator in the process stream (docs/FORMAT.md), in the order of the
 * process. */
#ifndef PILGRIM_COMMUNICATOR_CALLS_H
#define PILGRIM_COMMUNICATOR_CALLS_H

#include "wrap/call.h"

/* MPI_Init is done: MPI_COMM_WORLD can be asked. A spawned process gets to know its parents. */
void communicators_begin(void);

/* put_new and put_new_pending (put.h) for communicators. COMM was made from PARENT, or from MPI_COMM_NULL. SALT is not
 * 0 if the members identify COMM. COMM may be MPI_COMM_NULL, if this process is not a member. */
void put_new_comm(struct call *c, MPI_Comm comm, MPI_Comm parent, uint64_t salt);
void put_new_comm_pending(struct call *c, MPI_Comm comm, MPI_Comm parent);

/* Returns a salt, never 0, made of the tag that the members of a new communicator agree on. */
uint64_t comm_salt(int tag);
uint64_t comm_salt_text(const char *tag);

/* A call that is not seen made COMM, as in put_new_comm and put_new_comm_pending. */
void communicators_untracked(MPI_Comm comm, MPI_Comm parent, uint64_t salt);
void communicators_untracked_pending(MPI_Comm comm, MPI_Comm parent);

/* Nothing is asked of MPI after this. */
void communicators_end(void);

#endif
