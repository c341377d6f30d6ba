/* SPDX-License-Identifier: BSD-3-Clause */
/* What the simulated ranks do: each pattern defines call K of rank R of a run, for any K and R, on its own. */
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
    bool odd_pids;        /* each host's count from a number of its own */
};

enum { HOST_RANKS = 64, SWITCH_HOSTS = 32, HOST_NAME_BYTES = 32 };

/* The I-th pattern, NULL behind the last; and by name. */
const struct pattern *pattern_at(size_t i);
const struct pattern *pattern_find(const char *name);
const char *pattern_name(const struct pattern *p);

/* Whether it is made for that many ranks: a power of two from 64 on; those with arrays of all ranks up to 2^12. */
bool pattern_fits(const struct pattern *p, uint64_t ranks);

/* Memory that is short ends the program. */
void world_init(struct world *w, const struct pattern *p, uint32_t ranks, uint32_t iterations);
void world_free(struct world *w);

/* The calls of RANK's one thread, and call K of them. */
uint64_t world_calls(const struct world *w, uint32_t rank);
void world_call(const struct world *w, uint32_t rank, uint64_t k, struct made_call *c);

/* The communicators that each rank makes, 0 or 1: Cartesian, of all ranks. Views are the rank's place in MPI_COMM_WORLD
 * and in each of these; they are all alike. */
unsigned world_communicators(const struct world *w);

/* Where RANK runs: hosts of HOST_RANKS ranks each, behind switches of SWITCH_HOSTS hosts. Its host's name goes to NAME,
 * HOST_NAME_BYTES long; returns its process number there. */
int64_t world_place(const struct world *w, uint32_t rank, char *name);

#endif
