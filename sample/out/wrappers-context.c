/* Written by pilgrim-gen: the wrappers of the standard's chapter "context". */
#include "capture/entry.h"
#include "capture/init.h"
#include "capture/wrapper.h"
#include "fortran_directs.h"
#include "topology_lengths.h"

static int wrapper_MPI_Comm_free(MPI_Comm *comm)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_OBJECTS))
        return PMPI_Comm_free(comm);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Comm_free, FOLLOWS_OBJECTS, CALL_SITE);
    if (!at)
        return call_passed(&c, PMPI_Comm_free(comm));
    c.view = capture.world;
    uint64_t before = object_releasing(KIND_COMM, comm ? HANDLE(*comm) : 0);
    if (comm)
        at = store_handle(&c, at, KIND_COMM, HANDLE(*comm));
    else
        at = store_name(at, NAME_NULL);
    call_enter(&c, at);
    int ret = PMPI_Comm_free(comm);
    call_leave(&c, ret);
    if (comm) {
        call_gives(&c, at);
        put_released(&c, KIND_COMM, before, HANDLE(*comm));
        at = call_takes(&c);
    } else {
        at = store_name(at, NAME_NULL);
    }
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Comm_free);
