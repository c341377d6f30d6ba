/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds loops: reads a sequence with its loop forest (loop_reading.h), if that may pay; see loops.h. */
#include "loops/loops.h"

#include <stdlib.h>

#include "base/try.h"
#include "loops/loop_reading.h"
#include "loops/loops_size.h"

/* So many runs of trips may pay: where there are many, a run takes a quarter of a byte or more. */
#define RUNS_MAX(bytes) (4 * (uint64_t)(bytes))

/* If the start rule has so many symbols, some of its runs are tried first, to see if loops may pay. */
enum { SAMPLE_MIN = 1 << 14, SAMPLE_POSITIONS = 8, SAMPLE_RUNS = 2048 /* from each position on */ };

/* ---- the whole ---- */

static enum pilgrim_status find_in_forest(const struct rules *r, const struct loop_forest *f, uint64_t most,
                                          struct loops *l, bool *found)
{
    struct loop_state *states;
    enum pilgrim_status status = loop_read(r, f, most, &states, found);
    if (status == PILGRIM_OK && *found)
        status = loop_bodies_write(f, states, l, NULL);
    loop_states_free(states, f);
    return status;
}

/* Appends up to SAMPLE_RUNS runs of R, from symbol START of the start rule on, as symbols of a rule. */
static enum pilgrim_status sample_runs(const struct rules *r, uint32_t start, struct bytes *symbols,
                                       uint32_t *symbol_count)
{
    struct run_cursor c;
    uint32_t terminal;
    uint64_t count;
    if (!run_cursor_init(&c, r, start))
        return PILGRIM_NOMEM;
    for (unsigned i = 0; i < SAMPLE_RUNS && run_cursor_next(&c, &terminal, &count); i++) {
        bytes_put_varint(symbols, (uint64_t)terminal << 2 | (uint64_t)(count > 1) << 1);
        if (count > 1)
            bytes_put_varint(symbols, count - 2);
        ++*symbol_count;
    }
    free(c.stack);
    return PILGRIM_OK;
}

/* Makes a grammar of one rule from runs at several positions of R. */
static enum pilgrim_status sample_take(const struct rules *r, struct bytes *grammar)
{
    struct bytes symbols = {0};
    uint32_t count = 0;
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; status == PILGRIM_OK && i < SAMPLE_POSITIONS; i++)
        status = sample_runs(r, r->first[1] / SAMPLE_POSITIONS * i, &symbols, &count);
    bytes_put_varint(grammar, 1);
    bytes_put_varint(grammar, count);
    bytes_put(grammar, symbols.data, symbols.length);
    grammar->failed |= symbols.failed;
    bytes_free(&symbols);
    return status == PILGRIM_OK ? bytes_status(grammar) : status;
}

/* *PAY false: a sample of R takes clearly more as loops of F than as it is. */
static enum pilgrim_status sample_pays(const struct rules *r, const struct loop_forest *f, bool *pay)
{
    struct bytes grammar = {0};
    struct cursor c;
    struct rules sample = {0};
    struct loops l = {0};
    enum pilgrim_status status = sample_take(r, &grammar);
    cursor_init(&c, grammar.data, grammar.length);
    if (status == PILGRIM_OK)
        status = rules_parse(&c, f->terminal_count, &sample);
    if (status == PILGRIM_OK)
        status = find_in_forest(&sample, f, RUNS_MAX(grammar.length), &l, pay);
    if (status == PILGRIM_OK && *pay)
        *pay = loops_may_pay(&l, grammar.data, grammar.length);
    loops_free(&l);
    rules_free(&sample);
    bytes_free(&grammar);
    return status;
}

static enum pilgrim_status find_in_rules(const struct rules *r, uint32_t terminal_count, uint64_t most, struct loops *l,
                                         bool *found)
{
    struct loop_forest f;
    bool may_pay = true;
    TRY(loop_forest_build(r, terminal_count, &f));
    enum pilgrim_status status = PILGRIM_OK;
    if (most < UINT64_MAX && r->first[1] >= SAMPLE_MIN)
        status = sample_pays(r, &f, &may_pay);
    if (status == PILGRIM_OK && may_pay)
        status = find_in_forest(r, &f, most, l, found);
    loop_forest_free(&f);
    return status;
}

/* Finds loops in a grammar of at least MIN symbols. MOST: limit of runs of trips; UINT64_MAX: no limit, whether loops
 * pay or not. */
static enum pilgrim_status find(const void *data, size_t length, uint32_t terminal_count, uint32_t min, uint64_t most,
                                struct loops *l, bool *found)
{
    struct cursor c;
    struct rules r;
    *l = (struct loops){0};
    *found = false;
    cursor_init(&c, data, length);
    enum pilgrim_status status = rules_parse(&c, terminal_count, &r);
    if (status != PILGRIM_OK)
        return status == PILGRIM_NOMEM ? status : PILGRIM_OK;
    if (r.total[0].length > 0 && r.first[r.rule_count] >= min)
        status = find_in_rules(&r, terminal_count, most, l, found);
    rules_free(&r);
    if (status != PILGRIM_OK || !*found)
        loops_free(l);
    return status;
}

enum pilgrim_status loops_find(const void *data, size_t length, uint32_t terminal_count, struct loops *l, bool *found)
{
    TRY(find(data, length, terminal_count, LOOPS_MIN, RUNS_MAX(length), l, found));
    if (!*found)
        return PILGRIM_OK;
    *found = l->count && loops_pay(l, data, length);
    if (!*found)
        loops_free(l);
    return PILGRIM_OK;
}

enum pilgrim_status loops_find_any(const void *data, size_t length, uint32_t terminal_count, struct loops *l,
                                   bool *found)
{
    return find(data, length, terminal_count, 0, UINT64_MAX, l, found);
}

void loops_free(struct loops *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        bytes_free(&l->items[i].body);
        nested_runs_free(&l->items[i].differences);
    }
    free(l->items);
    bytes_free(&l->top);
    *l = (struct loops){0};
}
