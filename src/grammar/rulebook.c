/* Rules shared by all sequences of a trace; see pool.h.
 *
 * Everything is kept as the file has it, a few bytes a symbol, and interned by these bytes. A rule is added after those it uses,
 * so descending over the rules passes users before what they use, and ascending the other way around.
 *
 * A sequence becomes a rule like the others, unless it is another rule's expansion and nothing else. Numbers are given to
 * inner rules first, since symbols refer to them. */
#include "grammar/rulebook.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/try.h"
#include "grammar/rules.h"

struct rulebook {
    struct intern rules;     /* symbols as in the file, with the rulebook's own numbers, but no ramps */
    struct intern sequences; /* u8 ramps, symbols as in `rules` */
    struct bytes scratch;    /* what is about to be interned */
    /* Once finished: */
    struct intern table;     /* rules as in the file */
    uint64_t *references;    /* for each sequence */
};

enum { SYMBOL_RULE = 1, SYMBOL_EXPONENT = 2, SYMBOL_BITS = 2 };

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
    bytes_free(&p->scratch);
    intern_free(&p->table);
    free(p->references);
    free(p);
}

/* --- adding --- */

static void put_symbol(struct bytes *out, const struct rulebook_symbol *s)
{
    bool more = s->exponent > 1;
    bytes_put_varint(out, s->value << SYMBOL_BITS | (more ? SYMBOL_EXPONENT : 0) | (s->is_rule ? SYMBOL_RULE : 0));
    if (more)
        bytes_put_varint(out, (s->exponent - 2) << 1);
}

static void put_ramp(struct bytes *out, uint64_t first, uint64_t count)
{
    bytes_put_varint(out, first << SYMBOL_BITS | SYMBOL_EXPONENT);
    bytes_put_varint(out, (count - 2) << 1 | 1);
}

static struct rulebook_symbol take_symbol(struct cursor *c)
{
    uint64_t word = cursor_varint(c);
    return (struct rulebook_symbol){.value = word >> SYMBOL_BITS,
                                .exponent = word & SYMBOL_EXPONENT ? (cursor_varint(c) >> 1) + 2 : 1,
                                .is_rule = word & SYMBOL_RULE};
}

static enum pilgrim_status intern_bytes(struct intern *t, const struct bytes *b, uint32_t *number)
{
    TRY(bytes_status(b));
    return intern_add(t, b->data, b->length, number);
}

static void clear_scratch(struct rulebook *p)
{
    p->scratch.length = 0;
    p->scratch.failed = false;
}

enum pilgrim_status rulebook_rule(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count, uint32_t *rule)
{
    clear_scratch(p);
    for (size_t i = 0; i < count; i++)
        put_symbol(&p->scratch, &symbols[i]);
    return intern_bytes(&p->rules, &p->scratch, rule);
}

enum pilgrim_status rulebook_sequence(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count, bool ramps,
                                  uint32_t *sequence)
{
    clear_scratch(p);
    bytes_put_u8(&p->scratch, ramps);
    for (size_t i = 0; i < count; i++)
        put_symbol(&p->scratch, &symbols[i]);
    return intern_bytes(&p->sequences, &p->scratch, sequence);
}

/* Rule I of R to the scratch, with what is in NUMBERS for the rules it uses. */
static void put_parsed(struct rulebook *p, const struct rules *r, uint32_t i, const uint32_t *numbers)
{
    for (uint32_t s = r->first[i]; s < r->first[i + 1]; s++) {
        const struct rules_symbol *from = &r->symbols[s];
        const struct rulebook_symbol symbol = {.value = from->is_rule ? numbers[from->value] : from->value,
                                           .exponent = from->exponent,
                                           .is_rule = from->is_rule};
        put_symbol(&p->scratch, &symbol);
    }
}

enum { NOT_VISITED = UINT32_MAX };

/* The place of rule I's first symbol from S on that is a rule without a number, or the rule's end. */
static uint32_t find_open(const struct rules *r, uint32_t i, uint32_t s, const uint32_t *numbers)
{
    while (s < r->first[i + 1] && !(r->symbols[s].is_rule && numbers[r->symbols[s].value] == NOT_VISITED))
        s++;
    return s;
}

/* Adds all rules of R but the start rule, depth first: NUMBERS becomes their numbers in the rulebook. STACK and PLACE
 * have room for all rules; PLACE[i]: how far rule i has been looked at. */
static enum pilgrim_status add_parsed(struct rulebook *p, const struct rules *r, uint32_t *numbers, uint32_t *stack,
                                      uint32_t *place)
{
    for (uint32_t i = 0; i < r->rule_count; i++) {
        numbers[i] = NOT_VISITED;
        place[i] = r->first[i];
    }
    uint32_t height = 0;
    stack[height++] = 0;
    while (height) {
        uint32_t top = stack[height - 1];
        place[top] = find_open(r, top, place[top], numbers);
        if (place[top] < r->first[top + 1]) {
            stack[height++] = (uint32_t)r->symbols[place[top]].value;
            continue;
        }
        height--;
        if (!height)
            break; /* the start rule */
        clear_scratch(p);
        put_parsed(p, r, top, numbers);
        TRY(intern_bytes(&p->rules, &p->scratch, &numbers[top]));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status add_grammar(struct rulebook *p, const struct rules *r, bool ramps, uint32_t *sequence)
{
    uint32_t *numbers = malloc(3 * (size_t)r->rule_count * sizeof *numbers);
    if (!numbers)
        return PILGRIM_NOMEM;
    enum pilgrim_status status =
        add_parsed(p, r, numbers, numbers + r->rule_count, numbers + 2 * (size_t)r->rule_count);
    if (status == PILGRIM_OK) {
        clear_scratch(p);
        bytes_put_u8(&p->scratch, ramps);
        put_parsed(p, r, 0, numbers);
        status = intern_bytes(&p->sequences, &p->scratch, sequence);
    }
    free(numbers);
    return status;
}

enum pilgrim_status rulebook_serialised(struct rulebook *p, const void *data, size_t length, bool ramps, uint32_t *sequence)
{
    struct cursor c;
    struct rules r;
    cursor_init(&c, data, length);
    TRY(rules_parse(&c, UINT64_MAX, &r));
    enum pilgrim_status status = cursor_left(&c) ? PILGRIM_DAMAGED : add_grammar(p, &r, ramps, sequence);
    rules_free(&r);
    return status;
}

/* --- finishing --- */

/* Marks the rules that the symbols at C use. */
static void mark(struct cursor *c, uint8_t use, uint8_t *uses)
{
    while (cursor_left(c)) {
        struct rulebook_symbol s = take_symbol(c);
        if (s.is_rule)
            uses[s.value] |= use;
    }
}

static struct cursor open_rule(const struct rulebook *p, uint32_t rule)
{
    size_t length;
    const uint8_t *data = intern_get(&p->rules, rule, &length);
    struct cursor c;
    cursor_init(&c, data, length);
    return c;
}

static struct cursor open_sequence(const struct rulebook *p, uint32_t sequence, bool *ramps)
{
    size_t length;
    const uint8_t *data = intern_get(&p->sequences, sequence, &length);
    struct cursor c;
    cursor_init(&c, data, length);
    *ramps = cursor_u8(&c);
    return c;
}

static void mark_all(const struct rulebook *p, uint8_t *uses)
{
    for (uint32_t i = 0; i < p->sequences.count; i++) {
        bool ramps;
        struct cursor c = open_sequence(p, i, &ramps);
        mark(&c, ramps ? USED : USED | USED_AS_DIFFERENCES, uses);
    }
    for (uint32_t i = p->rules.count; i-- > 0;) {
        struct cursor c = open_rule(p, i);
        if (uses[i])
            mark(&c, uses[i], uses);
    }
}

/* How many terminals from SYMBOL, which was just taken from C, on count up by 1 without exponents. */
static uint64_t ramp_length(const struct cursor *from, struct rulebook_symbol symbol)
{
    struct cursor c = *from;
    uint64_t count = 0;
    uint64_t next = symbol.value;
    while (!symbol.is_rule && symbol.exponent == 1 && symbol.value == next) {
        count++;
        next++;
        if (!cursor_left(&c))
            break;
        symbol = take_symbol(&c);
    }
    return count;
}

/* The symbols at C, with the file's NUMBERS of rules, and with ramps if RAMPS. */
static void put_final(struct cursor *c, bool ramps, const uint32_t *numbers, struct bytes *out)
{
    while (cursor_left(c)) {
        struct rulebook_symbol s = take_symbol(c);
        uint64_t count = ramps ? ramp_length(c, s) : 0;
        if (count >= RAMP_MIN) {
            put_ramp(out, s.value, count);
            while (--count)
                (void)take_symbol(c);
            continue;
        }
        if (s.is_rule)
            s.value = numbers[s.value];
        put_symbol(out, &s);
    }
}

/* Adds the rule with the symbols at C to the table. */
static enum pilgrim_status finish_rule(struct rulebook *p, struct cursor c, bool ramps, const uint32_t *numbers,
                                       uint32_t *number)
{
    clear_scratch(p);
    put_final(&c, ramps, numbers, &p->scratch);
    return intern_bytes(&p->table, &p->scratch, number);
}

static enum pilgrim_status finish_sequence(struct rulebook *p, uint32_t sequence, const uint32_t *numbers)
{
    bool ramps;
    uint32_t number;
    struct cursor c = open_sequence(p, sequence, &ramps);
    if (!cursor_left(&c)) {
        p->references[sequence] = 0;
        return PILGRIM_OK;
    }
    struct cursor ahead = c;
    struct rulebook_symbol only = take_symbol(&ahead);
    if (only.exponent == 1 && !cursor_left(&ahead) && !only.is_rule) {
        p->references[sequence] = only.value << 1 | 1;
        return PILGRIM_OK;
    }
    if (only.exponent == 1 && !cursor_left(&ahead))
        number = numbers[only.value];
    else
        TRY(finish_rule(p, c, ramps, numbers, &number));
    p->references[sequence] = (uint64_t)number * 2 + 2;
    return PILGRIM_OK;
}

static enum pilgrim_status finish_all(struct rulebook *p, const uint8_t *uses, uint32_t *numbers)
{
    for (uint32_t i = 0; i < p->rules.count; i++)
        if (uses[i])
            TRY(finish_rule(p, open_rule(p, i), !(uses[i] & USED_AS_DIFFERENCES), numbers, &numbers[i]));
    for (uint32_t i = 0; i < p->sequences.count; i++)
        TRY(finish_sequence(p, i, numbers));
    return PILGRIM_OK;
}

enum pilgrim_status rulebook_finish(struct rulebook *p)
{
    uint8_t *uses = calloc(p->rules.count + (size_t)1, sizeof *uses);
    uint32_t *numbers = malloc((p->rules.count + (size_t)1) * sizeof *numbers);
    p->references = malloc((p->sequences.count + (size_t)1) * sizeof *p->references);
    enum pilgrim_status status = PILGRIM_NOMEM;
    if (uses && numbers && p->references) {
        mark_all(p, uses);
        status = finish_all(p, uses, numbers);
    }
    free(uses);
    free(numbers);
    return status;
}

/* --- the result --- */

void rulebook_write(const struct rulebook *p, struct bytes *out)
{
    bytes_put_varint(out, p->table.count);
    for (uint32_t i = 0; i < p->table.count; i++) {
        size_t length, symbols = 0;
        const uint8_t *data = intern_get(&p->table, i, &length);
        struct cursor c;
        cursor_init(&c, data, length);
        for (; cursor_left(&c); symbols++)
            (void)take_symbol(&c);
        bytes_put_varint(out, symbols);
        bytes_put(out, data, length);
    }
}

uint64_t rulebook_reference(const struct rulebook *p, uint32_t sequence)
{
    return p->references[sequence];
}
