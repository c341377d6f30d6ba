/* Written by pilgrim-gen: the wrappers of the standard's chapter "pt2pt". */
#include "capture/call.h"
#include "capture/entry.h"
#include "capture/init.h"
#include "functions.h"
#include "shadow_functions.h"
#include "topology_lengths.h"

static int wrapper_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                             MPI_Comm comm, MPI_Request *request)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Isend, CALL_SITE))
        return PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
    call_view(&c, KIND_COMM, HANDLE(comm));
    put_buffer(&c, buf);
    put_int(&c, count);
    put_handle(&c, KIND_DATATYPE, HANDLE(datatype));
    put_rank(&c, dest);
    put_enum(&c, ENUM_TAG, tag);
    put_handle(&c, KIND_COMM, HANDLE(comm));
    if (c.shadow)
        shadow_in_MPI_Isend(c.shadow, buf, count, datatype, dest, tag, comm);
    call_enter(&c);
    int ret = PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
    call_leave(&c, ret);
    if (c.ok)
        put_new_request(&c, *request, REQUEST_SEND, false);
    else
        put_none(&c, 1);
    if (c.shadow)
        shadow_out_MPI_Isend(c.shadow, request, ret);
    call_end(&c, ret);
    return ret;
}
ENTRY(MPI_Isend);

static int wrapper_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                            MPI_Status *status)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Recv, CALL_SITE))
        return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
    call_view(&c, KIND_COMM, HANDLE(comm));
    MPI_Status *actual = call_status(&c, status);
    put_buffer(&c, buf);
    put_int(&c, count);
    put_handle(&c, KIND_DATATYPE, HANDLE(datatype));
    put_rank(&c, source);
    put_enum(&c, ENUM_TAG, tag);
    put_handle(&c, KIND_COMM, HANDLE(comm));
    if (c.shadow)
        shadow_in_MPI_Recv(c.shadow, buf, count, datatype, source, tag, comm);
    call_enter(&c);
    int ret = PMPI_Recv(buf, count, datatype, source, tag, comm, actual);
    call_leave(&c, ret);
    if (c.ok)
        put_status(&c, actual, actual != status);
    else
        put_none(&c, 1);
    if (c.shadow)
        shadow_out_MPI_Recv(c.shadow, status, actual, ret);
    call_end(&c, ret);
    return ret;
}
ENTRY(MPI_Recv);

static int wrapper_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag,
                               MPI_Status *status)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Testany, CALL_SITE))
        return PMPI_Testany(count, array_of_requests, index, flag, status);
    MPI_Status *actual = call_status(&c, status);
    put_int(&c, count);
    put_requests(&c, array_of_requests, count);
    if (c.shadow)
        shadow_in_MPI_Testany(c.shadow, count, array_of_requests);
    call_enter(&c);
    int ret = PMPI_Testany(count, array_of_requests, index, flag, actual);
    call_leave(&c, ret);
    put_requests_after(&c, array_of_requests, count);
    if (c.ok) {
        put_enum(&c, ENUM_UNDEFINED, *index);
        put_bool(&c, *flag);
        if (*flag)
            put_status_of(&c, *index, actual, actual != status);
        else
            put_none(&c, 1);
    } else {
        put_none(&c, 3);
    }
    if (c.shadow)
        shadow_out_MPI_Testany(c.shadow, count, array_of_requests, index, flag, status, actual, ret);
    call_end(&c, ret);
    return ret;
}
ENTRY(MPI_Testany);

static int wrapper_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Waitall, CALL_SITE))
        return PMPI_Waitall(count, array_of_requests, array_of_statuses);
    MPI_Status *actual = call_statuses(&c, array_of_statuses, count);
    put_int(&c, count);
    put_requests(&c, array_of_requests, count);
    if (c.shadow)
        shadow_in_MPI_Waitall(c.shadow, count, array_of_requests);
    call_enter(&c);
    int ret = PMPI_Waitall(count, array_of_requests, actual);
    call_leave_statuses(&c, ret);
    put_requests_after(&c, array_of_requests, count);
    if (c.ok)
        put_statuses(&c, actual, count, actual != array_of_statuses);
    else
        put_none(&c, 1);
    if (c.shadow)
        shadow_out_MPI_Waitall(c.shadow, count, array_of_requests, array_of_statuses, actual, ret);
    call_end(&c, ret);
    return ret;
}
ENTRY(MPI_Waitall);
