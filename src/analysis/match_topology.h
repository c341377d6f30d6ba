/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbors of processes in communicators with a topology, for neighborhood collectives: from whom a process
 * receives. They are known of Cartesian grids, graphs, and distributed graphs that each process described for itself
 * (MPI_Dist_graph_create_adjacent), and of what was duplicated from these. Equal ones are kept once. */
#ifndef ANALYSIS_MATCH_TOPOLOGY_H
#define ANALYSIS_MATCH_TOPOLOGY_H

#include "analysis/match_map.h"

#include <pilgrim/reader.h>

struct match_topology {
    size_t dims, sources;
    int64_t numbers[]; /* extents and periods of each dimension of a grid, then the ranks of the sources */
};

/* Sets *FOUND to the topology of the communicator that CALL has made, in which the process has RANK; NULL: none, or it
 * is not known. PARENT: that of the communicator that it was made of; may be NULL. *FOUND stays until
 * match_topologies_free. false: no memory */
bool match_topology_made(struct match_map *all, const struct pilgrim_call *call, const struct match_topology *parent,
                         int64_t rank, const struct match_topology **found);
void match_topologies_free(struct match_map *all);

/* Returns the sources, TOPOLOGY->sources of them; -1: MPI_PROC_NULL. */
const int64_t *match_topology_sources(const struct match_topology *topology);

#endif
