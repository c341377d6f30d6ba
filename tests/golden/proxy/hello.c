/* A proxy of hello: its MPI calls, from hello.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 32 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static char *heap[1]; /* buffers: in the program's heap */
static char *stack[2]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static char any_text[65536];

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

int main(int argc, char **argv)
{
    heap[0] = arena();
    for (int b = 0; b < 2; b++)
        stack[b] = arena();

    MPI_Init(&argc, &argv); /* hello.c:20 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* hello.c:21 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* hello.c:22 */
    MPI_Get_version(any_int[0], any_int[1]); /* hello.c:23 */
    MPI_Get_processor_name(any_text, any_int[0]); /* hello.c:24 */
    if (rank == 0) {
        MPI_Gather(stack[0], 64, MPI_CHAR, heap[0], 64, MPI_CHAR, 0, MPI_COMM_WORLD); /* hello.c:31 */
    } else {
        MPI_Gather(stack[0], 64, MPI_CHAR, NULL, 0, MPI_DATATYPE_NULL, 0,
                MPI_COMM_WORLD); /* hello.c:31 */
    }
    MPI_Allreduce(MPI_IN_PLACE, stack[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD); /* hello.c:47 */
    MPI_Finalize(); /* hello.c:50 */
    return 0;
}
