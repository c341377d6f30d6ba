/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts from a trace, as they may be printed; see printable.h. docs/FORMAT.md lists the characters. */
#include "base/printable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Characters that are not printed as they are, in ascending order. */
static const struct {
    uint16_t first, last;
} hidden[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, /* controls */
    {0x061c, 0x061c}, {0x200e, 0x200f}, /* marks of direction */
    {0x2028, 0x202e},                   /* separators of lines and paragraphs; embeddings and overrides of direction */
    {0x2066, 0x2069},                   /* isolates of direction */
};

/* Returns the number of bytes of the UTF-8 character at TEXT, and the character in *CODE. 0: there is none. Overlong
 * forms, surrogates and numbers beyond U+10FFFF are not characters. */
static size_t read_character(const unsigned char *text, size_t left, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char c = text[0];
    const size_t length = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 0;
    if (length == 0 || length > left)
        return 0;
    *code = length == 1 ? c : c & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    return *code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff) ? 0 : length;
}

static int is_hidden(uint32_t code)
{
    size_t i = 0;
    while (i < sizeof hidden / sizeof *hidden && code > hidden[i].last)
        i++;
    return i < sizeof hidden / sizeof *hidden && code >= hidden[i].first;
}

size_t printable_next(const char *text, size_t length, char shown[PRINTABLE_MAX])
{
    uint32_t code;
    size_t bytes = read_character((const unsigned char *)text, length, &code);
    if (bytes > 0 && !is_hidden(code)) {
        memcpy(shown, text, bytes);
        shown[bytes] = 0;
        return bytes;
    }
    snprintf(shown, PRINTABLE_MAX, "\\u%04x", bytes > 0 ? code & 0xffff : (unsigned char)*text);
    return bytes > 0 ? bytes : 1;
}

void printable_copy(char *to, size_t size, const char *text)
{
    char shown[PRINTABLE_MAX];
    for (size_t left = strlen(text); left > 0;) {
        size_t taken = printable_next(text, left, shown), length = strlen(shown);
        if (length >= size)
            break;
        memcpy(to, shown, length);
        to += length;
        size -= length;
        text += taken;
        left -= taken;
    }
    *to = 0;
}
