/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes by the names of their classes. */
#ifndef PILGRIM_ERROR_CLASSES_H
#define PILGRIM_ERROR_CLASSES_H

#include <stdint.h>

/* Returns the name of the class of an error code, such as "MPI_ERR_RANK". NULL: the program made the class, the code is
 * MPI_SUCCESS, or numbers of that LIBRARY are not known. LIBRARY: the property of the trace; NULL is legal. */
const char *error_class_name(const char *library, int64_t code);

#endif
