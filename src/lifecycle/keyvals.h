/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's functions that delete attributes of communicators.
 *
 * MPI_Finalize calls those of MPI_COMM_SELF. Where one of them returns an error, MPI may end the job there, while the
 * other processes wait for this one to write the trace. So MPI is given a function of this library, which calls the
 * program's, and ends the recording before it hands on an error. */
#ifndef PILGRIM_KEYVALS_H
#define PILGRIM_KEYVALS_H

#include <stdint.h>

#include "mpi/mpi_library.h"

/* REAL: MPI_Comm_create_keyval or MPI_Keyval_create of MPI, which is FUNCTION here. The other parameters, and what it
 * returns, are REAL's. */
int keyval_create(int (*real)(MPI_Comm_copy_attr_function *, MPI_Comm_delete_attr_function *, int *, void *),
                  uint32_t function, MPI_Comm_copy_attr_function *copies, MPI_Comm_delete_attr_function *deletes,
                  int *key, void *extra);

#endif
