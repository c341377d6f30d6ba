/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writer asks before it gives a shard away: can it be read? The same code answers that reads it later. Knows
 * nothing of traces as a whole, so that others may include it (docs/design/merge.md). */
#ifndef PILGRIM_PROVE_H
#define PILGRIM_PROVE_H

#include <stddef.h>
#include <stdint.h>

#include "pilgrim/status.h"

enum { PROOF_TEXT_BYTES = 240 };

/* What is wrong with a shard. */
struct proof {
    uint8_t section; /* the type of the one that cannot be read */
    char problem[PROOF_TEXT_BYTES];
};

/* Parses the sections of one shard, LENGTH bytes, as pilgrim_open does. Its time and its memory are within what opening
 * the file may take, which is in proportion to LENGTH. errors: PILGRIM_DAMAGED, PILGRIM_LIMIT: it cannot be read, PROOF
 * says why; PILGRIM_NOMEM: nothing is known */
enum pilgrim_status prove_shard(const void *sections, size_t length, struct proof *proof) PILGRIM_CHECKED;

#endif
