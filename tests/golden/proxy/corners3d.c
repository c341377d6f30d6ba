/* A proxy of corners3d: its MPI calls, from corners3d.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 404 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
#define ARENA_BYTES 4194304 /* of a buffer; what is not used takes no memory */
#endif

static int rank, size;
static MPI_Comm comm[1];
static MPI_Datatype type[6];
static MPI_Request request[6];
static char *heap[2]; /* buffers: in the program's heap */
static char *stack[1]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */

static const int *const values_1[] = {
    (const int[]){1, 4, 1},
    (const int[]){1, 1, 4},
    (const int[]){4, 1, 1}}; /* by kind of rank and trip */
static const int *const values_2[] = {
    (const int[]){4, 1, 4},
    (const int[]){1, 1, 1},
    (const int[]){1, 4, 4}}; /* by kind of rank and trip */
static const int *const values_3[] = {
    (const int[]){5, 1, 5},
    (const int[]){0, 0, 1},
    (const int[]){1, 5, 5},
    (const int[]){0, 1, 0}}; /* by rank and trip */
static const int *const tags_1[] = {
    (const int[]){10, 4, 1},
    (const int[]){16, 7, 4},
    (const int[]){22, 19, 10},
    (const int[]){25, 22, 16}}; /* by rank and trip */
static const int *const tags_2[] = {
    (const int[]){16, 22, 25},
    (const int[]){10, 19, 22},
    (const int[]){4, 7, 16},
    (const int[]){1, 4, 10}}; /* by rank and trip */

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

static void surface_type(long i)
{
    MPI_Type_create_subarray(3, (int[]){6, 6, 6}, (int[]){(const int[]){rank < 2 ? 4 : 1, 1,
            rank < 2 ? 1 : 4}[i], values_1[rank == size - 1 ? 0 : rank][i], 4}, (int[]){(const int[]){1,
            rank < 2 ? 4 : 1, rank < 2 ? 4 : 1}[i], values_2[rank == 0 ? 0 : 2 - rank % 2][i], 1},
            MPI_ORDER_C, MPI_DOUBLE, &type[i * 2]); /* corners3d.c:51 */
    MPI_Type_commit(&type[i * 2]); /* corners3d.c:52 */
}

static void surface_type_2(long i)
{
    MPI_Type_create_subarray(3, (int[]){6, 6, 6}, (int[]){(const int[]){rank < 2 ? 4 : 1, 1,
            rank < 2 ? 1 : 4}[i], values_1[rank == size - 1 ? 0 : rank][i], 4},
            (int[]){(const int[]){1 - rank / 2, rank < 2 ? 5 : 0, rank < 2 ? 5 : 1}[i],
            values_3[rank][i], 1}, MPI_ORDER_C, MPI_DOUBLE, &type[i * 2 + 1]); /* corners3d.c:51 */
    MPI_Type_commit(&type[i * 2 + 1]); /* corners3d.c:52 */
}

static void cube_meet_neighbours(long i)
{
    MPI_Cart_rank(comm[0], (int[]){(const int[]){0, 1 - rank / 2, 1}[i], (const int[]){rank == 0 ? 1 : 0,
            rank / 2, rank == size - 1 ? 0 : 1}[i], 0}, any_int[1]); /* corners3d.c:66 */
    surface_type(i); /* corners3d.c:68 */
    surface_type_2(i); /* corners3d.c:69 */
}

static void cube_init(void)
{
    MPI_Dims_create(4, 3, (int[]){0, 0, 0}); /* corners3d.c:92 */
    MPI_Cart_create(MPI_COMM_WORLD, 3, (int[]){2, 2, 1}, (int[]){0, 0, 0}, 0,
            &comm[0]); /* corners3d.c:93 */
    MPI_Comm_rank(comm[0], any_int[0]); /* corners3d.c:94 */
    MPI_Cart_coords(comm[0], rank, 3, any_int[2]); /* corners3d.c:95 */
    for (long i = 0; i < 3; i++) {
        cube_meet_neighbours(i); /* corners3d.c:99 */
    }
}

static void cube_exchange(long i)
{
    for (long j = 0; j < 3; j++) {
        MPI_Irecv(heap[i % 2], 1, type[j * 2 + 1], (const int[]){rank == 0 ? 1 : 0, 2 - rank / 2,
                rank == size - 1 ? 2 : 3}[j], tags_1[rank][j], comm[0], &request[j]); /* corners3d.c:127 */
    }
    for (long j = 0; j < 3; j++) {
        MPI_Isend(heap[i % 2], 1, type[j * 2], (const int[]){rank == 0 ? 1 : 0, 2 - rank / 2,
                rank == size - 1 ? 2 : 3}[j], tags_2[rank][j], comm[0],
                &request[j + 3]); /* corners3d.c:130 */
    }
    MPI_Waitall(6, request, MPI_STATUSES_IGNORE); /* corners3d.c:132 */
}

static void cube_free(void)
{
    for (long i = 0; i < 3; i++) {
        MPI_Type_free(&type[i * 2]); /* corners3d.c:114 */
        MPI_Type_free(&type[i * 2 + 1]); /* corners3d.c:115 */
    }
    MPI_Comm_free(&comm[0]); /* corners3d.c:119 */
}

int main(int argc, char **argv)
{
    for (int b = 0; b < 2; b++)
        heap[b] = arena();
    stack[0] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* corners3d.c:182 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* corners3d.c:183 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* corners3d.c:184 */
    cube_init(); /* corners3d.c:185 */
    for (long i = 0; i < 10; i++) {
        cube_exchange(i); /* corners3d.c:148 */
    }
    MPI_Allreduce(MPI_IN_PLACE, stack[0], 1, MPI_INT, MPI_SUM, comm[0]); /* corners3d.c:191 */
    cube_free(); /* corners3d.c:198 */
    MPI_Finalize(); /* corners3d.c:199 */
    return 0;
}
