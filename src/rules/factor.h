/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a table of rules (rule_bytes.h) smaller: rules that do not pay are dissolved. */
#ifndef PILGRIM_FACTOR_H
#define PILGRIM_FACTOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "pilgrim/status.h"

/* The rules of TABLE into OUT, but for those that stand for too little: these are replaced by their symbols wherever
 * they are used. SEQUENCES are SEQUENCE_COUNT of the table's rules by number, or UINT32_MAX. REFERENCES: what a file
 * with BLOCK_COUNT blocks and OUT behind them as its table calls the sequences (rules.h), 0 for UINT32_MAX. Rules that
 * are used come first, then those that are just sequences, in the order of SEQUENCES. errors: PILGRIM_NOMEM,
 * PILGRIM_LIMIT */
enum pilgrim_status factor_dissolve(const struct intern *table, const uint32_t *sequences, size_t sequence_count,
                                    uint32_t block_count, struct intern *out, uint64_t *references) PILGRIM_CHECKED;

#endif
