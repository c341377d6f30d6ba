/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: wrappers of the functions in the standard's chapter "datatypes". */
#include "mpi/entry.h"
#include "lifecycle/init.h"
#include "wrap/call_inline.h"
#include "fortran_directs.h"
#include "topology_lengths.h"

static int wrapper_MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                              const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                              MPI_Datatype *newtype)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_OBJECTS))
        return PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Type_create_hindexed_c, FOLLOWS_OBJECTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements,
                           oldtype, newtype));
    c.base = capture.world;
    at = store_int(at, count);
    call_flush(&c, at);
    put_counts(&c, array_of_blocklengths, count);
    at = call_resume(&c);
    call_flush(&c, at);
    put_large_addresses(&c, array_of_displacements, count);
    at = call_resume(&c);
    at = store_handle(&c, at, KIND_DATATYPE, HANDLE(oldtype));
    call_enter(&c, at);
    int ret = PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
    call_leave(&c, ret);
    if (c.ok) {
        call_flush(&c, at);
        put_new(&c, KIND_DATATYPE, HANDLE(*newtype));
        at = call_resume(&c);
    } else {
        at = store_none(at, 1);
    }
    call_end(&c, at, ret);
    return ret;
}
ENTRY(MPI_Type_create_hindexed_c);
