/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a look as JSON: one object a line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show.h"

static const char *const state_names[] = {
    [UNIT_IN_CALL] = "in MPI", [UNIT_COMPUTING] = "computing", [UNIT_FINALIZE] = "finalize", [UNIT_EXIT] = "exit",
    [UNIT_ABORT] = "abort",    [UNIT_SIGNAL] = "signal",       [UNIT_ERROR] = "error",       [UNIT_KILLED] = "killed"};

static void put_key(struct output *o, const char *separator, const char *name)
{
    out_text(o, separator);
    out_json_string(o, name, strlen(name));
    out_char(o, ':');
}

static void put_string(struct output *o, const char *text)
{
    out_json_string(o, text, strlen(text));
}

static void put_number(struct output *o, double v)
{
    char text[32];
    if (v < 0) {
        out_text(o, "null");
        return;
    }
    snprintf(text, sizeof text, "%.3f", v);
    out_text(o, text);
}

static void put_site(const struct show *s, const struct class_site *class)
{
    struct output *o = s->o;
    if (!class || !class->has_site)
        return;
    const char *line = show_line(s, &class->site);
    put_key(o, ",", "line");
    if (line)
        put_string(o, line);
    else
        out_text(o, "null");
    put_key(o, ",", "module");
    put_string(o, class->site.module->name);
    put_key(o, ",", "offset");
    out_uint(o, class->site.offset);
}

/* An argument that all units of G share; ranks as numbers or as the distance from one's own. */
static void put_arguments(struct output *o, const struct group *g)
{
    const struct unit *u = g->units[0];
    bool any = false;
    put_key(o, ",", "arguments");
    out_char(o, '{');
    for (unsigned i = 0; i < u->argument_count; i++) {
        const struct call_argument *a = &u->arguments[i];
        enum agreement agreement = group_argument(g, i);
        if (agreement == DIFFERS)
            continue;
        put_key(o, any ? "," : "", a->name);
        any = true;
        if (a->is_number) {
            out_text(o, a->text);
        } else if (a->text[0]) {
            put_string(o, a->text);
        } else if (agreement == AGREES) {
            out_int(o, a->rank);
        } else {
            out_text(o, "{\"relative\":");
            out_int(o, a->relative);
            out_char(o, '}');
        }
    }
    out_char(o, '}');
}

/* Prints the functions around the call of the units of G, the outermost first. */
static void put_path(const struct show *s, const struct group *g)
{
    static struct source_function functions[SHOWN_FUNCTIONS_MAX];
    struct output *o = s->o;
    bool whole;
    size_t count = show_path(s, g, functions, &whole);
    if (!count)
        return;
    put_key(o, ",", "path");
    for (size_t i = count; i-- > 0;) {
        out_text(o, i + 1 == count ? "[{" : ",{");
        put_key(o, "", "function");
        put_string(o, functions[i].name);
        if (i + 1 < count) {
            put_key(o, ",", "called_at");
            put_string(o, functions[i + 1].place);
        }
        out_char(o, '}');
    }
    out_char(o, ']');
    put_key(o, ",", "path_whole");
    out_text(o, whole ? "true" : "false");
}

/* Prints the loops that all units of G are in, the outermost first. */
static void put_loops(const struct show *s, const struct group *g)
{
    struct output *o = s->o;
    unsigned count = group_loops(g);
    if (!count)
        return;
    put_key(o, ",", "loops");
    for (unsigned i = count; i > 0; i--) {
        const struct class_site *begins = g->units[0]->loops[i - 1].begins;
        uint64_t least, most;
        group_iterations(g, i - 1, &least, &most);
        out_text(o, i == count ? "[{\"iteration\":[" : ",{\"iteration\":[");
        out_uint(o, least);
        out_char(o, ',');
        out_uint(o, most);
        out_char(o, ']');
        put_key(o, ",", "function");
        put_string(o, g->units[0]->process->journal->vocabulary.functions[begins->function].name);
        put_site(s, begins);
        out_char(o, '}');
    }
    out_char(o, ']');
}

/* Prints the call that the units of G have made last. */
static void put_last(const struct show *s, const struct group *g)
{
    const struct unit *u = g->units[0];
    put_key(s->o, ",", "last");
    out_char(s->o, '{');
    put_key(s->o, "", "function");
    put_string(s->o, u->function->name);
    put_site(s, u->class);
    put_path(s, g);
    put_key(s->o, ",", "seconds");
    out_char(s->o, '[');
    put_number(s->o, g->shortest);
    out_char(s->o, ',');
    put_number(s->o, g->longest);
    out_char(s->o, ']');
    put_loops(s, g);
    out_char(s->o, '}');
}

static void put_requests(const struct show *s, const struct unit *u)
{
    struct output *o = s->o;
    if (!u->request_kinds)
        return;
    put_key(o, ",", "requests");
    for (unsigned i = 0; i < u->request_kinds; i++) {
        const struct request_kind *r = &u->requests[i];
        out_text(o, i ? ",{\"count\":" : "[{\"count\":");
        out_uint(o, r->count);
        if (r->begun) {
            put_key(o, ",", "function");
            put_string(o, u->process->journal->vocabulary.functions[r->begun->function].name);
        }
        put_site(s, r->begun);
        out_char(o, '}');
    }
    out_char(o, ']');
}

/* Prints the ranks of G; if some rank has several threads, also which of them each unit is. */
static void put_ranks(const struct show *s, const struct group *g)
{
    struct output *o = s->o;
    put_key(o, ",", "ranks");
    for (size_t i = 0; i < g->count; i++) {
        out_char(o, i ? ',' : '[');
        out_uint(o, g->units[i]->process->read->rank);
    }
    out_char(o, ']');
    if (s->look->unit_count == s->look->process_count)
        return;
    put_key(o, ",", "threads");
    for (size_t i = 0; i < g->count; i++) {
        out_char(o, i ? ',' : '[');
        out_uint(o, g->units[i]->thread ? g->units[i]->thread->number : 0);
    }
    out_char(o, ']');
}

static void put_group(const struct show *s, const struct group *g)
{
    struct output *o = s->o;
    const struct unit *u = g->units[0];
    out_text(o, "{\"state\":");
    put_string(o, state_names[u->state]);
    if (u->state == UNIT_SIGNAL || u->state == UNIT_ABORT || u->state == UNIT_ERROR)
        out_json_field(o, "number", u->process->read->ending_number);
    if (u->process->stopped)
        out_text(o, ",\"stopped\":true");
    if (u->state == UNIT_IN_CALL && u->function) {
        put_key(o, ",", "function");
        put_string(o, u->function->name);
        put_arguments(o, g);
        if (group_has_same_requests(g))
            put_requests(s, u);
        put_site(s, u->class);
        put_path(s, g);
        put_key(o, ",", "seconds");
        out_char(o, '[');
        put_number(o, g->shortest);
        out_char(o, ',');
        put_number(o, g->longest);
        out_char(o, ']');
        put_loops(s, g);
    } else if (u->state == UNIT_COMPUTING && u->function) {
        put_last(s, g);
    }
    put_key(o, ",", "calls_per_second");
    put_number(o, g->rate);
    put_key(o, ",", "mpi_share");
    put_number(o, mpi_share(g->units, g->count));
    put_ranks(s, g);
    out_char(o, '}');
}

static void put_groups(const struct show *s, const struct groups *g)
{
    for (size_t i = 0; i < g->count; i++) {
        out_text(s->o, i ? "," : "");
        put_group(s, &g->items[i]);
    }
}

/* In a cycle each unit is a group, in the order in which they wait. */
static void put_deadlock(const struct show *s, const struct deadlock *f)
{
    static const char *const kinds[] = {[DEADLOCK_CYCLE] = "cycle",
                                        [DEADLOCK_ENDED] = "peer ended",
                                        [DEADLOCK_FUNCTIONS] = "different collectives",
                                        [DEADLOCK_ROOTS] = "different roots",
                                        [DEADLOCK_MISSING] = "missing ranks"};
    struct groups g = {0};
    out_text(s->o, "{\"kind\":");
    put_string(s->o, kinds[f->kind]);
    out_text(s->o, ",\"groups\":[");
    if (!f->collective) {
        for (size_t i = 0; i < f->count; i++) {
            const struct unit *u = f->units[i];
            const struct group alone = {
                .units = &f->units[i], .count = 1, .shortest = u->seconds, .longest = u->seconds, .rate = u->rate};
            out_text(s->o, i ? "," : "");
            put_group(s, &alone);
        }
    } else if (groups_make(&g, f->units, f->count)) {
        put_groups(s, &g);
    }
    groups_free(&g);
    out_text(s->o, "]}");
}

void show_json(const struct show *s)
{
    struct output *o = s->o;
    char run[32];
    snprintf(run, sizeof run, "%016" PRIx64, s->look->journals[0].run);
    out_text(o, "{\"run\":");
    put_string(o, run);
    out_json_field(o, "ranks", s->look->ranks);
    out_json_field(o, "journals", (int64_t)s->look->process_count);
    put_key(o, ",", "calls_per_second");
    put_number(o, s->look->rate);
    put_key(o, ",", "mpi_share");
    put_number(o, mpi_share(s->groups->sorted, s->look->unit_count));
    put_key(o, ",", "groups");
    out_char(o, '[');
    put_groups(s, s->groups);
    out_char(o, ']');
    put_key(o, ",", "deadlocks");
    out_char(o, '[');
    for (size_t i = 0; i < s->found->count; i++) {
        out_text(o, i ? "," : "");
        put_deadlock(s, &s->found->items[i]);
    }
    out_char(o, ']');
    put_key(o, ",", "stalled_seconds");
    put_number(o, s->found->stalled);
    out_text(o, "}\n");
}
