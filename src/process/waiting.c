/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting by polling; see waiting.h. */
#include "process/waiting.h"

#include <sched.h>
#include <stddef.h>
#include <time.h>

#include "process/capture.h"

enum { PROBES = 8 };

/* At first the process only yields the processor. After NAP_FROM_NS it sleeps for an eighth of the time waited so far,
 * at most NAP_MAX_NS. */
#define NAP_FROM_NS 100000
#define NAP_PART    8
#define NAP_MAX_NS  1000000

int64_t waiting_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * WAITING_SECOND_NS + t.tv_nsec;
}

static void rest(int64_t waited_ns)
{
    int64_t nap = waited_ns / NAP_PART;
    if (waited_ns < NAP_FROM_NS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = nap < NAP_MAX_NS ? nap : NAP_MAX_NS}, NULL);
}

bool waiting_until(MPI_Request *request, int64_t end_ns)
{
    int64_t begin_ns = waiting_now_ns(), time_ns;
    int done = 0;
    do {
        if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
        if (done)
            return true;
        time_ns = waiting_now_ns();
        rest(time_ns - begin_ns);
    } while (time_ns < end_ns);
    return false;
}

bool waiting_for(MPI_Request *request, bool receives, int64_t end_ns)
{
    if (waiting_until(request, end_ns))
        return true;
    if (*request != MPI_REQUEST_NULL) {
        if (receives)
            PMPI_Cancel(request);
        PMPI_Request_free(request);
    }
    return false;
}

bool waiting_has_sent(int rank, int tag)
{
    int flag = 0;
    for (int i = 0; i < PROBES && !flag; i++)
        if (PMPI_Iprobe(rank, tag, capture.comm, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    return flag;
}
