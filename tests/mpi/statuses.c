/* statuses: everything a status can say, and every call that fills one or is told to ignore it.
 *
 * Exercises: MPI_STATUS_IGNORE and real statuses, MPI_Probe, Iprobe, Mprobe, Improbe, Mrecv, Imrecv,
 * cancelled receives, MPI_Get_count (also MPI_UNDEFINED), Get_elements, Test_cancelled, Request_get_status,
 * any source and any tag, sources in several communicators, MPI_PROC_NULL, null and inactive requests (empty
 * statuses, MPI_UNDEFINED), statuses set by hand.
 *
 * Ranks talk in pairs (0-1, 2-3, ...); a last odd one talks to MPI_PROC_NULL.
 */
#include "expect.h"

enum { TAG_PLAIN = 1, TAG_PROBE = 20, TAG_POSTED = 50, TAG_SEVERAL = 60, TAG_NEVER = 99, TAG_ANY_FIRST = 1000 };

static int world_rank, world_size, partner;

/* What PARTNER is expected to have sent. From MPI_PROC_NULL come no elements and any tag. */
static void expect_status(const MPI_Status *status, MPI_Datatype type, int tag, int count)
{
    int got, cancelled;

    MPI_Get_count(status, type, &got);
    MPI_Test_cancelled(status, &cancelled);
    EXPECT(!cancelled);
    EXPECT(status->MPI_SOURCE == partner);
    EXPECT(status->MPI_TAG == (partner == MPI_PROC_NULL ? MPI_ANY_TAG : tag));
    EXPECT(got == (partner == MPI_PROC_NULL ? 0 : count));
}

/* The empty status that null and inactive requests give. */
static void expect_empty(const MPI_Status *status)
{
    int count, cancelled;

    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    EXPECT(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG);
    EXPECT(count == 0 && !cancelled);
}

static void check_plain(void)
{
    int out[4] = {1, 2, 3, 4}, in[8] = {0};
    MPI_Status status;
    MPI_Request request;

    for (int count = 0; count <= 4; count++) {
        MPI_Isend(out, count, MPI_INT, partner, TAG_PLAIN, MPI_COMM_WORLD, &request);
        MPI_Recv(in, 8, MPI_INT, partner, TAG_PLAIN, MPI_COMM_WORLD, count % 2 ? MPI_STATUS_IGNORE : &status);
        if (count % 2 == 0)
            expect_status(&status, MPI_INT, TAG_PLAIN, count);
        MPI_Wait(&request, count % 2 ? &status : MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(out, 3, MPI_INT, partner, TAG_PLAIN, in, 8, MPI_INT, partner, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    expect_status(&status, MPI_INT, TAG_PLAIN, 3);
    MPI_Sendrecv_replace(out, 4, MPI_INT, partner, TAG_PLAIN, partner, TAG_PLAIN, MPI_COMM_WORLD, &status);
    expect_status(&status, MPI_INT, TAG_PLAIN, 4);
}

/* A receive in parts of a type: whole types, left-over elements, and bytes that are no multiple of anything.
 */
static void check_counts(void)
{
    char out[16] = {0}, in[16];
    MPI_Datatype pair;
    MPI_Status status;
    MPI_Count elements_x;
    int count, elements;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Sendrecv(out, 3, MPI_INT, partner, TAG_PLAIN, in, 2, pair, partner, TAG_PLAIN, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, pair, &count);
    MPI_Get_elements(&status, pair, &elements);
    MPI_Get_elements_x(&status, pair, &elements_x);
    EXPECT(count == (partner == MPI_PROC_NULL ? 0 : MPI_UNDEFINED));
    EXPECT(elements == (partner == MPI_PROC_NULL ? 0 : 3));
    EXPECT(elements_x == elements);

    MPI_Sendrecv(out, 7, MPI_BYTE, partner, TAG_PLAIN, in, 16, MPI_BYTE, partner, TAG_PLAIN, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == (partner == MPI_PROC_NULL ? 0 : MPI_UNDEFINED));
    expect_status(&status, MPI_BYTE, TAG_PLAIN, 7);
    MPI_Type_free(&pair);

    MPI_Status_set_elements(&status, MPI_INT, 5);
    MPI_Get_elements(&status, MPI_INT, &elements);
    EXPECT(elements == 5);
    MPI_Status_set_elements_x(&status, MPI_INT, 6);
    MPI_Get_elements(&status, MPI_INT, &elements);
    EXPECT(elements == 6);
    MPI_Status_set_cancelled(&status, 1);
    MPI_Test_cancelled(&status, &count);
    EXPECT(count == 1);
}

static void check_any(void)
{
    if (world_rank == 0) {
        long ranks = 0, tags = 0;

        for (int i = 0; i < 2 * (world_size - 1); i++) {
            MPI_Status status;
            int value, count;

            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            EXPECT(count == 1 && value == status.MPI_SOURCE * 3);
            ranks += status.MPI_SOURCE;
            tags += status.MPI_TAG - TAG_ANY_FIRST;
        }
        EXPECT(ranks == (long)world_size * (world_size - 1));
        EXPECT(tags == ranks / 2 * 3);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const int value = world_rank * 3;

        MPI_Send(&value, 1, MPI_INT, 0, TAG_ANY_FIRST + world_rank * (i + 1), MPI_COMM_WORLD);
    }
}

/* Receives whose source is known only from the status: completed in other ways, and by a tag that is known. */
static void check_any_posted(void)
{
    int out = world_rank, in[2] = {-1, -1};
    MPI_Request requests[3];
    MPI_Status statuses[3];

    MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, TAG_POSTED, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, (world_rank + 1) % world_size, TAG_POSTED, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], &statuses[0]);
    EXPECT(statuses[0].MPI_SOURCE == in[0] && statuses[0].MPI_TAG == TAG_POSTED);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, TAG_POSTED, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, TAG_POSTED + 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&out, 1, MPI_INT, (world_rank + 1) % world_size, TAG_POSTED, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(&out, 1, MPI_INT, (world_rank + world_size - 1) % world_size, TAG_POSTED + 1, MPI_COMM_WORLD);
    for (int left = 3; left > 0;) {
        int done, indices[3];
        MPI_Waitsome(3, requests, &done, indices, statuses);
        for (int i = 0; i < done; i++)
            EXPECT(indices[i] == 2 || statuses[i].MPI_SOURCE == in[indices[i]]);
        left -= done;
    }
}

/* One call whose statuses name ranks of several communicators, in both orders. The sources are known from the statuses
 * only. */
static void check_several_communicators(void)
{
    enum { RECEIVES = 4 };
    const int next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
    int in[RECEIVES];
    MPI_Comm backwards;
    MPI_Request requests[RECEIVES];
    MPI_Status statuses[RECEIVES];

    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &backwards);
    const MPI_Comm comms[RECEIVES] = {MPI_COMM_SELF, MPI_COMM_WORLD, backwards, MPI_COMM_WORLD};
    const int to[RECEIVES] = {0, next, world_size - 1 - next, next};
    const int from[RECEIVES] = {0, previous, world_size - 1 - previous, previous};
    for (int i = 0; i < RECEIVES; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, TAG_SEVERAL + i, comms[i], &requests[i]);
    for (int i = 0; i < RECEIVES; i++)
        MPI_Send(&i, 1, MPI_INT, to[i], TAG_SEVERAL + i, comms[i]);
    MPI_Waitall(RECEIVES, requests, statuses);
    for (int i = 0; i < RECEIVES; i++)
        EXPECT(in[i] == i && statuses[i].MPI_SOURCE == from[i]);
    MPI_Comm_free(&backwards);
}

static void check_probes(void)
{
    double out[3] = {1, 2, 3}, in[3];
    MPI_Request requests[4], request;
    MPI_Message message;
    MPI_Status status = {0}; /* MPICH's probes leave `cancelled` as it was */
    int flag = 0, polls = 0;

    for (int i = 0; i < 4; i++)
        MPI_Isend(out, 3 - i % 2, MPI_DOUBLE, partner, TAG_PROBE + i, MPI_COMM_WORLD, &requests[i]);

    MPI_Probe(partner, TAG_PROBE, MPI_COMM_WORLD, &status);
    expect_status(&status, MPI_DOUBLE, TAG_PROBE, 3);
    MPI_Recv(in, 3, MPI_DOUBLE, partner, TAG_PROBE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    while (!flag && poll_again(&polls))
        MPI_Iprobe(partner, TAG_PROBE + 1, MPI_COMM_WORLD, &flag, &status);
    expect_status(&status, MPI_DOUBLE, TAG_PROBE + 1, 2);
    MPI_Iprobe(partner, TAG_PROBE + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT(flag);
    MPI_Recv(in, 3, MPI_DOUBLE, partner, TAG_PROBE + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Mprobe(partner, TAG_PROBE + 2, MPI_COMM_WORLD, &message, &status);
    expect_status(&status, MPI_DOUBLE, TAG_PROBE + 2, 3);
    EXPECT((message == MPI_MESSAGE_NO_PROC) == (partner == MPI_PROC_NULL));
    MPI_Mrecv(in, 3, MPI_DOUBLE, &message, &status);
    expect_status(&status, MPI_DOUBLE, TAG_PROBE + 2, 3);
    EXPECT(message == MPI_MESSAGE_NULL);

    do
        MPI_Improbe(partner, TAG_PROBE + 3, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    while (!flag && poll_again(&polls));
    MPI_Imrecv(in, 3, MPI_DOUBLE, &message, &request);
    EXPECT(message == MPI_MESSAGE_NULL);
    MPI_Wait(&request, &status);
    expect_status(&status, MPI_DOUBLE, TAG_PROBE + 3, 2);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);

    /* Nothing there: the status must not be looked at. */
    MPI_Iprobe(world_rank, TAG_NEVER, MPI_COMM_WORLD, &flag, &status);
    EXPECT(!flag);
    MPI_Improbe(world_rank, TAG_NEVER, MPI_COMM_WORLD, &flag, &message, &status);
    EXPECT(!flag);
    MPI_Probe(MPI_PROC_NULL, TAG_NEVER, MPI_COMM_WORLD, &status);
    EXPECT(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
}

static void check_cancel(void)
{
    MPI_Request requests[3];
    MPI_Status status, statuses[3];
    int in[3], flag;

    MPI_Irecv(&in[0], 1, MPI_INT, world_rank, TAG_NEVER, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_get_status(requests[0], &flag, &status);
    EXPECT(!flag);
    MPI_Test(&requests[0], &flag, &status);
    EXPECT(!flag);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT(flag);

    /* Two cancelled ones and one that completes, in one Waitall. */
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, world_rank, TAG_NEVER + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send(&world_rank, 1, MPI_INT, world_rank, TAG_NEVER + 1, MPI_COMM_WORLD);
    MPI_Cancel(&requests[0]);
    MPI_Cancel(&requests[2]);
    MPI_Waitall(3, requests, statuses);
    for (int i = 0; i < 3; i++) {
        MPI_Test_cancelled(&statuses[i], &flag);
        EXPECT(flag == (i != 1));
    }
    EXPECT(in[1] == world_rank);

    /* A completed request keeps its status until it is waited for. */
    MPI_Irecv(&in[0], 1, MPI_INT, world_rank, TAG_NEVER, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(&world_rank, 1, MPI_INT, world_rank, TAG_NEVER, MPI_COMM_WORLD);
    for (flag = 0; !flag;)
        MPI_Request_get_status(requests[0], &flag, &status);
    EXPECT(status.MPI_SOURCE == world_rank && status.MPI_TAG == TAG_NEVER);
    MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    EXPECT(flag && requests[0] != MPI_REQUEST_NULL);
    MPI_Wait(&requests[0], &statuses[0]);
    EXPECT(statuses[0].MPI_SOURCE == world_rank && statuses[0].MPI_TAG == TAG_NEVER);
}

static void check_nulls(void)
{
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status, statuses[3];
    int at, flag, count, indices[3];

    MPI_Wait(&requests[0], &status);
    expect_empty(&status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Test(&requests[0], &flag, &status);
    EXPECT(flag);
    expect_empty(&status);
    MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status);
    EXPECT(flag);
    expect_empty(&status);
    MPI_Waitany(3, requests, &at, &status);
    EXPECT(at == MPI_UNDEFINED);
    expect_empty(&status);
    MPI_Testany(3, requests, &at, &flag, &status);
    EXPECT(at == MPI_UNDEFINED && flag);
    expect_empty(&status);
    MPI_Waitsome(3, requests, &count, indices, statuses);
    EXPECT(count == MPI_UNDEFINED);
    MPI_Testsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
    EXPECT(count == MPI_UNDEFINED);
    MPI_Waitall(3, requests, statuses);
    for (int i = 0; i < 3; i++)
        expect_empty(&statuses[i]);
    MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    EXPECT(flag);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    MPI_Waitany(0, NULL, &at, MPI_STATUS_IGNORE);
    EXPECT(at == MPI_UNDEFINED);
}

/* A persistent request that was not started is complete with an empty status, and one among nulls counts as
 * none. */
static void check_inactive(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;
    int value = 0, at, flag;

    MPI_Recv_init(&value, 1, MPI_INT, world_rank, TAG_PLAIN, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[1], &status);
    expect_empty(&status);
    EXPECT(requests[1] != MPI_REQUEST_NULL);
    MPI_Waitany(2, requests, &at, &status);
    EXPECT(at == MPI_UNDEFINED);
    MPI_Start(&requests[1]);
    MPI_Send(&world_rank, 1, MPI_INT, world_rank, TAG_PLAIN, MPI_COMM_WORLD);
    MPI_Waitany(2, requests, &at, &status);
    EXPECT(at == 1 && value == world_rank && status.MPI_SOURCE == world_rank);
    MPI_Testany(2, requests, &at, &flag, &status);
    EXPECT(flag && at == MPI_UNDEFINED);
    MPI_Wait(&requests[1], &status);
    expect_empty(&status);
    MPI_Request_free(&requests[1]);
    EXPECT(requests[1] == MPI_REQUEST_NULL);
    MPI_Send_init(&world_rank, 1, MPI_INT, world_rank, TAG_PLAIN, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(&value, 1, MPI_INT, world_rank, TAG_PLAIN, MPI_COMM_WORLD, &requests[0]);
        MPI_Start(&requests[1]);
        MPI_Wait(&requests[1], &status);
        MPI_Wait(&requests[1], &status); /* inactive now */
        expect_empty(&status);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[1]);
}

/* Statuses go through their Fortran forms unchanged. */
static void check_fortran(void)
{
    MPI_Fint forms[sizeof(MPI_Status) / sizeof(MPI_Fint)];
    MPI_Status status, back;

    MPI_Sendrecv(&world_rank, 1, MPI_INT, world_rank, TAG_PLAIN, &forms[0], 1, MPI_INT, world_rank, TAG_PLAIN,
                 MPI_COMM_WORLD, &status);
    EXPECT(MPI_Status_c2f(&status, forms) == MPI_SUCCESS);
    EXPECT(MPI_Status_f2c(forms, &back) == MPI_SUCCESS);
    EXPECT(back.MPI_SOURCE == status.MPI_SOURCE && back.MPI_TAG == status.MPI_TAG);
}

int main(int argc, char **argv)
{
    int verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    partner = (world_rank ^ 1) < world_size ? world_rank ^ 1 : MPI_PROC_NULL;

    check_plain();
    check_counts();
    check_any();
    MPI_Barrier(MPI_COMM_WORLD); /* its receives take any message */
    check_any_posted();
    check_several_communicators();
    MPI_Barrier(MPI_COMM_WORLD);
    check_probes();
    check_cancel();
    check_nulls();
    check_inactive();
    check_fortran();

    verdict = expect_verdict("statuses", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
