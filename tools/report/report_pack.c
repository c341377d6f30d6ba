/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs views; see report_pack.h. Without zlib they stay as they are, and only "<" is written in another way. */
#include "report_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum { PIECE = 1 << 16 };

/* Adds LENGTH bytes at P->text, which has room for MOST. Returns false if they do not fit. */
static bool put(struct packed *p, size_t most, const void *bytes, size_t length)
{
    if (length > most - p->length)
        return false;
    memcpy(p->text + p->length, bytes, length);
    p->length += length;
    return true;
}

#ifdef HAVE_ZLIB

/* Writes the LENGTH bytes of FROM as base64, with '=' behind the last ones. */
static char *base64(const unsigned char *from, size_t length, size_t *written)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc(length / 3 * 4 + 5), *at = text;
    for (size_t i = 0; text && i < length; i += 3) {
        const size_t left = length - i;
        const unsigned three = (unsigned)from[i] << 16 | (left > 1 ? (unsigned)from[i + 1] << 8 : 0) |
                               (left > 2 ? (unsigned)from[i + 2] : 0);
        *at++ = digits[three >> 18];
        *at++ = digits[three >> 12 & 63];
        *at++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[three & 63] : '=';
    }
    *written = (size_t)(at - text);
    return text;
}

/* Deflates the file into P. *FITS: P has room for all of it. Returns 0, or an errno. */
static int deflate_file(z_stream *z, int descriptor, size_t most, struct packed *p, bool *fits)
{
    static unsigned char in[PIECE], out[PIECE];
    ssize_t length;
    int end;
    *fits = true;
    do {
        length = read(descriptor, in, sizeof in);
        if (length < 0)
            return errno;
        z->next_in = in;
        z->avail_in = (uInt)length;
        do {
            z->next_out = out;
            z->avail_out = sizeof out;
            end = deflate(z, length ? Z_NO_FLUSH : Z_FINISH);
            *fits = *fits && put(p, most, out, sizeof out - z->avail_out);
        } while (*fits && z->avail_out == 0);
    } while (*fits && length > 0);
    return *fits && end != Z_STREAM_END ? EIO : 0;
}

int report_pack(int descriptor, size_t most, struct packed *p)
{
    z_stream z = {0};
    bool fits = false;
    const size_t room = most / 4 * 3; /* four letters for three bytes */
    *p = (struct packed){.text = malloc(room + 1)};
    if (!p->text || lseek(descriptor, 0, SEEK_SET) != 0 || deflateInit(&z, Z_BEST_COMPRESSION) != Z_OK) {
        free(p->text);
        p->text = NULL;
        return ENOMEM;
    }
    int wrong = deflate_file(&z, descriptor, room, p, &fits);
    deflateEnd(&z);
    char *bytes = p->text;
    p->text = NULL;
    if (!wrong && fits) {
        p->text = base64((unsigned char *)bytes, p->length, &p->length);
        wrong = p->text ? 0 : ENOMEM;
    }
    free(bytes);
    return wrong;
}

#else

int report_pack(int descriptor, size_t most, struct packed *p)
{
    static char in[PIECE];
    ssize_t length = 0;
    bool fits = true;
    *p = (struct packed){.text = malloc(most + 1)};
    if (!p->text || lseek(descriptor, 0, SEEK_SET) != 0) {
        free(p->text);
        p->text = NULL;
        return ENOMEM;
    }
    while (fits && (length = read(descriptor, in, sizeof in)) > 0)
        for (ssize_t i = 0; i < length;
             i++) /* "<" is within strings only, so that no text of a trace ends the element */
            fits = fits && (in[i] == '<' ? put(p, most, "\\u003c", 6) : put(p, most, &in[i], 1));
    const int wrong = fits && length < 0 ? errno : 0;
    if (wrong || !fits) {
        free(p->text);
        p->text = NULL;
    }
    return wrong;
}

#endif
