/* The inside of a cursor: where it is in each class's values, and in loops. Shared by cursor.c,
 * cursor_open.c, class_values.c, loops.c and call_times.c.
 *
 * A cursor is in one round. The next round's is a new one that is put into its place, so nothing points to the cursor itself. */
#ifndef PILGRIM_CURSOR_H
#define PILGRIM_CURSOR_H

#include "read/call_times.h"
#include "read/volumes.h"

#define KEPT_NUMBERS_MAX 4096 /* of a class */
#define PLACE_NONE UINT64_MAX

struct kept {
    struct call_values *values;
    uint64_t number;     /* of those values; numbers that are a multiple of KEPT_NUMBERS_MAX apart share a place */
    uint32_t generation; /* is there if this is the cursor's */
    uint16_t others;     /* values behind these */
    bool fickle;         /* there would be too many of them: they are not kept */
};

struct class_count {
    uint32_t place;
    uint64_t count;
};

/* A loop, and where the walk is in it. */
struct loop_state {
    const struct loop *loop;
    uint64_t left;             /* rounds that have not begun */
    struct rules_cursor body;  /* of the current round; at its end where there is none */
    struct class_count *round; /* a round's calls; made when first needed */
    uint32_t round_count;
    bool no_round;             /* it takes too much memory to know them */
};

struct class_state {
    const struct class *class;
    const struct part *part;
    uint64_t position;
    struct rules_cursor values; /* begun with the class's first call */
    uint64_t taken;             /* calls that `values` has passed over ... */
    uint64_t behind;            /* ... and has not yet */
    struct kept *kept;          /* likewise */
    struct unzipped *unzipped;  /* of each signature of the part that is one, when it was met; NULL before */
    struct loop_state *loop;    /* NULL: these are calls */
};

struct pilgrim_cursor {
    const struct pilgrim_trace *trace;
    const struct volume *volume; /* held; with the rank in this round */
    struct stream_place stream;
    uint32_t rank, thread; /* in the trace */
    uint32_t round;
    bool is_process;       /* over a process stream: there is only one that counts */
    uint64_t seq;
    uint64_t first_seq;    /* calls in the rounds before */
    struct caller caller;
    struct view *views;    /* those of the caller */
    uint64_t sequence; /* of the classes */
    struct rules_cursor structure;
    struct class_state *classes;
    size_t class_count;
    struct loop_state *loops;
    size_t loop_count;
    struct loop_state **nest; /* the loops that the walk is in, the innermost last */
    size_t depth;
    uint64_t idle;            /* loops with no rounds since the last call */
    bool tells_loops;         /* loops_next stops at loops, too */
    bool passed;              /* calls that may keep values, without a look at these */
    enum pilgrim_status broken; /* what a walk through loops has met: PILGRIM_DAMAGED, PILGRIM_LIMIT; it does not go on ... */
    const char *problem;        /* ... with this one; a constant */
    struct arena arena;       /* of what lives as long as the cursor */
    struct arena kept;
    struct arena once;        /* of values that are not kept */
    uint32_t generation;
    uint64_t identities;      /* values that were kept so far */
    size_t kept_limit;
    uint64_t in_place_left;   /* bytes that values of unzipped signatures may still take */
    uint64_t memory_left;     /* bytes that walks may still take */
    struct registers registers;
    struct begun begun;
    struct live_requests live;
    bool needs_registers;     /* some class does */
    bool has_posted;          /* idem: the calls that begin operations are noted */
    bool follows;             /* idem: which requests are live is known */
    struct call_times times;
};

/* ---- rounds (cursor_open.c) ---- */

/* A cursor of the thread at the beginning of ROUND, in which it is; without the rank's views. errors: as pilgrim_cursor_open */
enum pilgrim_status round_cursor_open(const struct pilgrim_trace *trace, uint32_t round, uint32_t rank, uint32_t thread,
                                      struct pilgrim_cursor **cursor, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Moves C to the beginning of the next round in which the thread has calls; it has passed over all calls of this one. PILGRIM_END: there is
 * none. errors: as pilgrim_cursor_next; it stays where it is */
enum pilgrim_status cursor_next_round(struct pilgrim_cursor *c, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Takes BYTES off *LEFT. false: there are fewer, which is `memory_problem`. */
bool memory_fits(uint64_t *left, uint64_t bytes);
extern const char memory_problem[];

/* ---- times of classes (distributions.c: version 5; profile_query.c) ---- */

/* Calls of a class that are asked for. */
struct calls_asked {
    const struct row *row;
    struct part_place part;
};

/* Those of pilgrim_durations. errors: as that */
enum pilgrim_status calls_find(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                               struct calls_asked *asked) PILGRIM_CHECKED;

/* The public functions, in a volume that has a profile. */
enum pilgrim_status profile_durations(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                      struct pilgrim_statistic *statistic) PILGRIM_CHECKED;
enum pilgrim_status profile_gaps(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures, uint64_t before,
                                 struct pilgrim_statistic *statistic) PILGRIM_CHECKED;
enum pilgrim_status profile_class_before(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                         uint64_t *before) PILGRIM_CHECKED;

/* Adds the statistics of a class, in a volume that has no profile. */
void statistics_of_class(const struct volume *v, uint32_t class, struct pilgrim_class_profile *all);

/* ---- walking without values (cursor.c) ---- */

/* Passes over the next call of the round; *PLACE: of its class. PILGRIM_END behind the last. errors: as pilgrim_cursor_next */
enum pilgrim_status cursor_pass_in_round(struct pilgrim_cursor *c, uint64_t *place) PILGRIM_CHECKED;

/* Passes over up to COUNT calls of the round. errors: as pilgrim_cursor_skip */
enum pilgrim_status cursor_skip_in_round(struct pilgrim_cursor *c, uint64_t count) PILGRIM_CHECKED;

/* ---- a class's values (class_values.c) ---- */

/* Makes room for what the class keeps. errors: PILGRIM_NOMEM */
enum pilgrim_status class_begin(struct pilgrim_cursor *c, struct class_state *state) PILGRIM_CHECKED;
void class_close(struct class_state *state);

/* The values of the class's next call, behind those that the walk has passed over: the number of their signature, and, where some of
 * the class's signatures are unzipped or need registers, *PLACE; else its signature is NULL.
 * errors: PILGRIM_NOMEM; PILGRIM_DAMAGED and PILGRIM_LIMIT with *PROBLEM set to a constant */
enum pilgrim_status class_next(struct pilgrim_cursor *c, struct class_state *state, uint64_t *number,
                               struct values_place *place, const char **problem) PILGRIM_CHECKED;

/* ---- loops (loops.c) ---- */

/* How often a loop's body is walked, the next time. errors: as class_next */
enum pilgrim_status loop_trips(struct pilgrim_cursor *c, struct class_state *state, uint64_t *trips,
                               const char **problem) PILGRIM_CHECKED;
void loop_close(struct loop_state *l);

/* The place of the next call. Up to LIMIT calls, by whole rounds of a loop, may be passed over before it: as many as *PASSED says;
 * *PLACE is PLACE_NONE if these are all that LIMIT allows. Where the cursor tells loops: or that of a loop which has been entered.
 * PILGRIM_END behind the last. errors: as class_next */
enum pilgrim_status loops_next(struct pilgrim_cursor *c, uint64_t limit, uint64_t *passed, uint64_t *place,
                               const char **problem) PILGRIM_CHECKED;

#endif
