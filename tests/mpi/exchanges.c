/* Random messages, alike on all ranks by their seed: all kinds of sends and receives, wildcards, probes that take their
 * message, persistent and partitioned ones, cancelled and freed ones, on several communicators (tests/messages).
 *
 *     exchanges [SEED [ROUNDS]]
 *     exchanges ring ROUNDS      a ring, with no collective call between its rounds
 *     exchanges deadlock 1       rank 0 receives what nobody sends, the others are in a barrier; ends by a signal
 */
#include <string.h>
#include <sys/time.h>

#include "expect.h"

enum { MESSAGES = 24, LENGTH = 16, COMMS = 4, KINDS = 8 };

struct message {
    int from, to, comm, tag, length, send_kind, receive_kind;
};

static int world_rank, world_size;
static unsigned long long state;
static MPI_Comm comms[COMMS];
static int offset[COMMS]; /* a rank of the world has its rank plus this in the communicator, modulo the size */
static int in[MESSAGES][LENGTH], out[MESSAGES][LENGTH];

static unsigned next(unsigned below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % below;
}

static int rank_in(int comm, int rank)
{
    return (rank + offset[comm]) % world_size;
}

static MPI_Request start_send(const struct message *m, int i)
{
    MPI_Request request;
    const int to = rank_in(m->comm, m->to), *data = out[i];

    switch (m->send_kind) {
    case 0:
        MPI_Issend(data, m->length, MPI_INT, to, m->tag, comms[m->comm], &request);
        break;
    case 1:
        MPI_Send_init(data, m->length, MPI_INT, to, m->tag, comms[m->comm], &request);
        MPI_Start(&request);
        break;
    case 2:
        MPI_Isend(data, m->length, MPI_INT, to, m->tag, comms[m->comm], &request);
        MPI_Request_free(&request);
        break;
    case 3:
        MPI_Send(data, m->length, MPI_INT, to, m->tag, comms[m->comm]); /* short: it does not wait */
        request = MPI_REQUEST_NULL;
        break;
    default:
        MPI_Isend(data, m->length, MPI_INT, to, m->tag, comms[m->comm], &request);
    }
    return request;
}

/* WILD: how the receives of this communicator and rank are posted. */
static MPI_Request start_receive(const struct message *m, int i, unsigned wild)
{
    MPI_Request request;
    const int from = wild >= 1 ? MPI_ANY_SOURCE : rank_in(m->comm, m->from), tag = wild >= 2 ? MPI_ANY_TAG : m->tag;

    if (m->receive_kind == 1) {
        MPI_Recv_init(in[i], LENGTH, MPI_INT, from, tag, comms[m->comm], &request);
        MPI_Start(&request);
    } else {
        MPI_Irecv(in[i], LENGTH, MPI_INT, from, tag, comms[m->comm], &request);
    }
    return request;
}

/* Receives what is left, by probes that take their message. */
static void take(const struct message *m, int i, unsigned wild)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int flag = 0, polls = 0, from = wild >= 1 ? MPI_ANY_SOURCE : rank_in(m->comm, m->from),
        tag = wild >= 2 ? MPI_ANY_TAG : m->tag;

    if (m->receive_kind == 2) {
        MPI_Mprobe(from, tag, comms[m->comm], &message, &status);
        MPI_Mrecv(in[i], LENGTH, MPI_INT, &message, MPI_STATUS_IGNORE);
        return;
    }
    while (!flag && poll_again(&polls))
        MPI_Improbe(from, tag, comms[m->comm], &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in[i], LENGTH, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void complete(MPI_Request *requests, int count, unsigned how)
{
    int done = 0, indices[2 * MESSAGES], flag = 0, polls = 0;

    switch (how) {
    case 0:
        while (done != MPI_UNDEFINED)
            MPI_Waitany(count, requests, &done, MPI_STATUS_IGNORE);
        return;
    case 1:
        while (done != MPI_UNDEFINED)
            MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        return;
    case 2:
        while (!flag && poll_again(&polls))
            MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
        return;
    default:
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    }
}

static void cancel_one(int tag)
{
    MPI_Request request;
    int ignored;

    MPI_Irecv(&ignored, 1, MPI_INT, MPI_ANY_SOURCE, 1000 + tag, comms[0], &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void exchange_both(int tag)
{
    const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    int mine = world_rank, other;

    MPI_Sendrecv(&mine, 1, MPI_INT, right, tag, &other, 1, MPI_INT, left, tag, comms[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&mine, 1, MPI_INT, world_rank ? left : MPI_PROC_NULL, tag,
                         world_rank < world_size - 1 ? right : MPI_PROC_NULL, tag, comms[1], MPI_STATUS_IGNORE);
}

static void round_of(int number)
{
    struct message messages[MESSAGES];
    MPI_Request requests[2 * MESSAGES];
    unsigned wild[COMMS][64];
    int count = 0, used = 1 + (int)next(MESSAGES);

    for (int c = 0; c < COMMS; c++)
        for (int rank = 0; rank < world_size; rank++)
            wild[c][rank] = next(3);
    for (int i = 0; i < used; i++)
        messages[i] = (struct message){(int)next((unsigned)world_size),
                                       (int)next((unsigned)world_size),
                                       (int)next(COMMS),
                                       (int)next(3),
                                       (int)next(LENGTH),
                                       (int)next(KINDS),
                                       (int)next(4)};
    /* probes would take what other receives of the same kind wait for: each rank has one way in a communicator */
    for (int i = 0; i < used; i++)
        messages[i].receive_kind = (int)wild[messages[i].comm][messages[i].to] + messages[i].comm > 2
                                       ? 2 + number % 2
                                       : messages[i].receive_kind % 2;
    const unsigned how = next(4);
    const int cancels = next(4) == 0, both = next(3) == 0;
    for (int i = 0; i < used; i++)
        if (messages[i].to == world_rank && messages[i].receive_kind < 2)
            requests[count++] = start_receive(&messages[i], i, wild[messages[i].comm][world_rank]);
    if (cancels)
        cancel_one(number % 7);
    for (int i = 0; i < used; i++)
        if (messages[i].from == world_rank)
            requests[count++] = start_send(&messages[i], i);
    for (int i = 0; i < used; i++)
        if (messages[i].to == world_rank && messages[i].receive_kind >= 2)
            take(&messages[i], i, wild[messages[i].comm][world_rank]);
    complete(requests, count, how);
    for (int i = 0; i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    MPI_Barrier(number % 2 ? MPI_COMM_WORLD : comms[number % COMMS]); /* wildcards must not take the next messages */
    if (both) {
        exchange_both(number % 5);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void ring(long rounds)
{
    const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    int mine = world_rank, other;
    MPI_Request requests[2];

    for (long i = 0; i < rounds; i++) {
        MPI_Irecv(&other, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

/* Never returns: who has waited, which takes the processor, for half a second ends all processes. */
static void deadlock(void)
{
    const struct itimerval timer = {.it_value.tv_usec = 500000};
    int data;

    setitimer(ITIMER_PROF, &timer, NULL);
    if (world_rank)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&data, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const long rounds = argc > 2 ? atol(argv[2]) : 6;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (argc > 2 && strcmp(argv[1], "ring") == 0) {
        ring(rounds);
    } else if (argc > 2 && strcmp(argv[1], "deadlock") == 0) {
        deadlock();
    } else {
        state = argc > 1 ? (unsigned long long)atol(argv[1]) + 1 : 1;
        comms[0] = MPI_COMM_WORLD;
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
        MPI_Comm_split(MPI_COMM_WORLD, 0, (world_rank + 1) % world_size, &comms[2]);
        MPI_Comm_split(comms[2], 0, world_rank, &comms[3]);
        offset[2] = 1;
        for (int number = 0; number < rounds; number++)
            round_of(number);
        for (int c = COMMS - 1; c > 0; c--)
            MPI_Comm_free(&comms[c]);
    }
    const int verdict = expect_verdict("exchanges", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
