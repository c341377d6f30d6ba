/* Rules shared by all sequences of a trace; see rulebook.h.
 *
 * Everything is kept as bytes (rule_bytes.h), a few for a symbol. A rule is added after those it uses, so descending over the
 * rules passes users before what they use, and ascending the other way around.
 *
 * In the end sequences become rules like the others, with ramps, and the table of all is made smaller (factor.h). */
#include "grammar/rulebook.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/try.h"
#include "grammar/factor.h"
#include "grammar/rule_bytes.h"

struct rulebook {
    struct intern rules;     /* with the rulebook's own numbers, and no ramps */
    struct intern sequences; /* u8 ramps, then as a rule */
    struct rule_writer writer;
    /* Once finished: */
    struct intern table;     /* as in the file */
    uint64_t *references;    /* for each sequence */
};

enum { RAMP_MIN = 3 }; /* terminals: two are as short without */

/* How a rule is used. */
enum { USED = 1, USED_AS_DIFFERENCES = 2 };

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

enum pilgrim_status rulebook_rule(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count, uint32_t *rule)
{
    rule_begin(&p->writer);
    put_all(&p->writer, symbols, count);
    return rule_end(&p->writer, &p->rules, rule);
}

enum pilgrim_status rulebook_sequence(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count, bool ramps,
                                      uint32_t *sequence)
{
    begin_sequence(&p->writer, ramps);
    put_all(&p->writer, symbols, count);
    return rule_end(&p->writer, &p->sequences, sequence);
}

enum pilgrim_status rulebook_serialised(struct rulebook *p, const void *data, size_t length, bool ramps, uint32_t *sequence)
{
    struct cursor c;
    struct rules r;
    struct rule_graft g;
    cursor_init(&c, data, length);
    TRY(rules_parse(&c, UINT64_MAX, &r));
    enum pilgrim_status status = cursor_left(&c) ? PILGRIM_DAMAGED : rule_graft_init(&g, &r, &p->rules);
    if (status == PILGRIM_OK) {
        begin_sequence(&p->writer, ramps);
        status = rule_graft_symbols(&g, r.first[0], r.first[1], &p->writer);
        rule_graft_free(&g);
    }
    rules_free(&r);
    return status == PILGRIM_OK ? rule_end(&p->writer, &p->sequences, sequence) : status;
}

/* --- finishing --- */

/* Marks the rules that the symbols at C use. */
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
        mark(c, ramps ? USED : USED | USED_AS_DIFFERENCES, uses);
    }
    for (uint32_t i = p->rules.count; i-- > 0;)
        if (uses[i])
            mark(rule_open(&p->rules, i), uses[i], uses);
}

/* How many terminals from SYMBOL, which was just taken from FROM, on count up by 1 without exponents. */
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

/* Adds the rule with the symbols at C, the rules among them called by NUMBERS, to TABLE. */
static enum pilgrim_status collect_rule(struct rulebook *p, struct cursor c, bool ramps, const uint32_t *numbers,
                                        struct intern *table, uint32_t *number)
{
    rule_begin(&p->writer);
    while (cursor_left(&c)) {
        struct rules_symbol s = rule_take(&c);
        uint64_t count = ramps ? ramp_length(&c, s) : 0;
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

/* All rules that are used and all sequences: one table. SEQUENCES: their numbers in it, UINT32_MAX: empty.
 * USES and NUMBERS have room for all rules; USES are 0. */
static enum pilgrim_status collect(struct rulebook *p, uint8_t *uses, uint32_t *numbers, struct intern *table,
                                   uint32_t *sequences)
{
    mark_all(p, uses);
    for (uint32_t i = 0; i < p->rules.count; i++)
        if (uses[i])
            TRY(collect_rule(p, rule_open(&p->rules, i), !(uses[i] & USED_AS_DIFFERENCES), numbers, table, &numbers[i]));
    for (uint32_t i = 0; i < p->sequences.count; i++) {
        bool ramps;
        struct cursor c = open_sequence(p, i, &ramps);
        sequences[i] = UINT32_MAX;
        if (cursor_left(&c))
            TRY(collect_rule(p, c, ramps, numbers, table, &sequences[i]));
    }
    return PILGRIM_OK;
}

enum pilgrim_status rulebook_finish(struct rulebook *p)
{
    uint32_t sequence_count = p->sequences.count;
    struct intern table = {0};
    uint8_t *uses = calloc(p->rules.count + (size_t)1, sizeof *uses);
    uint32_t *numbers = malloc((p->rules.count + (size_t)1) * sizeof *numbers);
    uint32_t *sequences = malloc((sequence_count + (size_t)1) * sizeof *sequences);
    p->references = malloc((sequence_count + (size_t)1) * sizeof *p->references);
    enum pilgrim_status status = PILGRIM_NOMEM;
    if (uses && numbers && sequences && p->references)
        status = collect(p, uses, numbers, &table, sequences);
    free(uses);
    free(numbers);
    intern_free(&p->rules);
    intern_free(&p->sequences);
    if (status == PILGRIM_OK)
        status = factor_repeats(&table, sequences, sequence_count);
    if (status == PILGRIM_OK)
        status = factor_dissolve(&table, sequences, sequence_count, &p->table, p->references);
    free(sequences);
    intern_free(&table);
    return status;
}

/* --- the result --- */

void rulebook_write(const struct rulebook *p, struct bytes *out)
{
    bytes_put_varint(out, p->table.count);
    for (uint32_t i = 0; i < p->table.count; i++) {
        size_t symbols = 0;
        struct cursor c = rule_open(&p->table, i);
        for (; cursor_left(&c); symbols++)
            (void)rule_take(&c);
        bytes_put_varint(out, symbols);
        bytes_put(out, c.data, c.length);
    }
}

uint64_t rulebook_reference(const struct rulebook *p, uint32_t sequence)
{
    return p->references[sequence];
}
