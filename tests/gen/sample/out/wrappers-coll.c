/* Written by pilgrim-gen: the wrappers of the standard's chapter "coll". */
#include "capture/call.h"
#include "capture/entry.h"
#include "capture/init.h"
#include "functions.h"
#include "shadow_functions.h"
#include "topology_lengths.h"

static int wrapper_MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                               const int recvcounts[], const int *displs, MPI_Datatype recvtype, int root,
                               MPI_Comm comm)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Gatherv, CALL_SITE))
        return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    call_view(&c, KIND_COMM, HANDLE(comm));
    put_buffer(&c, sendbuf);
    put_int(&c, sendcount);
    put_handle(&c, KIND_DATATYPE, HANDLE(sendtype));
    if (call_at_root(&c, root)) {
        put_buffer(&c, recvbuf);
        put_ints(&c, recvcounts, length_peers(&c));
        put_ints(&c, displs, length_peers(&c));
        put_handle(&c, KIND_DATATYPE, HANDLE(recvtype));
    } else {
        put_none(&c, 4);
    }
    put_root(&c, root);
    put_handle(&c, KIND_COMM, HANDLE(comm));
    if (c.shadow)
        shadow_in_MPI_Gatherv(c.shadow, &c.view, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                              recvtype, root, comm);
    call_enter(&c);
    int ret = PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    call_leave(&c, ret);
    if (c.shadow)
        shadow_out_MPI_Gatherv(c.shadow, ret);
    call_end(&c, ret);
    return ret;
}
ENTRY(MPI_Gatherv);
