/* SPDX-License-Identifier: BSD-3-Clause */
/* One of two traces: its threads, and for each structure group what its threads do. */
#ifndef PILGRIM_DIFF_SIDE_H
#define PILGRIM_DIFF_SIDE_H

#include "call_kinds.h"
#include "hashed_sequence.h"

/* A structure group of a trace with one segment. */
struct side_group {
    bool known;
    bool plain; /* its grammar says all of the structure: there are no stored loops, and each kind is one class */
    uint32_t class_count;
    uint32_t *classes; /* by class: its number for call_kinds_of */
    uint32_t *kinds;   /* by class, after the match */
    bool *dropped;     /* by class: failed polls that are ignored */
    bool read;
    struct hashed_sequence structure; /* valid if `read` */
};

struct side_thread {
    uint32_t rank, thread;
    uint32_t group; /* UINT32_MAX: it is to be walked */
};

struct diff_side {
    unsigned number; /* 0 or 1 */
    const struct pilgrim_trace *trace;
    struct call_kinds *kinds;
    bool ignore_polls;
    struct side_thread *threads; /* by rank, then by thread */
    size_t thread_count, thread_capacity;
    struct side_group *groups;
    size_t group_count;
};

/* Reads the threads of rank RANK, or UINT32_MAX: of all; and gives their classes to S->kinds. errors: as
 * pilgrim_cursor_next. S is to be freed in any case. */
enum pilgrim_status side_read(struct diff_side *s, uint32_t rank, struct pilgrim_error *error);
void side_free(struct diff_side *s);

/* Returns the group with that number; its structure is read. After call_kinds_match. NULL: an error. */
struct side_group *side_group(struct diff_side *s, uint32_t number, const struct pilgrim_cursor *cursor,
                              struct pilgrim_error *error);

/* Returns the index of the first thread of RANK; thread_count: it has none. */
size_t side_rank(const struct diff_side *s, uint32_t rank);

#endif
