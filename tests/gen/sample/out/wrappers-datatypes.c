/* Written by pilgrim-gen: the wrappers of the standard's chapter "datatypes". */
#include "capture/call.h"
#include "capture/entry.h"
#include "capture/init.h"
#include "functions.h"
#include "shadow_functions.h"
#include "topology_lengths.h"

static int wrapper_MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                              const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                              MPI_Datatype *newtype)
{
    struct call c;
    if (!call_begin(&c, FUNCTION_MPI_Type_create_hindexed_c, CALL_SITE))
        return PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype,
                                           newtype);
    put_int(&c, count);
    put_counts(&c, array_of_blocklengths, count);
    put_large_addresses(&c, array_of_displacements, count);
    put_handle(&c, KIND_DATATYPE, HANDLE(oldtype));
    if (c.shadow)
        shadow_in_MPI_Type_create_hindexed_c(c.shadow, count, array_of_blocklengths, array_of_displacements,
                                             oldtype);
    call_enter(&c);
    int ret = PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype,
                                          newtype);
    call_leave(&c, ret);
    if (c.ok)
        put_new(&c, KIND_DATATYPE, HANDLE(*newtype));
    else
        put_none(&c, 1);
    if (c.shadow)
        shadow_out_MPI_Type_create_hindexed_c(c.shadow, newtype, ret);
    call_end(&c, ret);
    return ret;
}
ENTRY(MPI_Type_create_hindexed_c);
