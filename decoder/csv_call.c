/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls as comma-separated values: a line for each, with its arguments as a JSON object in one cell. */
#include <stdio.h>

#include "csv_cells.h"
#include "print.h"
#include "site_place.h"

enum { COLUMNS_BEHIND_RANK = 11 };

void csv_call_head(struct output *o)
{
    out_text(o, "rank,thread,seq,start,end,func,ret,site,function,file,line,args\n");
}

size_t csv_call_begin(char head[CALL_HEAD_MAX], uint32_t rank, uint32_t thread)
{
    return (size_t)snprintf(head, CALL_HEAD_MAX, "%u,%u,", rank, thread);
}

void csv_call_times(struct output *o, const struct pilgrim_call *call)
{
    struct csv c = {.out = o, .begun = true};
    if (!call->timed) {
        csv_empty(&c, 2);
        return;
    }
    csv_uint(&c, call->start_ns);
    csv_uint(&c, call->end_ns);
}

/* Prints a cell of what PRINT prints of the call. */
static void quoted(struct csv *c, const struct pilgrim_call *call,
                   void (*print)(struct output *o, const struct pilgrim_call *call))
{
    static struct output json = {.descriptor = -1};
    csv_empty(c, 1);
    out_char(c->out, '"');
    json.into = c->out;
    print(&json, call);
    out_flush(&json);
    out_char(c->out, '"');
}

void csv_call_body(struct output *o, const struct pilgrim_call *call, struct source_lines *lines)
{
    struct csv c = {.out = o, .begun = true};
    struct site_place place;
    const enum pilgrim_value_type ret = call->ret.type;
    csv_name(&c, call->function->name);
    if (ret == PILGRIM_NONE)
        csv_empty(&c, 1);
    else if (ret == PILGRIM_INT)
        csv_int(&c, call->ret.integer);
    else
        quoted(&c, call, json_call_return);
    csv_frame(&c, call->class_->site);
    find_place(&place, call->class_->site, lines);
    csv_name(&c, place.function);
    csv_name(&c, place.file);
    if (*place.file)
        csv_uint(&c, place.line);
    else
        csv_empty(&c, 1);
    quoted(&c, call, json_call_arguments);
}

void csv_no_call(struct output *o)
{
    struct csv c = {.out = o, .begun = true};
    csv_empty(&c, COLUMNS_BEHIND_RANK);
    csv_end(&c);
}
