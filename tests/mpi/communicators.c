/* communicators: every way to make one. The processes of each agree, by messages over it, on a number that no other
 * processes have. tests/communicators compares what the trace says of identity with these numbers.
 *
 *     communicators            makes them
 *     communicators ROUNDS     only so many times dup and free
 *     communicators show       makes them, and writes a line for each to the file made.RANK */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static int world_rank, world_size, made;
static FILE *file; /* NULL: shows nothing */

/* A number for COMM that its processes share, and nobody else uses. */
static long agree(MPI_Comm comm, int inter)
{
    long mine = 100000L * (world_rank + 1) + made, ours = 0, theirs = 0;

    if (!inter) {
        MPI_Bcast(&mine, 1, MPI_LONG, 0, comm);
        return mine;
    }
    MPI_Allreduce(&mine, &theirs, 1, MPI_LONG, MPI_MAX, comm); /* the greatest of the other side */
    MPI_Allreduce(&theirs, &ours, 1, MPI_LONG, MPI_MAX, comm);
    return ours < theirs ? 1000000000L * ours + theirs : 1000000000L * theirs + ours;
}

/* A line for the communicator that this process made now. */
static void show(const char *how, MPI_Comm comm)
{
    int size, rank, remote = 0, inter;
    long number;

    made++;
    if (comm == MPI_COMM_NULL) {
        if (file)
            fprintf(file, "%s null\n", how);
        return;
    }
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &remote);
    number = agree(comm, inter);
    if (file)
        fprintf(file, "%s %d %d %d %ld\n", how, size, rank, remote, number);
}

static void drop(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        MPI_Comm_free(comm);
}

static void use_copies(MPI_Comm parent)
{
    MPI_Comm copy, copies[2];
    MPI_Request requests[2];

    MPI_Comm_dup(parent, &copy);
    show("dup", copy);
    MPI_Comm_idup(copy, &copies[0], &requests[0]);
    MPI_Comm_idup(parent, &copies[1], &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    show("idup", copies[0]);
    show("idup", copies[1]);
    drop(&copies[0]);
    MPI_Comm_dup_with_info(copies[1], MPI_INFO_NULL, &copies[0]);
    show("dup_with_info", copies[0]);
    drop(&copies[0]);
    drop(&copies[1]);
    drop(&copy);
#if MPI_VERSION >= 4
    MPI_Comm_idup_with_info(parent, MPI_INFO_NULL, &copy, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    show("idup_with_info", copy);
    drop(&copy);
#endif
}

static void use_parts(void)
{
    MPI_Comm part, sub;
    MPI_Group world, group;
    int range[1][3] = {{0, world_size - 1, 2}}, two[2] = {0, world_size - 1};

    for (int round = 0; round < 3; round++) { /* the same parent, other members each time */
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % (round + 1), -world_rank, &part);
        show("split", part);
        MPI_Comm_split(part, world_rank < 2 ? 0 : MPI_UNDEFINED, 0, &sub);
        show("split_undefined", sub);
        drop(&sub);
        drop(&part);
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
    show("split_type", part);
    drop(&part);
#if MPI_VERSION >= 4
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part);
    show("split_type_hw", part);
    drop(&part);
#endif
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &part);
    show("create", part);
    drop(&part);
    for (int round = 0; world_rank % 2 == 0 && round < 2; round++) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, round, &part);
        show("create_group", part);
        drop(&part);
    }
    MPI_Group_free(&group);
    /* Rank 0 has made more of these than the last rank: what is counted is those of equal members. */
    if (world_size > 1 && (world_rank == 0 || world_rank == world_size - 1)) {
        MPI_Group_incl(world, 2, two, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &part);
        show("create_group", part);
        drop(&part);
        MPI_Group_free(&group);
    }
    MPI_Group_free(&world);
}

static void use_topologies(void)
{
    MPI_Comm comm, row;
    int dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {0, 1}, next = (world_rank + 1) % world_size;
    int *index = malloc((size_t)world_size * sizeof *index), *edges = malloc((size_t)world_size * sizeof *edges);

    MPI_Dims_create(world_size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    show("cart", comm);
    MPI_Cart_sub(comm, keep, &row);
    show("cart_sub", row);
    use_copies(row);
    drop(&row);
    drop(&comm);
    for (int i = 0; i < world_size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % world_size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, world_size, index, edges, 0, &comm);
    show("graph", comm);
    drop(&comm);
    free(index);
    free(edges);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm);
    show("dist_graph_adjacent", comm);
    drop(&comm);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &world_rank, (int[]){1}, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    show("dist_graph", comm);
    drop(&comm);
}

static void use_bridges(void)
{
    MPI_Comm half, bridge, copy, merged, part;
    int upper = world_rank >= world_size / 2;

    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half);
    show("half", half);
    for (int round = 0; round < 2; round++) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : world_size / 2, 7, &bridge);
        show("intercomm", bridge);
        MPI_Comm_dup(bridge, &copy);
        show("dup_inter", copy);
        drop(&copy);
        MPI_Intercomm_merge(bridge, upper, &merged);
        show("merge", merged);
        drop(&merged);
        if (world_size >= 4) { /* MPICH 4.0.2 hangs where a part has an empty side */
            MPI_Comm_split(bridge, world_rank % 2, 0, &part);
            show("split_inter", part);
            drop(&part);
        }
        drop(&bridge);
    }
    drop(&half);
}

#if MPI_VERSION >= 4
static void use_sessions(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    for (int round = 0; round < 2; round++) {
        MPI_Comm_create_from_group(group, round ? "b" : "a", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        show("from_group", comm);
        drop(&comm);
    }
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}
#endif

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 0, verdict;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (argc > 1 && !strcmp(argv[1], "show")) {
        char name[32];

        snprintf(name, sizeof name, "made.%d", world_rank);
        file = fopen(name, "w");
        EXPECT(file != NULL);
    }
    for (int i = 0; i < rounds; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    }
    if (!rounds) {
        use_copies(MPI_COMM_WORLD);
        use_copies(MPI_COMM_SELF);
        use_parts();
        use_topologies();
        use_bridges();
#if MPI_VERSION >= 4
        use_sessions();
#endif
    }
    if (file)
        fclose(file);
    verdict = expect_verdict("communicators", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
