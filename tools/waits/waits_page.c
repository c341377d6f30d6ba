/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of pilgrim-waits for people; see waits_report.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "waits_report.h"

enum { WORST = 3, FEW = 5, NAME_COLUMNS = 16 };

/* Behind the first FEW lines, those of less than this share of all ranks' time are summed up. */
static const double small_share = 0.001;

/* ---- text: a line for each pattern and site ---- */

struct site_line {
    const struct wait_row *rows;
    size_t count;
    struct wait_sum sum;
};

static int by_total(const void *a, const void *b)
{
    const struct site_line *x = a, *y = b;
    if (x->sum.total_ns != y->sum.total_ns)
        return x->sum.total_ns > y->sum.total_ns ? -1 : 1;
    return (x->rows > y->rows) - (x->rows < y->rows);
}

/* Adds up rows of one pattern and site. Returns how many lines there are. */
static size_t make_lines(const struct wait_states *w, struct site_line *lines)
{
    size_t count = 0;
    for (size_t i = 0; i < w->row_count; i++) {
        const struct wait_row *row = &w->rows[i];
        if (!count || lines[count - 1].rows->pattern != row->pattern || lines[count - 1].rows->site != row->site)
            lines[count++] = (struct site_line){.rows = row};
        struct site_line *line = &lines[count - 1];
        line->count++;
        line->sum.count += row->sum.count;
        line->sum.total_ns += row->sum.total_ns;
        line->sum.error_ns += row->sum.error_ns;
        line->sum.unresolved += row->sum.unresolved;
        line->sum.put_off_ns += row->sum.put_off_ns;
    }
    return count;
}

/* Writes the ranks that waited longest: "3, 12, 15". */
static void worst_ranks(const struct site_line *line, char *text, size_t size)
{
    size_t taken[WORST], at = 0;
    for (size_t n = 0; n < WORST && n < line->count; n++) {
        size_t best = line->count;
        for (size_t i = 0; i < line->count; i++) {
            bool again = false;
            for (size_t k = 0; k < n; k++)
                again |= taken[k] == i;
            if (!again && (best == line->count || line->rows[i].sum.total_ns > line->rows[best].sum.total_ns))
                best = i;
        }
        taken[n] = best;
        at += (size_t)snprintf(text + at, size - at, "%s%u", n ? ", " : "", line->rows[best].rank);
    }
}

/* Returns what the line's waits are due to most; NULL: nothing is known. */
static const struct wait_root *main_root(const struct wait_states *w, const struct site_line *line)
{
    for (size_t i = 0; i < w->root_count; i++)
        if (w->roots[i].pattern == line->rows->pattern && w->roots[i].site == line->rows->site)
            return &w->roots[i];
    return NULL;
}

void report_doing(const struct report *r, uint32_t thread, uint32_t class, bool rank, char text[3 * PLACE_MAX])
{
    const struct cause_thread *t = report_thread(r, thread);
    char place[PLACE_MAX], who[64] = "";
    if (!t) {
        snprintf(text, 3 * PLACE_MAX, "many others");
        return;
    }
    report_place(r, class / 2, place);
    if (rank && t->thread)
        snprintf(who, sizeof who, "rank %u thread %u, ", t->rank, t->thread);
    else if (rank)
        snprintf(who, sizeof who, "rank %u, ", t->rank);
    snprintf(text, 3 * PLACE_MAX, "%s%s %s at %s", who, class % 2 ? "in" : "computing before",
             report_function(r, class / 2), place);
}

uint64_t waits_rank_count(const struct report *r)
{
    uint64_t count = 0;
    for (uint32_t rank = 0; rank < r->w->process_count; rank++)
        count += selection_has_number(r->selection, SELECT_RANK, rank);
    return count;
}

/* Returns the part of the time of these ranks. */
static double share_of_all(const struct report *r, uint64_t ns)
{
    const double all = r->efficiency.run_ns * (double)waits_rank_count(r);
    return all > 0 ? (double)ns / all : 0;
}

/* Returns whom the line's waits were for most, if nothing is known of what they are due to; NULL: nothing is known. */
static const struct wait_cause *main_cause(const struct wait_states *w, const struct site_line *line)
{
    for (size_t i = 0; i < w->cause_count && wait_pattern_aside(line->rows->pattern); i++)
        if (w->causes[i].pattern == line->rows->pattern && w->causes[i].site == line->rows->site)
            return &w->causes[i];
    return NULL;
}

static void text_cause(const struct report *r, const struct wait_cause *cause, uint64_t total_ns, int columns)
{
    char place[PLACE_MAX], what[3 * PLACE_MAX], share[64];
    report_place(r, cause->cause_site, place);
    snprintf(share, sizeof share, "%-*s %3.0f%% for ", columns, "", 100 * (double)cause->total_ns / (double)total_ns);
    snprintf(what, sizeof what, "rank %u, %s at %s", cause->rank, report_function(r, cause->cause_site), place);
    out_text(r->o, share);
    out_name(r->o, what);
    out_char(r->o, '\n');
}

static void text_line(const struct report *r, const struct site_line *line, int columns)
{
    char place[PLACE_MAX], where[2 * PLACE_MAX], cells[3 * PLACE_MAX], total[OUT_DURATION_MAX], error[OUT_DURATION_MAX];
    char ranks[64] = "";
    report_place(r, line->rows->site, place);
    snprintf(where, sizeof where, "%s at %s", report_function(r, line->rows->site), place);
    put_duration(total, (double)line->sum.total_ns);
    put_duration(error, (double)line->sum.error_ns);
    worst_ranks(line, ranks, sizeof ranks);
    snprintf(cells, sizeof cells, "%-*s %9s +-%-8s %5.1f%% %9llu  %-14s ", columns,
             wait_pattern_name(line->rows->pattern), total, error, 100 * share_of_all(r, line->sum.total_ns),
             (unsigned long long)line->sum.count, ranks);
    out_text(r->o, cells);
    out_name(r->o, where);
    const struct wait_root *root = main_root(r->w, line);
    out_char(r->o, '\n');
    if (root && line->sum.total_ns) {
        char what[3 * PLACE_MAX];
        report_doing(r, root->thread, root->class, true, what);
        snprintf(cells, sizeof cells, "%-*s ", columns, "");
        out_text(r->o, cells);
        snprintf(cells, sizeof cells, "%3.0f%% due to ",
                 100 * (root->direct_ns + root->indirect_ns) / (double)line->sum.total_ns);
        out_text(r->o, cells);
        out_name(r->o, what);
        out_char(r->o, '\n');
    }
    const struct wait_cause *cause = main_cause(r->w, line);
    if (cause && line->sum.total_ns)
        text_cause(r, cause, line->sum.total_ns, columns);
    if (wait_pattern_completes(line->rows->pattern)) {
        snprintf(cells, sizeof cells, "%-*s no wait for others: %s\n", columns, "",
                 line->rows->pattern == COMPLETE_INIT ? "from when the first one had left"
                                                      : "all had come, and the first one had left");
        out_text(r->o, cells);
    }
    if (200 * line->sum.put_off_ns > line->sum.total_ns) {
        snprintf(cells, sizeof cells,
                 "%-*s %3.0f%% in the wrong order: what was received later had been sent earlier\n", columns, "",
                 100 * (double)line->sum.put_off_ns / (double)line->sum.total_ns);
        out_text(r->o, cells);
    }
}

/* Prints the first lines, and the sum of the others. Returns the columns of the first cell. */
static int text_lines(const struct report *r, const struct site_line *lines, size_t count)
{
    struct wait_sum others = {0};
    char cells[256], total[OUT_DURATION_MAX], error[OUT_DURATION_MAX], name[64];
    int columns = NAME_COLUMNS;
    size_t shown = 0;
    while (count && !lines[count - 1].sum.count)
        count--;
    while (shown < count && shown < r->limit &&
           (shown < FEW || share_of_all(r, lines[shown].sum.total_ns) >= small_share)) {
        int length = (int)strlen(wait_pattern_name(lines[shown++].rows->pattern));
        columns = length > columns ? length : columns;
    }
    if (shown) {
        snprintf(cells, sizeof cells, "%-*s     total    error   share     count  ranks (worst)  where\n", columns,
                 "pattern");
        out_text(r->o, cells);
    }
    for (size_t i = 0; i < shown; i++)
        text_line(r, &lines[i], columns);
    if (shown == count)
        return columns;
    for (size_t i = shown; i < count; i++) {
        others.total_ns += lines[i].sum.total_ns;
        others.error_ns += lines[i].sum.error_ns;
        others.count += lines[i].sum.count;
    }
    snprintf(name, sizeof name, "%zu more", count - shown);
    put_duration(total, (double)others.total_ns);
    put_duration(error, (double)others.error_ns);
    snprintf(cells, sizeof cells, "%-*s %9s +-%-8s %5.1f%% %9llu\n", columns, name, total, error,
             100 * share_of_all(r, others.total_ns), (unsigned long long)others.count);
    out_text(r->o, cells);
    return columns;
}

/* Writes SHARE of all time, with its error; what is not larger than that is no number. */
static void put_share(char text[64], const char *name, double share, double error)
{
    if (error > 0 && share <= error)
        snprintf(text, 64, "%s not resolved", name);
    else if (error >= 0.0005)
        snprintf(text, 64, "%s %.1f%% (+-%.1f%%)", name, 100 * share, 100 * error);
    else
        snprintf(text, 64, "%s %.1f%%", name, 100 * share);
}

static void text_efficiency(const struct report *r)
{
    const struct efficiency *e = &r->efficiency;
    char run[OUT_DURATION_MAX], useful[64], waiting[64], text[512], error[32] = "";
    put_duration(run, e->run_ns);
    put_share(useful, "useful", e->useful, e->useful_error);
    put_share(waiting, "waiting", e->waiting, e->waiting_error);
    snprintf(text, sizeof text, "%u ranks, run %s; %s, %s, else in MPI %.1f%%\n", r->w->process_count, run, useful,
             waiting, 100 * e->in_mpi);
    out_text(r->o, text);
    if (e->parallel <= 0)
        return;
    if (e->error >= 1) {
        out_text(r->o, "parallel efficiency not resolved: times are rounded too much; PILGRIM_TIMING=exact tells\n");
        return;
    }
    if (e->error >= 0.0005)
        snprintf(error, sizeof error, ", all +-%.1f%%", 100 * e->error);
    const double parts[] = {e->parallel, e->load_balance, e->communication, e->serialization, e->transfer};
    char figures[5][16];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) /* two digits that say something: 0.84, 0.0012 */
        snprintf(figures[i], sizeof figures[i], parts[i] < 0.1 ? "%.2g" : "%.2f", parts[i]);
    snprintf(text, sizeof text,
             "parallel efficiency %s = load balance %s x communication %s (serialization %s x transfer %s%s)\n",
             figures[0], figures[1], figures[2], figures[3], figures[4], error);
    out_text(r->o, text);
}

/* Of chosen waits: what part of all they are; and how the chosen ranks spent their time. */
static void text_choice(const struct report *r)
{
    char text[256], some[OUT_DURATION_MAX], all[OUT_DURATION_MAX];
    double useful = 0, mpi = 0, waiting = 0;
    uint64_t count = 0, ns = 0;
    for (size_t i = 0; i < r->w->row_count; i++)
        if (!wait_pattern_completes(r->w->rows[i].pattern)) {
            count += r->w->rows[i].sum.count;
            ns += r->w->rows[i].sum.total_ns;
        }
    for (uint32_t i = 0; i < r->w->causes_found.thread_count; i++) {
        const struct cause_thread *t = &r->w->causes_found.threads[i];
        if (!selection_has_number(r->selection, SELECT_RANK, t->rank) ||
            !selection_has_number(r->selection, SELECT_THREAD, t->thread))
            continue;
        useful += (double)t->useful_ns;
        mpi += (double)t->mpi_ns;
        waiting += (double)t->counted_ns;
    }
    const double spent = useful + mpi;
    if (spent > 0 && (selection_has(r->selection, SELECT_RANK) || selection_has(r->selection, SELECT_THREAD))) {
        snprintf(text, sizeof text, "chosen %s: useful %.1f%%, waiting %.1f%%, else in MPI %.1f%%\n",
                 selection_has(r->selection, SELECT_THREAD) ? "threads" : "ranks", 100 * useful / spent,
                 100 * waiting / spent, 100 * (mpi > waiting ? mpi - waiting : 0) / spent);
        out_text(r->o, text);
    }
    put_duration(some, (double)ns);
    put_duration(all, (double)r->w->all.total_ns);
    snprintf(text, sizeof text, "chosen waits: %llu of %llu, %s of %s\n", (unsigned long long)count,
             (unsigned long long)r->w->all.count, some, all);
    out_text(r->o, text);
}

void text_summary(const struct report *r)
{
    const struct match_totals *t = &r->w->totals;
    uint64_t unresolved = 0, unmatched = 0;
    char backward[OUT_DURATION_MAX], text[256];
    for (size_t i = 0; i < r->w->row_count; i++) /* completions are no waits */
        unresolved += wait_pattern_completes(r->w->rows[i].pattern) ? 0 : r->w->rows[i].sum.unresolved;
    for (unsigned i = 0; i < MATCH_REASONS; i++)
        unmatched += i != MATCH_CANCELLED ? t->unmatched[i] : 0; /* that was the program's will */
    text_efficiency(r);
    if (report_chooses(r))
        text_choice(r);
    if (unresolved) {
        snprintf(text, sizeof text, "not resolved: %llu waits that are not longer than their errors\n",
                 (unsigned long long)unresolved);
        out_text(r->o, text);
    }
    if (unmatched && !report_chooses(r)) {
        snprintf(text, sizeof text,
                 "without a partner: %llu sends and receives (pilgrim-decode --messages says which, and why)\n",
                 (unsigned long long)unmatched);
        out_text(r->o, text);
    }
    if ((t->collectives_missing || t->collectives_differ) && !report_chooses(r)) {
        snprintf(text, sizeof text,
                 "collective operations: %llu incomplete, %llu with different functions or roots (pilgrim-decode "
                 "--messages says which)\n",
                 (unsigned long long)t->collectives_missing, (unsigned long long)t->collectives_differ);
        out_text(r->o, text);
    }
    if (r->w->backward && !report_chooses(r)) {
        put_duration(backward, (double)r->w->backward_max_ns);
        snprintf(text, sizeof text, "clocks: %llu messages arrived before they were sent, by up to %s\n",
                 (unsigned long long)r->w->backward, backward);
        out_text(r->o, text);
    }
}

/* What made others wait, the most first. */
static void text_delays(const struct report *r, int columns)
{
    char cells[256], what[3 * PLACE_MAX], total[OUT_DURATION_MAX], error[OUT_DURATION_MAX];
    size_t shown = 0;
    for (size_t i = 0; i < r->delay_count && shown < FEW && shown < r->limit; i++) {
        const struct delay_cost *delay = &r->delays[i];
        const double cost = delay->direct_ns + delay->indirect_ns;
        if (cost <= delay->error_ns)
            continue;
        if (!shown++) {
            snprintf(cells, sizeof cells, "%-*s      cost    error   share  directly  rank, what it did longer\n",
                     columns, "delays");
            out_text(r->o, cells);
        }
        put_duration(total, cost);
        put_duration(error, delay->error_ns);
        report_doing(r, delay->thread, delay->class, true, what);
        snprintf(cells, sizeof cells, "%-*s %9s +-%-8s %5.1f%% %8.0f%%  ", columns, "", total, error,
                 100 * share_of_all(r, (uint64_t)cost), 100 * delay->direct_ns / cost);
        out_text(r->o, cells);
        out_name(r->o, what);
        out_char(r->o, '\n');
    }
}

/* What the run's length consists of. */
static void text_path(const struct report *r, int columns)
{
    char cells[256], what[3 * PLACE_MAX], total[OUT_DURATION_MAX], more[OUT_DURATION_MAX];
    for (size_t i = 0; i < r->path_count && i < FEW && i < r->limit; i++) {
        const struct path_share *share = &r->path[i];
        if (!i) {
            snprintf(cells, sizeof cells, "%-*s    length           share imbalance  mostly\n", columns,
                     "critical path");
            out_text(r->o, cells);
        }
        put_duration(total, (double)share->ns);
        put_duration(more, share->imbalance_ns);
        report_doing(r, share->thread, share->class, true, what);
        snprintf(cells, sizeof cells, "%-*s %9s           %5.1f%% %9s  ", columns, "", total,
                 100 * (double)share->ns / (double)r->path_ns, more);
        out_text(r->o, cells);
        out_name(r->o, what);
        out_char(r->o, '\n');
    }
}

/* Writes a call: "MPI_Recv at app.c:7 (rank 1, call 9, 128 bytes)". */
static void text_call(const struct report *r, const struct finding_call *call)
{
    char place[PLACE_MAX], text[3 * PLACE_MAX], thread[32] = "", bytes[96] = "", error[64] = "";
    report_place(r, call->site, place);
    if (call->thread)
        snprintf(thread, sizeof thread, " thread %u", call->thread);
    if (call->bytes != UINT64_MAX)
        snprintf(bytes, sizeof bytes, ", %llu bytes%s%s", (unsigned long long)call->bytes, call->type ? " of MPI_" : "",
                 call->type ? call->type : "");
    if (call->error)
        snprintf(error, sizeof error, ", %s", call->error);
    snprintf(text, sizeof text, "%s at %s (rank %u%s, call %llu%s%s)", report_function(r, call->site), place,
             call->rank, thread, (unsigned long long)call->seq, bytes, error);
    out_name(r->o, text);
}

void text_findings(const struct report *r)
{
    const struct findings *f = &r->w->findings;
    char text[128];
    for (size_t i = 0; i < f->count && i < r->limit; i++) {
        const struct mistake *finding = &f->all[i];
        snprintf(text, sizeof text, "%s%s, %llu: ", i ? "" : "findings\n", finding_name(finding->kind),
                 (unsigned long long)finding->count);
        out_text(r->o, text);
        text_call(r, &finding->first);
        if (finding->both) {
            out_text(r->o, " and ");
            text_call(r, &finding->second);
        }
        out_char(r->o, '\n');
    }
    if (f->count > r->limit) {
        snprintf(text, sizeof text, "and %zu more: --limit=%zu prints all\n", f->count - (size_t)r->limit, f->count);
        out_text(r->o, text);
    }
}

bool report_text(const struct report *r)
{
    struct site_line *lines = malloc((r->w->row_count + 1) * sizeof *lines);
    if (!lines)
        return false;
    const size_t count = make_lines(r->w, lines);
    qsort(lines, count, sizeof *lines, by_total);
    text_summary(r);
    int columns = text_lines(r, lines, count);
    text_delays(r, columns);
    if (!report_chooses(r)) { /* these are of the whole run */
        text_path(r, columns);
        text_findings(r);
    }
    free(lines);
    return true;
}
