/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the values of a key; see key_values.h. */
#include "key_values.h"

#include "base/value.h"

enum { RUN_VALUES = 2, SERIES_MIN = 3 };

void key_reader_init(struct key_reader *r, const struct bytes *key)
{
    cursor_init(&r->c, key->data, key->length);
    r->base = 0;
}

bool key_token(struct cursor *c, struct key_value *v)
{
    *v = (struct key_value){.tag = cursor_u8(c)};
    if (c->status != PILGRIM_OK || v->tag == 0 || v->tag >= VALUE_TAG_COUNT)
        return false;
    for (unsigned i = 0; i < value_operands(v->tag); i++)
        v->operand |= (uint32_t)cursor_u8(c) << 8 * i;
    if (v->tag == VALUE_STRING || v->tag == VALUE_SYMBOL)
        v->text = cursor_take(c, v->operand);
    for (unsigned i = 0; i < value_slots(v->tag); i++)
        v->slots[i] = (int64_t)cursor_u64(c);
    return c->status == PILGRIM_OK;
}

/* Returns how many values follow V and belong to it, but for those of a series. */
static uint64_t values_behind(const struct key_value *v)
{
    const uint64_t operands[VALUE_OPERANDS_MAX] = {v->operand, v->operand >> 16};
    return v->tag == VALUE_SERIES ? 0 : value_following(v->tag, operands);
}

/* Takes V and all that belongs to it. */
static bool take_whole(struct key_reader *r, struct key_value *v)
{
    uint64_t left = 1;
    for (bool head = true; left; head = false) {
        struct key_value token;
        if (!key_token(&r->c, &token))
            return false;
        if (token.tag == VALUE_RANK_BASE)
            r->base = (uint64_t)token.slots[0];
        left += values_behind(&token) - 1;
        if (token.tag == VALUE_SERIES) { /* so many values of an array, of which two follow */
            if (token.operand < SERIES_MIN || token.operand - 1 > left)
                return false;
            left -= token.operand - 1 - RUN_VALUES;
        }
        if (head) {
            token.items = r->c;
            *v = token;
        }
    }
    v->base = r->base;
    v->items.length = r->c.position;
    return true;
}

bool key_next(struct key_reader *r, struct key_value *v)
{
    if (!cursor_left(&r->c) || !take_whole(r, v))
        return false;
    while (v->tag == VALUE_RANK_BASE || v->tag == VALUE_REGISTER) { /* the value is the one behind it */
        struct cursor c = v->items;
        uint64_t base = v->base;
        if (!key_token(&c, v))
            return false;
        v->items = c;
        v->base = base;
    }
    return true;
}
