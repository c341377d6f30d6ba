/* SPDX-License-Identifier: BSD-3-Clause */
/* Templates: what the groups of a random family do is what the joined structure says, and traces of such families are
 * exact and smaller. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grammar/grammar.h"
#include "join_laid.h"
#include "merge/fragment_data.h"
#include "pilgrim/reader.h"
#include "rules/rules.h"
#include "template/beside.h"
#include "template/idle.h"
#include "template/structure.h"
#include "template/template.h"
#include "template_family.h"
#include "trials.h"
#include "write/trace_writer.h"

enum { GROUPS = 12 };

/* What a group does: its calls, its classes in the order of first appearance, and its grammar. */
struct group_made {
    uint32_t calls[LENGTH_MAX + 2];
    uint32_t length;
    uint32_t keys[CALLS];
    uint32_t class_count;
    struct bytes grammar;
};

static void make_group(struct group_made *g)
{
    uint32_t class_of[CALLS];
    struct grammar *grammar = grammar_new();
    g->class_count = 0;
    memset(class_of, 0xff, sizeof class_of);
    for (uint32_t i = 0; i < g->length; i++) {
        uint32_t *class = &class_of[g->calls[i]];
        if (*class == UINT32_MAX) {
            g->keys[g->class_count] = g->calls[i];
            *class = g->class_count++;
        }
        EXPECT(grammar_append(grammar, *class) == PILGRIM_OK, "append");
    }
    g->grammar.length = 0;
    grammar_serialise(grammar, &g->grammar);
    grammar_free(grammar);
}

/* ---- what a structure says ---- */

struct unrolled {
    const struct structure *s;
    uint32_t group;
    uint32_t *calls;
    uint32_t length;
    uint64_t *met; /* by loop */
    uint32_t idle; /* loops without trips since the last call */
};

static void unroll(struct unrolled *u, const struct bytes *grammar);

static void unroll_rule(struct unrolled *u, const struct rules *r, uint32_t rule)
{
    for (uint32_t i = r->first[rule]; i < r->first[rule + 1]; i++)
        for (uint64_t k = 0; k < r->symbols[i].exponent; k++) {
            uint64_t value = r->symbols[i].value;
            if (r->symbols[i].is_rule) {
                unroll_rule(u, r, (uint32_t)value);
            } else if (value < u->s->call_count) {
                EXPECT(u->length <= LENGTH_MAX, "too many calls");
                u->calls[u->length++] = u->s->keys[value];
                u->idle = 0;
            } else {
                const struct template_loop *loop = &u->s->loops[value - u->s->call_count];
                u->met[value - u->s->call_count]++;
                u->idle += !loop->trips[u->group];
                EXPECT(u->idle <= u->s->call_count + u->s->loop_count, "idle loops");
                for (uint64_t n = 0; n < loop->trips[u->group]; n++)
                    unroll(u, &loop->body);
            }
        }
}

static void unroll(struct unrolled *u, const struct bytes *grammar)
{
    struct rules r;
    struct cursor in;
    cursor_init(&in, grammar->data, grammar->length);
    EXPECT(rules_parse(&in, u->s->call_count + u->s->loop_count, &r) == PILGRIM_OK, "a grammar of the structure");
    EXPECT(cursor_left(&in) == 0, "bytes left over");
    unroll_rule(u, &r, 0);
    rules_free(&r);
}

static void check_group(const struct structure *s, uint32_t group, const struct group_made *g)
{
    static uint32_t calls[LENGTH_MAX + 2];
    struct unrolled u = {.s = s, .group = group, .calls = calls, .met = calloc(s->loop_count + 1, sizeof *u.met)};
    unroll(&u, &s->top);
    EXPECT(u.length == g->length, "group %u: %u calls, not %u", group, u.length, g->length);
    EXPECT(!memcmp(calls, g->calls, g->length * sizeof *calls), "group %u: other calls", group);
    for (uint32_t i = 0; i < s->loop_count; i++)
        EXPECT(u.met[i] == s->loops[i].met[group], "group %u: loop %u is met %llu times", group, i,
               (unsigned long long)u.met[i]);
    free(u.met);
}

/* A loop may have only loops before it in its body. */
static void check_order(const struct structure *s)
{
    for (uint32_t i = 0; i < s->loop_count; i++) {
        struct rules r;
        struct cursor in;
        cursor_init(&in, s->loops[i].body.data, s->loops[i].body.length);
        EXPECT(rules_parse(&in, s->call_count + i, &r) == PILGRIM_OK, "loop %u has a later loop", i);
        EXPECT(r.total[0].length > 0, "an empty body");
        rules_free(&r);
    }
}

static struct group_made made[GROUPS];

/* Returns how many groups of a family became one. */
static uint32_t try_family(uint64_t seed, const struct differences *d, bool unlike, uint64_t *work)
{
    struct program p = {.count = 0}, q = {.count = 0};
    struct elements t = {.words = 1, .left = ELEMENTS_MAX, .work = work};
    uint32_t in_tree[GROUPS], groups;
    struct structure s;
    bool fits;
    random_state = seed;
    groups = t.room = 2 + random_below(GROUPS - 1);
    make_body(&p, 4 + random_below(NODES - 4), 0);
    make_body(&q, NODES, 0);
    for (uint32_t i = 0; i < groups; i++) {
        const struct program *own = unlike && i % 2 ? &q : &p;
        made[i].length = perform(own, 0, own->count, d, seed * GROUPS + i, made[i].calls, 0);
        make_group(&made[i]);
        uint32_t before = t.group_count;
        ck_assert_int_eq(elements_add(&t, made[i].grammar.data, made[i].grammar.length, made[i].keys, &fits),
                         PILGRIM_OK);
        EXPECT(t.group_count == before + fits, "the number of groups");
        if (fits)
            in_tree[before] = i;
    }
    uint32_t joined = t.failed ? 0 : t.group_count;
    if (joined) {
        ck_assert_int_eq(structure_make(&t, &s, &fits), PILGRIM_OK);
        for (uint32_t i = 0; fits && i < joined; i++)
            check_group(&s, i, &made[in_tree[i]]);
        if (fits)
            check_order(&s);
        joined = fits ? joined : 0;
        structure_free(&s);
        structure_free(&s); /* it may be freed again */
    }
    elements_free(&t);
    return joined;
}

static const struct differences families[] = {
    {.dropped = 8},
    {.other_trips = 16},
    {.dropped = 4, .inserted = 4, .repeated = 4, .other_trips = 8, .swapped = 4},
    {.swapped = 32},
    {.dropped = 32, .other_trips = 32},
    {.inserted = 32, .repeated = 32},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

START_TEST(families_are_exact)
{
    uint64_t tried = 0, joined = 0;
    for (uint32_t i = 0; i < trials(100000) / FAMILIES; i++) {
        uint64_t work = i % 50 == 49 ? random_below(3000) : UINT64_C(1) << 30;
        joined += try_family(i + 1, &families[(size_t)_i], i % 5 == 4, &work) > 1;
        tried++;
    }
    ck_assert_uint_gt(joined, tried / 2);
    for (uint32_t i = 0; i < GROUPS; i++)
        bytes_free(&made[i].grammar);
    memset(made, 0, sizeof made);
}
END_TEST

/* ---- traces ---- */

/* Returns the bytes without times, of which the writer makes the least. */
static size_t write_trace(struct fragment *f, struct pilgrim_trace **trace)
{
    struct bytes written = {0};
    struct pilgrim_error error;
    char path[] = "/tmp/check_template-XXXXXX";
    ck_assert_int_eq(trace_write(f, true, &written), PILGRIM_OK);
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, written.data, written.length), (ssize_t)written.length);
    close(file);
    enum pilgrim_status status = pilgrim_open(path, trace, &error);
    unlink(path);
    ck_assert_msg(status == PILGRIM_OK, "%s", error.message);
    written.length = 0;
    ck_assert_int_eq(trace_write(f, false, &written), PILGRIM_OK);
    const size_t length = written.length;
    bytes_free(&written);
    return length;
}

static uint64_t shares_seen;

static void check_share(bool is_stored, double stored, double ns)
{
    if (!is_stored)
        return;
    EXPECT(stored >= 0.97 * ns && stored <= 1.03 * ns, "%g ns, stored as %g", ns, stored);
    shares_seen++;
}

/* The times by rank that are stored are those of the rank's calls of that class. */
static void check_shares(const struct pilgrim_cursor *c, const uint32_t *calls, uint32_t length)
{
    double durations[CALLS] = {0}, gaps[CALLS] = {0};
    struct pilgrim_class_info info;
    struct pilgrim_rank_class found;
    for (uint32_t i = 0; i < length; i++) {
        durations[calls[i]] += calls[i] + 1;
        gaps[calls[i]] += i ? 99 - calls[i - 1] : 0;
    }
    for (size_t i = 0; pilgrim_class_info(c, i, &info) == PILGRIM_OK; i++) {
        if (info.body)
            continue;
        uint64_t call = info.class_->site->offset / 16 - 1;
        ck_assert_int_eq(pilgrim_rank_class(c, i, &found), PILGRIM_OK);
        check_share(found.has_durations, found.durations_ns, durations[call]);
        check_share(found.has_gaps, found.gaps_ns, gaps[call]);
    }
}

static void check_rank(const struct pilgrim_trace *t, uint32_t rank, const uint32_t *calls, uint32_t length)
{
    struct pilgrim_cursor *c;
    struct pilgrim_call call;
    struct pilgrim_error error;
    ck_assert_int_eq(pilgrim_cursor_open(t, rank, 0, &c, &error), PILGRIM_OK);
    check_shares(c, calls, length);
    for (uint32_t i = 0; i < length; i++) {
        EXPECT(pilgrim_cursor_next(c, &call, &error) == PILGRIM_OK, "rank %u, call %u: %s", rank, i, error.message);
        EXPECT(call.class_->site && call.class_->site->offset == (calls[i] + UINT64_C(1)) * 16, "another site");
        EXPECT(call.in[0].integer == value_of(rank, calls[i], i) && call.in[1].integer == calls[i],
               "rank %u, call %u: another value", rank, i);
    }
    ck_assert_int_eq(pilgrim_cursor_next(c, &call, &error), PILGRIM_END);
    pilgrim_cursor_close(c);
}

/* Reads the whole profile. Returns how many calls its classes have. */
static uint64_t profiled(const struct pilgrim_trace *t)
{
    struct pilgrim_profile *p;
    struct pilgrim_class_profile row;
    struct pilgrim_error error;
    uint64_t calls = 0;
    ck_assert_int_eq(pilgrim_profile_open(t, &p, &error), PILGRIM_OK);
    while (pilgrim_profile_next(p, &row, &error) == PILGRIM_OK)
        calls += row.durations.count;
    pilgrim_profile_close(p);
    return calls;
}

/* Returns F with all groups beside each other; NULL: there is one only. */
static struct fragment *stand_beside(const struct fragment *f)
{
    struct families found;
    struct fragment *joined;
    ck_assert_int_eq(families_find(f, FAMILIES_LAID, &found), PILGRIM_OK);
    for (uint32_t i = 0; i < found.count; i++) {
        free(found.items[i].groups);
        structure_free(&found.items[i].structure);
    }
    if (!found.items) {
        families_free(&found);
        return NULL;
    }
    struct group_family *family = &found.items[0];
    const uint32_t groups = f->group_keys.count;
    uint32_t keys = 0;
    *family = (struct group_family){.groups = malloc(groups * sizeof *family->groups)};
    for (uint32_t i = 0; i < groups; i++) {
        const struct class_list *l = &f->groups[i].classes;
        found.of_group[i] = !f->groups[i].process && l->count > 0;
        if (!found.of_group[i])
            continue;
        family->groups[family->count++] = i;
        for (uint32_t k = 0; k < l->count - l->loop_count; k++)
            keys = found.keys[found.first_key[i] + k] >= keys ? found.keys[found.first_key[i] + k] + 1 : keys;
    }
    found.count = 1;
    ck_assert_int_eq(beside_make(f, &found, family, keys), PILGRIM_OK);
    ck_assert_int_eq(templates_make(f, &found, &joined), PILGRIM_OK);
    families_free(&found);
    return joined;
}

/* Checks that JOINED, with its templates as they are, has the calls of MADE. */
static size_t check_joined(struct fragment *joined, uint32_t ranks, uint64_t total)
{
    struct pilgrim_trace *t;
    fragment_has_call_times(joined); /* so that it stays as it is */
    const size_t length = write_trace(joined, &t);
    for (uint32_t i = 0; i < ranks; i++)
        check_rank(t, i, made[i].calls, made[i].length);
    ck_assert_uint_eq(profiled(t), total);
    pilgrim_close(t);
    return length;
}

/* Writes a family without templates, with them, and as the writer decides. */
static void try_trace(uint64_t seed, const struct differences *d, uint64_t *joined_count)
{
    struct program p = {.count = 0};
    uint64_t total = 0;
    uint32_t ranks = 2 + (uint32_t)(seed % 9);
    struct fragment *f = fragment_new(0), *joined;
    struct pilgrim_trace *t;
    random_state = seed;
    make_body(&p, 4 + random_below(NODES - 4), 0);
    for (uint32_t i = 0; i < ranks; i++) {
        made[i].length = perform(&p, 0, p.count, d, seed * GROUPS + i / 2 % 3, made[i].calls, 0) % 2000;
        add_rank(f, i, ranks, made[i].calls, made[i].length);
        total += made[i].length;
    }
    join_laid(f, UINT64_MAX, &joined);
    size_t chosen = write_trace(f, &t);
    for (uint32_t i = 0; i < ranks; i++)
        check_rank(t, i, made[i].calls, made[i].length);
    ck_assert_uint_eq(profiled(t), total);
    pilgrim_close(t);
    if (joined) {
        size_t with = check_joined(joined, ranks, total);
        ck_assert_uint_le(chosen, with);
        ++*joined_count;
    }
    templates_free(joined);
    joined = stand_beside(f);
    if (joined)
        check_joined(joined, ranks, total);
    templates_free(joined);
    fragment_has_call_times(f);
    size_t without = write_trace(f, &t);
    pilgrim_close(t);
    ck_assert_uint_le(chosen, without);
    fragment_free(f);
}

START_TEST(traces_are_exact)
{
    uint64_t joined = 0, tried = trials(3000) / FAMILIES;
    for (uint32_t i = 0; i < tried; i++)
        try_trace(i + 1, &families[(size_t)_i], &joined);
    ck_assert_uint_gt(joined, tried / 8);
    ck_assert_uint_gt(shares_seen, tried);
}
END_TEST

static void add_calls(struct fragment *f, uint32_t rank, uint32_t size, bool first, bool last)
{
    uint32_t calls[1000], length = 0;
    for (uint32_t i = 0; i < 100; i++) {
        if (first)
            calls[length++] = 1;
        if (last)
            calls[length++] = 2;
        calls[length++] = 3;
        calls[length++] = 4;
    }
    add_rank(f, rank, size, calls, length);
}

/* A line of ranks: the first and the last lack a neighbour. Three groups become one, with two loops. */
START_TEST(a_line_is_one_group)
{
    enum { SIZE = 20 };
    struct fragment *f = fragment_new(0), *joined;
    for (uint32_t i = 0; i < SIZE; i++)
        add_calls(f, i, SIZE, i > 0, i + 1 < SIZE);
    ck_assert_uint_eq(f->group_keys.count, 4);
    join_laid(f, UINT64_MAX, &joined);
    ck_assert_ptr_nonnull(joined);
    ck_assert_uint_eq(joined->group_keys.count, 2);
    const struct structure_group *g = &joined->groups[1];
    ck_assert_uint_eq(g->member_count, SIZE);
    ck_assert_uint_eq(g->classes.count, 6);
    ck_assert_uint_eq(g->classes.loop_count, 2);
    for (uint32_t i = 1; i <= g->classes.count - g->classes.loop_count; i++)
        ck_assert_uint_eq(g->classes.classes[i], g->classes.classes[i - 1] + 1);
    templates_free(joined);
    join_laid(f, 1, &joined);
    ck_assert_ptr_null(joined);
    fragment_free(f);
}
END_TEST

/* An open grid of 3 x 3 x 3 ranks, each with calls for the neighbours that it has, and a barrier. */
static void add_grid(struct fragment *f)
{
    for (uint32_t rank = 0; rank < 27; rank++) {
        uint32_t calls[40 * 27], length = 0;
        for (uint32_t step = 0; step < 40; step++) {
            for (uint32_t n = 0; n < 27; n++) {
                uint32_t x = rank % 3 + n % 3, y = rank / 3 % 3 + n / 3 % 3, z = rank / 9 + n / 9;
                if (n != 13 && x > 0 && x < 4 && y > 0 && y < 4 && z > 0 && z < 4)
                    calls[length++] = n;
            }
            calls[length++] = 30;
        }
        add_rank(f, rank, 27, calls, length);
    }
}

/* Returns the number that class NUMBER of F has in ORIGINAL. */
static uint32_t original_class(const struct fragment *original, const struct fragment *f, uint32_t number)
{
    size_t length, other;
    const uint8_t *data = intern_get(&f->classes, number, &length);
    for (uint32_t i = 0; i < original->classes.count; i++) {
        const uint8_t *own = intern_get(&original->classes, i, &other);
        if (other == length && !memcmp(own, data, length))
            return i;
    }
    ck_abort_msg("a class of its own");
    return 0;
}

/* Notes, by class, the classes of the calls before its calls whose gaps F's statistics tell apart, as bits. */
static void note_befores(const struct fragment *original, const struct fragment *f, uint64_t befores[64])
{
    for (uint32_t i = 0; i < f->value_group_keys.count; i++) {
        const struct value_group *p = &f->value_groups[i];
        const struct class_list *l = &f->groups[p->group].classes;
        struct statistics t = {0};
        struct cursor in;
        cursor_init(&in, p->statistics.data, p->statistics.length);
        if (p->statistics.length)
            ck_assert_int_eq(statistics_unpack(&in, &t), PILGRIM_OK);
        for (uint32_t k = 0; k < t.count; k++) {
            uint32_t before = t.cells[k].predecessor;
            ck_assert(before == STATISTICS_FIRST || before < l->count);
            if (before != STATISTICS_FIRST)
                befores[original_class(original, f, l->classes[p->class_index])] |=
                    UINT64_C(1) << original_class(original, f, l->classes[before]);
        }
        statistics_free(&t);
    }
}

START_TEST(gaps_keep_the_calls_before)
{
    struct fragment *f = fragment_new(0), *joined;
    uint64_t before[64] = {0}, after[64] = {0};
    add_grid(f);
    join_laid(f, UINT64_MAX, &joined);
    ck_assert_uint_eq(joined->group_keys.count, 2);
    ck_assert_uint_le(joined->classes.count, 64);
    note_befores(f, f, before);
    note_befores(f, joined, after);
    ck_assert_mem_eq(before, after, sizeof before);
    templates_free(joined);
    fragment_free(f);
}
END_TEST

/* A grid is one group, which takes less; but where times of each call name them by class index, the lists of
 * classes stay. */
START_TEST(a_grid_is_smaller)
{
    struct fragment *f = fragment_new(0), *copy;
    struct bytes joined = {0}, kept = {0};
    values = VALUES_IN_DISORDER;
    add_grid(f);
    values = VALUES_MIXED;
    ck_assert_uint_eq(f->group_keys.count, 28);
    ck_assert_int_eq(trace_write(f, false, &joined), PILGRIM_OK);
    fragment_has_call_times(f);
    ck_assert_int_eq(fragment_copy(f, 0, &copy), PILGRIM_OK);
    ck_assert_int_eq(trace_write(copy, false, &kept), PILGRIM_OK);
    ck_assert_msg(joined.length + joined.length / 8 < kept.length, "%zu and %zu bytes", joined.length, kept.length);
    fragment_free(f);
    fragment_free(copy);
    bytes_free(&joined);
    bytes_free(&kept);
}
END_TEST

/* A block that a group enters, in which it has nothing, counts as often as the group enters it. */
START_TEST(elements_that_are_lacking_add_up)
{
    uint64_t work = 1;
    struct elements t = {.words = 1, .room = 1, .left = 9, .work = &work};
    struct element *calls[4], *inner[2], *block, *root;
    for (uint32_t i = 0; i < 4; i++) {
        calls[i] = element_new(&t, false, i);
        calls[i]->times[0] = i == 0 || i == 3;
    }
    block = element_new(&t, false, ELEMENT_BLOCK);
    root = element_new(&t, false, ELEMENT_BLOCK);
    inner[0] = calls[1];
    inner[1] = calls[2];
    block->items = inner;
    block->count = 2;
    block->times[0] = 10;
    root->items = (struct element *[]){calls[0], block, calls[3]};
    root->count = 3;
    root->times[0] = 1;
    ck_assert_uint_eq(idle_most(root, 1), 20);
    calls[2]->times[0] = 1;
    ck_assert_uint_eq(idle_most(root, 1), 1);
    elements_free(&t);
}
END_TEST

/* Lays two groups over each other: MADE[0] and MADE[1], with so much WORK. Returns how many loops that gives, and
 * checks them; UINT32_MAX if they are not joined. */
static uint32_t lay_over(uint64_t work)
{
    struct elements t = {.room = 2, .words = 1, .left = ELEMENTS_MAX, .work = &work};
    struct structure s;
    bool fits = true;
    uint32_t loops = UINT32_MAX;
    for (uint32_t i = 0; fits && i < 2; i++) {
        make_group(&made[i]);
        ck_assert_int_eq(elements_add(&t, made[i].grammar.data, made[i].grammar.length, made[i].keys, &fits),
                         PILGRIM_OK);
    }
    if (fits) {
        ck_assert_int_eq(structure_make(&t, &s, &fits), PILGRIM_OK);
        ck_assert(fits);
        check_group(&s, 0, &made[0]);
        check_group(&s, 1, &made[1]);
        loops = s.loop_count;
        structure_free(&s);
    }
    elements_free(&t);
    return loops;
}

/* 2 times call 0 and 7 times what else there is: calls 1 and 2, or call 1 alone. The other group has no call 0, and so
 * one loop of 14. */
START_TEST(products_are_taken_apart)
{
    for (uint32_t variant = 0; variant < 4; variant++) {
        uint32_t lacks = variant % 2, inner = 1 + variant / 2;
        made[0].length = made[1].length = 0;
        for (uint32_t i = 0; i < 14; i++) {
            if (i % 7 == 0)
                made[!lacks].calls[made[!lacks].length++] = 0;
            for (uint32_t k = 1; k <= inner; k++) {
                made[0].calls[made[0].length++] = k;
                made[1].calls[made[1].length++] = k;
            }
        }
        ck_assert_uint_eq(lay_over(1000), 1);
        for (uint64_t work = 0; work < 100; work++)
            lay_over(work);
    }
    for (uint32_t i = 0; i < 2; i++)
        bytes_free(&made[i].grammar);
    memset(made, 0, 2 * sizeof *made);
}
END_TEST

/* Ranks that go through an inner loop another number of times each time have loops already. They are not laid over each
 * other, share their classes all the same, and the writer takes that. Ranks with a random order of calls are laid over
 * each other, and can stand beside each other as well. */
START_TEST(what_cannot_be_laid_stands_beside)
{
    enum { RANKS = 4, KINDS = CALLS - 1 };
    for (uint32_t variant = 0; variant < 2; variant++) {
        struct fragment *f = fragment_new(0);
        struct families found;
        struct pilgrim_trace *t;
        uint32_t loops = 0;
        random_state = 7;
        values = VALUES_OF_RANK;
        for (uint32_t rank = 0; rank < RANKS; rank++) {
            struct group_made *g = &made[rank];
            g->length = 0;
            for (uint32_t i = 0; i < KINDS; i++)
                g->calls[g->length++] = i;
            for (uint32_t i = 0; i < 600; i++) {
                g->calls[g->length++] = 0;
                for (uint32_t k = random_below(9); !variant && k > 0; k--)
                    g->calls[g->length++] = KINDS;
                if (variant)
                    g->calls[g->length++] = random_below(KINDS);
            }
            add_rank(f, rank, RANKS, g->calls, g->length);
        }
        for (uint32_t i = 0; i < f->group_keys.count; i++)
            loops += f->groups[i].classes.loop_count;
        ck_assert_int_eq(families_find(f, FAMILIES_LAID, &found), PILGRIM_OK);
        ck_assert_uint_eq(found.count, 1);
        ck_assert_uint_eq(found.laid, variant);
        ck_assert_uint_eq(loops > 0, !variant);
        families_free(&found);
        uint64_t total = 0;
        for (uint32_t rank = 0; rank < RANKS; rank++)
            total += made[rank].length;
        struct fragment *joined = stand_beside(f);
        ck_assert_uint_eq(joined->group_keys.count, 2);
        const size_t with = check_joined(joined, RANKS, total), chosen = write_trace(f, &t);
        pilgrim_close(t);
        fragment_has_call_times(f);
        const size_t without = write_trace(f, &t);
        pilgrim_close(t);
        ck_assert_uint_le(chosen, without);
        if (!variant) {
            ck_assert_uint_lt(with, without);
            ck_assert_uint_eq(chosen, with);
        }
        templates_free(joined);
        fragment_free(f);
    }
    values = VALUES_MIXED;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("template");
    TCase *random = tcase_create("random"), *tests = tcase_create("shapes");
    tcase_set_timeout(random, 1800);
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(random, families_are_exact, 0, FAMILIES);
    tcase_add_loop_test(random, traces_are_exact, 0, FAMILIES);
    tcase_add_test(tests, a_line_is_one_group);
    tcase_add_test(tests, a_grid_is_smaller);
    tcase_add_test(tests, gaps_keep_the_calls_before);
    tcase_add_test(tests, elements_that_are_lacking_add_up);
    tcase_add_test(tests, products_are_taken_apart);
    tcase_add_test(tests, what_cannot_be_laid_stands_beside);
    suite_add_tcase(suite, random);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
