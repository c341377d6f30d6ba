/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered output, quick for many short pieces. After the first write error nothing more is written. */
#ifndef DECODER_OUTPUT_H
#define DECODER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct output {
    int descriptor;
    struct output *into; /* not NULL: what is printed becomes part of a quoted cell of comma-separated values there, at
                            out_flush */
    uint64_t columns; /* not 0: lines are cut to so many, and end with dots then; out_flush leaves a line whose end has
                         not come */
    int error;        /* errno of the first failed write, 0 for none */
    size_t used;
    uint64_t flushed; /* bytes that have left the buffer, written or not */
    char buffer[1 << 17];
};

void out_flush(struct output *o);
void out_split(struct output *o, const char *data,
               size_t length); /* as out_bytes, for what does not fit into the buffer */

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

enum { OUT_NUMBER_MAX = 20 }; /* bytes of the longest number: -9223372036854775808 */

/* Returns room for LENGTH bytes, at most 1024. After writing there, call out_end. */
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

/* Writes V to AT, which has room for OUT_NUMBER_MAX bytes. Returns the end. */
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

/* Prints WORD and A; out_pair also SEPARATOR and B. WORD is short: a literal. */
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

void out_hex(struct output *o, uint64_t v);    /* in lower case, without prefix */
void out_real(struct output *o, double v);     /* %.17g */
void out_shortest(struct output *o, double v); /* the fewest digits that read back as V */
void out_decimal(struct output *o, double v);  /* about three digits, for people: 3.14, 31.4, 314 */

/* A time for people: 812ns, 1.21us, 12.1ms, 4711s */
enum { OUT_DURATION_MAX = 32 };
void put_duration(char text[OUT_DURATION_MAX], double ns);
void out_duration(struct output *o, double ns);

/* ---- JSON ---- */

/* Prints TEXT as a JSON string: quotes and backslashes are escaped; control characters and the like, and bytes that are
 * not UTF-8, become \uXXXX (pilgrim_printable). out_json_escaped prints no quotes around it.
 * out_name: the same for a name from a trace, which may have such bytes as well. */
void out_json_escaped(struct output *o, const char *text, size_t length);
void out_json_string(struct output *o, const char *text, size_t length);
static inline void out_name(struct output *o, const char *name)
{
    out_json_escaped(o, name, strlen(name));
}

/* Prints `,"NAME":VALUE`. */
void out_json_field(struct output *o, const char *name, int64_t value);

/* ---- colours ---- */

enum out_color { COLOR_NONE, COLOR_NAME, COLOR_BAD, COLOR_PLACE };

/* Prints what begins the colour, nothing for COLOR_NONE; out_color_end ends it, if IS_COLORED. */
void out_color(struct output *o, enum out_color color);
void out_color_end(struct output *o, bool is_colored);

/* ---- what was printed ---- */

/* out_position: how many bytes were printed to O so far. out_since: those from POSITION on, *LENGTH of them, borrowed
 * until the next output; NULL: the buffer no longer has all of them. */
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
