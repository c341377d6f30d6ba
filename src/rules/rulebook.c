/* SPDX-License-Identifier: BSD-3-Clause */
/* The rulebook; see rulebook.h.
 *
 * Rules and sequences are stored as bytes (rule_bytes.h), a few a symbol. A rule is added after the rules that it uses.
 * So descending numbers visit each rule before the rules that it uses, and ascending numbers after them.
 *
 * At the end the sequences become rules too, ramps are found, irregular stretches are packed (pack.h), and rules that
 * do not pay are dissolved (factor.h). In the file's table the blocks come first. */
#include "rules/rulebook.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/try.h"
#include "rules/factor.h"
#include "rules/pack.h"
#include "rules/rule_bytes.h"

struct rulebook {
    struct intern rules;     /* with the rulebook's own numbers, without ramps */
    struct intern sequences; /* each: u8 ramps, then symbols as in a rule */
    struct rule_writer writer;
    /* Set by finish: */
    struct intern blocks; /* as in the file, where blocks come first */
    struct intern table;  /* the other rules */
    uint64_t *references; /* by sequence: its number in the file */
};

enum { RAMP_MIN = 3 }; /* terminals; a ramp of two would not be shorter */

struct rulebook *rulebook_new(void)
{
    return calloc(1, sizeof(struct rulebook));
}

void rulebook_free(struct rulebook *p)
{
    if (!p)
        return;
    intern_free(&p->rules);
    intern_free(&p->sequences);
    bytes_free(&p->writer.bytes);
    intern_free(&p->blocks);
    intern_free(&p->table);
    free(p->references);
    free(p);
}

/* --- adding --- */

static void put_all(struct rule_writer *w, const struct rulebook_symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rule_put(w, (struct rules_symbol){
                        .value = symbols[i].value, .exponent = symbols[i].exponent, .is_rule = symbols[i].is_rule});
}

static void begin_sequence(struct rule_writer *w, bool ramps)
{
    rule_begin(w);
    bytes_put_u8(&w->bytes, ramps);
}

enum pilgrim_status rulebook_rule(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count,
                                  uint32_t *rule)
{
    rule_begin(&p->writer);
    put_all(&p->writer, symbols, count);
    return rule_end(&p->writer, &p->rules, rule);
}

enum pilgrim_status rulebook_sequence(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count,
                                      bool ramps, uint32_t *sequence)
{
    begin_sequence(&p->writer, ramps);
    put_all(&p->writer, symbols, count);
    return rule_end(&p->writer, &p->sequences, sequence);
}

enum pilgrim_status rulebook_serialised(struct rulebook *p, const void *data, size_t length, bool ramps,
                                        uint32_t *sequence)
{
    struct cursor c;
    struct rules r;
    struct rule_graft g;
    cursor_init(&c, data, length);
    TRY(rules_parse(&c, UINT64_MAX, &r));
    enum pilgrim_status status = cursor_left(&c) ? PILGRIM_DAMAGED : rule_graft_init(&g, &r, &p->rules);
    if (status == PILGRIM_OK) {
        begin_sequence(&p->writer, ramps);
        status = rule_graft_start(&g, &p->writer);
        rule_graft_free(&g);
    }
    rules_free(&r);
    return status == PILGRIM_OK ? rule_end(&p->writer, &p->sequences, sequence) : status;
}

/* --- finishing --- */

/* Adds USE to USES of the rules that the symbols at C use. */
static void mark(struct cursor c, uint8_t use, uint8_t *uses)
{
    while (cursor_left(&c)) {
        struct rules_symbol s = rule_take(&c);
        if (s.is_rule)
            uses[s.value] |= use;
    }
}

static struct cursor open_sequence(const struct rulebook *p, uint32_t sequence, bool *ramps)
{
    struct cursor c = rule_open(&p->sequences, sequence);
    *ramps = cursor_u8(&c);
    return c;
}

static void mark_all(const struct rulebook *p, uint8_t *uses)
{
    for (uint32_t i = 0; i < p->sequences.count; i++) {
        bool ramps;
        struct cursor c = open_sequence(p, i, &ramps);
        mark(c, ramps ? PACK_PLAIN : PACK_DIFFERENCES, uses);
    }
    for (uint32_t i = p->rules.count; i-- > 0;)
        if (uses[i])
            mark(rule_open(&p->rules, i), uses[i], uses);
}

/* Returns how many terminals from SYMBOL on, which was just taken from FROM, count up by 1 and have no exponent. */
static uint64_t ramp_length(const struct cursor *from, struct rules_symbol symbol)
{
    struct cursor c = *from;
    uint64_t count = 0;
    uint64_t next = symbol.value;
    while (!symbol.is_rule && symbol.exponent == 1 && symbol.value == next) {
        count++;
        next++;
        if (!cursor_left(&c))
            break;
        symbol = rule_take(&c);
    }
    return count;
}

/* Adds to TABLE a rule with the symbols at C, whose rules get their new numbers from NUMBERS. Finds ramps if RAMPS. */
static enum pilgrim_status collect_rule(struct rulebook *p, struct cursor c, bool ramps, const uint32_t *numbers,
                                        struct intern *table, uint32_t *number)
{
    rule_begin(&p->writer);
    while (cursor_left(&c)) {
        struct rules_symbol s = rule_take(&c);
        uint64_t count = ramps && !s.is_rule && s.exponent == 1 ? ramp_length(&c, s) : 0;
        if (count >= RAMP_MIN) {
            s.exponent = count;
            s.is_ramp = true;
            while (--count)
                (void)rule_take(&c);
        }
        if (s.is_rule)
            s.value = numbers[s.value];
        rule_put(&p->writer, s);
    }
    return rule_end(&p->writer, table, number);
}

/* All used rules and all sequences as one table, and the kinds of sequences that each of its rules is part of. */
struct rule_collection {
    struct intern table;
    uint8_t *uses;       /* by rule of the table */
    uint32_t *sequences; /* by sequence: its number in the table; UINT32_MAX: empty */
    uint8_t *rule_uses;  /* by rule of the rulebook: the kinds, */
    uint32_t *numbers;   /* and its number in the table */
};

static enum pilgrim_status collect(struct rulebook *p, struct rule_collection *k)
{
    mark_all(p, k->rule_uses);
    for (uint32_t i = 0; i < p->rules.count; i++) {
        if (!k->rule_uses[i])
            continue;
        bool ramps = !(k->rule_uses[i] & PACK_DIFFERENCES);
        TRY(collect_rule(p, rule_open(&p->rules, i), ramps, k->numbers, &k->table, &k->numbers[i]));
        k->uses[k->numbers[i]] |= k->rule_uses[i];
    }
    for (uint32_t i = 0; i < p->sequences.count; i++) {
        bool ramps;
        struct cursor c = open_sequence(p, i, &ramps);
        k->sequences[i] = UINT32_MAX;
        if (!cursor_left(&c))
            continue;
        TRY(collect_rule(p, c, ramps, k->numbers, &k->table, &k->sequences[i]));
        k->uses[k->sequences[i]] |= ramps ? PACK_PLAIN : PACK_DIFFERENCES;
    }
    return PILGRIM_OK;
}

static enum pilgrim_status finish(struct rulebook *p, bool plain)
{
    uint32_t sequence_count = p->sequences.count;
    size_t count = (size_t)p->rules.count + sequence_count + 1;
    struct rule_collection k = {.uses = calloc(count, sizeof *k.uses),
                                .sequences = malloc(count * sizeof *k.sequences),
                                .rule_uses = calloc(count, sizeof *k.rule_uses),
                                .numbers = malloc(count * sizeof *k.numbers)};
    p->references = malloc(count * sizeof *p->references);
    enum pilgrim_status status = PILGRIM_NOMEM;
    if (k.uses && k.sequences && k.rule_uses && k.numbers && p->references)
        status = collect(p, &k);
    intern_free(&p->rules);
    intern_free(&p->sequences);
    if (status == PILGRIM_OK && !plain)
        status = pack_table(&k.table, k.uses, k.sequences, sequence_count, &p->blocks);
    if (status == PILGRIM_OK)
        status = factor_dissolve(&k.table, k.sequences, sequence_count, p->blocks.count, &p->table, p->references);
    free(k.uses);
    free(k.sequences);
    free(k.rule_uses);
    free(k.numbers);
    intern_free(&k.table);
    return status;
}

enum pilgrim_status rulebook_finish(struct rulebook *p)
{
    return finish(p, false);
}

enum pilgrim_status rulebook_finish_plain(struct rulebook *p)
{
    return finish(p, true);
}

/* --- the result --- */

/* Writes the symbols at C into W with the file's rule numbers. Returns how many they are. */
static size_t name_symbols(const struct rulebook *p, struct cursor c, struct rule_writer *w)
{
    size_t count = 0;
    rule_begin(w);
    for (; cursor_left(&c) > 0; count++) {
        struct rules_symbol s = rule_take(&c);
        if (s.is_rule)
            s.value += p->blocks.count;
        if (rules_is_block(&s)) {
            s.value -= RULES_BLOCK;
            s.is_rule = true;
        }
        rule_put(w, s);
    }
    return count;
}

void rulebook_write(const struct rulebook *p, struct bytes *out)
{
    size_t length;
    struct rule_writer w = {0};
    bytes_put_varint(out, (uint64_t)p->blocks.count + p->table.count);
    for (uint32_t i = 0; i < p->blocks.count; i++) {
        const uint8_t *block = intern_get(&p->blocks, i, &length);
        bytes_put(out, block, length);
    }
    for (uint32_t i = 0; i < p->table.count && !out->failed; i++) {
        bytes_put_varint(out, name_symbols(p, rule_open(&p->table, i), &w));
        out->failed |= rule_complete(&w) != PILGRIM_OK;
        bytes_put(out, w.bytes.data, w.bytes.length);
    }
    bytes_free(&w.bytes);
}

uint64_t rulebook_reference(const struct rulebook *p, uint32_t sequence)
{
    return p->references[sequence];
}
