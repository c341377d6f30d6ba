/* polls: busy waiting by Test, Testany, Iprobe and Request_get_status, a number of times that no one can
 * foretell.
 *
 * Exercises: runs of thousands of equal calls, of a length that differs from rank to rank and from run to
 * run, and polling on collectives. What is printed does not depend on the number of polls.
 */
#include "expect.h"

enum { ROUNDS = 20, TAG = 4 };

static int world_rank, world_size, next, previous;

static void spin(int amount) {
    volatile double x = 1.0;

    for (int i = 0; i < amount; i++)
        x = x * 1.0000001;
}

static void poll_test(int round) {
    int in = -1, done = 0;
    MPI_Request request;
    MPI_Status status;

    MPI_Irecv(&in, 1, MPI_INT, previous, TAG, MPI_COMM_WORLD, &request);
    spin((world_rank + round) % 3 * 20000);
    MPI_Send(&round, 1, MPI_INT, next, TAG, MPI_COMM_WORLD);
    while (!done)
        MPI_Test(&request, &done, &status);
    EXPECT(in == round && status.MPI_SOURCE == previous);
}

static void poll_probe(int round) {
    MPI_Request request;
    MPI_Status status;
    int in = -1, there = 0;

    spin((world_rank + round) % 3 * 20000);
    MPI_Isend(&round, 1, MPI_INT, next, TAG + round, MPI_COMM_WORLD, &request);
    while (!there)
        MPI_Iprobe(MPI_ANY_SOURCE, TAG + round, MPI_COMM_WORLD, &there, &status);
    EXPECT(status.MPI_SOURCE == previous);
    MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in == round);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void poll_collective(int round) {
    MPI_Request requests[2];
    int sum = 0, flag = 0, at, done = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    spin((world_rank + round) % 3 * 20000);
    MPI_Iallreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    while (!flag)
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    while (done < 2) {
        MPI_Testany(2, requests, &at, &flag, MPI_STATUS_IGNORE);
        done += flag;
    }
    EXPECT(sum == round * world_size);
}

int main(int argc, char **argv) {
    int verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    next = (world_rank + 1) % world_size;
    previous = (world_rank + world_size - 1) % world_size;
    for (int round = 0; round < ROUNDS; round++) {
        poll_test(round);
        poll_probe(round);
        poll_collective(round);
    }
    verdict = expect_verdict("polls", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
