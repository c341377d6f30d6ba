/* SPDX-License-Identifier: BSD-3-Clause */
/* What a table is made of: for table.c and table_twins.c alone. */
#ifndef ANALYSIS_TABLE_DATA_H
#define ANALYSIS_TABLE_DATA_H

#include "analysis/class_copies.h"
#include "analysis/class_times.h"
#include "analysis/counted_calls.h"
#include "analysis/table.h"
#include "analysis/table_names.h"
#include "analysis/thread_twins.h"
#include "analysis/volume.h"

struct table_key {
    bool apart;
    uint32_t what; /* number of a site or a function */
    uint32_t rank; /* number of the block */
    uint32_t phase, communicator, datatype;
    uint8_t size;
    int64_t peer; /* below -1: none */
};

/* What is known of one measure of a row on the ranks so far. */
struct ranks_measure {
    double sum, least, most;
    uint32_t least_rank, most_rank;
};

struct kept_row {
    struct table_key key;
    struct pilgrim_amount sum, current; /* of all ranks before, and of the rank that is read */
    bool touched, timed, estimated, blocks;
    uint64_t ranks;
    struct ranks_measure times, calls, bytes;
    double run_ns; /* of its ranks */
};

/* What a call adds to a row. */
struct part {
    size_t row;
    struct pilgrim_amount amount; /* without a time */
};

struct call_parts {
    uint64_t identity, changes;
    const struct pilgrim_class *class;
    size_t first, count;
};

/* So many calls of a class, without times, have one of their PARTS in a row. */
struct untimed {
    size_t row, parts;
    const struct pilgrim_class *class;
    uint64_t calls;
};

struct pilgrim_table {
    const struct pilgrim_trace *trace;
    unsigned keys;
    uint32_t block; /* ranks that share the rows of a rank: 1, or more */
    struct kept_row *rows;
    size_t row_count, row_capacity;
    struct key_table row_numbers;
    size_t *touched; /* rows with calls on the rank that is read */
    size_t touched_count, touched_capacity;
    struct class_copies classes;
    const struct pilgrim_class **sites; /* by number, from 1 */
    size_t site_count, site_capacity;
    struct texts functions, phases;
    struct table_names names;
    struct table_extent extent;
    bool refused; /* it has too many rows */

    struct volumes *volumes; /* from here on: the walk */
    struct counted_calls *calls;
    enum counted_how how;
    struct selector *selector;
    uint32_t rank, segment, phase;
    bool alone, in_segment, has_times;
    uint64_t phases_begun;
    uint64_t first_ns, last_ns; /* of the thread, if has_times */
    struct classes_timed class_times;
    struct part *parts; /* those that are kept, then those of the call */
    size_t kept, part_count, part_capacity;
    struct call_parts *memos;
    struct untimed *untimed;
    size_t untimed_count, untimed_capacity;
    struct key_table untimed_numbers;
    struct thread_twins *twins; /* NULL: each thread is read */
    bool keeps;                 /* the times of the last segment are added by who reads the thread */
    struct table_twin *kept_twins;
    size_t twin_count, twin_capacity, twin_kept;
};

/* Sets *ROW to the number of the row of KEY, a new one if there is none. False: no memory, or too many rows. */
bool table_find_row(struct pilgrim_table *t, const struct table_key *key, size_t *row);

/* Returns ROW, to which something is added, among those of the rank. NULL: no memory */
struct kept_row *table_touch(struct pilgrim_table *t, size_t row);

/* Adds an amount COUNT times; its time once. */
void table_add_amounts(struct pilgrim_amount *to, const struct pilgrim_amount *a, uint64_t count);

/* Adds the time of calls without times, of the class K, to their row. */
void table_add_untimed(struct pilgrim_table *t, const struct untimed *u, const struct class_time *k);

/* Ends a segment: rows get the times of calls without times of their own. */
void table_end_segment(struct pilgrim_table *t);

/* Takes the calls of a thread. Sets *RUN_NS to how long it ran, if its calls have times. errors: as pilgrim_table_make
 */
enum pilgrim_status table_take_thread(struct pilgrim_table *t, uint32_t rank, uint32_t thread, double *run_ns,
                                      struct pilgrim_error *error) PILGRIM_CHECKED;

/* The same for the only thread of RANK, which is not read if it is a twin of one before it. */
enum pilgrim_status table_take_alone(struct pilgrim_table *t, uint32_t rank, double *run_ns,
                                     struct pilgrim_error *error) PILGRIM_CHECKED;
void table_twins_free(struct pilgrim_table *t);

#endif
