/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the loop cursor on programs of nested loops with changing trips, which are left in the middle, and with noise.
 * The grammar expands to the sequence, in the middle of an iteration too; the invariants hold; and the grammar is not
 * larger than without a cursor.
 *
 *   usage: check_loop_cursor [FIRST COUNT]    only the programs of these seeds, for more than a test has time for */
#include <stdio.h>
#include <string.h>

#include "grammar_properties.h"

/* The grammar once more, without a cursor. */
struct grammar *plain_new(void);
void plain_free(struct grammar *g);
struct grammar *plain_restart(struct grammar *g);
enum pilgrim_status plain_append(struct grammar *g, uint32_t terminal) PILGRIM_CHECKED;
uint64_t plain_length(const struct grammar *g);
uint32_t plain_rule_count(const struct grammar *g);
uint32_t plain_symbol_count(const struct grammar *g);
size_t plain_memory_bytes(const struct grammar *g);
void plain_serialise(const struct grammar *g, struct bytes *out);
bool plain_in_loop(const struct grammar *g);
void plain_advance(struct grammar *g);

#define LOOP_ITERATIONS_MIN  UINT64_MAX
#define grammar_new          plain_new
#define grammar_restart      plain_restart
#define grammar_free         plain_free
#define grammar_append       plain_append
#define grammar_length       plain_length
#define grammar_rule_count   plain_rule_count
#define grammar_symbol_count plain_symbol_count
#define grammar_memory_bytes plain_memory_bytes
#define grammar_serialise    plain_serialise
#define grammar_advance      plain_advance
#define grammar_in_loop      plain_in_loop
#define grammar_reserve      plain_reserve
#define grammar_split        plain_split
#define grammar_put          plain_put
#define grammar_take_back    plain_take_back
#define grammar_note_last    plain_note_last
#define grammar_settle       plain_settle
#define grammar_end_run      plain_end_run
#define loop_cursor_start    plain_cursor_start
#define loop_cursor_back     plain_cursor_back
#define loop_cursor_leave    plain_cursor_leave

#include "grammar/grammar.c"
#include "grammar/grammar_write.c"
#include "grammar/loop_cursor.c"

#undef grammar_new
#undef grammar_restart
#undef grammar_free
#undef grammar_append
#undef grammar_length
#undef grammar_rule_count
#undef grammar_symbol_count
#undef grammar_memory_bytes
#undef grammar_serialise
#undef grammar_in_loop

enum { LENGTH_MAX = 1500, DEPTH_MAX = 4, PARTS_MAX = 6, NODES_MAX = 200 };

/* ---- programs ---- */

enum trips { FIXED, DRAWN, DRIFTING, MOSTLY };

struct program_node {
    bool is_loop;
    uint32_t terminal;
    enum trips trips;
    uint32_t usual, most;
    uint32_t leave;        /* one iteration in so many is left in the middle; 0: none */
    uint32_t first, count; /* of the body */
};

struct cursor_program {
    struct program_node nodes[NODES_MAX];
    uint32_t count;
    uint32_t alphabet;
    uint32_t noise; /* one terminal in so many is replaced by another; 0: none */
};

static uint32_t make_body(struct cursor_program *p, uint32_t depth, uint32_t *count)
{
    *count = 1 + random_below(PARTS_MAX);
    if (p->count + *count > NODES_MAX)
        *count = 1;
    uint32_t first = p->count;
    p->count += *count;
    for (uint32_t i = first; i < first + *count; i++) {
        struct program_node n = {.terminal = random_below(p->alphabet), .usual = 1, .most = 1};
        n.is_loop = depth && p->count < NODES_MAX - PARTS_MAX && random_below(2);
        if (n.is_loop || random_below(4) == 0) {
            n.trips = (enum trips)random_below(4);
            n.usual = 1 + random_below(6);
            n.most = n.usual + random_below(5);
            n.leave = random_below(4) ? 0 : 1 + random_below(30);
        }
        if (n.is_loop)
            n.first = make_body(p, depth - 1, &n.count);
        p->nodes[i] = n;
    }
    return first;
}

static uint32_t trips_of(struct program_node *n)
{
    switch (n->trips) {
    case FIXED:
        break;
    case DRAWN:
        return 1 + random_below(n->most);
    case DRIFTING:
        n->usual += random_below(20) == 0;
        break;
    case MOSTLY:
        return random_below(10) ? n->usual : n->most;
    }
    return n->usual;
}

static void run_node(struct cursor_program *p, struct test_sequence *s, uint32_t number)
{
    struct program_node *n = &p->nodes[number];
    for (uint32_t trips = trips_of(n); trips && s->length < LENGTH_MAX; trips--) {
        if (!n->is_loop) {
            add_terminal(s, p->noise && random_below(p->noise) == 0 ? random_below(p->alphabet) : n->terminal);
            continue;
        }
        uint32_t count = n->leave && random_below(n->leave) == 0 ? random_below(n->count + 1) : n->count;
        for (uint32_t i = 0; i < count; i++)
            run_node(p, s, n->first + i);
    }
}

static struct test_sequence sequence_of(uint64_t seed)
{
    static struct cursor_program p;
    struct test_sequence s = {0};
    random_state = seed * 104729;
    p.count = 1;
    p.alphabet = 1 + random_below(random_below(2) ? 4 : 40);
    p.noise = random_below(3) ? 0 : 5 + random_below(200);
    struct program_node all = {.is_loop = true, .usual = 1 + random_below(200)};
    all.first = make_body(&p, random_below(DEPTH_MAX + 1), &all.count);
    p.nodes[0] = all;
    run_node(&p, &s, 0);
    return s;
}

/* ---- properties ---- */

static uint32_t size_of(const struct rules *r)
{
    return r->first[r->rule_count];
}

static uint32_t plain_size(const struct test_sequence *s)
{
    struct grammar *g = plain_new();
    struct bytes out = {0};
    struct cursor c;
    struct rules r;
    EXPECT(g, "no memory");
    for (size_t i = 0; i < s->length; i++)
        EXPECT(plain_append(g, s->terminals[i]) == PILGRIM_OK, "append");
    plain_serialise(g, &out);
    cursor_init(&c, out.data, out.length);
    EXPECT(bytes_status(&out) == PILGRIM_OK && rules_parse(&c, UINT32_MAX, &r) == PILGRIM_OK, "serialise");
    uint32_t size = size_of(&r);
    rules_free(&r);
    bytes_free(&out);
    plain_free(g);
    return size;
}

/* Builds the grammar of S and checks it after one append in LOOK. Returns how many symbols it has in the end and how
 * often it was in a loop. */
static uint32_t checked_size(const struct test_sequence *s, uint32_t look, uint32_t *in_loop)
{
    struct grammar *g = grammar_new();
    EXPECT(g, "no memory");
    *in_loop = 0;
    for (size_t i = 0; i < s->length; i++) {
        append(g, s->terminals[i]);
        *in_loop += grammar_in_loop(g);
        if (random_below(look) == 0)
            assert_grammar(g, s->terminals, i + 1);
    }
    assert_grammar(g, s->terminals, s->length);
    struct rules r = rules_of(g);
    uint32_t size = size_of(&r);
    rules_free(&r);
    grammar_free(g);
    return size;
}

/* Sums over COUNT seeds from FIRST on: terminals, those in loops, symbols with a cursor and without. */
struct sums {
    uint64_t length, in_loop, size, plain;
};

static struct sums look_at(uint64_t first, uint64_t count)
{
    struct sums sums = {0};
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct test_sequence s = sequence_of(seed);
        uint32_t in_loop, size = checked_size(&s, 100, &in_loop), plain = plain_size(&s);
        EXPECT(size <= plain + plain / 3 + 4, "seed %u: %u symbols, without a cursor %u", (unsigned)seed, size, plain);
        sums.length += s.length;
        sums.in_loop += in_loop;
        sums.size += size;
        sums.plain += plain;
        free(s.terminals);
    }
    return sums;
}

START_TEST(programs)
{
    struct sums sums = look_at(0, 3000);
    ck_assert_uint_gt(sums.in_loop, sums.length / 3);
    ck_assert_uint_lt(sums.size, sums.plain);
}
END_TEST

/* Builds the grammar of LENGTH terminals of a periodic sequence, and checks that all but COLD of them moved only the
 * cursor. */
static void assert_steady(const char *period, uint64_t length, uint64_t cold)
{
    struct grammar *g = grammar_new();
    uint64_t changed = 0, words = strlen(period);
    EXPECT(g, "no memory");
    for (uint64_t i = 0; i < length; i++) {
        uint32_t terminal = (uint32_t)period[i % words];
        changed += grammar_predicted(g)->terminal != terminal;
        append(g, terminal);
    }
    EXPECT(changed <= cold, "%s: %u terminals were not foretold", period, (unsigned)changed);
    ck_assert_uint_eq(grammar_length(g), length);
    grammar_free(g);
}

START_TEST(all_is_foretold)
{
    assert_steady("a", 100000, 1);
    assert_steady("ab", 100000, 10);
    assert_steady("aaaab", 100000, 20);
    assert_steady("isissendirecvwaitisissendirecvwaitisissendirecvwaitallreduce", 1000000, 300);
    assert_steady("abababababcccabababababcccabababababcccd", 1000000, 120);
    assert_steady("abcdabcdabcdeabcdabcdabcdefabcdabcdabcdeg", 1000000, 200);
}
END_TEST

/* A body of 20000 terminals, left at another terminal each time: the work of leaving must not depend on the body. */
START_TEST(long_body)
{
    enum { BODY = 20000 };
    struct test_sequence s = {0};
    for (uint32_t round = 0; round < 40; round++)
        for (uint32_t i = 0; i < (round < 5 ? BODY : round * 500); i++)
            add_terminal(&s, i);
    uint32_t in_loop, size = checked_size(&s, 100000, &in_loop);
    ck_assert_uint_le(size, BODY + 200);
    free(s.terminals);
}
END_TEST

/* The last run of a body, or its first, gets one terminal too many. */
START_TEST(runs_at_the_border)
{
    static const char *const words[] = {"abb", "aab", "abcc", "aabb", "ababb"};
    for (size_t w = 0; w < ARRAY_COUNT(words); w++)
        for (uint32_t more = 0; more < 4; more++) {
            struct test_sequence s = {0};
            for (uint32_t round = 0; round < 30; round++) {
                for (const char *t = words[w]; *t; t++)
                    add_terminal(&s, (uint32_t)*t);
                for (uint32_t i = 0; round % 10 == 9 && i < more; i++)
                    add_terminal(&s, s.terminals[s.length - 1]);
            }
            uint32_t in_loop;
            ck_assert_uint_le(checked_size(&s, 1, &in_loop), plain_size(&s) + 4);
            free(s.terminals);
        }
}
END_TEST

int main(int argc, char **argv)
{
    if (argc == 3) {
        struct sums sums = look_at(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
        printf("%llu terminals, %llu in loops; %llu symbols, without a cursor %llu\n", (unsigned long long)sums.length,
               (unsigned long long)sums.in_loop, (unsigned long long)sums.size, (unsigned long long)sums.plain);
        return EXIT_SUCCESS;
    }
    Suite *suite = suite_create("loop cursor");
    TCase *tests = tcase_create("loop cursor");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, programs);
    tcase_add_test(tests, all_is_foretold);
    tcase_add_test(tests, long_body);
    tcase_add_test(tests, runs_at_the_border);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
