/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests loops: whatever the sequence, the loops found expand to it; and a program with loops takes one body for each
 * loop and one delta sequence for each number that varies. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/grammar.h"
#include "loops/loops.h"
#include "loops/loops_size.h"
#include "rules/rules_walk.h"
#include "random.h"

/* ---- sequences ---- */

struct loops_sequence {
    uint32_t *terminals;
    size_t length, capacity;
};

static void add(struct loops_sequence *s, uint32_t terminal)
{
    if (s->length == s->capacity) {
        s->capacity = 2 * s->capacity + 256;
        s->terminals = realloc(s->terminals, s->capacity * sizeof *s->terminals);
        EXPECT(s->terminals, "no memory");
    }
    s->terminals[s->length++] = terminal;
}

static void add_times(struct loops_sequence *s, uint32_t terminal, unsigned times)
{
    while (times--)
        add(s, terminal);
}

/* Numbers terminals by first appearance, as a stream does, and returns how many there are. */
static uint32_t number(struct loops_sequence *s)
{
    uint32_t names[1024], count = 0;
    memset(names, 0xff, sizeof names);
    for (size_t i = 0; i < s->length; i++) {
        uint32_t *name = &names[s->terminals[i]];
        if (*name == UINT32_MAX)
            *name = count++;
        s->terminals[i] = *name;
    }
    return count;
}

static struct bytes grammar_of(const struct loops_sequence *s)
{
    struct bytes b = {0};
    struct grammar *g = grammar_new();
    for (size_t i = 0; i < s->length; i++)
        EXPECT(grammar_append(g, s->terminals[i]) == PILGRIM_OK, "append");
    grammar_serialise(g, &b);
    grammar_free(g);
    return b;
}

/* ---- what loops stand for ---- */

/* A block of differences that is being expanded. */
struct loops_nest {
    size_t begin;
    uint64_t left;
};

/* All trips of a loop, in order. */
static uint64_t *trips_of(const struct loops_loop *l)
{
    const struct nested_runs *d = &l->differences;
    uint64_t *trips = malloc(l->count * sizeof *trips + 1), at = 0;
    struct loops_nest stack[64];
    unsigned depth = 0;
    int64_t value = l->first;
    EXPECT(!d->open.exponent, "differences are not closed");
    trips[at++] = (uint64_t)value;
    for (size_t i = 0; i < d->count; i++) {
        const struct nested_run *item = &d->items[i];
        if (item->exponent & NESTED_RUN_BEGIN) {
            EXPECT(depth < 64, "deep");
            stack[depth++] =
                (struct loops_nest){i, (d->items[i + (size_t)item->value + 1].exponent & ~NESTED_RUN_END) - 1};
        } else if (item->exponent & NESTED_RUN_END) {
            if (stack[depth - 1].left--)
                i = stack[depth - 1].begin;
            else
                depth--;
        } else {
            for (uint64_t k = 0; k < item->exponent; k++) {
                EXPECT(at < l->count, "more trips than there should be");
                value += l->factor * item->value;
                EXPECT(value >= 0, "trips that are negative");
                trips[at++] = (uint64_t)value;
            }
        }
    }
    EXPECT(at == l->count || !d->count, "fewer trips than there should be");
    while (at < l->count)
        trips[at++] = (uint64_t)value;
    return trips;
}

struct expansion {
    const struct loops *loops;
    const struct rules *bodies;
    uint64_t **trips; /* by loop: all of its trips */
    uint64_t *met;
    const struct loops_sequence *expected;
    uint32_t terminals;
    size_t at;
    uint32_t empty; /* loops entered with 0 trips since the last terminal */
};

static void expand(struct expansion *e, const struct rules *r, uint64_t limit)
{
    struct rules_cursor c;
    uint64_t terminal;
    EXPECT(rules_cursor_init(&c, r, RULES_SEQUENCE(0)) == PILGRIM_OK, "no memory");
    while (rules_cursor_next(&c, &terminal)) {
        EXPECT(terminal < limit, "a body with a loop that does not stand before it");
        if (terminal < e->terminals) {
            EXPECT(e->at < e->expected->length, "too long");
            EXPECT(e->expected->terminals[e->at] == terminal, "terminal %zu is not as it was", e->at);
            e->at++;
            e->empty = 0;
            continue;
        }
        uint64_t loop = terminal - e->terminals;
        EXPECT(e->met[loop] < e->loops->items[loop].count, "loop %d is met too often", (int)loop);
        uint64_t trips = e->trips[loop][e->met[loop]++];
        e->empty += trips == 0;
        EXPECT(e->empty <= e->terminals + e->loops->count, "too many loops without trips in a row");
        while (trips--)
            expand(e, &e->bodies[loop], terminal);
    }
    rules_cursor_free(&c);
}

static void parse(const struct bytes *b, uint64_t limit, struct rules *r)
{
    struct cursor c;
    cursor_init(&c, b->data, b->length);
    EXPECT(rules_parse(&c, limit, r) == PILGRIM_OK && cursor_left(&c) == 0, "not a grammar");
    EXPECT(r->total[0].length > 0, "empty");
}

static void check_expansion(const struct loops *l, const struct loops_sequence *s, uint32_t terminals)
{
    struct rules top, *bodies = calloc(l->count + 1, sizeof *bodies);
    uint64_t *met = calloc(l->count + 1, sizeof *met), **trips = calloc(l->count + 1, sizeof *trips);
    parse(&l->top, terminals + l->count, &top);
    for (uint32_t i = 0; i < l->count; i++) {
        parse(&l->items[i].body, terminals + i, &bodies[i]);
        trips[i] = trips_of(&l->items[i]);
    }
    struct expansion e = {
        .loops = l, .bodies = bodies, .trips = trips, .met = met, .expected = s, .terminals = terminals};
    expand(&e, &top, terminals + l->count);
    EXPECT(e.at == s->length, "too short");
    for (uint32_t i = 0; i < l->count; i++) {
        EXPECT(met[i] == l->items[i].count, "loop %u has trips left", i);
        rules_free(&bodies[i]);
        free(trips[i]);
    }
    rules_free(&top);
    free(bodies);
    free(trips);
    free(met);
}

/* Finds and checks the loops of S, and frees S. */
static struct loops loops_of(struct loops_sequence *s)
{
    struct loops l;
    bool found;
    uint32_t terminals = number(s);
    struct bytes b = grammar_of(s);
    ck_assert_int_eq(loops_find_any(b.data, b.length, terminals, &l, &found), PILGRIM_OK);
    ck_assert(found);
    check_expansion(&l, s, terminals);
    bytes_free(&b);
    free(s->terminals);
    *s = (struct loops_sequence){0};
    return l;
}

static size_t body_bytes(const struct loops *l)
{
    size_t total = l->top.length;
    for (uint32_t i = 0; i < l->count; i++)
        total += l->items[i].body.length;
    return total;
}

/* ---- random programs ---- */

enum statement_kind { CALL, BLOCK, LOOP, BRANCH, BREAK, CALL_FUNCTION, KIND_COUNT };

struct statement {
    enum statement_kind kind;
    uint32_t terminal;
    unsigned trips, regular;
    struct statement *children[4];
    unsigned count;
};

static struct statement statements[512];
static unsigned statement_count;
static struct statement *functions[4];
static uint32_t next_terminal;
static unsigned steps;

static struct statement *make(unsigned depth)
{
    struct statement *s = &statements[statement_count++];
    EXPECT(statement_count < 512, "program too large");
    *s = (struct statement){.kind = depth ? random_below(KIND_COUNT) : CALL,
                            .terminal = random_below(8) ? next_terminal : random_below(next_terminal + 1)};
    if (s->kind == CALL && s->terminal == next_terminal)
        next_terminal++;
    s->trips = 1 + random_below(6);
    s->regular = random_below(2);
    if (s->kind == BLOCK || s->kind == LOOP || s->kind == BRANCH)
        s->count = 1 + random_below(3);
    for (unsigned i = 0; i < s->count; i++)
        s->children[i] = make(depth - 1);
    if (s->kind == CALL_FUNCTION)
        s->terminal = random_below(4);
    return s;
}

/* False: a break. */
static bool execute(const struct statement *p, struct loops_sequence *s, unsigned depth)
{
    if (s->length > 3000 || depth > 12 || ++steps > 30000)
        return false;
    switch (p->kind) {
    case CALL:
        add(s, p->terminal);
        return true;
    case LOOP:
        for (unsigned trips = p->regular ? p->trips : random_below(p->trips + 1); trips > 0; trips--)
            for (unsigned i = 0; i < p->count; i++)
                if (!execute(p->children[i], s, depth + 1))
                    return true;
        return true;
    case BRANCH:
        return execute(p->children[random_below(p->count)], s, depth + 1);
    case BREAK:
        return random_below(p->trips + 1);
    case CALL_FUNCTION:
        (void)execute(functions[p->terminal], s, depth + 1);
        return true;
    default:
        for (unsigned i = 0; i < p->count; i++)
            if (!execute(p->children[i], s, depth + 1))
                return false;
        return true;
    }
}

START_TEST(programs_expand_to_what_they_did)
{
    for (unsigned seed = 0; seed < 400; seed++) {
        struct loops_sequence s = {0};
        random_state = seed;
        statement_count = 0;
        next_terminal = steps = 0;
        for (unsigned i = 0; i < 4; i++)
            functions[i] = make(2);
        struct statement *program = make(4);
        for (unsigned i = random_below(40); i > 0; i--)
            (void)execute(program, &s, 0);
        if (!s.length)
            add(&s, 0);
        struct loops l = loops_of(&s);
        loops_free(&l);
    }
}
END_TEST

START_TEST(anything_expands_to_itself)
{
    for (unsigned seed = 0; seed < 1000; seed++) {
        struct loops_sequence s = {0};
        random_state = seed;
        uint32_t alphabet = 1 + random_below(seed % 7 == 0 ? 60 : 6);
        unsigned length = 1 + random_below(400), habit = random_below(4);
        uint32_t last = 0;
        for (unsigned i = 0; i < length; i++) {
            if (!habit || random_below(4) >= habit)
                last = random_below(alphabet);
            else if (habit == 2)
                last = (last + 1) % alphabet;
            add(&s, last);
        }
        struct loops l = loops_of(&s);
        loops_free(&l);
    }
}
END_TEST

/* ---- known structures ---- */

/* for 20: A, for random: B, for random: C, for random: D */
START_TEST(loops_in_loops)
{
    struct loops_sequence s = {0};
    random_state = 1;
    for (unsigned i = 0; i < 20; i++) {
        add(&s, 0);
        for (unsigned j = random_below(9); j > 0; j--) {
            add(&s, 1);
            for (unsigned k = random_below(9); k > 0; k--) {
                add(&s, 2);
                add_times(&s, 3, random_below(9));
            }
        }
    }
    struct loops l = loops_of(&s);
    /* The outermost loop too: it is entered once, but varies inside. */
    ck_assert_uint_eq(l.count, 4);
    ck_assert_uint_lt(body_bytes(&l), 32);
    loops_free(&l);
}
END_TEST

START_TEST(a_branch_is_a_list)
{
    struct loops_sequence s = {0};
    random_state = 2;
    for (unsigned i = 0; i < 1000; i++) {
        add(&s, 0);
        if (random_below(2))
            add(&s, 1);
        add(&s, 2);
    }
    struct loops l = loops_of(&s);
    ck_assert_uint_eq(l.count, 2);
    ck_assert_uint_eq(l.items[0].count, 1000);
    ck_assert_uint_eq(l.items[0].range, 1);
    ck_assert_uint_eq(l.items[1].count, 1);
    loops_free(&l);
}
END_TEST

START_TEST(two_sides_of_a_branch_have_one_list)
{
    struct loops_sequence s = {0};
    random_state = 3;
    for (unsigned i = 0; i < 1000; i++) {
        add(&s, 0);
        add(&s, 1 + random_below(2));
        add(&s, 3);
    }
    struct loops l = loops_of(&s);
    ck_assert_uint_eq(l.count, 3);
    ck_assert_int_eq(l.items[0].factor * l.items[1].factor, -1);
    ck_assert_uint_eq(l.items[0].differences.count, l.items[1].differences.count);
    ck_assert_mem_eq(l.items[0].differences.items, l.items[1].differences.items,
                     l.items[0].differences.count * sizeof *l.items[0].differences.items);
    loops_free(&l);
}
END_TEST

/* A switch of eight sides of three calls, one of them with a branch of its own, takes as many bits as the choice of a
 * side. */
START_TEST(a_switch_takes_its_entropy)
{
    enum { ROUNDS = 4096, SIDES = 8 };
    struct loops_sequence s = {0};
    size_t bits = 0;
    random_state = 6;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t side = random_below(SIDES);
        add(&s, 0);
        add(&s, 1 + 3 * side);
        if (side || random_below(2))
            add(&s, 2 + 3 * side);
        add(&s, 3 + 3 * side);
        add(&s, 100);
    }
    struct loops l = loops_of(&s);
    for (uint32_t i = 0; i < l.count; i++) {
        bool opposite = false; /* depends on another loop, and so has the same delta sequence */
        for (uint32_t k = 0; k < i && !opposite; k++)
            opposite = l.items[k].factor == -l.items[i].factor &&
                       l.items[k].differences.count == l.items[i].differences.count &&
                       !memcmp(l.items[k].differences.items, l.items[i].differences.items,
                               l.items[i].differences.count * sizeof *l.items[i].differences.items);
        ck_assert_uint_le(l.items[i].range, 1);
        bits += opposite ? 0 : l.items[i].range * l.items[i].count;
    }
    ck_assert_uint_le(bits, ROUNDS * 3 + ROUNDS / 4);
    loops_free(&l);
}
END_TEST

/* 50 times: A, then (B, A) until it is done, then C. */
START_TEST(a_loop_that_is_left_in_its_middle)
{
    struct loops_sequence s = {0};
    random_state = 4;
    for (unsigned i = 0; i < 50; i++) {
        for (unsigned k = random_below(20); k > 0; k--) {
            add(&s, 0);
            add(&s, 1);
        }
        add(&s, 0);
        add(&s, 2);
    }
    struct loops l = loops_of(&s);
    ck_assert_uint_eq(l.count, 2);
    ck_assert_uint_eq(l.items[0].count, 50);
    loops_free(&l);
}
END_TEST

/* for i: A, for j <= i: (B, C): trips 1, 2, 3, ... */
START_TEST(a_triangle_is_constant)
{
    struct loops_sequence s = {0};
    for (unsigned i = 0; i < 80; i++) {
        add(&s, 0);
        for (unsigned k = 0; k <= i; k++) {
            add(&s, 1);
            add(&s, 2);
        }
    }
    struct loops l = loops_of(&s);
    ck_assert_uint_eq(l.count, 2);
    ck_assert_uint_eq(l.items[0].differences.count, 1);
    ck_assert_uint_lt(body_bytes(&l), 20);
    loops_free(&l);
}
END_TEST

/* A regular program stays as it is: rules with exponents, no loops. */
START_TEST(what_is_regular_has_no_loops)
{
    struct loops_sequence s = {0};
    add(&s, 0);
    for (unsigned i = 0; i < 300; i++) {
        for (unsigned k = 0; k < 3; k++) {
            add(&s, 1);
            add_times(&s, 2, 4);
        }
        add(&s, 3);
    }
    struct loops l = loops_of(&s);
    ck_assert_uint_eq(l.count, 0);
    ck_assert_uint_lt(l.top.length, 30);
    loops_free(&l);
}
END_TEST

/* ---- only if they are smaller ---- */

static bool is_taken(struct loops_sequence *s)
{
    struct loops l;
    bool found;
    uint32_t terminals = number(s);
    struct bytes b = grammar_of(s);
    ck_assert_int_eq(loops_find(b.data, b.length, terminals, &l, &found), PILGRIM_OK);
    if (found) {
        check_expansion(&l, s, terminals);
        ck_assert_uint_le(loops_bytes(&l) + 64, b.length);
        ck_assert(loops_pay(&l, b.data, b.length));
    } else {
        ck_assert_ptr_null(l.items);
    }
    loops_free(&l);
    bytes_free(&b);
    free(s->terminals);
    *s = (struct loops_sequence){0};
    return found;
}

START_TEST(loops_are_taken_where_they_are_smaller)
{
    struct loops_sequence s = {0};
    random_state = 5;
    for (unsigned i = 0; i < 300; i++) {
        add(&s, 0);
        add_times(&s, 1, random_below(30));
        add(&s, 2);
        add_times(&s, 3, 1 + random_below(30));
    }
    ck_assert(is_taken(&s));
    for (unsigned i = 0; i < 20000; i++)
        add(&s, random_below(100));
    ck_assert(!is_taken(&s));
    for (unsigned i = 0; i < 9; i++) {
        add(&s, 0);
        add_times(&s, 1, i * i % 5);
    }
    ck_assert(!is_taken(&s));
    for (unsigned i = 0; i < 100000; i++)
        add(&s, i % 3);
    ck_assert(!is_taken(&s));
}
END_TEST

/* A long start rule is sampled first. */
START_TEST(long_sequences_are_sampled)
{
    struct loops_sequence s = {0};
    random_state = 6;
    for (unsigned i = 0; i < 60000; i++) {
        add_times(&s, 0, 1 + random_below(2));
        for (unsigned k = 1; k < 9; k++)
            if (random_below(2))
                add(&s, k);
    }
    ck_assert(is_taken(&s));
    for (unsigned i = 0; i < 200000; i++)
        add(&s, random_below(100));
    ck_assert(!is_taken(&s));
}
END_TEST

START_TEST(hostile_sequences_end)
{
    static const uint32_t alphabets[] = {1, 2, 3, 30, 200, 1000};
    for (unsigned i = 0; i < sizeof alphabets / sizeof *alphabets; i++) {
        struct loops_sequence s = {0};
        random_state = i;
        for (unsigned k = 0; k < 30000; k++)
            add(&s, random_below(alphabets[i]));
        struct loops l = loops_of(&s);
        loops_free(&l);
    }
}
END_TEST

START_TEST(what_is_no_grammar_has_no_loops)
{
    static const uint8_t garbage[] = {1, 1, 0xff};
    static const uint8_t empty[] = {1, 0};
    struct loops l;
    bool found = true;
    ck_assert_int_eq(loops_find_any(garbage, sizeof garbage, 3, &l, &found), PILGRIM_OK);
    ck_assert(!found);
    ck_assert_int_eq(loops_find_any(empty, sizeof empty, 0, &l, &found), PILGRIM_OK);
    ck_assert(!found);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("loops");
    TCase *tests = tcase_create("loops");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, programs_expand_to_what_they_did);
    tcase_add_test(tests, anything_expands_to_itself);
    tcase_add_test(tests, loops_in_loops);
    tcase_add_test(tests, a_branch_is_a_list);
    tcase_add_test(tests, two_sides_of_a_branch_have_one_list);
    tcase_add_test(tests, a_switch_takes_its_entropy);
    tcase_add_test(tests, a_loop_that_is_left_in_its_middle);
    tcase_add_test(tests, a_triangle_is_constant);
    tcase_add_test(tests, what_is_regular_has_no_loops);
    tcase_add_test(tests, loops_are_taken_where_they_are_smaller);
    tcase_add_test(tests, long_sequences_are_sampled);
    tcase_add_test(tests, hostile_sequences_end);
    tcase_add_test(tests, what_is_no_grammar_has_no_loops);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
