/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of calls, as comma-separated values: a line for each, in the order of ranks, threads and calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/csv_cells.h"
#include "../../decoder/print.h"
#include "convert.h"

enum { NAMES_MAX = 5 };

/* The parameters that a column is of: the first that the call has. */
static const char *const peers[NAMES_MAX] = {"dest", "target_rank", "source"};
static const char *const tags[NAMES_MAX] = {"tag", "sendtag"};
static const char *const requests[NAMES_MAX] = {"request", "array_of_requests"};
static const char *const counts[NAMES_MAX] = {"count", "sendcount", "origin_count", "incount", "recvcount"};
static const char *const datatypes[NAMES_MAX] = {"datatype", "sendtype", "origin_datatype", NULL, "recvtype"};

/* Values are printed here first. None of them is long: arrays are printed item by item. */
static struct output scratch = {.descriptor = -1};

/* The arguments of a call, as a JSON object. */
struct csv_arguments {
    char *text;
    size_t used, capacity;
};

static const char *value_text(const struct pilgrim_value *v, size_t *length)
{
    scratch.used = 0;
    scratch.error = 0;
    text_value(&scratch, v, false);
    *length = scratch.used;
    return scratch.buffer;
}

static void put_value(struct csv *row, const struct pilgrim_value *v)
{
    const struct pilgrim_value *items = v->type == PILGRIM_ARRAY ? v->items : v;
    const size_t count = v->type == PILGRIM_ARRAY ? v->count : v->type != PILGRIM_NONE;
    if (count == 0)
        csv_empty(row, 1);
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const char *text = value_text(&items[i], &length);
        if (i == 0 && (items->type == PILGRIM_INT || items->type == PILGRIM_RANK)) {
            csv_int(row, items->integer);
        } else if (i == 0) {
            csv_text(row, text, length);
        } else {
            out_char(row->out, ' ');
            out_bytes(row->out, text, length); /* a name or number, which needs no quotes */
        }
    }
}

/* Returns the index of the parameter in NAMES that the call has first, NAMES_MAX if it has none, and its value: what
 * the call got; what it gave if it got nothing. */
static size_t find(const struct pilgrim_call *call, const char *const names[NAMES_MAX],
                   const struct pilgrim_value **value)
{
    static const struct pilgrim_value none = {.type = PILGRIM_NONE};
    for (size_t i = 0; i < NAMES_MAX; i++) {
        *value = names[i] ? pilgrim_call_in(call, names[i]) : &none;
        if (names[i] && (*value)->type == PILGRIM_NONE)
            *value = pilgrim_call_out(call, names[i]);
        if ((*value)->type != PILGRIM_NONE)
            return i;
    }
    *value = &none;
    return NAMES_MAX;
}

static void put_first(struct csv *row, const struct pilgrim_call *call, const char *const names[NAMES_MAX])
{
    const struct pilgrim_value *value;
    (void)find(call, names, &value);
    put_value(row, value);
}

/* A count, and the datatype that it counts. */
static void put_count(struct csv *row, const struct pilgrim_call *call)
{
    const struct pilgrim_value *count;
    const size_t i = find(call, counts, &count);
    put_value(row, count);
    if (i == NAMES_MAX)
        put_first(row, call, datatypes);
    else
        put_value(row, pilgrim_call_in(call, datatypes[i] ? datatypes[i] : "datatype"));
}

/* ---- arguments ---- */

static bool append(struct csv_arguments *a, const char *text, size_t length)
{
    if (a->capacity - a->used < length) {
        const size_t capacity = 2 * (a->used + length) + 256;
        char *grown = realloc(a->text, capacity);
        if (!grown)
            return false;
        a->text = grown;
        a->capacity = capacity;
    }
    memcpy(a->text + a->used, text, length);
    a->used += length;
    return true;
}

/* Appends a text, which has no control characters, as JSON. */
static bool append_string(struct csv_arguments *a, const char *text)
{
    bool good = append(a, "\"", 1);
    for (; *text && good; text++)
        good = (*text != '"' && *text != '\\') || append(a, "\\", 1) ? append(a, text, 1) : false;
    return good && append(a, "\"", 1);
}

static bool append_name(struct csv_arguments *a, const char *name)
{
    return append(a, a->used ? "," : "{", 1) && append_string(a, name) && append(a, ":", 1);
}

static bool tell_number(void *context, const char *name, int64_t value)
{
    char text[32];
    const int length = snprintf(text, sizeof text, "%lld", (long long)value);
    return append_name(context, name) && append(context, text, (size_t)length);
}

static bool tell_text(void *context, const char *name, const char *value)
{
    return append_name(context, name) && append_string(context, value);
}

static bool put_arguments(struct convert *c, struct csv *row, const struct convert_call *call)
{
    struct csv_arguments *a = c->state;
    const struct convert_teller tell = {.number = tell_number, .text = tell_text, .context = a};
    a->used = 0;
    if (!convert_tell(c, call, &tell) || !append(a, "}", 1))
        return false;
    csv_text(row, a->text, a->used);
    return true;
}

/* ---- the format ---- */

static bool csv_begin(struct convert *c)
{
    out_text(c->out, "rank,thread,seq,func,start,end,site,comm,peer,tag,count,datatype,bytes,request,ret");
    out_text(c->out, c->arguments ? ",arguments\n" : "\n");
    c->state = calloc(1, sizeof(struct csv_arguments));
    return c->state != NULL;
}

static bool csv_thread(struct convert *c, uint32_t rank, uint32_t thread)
{
    (void)c, (void)rank, (void)thread;
    return true;
}

static bool csv_call(struct convert *c, const struct convert_call *call)
{
    const struct pilgrim_call *made = call->call;
    struct csv row = {.out = c->out};
    csv_uint(&row, made->rank);
    csv_uint(&row, made->thread);
    csv_uint(&row, made->seq);
    csv_name(&row, made->function->name);
    if (made->timed) {
        csv_uint(&row, made->start_ns);
        csv_uint(&row, made->end_ns);
    } else {
        csv_empty(&row, 2);
    }
    csv_name(&row, made->class_->site ? call->place->text : NULL);
    put_value(&row, pilgrim_call_in(made, "comm"));
    put_first(&row, made, peers);
    put_first(&row, made, tags);
    put_count(&row, made);
    if (call->volume.known)
        csv_uint(&row, call->volume.sent + call->volume.received);
    else
        csv_empty(&row, 1);
    put_first(&row, made, requests);
    put_value(&row, &made->ret);
    if (c->arguments && !put_arguments(c, &row, call))
        return false;
    csv_end(&row);
    return true;
}

static bool csv_finish(struct convert *c)
{
    struct csv_arguments *a = c->state;
    if (a)
        free(a->text);
    free(a);
    c->state = NULL;
    return true;
}

static const struct convert_parts parts;

const struct convert_format convert_csv = {.name = "csv",
                                           .suffix = ".csv",
                                           .begin = csv_begin,
                                           .thread = csv_thread,
                                           .call = csv_call,
                                           .end = csv_finish,
                                           .parts = &parts,
                                           .what = CONVERT_CALLS,
                                           .untimed = true};
