/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules: the program and its shared libraries, and which of them an address lies in. Any thread. */
#ifndef PILGRIM_MODULES_H
#define PILGRIM_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/site.h"

/* Names ADDRESS if it lies in a module. *ID: the module's id, in order of first use by this function. *OFFSET: bytes
 * from the module's load address. False: it lies in none. */
bool modules_name(const void *address, int64_t *id, int64_t *offset);

/* Fills in FRAME if ADDRESS lies in a module. The module's description lives as long as the process. False: it lies
 * in none. */
bool modules_frame(const void *address, struct code_frame *frame);

/* The module that ADDRESS lies in is about to be unloaded. Returns true if modules_frame has found it: what that said
 * of addresses may be wrong once the module is gone, and modules_moved() changes then. Costs next to nothing as long as
 * modules_frame has found no module. */
bool modules_unloading(const void *address);

/* Returns how many modules that modules_unloading returned true for are gone. */
unsigned modules_moved(void);

/* Returns a number that changes whenever the loader has loaded or unloaded something. */
unsigned modules_changes(void);

/* Copies the path of a loaded module whose file name begins with PREFIX. False: there is none, or the path is longer
 * than SIZE allows. */
bool modules_path(const char *prefix, char *path, size_t size);

/* Where a module was loaded from. */
struct module_file {
    char path[4096];
    uint64_t headers; /* elf_headers_hash of its program headers */
    int64_t since_ns; /* the time of day when it was first seen */
};

/* Fills in FILE for a module of the name and the build-id that WANTED has, which is loaded or was. There may be
 * several: *AT, 0 at first, says where to go on. False: there are no more. */
bool modules_file(size_t *at, const struct code_module *wanted, struct module_file *file);

/* Around fork, so that the child finds the lock free. */
void modules_fork_prepare(void);
void modules_fork_done(void);

#endif
