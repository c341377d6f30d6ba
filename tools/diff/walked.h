/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of two threads that are compared one by one. */
#ifndef PILGRIM_DIFF_WALKED_H
#define PILGRIM_DIFF_WALKED_H

#include <pilgrim/analysis.h>

#include "thread_compare.h"

/* A thread that is being walked. */
struct walked {
    enum pilgrim_status (*next)(struct walked *w, struct pilgrim_error *error); /* gives `call`; PILGRIM_END: no more */
    struct pilgrim_cursor *cursor; /* of all calls; NULL: those of a stream */
    struct pilgrim_calls *calls;   /* of some calls of all threads, rank by rank */
    bool ended;                    /* of the stream: it is at its end */
    uint32_t rank, thread;         /* of the stream: whose calls are given */
    bool held; /* of the stream: `upcoming` is still to be given, in this thread or in a later one */
    struct pilgrim_call upcoming;
    uint64_t place;           /* of the stream: of the call among those of its thread, from 0 */
    uint64_t given;           /* of the stream: calls in all */
    struct key_table *counts; /* kind and side -> calls so far; NULL: they are not counted */
    struct pilgrim_call call;
    uint32_t kind; /* NO_KIND: behind the last call */
    uint32_t segment;
    struct replayed_thread *replayed; /* NULL: no replay is compared */
};

/* Goes to the next call that counts. errors: as pilgrim_cursor_next */
enum pilgrim_status walked_next(struct comparison *c, unsigned side, struct walked *w, struct pilgrim_error *error);

/* Compares two threads up to their ends, or to the first call of another kind: *DIFFERS, *WHERE is there. RANKS: the
 * rank of each. errors: as pilgrim_cursor_next */
enum pilgrim_status walked_compare(struct comparison *c, struct walked w[2], struct diff_where *where,
                                   const uint32_t ranks[2], bool *differs, struct pilgrim_error *error);

#endif
