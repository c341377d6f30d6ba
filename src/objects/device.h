/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA memory: the allocations there are, and their names.
 *
 * Memory of a device, managed memory included, is `device:DEVICE:ID+OFFSET`, with one pool of ids a device.
 * Page-locked memory of the host is memory of the host: `heap:ID+OFFSET`, with an id of the heap's pool. As on the
 * heap, an allocation gets its id when an MPI call first names it, and gives it back when it is freed. Addresses of
 * all devices differ from each other and from the host's (unified addressing), so one ordered set of ranges holds
 * them all.
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
    int64_t device;  /* set for page-locked memory, too: a reset of the device frees it */
    bool host;       /* page-locked memory of the host */
    int64_t id;      /* -1: not named */
    uint64_t made;   /* counts the ranges made before */
    uint64_t buffer; /* 0: its allocation was seen. Else the driver reported it, under this number */
};

/* Adds the allocation of BYTES at START. Older ranges that it overlaps are gone. */
void device_allocated(uintptr_t start, size_t bytes, int64_t device, bool host);

/* Removes the allocation that begins at START from the set, before it is freed, but keeps its id out of the pool.
 * False: there is none. Afterwards call device_freed, or device_resumed, which undoes it, if freeing failed. */
bool device_suspended(uintptr_t start, struct device_range *range);
void device_freed(const struct device_range *range);
void device_resumed(const struct device_range *range);

/* Returns the number of allocations made so far: a moment for device_gone. */
uint64_t device_moment(void);

/* Removes all allocations that overlap [START, END) and were made before MOMENT: those of DEVICE, or of all devices
 * if it is negative. */
void device_gone(uintptr_t start, uintptr_t end, int64_t device, uint64_t moment);

/* True if there ever was such an allocation. */
bool device_used(void);

/* Puts the name of ADDRESS into *NAME if it lies in an allocation that was seen, or right behind its last byte.
 * False: it does not. */
bool device_name(const void *address, struct memory_name *name);

/* Puts the name of ADDRESS into *NAME. It lies in FOUND, which the driver reported. If the driver reported the same
 * range before, it keeps its id. A range there with another `buffer` is gone. */
void device_name_found(const void *address, const struct device_range *found, struct memory_name *name);

/* Around fork, so that the child finds the lock free. */
void device_fork_prepare(void);
void device_fork_done(void);

#endif
