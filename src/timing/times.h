/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder of the times of one thread's calls: while they are recorded it makes the content of times sections
 * (docs/FORMAT.md, section 6), a block at a time. times_block.h decodes them.
 *
 * Two numbers are stored for each call: one for the gap before it and one for its duration. Each class of calls has a
 * column of gaps and one of durations, so that alike numbers are together. The state of the encoder is bounded: it
 * has, for each class, the columns of the block that is being filled, and in bins the start of the last call with each
 * signature.
 *
 * Bins (Wang et al., "Pilgrim", SC'21, section 3.2). The stored gap decides where the reader puts the start of the
 * call. The next gap is measured from there, so errors do not add up. A gap may be stored if the start that follows
 * from it is not later than the true one, and if the interval since the last start of the same signature then has a
 * relative error below b - 1. That allows many gaps where gaps are short and intervals are long. So the gap that the
 * class had last is stored again if it is allowed, which it mostly is; else another one of the last few; else the
 * largest bound that is not above the true gap, which is always allowed.
 *
 * Readings. MPI_Wtime returns a moment between the start and the end of its call, on the axis of another clock: an
 * almost constant number of ns away. In exact that number is stored as the difference to the reading before, which is
 * some ns, and as the number of doubles between the reading and the double nearest to that ns, which is mostly 0. In
 * bins that number is an anchor, which stays until the clocks have drifted apart; the time from the start of the call
 * to the reading is in a bin. The gap of a call that reads is measured from the last reading on, whatever was called
 * in between. So differences of readings are as good as the base.
 *
 * Used by one thread at a time. */
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
    TIMES_BASES_MAX = 64         /* different bases in one section */
};

#define TIMES_NS_MAX INT64_MAX /* the latest time */

/* The times of one call, in ns since the library was loaded. CLASS is the terminal of its class, SIGNATURE the
 * number of its signature. Both are small: the encoder takes some bytes for each number up to the largest one. END
 * is not before START; START is not before the end of the call before. */
struct span {
    uint64_t start, end;
    uint32_t class, signature;
};

struct times;

/* Returns an encoder without classes, or NULL without memory. KIND is TIMES_BINS or TIMES_EXACT. */
struct times *times_new(enum times_kind kind);

/* T may be NULL. */
void times_free(struct times *t);

/* True if VALUE, in seconds, can be stored as a reading of a clock: from 0 to below 2^32, and not -0. */
bool times_is_reading(double value);

/* Announces CLASS before its first span in this segment. READS: its calls have readings of a clock. BASE is (b - 1) x
 * 10^6, from BINS_BASE_MIN to BINS_BASE_MAX; no meaning for TIMES_EXACT.
 * errors: PILGRIM_NOMEM (unchanged), PILGRIM_LIMIT (no such base, or more than TIMES_BASES_MAX bases) */
enum pilgrim_status times_class(struct times *t, uint32_t class, uint32_t base, bool reads) PILGRIM_CHECKED;

/* Encodes the next COUNT calls of the thread. READINGS has a reading for each, used in classes that read; a value that
 * is no reading is stored as some reading. NULL: no class reads.
 * errors: PILGRIM_NOMEM, PILGRIM_INVALID (a class that is not announced, times in a wrong order or above
 * TIMES_NS_MAX); the object can then only be freed */
enum pilgrim_status times_add(struct times *t, const struct span *spans, const double *readings,
                              size_t count) PILGRIM_CHECKED;

/* Returns the number of calls that were added and not taken. They should be taken at TIMES_BLOCK_CALLS or soon
 * after; there must be fewer than 2^31. */
uint64_t times_pending(const struct times *t);

/* Takes the pending calls, at least one. Appends the content of a times section, from `calls` on, to CONTENT, and the
 * ends of its columns in CONTENT to ENDS, size_t each (section_write_parts).
 * errors: PILGRIM_NOMEM (no call is taken; CONTENT and ENDS may have grown) */
enum pilgrim_status times_take(struct times *t, struct bytes *content, struct bytes *ends) PILGRIM_CHECKED;

/* Begins a segment: forgets classes and signatures. The next gap is measured from the end of the last call. No calls
 * may be pending. */
void times_renew(struct times *t);

/* Goes on with calls of another thread, which has the same classes. Its first gap is measured from END. */
void times_jump(struct times *t, uint64_t end);

/* Makes T as new, but for the bases that it knows. No calls may be pending. */
void times_restart(struct times *t);

/* Returns the bytes that T takes. */
size_t times_memory_bytes(const struct times *t);

/* Returns the part of them that grows with classes and signatures and is freed with the segment. The rest is
 * bounded, by TIMES_BLOCK_CALLS and the bases. */
size_t times_segment_bytes(const struct times *t);

#endif
