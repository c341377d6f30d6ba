/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the layer of the shadow between wrappers and MPI (shadow/shadow_calls.h), which prints each
 * call as JSON. `rank_base`: what the call's ranks refer to; `ignored`: the program ignores the status. */
#ifndef PILGRIM_SHADOW_FUNCTIONS_H
#define PILGRIM_SHADOW_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "wrap/lengths.h"
#include "shadow/shadow.h"
#include "shadow/shadow_calls.h"

/* True if ROOT is this process. */
static inline bool shadow_at_root(const struct rank_base *rank_base, int root)
{
    return rank_base->inter ? root == MPI_ROOT : rank_base->rank == root;
}

/* True if RET says that the statuses have the errors. */
static inline bool shadow_in_status(int ret)
{
    int error_class = MPI_SUCCESS;
    return PMPI_Error_class(ret, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_IN_STATUS;
}

int shadow_layer_MPI_Comm_free(MPI_Comm *comm);
int shadow_layer_MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                             const int recvcounts[], const int *displs, MPI_Datatype recvtype, int root, MPI_Comm comm);
int shadow_layer_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                           MPI_Request *request);
int shadow_layer_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                          MPI_Status *status);
int shadow_layer_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status);
int shadow_layer_MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                            const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                            MPI_Datatype *newtype);
int shadow_layer_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses);
double shadow_layer_MPI_Wtime(void);

#endif
