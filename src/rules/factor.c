/* SPDX-License-Identifier: BSD-3-Clause */
/* Dissolves the rules that do not pay; see factor.h.
 *
 * A rule does not pay just because it makes the table shorter. The table is compressed afterwards, and zstd finds
 * repeated bytes itself. A short rule disturbs zstd: its number among the symbols tells nothing about what it stands
 * for. So a rule has to save RULE_SAVES_MIN bytes; docs/design/rulebook.md has the measurements. Rules are examined in
 * their order, inner ones first: a dissolved rule makes the rules around it longer, and so more likely to pay. */
#include "rules/factor.h"

#include <stdlib.h>

#include "base/try.h"
#include "rules/rule_bytes.h"

enum { RULE_SAVES_MIN = 160, USE_BYTES = 2 };

/* What becomes of one rule. */
struct rule_fate {
    uint64_t uses;
    bool is_counted; /* some use has an exponent */
    bool is_sequence;
    bool is_dissolved;
    uint32_t number; /* number in the new table, or if it is dissolved in `dissolved` */
};

struct dissolving {
    const struct intern *table;
    struct intern *out;
    uint32_t block_count;    /* rules in the file before the rules of OUT */
    struct intern dissolved; /* the symbols of dissolved rules, with rule numbers of the new table */
    struct rule_fate *fates;
    struct rule_writer writer;
};

static void count_uses(struct dissolving *d)
{
    for (uint32_t i = 0; i < d->table->count; i++) {
        struct cursor c = rule_open(d->table, i);
        while (cursor_left(&c)) {
            struct rules_symbol s = rule_take(&c);
            if (!s.is_rule)
                continue;
            d->fates[s.value].uses++;
            d->fates[s.value].is_counted |= s.exponent > 1;
        }
    }
}

/* Puts the symbols of a dissolved rule, EXPONENT times. EXPONENT is 1 unless the rule has only one symbol. */
static void put_dissolved(struct dissolving *d, uint32_t number, uint64_t exponent)
{
    struct cursor c = rule_open(&d->dissolved, number);
    while (cursor_left(&c)) {
        struct rules_symbol s = rule_take(&c);
        s.exponent *= s.is_ramp ? 1 : exponent;
        rule_put(&d->writer, s);
    }
}

/* Writes rule I with rule numbers of the new table. */
static enum pilgrim_status put_rule(struct dissolving *d, uint32_t i)
{
    rule_begin(&d->writer);
    struct cursor c = rule_open(d->table, i);
    while (cursor_left(&c)) {
        struct rules_symbol s = rule_take(&c);
        const struct rule_fate *f = s.is_rule ? &d->fates[s.value] : NULL;
        if (f && f->is_dissolved) {
            put_dissolved(d, f->number, s.exponent);
            continue;
        }
        if (f)
            s.value = f->number;
        rule_put(&d->writer, s);
    }
    return rule_complete(&d->writer);
}

/* True if a rule is one symbol that is no ramp. Sets *SYMBOL. */
static bool is_one(const struct bytes *b, struct rules_symbol *symbol)
{
    struct cursor c;
    cursor_init(&c, b->data, b->length);
    *symbol = rule_take(&c);
    return !cursor_left(&c) && !symbol->is_ramp;
}

/* True if the rule that was just written pays. */
static bool pays(const struct dissolving *d, const struct rule_fate *f)
{
    const struct bytes *b = &d->writer.bytes;
    struct rules_symbol symbol;
    if (is_one(b, &symbol))
        return false;
    uint64_t with = f->uses * USE_BYTES + (f->is_sequence ? 0 : b->length + 1);
    return f->is_counted || f->uses * b->length >= with + RULE_SAVES_MIN;
}

/* Sets *REFERENCE to the file's number for the sequence that is rule I. A rule that nothing uses, or that is dissolved,
 * is written first. */
static enum pilgrim_status refer(struct dissolving *d, uint32_t i, uint64_t *reference)
{
    const struct rule_fate *f = &d->fates[i];
    uint32_t number = f->number;
    if (!f->uses || f->is_dissolved) {
        struct rules_symbol one;
        TRY(put_rule(d, i));
        if (is_one(&d->writer.bytes, &one) && one.exponent == 1) {
            *reference = rules_is_block(&one) ? RULES_SEQUENCE(one.value - RULES_BLOCK)
                         : one.is_rule        ? RULES_SEQUENCE(d->block_count + one.value)
                                              : one.value << 1 | 1;
            return PILGRIM_OK;
        }
        TRY(rule_end(&d->writer, d->out, &number));
    }
    *reference = RULES_SEQUENCE(d->block_count + (uint64_t)number);
    return PILGRIM_OK;
}

static enum pilgrim_status dissolve(struct dissolving *d, const uint32_t *sequences, size_t sequence_count,
                                    uint64_t *references)
{
    for (size_t i = 0; i < sequence_count; i++)
        if (sequences[i] != UINT32_MAX)
            d->fates[sequences[i]].is_sequence = true;
    count_uses(d);
    for (uint32_t i = 0; i < d->table->count; i++) {
        struct rule_fate *f = &d->fates[i];
        if (!f->uses)
            continue;
        TRY(put_rule(d, i));
        f->is_dissolved = !pays(d, f);
        TRY(rule_end(&d->writer, f->is_dissolved ? &d->dissolved : d->out, &f->number));
    }
    for (size_t i = 0; i < sequence_count; i++) {
        references[i] = 0;
        if (sequences[i] != UINT32_MAX)
            TRY(refer(d, sequences[i], &references[i]));
    }
    return PILGRIM_OK;
}

enum pilgrim_status factor_dissolve(const struct intern *table, const uint32_t *sequences, size_t sequence_count,
                                    uint32_t block_count, struct intern *out, uint64_t *references)
{
    struct dissolving d = {.table = table,
                           .out = out,
                           .block_count = block_count,
                           .fates = calloc(table->count + (size_t)1, sizeof *d.fates)};
    enum pilgrim_status status = d.fates ? dissolve(&d, sequences, sequence_count, references) : PILGRIM_NOMEM;
    intern_free(&d.dissolved);
    bytes_free(&d.writer.bytes);
    free(d.fates);
    return status;
}
