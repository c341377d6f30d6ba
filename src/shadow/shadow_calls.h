/* SPDX-License-Identifier: BSD-3-Clause */
/* What the generated layer between the wrappers and MPI calls (shadow_calls.c). */
#ifndef PILGRIM_SHADOW_CALLS_H
#define PILGRIM_SHADOW_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/handles.h"
#include "mpi/mpi_library.h"
#include "shadow/shadow.h"

enum { SHADOW_KEPT = 256 }; /* bytes of arguments at most */

/* A function of mpi_function_table, in the same order. */
struct shadow_function {
    uint32_t function; /* enum function_id */
    void *layer;       /* is called in its place; NULL: nothing is */
};

extern const struct shadow_function shadow_functions[]; /* generated */

/* MPI's own functions, by enum function_id; set before the first call. */
extern void *shadow_next[];
#define SHADOW_NEXT(name) ((__typeof__(P##name) *)shadow_next[FUNCTION_##name])

/* The thread's shadow, if MPI's FUNCTION is called now for a call of the program's that is recorded; else NULL. */
struct shadow *shadow_enter(uint32_t function);

/* What the call's ranks refer to. */
const struct rank_base *shadow_view(const struct shadow *s);

/* True if STATUS, which MPI was given, stands for MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE of the program's. */
bool shadow_ignores(const struct shadow *s, const MPI_Status *status);

/* Once what comes out has been recorded AFTER is called with a copy of KEPT. */
void shadow_keep(struct shadow *s, const void *kept, size_t size, void (*after)(struct shadow *s, const void *kept));

#endif
