/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints calls for people (--format=text), one a line. */
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "base/error_classes.h"

enum { ARRAY_WHOLE = 16, ARRAY_SHOWN = 8 }; /* of a longer array, only so many values */
enum { STATUS_CANCELLED = 3, STATUS_ERROR = 4 };

static void put_value(struct output *o, const struct pilgrim_value *v, const struct text_style *style);

/* Prints an error code as the name of its class; one that has none as it is. */
static void put_code(struct output *o, const struct pilgrim_value *v, const struct text_style *style)
{
    const char *name = v->type == PILGRIM_INT ? error_class_name(style->library, v->integer) : NULL;
    if (name)
        out_text(o, name);
    else
        put_value(o, v, style);
}

static void text_items(struct output *o, const struct pilgrim_value *v, const struct text_style *style)
{
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            out_text(o, ", ");
        put_value(o, &v->items[i], style);
    }
}

static void text_flags(struct output *o, const struct pilgrim_value *v, const struct text_style *style)
{
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            out_char(o, '|');
        put_value(o, &v->items[i], style);
    }
}

static void text_status(struct output *o, const struct pilgrim_value *v, const struct text_style *style)
{
    static const char *const key[] = {"source=", "tag=", "bytes=", "cancelled=", "error="};
    const char *separator = "";
    out_char(o, '{');
    for (size_t i = 0; i < v->count && i <= STATUS_ERROR; i++) {
        if (i == STATUS_CANCELLED &&
            (v->items[i].type == PILGRIM_NONE || (v->items[i].type == PILGRIM_BOOL && !v->items[i].integer)))
            continue; /* `cancelled` is printed only if it is true */
        out_text(o, separator);
        out_text(o, key[i]);
        if (i == STATUS_ERROR)
            put_code(o, &v->items[i], style);
        else
            put_value(o, &v->items[i], style);
        separator = ", ";
    }
    out_char(o, '}');
}

static void text_rank(struct output *o, const struct pilgrim_value *v, const struct text_style *style)
{
    if (!style->symbolic) {
        out_int(o, v->integer);
        return;
    }
    out_text(o, "rank");
    if (v->relative > 0)
        out_char(o, '+');
    if (v->relative != 0)
        out_int(o, v->relative);
}

/* Prints an array that is stored as changes to another one: which one, and the changes. */
static void text_edited(struct output *o, const struct pilgrim_value *v, const struct text_style *style)
{
    if (v->id == 0)
        out_text(o, "in");
    else
        out_named(o, "kept:", v->id - 1);
    for (size_t i = 0; i + 1 < v->count; i += 2) {
        out_text(o, i ? ", [" : " with [");
        out_int(o, v->items[i].integer);
        out_text(o, "]=");
        put_value(o, &v->items[i + 1], style);
    }
}

/* Prints an array; of a long one its indices and its first values: [0:4096, 5, 5, 7, 5, 5, 7, 5, 5, ...] */
static void put_array(struct output *o, const struct pilgrim_value *v, const struct text_style *style)
{
    struct pilgrim_value shown = *v;
    out_char(o, '[');
    if (style->is_short && v->count > ARRAY_WHOLE) {
        out_pair(o, "", 0, ':', (int64_t)v->count);
        out_text(o, ", ");
        shown.count = ARRAY_SHOWN;
    }
    text_items(o, &shown, style);
    out_text(o, shown.count < v->count ? ", ...]" : "]");
}

/* Prints the name that the program gave an object. */
static void put_given_name(struct output *o, const struct pilgrim_value *v, const struct text_style *style)
{
    const char *name = style->names ? style->name_of(style->names, v) : NULL;
    if (name) {
        out_char(o, ' ');
        out_json_string(o, name, strlen(name));
    }
}

static void put_value(struct output *o, const struct pilgrim_value *v, const struct text_style *style)
{
    switch (v->type) {
    case PILGRIM_NONE:
    case PILGRIM_TIME:
        out_char(o, '-');
        break;
    case PILGRIM_NAME:
        out_json_escaped(o, v->text, v->length);
        break;
    case PILGRIM_STRING:
        out_json_string(o, v->text, v->length);
        break;
    case PILGRIM_INT:
        out_int(o, v->integer);
        break;
    case PILGRIM_RANK:
        text_rank(o, v, style);
        break;
    case PILGRIM_BOOL:
        out_text(o, v->integer ? "true" : "false");
        break;
    case PILGRIM_REAL:
        out_shortest(o, v->real);
        break;
    case PILGRIM_OBJECT:
        out_name(o, v->text);
        out_named(o, ":", v->id);
        put_given_name(o, v, style);
        break;
    case PILGRIM_REQUEST:
        out_pair(o, "request:", v->id, '.', v->offset);
        break;
    case PILGRIM_HEAP:
        out_pair(o, "heap:", v->id, '+', v->offset);
        break;
    case PILGRIM_STACK:
        out_named(o, "stack:", v->id);
        break;
    case PILGRIM_STATIC:
        out_pair(o, "static:", v->id, '+', v->offset);
        break;
    case PILGRIM_DEVICE:
        out_pair(o, "device:", v->device, ':', v->id);
        out_named(o, "+", v->offset);
        break;
    case PILGRIM_ARRAY:
        put_array(o, v, style);
        break;
    case PILGRIM_FLAGS:
        text_flags(o, v, style);
        break;
    case PILGRIM_STATUS:
        text_status(o, v, style);
        break;
    case PILGRIM_SYMBOL:
        out_text(o, "fn:");
        out_json_escaped(o, v->text, v->length);
        break;
    case PILGRIM_FUNCTION:
        out_named(o, "fn:", v->id);
        break;
    case PILGRIM_KEPT:
        text_items(o, v, style);
        out_named(o, " kept:", v->id);
        break;
    case PILGRIM_EDITED:
        text_edited(o, v, style);
        break;
    case PILGRIM_COMPLETED:
        out_named(o, "in with [arg:", v->id);
        out_text(o, "]=");
        text_items(o, v, style);
        break;
    case PILGRIM_POSTED:
        out_named(o, "posted[", v->id);
        out_named(o, "]*", v->offset);
        out_text(o, v->ignored ? " ignored" : "");
        break;
    case PILGRIM_BEGUN:
        out_named(o, "request:", v->id);
        out_text(o, " begun");
        break;
    case PILGRIM_LIVE:
        out_named(o, "request:", v->id);
        out_named(o, " live[", v->offset);
        out_char(o, ']');
        break;
    }
}

void text_value(struct output *o, const struct pilgrim_value *v, bool symbolic)
{
    const struct text_style style = {.symbolic = symbolic};
    put_value(o, v, &style);
}

/* Returns the source that matched MPI_ANY_SOURCE, from the call's own status; NULL if there is none. */
static const struct pilgrim_value *matched_source(const struct pilgrim_call *call, size_t parameter)
{
    const struct pilgrim_function *f = call->function;
    const struct pilgrim_value *v = &call->in[parameter];
    if (v->type != PILGRIM_NAME || strcmp(v->text, "MPI_ANY_SOURCE") != 0 ||
        strcmp(f->parameters[parameter].name, "source") != 0)
        return NULL;
    for (size_t i = 0; i < f->parameter_count; i++)
        if (call->out[i].type == PILGRIM_STATUS && call->out[i].count > 0)
            return &call->out[i].items[0];
    return NULL;
}

static void put_arguments(struct output *o, const struct pilgrim_call *call, const struct text_style *style)
{
    const struct pilgrim_function *f = call->function;
    for (size_t i = 0; i < f->parameter_count; i++) {
        if (i)
            out_text(o, ", ");
        out_name(o, f->parameters[i].name);
        out_char(o, '=');
        enum pilgrim_direction direction = f->parameters[i].direction;
        if (direction & PILGRIM_IN)
            put_value(o, &call->in[i], style);
        if (direction == PILGRIM_INOUT)
            out_text(o, " -> ");
        if (direction & PILGRIM_OUT)
            put_value(o, &call->out[i], style);
        const struct pilgrim_value *source = direction == PILGRIM_IN ? matched_source(call, i) : NULL;
        if (source) {
            out_text(o, " -> ");
            put_value(o, source, style);
        }
    }
}

void text_arguments(struct output *o, const struct pilgrim_call *call, bool symbolic)
{
    const struct text_style style = {.symbolic = symbolic};
    put_arguments(o, call, &style);
}

void text_site(struct output *o, const struct pilgrim_class *class, uint64_t frames, struct source_lines *lines)
{
    if (!class->site)
        out_char(o, '?');
    for (const struct pilgrim_frame *f = class->site; f; f = source_lines_caller(lines, f)) {
        const char *line = lines && frames > 0 ? source_lines_find(lines, f) : NULL;
        if (f != class->site)
            out_text(o, " < ");
        if (frames-- == 0) {
            out_text(o, "...");
            return;
        }
        if (line) {
            out_name(o, line);
        } else {
            out_name(o, f->module);
            out_text(o, "+0x");
            out_hex(o, f->offset);
        }
    }
}

/* Prints ns as microseconds with three digits. */
static void text_us(struct output *o, uint64_t ns)
{
    out_uint(o, ns / 1000);
    out_char(o, '.');
    out_char(o, (char)('0' + ns / 100 % 10));
    out_char(o, (char)('0' + ns / 10 % 10));
    out_char(o, (char)('0' + ns % 10));
    out_text(o, "us ");
}

size_t text_head(char head[CALL_HEAD_MAX], uint32_t rank, uint32_t thread)
{
    return (size_t)snprintf(head, CALL_HEAD_MAX, "%u.%u #", rank, thread);
}

void text_times(struct output *o, const struct pilgrim_call *call)
{
    out_char(o, ' ');
    if (call->timed) {
        out_char(o, '+');
        text_us(o, call->start_ns);
        if (call->ret.type != PILGRIM_NONE || strcmp(call->function->name, "MPI_Finalize") != 0)
            text_us(o, call->end_ns - call->start_ns); /* that one is recorded before it runs */
    }
}

/* Prints what the call returned. */
static void put_return(struct output *o, const struct pilgrim_call *call, const struct text_style *style)
{
    const struct pilgrim_value *ret = &call->ret;
    const bool failed = call->function->returns_error_code && ret->type == PILGRIM_INT && ret->integer != 0;
    out_color(o, style->color && failed ? COLOR_BAD : COLOR_NONE);
    if (ret->type == PILGRIM_NONE)
        out_char(o, '?'); /* the call had not returned when the trace was written */
    else if (failed)
        put_code(o, ret, style);
    else if (call->function->returns_error_code && ret->type == PILGRIM_INT)
        out_text(o, "MPI_SUCCESS");
    else
        put_value(o, ret, style);
    out_color_end(o, style->color && failed);
}

struct text_marks text_body(struct output *o, const struct pilgrim_call *call, const struct text_style *style,
                            uint64_t frames, struct source_lines *lines)
{
    const uint64_t start = out_position(o);
    struct text_marks marks;
    out_color(o, style->color ? COLOR_NAME : COLOR_NONE);
    out_name(o, call->function->name);
    out_color_end(o, style->color);
    out_char(o, '(');
    marks.arguments = (size_t)(out_position(o) - start);
    put_arguments(o, call, style);
    marks.behind = (size_t)(out_position(o) - start);
    out_text(o, ") = ");
    put_return(o, call, style);
    out_color(o, style->color ? COLOR_PLACE : COLOR_NONE);
    out_text(o, " at ");
    text_site(o, call->class_, frames, lines);
    out_color_end(o, style->color);
    return marks;
}
