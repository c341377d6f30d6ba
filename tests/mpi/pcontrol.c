/* pcontrol: tracing switched off and on again by MPI_Pcontrol, with objects that cross the gaps.
 *
 * Exercises: MPI_Pcontrol(0) ... MPI_Pcontrol(1): what lies between is not recorded. A request started while
 * on is completed while off and the other way round; a communicator and a datatype are made while off and
 * used, then freed, while on; persistent requests that are made, started or completed in a gap; a receive that is begun
 * in a gap on a communicator with the ranks in reverse, and completed behind it, where its status is recorded; levels
 * other than 0 and 1, repeated levels, extra arguments.
 */
#include "expect.h"

enum { TAG = 11 };

static int world_rank, world_size, next, previous;

static void exchange(MPI_Comm comm, int value)
{
    int in = -1;

    MPI_Sendrecv(&value, 1, MPI_INT, next, TAG, &in, 1, MPI_INT, previous, TAG, comm, MPI_STATUS_IGNORE);
    EXPECT(in == value);
}

/* One receive and one send, begun and ended under the given levels. */
static void cross(int level_begin, int level_end)
{
    MPI_Request requests[2];
    int in = -1;

    MPI_Pcontrol(level_begin);
    MPI_Irecv(&in, 1, MPI_INT, previous, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&world_rank, 1, MPI_INT, next, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Pcontrol(level_end);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Pcontrol(1);
    EXPECT(in == previous);
}

/* A persistent pair, each of its steps on or off. */
static void persist(int level_make, int level_start, int level_wait)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int in = -1;

    MPI_Pcontrol(level_make);
    MPI_Recv_init(&in, 1, MPI_INT, previous, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&world_rank, 1, MPI_INT, next, TAG, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Pcontrol(level_start);
        MPI_Startall(2, requests);
        MPI_Pcontrol(level_wait);
        MPI_Waitall(2, requests, statuses);
        EXPECT(in == previous && statuses[0].MPI_SOURCE == previous);
    }
    MPI_Pcontrol(level_make);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Pcontrol(1);
}

/* Begun unseen, where no other request is live. */
static void reversed(void)
{
    MPI_Comm comm;
    MPI_Request requests[2];
    MPI_Status status;
    int in = -1, out = 7, rank;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Pcontrol(0);
    for (int i = 0; i < 3; i++) { /* whose handles come again */
        MPI_Irecv(&in, 1, MPI_INT, (rank + 1) % world_size, TAG, comm, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, (rank + world_size - 1) % world_size, TAG, comm, &requests[1]);
        if (i < 2)
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Pcontrol(1);
    MPI_Wait(&requests[0], &status);
    EXPECT(in == 7 && status.MPI_SOURCE == (rank + 1) % world_size);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, second;
    MPI_Datatype pair;
    int verdict, out[2] = {1, 2}, in[2] = {0, 0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    next = (world_rank + 1) % world_size;
    previous = (world_rank + world_size - 1) % world_size;

    exchange(MPI_COMM_WORLD, 1);
    MPI_Pcontrol(0);
    for (int i = 0; i < 50; i++)
        exchange(MPI_COMM_WORLD, 100 + i);
    MPI_Pcontrol(1);
    exchange(MPI_COMM_WORLD, 2);

    for (int i = 0; i < 4; i++)
        cross(i / 2, i % 2);
    /* Twice the same place: the handles of what was completed unseen must not be taken for what came after. */
    for (int i = 0; i < 4; i++)
        cross(1, i % 2);

    for (int i = 0; i < 8; i++)
        persist(i / 4, i / 2 % 2, i % 2);
    reversed();

    /* Made unseen, used and freed in the open; and the other way round. */
    MPI_Pcontrol(0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Pcontrol(1);
    exchange(comm, 3);
    MPI_Sendrecv(out, 1, pair, next, TAG, in, 1, pair, previous, TAG, comm, MPI_STATUS_IGNORE);
    EXPECT(in[1] == 2);
    MPI_Type_free(&pair);
    MPI_Comm_dup(comm, &second);
    MPI_Comm_free(&comm);
    MPI_Pcontrol(0);
    exchange(second, 4);
    MPI_Comm_free(&second);
    MPI_Pcontrol(0);
    MPI_Pcontrol(1);
    MPI_Pcontrol(1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* may get the handle that was freed unseen */
    exchange(comm, 5);
    MPI_Comm_free(&comm);
    MPI_Pcontrol(2, "a level that means nothing here", 42);
    exchange(MPI_COMM_WORLD, 6);

    verdict = expect_verdict("pcontrol", MPI_COMM_WORLD);
    MPI_Pcontrol(0); /* ends switched off */
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
