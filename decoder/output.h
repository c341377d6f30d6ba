/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered output that is quick for many short pieces. The first write error sticks. */
#ifndef DECODER_OUTPUT_H
#define DECODER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct output {
    int descriptor;
    int error; /* errno of the first failed write, 0 for none; nothing is written after it */
    size_t used;
    uint64_t flushed; /* bytes that have left the buffer */
    char buffer[1 << 17];
};

void out_flush(struct output *o);
void out_split(struct output *o, const char *data, size_t length); /* as out_bytes, in parts */

static inline void out_bytes(struct output *o, const char *data, size_t length)
{
    if (length > sizeof o->buffer - o->used) {
        out_split(o, data, length);
        return;
    }
    memcpy(o->buffer + o->used, data, length);
    o->used += length;
}

static inline void out_text(struct output *o, const char *text)
{
    out_bytes(o, text, strlen(text));
}

static inline void out_char(struct output *o, char c)
{
    if (o->used == sizeof o->buffer)
        out_flush(o);
    o->buffer[o->used++] = c;
}

/* ---- numbers ---- */

enum { OUT_NUMBER_MAX = 20 }; /* bytes */

/* Room for LENGTH bytes, at most 1024. Who has put some there moves `used`: out_end. */
static inline char *out_room(struct output *o, size_t length)
{
    if (sizeof o->buffer - o->used < length)
        out_flush(o);
    return o->buffer + o->used;
}

static inline void out_end(struct output *o, const char *end)
{
    o->used = (size_t)(end - o->buffer);
}

/* Puts V to AT, where OUT_NUMBER_MAX bytes are. Returns the end. */
char *out_put_long(char *at, uint64_t v);

static inline char *out_put_uint(char *at, uint64_t v)
{
    if (v >= 10)
        return out_put_long(at, v);
    *at = (char)('0' + v);
    return at + 1;
}

static inline char *out_put_int(char *at, int64_t v)
{
    if (v >= 0)
        return out_put_uint(at, (uint64_t)v);
    *at = '-';
    return out_put_long(at + 1, 0 - (uint64_t)v);
}

static inline void out_uint(struct output *o, uint64_t v)
{
    out_end(o, out_put_uint(out_room(o, OUT_NUMBER_MAX), v));
}

static inline void out_int(struct output *o, int64_t v)
{
    out_end(o, out_put_int(out_room(o, OUT_NUMBER_MAX), v));
}

/* WORD, a literal, and A; of two numbers SEPARATOR and B too. */
static inline void out_named(struct output *o, const char *word, int64_t a)
{
    size_t length = strlen(word);
    char *at = out_room(o, length + OUT_NUMBER_MAX);
    memcpy(at, word, length);
    out_end(o, out_put_int(at + length, a));
}

static inline void out_pair(struct output *o, const char *word, int64_t a, char separator, int64_t b)
{
    size_t length = strlen(word);
    char *at = out_room(o, length + 2 * OUT_NUMBER_MAX + 1);
    memcpy(at, word, length);
    at = out_put_int(at + length, a);
    *at++ = separator;
    out_end(o, out_put_int(at, b));
}

void out_hex(struct output *o, uint64_t v);   /* lower case, no prefix */
void out_real(struct output *o, double v);    /* %.17g */
void out_decimal(struct output *o, double v); /* three digits or so, for people: 3.14, 31.4, 314 */

/* For people: 812ns, 1.21us, 12.1ms, 4711s */
enum { OUT_DURATION_MAX = 32 };
void put_duration(char text[OUT_DURATION_MAX], double ns);
void out_duration(struct output *o, double ns);

/* ---- JSON ---- */

/* TEXT as a JSON string: quotes and backslashes escaped, control bytes and bytes that are not UTF-8 as \u00XX.
 * out_json_escaped: without the quotes around it. */
void out_json_escaped(struct output *o, const char *text, size_t length);
void out_json_string(struct output *o, const char *text, size_t length);
/* `,"NAME":VALUE` */
void out_json_field(struct output *o, const char *name, int64_t value);

/* ---- what was printed ---- */

/* How many bytes have been given to O, and those from POSITION on, *LENGTH of them; NULL: some are no longer there.
 * Borrowed until more is. */
static inline uint64_t out_position(const struct output *o)
{
    return o->flushed + o->used;
}

static inline const char *out_since(const struct output *o, uint64_t position, size_t *length)
{
    *length = (size_t)(out_position(o) - position);
    return position >= o->flushed ? o->buffer + (position - o->flushed) : NULL;
}

#endif
