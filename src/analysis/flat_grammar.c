/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads stored grammars; see flat_grammar.h. */
#include "analysis/flat_grammar.h"

#include <stdlib.h>

#include "analysis/analysis_errors.h"

enum { SYMBOLS_MAX = 1 << 16, RULE_SYMBOLS_MAX = 1 << 12 };

static bool copy_symbols(struct flat_grammar *f, const struct pilgrim_grammar *g, bool *fits)
{
    size_t count = 0;
    f->rules = pilgrim_grammar_rules(g);
    *fits = f->rules <= SYMBOLS_MAX;
    for (uint32_t rule = 0; *fits && rule < f->rules; rule++) {
        size_t symbols = pilgrim_grammar_symbols(g, rule);
        count += symbols;
        *fits = symbols <= RULE_SYMBOLS_MAX && count <= SYMBOLS_MAX;
    }
    if (!*fits)
        return true;
    f->first = malloc((f->rules + 1) * sizeof *f->first);
    f->symbols = malloc((count + 1) * sizeof *f->symbols);
    f->end = calloc(count + 1, sizeof *f->end);
    if (!f->first || !f->symbols || !f->end)
        return false;
    count = 0;
    for (uint32_t rule = 0; rule < f->rules; rule++) {
        f->first[rule] = count;
        for (size_t i = 0, n = pilgrim_grammar_symbols(g, rule); i < n; i++)
            f->symbols[count++] = pilgrim_grammar_symbol(g, rule, i);
    }
    f->first[f->rules] = count;
    return true;
}

uint64_t flat_grammar_length(const struct flat_grammar *f, uint32_t rule)
{
    return f->first[rule] < f->first[rule + 1] ? f->end[f->first[rule + 1] - 1] : 0;
}

/* Measures RULE, and the rules in it. Returns how deeply they are nested; more than FLAT_GRAMMAR_DEPTH_MAX: too deeply,
 * or too long. DEPTHS: of rules that were measured; 0: not yet. Recursion is FLAT_GRAMMAR_DEPTH_MAX deep at most. */
static unsigned measure(struct flat_grammar *f, uint32_t rule, unsigned *depths, unsigned depth)
{
    uint64_t end = 0;
    unsigned deepest = 0;
    if (depths[rule])
        return depths[rule];
    if (depth > FLAT_GRAMMAR_DEPTH_MAX)
        return FLAT_GRAMMAR_DEPTH_MAX + 1;
    for (size_t i = f->first[rule]; i < f->first[rule + 1]; i++) {
        const struct pilgrim_symbol *s = &f->symbols[i];
        uint64_t size = 1;
        if (s->is_rule) {
            unsigned inner =
                s->value < f->rules ? measure(f, (uint32_t)s->value, depths, depth + 1) : FLAT_GRAMMAR_DEPTH_MAX + 1;
            if (inner > FLAT_GRAMMAR_DEPTH_MAX)
                return FLAT_GRAMMAR_DEPTH_MAX + 1;
            deepest = inner > deepest ? inner : deepest;
            size = flat_grammar_length(f, (uint32_t)s->value);
        }
        if (__builtin_mul_overflow(size, s->exponent, &size) || __builtin_add_overflow(end, size, &end))
            return FLAT_GRAMMAR_DEPTH_MAX + 1;
        f->end[i] = end;
    }
    return depths[rule] = deepest + 1;
}

enum pilgrim_status flat_grammar_read(struct flat_grammar *f, const struct pilgrim_cursor *cursor, uint64_t sequence,
                                      struct pilgrim_error *error)
{
    struct pilgrim_grammar *g;
    bool fits = true;
    *f = (struct flat_grammar){0};
    enum pilgrim_status status = pilgrim_grammar_open(cursor, sequence, &g, error);
    if (status != PILGRIM_OK)
        return status;
    bool good = copy_symbols(f, g, &fits);
    unsigned *depths = good && fits ? calloc(f->rules, sizeof *depths) : NULL;
    good = good && (!fits || depths);
    fits = good && fits && measure(f, 0, depths, 1) <= FLAT_GRAMMAR_DEPTH_MAX;
    free(depths);
    pilgrim_grammar_close(g);
    if (!good || !fits)
        flat_grammar_free(f);
    return good ? PILGRIM_OK : no_memory(error);
}

void flat_grammar_free(struct flat_grammar *f)
{
    free(f->first);
    free(f->symbols);
    free(f->end);
    *f = (struct flat_grammar){0};
}

bool flat_grammar_find(const struct flat_grammar *f, uint32_t rule, uint64_t index, struct flat_place *place)
{
    size_t low = f->first[rule], high = f->first[rule + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->end[middle] > index)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == f->first[rule + 1])
        return false;
    const struct pilgrim_symbol *s = &f->symbols[low];
    const uint64_t begin = low > f->first[rule] ? f->end[low - 1] : 0;
    *place = (struct flat_place){s, s->is_rule ? flat_grammar_length(f, (uint32_t)s->value) : 1, index - begin};
    return true;
}

uint64_t flat_grammar_at(const struct flat_grammar *f, uint32_t rule, uint64_t index)
{
    struct flat_place place = {0};
    while (flat_grammar_find(f, rule, index, &place) && place.symbol->is_rule) {
        rule = (uint32_t)place.symbol->value;
        index = place.inside % place.size;
    }
    return place.symbol ? place.symbol->value + (place.symbol->ramp ? place.inside : 0) : 0;
}
