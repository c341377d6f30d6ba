/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a cursor: its position in the structure grammar, in loops, and in the values of each class. Shared by
 * the files of this folder, and by read/time.
 *
 * A cursor is in one segment. For the next segment cursor_open.c makes a new state and copies it over the old one, so
 * nothing may point to the cursor itself. */
#ifndef PILGRIM_CURSOR_H
#define PILGRIM_CURSOR_H

#include "base/live_requests.h"
#include "read/cursor/call_times.h"
#include "read/file/shards.h"
#include "read/table/streams.h"
#include "read/value/begun.h"
#include "read/value/evaluate.h"
#include "read/value/registers.h"

#define CACHED_NUMBERS_MAX 4096 /* values of a class that are cached at a time */
#define PLACE_NONE         UINT64_MAX

/* Cached values of a class. Numbers of values share an entry if CACHED_NUMBERS_MAX divides their difference. */
struct value_cache {
    struct call_values *values;
    uint64_t number;     /* of the values */
    uint32_t generation; /* the entry is valid if the cursor's generation is the same */
    uint16_t others;     /* length of the list VALUES->other */
    bool fickle;         /* the list would get too long: these values are not cached */
};

struct class_count {
    uint32_t class_index;
    uint64_t count;
};

/* A loop, and the walk's position in it. */
struct loop_position {
    const struct stored_loop *loop;
    uint64_t left;                 /* iterations that have not begun */
    struct rules_cursor body;      /* of the current iteration; at its end if there is none */
    struct class_count *iteration; /* calls of one iteration by class; made when first needed */
    uint32_t iteration_classes;
    bool no_iteration; /* ITERATION would take too much memory */
};

/* A class of the group, and the walk's position in its values. */
struct class_state {
    const struct class *class;
    const struct stored_value_group *value_group;
    uint32_t value_group_number; /* in the class */
    uint64_t value_group_size;
    uint64_t position;
    struct rules_cursor values;       /* opened at the first call of the class */
    uint64_t taken;                   /* calls that VALUES has passed ... */
    uint64_t behind;                  /* ... and calls that it has still to pass */
    struct value_cache *cache;        /* made at the first call of the class */
    struct unzipped_values *unzipped; /* of each unzipped signature of the value group; NULL until one is met */
    struct loop_position *loop;       /* NULL: the class is no loop */
};

struct pilgrim_cursor {
    const struct pilgrim_trace *trace;
    const struct shard *shard; /* held; has the rank in this segment */
    struct stream_position stream;
    uint32_t rank, thread; /* in the trace */
    uint32_t segment;
    bool is_process; /* over the rank's process stream: only one segment counts */
    uint64_t seq;
    uint64_t first_seq; /* calls in the segments before */
    struct caller caller;
    struct stored_rank_base *bases; /* owned; caller.bases */
    uint64_t sequence;              /* of class indexes */
    struct rules_cursor structure;
    struct class_state *classes;
    size_t class_count;
    int64_t *own_numbers; /* of the classes (docs/FORMAT.md, section 5) */
    struct loop_position *loops;
    size_t loop_count;
    struct loop_position **nest; /* the loops that the walk is in, the innermost last */
    size_t depth;
    uint64_t idle;              /* loops with 0 trips since the last call */
    bool tells_loops;           /* loops_next stops at loops, too */
    bool passed;                /* calls that may store values were passed without evaluation */
    enum pilgrim_status broken; /* an error of the walk through loops, which cannot go on: PILGRIM_DAMAGED or
                                   PILGRIM_LIMIT */
    const char *problem;        /* of BROKEN; a constant */
    struct arena arena;         /* lives as long as the cursor */
    struct arena cached;        /* cached values */
    struct arena once;          /* values of one call that are not cached */
    uint32_t generation;        /* changes when all cached values are dropped */
    uint64_t identities;        /* given to values so far */
    uint64_t unzipped_budget;   /* bytes that values of unzipped signatures may still take */
    uint64_t memory_left;       /* bytes that walks may still take */
    struct registers registers;
    struct begun begun;
    struct live_requests live;
    bool needs_registers; /* some class needs registers */
    bool has_posted;      /* some class has posted statuses: calls that begin operations are recorded in BEGUN */
    bool follows;         /* some class names requests by their state: LIVE is kept up to date */
    struct call_times times;
};

/* Passes the next call of the segment without evaluating it. *CLASS_INDEX: of its class. PILGRIM_END: there is none.
 * errors: as pilgrim_cursor_next */
enum pilgrim_status cursor_pass_in_segment(struct pilgrim_cursor *c, uint64_t *class_index) PILGRIM_CHECKED;

/* Passes up to COUNT calls of the segment.
 * errors: as pilgrim_cursor_skip */
enum pilgrim_status cursor_skip_in_segment(struct pilgrim_cursor *c, uint64_t count) PILGRIM_CHECKED;

#endif
