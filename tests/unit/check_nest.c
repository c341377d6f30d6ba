/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops from the order of calls: the loops of random programs are found again; similar programs are told apart. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/analysis/nest.c"

enum { TEXT_BYTES = 20000, CLASSES = 64 };

/* ---- text ---- */

static size_t print_counts(char *to, const struct nest_counts *c)
{
    if (c->min == c->max)
        return (size_t)sprintf(to, "%d", (int)c->max);
    return (size_t)sprintf(to, "%d..%d/%d", (int)c->min, (int)c->max, (int)c->total);
}

/* "a b2 3(c d/5)": b twice in a row, a loop of three rounds, d five times in all of them, which is said if it is not
 * each time. */
static void print_items(char *to, const struct nest_item *items, size_t count)
{
    uint32_t depth = 0;
    *to = 0;
    for (size_t i = 0; i < count; i++) {
        const struct nest_item *item = &items[i];
        for (; depth > item->depth; depth--)
            *to++ = ')';
        uint64_t rounds = item->loop == NEST_NONE ? 1 : items[item->loop].counts.total;
        if (i > 0 && to[-1] != '(')
            *to++ = ' ';
        if (item->is_loop)
            to += print_counts(to, &item->counts);
        else
            *to++ = (char)('0' + item->class);
        if (!item->is_loop && item->counts.max > 1)
            to += print_counts(to, &item->counts);
        if (item->counts.times != rounds)
            to += sprintf(to, "/%d", (int)item->counts.times);
        if (item->is_loop) {
            *to++ = '(';
            depth++;
        }
    }
    for (; depth > 0; depth--)
        *to++ = ')';
    *to = 0;
}

/* The nest of TEXT, each character a call. */
static void find(const char *text, char *to)
{
    struct nest *n = nest_new(128);
    struct nest_item *items;
    size_t count;
    ck_assert_ptr_nonnull(n);
    for (const char *c = text; *c; c++)
        nest_see(n, (size_t)(*c - '0'), 1);
    ck_assert(nest_build(n));
    for (const char *c = text; *c; c++)
        nest_count(n, (size_t)(*c - '0'), 1);
    ck_assert(nest_items(n, &items, &count));
    uint64_t calls = 0;
    for (size_t i = 0; i < count; i++)
        calls += items[i].is_loop ? 0 : items[i].counts.total;
    ck_assert_uint_eq(calls, strlen(text));
    print_items(to, items, count);
    free(items);
    nest_free(n);
}

static const struct {
    const char *calls, *nest;
} known[] = {
    {"", ""},
    {"a", "a"},
    {"aaa", "a3"},
    {"abc", "a b c"},
    {"iababf", "i 2(a b) f"},
    {"iaabaabf", "i 2(a2 b) f"},
    {"iaabaaabf", "i 2(a2..3/5 b) f"},
    {"iabcabcbcaf", "i 3(a 1..2/3/2(b c)) f"}, /* the last round leaves early */
    {"ixababyxabyf", "i 2(x 1..2/3(a b) y) f"},
    {"iabacabf", "i 3(a b/2 c/1) f"}, /* one or the other */
    {"iabcabcabcf", "i 3(a b c) f"},
    {"ixabababcxababcf", "i 2(x 2..3/5(a b) c) f"},
    {"iwlrsrswlrswlwlrswlf", "i 5(w l 1..2/4/3(r s)) f"}, /* w and l without r and s once */
    /* Loops that begin alike: always three rounds; about three; fewer than two; many but not always as many. */
    {"iabababcabababcf", "i 2(3(a b) c) f"},
    {"iababcabababcababababcf", "i 3(2..4/9(a b) c) f"},
    {"iabcababcababcf", "i 5(a b c/3) f"},
    {"iababababababababababababcababababababababababcabf", "i 23(a b c/2) f"},
    {"iabcdeababcdef", "i 3(a b c/2 d/2 e/2) f"},
    /* Entered in the middle. */
    {"ibcabcabcf", "i 3(b c a/2) f"},
};

START_TEST(known_nests)
{
    char found[TEXT_BYTES];
    find(known[_i].calls, found);
    ck_assert_str_eq(found, known[_i].nest);
}
END_TEST

/* ---- programs at random ---- */

static uint64_t state;

static uint64_t below(uint64_t limit)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (state >> 33) % limit;
}

struct nest_source {
    char *text; /* of the program, as print_items has it */
    char next;  /* class */
    unsigned nested, calls_max;
};

/* Appends a body of two elements or more, each another class or a loop, to the program's text; and what it calls to
 * CALLS. */
static void draw_body(struct nest_source *s, char *calls, unsigned depth)
{
    size_t count = 2 + below(3);
    for (size_t i = 0; i < count; i++) {
        char inside[TEXT_BYTES] = "";
        if (i > 0)
            s->text += sprintf(s->text, " ");
        size_t times = 1 + below(3);
        if (below(3) == 0 && depth < 4 && s->next < '0' + CLASSES - 10) {
            times++;
            s->text += sprintf(s->text, "%d(", (int)times);
            draw_body(s, inside, depth + 1);
            s->text += sprintf(s->text, ")");
        } else {
            sprintf(inside, "%c", s->next);
            s->text += sprintf(s->text, times > 1 ? "%c%d" : "%c", s->next++, (int)times);
        }
        for (; times > 0; times--)
            strcat(calls, inside);
    }
}

START_TEST(random_programs)
{
    static char text[TEXT_BYTES], calls[TEXT_BYTES], found[TEXT_BYTES];
    state = 99 + (uint64_t)_i;
    for (unsigned i = 0; i < 50; i++) {
        struct nest_source s = {.text = text, .next = '0'};
        text[0] = calls[0] = 0;
        draw_body(&s, calls, 0);
        find(calls, found);
        ck_assert_str_eq(found, text);
    }
}
END_TEST

/* Any order of calls is some nest, in which each call is counted. */
START_TEST(random_orders)
{
    static char calls[TEXT_BYTES], found[TEXT_BYTES];
    state = 7 + (uint64_t)_i;
    for (unsigned i = 0; i < 200; i++) {
        size_t length = below(300), classes = 1 + below(CLASSES);
        for (size_t k = 0; k < length; k++)
            calls[k] = (char)('0' + below(classes));
        calls[length] = 0;
        find(calls, found);
    }
}
END_TEST

/* As deep as nothing is: 500 loops in each other. */
START_TEST(deep)
{
    enum { DEEP = 500 };
    struct nest *n = nest_new(DEEP);
    struct nest_item *items;
    size_t count;
    for (unsigned pass = 0; pass < 2; pass++) {
        void (*take)(struct nest *, size_t, uint64_t) = pass ? nest_count : nest_see;
        for (size_t i = 0; i < DEEP; i++)
            take(n, i, 1);
        for (size_t i = DEEP; i-- > 0;)
            for (size_t k = i; k < DEEP; k++)
                take(n, k, 1);
        if (pass == 0)
            ck_assert(nest_build(n));
    }
    ck_assert(nest_items(n, &items, &count));
    uint64_t calls = 0;
    for (size_t i = 0; i < count; i++)
        calls += items[i].is_loop ? 0 : items[i].counts.total;
    ck_assert_uint_eq(calls, DEEP + DEEP * (DEEP + 1) / 2);
    free(items);
    nest_free(n);
}
END_TEST

/* Counts the calls of TEXT. */
static void count_text(struct nest *n, const char *text)
{
    for (const char *c = text; *c; c++)
        nest_count(n, (size_t)(*c - '0'), 1);
}

static void see_text(struct nest *n, const char *text, size_t times)
{
    for (; times > 0; times--)
        for (const char *c = text; *c; c++)
            nest_see(n, (size_t)(*c - '0'), 1);
}

/* What came again and again is counted at once, and the loops that the last call is in are the same. */
START_TEST(repeats)
{
    enum { PASSES = 3, PLACES = 8 };
    char text[3][32];
    state = 1000 + (uint64_t)_i;
    for (unsigned i = 0; i < 100; i++) {
        size_t times = PASSES + below(40), classes = 2 + below(8);
        for (unsigned part = 0; part < 3; part++) {
            size_t length = part == 1 ? 1 + below(20) : below(12);
            for (size_t k = 0; k < length; k++)
                text[part][k] = (char)('0' + below(classes));
            text[part][length] = 0;
        }
        struct nest_place places[2][PLACES];
        unsigned counts[2];
        for (unsigned quick = 0; quick < 2; quick++) {
            struct nest *n = nest_new(128);
            for (unsigned part = 0; part < 3; part++)
                see_text(n, text[part], part == 1 ? times : 1);
            ck_assert(nest_build(n));
            count_text(n, text[0]);
            size_t passes = quick ? PASSES - 1 : times;
            for (; passes > 0; passes--)
                count_text(n, text[1]);
            if (quick) {
                struct nest_mark *mark = nest_mark(n);
                count_text(n, text[1]);
                ck_assert(nest_repeat(n, mark, times - PASSES));
                free(mark);
            }
            count_text(n, text[2]);
            counts[quick] = nest_places(n, places[quick], PLACES);
            nest_free(n);
        }
        ck_assert_uint_eq(counts[0], counts[1]);
        for (unsigned k = 0; k < counts[0]; k++)
            ck_assert_msg(places[0][k].class == places[1][k].class && places[0][k].iteration == places[1][k].iteration,
                          "%s (%s)%d %s: %d %d", text[0], text[1], (int)times, text[2], (int)places[0][k].iteration,
                          (int)places[1][k].iteration);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nest");
    TCase *tests = tcase_create("nest");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, known_nests, 0, (int)(sizeof known / sizeof *known));
    tcase_add_loop_test(tests, random_programs, 0, 20);
    tcase_add_loop_test(tests, random_orders, 0, 10);
    tcase_add_loop_test(tests, repeats, 0, 10);
    tcase_add_test(tests, deep);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
