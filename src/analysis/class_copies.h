/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of call classes, one for all classes that have the same function and call site. They stay valid; a trace's own
 * classes stay in memory only while a cursor is in their segment. */
#ifndef ANALYSIS_CLASS_COPIES_H
#define ANALYSIS_CLASS_COPIES_H

#include <pilgrim/reader.h>

#define CLASS_COPY_BUCKETS 1024

struct class_copy {
    struct class_copy *next;
    uint64_t hash;
    struct pilgrim_class class;
    struct pilgrim_function function; /* only the name is set */
    struct pilgrim_frame *frames;
    uint64_t thread; /* for the user of the copies: the last thread that has this class, ... */
    size_t first;    /* ... and the number of its first class that equals this one */
};

/* All zero: there are no copies. */
struct class_copies {
    bool sites_only; /* classes whose paths differ, but not their call sites, have one copy, without a path */
    struct class_copy *buckets[CLASS_COPY_BUCKETS];
};

/* Returns the copy of CLASS, and makes it if there is none. Borrowed until class_copies_free. NULL: no memory. */
struct class_copy *copy_class(struct class_copies *copies, const struct pilgrim_class *class);
void class_copies_free(struct class_copies *copies);

#endif
