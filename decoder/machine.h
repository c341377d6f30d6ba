/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine as a tree whose equal parts are of one class, as in "Scaling Score-P to the next level" (Lorenz and Feld,
 * ICCS 2017): a class is a kind, and how many children there are of which classes. Names do not tell classes apart. */
#ifndef DECODER_MACHINE_H
#define DECODER_MACHINE_H

#include <pilgrim/reader.h>

#define NO_HOST UINT32_MAX

/* COUNT children of one class, or COUNT processes with as many threads. */
struct machine_member {
    uint32_t what;
    uint32_t count;
};

struct machine_class {
    const struct machine_member *children, *processes; /* ordered by what they are */
    size_t child_count, process_count;
};

/* A level of some place; node 0 is the machine. */
struct machine_node {
    const char *kind, *name;
    uint32_t class;
    uint32_t host;        /* in the trace, whose processes are here; or NO_HOST */
    uint32_t first, last; /* children; 0: none */
    uint32_t next;        /* child of the same parent; 0: none */
};

struct machine_key;

struct machine {
    const struct pilgrim_trace *trace;
    const struct pilgrim_system *system;
    struct machine_node *nodes; /* each behind its parent */
    struct machine_class *classes;
    size_t node_count, class_count;
    struct machine_key *node_keys, *class_keys;
};

/* SYSTEM, of TRACE, is borrowed. errors: PILGRIM_NOMEM; M is to be freed all the same */
enum pilgrim_status machine_build(struct machine *m, const struct pilgrim_trace *trace,
                                  const struct pilgrim_system *system) PILGRIM_CHECKED;
void machine_free(struct machine *m);

/* Processes on a node itself. */
uint32_t machine_processes(const struct machine *m, uint32_t node);

/* Threads of the process PROCESS of HOST, and its rank. */
uint32_t machine_threads(const struct machine *m, uint32_t host, uint32_t process, uint32_t *rank);

#endif
