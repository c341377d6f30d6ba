/* SPDX-License-Identifier: BSD-3-Clause */
/* Which distributions of a profile are slight, and which slight ones share their times (docs/FORMAT.md, section 6).
 *
 * A program may come to a call site by hundreds of paths, each with next to nothing of the run's time, and mostly
 * alike. Such distributions of one place, a function and a call site, get one mean and one longest time. Their total
 * stays what it was. One for which the shared mean would be too wrong keeps its own. */
#ifndef PILGRIM_PROFILE_SHARED_H
#define PILGRIM_PROFILE_SHARED_H

#include "timing/profile_model.h"
#include "write/profile_parts.h"

/* What slight distributions of a place have in common. */
struct shared_times {
    struct distribution all; /* the times of those that share */
    uint32_t count;          /* how many they are */
    double mean;             /* ns: those whose mean is too far off this one have their own */
    bool written;            /* for the writer; false at first */
};

struct profile_shared {
    const struct profile_parts *parts;
    double slight;         /* ns: a distribution of less time is slight ... */
    double slight_longest; /* ... if its longest is shorter than this */
    uint32_t *places;      /* by class */
    struct shared_times (*by_place)[PROFILE_KINDS];
};

/* PARTS: of F; borrowed. The caller frees *SHARED, also after an error. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status profile_shared_make(const struct fragment *f, const struct profile_parts *parts,
                                        struct profile_shared *shared) PILGRIM_CHECKED;
void profile_shared_free(struct profile_shared *shared);

/* True if D matters so little that it is stored as slight. */
bool profile_is_slight(const struct profile_shared *shared, const struct distribution *d);

/* Returns the times that D, a slight distribution of CLASS, has in common with others. They are borrowed, and the
 * caller may set `written`. NULL: it has its own. */
struct shared_times *profile_shared_of(const struct profile_shared *shared, uint32_t class, enum profile_kind kind,
                                       const struct distribution *d);

#endif
