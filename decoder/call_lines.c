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
#include "analysis/object_names.h"

enum { BODIES_MAX = 4096, BODY_BYTES_MAX = 1 << 14, BODIES_BYTES_MAX = 1 << 20 };

struct body {
    uint64_t number; /* 0: the slot is empty */
    uint32_t at, length;
    struct text_marks marks;
};

struct call_lines {
    struct output *out;
    struct source_lines *sources;
    enum call_format format;
    uint64_t frames; /* of a path, at most */
    uint64_t columns;
    struct text_style style;
    struct object_names *names; /* NULL: they are not wanted */
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

struct call_lines *call_lines_new(struct output *out, enum call_format format, uint64_t frames,
                                  struct source_lines *sources)
{
    struct call_lines *l = calloc(1, sizeof *l);
    if (l) {
        l->out = out;
        l->format = format;
        l->frames = frames;
        l->sources = sources;
    }
    return l;
}

enum pilgrim_status call_lines_set(struct call_lines *l, const struct call_lines_style *style)
{
    l->columns = l->format == CALLS_TEXT ? style->columns : 0;
    l->style = (struct text_style){.is_short = style->is_short, .color = style->color};
    if (l->format == CALLS_CSV || !style->trace)
        return PILGRIM_OK;
    l->style.library = pilgrim_property(style->trace, "library");
    l->names = object_names_new(style->trace);
    l->style.names = l->names;
    l->style.name_of = object_names_find;
    return l->names ? PILGRIM_OK : PILGRIM_NOMEM;
}

void call_lines_free(struct call_lines *l)
{
    if (l)
        object_names_free(l->names);
    free(l);
}

static void forget(struct call_lines *l)
{
    l->identity_base = l->last;
    l->used = 0;
}

enum pilgrim_status call_lines_begin(struct call_lines *l, uint32_t rank, uint32_t thread)
{
    l->head_length = l->format == CALLS_JSON  ? json_head(l->head, rank, thread)
                     : l->format == CALLS_CSV ? csv_call_begin(l->head, rank, thread)
                                              : text_head(l->head, rank, thread);
    forget(l);
    return !l->names || object_names_begin(l->names, rank, thread) ? PILGRIM_OK : PILGRIM_NOMEM;
}

/* Caches the body with NUMBER, which was printed from position START on, if the output buffer still has it. */
static void cache_body(struct call_lines *l, uint64_t number, uint64_t start, struct text_marks marks)
{
    size_t length;
    const char *body = out_since(l->out, start, &length);
    if (!body || length > BODY_BYTES_MAX)
        return;
    memcpy(l->text + l->used, body, length);
    l->bodies[number % BODIES_MAX] =
        (struct body){.number = number, .at = (uint32_t)l->used, .length = (uint32_t)length, .marks = marks};
    l->used += length;
}

struct names_shown {
    struct output *o;
    bool some;
};

static void show_name(void *context, const struct pilgrim_value *v, const char *name)
{
    struct names_shown *shown = context;
    out_text(shown->o, shown->some ? "," : ",\"names\":{");
    json_call_value(shown->o, v);
    out_char(shown->o, ':');
    out_json_string(shown->o, name, strlen(name));
    shown->some = true;
}

/* Prints what the program named the objects of the call, if it did. */
static void print_names(struct call_lines *l, const struct pilgrim_call *call)
{
    struct names_shown shown = {.o = l->out};
    if (l->names)
        object_names_visit(l->names, call, show_name, &shown);
    if (shown.some)
        out_char(l->out, '}');
}

static struct text_marks print_body(struct call_lines *l, const struct pilgrim_call *call)
{
    if (l->format == CALLS_TEXT)
        return text_body(l->out, call, &l->style, l->frames, l->sources);
    if (l->format == CALLS_JSON) {
        json_body(l->out, call, l->frames, l->sources);
        print_names(l, call);
    } else {
        csv_call_body(l->out, call, l->sources);
    }
    return (struct text_marks){0};
}

/* Prints the body of a call that has an identity, from the cache if it is there. */
static struct text_marks print_cached(struct call_lines *l, const struct pilgrim_call *call)
{
    uint64_t number = l->identity_base + call->identity, start = out_position(l->out);
    const struct body *body = &l->bodies[number % BODIES_MAX];
    if (body->number == number) {
        out_bytes(l->out, l->text + body->at, body->length);
        return body->marks;
    }
    const struct text_marks marks = print_body(l, call);
    if (BODIES_BYTES_MAX - l->used < BODY_BYTES_MAX) {
        forget(l);
        number = l->identity_base + call->identity;
    }
    if (number > l->last)
        l->last = number;
    cache_body(l, number, start, marks);
    return marks;
}

/* ---- lines that fit ---- */

/* Returns how many columns TEXT takes: without escape sequences, and bytes that continue a character. */
static size_t columns_of(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\033')
            while (i < length && text[i] != 'm')
                i++;
        else
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return columns;
}

/* Returns how many bytes of TEXT, which has no escape sequences, take at most so many COLUMNS. */
static size_t bytes_within(const char *text, size_t length, size_t columns)
{
    size_t i = 0;
    while (i < length && (columns > 0 || ((unsigned char)text[i] & 0xc0) == 0x80))
        columns -= ((unsigned char)text[i++] & 0xc0) != 0x80;
    return i;
}

/* Removes the callers behind the call site at the end of the line that begins at START, with its arguments' end at
 * BEHIND, if it is too long. */
static void drop_callers(struct call_lines *l, uint64_t start, size_t behind)
{
    static const char caller[] = " < ", painted[] = "\033[m";
    size_t length;
    const char *line = out_since(l->out, start, &length);
    if (!line || l->has_note || behind >= length || columns_of(line, length) <= l->columns)
        return;
    size_t first = behind;
    while (first + strlen(caller) <= length && memcmp(line + first, caller, strlen(caller)) != 0)
        first++;
    if (first + strlen(caller) > length)
        return;
    l->out->used -= length - first;
    if (l->style.color)
        out_text(l->out, painted);
}

/* Shortens the arguments of the line that begins at START, with its body at BODY, so that it fits. */
static void fit(struct call_lines *l, uint64_t start, uint64_t body, struct text_marks marks)
{
    static const char dots[] = "...";
    size_t length;
    const char *line = out_since(l->out, start, &length);
    if (!line)
        return;
    const size_t columns = columns_of(line, length), begin = (size_t)(body - start) + marks.arguments,
                 behind = (size_t)(body - start) + marks.behind, dots_length = strlen(dots);
    if (columns <= l->columns || columns_of(line + begin, behind - begin) <= dots_length)
        return;
    const size_t others = columns - columns_of(line + begin, behind - begin) + dots_length;
    const size_t kept = l->columns > others ? bytes_within(line + begin, behind - begin, l->columns - others) : 0;
    char *to = l->out->buffer + (line - l->out->buffer) + begin + kept;
    memcpy(to, dots, dots_length);
    memmove(to + dots_length, line + behind, length - behind);
    l->out->used -= behind - begin - kept - dots_length;
}

void call_lines_in_flight(struct call_lines *l, const struct in_flight *call)
{
    in_flight_text(call, l->format == CALLS_JSON, l->note);
    l->has_note = l->format != CALLS_CSV; /* there, what it returned is empty */
}

void call_lines_print(struct call_lines *l, const struct pilgrim_call *call)
{
    const uint64_t start = out_position(l->out);
    struct text_marks marks;
    if (l->names && object_names_at(l->names, call->seq))
        forget(l); /* bodies have other names now */
    out_bytes(l->out, l->head, l->head_length);
    out_uint(l->out, call->seq);
    if (l->format == CALLS_TEXT)
        text_times(l->out, call);
    else if (l->format == CALLS_CSV)
        csv_call_times(l->out, call);
    const uint64_t body = out_position(l->out);
    if (call->identity > 0)
        marks = print_cached(l, call);
    else
        marks = print_body(l, call);
    if (l->has_note)
        out_text(l->out, l->note);
    if (l->columns) {
        drop_callers(l, start, (size_t)(body - start) + marks.behind);
        fit(l, start, body, marks);
    }
    if (l->format == CALLS_JSON)
        json_times(l->out, call);
    else
        out_char(l->out, '\n');
    l->has_note = false;
}
