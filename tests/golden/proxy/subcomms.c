/* A proxy of subcomms: its MPI calls, from subcomms.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 318 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
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
static MPI_Comm comm[3];
static MPI_Group group[2];
static MPI_Request request[2];
static char *heap[1]; /* buffers: in the program's heap */
static char *data[1]; /* buffers: in the program's static data */
static char *stack[9]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static MPI_Comm any_comm[6][16];
static MPI_Status any_status[16];

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

static void use_split(void)
{
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &comm[0]); /* subcomms.c:34 */
    MPI_Comm_rank(comm[0], any_int[0]); /* subcomms.c:37 */
    MPI_Allreduce(data[0] + 16724, stack[0], 1, MPI_INT, MPI_SUM, comm[0]); /* subcomms.c:24 */
    MPI_Comm_free(&comm[0]); /* subcomms.c:40 */
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL,
            &comm[0]); /* subcomms.c:43 */
    MPI_Allreduce(data[0] + 16724, stack[0], 1, MPI_INT, MPI_SUM, comm[0]); /* subcomms.c:24 */
    MPI_Comm_free(&comm[0]); /* subcomms.c:45 */
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL,
            any_comm[1]); /* subcomms.c:46 */
}

static void use_dup(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]); /* subcomms.c:56 */
    MPI_Comm_idup(comm[0], &comm[1], &request[0]); /* subcomms.c:57 */
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm[2], &request[1]); /* subcomms.c:59 */
    MPI_Waitall(2, request, any_status); /* subcomms.c:63 */
    for (long i = 0; i < 3; i++) {
        MPI_Comm_compare(MPI_COMM_WORLD, comm[i], any_int[0]); /* subcomms.c:65 */
        MPI_Allreduce(data[0] + 16724, stack[1], 1, MPI_INT, MPI_SUM, comm[i]); /* subcomms.c:24 */
    }
    MPI_Comm_free(&comm[0]); /* subcomms.c:70 */
    MPI_Comm_free(&comm[1]); /* subcomms.c:70 */
    MPI_Comm_free(&comm[2]); /* subcomms.c:70 */
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm[0]); /* subcomms.c:71 */
    MPI_Allreduce(data[0] + 16724, stack[2], 1, MPI_INT, MPI_SUM, comm[0]); /* subcomms.c:24 */
    MPI_Comm_free(&comm[0]); /* subcomms.c:73 */
}

static void use_groups(void)
{
    MPI_Comm_group(MPI_COMM_WORLD, &group[0]); /* subcomms.c:83 */
    MPI_Group_range_incl(group[0], 1, (int[][3]){{0, 2, 2}}, &group[1]); /* subcomms.c:84 */
    MPI_Comm_create(MPI_COMM_WORLD,
            group[1],rank % 2 == 0 ?  &comm[0] :  any_comm[1]); /* subcomms.c:85 */
    if (rank % 2 == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group[1], 5, &comm[1]); /* subcomms.c:88 */
        MPI_Allreduce(data[0] + 16724, stack[2], 1, MPI_INT, MPI_SUM, comm[0]); /* subcomms.c:24 */
        MPI_Allreduce(data[0] + 16724, stack[2], 1, MPI_INT, MPI_SUM, comm[1]); /* subcomms.c:24 */
        MPI_Comm_free(&comm[0]); /* subcomms.c:91 */
        MPI_Comm_free(&comm[1]); /* subcomms.c:92 */
    }
    MPI_Group_free(&group[1]); /* subcomms.c:94 */
    MPI_Group_free(&group[0]); /* subcomms.c:95 */
}

static void use_intercollectives(void)
{
    MPI_Comm_rank(comm[1], any_int[0]); /* subcomms.c:103 */
    MPI_Comm_size(comm[1], any_int[0]); /* subcomms.c:104 */
    MPI_Comm_remote_size(comm[1], any_int[0]); /* subcomms.c:105 */
    if (rank % 2 == 0) {
        MPI_Bcast(stack[4], 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, comm[1]); /* subcomms.c:111 */
        if (rank == 0) {
            MPI_Gather(MPI_BOTTOM, 0, MPI_INT, heap[0], 1, MPI_INT, MPI_ROOT, comm[1]); /* subcomms.c:112 */
        } else {
            MPI_Gather(MPI_BOTTOM, 0, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL,
                    comm[1]); /* subcomms.c:112 */
        }
    }
}

static void use_intercollectives_2(void)
{
    MPI_Bcast(stack[4], 1, MPI_INT, 0, comm[1]); /* subcomms.c:116 */
    MPI_Gather(stack[4], 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, comm[1]); /* subcomms.c:119 */
}

static void use_intercollectives_3(void)
{
    MPI_Allreduce(stack[5], stack[6], 1, MPI_INT, MPI_SUM, comm[1]); /* subcomms.c:123 */
    MPI_Allgather(stack[7], 1, MPI_INT, heap[0], 1, MPI_INT, comm[1]); /* subcomms.c:125 */
    MPI_Barrier(comm[1]); /* subcomms.c:128 */
    if (rank != size - 1) {
        MPI_Reduce(stack[5], NULL, 1, MPI_INT, MPI_MAX, rank == 1 ? MPI_PROC_NULL : 1,
                comm[1]); /* subcomms.c:134 */
    } else {
        MPI_Reduce(stack[5], stack[8], 1, MPI_INT, MPI_MAX, MPI_ROOT, comm[1]); /* subcomms.c:134 */
    }
}

static void use_intercollectives_4(void)
{
    MPI_Comm_rank(comm[2], any_int[0]); /* subcomms.c:103 */
    MPI_Comm_size(comm[2], any_int[0]); /* subcomms.c:104 */
    MPI_Comm_remote_size(comm[2], any_int[0]); /* subcomms.c:105 */
    if (rank % 2 == 0) {
        MPI_Bcast(stack[4], 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, comm[2]); /* subcomms.c:111 */
        if (rank == 0) {
            MPI_Gather(MPI_BOTTOM, 0, MPI_INT, heap[0], 1, MPI_INT, MPI_ROOT, comm[2]); /* subcomms.c:112 */
        } else {
            MPI_Gather(MPI_BOTTOM, 0, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL,
                    comm[2]); /* subcomms.c:112 */
        }
    }
}

static void use_intercollectives_5(void)
{
    MPI_Bcast(stack[4], 1, MPI_INT, 0, comm[2]); /* subcomms.c:116 */
    MPI_Gather(stack[4], 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, comm[2]); /* subcomms.c:119 */
}

static void use_intercollectives_6(void)
{
    MPI_Allreduce(stack[5], stack[6], 1, MPI_INT, MPI_SUM, comm[2]); /* subcomms.c:123 */
    MPI_Allgather(stack[7], 1, MPI_INT, heap[0], 1, MPI_INT, comm[2]); /* subcomms.c:125 */
    MPI_Barrier(comm[2]); /* subcomms.c:128 */
    if (rank != size - 1) {
        MPI_Reduce(stack[5], NULL, 1, MPI_INT, MPI_MAX, rank == 1 ? MPI_PROC_NULL : 1,
                comm[2]); /* subcomms.c:134 */
    } else {
        MPI_Reduce(stack[5], stack[8], 1, MPI_INT, MPI_MAX, MPI_ROOT, comm[2]); /* subcomms.c:134 */
    }
}

static void use_intercommunicator(void)
{
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm[0]); /* subcomms.c:145 */
    if (rank < 2) {
        MPI_Intercomm_create(comm[0], 0, MPI_COMM_WORLD, 1 - rank, 77, &comm[1]); /* subcomms.c:146 */
    } else {
        MPI_Intercomm_create(comm[0], 0, MPI_COMM_NULL, 0, 77, &comm[1]); /* subcomms.c:146 */
    }
    MPI_Comm_test_inter(comm[1], any_int[0]); /* subcomms.c:147 */
    MPI_Comm_remote_size(comm[1], any_int[0]); /* subcomms.c:148 */
    MPI_Comm_remote_group(comm[1], &group[0]); /* subcomms.c:149 */
    MPI_Group_size(group[0], any_int[0]); /* subcomms.c:150 */
    MPI_Group_free(&group[0]); /* subcomms.c:153 */
    MPI_Comm_rank(comm[1], any_int[0]); /* subcomms.c:155 */
    MPI_Sendrecv(data[0] + 16724, 1, MPI_INT, rank / 2, 3, stack[3], 1, MPI_INT, rank / 2, 3, comm[1],
            MPI_STATUS_IGNORE); /* subcomms.c:157 */
    MPI_Comm_dup(comm[1], &comm[2]); /* subcomms.c:160 */
    use_intercollectives(); /* subcomms.c:161 */
    if (rank % 2 == 1) {
        use_intercollectives_2(); /* subcomms.c:161 */
    }
    use_intercollectives_3(); /* subcomms.c:161 */
    use_intercollectives_4(); /* subcomms.c:162 */
    if (rank % 2 == 1) {
        use_intercollectives_5(); /* subcomms.c:162 */
    }
    use_intercollectives_6(); /* subcomms.c:162 */
    MPI_Comm_free(&comm[2]); /* subcomms.c:163 */
    MPI_Intercomm_merge(comm[1], 1 - rank % 2, &comm[2]); /* subcomms.c:166 */
    MPI_Comm_rank(comm[2], any_int[0]); /* subcomms.c:167 */
    MPI_Allreduce(data[0] + 16724, stack[2], 1, MPI_INT, MPI_SUM, comm[2]); /* subcomms.c:24 */
    MPI_Comm_free(&comm[2]); /* subcomms.c:170 */
    MPI_Comm_free(&comm[1]); /* subcomms.c:171 */
    MPI_Comm_free(&comm[0]); /* subcomms.c:172 */
}

int main(int argc, char **argv)
{
    heap[0] = arena();
    data[0] = arena();
    for (int b = 0; b < 9; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* subcomms.c:176 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* subcomms.c:177 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* subcomms.c:178 */
    use_split(); /* subcomms.c:179 */
    use_dup(); /* subcomms.c:180 */
    use_groups(); /* subcomms.c:181 */
    use_intercommunicator(); /* subcomms.c:183 */
    use_split(); /* subcomms.c:184 */
    MPI_Allreduce(MPI_IN_PLACE, data[0] + 16716, 1, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD); /* subcomms.c:186 */
    MPI_Finalize(); /* subcomms.c:189 */
    return 0;
}
