/* SPDX-License-Identifier: BSD-3-Clause */
/* What a status has beside MPI's public fields: how many bytes, and whether the operation was cancelled.
 *
 * MPI tells both by two functions; to read the fields that they read is many times as fast. Before it is done for the
 * first time, MPI's functions have to put there what is expected, or else its functions are asked. Any thread, once MPI
 * is initialised. */
#ifndef PILGRIM_STATUS_FIELDS_H
#define PILGRIM_STATUS_FIELDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_library.h"

enum status_fields { STATUS_FIELDS_UNTRIED, STATUS_FIELDS_READ, STATUS_FIELDS_ASKED };

extern _Atomic(enum status_fields) status_fields;

/* Decides between the last two; all threads alike. */
enum status_fields status_fields_try(void);

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 30000000

static inline int64_t status_field_bytes(const MPI_Status *status)
{
    return (int64_t)(status->count_hi_and_cancelled >> 1) * (INT64_C(1) << 32) + (unsigned)status->count_lo;
}

static inline bool status_field_cancelled(const MPI_Status *status)
{
    return status->count_hi_and_cancelled & 1;
}

#elif defined(OPEN_MPI)

static inline int64_t status_field_bytes(const MPI_Status *status)
{
    return (int64_t)status->_ucount;
}

static inline bool status_field_cancelled(const MPI_Status *status)
{
    return status->_cancelled;
}

#else

static inline int64_t status_field_bytes(const MPI_Status *status)
{
    (void)status;
    return -1; /* not known */
}

static inline bool status_field_cancelled(const MPI_Status *status)
{
    (void)status;
    return false;
}

#endif

/* False: MPI is to be asked. What is not a plain number of bytes, it explains. */
static inline bool status_read(const MPI_Status *status, int64_t *bytes, bool *cancelled)
{
    enum status_fields fields = atomic_load_explicit(&status_fields, memory_order_relaxed);
    if (__builtin_expect(fields == STATUS_FIELDS_UNTRIED, 0))
        fields = status_fields_try();
    *bytes = status_field_bytes(status);
    *cancelled = status_field_cancelled(status);
    return __builtin_expect(fields == STATUS_FIELDS_READ && *bytes >= 0, 1);
}

#endif
