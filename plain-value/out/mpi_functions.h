/* Written by pilgrim-gen: a pointer for each function of the MPI library that is recorded; included by objects/mpi_library.h.
 *
 * The names of the functions stand for what the pointers lead to. Linked with the names themselves this library would
 * need MPI in every process that it is preloaded into, and one whose names the whole process sees. */
#ifndef PILGRIM_MPI_FUNCTIONS_H
#define PILGRIM_MPI_FUNCTIONS_H

#include <mpi.h>
#include <stddef.h>

struct mpi_functions {
    __typeof__(PMPI_Wait) *PMPI_Wait;
};

/* Set by mpi_library_bind. */
extern struct mpi_functions mpi_functions __attribute__((visibility("hidden")));

struct mpi_function {
    const char *name;
    void **address;
};

extern const struct mpi_function mpi_function_table[] __attribute__((visibility("hidden")));
extern const size_t mpi_function_count __attribute__((visibility("hidden")));

#ifndef MPI_FUNCTIONS_OWN_NAMES
#define PMPI_Wait (*mpi_functions.PMPI_Wait)
#endif

#endif
