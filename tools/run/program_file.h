/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of the program that is started. It may be anything: a script, damaged, of another machine. */
#ifndef PILGRIM_PROGRAM_FILE_H
#define PILGRIM_PROGRAM_FILE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct program_file {
    const uint8_t *data; /* the file in memory */
    size_t length;
    int file;
    struct stat found;
};

/* Opens the file that execvp would execute. False: it cannot be read, or is no regular file; there is nothing to
 * close then. */
bool program_open(struct program_file *f, const char *program);

void program_close(struct program_file *f);

/* Returns the BYTES bytes at OFFSET, or NULL if the file is shorter or they are not aligned for numbers. */
const void *program_at(const struct program_file *f, uint64_t offset, uint64_t bytes);

/* Returns the program headers, *COUNT of them, or NULL if F is no ELF file of this machine. */
const ElfW(Phdr) * program_headers(const struct program_file *f, size_t *count);

/* The dynamic section, and where its texts begin in the file. */
struct program_dynamic {
    const ElfW(Dyn) * entries;
    size_t count;
    uint64_t texts;
};

/* Returns false if there is none. */
bool program_dynamic(const struct program_file *f, struct program_dynamic *d);

#endif
