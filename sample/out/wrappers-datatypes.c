/* Written by pilgrim-gen: the wrappers of the standard's chapter "datatypes". */
#include "capture/entry.h"
#include "capture/init.h"
#include "capture/wrapper.h"
#include "fortran_directs.h"
#include "topology_lengths.h"

static int wrapper_MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                              const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                              MPI_Datatype *newtype)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_OBJECTS))
        return PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype,
                                           newtype);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Type_create_hindexed_c, FOLLOWS_OBJECTS, CALL_SITE);
    if (!at)
        return call_passed(&c, PMPI_Type_create_hindexed_c(count, array_of_blocklengths,
                           array_of_displacements, oldtype, newtype));
    c.view = capture.world;
    at = store_int(at, count);
    call_gives(&c, at);
    put_counts(&c, array_of_blocklengths, count);
    at = call_takes(&c);
    call_gives(&c, at);
    put_large_addresses(&c, array_of_displacements, count);
    at = call_takes(&c);
    at = store_handle(&c, at, KIND_DATATYPE, HANDLE(oldtype));
    call_enter(&c, at);
    int ret = PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype,
                                          newtype);
    call_leave(&c, ret);
    if (c.ok) {
        call_gives(&c, at);
        put_new(&c, KIND_DATATYPE, HANDLE(*newtype));
        at = call_takes(&c);
    } else {
        at = store_none(at, 1);
    }
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Type_create_hindexed_c);
