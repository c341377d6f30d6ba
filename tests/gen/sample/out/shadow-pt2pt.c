/* Written by pilgrim-gen: the shadow of the standard's chapter "pt2pt". */
#include "shadow_functions.h"

#include "functions.h"
#include "topology_lengths.h"

void shadow_in_MPI_Isend(struct shadow *s, const void *buf, int count, MPI_Datatype datatype, int dest,
                         int tag, MPI_Comm comm)
{
    shadow_in(s, 0);
    shadow_buffer(s, buf);
    shadow_in(s, 1);
    shadow_int(s, count);
    shadow_in(s, 2);
    shadow_handle(s, KIND_DATATYPE, HANDLE(datatype));
    shadow_in(s, 3);
    shadow_rank(s, dest);
    shadow_in(s, 4);
    shadow_enum(s, ENUM_TAG, tag);
    shadow_in(s, 5);
    shadow_handle(s, KIND_COMM, HANDLE(comm));
}

void shadow_out_MPI_Isend(struct shadow *s, MPI_Request *request, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 6);
    if (ok)
        shadow_new_request(s, *request);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

void shadow_in_MPI_Recv(struct shadow *s, void *buf, int count, MPI_Datatype datatype, int source, int tag,
                        MPI_Comm comm)
{
    shadow_in(s, 0);
    shadow_buffer(s, buf);
    shadow_in(s, 1);
    shadow_int(s, count);
    shadow_in(s, 2);
    shadow_handle(s, KIND_DATATYPE, HANDLE(datatype));
    shadow_in(s, 3);
    shadow_rank(s, source);
    shadow_in(s, 4);
    shadow_enum(s, ENUM_TAG, tag);
    shadow_in(s, 5);
    shadow_handle(s, KIND_COMM, HANDLE(comm));
}

void shadow_out_MPI_Recv(struct shadow *s, MPI_Status *status, const MPI_Status *actual, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 6);
    if (ok)
        shadow_status(s, actual, actual != status);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

void shadow_in_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[])
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    shadow_requests(s, array_of_requests, count);
}

void shadow_out_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[], int *index,
                            int *flag, MPI_Status *status, const MPI_Status *actual, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 1);
    shadow_requests_after(s, array_of_requests, count);
    shadow_out(s, 2);
    if (ok)
        shadow_enum(s, ENUM_UNDEFINED, *index);
    else
        shadow_null(s);
    shadow_out(s, 3);
    if (ok)
        shadow_bool(s, *flag);
    else
        shadow_null(s);
    shadow_out(s, 4);
    if (ok && *flag)
        shadow_status_of(s, *index, actual, actual != status);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

void shadow_in_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[])
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    shadow_requests(s, array_of_requests, count);
}

void shadow_out_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[],
                            MPI_Status *array_of_statuses, const MPI_Status *actual, int ret)
{
    bool ok = ret == MPI_SUCCESS || shadow_in_status(ret);
    shadow_out(s, 1);
    shadow_requests_after(s, array_of_requests, count);
    shadow_out(s, 2);
    if (ok)
        shadow_statuses(s, actual, count, actual != array_of_statuses);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}
