/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile (PILGRIM_TIMING=aggregate) says of waiting: by call site of functions that may wait, the time of its
 * calls, which is the most that they can have waited, and what they took beyond the shortest one. Of a collective call
 * the last process to come does not wait, so the shortest call tells about what the operation itself takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/match_roles.h"
#include "analysis/profile.h"
#include "../../decoder/csv_cells.h"
#include "waits_report.h"

struct call_bound {
    const struct profile_row *row;
    double ns, beyond_ns; /* all; beyond the shortest call, negative: not known */
};

/* True if calls of the function may wait for other processes. */
static bool may_wait(struct match_roles *roles, const struct pilgrim_function *function, bool *memory)
{
    const struct match_role *role = match_role_of(roles, function);
    if (!role) {
        *memory = false;
        return false;
    }
    switch (role->act) {
    case ACT_SEND:
    case ACT_RECEIVE:
    case ACT_EXCHANGE:
    case ACT_TAKE:
        return !role->persistent && role->index[P_REQUEST] < 0;
    case ACT_WAIT:
    case ACT_PROBE:
        return strncmp(function->name, "MPI_Test", strlen("MPI_Test")) != 0 && role->index[P_FLAG] < 0;
    case ACT_COLLECTIVE:
        return !role->persistent && role->index[P_REQUEST] < 0 && !role->finalize && !role->init;
    case ACT_COMM:
    case ACT_COMM_END:
    case ACT_CONTAINER:
    case ACT_CONTAINER_CALL:
        return role->index[P_REQUEST] < 0;
    default:
        return false;
    }
}

static int by_bound(const void *a, const void *b)
{
    const struct call_bound *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Returns the bounds of P, the largest first, to be freed. NULL: no memory */
static struct call_bound *bounds_of(const struct call_profile *p, size_t *count)
{
    struct call_bound *bounds = malloc((p->row_count + 1) * sizeof *bounds);
    struct match_roles roles = {0};
    bool memory = bounds != NULL;
    *count = 0;
    for (size_t i = 0; i < p->row_count && memory; i++) {
        const struct pilgrim_statistic *d = &p->rows[i].durations;
        if (!d->count || !may_wait(&roles, p->rows[i].class->function, &memory))
            continue;
        const double beyond = d->total_ns - (double)d->count * (double)d->min_ns;
        bounds[(*count)++] = (struct call_bound){.row = &p->rows[i],
                                                 .ns = d->total_ns,
                                                 .beyond_ns = d->brief     ? -1
                                                              : beyond > 0 ? beyond
                                                                           : 0};
    }
    match_roles_free(&roles);
    if (memory) {
        qsort(bounds, *count, sizeof *bounds, by_bound);
        return bounds;
    }
    free(bounds);
    return NULL;
}

static double most_computing(const struct call_profile *p)
{
    return p->activities[PILGRIM_COMPUTING].most_ns;
}

static void text_bounds(const struct report *r, const struct call_profile *p, const struct call_bound *bounds,
                        size_t count)
{
    char text[512], place[PLACE_MAX], most[OUT_DURATION_MAX], beyond[OUT_DURATION_MAX], mean[OUT_DURATION_MAX];
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += bounds[i].ns;
    snprintf(
        text, sizeof text,
        "%llu ranks; in MPI %.1f%% of all time, waiting at most %.1f%%; load balance %.2f\n"
        "A profile does not say who waited for whom: PILGRIM_TIMING=bins does with an error, exact does without.\n",
        (unsigned long long)p->ranks, p->run_ns > 0 ? 100 * p->mpi_ns / p->run_ns : 0,
        p->run_ns > 0 ? 100 * (all < p->mpi_ns ? all : p->mpi_ns) / p->run_ns : 0,
        most_computing(p) > 0 ? p->activities[PILGRIM_COMPUTING].total_ns / (double)p->ranks / most_computing(p) : 1);
    out_text(r->o, text);
    for (size_t i = 0; i < count && i < r->limit; i++) {
        const struct pilgrim_statistic *d = &bounds[i].row->durations;
        if (!i)
            out_text(r->o, "waited at most  share  beyond the shortest     count       mean  where\n");
        report_frame(r, bounds[i].row->class->site, place);
        put_duration(most, bounds[i].ns);
        put_duration(beyond, bounds[i].beyond_ns);
        put_duration(mean, d->mean_ns);
        snprintf(text, 256, "%14s %5.1f%% %20s %9llu %10s  ", most, p->run_ns > 0 ? 100 * bounds[i].ns / p->run_ns : 0,
                 bounds[i].beyond_ns < 0 ? "?" : beyond, (unsigned long long)d->count, mean);
        out_text(r->o, text);
        out_name(r->o, bounds[i].row->class->function->name);
        out_text(r->o, " at ");
        out_name(r->o, place);
        out_char(r->o, '\n');
    }
}

static void row_bounds(const struct report *r, const struct call_bound *bounds, size_t count)
{
    static const char *const names[] = {",\"count\":", ",\"min_ns\":", ",\"max_ns\":"};
    struct csv c = {.out = r->o};
    char place[PLACE_MAX];
    if (r->format == REPORT_CSV)
        out_text(r->o, "at_most_ns,function,site,count,min_ns,max_ns\n");
    for (size_t i = 0; i < count; i++) {
        const struct pilgrim_statistic *d = &bounds[i].row->durations;
        const char *function = bounds[i].row->class->function->name;
        const uint64_t numbers[] = {d->count, d->min_ns, d->max_ns};
        if (r->format == REPORT_CSV) {
            report_frame(r, bounds[i].row->class->site, place);
            csv_ns(&c, bounds[i].ns);
            csv_name(&c, function);
            csv_name(&c, place);
            for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
                csv_uint(&c, numbers[k]);
            csv_end(&c);
            continue;
        }
        out_text(r->o, "{\"at_most_ns\":");
        out_uint(r->o, (uint64_t)(bounds[i].ns + 0.5));
        out_text(r->o, ",\"func\":");
        out_json_string(r->o, function, strlen(function));
        json_frame_place(r, "", bounds[i].row->class->site);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            out_text(r->o, names[k]);
            out_uint(r->o, numbers[k]);
        }
        out_text(r->o, "}\n");
    }
}

enum pilgrim_status waits_print_bounds(struct report *r, const struct pilgrim_trace *trace, struct pilgrim_error *error)
{
    struct call_profile p;
    size_t count;
    const enum pilgrim_status status = profile_make(&p, trace, NULL, NULL, false, error);
    struct call_bound *bounds = status == PILGRIM_NOMEM ? NULL : bounds_of(&p, &count);
    if (bounds && r->format == REPORT_TEXT)
        text_bounds(r, &p, bounds, count);
    else if (bounds)
        row_bounds(r, bounds, count);
    profile_free(&p);
    if (!bounds && status != PILGRIM_NOMEM) {
        error->status = PILGRIM_NOMEM;
        snprintf(error->message, sizeof error->message, "not enough memory");
        return PILGRIM_NOMEM;
    }
    free(bounds);
    return status;
}
