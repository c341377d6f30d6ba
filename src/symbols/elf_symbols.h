/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the functions that return addresses are in, by the symbol table of an ELF file. */
#ifndef PILGRIM_ELF_SYMBOLS_H
#define PILGRIM_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { SYMBOL_NAME_MAX = 4096 }; /* bytes, with the 0 byte; functions with longer names have none */

/* The file that is wanted. */
struct elf_identity {
    const uint8_t *build_id; /* its first bytes ... */
    size_t build_id_length;  /* ... 0: the file has none */
    uint64_t headers;        /* elf_headers_hash of its program headers; 0: not known */
};

/* Returns a number for program headers of so many bytes, other than 0. */
uint64_t elf_headers_hash(const void *headers, size_t bytes);

/* An address of a module, and the function that it is in. */
struct elf_address {
    uint64_t offset; /* of a return address, from the module's load address (base/site.h) */
    uint64_t start;  /* of the function, likewise */
    size_t name;     /* where its name begins in the names */
    bool known;      /* else the last two have no meaning */
};

/* Fills in the functions of COUNT addresses, which are in ascending order, and appends their names, with a 0 byte
 * each, to NAMES. FILE is a descriptor of the file; its position stays. Returns false if it is not the file that is
 * wanted, or cannot be read: then nothing is known. Addresses in no function stay unknown.
 *
 * A function is one whose symbol covers the byte before the return address, which is in the call. Of several the one
 * with the highest start is taken, then a global one rather than a weak or a local one, then the shortest, then the one
 * that comes first in the table. A file with more than 2^21 symbols is not searched. */
bool elf_symbols_find(int file, const struct elf_identity *wanted, struct elf_address *addresses, size_t count,
                      struct bytes *names);

/* Does the same for the module MODULE (a file name without folders) of a process, wherever its file is. */
typedef bool module_symbols_find(const char *module, const uint8_t *build_id, size_t build_id_length,
                                 struct elf_address *addresses, size_t count, struct bytes *names);

#endif
