/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: wrappers of the functions in the standard's chapter "coll". */
#include "mpi/entry.h"
#include "lifecycle/init.h"
#include "wrap/call_inline.h"
#include "fortran_directs.h"
#include "topology_lengths.h"

static int wrapper_MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                               const int recvcounts[], const int *displs, MPI_Datatype recvtype, int root,
                               MPI_Comm comm)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_NOTHING))
        return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Gatherv, FOLLOWS_NOTHING, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                           comm));
    const struct short_token base_token = call_rank_base(&c, KIND_COMM, HANDLE(comm));
    at = store_buffer(&c, at, sendbuf);
    at = store_int(at, sendcount);
    at = store_handle(&c, at, KIND_DATATYPE, HANDLE(sendtype));
    if (call_at_root(&c, root)) {
        at = store_buffer(&c, at, recvbuf);
        call_flush(&c, at);
        put_ints(&c, recvcounts, length_peers(&c));
        at = call_resume(&c);
        call_flush(&c, at);
        put_ints(&c, displs, length_peers(&c));
        at = call_resume(&c);
        at = store_handle(&c, at, KIND_DATATYPE, HANDLE(recvtype));
    } else {
        at = store_none(at, 4);
    }
    at = store_enum(at, ENUM_RANK, root);
    at = store_with_base(&c, at, &base_token, KIND_COMM, HANDLE(comm));
    call_enter(&c, at);
    int ret = PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    call_leave(&c, ret);
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Gatherv);
