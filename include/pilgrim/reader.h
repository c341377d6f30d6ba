/* Reading Pilgrim traces: the calls of every rank and thread, exactly as they were made, and what is stored.
 *
 * No MPI is needed. A trace is opened and checked once; cursors then walk it, each in memory that does not grow
 * with the number of calls. A trace may be used by several threads at once; a cursor by one at a time.
 *
 *     struct pilgrim_trace *trace;
 *     struct pilgrim_error error;
 *     if (pilgrim_open("app.pilgrim", &trace, &error) != PILGRIM_OK) ...error.message
 *     struct pilgrim_cursor *cursor;
 *     pilgrim_cursor_open(trace, rank, thread, &cursor, &error);
 *     while (pilgrim_cursor_next(cursor, &call, &error) == PILGRIM_OK) ...call.function->name
 */
#ifndef PILGRIM_READER_H
#define PILGRIM_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pilgrim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pilgrim_trace;
struct pilgrim_cursor;

/* What went wrong. MESSAGE is one line without a newline: what, in which section, at which byte. */
struct pilgrim_error {
    enum pilgrim_status status;
    uint64_t offset; /* in the file, bytes; 0 where it does not apply */
    char message[240];
};

/* Opens and checks the file at PATH: magic, version, every checksum, count and reference. *TRACE is the caller's, to be closed.
 * The times of each call, if there are some, are looked at only when a cursor comes to them; the file is open as long as the trace then.
 * Memory is at most a small multiple of the file. Where all of a trace would take more than 256 MiB and it consists of several volumes
 * (processes that could not keep what they recorded in memory make such traces), no more than that stays in memory, and one volume
 * for each cursor and grammar that is open; the others are read, and checked, again when they are needed. The file is open as
 * long as the trace then. If it changes, functions that need it say PILGRIM_DAMAGED, if it cannot be read PILGRIM_IO.
 * PILGRIM_OK with error->status not PILGRIM_OK: something is damaged that the calls of the first ranks, at least, do not need
 * (times, the ranks that follow, later rounds, the end); those can be read, `error` says what is missing.
 * errors: PILGRIM_IO, PILGRIM_NOMEM, PILGRIM_NOT_TRACE, PILGRIM_VERSION, PILGRIM_TRUNCATED, PILGRIM_DAMAGED, PILGRIM_LIMIT */
PILGRIM_API enum pilgrim_status pilgrim_open(const char *path, struct pilgrim_trace **trace, struct pilgrim_error *error)
    PILGRIM_CHECKED;
PILGRIM_API void pilgrim_close(struct pilgrim_trace *trace); /* NULL is legal */

PILGRIM_API uint32_t pilgrim_rank_count(const struct pilgrim_trace *trace);
/* The most that it has in any round. 0 for a rank that is not there. */
PILGRIM_API uint32_t pilgrim_thread_count(const struct pilgrim_trace *trace, uint32_t rank);
/* Of all rounds. Where loops are stored, in a time that depends on how often they are entered. 0 where the thread is damaged. */
PILGRIM_API uint64_t pilgrim_call_count(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread);

/* A thread's calls are those of round 0, then those of round 1, and so on: a process whose memory for recording is used up begins
 * anew. Most traces have one round. Cursors walk all of them; what is stored (below) is told of each for itself. */
PILGRIM_API uint32_t pilgrim_round_count(const struct pilgrim_trace *trace);

/* A property of the run ("program", "library", "tracer", "timing", "clock", "values", "filter"), or NULL. Borrowed until the trace is closed. */
PILGRIM_API const char *pilgrim_property(const struct pilgrim_trace *trace, const char *key);
/* The I-th property; false behind the last. */
PILGRIM_API bool pilgrim_property_at(const struct pilgrim_trace *trace, size_t i, const char **key, const char **value);

/* ---- calls ---- */

enum pilgrim_value_type {
    PILGRIM_NONE,     /* not significant, undefined */
    PILGRIM_NAME,     /* text: a named constant or predefined handle */
    PILGRIM_INT,      /* integer */
    PILGRIM_BOOL,     /* integer: 0 or 1; a logical that is another int is a PILGRIM_INT */
    PILGRIM_REAL,     /* real; what MPI_Wtime returned, with PILGRIM_TIMING=bins: near that */
    PILGRIM_RANK,     /* integer: absolute rank in the call's communicator; relative: to the caller's */
    PILGRIM_OBJECT,   /* text: kind ("comm"), id */
    PILGRIM_REQUEST,  /* id: class, offset: place */
    PILGRIM_HEAP,     /* id, offset */
    PILGRIM_STACK,    /* id */
    PILGRIM_STATIC,   /* id, offset */
    PILGRIM_DEVICE,   /* device, id, offset */
    PILGRIM_STRING,   /* text, length (may hold any byte) */
    PILGRIM_ARRAY,    /* items, count */
    PILGRIM_FLAGS,    /* items, count: PILGRIM_NAME or PILGRIM_INT, to be joined by | */
    PILGRIM_STATUS,   /* items: source, tag, bytes, cancelled and, if count is 5, error; ignored */
    PILGRIM_SYMBOL,   /* text, length: a callback's symbol */
    PILGRIM_FUNCTION, /* id: a callback without a symbol */
    /* From pilgrim_signature only, which does not know the calls before: */
    PILGRIM_KEPT,     /* items: a value, kept in register id of the thread */
    PILGRIM_EDITED,   /* an array with changes, the in-value if id is 0, else what register id - 1 has; items: place, value, ... */
    PILGRIM_COMPLETED, /* the in-value; items: a value, which stands at the places that the out-value of parameter id says */
    PILGRIM_POSTED,   /* a status, as its call foretold it; id: of which place in the array of requests; offset: bytes for each
                         of the call's count; ignored */
    PILGRIM_BEGUN,    /* a request of class id that begins */
    PILGRIM_LIVE,     /* a request of class id, before which offset others of that class began that are live, too */
    /* From both: */
    PILGRIM_TIME      /* a reading of a clock (MPI_Wtime) that the trace does not have; pilgrim_signature gives no other */
};

struct pilgrim_value {
    enum pilgrim_value_type type;
    bool ignored;     /* PILGRIM_STATUS: the application passed MPI_STATUS(ES)_IGNORE */
    int64_t integer;
    int64_t relative; /* PILGRIM_RANK: to the caller's, the nearest of -size/2 < relative <= size/2 */
    double real;
    int64_t device, id, offset;
    const char *text; /* NUL-terminated */
    size_t length;
    const struct pilgrim_value *items;
    size_t count;
};

enum pilgrim_direction { PILGRIM_IN = 1, PILGRIM_OUT = 2, PILGRIM_INOUT = 3 };

struct pilgrim_parameter {
    const char *name;
    enum pilgrim_direction direction;
};

struct pilgrim_function {
    const char *name;
    const struct pilgrim_parameter *parameters;
    size_t parameter_count;
    bool returns_error_code;
};

/* Where a call comes from: a return address, and where the caller was called from in turn. */
struct pilgrim_frame {
    const char *module;            /* file name of the program or library */
    const unsigned char *build_id; /* the first bytes of its build-id */
    size_t build_id_length;        /* 0: it had none */
    uint64_t offset;               /* from where the module was loaded */
    const struct pilgrim_frame *caller; /* NULL: none, or it was not recorded */
};

/* A function called from one place. */
struct pilgrim_class {
    const struct pilgrim_function *function;
    const struct pilgrim_frame *site; /* NULL: unknown */
    bool fortran; /* called from Fortran: function and arguments are those of the C binding */
};

/* One call. All pointers are borrowed until the cursor moves or is closed; those of class_ and function, and what names point to,
 * until the cursor comes into another round. in[i] is meaningful for parameters with direction
 * in or inout, out[i] for out or inout; the others are PILGRIM_NONE. */
struct pilgrim_call {
    uint32_t rank;
    uint32_t thread;
    uint64_t seq;
    const struct pilgrim_class *class_;
    const struct pilgrim_function *function;
    const struct pilgrim_value *in;
    const struct pilgrim_value *out;
    struct pilgrim_value ret;
    bool timed;         /* start_ns and end_ns are known */
    uint64_t start_ns;  /* since the library was loaded into its process, by the clock of its host; pilgrim_clock_apply */
    uint64_t end_ns;
    /* Not 0: the cursor's calls with this number have the same class and equal values, in, out and ret: what was made of one of them holds
     * for the others. Most calls have such a number. Equal calls may have different ones. They count up from 1, as values are met. */
    uint64_t identity;
};

/* errors: PILGRIM_INVALID (no such rank or thread), PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED, PILGRIM_LIMIT */
PILGRIM_API enum pilgrim_status pilgrim_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                                    struct pilgrim_cursor **cursor, struct pilgrim_error *error) PILGRIM_CHECKED;
PILGRIM_API void pilgrim_cursor_close(struct pilgrim_cursor *cursor);

/* The next call in *CALL. PILGRIM_END behind the last. errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED, PILGRIM_LIMIT (its values
 * would take much more memory than the file has bytes) */
PILGRIM_API enum pilgrim_status pilgrim_cursor_next(struct pilgrim_cursor *cursor, struct pilgrim_call *call,
                                                    struct pilgrim_error *error) PILGRIM_CHECKED;

/* What is wrong with the times of the calls that the cursor has given so far: PILGRIM_OK, or PILGRIM_DAMAGED, PILGRIM_NOMEM,
 * PILGRIM_LIMIT or PILGRIM_IO, and ERROR says more of the first such place. Calls whose times are lost are given without them. */
PILGRIM_API enum pilgrim_status pilgrim_cursor_times(const struct pilgrim_cursor *cursor,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* Passes over the next calls, *COUNT of them, all of the class *CLASS_NUMBER, as pilgrim_class_info has it in the round that the cursor
 * is in then; behind them may be more. *COUNT is 0 where a stored loop is entered, whose class it is then. Values of calls are not looked
 * at; where arrays are stored as changes of earlier ones, those behind are not known then, and pilgrim_cursor_next gives PILGRIM_INVALID.
 * PILGRIM_END behind the last. errors: as pilgrim_cursor_next */
PILGRIM_API enum pilgrim_status pilgrim_cursor_pass(struct pilgrim_cursor *cursor, size_t *class_number, uint64_t *count,
                                                    struct pilgrim_error *error) PILGRIM_CHECKED;

/* Passes over COUNT calls, or all that are left, in a time that depends on the grammars' size; where loops are stored, also on how
 * often they are entered, and where values refer to those of calls before, on the number of calls. What is damaged there is reported by
 * the next call that is asked for. errors: PILGRIM_NOMEM */
PILGRIM_API enum pilgrim_status pilgrim_cursor_skip(struct pilgrim_cursor *cursor, uint64_t count) PILGRIM_CHECKED;

/* The round of the calls that the cursor gave or passed last; before that, the first one in which the thread has calls. */
PILGRIM_API uint32_t pilgrim_cursor_round(const struct pilgrim_cursor *cursor);

/* The thread's calls in that round; as pilgrim_call_count. */
PILGRIM_API uint64_t pilgrim_cursor_round_calls(const struct pilgrim_cursor *cursor);

/* Passes over what is left of the round, to the beginning of the next one in which the thread has calls. PILGRIM_END: there is none; the
 * cursor stays where it is. errors: as pilgrim_cursor_next */
PILGRIM_API enum pilgrim_status pilgrim_cursor_next_round(struct pilgrim_cursor *cursor, struct pilgrim_error *error) PILGRIM_CHECKED;

/* ---- one time axis ----
 *
 * A call's times are those of its process's clock, in ns since the library was loaded there. Where the times of single calls were kept, the
 * offset of each clock to an axis that all ranks have in common was measured when MPI was initialised and when it was finalized: what is
 * between is taken to have drifted at one rate. */

/* At its time TIME_NS the rank's clock was OFFSET_NS behind the axis, with an error of at most ERROR_NS. */
struct pilgrim_clock_point {
    uint64_t time_ns;
    int64_t offset_ns;
    uint64_t error_ns;
};

struct pilgrim_clock {
    unsigned point_count; /* 0: the trace does not say where it stands; 1: drift is not known; 2 */
    struct pilgrim_clock_point points[2];
};

/* That of RANK. errors: PILGRIM_INVALID (no such rank), PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED */
PILGRIM_API enum pilgrim_status pilgrim_clock_of(const struct pilgrim_trace *trace, uint32_t rank, struct pilgrim_clock *clock,
                                                 struct pilgrim_error *error) PILGRIM_CHECKED;

/* The time on the common axis when the clock had TIME_NS: 0 rather than negative. What was later by the clock is never earlier on the
 * axis. TIME_NS itself where nothing is known. */
PILGRIM_API uint64_t pilgrim_clock_common(const struct pilgrim_clock *clock, uint64_t time_ns);

/* By how much that may be wrong, ns, if the clock's rate was steady: the errors of the measurements, as far as they bear on that time.
 * Where drift is not known it is taken to be below 500 ppm. UINT64_MAX where nothing is known. In bins mode a call's times have an error
 * of their own. */
PILGRIM_API uint64_t pilgrim_clock_error(const struct pilgrim_clock *clock, uint64_t time_ns);

/* How much faster the axis goes than the clock: 1e-6 is 1 us in a second. 0 where it is not known. */
PILGRIM_API double pilgrim_clock_drift(const struct pilgrim_clock *clock);

/* Puts the times of CALL, which is of the clock's rank, on the common axis. */
PILGRIM_API void pilgrim_clock_apply(const struct pilgrim_clock *clock, struct pilgrim_call *call);

/* ---- communicators ---- */

/* A communicator that a process created (MPI_COMM_WORLD and MPI_COMM_SELF are not listed).
 * Its identity is made of what all its processes know alike: `parent`, `sequence`, `leader`; where the parent's processes do
 * not all take part, of the members, too. */
struct pilgrim_communicator {
    const char *name;       /* "comm:3"; "MPI_COMM_NULL" where the process is not in it. Borrowed until the next one. */
    int64_t thread;         /* that created it: the thread's next call that creates one. -1: no recorded call did (a callback, a
                             * pause, the process that spawned this one) */
    bool inter;
    const char *topology;   /* "MPI_CART", "MPI_GRAPH", "MPI_DIST_GRAPH", "MPI_UNDEFINED" */
    int64_t size;           /* of the (local) group */
    int64_t rank;           /* the process's own in it; negative: none */
    int64_t remote_size;    /* 0 unless inter */
    int64_t leader;         /* rank in MPI_COMM_WORLD of its rank 0 (inter: the lower one of two); -1: in another world */
    const char *parent;     /* name at that time, NULL: it has none */
    uint64_t sequence;      /* how many were created before from that parent (or, without one, with those members) */
    uint64_t identity;      /* equal for all processes of a communicator, different for others; 0: not known */
};

struct pilgrim_communicators;

/* The communicators of RANK, in the order of their creation. errors: as pilgrim_cursor_open */
PILGRIM_API enum pilgrim_status pilgrim_communicators_open(const struct pilgrim_trace *trace, uint32_t rank,
                                                           struct pilgrim_communicators **list,
                                                           struct pilgrim_error *error) PILGRIM_CHECKED;
/* PILGRIM_END behind the last. errors: as pilgrim_cursor_next */
PILGRIM_API enum pilgrim_status pilgrim_communicators_next(struct pilgrim_communicators *list,
                                                           struct pilgrim_communicator *communicator,
                                                           struct pilgrim_error *error) PILGRIM_CHECKED;
PILGRIM_API void pilgrim_communicators_close(struct pilgrim_communicators *list); /* NULL is legal */

/* ---- the machine: hosts, what is around them, and the processes on them ---- */

/* A part of the machine: what it is ("switch", "host"), and its name. */
struct pilgrim_level {
    const char *kind;
    const char *name;
};

struct pilgrim_host {
    const struct pilgrim_level *levels; /* from the outermost to the host itself */
    size_t level_count;                 /* 0: the trace does not say where these processes ran */
    const char *name;                   /* of the last level; NULL if there is none */
    uint32_t processes;                 /* that ran on it */
};

/* Where a rank ran. */
struct pilgrim_location {
    uint32_t host;    /* a number, for pilgrim_system_host */
    uint32_t process; /* its place among the processes of the host, by rank */
    uint32_t threads; /* as pilgrim_thread_count */
    int64_t pid;      /* -1: not known */
};

struct pilgrim_system;

/* Looks at each rank's place once, in the last round that says where it is; 16 bytes a rank are kept, and each host. It may be used by
 * several threads at once; what it gives is borrowed until it is closed, and it is to be closed before the trace. errors: PILGRIM_NOMEM,
 * PILGRIM_DAMAGED */
PILGRIM_API enum pilgrim_status pilgrim_system_open(const struct pilgrim_trace *trace, struct pilgrim_system **system,
                                                    struct pilgrim_error *error) PILGRIM_CHECKED;
PILGRIM_API void pilgrim_system_close(struct pilgrim_system *system); /* NULL is legal */

/* Hosts are numbered from 0 by the lowest of their ranks. */
PILGRIM_API uint32_t pilgrim_system_hosts(const struct pilgrim_system *system);
/* errors: PILGRIM_INVALID (no such host) */
PILGRIM_API enum pilgrim_status pilgrim_system_host(const struct pilgrim_system *system, uint32_t host,
                                                    struct pilgrim_host *found) PILGRIM_CHECKED;
/* The first host called NAME. errors: PILGRIM_INVALID (there is none) */
PILGRIM_API enum pilgrim_status pilgrim_system_host_named(const struct pilgrim_system *system, const char *name,
                                                          uint32_t *host) PILGRIM_CHECKED;

/* From (rank, thread) to (host, process, thread) and back: a thread has the same number in both.
 * errors: PILGRIM_INVALID (no such rank; no such process of a host) */
PILGRIM_API enum pilgrim_status pilgrim_system_location(const struct pilgrim_system *system, uint32_t rank,
                                                        struct pilgrim_location *location) PILGRIM_CHECKED;
PILGRIM_API enum pilgrim_status pilgrim_system_rank(const struct pilgrim_system *system, uint32_t host, uint32_t process,
                                                    uint32_t *rank) PILGRIM_CHECKED;

/* ---- what is stored: the call-signature table and the grammars of one thread, in the round that a cursor is in ---- */

/* A thread's table: filled in by pilgrim_thread_info. */
struct pilgrim_thread_info {
    uint32_t structure_group;       /* of those of the round */
    uint64_t structure_group_size;  /* streams in it */
    size_t class_count;
    size_t loop_count;              /* classes that are loops (pilgrim_class_info) */
    uint64_t structure;             /* the sequence of classes, for pilgrim_grammar_open: of calls, and of loops */
};
PILGRIM_API void pilgrim_thread_info(const struct pilgrim_cursor *cursor, struct pilgrim_thread_info *info);

struct pilgrim_class_info {
    const struct pilgrim_class *class_; /* borrowed until the cursor comes into another round */
    uint32_t value_group;           /* among the class's */
    uint64_t value_group_size;      /* streams in it */
    uint64_t signature_count;
    uint64_t values;                /* the sequence of signatures, for pilgrim_grammar_open */
    uint64_t body;                  /* not 0: the class is no call but a loop, and this the sequence of classes, for
                                     * pilgrim_grammar_open, that stands there each time as often as it has trips */
};
/* errors: PILGRIM_INVALID (no such class), PILGRIM_DAMAGED (the thread is in no value group) */
PILGRIM_API enum pilgrim_status pilgrim_class_info(const struct pilgrim_cursor *cursor, size_t class_number,
                                                   struct pilgrim_class_info *info) PILGRIM_CHECKED;

/* How often a loop was entered, and how many trips it made each time. */
struct pilgrim_trips {
    uint64_t entered;
    uint64_t total, min, max; /* trips; min and max are 0 if it was never entered */
};
/* Of a class that is a loop. errors: PILGRIM_INVALID (it is none), as pilgrim_cursor_next */
PILGRIM_API enum pilgrim_status pilgrim_loop_trips(const struct pilgrim_cursor *cursor, size_t class_number,
                                                   struct pilgrim_trips *trips, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Signature NUMBER of a class, as a call without seq and times. Opened cursors have a place for it: the result is borrowed until the
 * cursor moves. */
PILGRIM_API enum pilgrim_status pilgrim_signature(struct pilgrim_cursor *cursor, size_t class_number, uint64_t number,
                                                  struct pilgrim_call *call, struct pilgrim_error *error) PILGRIM_CHECKED;

/* How many signatures, from NUMBER on, differ only in numbers that are stored as sequences: 1 where it stands alone, 0 where it
 * does not exist. */
PILGRIM_API uint64_t pilgrim_signature_run(const struct pilgrim_cursor *cursor, size_t class_number, uint64_t number);

/* Whether signature NUMBER of a class stands for other numbers each time that a call has it: pilgrim_signature gives the first. */
PILGRIM_API bool pilgrim_signature_varies(const struct pilgrim_cursor *cursor, size_t class_number, uint64_t number);

struct pilgrim_symbol {
    bool is_rule;
    bool ramp;         /* value, value + 1, ...: EXPONENT terminals */
    uint64_t value;    /* terminal, or number of a rule */
    uint64_t exponent;
};

/* A grammar; rule 0 is the start rule, the others are numbered as they are met from there. SEQUENCE: one of the cursor's round, as above.
 * *GRAMMAR is the caller's, to be closed before the trace; the cursor may go before. errors: PILGRIM_INVALID (no such sequence),
 * PILGRIM_NOMEM */
struct pilgrim_grammar;
PILGRIM_API enum pilgrim_status pilgrim_grammar_open(const struct pilgrim_cursor *cursor, uint64_t sequence,
                                                     struct pilgrim_grammar **grammar, struct pilgrim_error *error) PILGRIM_CHECKED;
PILGRIM_API void pilgrim_grammar_close(struct pilgrim_grammar *grammar); /* NULL is legal */
PILGRIM_API uint32_t pilgrim_grammar_rules(const struct pilgrim_grammar *grammar);
PILGRIM_API size_t pilgrim_grammar_symbols(const struct pilgrim_grammar *grammar, uint32_t rule);
PILGRIM_API struct pilgrim_symbol pilgrim_grammar_symbol(const struct pilgrim_grammar *grammar, uint32_t rule, size_t i);
PILGRIM_API uint64_t pilgrim_grammar_length(const struct pilgrim_grammar *grammar);

/* ---- the profile: how long calls took, how long it was from one to the next, and where each rank's time went ---- */

enum { PILGRIM_BUCKETS = 65 };

#define PILGRIM_RANK_UNKNOWN UINT32_MAX

/* What is known of many times. Counts are exact. The mean is stored rounded down, by less than 1 in 256, the shortest, the longest and the
 * deviation by less than 1 in 16, and what a bucket of the histogram has is rounded to 1 in 32 of the count. A COUNT of 0: nothing is known, and all is 0. */
struct pilgrim_statistic {
    uint64_t count;                      /* of durations, or of gaps */
    double total_ns, mean_ns;
    uint64_t max_ns;
    uint32_t max_rank;                   /* in MPI_COMM_WORLD: the lowest that had it; or PILGRIM_RANK_UNKNOWN */
    bool brief;                          /* the rest is not known of all of them; the histogram has those of which it is */
    uint64_t min_ns;                     /* 0 if it is brief */
    uint32_t min_rank;                   /* likewise; known only in traces of version 5 */
    double deviation_ns;                 /* the standard deviation; 0 if it is brief */
    uint64_t histogram[PILGRIM_BUCKETS]; /* [0]: how many were 0 ns; [k]: from 2^(k - 1) to below 2^k ns, [39]: and all longer ones */
};

/* INTO is that of the calls of both. All zero is that of none. */
PILGRIM_API void pilgrim_statistic_add(struct pilgrim_statistic *into, const struct pilgrim_statistic *from);

/* The calls of one class: of a function, from one place. */
struct pilgrim_class_profile {
    const struct pilgrim_class *class_;  /* borrowed until the next one */
    struct pilgrim_statistic durations;
    struct pilgrim_statistic gaps;       /* before them, from the end of the thread's call before to the start */
    struct pilgrim_statistic first_gaps; /* before a thread's first call: in the first round, from when the library was loaded */
};

/* All classes of a trace, those of all ranks together. A class that is in several volumes of the trace comes once for each. */
struct pilgrim_profile;
/* errors: PILGRIM_NOMEM */
PILGRIM_API enum pilgrim_status pilgrim_profile_open(const struct pilgrim_trace *trace, struct pilgrim_profile **profile,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;
/* Classes without times are passed over. PILGRIM_END behind the last. errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED */
PILGRIM_API enum pilgrim_status pilgrim_profile_next(struct pilgrim_profile *profile, struct pilgrim_class_profile *found,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;
PILGRIM_API void pilgrim_profile_close(struct pilgrim_profile *profile); /* before the trace; NULL is legal */

/* What a process does with its time. */
enum pilgrim_activity {
    PILGRIM_COMPUTING, /* between calls, but not before a thread's first one */
    PILGRIM_POINT_TO_POINT,
    PILGRIM_COLLECTIVE,
    PILGRIM_ONE_SIDED,
    PILGRIM_FILE,
    PILGRIM_OTHER_CALLS,
    PILGRIM_ACTIVITIES
};
/* As a person calls it. */
PILGRIM_API const char *pilgrim_activity_name(enum pilgrim_activity activity);

/* Times of a rank, those of its threads added up, to 3 %. In a trace of very many ranks they may be those of a block of ranks. */
struct pilgrim_rank_profile {
    uint32_t first_rank, rank_count;        /* the block: RANK_COUNT of 1 is the rank alone */
    double ns[PILGRIM_ACTIVITIES];          /* the mean of the block's ranks */
    double most_ns[PILGRIM_ACTIVITIES];     /* of the block's rank that had most, in each round; */
    uint32_t most_rank[PILGRIM_ACTIVITIES]; /* which is this one, in the round where that was most */
};
/* PILGRIM_END: the trace does not say. errors: PILGRIM_INVALID (no such rank), PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED */
PILGRIM_API enum pilgrim_status pilgrim_rank_profile(const struct pilgrim_trace *trace, uint32_t rank, struct pilgrim_rank_profile *found,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* What the calls of one class took on the cursor's rank, those of all its threads together, in the round that the cursor is in, to 3 %. Stored
 * where ranks differ by a tenth or more, and by a 64th of the time of a rank or more; elsewhere it is about the mean times the calls. */
struct pilgrim_rank_class {
    bool has_durations, has_gaps;
    double durations_ns, gaps_ns;
    uint32_t rank_count; /* of whose mean it is */
};
/* errors: PILGRIM_INVALID (no such class, or a loop) */
PILGRIM_API enum pilgrim_status pilgrim_rank_class(const struct pilgrim_cursor *cursor, size_t class_number,
                                                   struct pilgrim_rank_class *found) PILGRIM_CHECKED;

/* Which calls of a class: those with one of the signatures of the cursor's value group, by its number, or */
#define PILGRIM_VALUE_GROUP (UINT64_MAX - 1)   /* all in the value group */
#define PILGRIM_STRUCTURE_GROUP UINT64_MAX     /* all in the structure group */

/* Which gaps: those behind a call of one class, by its number, or */
#define PILGRIM_ANY_CALL UINT64_MAX            /* behind any call */
#define PILGRIM_NO_CALL (UINT64_MAX - 1)       /* before a thread's first call in this round */

/* How long such calls took, in the round that the cursor is in. The calls of a class that differ little have one statistic, whatever
 * their ranks and signatures: so it is of those calls, and maybe of others, and its COUNT is that of all of them. Count 0 where no times
 * were kept.
 * errors: PILGRIM_INVALID (no such class, or a loop; no such signature), PILGRIM_DAMAGED (the thread is in no value group) */
PILGRIM_API enum pilgrim_status pilgrim_durations(const struct pilgrim_cursor *cursor, size_t class_number, uint64_t signatures,
                                                  struct pilgrim_statistic *statistic) PILGRIM_CHECKED;

/* The same of the gaps before them. BEFORE tells another round of a loop, in which its first call comes behind its last one, from its beginning; gaps that
 * differ little are told apart no more than durations are. PILGRIM_ANY_CALL does not have those of PILGRIM_NO_CALL.
 * errors: as pilgrim_durations. A class that no call came behind has a count of 0 */
PILGRIM_API enum pilgrim_status pilgrim_gaps(const struct pilgrim_cursor *cursor, size_t class_number, uint64_t signatures,
                                             uint64_t before, struct pilgrim_statistic *statistic) PILGRIM_CHECKED;

/* Behind which classes gaps are told apart from others, one after another: *BEFORE, PILGRIM_ANY_CALL at first, becomes PILGRIM_NO_CALL if some calls were
 * a thread's first in the round, then the numbers of classes, in ascending order. PILGRIM_END behind the last. errors: as
 * pilgrim_durations */
PILGRIM_API enum pilgrim_status pilgrim_class_before(const struct pilgrim_cursor *cursor, size_t class_number, uint64_t signatures,
                                                     uint64_t *before) PILGRIM_CHECKED;

#ifdef __cplusplus
}
#endif

#endif
