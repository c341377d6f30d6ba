/* onesided: remote memory access with every kind of window and of synchronisation.
 *
 * Exercises: windows by create, allocate, allocate_shared and create_dynamic (attach, detach); fence,
 * post-start-complete- wait, lock, lock_all, flush; Put, Get, Accumulate, Get_accumulate, Fetch_and_op,
 * Compare_and_swap; Rput, Rget, Raccumulate, Rget_accumulate; window groups, names and attributes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 16 };

static int world_rank, world_size, next, previous, failures;

static void expect(int holds, const char *what) {
    if (holds)
        return;
    failures++;
    fprintf(stderr, "onesided: rank %d: %s\n", world_rank, what);
}

/* Fences around puts, gets and sums; the window lies over memory of ours. */
static void use_fence(void) {
    int cells[CELLS] = {0}, got = -1;
    MPI_Win win;

    cells[1] = 10 * world_rank;
    MPI_Win_create(cells, sizeof cells, sizeof cells[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&world_rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Get(&got, 1, MPI_INT, next, 1, 1, MPI_INT, win);
    MPI_Accumulate(&world_rank, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win);
    MPI_Put(&world_rank, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    expect(cells[0] == previous, "put");
    expect(got == 10 * next, "get");
    expect(cells[2] == (world_rank == 0 ? world_size * (world_size - 1) / 2 : 0), "accumulate");
    MPI_Win_free(&win);
}

/* Passive target: a counter and a spin lock on rank 0. */
static void use_locks(void) {
    int *cells, one = 1, zero = 0, mine = -1, seen, sum;
    MPI_Win win;

    MPI_Win_allocate(CELLS * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &win);
    MPI_Win_set_name(win, "counters");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world_rank, 0, win);
    for (int i = 0; i < CELLS; i++)
        cells[i] = 0;
    MPI_Win_unlock(world_rank, win);
    MPI_Barrier(MPI_COMM_WORLD);

    /* Each rank draws a ticket; all tickets are different. */
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &mine, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Win_unlock(0, win);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == world_size * (world_size - 1) / 2, "fetch_and_op");

    /* Exactly one rank changes cell 1 from 0 to 1. */
    MPI_Win_lock_all(0, win);
    MPI_Compare_and_swap(&one, &zero, &seen, MPI_INT, 0, 1, win);
    MPI_Win_flush_all(win);
    MPI_Get_accumulate(&one, 1, MPI_INT, &mine, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_local(0, win);
    MPI_Win_unlock_all(win);
    MPI_Allreduce(&seen, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == world_size - 1, "compare_and_swap");
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == world_size * (world_size - 1) / 2, "get_accumulate");

    MPI_Win_lock(MPI_LOCK_SHARED, world_rank, MPI_MODE_NOCHECK, win);
    MPI_Win_sync(win);
    expect(world_rank != 0 || (cells[0] == world_size && cells[1] == 1 && cells[2] == world_size), "counters");
    MPI_Win_unlock(world_rank, win);
    MPI_Win_free(&win);
}

/* Request-based operations, completed by waiting for the requests. */
static void use_requests(void) {
    int cells[CELLS] = {0}, values[4] = {1, 2, 3, 4}, got[4] = {0}, old = -1;
    MPI_Request requests[4];
    MPI_Win win;

    MPI_Win_create(cells, sizeof cells, sizeof cells[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Rput(values, 4, MPI_INT, next, 0, 4, MPI_INT, win, &requests[0]);
    MPI_Raccumulate(values, 4, MPI_INT, next, 4, 4, MPI_INT, MPI_SUM, win, &requests[1]);
    MPI_Rget_accumulate(values, 1, MPI_INT, &old, 1, MPI_INT, next, 8, 1, MPI_INT, MPI_REPLACE, win, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rget(got, 4, MPI_INT, next, 0, 4, MPI_INT, win, &requests[3]);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    expect(got[0] == 1 && got[3] == 4, "rput and rget");
    expect(cells[4] == 1 && cells[7] == 4, "raccumulate");
    expect(old == 0 && cells[8] == 1, "rget_accumulate");
    MPI_Win_free(&win);
}

/* Post-start-complete-wait between neighbours in the ring. */
static void use_groups(void) {
    int cells[CELLS] = {0}, waited = 0;
    MPI_Group world, target, origin;
    MPI_Win win;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &next, &target);
    MPI_Group_incl(world, 1, &previous, &origin);
    MPI_Win_create(cells, sizeof cells, sizeof cells[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int round = 0; round < 4; round++) {
        const int value = 100 * world_rank + round;

        MPI_Win_post(origin, 0, win);
        MPI_Win_start(target, 0, win);
        MPI_Put(&value, 1, MPI_INT, next, round, 1, MPI_INT, win);
        MPI_Win_complete(win);
        if (round % 2)
            MPI_Win_wait(win);
        else
            for (waited = 0; !waited;)
                MPI_Win_test(win, &waited);
        expect(cells[round] == 100 * previous + round, "put between post and wait");
    }
    MPI_Win_free(&win);
    MPI_Group_free(&target);
    MPI_Group_free(&origin);
    MPI_Group_free(&world);
}

/* Ranks of one node look straight into each other's memory. */
static void use_shared(void) {
    MPI_Comm node;
    MPI_Win win;
    MPI_Aint bytes;
    int *mine, *theirs, node_rank, node_size, unit;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_size);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
    MPI_Win_fence(0, win);
    *mine = 7 + node_rank;
    MPI_Win_fence(0, win);
    MPI_Win_shared_query(win, (node_rank + 1) % node_size, &bytes, &unit, &theirs);
    expect(bytes >= (MPI_Aint)sizeof(int) && unit == sizeof(int), "shared_query");
    expect(*theirs == 7 + (node_rank + 1) % node_size, "a neighbour's memory");
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
}

/* Memory attached after the window was made; its address has to be told. */
static void use_dynamic(void) {
    int *cells = calloc(CELLS, sizeof *cells);
    MPI_Aint here, there;
    MPI_Win win;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, cells, CELLS * (MPI_Aint)sizeof *cells);
    MPI_Get_address(&cells[3], &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, previous, 0, &there, 1, MPI_AINT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
    MPI_Put(&world_rank, 1, MPI_INT, next, there, 1, MPI_INT, win);
    MPI_Win_unlock(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, win);
    expect(cells[3] == previous, "put into attached memory");
    MPI_Win_unlock(world_rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, cells);
    MPI_Win_free(&win);
    free(cells);
}

/* What a window tells about itself. */
static void use_queries(void) {
    char name[MPI_MAX_OBJECT_NAME];
    int *cells, *flavor, *model, *unit, flag, length, result;
    void *base;
    MPI_Aint *bytes;
    MPI_Group world, group;
    MPI_Info info;
    MPI_Win win;

    MPI_Alloc_mem(CELLS * (MPI_Aint)sizeof(int), MPI_INFO_NULL, &cells);
    MPI_Win_create(cells, CELLS * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "window of ints");
    MPI_Win_get_name(win, name, &length);
    expect(length == 14, "name");
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    expect(flag && base == cells, "base");
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    expect(flag && *bytes == CELLS * (MPI_Aint)sizeof(int), "bytes");
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
    expect(flag && *unit == sizeof(int), "unit");
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    expect(flag && *flavor == MPI_WIN_FLAVOR_CREATE, "flavor");
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
    expect(flag && (*model == MPI_WIN_UNIFIED || *model == MPI_WIN_SEPARATE), "model");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_get_group(win, &group);
    MPI_Group_compare(world, group, &result);
    expect(result == MPI_IDENT, "group");
    MPI_Win_get_info(win, &info);
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Free_mem(cells);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    next = (world_rank + 1) % world_size;
    previous = (world_rank + world_size - 1) % world_size;
    use_fence();
    use_locks();
    use_requests();
    use_groups();
    use_shared();
    use_dynamic();
    use_queries();

    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("onesided: %d ranks, %d failures\n", world_size, failures);
    MPI_Finalize();
    return failures != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
