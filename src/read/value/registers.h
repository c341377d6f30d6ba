/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers: values that calls of a thread store for later calls (docs/FORMAT.md, section 5: keep, edited). */
#ifndef PILGRIM_REGISTERS_H
#define PILGRIM_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "format/trace_format.h"
#include "pilgrim/reader.h"

struct register_value;

/* All zero but LIMIT: all registers are empty. */
struct registers {
    struct register_value *values;
    uint32_t count;
    uint64_t bytes; /* memory of all values */
    uint64_t limit; /* the limit of BYTES */
};

/* Returns the value in register NUMBER, or NULL. Borrowed until the register is set. */
const struct pilgrim_value *registers_get(const struct registers *r, uint32_t number);

/* Copies VALUE to register NUMBER, below REGISTERS_MAX.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT: the register is as it was */
enum pilgrim_status registers_set(struct registers *r, uint32_t number,
                                  const struct pilgrim_value *value) PILGRIM_CHECKED;
void registers_free(struct registers *r);

/* Returns the bytes that a copy of VALUE takes. value_copy makes the copy in so many bytes at AT, aligned for any
 * object. Texts of names are borrowed from the trace. */
size_t value_copy_bytes(const struct pilgrim_value *value);
struct pilgrim_value *value_copy(void *at, const struct pilgrim_value *value);

#endif
