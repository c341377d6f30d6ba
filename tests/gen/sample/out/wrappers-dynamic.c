/* Written by pilgrim-gen: the wrappers of the standard's chapter "dynamic". */
#include "capture/call.h"
#include "capture/entry.h"
#include "capture/init.h"
#include "functions.h"
#include "shadow_functions.h"
#include "topology_lengths.h"

/* Recorded before it runs, without a return value: the trace is written before it returns. */
static int wrapper_MPI_Finalize(void)
{
    struct call c;
    if (call_begin(&c, FUNCTION_MPI_Finalize, CALL_SITE)) {
        call_enter(&c);
        call_leave_value(&c);
        put_none(&c, 1);
        if (c.shadow)
            shadow_out_MPI_Finalize(c.shadow);
        call_done(&c);
    }
    capture_before_finalize();
    return PMPI_Finalize();
}
ENTRY(MPI_Finalize);
