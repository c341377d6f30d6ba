/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA memory as ranges in an ordered array; see device.h. CUDA takes microseconds and more for an allocation, so an
 * insertion that moves the tail of the array does not show. */
#include "objects/device.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "objects/heap.h"
#include "objects/pages.h"
#include "objects/pool.h"
#include "objects/sharing.h"

enum { POOLS = 64 }; /* devices from number 63 on share a pool; their ids are still unique */

static atomic_bool used; /* there was a range */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static struct device_range *ranges; /* by address; no two overlap */
static size_t count, capacity;
static uint64_t made;
static struct pool pools[POOLS];

/* ---- the array ---- */

/* Returns the index of the first range that ends after ADDRESS. */
static size_t first_after(uintptr_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the range that ADDRESS lies in; NULL: none. A range that ends at ADDRESS counts, for an empty buffer
 * behind the last element, unless other memory begins there. */
static struct device_range *range_at(uintptr_t address)
{
    size_t i = first_after(address);
    if (i < count && ranges[i].start <= address)
        return &ranges[i];
    bool behind = i > 0 && ranges[i - 1].end == address && !heap_begins((const void *)address);
    return behind ? &ranges[i - 1] : NULL;
}

static struct device_range *insert(const struct device_range *range)
{
    enum { FIRST_CAPACITY = 64 };
    if (count == capacity) {
        size_t before = capacity * sizeof *ranges, bytes = before ? 2 * before : FIRST_CAPACITY * sizeof *ranges;
        struct device_range *more = before ? pages_grow(ranges, before, bytes) : pages_take(bytes);
        if (!more)
            return NULL;
        ranges = more;
        capacity = bytes / sizeof *ranges;
    }
    size_t at = first_after(range->start);
    memmove(&ranges[at + 1], &ranges[at], (count - at) * sizeof *ranges);
    ranges[at] = *range;
    count++;
    atomic_store_explicit(&used, true, memory_order_relaxed);
    return &ranges[at];
}

static void take_out(size_t at, struct device_range *range)
{
    *range = ranges[at];
    memmove(&ranges[at], &ranges[at + 1], (count - at - 1) * sizeof *ranges);
    count--;
    if (range->id >= 0)
        atomic_fetch_add(&memory_generation, 1);
}

/* ---- ids ---- */

static struct pool *pool_of(int64_t device)
{
    return &pools[device < 0 ? 0 : device < POOLS ? device : POOLS - 1];
}

static bool id_take(struct device_range *range)
{
    if (range->id < 0)
        range->id = range->host ? heap_id_take() : pool_take(pool_of(range->device));
    if (range->id < 0)
        objects_fail();
    return range->id >= 0;
}

/* errno belongs to the program, and the release hook may change it. */
void device_freed(const struct device_range *range)
{
    char word[32];
    int saved = errno;
    if (range->id < 0)
        return;
    if (range->host) {
        objects_tell_released("heap", range->id);
        heap_id_give(range->id);
    } else {
        snprintf(word, sizeof word, "device:%lld", (long long)range->device);
        objects_tell_released(word, range->id);
        pthread_mutex_lock(&lock);
        pool_give(pool_of(range->device), range->id);
        pthread_mutex_unlock(&lock);
    }
    errno = saved;
}

/* ---- allocating and freeing ---- */

uint64_t device_moment(void)
{
    pthread_mutex_lock(&lock);
    uint64_t moment = made;
    pthread_mutex_unlock(&lock);
    return moment;
}

void device_gone(uintptr_t start, uintptr_t end, int64_t device, uint64_t moment)
{
    for (bool more = atomic_load_explicit(&used, memory_order_relaxed); more;) {
        struct device_range range;
        more = false;
        pthread_mutex_lock(&lock);
        for (size_t i = first_after(start); i < count && ranges[i].start < end && !more; i++) {
            more = ranges[i].made < moment && (device < 0 || ranges[i].device == device);
            if (more)
                take_out(i, &range);
        }
        pthread_mutex_unlock(&lock);
        if (more)
            device_freed(&range);
    }
}

static void add(struct device_range *range)
{
    device_gone(range->start, range->end, -1, UINT64_MAX);
    pthread_mutex_lock(&lock);
    range->made = made++;
    (void)insert(range); /* if memory is short, the allocation counts as unknown memory */
    pthread_mutex_unlock(&lock);
}

void device_allocated(uintptr_t start, size_t bytes, int64_t device, bool host)
{
    uintptr_t end;
    if (!start || __builtin_add_overflow(start, bytes ? bytes : 1, &end))
        return;
    struct device_range range = {.start = start, .end = end, .device = device < 0 ? 0 : device, .host = host, .id = -1};
    add(&range);
    /* The address may lie in address space that the driver mapped, and may have a name as a part of that. */
    atomic_fetch_add(&memory_generation, 1);
}

bool device_suspended(uintptr_t start, struct device_range *range)
{
    if (!atomic_load_explicit(&used, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&lock);
    size_t i = first_after(start);
    bool found = i < count && ranges[i].start == start;
    if (found)
        take_out(i, range);
    pthread_mutex_unlock(&lock);
    return found;
}

void device_resumed(const struct device_range *range)
{
    pthread_mutex_lock(&lock);
    size_t i = first_after(range->start);
    bool taken = i < count && ranges[i].start < range->end;
    bool kept = !taken && insert(range);
    pthread_mutex_unlock(&lock);
    if (!kept)
        device_freed(range);
}

/* ---- names ---- */

static void name_in(const struct device_range *range, uintptr_t address, struct memory_name *name)
{
    *name = (struct memory_name){.space = range->host ? MEMORY_HEAP : MEMORY_DEVICE,
                                 .device = range->host ? 0 : range->device,
                                 .id = range->id,
                                 .offset = (int64_t)(address - range->start)};
}

bool device_used(void)
{
    return atomic_load_explicit(&used, memory_order_relaxed);
}

bool device_name(const void *address, struct memory_name *name)
{
    if (!device_used())
        return false;
    pthread_mutex_lock(&lock);
    struct device_range *range = range_at((uintptr_t)address);
    bool found = range && !range->buffer && id_take(range);
    if (found)
        name_in(range, (uintptr_t)address, name);
    pthread_mutex_unlock(&lock);
    return found;
}

static bool name_known(uintptr_t address, const struct device_range *found, struct memory_name *name)
{
    pthread_mutex_lock(&lock);
    struct device_range *range = range_at(found->start);
    bool known = range && range->start == found->start && range->end == found->end && range->buffer == found->buffer &&
                 range->device == found->device && range->host == found->host && id_take(range);
    if (known)
        name_in(range, address, name);
    pthread_mutex_unlock(&lock);
    return known;
}

void device_name_found(const void *address, const struct device_range *found, struct memory_name *name)
{
    if (name_known((uintptr_t)address, found, name))
        return;
    struct device_range range = *found;
    range.id = -1;
    add(&range);
    if (name_known((uintptr_t)address, found, name))
        return;
    objects_fail();
    name_in(&range, (uintptr_t)address, name);
}

void device_fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

void device_fork_done(void)
{
    pthread_mutex_unlock(&lock);
}
