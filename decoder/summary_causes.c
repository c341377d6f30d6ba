/* SPDX-License-Identifier: BSD-3-Clause */
/* Says what ranks waited for (--summary), where the trace has times of calls on one axis; see summary.h. */
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/efficiency.h"

enum {
    CAUSES_CALLS = 1000000, /* a second's work */
    CAUSES_SHOWN = 3,
    CAUSE_PERCENT = 5 /* of the time of all ranks */
};

/* Adds a line, if the cost is worth it. Returns whether it did. */
static bool add_cause(struct summary *s, const struct wait_states *w, const struct delay_cost *d, double all_ns)
{
    const double cost = d->direct_ns + d->indirect_ns;
    const struct pilgrim_class *class = match_site(w->match, d->class / 2);
    if (d->thread == DELAY_OTHERS || !class || cost <= d->error_ns || cost * 100 < all_ns * CAUSE_PERCENT)
        return false;
    const struct cause_thread *t = &w->causes_found.threads[d->thread];
    const char *function = class->function->name;
    char time[OUT_DURATION_MAX], who[48];
    if (d->class % 2 && strncmp(function, "MPI_Init", 8) == 0)
        return false; /* the start of the processes */
    struct class_copy *copy = copy_class(&s->classes, class);
    if (!copy)
        return false;
    put_duration(time, cost);
    snprintf(who, sizeof who, t->thread ? "rank %u thread %u" : "rank %u", t->rank, t->thread);
    summary_add_odd(s, "", "%s makes others wait %s (%.0f%% of all time), %s %.40s", who, time, 100 * cost / all_ns,
                    d->class % 2 ? "in" : "computing before", function)
        ->at = &copy->class;
    return true;
}

bool summary_find_causes(struct summary *s, uint32_t computes)
{
    struct wait_states w = {0};
    struct delay_cost *costs = NULL;
    struct pilgrim_error error;
    size_t count = 0, shown = 0;
    bool found = false;
    if (s->ranks < 2 || s->calls > CAUSES_CALLS || wait_states_unknown(s->trace))
        return false;
    if (wait_states_find(&w, s->trace, NULL, NULL, NULL, &error) == PILGRIM_OK && delay_costs_of(&w, &costs, &count)) {
        const double all_ns = efficiency_of(&w).run_ns * (double)w.process_count;
        for (size_t i = 0; i < count && shown < CAUSES_SHOWN; i++) {
            if (!add_cause(s, &w, &costs[i], all_ns))
                continue;
            shown++;
            found |= costs[i].class % 2 == 0 && w.causes_found.threads[costs[i].thread].rank == computes;
        }
    }
    free(costs);
    wait_states_free(&w);
    return found;
}
