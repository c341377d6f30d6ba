/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the rulebook: whatever sequences go in, the written table expands to them. The expander is the test's own and
 * knows only the format.
 *
 * One file, because everything goes through the same expander. */
#include "rules/rulebook.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/compressed.h"
#include "grammar/grammar.h"
#include "random.h"

#define OK(call) EXPECT((call) == PILGRIM_OK, "%s failed", #call)

/* --- terminals --- */

struct terminals {
    uint64_t *items;
    size_t length;
    size_t capacity;
};

static void add(struct terminals *t, uint64_t terminal)
{
    if (t->length == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        t->items = realloc(t->items, t->capacity * sizeof *t->items);
        EXPECT(t->items, "no memory");
    }
    t->items[t->length++] = terminal;
}

static void add_times(struct terminals *t, const struct terminals *from, uint64_t times)
{
    for (uint64_t k = 0; k < times; k++)
        for (size_t i = 0; i < from->length; i++)
            add(t, from->items[i]);
}

static void assert_equal(const struct terminals *a, const struct terminals *b)
{
    EXPECT(a->length == b->length, "%zu terminals, not %zu", a->length, b->length);
    for (size_t i = 0; i < a->length; i++)
        EXPECT(a->items[i] == b->items[i], "terminal %zu is %llu, not %llu", i, (unsigned long long)a->items[i],
               (unsigned long long)b->items[i]);
}

/* --- the table as written --- */

struct written {
    struct bytes bytes;
    size_t count;
    size_t *start;   /* by rule: what follows its count of symbols */
    size_t *symbols; /* 0: a block */
    bool *has_ramp;  /* it or a rule in it */
    bool *has_sums;
    size_t blocks;
};

static uint64_t take(const struct bytes *b, size_t *at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        EXPECT(*at < b->length && shift < 64, "the table ends too early");
        uint8_t byte = b->data[(*at)++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

struct model_symbol {
    uint64_t value;
    uint64_t exponent;
    bool is_rule;
    bool is_ramp;
};

static struct model_symbol take_symbol(const struct bytes *b, size_t *at)
{
    uint64_t word = take(b, at);
    uint64_t more = word & 2 ? take(b, at) : 0;
    return (struct model_symbol){word >> 2, word & 2 ? (more >> 1) + 2 : 1, word & 1, word & 2 && more & 1};
}

/* Reads a block as the format describes it, one bit after the other. */
struct packed {
    size_t count, numbers;
    unsigned width;
    bool planes, sums;
    int64_t base;
};

static struct packed take_packed(const struct bytes *b, size_t *at)
{
    struct packed k = {.count = take(b, at)};
    EXPECT(*at < b->length, "the table ends too early");
    uint8_t form = b->data[(*at)++];
    uint64_t base = take(b, at);
    k.base = (int64_t)(base >> 1) ^ -(int64_t)(base & 1);
    k.width = form >> 2;
    k.planes = form & 2;
    k.sums = form & 1;
    k.numbers = *at;
    EXPECT(k.count >= 2 && k.count <= 65536 && k.width >= 1 && k.width <= 62 && (!k.planes || k.width % 8 == 0),
           "block");
    *at += (k.count * k.width + 7) / 8;
    EXPECT(*at <= b->length, "the table ends too early");
    for (size_t bit = k.count * k.width; bit < 8 * (*at - k.numbers); bit++)
        EXPECT(!(b->data[k.numbers + bit / 8] >> bit % 8 & 1), "bits that are left over");
    return k;
}

static void expand_packed(const struct bytes *b, size_t at, struct terminals *to)
{
    const struct packed k = take_packed(b, &at);
    uint64_t before = 0;
    for (size_t i = 0; i < k.count; i++) {
        uint64_t number = 0;
        for (unsigned n = 0; n < k.width; n++) {
            size_t bit = k.planes ? 8 * (n / 8 * k.count + i) + n % 8 : i * k.width + n;
            number |= (uint64_t)(b->data[k.numbers + bit / 8] >> bit % 8 & 1) << n;
        }
        uint64_t value = (uint64_t)k.base + number, difference = value - before;
        add(to, k.sums ? difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0) : value);
        EXPECT(to->items[to->length - 1] < UINT64_C(1) << 62, "a terminal of a block");
        before = value;
    }
}

static struct written written(const struct rulebook *p)
{
    struct written w = {0};
    rulebook_write(p, &w.bytes);
    OK(bytes_status(&w.bytes));
    size_t at = 0;
    w.count = take(&w.bytes, &at);
    w.start = calloc(w.count + 1, sizeof *w.start);
    w.symbols = calloc(w.count + 1, sizeof *w.symbols);
    w.has_ramp = calloc(w.count + 1, sizeof *w.has_ramp);
    w.has_sums = calloc(w.count + 1, sizeof *w.has_sums);
    for (size_t i = 0; i < w.count; i++) {
        w.symbols[i] = take(&w.bytes, &at);
        w.start[i] = at;
        if (w.symbols[i] == 0) {
            w.has_sums[i] = take_packed(&w.bytes, &at).sums;
            w.blocks++;
        }
        for (size_t k = 0; k < w.symbols[i]; k++) {
            struct model_symbol s = take_symbol(&w.bytes, &at);
            EXPECT(!s.is_rule || s.value < i, "rule %zu uses a later one", i);
            EXPECT(!(s.is_rule && s.is_ramp), "a ramp of a rule");
            w.has_ramp[i] |= s.is_ramp || (s.is_rule && w.has_ramp[s.value]);
            w.has_sums[i] |= s.is_rule && w.has_sums[s.value];
        }
    }
    EXPECT(at == w.bytes.length, "bytes behind the table");
    return w;
}

static void free_written(struct written *w)
{
    bytes_free(&w->bytes);
    free(w->start);
    free(w->symbols);
    free(w->has_ramp);
    free(w->has_sums);
}

static void expand(const struct written *w, size_t rule, struct terminals *to)
{
    size_t at = w->start[rule];
    if (w->symbols[rule] == 0)
        expand_packed(&w->bytes, at, to);
    for (size_t k = 0; k < w->symbols[rule]; k++) {
        struct model_symbol s = take_symbol(&w->bytes, &at);
        for (uint64_t n = 0; n < s.exponent; n++) {
            if (s.is_rule)
                expand(w, s.value, to);
            else
                add(to, s.value + (s.is_ramp ? n : 0));
        }
    }
}

static void assert_sequence(const struct rulebook *p, const struct written *w, uint32_t sequence, bool ramps,
                            const struct terminals *expected)
{
    uint64_t reference = rulebook_reference(p, sequence);
    size_t rule = (size_t)(reference / 2 - 1);
    struct terminals found = {0};
    if (reference % 2) {
        add(&found, reference / 2);
    } else if (reference) {
        EXPECT(rule < w->count, "no such rule");
        EXPECT(ramps || !w->has_ramp[rule], "a ramp in a sequence of differences");
        EXPECT(!ramps || !w->has_sums[rule], "sums in a sequence that is none of differences");
        expand(w, rule, &found);
    }
    assert_equal(&found, expected);
    free(found.items);
}

/* --- by hand --- */

#define T(v)                                                                                                           \
    {                                                                                                                  \
        .value = (v), .exponent = 1                                                                                    \
    }
#define TN(v, n)                                                                                                       \
    {                                                                                                                  \
        .value = (v), .exponent = (n)                                                                                  \
    }
#define R(v)                                                                                                           \
    {                                                                                                                  \
        .value = (v), .exponent = 1, .is_rule = true                                                                   \
    }
#define RN(v, n)                                                                                                       \
    {                                                                                                                  \
        .value = (v), .exponent = (n), .is_rule = true                                                                 \
    }

START_TEST(equal_is_one)
{
    struct rulebook *p = rulebook_new();
    uint32_t a, b, c, s[6];
    const struct rulebook_symbol ab[] = {T(7), TN(8, 3)};
    OK(rulebook_rule(p, ab, 2, &a));
    OK(rulebook_rule(p, ab, 2, &b));
    ck_assert_uint_eq(a, b);
    const struct rulebook_symbol other[] = {T(7), TN(8, 4)};
    OK(rulebook_rule(p, other, 2, &c));
    ck_assert_uint_ne(a, c);
    const struct rulebook_symbol top[] = {RN(a, 5), T(7)};
    OK(rulebook_sequence(p, top, 2, true, &s[0]));
    OK(rulebook_sequence(p, top, 2, true, &s[1]));
    ck_assert_uint_eq(s[0], s[1]);
    OK(rulebook_sequence(p, top, 2, false, &s[2]));
    const struct rulebook_symbol only[] = {R(a)};
    OK(rulebook_sequence(p, only, 1, true, &s[3]));
    OK(rulebook_sequence(p, ab, 2, false, &s[4]));
    OK(rulebook_sequence(p, NULL, 0, true, &s[5]));
    OK(rulebook_finish(p));
    ck_assert_uint_eq(rulebook_reference(p, s[0]),
                      rulebook_reference(p, s[2])); /* it has no ramp, so both use one rule */
    ck_assert_uint_eq(rulebook_reference(p, s[3]), rulebook_reference(p, s[4])); /* a rule alone is that rule */
    ck_assert_uint_eq(rulebook_reference(p, s[5]), 0);
    struct written w = written(p);
    ck_assert_uint_eq(w.count, 2);
    free_written(&w);
    rulebook_free(p);
}
END_TEST

/* Checks that the table's bytes are these. */
static void assert_bytes(const struct rulebook *p, const uint8_t *bytes, size_t length)
{
    struct bytes out = {0};
    rulebook_write(p, &out);
    ck_assert_uint_eq(out.length, length);
    ck_assert_mem_eq(out.data, bytes, length);
    bytes_free(&out);
}

START_TEST(ramps_in_plain_numbers)
{
    struct rulebook *p = rulebook_new();
    uint32_t s;
    const struct rulebook_symbol symbols[] = {T(5), T(1), T(2), T(3), T(2), T(3), T(6), T(7), TN(8, 2)};
    OK(rulebook_sequence(p, symbols, 9, true, &s));
    OK(rulebook_finish(p));
    const uint8_t expected[] = {1, 7, 5 << 2, 1 << 2 | 2, 3, 2 << 2, 3 << 2, 6 << 2, 7 << 2, 8 << 2 | 2, 0};
    assert_bytes(p, expected, sizeof expected);
    rulebook_free(p);
}
END_TEST

START_TEST(equal_ramps_in_a_row)
{
    struct rulebook *p = rulebook_new();
    uint32_t s;
    const struct rulebook_symbol symbols[] = {T(1), T(2), T(3), T(1), T(2), T(3), T(1), T(2), T(3)};
    OK(rulebook_sequence(p, symbols, 9, true, &s));
    OK(rulebook_finish(p));
    const uint8_t expected[] = {1, 3, 1 << 2 | 2, 3, 1 << 2 | 2, 3, 1 << 2 | 2, 3};
    assert_bytes(p, expected, sizeof expected);
    rulebook_free(p);
}
END_TEST

START_TEST(no_ramps_in_differences)
{
    struct rulebook *p = rulebook_new();
    uint32_t s;
    const struct rulebook_symbol symbols[] = {T(1), T(2), T(3)};
    OK(rulebook_sequence(p, symbols, 3, false, &s));
    OK(rulebook_finish(p));
    const uint8_t expected[] = {1, 3, 1 << 2, 2 << 2, 3 << 2};
    assert_bytes(p, expected, sizeof expected);
    rulebook_free(p);
}
END_TEST

START_TEST(ramps_not_where_differences_use_the_rule)
{
    struct rulebook *p = rulebook_new();
    uint32_t rule, plain, differences;
    const struct rulebook_symbol inner[] = {T(1), T(2), T(3)};
    OK(rulebook_rule(p, inner, 3, &rule));
    const struct rulebook_symbol symbols[] = {RN(rule, 4), T(9)};
    OK(rulebook_sequence(p, symbols, 2, true, &plain));
    const struct rulebook_symbol others[] = {RN(rule, 5)};
    OK(rulebook_sequence(p, others, 1, false, &differences));
    OK(rulebook_finish(p));
    struct written w = written(p);
    for (size_t i = 0; i < w.count; i++)
        ck_assert(!w.has_ramp[i]);
    free_written(&w);
    rulebook_free(p);
}
END_TEST

/* A rule that saves nothing is dissolved, and the exponents of a rule of one symbol multiply. */
START_TEST(small_rules_dissolve)
{
    struct rulebook *p = rulebook_new();
    uint32_t pair, run, sequence;
    const struct rulebook_symbol ab[] = {T(1), T(5)};
    OK(rulebook_rule(p, ab, 2, &pair));
    const struct rulebook_symbol aaa[] = {TN(1, 3)};
    OK(rulebook_rule(p, aaa, 1, &run));
    const struct rulebook_symbol symbols[] = {R(pair), T(7), R(pair), RN(run, 5), T(1), T(2), T(1), RN(run, 2)};
    OK(rulebook_sequence(p, symbols, 8, true, &sequence));
    OK(rulebook_finish(p));
    const uint8_t expected[] = {1,      8,          1 << 2,  5 << 2, 7 << 2,     1 << 2,
                                5 << 2, 1 << 2 | 2, 14 << 1, 2 << 2, 1 << 2 | 2, 5 << 1};
    assert_bytes(p, expected, sizeof expected);
    rulebook_free(p);
}
END_TEST

/* A rule that is only another name for a rule. */
START_TEST(names_of_rules)
{
    struct rulebook *p = rulebook_new();
    uint32_t rule, name, a, b, one, c;
    const struct rulebook_symbol ab[] = {T(1), T(5)};
    OK(rulebook_rule(p, ab, 2, &rule));
    const struct rulebook_symbol only[] = {R(rule)};
    OK(rulebook_rule(p, only, 1, &name));
    const struct rulebook_symbol twice[] = {RN(rule, 20)}, again[] = {RN(name, 20)};
    OK(rulebook_sequence(p, twice, 1, true, &a));
    OK(rulebook_sequence(p, again, 1, true, &b));
    const struct rulebook_symbol terminal[] = {T(3)};
    OK(rulebook_rule(p, terminal, 1, &one));
    const struct rulebook_symbol use[] = {R(one)};
    OK(rulebook_sequence(p, use, 1, true, &c));
    OK(rulebook_finish(p));
    ck_assert_uint_eq(rulebook_reference(p, a), rulebook_reference(p, b));
    ck_assert_uint_eq(rulebook_reference(p, c), 3 << 1 | 1);
    struct written w = written(p);
    ck_assert_uint_eq(w.count, 2);
    free_written(&w);
    rulebook_free(p);
}
END_TEST

START_TEST(empty_table)
{
    struct rulebook *p = rulebook_new();
    uint32_t rule;
    const struct rulebook_symbol unused[] = {T(1), T(2)};
    OK(rulebook_rule(p, unused, 2, &rule));
    OK(rulebook_finish(p));
    const uint8_t expected[] = {0};
    assert_bytes(p, expected, sizeof expected);
    rulebook_free(p);
}
END_TEST

START_TEST(large_numbers)
{
    struct rulebook *p = rulebook_new();
    uint32_t s;
    const uint64_t top = (UINT64_C(1) << 62) - 3;
    const struct rulebook_symbol symbols[] = {T(top), T(top + 1), T(top + 2), TN(0, 3), T(top)};
    struct terminals expected = {0};
    for (size_t i = 0; i < 5; i++)
        for (uint64_t n = 0; n < symbols[i].exponent; n++)
            add(&expected, symbols[i].value);
    OK(rulebook_sequence(p, symbols, 5, true, &s));
    OK(rulebook_finish(p));
    struct written w = written(p);
    assert_sequence(p, &w, s, true, &expected);
    free_written(&w);
    free(expected.items);
    rulebook_free(p);
}
END_TEST

START_TEST(not_a_grammar)
{
    struct rulebook *p = rulebook_new();
    uint32_t s;
    const uint8_t cycle[] = {2, 1, 1 << 2 | 1, 1, 1 << 2 | 1};
    ck_assert_int_eq(rulebook_serialised(p, cycle, sizeof cycle, true, &s), PILGRIM_DAMAGED);
    const uint8_t more[] = {1, 0, 0};
    ck_assert_int_eq(rulebook_serialised(p, more, sizeof more, true, &s), PILGRIM_DAMAGED);
    const uint8_t less[] = {1, 1, 0x80};
    ck_assert_int_eq(rulebook_serialised(p, less, sizeof less, true, &s), PILGRIM_TRUNCATED);
    rulebook_free(p);
}
END_TEST

/* --- from seeds --- */

enum { RULES = 40, SEQUENCES = 40, SYMBOLS = 12, EXPANSION_MAX = 3000 };

/* A sequence in a rulebook, and its expansion. */
struct rulebook_model {
    struct rulebook *rulebook;
    uint32_t rules[RULES];
    struct terminals rule_expansion[RULES];
    size_t rule_count;
    uint32_t sequences[SEQUENCES];
    bool ramps[SEQUENCES];
    struct terminals expansion[SEQUENCES];
    uint32_t alphabet;
};

/* Makes random symbols, some of which repeat earlier ones; equal neighbours become one symbol. Returns their number. */
static size_t make_symbols(const struct rulebook_model *m, struct rulebook_symbol *symbols, struct terminals *expansion)
{
    size_t count = 0;
    size_t wanted = 1 + random_below(SYMBOLS);
    while (count < wanted) {
        size_t r = m->rule_count ? random_below((uint32_t)m->rule_count) : 0;
        bool is_rule = m->rule_count && random_below(3) == 0;
        uint64_t exponent = random_below(3) ? 1 : 1 + random_below(5);
        if (is_rule && expansion->length + exponent * m->rule_expansion[r].length > EXPANSION_MAX)
            is_rule = false;
        uint64_t value = is_rule ? m->rules[r] : random_below(m->alphabet);
        if (!is_rule && count && !symbols[count - 1].is_rule && random_below(2))
            value = symbols[count - 1].value + 1;
        if (count && symbols[count - 1].value == value && symbols[count - 1].is_rule == is_rule)
            continue;
        symbols[count++] = (struct rulebook_symbol){.value = value, .exponent = exponent, .is_rule = is_rule};
        if (is_rule)
            add_times(expansion, &m->rule_expansion[r], exponent);
        for (uint64_t n = 0; !is_rule && n < exponent; n++)
            add(expansion, value);
    }
    return count;
}

static void fill(struct rulebook_model *m)
{
    struct rulebook_symbol symbols[SYMBOLS];
    for (; m->rule_count < RULES; m->rule_count++) {
        size_t count = make_symbols(m, symbols, &m->rule_expansion[m->rule_count]);
        OK(rulebook_rule(m->rulebook, symbols, count, &m->rules[m->rule_count]));
    }
    for (size_t i = 0; i < SEQUENCES; i++) {
        m->ramps[i] = random_below(2);
        size_t count = make_symbols(m, symbols, &m->expansion[i]);
        OK(rulebook_sequence(m->rulebook, symbols, count, m->ramps[i], &m->sequences[i]));
    }
}

static void check_model(struct rulebook_model *m)
{
    OK(rulebook_finish(m->rulebook));
    struct written w = written(m->rulebook);
    for (size_t i = 0; i < SEQUENCES; i++)
        assert_sequence(m->rulebook, &w, m->sequences[i], m->ramps[i], &m->expansion[i]);
    free_written(&w);
    for (size_t i = 0; i < m->rule_count; i++)
        free(m->rule_expansion[i].items);
    for (size_t i = 0; i < SEQUENCES; i++)
        free(m->expansion[i].items);
    rulebook_free(m->rulebook);
}

START_TEST(random_rules)
{
    random_state = (uint64_t)_i;
    struct rulebook_model m = {.rulebook = rulebook_new(), .alphabet = 2 + random_below(1u << random_below(12))};
    fill(&m);
    check_model(&m);
}
END_TEST

/* Sequences with parts in common, as grammars. */
START_TEST(random_grammars)
{
    random_state = (uint64_t)_i + 1000;
    struct rulebook_model m = {.rulebook = rulebook_new(), .alphabet = 2 + random_below(8)};
    uint32_t words[4][20];
    for (size_t i = 0; i < 80; i++)
        words[i / 20][i % 20] = random_below(m.alphabet);
    for (size_t i = 0; i < SEQUENCES; i++) {
        struct grammar *g = grammar_new();
        struct bytes out = {0};
        for (size_t parts = random_below(8); parts-- > 0;) {
            size_t word = random_below(4), length = random_below(21);
            for (size_t times = 1 + random_below(4); times-- > 0;)
                for (size_t k = 0; k < length; k++) {
                    OK(grammar_append(g, words[word][k]));
                    add(&m.expansion[i], words[word][k]);
                }
        }
        grammar_serialise(g, &out);
        m.ramps[i] = random_below(2);
        OK(rulebook_serialised(m.rulebook, out.data, out.length, m.ramps[i], &m.sequences[i]));
        bytes_free(&out);
        grammar_free(g);
    }
    check_model(&m);
}
END_TEST

/* Returns the bytes of the table as in the file. */
static size_t compressed(const struct written *w)
{
    struct compressor c = {0};
    size_t length = compressed_length(&c, w->bytes.data, w->bytes.length);
    EXPECT(!c.scratch.failed, "no memory");
    compressor_free(&c);
    return length;
}

/* COUNT sequences, each of PARTS phrases of LENGTH terminals, out of PHRASES. Returns the bytes of the table,
 * compressed, and in *PLAIN as it is. */
static size_t phrases(size_t count, size_t parts, size_t length, uint32_t phrase_count, size_t *plain)
{
    struct rulebook *p = rulebook_new();
    struct rulebook_symbol *symbols = calloc(parts * length, sizeof *symbols);
    uint64_t *phrase = calloc(phrase_count * length, sizeof *phrase);
    struct terminals *expected = calloc(count, sizeof *expected);
    uint32_t *sequences = calloc(count, sizeof *sequences);
    for (size_t i = 0; i < phrase_count * length; i++)
        phrase[i] = random_below(1u << 20);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < parts; k++) {
            const uint64_t *from = &phrase[random_below(phrase_count) * length];
            for (size_t n = 0; n < length; n++)
                add(&expected[i], from[n]);
        }
        for (size_t n = 0; n < parts * length; n++)
            symbols[n] = (struct rulebook_symbol)T(expected[i].items[n]);
        OK(rulebook_sequence(p, symbols, parts * length, i % 2, &sequences[i]));
    }
    OK(rulebook_finish(p));
    struct written w = written(p);
    size_t bytes = compressed(&w);
    *plain = w.bytes.length;
    for (size_t i = 0; i < count; i++) {
        assert_sequence(p, &w, sequences[i], i % 2, &expected[i]);
        free(expected[i].items);
    }
    free_written(&w);
    rulebook_free(p);
    free(symbols);
    free(phrase);
    free(expected);
    free(sequences);
    return bytes;
}

/* What sequences have in common costs only once, after compression. */
START_TEST(repeats_between_sequences)
{
    enum { COUNT = 60, PARTS = 8, LENGTH = 100, PHRASES = 10 };
    size_t plain, bytes = phrases(COUNT, PARTS, LENGTH, PHRASES, &plain);
    size_t least = 3 * LENGTH * PHRASES; /* a random terminal takes 3 or 4 bytes */
    ck_assert_uint_le(bytes, 3 * least); /* not 3 * LENGTH * PARTS * COUNT */
}
END_TEST

/* A large table is right. */
START_TEST(large_table)
{
    size_t plain;
    (void)phrases(300, 8, 1000, 10, &plain);
    ck_assert_uint_gt(plain, 5000000);
}
END_TEST

/* --- blocks --- */

/* Distributions of values. */
enum { UNIFORM, FEW, SKEWED, NOISY_COUNTER, WALK, PERMUTATION, WIDE, BITS, NOISY_LOOP, WORDS, KINDS };

static uint64_t random_bits(void)
{
    return (uint64_t)random_below(UINT32_MAX) << 31 ^ random_below(UINT32_MAX);
}

static void draw_values(unsigned kind, int64_t *values, size_t count)
{
    uint32_t limit = 3u << random_below(15), period = 1 + random_below(300);
    int64_t at = 0, noise = 1 + random_below(20);
    for (size_t i = 0; i < count; i++) {
        int64_t before = i >= period ? values[i - period] : random_below(1000);
        switch (kind) {
        case FEW:
            at = random_below(16);
            break;
        case SKEWED:
            for (at = 0; random_below(3) > 0;)
                at++;
            break;
        case NOISY_COUNTER:
            at = 7 * (int64_t)i + random_below((uint32_t)noise);
            break;
        case WALK:
            at += (int64_t)random_below(2001) - 1000;
            break;
        case PERMUTATION:
            at = before;
            break;
        case WIDE:
            at = (int64_t)(random_bits() << 2) >> 4; /* differences have 61 bits and a sign */
            break;
        case BITS:
            at = random_below(2);
            break;
        case NOISY_LOOP:
            at = random_below(10) ? (int64_t)(i % 12) : random_below(12);
            break;
        case WORDS:
            at = 64 * (int64_t)random_below(1000);
            break;
        default:
            at = random_below(limit);
        }
        values[i] = at;
    }
}

/* Makes a sequence of COUNT values: plain numbers through a grammar, or as they are, or differences. */
static uint32_t add_values(struct rulebook *p, const int64_t *values, size_t count, unsigned way,
                           struct terminals *expected)
{
    uint32_t sequence = 0;
    struct rulebook_symbol *symbols = calloc(count + 1, sizeof *symbols);
    struct grammar *g = grammar_new();
    struct bytes out = {0};
    for (size_t i = 0; i < count; i++) {
        int64_t difference = values[i] - (i > 0 ? values[i - 1] : 0);
        uint64_t terminal =
            way == 2 ? (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63) : (uint64_t)values[i] & INT32_MAX;
        add(expected, terminal);
        symbols[i] = (struct rulebook_symbol)T(terminal);
        if (way == 0)
            OK(grammar_append(g, (uint32_t)terminal & 0xffffff));
        if (way == 0)
            expected->items[i] &= 0xffffff;
    }
    grammar_serialise(g, &out);
    if (way == 0)
        OK(rulebook_serialised(p, out.data, out.length, true, &sequence));
    else
        OK(rulebook_sequence(p, symbols, count, way == 1, &sequence));
    bytes_free(&out);
    grammar_free(g);
    free(symbols);
    return sequence;
}

/* Several sequences, of any length and distribution, come back as they were. */
START_TEST(random_values)
{
    enum { COUNT = 6, LENGTH_MAX = 20000 };
    random_state = (uint64_t)_i + 5000;
    struct rulebook *p = rulebook_new();
    struct terminals expected[COUNT] = {0};
    uint32_t sequences[COUNT];
    unsigned ways[COUNT];
    int64_t *values = calloc(LENGTH_MAX, sizeof *values);
    for (size_t i = 0; i < COUNT; i++) {
        size_t count = random_below(1 + ((uint32_t)LENGTH_MAX >> random_below(12)));
        if (i % 3 != 2) /* else the same values in another way */
            draw_values((unsigned)_i % KINDS, values, LENGTH_MAX);
        ways[i] = random_below(3);
        sequences[i] = add_values(p, values, count, ways[i], &expected[i]);
    }
    OK(rulebook_finish(p));
    struct written w = written(p);
    for (size_t i = 0; i < COUNT; i++) {
        assert_sequence(p, &w, sequences[i], ways[i] != 2, &expected[i]);
        free(expected[i].items);
    }
    free_written(&w);
    free(values);
    rulebook_free(p);
}
END_TEST

/* Returns the bits of the compressed table for each value, in 1/100, and if there are blocks. */
static const struct {
    const char *what;
    unsigned kind, way;
    size_t least, most;
    bool blocks;
} sizes[] = {
    {"4 bits", FEW, 0, 400, 404, true},    {"4 bits as differences", FEW, 2, 400, 404, true},
    {"bits", BITS, 0, 100, 104, true},     {"61 bits", WIDE, 2, 6000, 6100, true},
    {"a walk", WALK, 2, 1100, 1300, true}, {"a permutation", PERMUTATION, 1, 0, 200, false},
};

START_TEST(values_are_packed)
{
    enum { COUNT = 20000 };
    random_state = 77;
    struct rulebook *p = rulebook_new();
    struct terminals expected = {0};
    int64_t *values = calloc(COUNT, sizeof *values);
    draw_values(sizes[_i].kind, values, COUNT);
    uint32_t sequence = add_values(p, values, COUNT, sizes[_i].way, &expected);
    OK(rulebook_finish(p));
    struct written w = written(p);
    assert_sequence(p, &w, sequence, sizes[_i].way != 2, &expected);
    size_t bits = compressed(&w) * 8 * 100 / COUNT;
    ck_assert_msg(bits >= sizes[_i].least && bits <= sizes[_i].most, "%s: %zu", sizes[_i].what, bits);
    ck_assert_msg((w.blocks > 0) == sizes[_i].blocks, "%s: %zu blocks", sizes[_i].what, w.blocks);
    free(expected.items);
    free_written(&w);
    free(values);
    rulebook_free(p);
}
END_TEST

/* Irregular stretches between loops are packed, and the loops stay. */
START_TEST(stretches_are_packed)
{
    enum { NOISE = 1000 };
    random_state = 5;
    struct rulebook *p = rulebook_new();
    struct rulebook_symbol symbols[NOISE + 3];
    struct terminals expected = {0};
    uint32_t rule, sequence, again;
    const struct rulebook_symbol ab[] = {T(7), T(9), TN(3, 100)};
    OK(rulebook_rule(p, ab, 3, &rule));
    symbols[0] = (struct rulebook_symbol)RN(rule, 1000);
    symbols[NOISE + 1] = (struct rulebook_symbol)TN(5, 1000000);
    symbols[NOISE + 2] = (struct rulebook_symbol)T(6);
    for (size_t i = 1; i <= NOISE; i++) {
        symbols[i] = (struct rulebook_symbol)T(random_below(1000));
        add(&expected, symbols[i].value);
    }
    OK(rulebook_sequence(p, symbols, NOISE + 3, true, &sequence));
    OK(rulebook_sequence(p, symbols + 1, NOISE, true, &again)); /* the block alone */
    OK(rulebook_finish(p));
    struct written w = written(p);
    ck_assert_uint_eq(w.blocks, 1);
    ck_assert_uint_le(w.bytes.length, NOISE * 10 / 8 + 40);
    assert_sequence(p, &w, again, true, &expected);
    uint64_t reference = rulebook_reference(p, sequence);
    ck_assert_uint_eq(rulebook_reference(p, again), 2);
    ck_assert_uint_eq(w.symbols[reference / 2 - 1], 4);
    free(expected.items);
    free_written(&w);
    rulebook_free(p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rulebook");
    TCase *c = tcase_create("rulebook");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, equal_is_one);
    tcase_add_test(c, ramps_in_plain_numbers);
    tcase_add_test(c, equal_ramps_in_a_row);
    tcase_add_test(c, no_ramps_in_differences);
    tcase_add_test(c, ramps_not_where_differences_use_the_rule);
    tcase_add_test(c, small_rules_dissolve);
    tcase_add_test(c, names_of_rules);
    tcase_add_test(c, empty_table);
    tcase_add_test(c, large_numbers);
    tcase_add_test(c, not_a_grammar);
    tcase_add_loop_test(c, random_rules, 0, 300);
    tcase_add_loop_test(c, random_grammars, 0, 100);
    tcase_add_test(c, repeats_between_sequences);
    tcase_add_test(c, large_table);
    tcase_add_loop_test(c, random_values, 0, 10 * KINDS);
    tcase_add_loop_test(c, values_are_packed, 0, (int)(sizeof sizes / sizeof *sizes));
    tcase_add_test(c, stretches_are_packed);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
