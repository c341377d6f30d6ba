/* Making a table of rules (rule_bytes.h) smaller: what rules have in common becomes a rule, and rules that do not pay are
 * dissolved. */
#ifndef PILGRIM_FACTOR_H
#define PILGRIM_FACTOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "pilgrim/status.h"

/* What rules of TABLE have in common becomes a rule. SEQUENCES are SEQUENCE_COUNT of its rules' numbers, or UINT32_MAX; they
 * change with the table. A table of megabytes is left as it is.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT; the table is as it was */
enum pilgrim_status factor_repeats(struct intern *table, uint32_t *sequences, size_t sequence_count) PILGRIM_CHECKED;

/* The same rules into OUT, but for those that stand for too little: these are replaced by their symbols wherever they are used.
 * REFERENCES: what a file with BLOCK_COUNT blocks and OUT behind them as its table calls the sequences (rules.h), 0 for
 * UINT32_MAX. Rules that are used come first,
 * then those that are just sequences, in the order of SEQUENCES.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status factor_dissolve(const struct intern *table, const uint32_t *sequences, size_t sequence_count,
                                    uint32_t block_count, struct intern *out, uint64_t *references) PILGRIM_CHECKED;

#endif
