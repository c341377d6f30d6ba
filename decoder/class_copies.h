/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of the classes of calls: one of those that are alike, of one function and place. A trace's own stay in memory
 * only while a cursor is in their segment. */
#ifndef DECODER_CLASS_COPIES_H
#define DECODER_CLASS_COPIES_H

#include <pilgrim/reader.h>

#define CLASS_COPY_BUCKETS 1024

struct class_copy {
    struct class_copy *next;
    uint64_t hash;
    struct pilgrim_class class;
    struct pilgrim_function function; /* its name only */
    struct pilgrim_frame *frames;
    uint64_t thread; /* for the user: the last thread that has it, ... */
    size_t first;    /* ... and its first class that is this one */
};

/* All zero: there are none. */
struct class_copies {
    struct class_copy *buckets[CLASS_COPY_BUCKETS];
};

/* The copy of CLASS, made if there is none. NULL: no memory. */
struct class_copy *copy_class(struct class_copies *copies, const struct pilgrim_class *class);
void class_copies_free(struct class_copies *copies);

#endif
