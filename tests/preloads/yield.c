/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload for tests only: gives the processor away whenever UCX found nothing to do.
 *
 * MPICH (ch4:ucx) waits by calling ucp_worker_progress in a loop. With 9 to 27 ranks on two cores each
 * waiting rank burns its whole time slice while the rank it waits for is not running. Yielding after an
 * empty poll changes no result, only who runs next. It must come first in LD_PRELOAD or anywhere before
 * libucp; if the real function is missing (another MPI, another device) nothing is intercepted, because
 * nothing calls this one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

typedef unsigned (*progress_function)(void *worker);

unsigned ucp_worker_progress(void *worker);

static _Atomic(progress_function) real_progress;

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

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker)
{
    progress_function real = atomic_load_explicit(&real_progress, memory_order_relaxed);
    unsigned events = 0;

    if (real == NULL)
        real = progress_find();
    if (real != NULL)
        events = real(worker);
    if (events == 0)
        sched_yield();
    return events;
}
