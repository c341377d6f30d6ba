/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: lengths of outputs that only MPI knows. They are asked for after a call that succeeded. */
#ifndef PILGRIM_TOPOLOGY_LENGTHS_H
#define PILGRIM_TOPOLOGY_LENGTHS_H

#include <stdbool.h>

#include "mpi/mpi_library.h"

/* Returns how many neighbours RANK has in the graph of COMM. */
static inline int graph_neighbors(MPI_Comm comm, int rank)
{
    int count = 0;
    return PMPI_Graph_neighbors_count(comm, rank, &count) == MPI_SUCCESS ? count : 0;
}

/* True if the distributed graph of COMM has weights. */
static inline bool graph_weighted(MPI_Comm comm)
{
    int indegree, outdegree, weighted = 0;
    return PMPI_Dist_graph_neighbors_count(comm, &indegree, &outdegree, &weighted) == MPI_SUCCESS && weighted;
}

/* Sets how many control variables, performance variables and subcategories CATEGORY has. */
static inline void category_sizes(int category, int *cvars, int *pvars, int *categories)
{
    int name_length = 0, description_length = 0;
    *cvars = *pvars = *categories = 0;
    (void)PMPI_T_category_get_info(category, NULL, &name_length, NULL, &description_length, cvars, pvars, categories);
}

static inline int category_cvars(int category)
{
    int cvars, pvars, categories;
    category_sizes(category, &cvars, &pvars, &categories);
    return cvars;
}

static inline int category_pvars(int category)
{
    int cvars, pvars, categories;
    category_sizes(category, &cvars, &pvars, &categories);
    return pvars;
}

static inline int category_categories(int category)
{
    int cvars, pvars, categories;
    category_sizes(category, &cvars, &pvars, &categories);
    return categories;
}

static inline int category_events(int category)
{
    int events = 0;
#if MPI_VERSION >= 4
    if (PMPI_T_category_get_num_events(category, &events) != MPI_SUCCESS)
        events = 0;
#else
    (void)category;
#endif
    return events;
}

#endif
