/* SPDX-License-Identifier: BSD-3-Clause */
/* many [REQUESTS]: a rank sends to itself, with so many receives open (default 67), completed by MPI_Waitany and its
 * like.
 *
 * Exercises: long arrays of requests that change little from call to call. All of them until none is left; each that
 * completes replaced by a new one, in an order that repeats and in one that does not; polls in vain between them; two
 * arrays in turn, and their parts, from one call site; persistent requests, which stay; an array that is new each time.
 */
#include <stdlib.h>

#include "expect.h"

enum { MOST = 2000, ROUNDS = 2, STEPS = 9 };

static int requests_open, sent, received[2 * MOST];
static MPI_Request requests[2 * MOST];
static unsigned state = 1;

static int draw(int below)
{
    state = state * 1103515245u + 12345u;
    return (int)(state >> 16) % below;
}

static void open_receive(int place)
{
    MPI_Irecv(&received[place], 1, MPI_INT, 0, place, MPI_COMM_SELF, &requests[place]);
}

static void open_all(int count)
{
    for (int i = 0; i < count; i++)
        open_receive(i);
}

static void send_to(int place)
{
    sent++;
    MPI_Send(&sent, 1, MPI_INT, 0, place, MPI_COMM_SELF);
}

/* One message to PLACE, which one of four functions finds at once or after polls. FIRST: of COUNT requests. */
static void complete_one(int function, int first, int count, int place)
{
    static int indices[2 * MOST];
    static MPI_Status statuses[2 * MOST];
    int index = MPI_UNDEFINED, done = 0, completed = 0, polls = 0;
    MPI_Status status;
    send_to(place);
    switch (function) {
    case 0:
        MPI_Waitany(count, requests + first, &index, &status);
        break;
    case 1:
        while (!done && poll_again(&polls))
            MPI_Testany(count, requests + first, &index, &done, &status);
        break;
    case 2:
        MPI_Waitsome(count, requests + first, &completed, indices, statuses);
        break;
    default:
        while (!completed && poll_again(&polls))
            MPI_Testsome(count, requests + first, &completed, indices, statuses);
    }
    if (function > 1) {
        EXPECT(completed == 1);
        index = indices[0];
        status = statuses[0];
    }
    EXPECT(index == place - first && status.MPI_TAG == place && received[place] == sent);
}

static void poll_in_vain(int count)
{
    static int indices[2 * MOST];
    int index, done, completed;
    MPI_Testany(count, requests, &index, &done, MPI_STATUS_IGNORE);
    EXPECT(!done);
    MPI_Testsome(count, requests, &completed, indices, MPI_STATUSES_IGNORE);
    EXPECT(completed == 0);
}

/* Until none is left. */
static void drain(int function)
{
    open_all(requests_open);
    for (int i = 0; i < requests_open; i++)
        complete_one(function, 0, requests_open, i * 7 % requests_open);
}

/* Each that completes is replaced. */
static void replace(int function)
{
    open_all(requests_open);
    for (int i = 0; i < STEPS; i++) {
        int place = i % 2 ? draw(requests_open) : i;
        complete_one(function, 0, requests_open, place);
        if (i % 3 == 0)
            poll_in_vain(requests_open);
        open_receive(place);
        if (i % 5 == 0)
            poll_in_vain(requests_open);
    }
    for (int i = 0; i < requests_open; i++) {
        MPI_Cancel(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
}

/* Two arrays in turn, and both as one, and a part of one. */
static void alternate(int function)
{
    open_all(2 * requests_open);
    for (int i = 0; i < STEPS; i++) {
        complete_one(function, 0, requests_open, i);
        complete_one(function, requests_open, requests_open, requests_open + i);
        open_receive(i);
        complete_one(function, 0, i % 2 ? 2 * requests_open : 64, i % 64);
        open_receive(i % 64);
        open_receive(requests_open + i);
    }
    for (int i = 0; i < 2 * requests_open; i++)
        send_to(i);
    MPI_Waitall(2 * requests_open, requests, MPI_STATUSES_IGNORE);
}

static void persist(int function)
{
    for (int i = 0; i < requests_open; i++)
        MPI_Recv_init(&received[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Startall(requests_open, requests);
        for (int i = 0; i < requests_open; i++)
            complete_one(function, 0, requests_open, i * 11 % requests_open);
    }
    for (int i = 0; i < requests_open; i++)
        MPI_Request_free(&requests[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    requests_open = argc > 1 ? atoi(argv[1]) : 67;
    if (requests_open < 64 || requests_open > MOST || requests_open % 7 == 0 || requests_open % 11 == 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int function = 0; function < 4; function++) {
        replace(function);
        alternate(function);
        if (function == 0)
            drain(function);
        if (function == 3)
            persist(function);
    }
    int verdict = expect_verdict("many", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
