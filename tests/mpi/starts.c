/* Persistent receives with wildcards beside other receives with wildcards. Rank 0 is sent one message by each of two
 * ranks, and which of both comes first is sure: one waits, without a call, the other makes many short calls. Where it
 * is run without waiting, the other one is first.
 *
 *     starts [rounds, default 4]    3 ranks or more; others have nothing to do
 */
#include <time.h>

#include "expect.h"

enum { TAG = 3, CALLS = 2000 };

static int world_rank;

/* Sends from FIRST before LAST, as the clock has it. */
static void send_in_order(int first, int last)
{
    if (world_rank == first)
        for (int i = 0, size; i < CALLS; i++)
            MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (world_rank == last)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    if (world_rank == first || world_rank == last)
        MPI_Send(&world_rank, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

/* REQUESTS: the first one, or both, are persistent. */
static void receive(MPI_Request requests[2], int both, int in[2])
{
    MPI_Status statuses[2];

    if (both) {
        MPI_Startall(2, requests);
    } else {
        MPI_Start(&requests[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Waitall(2, requests, statuses);
    EXPECT(in[0] == statuses[0].MPI_SOURCE && in[1] == statuses[1].MPI_SOURCE && in[0] + in[1] == 3);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 4;
    int in[2], size;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int both = 0; size > 2 && both < 2; both++) {
        if (world_rank == 0)
            MPI_Recv_init(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        if (world_rank == 0 && both)
            MPI_Recv_init(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &requests[1]);
        for (int i = 0; i < rounds; i++) {
            if (world_rank == 0)
                receive(requests, both, in);
            send_in_order(1 + i % 2, 2 - i % 2);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        for (int i = 0; world_rank == 0 && i < 1 + both; i++)
            MPI_Request_free(&requests[i]);
    }
    const int verdict = expect_verdict("starts", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
