/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: wrappers of the functions in the standard's chapter "pt2pt". */
#include "mpi/entry.h"
#include "lifecycle/init.h"
#include "wrap/call_inline.h"
#include "fortran_directs.h"
#include "topology_lengths.h"

static int wrapper_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                             MPI_Request *request)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_REQUESTS))
        return call_untracked(PMPI_Isend(buf, count, datatype, dest, tag, comm, request), request, REQUEST_SEND, false,
                              KIND_COMM, HANDLE(comm));
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Isend, FOLLOWS_REQUESTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_untracked(call_passed(&c, PMPI_Isend(buf, count, datatype, dest, tag, comm, request)), request,
                              REQUEST_SEND, false, KIND_COMM, HANDLE(comm));
    const struct short_token base_token = call_rank_base(&c, KIND_COMM, HANDLE(comm));
    at = store_buffer(&c, at, buf);
    at = store_int(at, count);
    at = store_handle(&c, at, KIND_DATATYPE, HANDLE(datatype));
    at = store_rank(&c, at, dest);
    at = store_enum(at, ENUM_TAG, tag);
    at = store_with_base(&c, at, &base_token, KIND_COMM, HANDLE(comm));
    call_enter(&c, at);
    int ret = PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
    call_leave(&c, ret);
    if (c.ok)
        at = store_new_request(&c, at, *request, REQUEST_SEND, false);
    else
        at = store_none(at, 1);
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Isend);

static int wrapper_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                            MPI_Status *status)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_NOTHING))
        return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Recv, FOLLOWS_NOTHING, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, PMPI_Recv(buf, count, datatype, source, tag, comm, status));
    const struct short_token base_token = call_rank_base(&c, KIND_COMM, HANDLE(comm));
    MPI_Status *actual = call_status(&c, status);
    at = store_buffer(&c, at, buf);
    at = store_int(at, count);
    at = store_handle(&c, at, KIND_DATATYPE, HANDLE(datatype));
    at = store_rank(&c, at, source);
    at = store_enum(at, ENUM_TAG, tag);
    at = store_with_base(&c, at, &base_token, KIND_COMM, HANDLE(comm));
    call_enter(&c, at);
    int ret = PMPI_Recv(buf, count, datatype, source, tag, comm, actual);
    call_leave(&c, ret);
    if (c.ok)
        at = store_status(&c, at, actual, actual != status);
    else
        at = store_none(at, 1);
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Recv);

static int wrapper_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_REQUESTS))
        return PMPI_Testany(count, array_of_requests, index, flag, status);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Testany, FOLLOWS_REQUESTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, PMPI_Testany(count, array_of_requests, index, flag, status));
    c.base = capture.world;
    MPI_Status *actual = call_status(&c, status);
    at = store_int(at, count);
    call_flush(&c, at);
    put_requests_again(&c, array_of_requests, count);
    at = call_resume(&c);
    call_enter(&c, at);
    int ret = PMPI_Testany(count, array_of_requests, index, flag, actual);
    call_leave(&c, ret);
    c.failed_poll = c.ok && !*flag;
    call_flush(&c, at);
    put_requests_completed(&c, array_of_requests, count, 2, index, NULL);
    at = call_resume(&c);
    if (c.ok) {
        at = store_enum(at, ENUM_UNDEFINED, *index);
        at = store_bool(at, *flag);
        if (*flag)
            at = store_status_of(&c, at, *index, actual, actual != status);
        else
            at = store_none(at, 1);
    } else {
        at = store_none(at, 3);
    }
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Testany);

static int wrapper_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_REQUESTS))
        return PMPI_Waitall(count, array_of_requests, array_of_statuses);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Waitall, FOLLOWS_REQUESTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, PMPI_Waitall(count, array_of_requests, array_of_statuses));
    c.base = capture.world;
    MPI_Status *actual = call_statuses(&c, array_of_statuses, count);
    at = store_int(at, count);
    call_flush(&c, at);
    put_requests(&c, array_of_requests, count);
    at = call_resume(&c);
    call_enter(&c, at);
    int ret = PMPI_Waitall(count, array_of_requests, actual);
    call_leave_statuses(&c, ret);
    call_flush(&c, at);
    put_requests_after(&c, array_of_requests, count);
    at = call_resume(&c);
    if (c.ok) {
        call_flush(&c, at);
        put_statuses(&c, actual, count, actual != array_of_statuses);
        at = call_resume(&c);
    } else {
        at = store_none(at, 1);
    }
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Waitall);
