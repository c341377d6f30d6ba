/* inflight: 192 sends and 192 receives of every rank in flight at once, completed in every way there is.
 *
 * Exercises: request handles that are not unique. MPICH hands out one built-in handle for every send that is
 * already complete when MPI_Isend returns, so hundreds of live requests share a value; and the handle of a
 * freed request is reused at once. The requests are completed in another order than they were made in, with
 * nulls in between, by Waitall, Waitany, Waitsome, Testall, Testany, Testsome, Wait, Test and
 * MPI_Request_free.
 *
 * usage: inflight [repetitions, default 1]
 */
#include "expect.h"

#include <stdint.h>
#include <string.h>

/* WINDOW: how many requests are passed where one call completes one of them, or the record would be gigabytes. */
enum { MESSAGES = 192, REQUESTS = 2 * MESSAGES, WINDOW = 64, LENGTH_MAX = 7, BUFFER_BYTES = 1 << 18 };

struct traffic {
    int rank, size;
    int sent[MESSAGES][LENGTH_MAX];
    int received[MESSAGES][LENGTH_MAX];
    MPI_Request requests[REQUESTS]; /* in the order of completion that the round wants */
    int origin[REQUESTS];           /* message number; receives have MESSAGES added */
    int done[REQUESTS];             /* by origin: how often it was reported complete */
};

static uint32_t shuffle_state = 12345;

static uint32_t shuffle_next(void)
{
    shuffle_state = shuffle_state * 1664525u + 1013904223u;
    return shuffle_state >> 8;
}

static int message_length(int message)
{
    return message % LENGTH_MAX + (message % LENGTH_MAX == 0 && message % 2); /* 0 to 6 integers */
}

static int message_value(int source, int message, int at)
{
    return source * 100000 + message * 10 + at;
}

static int message_target(const struct traffic *traffic, int message)
{
    return (traffic->rank + 1 + message) % traffic->size;
}

static int message_source(const struct traffic *traffic, int message)
{
    return ((traffic->rank - 1 - message) % traffic->size + traffic->size) % traffic->size;
}

static void receives_start(struct traffic *traffic)
{
    memset(traffic->received, -1, sizeof traffic->received);
    memset(traffic->done, 0, sizeof traffic->done);
    for (int m = MESSAGES - 1; m >= 0; m--) {
        MPI_Irecv(traffic->received[m], LENGTH_MAX, MPI_INT, message_source(traffic, m), m, MPI_COMM_WORLD,
                  &traffic->requests[MESSAGES + m]);
        traffic->origin[MESSAGES + m] = MESSAGES + m;
    }
}

/* Every send is an Isend, or (MIXED) one of the four modes in turn. A ready send needs its receive posted. */
static void sends_start(struct traffic *traffic, int mixed)
{
    for (int m = 0; m < MESSAGES; m++) {
        int *const data = traffic->sent[m];
        const int length = message_length(m), target = message_target(traffic, m);
        MPI_Request *const request = &traffic->requests[m];

        for (int i = 0; i < LENGTH_MAX; i++)
            data[i] = message_value(traffic->rank, m, i);
        if (mixed && m % 4 == 1)
            MPI_Issend(data, length, MPI_INT, target, m, MPI_COMM_WORLD, request);
        else if (mixed && m % 4 == 2)
            MPI_Ibsend(data, length, MPI_INT, target, m, MPI_COMM_WORLD, request);
        else if (mixed && m % 4 == 3)
            MPI_Irsend(data, length, MPI_INT, target, m, MPI_COMM_WORLD, request);
        else
            MPI_Isend(data, length, MPI_INT, target, m, MPI_COMM_WORLD, request);
        traffic->origin[m] = m;
    }
}

static void requests_shuffle(struct traffic *traffic)
{
    for (int i = REQUESTS - 1; i > 0; i--) {
        const int other = (int)(shuffle_next() % (uint32_t)(i + 1));
        const MPI_Request request = traffic->requests[i];
        const int origin = traffic->origin[i];

        traffic->requests[i] = traffic->requests[other];
        traffic->origin[i] = traffic->origin[other];
        traffic->requests[other] = request;
        traffic->origin[other] = origin;
    }
}

/* Request AT was reported complete. STATUS is looked at only for receives: for a send it holds nothing. */
static void request_done(struct traffic *traffic, int at, MPI_Status *status)
{
    const int origin = traffic->origin[at];
    const int message = origin - MESSAGES;
    int count;

    EXPECT(traffic->requests[at] == MPI_REQUEST_NULL);
    traffic->done[origin]++;
    if (origin < MESSAGES || status == MPI_STATUS_IGNORE)
        return;
    MPI_Get_count(status, MPI_INT, &count);
    EXPECT(count == message_length(message));
    EXPECT(status->MPI_TAG == message);
    EXPECT(status->MPI_SOURCE == message_source(traffic, message));
}

static void traffic_verify(const struct traffic *traffic)
{
    for (int i = 0; i < REQUESTS; i++)
        EXPECT(traffic->done[i] == 1);
    for (int m = 0; m < MESSAGES; m++)
        for (int i = 0; i < LENGTH_MAX; i++)
            EXPECT(traffic->received[m][i] ==
                   (i < message_length(m) ? message_value(message_source(traffic, m), m, i) : -1));
}

static void complete_waitall(struct traffic *traffic)
{
    static MPI_Status statuses[REQUESTS];

    MPI_Waitall(REQUESTS, traffic->requests, statuses);
    for (int i = 0; i < REQUESTS; i++)
        request_done(traffic, i, &statuses[i]);
}

static void complete_waitany(struct traffic *traffic)
{
    for (int done = 0; done < REQUESTS; done++) {
        const int first = done / WINDOW * WINDOW;
        MPI_Status status;
        int at;

        MPI_Waitany(WINDOW, traffic->requests + first, &at, done % 3 == 0 ? MPI_STATUS_IGNORE : &status);
        request_done(traffic, first + at, done % 3 == 0 ? MPI_STATUS_IGNORE : &status);
    }
}

static void complete_some(struct traffic *traffic, int wait)
{
    static MPI_Status statuses[REQUESTS];
    static int at[REQUESTS];

    for (int left = REQUESTS; left > 0;) {
        int count;

        if (wait)
            MPI_Waitsome(REQUESTS, traffic->requests, &count, at, statuses);
        else
            MPI_Testsome(REQUESTS, traffic->requests, &count, at, statuses);
        for (int i = 0; i < count; i++)
            request_done(traffic, at[i], &statuses[i]);
        left -= count;
    }
}

static void complete_testall(struct traffic *traffic)
{
    static MPI_Status statuses[REQUESTS];
    int all = 0;

    while (!all)
        MPI_Testall(REQUESTS, traffic->requests, &all, statuses);
    for (int i = 0; i < REQUESTS; i++)
        request_done(traffic, i, &statuses[i]);
}

static void complete_testany(struct traffic *traffic)
{
    for (int done = 0; done < REQUESTS;) {
        const int first = done / WINDOW * WINDOW;
        MPI_Status status;
        int at, any;

        MPI_Testany(WINDOW, traffic->requests + first, &at, &any, &status);
        if (!any)
            continue;
        request_done(traffic, first + at, &status);
        done++;
    }
}

/* One at a time, in the shuffled order; Wait and Test in turn. */
static void complete_single(struct traffic *traffic)
{
    for (int i = 0; i < REQUESTS; i++) {
        MPI_Status status;
        int flag = 0;

        if (i % 2)
            MPI_Wait(&traffic->requests[i], &status);
        else
            while (!flag)
                MPI_Test(&traffic->requests[i], &flag, &status);
        request_done(traffic, i, &status);
    }
}

/* Every other send is given up by MPI_Request_free right away; the rest goes in pieces of several lengths. */
static void complete_pieces(struct traffic *traffic)
{
    static MPI_Status statuses[REQUESTS];
    int piece = 1;

    for (int i = 0; i < REQUESTS; i++)
        if (traffic->origin[i] < MESSAGES && traffic->origin[i] % 2) {
            MPI_Request_free(&traffic->requests[i]);
            request_done(traffic, i, MPI_STATUS_IGNORE);
        }
    for (int at = 0; at < REQUESTS; at += piece, piece = piece % 60 + 7) {
        const int count = at + piece < REQUESTS ? piece : REQUESTS - at;

        MPI_Waitall(count, traffic->requests + at, statuses);
        for (int i = at; i < at + count; i++)
            if (traffic->origin[i] >= MESSAGES || traffic->origin[i] % 2 == 0)
                request_done(traffic, i, &statuses[i - at]);
    }
}

enum {
    ROUND_WAITALL,
    ROUND_WAITANY,
    ROUND_WAITSOME,
    ROUND_TESTALL,
    ROUND_TESTANY,
    ROUND_TESTSOME,
    ROUND_SINGLE,
    ROUND_PIECES,
    ROUND_MIXED,
    ROUND_UNEXPECTED,
    ROUNDS
};

static void round_run(struct traffic *traffic, int round)
{
    /* In one round the sends come first, so that most messages arrive unexpected. */
    if (round == ROUND_UNEXPECTED) {
        sends_start(traffic, 0);
        receives_start(traffic);
    } else {
        receives_start(traffic);
        if (round == ROUND_MIXED)
            MPI_Barrier(MPI_COMM_WORLD); /* a ready send must find its receive */
        sends_start(traffic, round == ROUND_MIXED);
    }
    requests_shuffle(traffic);

    switch (round) {
    case ROUND_WAITALL:
        complete_waitall(traffic);
        break;
    case ROUND_WAITANY:
        complete_waitany(traffic);
        break;
    case ROUND_WAITSOME:
        complete_some(traffic, 1);
        break;
    case ROUND_TESTALL:
        complete_testall(traffic);
        break;
    case ROUND_TESTANY:
        complete_testany(traffic);
        break;
    case ROUND_TESTSOME:
        complete_some(traffic, 0);
        break;
    case ROUND_SINGLE:
        complete_single(traffic);
        break;
    case ROUND_PIECES:
        complete_pieces(traffic);
        break;
    case ROUND_MIXED:
        complete_some(traffic, 1);
        break;
    default:
        complete_waitany(traffic);
        break;
    }
    traffic_verify(traffic);
}

int main(int argc, char **argv)
{
    const int repetitions = argc > 1 ? atoi(argv[1]) : 1;
    static struct traffic traffic;
    static char buffer[BUFFER_BYTES];
    void *detached;
    int bytes, verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &traffic.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &traffic.size);
    MPI_Buffer_attach(buffer, BUFFER_BYTES);
    for (int i = 0; i < repetitions * ROUNDS; i++)
        round_run(&traffic, i % ROUNDS);
    MPI_Buffer_detach(&detached, &bytes);
    EXPECT(detached == buffer && bytes == BUFFER_BYTES);
    verdict = expect_verdict("inflight", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
