/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that CUDA allocates: which there is, and its names.
 *
 * Memory of a device, managed memory too, is `device:DEVICE:ID+OFFSET`: one pool of ids a device. Page-locked memory of
 * the host is memory of the host: `heap:ID+OFFSET`, its ids from the heap's pool. As on the heap, an allocation gets
 * its id when an MPI call first names it and gives it back when it is freed. Addresses of all devices are distinct
 * from each other and from the host's (unified addressing), so one ordered set of ranges holds them all.
 *
 * Any thread. A process that never allocates such memory pays one relaxed load a look-up. */
#ifndef PILGRIM_DEVICE_H
#define PILGRIM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/memory.h"

struct device_range {
    uintptr_t start, end;
    int64_t device;  /* also of page-locked memory: a reset of the device frees it */
    bool host;       /* page-locked */
    int64_t id;      /* -1: not named */
    uint64_t made;   /* counts up over all ranges */
    uint64_t buffer; /* 0: followed from its allocation to its end. Else the driver told of it, which calls it so. */
};

/* BYTES at START are an allocation from now on; what they overlap is gone. */
void device_allocated(uintptr_t start, size_t bytes, int64_t device, bool host);

/* Before memory is freed: takes out the allocation that begins at START, and keeps its id out of the pool. False: there
 * is none. Then device_freed, or, where freeing failed, device_resumed, which undoes it. */
bool device_suspended(uintptr_t start, struct device_range *range);
void device_freed(const struct device_range *range);
void device_resumed(const struct device_range *range);

/* The number of allocations made so far. */
uint64_t device_moment(void);

/* All that lay in [START, END) at MOMENT is gone, on DEVICE, or on any if that is negative. */
void device_gone(uintptr_t start, uintptr_t end, int64_t device, uint64_t moment);

/* The name of ADDRESS if it lies in an allocation that is followed, or right behind its last byte. */
bool device_name(const void *address, struct memory_name *name);

/* The name of ADDRESS in FOUND, as the driver told it: what was told of the same memory before keeps its id, what
 * had another `buffer` there is gone. */
void device_name_found(const void *address, const struct device_range *found, struct memory_name *name);

/* Around fork, so that the child finds the lock free. */
void device_fork_prepare(void);
void device_fork_done(void);

#endif
