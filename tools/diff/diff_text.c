/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what differs for people: on one screen, the most important first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff_report.h"

enum { ROWS_SHOWN = 6, LOOPS_SHOWN = 4, VALUES_SHOWN = 12, RANGES_SHOWN = 6 };

static void text_ranks(struct output *o, const struct rank_ranges *r, uint32_t thread)
{
    if (thread > 0) {
        out_text(o, "thread ");
        out_uint(o, thread);
        out_text(o, " of ");
    }
    out_text(o, r->ranks == 1 ? "rank " : "ranks ");
    for (size_t i = 0; i < r->count; i++) {
        if (i == RANGES_SHOWN && r->count > RANGES_SHOWN + 1) {
            out_text(o, ", ... (");
            out_uint(o, r->ranks);
            out_text(o, " ranks)");
            return;
        }
        out_text(o, i ? ", " : "");
        out_uint(o, r->items[i].first);
        if (r->items[i].last != r->items[i].first) {
            out_char(o, '-');
            out_uint(o, r->items[i].last);
        }
    }
}

static void text_call(struct output *o, const struct diff_report *r, uint32_t kind, unsigned side)
{
    const struct call_kind *k = call_kinds_at(r->comparison->kinds, kind);
    if (!k) {
        out_text(o, "no call any more");
        return;
    }
    out_name(o, k->function);
    out_text(o, k->failed_poll ? " that finds nothing at " : " at ");
    out_name(o, kind_site(r, kind, side));
    const char *caller = k->caller[k->site[side] ? side : !side];
    if (caller && *caller && strncmp(kind_site(r, kind, side), caller, strlen(caller)) != 0) {
        out_text(o, " in ");
        out_name(o, caller);
    }
    const char *via = kind_via(r, kind, side);
    if (via) {
        out_text(o, " < ");
        out_name(o, via);
    }
}

/* Prints the loops around a call: ", in iteration 12 of the loop at cg.c:133". */
static void text_loops(struct output *o, const struct diff_report *r, const struct diff_where *where)
{
    struct loop_around loops[LOOPS_AROUND_MAX];
    unsigned side, count = loops_of_where(r, where, loops, &side);
    for (unsigned i = count; i-- > 0;) {
        bool again = i + 1 < count && loops[i].kind == loops[i + 1].kind; /* loops that begin with the same call */
        out_text(o, i + 1 == count ? ", iteration " : ", in iteration ");
        out_uint(o, loops[i].iteration);
        out_text(o, again ? " of the one around it" : " of the loop at ");
        if (!again)
            out_name(o, kind_site(r, loops[i].kind, side));
    }
    if (count > 0 && side == 1 && where->call[0] != NO_CALL)
        out_text(o, " in B");
}

/* Ends a part of which COUNT rows are and SHOWN were printed. */
static void text_more(struct output *o, size_t count, size_t shown, const char *what)
{
    if (count <= shown)
        return;
    out_text(o, "  ... ");
    out_uint(o, count - shown);
    out_text(o, what);
    out_text(o, " (--all)\n");
}

/* ---- structure ---- */

static void text_trips(struct output *o, const struct diff_loop *t, bool in_all)
{
    if (t->entered == 0 || in_all) {
        out_uint(o, t->total);
        return;
    }
    out_uint(o, t->min);
    if (t->max == t->min)
        return;
    out_text(o, "..");
    out_uint(o, t->max);
    out_text(o, " (mean ");
    out_decimal(o, (double)t->total / (double)t->entered);
    out_char(o, ')');
}

static void text_loop_changes(struct output *o, const struct diff_report *r, const struct first_row *row)
{
    struct loop_change *changes;
    size_t count = loop_changes(r, row, &changes);
    for (size_t k = 0; k < count && (k < LOOPS_SHOWN || r->options->all); k++) {
        const struct diff_loop *trips = changes[k].trips;
        const struct diff_loop *named = trips[0].entered ? &trips[0] : &trips[1];
        bool in_all = trips[0].entered != trips[1].entered;
        out_text(o, "      loop at ");
        out_name(o, kind_site(r, named->kind, trips[0].entered == 0));
        out_text(o, ": ");
        text_trips(o, &trips[0], in_all);
        out_text(o, " -> ");
        text_trips(o, &trips[1], in_all);
        out_text(o, in_all ? " iterations in all\n" : " iterations\n");
    }
    free(changes);
}

static void text_first(struct output *o, const struct diff_report *r, const struct first_row *row)
{
    out_text(o, "  ");
    text_ranks(o, &row->ranks, row->where.thread);
    if (row->kinds[0] == NO_KIND && row->kinds[1] == NO_KIND) {
        out_text(o, row->calls[0] ? ": only in A, " : ": only in B, ");
        out_uint(o, row->calls[0] + row->calls[1]);
        out_text(o, " calls\n");
        return;
    }
    out_text(o, ": the first call that differs is #");
    unsigned known = row->where.call[0] == NO_CALL;
    out_uint(o, row->where.call[known]);
    if (!known && row->where.call[1] != NO_CALL && row->where.call[0] != row->where.call[1]) {
        out_text(o, " (#");
        out_uint(o, row->where.call[1]);
        out_text(o, " of B)");
    }
    text_loops(o, r, &row->where);
    for (unsigned side = 0; side < 2; side++) {
        out_text(o, side ? "\n      B: " : "\n      A: ");
        text_call(o, r, row->kinds[side], side);
    }
    out_char(o, '\n');
    if (row->calls[0] != row->calls[1]) {
        out_text(o, "      ");
        out_uint(o, row->calls[0]);
        out_text(o, " -> ");
        out_uint(o, row->calls[1]);
        out_text(o, " calls each");
        if (row->alike_again != NO_CALL) {
            out_text(o, row->alike_again ? "; alike again in the last " : "; not alike any more");
            if (row->alike_again)
                out_uint(o, row->alike_again);
        }
        out_char(o, '\n');
    }
    text_loop_changes(o, r, row);
}

static void text_structure(struct output *o, const struct diff_report *r)
{
    const struct differences *d = r->found;
    size_t shown = r->options->all || d->first_count < ROWS_SHOWN ? d->first_count : ROWS_SHOWN;
    if (d->first_count + d->count_count == 0)
        return;
    out_text(o, "\nSTRUCTURE\n");
    for (size_t i = 0; i < shown; i++)
        text_first(o, r, &d->firsts[i]);
    text_more(o, d->first_count, shown, " more groups of ranks");
    shown = r->options->all || d->count_count < ROWS_SHOWN ? d->count_count : ROWS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        const struct count_row *row = &d->counts[i];
        out_text(o, "  ");
        text_call(o, r, row->kind, 0);
        out_text(o, ": ");
        out_uint(o, row->calls[0]);
        out_text(o, " -> ");
        out_uint(o, row->calls[1]);
        out_text(o, " calls on ");
        text_ranks(o, &row->ranks, row->thread);
        out_char(o, '\n');
    }
    text_more(o, d->count_count, shown, " more call sites with more or fewer calls");
}

/* ---- values ---- */

static void text_value_row(struct output *o, const struct diff_report *r, const struct value_row *row)
{
    const struct interned_texts *texts = &r->found->texts;
    out_text(o, "  ");
    out_name(o, interned_text_at(texts, row->parameter));
    if (row->text[0] == UINT32_MAX) {
        out_text(o, " differs in many ways");
    } else {
        out_char(o, ' ');
        out_text(o, interned_text_at(texts, row->text[0]));
        out_text(o, " -> ");
        out_text(o, interned_text_at(texts, row->text[1]));
    }
    out_text(o, " on ");
    text_ranks(o, &row->ranks, row->where.thread);
    out_text(o, ": ");
    text_call(o, r, row->kind, 0);
    out_text(o, "\n      ");
    out_uint(o, row->calls);
    out_text(o, row->calls == 1 ? " call, #" : " calls, first #");
    out_uint(o, row->where.call[0]);
    text_loops(o, r, &row->where);
    out_char(o, '\n');
}

/* True if a row tells what a person looks for first; names of buffers and objects follow from other differences. */
static bool is_plain(const struct diff_report *r, const struct value_row *row)
{
    static const char *const names[] = {
        "heap:", "stack:", "static:", "device:", "request:", "comm:", "datatype:", "win:", "["};
    const char *text = row->text[0] == UINT32_MAX ? "" : interned_text_at(&r->found->texts, row->text[0]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(text, names[i], strlen(names[i])))
            return false;
    return true;
}

static void text_values(struct output *o, const struct diff_report *r)
{
    const struct differences *d = r->found;
    size_t shown = 0;
    if (d->value_count == 0)
        return;
    out_text(o, "\nVALUES\n");
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < d->value_count; i++) {
            if (is_plain(r, &d->values[i]) != (pass == 0) || (shown >= VALUES_SHOWN && !r->options->all))
                continue;
            text_value_row(o, r, &d->values[i]);
            shown++;
        }
    text_more(o, d->value_count, shown, " more values that differ");
}

/* ---- times ---- */

static void text_times(struct output *o, const struct diff_report *r)
{
    if (!r->times || r->times->count == 0)
        return;
    out_text(o, "\nTIMES\n");
    size_t shown = r->options->all || r->times->count < ROWS_SHOWN ? r->times->count : ROWS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        const struct site_time *t = &r->times->rows[i];
        char change[64];
        snprintf(change, sizeof change, "%+.1f %% (+-%.1f)", 100 * t->change, 100 * t->error);
        out_text(o, "  ");
        out_text(o, change);
        out_text(o, "  ");
        out_duration(o, t->ns[0]);
        out_text(o, " -> ");
        out_duration(o, t->ns[1]);
        out_text(o, t->of_medians ? " (median)" : "");
        out_text(o, t->is_gap ? " before " : " each: ");
        text_call(o, r, t->kind, 0);
        out_text(o, ", ");
        out_uint(o, t->calls[0]);
        out_text(o, " calls, in all ");
        out_text(o, t->total_ns[1] >= t->total_ns[0] ? "+" : "-");
        out_duration(o, t->total_ns[1] >= t->total_ns[0] ? t->total_ns[1] - t->total_ns[0]
                                                         : t->total_ns[0] - t->total_ns[1]);
        out_char(o, '\n');
    }
    text_more(o, r->times->count, shown, " more call sites with other times");
}

void diff_print_text(struct output *o, const struct diff_report *r)
{
    if (r->note) {
        out_text(o, r->note);
        out_char(o, '\n');
    }
    if (r->equal) {
        out_text(o, "equal: ");
        out_uint(o, r->calls[0]);
        out_text(o, " calls of ");
        out_uint(o, r->ranks[0]);
        out_text(o, r->ranks[0] == 1 ? " rank\n" : " ranks\n");
        return;
    }
    for (int side = 0; side < 2; side++) {
        out_text(o, side ? "B: " : "A: ");
        out_name(o, r->options->paths[side]);
        if (r->options->two_iterations) {
            out_text(o, ", iteration ");
            out_uint(o, r->options->iterations[side]);
            out_text(o, " of loop ");
            out_uint(o, r->options->loop);
        }
        out_text(o, ", ");
        out_uint(o, r->calls[side]);
        out_text(o, " calls of ");
        out_uint(o, r->ranks[side]);
        out_text(o, r->ranks[side] == 1 ? " rank\n" : " ranks\n");
    }
    text_structure(o, r);
    text_values(o, r);
    text_times(o, r);
}
