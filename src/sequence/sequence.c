/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing sequences; see sequence.h. */
#include "sequence/sequence.h"

#include "base/try.h"
#include "rules/rules_walk.h"

/* The grammar is checked at FIRST_LOOK terminals, and each time the length has doubled, up to LAST_LOOK. */
enum {
    FIRST_LOOK = 4096,
    FIRST_LOOK_SHORT = 128, /* if memory is short */
    LAST_LOOK = 65536,
    WORTH = 4 /* a grammar with more than a symbol for so many terminals does not pay */
};

static enum pilgrim_status append_number(struct sequence *s, struct intern *pool, uint32_t terminal)
{
    int64_t value = (int64_t)((uint64_t)s->deltas.last + (uint64_t)unzigzag(terminal));
    return delta_sequence_append(&s->deltas, pool, value);
}

static enum pilgrim_status append_all(struct sequence *s, struct intern *pool, const struct rules *rules)
{
    struct rules_cursor at;
    uint64_t terminal;
    enum pilgrim_status status = delta_sequence_append(&s->deltas, pool, 0);
    if (status == PILGRIM_OK)
        status = rules_cursor_init(&at, rules, RULES_SEQUENCE(0));
    if (status != PILGRIM_OK)
        return status;
    while (status == PILGRIM_OK && rules_cursor_next(&at, &terminal))
        status = append_number(s, pool, (uint32_t)terminal);
    rules_cursor_free(&at);
    return status;
}

static enum pilgrim_status give_up_grammar(struct sequence *s, struct intern *pool)
{
    struct bytes b = {0};
    struct rules rules = {0};
    struct cursor c;
    grammar_serialise(s->grammar, &b);
    enum pilgrim_status status = bytes_status(&b);
    cursor_init(&c, b.data, b.length);
    if (status == PILGRIM_OK)
        status = rules_parse(&c, (uint64_t)GRAMMAR_TERMINAL_MAX + 1, &rules);
    if (status == PILGRIM_OK)
        status = append_all(s, pool, &rules);
    rules_free(&rules);
    bytes_free(&b);
    grammar_free(s->grammar);
    s->grammar = NULL;
    return status;
}

static bool is_worth_it(const struct grammar *g)
{
    return grammar_symbol_count(g) <= grammar_length(g) / WORTH;
}

static enum pilgrim_status look(struct sequence *s, struct intern *pool)
{
    uint64_t length = grammar_length(s->grammar);
    while (s->next_look <= length)
        s->next_look = s->next_look < LAST_LOOK ? 2 * s->next_look : UINT64_MAX;
    return is_worth_it(s->grammar) ? PILGRIM_OK : give_up_grammar(s, pool);
}

enum pilgrim_status sequence_relieve(struct sequence *s, struct intern *pool)
{
    bool look_now = s->grammar && grammar_length(s->grammar) >= FIRST_LOOK_SHORT;
    return look_now && !is_worth_it(s->grammar) ? give_up_grammar(s, pool) : PILGRIM_OK;
}

enum pilgrim_status sequence_append(struct sequence *s, struct intern *pool, uint32_t terminal)
{
    if (!s->grammar && s->deltas.count)
        return append_number(s, pool, terminal);
    if (!s->grammar) {
        s->grammar = s->spare ? s->spare : grammar_new();
        s->spare = NULL;
        s->next_look = FIRST_LOOK;
    }
    if (!s->grammar)
        return PILGRIM_NOMEM;
    TRY(grammar_append(s->grammar, terminal));
    return grammar_length(s->grammar) < s->next_look ? PILGRIM_OK : look(s, pool);
}

uint64_t sequence_length(const struct sequence *s)
{
    return s->grammar ? grammar_length(s->grammar) : s->deltas.count - (s->deltas.count > 0);
}

enum pilgrim_status sequence_serialise(const struct sequence *s, const struct intern *pool, struct bytes *out)
{
    static const uint8_t empty[] = {1, 0};
    if (s->grammar)
        grammar_serialise(s->grammar, out);
    else if (s->deltas.count)
        return delta_sequence_serialise_differences(&s->deltas, pool, out);
    else
        bytes_put(out, empty, sizeof empty);
    return bytes_status(out);
}

size_t sequence_memory_bytes(const struct sequence *s)
{
    return (s->grammar ? grammar_memory_bytes(s->grammar) : 0) + (s->spare ? grammar_memory_bytes(s->spare) : 0) +
           delta_sequence_memory_bytes(&s->deltas);
}

void sequence_free(struct sequence *s)
{
    grammar_free(s->grammar);
    grammar_free(s->spare);
    delta_sequence_free(&s->deltas);
    *s = (struct sequence){0};
}

void sequence_restart(struct sequence *s)
{
    struct grammar *spare = s->grammar ? grammar_restart(s->grammar) : s->spare;
    if (s->grammar)
        grammar_free(s->spare);
    delta_sequence_free(&s->deltas);
    *s = (struct sequence){.spare = spare};
}
