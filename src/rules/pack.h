/* SPDX-License-Identifier: BSD-3-Clause */
/* Making blocks (block.h) of what is irregular in a table of rules (rule_bytes.h). */
#ifndef PILGRIM_PACK_H
#define PILGRIM_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "pilgrim/status.h"

/* What a rule is part of. */
enum { PACK_PLAIN = 1, PACK_DIFFERENCES = 2 };

/* Stretches of TABLE's rules become blocks where that makes the file shorter, and rules that are not needed any more
 * are left out. USES: of each rule. SEQUENCES are SEQUENCE_COUNT of its rules' numbers, or UINT32_MAX; they change with
 * the table. BLOCKS: as they stand in the file; the table's symbols have their numbers. Where nothing is gained the
 * table stays as it is. Near-linear. errors: PILGRIM_NOMEM, PILGRIM_LIMIT; the table is as it was */
enum pilgrim_status pack_table(struct intern *table, const uint8_t *uses, uint32_t *sequences, size_t sequence_count,
                               struct intern *blocks) PILGRIM_CHECKED;

#endif
