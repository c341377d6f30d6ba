/* SPDX-License-Identifier: BSD-3-Clause */
/* Code locations: what a call site is made of. */
#ifndef PILGRIM_SITE_H
#define PILGRIM_SITE_H

#include <stdint.h>

enum {
    SITE_BUILD_ID_BYTES = 4, /* bytes of a build-id that are stored: enough to tell two builds apart */
    SITE_FRAMES_MAX = 64     /* frames of one call class */
};

/* The name of a module that is no file: its function is one of MPI's, and the frames inside of it are of what that
 * function called back. */
#define SITE_INSIDE_MPI "MPI"

/* What code is in: the program, a shared library, a function in Python, or one of MPI's that calls back. */
struct code_module {
    const char *name; /* file name without folders; SITE_INSIDE_MPI */
    uint8_t build_id[SITE_BUILD_ID_BYTES];
    uint32_t build_id_length; /* 0: the module has no build-id */
    const char *python;       /* name of the function; `name` is that of its source file, or SITE_INSIDE_MPI. NULL:
                                 machine code */
};

/* A return address, or a line in Python. */
struct code_frame {
    const struct code_module *module;
    uint64_t offset; /* from the module's load address, that is, the address of its first segment rounded down to a page
                        of 4096 bytes; in Python, the number of the line, 0 if it is not known */
};

#endif
