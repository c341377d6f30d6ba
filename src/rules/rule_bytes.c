/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules as bytes; see rule_bytes.h. A graft is a depth-first walk with an explicit stack. */
#include "rules/rule_bytes.h"

#include <stdlib.h>

#include "base/try.h"

/* A block has both flag bits, and an odd second number: no other symbol has that, as rules have no ramps. */
static void put_block(struct bytes *out, const struct rules_symbol *s)
{
    bytes_put_varint(out, (s->value - RULES_BLOCK) << STORED_SYMBOL_BITS | STORED_HAS_EXPONENT | STORED_IS_RULE);
    bytes_put_varint(out, (s->exponent - 1) << 1 | 1);
}

static void put_symbol(struct bytes *out, const struct rules_symbol *s)
{
    if (rules_is_block(s)) {
        put_block(out, s);
        return;
    }
    bool more = s->exponent > 1;
    bytes_put_varint(out, s->value << STORED_SYMBOL_BITS | (more ? STORED_HAS_EXPONENT : 0) |
                              (s->is_rule ? STORED_IS_RULE : 0));
    if (more)
        bytes_put_varint(out, (s->exponent - 2) << 1 | s->is_ramp);
}

static bool is_same(const struct rules_symbol *a, const struct rules_symbol *b)
{
    return a->value == b->value && a->is_rule == b->is_rule && !a->is_ramp && !b->is_ramp;
}

static void put_last(struct rule_writer *w)
{
    if (w->last.exponent)
        put_symbol(&w->bytes, &w->last);
    w->last.exponent = 0;
}

void rule_begin(struct rule_writer *w)
{
    w->bytes.length = 0;
    w->bytes.failed = false;
    w->last.exponent = 0;
}

void rule_put(struct rule_writer *w, struct rules_symbol symbol)
{
    if (w->last.exponent && is_same(&w->last, &symbol)) {
        w->last.exponent += symbol.exponent;
        return;
    }
    put_last(w);
    w->last = symbol;
}

enum pilgrim_status rule_complete(struct rule_writer *w)
{
    put_last(w);
    return bytes_status(&w->bytes);
}

enum pilgrim_status rule_end(struct rule_writer *w, struct intern *table, uint32_t *number)
{
    if (!w->bytes.length && w->last.is_rule && w->last.exponent == 1) {
        *number = (uint32_t)w->last.value;
        return PILGRIM_OK;
    }
    TRY(rule_complete(w));
    return intern_add(table, w->bytes.data, w->bytes.length, number);
}

struct cursor rule_open(const struct intern *table, uint32_t rule)
{
    size_t length;
    const uint8_t *data = intern_get(table, rule, &length);
    struct cursor c;
    cursor_init(&c, data, length);
    return c;
}

/* --- grafts --- */

enum pilgrim_status rule_graft_init(struct rule_graft *g, const struct rules *rules, struct intern *table)
{
    size_t count = rules->rule_count;
    *g = (struct rule_graft){.rules = rules, .table = table, .numbers = malloc(3 * count * sizeof *g->numbers)};
    if (!g->numbers)
        return PILGRIM_NOMEM;
    g->offsets = g->numbers + count;
    g->stack = g->offsets + count;
    for (uint32_t i = 0; i < rules->rule_count; i++) {
        g->numbers[i] = UINT32_MAX;
        g->offsets[i] = rules->first[i];
    }
    return PILGRIM_OK;
}

void rule_graft_free(struct rule_graft *g)
{
    bytes_free(&g->inner.bytes);
    free(g->numbers);
}

static void put_symbols(const struct rule_graft *g, uint32_t first, uint32_t end, struct rule_writer *w)
{
    for (uint32_t i = first; i < end; i++) {
        struct rules_symbol s = g->rules->symbols[i];
        if (s.is_rule)
            s.value = g->numbers[s.value];
        rule_put(w, s);
    }
}

static bool is_open(const struct rule_graft *g, uint32_t symbol)
{
    const struct rules_symbol *s = &g->rules->symbols[symbol];
    return s->is_rule && g->numbers[s->value] == UINT32_MAX;
}

static enum pilgrim_status add_rule(struct rule_graft *g, uint32_t rule)
{
    uint32_t height = 0;
    g->stack[height++] = rule;
    while (height) {
        uint32_t top = g->stack[height - 1], *offset = &g->offsets[top], end = g->rules->first[top + 1];
        while (*offset < end && !is_open(g, *offset))
            ++*offset;
        if (*offset < end) {
            g->stack[height++] = (uint32_t)g->rules->symbols[*offset].value;
            continue;
        }
        height--;
        rule_begin(&g->inner);
        put_symbols(g, g->rules->first[top], end, &g->inner);
        TRY(rule_end(&g->inner, g->table, &g->numbers[top]));
    }
    return PILGRIM_OK;
}

enum pilgrim_status rule_graft_start(struct rule_graft *g, struct rule_writer *w)
{
    uint32_t first = g->rules->first[0], end = g->rules->first[1];
    for (uint32_t i = first; i < end; i++)
        if (is_open(g, i))
            TRY(add_rule(g, (uint32_t)g->rules->symbols[i].value));
    put_symbols(g, first, end, w);
    return PILGRIM_OK;
}
