/* subcomms: communicators made in every way, and collectives on each.
 *
 * Exercises: MPI_Comm_split, split_type, dup, dup_with_info, idup, create, create_group, compare;
 * intercommunicators by Intercomm_create with remote size and group, collectives on them with MPI_ROOT and
 * MPI_PROC_NULL roots, and their merge; ranks that are left out and get MPI_COMM_NULL.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int world_rank, world_size, failures;

static void expect(int holds, const char *what) {
    if (holds)
        return;
    failures++;
    fprintf(stderr, "subcomms: rank %d: %s\n", world_rank, what);
}

/* The sum of the world ranks of all members. */
static int rank_sum(MPI_Comm comm) {
    int sum;

    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

/* Rows of two ranks, in reversed order; a last odd rank stays out. */
static void use_split(void) {
    const int color = world_rank / 2 * 2 + 1 < world_size ? world_rank / 2 : MPI_UNDEFINED;
    MPI_Comm row;
    int rank;

    MPI_Comm_split(MPI_COMM_WORLD, color, -world_rank, &row);
    expect((row == MPI_COMM_NULL) == (color == MPI_UNDEFINED), "split gave a null communicator to the wrong rank");
    if (row != MPI_COMM_NULL) {
        MPI_Comm_rank(row, &rank);
        expect(rank == 1 - world_rank % 2, "split ignored the key");
        expect(rank_sum(row) == 4 * color + 1, "sum over a row");
        MPI_Comm_free(&row);
    }

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &row);
    expect(rank_sum(row) >= world_rank, "sum over a node");
    MPI_Comm_free(&row);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &row);
    expect(row == MPI_COMM_NULL, "split_type with MPI_UNDEFINED");
}

static void use_dup(void) {
    const int all = world_size * (world_size - 1) / 2;
    MPI_Comm copies[3];
    MPI_Request requests[2];
    int result;

    MPI_Comm_dup(MPI_COMM_WORLD, &copies[0]);
    MPI_Comm_idup(copies[0], &copies[1], &requests[0]);
#if MPI_VERSION >= 4
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copies[2], &requests[1]);
#else
    MPI_Comm_idup(MPI_COMM_WORLD, &copies[2], &requests[1]);
#endif
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_compare(MPI_COMM_WORLD, copies[i], &result);
        expect(result == MPI_CONGRUENT, "a copy is not congruent");
        expect(rank_sum(copies[i]) == all, "sum over a copy");
    }
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&copies[i]);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copies[0]);
    expect(rank_sum(copies[0]) == all, "sum over a copy with info");
    MPI_Comm_free(&copies[0]);
}

/* The even ranks: once with everybody calling, once with only the members calling. */
static void use_groups(void) {
    MPI_Group world, even;
    MPI_Comm created = MPI_COMM_NULL, grouped = MPI_COMM_NULL;
    int range[1][3] = {{0, (world_size - 1) / 2 * 2, 2}};
    const int members = (world_size + 1) / 2;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &even);
    MPI_Comm_create(MPI_COMM_WORLD, even, &created);
    expect((created == MPI_COMM_NULL) == (world_rank % 2 == 1), "create and its members");
    if (world_rank % 2 == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, even, 5, &grouped);
        expect(rank_sum(created) == members * (members - 1), "sum over the even ranks");
        expect(rank_sum(grouped) == members * (members - 1), "sum over the even ranks by create_group");
        MPI_Comm_free(&created);
        MPI_Comm_free(&grouped);
    }
    MPI_Group_free(&even);
    MPI_Group_free(&world);
}

/* Collectives between the two sides of INTER. Side 0 holds local rank 0 with world rank 0. */
static void use_intercollectives(MPI_Comm inter, int side) {
    int value = 1000 * side, got = -1, sum = 0, local_rank, local_size, remote_size, root;
    int *gathered;

    MPI_Comm_rank(inter, &local_rank);
    MPI_Comm_size(inter, &local_size);
    MPI_Comm_remote_size(inter, &remote_size);
    gathered = calloc((size_t)remote_size, sizeof *gathered);

    /* Side 0's first rank sends to all of side 1. */
    if (side == 0) {
        value = 42;
        MPI_Bcast(&value, 1, MPI_INT, local_rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
        MPI_Gather(NULL, 0, MPI_INT, gathered, 1, MPI_INT, local_rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
        for (int i = 0; i < remote_size && local_rank == 0; i++)
            expect(gathered[i] == 7 * i, "gather from the other side");
    } else {
        MPI_Bcast(&value, 1, MPI_INT, 0, inter);
        expect(value == 42, "broadcast from the other side");
        value = 7 * local_rank;
        MPI_Gather(&value, 1, MPI_INT, NULL, 0, MPI_INT, 0, inter);
    }

    /* Each side gets the sum, and the values, of the other. */
    MPI_Allreduce(&local_size, &sum, 1, MPI_INT, MPI_SUM, inter);
    expect(sum == remote_size * remote_size, "allreduce gives the sum of the other side");
    MPI_Allgather(&side, 1, MPI_INT, gathered, 1, MPI_INT, inter);
    for (int i = 0; i < remote_size; i++)
        expect(gathered[i] == 1 - side, "allgather from the other side");
    MPI_Barrier(inter);
    /* To the last rank of side 1: there the root is MPI_ROOT, on side 0 it is a rank of side 1. */
    if (side == 0)
        root = remote_size - 1;
    else
        root = local_rank == local_size - 1 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Reduce(&local_size, &got, 1, MPI_INT, MPI_MAX, root, inter);
    expect(side == 0 || root != MPI_ROOT || got == remote_size, "reduce to the other side");
    free(gathered);
}

static void use_intercommunicator(void) {
    const int side = world_rank % 2;
    MPI_Comm local, inter, copy, merged;
    MPI_Group remote;
    int flag, remote_size, group_size, rank, other = -1;

    MPI_Comm_split(MPI_COMM_WORLD, side, world_rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - side, 77, &inter);
    MPI_Comm_test_inter(inter, &flag);
    MPI_Comm_remote_size(inter, &remote_size);
    MPI_Comm_remote_group(inter, &remote);
    MPI_Group_size(remote, &group_size);
    expect(flag && remote_size == group_size, "size of the other side");
    expect(remote_size == (side == 0 ? world_size / 2 : (world_size + 1) / 2), "who is on the other side");
    MPI_Group_free(&remote);

    MPI_Comm_rank(inter, &rank);
    if (rank < remote_size) { /* point to point: the same rank opposite */
        MPI_Sendrecv(&world_rank, 1, MPI_INT, rank, 3, &other, 1, MPI_INT, rank, 3, inter, MPI_STATUS_IGNORE);
        expect(other == (side == 0 ? world_rank + 1 : world_rank - 1), "message from the other side");
    }
    MPI_Comm_dup(inter, &copy);
    use_intercollectives(inter, side);
    use_intercollectives(copy, side);
    MPI_Comm_free(&copy);

    /* The odd ranks come first in the merged communicator. */
    MPI_Intercomm_merge(inter, side == 0, &merged);
    MPI_Comm_rank(merged, &rank);
    expect(rank == (side == 0 ? world_size / 2 : 0) + world_rank / 2, "rank after the merge");
    expect(rank_sum(merged) == world_size * (world_size - 1) / 2, "sum over the merged communicator");
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    use_split();
    use_dup();
    use_groups();
    if (world_size > 1)
        use_intercommunicator();
    use_split(); /* again, when freed handles are free to be reused */

    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("subcomms: %d ranks, %d failures\n", world_size, failures);
    MPI_Finalize();
    return failures != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
