/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints calls for people (--format=text), one a line. */
#include <stdio.h>
#include <string.h>

#include "print.h"

static void text_items(struct output *o, const struct pilgrim_value *v, bool symbolic)
{
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            out_text(o, ", ");
        text_value(o, &v->items[i], symbolic);
    }
}

static void text_flags(struct output *o, const struct pilgrim_value *v, bool symbolic)
{
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            out_char(o, '|');
        text_value(o, &v->items[i], symbolic);
    }
}

static void text_status(struct output *o, const struct pilgrim_value *v, bool symbolic)
{
    static const char *const key[] = {"source=", "tag=", "bytes=", "cancelled=", "error="};
    const char *separator = "";
    out_char(o, '{');
    for (size_t i = 0; i < v->count && i < 5; i++) {
        if (i == 3 && (v->items[i].type == PILGRIM_NONE || (v->items[i].type == PILGRIM_BOOL && !v->items[i].integer)))
            continue; /* `cancelled` is printed only if it is true */
        out_text(o, separator);
        out_text(o, key[i]);
        text_value(o, &v->items[i], symbolic);
        separator = ", ";
    }
    out_char(o, '}');
}

static void text_rank(struct output *o, const struct pilgrim_value *v, bool symbolic)
{
    if (!symbolic) {
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
static void text_edited(struct output *o, const struct pilgrim_value *v, bool symbolic)
{
    if (v->id == 0)
        out_text(o, "in");
    else
        out_named(o, "kept:", v->id - 1);
    for (size_t i = 0; i + 1 < v->count; i += 2) {
        out_text(o, i ? ", [" : " with [");
        out_int(o, v->items[i].integer);
        out_text(o, "]=");
        text_value(o, &v->items[i + 1], symbolic);
    }
}

void text_value(struct output *o, const struct pilgrim_value *v, bool symbolic)
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
        text_rank(o, v, symbolic);
        break;
    case PILGRIM_BOOL:
        out_text(o, v->integer ? "true" : "false");
        break;
    case PILGRIM_REAL:
        out_real(o, v->real);
        break;
    case PILGRIM_OBJECT:
        out_name(o, v->text);
        out_named(o, ":", v->id);
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
        out_char(o, '[');
        text_items(o, v, symbolic);
        out_char(o, ']');
        break;
    case PILGRIM_FLAGS:
        text_flags(o, v, symbolic);
        break;
    case PILGRIM_STATUS:
        text_status(o, v, symbolic);
        break;
    case PILGRIM_SYMBOL:
        out_text(o, "fn:");
        out_json_escaped(o, v->text, v->length);
        break;
    case PILGRIM_FUNCTION:
        out_named(o, "fn:", v->id);
        break;
    case PILGRIM_KEPT:
        text_items(o, v, symbolic);
        out_named(o, " kept:", v->id);
        break;
    case PILGRIM_EDITED:
        text_edited(o, v, symbolic);
        break;
    case PILGRIM_COMPLETED:
        out_named(o, "in with [arg:", v->id);
        out_text(o, "]=");
        text_items(o, v, symbolic);
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

void text_arguments(struct output *o, const struct pilgrim_call *call, bool symbolic)
{
    const struct pilgrim_function *f = call->function;
    for (size_t i = 0; i < f->parameter_count; i++) {
        if (i)
            out_text(o, ", ");
        out_name(o, f->parameters[i].name);
        out_char(o, '=');
        enum pilgrim_direction direction = f->parameters[i].direction;
        if (direction & PILGRIM_IN)
            text_value(o, &call->in[i], symbolic);
        if (direction == PILGRIM_INOUT)
            out_text(o, " -> ");
        if (direction & PILGRIM_OUT)
            text_value(o, &call->out[i], symbolic);
        const struct pilgrim_value *source = direction == PILGRIM_IN ? matched_source(call, i) : NULL;
        if (source) {
            out_text(o, " -> ");
            text_value(o, source, symbolic);
        }
    }
}

void text_site(struct output *o, const struct pilgrim_class *class, uint64_t frames, struct source_lines *lines)
{
    if (!class->site)
        out_char(o, '?');
    for (const struct pilgrim_frame *f = class->site; f; f = f->caller) {
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
        text_us(o, call->end_ns - call->start_ns);
    }
}

void text_body(struct output *o, const struct pilgrim_call *call, uint64_t frames, struct source_lines *lines)
{
    out_name(o, call->function->name);
    out_char(o, '(');
    text_arguments(o, call, false);
    out_text(o, ") = ");
    if (call->ret.type == PILGRIM_NONE)
        out_char(o, '?'); /* the call had not returned when the trace was written */
    else if (call->function->returns_error_code && call->ret.type == PILGRIM_INT && call->ret.integer == 0)
        out_text(o, "MPI_SUCCESS");
    else
        text_value(o, &call->ret, false);
    out_text(o, " at ");
    text_site(o, call->class_, frames, lines);
}
