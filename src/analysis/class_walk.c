/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks through the classes of a thread; see class_walk.h.
 *
 * A place in a grammar is a stack of symbols, the innermost one last. Where a rule is to be passed many times, it is
 * passed WARM times: from the second pass on each begins where the one before began, in the same loops, so the last
 * one counts what each that follows counts (nest_repeat). With stored loops, whose trips are not in the grammar, and
 * where the grammar is large, the calls are given run by run. */
#include "analysis/class_walk.h"

#include <stdlib.h>

#include "analysis/analysis_errors.h"
#include "analysis/flat_grammar.h"

enum { WARM = 3, SEEN_TIMES = 2 /* then it is known what follows a pass */ };

struct walk_symbol {
    uint32_t rule;
    size_t symbol; /* of the grammar */
    uint64_t done; /* times that it was passed */
    bool slow;     /* its passes are not alike */
};

struct class_walk {
    struct pilgrim_cursor *cursor;
    const struct loop_classes *seen;
    struct nest *nest;
    struct loop_class *classes; /* of the segment */
    size_t class_count;
    uint64_t next; /* the call behind those that were given */
    bool sees, ended;
    const struct class_goal *goal; /* NULL: none */
    bool reached;
    /* With a grammar: */
    struct flat_grammar flat;
    struct walk_symbol stack[FLAT_GRAMMAR_DEPTH_MAX + 1];
    unsigned depth; /* 0: the segment has ended */
    /* Without: */
    bool by_runs;
    size_t class;
    uint64_t left; /* calls of this run that were not given */
};

/* Enters RULE. */
static void enter_rule(struct class_walk *w, uint32_t rule)
{
    w->stack[w->depth++] = (struct walk_symbol){.rule = rule, .symbol = w->flat.first[rule]};
}

/* Leaves what is over. */
static void settle(struct class_walk *w)
{
    while (w->depth > 0) {
        struct walk_symbol *at = &w->stack[w->depth - 1];
        const size_t behind = w->flat.first[at->rule + 1];
        while (at->symbol < behind && at->done >= w->flat.symbols[at->symbol].exponent)
            *at = (struct walk_symbol){.rule = at->rule, .symbol = at->symbol + 1};
        if (at->symbol < behind)
            return;
        w->depth--;
        if (w->depth > 0)
            w->stack[w->depth - 1].done++;
    }
}

/* Begins the segment that the cursor is in. */
static enum pilgrim_status begin_segment(struct class_walk *w, struct pilgrim_error *error)
{
    struct pilgrim_thread_info thread;
    enum pilgrim_status status = PILGRIM_OK;
    pilgrim_thread_info(w->cursor, &thread);
    w->classes = &w->seen->classes[w->seen->first[pilgrim_cursor_segment(w->cursor)]];
    w->class_count = thread.class_count;
    w->depth = 0;
    flat_grammar_free(&w->flat);
    if (thread.loop_count == 0 && thread.class_count > 0)
        status = flat_grammar_read(&w->flat, w->cursor, thread.structure, error);
    w->by_runs = w->flat.rules == 0;
    if (status == PILGRIM_OK && !w->by_runs) {
        enter_rule(w, 0);
        settle(w);
    }
    return status;
}

enum pilgrim_status class_walk_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                    const struct loop_classes *seen, struct nest *nest, struct class_walk **walk,
                                    struct pilgrim_error *error)
{
    struct class_walk *w = calloc(1, sizeof *w);
    *walk = NULL;
    if (!w)
        return no_memory(error);
    w->seen = seen;
    w->nest = nest;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &w->cursor, error);
    if (status == PILGRIM_OK)
        status = begin_segment(w, error);
    if (status == PILGRIM_OK)
        *walk = w;
    else
        class_walk_close(w);
    return status;
}

void class_walk_close(struct class_walk *w)
{
    if (!w)
        return;
    pilgrim_cursor_close(w->cursor);
    flat_grammar_free(&w->flat);
    free(w);
}

/* ---- calls ---- */

static void count(struct class_walk *w, struct loop_class *class, uint64_t calls)
{
    class->calls += calls;
    nest_count(w->nest, class->shown_as, calls);
    w->next += calls;
}

/* Gives calls of CLASS, CALLS at most, up to the first that reaches the goal. Returns how many. */
static uint64_t give(struct class_walk *w, struct loop_class *class, uint64_t calls)
{
    if (w->sees) {
        nest_see(w->nest, class->shown_as, calls);
        w->next += calls;
        return calls;
    }
    if (!w->goal) {
        count(w, class, calls);
        return calls;
    }
    uint64_t given = 0;
    while (given < calls) {
        count(w, class, 1);
        given++;
        w->reached = w->goal->reached(w->goal->context);
        if (w->reached)
            break;
        const uint64_t sure = w->goal->calls(w->goal->context), more = sure < calls - given ? sure : calls - given;
        if (more)
            count(w, class, more);
        given += more;
    }
    return given;
}

/* ---- with a grammar ---- */

static enum pilgrim_status walk(struct class_walk *w, uint64_t end, struct pilgrim_error *error);

/* Counts what was counted since the marks, TIMES times more, in calls of classes. */
static void repeat_classes(struct class_walk *w, const uint64_t *before, uint64_t times)
{
    for (size_t i = 0; i < w->class_count; i++)
        w->classes[i].calls += (w->classes[i].calls - before[i]) * times;
}

/* Passes the rule of the last symbol, which has UNIT calls, and repeats that up to TIMES more, as far as the goal is
 * not reached. Sets *DONE to how often it was repeated, *ALIKE to whether it can be. */
static enum pilgrim_status pass_and_repeat(struct class_walk *w, uint64_t unit, uint64_t times, uint64_t *done,
                                           bool *alike, struct pilgrim_error *error)
{
    const size_t values = w->goal ? w->goal->values : 0;
    uint64_t *before = malloc((w->class_count + values + 1) * sizeof *before), *of_goal = before + w->class_count;
    struct nest_mark *mark = nest_mark(w->nest);
    enum pilgrim_status status = before && mark ? PILGRIM_OK : no_memory(error);
    *done = 0;
    for (size_t i = 0; status == PILGRIM_OK && i < w->class_count; i++)
        before[i] = w->classes[i].calls;
    if (status == PILGRIM_OK && w->goal)
        w->goal->mark(w->goal->context, of_goal);
    if (status == PILGRIM_OK)
        status = walk(w, w->next + unit, error);
    if (status == PILGRIM_OK && !w->reached) {
        const uint64_t sure = w->goal ? w->goal->stretches(w->goal->context, of_goal) : times;
        *done = sure < times ? sure : times;
        *alike = nest_repeat(w->nest, mark, *done);
        if (*alike)
            repeat_classes(w, before, *done);
        else
            *done = 0;
    }
    free(before);
    free(mark);
    return status;
}

/* Passes the rule of the last symbol, which has UNIT calls, WHOLE times or less. */
static enum pilgrim_status pass_often(struct class_walk *w, uint64_t unit, uint64_t whole, struct pilgrim_error *error)
{
    const unsigned at = w->depth - 1;
    const uint64_t first = w->sees ? SEEN_TIMES : WARM - 1;
    uint64_t done = w->sees ? whole - first : 0;
    enum pilgrim_status status = walk(w, w->next + unit * first, error);
    bool alike = true;
    if (status == PILGRIM_OK && !w->sees && !w->reached)
        status = pass_and_repeat(w, unit, whole - WARM, &done, &alike, error);
    if (status != PILGRIM_OK || w->reached)
        return status;
    w->stack[at].slow = !alike;
    w->stack[at].done += done;
    w->next += unit * done;
    settle(w);
    return PILGRIM_OK;
}

/* True if a rule of UNIT calls that comes WHOLE times need not be passed each time. */
static bool is_often(const struct class_walk *w, const struct walk_symbol *at, uint64_t unit, uint64_t whole)
{
    if (w->sees)
        return whole > SEEN_TIMES;
    return !at->slow && whole > WARM && (whole - WARM > (w->class_count + nest_size(w->nest)) / unit);
}

/* Gives the calls of the segment before call END. */
static enum pilgrim_status walk(struct class_walk *w, uint64_t end, struct pilgrim_error *error)
{
    while (w->next < end && w->depth > 0 && !w->reached) {
        struct walk_symbol *at = &w->stack[w->depth - 1];
        const struct pilgrim_symbol *symbol = &w->flat.symbols[at->symbol];
        const uint64_t left = symbol->exponent - at->done;
        if (!symbol->is_rule) {
            const uint64_t class = symbol->value + (symbol->ramp ? at->done : 0), run = symbol->ramp ? 1 : left;
            if (class >= w->class_count)
                return no_group(PILGRIM_DAMAGED, error);
            at->done += give(w, &w->classes[class], run < end - w->next ? run : end - w->next);
            settle(w);
            continue;
        }
        const uint64_t unit = flat_grammar_length(&w->flat, (uint32_t)symbol->value);
        const uint64_t fit = unit ? (end - w->next) / unit : 0, whole = left < fit ? left : fit;
        if (unit == 0) {
            at->done = symbol->exponent;
            settle(w);
        } else if (is_often(w, at, unit, whole)) {
            enum pilgrim_status status = pass_often(w, unit, whole, error);
            if (status != PILGRIM_OK)
                return status;
        } else {
            enter_rule(w, (uint32_t)symbol->value);
            settle(w);
        }
    }
    return PILGRIM_OK;
}

/* ---- all ---- */

/* Gives the next run of calls, or its part before call END. */
static enum pilgrim_status next_run(struct class_walk *w, uint64_t end, struct pilgrim_error *error)
{
    if (w->left == 0) {
        const uint32_t segment = pilgrim_cursor_segment(w->cursor);
        enum pilgrim_status status = pilgrim_cursor_pass(w->cursor, &w->class, &w->left, error);
        w->ended = status == PILGRIM_END;
        if (status != PILGRIM_OK)
            return w->ended ? PILGRIM_OK : status;
        if (pilgrim_cursor_segment(w->cursor) != segment) {
            status = begin_segment(w, error);
            if (status != PILGRIM_OK || !w->by_runs) {
                w->left = 0; /* the grammar has it, too */
                return status;
            }
        }
        if (w->left == 0 && w->sees) /* a loop is entered: taken like a call */
            nest_see(w->nest, w->classes[w->class].shown_as, 1);
        else if (w->left == 0)
            nest_count(w->nest, w->classes[w->class].shown_as, 1);
    }
    w->left -= give(w, &w->classes[w->class], w->left < end - w->next ? w->left : end - w->next);
    return PILGRIM_OK;
}

/* Gives the calls before call END, or up to the goal. */
static enum pilgrim_status give_all(struct class_walk *w, uint64_t end, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    while (status == PILGRIM_OK && w->next < end && !w->ended && !w->reached) {
        if (w->by_runs) {
            status = next_run(w, end, error);
            continue;
        }
        status = walk(w, end, error);
        if (status != PILGRIM_OK || w->depth > 0)
            continue;
        status = pilgrim_cursor_next_segment(w->cursor, error);
        w->ended = status == PILGRIM_END;
        status = w->ended ? PILGRIM_OK : status == PILGRIM_OK ? begin_segment(w, error) : status;
    }
    return status;
}

enum pilgrim_status class_walk_see(struct class_walk *w, struct pilgrim_error *error)
{
    w->sees = true;
    return give_all(w, UINT64_MAX, error);
}

enum pilgrim_status class_walk_count(struct class_walk *w, uint64_t end, struct pilgrim_error *error)
{
    enum pilgrim_status status = give_all(w, end, error);
    return status == PILGRIM_OK && w->next < end ? PILGRIM_END : status;
}

enum pilgrim_status class_walk_find(struct class_walk *w, const struct class_goal *goal, uint64_t *seq,
                                    struct pilgrim_error *error)
{
    w->goal = goal;
    enum pilgrim_status status = give_all(w, UINT64_MAX, error);
    if (status == PILGRIM_OK && !w->reached)
        status = PILGRIM_END;
    *seq = w->next - 1;
    w->goal = NULL;
    w->reached = false;
    return status;
}
