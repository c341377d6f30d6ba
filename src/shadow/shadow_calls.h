/* SPDX-License-Identifier: BSD-3-Clause */
/* What the generated layer between wrappers and MPI calls; see shadow_calls.c. */
#ifndef PILGRIM_SHADOW_CALLS_H
#define PILGRIM_SHADOW_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/handles.h"
#include "mpi/mpi_library.h"
#include "shadow/shadow.h"

enum { SHADOW_SAVED_BYTES = 256 }; /* largest size of a call's arguments */

/* A function of mpi_function_table, in the same order. */
struct shadow_function {
    uint32_t function; /* enum function_id */
    void *layer;       /* replaces the pointer to MPI's function; NULL: nothing does */
};

extern const struct shadow_function shadow_functions[]; /* generated */

/* MPI's own functions, by enum function_id; set before the first call. */
extern void *shadow_next[];
#define SHADOW_NEXT(name) ((__typeof__(P##name) *)shadow_next[FUNCTION_##name])

/* Returns the thread's shadow if the program's recorded call now calls MPI's FUNCTION; else NULL. */
struct shadow *shadow_enter(uint32_t function);

/* Returns the rank base of the call. */
const struct rank_base *shadow_rank_base(const struct shadow *s);

/* True if STATUS, as passed to MPI, stands in for the program's MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. */
bool shadow_ignores(const struct shadow *s, const MPI_Status *status);

/* Copies SAVED, the arguments. AFTER gets the copy once the outputs were recorded. */
void shadow_save(struct shadow *s, const void *saved, size_t size, void (*after)(struct shadow *s, const void *saved));

#endif
