/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds up waits by loop and iteration; see loop_waits.h.
 *
 * The number of iterations is known before the first wait comes, so that sums for the slope are taken around the middle
 * of the iterations: nothing large cancels out. */
#include "analysis/loop_waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/class_copies.h"
#include "analysis/thread_loops.h"

/* A loop of a thread, while its waits are read. */
struct loop_sums {
    uint64_t ordinal; /* of the iteration at hand, over all entries, from 1; 0: there was none yet */
    struct loop_iteration now;
    uint64_t waits, total_ns, error_ns;
    double squares, products; /* sums of w x w and (x - mean x) x w, where x is the ordinal */
    double middle;            /* mean x */
    struct loop_iteration worst[LOOP_WORST];
    size_t worst_count;
};

struct thread_sums {
    bool opened, bad;
    struct loop_places *places;
    struct loop_sums *sums;
    size_t count;
};

struct loop_waits {
    const struct pilgrim_trace *trace;
    uint32_t *first_thread; /* by rank */
    uint32_t rank_count;
    struct thread_sums *threads;
    struct class_copies copies;
    struct loop_row *rows;
    size_t row_count, row_capacity;
    enum pilgrim_status status; /* the first error */
    struct pilgrim_error error;
};

struct loop_waits *loop_waits_new(const struct pilgrim_trace *trace)
{
    struct loop_waits *l = calloc(1, sizeof *l);
    uint32_t threads = 0;
    if (!l)
        return NULL;
    l->trace = trace;
    l->copies.sites_only = true;
    l->rank_count = pilgrim_rank_count(trace);
    l->first_thread = calloc((size_t)l->rank_count + 1, sizeof *l->first_thread);
    for (uint32_t i = 0; i < l->rank_count && l->first_thread; i++) {
        l->first_thread[i] = threads;
        threads += pilgrim_thread_count(trace, i);
        l->first_thread[i + 1] = threads;
    }
    l->threads = calloc((size_t)threads + 1, sizeof *l->threads);
    if (!l->first_thread || !l->threads) {
        loop_waits_free(l);
        return NULL;
    }
    return l;
}

static void close_thread(struct thread_sums *t)
{
    loop_places_close(t->places);
    free(t->sums);
    t->places = NULL;
    t->sums = NULL;
}

void loop_waits_free(struct loop_waits *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; l->threads && l->first_thread && i < l->first_thread[l->rank_count]; i++)
        close_thread(&l->threads[i]);
    class_copies_free(&l->copies);
    free(l->threads);
    free(l->first_thread);
    free(l->rows);
    free(l);
}

/* Keeps an error of a thread, which is not read further. false: no memory */
static bool give_up(struct loop_waits *l, struct thread_sums *t, enum pilgrim_status status,
                    const struct pilgrim_error *error)
{
    t->bad = true;
    if (l->status == PILGRIM_OK) {
        l->status = status == PILGRIM_END ? PILGRIM_OK : status;
        l->error = *error;
    }
    return status != PILGRIM_NOMEM;
}

static bool open_thread(struct loop_waits *l, struct thread_sums *t, uint32_t rank, uint32_t thread)
{
    struct pilgrim_error error = {0};
    struct loop_shape shape;
    t->opened = true;
    enum pilgrim_status status = loop_places_open(l->trace, rank, thread, &t->places, &error);
    if (status != PILGRIM_OK)
        return give_up(l, t, status, &error);
    t->count = loop_places_count(t->places);
    t->sums = calloc(t->count + 1, sizeof *t->sums);
    for (size_t i = 0; i < t->count && t->sums; i++)
        if (loop_places_shape(t->places, i + 1, &shape))
            t->sums[i].middle = ((double)shape.iterations + 1) / 2;
    return t->sums != NULL;
}

/* Ends the iteration at hand. */
static void end_iteration(struct loop_sums *s)
{
    const double ns = (double)s->now.ns;
    size_t at = s->worst_count;
    if (!s->ordinal)
        return;
    s->squares += ns * ns;
    s->products += ((double)s->ordinal - s->middle) * ns;
    while (at > 0 && s->worst[at - 1].ns < s->now.ns) {
        if (at < LOOP_WORST)
            s->worst[at] = s->worst[at - 1];
        at--;
    }
    if (at < LOOP_WORST) {
        s->worst[at] = s->now;
        s->worst_count += s->worst_count < LOOP_WORST;
    }
    s->ordinal = 0;
}

bool loop_waits_add(struct loop_waits *l, uint32_t rank, uint32_t thread, uint64_t seq, uint64_t ns, uint64_t error_ns)
{
    struct thread_sums *t = &l->threads[l->first_thread[rank] + thread];
    struct pilgrim_error error = {0};
    if (!t->opened && !open_thread(l, t, rank, thread))
        return false;
    for (size_t i = 0; i < t->count && !t->bad; i++) {
        struct loop_sums *s = &t->sums[i];
        uint64_t iteration;
        enum pilgrim_status status = loop_places_find(t->places, i + 1, seq, &iteration, &error);
        if (status != PILGRIM_OK)
            return give_up(l, t, status, &error);
        if (!iteration)
            continue;
        const uint64_t ordinal = loop_places_before(t->places, i + 1) + iteration;
        if (ordinal != s->ordinal) {
            end_iteration(s);
            s->ordinal = ordinal;
            s->now = (struct loop_iteration){.iteration = iteration, .seq = seq};
        }
        s->now.ns += ns;
        s->now.error_ns += error_ns;
        s->waits++;
        s->total_ns += ns;
        s->error_ns += error_ns;
    }
    return true;
}

/* ---- at the end ---- */

/* Fills in the slope by least squares, with x = 1..n. */
static void set_slope(struct loop_row *row, const struct loop_sums *s)
{
    const double n = (double)row->iterations, spread = n * (n * n - 1) / 12, total = (double)row->total_ns;
    if (row->iterations < 3)
        return;
    row->slope_ns = s->products / spread;
    const double rest = s->squares - total * total / n - row->slope_ns * s->products;
    /* errors of e that push one half of the iterations up and the other one down change it by 3 e / n */
    row->slope_error_ns = 2 * sqrt((rest > 0 ? rest : 0) / (n - 2) / spread) + 3 * (double)row->error_ns / n / n;
}

static bool add_rows(struct loop_waits *l, struct thread_sums *t, uint32_t rank, uint32_t thread)
{
    for (size_t i = 0; i < t->count; i++) {
        struct loop_shape shape;
        struct loop_sums *s = &t->sums[i];
        if (l->row_count == l->row_capacity) {
            const size_t capacity = l->row_capacity ? 2 * l->row_capacity : 64;
            struct loop_row *rows = realloc(l->rows, capacity * sizeof *rows);
            if (!rows)
                return false;
            l->rows = rows;
            l->row_capacity = capacity;
        }
        end_iteration(s);
        if (!loop_places_shape(t->places, i + 1, &shape))
            continue;
        const struct class_copy *first = shape.first ? copy_class(&l->copies, shape.first) : NULL;
        if (shape.first && !first)
            return false;
        struct loop_row *row = &l->rows[l->row_count++];
        *row = (struct loop_row){.rank = rank,
                                 .thread = thread,
                                 .loop = i + 1,
                                 .parent = shape.parent,
                                 .first = first ? &first->class : NULL,
                                 .entries = shape.entries,
                                 .iterations = shape.iterations,
                                 .waits = s->waits,
                                 .total_ns = s->total_ns,
                                 .error_ns = s->error_ns,
                                 .worst_count = s->worst_count};
        for (size_t k = 0; k < s->worst_count; k++)
            row->worst[k] = s->worst[k];
        set_slope(row, s);
    }
    return true;
}

bool loop_rows_alike(const struct loop_row *a, const struct loop_row *b)
{
    return a->loop == b->loop && a->parent == b->parent && a->first == b->first;
}

/* Orders calls by what they are, not by where they are in memory. */
static int compare_calls(const struct pilgrim_class *a, const struct pilgrim_class *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    const int functions = strcmp(a->function->name, b->function->name);
    if (functions || !a->site || !b->site)
        return functions ? functions : (a->site != NULL) - (b->site != NULL);
    const int modules = strcmp(a->site->module, b->site->module);
    return modules ? modules : (a->site->offset > b->site->offset) - (a->site->offset < b->site->offset);
}

static int compare_rows(const void *a, const void *b)
{
    const struct loop_row *x = a, *y = b;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    const int calls = x->first == y->first ? 0 : compare_calls(x->first, y->first);
    if (calls)
        return calls;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

enum pilgrim_status loop_waits_end(struct loop_waits *l, const struct loop_row **rows, size_t *count,
                                   struct pilgrim_error *error)
{
    bool good = true;
    for (uint32_t rank = 0; rank < l->rank_count && good; rank++)
        for (uint32_t i = l->first_thread[rank]; i < l->first_thread[rank + 1] && good; i++) {
            struct thread_sums *t = &l->threads[i];
            const uint32_t thread = i - l->first_thread[rank];
            good = (t->opened || open_thread(l, t, rank, thread)) && (!t->sums || add_rows(l, t, rank, thread));
            close_thread(t);
        }
    if (l->row_count)
        qsort(l->rows, l->row_count, sizeof *l->rows, compare_rows);
    *rows = l->rows;
    *count = l->row_count;
    if (!good)
        return no_memory(error);
    if (l->status != PILGRIM_OK)
        *error = l->error;
    return l->status;
}
