/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions: columns as the file has them (docs/FORMAT.md, section 4, "Columns"), each stored once.
 *
 * Where several functions of the rank give a column's values, the one that most columns of the trace have as a choice
 * is taken, so that a lone rank in a corner picks what its neighbours pick. So all columns are seen twice. */
#ifndef PILGRIM_EXPRESSIONS_H
#define PILGRIM_EXPRESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/compressed.h"
#include "base/intern.h"
#include "rules/rulebook.h"
#include "sequence/column.h"

/* All zero but for `rulebook` is an empty table. */
struct expressions {
    struct rulebook *rulebook; /* borrowed: where sequences go */
    bool plain;                /* no functions of the rank: columns are sequences */
    struct intern choices;     /* expressions that some column could have */
    uint32_t *votes;           /* for each: how many could */
    uint32_t vote_capacity;
    struct intern chosen;
    struct intern values;     /* kind LIST: as in the file */
    struct intern references; /* sequences of lists that differ: their numbers in the rulebook, 4 bytes each */
    struct stored_deltas
        *stored_deltas; /* uthash: hash -> sequence of the rulebook, or where texts begin in the table of strings */
    uint32_t next_text; /* where the next list's will; at first: how many strings are before all texts */
    struct compressor compressor;
};

void expressions_free(struct expressions *e);

/* Makes a list known: an entry of a fragment's lists (sequence/slots.h). errors: PILGRIM_NOMEM, PILGRIM_DAMAGED,
 * PILGRIM_LIMIT (another list has the same hash) */
enum pilgrim_status expressions_stored_deltas(struct expressions *e, const uint8_t *data,
                                              size_t length) PILGRIM_CHECKED;

/* First round: takes a column's choices into account. errors: PILGRIM_NOMEM */
enum pilgrim_status expressions_vote(struct expressions *e, const struct column *c) PILGRIM_CHECKED;

/* Second round, after all votes and lists: the number of a column's expression. errors: PILGRIM_NOMEM */
enum pilgrim_status expressions_add(struct expressions *e, const struct column *c, uint32_t *number) PILGRIM_CHECKED;

/* The expression of the sequence that begins with FIRST and has these differences. errors: PILGRIM_NOMEM */
enum pilgrim_status expressions_sequence(struct expressions *e, int64_t first, const struct nested_runs *differences,
                                         uint32_t *number) PILGRIM_CHECKED;

/* The file's table of columns; after rulebook_finish. */
void expressions_write(const struct expressions *e, struct bytes *out);

#endif
