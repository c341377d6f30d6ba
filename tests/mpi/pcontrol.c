/* pcontrol: tracing switched off and on again by MPI_Pcontrol, with objects that cross the gaps.
 *
 * Exercises: MPI_Pcontrol(0) ... MPI_Pcontrol(1): what lies between is not recorded. A request started while
 * on is completed while off and the other way round; a communicator and a datatype are made while off and
 * used, then freed, while on; levels other than 0 and 1, repeated levels, extra arguments.
 */
#include "expect.h"

enum { TAG = 11 };

static int world_rank, world_size, next, previous;

static void exchange(MPI_Comm comm, int value) {
    int in = -1;

    MPI_Sendrecv(&value, 1, MPI_INT, next, TAG, &in, 1, MPI_INT, previous, TAG, comm, MPI_STATUS_IGNORE);
    EXPECT(in == value);
}

/* One receive and one send, begun and ended under the given levels. */
static void cross(int level_begin, int level_end) {
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

int main(int argc, char **argv) {
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
