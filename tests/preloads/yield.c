/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload for tests only: gives the processor away whenever UCX found nothing to do, in a process of which one thread
 * waits.
 *
 * MPICH (ch4:ucx) waits by calling ucp_worker_progress in a loop. With 9 to 27 ranks on two cores each waiting rank
 * burns its whole time slice while the rank it waits for is not running. Yielding after an empty poll changes no
 * result, only who runs next. It must come first in LD_PRELOAD or anywhere before libucp; if the real function is
 * missing (another MPI, another device) nothing is intercepted, because nothing calls this one. naps.c is the same, but
 * who has found nothing for a while sleeps.
 *
 * MPICH calls it with its lock held. Where several threads call MPI, who gives the processor away here keeps the others
 * from that lock, and in time all ranks wait for threads that never get it. So from the second thread on nothing is
 * done: with MPI_THREAD_MULTIPLE MPICH itself yields after each poll, when it has released the lock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

typedef unsigned (*progress_function)(void *worker);

unsigned ucp_worker_progress(void *worker);

static _Atomic(progress_function) real_progress;
static atomic_uint pollers; /* threads that have polled */

static progress_function progress_find(void)
{
    progress_function found = NULL;
    void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress"), *library;

    if (symbol == NULL) { /* MPI came with a plugin, for its eyes only */
        library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        symbol = library != NULL ? dlsym(library, "ucp_worker_progress") : NULL;
    }

    /* ISO C has no cast from an object pointer to a function pointer; POSIX guarantees the bytes agree. */
    memcpy(&found, &symbol, sizeof found);
    atomic_store_explicit(&real_progress, found, memory_order_relaxed);
    return found;
}

#ifdef NAP_NS
/* So many empty polls in a row: the others have had their turns, and what is waited for takes longer. */
enum { EMPTY_MAX = 20 };

static void give_away(unsigned events)
{
    static _Thread_local unsigned empty;
    static const struct timespec nap = {.tv_nsec = NAP_NS};

    if (events > 0)
        empty = 0;
    else if (++empty < EMPTY_MAX)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}
#else
static void give_away(unsigned events)
{
    if (events == 0)
        sched_yield();
}
#endif

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker)
{
    progress_function real = atomic_load_explicit(&real_progress, memory_order_relaxed);
    static _Thread_local int counted;
    unsigned events = 0;

    if (!counted) {
        counted = 1;
        atomic_fetch_add_explicit(&pollers, 1, memory_order_relaxed);
    }
    if (real == NULL)
        real = progress_find();
    if (real != NULL)
        events = real(worker);
    if (atomic_load_explicit(&pollers, memory_order_relaxed) == 1)
        give_away(events);
    return events;
}
