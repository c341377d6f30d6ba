/* Written by pilgrim-gen: the layer of the shadow's between wrappers and MPI (shadow/shadow_calls.h), which prints each call as
 * JSON. `view`: the communicator or window that the call's ranks refer to; `ignored`: the program ignores the status. */
#ifndef PILGRIM_SHADOW_FUNCTIONS_H
#define PILGRIM_SHADOW_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/call.h" /* lengths only */
#include "shadow/shadow.h"
#include "shadow/shadow_calls.h"

/* Whether this process stands at ROOT's place. */
static inline bool shadow_at_root(const struct view *view, int root)
{
    return view->inter ? root == MPI_ROOT : view->rank == root;
}

/* Whether RET says that the array of statuses holds the errors. */
static inline bool shadow_in_status(int ret)
{
    int error_class = MPI_SUCCESS;
    return PMPI_Error_class(ret, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_IN_STATUS;
}

int shadow_layer_MPI_Comm_free(MPI_Comm *comm);
int shadow_layer_MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                             const int recvcounts[], const int *displs, MPI_Datatype recvtype, int root,
                             MPI_Comm comm);
int shadow_layer_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                           MPI_Comm comm, MPI_Request *request);
int shadow_layer_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                          MPI_Status *status);
int shadow_layer_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag,
                             MPI_Status *status);
int shadow_layer_MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                            const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                            MPI_Datatype *newtype);
int shadow_layer_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses);
double shadow_layer_MPI_Wtime(void);

#endif
