/* SPDX-License-Identifier: BSD-3-Clause */
/* Printers of calls and of the other views of pilgrim-decode(1), as text or JSON. */
#ifndef DECODER_PRINT_H
#define DECODER_PRINT_H

#include <pilgrim/reader.h>

#include "output.h"
#include "analysis/source_lines.h"

/* The pieces of a call's line, in the order of call_lines.c: the head (rank, thread, up to seq) is the same for all
 * calls of a thread; the body follows from function, site and values. Times stand before the body in text, behind it in
 * JSON. *_head returns the head's length. FRAMES: so many of the path at most. SOURCES: where source lines are found;
 * may be NULL. */
#define CALL_HEAD_MAX 64
size_t json_head(char head[CALL_HEAD_MAX], uint32_t rank, uint32_t thread);
void json_body(struct output *o, const struct pilgrim_call *call, uint64_t frames, struct source_lines *lines);
void json_times(struct output *o, const struct pilgrim_call *call);
void json_call_arguments(struct output *o, const struct pilgrim_call *call); /* an object */
void json_call_return(struct output *o, const struct pilgrim_call *call);
void json_call_value(struct output *o, const struct pilgrim_value *v);

/* CSV: csv_call_head prints the names of the columns. */
void csv_call_head(struct output *o);
size_t csv_call_begin(char head[CALL_HEAD_MAX], uint32_t rank, uint32_t thread);
void csv_call_times(struct output *o, const struct pilgrim_call *call);
void csv_call_body(struct output *o, const struct pilgrim_call *call, struct source_lines *lines);
void csv_no_call(struct output *o); /* empty cells for all columns behind the rank */

size_t text_head(char head[CALL_HEAD_MAX], uint32_t rank, uint32_t thread);
void text_times(struct output *o, const struct pilgrim_call *call);

/* How a call is printed as text. */
struct text_style {
    bool symbolic;       /* ranks relative to the caller's, as rank+1 */
    bool is_short;       /* of long arrays only the beginning */
    bool color;          /* with escape sequences */
    const char *library; /* the MPI, as the trace names it: what error codes mean. NULL: they are numbers */
    const char *(*name_of)(const void *names, const struct pilgrim_value *v); /* what the program named an object; NULL:
                                                                                  it has no name */
    const void *names; /* for name_of; NULL: there are no names */
};

/* Where arguments lie in a body: they begin at one byte, and another is the first one behind them. */
struct text_marks {
    size_t arguments, behind;
};
struct text_marks text_body(struct output *o, const struct pilgrim_call *call, const struct text_style *style,
                            uint64_t frames, struct source_lines *sources);

/* Prints a value as a whole, whatever its size. SYMBOLIC: as text_arguments. */
void text_value(struct output *o, const struct pilgrim_value *v, bool symbolic);

/* Prints the parameters of a call: `buf=heap:0+8, count=64`. SYMBOLIC: ranks relative to the caller's, as rank+1. */
void text_arguments(struct output *o, const struct pilgrim_call *call, bool symbolic);

/* Prints "MODULE+0xOFFSET" as a string. */
void json_frame(struct output *o, const struct pilgrim_frame *frame);

/* Prints a call path, FRAMES of it at most, the call site first. Each is "FILE:LINE", else "FUNCTION+0xOFFSET", else
 * "MODULE+0xOFFSET"; an unknown call site is "?". */
void text_site(struct output *o, const struct pilgrim_class *class, uint64_t frames, struct source_lines *lines);

/* Prints a communicator that RANK created as an object. NAME: what the program called it; NULL: nothing. */
void communicator_json(struct output *o, uint32_t rank, const struct pilgrim_communicator *c, const char *name);

/* Communicators as people see them: one line for all ranks that agree on what it is, but for their own ranks in it.
 * Ranks are added in their order. _add: false: no memory. _print: at most LIMIT lines. */
struct communicator_rows *communicator_rows_new(void);
void communicator_rows_free(struct communicator_rows *r); /* NULL is legal */
bool communicator_rows_add(struct communicator_rows *r, uint32_t rank, const struct pilgrim_communicator *c,
                           const char *name);
void communicator_rows_print(struct output *o, const struct communicator_rows *r, uint64_t limit);

/* Prints the machine that the program ran on as a tree of classes: a line each, or one object. */
enum pilgrim_status machine_print(struct output *o, const struct pilgrim_trace *trace,
                                  const struct pilgrim_system *system, bool json);

/* Prints where RANK ran and, if the trace has it, how its clock differs from the common axis: one line. errors: as
 * pilgrim_clock_of */
enum pilgrim_status location_print(struct output *o, const struct pilgrim_trace *trace,
                                   const struct pilgrim_system *system, uint32_t rank, bool json,
                                   struct pilgrim_error *error);

/* Prints the call-signature table and the grammars of one thread. */
enum pilgrim_status grammar_print(struct output *o, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                  struct source_lines *lines, struct pilgrim_error *error);

/* Prints a profile: a table, or one object a line. HISTOGRAMS: also those of each row. FUNCTION: only functions that
 * match this glob; NULL: all. */
struct call_profile;
void profile_text(struct output *o, const struct call_profile *p, bool histograms, const char *function,
                  struct source_lines *lines);
void profile_json(struct output *o, const struct call_profile *p, bool histograms, const char *function,
                  struct source_lines *lines);

/* Print what begins both: the sums over all functions. */
void profile_text_summary(struct output *o, const struct call_profile *p);
void profile_json_summary(struct output *o, const struct call_profile *p);

/* Prints an activity's name as in JSON: computing, point_to_point, ... */
void json_activity(struct output *o, enum pilgrim_activity activity);

/* What each chosen rank did with its time; a block of ranks comes once. CHOOSE gets CHOICE, SEE gets CONTEXT. */
struct rank_rows {
    bool (*choose)(const void *choice, uint32_t rank);
    const void *choice;
    void (*see)(void *context, const struct pilgrim_rank_profile *row);
    void *context;
};

/* Visits them. errors: as pilgrim_rank_profile */
enum pilgrim_status rank_rows_visit(const struct pilgrim_trace *trace, const struct rank_rows *rows,
                                    struct pilgrim_error *error);

/* Prints them, a line each, and as text what is least, mean and most. errors: as pilgrim_rank_profile */
enum pilgrim_status rank_times_print(struct output *o, const struct pilgrim_trace *trace, bool json,
                                     bool (*choose)(const void *context, uint32_t rank), const void *context,
                                     struct pilgrim_error *error);

struct loops_options {
    uint64_t depth; /* so many functions of a path at most */
    bool json, csv;
    bool paths; /* sites without callers are in outermost functions */
};

/* Prints the programs of threads as loops; if the trace has call paths, or as JSON, also as calls of functions. errors:
 * PILGRIM_NOMEM */
struct loops_list;
enum pilgrim_status loops_print(struct output *o, const struct loops_list *l, struct source_lines *lines,
                                const struct loops_options *options, struct pilgrim_error *error);

/* The latter part of it. */
enum pilgrim_status program_print(struct output *o, const struct loops_list *l, struct source_lines *lines,
                                  const struct loops_options *options, struct pilgrim_error *error);

/* Print the heads and parts of lines of both:
 * threads: "ranks 0-8 (9), threads 1-3 (3); rank 9, thread 1"; false: no memory
 * calls:   ": 12..15 calls each"
 * number:  "loop 3: ", or "loop 3..4: " if threads have different numbers for it
 * counts:  "4x", or "12..97x, mean 41.2"
 * share:   SEPARATOR and "in 10% of the iterations", and sets SEPARATOR to ", "; nothing if TIMES is not less than
 * AROUND time:    SEPARATOR and the mean time of COUNT threads, and that of a call and of the gap before it */
struct shown_thread;
struct nest_counts;
bool threads_print(struct output *o, const struct shown_thread *list, size_t count);

/* Prints which of the threads AROUND the threads SOME are: "on 8 of 27 ranks: 0,2,6", "on all ranks but 3", or "on 5
 * threads" if a rank has several. Both lists are sorted by rank and number. False: no memory. */
bool threads_print_some(struct output *o, const struct shown_thread *some, size_t count,
                        const struct shown_thread *around, size_t around_count);
void loops_calls(struct output *o, uint64_t least, uint64_t most, size_t threads);
void loops_number(struct output *o, uint64_t first, uint64_t last);
void loops_counts(struct output *o, const struct nest_counts *c);

/* Print the texts of markers, as "setup", "solve"; loops_phase: with "phase " before them. */
struct phase_texts;
void loops_texts(struct output *o, const struct phase_texts *phases);
void loops_phase(struct output *o, const struct phase_texts *phases);

/* Prints "in 1 of 5 iterations" or "in 37% of the iterations", behind *SEPARATOR, which becomes ", ", if TIMES is less
 * than AROUND. */
void loops_share(struct output *o, uint64_t times, uint64_t around, const char **separator);
void loops_time(struct output *o, double ns, double gap_ns, uint64_t calls, size_t threads, const char *separator);

#endif
