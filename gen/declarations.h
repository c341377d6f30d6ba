/* SPDX-License-Identifier: BSD-3-Clause */
/* C declarations of functions, made from the standard alone: for functions that the local mpi.h does not declare. */
#ifndef GEN_DECLARATIONS_H
#define GEN_DECLARATIONS_H

#include "latex.h"
#include "prototypes.h"

/* Returns the prototype that the standard gives BINDING in C; LARGE: that of its large-count variant. */
struct prototype *declaration_of(const struct standard *standard, const struct function_binding *binding, bool large);

/* True if LIBRARY has all types that PROTOTYPE names. */
bool declaration_fits(const struct prototype *prototype, const struct library *library);

#endif
