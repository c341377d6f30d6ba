/* SPDX-License-Identifier: BSD-3-Clause */
/* Where code lies: what a call site is made of. */
#ifndef PILGRIM_SITE_H
#define PILGRIM_SITE_H

#include <stdint.h>

enum {
    SITE_BUILD_ID_BYTES = 4, /* as much of a build-id as is kept: enough to tell another build from this one */
    SITE_FRAMES_MAX = 64     /* of one call class */
};

/* The program or a shared library. */
struct code_module {
    const char *name; /* of the file, without folders */
    uint8_t build_id[SITE_BUILD_ID_BYTES];
    uint32_t build_id_length; /* 0: it has none */
};

/* A return address. */
struct code_frame {
    const struct code_module *module;
    uint64_t offset; /* from the module's load address: that of its first segment, rounded down to a page of 4096 */
};

#endif
