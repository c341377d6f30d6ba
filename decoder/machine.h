/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine as a tree in which equal subtrees share a class, as in "Scaling Score-P to the next level" (Lorenz and
 * Feld, ICCS 2017). A class is a kind, and how many children of which classes it has. Names do not tell classes apart.
 */
#ifndef DECODER_MACHINE_H
#define DECODER_MACHINE_H

#include <pilgrim/reader.h>

#define NO_HOST UINT32_MAX

/* COUNT children of the class WHAT, or COUNT processes with WHAT threads each. */
struct machine_member {
    uint32_t what;
    uint32_t count;
};

struct machine_class {
    const struct machine_member *children, *processes; /* ordered by `what` */
    size_t child_count, process_count;
};

/* A part of the machine: a switch, a host. Node 0 is the machine itself. */
struct machine_node {
    const char *kind, *name;
    uint32_t class;
    uint32_t host;        /* the host in the trace whose processes run here; or NO_HOST */
    uint32_t first, last; /* the first and the last child; 0: none */
    uint32_t next;        /* the next child of the same parent; 0: none */
};

struct machine_key;

struct machine {
    const struct pilgrim_trace *trace;
    const struct pilgrim_system *system;
    struct machine_node *nodes; /* each stands behind its parent */
    struct machine_class *classes;
    size_t node_count, class_count;
    struct machine_key *node_keys, *class_keys;
};

/* Builds the tree of SYSTEM, which belongs to TRACE; both are borrowed. errors: PILGRIM_NOMEM. *M is to be freed, also
 * after an error. */
enum pilgrim_status machine_build(struct machine *m, const struct pilgrim_trace *trace,
                                  const struct pilgrim_system *system) PILGRIM_CHECKED;
void machine_free(struct machine *m);

/* Returns how many processes run on the node itself, not on its children. */
uint32_t machine_processes(const struct machine *m, uint32_t node);

/* Returns how many threads the process PROCESS of HOST has, and sets *RANK to its rank. */
uint32_t machine_threads(const struct machine *m, uint32_t host, uint32_t process, uint32_t *rank);

#endif
