/* roles: a coupled model: ranks of three kinds, each with a program of its own, that meet every few steps.
 *
 * Half of the ranks are an atmosphere (a ring, a short step), most others an ocean (a chain, a step three times as
 * long), and one rank in eight keeps what its clients send. The models meet over an intercommunicator; each rank of the
 * smaller one serves several of the larger.
 *
 * usage: roles [steps of the ocean, default 30]
 */
#include "common.h"

enum role { ATMOSPHERE, OCEAN, KEEPER };
enum { RATIO = 3, CELLS = 30, COUPLING = 5, OUTPUT = 6, TAG_RING = 1, TAG_CHAIN, TAG_FLUX, TAG_OUTPUT };

static enum role role;
static MPI_Comm model;     /* ranks of the same role */
static MPI_Comm coupled;   /* to the other model; keepers have none */
static int place, members; /* in the model */
static int in[CELLS], out[CELLS];

static enum role role_of(int of)
{
    if (of % 8 == 7)
        return KEEPER;
    return of % 2 ? OCEAN : ATMOSPHERE;
}

/* Returns the rank in MPI_COMM_WORLD of member AT of those with role WHICH. */
static int member(enum role which, int at)
{
    for (int of = 0;; of++)
        if (role_of(of) == which && at-- == 0)
            return of;
}

static void atmosphere_step(int step)
{
    const int next = (place + 1) % members, last = (place + members - 1) % members;

    fill(out, CELLS, step, TAG_RING);
    MPI_Sendrecv(out, CELLS, MPI_INT, next, TAG_RING, in, CELLS, MPI_INT, last, TAG_RING, model, MPI_STATUS_IGNORE);
    check(in, CELLS, member(ATMOSPHERE, last), step, TAG_RING);
}

static void ocean_step(int step)
{
    const int one = 1;
    int all;

    if (place > 0) {
        MPI_Recv(in, CELLS / 2, MPI_INT, place - 1, TAG_CHAIN, model, MPI_STATUS_IGNORE);
        check(in, CELLS / 2, member(OCEAN, place - 1), step, TAG_CHAIN);
    }
    fill(out, CELLS / 2, step, TAG_CHAIN);
    if (place + 1 < members)
        MPI_Send(out, CELLS / 2, MPI_INT, place + 1, TAG_CHAIN, model);
    for (int i = 0; i < 4; i++) { /* the surface, solved by itself */
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, model);
        expect(all, members);
    }
}

/* Each rank of the atmosphere sends to one of the ocean, and gets an answer. */
static void couple(int step)
{
    int others;

    if (coupled == MPI_COMM_NULL)
        return;
    MPI_Comm_remote_size(coupled, &others);
    if (role == ATMOSPHERE) {
        fill(out, CELLS, step, TAG_FLUX);
        MPI_Send(out, CELLS, MPI_INT, place % others, TAG_FLUX, coupled);
        MPI_Recv(in, CELLS, MPI_INT, place % others, TAG_FLUX, coupled, MPI_STATUS_IGNORE);
        check(in, CELLS, member(OCEAN, place % others), step, TAG_FLUX);
    } else
        for (int other = place; other < others; other += members) {
            MPI_Recv(in, CELLS, MPI_INT, other, TAG_FLUX, coupled, MPI_STATUS_IGNORE);
            check(in, CELLS, member(ATMOSPHERE, other), step, TAG_FLUX);
            fill(out, CELLS, step, TAG_FLUX);
            MPI_Send(out, CELLS, MPI_INT, other, TAG_FLUX, coupled);
        }
}

/* The clients of keeper k are the models' ranks from 8k to 8k + 6. */
static void output(int step)
{
    const int keeper = rank / 8 * 8 + 7;

    if (role == KEEPER)
        for (int client = rank - 7; client < rank; client++) {
            MPI_Recv(in, 8 + client % 8, MPI_INT, client, TAG_OUTPUT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(in, 8 + client % 8, client, step, TAG_OUTPUT);
        }
    else if (keeper < size) {
        fill(out, 8 + rank % 8, step, TAG_OUTPUT);
        MPI_Send(out, 8 + rank % 8, MPI_INT, keeper, TAG_OUTPUT, MPI_COMM_WORLD);
    }
    if (role == KEEPER)
        MPI_Barrier(model);
}

static void step_all(int step)
{
    if (role == ATMOSPHERE)
        for (int i = 0; i < RATIO; i++)
            atmosphere_step(step);
    else if (role == OCEAN)
        ocean_step(step);
    if (step % COUPLING == 0)
        couple(step);
    if (step % OUTPUT == OUTPUT - 1)
        output(step);
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 30);

    role = role_of(rank);
    MPI_Comm_split(MPI_COMM_WORLD, (int)role, rank, &model);
    MPI_Comm_rank(model, &place);
    MPI_Comm_size(model, &members);
    coupled = MPI_COMM_NULL;
    if (role != KEEPER && size > 1)
        MPI_Intercomm_create(model, 0, MPI_COMM_WORLD, role == OCEAN ? 0 : 1, TAG_FLUX, &coupled);
    for (int step = 0; step < steps; step++)
        step_all(step);
    if (coupled != MPI_COMM_NULL)
        MPI_Comm_free(&coupled);
    MPI_Comm_free(&model);
    return end("roles", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
