/* loops: nested loops whose trip counts vary, the hard case for a grammar that folds loops.
 *
 * Exercises: an inner loop that is longer every time (1, 2, 3, ... trips), one that alternates, one whose
 * length only a table knows, loops of loops, a recursion that halves, and the same call from several places;
 * counts and tags that grow, shrink and repeat.
 *
 * usage: loops [outer iterations, default 12]
 */
#include "expect.h"

static int world_rank, world_size, next, previous;

/* Sends COUNT integers round the ring and checks what comes in. */
static void pass_on(int count, int tag)
{
    static int out[64], in[64];
    MPI_Status status;
    int got;

    for (int i = 0; i < count; i++)
        out[i] = world_rank * 1000 + tag + i;
    MPI_Sendrecv(out, count, MPI_INT, next, tag, in, 64, MPI_INT, previous, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    EXPECT(got == count);
    for (int i = 0; i < count; i++)
        EXPECT(in[i] == previous * 1000 + tag + i);
}

static void loop_growing(int outer)
{
    for (int i = 1; i <= outer; i++) {
        for (int j = 0; j < i; j++)
            pass_on(1, 7);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void loop_alternating(int outer)
{
    for (int i = 0; i < outer; i++) {
        const int trips = i % 2 ? 3 : 5;

        for (int j = 0; j < trips; j++)
            pass_on(j + 1, 100 + j);
        pass_on(2, 9);
    }
}

/* Trip counts without a pattern, the same for every rank and every run. */
static void loop_irregular(int outer)
{
    static const int trips[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9};

    for (int i = 0; i < outer; i++) {
        const int length = trips[i % (int)(sizeof trips / sizeof trips[0])];

        for (int j = 0; j < length; j++)
            pass_on(length, i);
    }
}

static void loop_triple(int outer)
{
    for (int i = 0; i < outer / 3; i++)
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 2 + j; k++)
                pass_on(1 + k, 20 + j);
            for (int k = 0; k < 2; k++)
                MPI_Barrier(MPI_COMM_WORLD);
        }
}

/* A recursion like a multigrid cycle: down and up again, twice at every level. */
static void cycle(int level)
{
    int sum, one = 1;

    pass_on(1 << level, level);
    if (level > 0)
        for (int i = 0; i < 2; i++)
            cycle(level - 1);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(sum == world_size);
    pass_on(1 << level, level);
}

/* Each rank a number of its own of local calls, between calls that all make. */
static void loop_unequal(int outer)
{
    for (int i = 0; i < outer; i++) {
        for (int j = 0; j < (world_rank + i) % 4; j++)
            MPI_Sendrecv(&i, 1, MPI_INT, world_rank, j, &(int){0}, 1, MPI_INT, world_rank, j, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        pass_on(i % 60, 3 * i);
    }
}

int main(int argc, char **argv)
{
    const int outer = argc > 1 ? atoi(argv[1]) : 12;
    int verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    next = (world_rank + 1) % world_size;
    previous = (world_rank + world_size - 1) % world_size;
    loop_growing(outer);
    loop_alternating(outer);
    loop_irregular(outer);
    loop_triple(outer);
    cycle(4);
    loop_unequal(outer);
    verdict = expect_verdict("loops", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
