/* SPDX-License-Identifier: BSD-3-Clause */
/* What a page shows; see report.h. Each view is what pilgrim-decode prints of it for other programs, so that both say
 * the same. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../decoder/decode_errors.h"
#include "../../decoder/deadlocks_print.h"
#include "../../decoder/endings_print.h"
#include "../../decoder/matrix.h"
#include "../../decoder/print.h"
#include "../../decoder/properties.h"
#include "../../decoder/summary.h"
#include "../../decoder/table_print.h"
#include "../diff/diff_traces.h"
#include "../waits/waits_report.h"
#include "analysis/profile.h"
#include "analysis/thread_loops.h"
#include "report.h"
#include "report_pack.h"

static bool every(const void *context, uint32_t number)
{
    (void)context;
    (void)number;
    return true;
}

static enum pilgrim_status no_room(struct pilgrim_error *error)
{
    *error = (struct pilgrim_error){.status = PILGRIM_NOMEM, .message = "not enough memory"};
    return PILGRIM_NOMEM;
}

/* ---- views ---- */

static enum pilgrim_status print_properties(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    (void)error;
    properties_print(o, r->trace, true);
    return PILGRIM_OK;
}

static enum pilgrim_status print_endings(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    endings_print(o, r->trace, r->lines, true);
    return deadlocks_print(o, r->trace, r->lines, true, error);
}

static enum pilgrim_status print_summary(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct summary summary;
    enum pilgrim_status status = summary_make(&summary, r->trace, error);
    if (status == PILGRIM_OK)
        status = report_system(r, error);
    summary.system = r->system;
    summary_json(o, &summary, r->path, r->file, r->lines);
    summary_free(&summary);
    return status;
}

static enum pilgrim_status print_loops(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct loops_list *loops = loops_list_new(r->trace, false);
    const struct loops_options options = {
        .depth = UINT64_MAX, .json = true, .paths = !pilgrim_property(r->trace, "stack")};
    struct pilgrim_error later;
    enum pilgrim_status status = loops ? PILGRIM_OK : no_room(error);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(r->trace) && status == PILGRIM_OK; rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(r->trace, rank) && status == PILGRIM_OK; thread++)
            status = loops_list_add(loops, rank, thread, error);
    if (loops) {
        const enum pilgrim_status printed =
            loops_print(o, loops, r->lines, &options, status == PILGRIM_OK ? error : &later);
        status = status == PILGRIM_OK ? printed : status;
    }
    loops_list_free(loops);
    return status;
}

static enum pilgrim_status print_sites(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct pilgrim_table *table;
    const enum pilgrim_status status = table_make(r->trace, NULL, PILGRIM_KEY_SITE, r->lines, &table, error);
    if (table)
        table_print(o, table, PILGRIM_KEY_SITE, TABLE_JSON, r->lines);
    pilgrim_table_free(table);
    return status;
}

static enum pilgrim_status print_sizes(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct pilgrim_table *table;
    const unsigned keys = PILGRIM_KEY_FUNCTION | PILGRIM_KEY_SIZE;
    const enum pilgrim_status status = table_make(r->trace, NULL, keys, r->lines, &table, error);
    if (table)
        table_print(o, table, keys, TABLE_JSON, r->lines);
    pilgrim_table_free(table);
    return status;
}

static enum pilgrim_status print_matrix(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    const struct matrix_options options = {.format = MATRIX_CSV,
                                           .rank = every,
                                           .thread = every,
                                           .block = report_block(r->trace),
                                           .sample = REPORT_SENDERS_READ};
    uint64_t unsized;
    return matrix_print(o, r->trace, &options, &unsized, error);
}

enum pilgrim_status report_system(struct html_page *r, struct pilgrim_error *error)
{
    if (r->system)
        return PILGRIM_OK;
    const enum pilgrim_status status = pilgrim_system_open(r->trace, &r->system, error);
    return status == PILGRIM_INVALID ? PILGRIM_OK : status; /* PILGRIM_SYSTEM=off */
}

static enum pilgrim_status print_machine(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    const enum pilgrim_status status = report_system(r, error);
    if (status != PILGRIM_OK || !r->system)
        return status;
    return machine_print(o, r->trace, r->system, true) == PILGRIM_OK ? PILGRIM_OK : no_room(error);
}

static enum pilgrim_status print_waits(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct report waits = {.o = o, .lines = r->lines, .format = REPORT_JSON};
    if (!r->choice.none) {
        waits.see = timeline_take_wait;
        waits.see_context = &r->waits;
    }
    const char *why;
    const enum pilgrim_status status = waits_of_trace(&waits, r->trace, &why, error);
    if (why) {
        out_text(o, "{\"not_known\":");
        out_json_string(o, why, strlen(why));
        out_text(o, "}\n");
    }
    return status;
}

static enum pilgrim_status print_timeline(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    return timeline_print(o, r->trace, &r->choice, &r->waits, r->lines, error);
}

/* ---- another trace ---- */

enum pilgrim_status report_diff(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    const struct diff_options options = {
        .paths = {r->file, r->other}, .modules = r->modules, .json = true, .memory = UINT64_MAX};
    const char *path;
    if (!r->other || diff_traces(&options, o, &path, error) != EXIT_WRONG)
        return PILGRIM_OK;
    if (path)
        complain("%s: %s", path, error->message);
    *error = (struct pilgrim_error){.status = PILGRIM_DAMAGED, .message = "the traces cannot be compared"};
    return PILGRIM_DAMAGED;
}

enum pilgrim_status report_other(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct pilgrim_trace *trace;
    struct summary summary;
    if (!r->other)
        return PILGRIM_OK;
    enum pilgrim_status status = pilgrim_open(r->other, &trace, error);
    if (status != PILGRIM_OK)
        return status;
    status = summary_make(&summary, trace, error);
    summary_json(o, &summary, r->other, r->other, NULL);
    summary_free(&summary);
    pilgrim_close(trace);
    return status;
}

/* ---- elements ---- */

/* In the order of their worth: the first ones have room for certain. */
static const struct view {
    const char *name;
    report_view *print;
} views[] = {
    {"summary", print_summary},     {"properties", print_properties}, {"endings", print_endings},
    {"diff", report_diff},          {"other", report_other},          {"sites", print_sites},
    {"sizes", print_sizes},         {"calls", report_calls},          {"loops", print_loops},
    {"ranks", report_ranks},        {"hosts", report_hosts},          {"machine", print_machine},
    {"waits", print_waits},         {"matrix", print_matrix},         {"rank-sites", report_rank_sites},
    {"phases", report_rank_phases}, {"pairs", report_pairs},          {"timeline", print_timeline},
};

static void print_left_out(struct output *o, uint64_t bytes)
{
    out_text(o, "{\"left_out\":");
    out_uint(o, bytes);
    out_text(o, "}");
}

/* Prints one view. errors: those of the view */
static enum pilgrim_status print_element(struct html_page *r, const struct view *view, struct output *o,
                                         struct pilgrim_error *error)
{
    struct packed packed = {0};
    const bool whole = r->choice.all && view->print == print_timeline;
    const enum pilgrim_status status = view->print(r, o, error);
    out_flush(o);
    int wrong = o->error;
    if (!wrong && (whole || o->flushed <= REPORT_TEXT_MAX))
        wrong = report_pack(o->descriptor, whole ? REPORT_TIMELINE_MAX : r->room, &packed);
    out_text(r->out, "<script type=\"text/plain\" id=\"data-");
    out_text(r->out, view->name);
    out_text(r->out, "\">");
    if (packed.text)
        out_bytes(r->out, packed.text, packed.length);
    else
        print_left_out(r->out, o->flushed);
    out_text(r->out, "</script>\n");
    if (!whole && packed.text)
        r->room -= packed.length;
    free(packed.text);
    if (!wrong)
        return status;
    *error = (struct pilgrim_error){.status = PILGRIM_IO};
    snprintf(error->message, sizeof error->message, "no room for a temporary file: %s", strerror(wrong));
    return PILGRIM_IO;
}

enum pilgrim_status report_views(struct html_page *r, struct pilgrim_error *error)
{
    static struct output view;
    enum pilgrim_status first = PILGRIM_OK;
    r->room = REPORT_VIEWS_MAX;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct pilgrim_error e = {0};
        view = (struct output){.descriptor = memfd_create("pilgrim-report", MFD_CLOEXEC)};
        view.error = view.descriptor < 0 ? errno : 0;
        const enum pilgrim_status status = print_element(r, &views[i], &view, &e);
        if (view.descriptor >= 0)
            close(view.descriptor);
        if (status != PILGRIM_OK && first == PILGRIM_OK) {
            first = status;
            *error = e;
        }
    }
    free(r->waits.all);
    r->waits = (struct timeline_waits){0};
    pilgrim_system_close(r->system);
    r->system = NULL;
    return first;
}
