/* Written by pilgrim-gen: the wrappers of the standard's chapter "context". */
#include "capture/call.h"
#include "capture/entry.h"
#include "capture/init.h"
#include "functions.h"
#include "shadow_functions.h"
#include "topology_lengths.h"

static int wrapper_MPI_Comm_free(MPI_Comm *comm)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Comm_free, CALL_SITE))
        return PMPI_Comm_free(comm);
    uint64_t before = object_releasing(KIND_COMM, comm ? HANDLE(*comm) : 0);
    if (comm)
        put_handle(&c, KIND_COMM, HANDLE(*comm));
    else
        put_name(&c, NAME_NULL);
    if (c.shadow)
        shadow_in_MPI_Comm_free(c.shadow, comm);
    call_enter(&c);
    int ret = PMPI_Comm_free(comm);
    call_leave(&c, ret);
    if (comm)
        put_released(&c, KIND_COMM, before, HANDLE(*comm));
    else
        put_name(&c, NAME_NULL);
    if (c.shadow)
        shadow_out_MPI_Comm_free(c.shadow, comm, ret);
    call_end(&c, ret);
    return ret;
}
ENTRY(MPI_Comm_free);
