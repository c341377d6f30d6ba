/* SPDX-License-Identifier: BSD-3-Clause */
/* From strings to numbers. Keys come from this library, so they are not checked: the rest of a malformed key is
 * taken as one token. */
#include "record/texts.h"

#include <string.h>

#include "base/try.h"
#include "base/value.h"

/* A value of a key. */
struct key_token {
    const uint8_t *start;
    size_t length;       /* of all its bytes */
    const uint8_t *text; /* of a string that may become a text; else NULL */
    size_t text_length;
};

static uint32_t operand_of(const uint8_t *at, unsigned bytes)
{
    uint32_t operand = 0;
    for (unsigned i = 0; i < bytes; i++)
        operand |= (uint32_t)at[i] << (8 * i);
    return operand;
}

/* Returns the token at AT of KEY; all the rest of KEY if it is malformed there. */
static struct key_token token_at(const uint8_t *key, size_t length, size_t at)
{
    struct key_token t = {.start = key + at, .length = length - at};
    uint8_t tag = key[at];
    size_t head = 1 + (size_t)value_operands(tag), size = head + value_slots(tag) * sizeof(uint64_t), text = 0;
    if (tag == VALUE_STRING || tag == VALUE_SYMBOL)
        text = head <= t.length ? operand_of(t.start + 1, value_operands(tag)) : 0;
    if (size > t.length || text > t.length - size)
        return t;
    t.length = size + text;
    if (tag == VALUE_STRING && !memchr(t.start + head, 0, text)) {
        t.text = t.start + head;
        t.text_length = text;
    }
    return t;
}

enum pilgrim_status texts_number(struct intern *texts, const uint8_t *key, size_t length, struct bytes *out)
{
    out->length = 0;
    for (size_t at = 0; at < length;) {
        struct key_token t = token_at(key, length, at);
        at += t.length;
        if (t.text) {
            uint32_t number;
            TRY(intern_add(texts, t.text, t.text_length, &number));
            bytes_put_u8(out, VALUE_TEXT);
            bytes_put_u64(out, 0);
            bytes_put_u64(out, number);
        } else {
            bytes_put(out, t.start, t.length);
        }
    }
    return bytes_status(out);
}

size_t texts_plain_length(const struct intern *texts, const uint8_t *key, size_t length)
{
    size_t plain = length;
    for (size_t at = 0; at < length;) {
        struct key_token t = token_at(key, length, at);
        at += t.length;
        uint32_t number = *t.start == VALUE_TEXT && t.length > 12 ? operand_of(t.start + 9, 4) : UINT32_MAX;
        size_t text;
        if (number >= texts->count)
            continue;
        (void)intern_get(texts, number, &text);
        plain = plain + 1 + value_operands(VALUE_STRING) + text - t.length;
    }
    return plain;
}

static enum pilgrim_status collect_texts(struct intern *texts, const uint8_t *key, size_t length)
{
    for (size_t at = 0; at < length && texts->count <= TEXTS_DISTINCT;) {
        struct key_token t = token_at(key, length, at);
        uint32_t ignored;
        at += t.length;
        if (t.text)
            TRY(intern_add(texts, t.text, t.text_length, &ignored));
    }
    return PILGRIM_OK;
}

enum pilgrim_status texts_vary(const struct signatures *s, uint32_t first, bool *vary)
{
    struct intern texts = {0};
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = first; i < s->count && status == PILGRIM_OK && texts.count <= TEXTS_DISTINCT; i++) {
        size_t length;
        const uint8_t *key = signature_key(s, i, &length);
        status = collect_texts(&texts, key, length);
    }
    *vary = texts.count > TEXTS_DISTINCT;
    intern_free(&texts);
    return status;
}
