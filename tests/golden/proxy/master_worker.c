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
static int argument_count;
static char **arguments;
static MPI_Request request[10];
static MPI_Request some_requests[16];
static char *data[1]; /* buffers: in the program's static data */
static char *stack[3]; /* buffers: in the program's stack */
static int any_int[6][16];
static MPI_Status any_status[1 * 16];
static int found;

static const int values_1[] = {
    0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, -1, -1, -1}; /* by trip */
static const int values_2[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0}; /* by trip */
static const int values_3[] = {
    4, 4, 4, 4, 4, 4, 4, 4, 9, 9, 9, 9, 9, 9, 9, 9,
    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, -1, -1, -1}; /* by trip */
static const int values_4[] = {
    5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, -1, -1}; /* by trip */
static const int values_5[] = {
    6, 6, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, -1}; /* by trip */
static const int values_6[] = {
    2, 3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1}; /* by trip */
static const int values_7[] = {
    17616, 17632, 17632, 17632, 17632, 17632, 17632, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600,
    17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600,
    17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600,
    17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600, 17600}; /* by trip */
static const int values_8[] = {
    7, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9,
    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
    9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
    9, 9, 9, 9, 9, 9, 9, 9, 9}; /* by trip */
static const int *const values_9[] = {
    (const int[]){1, 1, 2},
    (const int[]){1, 2}}; /* by kind of rank and trip */
static const int *const values_10[] = {
    (const int[]){1, 1, 0},
    (const int[]){1, 0}}; /* by kind of rank and trip */
static const int *const values_11[] = {
    (const int[]){1, 1, 1, 1, 1, 1, 2, 0, 0},
    (const int[]){1, 1, 2},
    (const int[]){1, 1, 1, 1, 2, 0}}; /* by kind of rank and trip */
static const int *const values_12[] = {
    (const int[]){1, 1, 1, 1, 1, 1, 0, 0, 0},
    (const int[]){1, 1, 0},
    (const int[]){1, 1, 1, 1, 0, 0}}; /* by kind of rank and trip */

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
#define any_source(recorded) MPI_ANY_SOURCE
#else
#define any_source(recorded) (recorded)
#endif

#ifdef FREE_ORDER
#define any_tag(recorded) MPI_ANY_TAG
#else
#define any_tag(recorded) (recorded)
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
    MPI_Irecv(data[0] + (i * 16 + 17600), 2, MPI_LONG, i + 1, 3, MPI_COMM_WORLD,
            &request[i]); /* master_worker.c:36 */
}

static void team_deal_2(long i)
{
    if (i < 57) {
        MPI_Send(data[0] + 21688, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD); /* master_worker.c:35 */
    }
    if (i < 57) {
        MPI_Irecv(data[0] + 17600, 2, MPI_LONG, 1, 3, MPI_COMM_WORLD, &request[3]); /* master_worker.c:36 */
    }
}

static void team_deal_3(long i)
{
    team_deal_2(i); /* master_worker.c:58 */
    if (values_2[i]) {
        MPI_Send(MPI_BOTTOM, 0, MPI_LONG, i - 56, 2, MPI_COMM_WORLD); /* master_worker.c:32 */
    }
}

static void master_waitany(long i)
{
    /* master_worker.c:65 */
    {
        const int list[] = {values_1[i], (i < 59 ? 1 : -1), (i == 60 ? -1 : 2)};
        MPI_Waitany(3, chosen(3, list), any_int[1], any_status);
        give_back(3, list);
    }
    team_deal_3(i); /* master_worker.c:46 */
}

static void team_deal_4(long i)
{
    MPI_Send(data[0] + 21688, 1, MPI_LONG, i + 1, 1, MPI_COMM_WORLD); /* master_worker.c:35 */
    MPI_Irecv(data[0] + (i * 16 + 17600), 2, MPI_LONG, i + 1, 3, MPI_COMM_WORLD,
            &request[i + 4]); /* master_worker.c:36 */
}

static void team_deal_5(long i)
{
    if (i < 57) {
        MPI_Send(data[0] + 21688, 1, MPI_LONG, values_6[i], 1, MPI_COMM_WORLD); /* master_worker.c:35 */
    }
    if (i < 57) {
        MPI_Irecv(data[0] + values_7[i], 2, MPI_LONG, values_6[i], 3, MPI_COMM_WORLD,
                &request[values_8[i]]); /* master_worker.c:36 */
    }
}

static void team_deal_6(long i)
{
    team_deal_5(i); /* master_worker.c:83 */
    if (values_2[i]) {
        MPI_Send(MPI_BOTTOM, 0, MPI_LONG, i - 56, 2, MPI_COMM_WORLD); /* master_worker.c:32 */
    }
}

static void master_testsome(long i)
{
    /* master_worker.c:80 */
    {
        const int list[] = {values_3[i], values_4[i], values_5[i]};
        do
        MPI_Testsome(3, chosen(3, list), &found, any_int[2], any_status);
    while (!found);
        give_back(3, list);
    }
    team_deal_6(i); /* master_worker.c:46 */
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
    MPI_Recv(stack[0], 1, MPI_LONG, 0, any_tag(values_9[rank / 2][(i + 56) / 57]), MPI_COMM_WORLD,
            any_status); /* master_worker.c:113 */
    if (values_10[rank / 2][(i + 56) / 57]) {
        MPI_Send(stack[0], 2, MPI_LONG, 0, 3, MPI_COMM_WORLD); /* master_worker.c:117 */
    }
}

static void worker_run_2(long i)
{
    MPI_Recv(stack[0], 1, MPI_LONG, 0, any_tag(values_11[rank - 1][(i + 39) / 45 * 3 + i % 3]),
            MPI_COMM_WORLD, any_status); /* master_worker.c:113 */
    if (values_12[rank - 1][(i + 39) / 45 * 3 + i % 3]) {
        MPI_Send(stack[0], 2, MPI_LONG, 0, 3, MPI_COMM_WORLD); /* master_worker.c:117 */
    }
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    for (int b = 0; b < 1; b++)
        data[b] = arena();
    for (int b = 0; b < 3; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argument_count, &arguments); /* master_worker.c:127 */
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
            team_deal_4(i); /* master_worker.c:54 */
        }
        for (long i = 0; i < 61; i++) {
            master_testsome(i); /* master_worker.c:142 */
        }
        for (long i = 0; i < 3; i++) {
            master_any_source(i); /* master_worker.c:144 */
        }
    } else {
        for (long i = 0; i < (rank / 2) * -57 + 59; i++) {
            worker_run(i); /* master_worker.c:148 */
        }
        for (long i = 0; i < (rank == size - 1 ? 8 : rank * -49 + 101); i++) {
            worker_run_2(i); /* master_worker.c:149 */
        }
        MPI_Send(stack[1], 1, MPI_LONG, 0, rank + 3, MPI_COMM_WORLD); /* master_worker.c:150 */
    }
    MPI_Bcast(stack[(rank == 0 ? 1 : 2)], 1, MPI_INT, 0, MPI_COMM_WORLD); /* master_worker.c:152 */
    MPI_Finalize(); /* master_worker.c:155 */
    return 0;
}
