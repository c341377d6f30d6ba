/* Written by pilgrim-gen: each call as JSON (capture/shadow.h). `view`: the communicator or window that the call's
 * ranks refer to; `actual`: the status that MPI was given. */
#ifndef PILGRIM_SHADOW_FUNCTIONS_H
#define PILGRIM_SHADOW_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/call.h" /* lengths only */
#include "capture/shadow.h"

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

void shadow_in_MPI_Comm_free(struct shadow *s, MPI_Comm *comm);
void shadow_out_MPI_Comm_free(struct shadow *s, MPI_Comm *comm, int ret);
void shadow_out_MPI_Finalize(struct shadow *s);
void shadow_in_MPI_Gatherv(struct shadow *s, const struct view *view, const void *sendbuf, int sendcount,
                           MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int *displs,
                           MPI_Datatype recvtype, int root, MPI_Comm comm);
void shadow_out_MPI_Gatherv(struct shadow *s, int ret);
void shadow_in_MPI_Isend(struct shadow *s, const void *buf, int count, MPI_Datatype datatype, int dest,
                         int tag, MPI_Comm comm);
void shadow_out_MPI_Isend(struct shadow *s, MPI_Request *request, int ret);
void shadow_in_MPI_Recv(struct shadow *s, void *buf, int count, MPI_Datatype datatype, int source, int tag,
                        MPI_Comm comm);
void shadow_out_MPI_Recv(struct shadow *s, MPI_Status *status, const MPI_Status *actual, int ret);
void shadow_in_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[]);
void shadow_out_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[], int *index,
                            int *flag, MPI_Status *status, const MPI_Status *actual, int ret);
void shadow_in_MPI_Type_create_hindexed_c(struct shadow *s, MPI_Count count,
                                          const MPI_Count array_of_blocklengths[],
                                          const MPI_Count array_of_displacements[], MPI_Datatype oldtype);
void shadow_out_MPI_Type_create_hindexed_c(struct shadow *s, MPI_Datatype *newtype, int ret);
void shadow_in_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[]);
void shadow_out_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[],
                            MPI_Status *array_of_statuses, const MPI_Status *actual, int ret);
void shadow_out_MPI_Wtime(struct shadow *s, double ret);

#endif
