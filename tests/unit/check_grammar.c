/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the invariants of a run-length Sequitur grammar after every append, on sequences made by hand and from seeds.
 * The checker knows only the serialised form, not the struct. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar_properties.h"
#include "trials.h"

static void add_word(struct test_sequence *s, const char *word)
{
    for (; *word; word++)
        add_terminal(s, (uint32_t)(*word - 'a'));
}

static struct grammar *grammar_of(const struct test_sequence *s)
{
    struct grammar *g = grammar_new();
    EXPECT(g, "no memory");
    for (size_t i = 0; i < s->length; i++)
        append(g, s->terminals[i]);
    return g;
}

/* Builds S's grammar, checks it after every append, and frees S. */
static void assert_every_append(struct test_sequence *s)
{
    struct grammar *g = grammar_new();
    EXPECT(g, "no memory");
    assert_grammar(g, s->terminals, 0);
    for (size_t i = 0; i < s->length; i++) {
        append(g, s->terminals[i]);
        assert_grammar(g, s->terminals, i + 1);
    }
    /* Checking the grammar must not change it. */
    struct grammar *again = grammar_of(s);
    struct bytes a = {0};
    struct bytes b = {0};
    grammar_serialise(g, &a);
    grammar_serialise(again, &b);
    ck_assert_uint_eq(a.length, b.length);
    ck_assert_mem_eq(a.data, b.data, a.length);
    ck_assert_uint_eq(grammar_symbol_count(g), grammar_symbol_count(again));
    ck_assert_uint_eq(grammar_rule_count(g), grammar_rule_count(again));
    bytes_free(&a);
    bytes_free(&b);
    grammar_free(again);
    grammar_free(g);
    free(s->terminals);
    *s = (struct test_sequence){0};
}

/* --- by hand --- */

/* Returns the rules as text: "0: R1^2 c; 1: a b". */
static void print_rules(const struct rules *r, char *text, size_t size)
{
    size_t at = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < r->rule_count; i++) {
        at += (size_t)snprintf(text + at, size - at, "%s%u:", i ? "; " : "", i);
        for (uint32_t s = r->first[i]; s < r->first[i + 1]; s++) {
            const struct rules_symbol *symbol = &r->symbols[s];
            if (symbol->is_rule)
                at += (size_t)snprintf(text + at, size - at, " R%u", (uint32_t)symbol->value);
            else
                at += (size_t)snprintf(text + at, size - at, " %c", (char)('a' + symbol->value));
            if (symbol->exponent > 1)
                at += (size_t)snprintf(text + at, size - at, "^%llu", (unsigned long long)symbol->exponent);
        }
        ck_assert_uint_lt(at, size);
    }
}

static const struct {
    const char *word;
    const char *rules;
} known[] = {
    {"", "0:"},
    {"a", "0: a"},
    {"aaa", "0: a^3"},
    {"ab", "0: a b"},
    {"aab", "0: a^2 b"},
    {"abab", "0: R1^2; 1: a b"},
    {"ababa", "0: R1^2 a; 1: a b"},
    {"abcab", "0: R1 c R1; 1: a b"},
    {"abcabc", "0: R1^2; 1: a b c"},
    {"abbbabcbb", "0: a b^3 a b c b^2"},
    {"abbbabbb", "0: R1^2; 1: a b^3"},
    {"aabaaab", "0: a^2 b a^3 b"},
    {"abcdbcabcd", "0: R1 R2 R1; 1: a R2 d; 2: b c"},
    {"abbbcabbbcabbbc", "0: R1^3; 1: a b^3 c"},
    {"ababcababcababc", "0: R1^3; 1: R2^2 c; 2: a b"},
};

START_TEST(known_sequence)
{
    struct test_sequence s = {0};
    add_word(&s, known[_i].word);
    struct grammar *g = grammar_of(&s);
    struct rules r = rules_of(g);
    char text[500];
    print_rules(&r, text, sizeof text);
    ck_assert_str_eq(text, known[_i].rules);
    rules_free(&r);
    grammar_free(g);
    assert_every_append(&s);
}
END_TEST

/* Runs next to runs, overlaps, rules inside rules, words whose repetition shows only late. */
static const char *const words[] = {
    "aaa",
    "aaaa",
    "aaaaaaaaa",
    "abababab",
    "aaabaaab",
    "aabaab",
    "abaaba",
    "abaabaaab",
    "aaaabaaaabaaaab",
    "abbbabcbb",
    "abbbabbabbb",
    "abcbbbcbbabc",
    "abcdabcdabcd",
    "abcdbcabcdbc",
    "abcabdabcabd",
    "abcdefabcdeg",
    "aabbaabbaabb",
    "abccabccabcc",
    "abaabbaaabbbaaaabbbb",
    "abacabadabacabaeabacabadabacaba",
    "bcabcdabcdeabcdef",
    "aababcabcdabcdeabcdefabcdefg",
    "xyzxyzxyxyzxyzxy",
    "ababbababbababb",
    "abbaabbaabbabaab",
    "abbabaabbaababba",
    "abcbcbcabcbcbcabcbc",
    "dabcabcdabcabcabcd",
    "aabcbcaabcbcbcaabcbc",
    "abcabcdbcdbcd",
    "abdbdabdbdbd",
    "cabababcababcabab",
};

START_TEST(word_by_hand)
{
    struct test_sequence s = {0};
    add_word(&s, words[_i]);
    assert_every_append(&s);
    for (int i = 0; i < 5; i++)
        add_word(&s, words[_i]);
    assert_every_append(&s);
    for (size_t i = 0; i < 5; i++) {
        add_word(&s, words[_i]);
        add_word(&s, words[((size_t)_i + i) % ARRAY_COUNT(words)]);
    }
    assert_every_append(&s);
}
END_TEST

/* All sequences of a few terminals, up to a length. */
START_TEST(all_short_sequences)
{
    static const struct {
        uint32_t alphabet, length;
    } sizes[] = {{2, 12}, {3, 8}, {4, 6}};
    uint32_t alphabet = sizes[_i].alphabet;
    uint32_t length = sizes[_i].length;
    uint32_t all = 1;
    for (uint32_t i = 0; i < length; i++)
        all *= alphabet;
    uint32_t terminals[16];
    for (uint32_t n = 0; n < all; n++) {
        struct grammar *g = grammar_new();
        EXPECT(g, "no memory");
        for (uint32_t i = 0, rest = n; i < length; i++, rest /= alphabet) {
            terminals[i] = rest % alphabet;
            append(g, terminals[i]);
        }
        assert_grammar(g, terminals, length); /* each prefix is tested as a shorter sequence */
        grammar_free(g);
    }
}
END_TEST

/* --- from seeds --- */

#define SEEDS trials(500)

/* _i is the size of the alphabet. */
START_TEST(random_sequence)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        random_state = seed * 1000 + (uint64_t)_i;
        struct test_sequence s = {0};
        uint32_t length = random_below(200);
        while (s.length < length)
            add_terminal(&s, random_below((uint32_t)_i));
        assert_every_append(&s);
    }
}
END_TEST

/* Runs of random length exercise the exponents. */
START_TEST(random_runs)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        random_state = seed * 2000 + (uint64_t)_i;
        struct test_sequence s = {0};
        uint32_t longest = 1 + random_below(4);
        while (s.length < 150) {
            uint32_t terminal = random_below((uint32_t)_i);
            for (uint32_t n = 1 + random_below(longest); n; n--)
                add_terminal(&s, terminal);
        }
        assert_every_append(&s);
    }
}
END_TEST

/* Sequences like those of a program: loops in loops, with given bodies or of varying trip counts. */
static void add_loops(struct test_sequence *s, uint32_t depth, uint32_t alphabet, bool varying, uint64_t program)
{
    uint64_t saved = random_state;
    random_state = program;
    uint32_t parts = 1 + random_below(3);
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t trips = 1 + random_below(4);
        uint32_t terminal = random_below(alphabet);
        bool loop = depth && random_below(3);
        uint64_t body = program * 31 + part + 1;
        if (varying) {
            uint64_t here = random_state;
            random_state = saved;
            trips = 1 + random_below(trips);
            saved = random_state;
            random_state = here;
        }
        if (!loop) {
            for (uint32_t n = 0; n < trips; n++)
                add_terminal(s, terminal);
            continue;
        }
        for (uint32_t n = 0; n < trips && s->length < 300; n++) {
            uint64_t here = random_state;
            random_state = saved;
            add_loops(s, depth - 1, alphabet, varying, body);
            saved = random_state;
            random_state = here;
        }
    }
    random_state = saved;
}

START_TEST(random_loops)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        random_state = seed;
        struct test_sequence s = {0};
        for (int n = 0; n < 6 && s.length < 300; n++)
            add_loops(&s, 3, 2 + (uint32_t)(seed % 5), _i, seed * 7919 + 1);
        assert_every_append(&s);
    }
}
END_TEST

/* Random sequences whose pieces are copies of earlier pieces: they give deep rules. */
START_TEST(random_copies)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        random_state = seed * 3000 + (uint64_t)_i;
        struct test_sequence s = {0};
        while (s.length < 200) {
            add_terminal(&s, random_below((uint32_t)_i));
            if (random_below(3) || s.length < 4)
                continue;
            size_t from = random_below((uint32_t)s.length);
            size_t count = random_below((uint32_t)(s.length - from)) % 20;
            for (size_t i = 0; i < count; i++)
                add_terminal(&s, s.terminals[from + i]);
        }
        assert_every_append(&s);
    }
}
END_TEST

/* --- loops --- */

static void loop_size(const struct test_sequence *body, uint32_t prologue, uint32_t iterations, uint32_t *size,
                      uint32_t *rules)
{
    struct grammar *g = grammar_new();
    EXPECT(g, "no memory");
    for (uint32_t i = 0; i < prologue; i++)
        append(g, i % 3);
    for (uint32_t n = 0; n < iterations; n++)
        for (size_t i = 0; i < body->length; i++)
            append(g, body->terminals[i]);
    struct rules r = rules_of(g);
    *size = r.first[r.rule_count];
    *rules = r.rule_count;
    rules_free(&r);
    grammar_free(g);
}

/* After so many iterations a loop is found, whatever its body. What is found may be two or three iterations as one. */
#define SETTLED 12u

static void assert_constant(const struct test_sequence *body, uint32_t prologue)
{
    uint32_t size, rules;
    loop_size(body, prologue, SETTLED, &size, &rules);
    static const uint32_t iterations[] = {2 * SETTLED, 3 * SETTLED, 10 * SETTLED, 100 * SETTLED, 1000 * SETTLED};
    for (size_t i = 0; i < ARRAY_COUNT(iterations); i++) {
        if ((uint64_t)iterations[i] * body->length > 300000)
            break;
        uint32_t more_size, more_rules;
        loop_size(body, prologue, iterations[i], &more_size, &more_rules);
        if (more_size != size || more_rules != rules) {
            char word[200] = "";
            for (size_t k = 0; k < body->length && k < sizeof word - 1; k++)
                word[k] = (char)('a' + body->terminals[k]);
            ck_abort_msg("body %s, prologue %u: %u iterations %u symbols %u rules, %u iterations %u %u", word, prologue,
                         SETTLED, size, rules, iterations[i], more_size, more_rules);
        }
    }
}

START_TEST(loop_by_hand)
{
    struct test_sequence s = {0};
    add_word(&s, words[_i]);
    for (uint32_t prologue = 0; prologue < 5; prologue++)
        assert_constant(&s, prologue);
    free(s.terminals);
}
END_TEST

/* Bodies of up to 30 terminals over 1.._i; the even seeds hold runs. */
START_TEST(random_loop_body)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_state = seed * 4000 + (uint64_t)_i;
        struct test_sequence s = {0};
        uint32_t length = 1 + random_below(30);
        while (s.length < length) {
            uint32_t terminal = random_below((uint32_t)_i);
            for (uint32_t n = seed % 2 ? 1 : 1 + random_below(4); n; n--)
                add_terminal(&s, terminal);
        }
        assert_constant(&s, random_below(5));
        free(s.terminals);
    }
}
END_TEST

START_TEST(nested_loop_body)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_state = seed;
        struct test_sequence s = {0};
        add_loops(&s, 3, 3 + (uint32_t)(seed % 4), false, seed * 104729 + 1);
        assert_constant(&s, random_below(5));
        free(s.terminals);
    }
}
END_TEST

/* A body of 2000 different terminals is one rule. */
START_TEST(long_loop_body)
{
    struct grammar *g = grammar_new();
    EXPECT(g, "no memory");
    for (uint32_t n = 0; n < 50; n++)
        for (uint32_t i = 0; i < 2000; i++)
            append(g, i);
    struct rules r = rules_of(g);
    ck_assert_uint_eq(r.rule_count, 2);
    ck_assert_uint_eq(r.first[2], 2001);
    ck_assert_uint_eq(r.symbols[0].exponent, 50);
    rules_free(&r);
    grammar_free(g);
}
END_TEST

/* --- limits --- */

START_TEST(terminal_limit)
{
    struct grammar *g = grammar_new();
    EXPECT(g, "no memory");
    ck_assert_int_eq(grammar_append(g, GRAMMAR_TERMINAL_MAX + 1), PILGRIM_LIMIT);
    ck_assert_int_eq(grammar_append(g, UINT32_MAX), PILGRIM_LIMIT);
    ck_assert_uint_eq(grammar_length(g), 0);
    uint32_t largest = GRAMMAR_TERMINAL_MAX;
    append(g, largest);
    assert_grammar(g, &largest, 1);
    grammar_free(g);
    grammar_free(NULL);
}
END_TEST

/* A million random terminals take a bounded number of bytes each; a run takes none. */
START_TEST(memory_is_linear)
{
    struct grammar *g = grammar_new();
    EXPECT(g, "no memory");
    random_state = 1;
    for (uint32_t i = 0; i < 1000000; i++)
        append(g, random_below(1000000));
    ck_assert_uint_le(grammar_symbol_count(g), 1000000);
    size_t bytes = grammar_memory_bytes(g);
    ck_assert_uint_le(bytes, 100u * 1000000u);
    for (uint32_t i = 0; i < 1000000; i++)
        append(g, 7);
    ck_assert_uint_eq(grammar_memory_bytes(g), bytes);
    grammar_free(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("grammar");
    TCase *hand = tcase_create("hand");
    TCase *seeded = tcase_create("seeded");
    TCase *loops = tcase_create("loops");
    TCase *limits = tcase_create("limits");
    TCase *const cases[] = {hand, seeded, loops, limits};
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        tcase_set_timeout(cases[i], 300);
        suite_add_tcase(suite, cases[i]);
    }
    tcase_add_loop_test(hand, known_sequence, 0, (int)ARRAY_COUNT(known));
    tcase_add_loop_test(hand, word_by_hand, 0, (int)ARRAY_COUNT(words));
    tcase_add_loop_test(hand, all_short_sequences, 0, 3);
    tcase_add_loop_test(seeded, random_sequence, 1, 7);
    tcase_add_loop_test(seeded, random_runs, 2, 6);
    tcase_add_loop_test(seeded, random_loops, 0, 2);
    tcase_add_loop_test(seeded, random_copies, 2, 6);
    tcase_add_loop_test(loops, loop_by_hand, 0, (int)ARRAY_COUNT(words));
    tcase_add_loop_test(loops, random_loop_body, 2, 7);
    tcase_add_test(loops, nested_loop_body);
    tcase_add_test(loops, long_loop_body);
    tcase_add_test(limits, terminal_limit);
    tcase_add_test(limits, memory_is_linear);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
