/* SPDX-License-Identifier: BSD-3-Clause */
/* How well the time of a run was used; see efficiency.h. */
#include "analysis/efficiency.h"

#include <stdlib.h>

/* Returns the largest error of a thread's clock at the ends of the run. */
static uint64_t clocks_error(const struct wait_states *w)
{
    uint64_t most = 0;
    if (w->process_count < 2)
        return 0;
    for (uint32_t rank = 0; rank < w->process_count; rank++) {
        const struct pilgrim_clock *clock = match_clock(w->match, rank);
        const uint64_t error = clock ? pilgrim_clock_error(clock, 0) : 0;
        most = error > most ? error : most;
    }
    return most;
}

struct efficiency efficiency_of(const struct wait_states *w)
{
    struct efficiency e = {0};
    const double rounded = match_time_errors(w->match)->most;
    double useful = 0, useful_most = 0, waiting = (double)w->in_calls.total_ns,
           waiting_error = (double)w->in_calls.error_ns, mpi = 0, mpi_most = 0, ideal = 0;
    for (uint32_t i = 0; i < w->causes_found.thread_count; i++) {
        const struct cause_thread *t = &w->causes_found.threads[i];
        e.threads += t->begun;
        useful += (double)t->useful_ns;
        useful_most = (double)t->useful_ns > useful_most ? (double)t->useful_ns : useful_most;
        ideal = (double)t->ideal_ns > ideal ? (double)t->ideal_ns : ideal;
        mpi += (double)t->mpi_ns;
        mpi_most = (double)t->mpi_ns > mpi_most ? (double)t->mpi_ns : mpi_most;
    }
    e.run_ns = w->last_ns > w->first_ns ? (double)(w->last_ns - w->first_ns) : 0;
    const double all = useful + mpi;
    if (!e.threads || all <= 0 || e.run_ns <= 0 || useful_most <= 0)
        return e;
    waiting = waiting > mpi ? mpi : waiting;
    e.useful = useful / all;
    e.waiting = waiting / all;
    e.waiting_error = waiting_error / all;
    e.in_mpi = (mpi - waiting) / all;
    e.load_balance = useful / e.threads / useful_most;
    e.communication = useful_most / e.run_ns < 1 ? useful_most / e.run_ns : 1;
    e.parallel = e.load_balance * e.communication;
    ideal = ideal < useful_most ? useful_most : ideal > e.run_ns ? e.run_ns : ideal;
    e.serialization = useful_most / ideal < 1 ? useful_most / ideal : 1;
    e.transfer = e.communication / e.serialization;
    e.useful_error = rounded * mpi / all;
    e.error = 2 * (double)clocks_error(w) / e.run_ns + rounded * mpi_most / useful_most;
    return e;
}

/* ---- the critical path ---- */

static int by_class(const void *a, const void *b)
{
    const struct path_share *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

static int by_length(const void *a, const void *b)
{
    const struct path_share *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

static int by_part(const void *a, const void *b)
{
    const struct path_part *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

bool critical_path_of(struct wait_states *w, struct path_share **shares, size_t *count, uint64_t *ns)
{
    const struct way_node *path = causes_path(&w->causes_found);
    size_t all = 0, used = 0;
    *ns = 0;
    for (const struct way_node *node = path; node; node = node->parent)
        all += node->count;
    struct path_share *found = calloc(all + 1, sizeof *found + sizeof(struct path_part));
    struct path_part *part = (struct path_part *)(found + all + 1);
    *shares = found;
    *count = 0;
    if (!found)
        return false;
    all = 0;
    for (const struct way_node *node = path; node; node = node->parent)
        for (size_t i = 0; i < node->count; i++) {
            found[all++] = (struct path_share){.class = (uint32_t)node->sums[i].key,
                                               .thread = (uint32_t)(node->sums[i].key >> 32),
                                               .ns = node->sums[i].ns,
                                               .thread_ns = node->sums[i].ns};
            *ns += node->sums[i].ns;
        }
    qsort(found, all, sizeof *found, by_class);
    for (size_t i = 0; i < all;) {
        struct path_share share = {.class = found[i].class, .parts = part};
        for (; i < all && found[i].class == share.class; i++) {
            share.ns += found[i].ns;
            if (share.part_count && part[-1].thread == found[i].thread) {
                part[-1].ns += found[i].ns;
                continue;
            }
            *part++ = (struct path_part){found[i].thread, found[i].ns};
            share.part_count++;
        }
        qsort(part - share.part_count, share.part_count, sizeof *part, by_part);
        share.thread = share.parts->thread;
        share.thread_ns = share.parts->ns;
        found[used++] = share;
    }
    const double threads = efficiency_of(w).threads;
    for (size_t i = 0; i < used; i++) {
        const uint64_t total = found[i].class < w->causes_found.classes ? w->causes_found.by_class[found[i].class] : 0;
        const double more = threads > 0 ? (double)found[i].ns - (double)total / threads : 0;
        found[i].imbalance_ns = more > 0 ? more : 0;
    }
    qsort(found, used, sizeof *found, by_length);
    *count = used;
    return true;
}

/* ---- delays ---- */

static int by_thread(const void *a, const void *b)
{
    const struct delay_cost *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

static int by_cost(const void *a, const void *b)
{
    const struct delay_cost *x = a, *y = b;
    const double all_x = x->direct_ns + x->indirect_ns, all_y = y->direct_ns + y->indirect_ns;
    return all_x != all_y ? (all_x > all_y ? -1 : 1) : by_thread(a, b);
}

bool delay_costs_of(const struct wait_states *w, struct delay_cost **costs, size_t *count)
{
    struct delay_cost *found = calloc(w->root_count + 1, sizeof *found);
    size_t used = 0;
    *costs = found;
    *count = 0;
    if (!found)
        return false;
    for (size_t i = 0; i < w->root_count; i++) {
        const struct wait_root *root = &w->roots[i];
        found[i] = (struct delay_cost){.thread = root->thread,
                                       .class = root->class,
                                       .direct_ns = root->direct_ns,
                                       .indirect_ns = root->indirect_ns,
                                       .error_ns = root->error_ns};
    }
    qsort(found, w->root_count, sizeof *found, by_thread);
    for (size_t i = 0; i < w->root_count; i++)
        if (used && by_thread(&found[used - 1], &found[i]) == 0) {
            found[used - 1].direct_ns += found[i].direct_ns;
            found[used - 1].indirect_ns += found[i].indirect_ns;
            found[used - 1].error_ns += found[i].error_ns;
        } else
            found[used++] = found[i];
    qsort(found, used, sizeof *found, by_cost);
    *count = used;
    return true;
}
