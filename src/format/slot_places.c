/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks through a shape; see slot_places.h. */
#include "format/slot_places.h"

#include <stdbool.h>

#include "base/bytes.h"
#include "base/value.h"
#include "format/mixed_coder.h"
#include "format/trace_format.h"

unsigned token_operands(uint64_t tag)
{
    static const uint8_t counts[VALUE_TAG_COUNT] = {
        [VALUE_NAME] = 1,     [VALUE_OBJECT] = 1, [VALUE_STRING] = 1,    [VALUE_SYMBOL] = 1,
        [VALUE_ARRAY] = 1,    [VALUE_FLAGS] = 1,  [VALUE_STATUS] = 1,    [VALUE_SERIES] = 2,
        [VALUE_REGISTER] = 1, [VALUE_EDITED] = 2, [VALUE_COMPLETED] = 1, [VALUE_POSTED] = 1,
    };
    return counts[tag];
}

struct place_walk {
    struct cursor in;
    uint64_t *places;
    size_t found, count;
};

/* False: the walk ends here. Recursive; the depth is bounded. */
static bool walk_value(struct place_walk *w, uint64_t path, unsigned depth)
{
    const uint64_t tag = cursor_u8(&w->in);
    uint64_t operands[VALUE_OPERANDS_MAX] = {0};
    if (tag == 0 || tag >= VALUE_TAG_COUNT || tag == VALUE_SERIES || depth > VALUE_NESTING_MAX)
        return false;
    for (unsigned i = 0; i < token_operands(tag); i++)
        operands[i] = tag == VALUE_STATUS || tag == VALUE_POSTED ? cursor_u8(&w->in) : cursor_varint(&w->in);
    if (tag == VALUE_STRING || tag == VALUE_SYMBOL)
        (void)cursor_take(&w->in, operands[0]);
    for (unsigned i = 0; i < value_slots((uint8_t)tag) && w->found < w->count; i++)
        w->places[w->found++] = mixed_hash(mixed_hash(path, tag), i);
    for (uint64_t i = 0, count = value_following((uint8_t)tag, operands); i < count; i++)
        if (w->in.status != PILGRIM_OK || !walk_value(w, mixed_hash(path, i), depth + 1))
            return false;
    return w->in.status == PILGRIM_OK;
}

size_t slot_places(const uint8_t *tokens, size_t length, uint64_t *places, size_t count)
{
    struct place_walk w = {.places = places, .count = count};
    cursor_init(&w.in, tokens, length);
    for (uint64_t i = 0; cursor_left(&w.in) > 0 && walk_value(&w, mixed_hash(1, i), 1); i++)
        ;
    return w.found;
}
