/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions: columns as the file has them (docs/FORMAT.md, section 4, "Columns"), each stored once.
 *
 * Several functions of the rank may give the values of a column. The one to write is the one that most columns of the
 * trace could have, so that a rank alone in its corner chooses what its neighbours choose. For this every column is
 * passed twice: to expressions_vote, then to expressions_add. */
#ifndef PILGRIM_EXPRESSIONS_H
#define PILGRIM_EXPRESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/compressed.h"
#include "base/intern.h"
#include "rules/rulebook.h"
#include "sequence/column.h"

/* The table of expressions. Empty if all is zero but `rulebook`, `plain` and `next_text`. */
struct expressions {
    struct rulebook *rulebook; /* borrowed; sequences go here */
    bool constants;            /* of the functions of the rank use the constant only */
    bool plain;                /* use no functions of the rank: columns are sequences or lists */
    struct intern choices;     /* expressions that some column could have */
    uint32_t *votes;           /* by choice: how many columns could have it */
    uint32_t vote_capacity;
    struct intern chosen;
    struct intern values;                /* content of LIST expressions, as in the file */
    struct intern references;            /* content of REFERENCES expressions: numbers in the rulebook, 4 bytes each */
    struct stored_deltas *stored_deltas; /* uthash, by hash: the sequence in the rulebook, or the number of the first
                                       text in the file's strings */
    uint32_t next_text; /* of the file's strings, which the next texts get; before the first: the count of the
                           fragment's strings */
    struct compressor compressor;
};

void expressions_free(struct expressions *e);

/* Adds an entry of a fragment's `stored_deltas` (sequence/slots.h), so that columns can name it. errors: PILGRIM_NOMEM,
 * PILGRIM_DAMAGED, PILGRIM_LIMIT (another entry has the same hash) */
enum pilgrim_status expressions_stored_deltas(struct expressions *e, const uint8_t *data,
                                              size_t length) PILGRIM_CHECKED;

/* Counts the expressions that column C could have. To be called for all columns before the first expressions_add.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status expressions_vote(struct expressions *e, const struct column *c) PILGRIM_CHECKED;

/* Finds or adds the expression of column C. Call it after all votes and delta sequences. errors: PILGRIM_NOMEM,
 * PILGRIM_DAMAGED */
enum pilgrim_status expressions_add(struct expressions *e, const struct column *c, uint32_t *number) PILGRIM_CHECKED;

/* Finds or adds the expression of the sequence that begins with FIRST and has these differences. errors: PILGRIM_NOMEM
 */
enum pilgrim_status expressions_sequence(struct expressions *e, int64_t first, const struct nested_runs *differences,
                                         uint32_t *number) PILGRIM_CHECKED;

/* Appends the file's table of columns to OUT. Call it after rulebook_finish. */
void expressions_write(const struct expressions *e, struct bytes *out);

#endif
