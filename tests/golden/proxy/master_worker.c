/* A proxy of master_worker: its MPI calls, from master_worker.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 643 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Request request[5];
static MPI_Request some_requests[16];
static char *data[1]; /* buffers: in the program's static data */
static char *stack[3]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static MPI_Status any_status[16];
static int found;

static const int requests_1[] = {
    0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    -1, -1, -1}; /* by trip */
static const int requests_2[] = {
    2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, -1}; /* by trip */
static const int trips_1[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    1, 1, 0}; /* by trip */
static const int *const tags_1[] = {
    (const int[]){1, 1, 1, 1, 1, 2},
    (const int[]){1, 2},
    (const int[]){1, 1, 2, 0}}; /* by kind of rank and trip */
static const int *const trips_2[] = {
    (const int[]){1, 1, 1, 1, 1, 0},
    (const int[]){1, 0},
    (const int[]){1, 1, 0, 0}}; /* by kind of rank and trip */
static const int *const tags_2[] = {
    (const int[]){1, 1, 2},
    (const int[]){1, 2}}; /* by kind of rank and trip */
static const int *const trips_3[] = {
    (const int[]){1, 1, 0},
    (const int[]){1, 0}}; /* by kind of rank and trip */

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

#ifdef FREE_ORDER
#define any_tag(...) MPI_ANY_TAG
#else
#define any_tag(...) (__VA_ARGS__)
#endif

/* Returns copies of some requests: -1 is MPI_REQUEST_NULL. */
static MPI_Request *chosen(int count, const int *list)
{
    for (int c = 0; c < count; c++)
        some_requests[c] = list[c] < 0 ? MPI_REQUEST_NULL : request[list[c]];
    return some_requests;
}

static void give_back(int count, const int *list)
{
    for (int c = 0; c < count; c++)
        if (list[c] >= 0)
            request[list[c]] = some_requests[c];
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

static void team_deal(long i)
{
    MPI_Send(data[0] + 21688, 1, MPI_LONG, i + 1, 1, MPI_COMM_WORLD); /* master_worker.c:35 */
    MPI_Irecv(data[0] + i * 16 + 17600, 2, MPI_LONG, i + 1, 3, MPI_COMM_WORLD,
            &request[i]); /* master_worker.c:36 */
}

static void team_deal_2(long i)
{
    if (i < 57) {
        MPI_Send(data[0] + 21688, 1, MPI_LONG, i == 1 ? 3 : 1, 1, MPI_COMM_WORLD); /* master_worker.c:35 */
        MPI_Irecv(data[0] + (i == 1 ? 17632 : 17600), 2, MPI_LONG, i == 1 ? 3 : 1, 3, MPI_COMM_WORLD,
                &request[i == 1 ? 4 : 3]); /* master_worker.c:36 */
    }
}

static void team_deal_3(long i)
{
    team_deal_2(i); /* master_worker.c:58 */
    if (trips_1[i]) {
        MPI_Send(MPI_BOTTOM, 0, MPI_LONG, i - 56, 2, MPI_COMM_WORLD); /* master_worker.c:32 */
    }
}

static void master_waitany(long i)
{
    /* master_worker.c:65 */
    {
        const int list[] = {requests_1[i], i < 59 ? 1 : -1, requests_2[i]};
        MPI_Waitany(3, chosen(3, list), any_int[1], any_status);
        give_back(3, list);
    }
    team_deal_3(i); /* master_worker.c:46 */
}

static void team_deal_4(long i)
{
    if (i < 57) {
        MPI_Send(data[0] + 21688, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD); /* master_worker.c:35 */
        MPI_Irecv(data[0] + 17600, 2, MPI_LONG, 1, 3, MPI_COMM_WORLD, &request[3]); /* master_worker.c:36 */
    }
}

static void team_deal_5(long i)
{
    team_deal_4(i); /* master_worker.c:83 */
    if (trips_1[i]) {
        MPI_Send(MPI_BOTTOM, 0, MPI_LONG, i - 56, 2, MPI_COMM_WORLD); /* master_worker.c:32 */
    }
}

static void master_testsome(long i)
{
    /* master_worker.c:80 */
    {
        const int list[] = {requests_1[i], i < 59 ? 1 : -1, i == 60 ? -1 : 2};
        do
        MPI_Testsome(3, chosen(3, list), &found, any_int[2], any_status);
    while (!found);
        give_back(3, list);
    }
    team_deal_5(i); /* master_worker.c:46 */
}

static void master_any_source(long i)
{
    /* master_worker.c:98 */
    do
        MPI_Iprobe(any_source(i + 1), any_tag(i + 4), MPI_COMM_WORLD, &found, any_status);
    while (!found);
    MPI_Recv(stack[0], 1, MPI_LONG, i + 1, i + 4, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE); /* master_worker.c:101 */
}

static void worker_run(long i)
{
    MPI_Recv(stack[0], 1, MPI_LONG, 0, any_tag(tags_1[rank - 1][(i + 52) / 54 * 2 + i % 2]),
            MPI_COMM_WORLD, any_status); /* master_worker.c:113 */
    if (trips_2[rank - 1][(i + 52) / 54 * 2 + i % 2]) {
        MPI_Send(stack[0], 2, MPI_LONG, 0, 3, MPI_COMM_WORLD); /* master_worker.c:117 */
    }
}

static void worker_run_2(long i)
{
    MPI_Recv(stack[0], 1, MPI_LONG, 0, any_tag(tags_2[rank / 2][(i + 56) / 57]), MPI_COMM_WORLD,
            any_status); /* master_worker.c:113 */
    if (trips_3[rank / 2][(i + 56) / 57]) {
        MPI_Send(stack[0], 2, MPI_LONG, 0, 3, MPI_COMM_WORLD); /* master_worker.c:117 */
    }
}

int main(int argc, char **argv)
{
    data[0] = arena();
    for (int b = 0; b < 3; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* master_worker.c:127 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* master_worker.c:128 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* master_worker.c:129 */
    if (rank == 0) {
        for (long i = 0; i < 3; i++) {
            team_deal(i); /* master_worker.c:54 */
        }
        for (long i = 0; i < 61; i++) {
            master_waitany(i); /* master_worker.c:139 */
        }
        for (long i = 0; i < 3; i++) {
            team_deal(i); /* master_worker.c:54 */
        }
        for (long i = 0; i < 61; i++) {
            master_testsome(i); /* master_worker.c:142 */
        }
        for (long i = 0; i < 3; i++) {
            master_any_source(i); /* master_worker.c:144 */
        }
    } else {
        for (long i = 0; i < (rank < 2 ? 58 : rank); i++) {
            worker_run(i); /* master_worker.c:148 */
        }
        for (long i = 0; i < (rank < 2 ? 59 : 2); i++) {
            worker_run_2(i); /* master_worker.c:149 */
        }
        MPI_Send(stack[1], 1, MPI_LONG, 0, rank + 3, MPI_COMM_WORLD); /* master_worker.c:150 */
    }
    MPI_Bcast(stack[rank == 0 ? 1 : 2], 1, MPI_INT, 0, MPI_COMM_WORLD); /* master_worker.c:152 */
    MPI_Finalize(); /* master_worker.c:155 */
    return 0;
}
