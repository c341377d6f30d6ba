/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules: the program and its shared libraries. Any thread. */
#ifndef PILGRIM_MODULES_H
#define PILGRIM_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/site.h"

/* Names ADDRESS if it lies in a module: the module's id, in order of first use by this function, and the offset
 * from the module's load address. */
bool modules_name(const void *address, int64_t *id, int64_t *offset);

/* Fills in FRAME if ADDRESS lies in a module, the program or a shared library. The module's description lives as long
 * as the process. Any thread. */
bool modules_frame(const void *address, struct code_frame *frame);

/* How many times a module that modules_frame had found was unloaded: what it said of addresses may be wrong since.
 * Costs next to nothing as long as it has found none. */
unsigned modules_moved(void);

/* Another number whenever the loader has loaded or unloaded something. */
unsigned modules_changes(void);

/* Copies the path of a loaded module whose file name begins with PREFIX. False: there is none, or PATH is too short. */
bool modules_path(const char *prefix, char *path, size_t size);

/* Around fork. */
void modules_fork_prepare(void);
void modules_fork_done(void);

#endif
