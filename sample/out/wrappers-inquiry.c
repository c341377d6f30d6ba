/* Written by pilgrim-gen: the wrappers of the standard's chapter "inquiry". */
#include "capture/entry.h"
#include "capture/init.h"
#include "capture/wrapper.h"
#include "fortran_directs.h"
#include "topology_lengths.h"

static double wrapper_MPI_Wtime(void)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_NOTHING))
        return PMPI_Wtime();
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Wtime, FOLLOWS_NOTHING, CALL_SITE);
    if (!at)
        CALL_PASSED(&c, double, PMPI_Wtime());
    c.view = capture.world;
    call_enter(&c, at);
    double ret = PMPI_Wtime();
    call_leave_value(&c);
    at = store_time(&c, at, ret);
    call_done(&c, at);
    return ret;
}
ENTRY(MPI_Wtime);
