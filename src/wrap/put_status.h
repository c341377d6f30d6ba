/* SPDX-License-Identifier: BSD-3-Clause */
/* Statuses of a call, as the wrapper passed them to MPI. IGNORED: the program passed MPI_STATUS(ES)_IGNORE. */
#ifndef PILGRIM_PUT_STATUS_H
#define PILGRIM_PUT_STATUS_H

#include "wrap/call.h"

/* Of a receive or probe: the source is relative to c->base. */
uint8_t *store_status(struct call *c, uint8_t *at, const MPI_Status *status, bool ignored);

/* Of a file operation: only the bytes are defined. */
uint8_t *store_status_io(uint8_t *at, const MPI_Status *status, bool ignored);

/* Of unknown origin, as for MPI_Get_count or MPI_Status_set_elements: the source is absolute. */
uint8_t *store_status_plain(struct call *c, uint8_t *at, const MPI_Status *status, bool ignored);

/* Of operation INDEX of the call, which decides what is stored, and which becomes inactive. MPI_UNDEFINED or a null
 * request: the empty status. */
uint8_t *store_status_of(struct call *c, uint8_t *at, int64_t index, const MPI_Status *status, bool ignored);

/* An array: the i-th status is of operation i, or of operation INDICES[i]. */
void put_statuses(struct call *c, const MPI_Status *statuses, int64_t count, bool ignored);
void put_statuses_some(struct call *c, const MPI_Status *statuses, const int *indices, int64_t count, bool ignored);

#endif
