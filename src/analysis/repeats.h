/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds stretches of a thread's calls that its grammars repeat: the same classes, each with the same signatures, time
 * and again. So calls can be counted without being read one by one (counted_calls.h). */
#ifndef ANALYSIS_REPEATS_H
#define ANALYSIS_REPEATS_H

#include <stddef.h>

#include <pilgrim/reader.h>

enum { REPEATS_PERIOD_MAX = 4096, REPEATS_MIN = 4, REPEATS_COUNT_MAX = 1 << 16 };

/* Calls FIRST to FIRST + PERIOD x PERIODS - 1 of a segment, from 0: the I-th call of each period has the same class
 * and signature, and no signature stands for other numbers in each call that has it. */
struct repeat {
    uint64_t first;
    uint64_t period;  /* calls, at most REPEATS_PERIOD_MAX */
    uint64_t periods; /* REPEATS_MIN or more */
};

struct repeats;

struct repeats *repeats_new(void); /* NULL: no memory */
void repeats_free(struct repeats *r);

/* Sets *FOUND to the repeats of the cursor's thread in its segment, *COUNT of them, in their order; not all that there
 * are, if looking for them would take longer than they may save, and REPEATS_COUNT_MAX at most. Threads whose grammars
 * are the same share what was found. Borrowed until the next call. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status repeats_of(struct repeats *r, const struct pilgrim_cursor *cursor, const struct repeat **found,
                               size_t *count, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
