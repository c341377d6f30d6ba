/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a library cannot be preloaded into a program. */
#ifndef PILGRIM_OBSTACLE_H
#define PILGRIM_OBSTACLE_H

struct program_file;

/* Returns why the MPI calls of the program F are not recorded with the library preloaded, and what to do, as the rest
 * of a sentence that begins with the program; NULL: nothing is known that stands in the way. A program that has
 * libpilgrim.a is recorded. */
const char *obstacle_of(const struct program_file *f);

#endif
