/* A proxy of collectives: its MPI calls, from collectives.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 1036 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Request request[44];
static char *data[1]; /* buffers: in the program's static data */
static char *stack[4]; /* buffers: in the program's stack */
static MPI_Status any_status[16]; /* any_...: for what comes out and is not looked at */

static const int trips_1[] = {0, 1, 0, 0, 0, 0}; /* by visit */
static const int trips_2[] = {0, 1, 1, 0, 0, 0}; /* by visit */
static const int *const trips_3[] = {
    (const int[]){0, 1, 0, 0, 0, 0},
    (const int[]){0, 1, 1, 0, 0, 0}}; /* by kind of rank and visit */
static const int trips_4[] = {0, 0, 1, 1, 0}; /* by trip */
static const int *const kinds_1[] = {
    (const int[]){0, 1},
    (const int[]){1, 1},
    (const int[]){1, 0}}; /* by kind of rank and visit */
static long visits[37]; /* by statement: how often it was reached */

static char *arena(void)
{
    char *memory = calloc(1, (size_t)ARENA_BYTES);
    if (!memory) {
        fprintf(stderr, "no memory: -DARENA_BYTES= makes buffers smaller\n");
        exit(1);
    }
    return memory + (size_t)ARENA_BYTES / 4 / 64 * 64; /* datatypes may begin before their buffer */
}

/* Returns a copy of an array that lives on, as MPI reads it until the call's request has ended. */
static void *keep(size_t bytes, const void *array)
{
    void *copy = malloc(bytes);
    if (!copy)
        exit(1);
    return memcpy(copy, array, bytes);
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

static void use_bcast(long i)
{
    MPI_Barrier(MPI_COMM_WORLD); /* collectives.c:86 */
    MPI_Bcast(stack[0], 3, MPI_INT, i * 3, MPI_COMM_WORLD); /* collectives.c:87 */
}

static void use_gather(long i)
{
    if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
        MPI_Gather(data[0] + 30016, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, i * 3,
                MPI_COMM_WORLD); /* collectives.c:95 */
    } else {
        MPI_Gather(data[0] + 30016, 2, MPI_INT, data[0] + 29504, 2, MPI_INT, rank,
                MPI_COMM_WORLD); /* collectives.c:95 */
    }
    if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
        MPI_Gather(data[0] + 30016, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, i * 3,
                MPI_COMM_WORLD); /* collectives.c:101 */
    } else {
        MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, data[0] + 29504, 1, MPI_INT, rank,
                MPI_COMM_WORLD); /* collectives.c:101 */
    }
    if ((const int[]){1, rank < 2 ? rank : size - 1 - rank}[i]) {
        if (rank == 0) {
            MPI_Gatherv(data[0] + 30016, 0, MPI_INT, data[0] + 29504, (int[]){0, 1, 2, 3}, (int[]){12, 8, 4,
                    0}, MPI_INT, 0, MPI_COMM_WORLD); /* collectives.c:106 */
        } else {
            MPI_Gatherv(data[0] + 30016, rank, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, i * 3,
                    MPI_COMM_WORLD); /* collectives.c:106 */
        }
    }
    if (rank != 1 && rank != 2) {
        if (i) {
            if (rank == 0) {
                MPI_Gatherv(data[0] + 30016, 0, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 3,
                        MPI_COMM_WORLD); /* collectives.c:106 */
            } else {
                MPI_Gatherv(data[0] + 30016, 3, MPI_INT, data[0] + 29504, (int[]){0, 1, 2, 3}, (int[]){12, 8, 4,
                        0}, MPI_INT, 3, MPI_COMM_WORLD); /* collectives.c:106 */
            }
        }
    }
}

static void use_scatter(long i)
{
    if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, data[0] + 29504, 4, MPI_INT, i * 3,
                MPI_COMM_WORLD); /* collectives.c:117 */
    } else {
        MPI_Scatter(data[0] + 30016, 4, MPI_INT, data[0] + 29504, 4, MPI_INT, rank,
                MPI_COMM_WORLD); /* collectives.c:117 */
    }
    if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, data[0] + 29504, rank, MPI_INT, i * 3,
                MPI_COMM_WORLD); /* collectives.c:122 */
    } else {
        MPI_Scatterv(data[0] + 30016, (int[]){0, 1, 2, 3}, (int[]){12, 8, 4, 0}, MPI_INT,
                data[0] + 29504, rank, MPI_INT, rank, MPI_COMM_WORLD); /* collectives.c:122 */
    }
}

static void use_reduce(long i)
{
    if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
        MPI_Reduce(stack[0], NULL, 2, MPI_INT, MPI_SUM, i * 3, MPI_COMM_WORLD); /* collectives.c:187 */
    } else {
        MPI_Reduce(stack[0], stack[1], 2, MPI_INT, MPI_SUM, rank,
                MPI_COMM_WORLD); /* collectives.c:187 */
    }
    MPI_Allreduce(stack[0], stack[1], 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* collectives.c:189 */
    MPI_Allreduce(MPI_IN_PLACE, stack[0], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD); /* collectives.c:191 */
    MPI_Allreduce(stack[2], stack[3], 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD); /* collectives.c:193 */
}

static void use_allgather(void)
{
    {
        const long n = visits[0]++, trips = trips_1[n];
        if (trips) {
            MPI_Allgather(data[0] + 30016, 4, MPI_INT, data[0] + 29504, 4, MPI_INT,
                    MPI_COMM_WORLD); /* collectives.c:130 */
        }
    }
    {
        const long n = visits[1]++, trips = trips_1[n];
        if (trips) {
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data[0] + 29504, 1, MPI_INT,
                    MPI_COMM_WORLD); /* collectives.c:135 */
        }
    }
    {
        const long n = visits[2]++, trips = trips_1[n];
        if (trips) {
            MPI_Allgatherv(data[0] + 30016, rank, MPI_INT, data[0] + 29504, (int[]){0, 1, 2, 3}, (int[]){12, 8,
                    4, 0}, MPI_INT, MPI_COMM_WORLD); /* collectives.c:140 */
        }
    }
}

static void use_alltoall(void)
{
    {
        const long n = visits[3]++, trips = trips_1[n];
        if (trips) {
            MPI_Alltoall(data[0] + 30016, 4, MPI_INT, data[0] + 29504, 4, MPI_INT,
                    MPI_COMM_WORLD); /* collectives.c:151 */
        }
    }
    {
        const long n = visits[4]++, trips = trips_1[n];
        if (trips) {
            MPI_Alltoallv(data[0] + 30016, (int[]){rank, (rank + 1) % size, (rank + 2) % size,
                    (rank + size - 1) % size}, (int[]){0, 4, 8, 12}, MPI_INT, data[0] + 29504, (int[]){rank,
                    (rank + 1) % size, (rank + 2) % size, (rank + size - 1) % size}, (int[]){12, 8, 4, 0},
                    MPI_INT, MPI_COMM_WORLD); /* collectives.c:161 */
        }
    }
    {
        const long n = visits[5]++, trips = trips_1[n];
        if (trips) {
            if (rank % 2 == 0) {
                MPI_Alltoallw(data[0] + 30016, (int[]){1, 1, 1, 1}, (int[]){0, 16, 32, 48},
                        (MPI_Datatype[]){MPI_2INT, MPI_INT, MPI_2INT, MPI_INT}, data[0] + 29504, (int[]){1, 1, 1,
                        1}, (int[]){48, 32, 16, 0}, (MPI_Datatype[]){MPI_2INT, MPI_INT, MPI_2INT, MPI_INT},
                        MPI_COMM_WORLD); /* collectives.c:175 */
            } else {
                MPI_Alltoallw(data[0] + 30016, (int[]){1, 1, 1, 1}, (int[]){0, 16, 32, 48},
                        (MPI_Datatype[]){MPI_INT, MPI_2INT, MPI_INT, MPI_2INT}, data[0] + 29504, (int[]){1, 1, 1,
                        1}, (int[]){48, 32, 16, 0}, (MPI_Datatype[]){MPI_INT, MPI_2INT, MPI_INT, MPI_2INT},
                        MPI_COMM_WORLD); /* collectives.c:175 */
            }
        }
    }
}

static void use_scan(void)
{
    {
        const long n = visits[6]++, trips = trips_1[n];
        if (trips) {
            MPI_Scan(stack[1], stack[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* collectives.c:203 */
        }
    }
    {
        const long n = visits[7]++, trips = trips_1[n];
        if (trips) {
            MPI_Exscan(stack[1], stack[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* collectives.c:205 */
        }
    }
    {
        const long n = visits[8]++, trips = trips_1[n];
        if (trips) {
            MPI_Reduce_scatter_block(data[0] + 30016, data[0] + 29504, 4, MPI_INT, MPI_SUM,
                    MPI_COMM_WORLD); /* collectives.c:209 */
        }
    }
    {
        const long n = visits[9]++, trips = trips_1[n];
        if (trips) {
            MPI_Reduce_scatter(data[0] + 30016, data[0] + 29504, (int[]){0, 1, 2, 3}, MPI_INT, MPI_SUM,
                    MPI_COMM_WORLD); /* collectives.c:216 */
        }
    }
}

static void use_bcast_2(long i)
{
    {
        const long n = visits[10]++, trips = trips_2[n];
        if (trips) {
            MPI_Ibarrier(MPI_COMM_WORLD, &request[0]); /* collectives.c:86 */
        }
    }
    {
        const long n = visits[11]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[0], any_status); /* collectives.c:49 */
        }
    }
    {
        const long n = visits[12]++, trips = trips_2[n];
        if (trips) {
            MPI_Ibcast(stack[0], 3, MPI_INT, i * 3, MPI_COMM_WORLD, &request[1]); /* collectives.c:87 */
        }
    }
    {
        const long n = visits[13]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[1], any_status); /* collectives.c:49 */
        }
    }
}

static void use_gather_2(long i)
{
    {
        const long n = visits[14]++, trips = trips_2[n];
        if (trips) {
            if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
                MPI_Igather(data[0] + 30016, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, i * 3, MPI_COMM_WORLD,
                        &request[2]); /* collectives.c:95 */
            } else {
                MPI_Igather(data[0] + 30016, 2, MPI_INT, data[0] + 29504, 2, MPI_INT, rank, MPI_COMM_WORLD,
                        &request[2]); /* collectives.c:95 */
            }
        }
    }
    {
        const long n = visits[15]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[2], any_status); /* collectives.c:49 */
        }
    }
    {
        const long n = visits[16]++, trips = trips_2[n];
        if (trips) {
            if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
                MPI_Igather(data[0] + 30016, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, i * 3, MPI_COMM_WORLD,
                        &request[3]); /* collectives.c:101 */
            } else {
                MPI_Igather(MPI_IN_PLACE, 1, MPI_INT, data[0] + 29504, 1, MPI_INT, rank, MPI_COMM_WORLD,
                        &request[3]); /* collectives.c:101 */
            }
        }
    }
    {
        const long n = visits[17]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[3], any_status); /* collectives.c:49 */
        }
    }
    {
        const long n = visits[18]++, trips = trips_3[rank < 2 ? rank : size - 1 - rank][n];
        if (trips) {
            if (rank == 0) {
                MPI_Igatherv(data[0] + 30016, 0, MPI_INT, data[0] + 29504, keep(sizeof(int[4]), (int[]){0, 1, 2,
                        3}), keep(sizeof(int[4]), (int[]){12, 8, 4, 0}), MPI_INT, 0, MPI_COMM_WORLD,
                        &request[4]); /* collectives.c:106 */
            } else {
                MPI_Igatherv(data[0] + 30016, rank, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, i * 3,
                        MPI_COMM_WORLD, &request[4]); /* collectives.c:106 */
            }
        }
    }
    {
        const long n = visits[19]++, trips = trips_3[rank < 2 ? rank : size - 1 - rank][n];
        if (trips) {
            MPI_Wait(&request[4], any_status); /* collectives.c:49 */
        }
    }
    if (rank != 1 && rank != 2) {
        if (i == 1) {
            if (rank == 0) {
                MPI_Igatherv(data[0] + 30016, 0, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 3, MPI_COMM_WORLD,
                        &request[4]); /* collectives.c:106 */
            } else {
                MPI_Igatherv(data[0] + 30016, 3, MPI_INT, data[0] + 29504, keep(sizeof(int[4]), (int[]){0, 1, 2,
                        3}), keep(sizeof(int[4]), (int[]){12, 8, 4, 0}), MPI_INT, 3, MPI_COMM_WORLD,
                        &request[4]); /* collectives.c:106 */
            }
            MPI_Wait(&request[4], any_status); /* collectives.c:49 */
        }
    }
}

static void use_scatter_2(long i)
{
    {
        const long n = visits[20]++, trips = trips_2[n];
        if (trips) {
            if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
                MPI_Iscatter(NULL, 0, MPI_DATATYPE_NULL, data[0] + 29504, 4, MPI_INT, i * 3, MPI_COMM_WORLD,
                        &request[5]); /* collectives.c:117 */
            } else {
                MPI_Iscatter(data[0] + 30016, 4, MPI_INT, data[0] + 29504, 4, MPI_INT, rank, MPI_COMM_WORLD,
                        &request[5]); /* collectives.c:117 */
            }
        }
    }
    {
        const long n = visits[21]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[5], any_status); /* collectives.c:49 */
        }
    }
    {
        const long n = visits[22]++, trips = trips_2[n];
        if (trips) {
            if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
                MPI_Iscatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, data[0] + 29504, rank, MPI_INT, i * 3,
                        MPI_COMM_WORLD, &request[6]); /* collectives.c:122 */
            } else {
                MPI_Iscatterv(data[0] + 30016, keep(sizeof(int[4]), (int[]){0, 1, 2, 3}), keep(sizeof(int[4]),
                        (int[]){12, 8, 4, 0}), MPI_INT, data[0] + 29504, rank, MPI_INT, rank, MPI_COMM_WORLD,
                        &request[6]); /* collectives.c:122 */
            }
        }
    }
    {
        const long n = visits[23]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[6], any_status); /* collectives.c:49 */
        }
    }
}

static void use_reduce_2(long i)
{
    {
        const long n = visits[24]++, trips = trips_2[n];
        if (trips) {
            if ((const int[]){rank == 0 ? 0 : 1, rank == size - 1 ? 0 : 1}[i]) {
                MPI_Ireduce(stack[0], NULL, 2, MPI_INT, MPI_SUM, i * 3, MPI_COMM_WORLD,
                        &request[7]); /* collectives.c:187 */
            } else {
                MPI_Ireduce(stack[0], stack[1], 2, MPI_INT, MPI_SUM, rank, MPI_COMM_WORLD,
                        &request[7]); /* collectives.c:187 */
            }
        }
    }
    {
        const long n = visits[25]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[7], any_status); /* collectives.c:49 */
        }
    }
    {
        const long n = visits[26]++, trips = trips_2[n];
        if (trips) {
            MPI_Iallreduce(stack[0], stack[1], 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                    &request[8]); /* collectives.c:189 */
        }
    }
    {
        const long n = visits[27]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[8], any_status); /* collectives.c:49 */
        }
    }
    {
        const long n = visits[28]++, trips = trips_2[n];
        if (trips) {
            MPI_Iallreduce(MPI_IN_PLACE, stack[0], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD,
                    &request[9]); /* collectives.c:191 */
        }
    }
    {
        const long n = visits[29]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[9], any_status); /* collectives.c:49 */
        }
    }
    {
        const long n = visits[30]++, trips = trips_2[n];
        if (trips) {
            MPI_Iallreduce(stack[2], stack[3], 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD,
                    &request[10]); /* collectives.c:193 */
        }
    }
    {
        const long n = visits[31]++, trips = trips_2[n];
        if (trips) {
            MPI_Wait(&request[10], any_status); /* collectives.c:49 */
        }
    }
}

static void use_allgather_2(long i)
{
    if (i == 2) {
        MPI_Iallgather(data[0] + 30016, 4, MPI_INT, data[0] + 29504, 4, MPI_INT, MPI_COMM_WORLD,
                &request[11]); /* collectives.c:130 */
        MPI_Wait(&request[11], any_status); /* collectives.c:49 */
        MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data[0] + 29504, 1, MPI_INT, MPI_COMM_WORLD,
                &request[12]); /* collectives.c:135 */
        MPI_Wait(&request[12], any_status); /* collectives.c:49 */
        MPI_Iallgatherv(data[0] + 30016, rank, MPI_INT, data[0] + 29504, keep(sizeof(int[4]), (int[]){0, 1,
                2, 3}), keep(sizeof(int[4]), (int[]){12, 8, 4, 0}), MPI_INT, MPI_COMM_WORLD,
                &request[13]); /* collectives.c:140 */
        MPI_Wait(&request[13], any_status); /* collectives.c:49 */
    }
}

static void use_alltoall_2(long i)
{
    if (i == 2) {
        MPI_Ialltoall(data[0] + 30016, 4, MPI_INT, data[0] + 29504, 4, MPI_INT, MPI_COMM_WORLD,
                &request[14]); /* collectives.c:151 */
        MPI_Wait(&request[14], any_status); /* collectives.c:49 */
        MPI_Ialltoallv(data[0] + 30016, keep(sizeof(int[4]), (int[]){rank, (rank + 1) % size,
                (rank + 2) % size, (rank + size - 1) % size}), keep(sizeof(int[4]), (int[]){0, 4, 8, 12}),
                MPI_INT, data[0] + 29504, keep(sizeof(int[4]), (int[]){rank, (rank + 1) % size,
                (rank + 2) % size, (rank + size - 1) % size}), keep(sizeof(int[4]), (int[]){12, 8, 4, 0}),
                MPI_INT, MPI_COMM_WORLD, &request[15]); /* collectives.c:161 */
        MPI_Wait(&request[15], any_status); /* collectives.c:49 */
        if (rank % 2 == 0) {
            MPI_Ialltoallw(data[0] + 30016, keep(sizeof(int[4]), (int[]){1, 1, 1, 1}), keep(sizeof(int[4]),
                    (int[]){0, 16, 32, 48}), keep(sizeof(MPI_Datatype[4]), (MPI_Datatype[]){MPI_2INT,
                    MPI_INT, MPI_2INT, MPI_INT}), data[0] + 29504, keep(sizeof(int[4]), (int[]){1, 1, 1, 1}),
                    keep(sizeof(int[4]), (int[]){48, 32, 16, 0}), keep(sizeof(MPI_Datatype[4]),
                    (MPI_Datatype[]){MPI_2INT, MPI_INT, MPI_2INT, MPI_INT}), MPI_COMM_WORLD,
                    &request[16]); /* collectives.c:175 */
        } else {
            MPI_Ialltoallw(data[0] + 30016, keep(sizeof(int[4]), (int[]){1, 1, 1, 1}), keep(sizeof(int[4]),
                    (int[]){0, 16, 32, 48}), keep(sizeof(MPI_Datatype[4]), (MPI_Datatype[]){MPI_INT,
                    MPI_2INT, MPI_INT, MPI_2INT}), data[0] + 29504, keep(sizeof(int[4]), (int[]){1, 1, 1,
                    1}), keep(sizeof(int[4]), (int[]){48, 32, 16, 0}), keep(sizeof(MPI_Datatype[4]),
                    (MPI_Datatype[]){MPI_INT, MPI_2INT, MPI_INT, MPI_2INT}), MPI_COMM_WORLD,
                    &request[16]); /* collectives.c:175 */
        }
        MPI_Wait(&request[16], any_status); /* collectives.c:49 */
    }
}

static void use_scan_2(long i)
{
    if (i == 2) {
        MPI_Iscan(stack[1], stack[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                &request[17]); /* collectives.c:203 */
        MPI_Wait(&request[17], any_status); /* collectives.c:49 */
        MPI_Iexscan(stack[1], stack[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                &request[18]); /* collectives.c:205 */
        MPI_Wait(&request[18], any_status); /* collectives.c:49 */
        MPI_Ireduce_scatter_block(data[0] + 30016, data[0] + 29504, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                &request[19]); /* collectives.c:209 */
        MPI_Wait(&request[19], any_status); /* collectives.c:49 */
        MPI_Ireduce_scatter(data[0] + 30016, data[0] + 29504, keep(sizeof(int[4]), (int[]){0, 1, 2, 3}),
                MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[20]); /* collectives.c:216 */
        MPI_Wait(&request[20], any_status); /* collectives.c:49 */
    }
}

static void request_complete(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[21]); /* collectives.c:48 */
        MPI_Wait(&request[21], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[21]); /* collectives.c:51 */
    }
}

static void request_complete_2(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[22]); /* collectives.c:48 */
        MPI_Wait(&request[22], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[22]); /* collectives.c:51 */
    }
}

static void use_bcast_3(long i)
{
    if (trips_4[i]) {
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[21]); /* collectives.c:86 */
    }
    request_complete(i); /* collectives.c:44 */
    if (trips_4[i]) {
        MPI_Bcast_init(stack[0], 3, MPI_INT, i * 3 - 6, MPI_COMM_WORLD, MPI_INFO_NULL,
                &request[22]); /* collectives.c:87 */
    }
    request_complete_2(i); /* collectives.c:44 */
}

static void request_complete_3(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[23]); /* collectives.c:48 */
        MPI_Wait(&request[23], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[23]); /* collectives.c:51 */
    }
}

static void request_complete_4(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[24]); /* collectives.c:48 */
        MPI_Wait(&request[24], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[24]); /* collectives.c:51 */
    }
}

static void request_complete_5(long i)
{
    if ((const int[]){0, 0, 1, rank < 2 ? rank : size - 1 - rank, 0}[i]) {
        MPI_Start(&request[25]); /* collectives.c:48 */
        MPI_Wait(&request[25], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[25]); /* collectives.c:51 */
    }
}

static void request_complete_6(long i)
{
    if (i == 3) {
        MPI_Start(&request[25]); /* collectives.c:48 */
        MPI_Wait(&request[25], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[25]); /* collectives.c:51 */
    }
}

static void use_gather_3(long i)
{
    if (trips_4[i]) {
        {
            const long n = visits[32]++;
            if (kinds_1[rank < 2 ? rank : rank - 1][n]) {
                MPI_Gather_init(data[0] + 30016, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, i * 3 - 6,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &request[23]); /* collectives.c:95 */
            } else {
                MPI_Gather_init(data[0] + 30016, 2, MPI_INT, data[0] + 29504, 2, MPI_INT, rank,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &request[23]); /* collectives.c:95 */
            }
        }
    }
    request_complete_3(i); /* collectives.c:44 */
    if (trips_4[i]) {
        {
            const long n = visits[33]++;
            if (kinds_1[rank < 2 ? rank : rank - 1][n]) {
                MPI_Gather_init(data[0] + 30016, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, i * 3 - 6,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &request[24]); /* collectives.c:101 */
            } else {
                MPI_Gather_init(MPI_IN_PLACE, 1, MPI_INT, data[0] + 29504, 1, MPI_INT, rank, MPI_COMM_WORLD,
                        MPI_INFO_NULL, &request[24]); /* collectives.c:101 */
            }
        }
    }
    request_complete_4(i); /* collectives.c:44 */
    if ((const int[]){0, 0, 1, rank < 2 ? rank : size - 1 - rank, 0}[i]) {
        if (rank == 0) {
            MPI_Gatherv_init(data[0] + 30016, 0, MPI_INT, data[0] + 29504, keep(sizeof(int[4]), (int[]){0, 1,
                    2, 3}), keep(sizeof(int[4]), (int[]){12, 8, 4, 0}), MPI_INT, 0, MPI_COMM_WORLD,
                    MPI_INFO_NULL, &request[25]); /* collectives.c:106 */
        } else {
            MPI_Gatherv_init(data[0] + 30016, rank, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, i * 3 - 6,
                    MPI_COMM_WORLD, MPI_INFO_NULL, &request[25]); /* collectives.c:106 */
        }
    }
    request_complete_5(i); /* collectives.c:44 */
    if (rank != 1 && rank != 2) {
        if (i == 3) {
            if (rank == 0) {
                MPI_Gatherv_init(data[0] + 30016, 0, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 3,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &request[25]); /* collectives.c:106 */
            } else {
                MPI_Gatherv_init(data[0] + 30016, 3, MPI_INT, data[0] + 29504, keep(sizeof(int[4]), (int[]){0, 1,
                        2, 3}), keep(sizeof(int[4]), (int[]){12, 8, 4, 0}), MPI_INT, 3, MPI_COMM_WORLD,
                        MPI_INFO_NULL, &request[25]); /* collectives.c:106 */
            }
        }
        request_complete_6(i); /* collectives.c:44 */
    }
}

static void request_complete_7(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[26]); /* collectives.c:48 */
        MPI_Wait(&request[26], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[26]); /* collectives.c:51 */
    }
}

static void request_complete_8(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[27]); /* collectives.c:48 */
        MPI_Wait(&request[27], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[27]); /* collectives.c:51 */
    }
}

static void use_scatter_3(long i)
{
    if (trips_4[i]) {
        {
            const long n = visits[34]++;
            if (kinds_1[rank < 2 ? rank : rank - 1][n]) {
                MPI_Scatter_init(NULL, 0, MPI_DATATYPE_NULL, data[0] + 29504, 4, MPI_INT, i * 3 - 6,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &request[26]); /* collectives.c:117 */
            } else {
                MPI_Scatter_init(data[0] + 30016, 4, MPI_INT, data[0] + 29504, 4, MPI_INT, rank,
                        MPI_COMM_WORLD, MPI_INFO_NULL, &request[26]); /* collectives.c:117 */
            }
        }
    }
    request_complete_7(i); /* collectives.c:44 */
    if (trips_4[i]) {
        {
            const long n = visits[35]++;
            if (kinds_1[rank < 2 ? rank : rank - 1][n]) {
                MPI_Scatterv_init(NULL, NULL, NULL, MPI_DATATYPE_NULL, data[0] + 29504, rank, MPI_INT,
                        i * 3 - 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request[27]); /* collectives.c:122 */
            } else {
                MPI_Scatterv_init(data[0] + 30016, keep(sizeof(int[4]), (int[]){0, 1, 2, 3}),
                        keep(sizeof(int[4]), (int[]){12, 8, 4, 0}), MPI_INT, data[0] + 29504, rank, MPI_INT,
                        rank, MPI_COMM_WORLD, MPI_INFO_NULL, &request[27]); /* collectives.c:122 */
            }
        }
    }
    request_complete_8(i); /* collectives.c:44 */
}

static void request_complete_9(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[28]); /* collectives.c:48 */
        MPI_Wait(&request[28], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[28]); /* collectives.c:51 */
    }
}

static void request_complete_10(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[29]); /* collectives.c:48 */
        MPI_Wait(&request[29], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[29]); /* collectives.c:51 */
    }
}

static void request_complete_11(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[30]); /* collectives.c:48 */
        MPI_Wait(&request[30], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[30]); /* collectives.c:51 */
    }
}

static void request_complete_12(long i)
{
    if (trips_4[i]) {
        MPI_Start(&request[31]); /* collectives.c:48 */
        MPI_Wait(&request[31], any_status); /* collectives.c:49 */
        MPI_Request_free(&request[31]); /* collectives.c:51 */
    }
}

static void use_reduce_3(long i)
{
    if (trips_4[i]) {
        {
            const long n = visits[36]++;
            if (kinds_1[rank < 2 ? rank : rank - 1][n]) {
                MPI_Reduce_init(stack[0], NULL, 2, MPI_INT, MPI_SUM, i * 3 - 6, MPI_COMM_WORLD,
                        MPI_INFO_NULL, &request[28]); /* collectives.c:187 */
            } else {
                MPI_Reduce_init(stack[0], stack[1], 2, MPI_INT, MPI_SUM, rank, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &request[28]); /* collectives.c:187 */
            }
        }
    }
    request_complete_9(i); /* collectives.c:44 */
    if (trips_4[i]) {
        MPI_Allreduce_init(stack[0], stack[1], 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                &request[29]); /* collectives.c:189 */
    }
    request_complete_10(i); /* collectives.c:44 */
    if (trips_4[i]) {
        MPI_Allreduce_init(MPI_IN_PLACE, stack[0], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL,
                &request[30]); /* collectives.c:191 */
    }
    request_complete_11(i); /* collectives.c:44 */
    if (trips_4[i]) {
        MPI_Allreduce_init(stack[2], stack[3], 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD, MPI_INFO_NULL,
                &request[31]); /* collectives.c:193 */
    }
    request_complete_12(i); /* collectives.c:44 */
}

static void request_complete_13(void)
{
    MPI_Start(&request[32]); /* collectives.c:48 */
    MPI_Wait(&request[32], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[32]); /* collectives.c:51 */
}

static void request_complete_14(void)
{
    MPI_Start(&request[33]); /* collectives.c:48 */
    MPI_Wait(&request[33], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[33]); /* collectives.c:51 */
}

static void request_complete_15(void)
{
    MPI_Start(&request[34]); /* collectives.c:48 */
    MPI_Wait(&request[34], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[34]); /* collectives.c:51 */
}

static void use_allgather_3(void)
{
    MPI_Allgather_init(data[0] + 30016, 4, MPI_INT, data[0] + 29504, 4, MPI_INT, MPI_COMM_WORLD,
            MPI_INFO_NULL, &request[32]); /* collectives.c:130 */
    request_complete_13(); /* collectives.c:44 */
    MPI_Allgather_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data[0] + 29504, 1, MPI_INT, MPI_COMM_WORLD,
            MPI_INFO_NULL, &request[33]); /* collectives.c:135 */
    request_complete_14(); /* collectives.c:44 */
    MPI_Allgatherv_init(data[0] + 30016, rank, MPI_INT, data[0] + 29504, keep(sizeof(int[4]), (int[]){0,
            1, 2, 3}), keep(sizeof(int[4]), (int[]){12, 8, 4, 0}), MPI_INT, MPI_COMM_WORLD,
            MPI_INFO_NULL, &request[34]); /* collectives.c:140 */
    request_complete_15(); /* collectives.c:44 */
}

static void request_complete_16(void)
{
    MPI_Start(&request[35]); /* collectives.c:48 */
    MPI_Wait(&request[35], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[35]); /* collectives.c:51 */
}

static void request_complete_17(void)
{
    MPI_Start(&request[36]); /* collectives.c:48 */
    MPI_Wait(&request[36], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[36]); /* collectives.c:51 */
}

static void request_complete_18(void)
{
    MPI_Start(&request[37]); /* collectives.c:48 */
    MPI_Wait(&request[37], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[37]); /* collectives.c:51 */
}

static void use_alltoall_3(void)
{
    MPI_Alltoall_init(data[0] + 30016, 4, MPI_INT, data[0] + 29504, 4, MPI_INT, MPI_COMM_WORLD,
            MPI_INFO_NULL, &request[35]); /* collectives.c:151 */
    request_complete_16(); /* collectives.c:44 */
    MPI_Alltoallv_init(data[0] + 30016, keep(sizeof(int[4]), (int[]){rank, (rank + 1) % size,
            (rank + 2) % size, (rank + size - 1) % size}), keep(sizeof(int[4]), (int[]){0, 4, 8, 12}),
            MPI_INT, data[0] + 29504, keep(sizeof(int[4]), (int[]){rank, (rank + 1) % size,
            (rank + 2) % size, (rank + size - 1) % size}), keep(sizeof(int[4]), (int[]){12, 8, 4, 0}),
            MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request[36]); /* collectives.c:161 */
    request_complete_17(); /* collectives.c:44 */
    if (rank % 2 == 0) {
        MPI_Alltoallw_init(data[0] + 30016, keep(sizeof(int[4]), (int[]){1, 1, 1, 1}),
                keep(sizeof(int[4]), (int[]){0, 16, 32, 48}), keep(sizeof(MPI_Datatype[4]),
                (MPI_Datatype[]){MPI_2INT, MPI_INT, MPI_2INT, MPI_INT}), data[0] + 29504,
                keep(sizeof(int[4]), (int[]){1, 1, 1, 1}), keep(sizeof(int[4]), (int[]){48, 32, 16, 0}),
                keep(sizeof(MPI_Datatype[4]), (MPI_Datatype[]){MPI_2INT, MPI_INT, MPI_2INT, MPI_INT}),
                MPI_COMM_WORLD, MPI_INFO_NULL, &request[37]); /* collectives.c:175 */
    } else {
        MPI_Alltoallw_init(data[0] + 30016, keep(sizeof(int[4]), (int[]){1, 1, 1, 1}),
                keep(sizeof(int[4]), (int[]){0, 16, 32, 48}), keep(sizeof(MPI_Datatype[4]),
                (MPI_Datatype[]){MPI_INT, MPI_2INT, MPI_INT, MPI_2INT}), data[0] + 29504,
                keep(sizeof(int[4]), (int[]){1, 1, 1, 1}), keep(sizeof(int[4]), (int[]){48, 32, 16, 0}),
                keep(sizeof(MPI_Datatype[4]), (MPI_Datatype[]){MPI_INT, MPI_2INT, MPI_INT, MPI_2INT}),
                MPI_COMM_WORLD, MPI_INFO_NULL, &request[37]); /* collectives.c:175 */
    }
    request_complete_18(); /* collectives.c:44 */
}

static void request_complete_19(void)
{
    MPI_Start(&request[38]); /* collectives.c:48 */
    MPI_Wait(&request[38], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[38]); /* collectives.c:51 */
}

static void request_complete_20(void)
{
    MPI_Start(&request[39]); /* collectives.c:48 */
    MPI_Wait(&request[39], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[39]); /* collectives.c:51 */
}

static void request_complete_21(void)
{
    MPI_Start(&request[40]); /* collectives.c:48 */
    MPI_Wait(&request[40], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[40]); /* collectives.c:51 */
}

static void request_complete_22(void)
{
    MPI_Start(&request[41]); /* collectives.c:48 */
    MPI_Wait(&request[41], any_status); /* collectives.c:49 */
    MPI_Request_free(&request[41]); /* collectives.c:51 */
}

static void use_scan_3(void)
{
    MPI_Scan_init(stack[1], stack[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
            &request[38]); /* collectives.c:203 */
    request_complete_19(); /* collectives.c:44 */
    MPI_Exscan_init(stack[1], stack[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
            &request[39]); /* collectives.c:205 */
    request_complete_20(); /* collectives.c:44 */
    MPI_Reduce_scatter_block_init(data[0] + 30016, data[0] + 29504, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
            MPI_INFO_NULL, &request[40]); /* collectives.c:209 */
    request_complete_21(); /* collectives.c:44 */
    MPI_Reduce_scatter_init(data[0] + 30016, data[0] + 29504, keep(sizeof(int[4]), (int[]){0, 1, 2, 3}),
            MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[41]); /* collectives.c:216 */
    request_complete_22(); /* collectives.c:44 */
}

static void use_restarts(void)
{
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[42]); /* collectives.c:232 */
    MPI_Allreduce_init(stack[1], stack[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
            &request[43]); /* collectives.c:233 */
    for (long i = 0; i < 10; i++) {
        MPI_Startall(2, &request[42]); /* collectives.c:236 */
        MPI_Waitall(2, &request[42], any_status); /* collectives.c:237 */
    }
    MPI_Request_free(&request[42]); /* collectives.c:240 */
    MPI_Request_free(&request[43]); /* collectives.c:241 */
}

int main(int argc, char **argv)
{
    data[0] = arena();
    for (int b = 0; b < 4; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* collectives.c:246 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* collectives.c:247 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* collectives.c:248 */
    for (long i = 0; i < 2; i++) {
        use_bcast(i); /* collectives.c:254 */
        use_gather(i); /* collectives.c:255 */
        use_scatter(i); /* collectives.c:256 */
        use_reduce(i); /* collectives.c:257 */
        for (long j = 0; j < i * 4 + 1; j++) {
            MPI_Reduce_local(stack[0], stack[1], 1, MPI_INT, MPI_SUM); /* collectives.c:195 */
            use_allgather(); /* collectives.c:259 */
            use_alltoall(); /* collectives.c:260 */
            use_scan(); /* collectives.c:261 */
            use_bcast_2(j); /* collectives.c:254 */
            use_gather_2(j); /* collectives.c:255 */
            use_scatter_2(j); /* collectives.c:256 */
            use_reduce_2(j); /* collectives.c:257 */
            use_allgather_2(j); /* collectives.c:259 */
            use_alltoall_2(j); /* collectives.c:260 */
            use_scan_2(j); /* collectives.c:261 */
            use_bcast_3(j); /* collectives.c:254 */
            use_gather_3(j); /* collectives.c:255 */
            use_scatter_3(j); /* collectives.c:256 */
            use_reduce_3(j); /* collectives.c:257 */
        }
    }
    use_allgather_3(); /* collectives.c:259 */
    use_alltoall_3(); /* collectives.c:260 */
    use_scan_3(); /* collectives.c:261 */
    use_restarts(); /* collectives.c:264 */
    MPI_Allreduce(MPI_IN_PLACE, data[0] + 30528, 1, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD); /* collectives.c:267 */
    MPI_Finalize(); /* collectives.c:270 */
    return 0;
}
