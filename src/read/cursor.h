/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a cursor: where it is in each class's values, and in loops. Shared by cursor.c,
 * cursor_open.c, class_values.c, loops.c and call_times.c.
 *
 * A cursor is in one segment. The next segment's is a new one that is put into its place, so nothing points to the
 * cursor itself. */
#ifndef PILGRIM_CURSOR_H
#define PILGRIM_CURSOR_H

#include "read/call_times.h"
#include "read/shards.h"

#define KEPT_NUMBERS_MAX 4096 /* of a class */
#define PLACE_NONE       UINT64_MAX

struct value_cache {
    struct call_values *values;
    uint64_t number;     /* of those values; numbers that are a multiple of KEPT_NUMBERS_MAX apart share a place */
    uint32_t generation; /* is there if this is the cursor's */
    uint16_t others;     /* values behind these */
    bool fickle;         /* there would be too many of them: they are not kept */
};

struct class_count {
    uint32_t class_index;
    uint64_t count;
};

/* A loop, and where the walk is in it. */
struct loop_position {
    const struct stored_loop *loop;
    uint64_t left;                 /* iterations that have not begun */
    struct rules_cursor body;      /* of the current segment; at its end where there is none */
    struct class_count *iteration; /* a segment's calls; made when first needed */
    uint32_t iteration_classes;
    bool no_iteration; /* it takes too much memory to know them */
};

struct class_state {
    const struct class *class;
    const struct stored_value_group *value_group;
    uint64_t position;
    struct rules_cursor values;       /* begun with the class's first call */
    uint64_t taken;                   /* calls that `values` has passed over ... */
    uint64_t behind;                  /* ... and has not yet */
    struct value_cache *cache;        /* likewise */
    struct unzipped_values *unzipped; /* of each signature of the part that is one, when it was met; NULL before */
    struct loop_position *loop;       /* NULL: these are calls */
};

struct pilgrim_cursor {
    const struct pilgrim_trace *trace;
    const struct shard *shard; /* held; with the rank in this segment */
    struct stream_position stream;
    uint32_t rank, thread; /* in the trace */
    uint32_t segment;
    bool is_process; /* over a process stream: there is only one that counts */
    uint64_t seq;
    uint64_t first_seq; /* calls in the segments before */
    struct caller caller;
    struct stored_rank_base *bases; /* those of the caller */
    uint64_t sequence;              /* of the classes */
    struct rules_cursor structure;
    struct class_state *classes;
    size_t class_count;
    struct loop_position *loops;
    size_t loop_count;
    struct loop_position **nest; /* the loops that the walk is in, the innermost last */
    size_t depth;
    uint64_t idle;    /* loops with no segments since the last call */
    bool tells_loops; /* loops_next stops at loops, too */
    bool passed;      /* calls that may keep values, without a look at these */
    enum pilgrim_status
        broken;          /* what a walk through loops has met: PILGRIM_DAMAGED, PILGRIM_LIMIT; it does not go on ... */
    const char *problem; /* ... with this one; a constant */
    struct arena arena;  /* of what lives as long as the cursor */
    struct arena cached;
    struct arena once; /* of values that are not kept */
    uint32_t generation;
    uint64_t identities; /* values that were kept so far */
    size_t cached_limit;
    uint64_t unzipped_budget; /* bytes that values of unzipped signatures may still take */
    uint64_t memory_left;     /* bytes that walks may still take */
    struct registers registers;
    struct begun begun;
    struct live_requests live;
    bool needs_registers; /* some class does */
    bool has_posted;      /* idem: the calls that begin operations are noted */
    bool follows;         /* idem: which requests are live is known */
    struct call_times times;
};

/* ---- segments (cursor_open.c) ---- */

/* A cursor of the thread at the beginning of ROUND, in which it is; without the rank's rank bases. errors: as
 * pilgrim_cursor_open */
enum pilgrim_status segment_cursor_open(const struct pilgrim_trace *trace, uint32_t segment, uint32_t rank,
                                        uint32_t thread, struct pilgrim_cursor **cursor,
                                        struct pilgrim_error *error) PILGRIM_CHECKED;

/* Moves C to the beginning of the next segment in which the thread has calls; it has passed over all calls of this one.
 * PILGRIM_END: there is none. errors: as pilgrim_cursor_next; it stays where it is */
enum pilgrim_status cursor_next_segment(struct pilgrim_cursor *c, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Takes BYTES off *LEFT. false: there are fewer, which is `memory_problem`. */
bool memory_fits(uint64_t *left, uint64_t bytes);
extern const char memory_problem[];

/* ---- times of classes (distributions.c: version 5; profile_query.c) ---- */

/* Calls of a class that are asked for. */
struct calls_asked {
    const struct group_class *class;
    struct value_group_position value_group;
};

/* Those of pilgrim_durations. errors: as that */
enum pilgrim_status calls_find(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                               struct calls_asked *asked) PILGRIM_CHECKED;

/* The public functions, in a shard that has a profile. */
enum pilgrim_status profile_durations(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                      struct pilgrim_statistic *statistic) PILGRIM_CHECKED;
enum pilgrim_status profile_gaps(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                 uint64_t before, struct pilgrim_statistic *statistic) PILGRIM_CHECKED;
enum pilgrim_status profile_class_before(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                         uint64_t *before) PILGRIM_CHECKED;

/* Adds the statistics of a class, in a shard that has no profile. */
void statistics_of_class(const struct shard *v, uint32_t class, struct pilgrim_class_profile *all);

/* ---- walking without values (cursor.c) ---- */

/* Passes over the next call of the segment; *CLASS_INDEX: of its class. PILGRIM_END behind the last. errors: as
 * pilgrim_cursor_next */
enum pilgrim_status cursor_pass_in_segment(struct pilgrim_cursor *c, uint64_t *class_index) PILGRIM_CHECKED;

/* Passes over up to COUNT calls of the segment. errors: as pilgrim_cursor_skip */
enum pilgrim_status cursor_skip_in_segment(struct pilgrim_cursor *c, uint64_t count) PILGRIM_CHECKED;

/* ---- a class's values (class_values.c) ---- */

/* Makes room for what the class keeps. errors: PILGRIM_NOMEM */
enum pilgrim_status class_begin(struct pilgrim_cursor *c, struct class_state *state) PILGRIM_CHECKED;
void class_close(struct class_state *state);

/* The values of the class's next call, behind those that the walk has passed over: the number of their signature, and,
 * where some of the class's signatures are unzipped or need registers, *AT; else its signature is NULL. errors:
 * PILGRIM_NOMEM; PILGRIM_DAMAGED and PILGRIM_LIMIT with *PROBLEM set to a constant */
enum pilgrim_status class_next(struct pilgrim_cursor *c, struct class_state *state, uint64_t *number,
                               struct values_position *at, const char **problem) PILGRIM_CHECKED;

/* ---- loops (loops.c) ---- */

/* How often a loop's body is walked, the next time. errors: as class_next */
enum pilgrim_status loop_trips(struct pilgrim_cursor *c, struct class_state *state, uint64_t *trips,
                               const char **problem) PILGRIM_CHECKED;
void loop_close(struct loop_position *l);

/* The place of the next call. Up to LIMIT calls, by whole iterations of a loop, may be passed over before it: as many
 * as *PASSED says; *CLASS_INDEX is PLACE_NONE if these are all that LIMIT allows. Where the cursor tells loops: or that
 * of a loop which has been entered. PILGRIM_END behind the last. errors: as class_next */
enum pilgrim_status loops_next(struct pilgrim_cursor *c, uint64_t limit, uint64_t *passed, uint64_t *class_index,
                               const char **problem) PILGRIM_CHECKED;

#endif
