/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a look as text. Names come from files that nobody has checked, so control characters are escaped. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show.h"

enum { RANGES_SHOWN = 8, CYCLE_SHOWN = 16, FUNCTIONS_SHOWN = 6, LINE_BYTES = 256 };

#define TIME_SHOWN_S 0.1 /* a call that takes less is no news */

static void put_name(struct output *o, const char *name)
{
    out_json_escaped(o, name, strlen(name));
}

static void put_count(struct output *o, uint64_t count, const char *one, const char *many)
{
    out_uint(o, count);
    out_char(o, ' ');
    out_text(o, count == 1 ? one : many);
}

static void put_seconds(struct output *o, double seconds)
{
    char text[32];
    snprintf(text, sizeof text, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    out_text(o, text);
}

static void put_rate(struct output *o, double rate)
{
    char text[32];
    snprintf(text, sizeof text, rate > 0 && rate < 9.95 ? "%.1f" : "%.0f", rate);
    out_text(o, text);
    out_text(o, " calls a second");
}

static void put_place(const struct show *s, const struct class_site *class)
{
    if (!class || !class->has_site)
        return;
    const char *line = show_line(s, &class->site);
    out_text(s->o, " at ");
    put_name(s->o, line ? line : class->site.module->name);
    if (line)
        return;
    out_text(s->o, "+0x");
    out_hex(s->o, class->site.offset);
}

/* ---- a call ---- */

static void put_argument(struct output *o, const struct call_argument *a, enum agreement agreement)
{
    put_name(o, a->name);
    out_char(o, '=');
    if (agreement == DIFFERS) {
        out_char(o, '*');
    } else if (a->text[0]) {
        put_name(o, a->text);
    } else if (agreement == AGREES) {
        out_int(o, a->rank);
    } else {
        int64_t to = a->relative > a->size / 2 ? a->relative - a->size : a->relative;
        to = to < -(a->size / 2) ? to + a->size : to;
        out_text(o, to < 0 ? "rank" : "rank+");
        out_int(o, to);
    }
}

/* True if both requests were begun by the same function at the same line, as in a loop that the compiler unrolled. */
static bool same_line(const struct show *s, const struct request_kind *a, const struct request_kind *b)
{
    char text[LINE_BYTES];
    if (!a->begun || !b->begun || a->begun->function != b->begun->function || !a->begun->has_site ||
        !b->begun->has_site)
        return false;
    const char *line = show_line(s, &a->begun->site);
    snprintf(text, sizeof text, "%s", line ? line : "");
    line = show_line(s, &b->begun->site);
    return line && strlen(line) < sizeof text && !strcmp(line, text);
}

static void put_requests(const struct show *s, const struct unit *u)
{
    bool done[REQUEST_KINDS_MAX] = {false};
    for (unsigned i = 0; i < u->request_kinds; i++) {
        const struct request_kind *r = &u->requests[i];
        uint64_t count = r->count;
        if (done[i])
            continue;
        for (unsigned k = i + 1; k < u->request_kinds; k++) {
            if (done[k] || !same_line(s, r, &u->requests[k]))
                continue;
            done[k] = true;
            count += u->requests[k].count;
        }
        out_text(s->o, i ? ", " : "");
        out_uint(s->o, count);
        out_text(s->o, " of ");
        put_name(s->o,
                 r->begun ? u->process->journal->vocabulary.functions[r->begun->function].name : "another thread");
        put_place(s, r->begun);
    }
    if (u->other_requests)
        out_text(s->o, ", ...");
}

/* Prints the call that the units of G are in. */
static void put_call(const struct show *s, const struct group *g)
{
    const struct unit *u = g->units[0];
    put_name(s->o, u->function ? u->function->name : "an MPI call");
    for (unsigned i = 0; i < u->argument_count; i++) {
        out_text(s->o, i ? ", " : "(");
        put_argument(s->o, &u->arguments[i], group_argument(g, i));
    }
    if (u->request_kinds) {
        out_text(s->o, u->argument_count ? ", " : "(");
        if (group_has_same_requests(g))
            put_requests(s, u);
        else
            out_text(s->o, "...");
    }
    if (u->argument_count || u->request_kinds)
        out_char(s->o, ')');
    put_place(s, u->class);
}

/* ---- groups ---- */

static void put_state(const struct show *s, const struct group *g)
{
    static const char *const texts[] = {[UNIT_COMPUTING] = "computing",
                                        [UNIT_FINALIZE] = "in MPI_Finalize",
                                        [UNIT_EXIT] = "ended without MPI_Finalize",
                                        [UNIT_ABORT] = "called MPI_Abort, error code ",
                                        [UNIT_SIGNAL] = "ended by signal ",
                                        [UNIT_ERROR] = "ended by a fatal MPI error",
                                        [UNIT_KILLED] = "gone: killed, or ended by _exit"};
    const struct unit *u = g->units[0];
    if (u->state == UNIT_IN_CALL) {
        out_text(s->o, "in ");
        put_call(s, g);
    } else {
        out_text(s->o, texts[u->state]);
    }
    if (u->state == UNIT_ABORT || u->state == UNIT_SIGNAL)
        out_int(s->o, u->process->read->ending_number);
    if (u->state == UNIT_COMPUTING && u->function) {
        out_text(s->o, "; last call ");
        put_name(s->o, u->function->name);
        put_place(s, u->class);
    }
    if (u->process->stopped)
        out_text(s->o, ", stopped by a signal or a debugger");
}

static void put_times(struct output *o, const struct group *g)
{
    enum unit_state state = g->units[0]->state;
    if (state <= UNIT_COMPUTING && g->longest >= TIME_SHOWN_S) {
        out_text(o, state == UNIT_IN_CALL ? " for " : ", begun ");
        if (g->longest - g->shortest >= 1) {
            put_seconds(o, g->shortest);
            out_text(o, " to ");
        }
        put_seconds(o, g->longest);
        out_text(o, state == UNIT_IN_CALL ? "" : " ago");
    }
    if (state <= UNIT_COMPUTING && g->rate > 0) {
        out_text(o, ", ");
        put_rate(o, g->rate);
        out_text(o, g->count > 1 ? " in all" : "");
    }
}

/* True if units are threads: some rank has several. */
static bool has_threads(const struct show *s)
{
    return s->look->unit_count > s->look->process_count;
}

static void put_unit_name(struct output *o, const struct unit *u, bool threads)
{
    out_uint(o, u->process->read->rank);
    if (!threads)
        return;
    out_char(o, '.');
    out_uint(o, u->thread ? u->thread->number : 0);
}

/* Prints the ranks of G as ranges. */
static void put_ranks(const struct show *s, const struct group *g)
{
    struct output *o = s->o;
    const bool threads = has_threads(s);
    size_t shown = 0;
    for (size_t i = 0, end; i < g->count; i = end) {
        for (end = i + 1; !threads && end < g->count &&
                          g->units[end]->process->read->rank == g->units[end - 1]->process->read->rank + 1;)
            end++;
        out_text(o, i ? ", " : "");
        if (shown++ == RANGES_SHOWN) {
            out_text(o, "...");
            return;
        }
        put_unit_name(o, g->units[i], threads);
        if (end - i > 1) {
            out_char(o, '-');
            put_unit_name(o, g->units[end - 1], threads);
        }
    }
}

/* Prints the two innermost loops that the units of G are in, if they are known. */
static void put_loops(const struct show *s, const struct group *g)
{
    unsigned count = group_loops(g), shown = count < 2 ? count : 2;
    for (unsigned i = shown; i > 0; i--) {
        uint64_t least, most;
        group_iterations(g, i - 1, &least, &most);
        out_text(s->o, i == shown ? "             iteration " : ", iteration ");
        out_uint(s->o, least);
        if (least != most) {
            out_text(s->o, " to ");
            out_uint(s->o, most);
        }
        out_text(s->o, i == shown ? " of the loop" : " of the one in it");
        put_place(s, g->units[0]->loops[i - 1].begins);
    }
    if (shown)
        out_char(s->o, '\n');
}

/* Prints the functions around the call of the units of G, main first, if they say more than the call site. Of many,
 * those at both ends are shown. */
static void put_path(const struct show *s, const struct group *g)
{
    static struct source_function functions[SHOWN_FUNCTIONS_MAX];
    bool whole;
    size_t count = g->units[0]->state <= UNIT_COMPUTING ? show_path(s, g, functions, &whole) : 0;
    if (count < 2)
        return;
    out_text(s->o, whole ? "             in " : "             in ..., ");
    for (size_t i = count; i-- > 0;) {
        bool skipped = count > FUNCTIONS_SHOWN && i >= FUNCTIONS_SHOWN / 2 && i < count - FUNCTIONS_SHOWN / 2;
        if (skipped && i > FUNCTIONS_SHOWN / 2)
            continue;
        out_text(s->o, i + 1 < count ? ", " : "");
        out_text(s->o, skipped ? "..." : "");
        if (skipped)
            continue;
        put_name(s->o, functions[i].name);
        if (i + 1 < count) {
            out_text(s->o, " at ");
            put_name(s->o, functions[i + 1].place);
        }
    }
    out_char(s->o, '\n');
}

static void put_group(const struct show *s, const struct group *g)
{
    char count[32];
    const bool threads = has_threads(s);
    snprintf(count, sizeof count, "%6zu ", g->count);
    out_text(s->o, count);
    out_text(s->o, threads ? g->count == 1 ? "thread  " : "threads " : g->count == 1 ? "rank  " : "ranks ");
    put_state(s, g);
    put_times(s->o, g);
    out_text(s->o, ": ");
    put_ranks(s, g);
    out_char(s->o, '\n');
    put_path(s, g);
    put_loops(s, g);
}

/* ---- deadlocks ---- */

static void put_cycle(const struct show *s, const struct deadlock *f, bool ended)
{
    size_t lines = ended ? 1 : f->count;
    for (size_t i = 0; i < lines && i < CYCLE_SHOWN; i++) {
        const struct group alone = {.units = &f->units[i], .count = 1};
        const struct unit *next = f->units[(i + 1) % f->count];
        out_text(s->o, "       rank ");
        put_unit_name(s->o, f->units[i], has_threads(s));
        out_text(s->o, " in ");
        put_call(s, &alone);
        out_text(s->o, " waits for ");
        out_text(s->o, next == f->units[i] ? "itself" : "rank ");
        if (next != f->units[i])
            out_uint(s->o, next->process->read->rank);
        if (ended)
            out_text(s->o, next->state == UNIT_FINALIZE ? ", which is in MPI_Finalize" : ", which has ended");
        out_char(s->o, '\n');
    }
    if (lines > CYCLE_SHOWN)
        out_text(s->o, "       ...\n");
}

/* Returns the name of the communicator of U's collective call. */
static const char *comm_name(const struct unit *u)
{
    for (unsigned i = 0; i < u->argument_count; i++)
        if (!strcmp(u->arguments[i].name, "comm") || !strcmp(u->arguments[i].name, "comm_old"))
            return u->arguments[i].text;
    return NULL;
}

static void put_comm(const struct show *s, const struct deadlock *f)
{
    const char *comm = comm_name(f->collective);
    const struct group all = {.units = f->units, .count = f->count};
    put_name(s->o, comm ? comm : "MPI_COMM_WORLD");
    if (!comm)
        return;
    out_text(s->o, " (ranks ");
    put_ranks(s, &all);
    out_char(s->o, ')');
}

/* Prints what is wrong. Returns how many units of F are to be listed: they are moved to the front of UNITS. */
static size_t put_collective_head(const struct show *s, const struct deadlock *f, struct unit **units)
{
    size_t missing = 0;
    const struct unit *u = f->collective;
    for (size_t i = 0; i < f->count; i++)
        if (f->kind != DEADLOCK_MISSING || !f->units[i]->stuck || !f->units[i]->collective ||
            f->units[i]->comm != u->comm)
            units[missing++] = f->units[i];
    if (f->kind == DEADLOCK_FUNCTIONS) {
        out_text(s->o, "different collective calls on ");
        put_comm(s, f);
        out_text(s->o, ":\n");
    } else if (f->kind == DEADLOCK_ROOTS) {
        put_name(s->o, u->function->name);
        out_text(s->o, " with different roots on ");
        put_comm(s, f);
        out_text(s->o, ":\n");
    } else {
        put_name(s->o, u->function->name);
        out_text(s->o, " on ");
        put_comm(s, f);
        out_text(s->o, " has ");
        out_uint(s->o, f->count - missing);
        out_text(s->o, " of ");
        out_uint(s->o, f->count);
        out_text(s->o, " ranks. These cannot come:\n");
    }
    return missing;
}

static void put_deadlock(const struct show *s, const struct deadlock *f)
{
    struct groups g = {0};
    out_text(s->o, "DEADLOCK: ");
    if (f->kind == DEADLOCK_ENDED || f->kind == DEADLOCK_CYCLE) {
        if (f->kind == DEADLOCK_ENDED) {
            out_text(s->o, "a rank waits for one that has ended:\n");
        } else if (f->count == 1) {
            out_text(s->o, "a rank waits for itself:\n");
        } else {
            out_uint(s->o, f->count);
            out_text(s->o, " ranks wait for each other:\n");
        }
        put_cycle(s, f, f->kind == DEADLOCK_ENDED);
        return;
    }
    struct unit **units = malloc((f->count + 1) * sizeof(struct unit *));
    size_t count = units ? put_collective_head(s, f, units) : 0;
    if (count && groups_make(&g, units, count))
        for (size_t i = 0; i < g.count; i++)
            put_group(s, &g.items[i]);
    groups_free(&g);
    free(units);
}

static void put_deadlocks(const struct show *s)
{
    for (size_t i = 0; i < s->found->count; i++) {
        out_char(s->o, '\n');
        put_deadlock(s, &s->found->items[i]);
    }
    if (s->found->more)
        out_text(s->o, "\nThere are more deadlocks.\n");
    if (s->found->stalled >= 0) {
        out_text(s->o, "\nNo rank has left its MPI call for ");
        put_seconds(s->o, s->found->stalled);
        out_text(s->o, ". That it is a deadlock is not certain.\n");
    }
}

/* Says of how many ranks it is not known whether they still run, where they do not move. */
static void put_not_seen(const struct show *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->look->process_count; i++) {
        const struct look_process *p = &s->look->processes[i];
        count += !p->seen && (p->read->ending == JOURNAL_RUNNING || p->read->ending == JOURNAL_FINALIZE);
    }
    if (!count || (!s->found->count && s->found->stalled < 0))
        return;
    out_char(s->o, '\n');
    put_count(s->o, count, "rank is", "ranks are");
    out_text(s->o, " of another machine or container: only there pilgrim-top sees whether they still run.\n");
}

/* ---- all ---- */

static void put_share(const struct show *s)
{
    char text[32];
    double share = mpi_share(s->groups->sorted, s->look->unit_count);
    if (share < 0)
        return;
    snprintf(text, sizeof text, "; %.0f%% of the time in MPI", 100 * share);
    out_text(s->o, text);
}

static void put_head(const struct show *s)
{
    size_t in = 0, computing = 0, ended = 0;
    const struct look *look = s->look;
    for (size_t i = 0; i < look->unit_count; i++) {
        in += unit_in_mpi(&look->units[i]);
        computing += look->units[i].state == UNIT_COMPUTING;
        ended += unit_ended(&look->units[i]);
    }
    put_count(s->o, look->ranks, "rank", "ranks");
    if (look->unit_count > look->process_count) {
        out_text(s->o, ", ");
        put_count(s->o, look->unit_count, "thread", "threads");
    }
    out_text(s->o, ": ");
    out_uint(s->o, in);
    out_text(s->o, " in MPI, ");
    out_uint(s->o, computing);
    out_text(s->o, " computing, ");
    out_uint(s->o, ended);
    out_text(s->o, " ended");
    if (look->rate >= 0) {
        out_text(s->o, "; ");
        put_rate(s->o, look->rate);
    }
    put_share(s);
    out_char(s->o, '\n');
    if (look->process_count < look->ranks) {
        put_count(s->o, look->ranks - look->process_count, "rank has", "ranks have");
        out_text(s->o, " no journal here: ended well, or on a machine whose journal is elsewhere\n");
    }
}

void show_text(const struct show *s)
{
    const size_t count = s->groups->count, shown = s->groups_shown && count > s->groups_shown ? s->groups_shown : count;
    put_head(s);
    put_deadlocks(s);
    put_not_seen(s);
    out_char(s->o, '\n');
    for (size_t i = 0; i < shown; i++)
        put_group(s, &s->groups->items[i]);
    if (shown < count)
        put_count(s->o, count - shown, "more line\n", "more lines\n");
}
