/* SPDX-License-Identifier: BSD-3-Clause */
/* Serialises delta sequences; see delta_sequence.h. delta_sequence.c says how a run stands in a chunk. */
#include "sequence/delta_sequence.h"

#include <stdlib.h>

#include "base/try.h"
#include "rules/rules_walk.h"

static uint64_t take_run(struct cursor *c, int64_t *difference)
{
    uint64_t code = cursor_varint(c);
    *difference = unzigzag(code >> 1);
    return code & 1 ? cursor_varint(c) + 2 : 1;
}

/* A chunk's number in the pool, and the rule that it becomes. Rules are numbered by first appearance. */
struct chunk_rule {
    uint32_t chunk;
    uint32_t rule;
};

/* The state of writing. The result is the rules of the grammar over chunks, then a rule for each chunk; or only the
 * start rule, if no chunk occurs twice. */
struct delta_writer {
    const struct delta_sequence *sequence;
    const struct intern *pool;
    struct rules rules;        /* grammar over chunks */
    struct chunk_rule *chunks; /* sorted by chunk */
    uint32_t *order;           /* chunk of each rule */
    uint32_t chunk_count;
    int64_t divisor;
};

static uint64_t divisor_of(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static uint64_t runs_divisor(struct cursor c, uint64_t divisor)
{
    while (divisor != 1 && cursor_left(&c) > 0) {
        int64_t difference;
        take_run(&c, &difference);
        divisor = divisor_of(magnitude(difference), divisor);
    }
    return divisor;
}

/* Returns 1 or -1, the sign of the first difference that is not 0; 0: all are 0. */
static int64_t runs_sign(struct cursor c)
{
    while (cursor_left(&c) > 0) {
        int64_t difference;
        take_run(&c, &difference);
        if (difference)
            return difference < 0 ? -1 : 1;
    }
    return 0;
}

static struct cursor open_chunk(const struct delta_writer *w, uint64_t chunk)
{
    size_t length;
    struct cursor c;
    const uint8_t *data = intern_get(w->pool, (uint32_t)chunk, &length);
    cursor_init(&c, data, length);
    return c;
}

static struct cursor open_rest(const struct delta_sequence *n)
{
    struct cursor c;
    cursor_init(&c, n->chunk.data, n->chunk.length);
    return c;
}

static int by_chunk(const void *a, const void *b)
{
    const struct chunk_rule *x = a, *y = b;
    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

static int by_rule(const void *a, const void *b)
{
    const struct chunk_rule *x = a, *y = b;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* Numbers the chunks in the order of their first symbols. */
static enum pilgrim_status number_chunks(struct delta_writer *w)
{
    uint32_t symbols = w->rules.first[w->rules.rule_count], count = 0;
    w->chunks = malloc(symbols * sizeof *w->chunks + 1);
    w->order = malloc(symbols * sizeof *w->order + 1);
    if (!w->chunks || !w->order)
        return PILGRIM_NOMEM;
    for (uint32_t s = 0; s < symbols; s++)
        if (!w->rules.symbols[s].is_rule)
            w->chunks[count++] = (struct chunk_rule){(uint32_t)w->rules.symbols[s].value, s};
    qsort(w->chunks, count, sizeof *w->chunks, by_chunk);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || w->chunks[i].chunk != w->chunks[i - 1].chunk)
            w->chunks[w->chunk_count++] = w->chunks[i];
    qsort(w->chunks, w->chunk_count, sizeof *w->chunks, by_rule);
    for (uint32_t i = 0; i < w->chunk_count; i++) {
        w->order[i] = w->chunks[i].chunk;
        w->chunks[i].rule = w->rules.rule_count + i;
    }
    qsort(w->chunks, w->chunk_count, sizeof *w->chunks, by_chunk);
    return PILGRIM_OK;
}

static uint32_t rule_of(const struct delta_writer *w, uint64_t chunk)
{
    uint32_t low = 0, high = w->chunk_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->chunks[middle].chunk < chunk)
            low = middle + 1;
        else
            high = middle;
    }
    return w->chunks[low].rule;
}

/* Sets *SIGN to the sign of the sequence's first difference that is not 0. The chunks are examined in the order of the
 * sequence. */
static enum pilgrim_status find_sign(const struct delta_writer *w, int64_t *sign)
{
    struct rules_cursor c;
    uint64_t chunk;
    *sign = 0;
    if (w->chunk_count) {
        TRY(rules_cursor_init(&c, &w->rules, RULES_SEQUENCE(0)));
        while (*sign == 0 && rules_cursor_next(&c, &chunk))
            *sign = runs_sign(open_chunk(w, chunk));
        rules_cursor_free(&c);
    }
    if (*sign == 0)
        *sign = runs_sign(open_rest(w->sequence));
    if (*sign == 0)
        *sign = w->sequence->difference < 0 ? -1 : 1;
    return PILGRIM_OK;
}

static enum pilgrim_status find_divisor(struct delta_writer *w)
{
    uint64_t divisor = w->sequence->run ? magnitude(w->sequence->difference) : 0;
    divisor = runs_divisor(open_rest(w->sequence), divisor);
    for (uint32_t i = 0; i < w->chunk_count; i++)
        divisor = runs_divisor(open_chunk(w, w->order[i]), divisor);
    if (divisor) {
        int64_t sign;
        TRY(find_sign(w, &sign));
        w->divisor = sign * (int64_t)divisor;
    }
    return PILGRIM_OK;
}

/* ---- symbols ---- */

/* A rule's symbols. Equal neighbours become one symbol, across the ends of chunks too. */
struct symbol_writer {
    struct bytes bytes;
    uint64_t count;
    struct rules_symbol last; /* exponent 0: none */
};

static void end_symbol(struct symbol_writer *s)
{
    if (!s->last.exponent)
        return;
    bytes_put_varint(&s->bytes, s->last.value << 2 | (uint64_t)(s->last.exponent > 1) << 1 | s->last.is_rule);
    if (s->last.exponent > 1)
        bytes_put_varint(&s->bytes, s->last.exponent - 2);
    s->count++;
}

static void put_symbol(struct symbol_writer *s, struct rules_symbol symbol)
{
    if (s->last.exponent && s->last.value == symbol.value && s->last.is_rule == symbol.is_rule) {
        s->last.exponent += symbol.exponent;
        return;
    }
    end_symbol(s);
    s->last = symbol;
}

static void put_runs(const struct delta_writer *w, struct cursor c, struct symbol_writer *s)
{
    while (cursor_left(&c) > 0) {
        int64_t difference;
        uint64_t run = take_run(&c, &difference);
        put_symbol(s, (struct rules_symbol){.value = zigzag(difference / w->divisor), .exponent = run});
    }
}

static void put_rest(const struct delta_writer *w, struct symbol_writer *s)
{
    const struct delta_sequence *n = w->sequence;
    put_runs(w, open_rest(n), s);
    if (n->run)
        put_symbol(s, (struct rules_symbol){.value = zigzag(n->difference / w->divisor), .exponent = n->run});
}

static void write_rule(struct symbol_writer *s, struct bytes *out)
{
    end_symbol(s);
    bytes_put_varint(out, s->count);
    bytes_put(out, s->bytes.data, s->bytes.length);
    out->failed |= s->bytes.failed;
    s->bytes.length = 0;
    s->count = 0;
    s->last.exponent = 0;
}

/* Writes all chunks one after another, as one rule. */
static void write_flat(const struct delta_writer *w, struct symbol_writer *s, struct bytes *out)
{
    for (uint32_t i = 0; i < w->chunk_count; i++)
        put_runs(w, open_chunk(w, w->order[i]), s);
    put_rest(w, s);
    bytes_put_varint(out, 1);
    write_rule(s, out);
}

static void write_chunks(const struct delta_writer *w, struct symbol_writer *s, struct bytes *out)
{
    bytes_put_varint(out, (uint64_t)w->rules.rule_count + w->chunk_count);
    for (uint32_t r = 0; r < w->rules.rule_count; r++) {
        for (uint32_t i = w->rules.first[r]; i < w->rules.first[r + 1]; i++) {
            struct rules_symbol symbol = w->rules.symbols[i];
            if (!symbol.is_rule)
                symbol.value = rule_of(w, symbol.value);
            symbol.is_rule = true;
            put_symbol(s, symbol);
        }
        if (r == 0)
            put_rest(w, s);
        write_rule(s, out);
    }
    for (uint32_t i = 0; i < w->chunk_count; i++) {
        put_runs(w, open_chunk(w, w->order[i]), s);
        write_rule(s, out);
    }
}

static enum pilgrim_status read_chunks(struct delta_writer *w)
{
    struct bytes b = {0};
    struct cursor c;
    grammar_serialise(w->sequence->chunks, &b);
    enum pilgrim_status status = bytes_status(&b);
    if (status == PILGRIM_OK) {
        cursor_init(&c, b.data, b.length);
        status = rules_parse(&c, w->pool->count, &w->rules);
    }
    bytes_free(&b);
    return status == PILGRIM_OK ? number_chunks(w) : status;
}

static enum pilgrim_status write_differences(struct delta_writer *w, struct bytes *out)
{
    const struct delta_sequence *n = w->sequence;
    struct symbol_writer s = {.count = 0};
    bool once = !n->chunks || (w->rules.rule_count == 1 && w->chunk_count == grammar_length(n->chunks));
    (once ? write_flat : write_chunks)(w, &s, out);
    bytes_free(&s.bytes);
    return bytes_status(out);
}

static void end_writing(struct delta_writer *w)
{
    rules_free(&w->rules);
    free(w->chunks);
    free(w->order);
}

enum pilgrim_status delta_sequence_serialise(const struct delta_sequence *n, const struct intern *pool,
                                             struct bytes *out, int64_t *factor)
{
    struct delta_writer w = {.sequence = n, .pool = pool};
    enum pilgrim_status status = n->chunks ? read_chunks(&w) : PILGRIM_OK;
    if (status == PILGRIM_OK)
        status = find_divisor(&w);
    *factor = w.divisor ? w.divisor : 1;
    if (status == PILGRIM_OK && w.divisor)
        status = write_differences(&w, out);
    end_writing(&w);
    return status;
}

enum pilgrim_status delta_sequence_serialise_differences(const struct delta_sequence *n, const struct intern *pool,
                                                         struct bytes *out)
{
    struct delta_writer w = {.sequence = n, .pool = pool, .divisor = 1};
    enum pilgrim_status status = n->chunks ? read_chunks(&w) : PILGRIM_OK;
    if (status == PILGRIM_OK)
        status = write_differences(&w, out);
    end_writing(&w);
    return status;
}
