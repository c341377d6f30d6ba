/* SPDX-License-Identifier: BSD-3-Clause */
/* What the simulated ranks do. Each pattern defines call K of rank R of a run directly, for any K and R. */
#ifndef PILGRIM_SCALE_PATTERNS_H
#define PILGRIM_SCALE_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scale_calls.h"
#include "scale_graph.h"

struct pattern;

/* One run of a pattern. */
struct world {
    const struct pattern *pattern;
    uint32_t ranks;
    uint32_t iterations;
    uint32_t dims[3];     /* of the process grid */
    uint32_t *neighbours; /* of the random graph: GRAPH_DEGREE for each rank, increasing */
    bool odd_pids;        /* each host counts its processes from a different number */
};

enum { HOST_RANKS = 64, SWITCH_HOSTS = 32, HOST_NAME_BYTES = 32 };

/* Return pattern number I, NULL behind the last, and the pattern called NAME. */
const struct pattern *pattern_at(size_t i);
const struct pattern *pattern_find(const char *name);
const char *pattern_name(const struct pattern *p);

/* True if P is made for that many ranks: a power of two from 64 on; with arrays of all ranks, up to 2^12. */
bool pattern_fits(const struct pattern *p, uint64_t ranks);

/* Prepares a run. If memory is short the program ends. */
void world_init(struct world *w, const struct pattern *p, uint32_t ranks, uint32_t iterations);
void world_free(struct world *w);

/* Return the number of calls of RANK's one thread, and make call K. */
uint64_t world_calls(const struct world *w, uint32_t rank);
void world_call(const struct world *w, uint32_t rank, uint64_t k, struct made_call *c);

/* Returns how many communicators each rank makes, 0 or 1: a Cartesian one of all ranks. A rank has the same number
 * in it as in MPI_COMM_WORLD, so all rank bases are equal. */
unsigned world_communicators(const struct world *w);

/* Says where RANK runs: hosts of HOST_RANKS ranks each, behind switches of SWITCH_HOSTS hosts. Copies the host's
 * name to NAME, HOST_NAME_BYTES long; returns the process number on the host. */
int64_t world_place(const struct world *w, uint32_t rank, char *name);

#endif
