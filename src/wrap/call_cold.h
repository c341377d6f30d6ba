/* SPDX-License-Identifier: BSD-3-Clause */
/* For the wrappers of functions that are not hot (gen/overrides): the functions of call_inline.h, which explains them,
 * not inline. Nine of ten functions are not hot. With the fast path inline in all of them, each traced process had half
 * a megabyte more code. Of the headers of this folder such a wrapper includes only this one. */
#ifndef PILGRIM_CALL_COLD_H
#define PILGRIM_CALL_COLD_H

#include "objects/handle_cache.h"
#include "process/capture.h"
#include "wrap/call.h"
#include "wrap/communicator_calls.h"
#include "wrap/fortran_call.h"
#include "wrap/lengths.h"
#include "wrap/put.h"
#include "wrap/put_requests.h"
#include "wrap/put_status.h"
#include "functions.h"

/* ---- the call ---- */
unsigned call_off(void);
bool call_passes(unsigned off, enum call_follows follows);
uint8_t *call_begin(struct call *c, unsigned off, uint32_t function, enum call_follows follows, const void *site,
                    const void *frame);
int call_passed(const struct call *c, int ret);
void call_enter(struct call *c, uint8_t *at);
void call_leave(struct call *c, int ret);
void call_leave_statuses(struct call *c, int ret);
void call_leave_value(struct call *c);
void call_flush(struct call *c, const uint8_t *at);
uint8_t *call_resume(struct call *c);
struct short_token call_rank_base(struct call *c, enum object_kind kind, uint64_t handle);
MPI_Status *call_status(struct call *c, MPI_Status *application);
MPI_Status *call_statuses(struct call *c, MPI_Status *application, int64_t count);
void call_end(struct call *c, uint8_t *at, int ret);

/* ---- values ---- */
uint8_t *store_none(uint8_t *at, int count);
uint8_t *store_name(uint8_t *at, unsigned name);
uint8_t *store_int(uint8_t *at, int64_t v);
uint8_t *store_bool(uint8_t *at, int v);
uint8_t *store_real(uint8_t *at, double v);
uint8_t *store_enum(uint8_t *at, unsigned enumeration, int64_t v);
uint8_t *store_time(const struct call *c, uint8_t *at, double v);
uint8_t *store_stamp(uint8_t *at, int64_t v);
uint8_t *store_rank(struct call *c, uint8_t *at, int rank);
uint8_t *store_handle(struct call *c, uint8_t *at, enum object_kind kind, uint64_t handle);
uint8_t *store_with_base(struct call *c, uint8_t *at, const struct short_token *token, enum object_kind kind,
                         uint64_t handle);
uint8_t *store_buffer(struct call *c, uint8_t *at, const void *p);

#endif
