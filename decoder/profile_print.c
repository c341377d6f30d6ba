/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints profiles (--stats) as a table, or as JSON; see pilgrim-decode(1). */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "analysis/profile.h"
#include "analysis/selection.h"
#include "analysis/table.h"
#include "site_place.h"

enum { NAME_WIDTH = 32, NAME_WIDTH_MIN = 8, NAME_WIDTH_MAX = 64, BAR_MAX = 40, CELL_MAX = 48 };

static bool is_shown(const struct profile_function *f, const char *function)
{
    return !function || selection_function_fits(function, f->all.class->function->name);
}

/* Returns the part of the run time that the calls of a row took. */
static double share_of(const struct call_profile *p, const struct profile_row *row)
{
    return p->run_ns > 0 ? row->durations.total_ns / p->run_ns : 0;
}

/* ---- text ---- */

static void out_padded(struct output *o, const char *text, size_t width)
{
    size_t length = strlen(text);
    out_char(o, ' ');
    for (; length < width; width--)
        out_char(o, ' ');
    out_text(o, text);
}

static void out_padded_uint(struct output *o, uint64_t v, size_t width)
{
    char text[CELL_MAX];
    snprintf(text, sizeof text, "%llu", (unsigned long long)v);
    out_padded(o, text, width);
}

static void out_padded_duration(struct output *o, double ns, size_t width)
{
    char text[OUT_DURATION_MAX];
    put_duration(text, ns);
    out_padded(o, text, width);
}

static void out_percent(struct output *o, double share, size_t width)
{
    char text[CELL_MAX];
    snprintf(text, sizeof text, share < 0.9995 ? "%.1f%%" : "%.0f%%", 100 * share);
    out_padded(o, share > 0 && share < 0.0005 ? "<0.1%" : text, width);
}

/* The last columns, each only if some row has it. */
static const struct count_column {
    const char *title;
    size_t width;
    size_t in_row, in_profile; /* offsets of the number */
    size_t shown;              /* offset in the profile of what is 0 if the column is left out */
} count_columns[] = {
#define SHOWN(title, width, member, shown)                                                                             \
    {                                                                                                                  \
        title, width, offsetof(struct profile_row, member), offsetof(struct call_profile, member),                     \
            offsetof(struct call_profile, shown)                                                                       \
    }
    SHOWN("failed", 7, failed, failed),
    SHOWN("messages", 9, sent.messages, sent.messages),
    SHOWN("bytes", 11, sent.bytes, sent.messages),
    SHOWN("collective bytes", 16, collective_bytes, collective_bytes),
    SHOWN("RMA bytes", 11, window_bytes, window_bytes),
    SHOWN("I/O bytes", 11, file_bytes, file_bytes),
};

enum { COUNT_COLUMNS = sizeof count_columns / sizeof *count_columns };

static uint64_t number_at(const void *from, size_t offset)
{
    uint64_t number;
    memcpy(&number, (const char *)from + offset, sizeof number);
    return number;
}

/* Prints what calls of a row moved, behind OWED spaces. Nothing stands behind the last number. */
static void out_moved(struct output *o, const struct call_profile *p, const struct profile_row *row, size_t owed)
{
    for (size_t i = 0; i < COUNT_COLUMNS; i++) {
        const struct count_column *c = &count_columns[i];
        const bool none = number_at(row, c->in_row) == 0 && (i != 2 || row->sent.messages == 0);
        if (!number_at(p, c->shown))
            continue;
        if (none) {
            owed += c->width + 1;
            continue;
        }
        for (; owed > 0; owed--)
            out_char(o, ' ');
        out_padded_uint(o, number_at(row, c->in_row), c->width);
    }
}

/* Prints the columns behind the name. */
static void text_columns(struct output *o, const struct call_profile *p, const struct profile_row *row)
{
    const struct pilgrim_statistic *d = &row->durations;
    size_t owed = 0;
    out_padded_uint(o, row->calls, 10);
    if (d->count > 0) {
        out_padded_duration(o, d->total_ns, 7);
        out_padded_duration(o, d->mean_ns, 7);
        out_padded_duration(o, (double)d->max_ns, 7);
        if (d->max_rank == PILGRIM_RANK_UNKNOWN)
            out_padded(o, "-", 6);
        else
            out_padded_uint(o, d->max_rank, 6);
        out_percent(o, share_of(p, row), 6);
    } else if (p->timed) {
        owed = 1 + 7 + 1 + 7 + 1 + 7 + 1 + 6 + 1 + 6;
    }
    out_moved(o, p, row, owed);
    out_char(o, '\n');
}

static const char times_title[] = "   total    mean     max   rank  share";

static void text_header(struct output *o, const struct call_profile *p, size_t width)
{
    for (size_t i = 0; i < width; i++)
        out_char(o, ' ');
    out_padded(o, "calls", 10);
    if (p->timed)
        out_text(o, times_title);
    for (size_t i = 0; i < COUNT_COLUMNS; i++)
        if (number_at(p, count_columns[i].shown))
            out_padded(o, count_columns[i].title, count_columns[i].width);
    out_char(o, '\n');
}

static uint64_t most_of(const struct pilgrim_statistic *s)
{
    uint64_t most = 1;
    for (size_t i = 0; i < PILGRIM_BUCKETS; i++)
        most = s->histogram[i] > most ? s->histogram[i] : most;
    return most;
}

/* Prints a line for each bucket, from the first to the last that is not empty: its lower bound, its count, and a bar.
 */
static void text_histogram(struct output *o, const char *name, const struct pilgrim_statistic *s)
{
    uint64_t most = most_of(s), left = s->count;
    bool begun = false;
    for (unsigned i = 0; i < PILGRIM_BUCKETS && left > 0; i++) {
        uint64_t count = s->histogram[i];
        if (count == 0 && !begun)
            continue;
        out_text(o, "      ");
        out_text(o, begun ? "      " : name);
        out_padded_duration(o, i > 0 ? (double)(UINT64_C(1) << (i - 1)) : 0, 7);
        out_text(o, " ..");
        out_padded_uint(o, count, 10);
        out_text(o, count > 0 ? " " : "");
        for (double bar = 0; bar < (double)BAR_MAX * (double)count / (double)most; bar++)
            out_char(o, '#');
        out_char(o, '\n');
        begun = true;
        left = count < left ? left - count : 0;
    }
}

static void text_histograms(struct output *o, const struct profile_row *row)
{
    text_histogram(o, "took  ", &row->durations);
    text_histogram(o, "before", &row->gaps);
}

/* Returns the source line of a call site, to be freed; NULL: it is not known, or memory is short. */
static char *site_line(const struct pilgrim_class *class, struct source_lines *lines)
{
    const char *line = class->site && lines ? source_lines_find(lines, class->site) : NULL;
    return line ? strdup(line) : NULL;
}

/* Functions with more call sites than this are not searched for two on one line. */
enum { SHARED_SITES_MAX = 1024 };

/* Returns true if the call site K of F is on the same source line as another one of F. */
static bool shares_line(const struct profile_function *f, size_t k, struct source_lines *lines)
{
    bool shares = false;
    char *own = f->site_count > 1 && f->site_count <= SHARED_SITES_MAX ? site_line(f->sites[k].class, lines) : NULL;
    for (size_t i = 0; own && i < f->site_count && !shares; i++) {
        char *other = i == k ? NULL : site_line(f->sites[i].class, lines);
        shares = other && strcmp(own, other) == 0;
        free(other);
    }
    free(own);
    return shares;
}

/* How rows of text are printed. */
struct row_style {
    const struct call_profile *profile;
    bool histograms;
    struct source_lines *lines;
    size_t width; /* of the column of names */
};

/* Prints the name of a row. FUNCTION: the one whose call site it is; NULL: it is that of a function. */
static void text_name(struct output *o, const struct profile_row *row, const struct profile_function *function,
                      struct source_lines *lines)
{
    if (!function) {
        out_name(o, row->class->function->name);
        return;
    }
    out_text(o, "  ");
    text_site(o, row->class, UINT64_MAX, lines);
    if (shares_line(function, (size_t)(row - function->sites), lines)) {
        out_text(o, " (+0x");
        out_hex(o, row->class->site->offset);
        out_char(o, ')');
    }
}

/* Prints a row, HISTOGRAMS: with its own if they are wanted. A name that is too long for its column has a line of its
 * own. */
static void text_row(struct output *o, const struct row_style *style, const struct profile_row *row,
                     const struct profile_function *function, bool histograms)
{
    uint64_t start = out_position(o);
    text_name(o, row, function, style->lines);
    if (out_position(o) - start > style->width) {
        out_char(o, '\n');
        start = out_position(o);
    }
    while (out_position(o) - start < style->width)
        out_char(o, ' ');
    text_columns(o, style->profile, row);
    if (style->histograms && histograms)
        text_histograms(o, row);
}

static void out_count(struct output *o, uint64_t count, const char *one, const char *more)
{
    out_uint(o, count);
    out_text(o, count == 1 ? one : more);
}

void profile_text_summary(struct output *o, const struct call_profile *p)
{
    out_count(o, p->ranks, " rank, ", " ranks, ");
    out_count(o, p->threads, " thread, ", " threads, ");
    out_count(o, p->calls, " call", " calls");
    if (p->sent.messages > 0) {
        out_text(o, ", ");
        out_count(o, p->sent.messages, " message, ", " messages, ");
        out_count(o, p->sent.bytes, " byte", " bytes");
    }
    if (p->failed > 0) {
        out_text(o, ", ");
        out_uint(o, p->failed);
        out_text(o, " failed");
    }
    out_char(o, '\n');
    if (p->timed) {
        out_text(o, p->threads == 1 ? "run time " : "run time of all threads ");
        out_duration(o, p->run_ns);
        out_char(o, ',');
        out_percent(o, p->run_ns > 0 ? p->mpi_ns / p->run_ns : 0, 0);
        out_text(o, " of it in MPI");
        out_text(o, p->estimated ? "; estimated where calls take about as long on all ranks,\n"
                                   "and the longest times (max, rank) are those of all ranks\n"
                                 : "\n");
    }
    out_char(o, '\n');
}

static void out_activity(struct output *o, const char *name)
{
    size_t width = NAME_WIDTH - 2 - strlen(name);
    out_text(o, "  ");
    out_text(o, name);
    for (; width > 0; width--)
        out_char(o, ' ');
}

/* Prints what ranks did with their time; of several ranks the mean, the least and the most, with the ranks that had
 * these. */
static void text_activities(struct output *o, const struct call_profile *p)
{
    bool several = p->profiled_ranks > 1;
    double sum = 0;
    if (p->profiled_ranks == 0)
        return;
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++)
        sum += p->activities[i].total_ns;
    out_text(o, several ? "time of a rank                      share    mean   least   rank    most   rank\n"
                        : "time of the rank                    share   total\n");
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        const struct profile_activity *a = &p->activities[i];
        if (a->most_ns <= 0)
            continue;
        out_activity(o, pilgrim_activity_name(i));
        out_percent(o, sum > 0 ? a->total_ns / sum : 0, 8);
        out_padded_duration(o, a->total_ns / (double)p->profiled_ranks, 7);
        if (several) {
            out_padded_duration(o, a->least_ns, 7);
            if (p->blocks) /* the mean of a block is no rank's */
                out_padded(o, "-", 6);
            else
                out_padded_uint(o, a->least_rank, 6);
            out_padded_duration(o, a->most_ns, 7);
            out_padded_uint(o, a->most_rank, 6);
        }
        out_char(o, '\n');
    }
    out_text(o, p->blocks ? "  (stored for blocks of ranks; --by=rank lists the blocks)\n\n" : "\n");
}

/* Returns the width of the columns behind the name. */
static size_t columns_width(const struct call_profile *p)
{
    size_t width = 1 + 10 + (p->timed ? strlen(times_title) : 0);
    for (size_t i = 0; i < COUNT_COLUMNS; i++)
        width += number_at(p, count_columns[i].shown) ? 1 + count_columns[i].width : 0;
    return width;
}

/* Sets the width of the column of names to that of the longest, within limits: those of lines of COLUMNS, if it is not
 * 0. */
static void find_width(struct row_style *style, const char *function, uint64_t columns)
{
    static struct output nowhere = {.descriptor = -1};
    const struct call_profile *p = style->profile;
    const size_t others = columns_width(p);
    const size_t most = columns == 0 || columns >= NAME_WIDTH_MAX + others ? NAME_WIDTH_MAX
                        : columns >= NAME_WIDTH_MIN + others               ? (size_t)columns - others
                                                                           : NAME_WIDTH_MIN;
    style->width = most < NAME_WIDTH ? most : NAME_WIDTH;
    for (size_t i = 0; i < p->function_count; i++) {
        const struct profile_function *f = &p->functions[i];
        for (size_t k = 0; is_shown(f, function) && k < f->site_count; k++) {
            nowhere.used = 0;
            text_name(&nowhere, &f->sites[k], f, style->lines);
            if (nowhere.used > style->width && nowhere.used <= most)
                style->width = nowhere.used;
        }
    }
}

/* Prints the functions that stand APART, or the others. */
static void text_functions(struct output *o, const struct row_style *style, const char *function, bool apart)
{
    const struct call_profile *p = style->profile;
    bool begun = !apart;
    for (size_t i = 0; i < p->function_count && !o->error; i++) {
        const struct profile_function *f = &p->functions[i];
        if (!is_shown(f, function) || table_stands_apart(f->all.class->function->name) != apart)
            continue;
        if (!begun)
            out_text(o, "apart:\n");
        begun = true;
        text_row(o, style, &f->all, NULL, f->site_count > 1);
        for (size_t k = 0; k < f->site_count; k++)
            text_row(o, style, &f->sites[k], f, true);
    }
}

void profile_text(struct output *o, const struct call_profile *p, bool histograms, const char *function,
                  struct source_lines *lines)
{
    struct row_style style = {.profile = p, .histograms = histograms, .lines = lines};
    find_width(&style, function, o->columns);
    profile_text_summary(o, p);
    text_activities(o, p);
    text_header(o, p, style.width);
    text_functions(o, &style, function, false);
    text_functions(o, &style, function, true);
}

/* ---- JSON ---- */

static void json_uint(struct output *o, const char *name, uint64_t v)
{
    out_text(o, ",\"");
    out_text(o, name);
    out_text(o, "\":");
    out_uint(o, v);
}

/* Prints a time. A file with wrong counts may give a sum that is too large for JSON; it is printed as 2^64 - 1. */
static void json_ns(struct output *o, const char *name, double ns)
{
    json_uint(o, name, ns < 0x1p64 ? (uint64_t)(ns + 0.5) : UINT64_MAX);
}

/* Prints the buckets that are not empty: the lowest ns of each, and its count. */
static void json_histogram(struct output *o, const struct pilgrim_statistic *s)
{
    const char *separator = ",\"histogram\":[[";
    for (unsigned i = 0; i < PILGRIM_BUCKETS; i++) {
        if (s->histogram[i] == 0)
            continue;
        out_text(o, separator);
        out_uint(o, i > 0 ? UINT64_C(1) << (i - 1) : 0);
        out_char(o, ',');
        out_uint(o, s->histogram[i]);
        separator = "],[";
    }
    out_text(o, "]]");
}

static void json_statistic(struct output *o, const char *name, const struct pilgrim_statistic *s, bool histogram)
{
    if (s->count == 0)
        return;
    out_text(o, ",\"");
    out_text(o, name);
    out_text(o, "\":{\"count\":");
    out_uint(o, s->count);
    json_ns(o, "total", s->total_ns);
    json_ns(o, "mean", s->mean_ns);
    if (!s->brief) {
        json_ns(o, "deviation", s->deviation_ns);
        json_uint(o, "min", s->min_ns);
    }
    if (!s->brief && s->min_rank != PILGRIM_RANK_UNKNOWN)
        json_uint(o, "min_rank", s->min_rank);
    json_uint(o, "max", s->max_ns);
    if (s->max_rank != PILGRIM_RANK_UNKNOWN)
        json_uint(o, "max_rank", s->max_rank);
    if (histogram && !s->brief)
        json_histogram(o, s);
    out_char(o, '}');
}

static void json_share(struct output *o, double share)
{
    char text[CELL_MAX];
    snprintf(text, sizeof text, ",\"share\":%.6f", share);
    out_text(o, text);
}

static void json_row(struct output *o, const struct call_profile *p, const struct profile_row *row, bool is_site,
                     bool histograms, struct source_lines *lines)
{
    const char *name = row->class->function->name;
    out_text(o, "{\"func\":");
    out_json_string(o, name, strlen(name));
    if (is_site) {
        out_text(o, ",\"site\":");
        if (row->class->site)
            json_frame(o, row->class->site);
        else
            out_text(o, "null");
        json_place(o, "", row->class->site, lines);
    }
    json_uint(o, "calls", row->calls);
    json_statistic(o, "duration", &row->durations, histograms);
    json_statistic(o, "gap", &row->gaps, histograms);
    if (row->durations.count > 0)
        json_share(o, share_of(p, row));
    json_uint(o, "messages", row->sent.messages);
    json_uint(o, "bytes", row->sent.bytes);
    json_uint(o, "failed", row->failed);
    json_uint(o, "collective_bytes", row->collective_bytes);
    json_uint(o, "rma_bytes", row->window_bytes);
    json_uint(o, "io_bytes", row->file_bytes);
    out_text(o, table_stands_apart(name) ? ",\"apart\":true}\n" : "}\n");
}

/* Prints what ranks did with their time: {"computing":{"total":...},...}. */
static void json_activities(struct output *o, const struct call_profile *p)
{
    const char *separator = ",\"activities\":{\"";
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        const struct profile_activity *a = &p->activities[i];
        out_text(o, separator);
        json_activity(o, i);
        out_text(o, "\":{\"ranks\":");
        out_uint(o, p->profiled_ranks);
        json_ns(o, "total", a->total_ns);
        json_ns(o, "min", a->least_ns);
        json_uint(o, "min_rank", a->least_rank);
        json_ns(o, "max", a->most_ns);
        json_uint(o, "max_rank", a->most_rank);
        out_char(o, '}');
        separator = ",\"";
    }
    out_char(o, '}');
}

void profile_json_summary(struct output *o, const struct call_profile *p)
{
    out_text(o, "{\"ranks\":");
    out_uint(o, p->ranks);
    json_uint(o, "threads", p->threads);
    json_uint(o, "calls", p->calls);
    if (p->timed) {
        json_ns(o, "run", p->run_ns);
        json_ns(o, "mpi", p->mpi_ns);
        out_text(o, p->estimated ? ",\"estimated\":true" : ",\"estimated\":false");
    }
    if (p->profiled_ranks > 0)
        json_activities(o, p);
    json_uint(o, "messages", p->sent.messages);
    json_uint(o, "bytes", p->sent.bytes);
    json_uint(o, "failed", p->failed);
    json_uint(o, "collective_bytes", p->collective_bytes);
    json_uint(o, "rma_bytes", p->window_bytes);
    json_uint(o, "io_bytes", p->file_bytes);
    out_text(o, "}\n");
}

void profile_json(struct output *o, const struct call_profile *p, bool histograms, const char *function,
                  struct source_lines *lines)
{
    profile_json_summary(o, p);
    for (size_t i = 0; i < p->function_count && !o->error; i++) {
        const struct profile_function *f = &p->functions[i];
        if (!is_shown(f, function))
            continue;
        json_row(o, p, &f->all, false, histograms, lines);
        for (size_t k = 0; k < f->site_count; k++)
            json_row(o, p, &f->sites[k], true, histograms, lines);
    }
}
