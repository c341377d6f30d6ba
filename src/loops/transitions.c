/* SPDX-License-Identifier: BSD-3-Clause */
/* Transitions between terminals; see transitions.h. Two neighbours in a rule give a transition from the last terminal
 * of the one to the first terminal of the other, as often as the rule occurs. Rules are visited by depth, so the first
 * and last terminals of inner rules are known. */
#include "loops/transitions.h"

#include <stdlib.h>

/* The properties of each rule. */
struct survey {
    const struct rules *rules;
    uint32_t *order;        /* rules, by depth */
    uint32_t *first, *last; /* terminals */
    uint64_t *times;        /* occurrences in the whole expansion */
};

/* A function that is called with each transition. */
typedef void transition_visitor(void *context, uint32_t from, uint32_t to, uint64_t count);

static bool order_rules(struct survey *s)
{
    const struct rules *r = s->rules;
    uint32_t depth = r->total[0].depth;
    uint32_t *starts = calloc((size_t)depth + 2, sizeof *starts);
    if (!starts)
        return false;
    for (uint32_t i = 0; i < r->rule_count; i++)
        starts[r->total[i].depth + 1]++;
    for (uint32_t d = 0; d <= depth; d++)
        starts[d + 1] += starts[d];
    for (uint32_t i = 0; i < r->rule_count; i++)
        s->order[starts[r->total[i].depth]++] = i;
    free(starts);
    return true;
}

static uint32_t first_of(const struct survey *s, const struct rules_symbol *symbol)
{
    return symbol->is_rule ? s->first[symbol->value] : (uint32_t)symbol->value;
}

static uint32_t last_of(const struct survey *s, const struct rules_symbol *symbol)
{
    return symbol->is_rule ? s->last[symbol->value] : (uint32_t)symbol->value;
}

static void survey_rules(struct survey *s)
{
    const struct rules *r = s->rules;
    for (uint32_t i = 0; i < r->rule_count; i++) {
        uint32_t rule = s->order[i];
        s->first[rule] = first_of(s, &r->symbols[r->first[rule]]);
        s->last[rule] = last_of(s, &r->symbols[r->first[rule + 1] - 1]);
    }
    s->times[0] = 1;
    for (uint32_t i = r->rule_count; i-- > 0;)
        for (uint32_t k = r->first[s->order[i]]; k < r->first[s->order[i] + 1]; k++)
            if (r->symbols[k].is_rule)
                s->times[r->symbols[k].value] += s->times[s->order[i]] * r->symbols[k].exponent;
}

static void visit(const struct survey *s, transition_visitor *each, void *context)
{
    const struct rules *r = s->rules;
    for (uint32_t i = 0; i < r->rule_count; i++) {
        for (uint32_t k = r->first[i]; k < r->first[i + 1]; k++) {
            const struct rules_symbol *symbol = &r->symbols[k];
            if (symbol->exponent > 1)
                each(context, last_of(s, symbol), first_of(s, symbol), s->times[i] * (symbol->exponent - 1));
            if (k + 1 < r->first[i + 1])
                each(context, last_of(s, symbol), first_of(s, symbol + 1), s->times[i]);
        }
    }
}

/* ---- lists ---- */

static void count_one(void *context, uint32_t from, uint32_t to, uint64_t count)
{
    struct transition_lists *l = context;
    (void)count;
    l->first[from + 1] += from != to;
}

/* Adds a transition and moves FIRST, so that it points behind the last one so far. */
static void put_one(void *context, uint32_t from, uint32_t to, uint64_t count)
{
    struct transition_lists *l = context;
    if (from != to)
        l->items[l->first[from]++] = (struct transition){to, count};
}

static void count_repeats(void *context, uint32_t from, uint32_t to, uint64_t count)
{
    uint64_t *repeats = context;
    if (from == to)
        repeats[from] += count;
}

/* Turns the counts at FIRST + 1 into positions. */
static void add_up(uint32_t *first, uint32_t terminal_count)
{
    for (uint32_t i = 0; i < terminal_count; i++)
        first[i + 1] += first[i];
}

static void move_back(uint32_t *first, uint32_t terminal_count)
{
    for (uint32_t i = terminal_count; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
}

/* Joins the transitions of a terminal to the same other terminal. SLOTS: room for a number for each terminal. */
static void unite(struct transition_lists *l, uint32_t terminal_count, uint32_t *slots)
{
    uint32_t to = 0, from = 0;
    for (uint32_t i = 0; i < terminal_count; i++)
        slots[i] = UINT32_MAX;
    for (uint32_t i = 0; i < terminal_count; i++) {
        uint32_t begin = to, end = l->first[i + 1];
        for (; from < end; from++) {
            const struct transition t = l->items[from];
            if (slots[t.other] == UINT32_MAX || slots[t.other] < begin) {
                slots[t.other] = to;
                l->items[to++] = t;
            } else {
                l->items[slots[t.other]].count += t.count;
            }
        }
        l->first[i] = begin;
    }
    l->first[terminal_count] = to;
}

static bool lists_begin(struct transition_lists *l, uint32_t terminal_count)
{
    l->first = calloc((size_t)terminal_count + 2, sizeof *l->first);
    return l->first;
}

static bool fill_out(const struct survey *s, uint32_t terminal_count, struct transition_lists *out)
{
    uint32_t *slots = malloc(terminal_count * sizeof *slots + 1);
    bool good = slots && lists_begin(out, terminal_count);
    if (good) {
        visit(s, count_one, out);
        add_up(out->first, terminal_count);
        out->items = malloc(out->first[terminal_count] * sizeof *out->items + 1);
        good = out->items;
    }
    if (good) {
        visit(s, put_one, out);
        move_back(out->first, terminal_count);
        unite(out, terminal_count, slots);
    }
    free(slots);
    return good;
}

/* Fills IN with the other direction of OUT. */
static bool fill_in(const struct transition_lists *out, uint32_t terminal_count, struct transition_lists *in)
{
    in->items = malloc(out->first[terminal_count] * sizeof *in->items + 1);
    if (!in->items || !lists_begin(in, terminal_count))
        return false;
    for (uint32_t i = 0; i < out->first[terminal_count]; i++)
        in->first[out->items[i].other + 1]++;
    add_up(in->first, terminal_count);
    for (uint32_t t = 0; t < terminal_count; t++)
        for (uint32_t i = out->first[t]; i < out->first[t + 1]; i++)
            put_one(in, out->items[i].other, t, out->items[i].count);
    move_back(in->first, terminal_count);
    return true;
}

enum pilgrim_status transitions_of(const struct rules *r, uint32_t terminal_count, struct transitions *t)
{
    struct survey s = {.rules = r};
    *t = (struct transitions){0};
    s.order = malloc(r->rule_count * sizeof *s.order + 1);
    s.first = malloc(r->rule_count * sizeof *s.first + 1);
    s.last = malloc(r->rule_count * sizeof *s.last + 1);
    s.times = calloc(r->rule_count + (size_t)1, sizeof *s.times);
    bool good = s.order && s.first && s.last && s.times && order_rules(&s);
    if (good) {
        survey_rules(&s);
        t->start = s.first[0];
        t->last = s.last[0];
        t->sequences = 1;
        t->repeats = calloc(terminal_count + (size_t)1, sizeof *t->repeats);
        good = t->repeats && fill_out(&s, terminal_count, &t->out) && fill_in(&t->out, terminal_count, &t->in);
    }
    if (good)
        visit(&s, count_repeats, t->repeats);
    free(s.order);
    free(s.first);
    free(s.last);
    free(s.times);
    if (!good)
        transitions_free(t);
    return good ? PILGRIM_OK : PILGRIM_NOMEM;
}

/* Leaves out OTHER from the lists of the first TERMINAL_COUNT terminals, and the lists of all others. */
static void leave_out(struct transition_lists *l, uint32_t terminal_count, uint32_t other)
{
    uint32_t from = 0, to = 0;
    for (uint32_t t = 0; t < terminal_count; t++) {
        const uint32_t end = l->first[t + 1];
        l->first[t] = to;
        for (; from < end; from++)
            if (l->items[from].other != other)
                l->items[to++] = l->items[from];
    }
    l->first[terminal_count] = to;
}

bool transitions_separate(struct transitions *t, uint32_t separator)
{
    const uint32_t out = t->out.first[separator], in = t->in.first[separator];
    if (t->out.first[separator + 1] != out + 1 || t->in.first[separator + 1] != in + 1 ||
        t->in.items[in].other != t->last)
        return false;
    t->start = t->out.items[out].other;
    t->sequences = t->out.items[out].count;
    leave_out(&t->out, separator, separator);
    leave_out(&t->in, separator, separator);
    return true;
}

void transitions_free(struct transitions *t)
{
    free(t->out.first);
    free(t->out.items);
    free(t->in.first);
    free(t->in.items);
    free(t->repeats);
    *t = (struct transitions){0};
}
