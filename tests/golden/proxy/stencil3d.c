/* A proxy of stencil3d: its MPI calls, from stencil3d.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 1292 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Datatype type[12];
static MPI_Request request[12];
static char *heap[2]; /* buffers: in the program's heap */
static char *stack[2]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */

static const int numbers_1[] = {2, 3, 6, 7, 10, 11}; /* by trip */
static const int tags_1[] = {1, 0, 3, 2, 5, 4}; /* by trip */
static const int numbers_2[] = {0, 1, 4, 5, 8, 9}; /* by trip */

static char *arena(void)
{
    char *memory = calloc(1, (size_t)ARENA_BYTES);
    if (!memory) {
        fprintf(stderr, "no memory: -DARENA_BYTES= makes buffers smaller\n");
        exit(1);
    }
    return memory + (size_t)ARENA_BYTES / 4 / 64 * 64; /* datatypes may begin before their buffer */
}

/* The rank that is SHIFT further on an axis of EXTENT ranks, which are STRIDE apart. */
static int torus(int stride, int extent, int shift)
{
    const int at = rank / stride % extent;
    return rank + ((at + shift + extent) % extent - at) * stride;
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

static void face_type(long i)
{
    MPI_Type_create_subarray(3, (int[]){6, 6, 6}, (int[]){i == 0 ? 1 : 4, i == 1 ? 1 : 4,
            i == 2 ? 1 : 4}, (int[]){1, 1, 1}, MPI_ORDER_C, MPI_DOUBLE,
            &type[i * 4]); /* stencil3d.c:40 */
    MPI_Type_commit(&type[i * 4]); /* stencil3d.c:41 */
}

static void face_type_2(long i)
{
    MPI_Type_create_subarray(3, (int[]){6, 6, 6}, (int[]){i == 0 ? 1 : 4, i == 1 ? 1 : 4,
            i == 2 ? 1 : 4}, (int[]){i == 0 ? 4 : 1, i == 1 ? 4 : 1, i == 2 ? 4 : 1}, MPI_ORDER_C,
            MPI_DOUBLE, &type[i * 4 + 1]); /* stencil3d.c:40 */
    MPI_Type_commit(&type[i * 4 + 1]); /* stencil3d.c:41 */
}

static void face_type_3(long i)
{
    MPI_Type_create_subarray(3, (int[]){6, 6, 6}, (int[]){i == 0 ? 1 : 4, i == 1 ? 1 : 4,
            i == 2 ? 1 : 4}, (int[]){i != 0, i != 1, i != 2}, MPI_ORDER_C, MPI_DOUBLE,
            &type[i * 4 + 2]); /* stencil3d.c:40 */
    MPI_Type_commit(&type[i * 4 + 2]); /* stencil3d.c:41 */
}

static void face_type_4(long i)
{
    MPI_Type_create_subarray(3, (int[]){6, 6, 6}, (int[]){i == 0 ? 1 : 4, i == 1 ? 1 : 4,
            i == 2 ? 1 : 4}, (int[]){i == 0 ? 5 : 1, i == 1 ? 5 : 1, i == 2 ? 5 : 1}, MPI_ORDER_C,
            MPI_DOUBLE, &type[i * 4 + 3]); /* stencil3d.c:40 */
    MPI_Type_commit(&type[i * 4 + 3]); /* stencil3d.c:41 */
}

static void cube_init(void)
{
    MPI_Dims_create(4, 3, (int[]){0, 0, 0}); /* stencil3d.c:51 */
    MPI_Cart_create(MPI_COMM_WORLD, 3, (int[]){2, 2, 1}, (int[]){1, 1, 1}, 1,
            &comm[0]); /* stencil3d.c:52 */
    MPI_Comm_rank(comm[0], any_int[0]); /* stencil3d.c:53 */
    MPI_Cart_coords(comm[0], rank, 3, any_int[2]); /* stencil3d.c:54 */
    for (long i = 0; i < 3; i++) {
        MPI_Cart_shift(comm[0], i, 1, any_int[2], any_int[3]); /* stencil3d.c:56 */
        face_type(i); /* stencil3d.c:57 */
        face_type_2(i); /* stencil3d.c:58 */
        face_type_3(i); /* stencil3d.c:59 */
        face_type_4(i); /* stencil3d.c:60 */
    }
}

static void cube_exchange(long i)
{
    for (long j = 0; j < 6; j++) {
        MPI_Irecv(heap[i % 2], 1, type[numbers_1[j]], (const int[]){(rank + 2) % size, (rank + 2) % size,
                torus(1, 2, 1), torus(1, 2, 1), rank, rank}[j], tags_1[j], comm[0],
                &request[j]); /* stencil3d.c:84 */
    }
    for (long j = 0; j < 6; j++) {
        MPI_Isend(heap[i % 2], 1, type[numbers_2[j]], (const int[]){(rank + 2) % size, (rank + 2) % size,
                torus(1, 2, 1), torus(1, 2, 1), rank, rank}[j], j, comm[0],
                &request[j + 6]); /* stencil3d.c:86 */
    }
    MPI_Waitall(12, request, MPI_STATUSES_IGNORE); /* stencil3d.c:87 */
}

static void cube_exchange_2(void)
{
    for (long i = 0; i < 6; i++) {
        MPI_Irecv(heap[0], 1, type[numbers_1[i]], (const int[]){(rank + 2) % size, (rank + 2) % size,
                torus(1, 2, 1), torus(1, 2, 1), rank, rank}[i], tags_1[i], comm[0],
                &request[i]); /* stencil3d.c:84 */
    }
    for (long i = 0; i < 6; i++) {
        MPI_Isend(heap[0], 1, type[numbers_2[i]], (const int[]){(rank + 2) % size, (rank + 2) % size,
                torus(1, 2, 1), torus(1, 2, 1), rank, rank}[i], i, comm[0],
                &request[i + 6]); /* stencil3d.c:86 */
    }
    MPI_Waitall(12, request, MPI_STATUSES_IGNORE); /* stencil3d.c:87 */
}

static void cube_free(void)
{
    for (long i = 0; i < 6; i++) {
        MPI_Type_free(&type[numbers_2[i]]); /* stencil3d.c:70 */
        MPI_Type_free(&type[numbers_1[i]]); /* stencil3d.c:71 */
    }
    MPI_Comm_free(&comm[0]); /* stencil3d.c:75 */
}

int main(int argc, char **argv)
{
    for (int b = 0; b < 2; b++)
        heap[b] = arena();
    for (int b = 0; b < 2; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* stencil3d.c:163 */
    start();
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* stencil3d.c:164 */
    cube_init(); /* stencil3d.c:165 */
    MPI_Comm_rank(comm[0], any_int[0]); /* stencil3d.c:166 */
    for (long i = 0; i < 20; i++) {
        cube_exchange(i); /* stencil3d.c:94 */
    }
    MPI_Allreduce(stack[0], stack[1], 1, MPI_DOUBLE, MPI_SUM, comm[0]); /* stencil3d.c:114 */
    cube_exchange_2(); /* stencil3d.c:94 */
    MPI_Allreduce(MPI_IN_PLACE, stack[1], 1, MPI_INT, MPI_SUM, comm[0]); /* stencil3d.c:177 */
    cube_free(); /* stencil3d.c:184 */
    MPI_Finalize(); /* stencil3d.c:185 */
    return 0;
}
