/* SPDX-License-Identifier: BSD-3-Clause */
/* Serialises a grammar (rules.h). The run and the loop that still grow are closed first, on a copy. */
#include <stdlib.h>
#include <string.h>

#include "grammar/grammar_data.h"
#include "grammar/loop_cursor.h"

enum { FEW_RULES = 8 }; /* so many rules are written without allocating memory */

/* Writes the rules in the order in which they are met, which is also their numbering. So ORDER doubles as the queue of
 * the walk. */
static void write_rules(const struct grammar *g, struct bytes *out)
{
    uint32_t few[2][FEW_RULES] = {0};
    bool fits = g->rule_limit <= FEW_RULES;
    uint32_t *order = fits ? few[0] : calloc(g->rule_count, sizeof *order);
    uint32_t *number = fits ? few[1] : calloc(g->rule_limit, sizeof *number);
    if (!order || !number)
        out->failed = true;
    uint32_t met = 1;
    bytes_put_varint(out, g->rule_count);
    for (uint32_t i = 0; !out->failed && i < g->rule_count; i++) {
        uint32_t guard = g->rules[order[i]].guard;
        uint64_t count = 0;
        for (uint32_t s = g->symbols[guard].next; s != guard; s = g->symbols[s].next)
            count++;
        bytes_put_varint(out, count);
        for (uint32_t s = g->symbols[guard].next; s != guard; s = g->symbols[s].next) {
            bool is_rule = g->symbols[s].value & SYMBOL_RULE;
            uint32_t value = g->symbols[s].value & ~SYMBOL_RULE;
            uint64_t exponent = g->symbols[s].exponent;
            if (is_rule && number[value] == 0) {
                order[met] = value;
                number[value] = met++;
            }
            if (is_rule)
                value = number[value];
            bytes_put_varint(out, (uint64_t)value << 2 | (uint64_t)(exponent > 1) << 1 | is_rule);
            if (exponent > 1)
                bytes_put_varint(out, exponent - 2);
        }
    }
    if (!fits) {
        free(order);
        free(number);
    }
}

static void *copy_array(const void *from, size_t count, size_t size)
{
    void *to = calloc(count ? count : 1, size);
    if (to && count)
        memcpy(to, from, count * size);
    return to;
}

static struct grammar *copy_grammar(const struct grammar *g)
{
    struct grammar *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *g;
    copy->symbol_capacity = g->symbol_limit;
    copy->rule_capacity = g->rule_limit;
    copy->symbols = copy_array(g->symbols, g->symbol_limit, sizeof *g->symbols);
    copy->rules = copy_array(g->rules, g->rule_limit, sizeof *g->rules);
    bool digrams = hash_index_copy(&copy->digrams, &g->digrams);
    copy->frame_capacity = g->depth;
    copy->frames = copy_array(g->frames, g->depth, sizeof *g->frames);
    copy->short_rules = copy->lonely_rules = copy->open_digrams = (struct index_stack){0};
    if (!copy->symbols || !copy->rules || !digrams || !copy->frames) {
        grammar_free(copy);
        return NULL;
    }
    return copy;
}

/* Returns a copy as it would be if a terminal followed that the grammar does not predict; NULL: no memory. */
static struct grammar *close_grammar(const struct grammar *g)
{
    struct grammar *closed = copy_grammar(g);
    if (!closed)
        return NULL;
    if (!grammar_reserve(closed, closed->depth * LOOP_FRAME_SYMBOLS, closed->depth)) {
        grammar_free(closed);
        return NULL;
    }
    loop_cursor_leave(closed);
    closed->closed = true;
    grammar_note_last(closed);
    grammar_settle(closed);
    return closed;
}

/* Writes the grammar as it is, in most cases. Inside an iteration of a loop, or if the last digram occurs elsewhere, it
 * closes a copy and writes that. */
void grammar_serialise(const struct grammar *g, struct bytes *out)
{
    grammar_end_run(g);
    uint32_t before = g->symbols[g->symbols[0].previous].previous;
    if (!g->depth && (!is_real(g, before) || digram_find(&g->digrams, g->symbols, before) == SYMBOL_NONE)) {
        write_rules(g, out);
        return;
    }
    struct grammar *closed = close_grammar(g);
    if (closed)
        write_rules(closed, out);
    else
        out->failed = true;
    grammar_free(closed);
}
