/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of one thread's calls, encoded while they are recorded: the content of times sections (docs/FORMAT.md,
 * section 6), a block at a time. Blocks are decoded by times_block.h.
 *
 * For each call there are two numbers: what stands for the gap before it and for its duration. Each class of calls has
 * a column of either, as what is alike stands together there. The codec's state is bounded: for each class its columns
 * of the block that is being filled, and in bins the start of the last call with each of its signatures.
 *
 * Bins (Wang et al., "Pilgrim", SC'21, section 3.2). What is stored of a gap decides where the call's start is
 * reconstructed, and the next gap is measured from there, so errors do not add up. Any gap will do whose start is not
 * later than the true one and in whose interval, from the last start of the same signature, the relative error is below
 * b - 1. That leaves much room where gaps are short and intervals long. So the gap that the class had last is taken
 * again where it is allowed, mostly it is, or another one of the last few, and only else the largest one of the series
 * that is not above the true one, which is always allowed.
 *
 * Readings. What MPI_Wtime returns is a moment between the call's start and end, on another clock's axis, an almost
 * constant number of ns away. In exact that number is kept by what it has changed since the reading before, some ns,
 * and by how many doubles the reading is away from the one that is nearest to that ns: mostly none. In bins it is an
 * anchor, which stays until the clocks have gone apart, and the time from the call's start to the reading is in a bin;
 * a call that reads has a gap that is right from the last reading on, whatever came between, so differences of readings
 * are as good as the base.
 *
 * An object belongs to one thread at a time. */
#ifndef PILGRIM_TIMES_H
#define PILGRIM_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/trace_format.h"
#include "pilgrim/status.h"
#include "timing/bins.h"

enum {
    TIMES_BLOCK_CALLS = 1 << 16, /* of one section, about: times_pending */
    TIMES_BASES_MAX = 64         /* different bases in one section at most */
};

#define TIMES_NS_MAX INT64_MAX /* of any time */

/* One call: ns since the library was loaded. CLASS is its place in the thread's list of classes, SIGNATURE one of the
 * class's numbers: small, as the codec keeps 8 bytes for each up to the largest one. end is not before start; start is
 * not before the end of the call before. */
struct span {
    uint64_t start, end;
    uint32_t class, signature;
};

struct times;

/* KIND is TIMES_BINS or TIMES_EXACT. NULL: no memory. */
struct times *times_new(enum times_kind kind);

/* T may be NULL. */
void times_free(struct times *t);

/* Whether VALUE, a double in seconds, can be kept as a reading of a clock: from 0 to below 2^32, and not -0. */
bool times_is_reading(double value);

/* Before the first span of CLASS in this segment, in both kinds. READS: its calls have readings of a clock. BASE: (b -
 * 1) x 10^6, BINS_BASE_MIN to BINS_BASE_MAX; has no meaning for TIMES_EXACT. CLASS is small: a few bytes are kept for
 * each up to the largest one. errors: PILGRIM_NOMEM (unchanged), PILGRIM_LIMIT (no such base, or more than
 * TIMES_BASES_MAX of them) */
enum pilgrim_status times_class(struct times *t, uint32_t class, uint32_t base, bool reads) PILGRIM_CHECKED;

/* The next COUNT calls of the thread. READINGS: for each, in a class that reads; one that is no reading is kept as any;
 * NULL: no class reads. Of a span that is not as said above (a class that is not known, times in a wrong order or above
 * TIMES_NS_MAX) no use is made.
 * errors: PILGRIM_NOMEM, PILGRIM_INVALID (such a span). After either the object can only be freed. */
enum pilgrim_status times_add(struct times *t, const struct span *spans, const double *readings,
                              size_t count) PILGRIM_CHECKED;

/* How many calls were added and not taken. They should be taken when there are TIMES_BLOCK_CALLS or soon after; there
 * must be fewer than 2^31. */
uint64_t times_pending(const struct times *t);

/* The calls that are pending, at least one: appends to CONTENT a times section's content from `calls` on, and to ENDS,
 * as size_t's, where its columns end in CONTENT (section_write_parts). Then none is pending. errors: PILGRIM_NOMEM
 * (none is taken; CONTENT and ENDS may have grown) */
enum pilgrim_status times_take(struct times *t, struct bytes *content, struct bytes *ends) PILGRIM_CHECKED;

/* A new segment: classes and signatures are forgotten, the end of the call before goes on. No calls may be pending. */
void times_renew(struct times *t);

/* What comes next are calls of another thread, of the same classes, the end of the call before which is END. */
void times_jump(struct times *t, uint64_t end);

/* T is as if it were new, but for the bases that it knows. No calls may be pending. */
void times_restart(struct times *t);

/* What the object takes, for all of its parts. */
size_t times_memory_bytes(const struct times *t);

/* What of it grows with classes and signatures, and goes with a new segment. The rest is bounded, by TIMES_BLOCK_CALLS
 * and the bases. */
size_t times_segment_bytes(const struct times *t);

#endif
