/* SPDX-License-Identifier: BSD-3-Clause */
/* Templates of random families: what the writer makes of the ranks' calls takes hardly more bytes than the template
 * from which the family was made. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge/fragment_data.h"
#include "template/families.h"
#include "template/structure.h"
#include "template/template.h"
#include "template_family.h"
#include "trials.h"
#include "write/trace_writer.h"

enum { RANKS_MAX = 16, LENGTH_SHORT = 2000, OTHER_MAX = 256 };

/* A family: what its ranks do, and which of them do the same. */
struct kin {
    const struct program *program;
    const struct differences *differences;
    uint64_t seed;
    uint32_t ranks;
    uint32_t calls[RANKS_MAX][LENGTH_MAX];
    uint32_t length[RANKS_MAX];
    uint32_t kinds;              /* ranks that do something else than the ones before ... */
    uint32_t of_kind[RANKS_MAX]; /* ... these */
};

static uint64_t member_of(const struct kin *x, uint32_t kind)
{
    return x->seed * RANKS_MAX + x->of_kind[kind];
}

/* False: it is too long, or some rank has no calls. */
static bool make_kin(struct kin *x)
{
    x->kinds = 0;
    for (uint32_t i = 0; i < x->ranks; i++) {
        bool known = false;
        x->length[i] =
            perform(x->program, 0, x->program->count, x->differences, x->seed * RANKS_MAX + i, x->calls[i], 0);
        if (!x->length[i] || x->length[i] > LENGTH_SHORT)
            return false;
        for (uint32_t k = 0; !known && k < x->kinds; k++)
            known = x->length[x->of_kind[k]] == x->length[i] &&
                    !memcmp(x->calls[x->of_kind[k]], x->calls[i], x->length[i] * sizeof x->calls[i][0]);
        if (!known)
            x->of_kind[x->kinds++] = i;
    }
    return true;
}

/* ---- the template from which it was made ---- */

struct planting {
    struct elements *t;
    const struct kin *kin;
    uint32_t key_of[CALLS];
};

static struct element *add(struct planting *p, struct element *block, uint32_t call)
{
    if (call < CALLS && p->key_of[call] == UINT32_MAX)
        return NULL; /* no rank makes it */
    struct element *e = element_new(p->t, false, call == CALLS ? ELEMENT_BLOCK : p->key_of[call]);
    ck_assert_ptr_nonnull(e);
    EXPECT(block->count < OTHER_MAX, "a long block");
    block->items[block->count++] = e;
    return e;
}

static void set(struct element *e, uint32_t kind, uint64_t times)
{
    if (times)
        e->times[kind] = times;
}

/* True if KIND makes a call in BLOCK. */
static bool has_calls(const struct element *block, uint32_t kind)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (block->items[i]->times[kind])
            return true;
    return false;
}

/* Adds the nodes FIRST to END - 1 to BLOCK. */
static void plant(struct planting *p, uint32_t first, uint32_t end, struct element *block)
{
    const struct program *program = p->kin->program;
    bool swapped[RANKS_MAX] = {false};
    block->items = arena_take(&p->t->memory, OTHER_MAX * sizeof *block->items);
    ck_assert_ptr_nonnull(block->items);
    for (uint32_t i = first; i < end; i++) {
        const struct node *n = &program->nodes[i];
        struct element *inserted[CALLS] = {NULL}, *early = NULL, *own;
        struct decision by[RANKS_MAX];
        for (uint32_t k = 0; k < p->kin->kinds; k++) {
            by[k] = decide(program, p->kin->differences, member_of(p->kin, k), i);
            if (by[k].insert && !swapped[k]) {
                struct element **e = &inserted[by[k].more];
                if (!*e)
                    *e = add(p, block, by[k].more);
                if (*e)
                    (*e)->times[k] = 1;
            }
        }
        bool pair = can_swap(program, i, end);
        for (uint32_t k = 0; pair && !early && k < p->kin->kinds; k++)
            if (by[k].swap && !swapped[k])
                early = add(p, block, program->nodes[i + 1].call);
        own = add(p, block, n->call);
        if (own && n->call == CALLS)
            plant(p, i + 1, i + 1 + n->size, own);
        for (uint32_t k = 0; k < p->kin->kinds; k++) {
            bool was_swapped = swapped[k];
            swapped[k] = !was_swapped && pair && by[k].swap;
            if (swapped[k] && early)
                early->times[k] = 1;
            if (own && !was_swapped && (n->call < CALLS || has_calls(own, k)))
                set(own, k, swapped[k] ? 1 : by[k].drop ? 0 : n->call == CALLS ? by[k].trips : by[k].repeat ? 3u : 1u);
        }
        i += n->call == CALLS ? n->size : 0;
    }
    for (uint32_t i = 0; i < block->count; i++)
        element_note_keys(p->t, block, block->items[i]);
}

/* Returns F with the family as the one group that it was made from; NULL if readers would refuse it. */
static struct fragment *generating(const struct fragment *f, const struct kin *x)
{
    struct families alike;
    struct fragment *joined = NULL;
    uint64_t work = 0;
    bool made;
    ck_assert_int_eq(families_find(f, FAMILIES_LAID, &alike), PILGRIM_OK);
    for (uint32_t i = 0; i < alike.count; i++) {
        free(alike.items[i].groups);
        structure_free(&alike.items[i].structure);
    }
    free(alike.items);
    struct elements t = {.room = x->kinds, .words = 2, .left = ELEMENTS_MAX, .work = &work, .group_count = x->kinds};
    struct planting p = {.t = &t, .kin = x};
    memset(p.key_of, 0xff, sizeof p.key_of);
    alike.items = calloc(1, sizeof *alike.items);
    alike.count = 1;
    struct group_family *family = alike.items;
    family->count = x->kinds;
    family->groups = malloc(x->kinds * sizeof *family->groups);
    ck_assert_uint_eq(f->group_keys.count, x->kinds + 1);
    for (uint32_t k = 0; k < x->kinds; k++) {
        const struct structure_group *g = &f->groups[k + 1];
        uint32_t seen[CALLS] = {0}, next = 0, rank = x->of_kind[k];
        family->groups[k] = k + 1;
        alike.of_group[k + 1] = 1;
        for (uint32_t i = 0; i < x->length[rank]; i++)
            if (!seen[x->calls[rank][i]]++)
                p.key_of[x->calls[rank][i]] = alike.keys[alike.first_key[k + 1] + next++];
        ck_assert_uint_eq(next, g->classes.count);
    }
    alike.of_group[0] = 0;
    t.root = element_new(&t, false, ELEMENT_BLOCK);
    for (uint32_t k = 0; k < x->kinds; k++)
        t.root->times[k] = 1;
    plant(&p, 0, x->program->count, t.root);
    ck_assert_int_eq(structure_make(&t, &family->structure, &made), PILGRIM_OK);
    if (made)
        ck_assert_int_eq(templates_make(f, &alike, &joined), PILGRIM_OK);
    elements_free(&t);
    families_free(&alike);
    return joined;
}

static size_t bytes_of(struct fragment *f)
{
    struct bytes b = {0};
    ck_assert_int_eq(trace_write(f, false, &b), PILGRIM_OK);
    size_t length = b.length;
    bytes_free(&b);
    return length;
}

/* Which families are made: OWN_SITES: no two nodes are the same call, as with call sites; otherwise they may be. */
static const struct expectation {
    struct differences differences;
    bool own_sites;
    uint32_t over; /* of 1000 families, so many may take over a tenth more than their template */
} expected[] = {
    {{.dropped = 8}, true, 5},
    {{.swapped = 32}, true, 5},
    {{.inserted = 32, .repeated = 32}, true, 60},
    {{.dropped = 32, .other_trips = 32}, true, 2},
    {{.dropped = 4, .inserted = 4, .repeated = 4, .other_trips = 8, .swapped = 4}, true, 8},
    {{.other_trips = 16}, true, 60},
    {{.dropped = 8}, false, 30},
    {{.other_trips = 16}, false, 50},
    {{.swapped = 32}, false, 120},
    {{.dropped = 4, .inserted = 4, .repeated = 4, .other_trips = 8, .swapped = 4}, false, 15},
};
enum { EXPECTED = sizeof expected / sizeof expected[0] };

struct tally {
    uint64_t tried, over, bytes, best_bytes;
};

static void try_family(uint64_t seed, const struct expectation *e, struct tally *tally)
{
    static struct kin x;
    struct program p = {.count = 0};
    random_state = seed;
    make_body(&p, 4 + random_below(CALLS / 2), 0);
    for (uint32_t i = 0; e->own_sites && i < p.count; i++)
        if (p.nodes[i].call < CALLS)
            p.nodes[i].call = i % CALLS;
    x.program = &p;
    x.differences = &e->differences;
    x.seed = seed;
    x.ranks = 2 + random_below(RANKS_MAX - 1);
    if (!make_kin(&x) || x.kinds < 2)
        return;
    struct fragment *f = fragment_new(0), *best;
    values = VALUES_OF_RANK;
    for (uint32_t i = 0; i < x.ranks; i++)
        add_rank(f, i, x.ranks, x.calls[i], x.length[i]);
    best = generating(f, &x);
    if (best) {
        fragment_has_call_times(best); /* so that it stays as it is */
        size_t chosen = bytes_of(f), wanted = bytes_of(best);
        bool over = 10 * chosen > 11 * wanted;
        EXPECT(chosen <= 2 * wanted, "family %llu: %zu bytes, not %zu", (unsigned long long)seed, chosen, wanted);
        fragment_has_call_times(f);
        size_t own = bytes_of(f);
        EXPECT(chosen <= own, "family %llu: %zu bytes, without templates %zu", (unsigned long long)seed, chosen, own);
        tally->tried++;
        tally->over += over;
        tally->bytes += chosen;
        tally->best_bytes += wanted;
    }
    templates_free(best);
    fragment_free(f);
}

/* True if PER_MILLE of the families are over, give or take three standard deviations: few trials scatter more. */
static bool hardly_more(const struct tally *tally, uint64_t per_mille)
{
    uint64_t over = tally->over * 1000, wanted = tally->tried * per_mille;
    return over <= wanted + 1000 || (over - wanted) * (over - wanted) <= 9000 * wanted;
}

/* Never more than without templates. Within a tenth of the template; where calls are not told apart, or a loop may have
 * one trip, so that it is none, not always: the grammar of a rank may begin its loops at another call then. In the sum
 * never more. */
START_TEST(hardly_more_than_the_template)
{
    struct tally tally = {0};
    const struct expectation *e = &expected[_i];
    for (uint32_t i = 0; i < trials(40000) / EXPECTED; i++)
        try_family(i + 1, e, &tally);
    ck_assert_uint_gt(tally.tried, trials(40000) / EXPECTED / 8);
    ck_assert_msg(hardly_more(&tally, e->over), "%llu of %llu", (unsigned long long)tally.over,
                  (unsigned long long)tally.tried);
    ck_assert_msg(tally.bytes * 100 <= tally.best_bytes * 103, "%llu bytes, not %llu", (unsigned long long)tally.bytes,
                  (unsigned long long)tally.best_bytes);
    if (getenv("PRINT"))
        printf("%d: %llu families, %llu over; %llu bytes, templates %llu\n", _i, (unsigned long long)tally.tried,
               (unsigned long long)tally.over, (unsigned long long)tally.bytes, (unsigned long long)tally.best_bytes);
}
END_TEST

/* Ranks that make the same calls, each in an order and with loops of its own, and one that makes others. */
START_TEST(no_order_at_all)
{
    static uint32_t calls[LENGTH_SHORT];
    for (uint32_t seed = 1; seed <= trials(600); seed++) {
        struct fragment *f = fragment_new(0);
        random_state = seed;
        values = VALUES_OF_RANK;
        const uint32_t ranks = 2 + random_below(4), kinds = 2 + random_below(CALLS / 2 - 2);
        for (uint32_t rank = 0; rank < ranks; rank++) {
            const uint32_t length = 1 + random_below(LENGTH_SHORT / 2);
            for (uint32_t i = 0, end; i < length; i = end) {
                const uint32_t body = 1 + random_below(4), trips = random_below(2) ? 1 : 1 + random_below(40);
                end = i + body * trips < length ? i + body * trips : length;
                for (uint32_t k = i; k < end; k++)
                    calls[k] = k >= i + body ? calls[k - body]
                               : rank        ? random_below(kinds)
                                             : CALLS / 2 + random_below(CALLS / 2); /* unlike the others */
            }
            add_rank(f, rank, ranks, calls, length);
        }
        size_t chosen = bytes_of(f);
        fragment_has_call_times(f); /* so that it stays as it is */
        size_t own = bytes_of(f);
        EXPECT(chosen <= own, "seed %u: %zu bytes, without templates %zu", seed, chosen, own);
        fragment_free(f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("template_bytes");
    TCase *random = tcase_create("random");
    tcase_set_timeout(random, 3600);
    tcase_add_loop_test(random, hardly_more_than_the_template, 0, EXPECTED);
    tcase_add_test(random, no_order_at_all);
    suite_add_tcase(suite, random);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
