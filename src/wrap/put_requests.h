/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of a call. An input is stored before the call, and its operations become those of the call; what is left of
 * it is stored after the call. */
#ifndef PILGRIM_PUT_REQUESTS_H
#define PILGRIM_PUT_REQUESTS_H

#include "wrap/call.h"

/* ---- one request ---- */

/* Stores the request that the call began. TRAITS: request_traits. */
uint8_t *store_new_operation(struct call *c, uint8_t *at, MPI_Request request, unsigned traits);

static inline uint8_t *store_new_request(struct call *c, uint8_t *at, MPI_Request request, enum request_kind kind,
                                         bool persistent)
{
    return store_new_operation(c, at, request, request_traits(kind, persistent));
}

/* The same for a receive. The reader predicts its status from COUNT, SOURCE and TAG (put_status.h). */
uint8_t *store_new_receiving(struct call *c, uint8_t *at, MPI_Request request, unsigned traits, int64_t count,
                             int source, int tag);

static inline uint8_t *store_new_receive(struct call *c, uint8_t *at, MPI_Request request, enum request_kind kind,
                                         bool persistent, int64_t count, int source, int tag)
{
    return store_new_receiving(c, at, request, request_traits(kind, persistent), count, source, tag);
}

uint8_t *store_request(struct call *c, uint8_t *at, MPI_Request request);       /* input: operation 0 of the call */
uint8_t *store_request_after(struct call *c, uint8_t *at, MPI_Request request); /* output: null if it has ended */

/* ---- arrays ---- */

/* Input. NULL is legal if COUNT is 0. */
uint8_t *store_requests(struct call *c, uint8_t *at, const MPI_Request *requests, int64_t count);
void put_requests_after(struct call *c, const MPI_Request *requests, int64_t count); /* output */

/* Both outputs of MPI_Waitall: as put_requests_after, then put_statuses (put_status.h) if they are defined. IGNORED: as
 * for that. */
uint8_t *store_requests_waited(struct call *c, uint8_t *at, const MPI_Request *requests, int64_t count,
                               const MPI_Status *statuses, bool ignored);

/* For functions that leave most of an array as it was, such as MPI_Waitany. The output is stored as changes to the
 * input (objects/request_array_delta.h). put_requests_again stores the input, too, as changes to what an earlier call
 * left; put_requests_noted stores it as it is. One of the other two follows. */
void put_requests_again(struct call *c, const MPI_Request *requests, int64_t count);
void put_requests_noted(struct call *c, const MPI_Request *requests, int64_t count);
void put_requests_changed(struct call *c, const MPI_Request *requests, int64_t count);

/* As put_requests_changed. The output parameter number PARAMETER is INDICES: the indices of the *INDEX_COUNT requests
 * that have completed (NULL: of one). INDICES is not read if the call has failed. */
void put_requests_completed(struct call *c, const MPI_Request *requests, int64_t count, uint8_t parameter,
                            const int *indices, const int *index_count);

/* Marks all operations of the call active: MPI_Start or MPI_Startall succeeded. Stores nothing. */
void call_requests_started(struct call *c);

#endif
