/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a call, except for requests and statuses.
 *
 * A put_ function appends its value to the key. A store_ function writes it to AT, where there is room for
 * CALL_ROOM_OF_VALUE bytes, and returns where the next value goes. */
#ifndef PILGRIM_PUT_H
#define PILGRIM_PUT_H

#include "wrap/call.h"

/* ---- for store functions in call_inline.h, if the usual case does not hold ---- */
uint8_t *store_constant(uint8_t *at, unsigned enumeration, int64_t v); /* by name if V has one, else an integer */
uint8_t *store_rank_slowly(struct call *c, uint8_t *at, const struct rank_base *base, int rank);
uint8_t *store_buffer_slowly(struct call *c, uint8_t *at, const void *p);
uint8_t *store_handle_slowly(struct call *c, uint8_t *at, enum object_kind kind, uint64_t handle);

/* ---- addresses and functions ---- */

/* A pointer: the allocation that it points into (objects/memory.h); NULL and MPI's special addresses by name. MPICH's
 * MPI_BOTTOM is NULL: store_buffer writes "MPI_BOTTOM" for it, store_pointer "NULL". */
uint8_t *store_pointer(struct call *c, uint8_t *at, const void *p);

/* An address that is an integer: a pointer if it points into a known allocation, else an integer. */
uint8_t *store_address(struct call *c, uint8_t *at, int64_t v);
void put_address(struct call *c, int64_t v);

/* A callback: predefined ones and NULL by name, else by symbol, else by a number. */
void put_function(struct call *c, const void *function);

/* ---- scalars ---- */
void put_none(struct call *c, int count);     /* COUNT times null: the value is not significant, or undefined */
void put_name(struct call *c, unsigned name); /* enum name_id (functions.h, generated) */
void put_int(struct call *c, int64_t v);
void put_array(struct call *c, int64_t count);  /* the head of an array: COUNT values follow; below 0 counts as 0 */
void put_string(struct call *c, const char *s); /* NULL: the name "NULL" */
void put_strings(struct call *c, char *const *strings, int64_t count); /* COUNT -1: STRINGS ends with NULL */
/* The same for arguments of a program, which are null with PILGRIM_ARGV=off. */
void put_command_line(struct call *c, char *const *arguments, int64_t count);

/* V by its name among the constants of ENUMERATION (enum enumeration_id, generated), else as an integer. */
void put_enum(struct call *c, unsigned enumeration, int64_t v);

/* V as flags of ENUMERATION, lowest bit first; bits without a name as an integer. 0 is the integer 0. */
void put_flags(struct call *c, unsigned enumeration, int64_t v);

void put_rank(struct call *c, int rank); /* relative to c->base; MPI_ANY_SOURCE and the like by name */
void put_root(struct call *c, int rank); /* absolute; MPI_ROOT and the like by name */

/* ---- arrays; a NULL array is the name "NULL", COUNT below 0 counts as 0 ---- */
void put_ints(struct call *c, const int *v, int64_t count);
void put_counts(struct call *c, const MPI_Count *v, int64_t count);
void put_aints(struct call *c, const MPI_Aint *v, int64_t count);
void put_addresses(struct call *c, const MPI_Aint *v, int64_t count); /* elements as by put_address */
void put_large_addresses(struct call *c, const MPI_Count *v, int64_t count);
void put_bools(struct call *c, const int *v, int64_t count);
void put_enums(struct call *c, unsigned enumeration, const int *v, int64_t count);
void put_ranks(struct call *c, const int *v, int64_t count);
void put_roots(struct call *c, const int *v, int64_t count);   /* elements as by put_root */
void put_weights(struct call *c, const int *v, int64_t count); /* MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY by name */
void put_ranges(struct call *c, int (*v)[3], int64_t count);
void put_datatypes(struct call *c, const MPI_Datatype *v, int64_t count);
void put_infos(struct call *c, const MPI_Info *v, int64_t count);
void put_new_datatypes(struct call *c, const MPI_Datatype *v, int64_t count);

/* ---- handles ---- */

/* An object that exists already. */
void put_handle(struct call *c, enum object_kind kind, uint64_t handle);
/* An object that the call returned: a new one, or one more reference to an old one. */
void put_new(struct call *c, enum object_kind kind, uint64_t handle);
/* A new object with the call's rank base: one created without blocking, a message, a window. */
void put_new_pending(struct call *c, enum object_kind kind, uint64_t handle);
/* An inout handle that was BEFORE. If AFTER is a null handle, the object was released. */
void put_released(struct call *c, enum object_kind kind, uint64_t before, uint64_t after);

#endif
