/* The shared table of rules: whatever sequences go in, what is written expands to them. The expander here is the
 * test's own and knows the format alone. */
#include "grammar/rulebook.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/grammar.h"

/* For inner loops: Check's own assertions write a message to a file each time, also where they hold. */
#define EXPECT(condition, ...)                                                                                        \
    do {                                                                                                              \
        if (!(condition))                                                                                             \
            ck_abort_msg(__VA_ARGS__);                                                                                \
    } while (0)

#define OK(call) EXPECT((call) == PILGRIM_OK, "%s failed", #call)

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * limit >> 32);
}

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
    size_t *start; /* of each rule, behind its count of symbols */
    size_t *symbols;
    bool *has_ramp; /* it or a rule in it */
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

struct symbol {
    uint64_t value;
    uint64_t exponent;
    bool is_rule;
    bool is_ramp;
};

static struct symbol take_symbol(const struct bytes *b, size_t *at)
{
    uint64_t word = take(b, at);
    uint64_t more = word & 2 ? take(b, at) : 0;
    return (struct symbol){word >> 2, word & 2 ? (more >> 1) + 2 : 1, word & 1, word & 2 && more & 1};
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
    for (size_t i = 0; i < w.count; i++) {
        w.symbols[i] = take(&w.bytes, &at);
        w.start[i] = at;
        EXPECT(w.symbols[i] > 0, "rule %zu is empty", i);
        for (size_t k = 0; k < w.symbols[i]; k++) {
            struct symbol s = take_symbol(&w.bytes, &at);
            EXPECT(!s.is_rule || s.value < i, "rule %zu uses a later one", i);
            EXPECT(!(s.is_rule && s.is_ramp), "a ramp of a rule");
            w.has_ramp[i] |= s.is_ramp || (s.is_rule && w.has_ramp[s.value]);
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
}

static void expand(const struct written *w, size_t rule, struct terminals *to)
{
    size_t at = w->start[rule];
    for (size_t k = 0; k < w->symbols[rule]; k++) {
        struct symbol s = take_symbol(&w->bytes, &at);
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
        expand(w, rule, &found);
    }
    assert_equal(&found, expected);
    free(found.items);
}

/* --- by hand --- */

#define T(v) {.value = (v), .exponent = 1}
#define TN(v, n) {.value = (v), .exponent = (n)}
#define R(v) {.value = (v), .exponent = 1, .is_rule = true}
#define RN(v, n) {.value = (v), .exponent = (n), .is_rule = true}

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
    ck_assert_uint_eq(rulebook_reference(p, s[0]), rulebook_reference(p, s[2])); /* no ramp in it: one rule for both */
    ck_assert_uint_eq(rulebook_reference(p, s[3]), rulebook_reference(p, s[4])); /* a rule alone is that rule */
    ck_assert_uint_eq(rulebook_reference(p, s[5]), 0);
    struct written w = written(p);
    ck_assert_uint_eq(w.count, 2);
    free_written(&w);
    rulebook_free(p);
}
END_TEST

/* Whether the table's bytes are these. */
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

/* A rule that saves nothing is no rule; one symbol's exponents multiply. */
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
    const uint8_t expected[] = {1, 8, 1 << 2, 5 << 2, 7 << 2, 1 << 2, 5 << 2, 1 << 2 | 2, 14 << 1, 2 << 2, 1 << 2 | 2, 5 << 1};
    assert_bytes(p, expected, sizeof expected);
    rulebook_free(p);
}
END_TEST

/* A rule within a rule that is but another name for it. */
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

/* What went into a rulebook, and what it stands for. */
struct model {
    struct rulebook *book;
    uint32_t rules[RULES];
    struct terminals rule_expansion[RULES];
    size_t rule_count;
    uint32_t sequences[SEQUENCES];
    bool ramps[SEQUENCES];
    struct terminals expansion[SEQUENCES];
    uint32_t alphabet;
};

/* Random symbols, some of which repeat what stood before; equal neighbours are made one symbol. Returns their number. */
static size_t make_symbols(const struct model *m, struct rulebook_symbol *symbols, struct terminals *expansion)
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

static void fill(struct model *m)
{
    struct rulebook_symbol symbols[SYMBOLS];
    for (; m->rule_count < RULES; m->rule_count++) {
        size_t count = make_symbols(m, symbols, &m->rule_expansion[m->rule_count]);
        OK(rulebook_rule(m->book, symbols, count, &m->rules[m->rule_count]));
    }
    for (size_t i = 0; i < SEQUENCES; i++) {
        m->ramps[i] = random_below(2);
        size_t count = make_symbols(m, symbols, &m->expansion[i]);
        OK(rulebook_sequence(m->book, symbols, count, m->ramps[i], &m->sequences[i]));
    }
}

static void check_model(struct model *m)
{
    OK(rulebook_finish(m->book));
    struct written w = written(m->book);
    for (size_t i = 0; i < SEQUENCES; i++)
        assert_sequence(m->book, &w, m->sequences[i], m->ramps[i], &m->expansion[i]);
    free_written(&w);
    for (size_t i = 0; i < m->rule_count; i++)
        free(m->rule_expansion[i].items);
    for (size_t i = 0; i < SEQUENCES; i++)
        free(m->expansion[i].items);
    rulebook_free(m->book);
}

START_TEST(random_rules)
{
    random_state = (uint64_t)_i;
    struct model m = {.book = rulebook_new(), .alphabet = 2 + random_below(1u << random_below(12))};
    fill(&m);
    check_model(&m);
}
END_TEST

/* Sequences with parts in common, as grammars. */
START_TEST(random_grammars)
{
    random_state = (uint64_t)_i + 1000;
    struct model m = {.book = rulebook_new(), .alphabet = 2 + random_below(8)};
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
        OK(rulebook_serialised(m.book, out.data, out.length, m.ramps[i], &m.sequences[i]));
        bytes_free(&out);
        grammar_free(g);
    }
    check_model(&m);
}
END_TEST

/* COUNT sequences, each of PARTS phrases of LENGTH terminals, out of PHRASES. Returns the bytes of the table. */
static size_t phrases(size_t count, size_t parts, size_t length, uint32_t phrase_count)
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
    size_t bytes = w.bytes.length;
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

/* What sequences have in common stands once. */
START_TEST(repeats_between_sequences)
{
    enum { COUNT = 60, PARTS = 8, LENGTH = 100, PHRASES = 10 };
    size_t bytes = phrases(COUNT, PARTS, LENGTH, PHRASES);
    size_t least = 3 * LENGTH * PHRASES; /* a random terminal takes 3 or 4 bytes */
    ck_assert_uint_le(bytes, 3 * least); /* not 3 * LENGTH * PARTS * COUNT */
}
END_TEST

/* A table that is too large for that is right all the same. */
START_TEST(large_table)
{
    ck_assert_uint_gt(phrases(300, 8, 1000, 10), 5000000);
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
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
