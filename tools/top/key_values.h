/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a key (base/value.h), one after another. The bytes may be those of another call than is believed, if
 * they were copied while their thread stored them. */
#ifndef PILGRIM_KEY_VALUES_H
#define PILGRIM_KEY_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { KEY_SLOTS = 3 };

struct key_value {
    uint8_t tag;      /* enum value_tag, but no VALUE_RANK_BASE and no VALUE_REGISTER */
    uint32_t operand; /* name, or number of values in an array */
    int64_t slots[KEY_SLOTS];
    const uint8_t *text; /* of a string: `operand` bytes, borrowed */
    uint64_t base;       /* rank base in force */
    struct cursor items; /* what follows the token: the values of an array */
};

struct key_reader {
    struct cursor c;
    uint64_t base;
};

void key_reader_init(struct key_reader *r, const struct bytes *key);

/* Takes the next value with all that belongs to it. False: there is none, or the bytes are no key. */
bool key_next(struct key_reader *r, struct key_value *v);

/* Takes the next token at C, whatever values it belongs to. False: as key_next. */
bool key_token(struct cursor *c, struct key_value *v);

#endif
