/* SPDX-License-Identifier: BSD-3-Clause */
/* extensions: generalized requests that MPICH polls or waits for (MPIX_Grequest_...), one by one and of a class.
 * Another MPI does not have them. */
#include <mpi.h>

#include "expect.h"

#ifdef MPICH
enum { ROUNDS = 3, BYTES = 24, TAG = 6 };

static MPI_Request made[2];
static int polls;

static int on_query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_BYTE, BYTES);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = *(int *)state;
    status->MPI_TAG = TAG;
    return MPI_SUCCESS;
}

static int on_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int on_cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* The second time it is asked it is done. */
static int on_poll(void *state, MPI_Status *status)
{
    (void)status;
    return ++polls % 2 ? MPI_SUCCESS : MPI_Grequest_complete(made[*(int *)state]);
}

static int on_wait(int count, void **states, double timeout, MPI_Status *status)
{
    (void)timeout;
    (void)status;
    for (int i = 0; i < count; i++)
        MPI_Grequest_complete(made[*(int *)states[i]]);
    return MPI_SUCCESS;
}

static void requests(void)
{
    int states[2] = {0, 1}, flag;
    MPIX_Grequest_class class;
    MPI_Status status, statuses[2];
    for (int i = 0; i < ROUNDS; i++) {
        MPIX_Grequest_start(on_query, on_free, on_cancel, on_poll, on_wait, &states[i % 2], &made[i % 2]);
        MPI_Request copy = made[i % 2];
        MPI_Wait(&copy, &status);
        EXPECT(copy == MPI_REQUEST_NULL && status.MPI_SOURCE == i % 2 && status.MPI_TAG == TAG);
    }
    MPIX_Grequest_class_create(on_query, on_free, on_cancel, on_poll, on_wait, &class);
    for (int i = 0; i < 2; i++)
        MPIX_Grequest_class_allocate(class, &states[i], &made[i]);
    MPI_Request copies[2] = {made[0], made[1]};
    MPI_Waitall(2, copies, statuses);
    EXPECT(statuses[1].MPI_SOURCE == 1 && statuses[1].MPI_TAG == TAG);
    MPIX_Grequest_start(on_query, on_free, on_cancel, on_poll, on_wait, &states[0], &made[0]);
    MPI_Request polled = made[0];
    for (flag = 0; !flag;)
        MPI_Test(&polled, &flag, &status);
    EXPECT(polled == MPI_REQUEST_NULL && status.MPI_TAG == TAG);
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
#ifdef MPICH
    requests();
#endif
    int failures = expect_verdict("extensions", MPI_COMM_WORLD);
    MPI_Finalize();
    return failures != 0;
}
