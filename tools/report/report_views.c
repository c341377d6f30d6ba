/* SPDX-License-Identifier: BSD-3-Clause */
/* What a page shows; see report.h. Each view is what pilgrim-decode prints of it for other programs, so that both say
 * the same. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../decoder/endings_print.h"
#include "../../decoder/matrix.h"
#include "../../decoder/print.h"
#include "../../decoder/properties.h"
#include "../../decoder/summary.h"
#include "../../decoder/table_print.h"
#include "../waits/waits_report.h"
#include "analysis/profile.h"
#include "analysis/thread_loops.h"
#include "report.h"

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

static enum pilgrim_status print_properties(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    (void)error;
    properties_print(o, r->trace, true);
    return PILGRIM_OK;
}

static enum pilgrim_status print_endings(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    (void)error;
    endings_print(o, r->trace, true);
    return PILGRIM_OK;
}

static enum pilgrim_status print_summary(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct summary summary;
    const enum pilgrim_status status = summary_make(&summary, r->trace, error);
    summary_json(o, &summary, r->path, r->file, r->lines);
    summary_free(&summary);
    return status;
}

static enum pilgrim_status print_loops(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct loops_list *loops = loops_new(r->trace, false);
    const struct loops_options options = {
        .depth = UINT64_MAX, .json = true, .paths = !pilgrim_property(r->trace, "stack")};
    struct pilgrim_error later;
    enum pilgrim_status status = loops ? PILGRIM_OK : no_room(error);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(r->trace) && status == PILGRIM_OK; rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(r->trace, rank) && status == PILGRIM_OK; thread++)
            status = loops_add(loops, rank, thread, error);
    if (loops) {
        const enum pilgrim_status printed =
            loops_print(o, loops, r->lines, &options, status == PILGRIM_OK ? error : &later);
        status = status == PILGRIM_OK ? printed : status;
    }
    loops_free(loops);
    return status;
}

static enum pilgrim_status print_ranks(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    return rank_times_print(o, r->trace, true, every, NULL, error);
}

static enum pilgrim_status print_sites(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct pilgrim_table *table;
    const enum pilgrim_status status = table_make(r->trace, NULL, PILGRIM_KEY_SITE, r->lines, &table, error);
    if (table)
        table_print(o, table, PILGRIM_KEY_SITE, TABLE_JSON, r->lines);
    pilgrim_table_free(table);
    return status;
}

static enum pilgrim_status print_sizes(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct pilgrim_table *table;
    const unsigned keys = PILGRIM_KEY_FUNCTION | PILGRIM_KEY_SIZE;
    const enum pilgrim_status status = table_make(r->trace, NULL, keys, r->lines, &table, error);
    if (table)
        table_print(o, table, keys, TABLE_JSON, r->lines);
    pilgrim_table_free(table);
    return status;
}

static enum pilgrim_status print_matrix(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    const struct matrix_options options = {.format = MATRIX_CSV, .rank = every, .thread = every};
    uint64_t unsized;
    return matrix_print(o, r->trace, &options, &unsized, error);
}

static enum pilgrim_status print_machine(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct pilgrim_system *system;
    enum pilgrim_status status = pilgrim_system_open(r->trace, &system, error);
    if (status != PILGRIM_OK)
        return status == PILGRIM_INVALID ? PILGRIM_OK : status; /* PILGRIM_SYSTEM=off */
    status = machine_print(o, r->trace, system, true) == PILGRIM_OK ? PILGRIM_OK : no_room(error);
    pilgrim_system_close(system);
    return status;
}

static enum pilgrim_status print_waits(const struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct report waits = {.o = o, .format = REPORT_JSON};
    const char *why;
    const enum pilgrim_status status = waits_of_trace(&waits, r->trace, &why, error);
    if (why) {
        out_text(o, "{\"not_known\":");
        out_json_string(o, why, strlen(why));
        out_text(o, "}\n");
    }
    return status;
}

static const struct view {
    const char *name;
    enum pilgrim_status (*print)(const struct html_page *r, struct output *o, struct pilgrim_error *error);
} views[] = {
    {"summary", print_summary}, {"properties", print_properties}, {"endings", print_endings}, {"loops", print_loops},
    {"ranks", print_ranks},     {"sites", print_sites},           {"sizes", print_sizes},     {"matrix", print_matrix},
    {"machine", print_machine}, {"waits", print_waits},
};

/* ---- elements ---- */

/* Copies the text of DESCRIPTOR to OUT. "<" is in JSON within strings only, so it can be written as \u003c; then no
 * text of a trace can end the element. */
static bool copy_escaped(struct output *out, int descriptor)
{
    static char buffer[1 << 16];
    ssize_t length;
    if (lseek(descriptor, 0, SEEK_SET) != 0)
        return false;
    while ((length = read(descriptor, buffer, sizeof buffer)) > 0)
        for (ssize_t i = 0; i < length; i++)
            if (buffer[i] == '<')
                out_text(out, "\\u003c");
            else
                out_char(out, buffer[i]);
    return length == 0;
}

/* Prints one view. errors: those of the view */
static enum pilgrim_status print_element(struct html_page *r, const struct view *view, struct output *o,
                                         struct pilgrim_error *error)
{
    const enum pilgrim_status status = view->print(r, o, error);
    out_flush(o);
    out_text(r->out, "<script type=\"application/json\" id=\"data-");
    out_text(r->out, view->name);
    out_text(r->out, "\">\n");
    bool copied = !o->error;
    if (o->flushed > REPORT_VIEW_MAX) {
        char text[64];
        snprintf(text, sizeof text, "{\"left_out\":%llu}\n", (unsigned long long)o->flushed);
        out_text(r->out, text);
    } else
        copied = copied && copy_escaped(r->out, o->descriptor);
    out_text(r->out, "</script>\n");
    if (copied)
        return status;
    *error = (struct pilgrim_error){.status = PILGRIM_IO};
    snprintf(error->message, sizeof error->message, "no room for a temporary file: %s",
             strerror(o->error ? o->error : errno));
    return PILGRIM_IO;
}

enum pilgrim_status report_views(struct html_page *r, struct pilgrim_error *error)
{
    static struct output view;
    enum pilgrim_status first = PILGRIM_OK;
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
    return first;
}
