/* A proxy of onesided: its MPI calls, from onesided.pilgrim, made by pilgrim-generate 0.1.0.
 *
 *     mpicc -std=c11 -O2 -o proxy proxy.c
 *     mpiexec -n 4 ./proxy
 *
 * 472 calls of 4 ranks. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your
 * void work(double ns) in place of a loop that waits; -DFREE_ORDER: receives of any source take what comes.
 *
 * No license of Pilgrim applies to this file: it is derived from the program that was recorded. */
/* Left out: 4 calls; each has a comment at its place. */
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
static MPI_Comm comm[1];
static MPI_Group group[3];
static MPI_Win win[1];
static MPI_Info info[1];
static MPI_Request request[4];
static char *heap[1]; /* buffers: in the program's heap */
static char *data[1]; /* buffers: in the program's static data */
static char *stack[7]; /* buffers: in the program's stack */
static int any_int[6][16]; /* any_...: for what comes out and is not looked at */
static MPI_Aint any_aint[6][16];
static void *any_pointer[6][16];
static MPI_Status any_status[16];
static char any_text[65536];
static int found;

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

static void use_fence(void)
{
    MPI_Win_create(stack[0], 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]); /* onesided.c:28 */
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win[0]); /* onesided.c:29 */
    MPI_Put(data[0] + 25116, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win[0]); /* onesided.c:30 */
    MPI_Get(stack[1], 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, win[0]); /* onesided.c:31 */
    MPI_Accumulate(data[0] + 25116, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win[0]); /* onesided.c:32 */
    MPI_Put(data[0] + 25116, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win[0]); /* onesided.c:33 */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win[0]); /* onesided.c:34 */
    MPI_Win_free(&win[0]); /* onesided.c:38 */
}

static void use_locks(void)
{
    if (rank == 0) {
        MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &heap[0], &win[0]); /* onesided.c:46 */
    } else {
        MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, any_pointer[0],
                &win[0]); /* onesided.c:46 */
        heap[0] = (char *)any_pointer[0][0] - rank * 64;
    }
    MPI_Win_set_name(win[0], "text-b85de1"); /* onesided.c:47 */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win[0]); /* onesided.c:48 */
    MPI_Win_unlock(rank, win[0]); /* onesided.c:51 */
    MPI_Barrier(MPI_COMM_WORLD); /* onesided.c:52 */
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win[0]); /* onesided.c:55 */
    MPI_Fetch_and_op(stack[2], stack[3], MPI_INT, 0, 0, MPI_SUM, win[0]); /* onesided.c:56 */
    MPI_Win_flush(0, win[0]); /* onesided.c:57 */
    MPI_Win_unlock(0, win[0]); /* onesided.c:58 */
    MPI_Allreduce(stack[3], stack[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* onesided.c:59 */
    MPI_Win_lock_all(0, win[0]); /* onesided.c:63 */
    MPI_Compare_and_swap(stack[2], stack[4], stack[5], MPI_INT, 0, 1, win[0]); /* onesided.c:64 */
    MPI_Win_flush_all(win[0]); /* onesided.c:65 */
    MPI_Get_accumulate(stack[2], 1, MPI_INT, stack[3], 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM,
            win[0]); /* onesided.c:66 */
    MPI_Win_flush_local(0, win[0]); /* onesided.c:67 */
    MPI_Win_unlock_all(win[0]); /* onesided.c:68 */
    MPI_Allreduce(stack[5], stack[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* onesided.c:69 */
    MPI_Allreduce(stack[3], stack[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* onesided.c:71 */
    MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, win[0]); /* onesided.c:74 */
    MPI_Win_sync(win[0]); /* onesided.c:75 */
    MPI_Win_unlock(rank, win[0]); /* onesided.c:77 */
    MPI_Win_free(&win[0]); /* onesided.c:78 */
    heap[0] = arena();
}

static void use_requests(void)
{
    MPI_Win_create(stack[0], 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]); /* onesided.c:87 */
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win[0]); /* onesided.c:88 */
    MPI_Rput(stack[5], 4, MPI_INT, (rank + 1) % size, 0, 4, MPI_INT, win[0],
            &request[0]); /* onesided.c:89 */
    MPI_Raccumulate(stack[5], 4, MPI_INT, (rank + 1) % size, 4, 4, MPI_INT, MPI_SUM, win[0],
            &request[1]); /* onesided.c:90 */
    MPI_Rget_accumulate(stack[5], 1, MPI_INT, stack[4], 1, MPI_INT, (rank + 1) % size, 8, 1, MPI_INT,
            MPI_REPLACE, win[0], &request[2]); /* onesided.c:91 */
    MPI_Waitall(3, request, any_status); /* onesided.c:92 */
    MPI_Win_flush((rank + 1) % size, win[0]); /* onesided.c:93 */
    MPI_Barrier(MPI_COMM_WORLD); /* onesided.c:94 */
    MPI_Rget(stack[1], 4, MPI_INT, (rank + 1) % size, 0, 4, MPI_INT, win[0],
            &request[3]); /* onesided.c:95 */
    MPI_Wait(&request[3], any_status); /* onesided.c:96 */
    MPI_Win_unlock_all(win[0]); /* onesided.c:97 */
    MPI_Barrier(MPI_COMM_WORLD); /* onesided.c:98 */
    MPI_Win_free(&win[0]); /* onesided.c:102 */
}

static void use_groups(void)
{
    MPI_Comm_group(MPI_COMM_WORLD, &group[0]); /* onesided.c:111 */
    MPI_Group_incl(group[0], 1, (int[]){(rank + 1) % size}, &group[1]); /* onesided.c:112 */
    MPI_Group_incl(group[0], 1, (int[]){(rank + size - 1) % size}, &group[2]); /* onesided.c:113 */
    MPI_Win_create(stack[0], 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]); /* onesided.c:114 */
    for (long i = 0; i < 4; i++) {
        MPI_Win_post(group[2], 0, win[0]); /* onesided.c:118 */
        MPI_Win_start(group[1], 0, win[0]); /* onesided.c:119 */
        MPI_Put(stack[6], 1, MPI_INT, (rank + 1) % size, i, 1, MPI_INT, win[0]); /* onesided.c:120 */
        MPI_Win_complete(win[0]); /* onesided.c:121 */
        if (i % 2) {
            MPI_Win_wait(win[0]); /* onesided.c:123 */
        }
        if (1 - (i % 2)) {
            /* onesided.c:126 */
            do
                MPI_Win_test(win[0], &found);
            while (!found);
        }
    }
    MPI_Win_free(&win[0]); /* onesided.c:129 */
    MPI_Group_free(&group[1]); /* onesided.c:130 */
    MPI_Group_free(&group[2]); /* onesided.c:131 */
    MPI_Group_free(&group[0]); /* onesided.c:132 */
}

static void use_shared(void)
{
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
            &comm[0]); /* onesided.c:142 */
    MPI_Comm_rank(comm[0], any_int[0]); /* onesided.c:143 */
    MPI_Comm_size(comm[0], any_int[0]); /* onesided.c:144 */
    if (rank == 0) {
        MPI_Win_allocate_shared(4, 4, MPI_INFO_NULL, comm[0], &heap[0], &win[0]); /* onesided.c:145 */
    } else {
        MPI_Win_allocate_shared(4, 4, MPI_INFO_NULL, comm[0], any_pointer[0],
                &win[0]); /* onesided.c:145 */
        heap[0] = (char *)any_pointer[0][0] - rank * 4;
    }
    MPI_Win_fence(0, win[0]); /* onesided.c:146 */
    MPI_Win_fence(0, win[0]); /* onesided.c:148 */
    MPI_Win_shared_query(win[0], (rank + 1) % size, any_aint[0], any_int[1],
            any_pointer[0]); /* onesided.c:149 */
    MPI_Win_fence(0, win[0]); /* onesided.c:152 */
    MPI_Win_free(&win[0]); /* onesided.c:153 */
    heap[0] = arena();
    MPI_Comm_free(&comm[0]); /* onesided.c:154 */
}

static void use_dynamic(void)
{
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]); /* onesided.c:163 */
    MPI_Win_attach(win[0], heap[0], 64); /* onesided.c:164 */
    MPI_Get_address(heap[0] + 12, any_aint[0]); /* onesided.c:165 */
    MPI_Sendrecv(stack[6], 1, MPI_AINT, (rank + size - 1) % size, 0, stack[0], 1, MPI_AINT,
            (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* onesided.c:166 */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (rank + 1) % size, 0, win[0]); /* onesided.c:167 */
    /* MPI_Put is left out: its displacement is an address of the recorded run */
    MPI_Win_unlock((rank + 1) % size, win[0]); /* onesided.c:169 */
    MPI_Barrier(MPI_COMM_WORLD); /* onesided.c:170 */
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win[0]); /* onesided.c:171 */
    MPI_Win_unlock(rank, win[0]); /* onesided.c:173 */
    MPI_Barrier(MPI_COMM_WORLD); /* onesided.c:174 */
    MPI_Win_detach(win[0], heap[0]); /* onesided.c:175 */
    MPI_Win_free(&win[0]); /* onesided.c:176 */
}

static void use_queries(void)
{
    MPI_Alloc_mem(64, MPI_INFO_NULL, any_pointer[0]); /* onesided.c:190 */
    heap[0] = (char *)any_pointer[0][0] - 16;
    MPI_Win_create(heap[0] + 16, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]); /* onesided.c:191 */
    MPI_Win_set_name(win[0], "text-121d29"); /* onesided.c:192 */
    MPI_Win_get_name(win[0], any_text, any_int[0]); /* onesided.c:193 */
    MPI_Win_get_attr(win[0], MPI_WIN_BASE, any_pointer[0], any_int[1]); /* onesided.c:195 */
    MPI_Win_get_attr(win[0], MPI_WIN_SIZE, any_pointer[0], any_int[1]); /* onesided.c:197 */
    MPI_Win_get_attr(win[0], MPI_WIN_DISP_UNIT, any_pointer[0], any_int[1]); /* onesided.c:199 */
    MPI_Win_get_attr(win[0], MPI_WIN_CREATE_FLAVOR, any_pointer[0], any_int[1]); /* onesided.c:201 */
    MPI_Win_get_attr(win[0], MPI_WIN_MODEL, any_pointer[0], any_int[1]); /* onesided.c:203 */
    MPI_Comm_group(MPI_COMM_WORLD, &group[0]); /* onesided.c:205 */
    MPI_Win_get_group(win[0], &group[1]); /* onesided.c:206 */
    MPI_Group_compare(group[0], group[1], any_int[0]); /* onesided.c:207 */
    MPI_Win_get_info(win[0], &info[0]); /* onesided.c:209 */
    MPI_Win_set_info(win[0], info[0]); /* onesided.c:210 */
    MPI_Info_free(&info[0]); /* onesided.c:211 */
    MPI_Group_free(&group[1]); /* onesided.c:212 */
    MPI_Group_free(&group[0]); /* onesided.c:213 */
    MPI_Win_free(&win[0]); /* onesided.c:214 */
    MPI_Free_mem(heap[0] + 16); /* onesided.c:215 */
    heap[0] = arena();
}

int main(int argc, char **argv)
{
    heap[0] = arena();
    data[0] = arena();
    for (int b = 0; b < 7; b++)
        stack[b] = arena();
    for (size_t r = 0; r < sizeof request / sizeof *request; r++)
        request[r] = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv); /* onesided.c:219 */
    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* onesided.c:220 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* onesided.c:221 */
    use_fence(); /* onesided.c:224 */
    use_locks(); /* onesided.c:225 */
    use_requests(); /* onesided.c:226 */
    use_groups(); /* onesided.c:227 */
    use_shared(); /* onesided.c:228 */
    use_dynamic(); /* onesided.c:229 */
    use_queries(); /* onesided.c:230 */
    MPI_Allreduce(MPI_IN_PLACE, data[0] + 25100, 1, MPI_INT, MPI_SUM,
            MPI_COMM_WORLD); /* onesided.c:232 */
    MPI_Finalize(); /* onesided.c:235 */
    return 0;
}
