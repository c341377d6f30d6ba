/* groups: all functions on groups.
 *
 * Exercises: group, size, rank, compare, union, intersection, difference, incl, excl, range_incl, range_excl,
 * translate_ranks, free; the empty group, groups that a communicator, a window or an intercommunicator gives;
 * handles that MPI gives out twice for one group; processes that are in no group of theirs (MPI_UNDEFINED).
 */
#include "expect.h"

enum { RANKS_MAX = 64 };

static int world_rank, world_size;

static int group_size(MPI_Group group)
{
    int size = -1;

    MPI_Group_size(group, &size);
    return size;
}

static int group_rank(MPI_Group group)
{
    int rank = -1;

    MPI_Group_rank(group, &rank);
    return rank;
}

static int group_compare(MPI_Group one, MPI_Group other)
{
    int result = -1;

    MPI_Group_compare(one, other, &result);
    return result;
}

static void check_choice(MPI_Group world)
{
    int list[RANKS_MAX], reversed[1][3] = {{world_size - 1, 0, -1}}, even[1][3] = {{0, world_size - 1, 2}};
    const int evens = (world_size + 1) / 2;
    MPI_Group included, excluded, by_range, without_range, mirror;

    for (int i = 0; i < evens; i++)
        list[i] = 2 * i;
    MPI_Group_incl(world, evens, list, &included);
    MPI_Group_excl(world, evens, list, &excluded);
    MPI_Group_range_incl(world, 1, even, &by_range);
    MPI_Group_range_excl(world, 1, even, &without_range);
    MPI_Group_range_incl(world, 1, reversed, &mirror);
    EXPECT(group_size(included) == evens && group_size(excluded) == world_size - evens);
    EXPECT(group_compare(included, by_range) == MPI_IDENT);
    EXPECT(group_compare(excluded, without_range) == MPI_IDENT);
    EXPECT(group_rank(included) == (world_rank % 2 ? MPI_UNDEFINED : world_rank / 2));
    EXPECT(group_rank(excluded) == (world_rank % 2 ? world_rank / 2 : MPI_UNDEFINED));
    EXPECT(group_compare(world, mirror) == (world_size == 1 ? MPI_IDENT : MPI_SIMILAR));
    EXPECT(group_rank(mirror) == world_size - 1 - world_rank);
    EXPECT(group_compare(included, excluded) == MPI_UNEQUAL);
    MPI_Group_free(&included);
    MPI_Group_free(&excluded);
    MPI_Group_free(&by_range);
    MPI_Group_free(&without_range);
    MPI_Group_free(&mirror);
    EXPECT(mirror == MPI_GROUP_NULL);
}

static void check_sets(MPI_Group world)
{
    const int first[1] = {0};
    MPI_Group one, rest, all, none, common;

    MPI_Group_incl(world, 1, first, &one);
    MPI_Group_difference(world, one, &rest);
    MPI_Group_union(one, rest, &all);
    MPI_Group_intersection(one, rest, &none);
    MPI_Group_intersection(world, one, &common);
    EXPECT(group_size(rest) == world_size - 1);
    EXPECT(group_compare(all, world) == MPI_IDENT);
    EXPECT(group_size(none) == 0 && group_compare(none, MPI_GROUP_EMPTY) == MPI_IDENT);
    EXPECT(group_compare(common, one) == MPI_IDENT);
    MPI_Group_free(&one);
    if (rest != MPI_GROUP_EMPTY)
        MPI_Group_free(&rest);
    MPI_Group_free(&all);
    MPI_Group_free(&common);
    /* A result that is empty is the predefined empty group itself, or equal to it. */
    if (none != MPI_GROUP_EMPTY)
        MPI_Group_free(&none);
}

static void check_translation(MPI_Group world)
{
    int from[RANKS_MAX], to[RANKS_MAX], reversed[1][3] = {{world_size - 1, 0, -1}};
    const int first[1] = {0};
    MPI_Group mirror, one;

    MPI_Group_range_incl(world, 1, reversed, &mirror);
    MPI_Group_incl(world, 1, first, &one);
    for (int i = 0; i < world_size; i++)
        from[i] = i;
    MPI_Group_translate_ranks(world, world_size, from, mirror, to);
    for (int i = 0; i < world_size; i++)
        EXPECT(to[i] == world_size - 1 - i);
    MPI_Group_translate_ranks(world, world_size, from, one, to);
    for (int i = 0; i < world_size; i++)
        EXPECT(to[i] == (i == 0 ? 0 : MPI_UNDEFINED));
    from[0] = MPI_PROC_NULL;
    MPI_Group_translate_ranks(world, 1, from, mirror, to);
    EXPECT(to[0] == MPI_PROC_NULL);
    MPI_Group_translate_ranks(world, 0, NULL, mirror, NULL);
    MPI_Group_free(&mirror);
    MPI_Group_free(&one);
}

/* The group of one communicator, asked for several times: MPICH gives the same handle each time, with a
 * count. */
static void check_handles(void)
{
    MPI_Group groups[5];
    MPI_Comm copy;

    for (int i = 0; i < 3; i++)
        MPI_Comm_group(MPI_COMM_WORLD, &groups[i]);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_group(copy, &groups[3]);
    MPI_Comm_free(&copy);
    MPI_Comm_group(MPI_COMM_SELF, &groups[4]);
    EXPECT(group_size(groups[4]) == 1 && group_rank(groups[4]) == 0);
    for (int i = 0; i < 4; i++) {
        EXPECT(group_size(groups[i]) == world_size); /* still alive, though its fellows were freed */
        MPI_Group_free(&groups[i]);
    }
    MPI_Group_free(&groups[4]);
}

int main(int argc, char **argv)
{
    MPI_Group world, other;
    MPI_Comm comm;
    int verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    EXPECT(group_size(MPI_GROUP_EMPTY) == 0 && group_rank(MPI_GROUP_EMPTY) == MPI_UNDEFINED);
    for (int round = 0; round < 3; round++) {
        check_choice(world);
        check_sets(world);
        check_translation(world);
        check_handles();
    }

    MPI_Comm_create(MPI_COMM_WORLD, world, &comm);
    MPI_Comm_group(comm, &other);
    EXPECT(group_compare(world, other) == MPI_IDENT);
    MPI_Group_free(&other);
    MPI_Comm_free(&comm);
    MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm);
    EXPECT(comm == MPI_COMM_NULL);
    MPI_Group_free(&world);

    verdict = expect_verdict("groups", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
