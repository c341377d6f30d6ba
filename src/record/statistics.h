/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of one class's calls, as distributions.
 *
 * There is a distribution of durations for each signature, and one of gaps for each predecessor: the class of the
 * thread's call before. So the gap where a loop begins another iteration is distinguished from the gap where it is
 * entered, and both from those of other loops.
 *
 * The memory of a class is bounded. If there are more than STATISTICS_CELLS pairs of signature and predecessor, all
 * signatures become one. If there are still more, all predecessors become one, but for a thread's first call. This
 * depends on the set of pairs only, so statistics may be merged in any order. */
#ifndef PILGRIM_STATISTICS_H
#define PILGRIM_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "timing/distribution.h"

enum { STATISTICS_CELLS = 64, STATISTICS_HINTS = 64 };

#define STATISTICS_FIRST UINT32_MAX /* the predecessor of a thread's first call */

/* The times of the calls with one signature and one predecessor. */
struct statistics_cell {
    uint32_t signature;   /* 0 if all signatures are one */
    uint32_t predecessor; /* terminal of a class, or STATISTICS_FIRST; 0 for all but STATISTICS_FIRST if all
                             predecessors are one */
    struct distribution gaps;
    struct distribution durations; /* those of a signature are in all of its cells */
};

/* All zero is empty. */
struct statistics {
    struct statistics_cell *cells;
    uint32_t count;
    uint32_t capacity;
    uint32_t cells_max;              /* at most this many pairs; 0 stands for STATISTICS_CELLS */
    uint32_t one_signature;          /* UINT32_MAX if all signatures are one, else 0 */
    uint32_t one_predecessor;        /* UINT32_MAX if all predecessors are one, else 0 */
    uint64_t last_pair;              /* signature and predecessor of the last call */
    struct statistics_cell *last;    /* the cell of `last_pair`; NULL: to be searched */
    uint8_t hints[STATISTICS_HINTS]; /* by hash of a pair: where its cell was last time */
};

/* Returns the cell of (SIGNATURE, PREDECESSOR), which is added if it is new; NULL without memory. Borrowed until the
 * next cell is added. */
struct statistics_cell *statistics_search(struct statistics *s, uint32_t signature, uint32_t predecessor);

/* Returns where the hint for a pair is. */
static inline uint8_t *statistics_hint(struct statistics *s, uint32_t signature, uint32_t predecessor)
{
    return &s->hints[(signature + 7 * predecessor) % STATISTICS_HINTS];
}

static inline bool statistics_cell_is(const struct statistics_cell *cell, uint32_t signature, uint32_t predecessor)
{
    return cell->signature == signature && cell->predecessor == predecessor;
}

/* Returns the cell that the last call had, if this one has it, too, or the one that the hint tells; NULL:
 * statistics_search_again must be called. */
static inline struct statistics_cell *statistics_cell_again(struct statistics *s, uint32_t signature,
                                                            uint32_t predecessor)
{
    uint32_t told = signature & ~s->one_signature;
    uint64_t pair = (uint64_t)told << 32 | predecessor;
    if (__builtin_expect(s->last_pair == pair, 1))
        return s->last;
    uint32_t hint = *statistics_hint(s, signature, predecessor);
    if (hint >= s->count || !statistics_cell_is(&s->cells[hint], told, predecessor))
        return NULL;
    s->last_pair = pair;
    return s->last = &s->cells[hint];
}

/* As statistics_search, and notes the cell for statistics_cell_again. */
struct statistics_cell *statistics_search_again(struct statistics *s, uint32_t signature, uint32_t predecessor);

/* Adds the times of a call to its cell. Both distributions have had as many calls. ALONE: the cell has times of one
 * thread only, one after another. */
static inline __attribute__((always_inline)) void statistics_add(struct statistics_cell *cell, uint64_t gap,
                                                                 uint64_t duration, bool alone)
{
    uint32_t lot = distribution_lot(cell->gaps.count);
    distribution_add_lot(&cell->gaps, gap, lot, !alone);
    distribution_add_lot(&cell->durations, duration, lot, !alone);
}

/* Makes all signatures one. Needs no memory. */
void statistics_join_signatures(struct statistics *s);

/* Adds the calls of FROM to INTO. If NAMES is not NULL, signature i of FROM is signature NAMES[i] of INTO, for i below
 * COUNT. If FROM has a signature of COUNT or more, all signatures become one.
 * errors: PILGRIM_NOMEM (INTO can then only be freed) */
enum pilgrim_status statistics_merge(struct statistics *into, const struct statistics *from, const uint32_t *names,
                                     uint32_t count) PILGRIM_CHECKED;

/* Says that all times so far are those of RANK. */
void statistics_set_rank(struct statistics *s, uint32_t rank);

/* Adds, in ns, the durations of all calls of S to *DURATIONS, and the gaps before them to *GAPS. The gap before a
 * thread's first call is left out. */
void statistics_totals(const struct statistics *s, double *durations, double *gaps);

/* Returns the durations of the signature whose cells begin at index CELL. *CELLS is the number of its cells. The
 * cells are sorted. */
struct distribution statistics_durations(const struct statistics *s, uint32_t cell, uint32_t *cells);

/* Packs for transport between processes of one run; this is no file format. Packing sorts the cells. Unpacked
 * statistics have all durations of a signature in its first cell.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED; S is to be freed in any case */
void statistics_pack(struct statistics *s, struct bytes *out);
enum pilgrim_status statistics_unpack(struct cursor *c, struct statistics *s) PILGRIM_CHECKED;

size_t statistics_memory_bytes(const struct statistics *s); /* without *S */
void statistics_free(struct statistics *s);

#endif
