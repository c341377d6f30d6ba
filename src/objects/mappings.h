/* SPDX-License-Identifier: BSD-3-Clause */
/* Mapped memory (mmap) as an ordered set of address ranges. It has no lock: heap.c holds its own.
 *
 * A mapping of which a part is unmapped keeps its name: its pieces share id and base. */
#ifndef PILGRIM_MAPPINGS_H
#define PILGRIM_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_mapping {
    uintptr_t start;
    uintptr_t end;
    uintptr_t base;  /* where the mapping began when it was made */
    uint64_t serial; /* the mapping's number, the same for all of its pieces */
    int64_t id;      /* -1: not named */
};

/* All zero is an empty set. */
struct mappings {
    struct memory_mapping *ranges; /* by address; no two overlap */
    size_t count;
    size_t capacity;
    uint64_t made; /* mappings so far */
};

/* Adds a range that overlaps no other. False: memory is short. */
bool mappings_add(struct mappings *m, uintptr_t start, uintptr_t end);

/* Removes [START, END) from the first range that it overlaps. False: it overlaps none. *ID: the id that no range has
 * any longer, or -1. If a range cannot be split because memory is short, its rear part is removed, too. */
bool mappings_cut(struct mappings *m, uintptr_t start, uintptr_t end, int64_t *id);

/* The same for ranges of the first MADE mappings only. */
bool mappings_cut_old(struct mappings *m, uintptr_t start, uintptr_t end, uint64_t made, int64_t *id);

/* Returns the range that ADDRESS lies in, or NULL. The pointer is valid until the next change. */
struct memory_mapping *mappings_find(struct mappings *m, uintptr_t address);

/* Returns a range of the mapping with this number, or NULL. */
struct memory_mapping *mappings_of(struct mappings *m, uint64_t serial);

/* Gives ID to all pieces of RANGE's mapping. */
void mappings_name(struct mappings *m, struct memory_mapping *range, int64_t id);

#endif
