/* A proxy of persistent: its MPI calls, from persistent.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 1936 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Request request[10];
static char *data[1]; /* buffers: in the program's static data */
static char *stack[10]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static void *any_pointer[6][16];
static MPI_Status any_status[16];
static int found;

static const int *const kinds_1[] = {
    (const int[]){
        0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
        0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0},
    (const int[]){
        1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0,
        0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1},
    (const int[]){
        1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0,
        1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0},
    (const int[]){
        1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0,
        0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0}}; /* by rank and visit */
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

static void use_modes(void)
{
    MPI_Buffer_attach(data[0] + 16672, 1096); /* persistent.c:32 */
    for (long i = 0; i < 4; i++) {
        MPI_Recv_init(stack[i], 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD,
                &request[i]); /* persistent.c:34 */
    }
    MPI_Send_init(stack[4], 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD,
            &request[4]); /* persistent.c:35 */
    MPI_Bsend_init(stack[5], 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD,
            &request[5]); /* persistent.c:36 */
    MPI_Ssend_init(stack[6], 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD,
            &request[6]); /* persistent.c:37 */
    MPI_Rsend_init(stack[7], 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD,
            &request[7]); /* persistent.c:38 */
    for (long i = 0; i < 20; i++) {
        MPI_Startall(4, request); /* persistent.c:43 */
        MPI_Sendrecv(MPI_BOTTOM, 0, MPI_INT, (rank + size - 1) % size, 50, MPI_BOTTOM, 0, MPI_INT,
                (rank + 1) % size, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* persistent.c:45 */
        MPI_Start(&request[4]); /* persistent.c:48 */
        MPI_Start(&request[5]); /* persistent.c:48 */
        MPI_Start(&request[6]); /* persistent.c:48 */
        MPI_Start(&request[7]); /* persistent.c:48 */
        if (i % 4 == 0) {
            MPI_Waitall(8, request, any_status); /* persistent.c:52 */
        }
        for (long j = 0; j < (i % 4 == 2 ? 8 : 0); j++) {
            if (j >= 4) {
                MPI_Wait(&request[7 - j], MPI_STATUS_IGNORE); /* persistent.c:62 */
            } else {
                MPI_Wait(&request[7 - j], any_status); /* persistent.c:62 */
            }
        }
        for (long j = 0; j < (i % 4 == 3 ? 8 : 0); j++) {
            {
                const long n = visits[0]++;
                if (kinds_1[rank][n]) {
                    MPI_Waitany(8, request, any_int[1], any_status); /* persistent.c:66 */
                } else {
                    MPI_Waitany(8, request, any_int[1], MPI_STATUS_IGNORE); /* persistent.c:66 */
                }
            }
        }
        if (i % 4 == 3) {
            MPI_Waitany(8, request, any_int[1], MPI_STATUS_IGNORE); /* persistent.c:67 */
        }
        if (i % 4 == 1) {
            /* persistent.c:58 */
            do
                MPI_Testall(8, request, &found, MPI_STATUSES_IGNORE);
            while (!found);
        }
    }
    for (long i = 0; i < 8; i++) {
        MPI_Request_free(&request[i]); /* persistent.c:76 */
    }
    MPI_Buffer_detach(any_pointer[0], any_int[0]); /* persistent.c:78 */
}

static void use_partitions(void)
{
    MPI_Precv_init(stack[8], 6, 10, MPI_DOUBLE, (rank + size - 1) % size, 60, MPI_COMM_WORLD,
            MPI_INFO_NULL, &request[8]); /* persistent.c:103 */
    MPI_Psend_init(stack[9], 6, 10, MPI_DOUBLE, (rank + 1) % size, 60, MPI_COMM_WORLD, MPI_INFO_NULL,
            &request[9]); /* persistent.c:104 */
    for (long i = 0; i < 20; i++) {
        MPI_Startall(2, &request[8]); /* persistent.c:106 */
        for (long j = 0; j < (i % 3 == 0 ? 6 : 0); j++) {
            MPI_Pready(5 - j, request[9]); /* persistent.c:111 */
        }
        if (i % 3 == 1) {
            MPI_Pready_list(3, (int[]){5, 1, 3}, request[9]); /* persistent.c:113 */
            MPI_Pready(0, request[9]); /* persistent.c:115 */
            MPI_Pready(2, request[9]); /* persistent.c:115 */
            MPI_Pready(4, request[9]); /* persistent.c:115 */
        }
        if (i % 3 == 2) {
            MPI_Pready_range(2, 5, request[9]); /* persistent.c:117 */
            MPI_Pready_range(0, 1, request[9]); /* persistent.c:118 */
        }
        for (long j = 0; j < 6; j++) {
            /* persistent.c:124 */
            do
                MPI_Parrived(request[8], j, &found);
            while (!found);
        }
        MPI_Waitall(2, &request[8], MPI_STATUSES_IGNORE); /* persistent.c:127 */
    }
    MPI_Request_free(&request[8]); /* persistent.c:129 */
    MPI_Request_free(&request[9]); /* persistent.c:130 */
}

int main(int argc, char **argv)
{
    data[0] = arena();
    for (int b = 0; b < 10; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* persistent.c:135 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* persistent.c:136 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* persistent.c:137 */
    use_modes(); /* persistent.c:140 */
    use_partitions(); /* persistent.c:142 */
    MPI_Allreduce(MPI_IN_PLACE, data[0] + 17768, 1, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD); /* persistent.c:145 */
    MPI_Finalize(); /* persistent.c:148 */
    return 0;
}
