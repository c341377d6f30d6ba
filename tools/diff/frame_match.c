/* SPDX-License-Identifier: BSD-3-Clause */
/* Which frames of different builds are the same; see frame_match.h.
 *
 * In each function of a module that only one trace has in this build, the calls of both traces stand in the order of
 * their source lines; if some are not known, in the order in which they are first made. An optimizer keeps both, but
 * not the order of addresses. The longest common subsequence of what they call says which are the same: a call that was
 * added or removed leaves the others alone. */
#include "frame_match.h"

#include <stdlib.h>

enum { TWINS_MAX = 2048 };    /* calls of a function, which are compared with each other */
enum { CELLS_MAX = 1 << 22 }; /* of the table for one function; beyond it, calls are matched from the beginning */

/* A frame in the order in which functions are compared. */
struct frame_order {
    const struct matched_frame *frame;
    uint32_t number;
};

static int by_function(const void *a, const void *b)
{
    const struct matched_frame *x = ((const struct frame_order *)a)->frame, *y = ((const struct frame_order *)b)->frame;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->in[0] != y->in[0])
        return x->in[0] ? -1 : 1;
    return ((const struct frame_order *)a)->number < ((const struct frame_order *)b)->number ? -1 : 1;
}

static int by_line(const void *a, const void *b)
{
    const struct frame_order *x = a, *y = b;
    if (x->frame->line != y->frame->line)
        return x->frame->line < y->frame->line ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool have_lines(const struct frame_order *order, size_t count)
{
    while (count > 0 && order[count - 1].frame->line)
        count--;
    return count == 0;
}

static int by_number(const void *a, const void *b)
{
    const struct frame_order *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Sorts the N and M frames of a function by their lines, if all are known; else as they are first made. */
static void sort_by_lines(struct frame_order *a, size_t n, struct frame_order *b, size_t m)
{
    int (*const compare)(const void *, const void *) = have_lines(a, n) && have_lines(b, m) ? by_line : by_number;
    qsort(a, n, sizeof *a, compare);
    qsort(b, m, sizeof *b, compare);
}

/* Aligns N frames of the first trace with M of the second, of one function. False: no memory. */
static bool align(struct matched_frame *frames, const struct frame_order *a, size_t n, const struct frame_order *b,
                  size_t m)
{
    size_t width = m + 1;
    if (n * m > CELLS_MAX) {
        for (size_t i = 0; i < n && i < m && a[i].frame->callee == b[i].frame->callee; i++)
            frames[b[i].number].same_as = a[i].number;
        return true;
    }
    uint32_t *best = calloc((n + 1) * width, sizeof *best); /* [i][j]: of what is behind i and j */
    if (!best)
        return false;
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            uint32_t down = best[(i + 1) * width + j], right = best[i * width + j + 1];
            best[i * width + j] = a[i].frame->callee == b[j].frame->callee ? best[(i + 1) * width + j + 1] + 1
                                  : down > right                           ? down
                                                                           : right;
        }
    for (size_t i = 0, j = 0; i < n && j < m;) {
        if (a[i].frame->callee == b[j].frame->callee)
            frames[b[j++].number].same_as = a[i++].number;
        else if (best[(i + 1) * width + j] >= best[i * width + j + 1])
            i++;
        else
            j++;
    }
    free(best);
    return true;
}

/* Says of frames that call the same from the same place in one build that they are the same, and puts all but the first
 * of these behind the others. Returns how many others there are. */
static size_t join_twins(struct matched_frame *frames, struct frame_order *order, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count && count <= TWINS_MAX; i++) {
        const struct frame_order one = order[i];
        size_t k = 0;
        while (k < kept && (order[k].frame->callee != one.frame->callee || order[k].frame->place != one.frame->place ||
                            order[k].frame->build != one.frame->build))
            k++;
        if (k < kept && one.frame->line)
            frames[one.number].same_as = order[k].number;
        else {
            order[i] = order[kept];
            order[kept++] = one;
        }
    }
    return count <= TWINS_MAX ? kept : count;
}

/* True if both traces have some frame of the module and build of ORDER[I]; frames of a module are neighbours. */
static bool build_is_shared(const struct frame_order *order, size_t count, size_t i)
{
    size_t first = i, last = i;
    bool in[2] = {false, false};
    while (first > 0 && order[first - 1].frame->module == order[i].frame->module)
        first--;
    while (last + 1 < count && order[last + 1].frame->module == order[i].frame->module)
        last++;
    for (size_t k = first; k <= last; k++)
        for (int side = 0; side < 2; side++)
            in[side] |= order[k].frame->in[side] && order[k].frame->build == order[i].frame->build;
    return in[0] && in[1];
}

/* True if each trace has a module that the other one has not; frames of a module are neighbours. */
static bool is_renamed(const struct frame_order *order, size_t count)
{
    bool alone[2] = {false, false};
    for (size_t i = 0, end; i < count; i = end) {
        bool in[2] = {false, false};
        for (end = i; end < count && order[end].frame->module == order[i].frame->module; end++)
            for (int side = 0; side < 2; side++)
                in[side] |= order[end].frame->in[side];
        for (int side = 0; side < 2; side++)
            alone[side] |= in[side] && !in[!side];
    }
    return alone[0] && alone[1];
}

bool frames_match(struct matched_frame *frames, size_t count, bool *rebuilt)
{
    struct frame_order *order = calloc(count + 1, sizeof *order);
    bool good = order != NULL;
    for (size_t i = 0; i < count && good; i++)
        order[i] = (struct frame_order){&frames[i], (uint32_t)i};
    if (good && count > 0)
        qsort(order, count, sizeof *order, by_function);
    *rebuilt = is_renamed(order, count);
    bool shared = false;
    for (size_t i = 0, n, m; i < count && good; i += n + m) {
        if (i == 0 || order[i].frame->module != order[i - 1].frame->module)
            shared = build_is_shared(order, count, i);
        for (n = 0; i + n < count && order[i + n].frame->module == order[i].frame->module &&
                    order[i + n].frame->function == order[i].frame->function && order[i + n].frame->in[0];
             n++)
            ;
        for (m = 0; i + n + m < count && order[i + n + m].frame->module == order[i].frame->module &&
                    order[i + n + m].frame->function == order[i].frame->function;
             m++)
            ;
        if (shared)
            (void)join_twins(frames, order + i, n + m);
        else if (n > 0 && m > 0) {
            const size_t a = join_twins(frames, order + i, n), b = join_twins(frames, order + i + n, m);
            *rebuilt = true;
            sort_by_lines(order + i, a, order + i + n, b);
            good = align(frames, order + i, a, order + i + n, b);
        }
    }
    for (size_t i = 0; i < count; i++)
        frames[i].same_as = frames[frames[i].same_as].same_as;
    free(order);
    return good;
}
