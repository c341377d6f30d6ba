/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the summary of a run, as a page or as an object; see summary.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "endings_print.h"
#include "print.h"
#include "site_place.h"
#include "summary.h"
#include "analysis/call_timing.h"

enum { LABEL = 11, NAMES = 21, LINE = 512, HOSTS_SHOWN = 3, DATE_MAX = 32 };

/* ---- what both print ---- */

static void put_date(char text[DATE_MAX], time_t when, const char *format)
{
    struct tm date;
    if (localtime_r(&when, &date))
        strftime(text, DATE_MAX, format, &date);
}

/* Writes when the run began to TEXT, or nothing if TRACE does not say it. */
static void put_began(char text[DATE_MAX], const struct pilgrim_trace *trace, const char *format)
{
    const char *began = pilgrim_property(trace, "began");
    char *end;
    const long long when = began ? strtoll(began, &end, 10) : 0;
    text[0] = 0;
    if (began && *began && !*end)
        put_date(text, (time_t)when, format);
}

/* Writes when FILE was written to TEXT, or nothing if that is not known. */
static void put_written(char text[DATE_MAX], const char *path, const char *file, const char *format)
{
    struct stat status;
    text[0] = 0;
    if (strcmp(path, "-") != 0 && stat(file, &status) == 0)
        put_date(text, status.st_mtime, format);
}

static double mean_of(const struct summary *s, unsigned activity)
{
    return s->profiled_ranks ? s->activities[activity].total_ns / (double)s->profiled_ranks : 0;
}

/* Returns max / mean - 1. */
static double imbalance(const struct summary *s, unsigned activity)
{
    const double mean = mean_of(s, activity);
    return mean > 0 ? s->activities[activity].most_ns / mean - 1 : 0;
}

static double share(double ns, double of)
{
    return of > 0 ? ns / of : 0;
}

static bool has_sizes(const struct summary *s)
{
    return s->least_bytes <= s->most_bytes;
}

/* Calls FOUND for each argument of the program, but the first, which is its name. */
static void each_argument(const struct summary *s, void (*found)(struct output *, const struct pilgrim_value *),
                          struct output *o)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    struct pilgrim_error error;
    if (pilgrim_cursor_open(s->trace, 0, 0, &cursor, &error) != PILGRIM_OK)
        return;
    if (pilgrim_cursor_next(cursor, &call, &error) == PILGRIM_OK)
        for (size_t i = 0; i < call.function->parameter_count; i++)
            if (strcmp(call.function->parameters[i].name, "argv") == 0 && call.in[i].type == PILGRIM_ARRAY)
                for (size_t k = 1; k < call.in[i].count; k++)
                    if (call.in[i].items[k].type == PILGRIM_STRING)
                        found(o, &call.in[i].items[k]);
    pilgrim_cursor_close(cursor);
}

/* ---- text ---- */

static void out_label(struct output *o, const char *label)
{
    out_text(o, label);
    for (size_t i = strlen(label); i < LABEL; i++)
        out_char(o, ' ');
}

/* Prints FORMAT's text. */
static void out_format(struct output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void out_format(struct output *o, const char *format, ...)
{
    char text[LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out_text(o, text);
}

static void out_bytes_short(struct output *o, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    unsigned unit = 0;
    for (; value >= 1024 && unit < 6; unit++)
        value /= 1024;
    out_format(o, unit && value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void text_argument(struct output *o, const struct pilgrim_value *v)
{
    bool plain = v->length > 0;
    for (size_t i = 0; i < v->length; i++)
        plain = plain && strchr(" '\"\\$&;|<>()*?[]#~`", v->text[i]) == NULL;
    out_char(o, ' ');
    if (plain)
        out_json_escaped(o, v->text, v->length);
    else
        out_json_string(o, v->text, v->length);
}

static void text_hosts(struct output *o, const struct summary *s)
{
    struct pilgrim_system *system;
    struct pilgrim_error error;
    struct pilgrim_host host;
    if (pilgrim_system_open(s->trace, &system, &error) != PILGRIM_OK)
        return;
    const uint32_t hosts = pilgrim_system_hosts(system);
    bool named = pilgrim_system_host(system, 0, &host) == PILGRIM_OK && host.name;
    if (named)
        out_format(o, " on %u host%s", hosts, hosts == 1 ? "" : "s");
    for (uint32_t i = 0; named && i < hosts && i < HOSTS_SHOWN; i++) {
        if (pilgrim_system_host(system, i, &host) != PILGRIM_OK || !host.name)
            continue;
        out_text(o, i ? ", " : " (");
        out_name(o, host.name);
        if (i + 1 == hosts || i + 1 == HOSTS_SHOWN)
            out_text(o, hosts > HOSTS_SHOWN ? ", ...)" : ")");
    }
    pilgrim_system_close(system);
}

static void text_head_lines(struct output *o, const struct summary *s, const char *path, const char *file)
{
    const char *program = pilgrim_property(s->trace, "program"), *library = pilgrim_property(s->trace, "library");
    const char *tracer = pilgrim_property(s->trace, "tracer"), *timing = pilgrim_property(s->trace, "timing");
    char date[DATE_MAX];
    put_began(date, s->trace, "%Y-%m-%d %H:%M");
    const bool began = *date;
    if (!began)
        put_written(date, path, file, "%Y-%m-%d %H:%M");
    out_label(o, "program");
    out_name(o, program ? program : "unknown");
    each_argument(s, text_argument, o);
    out_text(o, "\n");
    out_label(o, "MPI");
    out_name(o, library ? library : "unknown");
    out_text(o, "\n");
    out_label(o, "recorded");
    out_format(o, "%s%sby ", began ? date : "", began ? " " : "");
    out_name(o, tracer ? tracer : "pilgrim");
    out_text(o, ", PILGRIM_TIMING=");
    out_name(o, timing ? timing : "?");
    out_format(o, "%s%s\n", *date && !began ? "; file of " : "", began ? "" : date);
    out_label(o, "ran on");
    out_format(o, "%llu rank%s", (unsigned long long)s->ranks, s->ranks == 1 ? "" : "s");
    text_hosts(o, s);
    out_format(o, ", %llu thread%s with %llu MPI call%s\n", (unsigned long long)s->threads, s->threads == 1 ? "" : "s",
               (unsigned long long)s->calls, s->calls == 1 ? "" : "s");
    out_label(o, "wall time");
    if (s->wall_ns > 0) {
        out_duration(o, s->wall_ns);
        out_text(o,
                 endings_are_partial(s->trace) ? " from MPI_Init to the last call" : " from MPI_Init to MPI_Finalize");
        if (s->init.count > 0 && !s->profiled_ranks) { /* else it has a row of its own */
            out_text(o, ", ");
            out_duration(o, s->init.mean_ns);
            out_text(o, " of it in MPI_Init");
        }
        out_char(o, '\n');
    } else {
        out_text(o, "not known\n");
    }
}

/* Prints the row of MPI_Init, whose times are those of its calls: a process makes one. */
static void text_init(struct output *o, const struct summary *s, bool several)
{
    char mean[OUT_DURATION_MAX], least[OUT_DURATION_MAX] = "", most[OUT_DURATION_MAX], rank[16] = "";
    const struct pilgrim_statistic *init = &s->init;
    put_duration(mean, init->mean_ns);
    put_duration(most, (double)init->max_ns);
    if (!init->brief)
        put_duration(least, (double)init->min_ns);
    if (init->max_rank != PILGRIM_RANK_UNKNOWN)
        snprintf(rank, sizeof rank, "%u", init->max_rank);
    out_format(o, "  %-*s%6.1f%%%9s", NAMES - 2, s->init_name, 100 * share(init->total_ns, s->run_ns), mean);
    if (several)
        out_format(o, "%9s%7s%9s%7s%10.0f%%", least, "", most, rank,
                   init->mean_ns > 0 ? 100 * ((double)init->max_ns / init->mean_ns - 1) : 0);
    out_char(o, '\n');
}

/* Prints the row of the other calls, without MPI_Init. The time of a rank is known to 3 %; where less is left without
 * MPI_Init than that, only that is known. */
static void text_others(struct output *o, const struct summary *s)
{
    const struct profile_activity *a = &s->activities[PILGRIM_OTHER_CALLS];
    const double left_ns = a->total_ns - s->init.total_ns, known_ns = 0.03 * a->total_ns;
    const double shown_ns = left_ns > known_ns ? left_ns : known_ns;
    char mean[OUT_DURATION_MAX + 1] = "<", part[32];
    put_duration(mean + (left_ns <= known_ns), shown_ns / (double)s->profiled_ranks);
    snprintf(part, sizeof part, "%s%.1f%%", left_ns > known_ns ? "" : "<", 100 * share(shown_ns, s->run_ns));
    out_format(o, "  %-*s%7s%9s\n", NAMES - 2, pilgrim_activity_name(PILGRIM_OTHER_CALLS), part, mean);
}

static void text_time(struct output *o, const struct summary *s)
{
    char mean[OUT_DURATION_MAX], least[OUT_DURATION_MAX], most[OUT_DURATION_MAX];
    if (!s->profiled_ranks)
        return;
    const bool several = s->profiled_ranks > 1;
    out_format(o, several ? "\n%-*s%7s%9s%9s%7s%9s%7s%11s\n" : "\n%-*s%7s%9s\n", NAMES, "time of a rank", "share",
               "mean", "least", "rank", "most", "rank", "imbalance");
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        const struct profile_activity *a = &s->activities[i];
        if (a->most_ns <= 0)
            continue;
        if (i == PILGRIM_OTHER_CALLS && s->init.count > 0) {
            text_others(o, s);
            continue;
        }
        put_duration(mean, mean_of(s, i));
        put_duration(least, a->least_ns);
        put_duration(most, a->most_ns);
        out_format(o, "  %-*s%6.1f%%%9s", NAMES - 2, pilgrim_activity_name(i), 100 * share(a->total_ns, s->run_ns),
                   mean);
        if (several)
            out_format(o, "%9s%7u%9s%7u%10.0f%%", least, a->least_rank, most, a->most_rank, 100 * imbalance(s, i));
        out_char(o, '\n');
    }
    if (s->init.count > 0)
        text_init(o, s, several);
}

static void text_sites(struct output *o, const struct summary *s, struct source_lines *lines, unsigned columns)
{
    const size_t width = columns - 36;
    char total[OUT_DURATION_MAX], mean[OUT_DURATION_MAX];
    if (!s->site_count)
        return;
    out_format(o, "\n%-*s%7s%9s%11s%9s\n", (int)width, "most expensive calls, all ranks together", "share", "total",
               "calls", "mean");
    for (size_t i = 0; i < s->site_count; i++) {
        const struct summary_site *site = &s->sites[i];
        const uint64_t start = out_position(o);
        out_text(o, "  ");
        out_name(o, site->class->function->name);
        out_text(o, " at ");
        text_place(o, site->class->site, lines);
        if (out_position(o) - start >= width) { /* a long name has a line of its own */
            out_char(o, '\n');
            out_format(o, "%*s", (int)width, "");
        } else {
            out_format(o, "%*s", (int)(width - (out_position(o) - start)), "");
        }
        put_duration(total, site->ns);
        put_duration(mean, site->ns / (double)site->calls);
        out_format(o, "%6.1f%%%9s%11llu%9s\n", 100 * share(site->ns, s->run_ns), total, (unsigned long long)site->calls,
                   mean);
    }
}

static void text_loop(struct output *o, const struct summary *s, struct source_lines *lines)
{
    const struct summary_loop *l = &s->loop;
    if (!l->item)
        return;
    out_text(o, "\n");
    out_label(o, "main loop");
    loops_counts(o, &l->item->counts);
    out_text(o, ", begins with ");
    out_name(o, l->class->function->name);
    out_text(o, " at ");
    text_place(o, l->class->site, lines);
    out_char(o, '\n');
    out_label(o, "");
    if (l->item->counts.times > l->thread_count)
        out_format(o, l->item->counts.times % l->thread_count ? "entered %.1f times, " : "entered %.0f times, ",
                   (double)l->item->counts.times / (double)l->thread_count);
    out_format(o, "%zu call site%s in it", l->call_sites, l->call_sites == 1 ? "" : "s");
    if (l->ns > 0) {
        out_text(o, ", ");
        out_duration(o, l->ns);
        if (l->thread_count > 1)
            out_format(o, " on each of the %zu threads that have it", l->thread_count);
        else if (s->threads > 1)
            out_format(o, l->thread ? " on rank %u, thread %u" : " on rank %u", (unsigned)l->rank, (unsigned)l->thread);
    }
    out_char(o, '\n');
}

/* Prints the bytes that are moved otherwise than by messages, if there are any. */
static void text_other_bytes(struct output *o, const struct summary *s)
{
    const struct {
        uint64_t bytes;
        const char *how;
    } others[] = {
        {s->collective_bytes, " to collective calls"}, {s->window_bytes, " by RMA"}, {s->file_bytes, " of I/O"}};
    const char *separator = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!others[i].bytes)
            continue;
        if (separator)
            out_text(o, separator);
        else
            out_label(o, "others");
        out_bytes_short(o, others[i].bytes);
        out_text(o, others[i].how);
        separator = ", ";
    }
    if (separator)
        out_char(o, '\n');
}

static void text_messages(struct output *o, const struct summary *s)
{
    out_label(o, "messages");
    out_format(o, "%llu", (unsigned long long)s->sent.messages);
    if (s->sent.messages > 0) {
        out_text(o, ", ");
        out_bytes_short(o, s->sent.bytes);
    }
    if (has_sizes(s) && s->least_bytes == s->most_bytes && !s->unsized) {
        out_text(o, "; ");
        out_bytes_short(o, s->least_bytes);
        out_text(o, " each");
    } else if (has_sizes(s)) {
        out_text(o, "; sizes from ");
        out_bytes_short(o, s->least_bytes);
        out_text(o, " to ");
        out_bytes_short(o, s->most_bytes);
        if (s->least_bytes != s->most_bytes && s->sent.messages > s->unsized) {
            out_text(o, ", mean ");
            out_bytes_short(o, s->sent.bytes / (s->sent.messages - s->unsized));
        }
    }
    out_char(o, '\n');
    text_other_bytes(o, s);
}

/* Prints PATH as one word of a shell. */
static void out_shell_word(struct output *o, const char *path)
{
    if (strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-+=%,@:") == strlen(path)) {
        out_text(o, path);
        return;
    }
    out_char(o, '\'');
    for (const char *quote; (quote = strchr(path, '\'')); path = quote + 1) {
        out_json_escaped(o, path, (size_t)(quote - path));
        out_text(o, "'\\''");
    }
    out_name(o, path);
    out_char(o, '\'');
}

/* Prints the option that chooses the calls at SITE. */
static void text_site_option(struct output *o, const struct pilgrim_frame *site, struct source_lines *lines)
{
    const char *place = lines ? source_lines_find(lines, site) : NULL;
    char raw[SUMMARY_TEXT_MAX];
    snprintf(raw, sizeof raw, "%.99s+0x%llx", site->module, (unsigned long long)site->offset);
    out_text(o, " --site=");
    out_shell_word(o, place ? place : raw);
}

static void text_odd(struct output *o, const struct summary *s, const char *path, struct source_lines *lines)
{
    out_text(o, s->odd_count ? "\nodd\n" : "\nodd        nothing was found\n");
    for (size_t i = 0; i < s->odd_count; i++) {
        out_text(o, "  ");
        const struct pilgrim_frame *site = s->odd[i].at ? s->odd[i].at->site : NULL;
        out_name(o, s->odd[i].what);
        if (site) {
            out_text(o, " at ");
            text_place(o, site, lines);
        }
        out_text(o, *s->odd[i].command ? "\n      pilgrim decode " : "\n      pilgrim waits");
        out_text(o, s->odd[i].command);
        if (site && *s->odd[i].command)
            text_site_option(o, site, lines);
        out_char(o, ' ');
        out_shell_word(o, path);
        out_char(o, '\n');
    }
}

/* What shows more of a trace. */
static void text_more(struct output *o, const struct summary *s, const char *path)
{
    const bool timed = calls_have_times(s->trace);
    const char *const more[][2] = {{"what each call costs", "pilgrim decode --stats"},
                                   {"the program as loops", "pilgrim decode --loops"},
                                   {timed ? "who waits for whom" : "what looks wrong", "pilgrim waits"},
                                   {"all on one page", "pilgrim report"},
                                   {"the first calls", "pilgrim decode --limit=20"}};
    out_text(o, timed ? "\nmore\n" : "\nmore       who waits for whom is known of a run with PILGRIM_TIMING=exact\n");
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        out_format(o, "  %-22s%s ", more[i][0], more[i][1]);
        out_shell_word(o, path);
        out_char(o, '\n');
    }
}

void summary_text(struct output *o, const struct summary *s, const char *path, const char *file,
                  struct source_lines *lines, unsigned columns)
{
    text_head_lines(o, s, path, file);
    text_time(o, s);
    text_sites(o, s, lines, columns);
    text_loop(o, s, lines);
    text_messages(o, s);
    text_odd(o, s, path, lines);
    text_more(o, s, path);
}

/* ---- JSON ---- */

static void json_text(struct output *o, const char *name, const char *text)
{
    out_text(o, name);
    if (text)
        out_json_string(o, text, strlen(text));
    else
        out_text(o, "null");
}

static void json_ns(struct output *o, const char *name, double ns)
{
    out_text(o, name);
    out_uint(o, ns < 0x1p64 ? (uint64_t)(ns + 0.5) : UINT64_MAX);
}

static void json_uint(struct output *o, const char *name, uint64_t v)
{
    out_text(o, name);
    out_uint(o, v);
}

static void json_argument(struct output *o, const struct pilgrim_value *v)
{
    out_char(o, ',');
    out_json_string(o, v->text, v->length);
}

static void json_hosts(struct output *o, const struct summary *s)
{
    struct pilgrim_system *opened = NULL;
    struct pilgrim_error error;
    struct pilgrim_host host;
    const char *separator = "";
    const struct pilgrim_system *system = s->system;
    if (!system && pilgrim_system_open(s->trace, &opened, &error) == PILGRIM_OK)
        system = opened;
    out_text(o, ",\"hosts\":[");
    for (uint32_t i = 0; system && i < pilgrim_system_hosts(system); i++) {
        if (pilgrim_system_host(system, i, &host) != PILGRIM_OK || !host.name)
            continue;
        json_text(o, separator, host.name);
        separator = ",";
    }
    pilgrim_system_close(opened);
    out_char(o, ']');
}

static void json_init(struct output *o, const struct summary *s)
{
    if (!s->init.count)
        return;
    json_ns(o, ",\"init\":", s->init.mean_ns);
    if (!s->init.brief)
        json_uint(o, ",\"init_min\":", s->init.min_ns);
    json_uint(o, ",\"init_max\":", s->init.max_ns);
    if (s->init.max_rank != PILGRIM_RANK_UNKNOWN)
        json_uint(o, ",\"init_max_rank\":", s->init.max_rank);
}

static void json_time_members(struct output *o, const struct summary *s)
{
    if (s->wall_ns > 0)
        json_ns(o, ",\"wall\":", s->wall_ns);
    json_init(o, s);
    out_text(o, ",\"activities\":{");
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES && s->profiled_ranks; i++) {
        const struct profile_activity *a = &s->activities[i];
        out_text(o, i ? ",\"" : "\"");
        json_activity(o, i);
        out_format(o, "\":{\"share\":%.6f", share(a->total_ns, s->run_ns));
        json_ns(o, ",\"mean\":", mean_of(s, i));
        json_ns(o, ",\"min\":", a->least_ns);
        json_uint(o, ",\"min_rank\":", a->least_rank);
        json_ns(o, ",\"max\":", a->most_ns);
        json_uint(o, ",\"max_rank\":", a->most_rank);
        out_format(o, ",\"imbalance\":%.4f}", imbalance(s, i));
    }
    out_char(o, '}');
}

static void json_class(struct output *o, const struct pilgrim_class *class, struct source_lines *lines)
{
    json_text(o, "{\"func\":", class->function->name);
    out_text(o, ",\"site\":");
    if (class->site)
        json_frame(o, class->site);
    else
        out_text(o, "null");
    json_place(o, "", class->site, lines);
}

static void json_sites(struct output *o, const struct summary *s, struct source_lines *lines)
{
    out_text(o, ",\"sites\":[");
    for (size_t i = 0; i < s->site_count; i++) {
        out_text(o, i ? "," : "");
        json_class(o, s->sites[i].class, lines);
        json_uint(o, ",\"calls\":", s->sites[i].calls);
        json_ns(o, ",\"total\":", s->sites[i].ns);
        out_format(o, ",\"share\":%.6f}", share(s->sites[i].ns, s->run_ns));
    }
    out_char(o, ']');
    if (!s->loop.item)
        return;
    json_uint(o, ",\"loop\":{\"entered\":", s->loop.item->counts.times);
    json_uint(o, ",\"total\":", s->loop.item->counts.total);
    json_uint(o, ",\"min\":", s->loop.item->counts.min);
    json_uint(o, ",\"max\":", s->loop.item->counts.max);
    json_uint(o, ",\"threads\":", s->loop.thread_count);
    json_uint(o, ",\"call_sites\":", s->loop.call_sites);
    json_ns(o, ",\"time\":", s->loop.ns);
    out_text(o, ",\"first\":");
    json_class(o, s->loop.class, lines);
    out_text(o, "}}");
}

static void json_sizes(struct output *o, const struct summary *s)
{
    const char *separator = ",\"sizes\":[[";
    for (unsigned k = 0; k < SUMMARY_SIZES; k++) {
        if (!s->sizes[k])
            continue;
        json_uint(o, separator, k > 0 ? UINT64_C(1) << (k - 1) : 0);
        json_uint(o, ",", s->sizes[k]);
        separator = "],[";
    }
    out_text(o, "]]");
}

void summary_json(struct output *o, const struct summary *s, const char *path, const char *file,
                  struct source_lines *lines)
{
    static const char *const properties[] = {"library", "tracer", "timing"};
    static const char date_format[] = "%Y-%m-%dT%H:%M:%S%z";
    char date[DATE_MAX];
    json_text(o, "{\"program\":", pilgrim_property(s->trace, "program"));
    json_text(o, ",\"arguments\":[", pilgrim_property(s->trace, "program"));
    each_argument(s, json_argument, o);
    out_char(o, ']');
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        out_format(o, ",\"%s\":", properties[i]);
        json_text(o, "", pilgrim_property(s->trace, properties[i]));
    }
    put_began(date, s->trace, date_format);
    json_text(o, ",\"began\":", *date ? date : NULL);
    put_written(date, path, file, date_format);
    json_text(o, ",\"written\":", *date ? date : NULL);
    json_hosts(o, s);
    json_uint(o, ",\"ranks\":", s->ranks);
    json_uint(o, ",\"threads\":", s->threads);
    json_uint(o, ",\"calls\":", s->calls);
    json_time_members(o, s);
    json_sites(o, s, lines);
    json_uint(o, ",\"messages\":", s->sent.messages);
    json_uint(o, ",\"bytes\":", s->sent.bytes);
    if (has_sizes(s)) {
        json_uint(o, ",\"least_bytes\":", s->least_bytes);
        json_uint(o, ",\"most_bytes\":", s->most_bytes);
        json_sizes(o, s);
    }
    json_uint(o, ",\"collective_bytes\":", s->collective_bytes);
    json_uint(o, ",\"rma_bytes\":", s->window_bytes);
    json_uint(o, ",\"io_bytes\":", s->file_bytes);
    json_uint(o, ",\"failed_calls\":", s->failed);
    json_uint(o, ",\"failed_polls\":", s->polls);
    json_uint(o, ",\"pending_requests\":", s->pending);
    out_text(o, ",\"odd\":[");
    for (size_t i = 0; i < s->odd_count; i++) {
        json_text(o, i ? ",{\"what\":" : "{\"what\":", s->odd[i].what);
        json_text(o, ",\"tool\":", *s->odd[i].command ? "pilgrim-decode" : "pilgrim-waits");
        json_text(o, ",\"options\":", s->odd[i].command);
        if (s->odd[i].at) {
            out_text(o, ",\"call\":");
            json_class(o, s->odd[i].at, lines);
            out_char(o, '}');
        }
        out_char(o, '}');
    }
    out_text(o, "]}\n");
}
