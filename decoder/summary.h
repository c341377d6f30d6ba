/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of a run (--summary): what ran, where its time went, what it sent, and what is odd.
 *
 * summary.c gathers it, summary_odd.c and summary_causes.c say what is odd, summary_print.c prints it. */
#ifndef DECODER_SUMMARY_H
#define DECODER_SUMMARY_H

#include <pilgrim/reader.h>

#include "analysis/class_copies.h"
#include "output.h"
#include "analysis/profile.h"
#include "analysis/source_lines.h"
#include "analysis/thread_loops.h"

enum { SUMMARY_SITES = 5, SUMMARY_SIZES = 65, SUMMARY_ODD_MAX = 12, SUMMARY_TEXT_MAX = 128 };

struct summary_site {
    const struct pilgrim_class *class;
    double ns; /* of all its calls, on all ranks */
    uint64_t calls;
};

/* The outermost loop that takes most time. */
struct summary_loop {
    const struct nest_item *item;      /* NULL: there is none */
    const struct pilgrim_class *class; /* of the first call in it */
    size_t call_sites;                 /* in it */
    double ns;                         /* on a thread: calls, and the gaps before them */
    size_t thread_count;               /* that have it */
    uint32_t rank, thread;             /* the first of them */
};

/* What is odd, and the command that shows more. */
struct summary_odd {
    char what[SUMMARY_TEXT_MAX];
    char command[SUMMARY_TEXT_MAX]; /* the options of pilgrim-decode; "": pilgrim-waits shows more, without options */
    const struct pilgrim_class *at; /* it is of the calls at this place alone; NULL: not */
};

struct summary {
    const struct pilgrim_trace *trace;
    const struct pilgrim_system *system; /* for summary_json; borrowed. NULL: it opens one */
    uint64_t ranks, threads, calls;
    double wall_ns; /* from a rank's first call to the end of its last one, of the rank where it is longest; 0: not
                       known */
    struct pilgrim_statistic init; /* of MPI_Init, which a process calls once; a count of 0: not known */
    const char *init_name;         /* MPI_Init or MPI_Init_thread */
    double run_ns;                 /* as wall_ns, of all threads together */
    struct profile_activity activities[PILGRIM_ACTIVITIES];
    uint64_t profiled_ranks;
    struct summary_site sites[SUMMARY_SITES]; /* without MPI_Init and MPI_Finalize */
    size_t site_count;
    struct summary_loop loop;
    struct messages_count sent;
    uint64_t unsized;
    uint64_t collective_bytes, window_bytes, file_bytes; /* as in struct volume_parts */
    uint64_t sizes[SUMMARY_SIZES]; /* messages with a size from 2^(k - 1) to below 2^k; [0]: of 0 bytes */
    uint64_t least_bytes, most_bytes;
    uint64_t failed, polls, pending;    /* calls that failed, failed polls, requests that never completed */
    uint32_t failed_rank, pending_rank; /* the lowest with one */
    const char *failed_function;        /* of the first one */
    uint64_t leak; /* requests of pending_rank that most calls at one place left, and whose call began them, if known */
    const struct pilgrim_class *leak_class;
    struct class_copies classes; /* those of `sites` */
    struct loops_list *loops;
    struct summary_odd odd[SUMMARY_ODD_MAX];
    size_t odd_count;
};

/* Gathers the summary of TRACE. All calls are read. errors: PILGRIM_NOMEM, and as pilgrim_cursor_next: then *S has what
 * was gathered before. *S is to be freed in any case, before the trace is closed. */
enum pilgrim_status summary_make(struct summary *s, const struct pilgrim_trace *trace, struct pilgrim_error *error);
void summary_free(struct summary *s);

/* Finds which calls began the requests that were never completed, if there are any. errors: as pilgrim_cursor_next */
enum pilgrim_status summary_find_leak(struct summary *s, struct pilgrim_error *error);

/* Fills in what is odd, from the rest of *S. */
void summary_find_odd(struct summary *s);

/* Adds something odd; see struct summary_odd. Returns it; what there is no room for is lost. */
struct summary_odd *summary_add_odd(struct summary *s, const char *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds what ranks waited for most, where the trace says that. COMPUTES: a rank. Returns whether others waited for what
 * it computed. */
bool summary_find_causes(struct summary *s, uint32_t computes);

/* Prints it. PATH: of the trace, as the user gave it; FILE: the file that was opened. COLUMNS: of a line of text. */
void summary_text(struct output *o, const struct summary *s, const char *path, const char *file,
                  struct source_lines *lines, unsigned columns);
void summary_json(struct output *o, const struct summary *s, const char *path, const char *file,
                  struct source_lines *lines);

#endif
