/* persistent: requests that are made once and started many times, and messages sent in partitions.
 *
 * Exercises: MPI_Send_init, Bsend_init, Ssend_init, Rsend_init, Recv_init, Start, Startall, Request_free;
 * completion by Wait, Waitall, Waitany and Testall, where the handle stays; partitioned MPI_Psend_init,
 * Precv_init, Pready, Pready_range, Pready_list, Parrived.
 *
 * Each rank talks to its neighbours in the ring (to itself, if it is alone).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20, PARTS = 6, PER_PART = 10, MODES = 4, TAG_READY = 50, TAG_PIECE = 60 };

static int world_rank, world_size, next, previous, failures;

static void expect(int holds, const char *what) {
    if (holds)
        return;
    failures++;
    fprintf(stderr, "persistent: rank %d: %s\n", world_rank, what);
}

/* One send of each mode and its receive, ROUNDS times. */
static void use_modes(void) {
    static char buffer[1000 + MPI_BSEND_OVERHEAD];
    int out[MODES], in[MODES], bytes, done, at;
    MPI_Request requests[2 * MODES]; /* receives, then sends */
    MPI_Status statuses[2 * MODES];
    void *detached;

    MPI_Buffer_attach(buffer, (int)sizeof buffer);
    for (int m = 0; m < MODES; m++)
        MPI_Recv_init(&in[m], 1, MPI_INT, previous, m, MPI_COMM_WORLD, &requests[m]);
    MPI_Send_init(&out[0], 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[MODES]);
    MPI_Bsend_init(&out[1], 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[MODES + 1]);
    MPI_Ssend_init(&out[2], 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[MODES + 2]);
    MPI_Rsend_init(&out[3], 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[MODES + 3]);

    for (int round = 0; round < ROUNDS; round++) {
        for (int m = 0; m < MODES; m++)
            out[m] = 1000 * world_rank + 10 * round + m;
        MPI_Startall(MODES, requests);
        /* The receives are posted; tell the sender, or the ready send would be an error. */
        MPI_Sendrecv(NULL, 0, MPI_INT, previous, TAG_READY, NULL, 0, MPI_INT, next, TAG_READY, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int m = 0; m < MODES; m++)
            MPI_Start(&requests[MODES + m]);

        switch (round % 4) {
        case 0:
            MPI_Waitall(2 * MODES, requests, statuses);
            for (int m = 0; m < MODES; m++)
                expect(statuses[m].MPI_SOURCE == previous && statuses[m].MPI_TAG == m, "status of a receive");
            break;
        case 1:
            for (done = 0; !done;)
                MPI_Testall(2 * MODES, requests, &done, MPI_STATUSES_IGNORE);
            break;
        case 2:
            for (int i = 0; i < 2 * MODES; i++)
                MPI_Wait(&requests[2 * MODES - 1 - i], MPI_STATUS_IGNORE);
            break;
        default:
            for (int i = 0; i < 2 * MODES; i++)
                MPI_Waitany(2 * MODES, requests, &at, MPI_STATUS_IGNORE);
            MPI_Waitany(2 * MODES, requests, &at, MPI_STATUS_IGNORE);
            expect(at == MPI_UNDEFINED, "all requests are inactive");
        }
        for (int m = 0; m < MODES; m++) {
            expect(in[m] == 1000 * previous + 10 * round + m, "value received");
            expect(requests[m] != MPI_REQUEST_NULL, "the handle stays");
        }
    }
    for (int i = 0; i < 2 * MODES; i++)
        MPI_Request_free(&requests[i]);
    expect(requests[0] == MPI_REQUEST_NULL, "the handle is gone");
    MPI_Buffer_detach(&detached, &bytes);
}

#if MPI_VERSION >= 4 /* which brought partitioned communication */
static void fill_part(double *parts, int part, int round) {
    for (int i = 0; i < PER_PART; i++)
        parts[part * PER_PART + i] = world_rank + 100.0 * part + 10000.0 * round + i / 16.0;
}

static int part_holds(const double *parts, int part, int round) {
    for (int i = 0; i < PER_PART; i++) {
        const double difference = parts[part * PER_PART + i] - (previous + 100.0 * part + 10000.0 * round + i / 16.0);

        if (difference > 1e-9 || difference < -1e-9)
            return 0;
    }
    return 1;
}

/* A message that is sent part by part, as the parts get ready, in another order every time. */
static void use_partitions(void) {
    double out[PARTS * PER_PART], in[PARTS * PER_PART];
    int odd[PARTS / 2] = {5, 1, 3}; /* MPICH 4.0 lacks the const that the standard has here */
    MPI_Request requests[2];

    MPI_Precv_init(in, PARTS, PER_PART, MPI_DOUBLE, previous, TAG_PIECE, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out, PARTS, PER_PART, MPI_DOUBLE, next, TAG_PIECE, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Startall(2, requests);
        for (int p = 0; p < PARTS; p++)
            fill_part(out, p, round);
        if (round % 3 == 0) {
            for (int p = PARTS - 1; p >= 0; p--)
                MPI_Pready(p, requests[1]);
        } else if (round % 3 == 1) {
            MPI_Pready_list(PARTS / 2, odd, requests[1]);
            for (int p = 0; p < PARTS; p += 2)
                MPI_Pready(p, requests[1]);
        } else {
            MPI_Pready_range(2, PARTS - 1, requests[1]);
            MPI_Pready_range(0, 1, requests[1]);
        }
        for (int p = 0; p < PARTS; p++) {
            int arrived = 0;

            while (!arrived)
                MPI_Parrived(requests[0], p, &arrived);
            expect(part_holds(in, p, round), "a part that has arrived");
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    next = (world_rank + 1) % world_size;
    previous = (world_rank + world_size - 1) % world_size;
    use_modes();
#if MPI_VERSION >= 4
    use_partitions();
#endif

    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("persistent: %d ranks, %d failures\n", world_size, failures);
    MPI_Finalize();
    return failures != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
