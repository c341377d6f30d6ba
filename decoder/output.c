/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered output; see output.h. Integers are converted by hand: printf would be half of the decoder's time. */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pilgrim/reader.h>

/* Moves what was printed into a cell with quotes: those in it are doubled. */
static void flush_into(struct output *o)
{
    for (size_t i = 0; i < o->used; i++) {
        if (o->buffer[i] == '"')
            out_char(o->into, '"');
        out_char(o->into, o->buffer[i]);
    }
}

/* Returns how many bytes at AT, before END, are one character or what sets a colour, which takes no COLUMNS. */
static size_t character_at(const char *at, const char *end, unsigned *columns)
{
    const char *next = at + 1;
    *columns = *at != '\033';
    if (*columns == 0) {
        while (next < end && *next != 'm')
            next++;
        return (size_t)(next - at) + (next < end);
    }
    while (next < end && ((unsigned char)*next & 0xc0) == 0x80)
        next++;
    return (size_t)(next - at);
}

/* Writes a line, from FROM to END, to TO, which is not behind FROM: COLUMNS columns, the last of which are dots if it
 * has more, and all that sets colours. Returns the end. */
static char *cut_line(char *to, const char *from, const char *end, uint64_t columns)
{
    const uint64_t dots = columns < 3 ? columns : 3;
    const char *kept = from;
    char colors[64];
    size_t used = 0;
    unsigned width;
    uint64_t column = 0;
    for (const char *at = from; at < end; column += width) {
        if (column <= columns - dots)
            kept = at;
        at += character_at(at, end, &width);
    }
    if (column <= columns)
        kept = end;
    for (const char *at = kept; at < end;) {
        const size_t n = character_at(at, end, &width);
        if (!width && n <= sizeof colors - used) {
            memcpy(colors + used, at, n);
            used += n;
        }
        at += n;
    }
    memmove(to, from, (size_t)(kept - from));
    to += kept - from;
    if (kept < end) {
        memset(to, '.', dots);
        memcpy(to + dots, colors, used);
        to += dots + used;
    }
    return to;
}

/* Cuts the lines in the buffer. Returns its used part, and sets *LEFT to the bytes of a last line that goes on. */
static size_t cut_lines(struct output *o, size_t *left)
{
    const char *end = o->buffer + o->used, *from = o->buffer, *newline;
    char *to = o->buffer;
    while ((newline = memchr(from, '\n', (size_t)(end - from))) != NULL) {
        to = cut_line(to, from, newline, o->columns);
        *to++ = '\n';
        from = newline + 1;
    }
    *left = from > o->buffer && (size_t)(end - from) < sizeof o->buffer / 2 ? (size_t)(end - from) : 0;
    memmove(to, from, (size_t)(end - from));
    return (size_t)(to - o->buffer) + (*left ? 0 : (size_t)(end - from));
}

void out_flush(struct output *o)
{
    size_t done = o->into ? o->used : 0, left = 0;
    const size_t used = o->columns ? cut_lines(o, &left) : o->used;
    if (o->into)
        flush_into(o);
    while (done < used && !o->error) {
        ssize_t n = write(o->descriptor, o->buffer + done, used - done);
        if (n < 0 && errno != EINTR)
            o->error = errno;
        else if (n > 0)
            done += (size_t)n;
    }
    memmove(o->buffer, o->buffer + used, left);
    o->flushed += o->used - left;
    o->used = left;
}

void out_split(struct output *o, const char *data, size_t length)
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

/* ---- numbers ---- */

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                  "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                  "8081828384858687888990919293949596979899";

static unsigned decimal_length(uint64_t v)
{
    unsigned count = 1;
    for (; v >= 10000; v /= 10000)
        count += 4;
    return count + (v >= 10) + (v >= 100) + (v >= 1000);
}

/* Writes two digits at a time, from the last. */
char *out_put_long(char *at, uint64_t v)
{
    char *end = at + decimal_length(v), *to = end;
    for (; v >= 100; v /= 100)
        memcpy(to -= 2, &digit_pairs[v % 100 * 2], 2);
    if (v >= 10)
        memcpy(to - 2, &digit_pairs[v * 2], 2);
    else
        to[-1] = (char)('0' + v);
    return end;
}

void out_hex(struct output *o, uint64_t v)
{
    char digits[16];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[v % 16];
        v /= 16;
    } while (v);
    out_bytes(o, digits + at, sizeof digits - at);
}

void out_real(struct output *o, double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", v);
    out_text(o, text);
}

void out_shortest(struct output *o, double v)
{
    enum { DIGITS_MOST = 17 };
    char text[40];
    for (int digits = 1; digits <= DIGITS_MOST; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    out_text(o, text);
}

void out_decimal(struct output *o, double v)
{
    char text[40];
    snprintf(text, sizeof text, v < 9.995 ? "%.2f" : v < 99.95 ? "%.1f" : "%.0f", v);
    out_text(o, text);
}

void put_duration(char text[OUT_DURATION_MAX], double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    unsigned unit = 0;
    for (; ns >= 999.5 && unit < 3; unit++)
        ns /= 1000;
    snprintf(text, OUT_DURATION_MAX,
             unit > 0 && ns < 9.995   ? "%.2f%s"
             : unit > 0 && ns < 99.95 ? "%.1f%s"
                                      : "%.0f%s",
             ns, units[unit]);
}

void out_duration(struct output *o, double ns)
{
    char text[OUT_DURATION_MAX];
    put_duration(text, ns);
    out_text(o, text);
}

void out_color(struct output *o, enum out_color color)
{
    static const char *const codes[] = {
        [COLOR_NONE] = "", [COLOR_NAME] = "\033[1m", [COLOR_BAD] = "\033[31m", [COLOR_PLACE] = "\033[36m"};
    out_text(o, codes[color]);
}

void out_color_end(struct output *o, bool is_colored)
{
    out_text(o, is_colored ? "\033[m" : "");
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

/* True for bytes that are printed as they are: ASCII without controls, quotes and backslashes. */
static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* As is_plain, for 8 bytes at once: a high bit in `other` marks a byte that is not plain. */
static bool are_plain(uint64_t word)
{
    const uint64_t quotes = word ^ EACH_BYTE('"'), backslashes = word ^ EACH_BYTE('\\');
    const uint64_t other = word | (word - EACH_BYTE(0x20)) | (word + EACH_BYTE(1)) |
                           ((quotes - EACH_BYTE(1)) & ~quotes) | ((backslashes - EACH_BYTE(1)) & ~backslashes);
    return (other & EACH_BYTE(0x80)) == 0;
}

static uint64_t load_word(const unsigned char *from, size_t length)
{
    uint64_t word = 0;
    memcpy(&word, from, length);
    return word;
}

/* As is_plain, for a whole text: words of 8 bytes, the last of which may overlap the one before. */
static bool is_plain_text(const unsigned char *text, size_t length)
{
    size_t n = 0;
    if (length >= 8) {
        for (; n + 8 < length; n += 8)
            if (!are_plain(load_word(text + n, 8)))
                return false;
        return are_plain(load_word(text + length - 8, 8));
    }
    if (length >= 4)
        return are_plain(load_word(text, 4) | load_word(text + length - 4, 4) << 32);
    while (n < length && is_plain(text[n]))
        n++;
    return n == length;
}

void out_json_escaped(struct output *o, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    if (is_plain_text(at, length)) {
        out_bytes(o, text, length);
        return;
    }
    while (length > 0) {
        char shown[PILGRIM_PRINTABLE_MAX];
        size_t n = pilgrim_printable((const char *)at, length, shown);
        if (*at == '"' || *at == '\\')
            out_char(o, '\\');
        out_text(o, shown);
        at += n;
        length -= n;
    }
}
