/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of several sequences; see loops_shared.h. Each sequence is read with the forest of all, so all have the same
 * loops. What comes equally often each time in all of them is no loop. */
#include "loops/loops_shared.h"

#include <stdlib.h>

#include "base/try.h"
#include "loops/loop_reading.h"

/* So many runs of trips may pay, for each byte of the grammars. */
#define RUNS_MAX_A_BYTE 4

struct sharing {
    const struct bytes *grammars;
    uint32_t count;
    uint32_t terminal_count;
    struct loop_forest forest;
    struct loop_state **states; /* by sequence, then by node */
    struct loop_state *all;     /* by node: the trips of all sequences */
    struct loop_origin *origins;
};

/* Appends the rules of GRAMMAR but the start rule to RULES, and the symbols of that to START. Rule i, from 1 on,
 * becomes i + BEFORE. *COUNT: rules without the start rule; *SYMBOLS: symbols of that. */
static enum pilgrim_status append_rules(const struct bytes *grammar, uint64_t before, struct bytes *start,
                                        struct bytes *rules, uint64_t *count, uint64_t *symbols)
{
    struct cursor in;
    cursor_init(&in, grammar->data, grammar->length);
    *count = cursor_varint(&in) - 1;
    for (uint64_t i = 0; i <= *count && !in.status; i++) {
        struct bytes *out = i ? rules : start;
        uint64_t left = cursor_varint(&in);
        if (i)
            bytes_put_varint(out, left);
        else
            *symbols += left;
        for (; left > 0 && !in.status; left--) {
            uint64_t symbol = cursor_varint(&in);
            bytes_put_varint(out, symbol & 1 ? symbol + (before << 2) : symbol);
            if (symbol & 2)
                bytes_put_varint(out, cursor_varint(&in));
        }
    }
    return in.status ? in.status : PILGRIM_OK;
}

/* Writes one grammar of all sequences to OUT, with a terminal of its own before each. */
static enum pilgrim_status put_together(const struct sharing *s, struct bytes *out)
{
    struct bytes start = {0}, rules = {0};
    uint64_t rule_count = 0, symbols = 0, count = 0;
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; status == PILGRIM_OK && i < s->count; i++) {
        bytes_put_varint(&start, (uint64_t)s->terminal_count << 2);
        symbols++;
        status = append_rules(&s->grammars[i], rule_count, &start, &rules, &count, &symbols);
        rule_count += count;
    }
    bytes_put_varint(out, rule_count + 1);
    bytes_put_varint(out, symbols);
    bytes_put(out, start.data, start.length);
    bytes_put(out, rules.data, rules.length);
    out->failed |= start.failed | rules.failed;
    bytes_free(&start);
    bytes_free(&rules);
    return status == PILGRIM_OK ? bytes_status(out) : status;
}

static enum pilgrim_status build_forest(struct sharing *s, bool *built)
{
    struct bytes together = {0};
    struct cursor in;
    struct rules r = {0};
    enum pilgrim_status status = put_together(s, &together);
    cursor_init(&in, together.data, together.length);
    if (status == PILGRIM_OK)
        status = rules_parse(&in, s->terminal_count + UINT64_C(1), &r);
    if (status == PILGRIM_OK)
        status = loop_forest_build_shared(&r, s->terminal_count, &s->forest, built);
    rules_free(&r);
    bytes_free(&together);
    return status;
}

/* Reads sequence I with the forest. *MOST: how many more runs trips may have. */
static enum pilgrim_status read_one(struct sharing *s, uint32_t i, uint64_t *most, bool *complete)
{
    struct cursor in;
    struct rules r;
    cursor_init(&in, s->grammars[i].data, s->grammars[i].length);
    TRY(rules_parse(&in, s->terminal_count, &r));
    enum pilgrim_status status = loop_read(&r, &s->forest, *most, &s->states[i], complete);
    rules_free(&r);
    TRY(status);
    for (uint32_t node = 0; *complete && node < s->forest.node_count; node++) {
        loop_trips_join(&s->all[node].trips, &s->states[i][node].trips);
        loop_trips_join(&s->all[node].iterations, &s->states[i][node].iterations);
        const size_t bytes = s->states[i][node].trips.runs.length; /* a run takes two or more */
        *most -= bytes / 2 < *most ? bytes / 2 : *most;
        TRY(bytes_status(&s->all[node].trips.runs));
        TRY(bytes_status(&s->all[node].iterations.runs));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status write_own(const struct sharing *s, struct loops_shared *l)
{
    const uint32_t loops = l->loops.count;
    l->sequences = s->count;
    l->own = calloc((size_t)s->count * loops + 1, sizeof *l->own);
    if (!l->own)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < loops; k++) {
            const struct loop_trips *t = loop_origin_trips(&s->origins[k], s->states[i]);
            if (t->total)
                TRY(loop_trips_write(t, &l->own[(size_t)i * loops + k]));
        }
    return PILGRIM_OK;
}

static enum pilgrim_status find(struct sharing *s, struct loops_shared *l, bool *found)
{
    uint64_t most = 0;
    TRY(build_forest(s, found));
    if (!*found)
        return PILGRIM_OK;
    s->all = calloc(s->forest.node_count, sizeof *s->all);
    s->origins = calloc(2 * (size_t)s->forest.node_count, sizeof *s->origins);
    if (!s->all || !s->origins)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < s->count; i++)
        most += s->grammars[i].length * (uint64_t)RUNS_MAX_A_BYTE;
    for (uint32_t i = 0; i < s->count && *found; i++)
        TRY(read_one(s, i, &most, found));
    if (!*found)
        return PILGRIM_OK;
    TRY(loop_bodies_write(&s->forest, s->all, &l->loops, s->origins));
    l->order = s->forest.order;
    s->forest.order = NULL;
    return write_own(s, l);
}

enum pilgrim_status loops_find_shared(const struct bytes *grammars, uint32_t count, uint32_t terminal_count,
                                      struct loops_shared *s, bool *found)
{
    struct sharing x = {.grammars = grammars, .count = count, .terminal_count = terminal_count};
    *s = (struct loops_shared){.sequences = 0};
    *found = false;
    x.states = calloc(count, sizeof(void *));
    enum pilgrim_status status = x.states ? find(&x, s, found) : PILGRIM_NOMEM;
    for (uint32_t i = 0; x.states && i < count; i++)
        loop_states_free(x.states[i], &x.forest);
    loop_states_free(x.all, &x.forest);
    free(x.states);
    free(x.origins);
    loop_forest_free(&x.forest);
    if (status == PILGRIM_NOMEM)
        return status;
    *found &= status == PILGRIM_OK;
    return PILGRIM_OK;
}

void loops_shared_free(struct loops_shared *s)
{
    for (size_t i = 0; s->own && i < (size_t)s->sequences * s->loops.count; i++)
        nested_runs_free(&s->own[i].differences);
    free(s->own);
    free(s->order);
    loops_free(&s->loops);
    *s = (struct loops_shared){.sequences = 0};
}
