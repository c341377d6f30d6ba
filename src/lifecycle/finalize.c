/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Finalize: the recording ends, and the trace is written.
 *
 * MPI_Finalize first deletes the attributes of MPI_COMM_SELF, the last one set first, and calls what the program has
 * given it for that. Libraries close their files and free their communicators there. These calls are the program's. So
 * before the program sets its first attribute of MPI_COMM_SELF, Pilgrim sets one of its own, which is deleted last:
 * then MPI still works, and nobody but MPI will call it. */
#include "lifecycle/finalize.h"

#include <pthread.h>
#include <stdatomic.h>

#include "lifecycle/init.h"
#include "process/capture.h"
#include "process/short_memory.h"
#include "process/thread.h"
#include "wrap/call_cold.h"

static atomic_bool watched; /* MPI_Finalize will call self_deleted */

/* MPI_Finalize's call, which self_deleted is to end. */
static struct {
    struct call *call;
    uint8_t *at;
} finalizing;

static void finish(void)
{
    if (atomic_load(&capture.off) & (OFF_UNLOADED | OFF_SETTING | OFF_FINISHED | OFF_CHILD) || !capture.initialized)
        return;
    atomic_fetch_or(&capture.off, OFF_FINISHED);
    short_memory_end();
    threads_settle();
    if (atomic_load(&capture.off) & OFF_FAILED)
        threads_stop();
    journal_end(JOURNAL_FINALIZE, 0, NULL);
    capture_finish();
}

void capture_end(struct call *c, uint8_t *at)
{
    if (c) {
        call_leave_value(c);
        call_done(c, store_none(at, 1));
    }
    finish();
}

static int self_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    struct call *c = finalizing.call;
    (void)comm, (void)key, (void)value, (void)extra;
    finalizing.call = NULL;
    capture_end(c, finalizing.at);
    return MPI_SUCCESS;
}

static int self_copied(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *copied)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)copy;
    *copied = 0;
    return MPI_SUCCESS;
}

void finalize_watch(void)
{
    int key = MPI_KEYVAL_INVALID;
    if (atomic_exchange(&watched, true))
        return;
    if (PMPI_Comm_create_keyval(self_copied, self_deleted, &key, NULL) != MPI_SUCCESS) {
        atomic_store(&watched, false);
        return;
    }
    atomic_store(&watched, PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS);
    (void)PMPI_Comm_free_keyval(&key);
}

void capture_attribute(MPI_Comm comm)
{
    if (comm == MPI_COMM_SELF && capture.initialized && capture_has_begun())
        finalize_watch();
}

void capture_finalize(struct call *c, uint8_t *at)
{
    finalizing.call = c;
    finalizing.at = at;
    if (!atomic_load(&watched))
        (void)self_deleted(MPI_COMM_SELF, MPI_KEYVAL_INVALID, NULL, NULL);
}

/* If a function of the program has failed, MPI may not have called self_deleted. */
void capture_finalized(void)
{
    int finalized = 1;
    if (!finalizing.call)
        return;
    if (PMPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) {
        (void)self_deleted(MPI_COMM_SELF, MPI_KEYVAL_INVALID, NULL, NULL);
        return;
    }
    call_leave_value(finalizing.call);
    call_done(finalizing.call, store_none(finalizing.at, 1));
    finalizing.call = NULL;
}
