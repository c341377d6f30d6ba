/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of units; see unit_loops.h. A unit's calls are told to a stream once more (recover/replay.h), whose
 * structure is walked twice: for the loops, and to count. What repeats is walked a few times only. */
#include "unit_loops.h"

#include <stdlib.h>

#include "analysis/nest.h"
#include "record/stream_inline.h"
#include "recover/replay.h"
#include "rules/rules.h"

enum {
    DEPTH_MAX = 1000,
    WARM = 3,               /* passes of a loop's body before what a pass counts is known */
    LOG_MAX = 1 << 20,      /* bytes of a longer log take too long */
    LOGS_MAX = 4 << 20,     /* of all units, at a look */
    STEPS_MAX = 1 << 20,    /* calls that are told one by one, and symbols, of a unit */
    STEPS_ALL_MAX = 2 << 20 /* of all units */
};

/* A walk through a structure. */
struct walk {
    const struct stream *stream;
    const struct rules *rules;
    struct nest *nest;
    uint64_t steps; /* that may still be taken */
    bool counts;
    bool failed;
};

/* Returns the class of TERMINAL; a failed poll is the same call. */
static uint32_t class_of(const struct stream *s, uint64_t terminal)
{
    const struct stream_class *class = s->by_terminal[terminal];
    bool later = class->twin && class->twin->head.number < class->head.number;
    return later ? class->twin->head.number : class->head.number;
}

static void walk_rule(struct walk *w, uint32_t rule);

static void walk_once(struct walk *w, const struct rules_symbol *symbol)
{
    if (symbol->is_rule)
        walk_rule(w, (uint32_t)symbol->value);
    else if (w->counts)
        nest_count(w->nest, class_of(w->stream, symbol->value), symbol->exponent);
    else
        nest_see(w->nest, class_of(w->stream, symbol->value), symbol->exponent);
}

/* Walks a rule that comes more often than WARM times. */
static void walk_repeated(struct walk *w, const struct rules_symbol *symbol)
{
    for (unsigned i = 0; i + 1 < WARM; i++)
        walk_once(w, symbol);
    struct nest_mark *mark = nest_mark(w->nest);
    walk_once(w, symbol);
    w->failed = w->failed || !mark || !nest_repeat(w->nest, mark, symbol->exponent - WARM);
    free(mark);
}

/* Recursion is bounded by DEPTH_MAX. */
static void walk_rule(struct walk *w, uint32_t rule)
{
    for (uint32_t i = w->rules->first[rule]; i < w->rules->first[rule + 1] && !w->failed; i++) {
        const struct rules_symbol *symbol = &w->rules->symbols[i];
        w->failed = w->failed || w->steps == 0;
        w->steps -= !w->failed;
        if (w->counts && symbol->is_rule && symbol->exponent > WARM) {
            walk_repeated(w, symbol);
            continue;
        }
        uint64_t most = w->counts ? WARM : 2, times = symbol->exponent < most ? symbol->exponent : most;
        for (uint64_t k = 0; k < (symbol->is_rule ? times : 1); k++)
            walk_once(w, symbol);
    }
}

static enum pilgrim_status parse_structure(const struct stream *s, struct rules *rules)
{
    struct bytes b = {0};
    struct cursor c;
    *rules = (struct rules){0};
    enum pilgrim_status status = sequence_serialise(&s->structure, &s->chunks, &b);
    cursor_init(&c, b.data, b.length);
    if (status == PILGRIM_OK)
        status = rules_parse(&c, s->terminal_count, rules);
    bytes_free(&b);
    return status;
}

/* Sets the loops of U around the last call of S. */
static void find_places(struct unit *u, const struct stream *s, const struct thread_classes *classes, uint64_t *steps)
{
    struct nest_place places[LOOPS_SHOWN];
    struct rules rules;
    if (!s->structure.grammar || parse_structure(s, &rules) != PILGRIM_OK)
        return;
    struct walk w = {.stream = s, .rules = &rules, .nest = nest_new(s->class_count), .steps = *steps};
    w.failed = !w.nest || rules.total[0].depth > DEPTH_MAX;
    if (!w.failed)
        walk_rule(&w, 0);
    w.failed = w.failed || !nest_build(w.nest);
    w.counts = true;
    if (!w.failed)
        walk_rule(&w, 0);
    unsigned count = w.failed ? 0 : nest_places(w.nest, places, LOOPS_SHOWN);
    for (unsigned i = 0; i < count && places[i].class < classes->count; i++)
        u->loops[u->loop_count++] = (struct unit_loop){&classes->items[places[i].class], places[i].iteration};
    *steps = w.steps;
    nest_free(w.nest);
    rules_free(&rules);
}

/* Finds the loops of U. Returns how many steps that took. */
static uint64_t find_loops(struct unit *u, uint64_t most)
{
    struct stream *s;
    uint64_t calls, steps = most;
    const struct look_process *p = u->process;
    enum pilgrim_status status =
        replay_thread(u->thread, &p->journal->vocabulary, &p->facts.modules, &steps, &s, &calls);
    if (s && status == PILGRIM_OK && calls >= u->thread->calls)
        find_places(u, s, &p->classes[u->thread - p->read->threads], &steps);
    stream_free(s);
    return most - steps;
}

void find_unit_loops(struct look *look)
{
    uint64_t steps = STEPS_ALL_MAX, logs = LOGS_MAX;
    for (size_t i = 0; i < look->unit_count && steps; i++) {
        struct unit *u = &look->units[i];
        if (u->state > UNIT_COMPUTING || u->loops_known || !u->class)
            continue;
        u->loops_known = true;
        uint64_t bytes = u->thread->log.records.length;
        if (bytes > LOG_MAX || bytes > logs || u->thread->log.epoch)
            continue;
        logs -= bytes;
        steps -= find_loops(u, steps < STEPS_MAX ? steps : STEPS_MAX);
    }
}
