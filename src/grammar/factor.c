/* Making a table of rules smaller; see factor.h.
 *
 * Repeats between rules are found by the grammar that records them in the first place: it is given all rules one after
 * another, each followed by a terminal of its own, so nothing reaches over a rule's end. Its other terminals stand for the rules'
 * symbols as they are, exponents, ramps and all.
 *
 * What pays is not what is shorter: the table is compressed afterwards, and zstd finds repeated bytes itself. To it a
 * short rule is a disturbance, a number among the symbols that tells nothing of what it stands for. So a rule has to
 * save RULE_SAVES_MIN bytes; docs/design/rulebook.md has the measurements. Rules are looked at in their order, those inside first: what dissolves makes the rules
 * around it longer and more worth keeping. */
#include "grammar/factor.h"

#include <stdlib.h>

#include "base/try.h"
#include "grammar/grammar.h"
#include "grammar/rule_bytes.h"

/* The grammar takes up to 0.5 us and 60 bytes a symbol. */
#define REPEATS_BYTES_MAX (2u << 20)
#define REPEATS_BYTES_FEW (1u << 16) /* so many are not asked whether they have anything in common */

/* --- what rules have in common --- */

/* The grammar's terminals: value << 1 | is a rule, of a symbol without exponent; numbered symbols; ends of rules. */
#define TERMINAL_NUMBERED (1u << 29)
#define TERMINAL_END      (1u << 30)

/* Appends each symbol of the table, and each rule's end. NUMBERED: the bytes of symbols with exponents or large values. */
static enum pilgrim_status append_rules(const struct intern *table, struct intern *numbered, struct grammar *g)
{
    for (uint32_t i = 0; i < table->count; i++) {
        struct cursor c = rule_open(table, i);
        while (cursor_left(&c)) {
            const uint8_t *bytes = c.data + c.position;
            size_t left = cursor_left(&c);
            struct rules_symbol s = rule_take(&c);
            uint32_t terminal = (uint32_t)(s.value << 1 | s.is_rule);
            if (s.exponent > 1 || s.value >= TERMINAL_NUMBERED / 2) {
                TRY(intern_add(numbered, bytes, left - cursor_left(&c), &terminal));
                terminal += TERMINAL_NUMBERED;
            }
            TRY(grammar_append(g, terminal));
        }
        TRY(grammar_append(g, TERMINAL_END + i));
    }
    return PILGRIM_OK;
}

/* The grammar of all rules. */
static enum pilgrim_status parse_repeats(const struct intern *table, struct intern *numbered, struct rules *r)
{
    struct grammar *g = grammar_new();
    struct bytes b = {0};
    enum pilgrim_status status = g ? append_rules(table, numbered, g) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK) {
        grammar_serialise(g, &b);
        status = bytes_status(&b);
    }
    grammar_free(g);
    if (status == PILGRIM_OK) {
        struct cursor c;
        cursor_init(&c, b.data, b.length);
        status = rules_parse(&c, UINT64_MAX, r);
    }
    bytes_free(&b);
    return status;
}

/* What terminals stand for. */
struct meaning {
    const struct intern *numbered;
    const uint32_t *numbers; /* the table's rule -> the new one */
};

static void put_terminal(const struct rule_graft *g, const struct rules_symbol *terminal, struct rule_writer *w)
{
    const struct meaning *m = g->context;
    uint32_t t = (uint32_t)terminal->value;
    struct rules_symbol s = {.value = t >> 1, .exponent = 1, .is_rule = t & 1};
    if (t >= TERMINAL_NUMBERED) {
        struct cursor c = rule_open(m->numbered, t - TERMINAL_NUMBERED);
        s = rule_take(&c);
    }
    if (s.is_rule)
        s.value = m->numbers[s.value];
    for (uint64_t i = 0; i < terminal->exponent; i++)
        rule_put(w, s);
}

/* Cuts the start rule at the ends. Rule I's symbols stand for rules before it, so those have their numbers. */
static enum pilgrim_status cut_repeats(struct rule_graft *g, uint32_t *numbers)
{
    const struct rules *r = g->rules;
    struct rule_writer w = {0};
    uint32_t rule = 0, first = 0;
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; status == PILGRIM_OK && i < r->first[1]; i++) {
        if (r->symbols[i].is_rule || r->symbols[i].value < TERMINAL_END)
            continue;
        rule_begin(&w);
        status = rule_graft_symbols(g, first, i, &w);
        if (status == PILGRIM_OK)
            status = rule_end(&w, g->table, &numbers[rule++]);
        first = i + 1;
    }
    bytes_free(&w.bytes);
    return status;
}

static size_t table_bytes(const struct intern *table)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        size_t length;
        (void)intern_get(table, i, &length);
        bytes += length;
    }
    return bytes;
}

/* --- whether they have anything in common --- */

/* A window is the last 32 symbols or so. One in 16 is looked at, whichever its hash says, so that equal ones are. */
enum { WINDOW_SHIFT = 2, WINDOW_SYMBOLS = 64 / WINDOW_SHIFT, WINDOW_BITS = 4, WINDOW_REPEATS = 8 };

/* Windows that were met. */
struct windows {
    uint64_t *hashes; /* open addressing; 0: free */
    size_t mask;
    size_t count, repeats;
};

static void window_note(struct windows *w, uint64_t hash)
{
    w->count++;
    size_t at = (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 20) & w->mask;
    while (w->hashes[at] && w->hashes[at] != hash)
        at = (at + 1) & w->mask;
    w->repeats += w->hashes[at] == hash;
    w->hashes[at] = hash;
}

/* A symbol's bits are shifted out by those that follow. */
static void note_rule(struct windows *w, struct cursor c)
{
    uint64_t hash = 0;
    for (unsigned symbols = 1; cursor_left(&c); symbols++) {
        const struct rules_symbol s = rule_take(&c);
        uint64_t code = (s.value << 1 | s.is_rule) + (s.exponent << 32 | (uint64_t)s.is_ramp << 63);
        hash = (hash << WINDOW_SHIFT) + (code + 1) * UINT64_C(0xd6e8feb86659fd93);
        if (symbols >= WINDOW_SYMBOLS && hash >> (64 - WINDOW_BITS) == 0 && 2 * w->count < w->mask)
            window_note(w, hash);
    }
}

/* False: less than one in WINDOW_REPEATS windows comes a second time. What repeats then is short, and zstd finds it as well. Without memory
 * to see it: true. */
static bool has_repeats(const struct intern *table, size_t bytes)
{
    struct windows w = {.mask = 1023};
    while (w.mask < bytes >> (WINDOW_BITS - 2)) /* a symbol is a byte or more */
        w.mask = 2 * w.mask + 1;
    w.hashes = calloc(w.mask + 1, sizeof *w.hashes);
    if (!w.hashes)
        return true;
    for (uint32_t i = 0; i < table->count; i++)
        note_rule(&w, rule_open(table, i));
    free(w.hashes);
    return w.repeats * WINDOW_REPEATS >= w.count;
}

/* TABLE's rules into OUT, with what they have in common; NUMBERS: what they are called there. */
static enum pilgrim_status share_repeats(const struct intern *table, struct intern *out, uint32_t *numbers)
{
    struct intern numbered = {0};
    struct rules r;
    struct rule_graft g;
    enum pilgrim_status status = parse_repeats(table, &numbered, &r);
    if (status == PILGRIM_OK) {
        const struct meaning m = {.numbered = &numbered, .numbers = numbers};
        status = rule_graft_init(&g, &r, out);
        if (status == PILGRIM_OK) {
            g.put_terminal = put_terminal;
            g.context = &m;
            status = cut_repeats(&g, numbers);
            rule_graft_free(&g);
        }
        rules_free(&r);
    }
    intern_free(&numbered);
    return status;
}

enum pilgrim_status factor_repeats(struct intern *table, uint32_t *sequences, size_t sequence_count)
{
    size_t bytes = table_bytes(table);
    if (bytes > REPEATS_BYTES_MAX || (bytes > REPEATS_BYTES_FEW && !has_repeats(table, bytes)))
        return PILGRIM_OK;
    struct intern out = {0};
    uint32_t *numbers = malloc((table->count + (size_t)1) * sizeof *numbers);
    enum pilgrim_status status = numbers ? share_repeats(table, &out, numbers) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK) {
        for (size_t i = 0; i < sequence_count; i++)
            if (sequences[i] != UINT32_MAX)
                sequences[i] = numbers[sequences[i]];
        intern_free(table);
        *table = out;
    } else {
        intern_free(&out);
    }
    free(numbers);
    return status;
}

/* --- what does not pay --- */

enum { RULE_SAVES_MIN = 160, USE_BYTES = 2 };

/* One rule on its way into the new table. */
struct fate {
    uint64_t uses;
    bool is_counted;   /* used with an exponent */
    bool is_sequence;
    bool is_dissolved;
    uint32_t number;   /* in the new table; dissolved: in `dissolved` */
};

struct dissolving {
    const struct intern *table;
    struct intern *out;
    uint32_t block_count; /* rules of the file before those of OUT */
    struct intern dissolved; /* what these rules were, in terms of the new table */
    struct fate *fates;
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

/* The symbols of a rule that dissolved, EXPONENT times. That is 1 unless it is but one symbol. */
static void put_dissolved(struct dissolving *d, uint32_t number, uint64_t exponent)
{
    struct cursor c = rule_open(&d->dissolved, number);
    while (cursor_left(&c)) {
        struct rules_symbol s = rule_take(&c);
        s.exponent *= s.is_ramp ? 1 : exponent;
        rule_put(&d->writer, s);
    }
}

/* Rule I in terms of the new table. */
static enum pilgrim_status put_rule(struct dissolving *d, uint32_t i)
{
    rule_begin(&d->writer);
    struct cursor c = rule_open(d->table, i);
    while (cursor_left(&c)) {
        struct rules_symbol s = rule_take(&c);
        const struct fate *f = s.is_rule ? &d->fates[s.value] : NULL;
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

/* Whether a rule is one symbol, no ramp. */
static bool is_one(const struct bytes *b, struct rules_symbol *symbol)
{
    struct cursor c;
    cursor_init(&c, b->data, b->length);
    *symbol = rule_take(&c);
    return !cursor_left(&c) && !symbol->is_ramp;
}

/* Whether the rule that was just put is worth being one. */
static bool pays(const struct dissolving *d, const struct fate *f)
{
    const struct bytes *b = &d->writer.bytes;
    struct rules_symbol symbol;
    if (is_one(b, &symbol))
        return false;
    uint64_t with = f->uses * USE_BYTES + (f->is_sequence ? 0 : b->length + 1);
    return f->is_counted || f->uses * b->length >= with + RULE_SAVES_MIN;
}

/* What the file calls the sequence that is rule I. Nothing else uses it, or it was dissolved, or it has a number. */
static enum pilgrim_status refer(struct dissolving *d, uint32_t i, uint64_t *reference)
{
    const struct fate *f = &d->fates[i];
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
        struct fate *f = &d->fates[i];
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
    struct dissolving d = {
        .table = table, .out = out, .block_count = block_count, .fates = calloc(table->count + (size_t)1, sizeof *d.fates)};
    enum pilgrim_status status = d.fates ? dissolve(&d, sequences, sequence_count, references) : PILGRIM_NOMEM;
    intern_free(&d.dissolved);
    bytes_free(&d.writer.bytes);
    free(d.fates);
    return status;
}
