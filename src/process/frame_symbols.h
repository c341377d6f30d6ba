/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the functions on call paths, from the files of this process's modules. */
#ifndef PILGRIM_FRAME_SYMBOLS_H
#define PILGRIM_FRAME_SYMBOLS_H

#include "symbols/elf_symbols.h"

/* A module_symbols_find: reads the file that the loader has mapped. False if this process has no such module, or if its
 * file is not there any more or is another one. One thread at a time. */
bool frame_symbols_find(const char *module, const uint8_t *build_id, size_t build_id_length,
                        struct elf_address *addresses, size_t count, struct bytes *names);

#endif
