/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of what calls did: how many there were, how long they took and what they moved, by call site, function, rank,
 * phase of the program, communicator, datatype, size or receiver, or by several of these at once; and how ranks differ
 * in each row.
 *
 *     struct pilgrim_table *table;
 *     struct pilgrim_table_row row;
 *     if (pilgrim_table_make(trace, NULL, PILGRIM_KEY_SITE | PILGRIM_KEY_PHASE, &table, &error) == PILGRIM_OK)
 *         for (size_t i = 0; pilgrim_table_at(table, i, &row); i++)
 *             printf("%s %s: most at rank %u\n", row.phase ? row.phase : "", row.function, row.times.most_rank);
 *     pilgrim_table_free(table);
 *
 * It stands on pilgrim/reader.h, whose rules for arguments, errors, memory and threads hold here, too, and belongs to
 * the library of pilgrim/analysis.h. */
#ifndef PILGRIM_TABLES_H
#define PILGRIM_TABLES_H

#include "pilgrim/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What calls of one row have in common; bits. */
enum pilgrim_key {
    PILGRIM_KEY_SITE = 1 << 0, /* the function and the call site */
    PILGRIM_KEY_FUNCTION = 1 << 1,
    PILGRIM_KEY_RANK = 1 << 2,
    PILGRIM_KEY_PHASE = 1 << 3,        /* the text of the marker that the thread passed last */
    PILGRIM_KEY_COMMUNICATOR = 1 << 4, /* of the call; of a window or file: the one that it was made with */
    PILGRIM_KEY_DATATYPE = 1 << 5,     /* of what the call gives, or else gets */
    PILGRIM_KEY_SIZE = 1 << 6,         /* bytes: of each message, or of the buffer of a collective call or of a file */
    PILGRIM_KEY_PEER = 1 << 7          /* the rank that a message goes to, or whose window is used */
};

enum { PILGRIM_KEYS_ALL = (1 << 8) - 1 };

/* What calls did together. Bytes are those of the datatypes' sizes. */
struct pilgrim_amount {
    uint64_t calls;  /* by size or peer: messages of them, and other operations that move data */
    uint64_t failed; /* of these: returned an error */
    double ns;       /* how long they took; a call with several messages counts in equal parts for each */
    uint64_t messages, message_bytes; /* point to point, as they are sent */
    uint64_t unsized;                 /* of these: their size is not known, and counts as 0 bytes */
    uint64_t collective_bytes;        /* that processes give to collective calls, whatever the algorithm */
    uint64_t window_bytes;            /* put to and got from windows */
    uint64_t file_bytes;              /* written and read */
};

/* How the ranks that have such calls differ. In a row of one rank, all are that rank's. */
struct pilgrim_spread {
    double least, mean, most;
    uint32_t least_rank, most_rank; /* the lowest ranks that have these; PILGRIM_RANK_UNKNOWN: times are stored only for
                                       blocks of ranks, or for all of them together */
    double imbalance;               /* most / mean - 1; 0 if the mean is 0 */
};

struct pilgrim_table_row {
    /* What its calls have in common, as far as the table has that key; else NULL, -1 or 0. Texts and class_ are
     * borrowed until the table is freed. */
    const char *function;
    const struct pilgrim_class *class_; /* function and site */
    int64_t rank;
    const char *phase;              /* also NULL: before the first marker */
    const char *communicator;       /* "MPI_COMM_WORLD", or as its lowest rank names it: "comm:3 of rank 0"; also NULL:
                                     * the calls have none */
    uint64_t identity;              /* of the communicator, as in struct pilgrim_communicator; 0: not known */
    const char *datatype;           /* "MPI_INT"; "derived, 24 bytes" stands for all of that size and name; also NULL:
                                     * none */
    uint64_t size_least, size_most; /* from 0, 1, 2, 4, 8, ... to one less than the next of these; both 0: 0 bytes */
    int64_t peer;                   /* also -1: not known, or in another world */
    bool apart; /* MPI_Init or MPI_Finalize: its only keys are function, site and rank. The latter has no times: it is
                 * recorded before it runs */

    uint64_t ranks; /* that have such calls */
    bool timed;     /* times are known */
    bool estimated; /* some follow from the means that the trace keeps, and from what it says of each rank */
    struct pilgrim_amount sum;
    struct pilgrim_spread times, calls, bytes; /* ns of a rank, its calls, and all of its bytes */
    double share; /* of the time from the first to the last call of all chosen threads, or of those of the row's rank */
    const char *communicator_name, *datatype_name; /* what the program named them (MPI_Comm_set_name,
                                                    * MPI_Type_set_name); NULL: nothing */
};

struct pilgrim_table;

/* Makes the table. All calls of the chosen ranks are read, or counted where the trace says how often each is made.
 * selection: which calls; NULL: all
 * keys:    of enum pilgrim_key; 0: one row, beside those that stand apart
 * table:   to be freed by pilgrim_table_free, before the trace is closed
 * errors:  as pilgrim_calls_next; PILGRIM_LIMIT: it would have more than 2^21 rows
 * threads: shared: on the trace and on the selection */
PILGRIM_API enum pilgrim_status pilgrim_table_make(const struct pilgrim_trace *trace,
                                                   const struct pilgrim_selection *selection, unsigned keys,
                                                   struct pilgrim_table **table,
                                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* Fills in row I, from 0. False behind the last one. They come in this order: phases as they begin; ranks, receivers
 * and sizes ascending; others by time, then by calls, most first. Those that stand apart come last. threads: shared */
PILGRIM_API bool pilgrim_table_at(const struct pilgrim_table *table, size_t i, struct pilgrim_table_row *row);

/* Frees the table.
 * table:   NULL is legal
 * threads: exclusive */
PILGRIM_API void pilgrim_table_free(struct pilgrim_table *table);

#ifdef __cplusplus
}
#endif

#endif
