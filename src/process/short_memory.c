/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens when the process has no memory left; see short_memory.h.
 *
 * Whoever asks for memory may be in the middle of anything: the program, MPI inside a call, or Pilgrim itself. So
 * inside a call only the reserve is given back, which nobody uses. It lets the call come to its end, where the thread
 * writes what it has recorded to a file. Between calls a thread does so at once. If there is no reserve after that,
 * recording stops, and all memory is given back. A request that is larger than all of this fails as it would without
 * Pilgrim, and changes nothing: some programs try how much there is. */
#include "process/short_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "objects/heap.h"
#include "process/capture.h"
#include "process/spill.h"

enum { RESERVE_BYTES = 1 << 20 }; /* of address space: it is not touched */

static _Atomic(void *) reserve;

static void stop(struct thread *t)
{
    capture_fail("out of memory");
    thread_stops(t);
}

/* Returns how many bytes the calling thread can give back now, besides the reserve. */
static size_t recorded_bytes(const struct thread *t, unsigned off)
{
    bool between = capture.initialized && t && !t->inside && t->stream && !(off & (OFF_FINISHED | OFF_CHILD));
    return between ? stream_memory_bytes(t->stream) + t->log.bytes : 0;
}

/* Gives back what T, which is inside no call, has recorded. */
static void give_back_recorded(struct thread *t, unsigned off)
{
    thread_enter(t);
    if (off & OFF_FAILED || !spill_now(t))
        stop(t);
    thread_leave(t);
    t->grown = true;
}

/* heap_short_hook */
static bool give_back(size_t wanted)
{
    unsigned off = atomic_load(&capture.off);
    struct thread *t = thread_now;
    size_t recorded = recorded_bytes(t, off);
    if (wanted > recorded + (atomic_load(&reserve) ? RESERVE_BYTES : 0))
        return false;
    free(atomic_exchange(&reserve, NULL));
    if (recorded)
        give_back_recorded(t, off);
    else if (t)
        t->grown = true; /* short_memory_settle */
    else if (!(off & (OFF_FINISHED | OFF_CHILD)))
        capture_fail("out of memory"); /* each thread gives back what it has at its next call */
    return true;
}

static bool take_reserve(void)
{
    void *block = malloc(RESERVE_BYTES);
    atomic_store(&reserve, block);
    return block;
}

void short_memory_begin(void)
{
    (void)take_reserve();
    heap_short_hook = give_back;
}

bool short_memory_settle(struct thread *t)
{
    if (!heap_short_hook || atomic_load(&reserve) || take_reserve() || (spill_now(t) && take_reserve()))
        return true;
    stop(t);
    return false;
}

void short_memory_end(void)
{
    free(atomic_exchange(&reserve, NULL));
}
