/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints calls as JSON (--format=json), one object a line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "site_place.h"

static void json_int(struct output *o, int64_t v)
{
    const int64_t exact = (int64_t)1 << 53; /* a double holds no larger integers exactly */
    bool quoted = v > exact || v < -exact;
    if (quoted)
        out_char(o, '"');
    out_int(o, v);
    if (quoted)
        out_char(o, '"');
}

static void json_value(struct output *o, const struct pilgrim_value *v);

static void json_status(struct output *o, const struct pilgrim_value *v)
{
    static const char *const key[] = {"{\"source\":", ",\"tag\":", ",\"bytes\":", ",\"cancelled\":", ",\"error\":"};
    for (size_t i = 0; i < v->count && i < 5; i++) {
        out_text(o, key[i]);
        json_value(o, &v->items[i]);
    }
    out_text(o, v->ignored ? ",\"ignored\":true}" : ",\"ignored\":false}");
}

static void json_array(struct output *o, const struct pilgrim_value *v)
{
    out_char(o, '[');
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            out_char(o, ',');
        json_value(o, &v->items[i]);
    }
    out_char(o, ']');
}

static void json_flags(struct output *o, const struct pilgrim_value *v)
{
    out_char(o, '"');
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            out_char(o, '|');
        if (v->items[i].type == PILGRIM_NAME)
            out_json_escaped(o, v->items[i].text, strlen(v->items[i].text));
        else
            out_int(o, v->items[i].integer);
    }
    out_char(o, '"');
}

static void json_real(struct output *o, double v)
{
    if (isnan(v))
        out_text(o, "\"nan\"");
    else if (isinf(v))
        out_text(o, v < 0 ? "\"-inf\"" : "\"inf\"");
    else
        out_real(o, v);
}

static void json_value(struct output *o, const struct pilgrim_value *v)
{
    switch (v->type) {
    case PILGRIM_NONE:
        out_text(o, "null");
        break;
    case PILGRIM_NAME:
    case PILGRIM_STRING:
        out_json_string(o, v->text, v->length);
        break;
    case PILGRIM_INT:
    case PILGRIM_RANK:
        json_int(o, v->integer);
        break;
    case PILGRIM_BOOL:
        out_text(o, v->integer ? "true" : "false");
        break;
    case PILGRIM_REAL:
        json_real(o, v->real);
        break;
    case PILGRIM_OBJECT:
        out_char(o, '"');
        out_json_escaped(o, v->text, strlen(v->text));
        out_char(o, ':');
        out_int(o, v->id);
        out_char(o, '"');
        break;
    case PILGRIM_REQUEST:
        out_pair(o, "\"request:", v->id, '.', v->offset);
        out_char(o, '"');
        break;
    case PILGRIM_HEAP:
        out_pair(o, "\"heap:", v->id, '+', v->offset);
        out_char(o, '"');
        break;
    case PILGRIM_STACK:
        out_named(o, "\"stack:", v->id);
        out_char(o, '"');
        break;
    case PILGRIM_STATIC:
        out_pair(o, "\"static:", v->id, '+', v->offset);
        out_char(o, '"');
        break;
    case PILGRIM_DEVICE:
        out_pair(o, "\"device:", v->device, ':', v->id);
        out_named(o, "+", v->offset);
        out_char(o, '"');
        break;
    case PILGRIM_ARRAY:
        json_array(o, v);
        break;
    case PILGRIM_FLAGS:
        json_flags(o, v);
        break;
    case PILGRIM_STATUS:
        json_status(o, v);
        break;
    case PILGRIM_SYMBOL:
        out_text(o, "\"fn:");
        out_json_escaped(o, v->text, v->length);
        out_char(o, '"');
        break;
    case PILGRIM_FUNCTION:
        out_named(o, "\"fn:", v->id);
        out_char(o, '"');
        break;
    case PILGRIM_KEPT: /* only pilgrim_signature gives these; no call of a cursor has them */
    case PILGRIM_EDITED:
    case PILGRIM_COMPLETED:
    case PILGRIM_POSTED:
    case PILGRIM_BEGUN:
    case PILGRIM_LIVE:
    case PILGRIM_TIME:
        out_text(o, "null");
        break;
    }
}

static void json_arguments(struct output *o, const struct pilgrim_call *call)
{
    const struct pilgrim_function *f = call->function;
    for (size_t i = 0; i < f->parameter_count; i++) {
        if (i)
            out_char(o, ',');
        out_json_string(o, f->parameters[i].name, strlen(f->parameters[i].name));
        out_char(o, ':');
        enum pilgrim_direction direction = f->parameters[i].direction;
        if (direction == PILGRIM_INOUT)
            out_text(o, "{\"in\":");
        if (direction & PILGRIM_IN)
            json_value(o, &call->in[i]);
        if (direction == PILGRIM_INOUT)
            out_text(o, ",\"out\":");
        if (direction & PILGRIM_OUT)
            json_value(o, &call->out[i]);
        if (direction == PILGRIM_INOUT)
            out_char(o, '}');
    }
}

void json_frame(struct output *o, const struct pilgrim_frame *frame)
{
    out_char(o, '"');
    out_json_escaped(o, frame->module, strlen(frame->module));
    if (frame->python) {
        out_char(o, ':');
        out_uint(o, frame->offset);
        out_char(o, ':');
        out_json_escaped(o, frame->python, strlen(frame->python));
    } else {
        out_text(o, "+0x");
        out_hex(o, frame->offset);
    }
    out_char(o, '"');
}

static void json_site(struct output *o, const struct pilgrim_frame *site, uint64_t frames,
                      const struct source_lines *lines)
{
    out_text(o, ",\"site\":");
    json_frame(o, site);
    const struct pilgrim_frame *caller = source_lines_caller(lines, site), *f = caller;
    for (uint64_t i = 1; f && i < frames; f = source_lines_caller(lines, f), i++) {
        out_text(o, i == 1 ? ",\"stack\":[" : ",");
        json_frame(o, f);
    }
    if (f != caller)
        out_char(o, ']');
}

/* Prints where FRAME is by debug information: file and line, and the functions that were inlined there, the innermost
 * first. FUNCTION: known already. */
static void json_lines(struct output *o, const struct pilgrim_frame *frame, bool function, struct source_lines *lines)
{
    struct source_function functions[SOURCE_FUNCTIONS_MAX];
    struct site_place place = {0};
    const size_t count = frame->python ? 0 : source_lines_functions(lines, frame, functions);
    if (!count)
        return;
    if (!function)
        snprintf(place.function, sizeof place.function, "%s", functions[count - 1].name);
    split_place(&place, functions[0].place);
    json_place_found(o, "", &place);
    for (size_t i = 0; i + 1 < count; i++) {
        out_text(o, i ? "," : ",\"inlined\":[");
        out_json_string(o, functions[i].name, strlen(functions[i].name));
    }
    out_text(o, count > 1 ? "]" : "");
}

/* Prints the path, if the names of some of its functions are known, or may be found: FRAMES at most. */
static void json_path(struct output *o, const struct pilgrim_frame *site, uint64_t frames, struct source_lines *lines)
{
    struct source_function function;
    const bool asked = source_lines_asked(lines);
    const struct pilgrim_frame *known = site;
    while (known && !asked && !source_lines_symbol(lines, known, &function))
        known = source_lines_caller(lines, known);
    for (const struct pilgrim_frame *f = known ? site : NULL; f && (f == site || frames > 1);
         f = source_lines_caller(lines, f), frames--) {
        out_text(o, f == site ? ",\"path\":[{\"module\":" : ",{\"module\":");
        out_json_string(o, f->module, strlen(f->module));
        out_text(o, f->python ? ",\"line\":" : ",\"offset\":");
        out_uint(o, f->offset);
        const bool named = source_lines_symbol(lines, f, &function);
        if (named) {
            out_text(o, ",\"function\":");
            out_json_string(o, function.name, strlen(function.name));
        }
        if (asked)
            json_lines(o, f, named, lines);
        out_char(o, '}');
    }
    if (known)
        out_char(o, ']');
}

size_t json_head(char head[CALL_HEAD_MAX], uint32_t rank, uint32_t thread)
{
    return (size_t)snprintf(head, CALL_HEAD_MAX, "{\"rank\":%u,\"thread\":%u,\"seq\":", rank, thread);
}

void json_call_arguments(struct output *o, const struct pilgrim_call *call)
{
    out_char(o, '{');
    json_arguments(o, call);
    out_char(o, '}');
}

void json_call_value(struct output *o, const struct pilgrim_value *v)
{
    json_value(o, v);
}

void json_call_return(struct output *o, const struct pilgrim_call *call)
{
    json_value(o, &call->ret);
}

void json_body(struct output *o, const struct pilgrim_call *call, uint64_t frames, struct source_lines *lines)
{
    out_text(o, ",\"func\":");
    out_json_string(o, call->function->name, strlen(call->function->name));
    if (call->class_->fortran)
        out_text(o, ",\"lang\":\"fortran\"");
    out_text(o, ",\"args\":");
    json_call_arguments(o, call);
    out_text(o, ",\"ret\":");
    json_call_return(o, call);
    if (call->class_->site)
        json_site(o, call->class_->site, frames, lines);
    if (lines)
        json_path(o, call->class_->site, frames, lines);
}

void json_times(struct output *o, const struct pilgrim_call *call)
{
    if (call->timed) {
        out_text(o, ",\"start\":");
        out_uint(o, call->start_ns);
        out_text(o, ",\"end\":");
        out_uint(o, call->end_ns);
    }
    out_text(o, "}\n");
}
