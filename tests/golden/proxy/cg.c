/* A proxy of cg: its MPI calls, from cg.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 27856 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Request request[4];
static char *data[1]; /* buffers: in the program's static data */
static char *stack[4]; /* buffers: in the program's stack */

static const int trips_1[] = {
    49, 23, 65, 35, 56, 22, 51, 39, 56, 60, 67, 44, 65, 59, 64, 58, 47, 25, 45, 47}; /* by trip */

static char *arena(void)
{
    char *memory = calloc(1, (size_t)ARENA_BYTES);
    if (!memory) {
        fprintf(stderr, "no memory: -DARENA_BYTES= makes buffers smaller\n");
        exit(1);
    }
    return memory + (size_t)ARENA_BYTES / 4 / 64 * 64; /* datatypes may begin before their buffer */
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

static void exchange_calls(void)
{
    MPI_Irecv(data[0] + 17216, 1, MPI_DOUBLE, rank == 0 ? MPI_PROC_NULL : rank - 1, 2, MPI_COMM_WORLD,
            &request[0]); /* cg.c:36 */
    MPI_Irecv(data[0] + 17416, 1, MPI_DOUBLE, rank == size - 1 ? MPI_PROC_NULL : rank + 1, 1,
            MPI_COMM_WORLD, &request[1]); /* cg.c:37 */
    MPI_Isend(data[0] + 17224, 1, MPI_DOUBLE, rank == 0 ? MPI_PROC_NULL : rank - 1, 1, MPI_COMM_WORLD,
            &request[2]); /* cg.c:38 */
    MPI_Isend(data[0] + 17408, 1, MPI_DOUBLE, rank == size - 1 ? MPI_PROC_NULL : rank + 1, 2,
            MPI_COMM_WORLD, &request[3]); /* cg.c:39 */
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE); /* cg.c:40 */
}

static void exchange_calls_2(void)
{
    MPI_Irecv(data[0] + 16768, 1, MPI_DOUBLE, rank == 0 ? MPI_PROC_NULL : rank - 1, 2, MPI_COMM_WORLD,
            &request[0]); /* cg.c:36 */
    MPI_Irecv(data[0] + 16968, 1, MPI_DOUBLE, rank == size - 1 ? MPI_PROC_NULL : rank + 1, 1,
            MPI_COMM_WORLD, &request[1]); /* cg.c:37 */
    MPI_Isend(data[0] + 16776, 1, MPI_DOUBLE, rank == 0 ? MPI_PROC_NULL : rank - 1, 1, MPI_COMM_WORLD,
            &request[2]); /* cg.c:38 */
    MPI_Isend(data[0] + 16960, 1, MPI_DOUBLE, rank == size - 1 ? MPI_PROC_NULL : rank + 1, 2,
            MPI_COMM_WORLD, &request[3]); /* cg.c:39 */
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE); /* cg.c:40 */
}

static void solve_calls(long i)
{
    exchange_calls(); /* cg.c:58 */
    MPI_Allreduce(stack[0], stack[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* cg.c:48 */
    for (long j = 0; j < trips_1[i]; j++) {
        exchange_calls_2(); /* cg.c:66 */
        MPI_Allreduce(stack[0], stack[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* cg.c:48 */
        MPI_Allreduce(stack[0], stack[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* cg.c:48 */
    }
}

int main(int argc, char **argv)
{
    data[0] = arena();
    for (int b = 0; b < 4; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* cg.c:88 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* cg.c:89 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* cg.c:90 */
    for (long i = 0; i < 20; i++) {
        solve_calls(i); /* cg.c:99 */
    }
    MPI_Allreduce(stack[2], stack[3], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* cg.c:103 */
    MPI_Finalize(); /* cg.c:108 */
    return 0;
}
