/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints calls, one a line; see call_lines.h. A line consists of a head (rank, thread, seq), a body (function, values,
 * site) and times.
 *
 * The cache finds a body by the identity that the reader gives equal calls of one cursor. Identities count up as values
 * are met. So a table of fixed size, indexed by identity modulo its size, finds nearly as many as a hash table would.
 * Bodies lie one after another in `text`; when it is full, all of them are dropped. */
#include "call_lines.h"

#include <stdlib.h>

#include "print.h"

enum { BODIES_MAX = 4096, BODY_BYTES_MAX = 1 << 14, BODIES_BYTES_MAX = 1 << 20 };

struct body {
    uint64_t number; /* 0: the slot is empty */
    uint32_t at, length;
};

struct call_lines {
    struct output *out;
    struct source_lines *sources;
    bool json;
    uint64_t frames; /* of a path, at most */
    char head[CALL_HEAD_MAX];
    size_t head_length;
    uint64_t identity_base; /* added to an identity to make a body's number; it grows, so that bodies of earlier cursors
                               are not found */
    uint64_t last;          /* the highest number given to a body */
    bool has_note;
    char note[IN_FLIGHT_TEXT]; /* of the next call */
    size_t used;
    struct body bodies[BODIES_MAX]; /* indexed by number modulo BODIES_MAX */
    char text[BODIES_BYTES_MAX];
};

struct call_lines *call_lines_new(struct output *out, bool json, uint64_t frames, struct source_lines *sources)
{
    struct call_lines *l = calloc(1, sizeof *l);
    if (l) {
        l->out = out;
        l->json = json;
        l->frames = frames;
        l->sources = sources;
    }
    return l;
}

void call_lines_free(struct call_lines *l)
{
    free(l);
}

static void forget(struct call_lines *l)
{
    l->identity_base = l->last;
    l->used = 0;
}

void call_lines_begin(struct call_lines *l, uint32_t rank, uint32_t thread)
{
    l->head_length = l->json ? json_head(l->head, rank, thread) : text_head(l->head, rank, thread);
    forget(l);
}

/* Caches the body with NUMBER, which was printed from position START on, if the output buffer still has it. */
static void cache_body(struct call_lines *l, uint64_t number, uint64_t start)
{
    size_t length;
    const char *body = out_since(l->out, start, &length);
    if (!body || length > BODY_BYTES_MAX)
        return;
    memcpy(l->text + l->used, body, length);
    l->bodies[number % BODIES_MAX] =
        (struct body){.number = number, .at = (uint32_t)l->used, .length = (uint32_t)length};
    l->used += length;
}

static void print_body(struct call_lines *l, const struct pilgrim_call *call)
{
    if (l->json)
        json_body(l->out, call, l->frames, l->sources);
    else
        text_body(l->out, call, l->frames, l->sources);
}

/* Prints the body of a call that has an identity, from the cache if it is there. */
static void print_cached(struct call_lines *l, const struct pilgrim_call *call)
{
    uint64_t number = l->identity_base + call->identity, start = out_position(l->out);
    const struct body *body = &l->bodies[number % BODIES_MAX];
    if (body->number == number) {
        out_bytes(l->out, l->text + body->at, body->length);
        return;
    }
    print_body(l, call);
    if (BODIES_BYTES_MAX - l->used < BODY_BYTES_MAX) {
        forget(l);
        number = l->identity_base + call->identity;
    }
    if (number > l->last)
        l->last = number;
    cache_body(l, number, start);
}

void call_lines_in_flight(struct call_lines *l, const struct in_flight *call)
{
    in_flight_text(call, l->json, l->note);
    l->has_note = true;
}

void call_lines_print(struct call_lines *l, const struct pilgrim_call *call)
{
    out_bytes(l->out, l->head, l->head_length);
    out_uint(l->out, call->seq);
    if (!l->json)
        text_times(l->out, call);
    if (call->identity > 0)
        print_cached(l, call);
    else
        print_body(l, call);
    if (l->has_note)
        out_text(l->out, l->note);
    if (l->json)
        json_times(l->out, call);
    else
        out_char(l->out, '\n');
    l->has_note = false;
}
