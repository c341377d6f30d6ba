/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits by loop and iteration (--by=loop); see waits_report.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../decoder/csv_cells.h"
#include "waits_report.h"

/* What threads have in common that have the same loop. */
struct loop_line {
    const struct loop_row *rows;
    size_t count;
    uint64_t waits, total_ns, error_ns, iterations, least, most; /* iterations of all threads, of one thread */
    double slope_ns, slope_error_ns;                             /* of a thread, in the mean */
};

/* Where a loop begins: "MPI_Irecv at stencil2d.c:81". */
static void loop_begin(const struct report *r, const struct loop_row *row, char text[WHERE_MAX])
{
    char place[PLACE_MAX];
    report_frame(r, row->first ? row->first->site : NULL, place);
    snprintf(text, WHERE_MAX, "%s at %s", row->first ? row->first->function->name : "?", place);
}

static struct loop_line line_of(const struct loop_row *rows, size_t left)
{
    struct loop_line line = {.rows = rows, .least = UINT64_MAX};
    for (; line.count < left && loop_rows_alike(rows, &rows[line.count]); line.count++) {
        const struct loop_row *row = &rows[line.count];
        line.waits += row->waits;
        line.total_ns += row->total_ns;
        line.error_ns += row->error_ns;
        line.iterations += row->iterations;
        line.least = row->iterations < line.least ? row->iterations : line.least;
        line.most = row->iterations > line.most ? row->iterations : line.most;
        line.slope_ns += row->slope_ns;
        line.slope_error_ns += row->slope_error_ns; /* what disturbs one rank disturbs others */
    }
    line.slope_ns /= (double)line.count;
    line.slope_error_ns /= (double)line.count;
    return line;
}

/* Sets WORST to the worst iterations of the line's threads, and RANKS to their rows. Returns how many. */
static size_t worst_of(const struct loop_line *line, struct loop_iteration worst[LOOP_WORST],
                       const struct loop_row *whose[LOOP_WORST])
{
    size_t count = 0;
    for (size_t i = 0; i < line->count; i++)
        for (size_t k = 0; k < line->rows[i].worst_count; k++) {
            size_t at = count;
            for (; at > 0 && worst[at - 1].ns < line->rows[i].worst[k].ns; at--)
                if (at < LOOP_WORST) {
                    worst[at] = worst[at - 1];
                    whose[at] = whose[at - 1];
                }
            if (at == LOOP_WORST)
                continue;
            worst[at] = line->rows[i].worst[k];
            whose[at] = &line->rows[i];
            count += count < LOOP_WORST;
        }
    return count;
}

static void text_line(const struct report *r, const struct loop_line *line)
{
    struct loop_iteration worst[LOOP_WORST];
    const struct loop_row *whose[LOOP_WORST];
    char total[OUT_DURATION_MAX], error[OUT_DURATION_MAX], mean[OUT_DURATION_MAX] = "-", slope[OUT_DURATION_MAX];
    char growth[2 * OUT_DURATION_MAX + 16] = "-", iterations[48], where[WHERE_MAX], text[512];
    const double all = r->efficiency.run_ns * (double)waits_rank_count(r);
    const size_t count = worst_of(line, worst, whose);
    put_duration(total, (double)line->total_ns);
    put_duration(error, (double)line->error_ns);
    if (line->iterations)
        put_duration(mean, (double)line->total_ns / (double)line->iterations);
    if (line->total_ns && fabs(line->slope_ns) > line->slope_error_ns) {
        put_duration(slope, fabs(line->slope_ns));
        snprintf(growth, sizeof growth, "%c%s", line->slope_ns < 0 ? '-' : '+', slope);
    }
    if (line->least == line->most)
        snprintf(iterations, sizeof iterations, "%llu", (unsigned long long)line->most);
    else
        snprintf(iterations, sizeof iterations, "%llu..%llu", (unsigned long long)line->least,
                 (unsigned long long)line->most);
    snprintf(text, sizeof text, "loop %-5zu %9s +-%-8s %5.1f%% %9llu  %10s %10s %10s  ", line->rows->loop, total, error,
             all > 0 ? 100 * (double)line->total_ns / all : 0, (unsigned long long)line->waits, iterations, mean,
             growth);
    out_text(r->o, text);
    loop_begin(r, line->rows, where);
    out_name(r->o, where);
    if (line->rows->parent) {
        snprintf(text, sizeof text, ", in loop %zu", line->rows->parent);
        out_text(r->o, text);
    }
    out_char(r->o, '\n');
    for (size_t i = 0; i < count; i++) {
        char thread[32] = "";
        put_duration(total, (double)worst[i].ns);
        put_duration(error, (double)worst[i].error_ns);
        if (whose[i]->thread)
            snprintf(thread, sizeof thread, " thread %u", whose[i]->thread);
        snprintf(text, sizeof text, "  worst    %9s +-%-8s rank %u%s, iteration %llu, waits from call %llu on\n", total,
                 error, whose[i]->rank, thread, (unsigned long long)worst[i].iteration,
                 (unsigned long long)worst[i].seq);
        out_text(r->o, text);
    }
}

static void text_loops(const struct report *r, const struct loop_row *rows, size_t count)
{
    uint64_t shown = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= rows[i].waits > 0;
    text_summary(r);
    out_text(r->o, any ? "loop           total    error   share     waits  iterations  each waits      grows  begins "
                         "with\n"
                       : "no waits in loops\n");
    for (size_t i = 0; i < count && shown < r->limit;) {
        const struct loop_line line = line_of(&rows[i], count - i);
        i += line.count;
        if (line.waits) {
            text_line(r, &line);
            shown++;
        }
    }
}

static void number(struct output *o, const char *key, uint64_t value)
{
    out_text(o, key);
    out_uint(o, value);
}

static void real(struct output *o, const char *key, double value)
{
    char text[48];
    snprintf(text, sizeof text, "%.3f", value);
    out_text(o, key);
    out_text(o, text);
}

static double mean_of(const struct loop_row *row)
{
    return row->iterations ? (double)row->total_ns / (double)row->iterations : 0;
}

static void json_loop(const struct report *r, const struct loop_row *row)
{
    struct output *o = r->o;
    const char *name = row->first ? row->first->function->name : "?";
    number(o, "{\"loop\":", row->loop);
    number(o, ",\"in_loop\":", row->parent);
    out_text(o, ",\"func\":");
    out_json_string(o, name, strlen(name));
    json_frame_place(r, "", row->first ? row->first->site : NULL);
    number(o, ",\"rank\":", row->rank);
    number(o, ",\"thread\":", row->thread);
    number(o, ",\"entries\":", row->entries);
    number(o, ",\"iterations\":", row->iterations);
    number(o, ",\"count\":", row->waits);
    number(o, ",\"total_ns\":", row->total_ns);
    number(o, ",\"error_ns\":", row->error_ns);
    real(o, ",\"mean_ns\":", mean_of(row));
    real(o, ",\"slope_ns\":", row->slope_ns);
    real(o, ",\"slope_error_ns\":", row->slope_error_ns);
    out_text(o, ",\"worst\":[");
    for (size_t i = 0; i < row->worst_count; i++) {
        number(o, i ? ",{\"iteration\":" : "{\"iteration\":", row->worst[i].iteration);
        number(o, ",\"seq\":", row->worst[i].seq);
        number(o, ",\"ns\":", row->worst[i].ns);
        number(o, ",\"error_ns\":", row->worst[i].error_ns);
        out_char(o, '}');
    }
    out_text(o, "]}\n");
}

static void csv_loop(const struct report *r, const struct loop_row *row)
{
    const uint64_t numbers[] = {row->rank,  row->thread,   row->entries, row->iterations,
                                row->waits, row->total_ns, row->error_ns};
    struct csv c = {.out = r->o};
    char place[PLACE_MAX];
    report_frame(r, row->first ? row->first->site : NULL, place);
    csv_uint(&c, row->loop);
    csv_uint(&c, row->parent);
    csv_name(&c, row->first ? row->first->function->name : "?");
    csv_name(&c, place);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        csv_uint(&c, numbers[i]);
    csv_real(&c, mean_of(row), 3);
    csv_real(&c, row->slope_ns, 3);
    csv_real(&c, row->slope_error_ns, 3);
    for (size_t i = 0; i < LOOP_WORST; i++) {
        if (i >= row->worst_count) {
            csv_empty(&c, 2);
            continue;
        }
        csv_uint(&c, row->worst[i].iteration);
        csv_uint(&c, row->worst[i].ns);
    }
    csv_end(&c);
}

enum pilgrim_status waits_print_loops(struct report *r, struct pilgrim_error *error)
{
    const struct loop_row *rows;
    size_t count;
    enum pilgrim_status status = loop_waits_end(r->loops, &rows, &count, error);
    if (r->format == REPORT_TEXT)
        text_loops(r, rows, count);
    if (r->format == REPORT_CSV)
        out_text(r->o, "loop,in_loop,function,site,rank,thread,entries,iterations,count,total_ns,error_ns,mean_ns,"
                       "slope_ns,slope_error_ns,worst1,worst1_ns,worst2,worst2_ns,worst3,worst3_ns\n");
    for (size_t i = 0; i < count && r->format != REPORT_TEXT; i++)
        (r->format == REPORT_JSON ? json_loop : csv_loop)(r, &rows[i]);
    if (r->format == REPORT_JSON)
        json_summary(r);
    return status;
}
