/* SPDX-License-Identifier: BSD-3-Clause */
/* Value runs; see value_run.h. */
#include "base/value_run.h"

#include "base/bytes.h"
#include "base/value.h"

enum { SLOT_BYTES = 8 };

static uint64_t slot_of(const uint8_t *at)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < SLOT_BYTES; i++)
        v |= (uint64_t)at[i] << (8 * i);
    return v;
}

static void slot_store(uint8_t *at, uint64_t v)
{
    for (unsigned i = 0; i < SLOT_BYTES; i++)
        at[i] = (uint8_t)(v >> (8 * i));
}

static bool may_differ(uint8_t tag, unsigned slot)
{
    return slot > 0 || (tag != VALUE_REQUEST && tag != VALUE_LIVE && tag != VALUE_BEGUN);
}

/* Strings, and tokens with a length as operand, do not occur in these arrays. */
static bool may_be_in_run(uint8_t tag)
{
    return tag != 0 && tag < VALUE_TAG_COUNT && tag != VALUE_RANK_BASE && tag != VALUE_SERIES && tag != VALUE_STRING &&
           tag != VALUE_SYMBOL && tag != VALUE_ARRAY;
}

bool run_steps_between(const uint8_t *a, const uint8_t *b, size_t length, struct run_steps *s)
{
    s->count = 0;
    if (length > RUN_VALUE_BYTES)
        return false;
    for (size_t at = 0; at < length;) {
        uint8_t tag = a[at];
        size_t head = 1 + (size_t)value_operands(tag);
        unsigned slots = value_slots(tag);
        if (!may_be_in_run(tag) || head + slots * SLOT_BYTES > length - at || memcmp(a + at, b + at, head) != 0 ||
            s->count + slots > RUN_SLOTS)
            return false;
        at += head;
        for (unsigned i = 0; i < slots; i++, at += SLOT_BYTES) {
            uint64_t step = slot_of(b + at) - slot_of(a + at);
            if (step && !may_differ(tag, i))
                return false;
            if (!step)
                continue;
            s->offsets[s->count] = (uint8_t)at;
            s->steps[s->count++] = step;
        }
    }
    return true;
}

void run_advance(uint8_t *value, const struct run_steps *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        slot_store(value + s->offsets[i], slot_of(value + s->offsets[i]) + s->steps[i]);
}

static void predict(struct run_writer *w, const uint8_t *value)
{
    memcpy(w->next, value, w->length);
    run_advance(w->next, &w->steps);
}

/* Begins a run: the third value is the predicted one. The first two values get a head, and the third is dropped. */
static uint8_t *become_run(struct run_writer *w, const uint8_t *third)
{
    predict(w, third);
    memmove(w->first + RUN_HEAD_BYTES, w->first, 2 * w->length);
    memcpy(w->first, (uint8_t[RUN_HEAD_BYTES]){VALUE_SERIES, 3}, RUN_HEAD_BYTES);
    w->count = 3;
    return w->first + RUN_HEAD_BYTES + 2 * w->length;
}

uint8_t *run_put_other(struct run_writer *w, uint8_t *value, uint8_t *end)
{
    size_t length = (size_t)(end - value);
    bool alike = (w->count == 1 || w->count == 2) && length == w->length;
    if (alike && w->count == 2 && memcmp(value, w->next, length) == 0)
        return become_run(w, value);
    if (alike && run_steps_between(value - length, value, length, &w->steps)) {
        w->first = value - length;
        w->count = 2;
        predict(w, value);
        return end;
    }
    w->first = value;
    w->length = length;
    w->count = 1;
    return end;
}
