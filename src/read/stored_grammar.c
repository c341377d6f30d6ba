/* SPDX-License-Identifier: BSD-3-Clause */
/* The stored grammar of a sequence, for tools: the rules that it uses of the table that all sequences share,
 * renumbered. */
#include <stdlib.h>

#include "read/cursor/cursor.h"
#include "read/table/trace_error.h"
#include "rules/rules_uses.h"

struct pilgrim_grammar {
    const struct pilgrim_trace *trace;
    const struct shard *shard; /* held */
    const struct rules *rules;
    struct rules_use *uses; /* by rule number, descending */
    uint32_t *number;       /* new number of each of USES */
    uint32_t *order;        /* index in USES of each new number */
    uint32_t count;
    uint64_t sequence;
};

/* Returns the index of RULE in the uses, which have it. */
static uint32_t index_of(const struct pilgrim_grammar *g, uint64_t rule)
{
    uint32_t low = 0, high = g->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->uses[middle].rule > rule)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Numbers the rules. The start rule is the first of the uses. A rule's number is 0 until the walk meets it. */
static void number_rules(struct pilgrim_grammar *g)
{
    uint32_t met = 1;
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t rule = g->uses[g->order[i]].rule;
        for (uint32_t s = g->rules->first[rule]; s < g->rules->first[rule + 1]; s++) {
            uint32_t index = g->rules->symbols[s].is_rule ? index_of(g, g->rules->symbols[s].value) : 0;
            if (index == 0 || g->number[index] != 0)
                continue;
            g->number[index] = met;
            g->order[met++] = index;
        }
    }
}

uint64_t pilgrim_cursor_tables(const struct pilgrim_cursor *c)
{
    return c ? c->shard->number : UINT64_MAX;
}

enum pilgrim_status pilgrim_grammar_open(const struct pilgrim_cursor *c, uint64_t sequence,
                                         struct pilgrim_grammar **grammar, struct pilgrim_error *error)
{
    size_t count;
    if (grammar)
        *grammar = NULL;
    if (!c || !grammar)
        return trace_null(error);
    if (!rules_have(&c->shard->rules, sequence))
        return trace_error(error, PILGRIM_INVALID, 0, "no sequence %llu", (unsigned long long)sequence);
    struct pilgrim_grammar *g = calloc(1, sizeof *g);
    if (!g)
        return trace_no_memory(error);
    g->trace = c->trace;
    g->rules = &c->shard->rules;
    g->sequence = sequence;
    enum pilgrim_status status = shard_hold(g->trace, c->shard->number, &g->shard, error);
    if (status == PILGRIM_OK)
        status = rules_uses(g->rules, sequence, &g->uses, &count);
    if (status == PILGRIM_OK) {
        g->count = (uint32_t)count;
        g->number = calloc(count + 1, sizeof *g->number);
        g->order = calloc(count + 1, sizeof *g->order);
    }
    if (!g->number || !g->order) {
        pilgrim_grammar_close(g);
        return trace_no_memory(error);
    }
    number_rules(g);
    *grammar = g;
    return PILGRIM_OK;
}

void pilgrim_grammar_close(struct pilgrim_grammar *g)
{
    if (!g)
        return;
    shard_release(g->trace, g->shard);
    free(g->uses);
    free(g->number);
    free(g->order);
    free(g);
}

uint32_t pilgrim_grammar_rules(const struct pilgrim_grammar *g)
{
    if (!g)
        return 0;
    return g->count ? g->count : 1;
}

/* Returns the block that use RULE is, or NULL. The symbols of a block are its terminals. */
static const struct block *block_of(const struct pilgrim_grammar *g, uint32_t rule)
{
    const struct rules_symbol *s = &g->rules->symbols[g->rules->first[g->uses[g->order[rule]].rule]];
    return rules_is_block(s) ? rules_block(g->rules, s) : NULL;
}

size_t pilgrim_grammar_symbols(const struct pilgrim_grammar *g, uint32_t rule)
{
    if (!g)
        return 0;
    if (rule >= g->count)
        return rule == 0 ? g->sequence % 2 : 0;
    uint32_t stored = g->uses[g->order[rule]].rule;
    const struct block *block = block_of(g, rule);
    if (block)
        return block->count;
    return g->rules->first[stored + 1] - g->rules->first[stored];
}

struct pilgrim_symbol pilgrim_grammar_symbol(const struct pilgrim_grammar *g, uint32_t rule, size_t i)
{
    if (i >= pilgrim_grammar_symbols(g, rule))
        return (struct pilgrim_symbol){0};
    if (g->count == 0)
        return (struct pilgrim_symbol){.value = g->sequence / 2, .exponent = 1};
    const struct block *block = block_of(g, rule);
    if (block) {
        struct block_walk walk = block_begin(block);
        block_seek(&walk, (uint32_t)i);
        return (struct pilgrim_symbol){.value = block_next(&walk), .exponent = 1};
    }
    const struct rules_symbol *s = &g->rules->symbols[g->rules->first[g->uses[g->order[rule]].rule] + i];
    return (struct pilgrim_symbol){.is_rule = s->is_rule,
                                   .ramp = s->is_ramp,
                                   .value = s->is_rule ? g->number[index_of(g, s->value)] : s->value,
                                   .exponent = s->exponent};
}

uint64_t pilgrim_grammar_length(const struct pilgrim_grammar *g)
{
    return g ? rules_length(g->rules, g->sequence) : 0;
}
