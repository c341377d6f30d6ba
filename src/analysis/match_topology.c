/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies of communicators; see match_topology.h. */
#include "analysis/match_topology.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { DIMS_MAX = 64, SOURCES_MAX = 1 << 20 };

const int64_t *match_topology_sources(const struct match_topology *topology)
{
    return topology->numbers + 2 * topology->dims;
}

/* Sets *FOUND to the topology that is kept for NEW, which is now kept or freed. NULL: no memory. */
static bool intern(struct match_map *all, struct match_topology *new, const struct match_topology **found)
{
    if (!new)
        return false;
    const XXH128_hash_t hash = XXH3_128bits(new->numbers, (2 * new->dims + new->sources) * sizeof *new->numbers);
    const struct match_key key = {{hash.low64, hash.high64, (uint64_t) new->dims << 32 | new->sources}};
    *found = match_map_find(all, key);
    if (*found || !match_map_put(all, key, new)) {
        free(new);
        return *found != NULL;
    }
    *found = new;
    return true;
}

static struct match_topology *topology_new(size_t dims, size_t sources)
{
    struct match_topology *new = malloc(sizeof *new + (2 * dims + sources) * sizeof *new->numbers);
    if (new) {
        new->dims = dims;
        new->sources = sources;
    }
    return new;
}

/* Returns the rank beside RANK in dimension D, whose stride is STRIDE; -1: there is none. */
static int64_t beside(const struct match_topology *t, size_t d, int64_t stride, int64_t rank, int64_t step)
{
    const int64_t extent = t->numbers[d], at = rank / stride % extent, to = at + step;
    if (to >= 0 && to < extent)
        return rank + step * stride;
    return t->numbers[t->dims + d] ? rank + ((to + extent) % extent - at) * stride : -1;
}

/* Fills in the neighbors in a grid: the last dimension is next to each other. */
static void grid_sources(struct match_topology *t, int64_t rank)
{
    int64_t stride = 1;
    for (size_t d = t->dims; d-- > 0; stride *= t->numbers[d])
        for (int side = 0; side < 2; side++)
            t->numbers[2 * t->dims + 2 * d + (size_t)side] = beside(t, d, stride, rank, side ? 1 : -1);
}

/* A grid of these extents. Not known: it has none, or more processes than there can be. */
static bool grid(struct match_map *all, const int64_t *extents, const int64_t *periods, size_t dims, int64_t rank,
                 const struct match_topology **found)
{
    int64_t size = 1;
    for (size_t d = 0; d < dims; d++)
        if (extents[d] < 1 || extents[d] > INT32_MAX / size)
            return true;
        else
            size *= extents[d];
    if (!dims || rank < 0 || rank >= size)
        return true;
    struct match_topology *new = topology_new(dims, 2 * dims);
    if (!new)
        return false;
    memcpy(new->numbers, extents, dims * sizeof *extents);
    memcpy(new->numbers + dims, periods, dims * sizeof *periods);
    grid_sources(new, rank);
    return intern(all, new, found);
}

static bool cart_create(struct match_map *all, const struct pilgrim_call *call, int64_t rank,
                        const struct match_topology **found)
{
    const struct pilgrim_value *dims = call_in(call, "dims"), *periods = call_in(call, "periods");
    int64_t extent[DIMS_MAX], period[DIMS_MAX];
    if (dims->type != PILGRIM_ARRAY || periods->type != PILGRIM_ARRAY || dims->count != periods->count ||
        dims->count > DIMS_MAX)
        return true;
    for (size_t d = 0; d < dims->count; d++) {
        extent[d] = dims->items[d].type == PILGRIM_INT ? dims->items[d].integer : 0;
        period[d] = periods->items[d].integer != 0;
    }
    return grid(all, extent, period, dims->count, rank, found);
}

static bool cart_sub(struct match_map *all, const struct pilgrim_call *call, const struct match_topology *parent,
                     int64_t rank, const struct match_topology **found)
{
    const struct pilgrim_value *remain = call_in(call, "remain_dims");
    int64_t extent[DIMS_MAX], period[DIMS_MAX];
    size_t dims = 0;
    if (!parent || remain->type != PILGRIM_ARRAY || remain->count != parent->dims)
        return true;
    for (size_t d = 0; d < parent->dims; d++)
        if (remain->items[d].integer) {
            extent[dims] = parent->numbers[d];
            period[dims++] = parent->numbers[parent->dims + d];
        }
    return grid(all, extent, period, dims, rank, found);
}

/* The items FIRST to END of a list of ranks. */
static bool list(struct match_map *all, const struct pilgrim_value *ranks, uint64_t first, uint64_t end,
                 const struct match_topology **found)
{
    if (first > end || end > SOURCES_MAX || (first < end && (ranks->type != PILGRIM_ARRAY || end > ranks->count)))
        return true;
    struct match_topology *new = topology_new(0, (size_t)(end - first));
    for (uint64_t i = first; new &&i < end; i++) {
        const struct pilgrim_value *v = &ranks->items[i];
        new->numbers[i - first] = v->type == PILGRIM_RANK || v->type == PILGRIM_INT ? v->integer : -1;
    }
    return intern(all, new, found);
}

static bool graph_create(struct match_map *all, const struct pilgrim_call *call, int64_t rank,
                         const struct match_topology **found)
{
    const struct pilgrim_value *index = call_in(call, "index");
    uint64_t first = 0, end;
    if (index->type != PILGRIM_ARRAY || rank < 0 || (uint64_t)rank >= index->count ||
        (rank > 0 && !value_count(&index->items[rank - 1], &first)) || !value_count(&index->items[rank], &end))
        return true;
    return list(all, call_in(call, "edges"), first, end, found);
}

bool match_topology_made(struct match_map *all, const struct pilgrim_call *call, const struct match_topology *parent,
                         int64_t rank, const struct match_topology **found)
{
    const char *name = call->function->name;
    uint64_t degree;
    *found = NULL;
    if (strcmp(name, "MPI_Cart_create") == 0)
        return cart_create(all, call, rank, found);
    if (strcmp(name, "MPI_Cart_sub") == 0)
        return cart_sub(all, call, parent, rank, found);
    if (strcmp(name, "MPI_Graph_create") == 0)
        return graph_create(all, call, rank, found);
    if (strcmp(name, "MPI_Dist_graph_create_adjacent") == 0)
        return !value_count(call_in(call, "indegree"), &degree) ||
               list(all, call_in(call, "sources"), 0, degree, found);
    if (strncmp(name, "MPI_Comm_dup", 12) == 0 || strncmp(name, "MPI_Comm_idup", 13) == 0)
        *found = parent;
    return true;
}

void match_topologies_free(struct match_map *all)
{
    for (size_t i = 0; i < all->capacity; i++)
        free(all->slots[i].value);
    match_map_free(all);
}
