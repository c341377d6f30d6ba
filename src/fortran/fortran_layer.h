/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's Fortran layer: its calls of PMPI_X are redirected to the wrappers. */
#ifndef PILGRIM_FORTRAN_LAYER_H
#define PILGRIM_FORTRAN_LAYER_H

#include <stddef.h>

/* Where calls of PMPI_X from the layer go. Sorted by name. */
struct fortran_slot {
    const char *name; /* "MPI_Send" */
    void *target;     /* calls MPI_X's wrapper if fortran_expects, else PMPI_X */
};

extern const struct fortran_slot fortran_slots[]; /* generated */
extern const size_t fortran_slot_count;

/* Redirects all calls of PMPI_X in the library that contains ADDRESS to fortran_slots. One thread at a time. */
void fortran_layer_bind(const void *address);

#endif
