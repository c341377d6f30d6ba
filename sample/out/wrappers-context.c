/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: wrappers of the functions in the standard's chapter "context". */
#include "mpi/entry.h"
#include "lifecycle/init.h"
#include "wrap/call_inline.h"
#include "fortran_directs.h"
#include "topology_lengths.h"

static int wrapper_MPI_Comm_free(MPI_Comm *comm)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_OBJECTS))
        return PMPI_Comm_free(comm);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Comm_free, FOLLOWS_OBJECTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, PMPI_Comm_free(comm));
    c.base = capture.world;
    uint64_t before = object_releasing(KIND_COMM, comm ? HANDLE(*comm) : 0);
    if (comm)
        at = store_handle(&c, at, KIND_COMM, HANDLE(*comm));
    else
        at = store_name(at, NAME_NULL);
    call_enter(&c, at);
    int ret = PMPI_Comm_free(comm);
    call_leave(&c, ret);
    if (comm) {
        call_flush(&c, at);
        put_released(&c, KIND_COMM, before, HANDLE(*comm));
        at = call_resume(&c);
    } else {
        at = store_name(at, NAME_NULL);
    }
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Comm_free);
