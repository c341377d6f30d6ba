/* A proxy of transpose: its MPI calls, from transpose.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 88 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Comm comm[2];
static char *heap[2]; /* buffers: in the program's heap */
static char *stack[1]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */

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

static void array_init(void)
{
    MPI_Dims_create(4, 2, (int[]){0, 0}); /* transpose.c:59 */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &comm[0]); /* transpose.c:62 */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm[1]); /* transpose.c:63 */
    MPI_Comm_rank(comm[0], any_int[0]); /* transpose.c:64 */
    MPI_Comm_rank(comm[1], any_int[0]); /* transpose.c:65 */
}

static void array_free(void)
{
    MPI_Comm_free(&comm[0]); /* transpose.c:79 */
    MPI_Comm_free(&comm[1]); /* transpose.c:80 */
}

int main(int argc, char **argv)
{
    for (int b = 0; b < 2; b++)
        heap[b] = arena();
    stack[0] = arena();

    MPI_Init(&argc, &argv); /* transpose.c:198 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* transpose.c:199 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* transpose.c:200 */
    array_init(); /* transpose.c:201 */
    for (long i = 0; i < 5; i++) {
        MPI_Alltoall(heap[0], rank < 2 ? 36 : 27, MPI_DOUBLE, heap[1], rank < 2 ? 36 : 27, MPI_DOUBLE,
                comm[0]); /* transpose.c:141 */
        MPI_Alltoallv(heap[1], (int[]){rank < 2 ? 36 : 27, rank < 2 ? 36 : 27}, (int[]){0,
                rank < 2 ? 36 : 27}, MPI_DOUBLE, heap[0], (int[]){36, 27}, (int[]){0, 36}, MPI_DOUBLE,
                comm[1]); /* transpose.c:170 */
    }
    MPI_Allreduce(MPI_IN_PLACE, stack[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* transpose.c:210 */
    array_free(); /* transpose.c:217 */
    MPI_Finalize(); /* transpose.c:218 */
    return 0;
}
