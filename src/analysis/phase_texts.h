/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of the markers (pilgrim_marker) of a call site. */
#ifndef ANALYSIS_PHASE_TEXTS_H
#define ANALYSIS_PHASE_TEXTS_H

#include <pilgrim/reader.h>

#include "analysis/table_names.h"

enum { PHASE_TEXTS_MAX = 4 };

/* Different texts, borrowed from a struct texts, so that equal ones are the same pointer. All zero: no marker. */
struct phase_texts {
    const char *texts[PHASE_TEXTS_MAX];
    size_t count;
    bool more; /* than there is room for */
};

/* Adds what FROM has and TO lacks. */
void phase_texts_add(struct phase_texts *to, const struct phase_texts *from);

bool phase_texts_equal(const struct phase_texts *a, const struct phase_texts *b);

/* Adds the texts of class NUMBER of the segment that CURSOR is in, if its calls are markers; keeps them in ALL.
 * errors: as pilgrim_signature, PILGRIM_NOMEM */
enum pilgrim_status phase_texts_read(struct texts *all, struct pilgrim_cursor *cursor, size_t number,
                                     struct phase_texts *to, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
