/* polls [EXTRA]: busy waiting by each function that can, an unpredictable number of times; then EXTRA more failed polls
 * from the same call site (default 5).
 *
 * Exercises: runs of thousands of equal calls, of a length that differs from rank to rank and from run to run, and
 * polling on collectives; each function with and without success, from one call site and in turn; polls of nothing at
 * all; polls that are errors. What is printed does not depend on the number of polls. */
#include "expect.h"

enum { ROUNDS = 20, TAG = 4 };

static int world_rank, world_size, next, previous;

static void spin(int amount)
{
    volatile double x = 1.0;

    for (int i = 0; i < amount; i++)
        x = x * 1.0000001;
}

static void poll_test(int round)
{
    int in = -1, done = 0, polls = 0;
    MPI_Request request;
    MPI_Status status;

    MPI_Irecv(&in, 1, MPI_INT, previous, TAG, MPI_COMM_WORLD, &request);
    spin((world_rank + round) % 3 * 20000);
    MPI_Send(&round, 1, MPI_INT, next, TAG, MPI_COMM_WORLD);
    while (!done && poll_again(&polls))
        MPI_Test(&request, &done, &status);
    EXPECT(in == round && status.MPI_SOURCE == previous);
}

static void poll_probe(int round)
{
    MPI_Request request;
    MPI_Status status;
    int in = -1, there = 0, polls = 0;

    spin((world_rank + round) % 3 * 20000);
    MPI_Isend(&round, 1, MPI_INT, next, TAG + round, MPI_COMM_WORLD, &request);
    while (!there && poll_again(&polls))
        MPI_Iprobe(MPI_ANY_SOURCE, TAG + round, MPI_COMM_WORLD, &there, &status);
    EXPECT(status.MPI_SOURCE == previous);
    MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in == round);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void poll_collective(int round)
{
    MPI_Request requests[2];
    int sum = 0, flag = 0, at, done = 0, polls = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    spin((world_rank + round) % 3 * 20000);
    MPI_Iallreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    while (!flag && poll_again(&polls))
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    while (done < 2 && poll_again(&polls)) {
        MPI_Testany(2, requests, &at, &flag, MPI_STATUS_IGNORE);
        done += flag;
    }
    EXPECT(sum == round * world_size);
}

/* What is polled for in poll_all: two receives of messages that the process sends to itself. */
static int inbox[2];
static MPI_Request requests[2];

static void post(void)
{
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&inbox[i], 1, MPI_INT, world_rank, TAG, MPI_COMM_WORLD, &requests[i]);
}

static void arrive(int value)
{
    for (int i = 0; i < 2; i++)
        MPI_Send(&value, 1, MPI_INT, world_rank, TAG, MPI_COMM_WORLD);
}

/* One poll: how many operations it found complete, and whether it says so. */
static int poll_one(int function)
{
    int flag = 0, count = 0, indices[2];
    MPI_Status statuses[2];

    switch (function) {
    case 0:
        MPI_Test(&requests[0], &flag, statuses);
        if (flag)
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        return flag;
    case 1:
        MPI_Testall(2, requests, &flag, statuses);
        return flag;
    case 2:
        MPI_Testany(2, requests, &indices[0], &flag, statuses);
        if (flag)
            MPI_Wait(&requests[!indices[0]], MPI_STATUS_IGNORE);
        return flag;
    case 3:
        MPI_Testsome(2, requests, &count, indices, statuses);
        if (count)
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        return count > 0;
    case 4:
        MPI_Request_get_status(requests[1], &flag, statuses);
        break;
#if MPI_VERSION > 4 || MPI_VERSION == 4 && MPI_SUBVERSION >= 1
    case 5:
        MPI_Request_get_status_all(2, requests, &flag, statuses);
        break;
    case 6:
        MPI_Request_get_status_any(2, requests, &indices[0], &flag, statuses);
        break;
    case 7:
        MPI_Request_get_status_some(2, requests, &count, indices, statuses);
        flag = count > 0;
        break;
#endif
    default:
        return 1;
    }
    if (flag)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return flag;
}

enum { FUNCTIONS = 8 };

static void poll_all(int round, int extra)
{
    for (int function = 0; function < FUNCTIONS; function++) {
        int more = extra;

        post();
        while (more > 0 && !poll_one(function))
            more--;
        inbox[0] = inbox[1] = -1;
        arrive(round);
        while (requests[0] != MPI_REQUEST_NULL && !poll_one(function))
            continue;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT(inbox[0] == round && inbox[1] == round);
    }
}

static void poll_matched(int round, int extra)
{
    int in = -1, flag = 0;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;

    for (int i = 0; i < extra; i++) {
        MPI_Improbe(world_rank, TAG + round, MPI_COMM_WORLD, &flag, &message, &status);
        EXPECT(!flag);
    }
    MPI_Isend(&round, 1, MPI_INT, world_rank, TAG + round, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, TAG + round, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(in == round && status.MPI_SOURCE == world_rank);
}

static void poll_window(int extra)
{
    int flag = 0, memory = 0;
    MPI_Group self;
    MPI_Win win;

    MPI_Comm_group(MPI_COMM_SELF, &self);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_post(self, 0, win);
    MPI_Win_start(self, 0, win);
    for (int i = 0; i < extra; i++)
        MPI_Win_test(win, &flag);
    EXPECT(!flag);
    MPI_Win_complete(win);
    while (!flag)
        MPI_Win_test(win, &flag);
    MPI_Win_free(&win);
    MPI_Group_free(&self);
}

static void poll_partitions(int extra)
{
#if MPI_VERSION >= 4
    int out = 5, in = 0, flag = 0;
    MPI_Request pair[2];

    MPI_Psend_init(&out, 1, 1, MPI_INT, world_rank, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]);
    MPI_Precv_init(&in, 1, 1, MPI_INT, world_rank, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]);
    MPI_Startall(2, pair);
    for (int i = 0; i < extra; i++)
        MPI_Parrived(pair[1], 0, &flag);
    EXPECT(!flag);
    MPI_Pready(0, pair[0]);
    while (!flag)
        MPI_Parrived(pair[1], 0, &flag);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    EXPECT(in == out);
    MPI_Request_free(&pair[0]);
    MPI_Request_free(&pair[1]);
#else
    (void)extra;
#endif
}

/* Nothing to wait for, and calls that fail: neither is a poll in vain. */
static void poll_nothing(void)
{
    int flag = 0, count = 0, indices[2];
    MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    MPI_Test(&none[0], &flag, MPI_STATUS_IGNORE);
    EXPECT(flag);
    MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
    EXPECT(flag);
    MPI_Testany(2, none, &indices[0], &flag, MPI_STATUS_IGNORE);
    EXPECT(flag && indices[0] == MPI_UNDEFINED);
    MPI_Testsome(2, none, &count, indices, MPI_STATUSES_IGNORE);
    EXPECT(count == MPI_UNDEFINED);
    MPI_Iprobe(MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT(flag);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT(MPI_Iprobe(world_size, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    EXPECT(MPI_Testany(-1, none, &indices[0], &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    int verdict, extra = argc > 1 ? atoi(argv[1]) : 5;

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
    for (int round = 0; round < 3; round++) {
        poll_all(round, extra);
        poll_matched(round, extra);
    }
    poll_window(extra);
    poll_partitions(extra);
    poll_nothing();
    verdict = expect_verdict("polls", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
