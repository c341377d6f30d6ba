/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that a shard can be read, before the writer hands it on. The check is the code that reads it later. This
 * header knows nothing of traces as a whole, so that folders above may include it (docs/design/merge.md). */
#ifndef PILGRIM_PROVE_H
#define PILGRIM_PROVE_H

#include <stddef.h>
#include <stdint.h>

#include "pilgrim/status.h"

enum { PROOF_TEXT_BYTES = 240 };

/* The problem of a shard. */
struct proof {
    uint8_t section; /* type of the section that cannot be read */
    char problem[PROOF_TEXT_BYTES];
};

/* Parses the sections of one shard, LENGTH bytes, as pilgrim_open does. Time and memory are limited as for
 * pilgrim_open, in proportion to LENGTH.
 * errors: PILGRIM_DAMAGED, PILGRIM_LIMIT: it cannot be read, and PROOF says why; PILGRIM_NOMEM: it is not known if it
 * can be read */
enum pilgrim_status prove_shard(const void *sections, size_t length, struct proof *proof) PILGRIM_CHECKED;

#endif
