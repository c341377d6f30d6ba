/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints JSON into a shadow's text: commas, strings, integers; see shadow_text.h. */
#include "shadow/shadow_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_print(struct bytes *b, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text)
        b->failed = true;
    else
        bytes_put(b, text, (size_t)length);
}

/* True if the character at S, of LENGTH bytes, is printed as its number: a control character, or one that separates
 * lines or turns the direction of writing. *CODE: the number. */
static bool is_hidden(const uint8_t *s, size_t length, unsigned *code)
{
    *code = length == 1 ? s[0] : length == 2 ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3f) : 0;
    if (length == 3)
        *code = (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3f);
    return (length == 1 && (*code < 0x20 || *code == 0x7f)) || (*code >= 0x80 && *code <= 0x9f) || *code == 0x61c ||
           *code == 0x200e || *code == 0x200f || (*code >= 0x2028 && *code <= 0x202e) ||
           (*code >= 0x2066 && *code <= 0x2069);
}

/* Returns the length of the UTF-8 character at S, which has at most N bytes; 0 if there is none. */
static size_t utf8_length(const uint8_t *s, size_t n)
{
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] > 0x9f;
    bool beyond = s[0] == 0xf4 && s[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

void text_string(struct bytes *b, const char *string, size_t length)
{
    const uint8_t *s = (const uint8_t *)string;
    bytes_put_u8(b, '"');
    for (size_t i = 0; i < length;) {
        size_t character = utf8_length(s + i, length - i);
        unsigned code = s[i];
        if (!character || is_hidden(s + i, character, &code)) {
            text_print(b, "\\u%04x", code);
            i += character + !character;
            continue;
        }
        if (s[i] == '"' || s[i] == '\\')
            bytes_put_u8(b, '\\');
        bytes_put(b, s + i, character);
        i += character;
    }
    bytes_put_u8(b, '"');
}

void text_integer(struct bytes *b, int64_t v)
{
    const int64_t limit = (int64_t)1 << 53;
    text_print(b, v > limit || v < -limit ? "\"%" PRId64 "\"" : "%" PRId64, v);
}

static void slot_open(struct shadow *s, struct shadow_slot *slot)
{
    slot->value = (struct slice){s->text.length, 0};
    slot->raw = (struct slice){s->raw.length, 0};
    slot->raw_list = false;
    s->slot = slot;
    s->depth = 0;
    s->comma = false;
}

void shadow_in(struct shadow *s, unsigned parameter)
{
    slot_open(s, &s->in[parameter % SHADOW_PARAMETERS]);
}

void shadow_out(struct shadow *s, unsigned parameter)
{
    slot_open(s, &s->out[parameter % SHADOW_PARAMETERS]);
}

void shadow_return(struct shadow *s)
{
    slot_open(s, &s->result);
}

void shadow_value_begin(struct shadow *s)
{
    if (s->comma)
        bytes_put_u8(&s->text, ',');
}

void shadow_value_end(struct shadow *s)
{
    s->comma = s->depth > 0;
    if (s->slot)
        s->slot->value.length = s->text.length - s->slot->value.start;
}

void shadow_raw(struct shadow *s, uint64_t value)
{
    if (!s->slot)
        return;
    if (s->raw.length > s->slot->raw.start)
        bytes_put_u8(&s->raw, ',');
    text_print(&s->raw, "\"0x%" PRIx64 "\"", value);
    s->slot->raw.length = s->raw.length - s->slot->raw.start;
    s->slot->raw_list |= s->depth > 0;
}

void shadow_open(struct shadow *s)
{
    shadow_value_begin(s);
    bytes_put_u8(&s->text, '[');
    s->depth++;
    s->comma = false;
}

void shadow_close(struct shadow *s)
{
    bytes_put_u8(&s->text, ']');
    s->depth--;
    shadow_value_end(s);
}
