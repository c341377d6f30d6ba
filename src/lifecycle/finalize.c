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
    bool begun, ended; /* it; the recording in it */
    int error;         /* of the program's function that deleted an attribute last */
    struct call *call; /* NULL: it is not recorded */
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

static void end_call(struct call *c, uint8_t *at)
{
    if (!c)
        return;
    call_leave_value(c);
    call_done(c, store_none(at, 1));
}

void capture_end(struct call *c, uint8_t *at)
{
    end_call(c, at);
    finish();
}

static void end(void)
{
    if (finalizing.ended)
        return;
    finalizing.ended = true;
    capture_end(finalizing.call, finalizing.at);
}

/* Where several functions are called, MPICH fails if the last one does: so this one must have the result of the one
 * before. */
static int self_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    end();
    return finalizing.error;
}

/* True if the thread is in a call that one of these functions makes. */
static bool is_in_call(void)
{
    const struct thread *t = thread_now;
    if (t && finalizing.call)
        t = t->nested;
    return t && t->inside;
}

void finalize_deletes(int error)
{
    if (!finalizing.begun || is_in_call())
        return;
    finalizing.error = error;
    if (error != MPI_SUCCESS)
        end();
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
    finalizing.begun = true;
    finalizing.call = c;
    finalizing.at = at;
    if (!atomic_load(&watched))
        end();
}

/* If a function that deletes an attribute has failed that Pilgrim does not know, MPI may not have called self_deleted.
 */
void capture_finalized(void)
{
    int finalized = 1;
    if (finalizing.ended)
        return;
    if (PMPI_Finalized(&finalized) == MPI_SUCCESS && !finalized)
        end();
    else
        end_call(finalizing.call, finalizing.at);
}
