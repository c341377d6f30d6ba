/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs the irregular stretches of a table of rules (rule_bytes.h) into blocks (block.h). */
#ifndef PILGRIM_PACK_H
#define PILGRIM_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "pilgrim/status.h"

/* What kinds of sequences a rule is part of: plain numbers, or differences. */
enum { PACK_PLAIN = 1, PACK_DIFFERENCES = 2 };

/* Replaces stretches of TABLE's rules by blocks if that makes the file shorter, and drops the rules that are no longer
 * needed. USES: by rule, PACK_ bits. SEQUENCES: SEQUENCE_COUNT rule numbers of the table, or UINT32_MAX; updated with
 * the table. BLOCKS: gets the blocks as the file stores them; the symbols of the table have their numbers. If blocks
 * gain nothing the table stays unchanged. Near-linear.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT; the table is then unchanged */
enum pilgrim_status pack_table(struct intern *table, const uint8_t *uses, uint32_t *sequences, size_t sequence_count,
                               struct intern *blocks) PILGRIM_CHECKED;

#endif
