/* A proxy of stencil2d: its MPI calls, from stencil2d.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 3680 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
#define ARENA_BYTES 65536 /* of a buffer; what is not used takes no memory */
#endif

static int rank, size;
static MPI_Datatype type[1];
static MPI_Request request[8];
static char *heap[3]; /* buffers: in the program's heap */
static char *stack[2]; /* buffers: in the program's stack */

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

static void tile_init(void)
{
    MPI_Dims_create(4, 2, (int[]){0, 0}); /* stencil2d.c:58 */
    MPI_Type_vector(8, 1, 10, MPI_DOUBLE, &type[0]); /* stencil2d.c:66 */
    MPI_Type_commit(&type[0]); /* stencil2d.c:67 */
}

static void tile_exchange(long i)
{
    MPI_Irecv(heap[i % 2] + 8, 8, MPI_DOUBLE, rank < 2 ? MPI_PROC_NULL : rank - 2, 1, MPI_COMM_WORLD,
            &request[0]); /* stencil2d.c:81 */
    MPI_Irecv(heap[i % 2] + 728, 8, MPI_DOUBLE, rank >= 2 ? MPI_PROC_NULL : rank + 2, 0, MPI_COMM_WORLD,
            &request[1]); /* stencil2d.c:82 */
    MPI_Irecv(heap[i % 2] + 80, 1, type[0], rank % 2 == 0 ? MPI_PROC_NULL : rank - 1, 3, MPI_COMM_WORLD,
            &request[2]); /* stencil2d.c:83 */
    MPI_Irecv(heap[i % 2] + 152, 1, type[0], rank % 2 == 1 ? MPI_PROC_NULL : rank + 1, 2, MPI_COMM_WORLD,
            &request[3]); /* stencil2d.c:84 */
    MPI_Isend(heap[i % 2] + 88, 8, MPI_DOUBLE, rank < 2 ? MPI_PROC_NULL : rank - 2, 0, MPI_COMM_WORLD,
            &request[4]); /* stencil2d.c:86 */
    MPI_Isend(heap[i % 2] + 648, 8, MPI_DOUBLE, rank >= 2 ? MPI_PROC_NULL : rank + 2, 1, MPI_COMM_WORLD,
            &request[5]); /* stencil2d.c:87 */
    MPI_Isend(heap[i % 2] + 88, 1, type[0], rank % 2 == 0 ? MPI_PROC_NULL : rank - 1, 2, MPI_COMM_WORLD,
            &request[6]); /* stencil2d.c:88 */
    MPI_Isend(heap[i % 2] + 144, 1, type[0], rank % 2 == 1 ? MPI_PROC_NULL : rank + 1, 3, MPI_COMM_WORLD,
            &request[7]); /* stencil2d.c:89 */
    MPI_Waitall(8, request, MPI_STATUSES_IGNORE); /* stencil2d.c:91 */
}

int main(int argc, char **argv)
{
    for (int b = 0; b < 3; b++)
        heap[b] = arena();
    for (int b = 0; b < 2; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* stencil2d.c:139 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* stencil2d.c:140 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* stencil2d.c:141 */
    tile_init(); /* stencil2d.c:142 */
    for (long i = 0; i < 10; i++) {
        for (long j = 0; j < 10; j++) {
            tile_exchange(j); /* stencil2d.c:148 */
        }
        MPI_Allreduce(stack[0], stack[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* stencil2d.c:153 */
    }
    if (rank == 0) {
        MPI_Gather(heap[0], 100, MPI_DOUBLE, heap[2], 100, MPI_DOUBLE, 0,
                MPI_COMM_WORLD); /* stencil2d.c:103 */
    } else {
        MPI_Gather(heap[0], 100, MPI_DOUBLE, NULL, 0, MPI_DATATYPE_NULL, 0,
                MPI_COMM_WORLD); /* stencil2d.c:103 */
    }
    MPI_Bcast(stack[0], 1, MPI_INT, 0, MPI_COMM_WORLD); /* stencil2d.c:160 */
    MPI_Type_free(&type[0]); /* stencil2d.c:166 */
    MPI_Finalize(); /* stencil2d.c:167 */
    return 0;
}
