/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the invariants of a run-length Sequitur grammar in its serialised form, and makes sequences from seeds. */
#ifndef PILGRIM_TESTS_GRAMMAR_PROPERTIES_H
#define PILGRIM_TESTS_GRAMMAR_PROPERTIES_H

#include <check.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "grammar/grammar.h"
#include "rules/rules_walk.h"
#include "random.h"

#define ARRAY_COUNT(a) (sizeof(a) / sizeof *(a))

/* --- a sequence, and the grammar that should stand for it --- */

struct test_sequence {
    uint32_t *terminals;
    size_t length;
    size_t capacity;
};

static void add_terminal(struct test_sequence *s, uint32_t terminal)
{
    if (s->length == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 256;
        s->terminals = realloc(s->terminals, s->capacity * sizeof *s->terminals);
        EXPECT(s->terminals, "no memory");
    }
    s->terminals[s->length++] = terminal;
}

static void append(struct grammar *g, uint32_t terminal)
{
    enum pilgrim_status status = grammar_append(g, terminal);
    EXPECT(status == PILGRIM_OK, "append: status %d", status);
}

static struct rules rules_of(const struct grammar *g)
{
    struct bytes out = {0};
    grammar_serialise(g, &out);
    EXPECT(bytes_status(&out) == PILGRIM_OK, "serialise failed");
    struct cursor c;
    cursor_init(&c, out.data, out.length);
    struct rules r;
    EXPECT(rules_parse(&c, (uint64_t)GRAMMAR_TERMINAL_MAX + 1, &r) == PILGRIM_OK, "not rules: status %d", c.status);
    EXPECT(cursor_left(&c) == 0, "more bytes than rules");
    bytes_free(&out);
    return r;
}

static void assert_expansion(const struct rules *r, const uint32_t *terminals, size_t length)
{
    struct rules_cursor c;
    EXPECT(rules_cursor_init(&c, r, RULES_SEQUENCE(0)) == PILGRIM_OK, "no memory");
    uint64_t terminal;
    size_t i = 0;
    while (rules_cursor_next(&c, &terminal)) {
        EXPECT(i < length, "more than %zu terminals", length);
        EXPECT(terminal == terminals[i], "terminal %zu is %u, not %u", i, (uint32_t)terminal, terminals[i]);
        i++;
    }
    EXPECT(i == length && r->total[0].length == length, "%zu terminals, not %zu", i, length);
    rules_cursor_free(&c);
}

static int compare_symbols(const struct rules_symbol *a, const struct rules_symbol *b)
{
    if (a->is_rule != b->is_rule)
        return a->is_rule ? 1 : -1;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->exponent < b->exponent ? -1 : a->exponent > b->exponent;
}

static int compare_digrams(const void *a, const void *b)
{
    const struct rules_symbol *p = *(struct rules_symbol *const *)a;
    const struct rules_symbol *q = *(struct rules_symbol *const *)b;
    int order = compare_symbols(p, q);
    return order ? order : compare_symbols(p + 1, q + 1);
}

/* digram: two equal ones never overlap, because neighbours differ. So each may occur only once. */
static void assert_digrams(const struct rules *r)
{
    uint32_t symbols = r->first[r->rule_count];
    struct rules_symbol **digrams = calloc((size_t)symbols + 1, sizeof *digrams);
    EXPECT(digrams, "no memory");
    size_t count = 0;
    for (uint32_t i = 0; i < r->rule_count; i++)
        for (uint32_t s = r->first[i]; s + 1 < r->first[i + 1]; s++)
            digrams[count++] = &r->symbols[s];
    qsort(digrams, count, sizeof *digrams, compare_digrams);
    for (size_t i = 1; i < count; i++)
        EXPECT(compare_digrams(&digrams[i - 1], &digrams[i]) != 0, "a digram occurs twice");
    free(digrams);
}

static void assert_rules(const struct rules *r)
{
    uint32_t *uses = calloc(r->rule_count, sizeof *uses);
    EXPECT(uses, "no memory");
    for (uint32_t i = 0; i < r->rule_count; i++) {
        EXPECT(i == 0 || r->first[i + 1] - r->first[i] >= 2, "rule %u has one symbol", i);
        for (uint32_t s = r->first[i]; s < r->first[i + 1]; s++) {
            const struct rules_symbol *symbol = &r->symbols[s];
            if (symbol->is_rule)
                uses[symbol->value] += symbol->exponent > 1 ? 2 : 1;
            if (s > r->first[i])
                EXPECT(symbol->value != symbol[-1].value || symbol->is_rule != symbol[-1].is_rule,
                       "equal neighbours in rule %u", i);
        }
    }
    for (uint32_t i = 1; i < r->rule_count; i++)
        EXPECT(uses[i] >= 2, "rule %u is used once", i);
    free(uses);
}

static void assert_grammar(const struct grammar *g, const uint32_t *terminals, size_t length)
{
    struct rules r = rules_of(g);
    EXPECT(grammar_length(g) == length, "grammar_length is not %zu", length);
    assert_expansion(&r, terminals, length);
    assert_digrams(&r);
    assert_rules(&r);
    rules_free(&r);
}

#endif
