/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the rules and the terminals of an expansion; see rules_uses.h. */
#include "rules/rules_uses.h"

#include <stdlib.h>
#include <string.h>

/* A heap with the highest rule number on top. */
struct heap {
    struct rules_use *entries;
    size_t count, capacity;
};

/* Makes room for one more entry. */
static bool grow_uses(struct rules_use **entries, size_t count, size_t *capacity)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity * 2 + 16;
    struct rules_use *grown = realloc(*entries, wanted * sizeof *grown);
    if (!grown)
        return false;
    *entries = grown;
    *capacity = wanted;
    return true;
}

static bool heap_push(struct heap *h, struct rules_use use)
{
    if (!grow_uses(&h->entries, h->count, &h->capacity))
        return false;
    size_t i = h->count++;
    for (; i > 0 && h->entries[(i - 1) / 2].rule < use.rule; i = (i - 1) / 2)
        h->entries[i] = h->entries[(i - 1) / 2];
    h->entries[i] = use;
    return true;
}

static struct rules_use heap_pop(struct heap *h)
{
    struct rules_use top = h->entries[0], last = h->entries[--h->count];
    size_t i = 0;
    for (size_t child = 1; child < h->count; child = 2 * i + 1) {
        child += child + 1 < h->count && h->entries[child + 1].rule > h->entries[child].rule;
        if (h->entries[child].rule <= last.rule)
            break;
        h->entries[i] = h->entries[child];
        i = child;
    }
    h->entries[i] = last;
    return top;
}

/* Removes all entries of the highest rule and returns it with the sum of their uses. */
static struct rules_use heap_pop_all(struct heap *h)
{
    struct rules_use use = heap_pop(h);
    while (h->count > 0 && h->entries[0].rule == use.rule)
        use.times += heap_pop(h).times;
    return use;
}

static bool push_inner(const struct rules *r, struct heap *h, const struct rules_use *use)
{
    bool good = true;
    for (uint32_t s = r->first[use->rule]; s < r->first[use->rule + 1] && good; s++) {
        const struct rules_symbol *symbol = &r->symbols[s];
        if (symbol->is_rule)
            good = heap_push(h, (struct rules_use){(uint32_t)symbol->value, symbol->exponent * use->times});
    }
    return good;
}

/* No count exceeds the length of the expansion, because no rule expands to nothing. */
enum pilgrim_status rules_uses(const struct rules *r, uint64_t sequence, struct rules_use **uses, size_t *count)
{
    struct heap h = {0};
    size_t capacity = 0;
    *uses = NULL;
    *count = 0;
    bool good = !rules_is_expansion(sequence) || heap_push(&h, (struct rules_use){rules_start(sequence), 1});
    while (good && h.count > 0) {
        good = grow_uses(uses, *count, &capacity);
        if (good) {
            (*uses)[*count] = heap_pop_all(&h);
            good = push_inner(r, &h, &(*uses)[(*count)++]);
        }
    }
    free(h.entries);
    if (good)
        return PILGRIM_OK;
    free(*uses);
    *uses = NULL;
    return PILGRIM_NOMEM;
}

/* ---- terminals ---- */

/* The state of a count: the rules that are still to be expanded, and for each terminal how many more times it occurs
 * than the terminal before it. So a ramp takes two steps. */
struct counting {
    const struct rules *rules;
    struct heap heap;
    uint64_t *steps;
    uint64_t work;
    bool failed;
};

/* Counts the first COUNT terminals of a block, TIMES times. */
static void count_block(struct counting *c, const struct block *b, uint64_t count, uint64_t times)
{
    struct block_walk walk = block_begin(b);
    c->work += count;
    while (walk.at < count) {
        uint64_t terminal = block_next(&walk);
        c->steps[terminal] += times;
        c->steps[terminal + 1] -= times;
    }
}

/* Counts the first COUNT repetitions of SYMBOL (of a ramp, its first COUNT terminals), TIMES times. */
static void count_symbol(struct counting *c, const struct rules_symbol *symbol, uint64_t count, uint64_t times)
{
    c->work++;
    if (rules_is_block(symbol)) {
        const struct block *b = rules_block(c->rules, symbol);
        count_block(c, b, b->count, count * times);
        return;
    }
    if (symbol->is_rule) {
        c->failed |= !heap_push(&c->heap, (struct rules_use){(uint32_t)symbol->value, count * times});
        return;
    }
    uint64_t each = symbol->is_ramp ? times : count * times;
    c->steps[symbol->value] += each;
    c->steps[symbol->value + (symbol->is_ramp ? count : 1)] -= each;
}

/* Counts the first COUNT terminals of RULE, at most its length: whole symbols, then the beginning of one symbol, and so
 * on inside it. */
static void count_beginning(struct counting *c, uint32_t rule, uint64_t count)
{
    const struct rules *r = c->rules;
    uint32_t s = r->first[rule];
    while (count > 0 && !c->failed) {
        const struct rules_symbol *symbol = &r->symbols[s++];
        uint64_t one = rules_symbol_length(r, symbol), whole = count / one;
        whole = whole < symbol->exponent ? whole : symbol->exponent;
        if (whole > 0)
            count_symbol(c, symbol, whole, 1);
        count -= whole * one;
        if (count > 0 && whole == 0 && rules_is_block(symbol)) {
            count_block(c, rules_block(r, symbol), count, 1);
            return;
        }
        if (whole < symbol->exponent)
            s = r->first[symbol->is_rule ? symbol->value : 0]; /* if the symbol is no rule, COUNT is 0 now */
    }
}

static void count_rules(struct counting *c)
{
    while (c->heap.count > 0 && !c->failed) {
        const struct rules_use use = heap_pop_all(&c->heap);
        for (uint32_t s = c->rules->first[use.rule]; s < c->rules->first[use.rule + 1]; s++)
            count_symbol(c, &c->rules->symbols[s], c->rules->symbols[s].exponent, use.times);
    }
}

enum pilgrim_status rules_count_terminals(const struct rules *r, uint64_t sequence, uint64_t count, uint64_t *counts,
                                          size_t terminal_count, uint64_t *work)
{
    struct counting c = {.rules = r, .steps = counts};
    memset(counts, 0, (terminal_count + 1) * sizeof *counts);
    if (rules_is_expansion(sequence))
        count_beginning(&c, rules_start(sequence), count);
    else if (count > 0)
        count_symbol(&c, &(struct rules_symbol){.value = sequence / 2}, 1, 1);
    count_rules(&c);
    free(c.heap.entries);
    for (size_t i = 1; i <= terminal_count; i++)
        counts[i] += counts[i - 1];
    *work = c.work;
    return c.failed ? PILGRIM_NOMEM : PILGRIM_OK;
}
