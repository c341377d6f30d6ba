/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests a grammar that is short of memory. Its source is compiled here once more, with allocations that fail as a seed
 * says. A refused terminal leaves no trace, and accepted terminals come back exactly. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

static uint64_t failure_state;
static unsigned failure_rate; /* of 256 */
static unsigned failures;

static int fails_now(void)
{
    failure_state = failure_state * 6364136223846793005u + 1442695040888963407u;
    int fails = (failure_state >> 56) < failure_rate;
    failures += (unsigned)fails;
    return fails;
}

static void *failing_realloc(void *p, size_t size)
{
    return fails_now() ? NULL : realloc(p, size);
}

static void *failing_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : calloc(count, size);
}

#define realloc              failing_realloc
#define calloc               failing_calloc
#define grammar_new          failing_grammar_new
#define grammar_free         failing_grammar_free
#define grammar_append       failing_grammar_append
#define grammar_length       failing_grammar_length
#define grammar_rule_count   failing_grammar_rule_count
#define grammar_symbol_count failing_grammar_symbol_count
#define grammar_memory_bytes failing_grammar_memory_bytes
#define grammar_serialise    failing_grammar_serialise
#define hash_index_grow      failing_hash_index_grow
#define hash_index_move      failing_hash_index_move
#define hash_index_remove    failing_hash_index_remove
#define hash_index_copy      failing_hash_index_copy
#define hash_index_clear     failing_hash_index_clear
#define hash_index_free      failing_hash_index_free
#define digram_find          failing_digram_find
#define digram_intern        failing_digram_intern
#define digram_remove        failing_digram_remove
#define digram_move          failing_digram_move

#define grammar_advance   failing_grammar_advance
#define grammar_in_loop   failing_grammar_in_loop
#define grammar_reserve   failing_grammar_reserve
#define grammar_split     failing_grammar_split
#define grammar_put       failing_grammar_put
#define grammar_take_back failing_grammar_take_back
#define grammar_note_last failing_grammar_note_last
#define grammar_settle    failing_grammar_settle
#define grammar_end_run   failing_grammar_end_run
#define loop_cursor_start failing_loop_cursor_start
#define loop_cursor_back  failing_loop_cursor_back
#define loop_cursor_leave failing_loop_cursor_leave

#include "base/hash_index.c"
#include "grammar/digram.c"
#include "grammar/grammar.c"
#include "grammar/grammar_write.c"
#include "grammar/loop_cursor.c"
#include "rules/rules_walk.h"

#define LENGTH 3000

static struct grammar *new_grammar(void)
{
    struct grammar *g;
    do
        g = grammar_new();
    while (!g);
    return g;
}

static void assert_expansion(const struct grammar *g, const uint32_t *terminals, size_t length)
{
    failure_rate = 0;
    struct bytes out = {0};
    grammar_serialise(g, &out);
    struct cursor c;
    cursor_init(&c, out.data, out.length);
    struct rules r;
    ck_assert_int_eq(bytes_status(&out), PILGRIM_OK);
    ck_assert_int_eq(rules_parse(&c, 1000, &r), PILGRIM_OK);
    ck_assert_uint_eq(r.total[0].length, length);
    struct rules_cursor walk;
    ck_assert_int_eq(rules_cursor_init(&walk, &r, RULES_SEQUENCE(0)), PILGRIM_OK);
    uint64_t terminal;
    for (size_t i = 0; i < length; i++)
        if (!rules_cursor_next(&walk, &terminal) || terminal != terminals[i])
            ck_abort_msg("terminal %zu", i);
    rules_cursor_free(&walk);
    for (uint32_t i = 0; i < r.rule_count; i++)
        for (uint32_t k = r.first[i] + 1; k < r.first[i + 1]; k++)
            if (r.symbols[k].value == r.symbols[k - 1].value && r.symbols[k].is_rule == r.symbols[k - 1].is_rule)
                ck_abort_msg("equal neighbours in rule %u", i);
    rules_free(&r);
    bytes_free(&out);
}

/* _i is the alphabet less 2; half, most or nearly all allocations fail. */
START_TEST(sequence_is_kept)
{
    static const unsigned rates[] = {128, 230, 253};
    static uint32_t terminals[LENGTH];
    for (uint64_t seed = 0; seed < 60; seed++) {
        failure_state = seed;
        failure_rate = rates[seed % 3];
        unsigned refused = 0;
        struct grammar *g = new_grammar();
        uint32_t state = (uint32_t)seed;
        for (size_t i = 0; i < LENGTH; i++) {
            state = state * 1664525 + 1013904223;
            terminals[i] = i % 200 > 120 ? (uint32_t)(i % 7) : (state >> 16) % (uint32_t)(2 + _i);
            enum pilgrim_status status;
            while ((status = grammar_append(g, terminals[i])) == PILGRIM_NOMEM) {
                refused++;
                if (grammar_length(g) != i)
                    ck_abort_msg("a refused terminal was counted");
            }
            if (status != PILGRIM_OK || grammar_length(g) != i + 1)
                ck_abort_msg("append %zu: status %d", i, status);
            if (i % 100 == 0) {
                struct bytes out = {0};
                grammar_serialise(g, &out);
                bytes_free(&out);
            }
        }
        ck_assert_uint_gt(failures, 0);
        ck_assert(failure_rate < 250 || refused > 0);
        assert_expansion(g, terminals, LENGTH);
        grammar_free(g);
    }
}
END_TEST

START_TEST(serialise_reports)
{
    failure_rate = 0;
    struct grammar *g = new_grammar();
    static const uint32_t terminals[] = {0, 1, 2, 0, 1}; /* the last digram closes to a rule: a copy is made */
    for (size_t i = 0; i < 5; i++)
        ck_assert_int_eq(grammar_append(g, terminals[i]), PILGRIM_OK);
    failure_rate = 256;
    struct bytes out = {0};
    grammar_serialise(g, &out);
    ck_assert_int_eq(bytes_status(&out), PILGRIM_NOMEM);
    bytes_free(&out);
    assert_expansion(g, terminals, 5);
    grammar_free(g);
}
END_TEST

START_TEST(no_grammar)
{
    failure_rate = 256;
    ck_assert_ptr_null(grammar_new());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("grammar memory");
    TCase *memory = tcase_create("memory");
    tcase_set_timeout(memory, 120);
    tcase_add_loop_test(memory, sequence_is_kept, 0, 5);
    tcase_add_test(memory, serialise_reports);
    tcase_add_test(memory, no_grammar);
    suite_add_tcase(suite, memory);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
