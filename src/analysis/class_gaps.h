/* SPDX-License-Identifier: BSD-3-Clause */
/* The gaps before a thread's calls as a profile has them: by the call's class and by the class before. For tools that
 * need times of single calls where the trace has none. */
#ifndef ANALYSIS_CLASS_GAPS_H
#define ANALYSIS_CLASS_GAPS_H

#include <pilgrim/reader.h>

/* The gaps before calls of one class, behind calls of one class. */
struct class_gap {
    struct class_gap *next;
    uint64_t before;
    struct pilgrim_statistic statistic; /* of these gaps, or of all before that class; count 0: nothing is known */
    /* the rest is the caller's, 0 at first */
    double scale, counted;
    uint64_t gaps, step, at;
    int lowest;
    bool prepared;
};

struct class_gaps_class {
    struct class_gap *gaps;
    bool known; /* the last three are the caller's, 0 at first */
    double duration_ns, gap_scale;
};

/* Walks over a thread, run by run: calls of one class that follow each other. All zero: closed. */
struct class_gaps {
    struct pilgrim_cursor *cursor;
    uint32_t rank, thread;
    size_t class_number; /* of the next calls, ... */
    uint64_t left;       /* ... so many of them */
    uint64_t before;     /* class of the last call */
    uint32_t segment;
    struct class_gaps_class *classes; /* of the segment */
    size_t count;
};

/* Begins at the first call of a thread. To be closed also after errors. errors: as pilgrim_cursor_open */
enum pilgrim_status class_gaps_open(struct class_gaps *g, const struct pilgrim_trace *trace, uint32_t rank,
                                    uint32_t thread, struct pilgrim_error *error) PILGRIM_CHECKED;
void class_gaps_close(struct class_gaps *g);

/* Goes back to call SEQ. In a trace of one segment, what the caller noted of gaps and classes stays. errors: as
 * pilgrim_cursor_open */
enum pilgrim_status class_gaps_go_to(struct class_gaps *g, const struct pilgrim_trace *trace, uint64_t seq,
                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* Comes to the class of the next call, if the run is over. errors: as pilgrim_cursor_pass */
enum pilgrim_status class_gaps_come(struct class_gaps *g, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the class of the next call, and the gaps before it. Borrowed until the next segment. NULL: no memory. */
struct class_gaps_class *class_gaps_class(struct class_gaps *g);
struct class_gap *class_gaps_find(struct class_gaps *g);

/* Sets by what the means of a class are to be multiplied to be those of this rank: of the gaps before its calls, and of
 * what these take. 1: the trace has none of its own. */
void class_gaps_own(const struct class_gaps *g, size_t class_number, double *gap_scale, double *duration_scale);

/* Goes over N calls of the run, at most those that are left. */
void class_gaps_go(struct class_gaps *g, uint64_t n);

/* Returns how many calls of a class the thread of the cursor makes in the segment; VALUES: as pilgrim_class_info has
 * it. */
uint64_t class_gaps_calls(const struct pilgrim_cursor *cursor, uint64_t values);

#endif
