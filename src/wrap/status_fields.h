/* SPDX-License-Identifier: BSD-3-Clause */
/* What a status has besides MPI's public fields: the number of bytes, and if the operation was cancelled.
 *
 * MPI has a function for each, but reading the private fields is many times as fast. Before the first such read,
 * status_fields_try has MPI's functions set these fields. If they are not as expected, MPI's functions are used from
 * then on. Any thread, once MPI is initialised. */
#ifndef PILGRIM_STATUS_FIELDS_H
#define PILGRIM_STATUS_FIELDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_library.h"

enum status_fields { STATUS_FIELDS_UNTRIED, STATUS_FIELDS_READ, STATUS_FIELDS_ASKED };

extern _Atomic(enum status_fields) status_fields __attribute__((visibility("hidden")));

/* Decides between READ and ASKED; all threads come to the same result. */
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
    return -1; /* unknown */
}

static inline bool status_field_cancelled(const MPI_Status *status)
{
    (void)status;
    return false;
}

#endif

/* Reads *BYTES and *CANCELLED from STATUS. False: MPI must be asked. MPI also explains values that are no plain number
 * of bytes. */
static inline bool status_read(const MPI_Status *status, int64_t *bytes, bool *cancelled)
{
    enum status_fields fields = atomic_load_explicit(&status_fields, memory_order_relaxed);
    if (__builtin_expect(fields == STATUS_FIELDS_UNTRIED, 0))
        fields = status_fields_try();
    *bytes = status_field_bytes(status);
    *cancelled = status_field_cancelled(status);
    return __builtin_expect(fields == STATUS_FIELDS_READ && *bytes >= 0, 1);
}

/* Reads *BYTES from the STATUS of a message that was not cancelled. False: status_read must decide. Calls nothing. */
static inline bool status_read_plainly(const MPI_Status *status, int64_t *bytes)
{
    *bytes = status_field_bytes(status);
    return __builtin_expect(atomic_load_explicit(&status_fields, memory_order_relaxed) == STATUS_FIELDS_READ &&
                                *bytes >= 0 && !status_field_cancelled(status),
                            1);
}

#endif
