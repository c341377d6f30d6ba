/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs symbols into blocks; see pack.h.
 *
 * A stretch is a sequence of consecutive symbols of one rule that stand for few terminals each. A grammar finds short
 * runs and rules of a few terminals even in random values, so a stretch may contain both. The stretch is expanded,
 * written in each form that a block may have, and compressed. Its symbols, with the rules that they use, are compressed
 * too. Blocks are taken if they are shorter by more than the error of this estimate.
 *
 * The estimate does not see what a stretch has in common with other stretches. So finally both whole tables are
 * compressed, and the one with blocks must be shorter there too. */
#include "rules/pack.h"

#include <stdlib.h>

#include "base/compressed.h"
#include "base/try.h"
#include "rules/rule_bytes.h"

enum {
    FLAT_MAX = 64,       /* most terminals that a symbol of a stretch stands for */
    STRETCH_MIN = 32,    /* symbols */
    TRIES_MAX = 1 << 15, /* stretches to try, at least 20 us each; then only those of LONG_MIN symbols are tried */
    LONG_MIN = 1024,
    BLOCK_TERMINALS = 4096,
    BLOCK_USE_BYTES = 3, /* the symbol that stands for a block */
    GAIN_PART = 32,
    GAIN_MIN = 4 /* a block has to be shorter by 1/GAIN_PART of itself and GAIN_MIN */
};

enum { FORMS = 1 << BLOCK_FORM_BITS };

struct packing {
    const struct intern *table;
    const uint8_t *uses;
    struct intern *blocks;
    uint32_t *lengths;   /* by rule: terminals, at most FLAT_MAX + 1 */
    uint32_t *rewritten; /* by rule: its number in RULES; UINT32_MAX: unchanged */
    uint32_t *counted;   /* by rule: the last stretch that it is part of */
    bool *live;          /* by rule: it is still needed */
    struct intern rules; /* the rules that contain blocks now */
    uint32_t stretches;
    struct compressor compressor;
    struct rule_writer writer;
    struct bytes bytes;  /* bytes to compress */
    uint64_t *terminals; /* terminals of a stretch */
    size_t count, capacity;
};

/* ---- stretches ---- */

/* Returns the number of terminals of S, at most FLAT_MAX + 1. */
static uint32_t flat_length(const struct packing *p, const struct rules_symbol *s)
{
    uint64_t one = s->is_rule ? p->lengths[s->value] : 1;
    uint64_t length = s->exponent > FLAT_MAX ? FLAT_MAX + 1 : one * s->exponent;
    return length > FLAT_MAX ? FLAT_MAX + 1 : (uint32_t)length;
}

static void measure_rules(struct packing *p)
{
    for (uint32_t i = 0; i < p->table->count; i++) {
        struct cursor c = rule_open(p->table, i);
        for (; cursor_left(&c) > 0 && p->lengths[i] <= FLAT_MAX;) {
            const struct rules_symbol s = rule_take(&c);
            p->lengths[i] += flat_length(p, &s);
        }
        if (p->lengths[i] > FLAT_MAX)
            p->lengths[i] = FLAT_MAX + 1;
    }
}

/* Moves C behind the stretch that begins there, which may be empty. Returns its symbols, and sets *TERMINALS to the
 * number of its terminals. */
static size_t find_stretch(const struct packing *p, struct cursor *c, size_t *terminals)
{
    size_t symbols = 0;
    *terminals = 0;
    for (struct cursor next = *c; cursor_left(&next) > 0; *c = next, symbols++) {
        const struct rules_symbol s = rule_take(&next);
        uint32_t length = flat_length(p, &s);
        if (length > FLAT_MAX)
            break;
        *terminals += length;
    }
    return symbols;
}

/* Appends the terminals of the symbols from C to END to p->terminals. Rules in a stretch have at most FLAT_MAX
 * terminals, which bounds the recursion. Also appends to p->bytes each rule that this stretch uses for the first
 * time. */
static void expand(struct packing *p, struct cursor c, size_t end)
{
    while (c.position < end) {
        const struct rules_symbol s = rule_take(&c);
        if (s.is_rule && p->counted[s.value] != p->stretches) {
            size_t length;
            const uint8_t *body = intern_get(p->table, (uint32_t)s.value, &length);
            p->counted[s.value] = p->stretches;
            bytes_put_varint(&p->bytes, length);
            bytes_put(&p->bytes, body, length);
        }
        for (uint64_t i = 0; i < s.exponent; i++) {
            if (s.is_rule) {
                struct cursor inner = rule_open(p->table, (uint32_t)s.value);
                expand(p, inner, inner.length);
            } else {
                p->terminals[p->count++] = s.value + (s.is_ramp ? i : 0);
            }
        }
    }
}

/* Sets p->terminals to the COUNT terminals of the stretch, and *SYMBOLS to the compressed size of its symbols and
 * rules. */
static enum pilgrim_status expand_stretch(struct packing *p, const struct cursor *from, size_t end, size_t count,
                                          size_t *symbols)
{
    if (count > p->capacity) {
        uint64_t *terminals = realloc(p->terminals, count * sizeof *terminals);
        if (!terminals)
            return PILGRIM_NOMEM;
        p->terminals = terminals;
        p->capacity = count;
    }
    p->count = 0;
    p->stretches++;
    p->bytes.length = 0;
    bytes_put(&p->bytes, from->data + from->position, end - from->position);
    expand(p, *from, end);
    TRY(bytes_status(&p->bytes));
    *symbols = compressed_length(&p->compressor, p->bytes.data, p->bytes.length);
    return bytes_status(&p->compressor.scratch);
}

/* ---- blocks ---- */

/* Returns how many of LEFT terminals the next block takes. A block has at least 2. */
static uint32_t block_size(size_t left)
{
    return (uint32_t)(left <= BLOCK_TERMINALS + 1 ? left : BLOCK_TERMINALS);
}

/* Sets p->bytes to the stretch's terminals as blocks, one after another. False if the terminals do not fit this FORM,
 * or memory is short. */
static bool put_blocks(struct packing *p, unsigned form)
{
    p->bytes.length = 0;
    for (size_t at = 0, size; at < p->count; at += size) {
        size = block_size(p->count - at);
        if (!block_put(&p->bytes, p->terminals + at, (uint32_t)size, form & BLOCK_PLANES, form & BLOCK_SUMS))
            return false;
    }
    return true;
}

/* Sets *BEST to the form with the least compressed size, *SIZE. *BEST is FORMS if none fits. */
static enum pilgrim_status choose_form(struct packing *p, bool differences, unsigned *best, size_t *size)
{
    *best = FORMS;
    *size = SIZE_MAX;
    for (unsigned form = 0; form < FORMS; form++) {
        if (((form & BLOCK_SUMS) && !differences) || !put_blocks(p, form))
            continue;
        size_t length = compressed_length(&p->compressor, p->bytes.data, p->bytes.length) +
                        (p->count / BLOCK_TERMINALS + 1) * BLOCK_USE_BYTES;
        if (length < *size) {
            *size = length;
            *best = form;
        }
    }
    return p->bytes.failed || p->compressor.scratch.failed ? PILGRIM_NOMEM : PILGRIM_OK;
}

/* Puts the stretch's terminals, as blocks, into the rule that is being written. */
static enum pilgrim_status put_stretch(struct packing *p, unsigned form)
{
    for (size_t at = 0, size; at < p->count; at += size) {
        uint32_t number;
        size = block_size(p->count - at);
        p->bytes.length = 0;
        if (!block_put(&p->bytes, p->terminals + at, (uint32_t)size, form & BLOCK_PLANES, form & BLOCK_SUMS))
            return PILGRIM_NOMEM;
        TRY(intern_add(p->blocks, p->bytes.data, p->bytes.length, &number));
        rule_put(&p->writer, (struct rules_symbol){.value = RULES_BLOCK + number, .exponent = 1});
    }
    return PILGRIM_OK;
}

/* ---- rules ---- */

static void put_symbols(struct packing *p, struct cursor c, size_t end)
{
    while (c.position < end)
        rule_put(&p->writer, rule_take(&c));
}

/* Writes the stretch FROM .. END, blocks or not. */
static enum pilgrim_status pack_stretch(struct packing *p, const struct cursor *from, size_t end, size_t count,
                                        bool differences, bool *packed)
{
    size_t symbols, size;
    unsigned form;
    TRY(expand_stretch(p, from, end, count, &symbols));
    TRY(choose_form(p, differences, &form, &size));
    if (form == FORMS || size + size / GAIN_PART + GAIN_MIN >= symbols) {
        put_symbols(p, *from, end);
        return PILGRIM_OK;
    }
    *packed = true;
    return put_stretch(p, form);
}

static enum pilgrim_status pack_rule(struct packing *p, uint32_t rule)
{
    bool packed = false, differences = p->uses[rule] == PACK_DIFFERENCES;
    struct cursor c = rule_open(p->table, rule);
    if (c.length < STRETCH_MIN)
        return PILGRIM_OK;
    rule_begin(&p->writer);
    while (cursor_left(&c) > 0) {
        const struct cursor from = c;
        size_t terminals, symbols = find_stretch(p, &c, &terminals);
        if (symbols >= (p->stretches < TRIES_MAX ? STRETCH_MIN : LONG_MIN))
            TRY(pack_stretch(p, &from, c.position, terminals, differences, &packed));
        else
            put_symbols(p, from, c.position);
        if (cursor_left(&c) > 0)
            rule_put(&p->writer, rule_take(&c));
    }
    if (!packed)
        return PILGRIM_OK;
    TRY(rule_complete(&p->writer));
    return intern_add(&p->rules, p->writer.bytes.data, p->writer.bytes.length, &p->rewritten[rule]);
}

static struct cursor open_rule(const struct packing *p, uint32_t rule)
{
    return p->rewritten[rule] == UINT32_MAX ? rule_open(p->table, rule) : rule_open(&p->rules, p->rewritten[rule]);
}

/* Packs all rules that are needed, each before the rules that it uses. */
static enum pilgrim_status pack_rules(struct packing *p, const uint32_t *sequences, size_t sequence_count)
{
    for (size_t i = 0; i < sequence_count; i++)
        if (sequences[i] != UINT32_MAX)
            p->live[sequences[i]] = true;
    for (uint32_t i = p->table->count; i-- > 0;) {
        if (!p->live[i])
            continue;
        TRY(pack_rule(p, i));
        for (struct cursor c = open_rule(p, i); cursor_left(&c) > 0;) {
            const struct rules_symbol s = rule_take(&c);
            if (s.is_rule)
                p->live[s.value] = true;
        }
    }
    return PILGRIM_OK;
}

/* ---- the new table ---- */

/* Copies the rules that are needed to OUT. NUMBERS: by rule, its number there. */
static enum pilgrim_status write_rules(struct packing *p, struct intern *out, uint32_t *numbers)
{
    for (uint32_t i = 0; i < p->table->count; i++) {
        if (!p->live[i])
            continue;
        rule_begin(&p->writer);
        for (struct cursor c = open_rule(p, i); cursor_left(&c) > 0;) {
            struct rules_symbol s = rule_take(&c);
            if (s.is_rule)
                s.value = numbers[s.value];
            rule_put(&p->writer, s);
        }
        TRY(rule_end(&p->writer, out, &numbers[i]));
    }
    return PILGRIM_OK;
}

static void put_table(struct bytes *b, const struct intern *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        size_t length;
        const uint8_t *data = intern_get(t, i, &length);
        bytes_put_varint(b, length);
        bytes_put(b, data, length);
    }
}

/* Sets *SHORTER if OUT and the blocks, compressed, are shorter than the old table. */
static enum pilgrim_status compare_tables(struct packing *p, const struct intern *out, bool *shorter)
{
    p->bytes.length = 0;
    put_table(&p->bytes, p->table);
    size_t before = compressed_length(&p->compressor, p->bytes.data, p->bytes.length);
    p->bytes.length = 0;
    put_table(&p->bytes, p->blocks);
    put_table(&p->bytes, out);
    size_t after = compressed_length(&p->compressor, p->bytes.data, p->bytes.length);
    *shorter = after + after / GAIN_PART < before;
    return p->bytes.failed || p->compressor.scratch.failed ? PILGRIM_NOMEM : PILGRIM_OK;
}

static enum pilgrim_status replace_table(struct packing *p, struct intern *table, uint32_t *sequences,
                                         size_t sequence_count)
{
    struct intern out = {0};
    bool shorter = false;
    uint32_t *numbers = p->counted; /* not needed any more */
    enum pilgrim_status status = write_rules(p, &out, numbers);
    if (status == PILGRIM_OK)
        status = compare_tables(p, &out, &shorter);
    if (status != PILGRIM_OK || !shorter) {
        intern_free(&out);
        intern_free(p->blocks);
        return status;
    }
    for (size_t i = 0; i < sequence_count; i++)
        if (sequences[i] != UINT32_MAX)
            sequences[i] = numbers[sequences[i]];
    intern_free(table);
    *table = out;
    return PILGRIM_OK;
}

enum pilgrim_status pack_table(struct intern *table, const uint8_t *uses, uint32_t *sequences, size_t sequence_count,
                               struct intern *blocks)
{
    size_t count = table->count + (size_t)1;
    struct packing p = {.table = table, .uses = uses, .blocks = blocks};
    p.lengths = calloc(count, sizeof *p.lengths);
    p.rewritten = malloc(count * sizeof *p.rewritten);
    p.counted = calloc(count, sizeof *p.counted);
    p.live = calloc(count, sizeof *p.live);
    enum pilgrim_status status = p.lengths && p.rewritten && p.counted && p.live ? PILGRIM_OK : PILGRIM_NOMEM;
    if (status == PILGRIM_OK) {
        for (uint32_t i = 0; i < table->count; i++)
            p.rewritten[i] = UINT32_MAX;
        measure_rules(&p);
        status = pack_rules(&p, sequences, sequence_count);
    }
    if (status == PILGRIM_OK && p.rules.count > 0)
        status = replace_table(&p, table, sequences, sequence_count);
    free(p.lengths);
    free(p.rewritten);
    free(p.counted);
    free(p.live);
    free(p.terminals);
    intern_free(&p.rules);
    bytes_free(&p.writer.bytes);
    bytes_free(&p.bytes);
    compressor_free(&p.compressor);
    return status;
}
