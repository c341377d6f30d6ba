/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: wrappers of the functions in the standard's chapter "inquiry". */
#include "mpi/entry.h"
#include "lifecycle/init.h"
#include "wrap/call_inline.h"
#include "fortran_directs.h"
#include "topology_lengths.h"

static double wrapper_MPI_Wtime(void)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_NOTHING))
        return PMPI_Wtime();
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Wtime, FOLLOWS_NOTHING, CALL_SITE, CALL_FRAME);
    if (!at)
        CALL_PASSED(&c, double, PMPI_Wtime());
    c.base = capture.world;
    call_enter(&c, at);
    double ret = PMPI_Wtime();
    call_leave_value(&c);
    at = store_time(&c, at, ret);
    call_done(&c, at);
    return ret;
}
ENTRY(MPI_Wtime);
