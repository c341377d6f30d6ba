/* Where things are: streams, their groups, places, positions; and what an opened trace tells without a cursor. */
#include <string.h>

#include "reader/trace.h"

uint64_t stream_number(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread)
{
    const struct run *run = runs_find(&t->threads, rank);
    return t->rank_count + run->before + run->value * (rank - runs_start(&t->threads, run)) + thread;
}

const struct group *stream_group(const struct pilgrim_trace *t, uint64_t stream, uint64_t *place)
{
    const struct run *run = runs_find(&t->members, stream);
    *place = run->before + (stream - runs_start(&t->members, run));
    return &t->groups[run->value];
}

const struct part *place_part(const struct pilgrim_trace *t, const struct group *g, const struct group_class *c,
                              uint64_t place, uint32_t *number, uint64_t *position, uint64_t *size)
{
    if (c->partition == 0) {
        *number = 0;
        *position = place;
        *size = g->members;
        return &c->parts[0];
    }
    const struct partition *partition = &t->partitions[c->partition - 1];
    const struct run *run = runs_find(&partition->runs, place);
    *number = run->value;
    *position = run->before + (place - runs_start(&partition->runs, run));
    *size = partition->sizes[run->value];
    return &c->parts[run->value];
}

/* ---- public ---- */

uint32_t pilgrim_rank_count(const struct pilgrim_trace *t)
{
    return t->rank_count;
}

uint32_t pilgrim_thread_count(const struct pilgrim_trace *t, uint32_t rank)
{
    return rank < t->rank_count ? runs_find(&t->threads, rank)->value : 0;
}

/* NULL where there is no such thread. */
static const struct group *thread_group(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread, uint64_t *place)
{
    if (thread >= pilgrim_thread_count(t, rank))
        return NULL;
    return stream_group(t, stream_number(t, rank, thread), place);
}

uint64_t pilgrim_call_count(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread)
{
    uint64_t place;
    const struct group *g = thread_group(t, rank, thread, &place);
    return g ? pilgrim_grammar_length(&t->sequences[g->sequence]) : 0;
}

bool pilgrim_property_at(const struct pilgrim_trace *t, size_t i, const char **key, const char **value)
{
    if (i >= t->property_count)
        return false;
    *key = t->strings[t->properties[i][0]].text;
    *value = t->strings[t->properties[i][1]].text;
    return true;
}

const char *pilgrim_property(const struct pilgrim_trace *t, const char *key)
{
    const char *found, *value;
    for (size_t i = 0; pilgrim_property_at(t, i, &found, &value); i++)
        if (strcmp(found, key) == 0)
            return value;
    return NULL;
}

uint32_t pilgrim_grammar_rules(const struct pilgrim_grammar *grammar)
{
    return grammar->rules.rule_count;
}

size_t pilgrim_grammar_symbols(const struct pilgrim_grammar *grammar, uint32_t rule)
{
    const struct rules *r = &grammar->rules;
    return rule < r->rule_count ? r->first[rule + 1] - r->first[rule] : 0;
}

struct pilgrim_symbol pilgrim_grammar_symbol(const struct pilgrim_grammar *grammar, uint32_t rule, size_t i)
{
    if (i >= pilgrim_grammar_symbols(grammar, rule))
        return (struct pilgrim_symbol){0};
    const struct rules_symbol *s = &grammar->rules.symbols[grammar->rules.first[rule] + i];
    return (struct pilgrim_symbol){.is_rule = s->is_rule, .value = s->value, .exponent = s->exponent};
}

uint64_t pilgrim_grammar_length(const struct pilgrim_grammar *grammar)
{
    return grammar->rules.length[0];
}

enum pilgrim_status pilgrim_thread_info(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread,
                                        struct pilgrim_thread_info *info)
{
    uint64_t place;
    const struct group *g = thread_group(t, rank, thread, &place);
    if (!g)
        return PILGRIM_INVALID;
    *info = (struct pilgrim_thread_info){.structure_group = (uint32_t)(g - t->groups),
                                         .structure_group_size = g->members,
                                         .class_count = g->class_count,
                                         .structure = &t->sequences[g->sequence]};
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_class_info(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread,
                                       size_t class_number, struct pilgrim_class_info *info)
{
    uint64_t place, position, size;
    uint32_t number;
    const struct group *g = thread_group(t, rank, thread, &place);
    if (!g || class_number >= g->class_count)
        return PILGRIM_INVALID;
    const struct group_class *c = &g->classes[class_number];
    const struct part *part = place_part(t, g, c, place, &number, &position, &size);
    *info = (struct pilgrim_class_info){.class_ = &t->classes[c->class].shown,
                                        .value_group = number,
                                        .value_group_size = size,
                                        .signature_count = part->signature_count,
                                        .values = &t->sequences[part->sequence],
                                        .timed = t->timed,
                                        .mean_ns = c->mean_ns,
                                        .min_ns = c->min_ns,
                                        .max_ns = c->max_ns};
    return PILGRIM_OK;
}
