/* Written by pilgrim-gen: the wrappers of the standard's chapter "inquiry". */
#include "capture/call.h"
#include "capture/entry.h"
#include "capture/init.h"
#include "functions.h"
#include "shadow_functions.h"
#include "topology_lengths.h"

static double wrapper_MPI_Wtime(void)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Wtime, CALL_SITE))
        return PMPI_Wtime();
    call_enter(&c);
    double ret = PMPI_Wtime();
    call_leave_value(&c);
    if (c.shadow)
        shadow_out_MPI_Wtime(c.shadow, ret);
    put_real(&c, ret);
    call_done(&c);
    return ret;
}
ENTRY(MPI_Wtime);
