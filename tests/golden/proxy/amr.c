/* A proxy of amr: its MPI calls, from amr.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 1736 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Request request[6];
static MPI_Request some_requests[16];
static char *heap[2]; /* buffers: in the program's heap */
static char *stack[2]; /* buffers: in the program's stack */
static MPI_Status any_status[16]; /* any_...: for what comes out and is not looked at */

static const int *const kinds_1[] = {
    (const int[]){0, 1, 1, 2, 2, 2, 2, 3, 3, 3},
    (const int[]){0, 1, 0, 0, 1, 1, 1, 1, 2, 2},
    (const int[]){0, 0, 0, 2, 1, 1, 1, 1, 2, 2},
    (const int[]){0, 2, 1, 2, 0, 0, 0, 1, 1, 1}}; /* by rank and trip */
static const int *const offsets_1[] = {
    (const int[]){
        12000, 12000, 12000, 12000, 12000, 12000, 12000, 12000, 12000, 12000, 12000, 12000,
        12000, 12000, 12000, 12000, 12000, 12000, 12000, 12000, 8000, 12000, 8000, 12000,
        8000, 12000, 8000, 12000, 8000, 12000, 8000, 12000, 8000, 12000, 8000, 12000, 8000,
        12000, 8000, 12000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000,
        4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000,
        4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000,
        4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000,
        4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 4000, 8000, 12000, 4000, 8000,
        12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000,
        4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000,
        8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000,
        12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000,
        4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000,
        8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000, 12000, 4000, 8000,
        12000, 4000, 8000, 12000, 4000, 8000, 12000},
    (const int[]){
        12000, 12000, 12000, 12000, 12000, 12000, 12000, 12000, 12000, 12000, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0,
        8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0,
        8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000},
    (const int[]){
        0, 12000, 0, 12000, 0, 12000, 0, 12000, 0, 12000, 0, 12000, 0, 12000, 0, 12000, 0,
        12000, 0, 12000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4000, 0, 4000, 0, 4000, 0,
        4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0,
        4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000},
    (const int[]){
        0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0, 4000, 0,
        4000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0,
        8000, 0, 8000, 0, 8000, 0, 8000, 0, 8000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}; /* by rank and visit */
static const int *const counts_1[] = {
    (const int[]){
        435, 435, 435, 435, 435, 435, 435, 435, 435, 435, 435, 435, 435, 435, 435, 435,
        435, 435, 435, 435, 480, 435, 480, 435, 480, 435, 480, 435, 480, 435, 480, 435,
        480, 435, 480, 435, 480, 435, 480, 435, 421, 480, 421, 480, 421, 480, 421, 480,
        421, 480, 421, 480, 421, 480, 421, 480, 421, 480, 421, 480, 421, 480, 421, 480,
        421, 480, 421, 480, 421, 480, 421, 480, 421, 480, 421, 480, 421, 480, 421, 480,
        421, 480, 421, 480, 421, 480, 421, 480, 421, 480, 421, 480, 421, 480, 421, 480,
        421, 480, 421, 480, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421,
        480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421,
        480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421,
        480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421,
        480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421, 480, 20, 421,
        480, 20, 421, 480, 20},
    (const int[]){
        194, 194, 194, 194, 194, 194, 194, 194, 194, 194, 421, 421, 421, 421, 421, 421,
        421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421,
        421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421, 421,
        421, 421, 421, 479, 421, 479, 421, 479, 421, 479, 421, 479, 421, 479, 421, 479,
        421, 479, 421, 479, 421, 479, 421, 479, 421, 479, 421, 479, 421, 479, 421, 479,
        421, 479, 421, 479, 421, 479, 421, 479, 421, 479},
    (const int[]){
        480, 154, 480, 154, 480, 154, 480, 154, 480, 154, 480, 154, 480, 154, 480, 154,
        480, 154, 480, 154, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480,
        480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480,
        480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 479, 480, 479,
        480, 479, 480, 479, 480, 479, 480, 479, 480, 479, 480, 479, 480, 479, 480, 479,
        480, 479, 480, 479, 480, 479, 480, 479, 480, 479, 480, 479, 480, 479, 480, 479,
        480, 479, 480, 479},
    (const int[]){
        435, 194, 435, 194, 435, 194, 435, 194, 435, 194, 435, 194, 435, 194, 435, 194,
        435, 194, 435, 194, 435, 435, 435, 435, 435, 435, 435, 435, 435, 435, 435, 154,
        435, 154, 435, 154, 435, 154, 435, 154, 435, 154, 435, 154, 435, 154, 435, 154,
        435, 154, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
        20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20}}; /* by rank and visit */
static const int *const peers_1[] = {
    (const int[]){
        3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 3, 2, 3, 2, 3, 2, 3,
        2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2,
        1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2,
        1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3,
        1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1,
        2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2,
        3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3},
    (const int[]){
        3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 2,
        0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2,
        0, 2, 0, 2, 0, 2},
    (const int[]){
        0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
        0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
    (const int[]){
        0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}; /* by rank and visit */
static const int *const trips_1[] = {
    (const int[]){0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 0},
    (const int[]){0, 1, 0, 0, 1, 1, 1, 1, 2, 2, 0},
    (const int[]){0, 0, 0, 2, 1, 1, 1, 1, 2, 2, 0},
    (const int[]){0, 2, 1, 2, 0, 0, 0, 1, 1, 1, 0}}; /* by rank and trip */
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

/* Returns COUNT requests: those of a list that are under way, in its order, then MPI_REQUEST_NULL. */
static MPI_Request *under_way(int count, int length, const int *list)
{
    int n = 0;
    for (int c = 0; c < length; c++) {
        if (request[list[c]] != MPI_REQUEST_NULL)
            some_requests[n++] = request[list[c]];
        request[list[c]] = MPI_REQUEST_NULL;
    }
    while (n < count)
        some_requests[n++] = MPI_REQUEST_NULL;
    return some_requests;
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

static void mesh_exchange(long i)
{
    {
        const long n = visits[0]++;
        MPI_Irecv(heap[0] + offsets_1[rank][n], counts_1[rank][n], MPI_DOUBLE, peers_1[rank][n], 3,
                MPI_COMM_WORLD, &request[i]); /* amr.c:56 */
    }
    {
        const long n = visits[1]++;
        MPI_Isend(heap[1] + offsets_1[rank][n], counts_1[rank][n], MPI_DOUBLE, peers_1[rank][n], 3,
                MPI_COMM_WORLD, &request[i + 3]); /* amr.c:57 */
    }
}

int main(int argc, char **argv)
{
    for (int b = 0; b < 2; b++)
        heap[b] = arena();
    for (int b = 0; b < 2; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* amr.c:95 */
    start();
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* amr.c:96 */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* amr.c:73 */
    for (long i = 0; i < 100; i++) {
        switch (kinds_1[rank][i / 10]) {
        case 0:
            MPI_Waitall(0, request, any_status); /* amr.c:60 */
            break;
        case 1:
            MPI_Waitall(2, under_way(2, 2, (const int[]){0, 3}), MPI_STATUSES_IGNORE); /* amr.c:60 */
            break;
        case 2:
            MPI_Waitall(4, under_way(4, 4, (const int[]){0, 3, 1, 4}), MPI_STATUSES_IGNORE); /* amr.c:60 */
            break;
        case 3:
            MPI_Waitall(6, under_way(6, 6, (const int[]){0, 3, 1, 4, 2, 5}),
                    MPI_STATUSES_IGNORE); /* amr.c:60 */
            break;
        }
        MPI_Allreduce(stack[0], stack[1], 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); /* amr.c:106 */
        for (long j = 0; j < trips_1[rank][(i + 1) / 10]; j++) {
            mesh_exchange(j); /* amr.c:103 */
        }
    }
    MPI_Finalize(); /* amr.c:114 */
    return 0;
}
