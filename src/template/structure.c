/* SPDX-License-Identifier: BSD-3-Clause */
/* From a tree of elements to grammars and loops; see structure.h.
 *
 * Each list of items becomes tokens: calls, blocks and loops, with exponents. A Sequitur over the tokens finds what
 * repeats among them. */
#include "template/structure.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "grammar/grammar.h"
#include "rules/rules.h"
#include "template/idle.h"

enum { LOOPS_MAX = 4096 };
#define MET_MAX (UINT64_C(1) << 48)

/* A symbol of a grammar that is being made. No padding: tokens are compared as bytes. */
struct token {
    uint64_t exponent;
    uint32_t value;
    uint32_t is_rule;
};

/* A grammar while it is made, without its start rule. */
struct drafting {
    struct intern rules; /* each: varint count of symbols, the symbols; entry i is rule i + 1 */
};

struct maker {
    const struct elements *t;
    struct structure *s;
    uint32_t *class_of;  /* by key; UINT32_MAX: not met yet */
    struct intern loops; /* by trips and body */
    uint32_t capacity;   /* of the structure's loops */
    bool too_large;
};

/* Tokens of one list. */
struct token_list {
    struct intern tokens; /* distinct ones; terminals of the Sequitur */
    struct grammar *grammar;
};

static enum pilgrim_status put_token(struct token_list *l, struct token token)
{
    uint32_t number;
    if (!l->grammar && !(l->grammar = grammar_new()))
        return PILGRIM_NOMEM;
    TRY(intern_add(&l->tokens, &token, sizeof token, &number));
    return grammar_append(l->grammar, number);
}

/* ---- from tokens to rules ---- */

static void put_symbol(struct bytes *out, uint64_t value, bool is_rule, uint64_t exponent)
{
    bytes_put_varint(out, value << 2 | (uint64_t)(exponent > 1) << 1 | is_rule);
    if (exponent > 1)
        bytes_put_varint(out, exponent - 2);
}

/* The Sequitur's rules while they are copied. */
struct copying {
    struct drafting *d;
    const struct rules *rules;
    const struct intern *tokens;
    uint32_t *numbers; /* by rule of RULES: its number; 0: none yet */
};

static enum pilgrim_status copy_rule(struct copying *c, uint32_t rule, uint32_t depth);

/* Appends rule RULE of the Sequitur to OUT, as its count of symbols and the symbols. */
static enum pilgrim_status copy_symbols(struct copying *c, uint32_t rule, uint32_t depth, struct bytes *out)
{
    bytes_put_varint(out, c->rules->first[rule + 1] - c->rules->first[rule]);
    for (uint32_t i = c->rules->first[rule]; i < c->rules->first[rule + 1]; i++) {
        const struct rules_symbol *s = &c->rules->symbols[i];
        if (s->is_rule) {
            TRY(copy_rule(c, (uint32_t)s->value, depth + 1));
            put_symbol(out, c->numbers[s->value], true, s->exponent);
            continue;
        }
        struct token token;
        memcpy(&token, intern_get(c->tokens, (uint32_t)s->value, NULL), sizeof token);
        put_symbol(out, token.value, token.is_rule, token.exponent * s->exponent);
    }
    return bytes_status(out);
}

static enum pilgrim_status copy_rule(struct copying *c, uint32_t rule, uint32_t depth)
{
    struct bytes b = {0};
    if (c->numbers[rule])
        return PILGRIM_OK;
    if (depth > ELEMENTS_MAX)
        return PILGRIM_LIMIT;
    enum pilgrim_status status = copy_symbols(c, rule, depth, &b);
    if (status == PILGRIM_OK)
        status = intern_add(&c->d->rules, b.data, b.length, &c->numbers[rule]);
    c->numbers[rule]++;
    bytes_free(&b);
    return status;
}

/* Appends the rule of the tokens of L to OUT, and the rules that it uses to D. Empties L. */
static enum pilgrim_status end_tokens(struct token_list *l, struct drafting *d, struct bytes *out)
{
    struct bytes b = {0};
    struct rules rules = {0};
    struct cursor in;
    struct copying c = {.d = d, .rules = &rules, .tokens = &l->tokens};
    enum pilgrim_status status = l->grammar ? PILGRIM_OK : PILGRIM_DAMAGED;
    if (status == PILGRIM_OK) {
        grammar_serialise(l->grammar, &b);
        status = bytes_status(&b);
    }
    cursor_init(&in, b.data, b.length);
    if (status == PILGRIM_OK)
        status = rules_parse(&in, l->tokens.count, &rules);
    if (status == PILGRIM_OK && !(c.numbers = calloc(rules.rule_count, sizeof *c.numbers)))
        status = PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = copy_symbols(&c, 0, 0, out);
    free(c.numbers);
    rules_free(&rules);
    bytes_free(&b);
    grammar_free(l->grammar);
    intern_free(&l->tokens);
    *l = (struct token_list){.grammar = NULL};
    return status;
}

/* Appends the whole grammar with the start rule START to OUT. */
static enum pilgrim_status end_draft(const struct drafting *d, const struct bytes *start, struct bytes *out)
{
    bytes_put_varint(out, d->rules.count + UINT64_C(1));
    bytes_put(out, start->data, start->length);
    for (uint32_t i = 0; i < d->rules.count; i++) {
        size_t length;
        const uint8_t *rule = intern_get(&d->rules, i, &length);
        bytes_put(out, rule, length);
    }
    return bytes_status(out);
}

/* ---- from elements to tokens ---- */

static enum pilgrim_status put_items(struct maker *m, struct element *const *items, uint32_t count, const uint64_t *met,
                                     struct drafting *d, struct token_list *l);

/* True if all groups that meet A and B have both equally often. */
static bool equal_times(const struct maker *m, const struct element *a, const struct element *b, const uint64_t *met)
{
    for (uint32_t i = 0; i < m->t->group_count; i++)
        if (met[i] && a->times[i] != b->times[i])
            return false;
    return true;
}

/* Sets *TIMES to how often all groups that meet E have it. False: they differ. */
static bool has_one_times(const struct maker *m, const struct element *e, const uint64_t *met, uint64_t *times)
{
    bool any = false;
    *times = 0;
    for (uint32_t i = 0; i < m->t->group_count; i++) {
        if (met[i] && any && e->times[i] != *times)
            return false;
        if (met[i])
            *times = e->times[i];
        any |= met[i] > 0;
    }
    return true;
}

/* True if no group that meets E has it more than once. */
static bool is_option(const struct maker *m, const struct element *e, const uint64_t *met)
{
    for (uint32_t i = 0; i < m->t->group_count; i++)
        if (met[i] && e->times[i] > 1)
            return false;
    return true;
}

/* Returns, for each group, how often it meets the items of a block that it meets MET times. The caller frees it. */
static uint64_t *met_inside(struct maker *m, const struct element *block, const uint64_t *met)
{
    uint64_t *inside = calloc(m->t->group_count, sizeof *inside);
    for (uint32_t i = 0; inside && i < m->t->group_count; i++) {
        uint64_t times = met[i] ? block->times[i] : 0;
        if (times && met[i] > MET_MAX / times)
            m->too_large = true;
        else
            inside[i] = met[i] * times;
    }
    return inside;
}

static enum pilgrim_status put_call(const struct maker *m, uint32_t key, uint64_t times, struct token_list *l)
{
    return put_token(l, (struct token){.value = m->class_of[key], .exponent = times});
}

/* Puts a block that all groups that meet it have TIMES times. */
static enum pilgrim_status put_block(struct maker *m, const struct element *e, const uint64_t *met, uint64_t times,
                                     struct drafting *d, struct token_list *l)
{
    struct token_list inner = {.grammar = NULL};
    struct bytes rule = {0};
    uint64_t *inside = met_inside(m, e, met);
    uint32_t number = 0;
    enum pilgrim_status status = inside ? PILGRIM_OK : PILGRIM_NOMEM;
    if (status == PILGRIM_OK && times == 1)
        status = put_items(m, e->items, e->count, inside, d, l);
    else if (status == PILGRIM_OK)
        status = put_items(m, e->items, e->count, inside, d, &inner);
    free(inside);
    if (status != PILGRIM_OK || times == 1)
        return status;
    status = end_tokens(&inner, d, &rule);
    if (status == PILGRIM_OK)
        status = intern_add(&d->rules, rule.data, rule.length, &number);
    bytes_free(&rule);
    return status == PILGRIM_OK ? put_token(l, (struct token){.value = number + 1, .is_rule = true, .exponent = times})
                                : status;
}

/* Finds or adds the loop with BODY, of the trips of E, which is met MET times. */
static enum pilgrim_status find_loop(struct maker *m, const struct bytes *body, const struct element *e,
                                     const uint64_t *met, uint32_t *number)
{
    uint32_t groups = m->t->group_count, before = m->loops.count;
    struct bytes key = {0};
    for (uint32_t i = 0; i < groups; i++)
        bytes_put_varint(&key, met[i] ? e->times[i] : 0);
    bytes_put(&key, body->data, body->length);
    enum pilgrim_status status = bytes_status(&key);
    if (status == PILGRIM_OK)
        status = intern_add(&m->loops, key.data, key.length, number);
    bytes_free(&key);
    if (status != PILGRIM_OK)
        return status;
    m->too_large |= *number >= LOOPS_MAX;
    if (m->too_large)
        return PILGRIM_OK;
    if (*number == m->capacity) {
        uint32_t capacity = 2 * m->capacity + 8;
        struct template_loop *loops = realloc(m->s->loops, capacity * sizeof *loops);
        if (!loops)
            return PILGRIM_NOMEM;
        m->s->loops = loops;
        m->capacity = capacity;
    }
    struct template_loop *loop = &m->s->loops[*number];
    if (*number == before) {
        *loop = (struct template_loop){.trips = NULL};
        m->s->loop_count++;
        loop->trips = calloc(2 * (size_t)groups, sizeof *loop->trips);
        if (!loop->trips)
            return PILGRIM_NOMEM;
        loop->met = loop->trips + groups;
        bytes_put(&loop->body, body->data, body->length);
    }
    for (uint32_t i = 0; i < groups; i++) {
        loop->trips[i] = met[i] ? e->times[i] : 0;
        loop->met[i] += met[i];
    }
    return bytes_status(&loop->body);
}

/* Puts COUNT items that all come equally often, but not in all groups. */
static enum pilgrim_status put_loop(struct maker *m, struct element *const *items, uint32_t count, const uint64_t *met,
                                    struct token_list *l)
{
    const struct element around = {.key = ELEMENT_BLOCK, .times = items[0]->times};
    struct drafting d = {.rules = {.count = 0}};
    struct token_list inner = {.grammar = NULL};
    struct bytes start = {0}, body = {0};
    uint32_t number = 0;
    uint64_t *inside = met_inside(m, &around, met);
    enum pilgrim_status status = inside ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < count; i++)
        status = items[i]->keys ? put_items(m, items[i]->items, items[i]->count, inside, &d, &inner)
                                : put_call(m, items[i]->key, 1, &inner);
    free(inside);
    if (status == PILGRIM_OK)
        status = end_tokens(&inner, &d, &start);
    if (status == PILGRIM_OK)
        status = end_draft(&d, &start, &body);
    if (status == PILGRIM_OK)
        status = find_loop(m, &body, items[0], met, &number);
    intern_free(&d.rules);
    bytes_free(&start);
    bytes_free(&body);
    grammar_free(inner.grammar);
    intern_free(&inner.tokens);
    return status == PILGRIM_OK ? put_token(l, (struct token){.value = m->s->call_count + number, .exponent = 1})
                                : status;
}

static enum pilgrim_status put_items(struct maker *m, struct element *const *items, uint32_t count, const uint64_t *met,
                                     struct drafting *d, struct token_list *l)
{
    for (uint32_t i = 0, end; i < count && !m->too_large; i = end) {
        uint64_t times;
        const struct element *e = items[i];
        end = i + 1;
        if (!has_one_times(m, e, met, &times)) {
            while (is_option(m, e, met) && end < count && equal_times(m, e, items[end], met))
                end++;
            TRY(put_loop(m, &items[i], end - i, met, l));
        } else if (times && e->keys) {
            TRY(put_block(m, e, met, times, d, l));
        } else if (times) {
            TRY(put_call(m, e->key, times, l));
        }
    }
    return PILGRIM_OK;
}

/* ---- the whole ---- */

/* Numbers the calls in E in their order. */
static void number_calls(struct maker *m, const struct element *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        number_calls(m, e->items[i]);
    if (e->keys || m->class_of[e->key] != UINT32_MAX)
        return;
    m->class_of[e->key] = m->s->call_count;
    m->s->keys[m->s->call_count++] = e->key;
}

static enum pilgrim_status make(struct maker *m)
{
    const struct elements *t = m->t;
    struct drafting d = {.rules = {.count = 0}};
    struct token_list tokens = {.grammar = NULL};
    struct bytes start = {0};
    number_calls(m, t->root);
    enum pilgrim_status status = put_items(m, t->root->items, t->root->count, t->root->times, &d, &tokens);
    if (status == PILGRIM_OK && !m->too_large)
        status = end_tokens(&tokens, &d, &start);
    if (status == PILGRIM_OK && !m->too_large)
        status = end_draft(&d, &start, &m->s->top);
    bytes_free(&start);
    intern_free(&d.rules);
    grammar_free(tokens.grammar);
    intern_free(&tokens.tokens);
    return status;
}

enum pilgrim_status structure_make(const struct elements *t, struct structure *s, bool *made)
{
    size_t keys = 64 * (size_t)t->words;
    *s = (struct structure){.keys = malloc(keys * sizeof *s->keys)};
    struct maker m = {.t = t, .s = s, .class_of = malloc(keys * sizeof *m.class_of)};
    enum pilgrim_status status = s->keys && m.class_of ? PILGRIM_OK : PILGRIM_NOMEM;
    for (size_t i = 0; m.class_of && i < keys; i++)
        m.class_of[i] = UINT32_MAX;
    if (status == PILGRIM_OK && t->root->count)
        status = make(&m);
    *made = status == PILGRIM_OK && !m.too_large && t->root->count &&
            idle_most(t->root, t->group_count) <= s->call_count + s->loop_count;
    free(m.class_of);
    intern_free(&m.loops);
    return status;
}

enum pilgrim_status structure_translate(const uint8_t *data, size_t length, const uint32_t *terminals, uint32_t limit,
                                        struct bytes *out)
{
    struct cursor in;
    cursor_init(&in, data, length);
    uint64_t rules = cursor_varint(&in);
    bytes_put_varint(out, rules);
    for (uint64_t i = 0; i < rules && !in.status; i++) {
        uint64_t symbols = cursor_varint(&in);
        bytes_put_varint(out, symbols);
        for (uint64_t k = 0; k < symbols && !in.status; k++) {
            uint64_t symbol = cursor_varint(&in), value = symbol >> 2;
            if (!(symbol & 1) && value >= limit)
                return PILGRIM_DAMAGED;
            bytes_put_varint(out, symbol & 1 ? symbol : (uint64_t)terminals[value] << 2 | (symbol & 3));
            if (symbol & 2)
                bytes_put_varint(out, cursor_varint(&in));
        }
    }
    return in.status ? in.status : bytes_status(out);
}

void structure_free(struct structure *s)
{
    for (uint32_t i = 0; i < s->loop_count; i++) {
        bytes_free(&s->loops[i].body);
        free(s->loops[i].trips);
        for (uint32_t g = 0; s->loops[i].times && g < s->changing_groups; g++)
            nested_runs_free(&s->loops[i].times[g].differences);
        free(s->loops[i].times);
    }
    for (uint32_t i = 0; i < s->kept_count; i++)
        bytes_free(&s->kept[i]);
    free(s->loops);
    free(s->kept);
    free(s->kept_of);
    free(s->keys);
    bytes_free(&s->top);
    *s = (struct structure){.keys = NULL};
}
