/* A proxy of datatypes: its MPI calls, from datatypes.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 988 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
#define ARENA_BYTES 2147483648 /* of a buffer; what is not used takes no memory */
#endif

static int rank, size;
static MPI_Datatype type[14];
static char *data[1]; /* buffers: in the program's static data */
static char *stack[8]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static MPI_Aint any_aint[6][16];
static MPI_Datatype any_datatype[6][16];
static MPI_Status any_status[16];

static const int numbers_1[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 8, 9, 10, 11}; /* by trip */
static const int trips_1[] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1}; /* by trip */
static const int numbers_2[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 8, 9, 10}; /* by trip */
static const int values_1[] = {1, 3, 2, 7, 4, 5, 2, 4, 0, 0, 8, 8, 0}; /* by trip */
static const int offsets_1[] = {0, 0, 1, 0, 3, 0, 3, 3, 0, 0, 0, 0, 2}; /* by trip */
static const int values_2[] = {1, 1, 1, 1, 1, 1, 1, 3, 0, 0, 1, 1, 1}; /* by trip */
static const int kinds_1[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}; /* by trip */
static const int kinds_2[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1}; /* by trip */
static const int trips_2[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1}; /* by trip */
static const int numbers_3[] = {0, 1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11}; /* by trip */
static const int trips_3[] = {1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1}; /* by trip */
static const int counts_1[] = {4, 6, 3, 3, 3, 6, 3, 0, 0, 9, 6, 4, 1, 6}; /* by trip */
static const int values_3[] = {16, 24, 12, 12, 12, 24, 12, 0, 0, 36, 24, 16, 4, 24}; /* by trip */

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

static void build_simple(void)
{
    MPI_Type_contiguous(4, MPI_INT, &type[0]); /* datatypes.c:44 */
    MPI_Type_vector(3, 2, 5, MPI_INT, &type[1]); /* datatypes.c:46 */
    MPI_Type_create_hvector(3, 1, 28, MPI_INT, &type[2]); /* datatypes.c:48 */
    MPI_Type_indexed(3, (int[]){2, 0, 1}, (int[]){5, 9, 1}, MPI_INT, &type[3]); /* datatypes.c:50 */
    MPI_Type_create_hindexed(3, (int[]){2, 0, 1}, (MPI_Aint[]){32, 0, 8}, MPI_INT,
            &type[4]); /* datatypes.c:52 */
    MPI_Type_create_indexed_block(3, 2, (int[]){5, 9, 1}, MPI_INT, &type[5]); /* datatypes.c:54 */
    MPI_Type_create_hindexed_block(3, 1, (MPI_Aint[]){32, 0, 8}, MPI_INT,
            &type[6]); /* datatypes.c:56 */
}

static void build_composed(void)
{
    MPI_Type_create_struct(3, (int[]){1, 2, 1}, (MPI_Aint[]){0, 80, 160}, (MPI_Datatype[]){MPI_INT,
            MPI_INT, type[1]}, &type[7]); /* datatypes.c:68 */
    MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT,
            &type[8]); /* datatypes.c:70 */
    MPI_Type_create_darray(2, 1, 1, (int[]){8}, (int[]){MPI_DISTRIBUTE_CYCLIC}, (int[]){2}, (int[]){2},
            MPI_ORDER_C, MPI_INT, &type[9]); /* datatypes.c:72 */
    MPI_Type_create_resized(MPI_INT, -4, 12, &type[10]); /* datatypes.c:74 */
    MPI_Type_dup(type[1], &type[11]); /* datatypes.c:76 */
}

static void describe_calls(long i)
{
    if (trips_1[i]) {
        MPI_Type_get_envelope(type[numbers_1[i]], any_int[0], any_int[1], any_int[2],
                any_int[3]); /* datatypes.c:86 */
        if (kinds_1[i]) {
            MPI_Type_get_contents(type[11], 0, 0, 1, any_int[3], any_aint[0],
                    any_datatype[1]); /* datatypes.c:91 */
            type[1] = any_datatype[1][0];
        } else {
            MPI_Type_get_contents(type[numbers_2[i]], values_1[i], offsets_1[i], values_2[i], any_int[3],
                    any_aint[0], any_datatype[1]); /* datatypes.c:91 */
        }
    }
    if (kinds_2[i]) {
        MPI_Type_get_envelope(type[1], any_int[0], any_int[1], any_int[2],
                any_int[3]); /* datatypes.c:95 */
    } else {
        MPI_Type_get_envelope(MPI_INT, any_int[0], any_int[1], any_int[2],
                any_int[3]); /* datatypes.c:95 */
    }
    if (trips_2[i]) {
        MPI_Type_free(&(MPI_Datatype){type[1]}); /* datatypes.c:97 */
    }
    if (trips_3[i]) {
        MPI_Type_size(type[numbers_3[i]], any_int[0]); /* datatypes.c:103 */
        MPI_Type_get_extent(type[numbers_3[i]], any_aint[0], any_aint[1]); /* datatypes.c:104 */
        MPI_Type_get_true_extent(type[numbers_3[i]], any_aint[0], any_aint[1]); /* datatypes.c:105 */
    }
}

static void transfer_calls(long i)
{
    if (trips_3[i]) {
        MPI_Sendrecv(stack[0], 1, type[numbers_3[i]], (rank + 1) % size, 0, stack[1], 64, MPI_INT,
                (rank + size - 1) % size, 0, MPI_COMM_WORLD, any_status); /* datatypes.c:124 */
        MPI_Get_count(any_status, MPI_INT, any_int[0]); /* datatypes.c:125 */
        MPI_Sendrecv(stack[1], counts_1[i], MPI_INT, (rank + 1) % size, 1, stack[2], 1, type[numbers_3[i]],
                (rank + size - 1) % size, 1, MPI_COMM_WORLD, any_status); /* datatypes.c:130 */
        MPI_Get_elements(any_status, type[numbers_3[i]], any_int[0]); /* datatypes.c:131 */
    }
}

static void pack_and_unpack(long i)
{
    if (trips_3[i]) {
        MPI_Pack_size(1, type[numbers_3[i]], MPI_COMM_WORLD, any_int[1]); /* datatypes.c:145 */
        MPI_Pack(stack[3], 1, type[numbers_3[i]], stack[4], 1024, (int[]){0},
                MPI_COMM_WORLD); /* datatypes.c:147 */
        MPI_Unpack(stack[4], 1024, (int[]){0}, stack[5], 1, type[numbers_3[i]],
                MPI_COMM_WORLD); /* datatypes.c:149 */
        MPI_Pack_external_size("external32", 1, type[numbers_3[i]], any_aint[0]); /* datatypes.c:154 */
        MPI_Pack_external("external32", stack[3], 1, type[numbers_3[i]], stack[4], values_3[i],
                (MPI_Aint[]){0}); /* datatypes.c:156 */
        MPI_Unpack_external("external32", stack[4], values_3[i], (MPI_Aint[]){0}, stack[5], 1,
                type[numbers_3[i]]); /* datatypes.c:158 */
    }
}

static void mixed_struct(void)
{
    MPI_Type_create_struct(3, (int[]){1, 3, 1}, (MPI_Aint[]){0, 8, 32}, (MPI_Datatype[]){MPI_CHAR,
            MPI_DOUBLE, MPI_INT}, &type[12]); /* datatypes.c:177 */
    MPI_Type_create_resized(type[12], 0, 40, &type[13]); /* datatypes.c:178 */
    MPI_Type_free(&type[12]); /* datatypes.c:179 */
    MPI_Type_commit(&type[13]); /* datatypes.c:180 */
    MPI_Sendrecv(stack[6], 2, type[13], rank, 0, stack[7], 2, type[13], rank, 0, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE); /* datatypes.c:181 */
    MPI_Type_free(&type[13]); /* datatypes.c:183 */
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, any_datatype[0]); /* datatypes.c:185 */
    MPI_Type_size(MPI_REAL8, any_int[0]); /* datatypes.c:186 */
    MPI_Type_create_f90_real(15, 307, &type[12]); /* datatypes.c:188 */
    MPI_Type_size(type[12], any_int[0]); /* datatypes.c:189 */
}

int main(int argc, char **argv)
{
    data[0] = arena();
    for (int b = 0; b < 8; b++)
        stack[b] = arena();

    MPI_Init(&argc, &argv); /* datatypes.c:196 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* datatypes.c:197 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* datatypes.c:198 */
    build_simple(); /* datatypes.c:199 */
    build_composed(); /* datatypes.c:200 */
    for (long i = 0; i < 14; i++) {
        if (trips_1[i]) {
            MPI_Type_commit(&type[numbers_1[i]]); /* datatypes.c:202 */
        }
        describe_calls(i); /* datatypes.c:203 */
        transfer_calls(i); /* datatypes.c:204 */
        pack_and_unpack(i); /* datatypes.c:205 */
    }
    mixed_struct(); /* datatypes.c:207 */
    for (long i = 0; i < 12; i++) {
        MPI_Type_free(&type[i]); /* datatypes.c:209 */
    }
    MPI_Allreduce(MPI_IN_PLACE, data[0] + 28320, 1, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD); /* datatypes.c:211 */
    MPI_Finalize(); /* datatypes.c:214 */
    return 0;
}
