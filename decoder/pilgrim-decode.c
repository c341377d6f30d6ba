/* SPDX-License-Identifier: BSD-3-Clause */
/* The main program of pilgrim-decode: opens a trace and prints the view that the options ask for; see
 * pilgrim-decode(1). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "call_lines.h"
#include "csv.h"
#include "deadlocks_print.h"
#include "decode_options.h"
#include "matrix.h"
#include "messages_print.h"
#include "pager.h"
#include "path_profile.h"
#include "progress.h"
#include "decode_errors.h"
#include "endings_print.h"
#include "print.h"
#include "analysis/call_timing.h"
#include "analysis/calls_stream.h"
#include "analysis/object_names.h"
#include "analysis/polls.h"
#include "analysis/selector.h"
#include "analysis/profile.h"
#include "properties.h"
#include "summary.h"
#include "table_print.h"
#include "terminal.h"
#include "analysis/thread_loops.h"
#include "analysis/work_progress.h"
#include "trace_input.h"

#ifdef __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZER 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#ifndef ADDRESS_SANITIZER
#define ADDRESS_SANITIZER 0
#endif

enum { OWN_MEMORY = 32 << 20 }; /* what a command takes for any trace */

static bool memory_limited;

static int complain_of(const char *path, const struct pilgrim_error *error)
{
    const bool limited = memory_limited && error->status == PILGRIM_NOMEM;
    complain("%s: %s%s", path, error->message, limited ? "; --memory=SIZE allows more" : "");
    return EXIT_DAMAGED;
}

/* Fills in the clock of RANK if times on the common axis are asked for; else a clock without measurements. */
static enum pilgrim_status find_clock(const struct pilgrim_trace *trace, const struct options *o, uint32_t rank,
                                      struct pilgrim_clock *clock, struct pilgrim_error *error)
{
    *clock = (struct pilgrim_clock){0};
    if (!o->common)
        return PILGRIM_OK;
    enum pilgrim_status status = pilgrim_clock_of(trace, rank, clock, error);
    if (status != PILGRIM_OK || clock->point_count)
        return status;
    *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
    snprintf(
        error->message, sizeof error->message,
        "--clock=common needs times of calls, which rank %u does not have: record with PILGRIM_TIMING=bins or exact",
        rank);
    return PILGRIM_INVALID;
}

/* What is needed to print calls. */
struct printing {
    struct call_lines *calls;
    struct in_flight_list in_flight;
    struct communicator_rows *communicators; /* NULL: they are printed rank by rank */
    struct object_names *names;              /* for --communicators */
    struct pilgrim_error times;              /* what is wrong with the times of calls */
};

/* Prints one thread's calls, at most *LEFT of them, and counts *LEFT down. */
static enum pilgrim_status print_thread(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                        uint32_t rank, uint32_t thread, uint64_t *left, struct printing *p,
                                        struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    struct in_flight in_flight;
    struct call_lines *calls = p->calls;
    struct pilgrim_error *times = &p->times;
    const bool ends_in_call = in_flight_find(&p->in_flight, rank, thread, &in_flight);
    struct pilgrim_clock clock;
    enum pilgrim_status status = find_clock(trace, o, rank, &clock, error);
    if (status == PILGRIM_OK)
        status = pilgrim_cursor_open(trace, rank, thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    if (call_lines_begin(calls, rank, thread) != PILGRIM_OK)
        status = no_memory(error);
    uint64_t count = pilgrim_call_count(trace, rank, thread);
    uint64_t from = o->endings && count > o->from ? count - 1 : o->from;
    if (status == PILGRIM_OK && from && pilgrim_cursor_skip(cursor, from) != PILGRIM_OK)
        status = no_memory(error);
    while (status == PILGRIM_OK && *left > 0 && !out->error) {
        status = pilgrim_cursor_next(cursor, &call, error);
        if (status != PILGRIM_OK)
            break;
        if (o->function && !selection_function_fits(o->function, call.function->name))
            continue;
        bool ends = ends_in_call && call.seq + 1 == count && call.ret.type == PILGRIM_NONE;
        if ((o->no_polls && call_is_failed_poll(&call)) || (o->endings && !ends))
            continue;
        if (ends)
            call_lines_in_flight(calls, &in_flight);
        if (o->endings && o->csv)
            endings_print_cell(out, trace, rank);
        pilgrim_clock_apply(&clock, &call);
        call_lines_print(calls, &call);
        --*left;
    }
    if (times->status == PILGRIM_OK)
        times->status = pilgrim_cursor_times(cursor, times);
    pilgrim_cursor_close(cursor);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Prints the communicators that RANK created, at most *LEFT, or adds them to ROWS. */
static enum pilgrim_status print_communicators(struct output *out, const struct pilgrim_trace *trace,
                                               const struct options *o, uint32_t rank, uint64_t *left,
                                               struct printing *p, struct pilgrim_error *error)
{
    struct communicator_rows *const rows = p->communicators;
    const char *name;
    struct pilgrim_communicators *list;
    struct pilgrim_communicator communicator;
    enum pilgrim_status status = pilgrim_communicators_open(trace, rank, &list, error);
    if (status != PILGRIM_OK)
        return status;
    while (*left > 0 && !out->error) {
        status = pilgrim_communicators_next(list, &communicator, error);
        if (status == PILGRIM_OK && !object_names_next(p->names, rank, communicator.name, &name))
            status = no_memory(error);
        if (status != PILGRIM_OK)
            break;
        if (!list_has(&o->threads, (uint32_t)communicator.thread))
            continue;
        if (rows) {
            if (communicator_rows_add(rows, rank, &communicator, name))
                continue;
            status = no_memory(error);
            break;
        }
        if (o->csv)
            csv_communicator(out, rank, &communicator, name);
        else
            communicator_json(out, rank, &communicator, name);
        --*left;
    }
    pilgrim_communicators_close(list);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

static enum pilgrim_status print_rank(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                      uint32_t rank, uint64_t *left, struct source_lines *lines, struct printing *p,
                                      struct pilgrim_error *error)
{
    if (o->communicators)
        return print_communicators(out, trace, o, rank, left, p, error);
    uint32_t threads = pilgrim_thread_count(trace, rank);
    const uint64_t before = *left;
    for (uint32_t thread = 0; thread<threads && * left> 0 && !out->error; thread++) {
        if (!list_has(&o->threads, thread))
            continue;
        enum pilgrim_status status = o->grammar ? grammar_print(out, trace, rank, thread, lines, error)
                                                : print_thread(out, trace, o, rank, thread, left, p, error);
        if (status != PILGRIM_OK)
            return status;
    }
    if (o->endings && o->csv && *left == before && *left > 0 && endings_print_cell(out, trace, rank)) {
        out_uint(out, rank);
        csv_no_call(out);
        --*left;
    }
    return PILGRIM_OK;
}

/* Prints the machine; if ranks are chosen, where these ran. */
static enum pilgrim_status print_system(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                        struct pilgrim_error *error)
{
    struct pilgrim_system *system;
    uint64_t left = o->limit;
    enum pilgrim_status status = pilgrim_system_open(trace, &system, error);
    if (status != PILGRIM_OK)
        return status;
    if (o->csv)
        csv_location_head(out);
    else if (!o->ranks.count)
        status = machine_print(out, trace, system, o->json) == PILGRIM_OK ? PILGRIM_OK : no_memory(error);
    for (uint32_t rank = 0; (o->ranks.count || o->csv) && rank < pilgrim_rank_count(trace) && left > 0 && !out->error &&
                            status == PILGRIM_OK;
         rank++) {
        if (!list_has(&o->ranks, rank))
            continue;
        if (o->csv)
            csv_location(out, system, rank);
        else
            status = location_print(out, trace, system, rank, o->json, error);
        left--;
    }
    pilgrim_system_close(system);
    return status;
}

static enum pilgrim_status add_loops(struct loops_list *loops, const struct pilgrim_trace *trace,
                                     const struct options *o, uint32_t rank, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    uint32_t threads = pilgrim_thread_count(trace, rank);
    for (uint32_t thread = 0; thread < threads && status == PILGRIM_OK; thread++)
        if (list_has(&o->threads, thread))
            status = loops_list_add(loops, rank, thread, error);
    return status;
}

/* Prints the loops of all chosen threads; if one is damaged, of those before it. */
static enum pilgrim_status print_loops(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                       struct source_lines *lines, struct pilgrim_error *error)
{
    struct loops_list *loops = loops_list_new(trace, o->ranks.count > 0);
    const struct loops_options options = {
        .depth = o->depth, .json = o->json, .csv = o->csv, .paths = !pilgrim_property(trace, "stack")};
    struct pilgrim_error later;
    if (!loops)
        return no_memory(error);
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && status == PILGRIM_OK; rank++) {
        if (list_has(&o->ranks, rank))
            status = add_loops(loops, trace, o, rank, error);
        work_done(rank + 1);
    }
    progress_end();
    enum pilgrim_status written = loops_print(out, loops, lines, &options, status == PILGRIM_OK ? error : &later);
    loops_list_free(loops);
    return status == PILGRIM_OK ? written : status;
}

static void complain_unsized(const struct options *o, uint64_t count, const char *what)
{
    if (count > 0)
        complain("%s: %llu %s count as 0 bytes, as the sizes of their datatypes are not known", o->path,
                 (unsigned long long)count, what);
}

static bool shows_rank(const void *options, uint32_t rank)
{
    return list_has(&((const struct options *)options)->ranks, rank);
}

static bool shows_thread(const void *options, uint32_t thread)
{
    return list_has(&((const struct options *)options)->threads, thread);
}

static bool shows(const void *options, uint32_t rank, uint32_t thread)
{
    return shows_rank(options, rank) && shows_thread(options, thread);
}

static enum pilgrim_status print_paths(struct output *out, const struct call_profile *profile, const struct options *o,
                                       struct source_lines *lines, struct pilgrim_error *error)
{
    enum path_format format = o->json ? PATH_JSON : o->csv ? PATH_CSV : o->folded ? PATH_FOLDED : PATH_TEXT;
    const struct path_options options = {.format = format, .function = o->function, .depth = o->depth};
    return path_profile_print(out, profile, &options, lines, error);
}

/* Prints a table of calls by the keys that are asked for. */
static enum pilgrim_status print_table(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                       struct source_lines *lines, struct pilgrim_error *error)
{
    const enum table_format format = o->json ? TABLE_JSON : o->csv ? TABLE_CSV : TABLE_TEXT;
    struct pilgrim_table *table;
    enum pilgrim_status status = table_make(trace, o->selection, o->keys, lines, &table, error);
    if (table && status != PILGRIM_INVALID && status != PILGRIM_LIMIT)
        table_print(out, table, o->keys, format, lines);
    pilgrim_table_free(table);
    return status;
}

/* Prints what the calls of the chosen threads cost; if one is damaged, of those before it. */
static enum pilgrim_status print_stats(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                       struct source_lines *lines, struct pilgrim_error *error)
{
    struct call_profile profile;
    struct pilgrim_error later;
    if (o->by_rank && o->csv)
        return csv_rank_times(out, trace, shows_rank, o, error);
    if (o->by_rank)
        return rank_times_print(out, trace, o->json, shows_rank, o, error);
    if (o->keys)
        return print_table(out, trace, o, lines, error);
    bool some = o->ranks.count > 0 || o->threads.count > 0;
    struct selector *selector = o->selects ? selector_new(trace, o->selection, lines) : NULL;
    if (o->selects && !selector)
        return no_memory(error);
    enum pilgrim_status status = selector ? profile_make_selected(&profile, trace, selector, o->by_path, error)
                                          : profile_make(&profile, trace, some ? shows : NULL, o, o->by_path, error);
    selector_free(selector);
    progress_end();
    if (status == PILGRIM_INVALID && selector) {
        profile_free(&profile);
        return status;
    }
    if (o->by_path) {
        enum pilgrim_status printed = print_paths(out, &profile, o, lines, status == PILGRIM_OK ? error : &later);
        status = status == PILGRIM_OK ? printed : status;
    } else if (o->csv)
        csv_profile(out, &profile, o->function, lines);
    else if (o->json)
        profile_json(out, &profile, o->histograms, o->function, lines);
    else
        profile_text(out, &profile, o->histograms, o->function, lines);
    complain_unsized(o, profile.unsized, "messages");
    profile_free(&profile);
    return status;
}

static enum pilgrim_status print_summary(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                         struct source_lines *lines, struct pilgrim_error *error)
{
    struct summary summary;
    enum pilgrim_status status = summary_make(&summary, trace, error);
    progress_end();
    if (o->json)
        summary_json(out, &summary, o->path, o->opened, lines);
    else
        summary_text(out, &summary, o->path, o->opened, lines, o->columns);
    summary_free(&summary);
    return status;
}

static enum pilgrim_status print_matrix(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                        struct source_lines *lines, struct pilgrim_error *error)
{
    struct selector *selector = o->selects || o->function ? selector_new(trace, o->selection, lines) : NULL;
    const struct matrix_options options = {.windows = o->windows,
                                           .format = o->json  ? MATRIX_JSON
                                                     : o->csv ? MATRIX_CSV
                                                              : MATRIX_TEXT,
                                           .rank = shows_rank,
                                           .thread = shows_thread,
                                           .context = o,
                                           .selector = selector};
    uint64_t unsized;
    if ((o->selects || o->function) && !selector)
        return no_memory(error);
    enum pilgrim_status status = matrix_print(out, trace, &options, &unsized, error);
    selector_free(selector);
    complain_unsized(o, unsized, o->windows ? "operations" : "messages");
    return status;
}

static enum pilgrim_status print_messages(struct output *out, const struct pilgrim_trace *trace,
                                          const struct options *o, struct source_lines *lines,
                                          struct pilgrim_error *error)
{
    enum messages_format format = o->json ? MESSAGES_JSON : o->csv ? MESSAGES_CSV : MESSAGES_TEXT;
    const struct messages_options options = {
        .format = format, .common = o->common, .limit = o->limit, .rank = shows_rank, .context = o};
    return messages_print(out, trace, &options, lines, error);
}

/* A line of text has so many frames of a call's path, if --depth does not say how many. */
enum { TEXT_FRAMES = 3 };

/* Prints the calls that fit the selection, by rank or by time. */
static enum pilgrim_status print_selected(struct output *out, const struct pilgrim_trace *trace,
                                          const struct options *o, struct source_lines *lines, uint64_t left,
                                          struct printing *p, struct pilgrim_error *error)
{
    struct pilgrim_calls *calls;
    struct pilgrim_call call;
    struct in_flight in_flight;
    bool begun = false, ends_in_call = false;
    uint32_t rank = 0, thread = 0;
    uint64_t count = 0;
    enum pilgrim_status status = calls_open(trace, o->selection, o->timeline ? PILGRIM_BY_TIME : PILGRIM_BY_RANK,
                                            o->common, lines, &calls, error);
    while (status == PILGRIM_OK && left > 0 && !out->error &&
           (status = pilgrim_calls_next(calls, &call, error)) == PILGRIM_OK) {
        if (call.seq < o->from || (o->no_polls && call_is_failed_poll(&call)))
            continue;
        if (!begun || call.rank != rank || call.thread != thread) {
            if (call_lines_begin(p->calls, call.rank, call.thread) != PILGRIM_OK) {
                status = no_memory(error);
                break;
            }
            p->in_flight = in_flight_begin(trace);
            ends_in_call = in_flight_find(&p->in_flight, call.rank, call.thread, &in_flight);
            count = ends_in_call ? pilgrim_call_count(trace, call.rank, call.thread) : 0;
            begun = true;
            rank = call.rank;
            thread = call.thread;
        }
        if (ends_in_call && call.seq + 1 == count && call.ret.type == PILGRIM_NONE)
            call_lines_in_flight(p->calls, &in_flight);
        call_lines_print(p->calls, &call);
        left--;
    }
    if (status == PILGRIM_END && !begun && !calls_chose(calls, error))
        status = PILGRIM_INVALID;
    if (calls && p->times.status == PILGRIM_OK)
        p->times.status = calls_times(calls, &p->times);
    pilgrim_calls_close(calls);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

static enum pilgrim_status print_ranks(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                       struct source_lines *lines, struct pilgrim_error *error)
{
    uint64_t left = o->limit;
    enum pilgrim_status status = PILGRIM_OK;
    uint64_t frames = o->depth == UINT64_MAX && !o->json && !o->endings ? TEXT_FRAMES : o->depth;
    const enum call_format format = o->json ? CALLS_JSON : o->csv ? CALLS_CSV : CALLS_TEXT;
    struct printing p = {.calls = call_lines_new(out, format, frames, lines), .in_flight = in_flight_begin(trace)};
    if (!p.calls)
        return no_memory(error);
    const struct call_lines_style style = {
        .trace = trace, .columns = o->width, .is_short = !o->full, .color = o->color};
    if (call_lines_set(p.calls, &style) != PILGRIM_OK) {
        call_lines_free(p.calls);
        return no_memory(error);
    }
    const bool selected = o->selects || o->timeline;
    if (o->csv && o->communicators)
        csv_communicator_head(out);
    else if (o->csv) {
        out_text(out, o->endings ? "ending," : "");
        csv_call_head(out);
    }
    if (o->communicators && !o->csv && !o->json && !(p.communicators = communicator_rows_new()))
        status = no_memory(error);
    if (o->communicators && !(p.names = object_names_new(trace)))
        status = no_memory(error);
    if (selected)
        status = print_selected(out, trace, o, lines, left, &p, error);
    for (uint32_t rank = 0; !selected && rank < pilgrim_rank_count(trace) && left > 0 && !out->error; rank++) {
        if (status == PILGRIM_OK && list_has(&o->ranks, rank))
            status = print_rank(out, trace, o, rank, &left, lines, &p, error);
        if (!isatty(STDOUT_FILENO) && !o->paged)
            work_done(rank + 1);
    }
    if (p.communicators)
        communicator_rows_print(out, p.communicators, o->limit);
    communicator_rows_free(p.communicators);
    object_names_free(p.names);
    call_lines_free(p.calls);
    if (status == PILGRIM_OK && p.times.status != PILGRIM_OK) {
        *error = p.times; /* the calls were printed */
        status = p.times.status;
    }
    return status;
}

/* Says first that the trace is partial: where a program may read the output, on stderr. */
static void print_partial(struct output *out, const struct pilgrim_trace *trace, const struct options *o)
{
    static struct output messages = {.descriptor = 2};
    if (o->endings || o->summary)
        return; /* it says so itself */
    if (!o->json && !o->csv && !o->folded &&
        (o->stats || o->loops || o->system || o->grammar || o->communicators || o->properties)) {
        endings_print_partial(out, "", trace);
        return;
    }
    messages.used = 0;
    endings_print_partial(&messages, "pilgrim-decode: ", trace);
    out_flush(&messages);
}

/* Prints how ranks ended, or that all of them ended well: where a program may read the output, on stderr. */
static void print_endings(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                          struct source_lines *lines)
{
    static const char well[] = "all ranks came to the end of MPI_Finalize";
    if (!o->csv)
        endings_print(out, trace, lines, o->json);
    if (endings_are_partial(trace))
        return;
    if (o->csv || o->json) {
        complain("%s: %s", o->path, well);
    } else {
        out_text(out, well);
        out_char(out, '\n');
    }
}

static enum pilgrim_status print_view(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                      struct source_lines *lines, struct pilgrim_error *error)
{
    print_partial(out, trace, o);
    if (!o->json && !o->csv && !o->folded && (o->stats || o->loops || o->system || o->messages || o->communicators))
        out->columns = o->width;
    if (!o->json && !o->csv && !o->folded && (o->system || o->stats || o->loops))
        properties_print_left_out(out, trace);
    if (o->endings) {
        print_endings(out, trace, o, lines);
        const enum pilgrim_status status = o->csv ? PILGRIM_OK : deadlocks_print(out, trace, lines, o->json, error);
        if (status != PILGRIM_OK)
            return status;
    }
    if (o->summary)
        return print_summary(out, trace, o, lines, error);
    if (o->system)
        return print_system(out, trace, o, error);
    if (o->stats)
        return print_stats(out, trace, o, lines, error);
    if (o->loops)
        return print_loops(out, trace, o, lines, error);
    if (o->matrix)
        return print_matrix(out, trace, o, lines, error);
    if (o->messages)
        return print_messages(out, trace, o, lines, error);
    if (!o->properties)
        return print_ranks(out, trace, o, lines, error);
    if (o->csv)
        csv_properties(out, trace);
    else
        properties_print(out, trace, o->json);
    return PILGRIM_OK;
}

/* True if --from is not more than the chosen threads have calls. */
static bool check_from(const struct pilgrim_trace *trace, const struct options *o)
{
    uint64_t most = 0;
    if (o->from == 0)
        return true;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(trace, rank); thread++) {
            const uint64_t count = shows(o, rank, thread) ? pilgrim_call_count(trace, rank, thread) : 0;
            most = count > most ? count : most;
        }
    if (o->from > most)
        complain("%s: --from: no call %llu: the chosen threads have at most %llu calls", o->path,
                 (unsigned long long)o->from, (unsigned long long)most);
    return o->from <= most;
}

static int print_trace(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                       struct source_lines *lines)
{
    struct pilgrim_error error = {0};
    if (pilgrim_selection_check(o->selection, trace, &error) != PILGRIM_OK) {
        complain("%s: %s", o->path, error.message);
        return EXIT_USAGE;
    }
    if ((o->timeline || o->common) && !calls_have_times(trace)) {
        complain("%s: %s needs times of calls: record with PILGRIM_TIMING=bins or exact", o->path,
                 o->timeline ? "--timeline" : "--clock=common");
        return EXIT_USAGE;
    }
    if (!check_from(trace, o))
        return EXIT_USAGE;
    progress_begin("pilgrim-decode", pilgrim_rank_count(trace), false, false);
    work_progress = progress_at;
    enum pilgrim_status status = print_view(out, trace, o, lines, &error);
    progress_end();
    out_flush(out);
    out->columns = 0; /* a line whose end has not come */
    out_flush(out);
    if (status == PILGRIM_INVALID && (o->selects || o->timeline)) {
        complain("%s: %s", o->path, error.message);
        return error.status == PILGRIM_END ? 0 : EXIT_USAGE;
    }
    if (status != PILGRIM_OK)
        return complain_of(o->path, &error);
    if (out->error && out->error != EPIPE)
        complain("cannot write the output, which is incomplete: %s", strerror(out->error));
    return out->error && out->error != EPIPE ? EXIT_DAMAGED : 0; /* a reader that wants no more is no failure */
}

/* Lets the process take no more memory than the user allows, besides what it needs for any trace. The address sanitizer
 * takes what it wants. */
static void limit_memory(const struct options *o)
{
    struct rlimit limit;
    if (ADDRESS_SANITIZER || !o->memory_given || o->memory > RLIM_INFINITY - OWN_MEMORY ||
        getrlimit(RLIMIT_DATA, &limit))
        return;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > o->memory + OWN_MEMORY)
        limit.rlim_cur = o->memory + OWN_MEMORY;
    memory_limited = setrlimit(RLIMIT_DATA, &limit) == 0;
}

/* Opens the trace and prints it. Returns the exit status. */
static int open_and_print(const struct options *o)
{
    static struct output out = {.descriptor = 1};
    struct pilgrim_trace *trace;
    struct pilgrim_error opened;
    if (pilgrim_open_limited(o->opened, o->memory, &trace, &opened) != PILGRIM_OK)
        return complain_of(o->path, &opened);
    /* Calls as JSON are what the trace has, unless the user asks for more. */
    const bool searches = !o->json || o->stats || o->loops || o->summary || o->messages || o->modules ||
                          selection_has(o->selection, SELECT_SITE);
    struct source_lines *lines = source_lines_new(searches ? o->opened : NULL, o->modules);
    if (lines) {
        source_lines_warn(lines, complain);
        source_lines_ran_in(lines, pilgrim_property(trace, "folder"));
        source_lines_use_trace(lines, trace, pilgrim_frame_function);
    }
    int result = print_trace(&out, trace, o, lines);
    if (opened.status != PILGRIM_OK && result == 0)
        result = complain_of(o->path, &opened);
    source_lines_free(lines);
    pilgrim_close(trace);
    return result;
}

int main(int argc, char **argv)
{
    struct options options;
    char place[INPUT_PATH_MAX];
    FILE *copy = NULL;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error like any other */
    int result = options_parse(argc, argv, &options);
    if (result < 0) {
        options.opened = input_path(options.path, place, &copy);
        if (options.opened) {
            options.paged = pager_begin();
            limit_memory(&options);
            result = open_and_print(&options);
            pager_end();
        } else {
            complain("-: the standard input cannot be read: %s", strerror(errno));
            result = EXIT_DAMAGED;
        }
    }
    if (copy)
        fclose(copy);
    options_free(&options);
    return result;
}
