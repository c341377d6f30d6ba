/* A proxy of neighbors: its MPI calls, from neighbors.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 400 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
 * void work(double ns) in place of a loop that waits; -DFREE_ORDER: receives of any source take what comes.
 *
 * No license of Pilgrim applies to this file: it is derived from the program that was recorded. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow" /* MPICH's MPI_STATUSES_IGNORE is the address 1 */
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ARENA_BYTES
#define ARENA_BYTES 131072 /* of a buffer; what is not used takes no memory */
#endif

static int rank, size;
static MPI_Comm comm[2];
static MPI_Request request[10];
static char *data[1]; /* buffers: in the program's static data */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static MPI_Status any_status[16];

static char *arena(void)
{
    char *memory = calloc(1, (size_t)ARENA_BYTES);
    if (!memory) {
        fprintf(stderr, "no memory: -DARENA_BYTES= makes buffers smaller\n");
        exit(1);
    }
    return memory + (size_t)ARENA_BYTES / 4 / 64 * 64; /* datatypes may begin before their buffer */
}

/* Returns a copy of an array that lives on, as MPI reads it until the call's request has ended. */
static void *keep(size_t bytes, const void *array)
{
    void *copy = malloc(bytes);
    if (!copy)
        exit(1);
    return memcpy(copy, array, bytes);
}

static void start(void)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 4) {
        if (rank == 0)
            fprintf(stderr, "this program is for 4 ranks\n");
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void use_all(void)
{
    MPI_Neighbor_allgather(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT,
            comm[0]); /* neighbors.c:94 */
    MPI_Neighbor_allgatherv(data[0] + 20816, 2, MPI_INT, data[0] + 20784, (int[]){2, 2}, (int[]){3, 0},
            MPI_INT, comm[0]); /* neighbors.c:99 */
    MPI_Neighbor_alltoall(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT,
            comm[0]); /* neighbors.c:104 */
    MPI_Neighbor_alltoallv(data[0] + 20816, (int[]){1, 2}, (int[]){1, 3}, MPI_INT, data[0] + 20784,
            (int[]){1, 2}, (int[]){3, 0}, MPI_INT, comm[0]); /* neighbors.c:109 */
    MPI_Neighbor_alltoallw(data[0] + 20816, (int[]){1, 1}, (MPI_Aint[]){0, 12}, (MPI_Datatype[]){MPI_INT,
            MPI_2INT}, data[0] + 20784, (int[]){1, 1}, (MPI_Aint[]){12, 0}, (MPI_Datatype[]){MPI_INT,
            MPI_2INT}, comm[0]); /* neighbors.c:114 */
}

static void use_all_2(void)
{
    MPI_Neighbor_allgather(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT,
            comm[1]); /* neighbors.c:94 */
    MPI_Neighbor_allgatherv(data[0] + 20816, 2, MPI_INT, data[0] + 20784, (int[]){2, 2}, (int[]){3, 0},
            MPI_INT, comm[1]); /* neighbors.c:99 */
    MPI_Neighbor_alltoall(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT,
            comm[1]); /* neighbors.c:104 */
    MPI_Neighbor_alltoallv(data[0] + 20816, (int[]){1, 2}, (int[]){1, 3}, MPI_INT, data[0] + 20784,
            (int[]){2, 1}, (int[]){3, 0}, MPI_INT, comm[1]); /* neighbors.c:109 */
    MPI_Neighbor_alltoallw(data[0] + 20816, (int[]){1, 1}, (MPI_Aint[]){0, 12}, (MPI_Datatype[]){MPI_INT,
            MPI_2INT}, data[0] + 20784, (int[]){1, 1}, (MPI_Aint[]){12, 0}, (MPI_Datatype[]){MPI_2INT,
            MPI_INT}, comm[1]); /* neighbors.c:114 */
}

static void use_all_3(void)
{
    MPI_Ineighbor_allgather(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT, comm[0],
            &request[0]); /* neighbors.c:94 */
    MPI_Wait(&request[0], any_status); /* neighbors.c:54 */
    MPI_Ineighbor_allgatherv(data[0] + 20816, 2, MPI_INT, data[0] + 20784, keep(sizeof(int[2]),
            (int[]){2, 2}), keep(sizeof(int[2]), (int[]){3, 0}), MPI_INT, comm[0],
            &request[1]); /* neighbors.c:99 */
    MPI_Wait(&request[1], any_status); /* neighbors.c:54 */
    MPI_Ineighbor_alltoall(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT, comm[0],
            &request[2]); /* neighbors.c:104 */
    MPI_Wait(&request[2], any_status); /* neighbors.c:54 */
    MPI_Ineighbor_alltoallv(data[0] + 20816, keep(sizeof(int[2]), (int[]){1, 2}), keep(sizeof(int[2]),
            (int[]){1, 3}), MPI_INT, data[0] + 20784, keep(sizeof(int[2]), (int[]){1, 2}),
            keep(sizeof(int[2]), (int[]){3, 0}), MPI_INT, comm[0], &request[3]); /* neighbors.c:109 */
    MPI_Wait(&request[3], any_status); /* neighbors.c:54 */
    MPI_Ineighbor_alltoallw(data[0] + 20816, keep(sizeof(int[2]), (int[]){1, 1}),
            keep(sizeof(MPI_Aint[2]), (MPI_Aint[]){0, 12}), keep(sizeof(MPI_Datatype[2]),
            (MPI_Datatype[]){MPI_INT, MPI_2INT}), data[0] + 20784, keep(sizeof(int[2]), (int[]){1, 1}),
            keep(sizeof(MPI_Aint[2]), (MPI_Aint[]){12, 0}), keep(sizeof(MPI_Datatype[2]),
            (MPI_Datatype[]){MPI_INT, MPI_2INT}), comm[0], &request[4]); /* neighbors.c:114 */
    MPI_Wait(&request[4], any_status); /* neighbors.c:54 */
}

static void use_all_4(void)
{
    MPI_Ineighbor_allgather(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT, comm[1],
            &request[0]); /* neighbors.c:94 */
    MPI_Wait(&request[0], any_status); /* neighbors.c:54 */
    MPI_Ineighbor_allgatherv(data[0] + 20816, 2, MPI_INT, data[0] + 20784, keep(sizeof(int[2]),
            (int[]){2, 2}), keep(sizeof(int[2]), (int[]){3, 0}), MPI_INT, comm[1],
            &request[1]); /* neighbors.c:99 */
    MPI_Wait(&request[1], any_status); /* neighbors.c:54 */
    MPI_Ineighbor_alltoall(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT, comm[1],
            &request[2]); /* neighbors.c:104 */
    MPI_Wait(&request[2], any_status); /* neighbors.c:54 */
    MPI_Ineighbor_alltoallv(data[0] + 20816, keep(sizeof(int[2]), (int[]){1, 2}), keep(sizeof(int[2]),
            (int[]){1, 3}), MPI_INT, data[0] + 20784, keep(sizeof(int[2]), (int[]){2, 1}),
            keep(sizeof(int[2]), (int[]){3, 0}), MPI_INT, comm[1], &request[3]); /* neighbors.c:109 */
    MPI_Wait(&request[3], any_status); /* neighbors.c:54 */
    MPI_Ineighbor_alltoallw(data[0] + 20816, keep(sizeof(int[2]), (int[]){1, 1}),
            keep(sizeof(MPI_Aint[2]), (MPI_Aint[]){0, 12}), keep(sizeof(MPI_Datatype[2]),
            (MPI_Datatype[]){MPI_INT, MPI_2INT}), data[0] + 20784, keep(sizeof(int[2]), (int[]){1, 1}),
            keep(sizeof(MPI_Aint[2]), (MPI_Aint[]){12, 0}), keep(sizeof(MPI_Datatype[2]),
            (MPI_Datatype[]){MPI_2INT, MPI_INT}), comm[1], &request[4]); /* neighbors.c:114 */
    MPI_Wait(&request[4], any_status); /* neighbors.c:54 */
}

static void request_complete(void)
{
    MPI_Start(&request[5]); /* neighbors.c:50 */
    MPI_Wait(&request[5], any_status); /* neighbors.c:51 */
    MPI_Start(&request[5]); /* neighbors.c:52 */
    MPI_Wait(&request[5], any_status); /* neighbors.c:54 */
    MPI_Request_free(&request[5]); /* neighbors.c:56 */
}

static void request_complete_2(void)
{
    MPI_Start(&request[6]); /* neighbors.c:50 */
    MPI_Wait(&request[6], any_status); /* neighbors.c:51 */
    MPI_Start(&request[6]); /* neighbors.c:52 */
    MPI_Wait(&request[6], any_status); /* neighbors.c:54 */
    MPI_Request_free(&request[6]); /* neighbors.c:56 */
}

static void request_complete_3(void)
{
    MPI_Start(&request[7]); /* neighbors.c:50 */
    MPI_Wait(&request[7], any_status); /* neighbors.c:51 */
    MPI_Start(&request[7]); /* neighbors.c:52 */
    MPI_Wait(&request[7], any_status); /* neighbors.c:54 */
    MPI_Request_free(&request[7]); /* neighbors.c:56 */
}

static void request_complete_4(void)
{
    MPI_Start(&request[8]); /* neighbors.c:50 */
    MPI_Wait(&request[8], any_status); /* neighbors.c:51 */
    MPI_Start(&request[8]); /* neighbors.c:52 */
    MPI_Wait(&request[8], any_status); /* neighbors.c:54 */
    MPI_Request_free(&request[8]); /* neighbors.c:56 */
}

static void request_complete_5(void)
{
    MPI_Start(&request[9]); /* neighbors.c:50 */
    MPI_Wait(&request[9], any_status); /* neighbors.c:51 */
    MPI_Start(&request[9]); /* neighbors.c:52 */
    MPI_Wait(&request[9], any_status); /* neighbors.c:54 */
    MPI_Request_free(&request[9]); /* neighbors.c:56 */
}

static void use_all_5(void)
{
    MPI_Neighbor_allgather_init(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT, comm[0],
            MPI_INFO_NULL, &request[5]); /* neighbors.c:94 */
    request_complete(); /* neighbors.c:46 */
    MPI_Neighbor_allgatherv_init(data[0] + 20816, 2, MPI_INT, data[0] + 20784, keep(sizeof(int[2]),
            (int[]){2, 2}), keep(sizeof(int[2]), (int[]){3, 0}), MPI_INT, comm[0], MPI_INFO_NULL,
            &request[6]); /* neighbors.c:99 */
    request_complete_2(); /* neighbors.c:46 */
    MPI_Neighbor_alltoall_init(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT, comm[0],
            MPI_INFO_NULL, &request[7]); /* neighbors.c:104 */
    request_complete_3(); /* neighbors.c:46 */
    MPI_Neighbor_alltoallv_init(data[0] + 20816, keep(sizeof(int[2]), (int[]){1, 2}),
            keep(sizeof(int[2]), (int[]){1, 3}), MPI_INT, data[0] + 20784, keep(sizeof(int[2]),
            (int[]){1, 2}), keep(sizeof(int[2]), (int[]){3, 0}), MPI_INT, comm[0], MPI_INFO_NULL,
            &request[8]); /* neighbors.c:109 */
    request_complete_4(); /* neighbors.c:46 */
    MPI_Neighbor_alltoallw_init(data[0] + 20816, keep(sizeof(int[2]), (int[]){1, 1}),
            keep(sizeof(MPI_Aint[2]), (MPI_Aint[]){0, 12}), keep(sizeof(MPI_Datatype[2]),
            (MPI_Datatype[]){MPI_INT, MPI_2INT}), data[0] + 20784, keep(sizeof(int[2]), (int[]){1, 1}),
            keep(sizeof(MPI_Aint[2]), (MPI_Aint[]){12, 0}), keep(sizeof(MPI_Datatype[2]),
            (MPI_Datatype[]){MPI_INT, MPI_2INT}), comm[0], MPI_INFO_NULL,
            &request[9]); /* neighbors.c:114 */
    request_complete_5(); /* neighbors.c:46 */
}

static void use_all_6(void)
{
    MPI_Neighbor_allgather_init(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT, comm[1],
            MPI_INFO_NULL, &request[5]); /* neighbors.c:94 */
    request_complete(); /* neighbors.c:46 */
    MPI_Neighbor_allgatherv_init(data[0] + 20816, 2, MPI_INT, data[0] + 20784, keep(sizeof(int[2]),
            (int[]){2, 2}), keep(sizeof(int[2]), (int[]){3, 0}), MPI_INT, comm[1], MPI_INFO_NULL,
            &request[6]); /* neighbors.c:99 */
    request_complete_2(); /* neighbors.c:46 */
    MPI_Neighbor_alltoall_init(data[0] + 20816, 3, MPI_INT, data[0] + 20784, 3, MPI_INT, comm[1],
            MPI_INFO_NULL, &request[7]); /* neighbors.c:104 */
    request_complete_3(); /* neighbors.c:46 */
    MPI_Neighbor_alltoallv_init(data[0] + 20816, keep(sizeof(int[2]), (int[]){1, 2}),
            keep(sizeof(int[2]), (int[]){1, 3}), MPI_INT, data[0] + 20784, keep(sizeof(int[2]),
            (int[]){2, 1}), keep(sizeof(int[2]), (int[]){3, 0}), MPI_INT, comm[1], MPI_INFO_NULL,
            &request[8]); /* neighbors.c:109 */
    request_complete_4(); /* neighbors.c:46 */
    MPI_Neighbor_alltoallw_init(data[0] + 20816, keep(sizeof(int[2]), (int[]){1, 1}),
            keep(sizeof(MPI_Aint[2]), (MPI_Aint[]){0, 12}), keep(sizeof(MPI_Datatype[2]),
            (MPI_Datatype[]){MPI_INT, MPI_2INT}), data[0] + 20784, keep(sizeof(int[2]), (int[]){1, 1}),
            keep(sizeof(MPI_Aint[2]), (MPI_Aint[]){12, 0}), keep(sizeof(MPI_Datatype[2]),
            (MPI_Datatype[]){MPI_2INT, MPI_INT}), comm[1], MPI_INFO_NULL,
            &request[9]); /* neighbors.c:114 */
    request_complete_5(); /* neighbors.c:46 */
}

int main(int argc, char **argv)
{
    data[0] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* neighbors.c:124 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* neighbors.c:125 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* neighbors.c:126 */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, (int[]){(rank + size - 1) % size,
            (rank + 1) % size}, MPI_UNWEIGHTED, 2, (int[]){(rank + 1) % size, (rank + size - 1) % size},
            MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm[0]); /* neighbors.c:137 */
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){4}, (int[]){0}, 0, &comm[1]); /* neighbors.c:139 */
    MPI_Cart_shift(comm[1], 0, 1, any_int[2], any_int[3]); /* neighbors.c:140 */
    use_all(); /* neighbors.c:143 */
    use_all_2(); /* neighbors.c:144 */
    use_all_3(); /* neighbors.c:143 */
    use_all_4(); /* neighbors.c:144 */
    use_all_5(); /* neighbors.c:143 */
    use_all_6(); /* neighbors.c:144 */
    MPI_Comm_free(&comm[0]); /* neighbors.c:146 */
    MPI_Comm_free(&comm[1]); /* neighbors.c:147 */
    MPI_Allreduce(MPI_IN_PLACE, data[0] + 20840, 1, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD); /* neighbors.c:149 */
    MPI_Finalize(); /* neighbors.c:152 */
    return 0;
}
