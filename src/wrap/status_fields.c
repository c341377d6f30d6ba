/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests if the private fields of a status mean what Pilgrim expects; see status_fields.h. */
#include "wrap/status_fields.h"

#include <string.h>

_Atomic(enum status_fields) status_fields;

/* True if MPI's functions set the fields to BYTES and CANCELLED as expected. */
static bool fields_are(MPI_Count bytes, int cancelled)
{
    MPI_Status status;
    memset(&status, 0, sizeof status);
    return PMPI_Status_set_elements_x(&status, MPI_BYTE, bytes) == MPI_SUCCESS &&
           PMPI_Status_set_cancelled(&status, cancelled) == MPI_SUCCESS && status_field_bytes(&status) == bytes &&
           status_field_cancelled(&status) == (cancelled != 0);
}

enum status_fields status_fields_try(void)
{
    static const MPI_Count bytes[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x123456789abc};
    enum status_fields fields = STATUS_FIELDS_READ;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int cancelled = 0; cancelled < 2; cancelled++)
            if (!fields_are(bytes[i], cancelled))
                fields = STATUS_FIELDS_ASKED;
    atomic_store_explicit(&status_fields, fields, memory_order_relaxed);
    return fields;
}
