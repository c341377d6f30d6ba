/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of units; see show.h. */
#include <stdlib.h>
#include <string.h>

#include "show.h"

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* The order of places: by function, module, offset. */
static int place_order(const struct unit *a, const struct unit *b)
{
    int by_function = strcmp(a->function ? a->function->name : "", b->function ? b->function->name : "");
    bool has_a = a->class && a->class->has_site, has_b = b->class && b->class->has_site;
    if (by_function || has_a != has_b || !has_a)
        return by_function ? by_function : order(has_a, has_b);
    int by_module = strcmp(a->class->site.module->name, b->class->site.module->name);
    return by_module ? by_module : order(a->class->site.offset, b->class->site.offset);
}

/* The order of groups. */
static int group_order(const struct unit *a, const struct unit *b)
{
    if (a->state != b->state)
        return order(a->state, b->state);
    if (a->process->stopped != b->process->stopped)
        return order(a->process->stopped, b->process->stopped);
    if (a->state == UNIT_SIGNAL || a->state == UNIT_ABORT || a->state == UNIT_ERROR)
        return order((uint32_t)a->process->read->ending_number, (uint32_t)b->process->read->ending_number);
    int by_place = a->state <= UNIT_COMPUTING ? place_order(a, b) : 0;
    return by_place ? by_place : order((uint64_t)(a->root + 1), (uint64_t)(b->root + 1));
}

static int unit_order(const void *one, const void *other)
{
    const struct unit *a = *(const struct unit *const *)one, *b = *(const struct unit *const *)other;
    int by_group = group_order(a, b);
    return by_group ? by_group : (a > b) - (a < b); /* units are sorted by rank */
}

static int size_order(const void *one, const void *other)
{
    const struct group *a = one, *b = other;
    int by_time = (a->longest < b->longest) - (a->longest > b->longest);
    return a->count == b->count ? by_time : order(a->count, b->count);
}

static void add_times(struct group *g, const struct unit *u)
{
    if (u->seconds >= 0 && (g->longest < 0 || u->seconds > g->longest))
        g->longest = u->seconds;
    if (u->seconds >= 0 && (g->shortest < 0 || u->seconds < g->shortest))
        g->shortest = u->seconds;
    if (u->rate >= 0)
        g->rate = u->rate + (g->rate > 0 ? g->rate : 0);
}

bool groups_make(struct groups *g, struct unit *const *units, size_t count)
{
    *g = (struct groups){.sorted = malloc((count + 1) * sizeof(struct unit *)),
                         .items = malloc((count + 1) * sizeof *g->items)};
    if (!g->sorted || !g->items)
        return false;
    for (size_t i = 0; i < count; i++)
        g->sorted[i] = units[i];
    qsort(g->sorted, count, sizeof(struct unit *), unit_order);
    for (size_t i = 0; i < count; i++) {
        if (!i || group_order(g->sorted[i - 1], g->sorted[i]) != 0)
            g->items[g->count++] = (struct group){.units = g->sorted + i, .shortest = -1, .longest = -1, .rate = -1};
        g->items[g->count - 1].count++;
        add_times(&g->items[g->count - 1], g->sorted[i]);
    }
    qsort(g->items, g->count, sizeof *g->items, size_order);
    return true;
}

bool groups_make_all(struct groups *g, const struct look *look)
{
    struct unit **all = malloc((look->unit_count + 1) * sizeof(struct unit *));
    *g = (struct groups){0};
    for (size_t i = 0; all && i < look->unit_count; i++)
        all[i] = &look->units[i];
    bool good = all && groups_make(g, all, look->unit_count);
    free(all);
    return good;
}

void groups_free(struct groups *g)
{
    free(g->sorted);
    free(g->items);
    *g = (struct groups){0};
}

enum agreement group_argument(const struct group *g, unsigned i)
{
    const struct call_argument *first = &g->units[0]->arguments[i];
    bool same = true, relative = !first->text[0];
    for (size_t k = 1; k < g->count; k++) {
        const struct call_argument *a = &g->units[k]->arguments[i];
        if (g->units[k]->argument_count <= i || strcmp(a->name, first->name) != 0 || !a->text[0] != !first->text[0])
            return DIFFERS;
        same = same && !strcmp(a->text, first->text) && (a->text[0] || a->rank == first->rank);
        relative =
            relative && a->size == first->size && (a->relative - first->relative) % (a->size > 0 ? a->size : 1) == 0;
    }
    return same ? AGREES : relative ? AGREES_RELATIVE : DIFFERS;
}

static bool same_site(const struct class_site *a, const struct class_site *b)
{
    return a->function == b->function && a->has_site == b->has_site && a->site.offset == b->site.offset;
}

static bool same_loops(const struct unit *a, const struct unit *b)
{
    bool same = a->loop_count == b->loop_count;
    for (unsigned i = 0; same && i < a->loop_count; i++)
        same = same_site(a->loops[i].begins, b->loops[i].begins);
    return same;
}

unsigned group_loops(const struct group *g)
{
    for (size_t i = 1; i < g->count; i++)
        if (!same_loops(g->units[0], g->units[i]))
            return 0;
    return g->units[0]->loop_count;
}

void group_iterations(const struct group *g, unsigned i, uint64_t *least, uint64_t *most)
{
    *least = UINT64_MAX;
    *most = 0;
    for (size_t k = 0; k < g->count; k++) {
        uint64_t iteration = g->units[k]->loops[i].iteration;
        *least = iteration < *least ? iteration : *least;
        *most = iteration > *most ? iteration : *most;
    }
}

double mpi_share(struct unit *const *units, size_t count)
{
    double in = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        in += units[i]->mpi_seconds;
        all += units[i]->mpi_seconds + units[i]->other_seconds;
    }
    return all > 0 ? in / all : -1;
}

static bool same_requests(const struct unit *a, const struct unit *b)
{
    bool same = a->request_kinds == b->request_kinds && a->other_requests == b->other_requests;
    for (unsigned i = 0; same && i < a->request_kinds; i++) {
        const struct class_site *x = a->requests[i].begun, *y = b->requests[i].begun;
        same = a->requests[i].count == b->requests[i].count && x && y && same_site(x, y);
    }
    return same;
}

bool group_has_same_requests(const struct group *g)
{
    for (size_t i = 1; i < g->count; i++)
        if (!same_requests(g->units[0], g->units[i]))
            return false;
    return true;
}
