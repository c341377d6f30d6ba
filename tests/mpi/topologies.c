/* topologies: Cartesian grids, graphs and distributed graphs, and all questions one can ask them.
 *
 * Exercises: Dims_create, Cart_create, coords, rank, shift, sub, get, map, cartdim_get; Graph_create,
 * graphdims_get, graph_get, neighbors, graph_map; Dist_graph_create (each rank tells edges of others),
 * Dist_graph_create_adjacent, with weights, MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY; Topo_test; ranks left out
 * (MPI_COMM_NULL).
 */
#include "expect.h"

enum { DEGREE_MAX = 8 };

static int world_rank, world_size;

static int topology_kind(MPI_Comm comm)
{
    int kind = -1;

    MPI_Topo_test(comm, &kind);
    return kind;
}

static void check_grid(void)
{
    int dims[2] = {0, 0}, got[2], periods[2] = {1, 0}, coords[2], dimensions, rank, back, low, high, mapped;
    const int keep_row[2] = {0, 1}, keep_none[2] = {0, 0};
    MPI_Comm grid, row, point;

    MPI_Dims_create(world_size, 2, dims);
    EXPECT(dims[0] * dims[1] == world_size && dims[0] >= dims[1]);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    EXPECT(topology_kind(grid) == MPI_CART && topology_kind(MPI_COMM_WORLD) == MPI_UNDEFINED);
    MPI_Cartdim_get(grid, &dimensions);
    EXPECT(dimensions == 2);
    MPI_Cart_get(grid, 2, got, periods, coords);
    EXPECT(got[0] == dims[0] && got[1] == dims[1] && periods[0] && !periods[1]);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_rank(grid, coords, &back);
    EXPECT(back == rank);
    MPI_Cart_coords(grid, rank, 2, got);
    EXPECT(got[0] == coords[0] && got[1] == coords[1]);
    coords[0] -= dims[0]; /* periodic here, so out of range is fine */
    MPI_Cart_rank(grid, coords, &back);
    EXPECT(back == rank);
    MPI_Cart_shift(grid, 0, 1, &low, &high);
    EXPECT(low >= 0 && high >= 0);
    MPI_Cart_shift(grid, 1, 1, &low, &high);
    EXPECT((low == MPI_PROC_NULL) == (coords[1] == 0));
    EXPECT((high == MPI_PROC_NULL) == (coords[1] == dims[1] - 1));
    MPI_Cart_shift(grid, 1, -dims[1], &low, &high);
    EXPECT(low == MPI_PROC_NULL && high == MPI_PROC_NULL);
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &mapped);
    EXPECT(mapped >= 0 && mapped < world_size);

    MPI_Cart_sub(grid, keep_row, &row);
    MPI_Comm_size(row, &back);
    EXPECT(back == dims[1] && topology_kind(row) == MPI_CART);
    /* Every rank should get a grid of itself alone; MPICH 4.0.2 gives one to rank 0 and null to the others.
     */
    MPI_Cart_sub(grid, keep_none, &point);
    if (point != MPI_COMM_NULL) {
        MPI_Comm_size(point, &back);
        EXPECT(back == 1);
        MPI_Cartdim_get(point, &dimensions);
        EXPECT(dimensions == 0);
        MPI_Comm_free(&point);
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

/* A grid of one rank less than there are: the last gets nothing. And one without dimensions. */
static void check_left_out(void)
{
    const int one[1] = {world_size - 1}, open_end[1] = {0};
    MPI_Comm grid;

    if (world_size > 1) {
        MPI_Cart_create(MPI_COMM_WORLD, 1, one, open_end, 1, &grid);
        EXPECT((grid == MPI_COMM_NULL) == (world_rank == world_size - 1));
        if (grid != MPI_COMM_NULL)
            MPI_Comm_free(&grid);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &grid);
    EXPECT((grid == MPI_COMM_NULL) == (world_rank != 0));
    if (grid != MPI_COMM_NULL)
        MPI_Comm_free(&grid);
}

/* The ring as an old-style graph: every rank lists the edges of all. */
static void check_graph(void)
{
    int *const index = malloc((size_t)world_size * sizeof *index);
    int *const edges = malloc(2 * (size_t)world_size * sizeof *edges);
    int nodes, arcs, neighbors, list[DEGREE_MAX], mapped;
    MPI_Comm graph;

    for (int i = 0; i < world_size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + world_size - 1) % world_size;
        edges[2 * i + 1] = (i + 1) % world_size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, world_size, index, edges, 0, &graph);
    EXPECT(topology_kind(graph) == MPI_GRAPH);
    MPI_Graphdims_get(graph, &nodes, &arcs);
    EXPECT(nodes == world_size && arcs == 2 * world_size);
    MPI_Graph_neighbors_count(graph, world_rank, &neighbors);
    EXPECT(neighbors == 2);
    MPI_Graph_neighbors(graph, world_rank, DEGREE_MAX, list);
    EXPECT(list[0] == (world_rank + world_size - 1) % world_size && list[1] == (world_rank + 1) % world_size);
    index[0] = edges[0] = -1;
    MPI_Graph_get(graph, nodes, arcs, index, edges);
    EXPECT(index[0] == 2 && edges[0] == world_size - 1);
    MPI_Graph_map(MPI_COMM_WORLD, world_size, index, edges, &mapped);
    EXPECT(mapped >= 0 && mapped < world_size);
    MPI_Comm_free(&graph);
    free(index);
    free(edges);
}

static void check_adjacent(int weighted)
{
    const int sources[1] = {(world_rank + world_size - 1) % world_size}, in_weights[1] = {sources[0] + 1};
    const int targets[1] = {(world_rank + 1) % world_size}, out_weights[1] = {world_rank + 1};
    int in = -1, out = -1, got_weighted = -1, source[1], target[1], source_weight[1] = {0}, target_weight[1] = {0};
    MPI_Comm graph;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, weighted ? in_weights : MPI_UNWEIGHTED, 1, targets,
                                   weighted ? out_weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    EXPECT(topology_kind(graph) == MPI_DIST_GRAPH);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &got_weighted);
    EXPECT(in == 1 && out == 1 && !got_weighted == !weighted);
    if (weighted)
        MPI_Dist_graph_neighbors(graph, 1, source, source_weight, 1, target, target_weight);
    else
        MPI_Dist_graph_neighbors(graph, 1, source, MPI_UNWEIGHTED, 1, target, MPI_UNWEIGHTED);
    EXPECT(source[0] == sources[0] && target[0] == targets[0]);
    EXPECT(!weighted || (source_weight[0] == in_weights[0] && target_weight[0] == out_weights[0]));
    MPI_Comm_free(&graph);
}

/* Rank 0 tells a star, for all; the others bring nothing. */
static void check_star(int weighted)
{
    int *const targets = malloc((size_t)world_size * sizeof *targets);
    int *const weights = malloc((size_t)world_size * sizeof *weights);
    const int source[1] = {0}, degree[1] = {world_size - 1};
    const int mine = world_rank == 0 && world_size > 1;
    int in = -1, out = -1, got_weighted;
    MPI_Comm graph;

    for (int i = 0; i < world_size; i++) {
        targets[i] = i + 1;
        weights[i] = 10 * (i + 1);
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, mine, mine ? source : NULL, mine ? degree : NULL, mine ? targets : NULL,
                          !weighted ? MPI_UNWEIGHTED
                          : mine    ? weights
                                    : MPI_WEIGHTS_EMPTY,
                          MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &got_weighted);
    EXPECT(in == (world_rank > 0) && out == (world_rank == 0 ? world_size - 1 : 0));
    EXPECT(!got_weighted == !weighted);
    if (world_rank > 0) {
        int from = -1, weight = -1;

        MPI_Dist_graph_neighbors(graph, 1, &from, weighted ? &weight : MPI_UNWEIGHTED, 0, NULL,
                                 weighted ? MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED);
        EXPECT(from == 0 && (!weighted || weight == 10 * world_rank));
    }
    MPI_Comm_free(&graph);
    free(targets);
    free(weights);
}

int main(int argc, char **argv)
{
    int verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    check_grid();
    check_left_out();
    check_graph();
    for (int weighted = 0; weighted < 2; weighted++) {
        check_adjacent(weighted);
        check_star(weighted);
    }
    verdict = expect_verdict("topologies", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
