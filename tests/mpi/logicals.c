/* logicals: any int is a logical in C, and what is not 0 is true.
 *
 * Exercises: logicals other than 0 and 1, alone and in arrays, in calls that take them. tests/values looks at what was
 * recorded.
 */
#include "expect.h"

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    const int periods[] = {2, 0, -7, 1}, remains[] = {3, 0, 5, 0};
    int dims[] = {1, 1, 1, 1}, size, rank, newrank, verdict, got[4], found[4], coordinates[4], commute = -1,
        index[] = {0}, status_flag;
    MPI_Comm grid, part, graph, inter, both, alone;
    MPI_Status status;
    MPI_Op op;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    dims[0] = size;
    MPI_Cart_create(MPI_COMM_WORLD, 4, dims, periods, 2, &grid);
    MPI_Cart_get(grid, 4, got, found, coordinates);
    EXPECT(found[0] && !found[1] && found[2] && found[3]);
    MPI_Cart_map(MPI_COMM_WORLD, 4, dims, periods, &newrank);
    MPI_Cart_sub(grid, remains, &part);
    MPI_Cart_create(MPI_COMM_WORLD, 4, dims, periods, 1 << 31, &alone);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&part);
    MPI_Comm_free(&grid);
    MPI_Graph_create(MPI_COMM_SELF, 1, index, index, 255, &graph);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, -1,
                                   &graph);
    MPI_Comm_free(&graph);
    MPI_Op_create(add, 4, &op);
    MPI_Op_commutative(op, &commute);
    EXPECT(commute != 0);
    MPI_Op_free(&op);
    MPI_Status_set_elements(&status, MPI_INT, 0);
    MPI_Status_set_cancelled(&status, 0);
    MPI_Test_cancelled(&status, &status_flag);
    EXPECT(!status_flag);
    if (size > 1) {
        MPI_Comm half;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
        MPI_Intercomm_merge(inter, rank % 2 ? 9 : 0, &both);
        MPI_Comm_free(&both);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
    verdict = expect_verdict("logicals", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
