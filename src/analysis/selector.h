/* SPDX-License-Identifier: BSD-3-Clause */
/* Says which calls of a thread fit a selection (selection.h), as the thread is read.
 *
 * What a number can tell (numbers of calls, times, loops) is known before a call is read, so that others are skipped.
 * The rest is asked of the call itself. Messages and phases follow from earlier calls, so then all calls are read. */
#ifndef ANALYSIS_SELECTOR_H
#define ANALYSIS_SELECTOR_H

#include "analysis/selection.h"
#include "analysis/source_lines.h"
#include "analysis/volume.h"

struct selector;

#define SELECTOR_NONE UINT64_MAX

/* Returns a selector of what fits SELECTION; NULL: all calls. LINES finds source lines, and may be NULL. All are
 * borrowed. NULL: no memory. */
struct selector *selector_new(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                              struct source_lines *lines);
void selector_free(struct selector *s); /* NULL is legal */

/* True if calls of RANK, or of THREAD of it, can fit. */
bool selector_has_rank(const struct selector *s, uint32_t rank);
bool selector_has_thread(const struct selector *s, uint32_t rank, uint32_t thread);

/* The next calls are those of THREAD of RANK. errors: as pilgrim_cursor_next; PILGRIM_INVALID if the rank's clock is
 * not known, but needed */
enum pilgrim_status selector_begin(struct selector *s, uint32_t rank, uint32_t thread,
                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* Sets *SEQ to the first call from AT on that may fit; SELECTOR_NONE: there is none. AT must not decrease. errors: as
 * pilgrim_cursor_next */
enum pilgrim_status selector_next(struct selector *s, uint64_t at, uint64_t *seq,
                                  struct pilgrim_error *error) PILGRIM_CHECKED;

/* True if selector_see wants all calls of a thread. */
bool selector_needs_all(const struct selector *s);

/* Takes the next call, and sets *FITS. SEGMENT: that of the cursor that gave it. errors: PILGRIM_NOMEM */
enum pilgrim_status selector_see(struct selector *s, const struct pilgrim_call *call, uint32_t segment, bool *fits,
                                 struct pilgrim_error *error) PILGRIM_CHECKED;

/* Does all of that for a reader of all calls: *FITS says if CALL fits. errors: as selector_next */
enum pilgrim_status selector_take(struct selector *s, const struct pilgrim_call *call, uint32_t segment, bool *fits,
                                  struct pilgrim_error *error) PILGRIM_CHECKED;

/* Says at the end what there is if a loop or a phase is in none of the threads: PILGRIM_INVALID. */
enum pilgrim_status selector_end(const struct selector *s, struct pilgrim_error *error) PILGRIM_CHECKED;

/* True if some call fitted, or all are wanted. Else *ERROR says what there is in place of what is wanted. Its
 * status is PILGRIM_INVALID; PILGRIM_END if that is an answer: that no call failed. */
bool selector_chose(const struct selector *s, struct pilgrim_error *error);

#endif
