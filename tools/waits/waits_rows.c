/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of pilgrim-waits, in JSON and CSV; see waits_report.h. */
#include <stdio.h>
#include <string.h>

#include "../../decoder/csv_cells.h"
#include "waits_report.h"

/* ---- JSON and CSV: a line for each pattern, site and rank ---- */

static void json_text(struct output *o, const char *key, const char *text)
{
    out_text(o, key);
    out_json_string(o, text, strlen(text));
}

static void json_number(struct output *o, const char *key, uint64_t number)
{
    out_text(o, key);
    out_uint(o, number);
}

static void json_row(const struct report *r, const struct wait_row *row)
{
    struct output *o = r->o;
    json_text(o, "{\"pattern\":", wait_pattern_name(row->pattern));
    json_text(o, ",\"func\":", report_function(r, row->site));
    json_site_place(r, "", row->site);
    json_number(o, ",\"rank\":", row->rank);
    json_number(o, ",\"count\":", row->sum.count);
    json_number(o, ",\"total_ns\":", row->sum.total_ns);
    json_number(o, ",\"max_ns\":", row->sum.max_ns);
    json_number(o, ",\"error_ns\":", row->sum.error_ns);
    json_number(o, ",\"not_resolved\":", row->sum.unresolved);
    if (row->pattern == WAIT_LATE_SENDER) {
        json_number(o, ",\"wrong_order\":", row->sum.put_off_count);
        json_number(o, ",\"wrong_order_ns\":", row->sum.put_off_ns);
    }
    out_text(o, "}\n");
}

static void json_cause(const struct report *r, const struct wait_cause *cause)
{
    struct output *o = r->o;
    json_text(o, "{\"caused\":", wait_pattern_name(cause->pattern));
    json_text(o, ",\"func\":", report_function(r, cause->site));
    json_site_place(r, "", cause->site);
    json_number(o, ",\"by_rank\":", cause->rank);
    json_text(o, ",\"by_func\":", report_function(r, cause->cause_site));
    json_site_place(r, "by_", cause->cause_site);
    json_number(o, ",\"total_ns\":", cause->total_ns);
    out_text(o, "}\n");
}

/* Writes who did what: {"by_rank":0,"by_thread":0,"doing":"computing before","by_func":...}, without the braces. */
static void json_doing(const struct report *r, uint32_t thread, uint32_t class)
{
    const struct cause_thread *t = report_thread(r, thread);
    if (!t) {
        out_text(r->o, ",\"by_rank\":null,\"by_thread\":null,\"doing\":null,\"by_func\":null,\"by_site\":null");
        return;
    }
    json_number(r->o, ",\"by_rank\":", t->rank);
    json_number(r->o, ",\"by_thread\":", t->thread);
    json_text(r->o, ",\"doing\":", class % 2 ? "in" : "computing before");
    json_text(r->o, ",\"by_func\":", report_function(r, class / 2));
    json_site_place(r, "by_", class / 2);
}

bool report_wait(void *context, const struct cause_event *event)
{
    const struct report *r = context;
    const struct cause_thread *t = report_thread(r, event->thread), *late = report_thread(r, event->late->thread);
    json_text(r->o, "{\"wait\":", wait_pattern_name(event->kind));
    json_number(r->o, ",\"rank\":", t->rank);
    json_number(r->o, ",\"thread\":", t->thread);
    json_number(r->o, ",\"start\":", event->enter_ns);
    json_number(r->o, ",\"ns\":", event->wait_ns);
    json_number(r->o, ",\"error_ns\":", event->error_ns);
    json_number(r->o, ",\"for_rank\":", late->rank);
    json_number(r->o, ",\"for_thread\":", late->thread);
    json_number(r->o, ",\"for_start\":", event->late->enter_ns);
    out_text(r->o, "}\n");
    return true;
}

static void json_root(const struct report *r, const struct wait_root *root)
{
    json_text(r->o, "{\"due\":", wait_pattern_name(root->pattern));
    json_text(r->o, ",\"func\":", report_function(r, root->site));
    json_site_place(r, "", root->site);
    json_doing(r, root->thread, root->class);
    json_number(r->o, ",\"direct_ns\":", (uint64_t)(root->direct_ns + 0.5));
    json_number(r->o, ",\"indirect_ns\":", (uint64_t)(root->indirect_ns + 0.5));
    json_number(r->o, ",\"error_ns\":", (uint64_t)(root->error_ns + 0.5));
    out_text(r->o, "}\n");
}

static void json_delay(const struct report *r, const struct delay_cost *delay)
{
    json_number(r->o, "{\"delay_ns\":", (uint64_t)(delay->direct_ns + delay->indirect_ns + 0.5));
    json_doing(r, delay->thread, delay->class);
    json_number(r->o, ",\"direct_ns\":", (uint64_t)(delay->direct_ns + 0.5));
    json_number(r->o, ",\"indirect_ns\":", (uint64_t)(delay->indirect_ns + 0.5));
    json_number(r->o, ",\"error_ns\":", (uint64_t)(delay->error_ns + 0.5));
    out_text(r->o, "}\n");
}

void json_path(const struct report *r, const struct path_share *share)
{
    json_number(r->o, "{\"path_ns\":", share->ns);
    json_doing(r, share->thread, share->class);
    json_number(r->o, ",\"thread_ns\":", share->thread_ns);
    json_number(r->o, ",\"imbalance_ns\":", (uint64_t)(share->imbalance_ns + 0.5));
    for (size_t i = 0; r->path_only && i < share->part_count; i++) {
        const struct cause_thread *t = report_thread(r, share->parts[i].thread);
        json_number(r->o, i ? ",{\"rank\":" : ",\"parts\":[{\"rank\":", t ? t->rank : 0);
        json_number(r->o, ",\"thread\":", t ? t->thread : 0);
        json_number(r->o, ",\"ns\":", share->parts[i].ns);
        out_text(r->o, i + 1 < share->part_count ? "}" : "}]");
    }
    out_text(r->o, "}\n");
}

static void json_call(const struct report *r, const struct finding_call *call)
{
    char type[WHERE_MAX];
    json_text(r->o, "{\"func\":", report_function(r, call->site));
    json_site_place(r, "", call->site);
    json_number(r->o, ",\"rank\":", call->rank);
    json_number(r->o, ",\"thread\":", call->thread);
    json_number(r->o, ",\"seq\":", call->seq);
    if (call->bytes != UINT64_MAX)
        json_number(r->o, ",\"bytes\":", call->bytes);
    if (call->type) {
        snprintf(type, sizeof type, "MPI_%s", call->type);
        json_text(r->o, ",\"datatype\":", type);
    }
    if (call->error)
        json_text(r->o, ",\"error\":", call->error);
    out_char(r->o, '}');
}

static void json_finding(const struct report *r, const struct mistake *finding)
{
    json_text(r->o, "{\"finding\":", finding_name(finding->kind));
    json_number(r->o, ",\"count\":", finding->count);
    out_text(r->o, ",\"call\":");
    json_call(r, &finding->first);
    if (finding->both) {
        out_text(r->o, ",\"other\":");
        json_call(r, &finding->second);
    }
    out_text(r->o, "}\n");
}

void json_findings(const struct report *r)
{
    for (size_t i = 0; i < r->w->findings.count; i++)
        json_finding(r, &r->w->findings.all[i]);
}

static void json_real(struct output *o, const char *key, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.6f", number);
    out_text(o, key);
    out_text(o, text);
}

static void json_efficiency(const struct report *r)
{
    const struct efficiency *e = &r->efficiency;
    json_real(r->o, ",\"useful\":", e->useful);
    json_real(r->o, ",\"useful_error\":", e->useful_error);
    json_real(r->o, ",\"waiting\":", e->waiting);
    json_real(r->o, ",\"waiting_error\":", e->waiting_error);
    json_real(r->o, ",\"mpi\":", e->in_mpi);
    json_real(r->o, ",\"parallel_efficiency\":", e->parallel);
    json_real(r->o, ",\"load_balance\":", e->load_balance);
    json_real(r->o, ",\"communication_efficiency\":", e->communication);
    json_real(r->o, ",\"serialization\":", e->serialization);
    json_real(r->o, ",\"transfer\":", e->transfer);
    json_real(r->o, ",\"efficiency_error\":", e->error);
    json_number(r->o, ",\"critical_path_ns\":", r->path_ns);
}

void json_summary(const struct report *r)
{
    const struct match_totals *t = &r->w->totals;
    json_number(r->o, "{\"run_ns\":", (uint64_t)r->efficiency.run_ns);
    json_number(r->o, ",\"messages\":", t->messages);
    json_number(r->o, ",\"collectives\":", t->collectives);
    json_number(r->o, ",\"collectives_incomplete\":", t->collectives_missing);
    json_number(r->o, ",\"collectives_that_differ\":", t->collectives_differ);
    json_number(r->o, ",\"waits\":", r->w->all.count);
    json_number(r->o, ",\"waits_ns\":", r->w->all.total_ns);
    json_number(r->o, ",\"backward\":", r->w->backward);
    json_number(r->o, ",\"backward_max_ns\":", r->w->backward_max_ns);
    json_efficiency(r);
    out_text(r->o, "}\n");
}

static void csv_row(const struct report *r, const struct wait_row *row)
{
    const uint64_t numbers[] = {row->rank,         row->sum.count,      row->sum.total_ns,      row->sum.max_ns,
                                row->sum.error_ns, row->sum.unresolved, row->sum.put_off_count, row->sum.put_off_ns};
    struct csv c = {.out = r->o};
    char place[PLACE_MAX];
    report_place(r, row->site, place);
    csv_name(&c, wait_pattern_name(row->pattern));
    csv_name(&c, report_function(r, row->site));
    csv_name(&c, place);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        csv_uint(&c, numbers[i]);
    csv_end(&c);
}

void report_rows(const struct report *r)
{
    if (r->format == REPORT_CSV)
        out_text(r->o,
                 "pattern,function,site,rank,count,total_ns,max_ns,error_ns,not_resolved,wrong_order,wrong_order_ns\n");
    for (size_t i = 0; i < r->w->row_count; i++)
        (r->format == REPORT_JSON ? json_row : csv_row)(r, &r->w->rows[i]);
    if (r->format == REPORT_CSV)
        return;
    for (size_t i = 0; i < r->w->cause_count; i++)
        json_cause(r, &r->w->causes[i]);
    for (size_t i = 0; i < r->w->root_count; i++)
        json_root(r, &r->w->roots[i]);
    for (size_t i = 0; i < r->delay_count; i++)
        json_delay(r, &r->delays[i]);
    for (size_t i = 0; i < r->path_count && !report_chooses(r); i++)
        json_path(r, &r->path[i]);
    if (!report_chooses(r))
        json_findings(r);
    json_summary(r);
}
