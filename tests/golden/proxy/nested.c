/* A proxy of nested: its MPI calls, from nested.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 11016 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Request request[1];
static char *stack[7]; /* buffers: in the program's stack */

static const int trips_1[] = {
    1, 2, 3, 4, 3, 4, 1, 2, 3, 4, 1, 1, 2, 3, 4, 2, 3, 4, 1, 4, 1, 2, 3, 4, 1, 2, 2, 3, 4,
    1, 3, 4, 1, 2, 1, 2, 3, 4, 1, 2, 3, 3, 4, 1, 2, 4, 1, 2, 3, 2, 3, 4, 1, 2, 3, 4, 4, 1,
    2, 3}; /* by visit */
static const int trips_2[] = {1, 3, 5, 2, 4}; /* in turn */
static long visits[1]; /* by statement: how often it was reached */

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

static void pass_calls(void)
{
    MPI_Irecv(stack[3], 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD,
            &request[0]); /* nested.c:34 */
    MPI_Send(stack[4], 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD); /* nested.c:35 */
    MPI_Wait(&request[0], MPI_STATUS_IGNORE); /* nested.c:36 */
}

static void step_calls(void)
{
    MPI_Sendrecv(stack[1], 1, MPI_INT, (rank + 1) % size, 1, stack[2], 1, MPI_INT,
            (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* nested.c:48 */
    {
        const long n = visits[0]++, trips = trips_1[n % 60];
        for (long i = 0; i < trips; i++) {
            pass_calls(); /* nested.c:52 */
        }
    }
}

int main(int argc, char **argv)
{
    for (int b = 0; b < 7; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* nested.c:64 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* nested.c:65 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* nested.c:66 */
    for (long i = 0; i < 100; i++) {
        MPI_Bcast(stack[0], 1, MPI_INT, 0, MPI_COMM_WORLD); /* nested.c:73 */
        for (long j = 0; j < trips_2[i % 5]; j++) {
            step_calls(); /* nested.c:74 */
        }
        MPI_Allreduce(stack[5], stack[6], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD); /* nested.c:75 */
    }
    MPI_Finalize(); /* nested.c:79 */
    return 0;
}
