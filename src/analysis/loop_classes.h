/* SPDX-License-Identifier: BSD-3-Clause */
/* What the loops of a thread (thread_loops.h) are made of: its call classes, how long their calls took, and the texts
 * of its markers. */
#ifndef ANALYSIS_LOOP_CLASSES_H
#define ANALYSIS_LOOP_CLASSES_H

#include "analysis/class_copies.h"
#include "analysis/phase_texts.h"

/* What classes of all threads share. Made with its trace; the rest all zero. */
struct loop_reader {
    const struct pilgrim_trace *trace;
    bool by_rank; /* times are to be those of each thread's rank */
    struct class_copies classes;
    struct texts markers;
    uint64_t threads; /* how many threads were read */
};

void loop_reader_free(struct loop_reader *r);

/* True if all threads of THREAD's structure group have equal loops, so that one of them is read for all. */
bool loop_reader_alike(const struct loop_reader *r, const struct pilgrim_thread_info *thread);

/* A class of a thread in one segment. Classes with the same function and call site, such as failed polls and other
 * polls, are shown as the first of them. */
struct loop_class {
    const struct class_copy *class;
    bool is_loop; /* it stands for a stored loop */
    size_t shown_as;
    uint64_t calls;
    double mean_ns, gap_ns;  /* means of a call and of the gap before it */
    bool has_ns, has_gap_ns; /* the sums over all calls are known: */
    double all_ns, all_gap_ns;
    struct phase_texts phases;
};

/* The classes of a thread, segment by segment. */
struct loop_classes {
    struct loop_class *classes;
    size_t count;
    size_t *first; /* by segment: the index of its first class */
};

void loop_classes_free(struct loop_classes *k);

/* Reads the classes of CURSOR's thread in all segments; moves the cursor. *SEEN is to be freed, also after an error.
 * errors: as pilgrim_cursor_next */
enum pilgrim_status loop_classes_read(struct loop_classes *seen, struct loop_reader *r, uint32_t rank,
                                      struct pilgrim_cursor *cursor, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Sets the times of the classes to those of the thread's own calls, if these have times: they are read. errors: as
 * pilgrim_cursor_next */
enum pilgrim_status loop_classes_time(struct loop_classes *seen, const struct loop_reader *r, uint32_t rank,
                                      uint32_t thread, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
