/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: wrappers of the functions in the standard's chapter "x". */
#include "mpi/entry.h"
#include "lifecycle/init.h"
#include "wrap/call_inline.h"
#include "fortran_directs.h"
#include "topology_lengths.h"

static int wrapper_MPI_Wait(void *request, MPI_Status *status)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_NOTHING))
        return PMPI_Wait(request, status);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Wait, FOLLOWS_NOTHING, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, PMPI_Wait(request, status));
    c.base = capture.world;
    MPI_Status *actual = call_status(&c, status);
    at = store_pointer(&c, at, request);
    call_enter(&c, at);
    int ret = PMPI_Wait(request, actual);
    call_leave(&c, ret);
    if (c.ok)
        at = store_status_of(&c, at, 0, actual, actual != status);
    else
        at = store_none(at, 1);
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Wait);
