/* SPDX-License-Identifier: BSD-3-Clause */
/* What a wait is due to; see delay_costs.h. */
#include "analysis/delay_costs.h"

#include <stdlib.h>
#include <string.h>

/* ---- logs ---- */

static struct delay_step *step_at(const struct delay_log *log, uint64_t position)
{
    return &log->steps[position & (log->capacity - 1)];
}

static uint64_t oldest(const struct delay_log *log)
{
    return log->count > log->capacity ? log->count - log->capacity : 0;
}

/* Doubles the ring. */
static bool grow(struct delay_log *log)
{
    const struct delay_log old = *log;
    const size_t capacity = old.capacity ? 2 * old.capacity : DELAY_STEPS_FIRST;
    struct delay_step *steps = calloc(capacity, sizeof *steps);
    if (!steps)
        return false;
    log->steps = steps;
    log->capacity = capacity;
    for (uint64_t i = oldest(&old); i < old.count; i++)
        *step_at(log, i) = *step_at(&old, i);
    free(old.steps);
    return true;
}

bool delay_log_add(struct delay_log *log, size_t most, uint32_t class, uint64_t ns, struct delay_roots *roots)
{
    if (!roots && log->count > log->sealed && log->count > 0) {
        struct delay_step *last = step_at(log, log->count - 1);
        if (last->class == class && !last->roots) {
            last->ns += ns;
            return true;
        }
    }
    if (log->count >= log->capacity && log->capacity < most && !grow(log))
        return false;
    struct delay_step *step = step_at(log, log->count++);
    free(step->roots);
    *step = (struct delay_step){.ns = ns, .class = class, .roots = roots};
    return true;
}

uint64_t delay_log_mark(struct delay_log *log)
{
    return log->sealed = log->count;
}

static bool is_later(const struct delay_point *a, uint64_t ns, uint64_t number)
{
    return a->ns > ns || (a->ns == ns && a->number > number);
}

/* Makes room for one point more. */
static bool make_room(struct delay_log *log, size_t most)
{
    if (log->point_count < log->point_capacity)
        return true;
    if (log->point_capacity >= 2 * most) {
        log->point_count = most;
        memmove(log->points, log->points + log->point_capacity - most, most * sizeof *log->points);
        return true;
    }
    const size_t capacity = log->point_capacity ? 2 * log->point_capacity : DELAY_POINTS_FIRST;
    struct delay_point *points = realloc(log->points, capacity * sizeof *points);
    if (!points)
        return false;
    log->points = points;
    log->point_capacity = capacity;
    return true;
}

bool delay_log_point(struct delay_log *log, size_t most, uint64_t ns, uint64_t number, uint64_t position)
{
    if (!make_room(log, most))
        return false;
    size_t at = log->point_count;
    while (at > 0 && is_later(&log->points[at - 1], ns, number))
        at--;
    if (at > 0 && log->points[at - 1].number == number)
        return true;
    memmove(&log->points[at + 1], &log->points[at], (log->point_count - at) * sizeof *log->points);
    log->point_count++;
    log->points[at] = (struct delay_point){.ns = ns, .number = number, .position = position};
    return true;
}

void delay_log_free(struct delay_log *log)
{
    for (size_t i = 0; i < log->capacity; i++)
        free(log->steps[i].roots);
    free(log->steps);
    free(log->points);
    *log = (struct delay_log){0};
}

/* ---- causes ---- */

/* Finds the last point that both have in common, before END of B; the beginning if there is none. */
static void last_common(const struct delay_log *a, const struct delay_log *b, uint64_t end, uint64_t *at_a,
                        uint64_t *at_b)
{
    size_t i = a->point_count, k = b->point_count;
    while (i > 0 && k > 0) {
        const struct delay_point *x = &a->points[i - 1], *y = &b->points[k - 1];
        if (y->position > end)
            k--;
        else if (x->number == y->number) {
            *at_a = x->position;
            *at_b = y->position;
            return;
        } else if (is_later(x, y->ns, y->number))
            i--;
        else
            k--;
    }
    *at_a = oldest(a);
    *at_b = oldest(b);
}

static bool touch(struct delay_scratch *s, uint32_t class, double ns)
{
    if (class >= s->classes) {
        const size_t classes = (size_t) class * 2 + 64;
        double *by_class = realloc(s->by_class, classes * sizeof *by_class);
        s->by_class = by_class ? by_class : s->by_class;
        uint32_t *touched = by_class ? realloc(s->touched, classes * 2 * sizeof *touched) : NULL;
        if (!touched)
            return false;
        s->touched = touched;
        memset(by_class + s->classes, 0, (classes - s->classes) * sizeof *by_class);
        s->classes = classes;
    }
    if (s->by_class[class] == 0) /* a class may be noted twice, if it was 0 in between: its sum is taken once */
        s->touched[s->touched_count++] = class;
    s->by_class[class] += ns;
    return true;
}

/* Adds to the list of causes; it is short, or is kept so. */
static bool add_root(struct delay_scratch *s, uint32_t thread, uint32_t class, double ns, bool direct)
{
    for (size_t i = 0; i < s->root_count; i++)
        if (s->roots[i].thread == thread && s->roots[i].class == class && s->roots[i].direct == direct) {
            s->roots[i].ns += ns;
            return true;
        }
    if (s->root_count == s->root_capacity) {
        const size_t capacity = s->root_capacity ? 2 * s->root_capacity : 64;
        struct delay_root *roots = realloc(s->roots, capacity * sizeof *roots);
        if (!roots)
            return false;
        s->roots = roots;
        s->root_capacity = capacity;
    }
    s->roots[s->root_count++] = (struct delay_root){.thread = thread, .class = class, .ns = ns, .direct = direct};
    return true;
}

enum { ROOTS_APART = 128 };

static bool sum_late(struct delay_scratch *s, const struct delay_log *log, uint64_t from, uint64_t end)
{
    for (uint64_t i = from < oldest(log) ? oldest(log) : from; i < end; i++) {
        const struct delay_step *step = step_at(log, i);
        if (!step->roots) {
            if (step->ns && !touch(s, step->class, (double)step->ns))
                return false;
            continue;
        }
        for (uint32_t r = 0; r < step->roots->count; r++) {
            const struct delay_root *root = &step->roots->roots[r];
            const bool apart = s->root_count < ROOTS_APART;
            if (!add_root(s, apart ? root->thread : DELAY_OTHERS, apart ? root->class : 0, root->ns, false))
                return false;
        }
    }
    return true;
}

/* Takes off what the waiter did in the same classes. */
static void less_waiter(struct delay_scratch *s, const struct delay_log *log, uint64_t from)
{
    for (uint64_t i = from < oldest(log) ? oldest(log) : from; i < log->count; i++) {
        const struct delay_step *step = step_at(log, i);
        if (!step->roots && step->class < s->classes && s->by_class[step->class] > 0) {
            const double left = s->by_class[step->class] - (double)step->ns;
            s->by_class[step->class] = left > 0 ? left : 0;
        }
    }
}

static int by_ns(const void *a, const void *b)
{
    const struct delay_root *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

/* Returns the largest causes, and one of all others; in sum NS. */
static struct delay_roots *largest(struct delay_scratch *s, double sum, double ns)
{
    struct delay_roots *found = calloc(1, sizeof *found);
    if (!found)
        return NULL;
    qsort(s->roots, s->root_count, sizeof *s->roots, by_ns);
    for (size_t i = 0; i < s->root_count; i++) {
        struct delay_root root = s->roots[i];
        root.ns *= ns / sum;
        if (found->count < DELAY_ROOTS)
            found->roots[found->count++] = root;
        else {
            struct delay_root *last = &found->roots[DELAY_ROOTS - 1];
            *last = (struct delay_root){.thread = DELAY_OTHERS, .ns = last->ns + root.ns};
        }
    }
    return found;
}

struct delay_roots *delays_find(struct delay_scratch *s, const struct delay_log *waiter, const struct delay_log *late,
                                uint32_t late_thread, uint64_t late_position, uint32_t late_class, uint64_t ns)
{
    uint64_t waiter_from, late_from;
    double sum = 0;
    s->root_count = s->touched_count = 0;
    last_common(waiter, late, late_position, &waiter_from, &late_from);
    bool good = sum_late(s, late, late_from, late_position);
    if (good)
        less_waiter(s, waiter, waiter_from);
    for (size_t i = 0; i < s->touched_count; i++) {
        const uint32_t class = s->touched[i];
        if (good && s->by_class[class] > 0)
            good = add_root(s, late_thread, class, s->by_class[class], true);
        s->by_class[class] = 0;
    }
    for (size_t i = 0; i < s->root_count; i++)
        sum += s->roots[i].ns;
    if (good && sum < (double)ns) { /* more than what was done longer: it came late, that is all that is known */
        good = add_root(s, late_thread, late_class, (double)ns - sum, true);
        sum = (double)ns;
    }
    return good ? largest(s, sum, (double)ns) : NULL;
}

void delay_scratch_free(struct delay_scratch *s)
{
    free(s->by_class);
    free(s->touched);
    free(s->roots);
    *s = (struct delay_scratch){0};
}
