/* SPDX-License-Identifier: BSD-3-Clause */
/* Which waits a user wants to see: by their pattern, and by what may be asked of the call that waited (a selection). */
#ifndef WAITS_WAITS_CHOICE_H
#define WAITS_WAITS_CHOICE_H

#include "analysis/selection.h"
#include "analysis/source_lines.h"
#include "analysis/wait_states.h"

struct waits_choice;

/* Sets PATTERNS to those that TEXT names, with commas between them: "late-sender,wait at barrier". false: it names
 * another one, which *WRONG is the begin of */
bool waits_take_patterns(const char *text, bool patterns[WAIT_PATTERNS], const char **wrong);

/* Returns what chooses waits of calls that fit SELECTION and, if PATTERNS is not NULL, have one of these patterns. All
 * are borrowed; SELECTION and LINES may be NULL. NULL: no memory */
struct waits_choice *waits_choice_new(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                                      const bool *patterns, struct source_lines *lines);
void waits_choice_free(struct waits_choice *c); /* NULL is legal */

/* Returns the choice for wait_states_find. */
const struct wait_choice *waits_choice_of(const struct waits_choice *c);

/* Says at the end what went wrong: an error of a selector, or that no call fits. */
enum pilgrim_status waits_choice_end(const struct waits_choice *c, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
