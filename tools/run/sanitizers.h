/* SPDX-License-Identifier: BSD-3-Clause */
/* Which runtimes of sanitizers a program needs. They insist on being the first library of a process. */
#ifndef PILGRIM_SANITIZERS_H
#define PILGRIM_SANITIZERS_H

#include <stdbool.h>

struct program_file;

/* True if LIBRARY, a path or name of LENGTH bytes, is the runtime of a sanitizer that replaces the C library's
 * functions. */
bool sanitizer_runtime(const char *library, unsigned long length);

/* Calls EACH with the name of each such runtime that the program F is linked with. A script, and a file that is not of
 * this machine or is damaged, has none. */
void sanitizers_of(const struct program_file *f, void (*each)(void *context, const char *name), void *context);

#endif
