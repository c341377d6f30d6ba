/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences that are compared as grammars; see hashed_sequence.h. */
#include "hashed_sequence.h"

#include <stdlib.h>

#include "analysis/analysis_errors.h"

#define PRIME ((UINT64_C(1) << 61) - 1)
#define BASE  UINT64_C(0x1a2b3c5d7e9f1234) /* below PRIME */

/* ---- numbers modulo PRIME ---- */

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return add((uint64_t)(product & PRIME), (uint64_t)(product >> 61));
}

static uint64_t power_of(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base = times(base, base))
        if (exponent & 1)
            result = times(result, base);
    return result;
}

/* What is known of a piece: its hash, and BASE to its length. */
struct piece {
    uint64_t hash, power;
};

static struct piece join(struct piece a, struct piece b)
{
    return (struct piece){add(times(a.hash, b.power), b.hash), times(a.power, b.power)};
}

static struct piece repeat(struct piece unit, uint64_t exponent)
{
    struct piece result = {0, 1};
    for (; exponent; exponent >>= 1, unit = join(unit, unit))
        if (exponent & 1)
            result = join(result, unit);
    return result;
}

static struct piece terminal_piece(uint64_t name)
{
    return (struct piece){(name % PRIME + 1) % PRIME, BASE};
}

/* The piece of first, first + 1, ..., COUNT terminals. The one from 0 on is doubled, bit by bit of COUNT: behind M
 * terminals come another M, each greater by M. */
static struct piece ramp_piece(uint64_t first, uint64_t count)
{
    uint64_t hash = 0, ones = 0, power = 1, length = 0; /* of 0, 1, ...; ONES: of as many terminals of 1 */
    for (int bit = 63; bit >= 0; bit--) {
        hash = add(add(times(hash, power), hash), times(length % PRIME, ones));
        ones = add(times(ones, power), ones);
        power = times(power, power);
        length *= 2;
        if (count >> bit & 1) {
            hash = add(times(hash, BASE), (length % PRIME + 1) % PRIME);
            ones = add(times(ones, BASE), 1);
            power = times(power, BASE);
            length++;
        }
    }
    return (struct piece){add(hash, times(first % PRIME, ones)), power};
}

/* ---- symbols ---- */

static uint64_t name_of(const struct hashed_sequence *s, uint64_t terminal)
{
    return s->names ? s->names[terminal] : terminal;
}

static bool is_dropped(const struct hashed_sequence *s, const struct hashed_symbol *symbol)
{
    return !symbol->is_rule && s->dropped && s->dropped[symbol->value];
}

/* How many terminals one unit of a symbol has: of a ramp, one. */
static uint64_t unit_length(const struct hashed_sequence *s, const struct hashed_symbol *symbol)
{
    return symbol->is_rule ? s->rules[symbol->value].length : !is_dropped(s, symbol);
}

static uint64_t unit_raw(const struct hashed_sequence *s, const struct hashed_symbol *symbol)
{
    return symbol->is_rule ? s->rules[symbol->value].raw : 1;
}

/* The piece of the first UNITS units. */
static struct piece units_piece(const struct hashed_sequence *s, const struct hashed_symbol *symbol, uint64_t units)
{
    if (symbol->is_rule)
        return repeat((struct piece){s->rules[symbol->value].hash, s->rules[symbol->value].power}, units);
    if (is_dropped(s, symbol))
        return (struct piece){0, 1};
    if (symbol->is_ramp)
        return ramp_piece(symbol->value, units);
    return repeat(terminal_piece(name_of(s, symbol->value)), units);
}

static enum pilgrim_status append(struct hashed_sequence *s, const struct hashed_symbol *symbol,
                                  struct pilgrim_error *error)
{
    if (s->symbol_count == s->symbol_capacity) {
        size_t capacity = 2 * s->symbol_capacity + 64;
        struct hashed_symbol *grown = realloc(s->symbols, capacity * sizeof *grown);
        if (!grown)
            return no_memory(error);
        s->symbols = grown;
        s->symbol_capacity = capacity;
    }
    s->symbols[s->symbol_count++] = *symbol;
    return PILGRIM_OK;
}

/* Appends a symbol of the file. A ramp whose terminals have names is taken apart: there are as many names. */
static enum pilgrim_status take(struct hashed_sequence *s, const struct pilgrim_symbol *from,
                                struct pilgrim_error *error)
{
    struct hashed_symbol symbol = {.value = from->value, .exponent = from->exponent, .is_rule = from->is_rule};
    uint64_t most = from->ramp ? from->exponent : 1;
    if (from->is_rule)
        return from->value < s->rule_count ? append(s, &symbol, error) : no_group(PILGRIM_DAMAGED, error);
    if (s->names && (from->value >= s->name_count || most > s->name_count - from->value))
        return no_group(PILGRIM_DAMAGED, error);
    if (!from->ramp || !s->names) {
        symbol.is_ramp = from->ramp;
        return append(s, &symbol, error);
    }
    enum pilgrim_status status = PILGRIM_OK;
    symbol.exponent = 1;
    for (uint64_t i = 0; i < most && status == PILGRIM_OK; i++, symbol.value++)
        status = append(s, &symbol, error);
    return status;
}

/* ---- rules ---- */

static void finish_rule(struct hashed_sequence *s, struct hashed_rule *rule)
{
    struct piece piece = {0, 1};
    rule->length = rule->raw = 0;
    for (size_t i = 0; i < rule->count; i++) {
        struct hashed_symbol *symbol = &s->symbols[rule->first + i];
        symbol->length = rule->length;
        symbol->raw = rule->raw;
        symbol->hash = piece.hash;
        piece = join(piece, units_piece(s, symbol, symbol->exponent));
        rule->length += unit_length(s, symbol) * symbol->exponent;
        rule->raw += unit_raw(s, symbol) * symbol->exponent;
    }
    rule->hash = piece.hash;
    rule->power = piece.power;
}

/* Sets ORDER to the rules, each behind those that it uses, the start last; the reader promises that each is used.
 * False: no memory. */
static bool order_rules(const struct hashed_sequence *s, uint32_t *order)
{
    uint32_t *stack = calloc((size_t)s->rule_count + 1, sizeof *stack), depth = 1, count = 0;
    size_t *next = calloc((size_t)s->rule_count + 1, sizeof *next); /* symbol to look at, + 1; 0: not met */
    if (stack && next)
        next[0] = 1;
    while (stack && next && depth > 0) {
        uint32_t rule = stack[depth - 1];
        size_t i = next[rule] - 1;
        if (i == s->rules[rule].count) {
            order[count++] = rule;
            depth--;
            continue;
        }
        next[rule]++;
        const struct hashed_symbol *symbol = &s->symbols[s->rules[rule].first + i];
        if (symbol->is_rule && !next[symbol->value]) {
            next[symbol->value] = 1;
            stack[depth++] = (uint32_t)symbol->value;
        }
    }
    bool good = stack && next;
    free(stack);
    free(next);
    return good;
}

static enum pilgrim_status finish_rules(struct hashed_sequence *s, struct pilgrim_error *error)
{
    uint32_t *order = calloc((size_t)s->rule_count + 1, sizeof *order);
    bool good = order && order_rules(s, order);
    for (uint32_t i = 0; i < s->rule_count && good; i++)
        finish_rule(s, &s->rules[order[i]]);
    free(order);
    return good ? PILGRIM_OK : no_memory(error);
}

enum pilgrim_status hashed_sequence_read(struct hashed_sequence *s, const struct pilgrim_cursor *cursor,
                                         uint64_t number, const uint32_t *names, const bool *dropped, size_t name_count,
                                         struct pilgrim_error *error)
{
    struct pilgrim_grammar *grammar;
    *s = (struct hashed_sequence){.names = names, .dropped = dropped, .name_count = name_count};
    enum pilgrim_status status = pilgrim_grammar_open(cursor, number, &grammar, error);
    if (status != PILGRIM_OK)
        return status;
    s->rule_count = pilgrim_grammar_rules(grammar);
    s->rules = calloc((size_t)s->rule_count + 1, sizeof *s->rules);
    if (!s->rules)
        status = no_memory(error);
    for (uint32_t r = 0; r < s->rule_count && status == PILGRIM_OK; r++) {
        s->rules[r].first = s->symbol_count;
        for (size_t i = 0, n = pilgrim_grammar_symbols(grammar, r); i < n && status == PILGRIM_OK; i++) {
            struct pilgrim_symbol symbol = pilgrim_grammar_symbol(grammar, r, i);
            status = take(s, &symbol, error);
        }
        s->rules[r].count = s->symbol_count - s->rules[r].first;
    }
    pilgrim_grammar_close(grammar);
    return status == PILGRIM_OK ? finish_rules(s, error) : status;
}

void hashed_sequence_free(struct hashed_sequence *s)
{
    free(s->rules);
    free(s->symbols);
    *s = (struct hashed_sequence){0};
}

/* ---- ways down ---- */

/* Returns the last symbol of RULE before which there are at most AT terminals; NULL: the rule has no symbols. */
static const struct hashed_symbol *symbol_at(const struct hashed_sequence *s, const struct hashed_rule *rule,
                                             uint64_t at)
{
    size_t low = 0, high = rule->count;
    while (high > low + 1) {
        size_t middle = low + (high - low) / 2;
        if (s->symbols[rule->first + middle].length <= at)
            low = middle;
        else
            high = middle;
    }
    return rule->count ? &s->symbols[rule->first + low] : NULL;
}

/* Returns the piece of the first AT terminals. */
static struct piece prefix_piece(const struct hashed_sequence *s, uint64_t at)
{
    const struct hashed_rule *rule = &s->rules[0];
    struct piece piece = {0, 1};
    while (at < rule->length) {
        const struct hashed_symbol *symbol = symbol_at(s, rule, at);
        uint64_t unit = unit_length(s, symbol);
        piece = join(piece, (struct piece){symbol->hash, power_of(BASE, symbol->length)});
        at -= symbol->length;
        if (at == 0 || unit == 0)
            return piece;
        piece = join(piece, units_piece(s, symbol, at / unit));
        at %= unit;
        if (at == 0)
            return piece;
        rule = &s->rules[symbol->value];
    }
    return join(piece, (struct piece){rule->hash, rule->power});
}

/* Returns the hash of N terminals from AT on. */
static uint64_t hash_from(const struct hashed_sequence *s, uint64_t at, uint64_t n)
{
    uint64_t before = times(prefix_piece(s, at).hash, power_of(BASE, n));
    return add(prefix_piece(s, at + n).hash, PRIME - before);
}

uint64_t hashed_common_from(const struct hashed_sequence *a, const struct hashed_sequence *b, uint64_t at)
{
    uint64_t low = 0, high = hashed_length(a) < hashed_length(b) ? hashed_length(a) : hashed_length(b);
    if (at >= high || hash_from(a, at, high - at) == hash_from(b, at, high - at))
        return at < high ? high - at : 0;
    for (high -= at; high > low + 1;) {
        uint64_t middle = low + (high - low) / 2;
        if (hash_from(a, at, middle) == hash_from(b, at, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t hashed_common_suffix(const struct hashed_sequence *a, const struct hashed_sequence *b, uint64_t most)
{
    uint64_t low = 0, high = most + 1, a_end = hashed_length(a), b_end = hashed_length(b);
    while (high > low + 1) {
        uint64_t middle = low + (high - low) / 2;
        if (hash_from(a, a_end - middle, middle) == hash_from(b, b_end - middle, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool hashed_at(const struct hashed_sequence *s, uint64_t at, uint64_t *terminal, uint64_t *raw)
{
    const struct hashed_rule *rule = &s->rules[0];
    *raw = rule->raw;
    if (at >= rule->length)
        return false;
    for (*raw = 0;;) {
        const struct hashed_symbol *symbol = symbol_at(s, rule, at);
        uint64_t unit = unit_length(s, symbol);
        if (unit == 0)
            return false; /* cannot be: the lengths of a rule are the sums of its symbols' */
        at -= symbol->length;
        *raw += symbol->raw + at / unit * unit_raw(s, symbol);
        *terminal = symbol->value + (symbol->is_ramp ? at : 0);
        if (!symbol->is_rule)
            return true;
        at %= unit;
        rule = &s->rules[symbol->value];
    }
}

/* ---- where terminals are ---- */

bool hashed_occurrences(const struct hashed_sequence *s, uint64_t *counts, uint64_t *first, size_t count)
{
    uint32_t *order = calloc((size_t)s->rule_count + 1, sizeof *order);
    uint64_t *uses = calloc((size_t)s->rule_count + 1, sizeof *uses);     /* how often a rule comes */
    uint64_t *begins = calloc((size_t)s->rule_count + 1, sizeof *begins); /* where it comes first */
    bool good = order && uses && begins && order_rules(s, order);
    for (size_t i = 0; i < count; i++) {
        if (counts)
            counts[i] = 0;
        if (first)
            first[i] = UINT64_MAX;
    }
    for (uint32_t i = 0; i < s->rule_count && good; i++)
        begins[i] = i ? UINT64_MAX : 0;
    if (good)
        uses[0] = 1;
    for (uint32_t i = s->rule_count; i-- > 0 && good;) {
        const struct hashed_rule *rule = &s->rules[order[i]];
        uint64_t used = uses[order[i]], begin = begins[order[i]];
        for (size_t k = rule->first; used && k < rule->first + rule->count; k++) {
            const struct hashed_symbol *symbol = &s->symbols[k];
            uint64_t at = begin + symbol->length;
            if (symbol->is_rule) {
                uses[symbol->value] += used * symbol->exponent;
                begins[symbol->value] = at < begins[symbol->value] ? at : begins[symbol->value];
                continue;
            }
            uint64_t terminals = symbol->is_ramp ? symbol->exponent : 1;
            for (uint64_t t = 0; t < terminals && symbol->value + t < count; t++) {
                if (counts)
                    counts[symbol->value + t] += used * (symbol->is_ramp ? 1 : symbol->exponent);
                if (first && at + t < first[symbol->value + t])
                    first[symbol->value + t] = at + t;
            }
        }
    }
    free(order);
    free(uses);
    free(begins);
    return good;
}

/* Returns how often TERMINAL comes in SYMBOL. COUNTS: by rule. */
static uint64_t count_in(const struct hashed_symbol *symbol, uint64_t terminal, const uint64_t *counts)
{
    if (symbol->is_rule)
        return counts[symbol->value] * symbol->exponent;
    if (symbol->is_ramp)
        return terminal >= symbol->value && terminal - symbol->value < symbol->exponent;
    return symbol->value == terminal ? symbol->exponent : 0;
}

bool hashed_find(const struct hashed_sequence *s, uint64_t terminal, uint64_t n, uint64_t *at)
{
    uint32_t *order = calloc((size_t)s->rule_count + 1, sizeof *order);
    uint64_t *counts = calloc((size_t)s->rule_count + 1, sizeof *counts);
    bool good = order && counts && order_rules(s, order);
    for (uint32_t i = 0; i < s->rule_count && good; i++) {
        const struct hashed_rule *rule = &s->rules[order[i]];
        for (size_t k = rule->first; k < rule->first + rule->count; k++)
            counts[order[i]] += count_in(&s->symbols[k], terminal, counts);
    }
    good = good && n < counts[0];
    uint32_t rule = 0;
    *at = 0;
    while (good) {
        const struct hashed_symbol *symbol = &s->symbols[s->rules[rule].first];
        uint64_t here;
        for (; n >= (here = count_in(symbol, terminal, counts)); symbol++)
            n -= here;
        *at += symbol->length;
        if (!symbol->is_rule) {
            *at += symbol->is_ramp ? terminal - symbol->value : n;
            break;
        }
        *at += n / counts[symbol->value] * s->rules[symbol->value].length;
        n %= counts[symbol->value];
        rule = (uint32_t)symbol->value;
    }
    free(order);
    free(counts);
    return good;
}
