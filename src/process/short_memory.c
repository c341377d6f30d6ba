/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens when the process has no memory left; see short_memory.h.
 *
 * Whoever asks for memory may be in the middle of anything: the program, MPI inside a call, or Pilgrim itself. So
 * inside a call only the reserve is given back, which nobody uses. It lets the call come to its end, where the thread
 * gives back what it has recorded. Between calls a thread does so at once. A request that is larger than all of this
 * fails as it would without Pilgrim, and changes nothing: some programs try how much there is. */
#include "process/short_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "objects/heap.h"
#include "process/capture.h"
#include "process/thread.h"

enum { RESERVE_BYTES = 1 << 20 }; /* of address space: it is not touched */

static _Atomic(void *) reserve;

/* Returns how many bytes the calling thread can give back now. */
static size_t recorded_bytes(const struct thread *t)
{
    return capture.initialized && t && !t->inside && t->stream ? stream_memory_bytes(t->stream) + t->log.bytes : 0;
}

static bool give_back(size_t wanted)
{
    unsigned off = atomic_load(&capture.off);
    struct thread *t = thread_now;
    size_t recorded = off & (OFF_FINISHED | OFF_CHILD) ? 0 : recorded_bytes(t);
    if (wanted > recorded + (atomic_load(&reserve) ? RESERVE_BYTES : 0))
        return false;
    free(atomic_exchange(&reserve, NULL));
    if (off & (OFF_FINISHED | OFF_CHILD))
        return true;
    capture_fail("out of memory");
    if (recorded)
        thread_stops(t);
    return true;
}

void short_memory_begin(void)
{
    atomic_store(&reserve, malloc(RESERVE_BYTES));
    heap_short_hook = give_back;
}

void short_memory_end(void)
{
    free(atomic_exchange(&reserve, NULL));
}
