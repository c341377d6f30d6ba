/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's name: what its trace is named after. */
#ifndef PILGRIM_PROGRAM_NAME_H
#define PILGRIM_PROGRAM_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the name of this process's program, without folders; of a Python program, that of its script, without ".py",
 * or of its module (`python3 -m`). One thread at a time, the first time. */
const char *program_name(void);

/* Copies the name of the script or module to NAME, which has room for SIZE bytes. PROGRAM is the program's own name;
 * ARGUMENTS has its arguments, each with a 0 byte behind it: LENGTH bytes. False: it is no Python program, or has
 * neither. */
bool program_name_of_script(const char *program, const char *arguments, size_t length, char *name, size_t size);

#endif
