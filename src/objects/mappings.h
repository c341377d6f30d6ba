/* SPDX-License-Identifier: BSD-3-Clause */
/* Mapped memory (mmap) as ranges of addresses, in order. No locking: heap.c holds its lock.
 *
 * A mapping that is unmapped in part goes on under its name: its pieces share id and base. */
#ifndef PILGRIM_MAPPINGS_H
#define PILGRIM_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_mapping {
    uintptr_t start;
    uintptr_t end;
    uintptr_t base;  /* where the mapping began when it was made */
    uint64_t serial; /* the same for all pieces of one mapping */
    int64_t id;      /* -1: not named */
};

/* All zero is an empty set. */
struct mappings {
    struct memory_mapping *ranges; /* by address, no two overlap */
    size_t count;
    size_t capacity;
    uint64_t made; /* mappings so far */
};

/* Adds a range that overlaps none. False where memory is short. */
bool mappings_add(struct mappings *m, uintptr_t start, uintptr_t end);

/* Takes [START, END) out of the first range that it overlaps. False where it overlaps none. *ID is then the id
 * that no range has any longer, or -1. Where a range cannot be split for want of memory its rear part goes, too. */
bool mappings_cut(struct mappings *m, uintptr_t start, uintptr_t end, int64_t *id);

/* The range that ADDRESS lies in, or NULL; valid until the next change. */
struct memory_mapping *mappings_find(struct mappings *m, uintptr_t address);

/* A range of the mapping with this number, or NULL. */
struct memory_mapping *mappings_of(struct mappings *m, uint64_t serial);

void mappings_name(struct mappings *m, struct memory_mapping *range,
                   int64_t id); /* names all pieces of RANGE's mapping */

#endif
