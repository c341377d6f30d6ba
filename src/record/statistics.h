/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of one class's calls, as distributions: of durations for each signature, and of the gaps before its calls
 * for each predecessor, the class of the thread's call before. So the gap where a loop begins another segment is told
 * from the one where it is entered, and both from that of other loops.
 *
 * What a class has is bounded: of more than STATISTICS_CELLS pairs of signature and predecessor, all signatures are
 * one; if there are still more, all predecessors are, but a thread's first call stays apart. Which of that happens
 * depends on the set of pairs alone, so statistics, too, may be merged in any order. */
#ifndef PILGRIM_STATISTICS_H
#define PILGRIM_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "timing/distribution.h"

enum { STATISTICS_CELLS = 64, STATISTICS_HINTS = 64 };

#define STATISTICS_FIRST UINT32_MAX /* the predecessor of a thread's first call */

/* The calls of a signature that a predecessor came before. */
struct statistics_cell {
    uint32_t signature;   /* 0 if all are one */
    uint32_t predecessor; /* a place in the thread's list of classes, or STATISTICS_FIRST; 0 if all are one, but for
                             STATISTICS_FIRST */
    struct distribution gaps;
    struct distribution durations; /* a signature's are those of all of its cells together */
};

/* All zero is empty. */
struct statistics {
    struct statistics_cell *cells;
    uint32_t count;
    uint32_t capacity;
    uint32_t cells_max;              /* of pairs that are told apart; 0: STATISTICS_CELLS */
    uint32_t one_signature;          /* 0, or UINT32_MAX: all are one */
    uint32_t one_predecessor;        /* idem */
    uint64_t last_pair;              /* signature and predecessor of the last call ... */
    struct statistics_cell *last;    /* ... and their cell; NULL: not known */
    uint8_t hints[STATISTICS_HINTS]; /* by hash: where a cell was last time */
};

/* The cell of (SIGNATURE, PREDECESSOR), added if new; borrowed until the next one is added. NULL: no memory. */
struct statistics_cell *statistics_search(struct statistics *s, uint32_t signature, uint32_t predecessor);

/* The same; in loops it is found at once. */
static inline struct statistics_cell *statistics_cell(struct statistics *s, uint32_t signature, uint32_t predecessor)
{
    uint64_t pair = (uint64_t)signature << 32 | predecessor;
    if (__builtin_expect(s->last_pair != pair || !s->last, 0)) {
        s->last = statistics_search(s, signature, predecessor);
        s->last_pair = pair;
    }
    return s->last;
}

/* Signatures are told apart no more. Needs no memory. */
void statistics_join_signatures(struct statistics *s);

/* INTO, FROM's calls among them; and the same with signature i of FROM as signature NAMES[i] of COUNT, if NAMES is not
 * NULL. If there is one that has no name all signatures are one. errors: PILGRIM_NOMEM (INTO is then unusable) */
enum pilgrim_status statistics_merge(struct statistics *into, const struct statistics *from, const uint32_t *names,
                                     uint32_t count) PILGRIM_CHECKED;

/* All times so far were those of RANK. */
void statistics_set_rank(struct statistics *s, uint32_t rank);

/* Adds what the calls of S took together, in ns, and the gaps before them, but those before a thread's first call. */
void statistics_totals(const struct statistics *s, double *durations, double *gaps);

/* The durations of the signature whose cells are sorted and begin at CELL; *CELLS: how many it has. */
struct distribution statistics_durations(const struct statistics *s, uint32_t cell, uint32_t *cells);

/* For transport between processes of one run; not a file format. The cells are sorted; those that come back have each
 * signature's durations in its first cell. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED; free S in any case */
void statistics_pack(struct statistics *s, struct bytes *out);
enum pilgrim_status statistics_unpack(struct cursor *c, struct statistics *s) PILGRIM_CHECKED;

size_t statistics_memory_bytes(const struct statistics *s); /* without itself */
void statistics_free(struct statistics *s);

#endif
