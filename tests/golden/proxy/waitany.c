/* A proxy of waitany: its MPI calls, from waitany.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 2366 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Request request[6];
static char *heap[1]; /* buffers: in the program's heap */
static char *stack[3]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static MPI_Status any_status[16];
static int found;

static const int peers_1[] = {
    3, 1, 2, 3, 1, 2, 1, 2, 3, 3, 1, 2, 2, 3, 1, 3, 1, 2, 2, 3, 1, 1, 2, 3, 2, 3, 1, 2, 3,
    1, 2, 3, 1, 1, 2, 3, 3, 1, 2, 3, 1, 2, 1, 2, 3, 2, 3, 1, 1, 2, 3, 1, 2, 3, 1, 2, 3, 3,
    1, 2, 2, 3, 1, 2, 3, 1, 2, 3, 1, 1, 2, 3, 3, 1, 2, 1, 2, 3, 3, 1, 2, 3, 1, 2, 1, 2, 3,
    2, 3, 1, 2, 3, 1, 2, 3, 1, 3, 1, 2, 2, 3, 1, 3, 1, 2, 3, 1, 2, 1, 2, 3, 2, 3, 1, 2, 3,
    1, 1, 2, 3, 2, 3, 1, 3, 1, 2, 2, 3, 1, 3, 1, 2, 3, 1, 2, 3, 1, 2, 1, 2, 3, 3, 1, 2, 3,
    1, 2, 1, 2, 3}; /* by visit */
static const int trips_1[] = {
    0, 3, 0, 2, 0, 2, 0, 4, 0, 5, 0, 5, 0, 5, 0, 2, 0, 3, 0, 3, 0, 5, 0, 5, 0, 2, 0, 4, 0,
    5, 0, 5, 0, 3, 0, 2, 0, 3, 0, 4, 0, 4, 0, 5, 0, 2, 0, 3, 0, 3}; /* by trip */
static const int peers_2[] = {
    2, 3, 1, 2, 1, 3, 2, 1, 3, 3, 1, 2, 3, 2, 1, 3, 2, 1, 1, 2, 3, 2, 3, 1, 3, 2, 1, 3, 1,
    2}; /* by visit */
static const int *const peers_3[] = {
    (const int[]){
        3, 0, 2, 3, 0, 2, 2, 3, 0, 3, 0, 2, 3, 0, 2, 0, 2, 3, 0, 2, 3, 2, 3, 0, 2, 3, 0, 0,
        2, 3, 0, 2, 3, 3, 0, 2, 2, 3, 0, 2, 3, 0, 3, 0, 2, 3, 0, 2, 0, 2, 3, 0, 2, 3, 2, 3,
        0, 0, 2, 3, 3, 0, 2, 0, 2, 3, 3, 0, 2, 3, 0, 2, 2, 3, 0, 3, 0, 2, 3, 0, 2, 2, 3, 0,
        0, 2, 3, 2, 3, 0, 3, 0, 2, 0, 2, 3, 2, 3, 0, 3, 0, 2, 0, 2, 3, 3, 0, 2, 2, 3, 0, 2,
        3, 0, 0, 2, 3, 0, 2, 3, 2, 3, 0, 2, 3, 0, 3, 0, 2, 3, 0, 2, 2, 3, 0, 2, 3, 0, 3, 0,
        2, 2, 3, 0, 3, 0, 2, 3, 0, 2},
    (const int[]){
        1, 3, 0, 1, 3, 0, 1, 3, 0, 3, 0, 1, 1, 3, 0, 1, 3, 0, 1, 3, 0, 0, 1, 3, 1, 3, 0, 3,
        0, 1, 3, 0, 1, 1, 3, 0, 0, 1, 3, 0, 1, 3, 1, 3, 0, 3, 0, 1, 0, 1, 3, 3, 0, 1, 1, 3,
        0, 1, 3, 0, 0, 1, 3, 3, 0, 1, 0, 1, 3, 0, 1, 3, 3, 0, 1, 3, 0, 1, 0, 1, 3, 3, 0, 1,
        1, 3, 0, 0, 1, 3, 0, 1, 3, 3, 0, 1, 3, 0, 1, 0, 1, 3, 3, 0, 1, 1, 3, 0, 0, 1, 3, 3,
        0, 1, 1, 3, 0, 3, 0, 1, 0, 1, 3, 0, 1, 3, 3, 0, 1, 1, 3, 0, 0, 1, 3, 3, 0, 1, 1, 3,
        0, 1, 3, 0, 0, 1, 3, 0, 1, 3},
    (const int[]){
        1, 2, 0, 0, 1, 2, 1, 2, 0, 2, 0, 1, 2, 0, 1, 2, 0, 1, 0, 1, 2, 2, 0, 1, 0, 1, 2, 0,
        1, 2, 0, 1, 2, 1, 2, 0, 2, 0, 1, 1, 2, 0, 0, 1, 2, 1, 2, 0, 2, 0, 1, 2, 0, 1, 2, 0,
        1, 2, 0, 1, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 1, 2, 0, 1, 2, 2, 0, 1, 1, 2, 0, 1, 2, 0,
        1, 2, 0, 2, 0, 1, 1, 2, 0, 2, 0, 1, 1, 2, 0, 2, 0, 1, 0, 1, 2, 1, 2, 0, 1, 2, 0, 2,
        0, 1, 1, 2, 0, 2, 0, 1, 2, 0, 1, 0, 1, 2, 2, 0, 1, 1, 2, 0, 1, 2, 0, 1, 2, 0, 2, 0,
        1, 0, 1, 2, 0, 1, 2, 1, 2, 0}}; /* by kind of rank and visit */
static const int *const trips_2[] = {
    (const int[]){
        0, 5, 0, 4, 0, 4, 0, 5, 0, 4, 0, 4, 0, 3, 0, 4, 0, 4, 0, 4, 0, 4, 0, 3, 0, 3, 0, 4,
        0, 4, 0, 3, 0, 4, 0, 5, 0, 4, 0, 4, 0, 4, 0, 3, 0, 4, 0, 4, 0, 4},
    (const int[]){
        0, 4, 0, 5, 0, 5, 0, 4, 0, 3, 0, 4, 0, 4, 0, 5, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 5,
        0, 4, 0, 3, 0, 5, 0, 3, 0, 3, 0, 2, 0, 3, 0, 4, 0, 4, 0, 5, 0, 4},
    (const int[]){
        0, 4, 0, 4, 0, 4, 0, 3, 0, 4, 0, 3, 0, 4, 0, 4, 0, 5, 0, 5, 0, 3, 0, 4, 0, 5, 0, 3,
        0, 3, 0, 4, 0, 3, 0, 4, 0, 5, 0, 5, 0, 3, 0, 4, 0, 5, 0, 4, 0, 5}}; /* by kind of rank and trip */
static long visits[3]; /* by statement: how often it was reached */

static char *arena(void)
{
    char *memory = calloc(1, (size_t)ARENA_BYTES);
    if (!memory) {
        fprintf(stderr, "no memory: -DARENA_BYTES= makes buffers smaller\n");
        exit(1);
    }
    return memory + (size_t)ARENA_BYTES / 4 / 64 * 64; /* datatypes may begin before their buffer */
}

#ifdef FREE_ORDER /* what a receive gets is left to MPI, as the program left it */
#define any_source(...) MPI_ANY_SOURCE
#else
#define any_source(...) (__VA_ARGS__)
#endif

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

static void exchange_calls(long i)
{
    for (long j = 0; j < 3; j++) {
        MPI_Irecv(heap[0] + j * 4, 1, MPI_INT, j + 1, 1, MPI_COMM_WORLD, &request[j]); /* waitany.c:78 */
    }
    for (long j = 0; j < 3; j++) {
        {
            const long n = visits[0]++;
            MPI_Isend(stack[0], 1, MPI_INT, peers_1[n], 1, MPI_COMM_WORLD,
                    &request[j + 3]); /* waitany.c:80 */
        }
    }
    for (long j = 0; j < (i % 2) * -7 + 7; j++) {
        MPI_Waitany(6, request, any_int[1], any_status); /* waitany.c:52 */
    }
    for (long j = 0; j < trips_1[i]; j++) {
        /* waitany.c:65 */
        do
            MPI_Testsome(6, request, &found, any_int[2], any_status);
        while (!found);
    }
}

static void exchange_calls_2(long i)
{
    for (long j = 0; j < 3; j++) {
        MPI_Irecv(heap[0] + j * 4, 1, MPI_INT, (const int[]){0, 2 - rank / 2, rank == size - 1 ? 2 : 3}[j],
                1, MPI_COMM_WORLD, &request[j]); /* waitany.c:78 */
    }
    for (long j = 0; j < 3; j++) {
        {
            const long n = visits[2]++;
            MPI_Isend(stack[0], 1, MPI_INT, peers_3[rank - 1][n], 1, MPI_COMM_WORLD,
                    &request[j + 3]); /* waitany.c:80 */
        }
    }
    for (long j = 0; j < (i % 2) * -7 + 7; j++) {
        MPI_Waitany(6, request, any_int[1], any_status); /* waitany.c:52 */
    }
    for (long j = 0; j < trips_2[rank - 1][i]; j++) {
        /* waitany.c:65 */
        do
            MPI_Testsome(6, request, &found, any_int[2], any_status);
        while (!found);
    }
}

int main(int argc, char **argv)
{
    heap[0] = arena();
    for (int b = 0; b < 3; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* waitany.c:129 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* waitany.c:130 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* waitany.c:131 */
    if (rank == 0) {
        for (long i = 0; i < 50; i++) {
            exchange_calls(i); /* waitany.c:134 */
            for (long j = 0; j < (i % 5 == 4 ? 3 : 0); j++) {
                {
                    const long n = visits[1]++;
                    MPI_Recv(stack[1], 1, MPI_INT, any_source(peers_2[n]), 2, MPI_COMM_WORLD,
                            any_status); /* waitany.c:96 */
                }
            }
        }
    } else {
        for (long i = 0; i < 50; i++) {
            exchange_calls_2(i); /* waitany.c:134 */
            if (i % 5 == 4) {
                MPI_Send(stack[0], 1, MPI_INT, 0, 2, MPI_COMM_WORLD); /* waitany.c:89 */
            }
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, stack[rank == 0 ? 2 : 1], 1, MPI_INT, MPI_MAX,
            MPI_COMM_WORLD); /* waitany.c:139 */
    MPI_Finalize(); /* waitany.c:142 */
    return 0;
}
