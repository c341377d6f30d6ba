/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what differs as one JSON object; pilgrim-diff(1) describes it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/site_place.h"
#include "diff_report.h"

static void put_key(struct output *o, const char *separator, const char *name)
{
    out_text(o, separator);
    out_json_string(o, name, strlen(name));
    out_char(o, ':');
}

static void put_text(struct output *o, const char *text)
{
    out_json_string(o, text, strlen(text));
}

/* Prints two numbers as "NAME":[a,b]; NO_CALL is null. */
static void put_pair(struct output *o, const char *separator, const char *name, const uint64_t pair[2])
{
    put_key(o, separator, name);
    for (int side = 0; side < 2; side++) {
        out_char(o, side ? ',' : '[');
        if (pair[side] == NO_CALL)
            out_text(o, "null");
        else
            out_uint(o, pair[side]);
    }
    out_char(o, ']');
}

static void put_ranks(struct output *o, const struct rank_ranges *r, uint32_t thread)
{
    put_key(o, "", "ranks");
    out_char(o, '[');
    for (size_t i = 0; i < r->count; i++) {
        out_text(o, i ? ",[" : "[");
        out_uint(o, r->items[i].first);
        out_char(o, ',');
        out_uint(o, r->items[i].last);
        out_char(o, ']');
    }
    out_text(o, "],\"thread\":");
    out_uint(o, thread);
}

static void put_call(struct output *o, const struct diff_report *r, uint32_t kind, unsigned side)
{
    const struct call_kind *k = call_kinds_at(r->comparison->kinds, kind);
    const char *site = kind_site(r, kind, side);
    struct site_place place = {0};
    if (!k) {
        out_text(o, "null");
        return;
    }
    put_key(o, "{", "function");
    put_text(o, k->function);
    put_key(o, ",", "site");
    put_text(o, site);
    split_place(&place, site);
    json_place_found(o, "", &place);
    put_key(o, ",", "caller");
    if (k->caller[side])
        put_text(o, k->caller[side]);
    else
        out_text(o, "null");
    put_key(o, ",", "via");
    if (kind_via(r, kind, side))
        put_text(o, kind_via(r, kind, side));
    else
        out_text(o, "null");
    put_key(o, ",", "failed_poll");
    out_text(o, k->failed_poll ? "true}" : "false}");
}

static void put_loops(struct output *o, const struct diff_report *r, const struct diff_where *where)
{
    struct loop_around loops[LOOPS_AROUND_MAX];
    unsigned side, count = loops_of_where(r, where, loops, &side);
    put_key(o, ",", "loops");
    out_char(o, '[');
    for (unsigned i = 0; i < count; i++) {
        put_key(o, i ? ",{" : "{", "begins");
        put_call(o, r, loops[i].kind, side);
        out_json_field(o, "iteration", (int64_t)loops[i].iteration);
        out_char(o, '}');
    }
    out_char(o, ']');
}

static void put_trips(struct output *o, const struct diff_loop *t)
{
    if (t->entered == 0) {
        out_text(o, "null");
        return;
    }
    put_key(o, "{", "entered");
    out_uint(o, t->entered);
    out_json_field(o, "iterations", (int64_t)t->total);
    out_json_field(o, "least", (int64_t)t->min);
    out_json_field(o, "most", (int64_t)t->max);
    out_char(o, '}');
}

static void put_firsts(struct output *o, const struct diff_report *r)
{
    put_key(o, ",", "structure");
    out_char(o, '[');
    for (size_t i = 0; i < r->found->first_count; i++) {
        const struct first_row *row = &r->found->firsts[i];
        struct loop_change *changes;
        size_t count = loop_changes(r, row, &changes);
        out_text(o, i ? ",{" : "{");
        put_ranks(o, &row->ranks, row->where.thread);
        put_pair(o, ",", "call", row->where.call);
        put_key(o, ",", "a");
        put_call(o, r, row->kinds[0], 0);
        put_key(o, ",", "b");
        put_call(o, r, row->kinds[1], 1);
        put_pair(o, ",", "calls", row->calls);
        put_key(o, ",", "alike_again");
        if (row->alike_again == NO_CALL)
            out_text(o, "null");
        else
            out_uint(o, row->alike_again);
        put_loops(o, r, &row->where);
        put_key(o, ",", "changed_loops");
        out_char(o, '[');
        for (size_t k = 0; k < count; k++) {
            unsigned side = changes[k].trips[0].entered == 0;
            put_key(o, k ? ",{" : "{", "begins");
            put_call(o, r, changes[k].trips[side].kind, side);
            put_key(o, ",", "a");
            put_trips(o, &changes[k].trips[0]);
            put_key(o, ",", "b");
            put_trips(o, &changes[k].trips[1]);
            out_char(o, '}');
        }
        out_text(o, "]}");
        free(changes);
    }
    out_char(o, ']');
}

static void put_counts(struct output *o, const struct diff_report *r)
{
    put_key(o, ",", "counts");
    out_char(o, '[');
    for (size_t i = 0; i < r->found->count_count; i++) {
        const struct count_row *row = &r->found->counts[i];
        out_text(o, i ? ",{" : "{");
        put_ranks(o, &row->ranks, row->thread);
        put_key(o, ",", "of");
        put_call(o, r, row->kind, 0);
        put_pair(o, ",", "calls", row->calls);
        out_char(o, '}');
    }
    out_char(o, ']');
}

static void put_values(struct output *o, const struct diff_report *r)
{
    const struct interned_texts *texts = &r->found->texts;
    put_key(o, ",", "values");
    out_char(o, '[');
    for (size_t i = 0; i < r->found->value_count; i++) {
        const struct value_row *row = &r->found->values[i];
        out_text(o, i ? ",{" : "{");
        put_ranks(o, &row->ranks, row->where.thread);
        put_key(o, ",", "of");
        put_call(o, r, row->kind, 0);
        put_key(o, ",", "parameter");
        put_text(o, interned_text_at(texts, row->parameter));
        for (int side = 0; side < 2; side++) {
            put_key(o, ",", side ? "b" : "a");
            if (row->text[side] == UINT32_MAX)
                out_text(o, "null");
            else
                put_text(o, interned_text_at(texts, row->text[side]));
        }
        out_json_field(o, "calls", (int64_t)row->calls);
        put_pair(o, ",", "call", row->where.call);
        put_loops(o, r, &row->where);
        out_char(o, '}');
    }
    out_char(o, ']');
}

static void put_times(struct output *o, const struct diff_report *r)
{
    put_key(o, ",", "times");
    if (!r->times) {
        out_text(o, "null");
        return;
    }
    out_char(o, '[');
    for (size_t i = 0; i < r->times->count; i++) {
        const struct site_time *t = &r->times->rows[i];
        put_key(o, i ? ",{" : "{", "of");
        put_call(o, r, t->kind, 0);
        put_key(o, ",", "what");
        put_text(o, t->is_gap ? "before" : "in");
        put_pair(o, ",", "calls", t->calls);
        put_key(o, ",", t->of_medians ? "median_ns" : "mean_ns");
        out_char(o, '[');
        out_real(o, t->ns[0]);
        out_char(o, ',');
        out_real(o, t->ns[1]);
        out_char(o, ']');
        put_key(o, ",", "change");
        out_real(o, t->change);
        put_key(o, ",", "error");
        out_real(o, t->error);
        out_char(o, '}');
    }
    out_char(o, ']');
}

void diff_print_json(struct output *o, const struct diff_report *r)
{
    put_key(o, "{", "equal");
    out_text(o, r->equal ? "true" : "false");
    for (int side = 0; side < 2; side++) {
        put_key(o, ",", side ? "b" : "a");
        put_key(o, "{", "trace");
        put_text(o, r->options->paths[side]);
        out_json_field(o, "ranks", r->ranks[side]);
        out_json_field(o, "calls", (int64_t)r->calls[side]);
        if (r->options->two_iterations) {
            out_json_field(o, "loop", (int64_t)r->options->loop);
            out_json_field(o, "iteration", (int64_t)r->options->iterations[side]);
        }
        out_char(o, '}');
    }
    put_firsts(o, r);
    put_counts(o, r);
    put_values(o, r);
    put_times(o, r);
    out_text(o, "}\n");
}
