/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading Pilgrim traces: the calls of every rank and thread, exactly as they were made, and what is stored of them.
 * One file, as it is the whole interface of libpilgrim-reader.
 *
 *     struct pilgrim_trace *trace;
 *     struct pilgrim_cursor *cursor;
 *     struct pilgrim_call call;
 *     struct pilgrim_error error;
 *     enum pilgrim_status status = pilgrim_open("app.pilgrim", &trace, &error);
 *     if (status == PILGRIM_OK) {
 *         status = pilgrim_cursor_open(trace, rank, thread, &cursor, &error);
 *         while (status == PILGRIM_OK && (status = pilgrim_cursor_next(cursor, &call, &error)) == PILGRIM_OK)
 *             puts(call.function->name);
 *         pilgrim_cursor_close(cursor);
 *         pilgrim_close(trace);
 *     }
 *     if (status != PILGRIM_END)
 *         fprintf(stderr, "%s: %s\n", pilgrim_status_text(status), error.message);
 *
 * No MPI is needed. A trace is opened and checked once. Cursors then walk it, each in memory that does not grow
 * with the number of calls. The library prints nothing, ends no program and sets no signal handler. A file from
 * anybody may be read: what is wrong in it is reported.
 *
 * One header, as it is all that a program which reads traces needs. What holds for all functions here, where nothing
 * else is said:
 *
 *   arguments  A pointer must not be NULL, but `error` always may be. If one is NULL, a function that returns a
 *              status returns PILGRIM_INVALID; another one returns 0, false or NULL; one that returns nothing does
 *              nothing. An index out of range is treated in the same way. A pointer to an object that is closed,
 *              and a cursor that is used after its trace was closed, are undefined behaviour, as everywhere in C.
 *   errors     "errors:" lists what a function may return beside PILGRIM_OK and PILGRIM_INVALID. With a status
 *              that is no success, *error is filled in, and what else the function would fill in is undefined, but
 *              a pointer to a new object: it is NULL. PILGRIM_END leaves *error as it was.
 *   memory     What is opened is the caller's and must be closed; close a trace last. Closing NULL is legal. All
 *              other pointers that a function returns or fills in are borrowed; each function says how long.
 *   threads    "shared": any number of threads may call the function on one object at once. "exclusive": while one
 *              thread is in it, no other may be in any function on that object. Different objects never disturb
 *              each other, also if they are of one trace. An object may be opened in one thread, and used and
 *              closed in another.
 *   units      Times are nanoseconds, sizes and offsets bytes. Ranks are those of MPI_COMM_WORLD, threads of a
 *              rank are numbered in the order of their first calls, both from 0.
 *   since      0.1.0.
 *
 * All of the reader is in this one header, so that a program includes one file: its parts share the objects and rules
 * above. First comes what every program needs, traces, texts and calls; then time, communicators, the machine, what
 * is stored, and the profile.
 *
 * The header compiles as C99 and later, and as C++11 and later. What keeps old programs working is in
 * pilgrim/version.h. */
#ifndef PILGRIM_READER_H
#define PILGRIM_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pilgrim/status.h"
#include "pilgrim/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- traces ---- */

struct pilgrim_trace;

/* What went wrong. The caller allocates it and need not clear it. */
struct pilgrim_error {
    enum pilgrim_status status;
    uint64_t offset;   /* in the file, bytes; 0 where it does not apply */
    char message[240]; /* one line without a newline, NUL-terminated: what, in which section, at which byte; it may
                        * be printed as it is */
};

/* Opens and checks the trace in a file: magic, version, and every checksum, count and reference.
 *
 * A trace that is damaged or cut off behind the calls of its first ranks is opened, too, without what is missing.
 * Then PILGRIM_OK is returned and error->status is not PILGRIM_OK: error->message says what is missing (times, the
 * ranks that follow, later segments, the end). Otherwise PILGRIM_OK sets error->status to PILGRIM_OK.
 *
 * Memory is at most a small multiple of the file's size, and at most PILGRIM_MEMORY_DEFAULT (see pilgrim_open_limited).
 * The file stays open as long as the trace in two cases. If
 * the trace has times of single calls, a cursor reads them from the file. If the trace takes more than 256 MiB and
 * consists of several shards (as processes make that recorded more than fits into their memory), no more than
 * 256 MiB stay in memory, and one shard for each open cursor and grammar. Other shards are read and checked again
 * when they are needed. If the file changes meanwhile, functions that need it return
 * PILGRIM_DAMAGED; if it cannot be read, PILGRIM_IO.
 *
 * path:    of the file; anything that can be read, a pipe too
 * trace:   the trace; to be closed by pilgrim_close
 * errors:  PILGRIM_IO, PILGRIM_NOMEM, PILGRIM_NOT_TRACE, PILGRIM_VERSION, PILGRIM_TRUNCATED, PILGRIM_DAMAGED,
 *          PILGRIM_LIMIT
 * threads: shared */
PILGRIM_API enum pilgrim_status pilgrim_open(const char *path, struct pilgrim_trace **trace,
                                             struct pilgrim_error *error) PILGRIM_CHECKED;

#define PILGRIM_MEMORY_DEFAULT (UINT64_C(1) << 30) /* bytes: 1 GiB */

/* As pilgrim_open, with another limit of memory. Files are compressed, and a few bytes may announce any number of ranks
 * and values, so a file that somebody has made for it could ask for any amount.
 * memory:  bytes that the trace takes at most; each cursor, list and grammar that is opened from it takes at most as
 *          much again. What needs more returns PILGRIM_LIMIT. UINT64_MAX: as much as a file of its size may need
 * else as pilgrim_open */
PILGRIM_API enum pilgrim_status pilgrim_open_limited(const char *path, uint64_t memory, struct pilgrim_trace **trace,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* Closes the trace and its file. Everything that was opened from it must be closed before.
 * trace:   NULL is legal
 * threads: exclusive, also towards everything that was opened from it */
PILGRIM_API void pilgrim_close(struct pilgrim_trace *trace);

/* Returns how many ranks the trace has: those of MPI_COMM_WORLD of the traced program, at least 1. Ranks are
 * numbered from 0. It is fewer than the program had where the file is damaged; pilgrim_open says so.
 * threads: shared */
PILGRIM_API uint32_t pilgrim_rank_count(const struct pilgrim_trace *trace);

/* Returns how many threads of a rank made calls: in the segment where it has most. 0 if there is no such rank.
 * threads: shared */
PILGRIM_API uint32_t pilgrim_thread_count(const struct pilgrim_trace *trace, uint32_t rank);

/* Returns how many calls a thread made, in all segments. 0 if there is no such rank or thread, or if it is damaged:
 * then pilgrim_cursor_open or pilgrim_cursor_next says how. It takes constant time for each segment, but where loops
 * are stored, a time that grows with how often loops are entered.
 * threads: shared */
PILGRIM_API uint64_t pilgrim_call_count(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread);

/* Returns how many segments the trace has, at least 1; most have one. A process that has used up its memory for
 * recording writes what it recorded to a file, and begins a new segment. A thread's calls are those of segment 0,
 * then those of segment 1, and so on; cursors walk all of them. Tables and grammars (below) belong to one segment.
 * threads: shared */
PILGRIM_API uint32_t pilgrim_segment_count(const struct pilgrim_trace *trace);

/* Returns a property of the run: the value of the first one that is called KEY, or NULL if there is none.
 * key:     "program", "library", "tracer", "timing", "clock", "values", "filter", ...: docs/FORMAT.md lists them
 * memory:  borrowed until the trace is closed
 * threads: shared */
PILGRIM_API const char *pilgrim_property(const struct pilgrim_trace *trace, const char *key);

/* Returns the name of the class of an error code that a call returned, "MPI_ERR_TRUNCATE". NULL: the program made the
 * class, CODE is 0 (MPI_SUCCESS), or numbers of the trace's MPI library are not known.
 * memory:  static
 * threads: shared */
PILGRIM_API const char *pilgrim_error_name(const struct pilgrim_trace *trace, int64_t code);

/* Fills in the I-th property, from 0. Several may have the same key. Returns false behind the last one: *key and
 * *value stay.
 * memory:  borrowed until the trace is closed
 * threads: shared */
PILGRIM_API bool pilgrim_property_at(const struct pilgrim_trace *trace, size_t i, const char **key, const char **value);

/* ---- texts ---- */

enum { PILGRIM_PRINTABLE_MAX = 8 };

/* Writes the first character of a text from a trace as it may be printed, with a NUL behind it. A text may hold any
 * byte: names of functions and modules, too, if somebody has made the trace by hand. To print one:
 *
 *     for (size_t n; length > 0; text += n, length -= n) {
 *         n = pilgrim_printable(text, length, shown);
 *         fputs(shown, stdout);
 *     }
 *
 * A character stands there as it is, but as \uXXXX if it could command a terminal or show a line as another one:
 * control characters (DEL and those from U+0080 to U+009F, too), and those that separate lines or turn the direction of
 * writing. A byte that is not UTF-8 is \u00XX.
 * text:    need not end with a NUL
 * length:  bytes of the text
 * shown:   at most PILGRIM_PRINTABLE_MAX bytes with the NUL
 * Returns how many bytes of the text the character has; 0 if the length is 0: nothing is written.
 * threads: any number at once */
PILGRIM_API size_t pilgrim_printable(const char *text, size_t length, char shown[PILGRIM_PRINTABLE_MAX]);

/* ---- calls ---- */

/* The kind of a value, and which members of struct pilgrim_value it has. */
enum pilgrim_value_type {
    PILGRIM_NONE,     /* not significant in this call, or undefined */
    PILGRIM_NAME,     /* text: a named constant or predefined handle ("MPI_INT") */
    PILGRIM_INT,      /* integer */
    PILGRIM_BOOL,     /* integer: 0 or 1. A logical with another value is a PILGRIM_INT */
    PILGRIM_REAL,     /* real. What MPI_Wtime returned is near this value where PILGRIM_TIMING=bins */
    PILGRIM_RANK,     /* integer: the rank in the call's communicator; relative: the same, counted from the
                       * caller's rank */
    PILGRIM_OBJECT,   /* text: kind of an MPI object ("comm"); id: its number, unique in the process for that kind */
    PILGRIM_REQUEST,  /* id: the class of the request; offset: its number among the live ones of the class */
    PILGRIM_HEAP,     /* an address in allocated memory. id: the allocation; offset: in it, bytes */
    PILGRIM_STACK,    /* an address on a stack. id: the thread */
    PILGRIM_STATIC,   /* an address in a program or library. id: the module; offset: in it, bytes */
    PILGRIM_DEVICE,   /* an address in a device's memory. device: its number; id: the allocation; offset: bytes */
    PILGRIM_STRING,   /* text, length: may hold any byte */
    PILGRIM_ARRAY,    /* items, count */
    PILGRIM_FLAGS,    /* items, count: each a PILGRIM_NAME or PILGRIM_INT, combined by | */
    PILGRIM_STATUS,   /* items: source, tag, bytes, cancelled, and the error if count is 5; ignored */
    PILGRIM_SYMBOL,   /* text, length: the symbol of a callback function */
    PILGRIM_FUNCTION, /* id: a callback function without a symbol */

    /* From pilgrim_signature only, which does not know the calls before: */
    PILGRIM_KEPT,      /* items: one value, which the thread also stores in its register number id */
    PILGRIM_EDITED,    /* an array that is stored as changes of another one: of the in-value if id is 0, else of
                        * the array in register id - 1. items: index, new value, index, new value, ... */
    PILGRIM_COMPLETED, /* the in-value, in which items[0] replaces the elements that the out-value of parameter id
                        * lists */
    PILGRIM_POSTED,    /* a status that follows from the call that began the operation. id: index in the array of
                        * requests; offset: bytes for each element of the call's count; ignored */
    PILGRIM_BEGUN,     /* a request of class id, which begins with this call */
    PILGRIM_LIVE,      /* a live request of class id: offset live ones of that class are older */

    /* From both: */
    PILGRIM_TIME /* a reading of a clock (MPI_Wtime) that the trace does not have; pilgrim_signature gives no
                  * other */
};

/* One value of a call. The library allocates it; members that its type does not name are 0. */
struct pilgrim_value {
    enum pilgrim_value_type type;
    bool ignored; /* PILGRIM_STATUS, PILGRIM_POSTED: the application passed MPI_STATUS_IGNORE or
                   * MPI_STATUSES_IGNORE */
    int64_t integer;
    int64_t relative; /* PILGRIM_RANK: nearest to 0, -size/2 < relative <= size/2, in a communicator of that size */
    double real;
    int64_t device, id, offset;
    const char *text; /* NUL-terminated */
    size_t length;    /* of the text, without the NUL */
    const struct pilgrim_value *items;
    size_t count; /* items */
};

/* Whether MPI reads or writes a parameter; bits: INOUT is both. */
enum pilgrim_direction { PILGRIM_IN = 1, PILGRIM_OUT = 2, PILGRIM_INOUT = 3 };

struct pilgrim_parameter {
    const char *name; /* as the MPI standard has it */
    enum pilgrim_direction direction;
};

/* A function: of MPI, or "pilgrim_marker". */
struct pilgrim_function {
    const char *name;
    const struct pilgrim_parameter *parameters;
    size_t parameter_count;
    bool returns_error_code; /* false: it returns a value (MPI_Wtime), or nothing */
};

/* The module of a frame that is a function of MPI, whose name is in `python`: it called back what the frames inside of
 * it show. So a call with such a frame in its path was made inside a call of that function. It stands before that call,
 * and has no time of its own: start and end are the end of the thread's call before. */
#define PILGRIM_INSIDE_MPI "MPI"

/* A call site or one of its callers: a return address in a module, a line of a function in Python, or a function of MPI
 * that calls back. */
struct pilgrim_frame {
    const char *module;                 /* file name of the program or library; in Python, of the source file;
                                         * PILGRIM_INSIDE_MPI */
    const unsigned char *build_id;      /* the first bytes of the module's build-id */
    size_t build_id_length;             /* bytes; 0: it has none */
    uint64_t offset;                    /* of the address from where the module was loaded, bytes; in Python, the number
                                         * of the line, from 1; 0: unknown */
    const struct pilgrim_frame *caller; /* NULL: the outermost frame, or its callers were not recorded */
    const char *python;                 /* qualified name of the function in Python; name of MPI's; NULL: a return
                                         * address */
};

/* A call class: a function, called from one call site. */
struct pilgrim_class {
    const struct pilgrim_function *function;
    const struct pilgrim_frame *site; /* NULL: unknown */
    bool fortran;                     /* called from Fortran: function and values are those of the C binding */
};

/* One call. The caller allocates it. `in`, `out`, and what they point to, are borrowed until the next function
 * that moves or closes the cursor, or until pilgrim_signature; `class_`, `function` and what they point to until
 * the cursor comes into another segment or is closed. `in` and `out` have function->parameter_count values each.
 * in[i] has a meaning for parameters with direction in or inout, out[i] for out or inout; the others are
 * PILGRIM_NONE. */
struct pilgrim_call {
    uint32_t rank;
    uint32_t thread;
    uint64_t seq; /* number among the thread's calls, from 0 */
    const struct pilgrim_class *class_;
    const struct pilgrim_function *function; /* class_->function */
    const struct pilgrim_value *in;
    const struct pilgrim_value *out;
    struct pilgrim_value ret; /* what it returned */
    bool timed;               /* start_ns and end_ns are known; else they are 0 */
    uint64_t start_ns;        /* since the library was loaded into its process, by that process's clock; see
                               * pilgrim_clock_apply */
    uint64_t end_ns;
    uint64_t identity; /* not 0: all calls from this cursor with this number have the same class and equal in, out
                        * and ret, so that work on one of them need not be repeated. Equal calls may have different
                        * numbers. They count up from 1 as values are met. 0: nothing is known */
};

/* Returns the symbol of the function that a frame is in, as the module's symbol table has it: names of C++ are mangled.
 * NULL if the trace does not have it: the symbols are those that the process which wrote the trace found in its
 * modules' files, and traces of older versions have none. So no file is needed here. Inlined functions have no symbols.
 * For a frame in Python it is frame->python, and the offset is 0.
 * frame:   of this trace, or a copy of such a frame
 * offset:  of the frame's address from the beginning of the function, bytes; stays if NULL is returned
 * memory:  borrowed until the trace is closed
 * threads: shared */
PILGRIM_API const char *pilgrim_frame_function(const struct pilgrim_trace *trace, const struct pilgrim_frame *frame,
                                               uint64_t *offset);

struct pilgrim_cursor;

/* Opens a cursor before the first call of a thread.
 * rank, thread: below pilgrim_rank_count and pilgrim_thread_count
 * cursor:  to be closed by pilgrim_cursor_close, before the trace
 * errors:  PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED, PILGRIM_LIMIT; PILGRIM_INVALID also if there is no such
 *          rank or thread
 * threads: shared: on the trace */
PILGRIM_API enum pilgrim_status pilgrim_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                                    struct pilgrim_cursor **cursor,
                                                    struct pilgrim_error *error) PILGRIM_CHECKED;

/* Closes the cursor. What pilgrim_grammar_open took from it stays open.
 * cursor:  NULL is legal
 * threads: exclusive */
PILGRIM_API void pilgrim_cursor_close(struct pilgrim_cursor *cursor);

/* Fills in the next call and moves the cursor behind it. PILGRIM_END behind the last call.
 *
 * After an error the cursor can be asked on. If only the values of one call are wrong, that call is passed over
 * and the next ones follow. If the walk itself is broken, or later values depend on the lost ones, the error comes
 * again each time.
 * call:    see struct pilgrim_call for how long its pointers live
 * errors:  PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED, PILGRIM_LIMIT (the call's values would take much more
 *          memory than the file has bytes); PILGRIM_INVALID also behind a pilgrim_cursor_pass that went over
 *          values that are needed now
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_cursor_next(struct pilgrim_cursor *cursor, struct pilgrim_call *call,
                                                    struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns what is wrong with the times of the calls that the cursor has given so far: PILGRIM_OK, or the status of
 * the first damaged place, which *error describes. Calls whose times are lost are given without them (call.timed
 * is false).
 * errors:  PILGRIM_DAMAGED, PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_IO
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_cursor_times(const struct pilgrim_cursor *cursor,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* Passes over a run of calls of one class, without reading their values: the fast way to see the sequence of
 * classes. Runs are those that the grammar stores: two runs in a row may have the same class. PILGRIM_END behind the
 * last call.
 *
 * Where loops are stored, a run of 0 calls whose class is the loop says that it is entered; its body follows, once for
 * each trip.
 *
 * Where values are stored as changes of earlier ones, or refer to requests of earlier calls, passing loses what
 * later values need: in the rest of that segment pilgrim_cursor_next then returns PILGRIM_INVALID. Use
 * pilgrim_cursor_skip to keep them.
 * class_number: the class, as pilgrim_class_info has it in the segment that the cursor is in after this call
 *               (pilgrim_cursor_segment)
 * count:   calls passed over; 0: a loop is entered
 * errors:  as pilgrim_cursor_next
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_cursor_pass(struct pilgrim_cursor *cursor, size_t *class_number,
                                                    uint64_t *count, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Passes over the next calls, so that pilgrim_cursor_next gives the one behind them, with all its values. The time
 * depends on the size of the grammars, not on COUNT, with two exceptions: where loops are stored it grows with how
 * often they are entered, and where values refer to earlier calls, with COUNT.
 *
 * Damage on the way is not reported here but by the next pilgrim_cursor_next.
 * count:   calls; if fewer are left, all of them; 0: nothing happens
 * errors:  PILGRIM_NOMEM
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_cursor_skip(struct pilgrim_cursor *cursor, uint64_t count) PILGRIM_CHECKED;

/* Passes over the next calls as pilgrim_cursor_skip does, in a time that does not grow with COUNT where values refer to
 * earlier calls. Only for calls that repeat those before them: a multiple of a period whose calls had equal values in
 * the last two periods, and whose signatures are those of these periods and do not vary (pilgrim_signature_varies).
 * What later values refer to is then as it is now. If the calls are others, values of later calls may be wrong, or
 * damaged.
 * count:   as for pilgrim_cursor_skip; calls behind the segment are passed over as there
 * errors:  PILGRIM_NOMEM
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_cursor_skip_repeats(struct pilgrim_cursor *cursor,
                                                            uint64_t count) PILGRIM_CHECKED;

/* Returns the segment, from 0, of the call that the cursor gave or passed over last; before that, the first segment in
 * which the thread has calls. Tables and grammars below are those of this segment.
 * threads: exclusive */
PILGRIM_API uint32_t pilgrim_cursor_segment(const struct pilgrim_cursor *cursor);

/* Returns how many calls the thread has in that segment; 0 if they cannot be counted. The time is that of
 * pilgrim_call_count.
 * threads: exclusive */
PILGRIM_API uint64_t pilgrim_cursor_segment_calls(const struct pilgrim_cursor *cursor);

/* Passes over what is left of the segment, to the beginning of the next one in which the thread has calls.
 * PILGRIM_END if there is none: the cursor stays where it is. After an error it stays, too.
 * errors:  as pilgrim_cursor_next
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_cursor_next_segment(struct pilgrim_cursor *cursor,
                                                            struct pilgrim_error *error) PILGRIM_CHECKED;

/* ---- one time axis ----
 *
 * The times of a call are read from the clock of its process, in ns since the library was loaded there. Where the
 * times of single calls were kept, the offset of each clock to an axis that all ranks have in common was measured
 * when MPI was initialised and when it was finalized. In between, the clock is taken to drift at a constant rate. */

/* At its time TIME_NS the rank's clock was OFFSET_NS behind the axis, with an error of at most ERROR_NS. */
struct pilgrim_clock_point {
    uint64_t time_ns;
    int64_t offset_ns;
    uint64_t error_ns;
};

/* How a clock relates to the axis. pilgrim_clock_of fills it in; it borrows nothing and may be copied. Functions
 * that read it treat one that contradicts itself (two points in the wrong order, more than two) as one with no
 * points. */
struct pilgrim_clock {
    unsigned point_count; /* 0: the relation is not known; 1: the drift is not known; 2: both are */
    struct pilgrim_clock_point points[2];
};

/* Fills in the clock of a rank.
 * rank:    below pilgrim_rank_count
 * clock:   the caller's
 * errors:  PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED; PILGRIM_INVALID also if there is no such rank
 * threads: shared */
PILGRIM_API enum pilgrim_status pilgrim_clock_of(const struct pilgrim_trace *trace, uint32_t rank,
                                                 struct pilgrim_clock *clock,
                                                 struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the time on the common axis, ns, when the clock had TIME_NS; 0 where it would be negative. What is later
 * by the clock is never earlier on the axis. Returns TIME_NS itself if the relation is not known (and for NULL); times
 * from 2^63 on count as 2^63 - 1.
 * threads: shared */
PILGRIM_API uint64_t pilgrim_clock_common(const struct pilgrim_clock *clock, uint64_t time_ns);

/* Returns by how many ns that may be wrong, if the clock's rate was steady: the errors of the measurements, as far
 * as they bear on that time. A drift that is not known is taken to be below 500 ppm. UINT64_MAX if the relation is
 * not known (and for NULL). With PILGRIM_TIMING=bins, the times of calls have an error of their own.
 * threads: shared */
PILGRIM_API uint64_t pilgrim_clock_error(const struct pilgrim_clock *clock, uint64_t time_ns);

/* Returns how much faster the axis goes than the clock: 1e-6 is 1 us in a second. 0 if that is not known.
 * threads: shared */
PILGRIM_API double pilgrim_clock_drift(const struct pilgrim_clock *clock);

/* Puts start_ns and end_ns of a call on the common axis; do so once. A call without times stays as it is.
 * clock:   that of the call's rank
 * threads: shared: on the clock */
PILGRIM_API void pilgrim_clock_apply(const struct pilgrim_clock *clock, struct pilgrim_call *call);

/* ---- communicators ---- */

/* A communicator that a process created. MPI_COMM_WORLD and MPI_COMM_SELF are not listed. The caller allocates the
 * struct; its texts are borrowed until the next pilgrim_communicators_next or _close. */
struct pilgrim_communicator {
    const char *name;     /* "comm:3", as in the process's calls; "MPI_COMM_NULL" if the process is not in it */
    int64_t thread;       /* that created it, with its next call that creates a communicator. -1: no recorded call
                           * did (a callback, a pause, the process that spawned this one) */
    bool inter;           /* an intercommunicator */
    const char *topology; /* "MPI_CART", "MPI_GRAPH", "MPI_DIST_GRAPH", "MPI_UNDEFINED" */
    int64_t size;         /* of the (local) group */
    int64_t rank;         /* of the process in it; negative: it is not in it */
    int64_t remote_size;  /* of the remote group; 0 if there is none */
    int64_t leader;       /* its rank 0, as a rank of MPI_COMM_WORLD (inter: the lower one of both groups); -1: in
                           * another world */
    const char *parent;   /* the communicator it was made from, by the name it had then; NULL: none */
    uint64_t sequence;    /* how many were created before it from that parent (without a parent: with the same
                           * members) */
    uint64_t identity;    /* equal in all processes of one communicator, different for different ones; 0: not known */
};

struct pilgrim_communicators;

/* Opens the list of a rank's communicators, in the order of their creation.
 * list:    to be closed by pilgrim_communicators_close, before the trace
 * errors:  as pilgrim_cursor_open
 * threads: shared: on the trace */
PILGRIM_API enum pilgrim_status pilgrim_communicators_open(const struct pilgrim_trace *trace, uint32_t rank,
                                                           struct pilgrim_communicators **list,
                                                           struct pilgrim_error *error) PILGRIM_CHECKED;

/* Fills in the next communicator. PILGRIM_END behind the last.
 * errors:  as pilgrim_cursor_next
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_communicators_next(struct pilgrim_communicators *list,
                                                           struct pilgrim_communicator *communicator,
                                                           struct pilgrim_error *error) PILGRIM_CHECKED;

/* Closes the list.
 * list:    NULL is legal
 * threads: exclusive */
PILGRIM_API void pilgrim_communicators_close(struct pilgrim_communicators *list);

/* ---- the machine: hosts, what is around them, and the processes on them ---- */

/* A part of the machine. */
struct pilgrim_level {
    const char *kind; /* "switch", "host" */
    const char *name;
};

/* A host. The caller allocates the struct; what it points to is borrowed until the system is closed. */
struct pilgrim_host {
    const struct pilgrim_level *levels; /* from the outermost part to the host itself */
    size_t level_count;                 /* 0: the trace does not say where these processes ran */
    const char *name;                   /* of the last level; NULL if there is none */
    uint32_t processes;                 /* of the program, on this host */
};

/* Where a rank ran. */
struct pilgrim_location {
    uint32_t host;    /* its number, for pilgrim_system_host */
    uint32_t process; /* index among the processes of the host, in the order of their ranks, from 0 */
    uint32_t threads; /* as pilgrim_thread_count */
    int64_t pid;      /* -1: not known */
};

struct pilgrim_system;

/* Looks up where each rank ran, once: in the last segment that says so. It takes 16 bytes a rank, and some for each
 * host.
 * system:  to be closed by pilgrim_system_close, before the trace
 * errors:  PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED
 * threads: shared: on the trace */
PILGRIM_API enum pilgrim_status pilgrim_system_open(const struct pilgrim_trace *trace, struct pilgrim_system **system,
                                                    struct pilgrim_error *error) PILGRIM_CHECKED;

/* Closes the system.
 * system:  NULL is legal
 * threads: exclusive */
PILGRIM_API void pilgrim_system_close(struct pilgrim_system *system);

/* Returns the number of hosts. They are numbered from 0 in the order of the lowest of their ranks.
 * threads: shared */
PILGRIM_API uint32_t pilgrim_system_hosts(const struct pilgrim_system *system);

/* Fills in a host.
 * host:    below pilgrim_system_hosts, else PILGRIM_INVALID
 * threads: shared */
PILGRIM_API enum pilgrim_status pilgrim_system_host(const struct pilgrim_system *system, uint32_t host,
                                                    struct pilgrim_host *found) PILGRIM_CHECKED;

/* Sets *HOST to the number of the first host called NAME; PILGRIM_INVALID if there is none.
 * threads: shared */
PILGRIM_API enum pilgrim_status pilgrim_system_host_named(const struct pilgrim_system *system, const char *name,
                                                          uint32_t *host) PILGRIM_CHECKED;

/* Fills in where a rank ran: from (rank, thread) to (host, process, thread). A thread has the same number in both.
 * rank:    below pilgrim_rank_count, else PILGRIM_INVALID
 * threads: shared */
PILGRIM_API enum pilgrim_status pilgrim_system_location(const struct pilgrim_system *system, uint32_t rank,
                                                        struct pilgrim_location *location) PILGRIM_CHECKED;

/* Sets *RANK to that of a process of a host: the inverse of pilgrim_system_location.
 * host, process: as in struct pilgrim_location; PILGRIM_INVALID if there is no such host or process
 * threads: shared */
PILGRIM_API enum pilgrim_status pilgrim_system_rank(const struct pilgrim_system *system, uint32_t host,
                                                    uint32_t process, uint32_t *rank) PILGRIM_CHECKED;

/* ---- what is stored: the call-signature table and the grammars of one thread, in the segment that a cursor is in ----
 *
 * Threads with the same sequence of call classes share it: they are a structure group. Within it, threads that
 * call a class with the same sequence of signatures are a value group of that class. Functions here do not move
 * the cursor. */

/* A thread's table, in the segment. */
struct pilgrim_thread_info {
    uint32_t structure_group;      /* its number in the segment, from 0 */
    uint64_t structure_group_size; /* threads in it */
    size_t class_count;            /* classes are numbered from 0 to below this, for pilgrim_class_info; loops too */
    size_t loop_count;             /* how many of these are loops */
    uint64_t structure;            /* the sequence of classes, for pilgrim_grammar_open: of calls, and of loops */
};

/* Fills in the table of the cursor's thread. All is 0 if the cursor is NULL.
 * threads: exclusive */
PILGRIM_API void pilgrim_thread_info(const struct pilgrim_cursor *cursor, struct pilgrim_thread_info *info);

/* Sets *GROUP to the structure group of a thread in the first segment, as pilgrim_thread_info of a cursor there has it,
 * without the cost of a cursor.
 * rank, thread: PILGRIM_INVALID if that segment has no such thread
 * errors:  PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED
 * threads: shared */
PILGRIM_API enum pilgrim_status pilgrim_thread_group(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                                     uint32_t *group, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the number of the tables that the cursor reads now. In two cursors of one trace with the same number,
 * sequences (pilgrim_thread_info.structure, pilgrim_class_info.values and .body) with equal numbers are the same.
 * UINT64_MAX if the cursor is NULL. threads: exclusive */
PILGRIM_API uint64_t pilgrim_cursor_tables(const struct pilgrim_cursor *cursor);

/* A class of the table. */
struct pilgrim_class_info {
    const struct pilgrim_class *class_; /* borrowed until the cursor comes into another segment or is closed */
    uint32_t value_group;               /* the thread's, by its number among those of the class */
    uint64_t value_group_size;          /* threads in it */
    uint64_t signature_count;           /* signatures are numbered from 0 to below this, for pilgrim_signature */
    uint64_t values;                    /* the sequence of signatures, for pilgrim_grammar_open */
    uint64_t body;                      /* 0: it is a class of calls. Else it is a loop, and this is the sequence
                                         * of classes, for pilgrim_grammar_open, of one trip */
};

/* Fills in a class.
 * class_number: below pilgrim_thread_info.class_count, else PILGRIM_INVALID
 * errors:  PILGRIM_DAMAGED (the thread is in no value group)
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_class_info(const struct pilgrim_cursor *cursor, size_t class_number,
                                                   struct pilgrim_class_info *info) PILGRIM_CHECKED;

/* How often a loop was entered, and how many trips it made then. */
struct pilgrim_trips {
    uint64_t entered;
    uint64_t total, min, max; /* trips; min and max are 0 if it was never entered */
};

/* Counts the trips of a loop in the segment; the time grows with how often it was entered.
 * class_number: of a loop, else PILGRIM_INVALID
 * errors:  as pilgrim_cursor_next
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_loop_trips(const struct pilgrim_cursor *cursor, size_t class_number,
                                                   struct pilgrim_trips *trips,
                                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* Fills in a signature of a class: a call whose seq and times are 0. Values that depend on earlier calls have the
 * types PILGRIM_KEPT to PILGRIM_LIVE.
 * class_number: below pilgrim_thread_info.class_count; number: below pilgrim_class_info.signature_count; else
 *               PILGRIM_INVALID
 * call:    its pointers are borrowed until the cursor is used to get another call or signature, or closed
 * errors:  PILGRIM_NOMEM, PILGRIM_DAMAGED, PILGRIM_LIMIT
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_signature(struct pilgrim_cursor *cursor, size_t class_number, uint64_t number,
                                                  struct pilgrim_call *call,
                                                  struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns how many signatures, from NUMBER on, differ only in numbers that are stored as sequences: 1 if it stands
 * alone, 0 if there is no such class or signature.
 * threads: exclusive */
PILGRIM_API uint64_t pilgrim_signature_run(const struct pilgrim_cursor *cursor, size_t class_number, uint64_t number);

/* Returns true if signature NUMBER stands for other numbers in each call that has it: pilgrim_signature gives
 * those of the first one. false if there is no such class or signature.
 * threads: exclusive */
PILGRIM_API bool pilgrim_signature_varies(const struct pilgrim_cursor *cursor, size_t class_number, uint64_t number);

/* Returns true if signature NUMBER is the same on all threads of the value group: all its numbers are, and ranks
 * (PILGRIM_RANK) are at the same distance from the thread's own in MPI_COMM_WORLD. false also if there is no such class
 * or signature.
 * threads: exclusive */
PILGRIM_API bool pilgrim_signature_uniform(const struct pilgrim_cursor *cursor, size_t class_number, uint64_t number);

/* The same, but for ranks, which may be any, and places in memory (PILGRIM_HEAP, PILGRIM_STACK, PILGRIM_STATIC,
 * PILGRIM_DEVICE): counts, sizes, names and all others are the same on all threads of the value group.
 * threads: exclusive */
PILGRIM_API bool pilgrim_signature_uniform_apart(const struct pilgrim_cursor *cursor, size_t class_number,
                                                 uint64_t number);

/* One symbol on the right-hand side of a rule. It stands for `exponent` symbols in a row:
 *   is_rule false, ramp false   value value ... value            the same terminal
 *   is_rule false, ramp true    value, value + 1, ..., value + exponent - 1
 *   is_rule true                the expansion of rule `value`, `exponent` times
 * An exponent of 0 comes only from a wrong index: see pilgrim_grammar_symbol. */
struct pilgrim_symbol {
    bool is_rule;
    bool ramp;
    uint64_t value; /* a terminal (number of a class or signature), or the number of a rule */
    uint64_t exponent;
};

struct pilgrim_grammar;

/* Opens the grammar of a sequence. Rule 0 is the start rule; the others are numbered in the order in which a
 * reader meets them from there. Each of them is used. Rules do not form cycles, but may be nested deeply: expand
 * them with a stack of your own.
 * sequence: of the cursor's segment: pilgrim_thread_info.structure, pilgrim_class_info.values or .body;
 *           PILGRIM_INVALID for many numbers that are none of these; for others the grammar has no meaning
 * grammar: to be closed by pilgrim_grammar_close, before the trace. The cursor may move or be closed before
 * errors:  PILGRIM_NOMEM
 * threads: exclusive: on the cursor */
PILGRIM_API enum pilgrim_status pilgrim_grammar_open(const struct pilgrim_cursor *cursor, uint64_t sequence,
                                                     struct pilgrim_grammar **grammar,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* Closes the grammar.
 * grammar: NULL is legal
 * threads: exclusive */
PILGRIM_API void pilgrim_grammar_close(struct pilgrim_grammar *grammar);

/* Returns the number of rules, at least 1: the start rule of an empty sequence has no symbols.
 * threads: shared */
PILGRIM_API uint32_t pilgrim_grammar_rules(const struct pilgrim_grammar *grammar);

/* Returns how many symbols a rule has, exponents not counted. 0 if there is no such rule.
 * threads: shared */
PILGRIM_API size_t pilgrim_grammar_symbols(const struct pilgrim_grammar *grammar, uint32_t rule);

/* Returns symbol I, from 0, of a rule, in constant time or in a time that depends on I where many terminals are
 * stored as a block. If there is no such rule or symbol, all members of the result are 0; no real symbol has an
 * exponent of 0.
 * threads: shared */
PILGRIM_API struct pilgrim_symbol pilgrim_grammar_symbol(const struct pilgrim_grammar *grammar, uint32_t rule,
                                                         size_t i);

/* Returns the length of the sequence: the terminals of the whole expansion.
 * threads: shared */
PILGRIM_API uint64_t pilgrim_grammar_length(const struct pilgrim_grammar *grammar);

/* ---- the profile: how long calls took, how long it was from one to the next, where each rank's time went ---- */

enum { PILGRIM_BUCKETS = 65 };

#define PILGRIM_RANK_UNKNOWN UINT32_MAX

/* What is known of many times. Counts are exact. The mean is stored rounded down, by less than 1 in 256; the
 * shortest, the longest and the deviation by less than 1 in 16; a bucket of the histogram is rounded to 1 in 32 of
 * the count. Of calls with less than a 4096th of the run's time the mean is stored to 1 in 8, and the longest to a
 * factor of 2; or both are those of all such calls of the same function and call site, whatever their paths. If `count`
 * is 0 nothing is known, and all members are 0. */
struct pilgrim_statistic {
    uint64_t count; /* of durations, or of gaps */
    double total_ns, mean_ns;
    uint64_t max_ns;
    uint32_t max_rank;                   /* the lowest rank that had max_ns, or PILGRIM_RANK_UNKNOWN */
    bool brief;                          /* true: the members below are not known of all these times; the histogram
                                          * counts those of which it is known */
    bool shared;                         /* true: the mean and the longest are those of all such calls of the same
                                          * function and call site, whatever their paths */
    uint64_t min_ns;                     /* 0 if brief */
    uint32_t min_rank;                   /* the lowest rank that had min_ns, or PILGRIM_RANK_UNKNOWN; only traces
                                          * of format version 5 say it */
    double deviation_ns;                 /* the standard deviation; 0 if brief */
    uint64_t histogram[PILGRIM_BUCKETS]; /* [0]: times of 0 ns; [k]: from 2^(k - 1) to below 2^k ns; [39]: all
                                          * longer ones, too */
};

/* Adds what FROM knows to INTO, which then describes the times of both. One whose members are all 0 describes none.
 * threads: exclusive on INTO, shared on FROM */
PILGRIM_API void pilgrim_statistic_add(struct pilgrim_statistic *into, const struct pilgrim_statistic *from);

/* The times of all calls of one class, of all ranks. */
struct pilgrim_class_profile {
    const struct pilgrim_class *class_; /* borrowed until the next one */
    struct pilgrim_statistic durations;
    struct pilgrim_statistic gaps;       /* before the calls: from the end of the thread's call before to the start */
    struct pilgrim_statistic first_gaps; /* before a thread's first call; in the first segment, since the library was
                                          * loaded */
};

struct pilgrim_profile;

/* Opens the list of all classes of a trace that have times. A class that is in several shards of the trace comes
 * once for each.
 * profile: to be closed by pilgrim_profile_close, before the trace
 * errors:  PILGRIM_NOMEM
 * threads: shared: on the trace */
PILGRIM_API enum pilgrim_status pilgrim_profile_open(const struct pilgrim_trace *trace,
                                                     struct pilgrim_profile **profile,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* Fills in the next class. PILGRIM_END behind the last; at once if the trace has no times.
 * errors:  PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED: of one shard; the next call goes on with the next one
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_profile_next(struct pilgrim_profile *profile,
                                                     struct pilgrim_class_profile *found,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* Closes the list.
 * profile: NULL is legal
 * threads: exclusive */
PILGRIM_API void pilgrim_profile_close(struct pilgrim_profile *profile);

/* What a process does with its time. */
enum pilgrim_activity {
    PILGRIM_COMPUTING, /* between calls, but not before a thread's first one */
    PILGRIM_POINT_TO_POINT,
    PILGRIM_COLLECTIVE,
    PILGRIM_ONE_SIDED,
    PILGRIM_FILE,
    PILGRIM_OTHER_CALLS,
    PILGRIM_ACTIVITIES /* how many there are */
};

/* Returns the activity in English ("point to point"); "" for a number that is none.
 * memory:  static
 * threads: shared */
PILGRIM_API const char *pilgrim_activity_name(enum pilgrim_activity activity);

/* The times of a rank, those of its threads added up, to 3 %. In a trace of very many ranks they may be those of a
 * block of neighbouring ranks. Arrays are indexed by enum pilgrim_activity. */
struct pilgrim_rank_profile {
    uint32_t first_rank, rank_count;        /* the block; a RANK_COUNT of 1: the rank alone */
    double ns[PILGRIM_ACTIVITIES];          /* the mean of the block's ranks */
    double most_ns[PILGRIM_ACTIVITIES];     /* that of the block's rank that had most; segments are added up, each
                                             * with its own */
    uint32_t most_rank[PILGRIM_ACTIVITIES]; /* that rank, in the segment where it had most */
};

/* Fills in the profile of a rank. PILGRIM_END if the trace does not have it.
 * rank:    below pilgrim_rank_count, else PILGRIM_INVALID
 * errors:  PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED
 * threads: shared */
PILGRIM_API enum pilgrim_status pilgrim_rank_profile(const struct pilgrim_trace *trace, uint32_t rank,
                                                     struct pilgrim_rank_profile *found,
                                                     struct pilgrim_error *error) PILGRIM_CHECKED;

/* How long the calls of one class took on one rank, in all its threads together, in one segment, to 3 %. It is stored
 * where ranks differ by a tenth or more, and by a 64th of a rank's time or more; elsewhere it is about the mean
 * times the number of calls. */
struct pilgrim_rank_class {
    bool has_durations, has_gaps; /* which of both is stored */
    double durations_ns, gaps_ns; /* 0 if not stored */
    uint32_t rank_count;          /* both are the mean of this many neighbouring ranks; 0: neither is stored */
};

/* Fills in the times of a class on the cursor's rank, in the cursor's segment.
 * class_number: of a class of calls; PILGRIM_INVALID for a loop, or if there is no such class
 * errors:  PILGRIM_DAMAGED (the thread is in no value group)
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_rank_class(const struct pilgrim_cursor *cursor, size_t class_number,
                                                   struct pilgrim_rank_class *found) PILGRIM_CHECKED;

/* Which calls of a class: those with one signature of the cursor's value group, by its number, or */
#define PILGRIM_VALUE_GROUP     (UINT64_MAX - 1) /* all in the value group */
#define PILGRIM_STRUCTURE_GROUP UINT64_MAX       /* all in the structure group */

/* Which gaps: those behind a call of one class, by its number, or */
#define PILGRIM_ANY_CALL UINT64_MAX       /* behind any call; without those of PILGRIM_NO_CALL */
#define PILGRIM_NO_CALL  (UINT64_MAX - 1) /* before a thread's first call in this segment */

/* Fills in how long calls took, in the cursor's segment. Calls of a class whose times differ little share one
 * statistic, whatever their ranks and signatures. So it describes those calls and maybe others, and its `count` is
 * that of all of them. The count is 0 if the trace has no times.
 * class_number: of a class of calls; PILGRIM_INVALID for a loop, or if there is no such class
 * signatures: below pilgrim_class_info.signature_count, PILGRIM_VALUE_GROUP or PILGRIM_STRUCTURE_GROUP; else
 *             PILGRIM_INVALID
 * errors:  PILGRIM_DAMAGED (the thread is in no value group)
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_durations(const struct pilgrim_cursor *cursor, size_t class_number,
                                                  uint64_t signatures,
                                                  struct pilgrim_statistic *statistic) PILGRIM_CHECKED;

/* Fills in the gaps before such calls, in the same way. In a loop, a class that comes first and last in the body
 * tells by BEFORE whether a trip begins or another one follows. Gaps that differ little share one statistic,
 * as durations do.
 * before:  number of a class, PILGRIM_ANY_CALL or PILGRIM_NO_CALL. Where no such gap exists the count is 0
 * errors:  as pilgrim_durations
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_gaps(const struct pilgrim_cursor *cursor, size_t class_number,
                                             uint64_t signatures, uint64_t before,
                                             struct pilgrim_statistic *statistic) PILGRIM_CHECKED;

/* Lists the classes behind which gaps have a statistic of their own. Each call sets *BEFORE to the next one:
 * PILGRIM_NO_CALL first, if some calls were a thread's first in the segment, then numbers of classes in ascending
 * order. PILGRIM_END behind the last: *BEFORE stays.
 * before:  PILGRIM_ANY_CALL at first, then what the last call set
 * errors:  as pilgrim_durations
 * threads: exclusive */
PILGRIM_API enum pilgrim_status pilgrim_class_before(const struct pilgrim_cursor *cursor, size_t class_number,
                                                     uint64_t signatures, uint64_t *before) PILGRIM_CHECKED;

#ifdef __cplusplus
}
#endif

#endif
