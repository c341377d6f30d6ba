/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that calls of a thread have kept (docs/FORMAT.md, section 5: keep, edited). */
#ifndef PILGRIM_REGISTERS_H
#define PILGRIM_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "format/trace_format.h"
#include "pilgrim/reader.h"

struct register_value;

/* All zero but `limit` is none of them set. */
struct registers {
    struct register_value *values;
    uint32_t count;
    uint64_t bytes; /* that they take */
    uint64_t limit; /* that they may take */
};

/* What register NUMBER holds, or NULL. Borrowed until it is set. */
const struct pilgrim_value *registers_get(const struct registers *r, uint32_t number);

/* Puts a copy of VALUE into register NUMBER, below REGISTERS_MAX.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT: the register is as it was */
enum pilgrim_status registers_set(struct registers *r, uint32_t number,
                                  const struct pilgrim_value *value) PILGRIM_CHECKED;
void registers_free(struct registers *r);

/* How many bytes a copy of VALUE takes, and the copy, in as many at AT, aligned for any object. What names say is
 * borrowed from the trace. */
size_t value_copy_bytes(const struct pilgrim_value *value);
struct pilgrim_value *value_copy(void *at, const struct pilgrim_value *value);

#endif
