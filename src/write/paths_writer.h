/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the tables of symbols and of call classes with their paths (docs/FORMAT.md, section 3). */
#ifndef PILGRIM_PATHS_WRITER_H
#define PILGRIM_PATHS_WRITER_H

#include "base/bytes.h"
#include "merge/fragment.h"
#include "symbols/elf_symbols.h"
#include "pilgrim/status.h"

/* Sets where names of functions come from, in all shards that this process writes from now on. NULL, as at the
 * beginning: there are none. */
void paths_name_functions(module_symbols_find *find);

/* Appends both tables of F to OUT. errors: PILGRIM_NOMEM, PILGRIM_LIMIT; PILGRIM_DAMAGED if F came from
 * outside, and a path is in a module that it has not */
enum pilgrim_status paths_write(const struct fragment *f, struct bytes *out) PILGRIM_CHECKED;

#endif
