/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares two traces as two programs; see diff_traces.h.
 *
 * All classes of both traces are read first, so that those of different builds can be matched. Then threads are
 * compared in pairs; what differs is collected for all of them, and printed. */
#include "diff_traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/decode_errors.h"
#include "diff_report.h"
#include "iteration_compare.h"
#include "rank_pairs.h"

/* All that is opened. */
struct diff {
    struct diff_options options;
    struct pilgrim_error *error;     /* why it failed */
    const char *wrong_path;          /* the file that it failed at; NULL: none */
    struct pilgrim_trace *traces[2]; /* the same if there is one */
    struct source_lines *lines[2];
    struct call_kinds *kinds;
    struct diff_side sides[2];
    struct differences found;
    struct comparison comparison;
    struct site_times times;
    struct walked_loops walked[2];
    const char *note;
    uint64_t calls[2]; /* of the iterations that are compared */
};

static int failed(struct diff *d, const char *path, const struct pilgrim_error *why)
{
    d->wrong_path = path;
    *d->error = *why;
    return EXIT_WRONG;
}

static int no_room(struct diff *d)
{
    (void)no_memory(d->error);
    return EXIT_WRONG;
}

/* Opens a trace; one that is damaged is not compared. */
static int open_side(struct diff *d, unsigned side)
{
    struct pilgrim_error error;
    const char *path = d->options.paths[side];
    if (side == 1 && path == d->options.paths[0]) {
        d->traces[1] = d->traces[0];
    } else {
        enum pilgrim_status status = pilgrim_open_limited(path, d->options.memory, &d->traces[side], &error);
        if (status != PILGRIM_OK || error.status != PILGRIM_OK)
            return failed(d, path, &error);
    }
    d->lines[side] = source_lines_new(path, d->options.modules);
    if (!d->lines[side])
        return no_room(d);
    source_lines_ran_in(d->lines[side], pilgrim_property(d->traces[side], "folder"));
    source_lines_use_trace(d->lines[side], d->traces[side], pilgrim_frame_function);
    return -1;
}

/* Reads the threads of a trace: all, or those of the one rank that is asked for. */
static int read_side(struct diff *d, unsigned side)
{
    struct pilgrim_error error;
    uint32_t rank = d->options.two_ranks ? d->options.ranks[side] : UINT32_MAX;
    d->sides[side] = (struct diff_side){
        .number = side, .trace = d->traces[side], .kinds = d->kinds, .ignore_polls = d->options.ignored & IGNORE_POLLS};
    if (d->options.two_ranks && rank >= pilgrim_rank_count(d->traces[side])) {
        error = (struct pilgrim_error){.status = PILGRIM_INVALID};
        snprintf(error.message, sizeof error.message, "there is no rank %u, but %u ranks", rank,
                 pilgrim_rank_count(d->traces[side]));
        return failed(d, d->options.paths[side], &error);
    }
    enum pilgrim_status status = side_read(&d->sides[side], rank, &error);
    return status == PILGRIM_OK ? -1 : failed(d, d->options.paths[side], &error);
}

static int open_all(struct diff *d)
{
    int status = -1;
    for (unsigned side = 0; side < 2 && status < 0; side++)
        status = open_side(d, side);
    if (status >= 0)
        return status;
    const struct pilgrim_trace *const traces[2] = {d->traces[0], d->traces[1]};
    d->kinds = call_kinds_new(traces, d->lines);
    if (!d->kinds)
        return no_room(d);
    for (unsigned side = 0; side < 2 && status < 0; side++)
        status = read_side(d, side);
    if (status < 0 && !call_kinds_match(d->kinds, d->options.ignored & IGNORE_SITES))
        return no_room(d);
    return status;
}

/* Compares times where whole traces are compared. */
static bool times_are_asked(const struct diff *d)
{
    return !(d->options.ignored & IGNORE_TIMES) && !d->options.two_ranks && !d->options.two_iterations &&
           d->traces[0] != d->traces[1];
}

static int compare_all(struct diff *d)
{
    struct pilgrim_error error;
    bool same_count = pilgrim_rank_count(d->traces[0]) == pilgrim_rank_count(d->traces[1]);
    struct comparison *c = &d->comparison;
    *c = (struct comparison){.sides = {&d->sides[0], &d->sides[1]},
                             .kinds = d->kinds,
                             .rules = {.ignored = d->options.ignored,
                                       .relative = d->options.two_ranks || !same_count,
                                       .rebuilt = call_kinds_rebuilt(d->kinds),
                                       .not_replayed = d->options.not_replayed},
                             .structure_only = d->options.ignored & IGNORE_VALUES,
                             .found = &d->found};
    enum pilgrim_status status = d->options.two_iterations
                                     ? iterations_compare(c, d->options.loop, d->options.iterations, d->calls, &error)
                                     : ranks_compare(c, d->options.two_ranks, &d->note, &error);
    if (status == PILGRIM_OK && times_are_asked(d)) {
        const struct pilgrim_trace *const traces[2] = {d->traces[0], d->traces[1]};
        status = site_times_compare(&d->times, traces, d->kinds, &error);
    }
    if (status != PILGRIM_OK)
        return failed(d, NULL, &error);
    if (d->found.failed)
        return no_room(d);
    differences_finish(&d->found);
    return -1;
}

static int print_all(struct diff *d, struct output *o)
{
    struct diff_report report = {.options = &d->options,
                                 .comparison = &d->comparison,
                                 .found = &d->found,
                                 .times = times_are_asked(d) ? &d->times : NULL,
                                 .equal = !differences_found(&d->found) && d->times.count == 0,
                                 .walked = d->walked,
                                 .note = d->note};
    for (int side = 0; side < 2; side++) {
        report.ranks[side] = d->options.two_ranks ? 1 : pilgrim_rank_count(d->traces[side]);
        for (size_t i = 0; i < d->sides[side].thread_count; i++)
            report.calls[side] +=
                pilgrim_call_count(d->traces[side], d->sides[side].threads[i].rank, d->sides[side].threads[i].thread);
        if (d->options.two_iterations)
            report.calls[side] = d->calls[side];
    }
    if (d->options.json)
        diff_print_json(o, &report);
    else
        diff_print_text(o, &report);
    out_flush(o);
    return report.equal ? EXIT_EQUAL : EXIT_DIFFERS;
}

static void close_all(struct diff *d)
{
    for (int side = 0; side < 2; side++)
        walked_loops_free(&d->walked[side]);
    comparison_free(&d->comparison);
    differences_free(&d->found);
    site_times_free(&d->times);
    for (int side = 0; side < 2; side++)
        side_free(&d->sides[side]);
    call_kinds_free(d->kinds);
    for (int side = 0; side < 2; side++)
        source_lines_free(d->lines[side]);
    if (d->traces[1] != d->traces[0])
        pilgrim_close(d->traces[1]);
    pilgrim_close(d->traces[0]);
}

int diff_traces(const struct diff_options *options, struct output *o, const char **path, struct pilgrim_error *error)
{
    struct diff *d = calloc(1, sizeof *d);
    *path = NULL;
    if (!d) {
        (void)no_memory(error);
        return EXIT_WRONG;
    }
    d->options = *options;
    d->error = error;
    int status = open_all(d);
    if (status < 0)
        status = compare_all(d);
    if (status < 0)
        status = print_all(d, o);
    *path = d->wrong_path;
    close_all(d);
    free(d);
    return status;
}
