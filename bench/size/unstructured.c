/* unstructured: a solver on an unstructured mesh: each rank has neighbours and message lengths of its own.
 *
 * The mesh is a formula: two ranks are neighbours if a hash of their numbers says so; ranks next to each other
 * always are. A step multiplies by a matrix on two levels of different density, and sums twice. The fine level uses
 * persistent requests.
 *
 * usage: unstructured [steps, default 40]
 */
#include "common.h"

enum { LENGTH_MAX = 64, TAG_FINE = 1, TAG_COARSE, DEGREE_FINE = 5, DEGREE_COARSE = 2 };

/* One level of the mesh as one rank sees it. */
struct level {
    int count, tag;
    int *peer, *length; /* by neighbour */
    int *in, *out;      /* LENGTH_MAX numbers for each */
    MPI_Request *requests;
};

static struct level level_make(int degree, int tag)
{
    struct level level = {.tag = tag, .peer = numbers(size), .length = numbers(size)};

    for (int other = 0; other < size; other++) {
        const unsigned chance = mixed((unsigned)rank, (unsigned)other) + (unsigned)tag;

        if (other == rank || (abs(other - rank) > 1 && chance % (unsigned)size >= (unsigned)degree))
            continue;
        level.peer[level.count] = other;
        level.length[level.count++] = 1 + (int)(chance / 64 % LENGTH_MAX);
    }
    level.in = numbers(level.count * LENGTH_MAX + 1);
    level.out = numbers(level.count * LENGTH_MAX + 1);
    level.requests = malloc((size_t)(2 * level.count + 1) * sizeof *level.requests);
    if (level.requests == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return level;
}

static void level_free(struct level *level)
{
    free(level->peer);
    free(level->length);
    free(level->in);
    free(level->out);
    free(level->requests);
}

static void persistent_make(struct level *level)
{
    for (int i = 0; i < level->count; i++) {
        MPI_Recv_init(level->in + i * LENGTH_MAX, level->length[i], MPI_INT, level->peer[i], level->tag, MPI_COMM_WORLD,
                      &level->requests[i]);
        MPI_Send_init(level->out + i * LENGTH_MAX, level->length[i], MPI_INT, level->peer[i], level->tag,
                      MPI_COMM_WORLD, &level->requests[level->count + i]);
    }
}

static void level_fill(struct level *level, int step)
{
    for (int i = 0; i < level->count; i++)
        fill(level->out + i * LENGTH_MAX, level->length[i], step, level->tag);
}

static void level_check(const struct level *level, int step)
{
    for (int i = 0; i < level->count; i++)
        check(level->in + i * LENGTH_MAX, level->length[i], level->peer[i], step, level->tag);
}

static void fine_multiply(struct level *fine, int step)
{
    level_fill(fine, step);
    MPI_Startall(2 * fine->count, fine->requests);
    MPI_Waitall(2 * fine->count, fine->requests, MPI_STATUSES_IGNORE);
    level_check(fine, step);
}

static void coarse_multiply(struct level *coarse, int step)
{
    level_fill(coarse, step);
    for (int i = 0; i < coarse->count; i++)
        MPI_Irecv(coarse->in + i * LENGTH_MAX, coarse->length[i], MPI_INT, coarse->peer[i], coarse->tag, MPI_COMM_WORLD,
                  &coarse->requests[i]);
    for (int i = 0; i < coarse->count; i++)
        MPI_Send(coarse->out + i * LENGTH_MAX, coarse->length[i], MPI_INT, coarse->peer[i], coarse->tag,
                 MPI_COMM_WORLD);
    for (int i = 0; i < coarse->count; i++)
        MPI_Wait(&coarse->requests[i], MPI_STATUS_IGNORE);
    level_check(coarse, step);
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 40);
    struct level fine = level_make(DEGREE_FINE, TAG_FINE), coarse = level_make(DEGREE_COARSE, TAG_COARSE);

    persistent_make(&fine);
    for (int step = 0; step < steps; step++) {
        const double own = 1.0;
        double sum;

        fine_multiply(&fine, step);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        expect((int)sum, size);
        for (int i = 0; i < 2; i++)
            coarse_multiply(&coarse, step);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        expect((int)sum, size);
    }
    for (int i = 0; i < 2 * fine.count; i++)
        MPI_Request_free(&fine.requests[i]);
    level_free(&fine);
    level_free(&coarse);
    return end("unstructured", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
