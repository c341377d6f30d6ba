/* A proxy of ring: its MPI calls, from ring.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 210 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static char *stack[3]; /* buffers: in the program's stack */
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

static void walk_token(void)
{
    MPI_Send(stack[0], 1, MPI_LONG, 1, 7, MPI_COMM_WORLD); /* ring.c:24 */
    MPI_Recv(stack[0], 1, MPI_LONG, 3, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ring.c:25 */
}

static void shift_values(void)
{
    MPI_Sendrecv(stack[0], 1, MPI_INT, 1, 8, stack[1], 1, MPI_INT, 3, 8, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE); /* ring.c:44 */
    MPI_Sendrecv_replace(stack[1], 1, MPI_INT, 3, 8, 1, 8, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE); /* ring.c:49 */
}

static void walk_token_2(void)
{
    MPI_Recv(stack[0], 1, MPI_LONG, rank - 1, 7, MPI_COMM_WORLD, any_status); /* ring.c:28 */
    MPI_Get_count(any_status, MPI_LONG, any_int[0]); /* ring.c:29 */
    MPI_Send(stack[0], 1, MPI_LONG, (rank + 1) % size, 7, MPI_COMM_WORLD); /* ring.c:33 */
}

static void shift_values_2(void)
{
    MPI_Sendrecv(stack[0], 1, MPI_INT, (rank + 1) % size, 8, stack[1], 1, MPI_INT, rank - 1, 8,
            MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ring.c:44 */
    MPI_Sendrecv_replace(stack[1], 1, MPI_INT, rank - 1, 8, (rank + 1) % size, 8, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE); /* ring.c:49 */
}

int main(int argc, char **argv)
{
    for (int b = 0; b < 3; b++)
        stack[b] = arena();

    MPI_Init(&argc, &argv); /* ring.c:60 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* ring.c:61 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* ring.c:62 */
    if (rank == 0) {
        for (long i = 0; i < 10; i++) {
            walk_token(); /* ring.c:65 */
            shift_values(); /* ring.c:66 */
        }
    } else {
        for (long i = 0; i < 10; i++) {
            walk_token_2(); /* ring.c:65 */
            shift_values_2(); /* ring.c:66 */
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, stack[2], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD); /* ring.c:76 */
    MPI_Finalize(); /* ring.c:79 */
    return 0;
}
