/* Buffered output; see output.h. Integers are converted by hand: printf would be half of the decoder's time. */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void out_flush(struct output *o)
{
    size_t done = 0;
    while (done < o->used && !o->error) {
        ssize_t n = write(o->descriptor, o->buffer + done, o->used - done);
        if (n < 0 && errno != EINTR)
            o->error = errno;
        else if (n > 0)
            done += (size_t)n;
    }
    o->used = 0;
}

void out_bytes(struct output *o, const char *data, size_t length)
{
    while (length > 0) {
        if (o->used == sizeof o->buffer)
            out_flush(o);
        size_t room = sizeof o->buffer - o->used;
        size_t n = length < room ? length : room;
        memcpy(o->buffer + o->used, data, n);
        o->used += n;
        data += n;
        length -= n;
    }
}

void out_text(struct output *o, const char *text)
{
    out_bytes(o, text, strlen(text));
}

void out_char(struct output *o, char c)
{
    if (o->used == sizeof o->buffer)
        out_flush(o);
    o->buffer[o->used++] = c;
}

static void out_digits(struct output *o, uint64_t v, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    out_bytes(o, digits + at, sizeof digits - at);
}

void out_uint(struct output *o, uint64_t v)
{
    out_digits(o, v, 10);
}

void out_hex(struct output *o, uint64_t v)
{
    out_digits(o, v, 16);
}

void out_int(struct output *o, int64_t v)
{
    if (v < 0)
        out_char(o, '-');
    out_digits(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10);
}

void out_real(struct output *o, double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", v);
    out_text(o, text);
}

void out_decimal(struct output *o, double v)
{
    char text[40];
    snprintf(text, sizeof text, v < 9.995 ? "%.2f" : v < 99.95 ? "%.1f" : "%.0f", v);
    out_text(o, text);
}

/* Bytes of the UTF-8 character at TEXT, 0 if there is none: overlong forms, surrogates and what lies beyond U+10FFFF
 * are not characters. */
static size_t utf8_length(const unsigned char *text, size_t left)
{
    unsigned char c = text[0];
    size_t length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    if (length == 0 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) || (c == 0xf0 && text[1] < 0x90) ||
        (c == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

void out_json_field(struct output *o, const char *name, int64_t value)
{
    out_text(o, ",\"");
    out_text(o, name);
    out_text(o, "\":");
    out_int(o, value);
}

void out_json_string(struct output *o, const char *text, size_t length)
{
    out_char(o, '"');
    out_json_escaped(o, text, length);
    out_char(o, '"');
}

void out_json_escaped(struct output *o, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    while (length > 0) {
        size_t n = utf8_length(at, length);
        if (n == 0 || *at < 0x20) {
            out_text(o, "\\u00");
            out_char(o, "0123456789abcdef"[*at >> 4]);
            out_char(o, "0123456789abcdef"[*at & 15]);
            n = 1;
        } else {
            if (*at == '"' || *at == '\\')
                out_char(o, '\\');
            out_bytes(o, (const char *)at, n);
        }
        at += n;
        length -= n;
    }
}
