/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a run that was killed; see replay_ending.h. */
#include "replay_ending.h"

#include <mpi.h>
#include <unistd.h>

#include "replay_thread.h"

enum { GRACE_MS = 1000, LOOK_US = 1000 };

static MPI_Comm communicator = MPI_COMM_NULL;
static MPI_Request arrived[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static uint64_t own[ENDING_COUNTS], sums[ENDING_COUNTS];
static int speaker, lowest; /* the lowest rank that was in no call */
static bool begun;

void replay_counts_list(const struct replay_counts *c, uint64_t list[ENDING_COUNTS])
{
    const uint64_t numbers[ENDING_COUNTS] = {c->calls,          c->failed,     c->not_replayed, c->impossible,
                                             c->free_wildcards, c->new_errors, c->parted};
    for (int i = 0; i < ENDING_COUNTS; i++)
        list[i] += numbers[i];
}

void ending_begin(struct replay_process *r)
{
    if (r->killed)
        PMPI_Comm_dup(MPI_COMM_WORLD, &communicator);
}

bool ending_in_flight(const struct replay_process *r, const struct pilgrim_call *call)
{
    return r->killed && call->thread == 0 && call->ret.type == PILGRIM_NONE && call->function->returns_error_code &&
           call->seq + 1 == pilgrim_call_count(r->trace, call->rank, 0);
}

void ending_arrive(struct replay_process *r, const struct replay_counts *counts, bool in_flight)
{
    if (!r->killed || begun)
        return;
    begun = true;
    replay_counts_list(&r->counts, own);
    if (counts)
        replay_counts_list(counts, own);
    speaker = in_flight ? r->ranks : r->rank;
    PMPI_Iallreduce(own, sums, ENDING_COUNTS, MPI_UINT64_T, MPI_SUM, communicator, &arrived[0]);
    PMPI_Iallreduce(&speaker, &lowest, 1, MPI_INT, MPI_MIN, communicator, &arrived[1]);
}

bool ending_all(struct replay_process *r)
{
    MPI_Request through;
    int done = 0;
    ending_arrive(r, NULL, false);
    PMPI_Waitall(2, arrived, MPI_STATUSES_IGNORE);
    PMPI_Ibarrier(communicator, &through);
    for (int ms = 0; ms < GRACE_MS; ms++) {
        PMPI_Test(&through, &done, MPI_STATUS_IGNORE);
        if (done)
            break;
        usleep(LOOK_US);
    }
    return done;
}

const uint64_t *ending_sums(void)
{
    return sums;
}

bool ending_speaks(const struct replay_process *r)
{
    return lowest == r->rank || lowest == r->ranks;
}
