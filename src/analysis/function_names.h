/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions as their programmers wrote them. */
#ifndef ANALYSIS_FUNCTION_NAMES_H
#define ANALYSIS_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name that SYMBOL has in the source to TEXT, which has room for SIZE bytes, without parameters and return
 * type: "Domain::Allocate" for a C++ symbol, "grid::exchange" for a procedure of a Fortran module. What is not known to
 * be such a symbol stays as it is, but for what compilers append to it (".part.0"), and false is returned. A name that
 * is too long is cut. */
bool function_name_put(char *text, size_t size, const char *symbol);

#endif
