/* spawn: processes that start processes.
 *
 *     spawn [ROUNDS]
 *
 * Exercises: MPI_Comm_spawn (of this program, with arguments), MPI_Comm_spawn_multiple, MPI_Comm_get_parent, messages
 * and collectives over the inter-communicator, MPI_Intercomm_merge, children that spawn a child, MPI_Comm_disconnect.
 * Children are a world of their own, and so have a trace of their own; all worlds end at about the same time.
 */
#include "expect.h"

#include <string.h>

static int world_rank, world_size;

/* What both sides do with their inter-communicator. */
static void together(MPI_Comm between, int is_child)
{
    int rank, size, remote, sum = 0, in = -1, out = world_rank + 100 * is_child;
    MPI_Comm all;

    MPI_Comm_remote_size(between, &remote);
    MPI_Comm_rank(between, &rank);
    if (rank == 0) {
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 5, &in, 1, MPI_INT, 0, 5, between, MPI_STATUS_IGNORE);
        EXPECT(in == (is_child ? 0 : 100));
    }
    MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, between);
    EXPECT(sum == remote * (remote - 1) / 2 + (is_child ? 0 : 100 * remote));
    MPI_Intercomm_merge(between, is_child, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    EXPECT(size == world_size + remote);
    EXPECT((rank >= remote) == is_child || remote != world_size);
    MPI_Bcast(&sum, 1, MPI_INT, size - 1, all);
    MPI_Barrier(all);
    MPI_Comm_free(&all);
}

/* Children of an only child, with the arguments ARGUMENTS. */
static void spawn(const char *program, char **arguments, int count, int root)
{
    MPI_Comm children;
    int codes[8];

    for (int i = 0; i < 8; i++)
        codes[i] = -1;
    MPI_Comm_spawn(program, arguments, count, MPI_INFO_NULL, root, MPI_COMM_WORLD, &children, codes);
    for (int i = 0; i < count && world_rank == root; i++)
        EXPECT(codes[i] == MPI_SUCCESS);
    together(children, 0);
    MPI_Comm_disconnect(&children);
}

/* Two kinds of children, one world. */
static void spawn_several(char *program)
{
    char child[] = "child", second[] = "second";
    char *first_arguments[] = {child, NULL}, *second_arguments[] = {child, second, NULL};
    char *programs[] = {program, program}, **arguments[] = {first_arguments, second_arguments};
    int counts[] = {1, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm children;

    MPI_Comm_spawn_multiple(2, programs, arguments, counts, infos, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    together(children, 0);
    MPI_Comm_disconnect(&children);
}

static void parent_main(char *program, int rounds)
{
    char child[] = "child", parent[] = "parent";
    char *arguments[] = {child, NULL}, *deeper[] = {child, parent, NULL};
    MPI_Comm none;

    MPI_Comm_get_parent(&none);
    EXPECT(none == MPI_COMM_NULL);
    for (int i = 0; i < rounds; i++)
        spawn(program, arguments, 2, world_size - 1);
    spawn(program, deeper, 1, 0);
    spawn_several(program);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    char child[] = "child";
    char *arguments[] = {child, NULL};
    const int is_child = argc > 1 && strcmp(argv[1], child) == 0;
    int verdict = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (is_child) {
        MPI_Comm_get_parent(&parent);
        EXPECT(parent != MPI_COMM_NULL);
        together(parent, 1);
        if (argc > 2 && strcmp(argv[2], "parent") == 0)
            spawn(argv[0], arguments, 1, 0);
        MPI_Comm_disconnect(&parent);
    } else {
        parent_main(argv[0], argc > 1 ? atoi(argv[1]) : 1);
        verdict = expect_verdict("spawn", MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return verdict | (expect_failures != 0);
}
/* SPDX-License-Identifier: BSD-3-Clause */
