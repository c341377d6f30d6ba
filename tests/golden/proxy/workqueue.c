/* A proxy of workqueue: its MPI calls, from workqueue.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 638 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Request request[1];
static char *data[1]; /* buffers: in the program's static data */
static char *stack[4]; /* buffers: in the program's stack */
static MPI_Status any_status[16]; /* any_...: for what comes out and is not looked at */
static int found;

static const int peers_1[] = {
    2, 1, 3, 3, 2, 2, 2, 2, 1, 1, 2, 3, 3, 2, 3, 3, 2, 2, 2, 1, 1, 1, 1, 2, 1, 2, 1, 3, 3,
    2, 3, 2, 3, 3, 3, 2, 1, 2, 3, 3, 2, 1, 2, 1, 1, 2, 1, 3, 2, 3, 3, 2, 1, 2, 1, 1, 3, 2,
    3, 2, 1, 3, 1, 3, 3, 2, 2, 2, 1, 1, 3, 3, 2, 1, 3, 3, 1, 2, 2, 2, 2, 2, 1, 1, 3, 2, 3,
    2, 3, 3, 3, 2, 2, 2, 1, 1, 2, 2, 3, 3}; /* by trip */
static const int *const trips_1[] = {
    (const int[]){
        1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0},
    (const int[]){
        1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1,
        1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0},
    (const int[]){
        1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0,
        1, 1, 1, 1, 1, 0}}; /* by kind of rank and visit */
static const int *const trips_2[] = {
    (const int[]){
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0},
    (const int[]){
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0},
    (const int[]){
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 0}}; /* by kind of rank and visit */
static const int *const trips_3[] = {
    (const int[]){3, 2, 3, 4, 4, 5, 2, 2, 2, 1, 0},
    (const int[]){2, 3, 17, 8, 5, 2, 3, 1, 0},
    (const int[]){2, 2, 2, 3, 2, 5, 6, 2, 2, 2, 6, 0}}; /* by kind of rank and trip */
static long visits[2]; /* by statement: how often it was reached */

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

static void master_calls(void)
{
    for (long i = 0; i < 6; i++) {
        MPI_Send(stack[0], 2, MPI_INT, i % 3 + 1, 1, MPI_COMM_WORLD); /* workqueue.c:48 */
    }
    for (long i = 0; i < 100; i++) {
        /* workqueue.c:63 */
        do
            MPI_Iprobe(any_source(peers_1[i]), 2, MPI_COMM_WORLD, &found, any_status);
        while (!found);
        MPI_Recv(stack[1], 1, MPI_INT, peers_1[i], 2, MPI_COMM_WORLD,
                MPI_STATUS_IGNORE); /* workqueue.c:68 */
        MPI_Send(stack[2], 2, MPI_INT, peers_1[i], 1, MPI_COMM_WORLD); /* workqueue.c:48 */
    }
}

static void worker_calls(void)
{
    MPI_Irecv(data[0] + 16528, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[0]); /* workqueue.c:77 */
    for (long i = 0; i < (rank % 2 == 0 ? 9 : rank / 2 + 11); i++) {
        /* workqueue.c:92 */
        do
            MPI_Test(&request[0], &found, MPI_STATUS_IGNORE);
        while (!found);
        for (long j = 0; j < trips_3[rank - 1][i]; j++) {
            MPI_Irecv(data[0] + 16528, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[0]); /* workqueue.c:77 */
            {
                const long n = visits[0]++, trips = trips_1[rank - 1][n];
                if (trips) {
                    /* workqueue.c:105 */
                    do
                        MPI_Test(&request[0], &found, MPI_STATUS_IGNORE);
                    while (!found);
                }
            }
            {
                const long n = visits[1]++, trips = trips_2[rank - 1][n];
                if (trips) {
                    MPI_Send(stack[0], 1, MPI_INT, 0, 2, MPI_COMM_WORLD); /* workqueue.c:108 */
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    data[0] = arena();
    for (int b = 0; b < 4; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* workqueue.c:127 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* workqueue.c:128 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* workqueue.c:129 */
    if (rank == 0) {
        master_calls(); /* workqueue.c:135 */
    } else {
        worker_calls(); /* workqueue.c:140 */
    }
    MPI_Bcast(stack[rank == 0 ? 3 : 1], 1, MPI_INT, 0, MPI_COMM_WORLD); /* workqueue.c:142 */
    MPI_Finalize(); /* workqueue.c:143 */
    return 0;
}
