/* SPDX-License-Identifier: BSD-3-Clause */
/* All windows of a trace, or all files that were opened, each once, whatever its processes call it. */
#ifndef CONVERT_CONTAINER_TABLE_H
#define CONVERT_CONTAINER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/match_map.h"

struct container {
    uint32_t comm;     /* number in the table of communicators */
    uint32_t path;     /* of a file: its number in the list of paths */
    bool allocated;    /* a window whose memory MPI has allocated */
    unsigned mode;     /* of a file: OTF2_IoAccessMode, */
    unsigned creation; /* OTF2_IoCreationFlag, */
    unsigned status;   /* OTF2_IoStatusFlag */
    char *name;        /* that the program gave a window; NULL: none */
};

/* All zero: empty. */
struct container_table {
    struct match_map by_key;
    struct container *entries;
    size_t count, capacity;
};

/* Sets *INDEX to the number of container SUB of the communicator IDENTITY, which has the number COMM; adds it if it is
 * new. false: no memory */
bool container_table_find(struct container_table *t, uint64_t identity, uint64_t sub, uint32_t comm, uint32_t *index);
void container_table_free(struct container_table *t);

#endif
