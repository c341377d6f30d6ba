/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a table of rules (rule_bytes.h) smaller: dissolves the rules that do not pay. */
#ifndef PILGRIM_FACTOR_H
#define PILGRIM_FACTOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "pilgrim/status.h"

/* Copies the rules of TABLE to OUT, except those that save too little. Such a rule is replaced by its symbols wherever
 * it is used. SEQUENCES: SEQUENCE_COUNT rule numbers of the table, or UINT32_MAX. REFERENCES: set to the numbers of the
 * sequences (rules.h) in a file whose table is BLOCK_COUNT blocks and then OUT; 0 for UINT32_MAX. Rules that are used
 * come first, then those that are only sequences, in the order of SEQUENCES.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status factor_dissolve(const struct intern *table, const uint32_t *sequences, size_t sequence_count,
                                    uint32_t block_count, struct intern *out, uint64_t *references) PILGRIM_CHECKED;

#endif
