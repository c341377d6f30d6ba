/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds repeats; see repeats.h.
 *
 * The structure grammar is walked without its repetitions being expanded. Where a symbol comes N times in a row, the
 * sequence of values of each class in it is asked: in how many of the N times does it go on with the same period? The
 * place in a sequence of values is the number of calls of the class before. */
#include "analysis/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/flat_grammar.h"

/* STEPS_FREE: of the walk; each repeat earns some more, as it saves at least as many calls. To look at CALLS_PER_STEP
 * calls is a step, too. The values of all classes have VALUES_SYMBOLS_MAX symbols at most, or some classes are not
 * followed. A period of the values may be that of up to MULTIPLES_MAX periods of the structure. */
enum {
    CALLS_MIN = 32,
    STEPS_FREE = 1 << 11,
    STEPS_EARNED = 64,
    CALLS_PER_STEP = 16,
    VALUES_SYMBOLS_MAX = 1 << 18,
    MULTIPLES_MAX = 16,
    SIGNATURES_MAX = 1024,
    CLASSES_MAX = 1 << 12,
    MEMOS = 16,
    WALK_DEPTH_MAX = 64
};

/* What is known of threads with certain grammars. */
struct repeats_memo {
    bool used;
    uint64_t tables, structure;
    uint64_t *values; /* of each class */
    size_t class_count;
    struct repeat *repeats;
    size_t count;
};

struct class_values {
    bool asked;               /* the members below are filled in */
    bool steady;              /* no signature stands for changing numbers */
    struct flat_grammar flat; /* without rules: the values are not followed */
};

struct repeats_frame {
    uint32_t rule;
    size_t symbol;
    uint64_t copy;
};

struct repeats {
    struct repeats_memo memos[MEMOS];
    uint64_t *values; /* of the thread that is asked for, by class */
    size_t capacity;
    const struct pilgrim_cursor *cursor; /* from here on: the walk */
    struct flat_grammar structure;
    size_t class_count;
    struct class_values *classes;
    uint64_t *taken;  /* calls of each class before the walk's place */
    uint64_t *within; /* calls of each class in the period that is looked at */
    uint64_t at;      /* calls before the walk's place */
    uint64_t steps;
    size_t symbols; /* of the values of all classes */
    struct repeat *found;
    size_t count, found_capacity;
};

struct repeats *repeats_new(void)
{
    return calloc(1, sizeof(struct repeats));
}

static void end_walk(struct repeats *r)
{
    for (size_t i = 0; r->classes && i < r->class_count; i++)
        flat_grammar_free(&r->classes[i].flat);
    free(r->classes);
    free(r->taken);
    free(r->within);
    free(r->found);
    flat_grammar_free(&r->structure);
    r->classes = NULL;
    r->taken = r->within = NULL;
    r->found = NULL;
    r->count = r->found_capacity = 0;
}

static void forget(struct repeats_memo *m)
{
    free(m->values);
    free(m->repeats);
    *m = (struct repeats_memo){0};
}

void repeats_free(struct repeats *r)
{
    if (!r)
        return;
    end_walk(r);
    for (size_t i = 0; i < MEMOS; i++)
        forget(&r->memos[i]);
    free(r->values);
    free(r);
}

/* ---- periods ---- */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Asks about a class: its values, and whether they are numbers that change. */
static enum pilgrim_status ask_class(struct repeats *r, size_t class, struct pilgrim_error *error)
{
    struct class_values *c = &r->classes[class];
    struct pilgrim_class_info info;
    if (c->asked)
        return PILGRIM_OK;
    c->asked = true;
    if (pilgrim_class_info(r->cursor, class, &info) != PILGRIM_OK || info.signature_count > SIGNATURES_MAX ||
        r->symbols > VALUES_SYMBOLS_MAX)
        return PILGRIM_OK;
    c->steady = true;
    for (uint64_t i = 0; i < info.signature_count && c->steady; i++)
        c->steady = !pilgrim_signature_varies(r->cursor, class, i);
    enum pilgrim_status status = c->steady ? flat_grammar_read(&c->flat, r->cursor, info.values, error) : PILGRIM_OK;
    r->symbols += c->flat.rules ? c->flat.first[c->flat.rules] : 0;
    return status;
}

/* Finds how often the class's values go on in the same way, with WITHIN of them in each period, from the walk's place
 * on. Sets *MULTIPLE to how many periods the same values take, and *PERIODS to how many there are at most; false: fewer
 * than REPEATS_MIN x *MULTIPLE. */
static bool values_repeat(const struct repeats *r, size_t class, uint64_t *multiple, uint64_t *periods)
{
    const struct flat_grammar *f = &r->classes[class].flat;
    const uint64_t within = r->within[class];
    uint64_t index = r->taken[class];
    struct flat_place place;
    if (!f->rules)
        return false;
    for (uint32_t rule = 0; flat_grammar_find(f, rule, index, &place);) {
        const struct pilgrim_symbol *s = place.symbol;
        if (!s->ramp || s->exponent == 1) {
            *multiple = place.size / greatest_divisor(place.size, within);
            *periods = (place.size * s->exponent - place.inside) / within;
            if (*multiple <= MULTIPLES_MAX && *periods / *multiple >= REPEATS_MIN)
                return true;
        }
        if (!s->is_rule)
            return false;
        rule = (uint32_t)s->value;
        index = place.inside % place.size;
    }
    return false;
}

/* Looks at the PERIOD calls of a symbol, which come COUNT times in a row from here on, and counts them in WITHIN. Sets
 * *REPEAT to how they repeat; its number of periods is 0 if they do not. */
static enum pilgrim_status look(struct repeats *r, const struct pilgrim_symbol *symbol, uint64_t period, uint64_t count,
                                struct repeat *repeat, struct pilgrim_error *error)
{
    uint64_t multiple = 1, periods = count;
    enum pilgrim_status status = PILGRIM_OK;
    bool good = true;
    *repeat = (struct repeat){0};
    for (uint64_t i = 0; i < period; i++) {
        uint64_t class = symbol->is_rule ? flat_grammar_at(&r->structure, (uint32_t)symbol->value, i) : symbol->value;
        if (class >= r->class_count)
            good = false;
        else
            r->within[class]++;
    }
    for (uint64_t i = 0; i < period && good && status == PILGRIM_OK; i++) {
        uint64_t class = symbol->is_rule ? flat_grammar_at(&r->structure, (uint32_t)symbol->value, i) : symbol->value;
        uint64_t own_multiple, own_periods;
        status = ask_class(r, class, error);
        good = status == PILGRIM_OK && values_repeat(r, class, &own_multiple, &own_periods);
        if (!good)
            break;
        multiple = multiple / greatest_divisor(multiple, own_multiple) * own_multiple;
        periods = own_periods < periods ? own_periods : periods;
        good =
            multiple <= MULTIPLES_MAX && multiple * period <= REPEATS_PERIOD_MAX && periods / multiple >= REPEATS_MIN;
    }
    if (good)
        *repeat = (struct repeat){r->at, multiple * period, periods / multiple};
    return status;
}

/* Moves the walk's place behind a repeat, which is COPIES times what is in WITHIN. */
static bool keep(struct repeats *r, const struct repeat *repeat, uint64_t copies)
{
    if (r->count == r->found_capacity) {
        size_t capacity = 2 * r->found_capacity + 8;
        struct repeat *larger = realloc(r->found, capacity * sizeof *larger);
        if (!larger)
            return false;
        r->found = larger;
        r->found_capacity = capacity;
    }
    r->found[r->count++] = *repeat;
    r->at += repeat->period * repeat->periods;
    r->steps += STEPS_EARNED + (repeat->period + r->class_count) / CALLS_PER_STEP;
    for (size_t class = 0; class < r->class_count; class ++)
        r->taken[class] += r->within[class] * copies;
    return true;
}

/* Looks if what is left of the copies of a symbol repeats. *SKIPPED: copies that do. */
static enum pilgrim_status try_symbol(struct repeats *r, const struct pilgrim_symbol *symbol, uint64_t copy,
                                      uint64_t *skipped, struct pilgrim_error *error)
{
    const uint64_t period = symbol->is_rule ? flat_grammar_length(&r->structure, (uint32_t)symbol->value) : 1;
    struct repeat repeat;
    *skipped = 0;
    if (symbol->exponent - copy < REPEATS_MIN || period > REPEATS_PERIOD_MAX || period == 0 ||
        (!symbol->is_rule && symbol->ramp))
        return PILGRIM_OK;
    const uint64_t cost = (period + r->class_count) / CALLS_PER_STEP;
    r->steps -= cost < r->steps ? cost : r->steps - 1;
    memset(r->within, 0, r->class_count * sizeof *r->within);
    enum pilgrim_status status = look(r, symbol, period, symbol->exponent - copy, &repeat, error);
    if (status != PILGRIM_OK || repeat.periods == 0)
        return status;
    *skipped = repeat.period / period * repeat.periods;
    return keep(r, &repeat, *skipped) ? PILGRIM_OK : no_memory(error);
}

/* ---- the walk ---- */

static enum pilgrim_status walk(struct repeats *r, struct pilgrim_error *error)
{
    struct repeats_frame frames[WALK_DEPTH_MAX] = {{.symbol = r->structure.first[0]}};
    enum pilgrim_status status = PILGRIM_OK;
    size_t depth = 1;
    for (r->steps = STEPS_FREE; depth > 0 && r->steps > 0 && r->count < REPEATS_COUNT_MAX && status == PILGRIM_OK;
         r->steps--) {
        struct repeats_frame *top = &frames[depth - 1];
        if (top->symbol == r->structure.first[top->rule + 1]) {
            if (--depth > 0)
                frames[depth - 1].copy++;
            continue;
        }
        const struct pilgrim_symbol *s = &r->structure.symbols[top->symbol];
        uint64_t skipped = 0;
        if (top->copy < s->exponent)
            status = try_symbol(r, s, top->copy, &skipped, error);
        top->copy += skipped;
        if (top->copy >= s->exponent) {
            top->symbol++;
            top->copy = 0;
        } else if (s->is_rule && depth == WALK_DEPTH_MAX) {
            break;
        } else if (s->is_rule) {
            frames[depth++] = (struct repeats_frame){(uint32_t)s->value, r->structure.first[s->value], 0};
        } else {
            const uint64_t class = s->value + (s->ramp ? top->copy : 0);
            if (class >= r->class_count)
                break;
            r->taken[class]++;
            r->at++;
            top->copy++;
        }
    }
    return status;
}

/* ---- memos ---- */

/* Finds the values of each class of the cursor's thread. *KNOWN: it is in groups of all of them. */
static enum pilgrim_status read_values(struct repeats *r, const struct pilgrim_cursor *cursor, size_t count,
                                       bool *known, struct pilgrim_error *error)
{
    if (count > r->capacity) {
        uint64_t *values = realloc(r->values, count * sizeof *values);
        if (!values)
            return no_memory(error);
        r->values = values;
        r->capacity = count;
    }
    *known = true;
    for (size_t i = 0; i < count && *known; i++) {
        struct pilgrim_class_info info;
        *known = pilgrim_class_info(cursor, i, &info) == PILGRIM_OK;
        r->values[i] = *known ? info.values : 0;
    }
    return PILGRIM_OK;
}

static struct repeats_memo *memo_of(struct repeats *r, uint64_t structure, size_t class_count)
{
    uint64_t hash = structure;
    for (size_t i = 0; i < class_count; i++)
        hash = (hash ^ r->values[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return &r->memos[hash >> 32 & (MEMOS - 1)];
}

static bool memo_fits(const struct repeats_memo *m, const struct repeats *r, uint64_t tables,
                      const struct pilgrim_thread_info *thread)
{
    return m->used && m->tables == tables && m->structure == thread->structure &&
           m->class_count == thread->class_count &&
           memcmp(m->values, r->values, m->class_count * sizeof *m->values) == 0;
}

/* Fills in the memo of the cursor's thread. */
static enum pilgrim_status fill(struct repeats *r, struct repeats_memo *m, const struct pilgrim_cursor *cursor,
                                const struct pilgrim_thread_info *thread, struct pilgrim_error *error)
{
    const size_t count = thread->class_count;
    r->cursor = cursor;
    r->class_count = count;
    r->at = r->symbols = 0;
    r->classes = calloc(count, sizeof *r->classes);
    r->taken = calloc(count, sizeof *r->taken);
    r->within = calloc(count, sizeof *r->within);
    uint64_t *values = malloc(count * sizeof *values);
    enum pilgrim_status status = r->classes && r->taken && r->within && values ? PILGRIM_OK : no_memory(error);
    if (status == PILGRIM_OK)
        status = flat_grammar_read(&r->structure, cursor, thread->structure, error);
    if (status == PILGRIM_OK && r->structure.rules)
        status = walk(r, error);
    if (status == PILGRIM_OK) {
        memcpy(values, r->values, count * sizeof *values);
        *m = (struct repeats_memo){true,    pilgrim_cursor_tables(cursor), thread->structure, values, count, r->found,
                                   r->count};
        r->found = NULL;
        values = NULL;
    }
    free(values);
    end_walk(r);
    return status;
}

enum pilgrim_status repeats_of(struct repeats *r, const struct pilgrim_cursor *cursor, const struct repeat **found,
                               size_t *count, struct pilgrim_error *error)
{
    struct pilgrim_thread_info thread;
    bool known;
    *found = NULL;
    *count = 0;
    pilgrim_thread_info(cursor, &thread);
    if (thread.loop_count || thread.class_count > CLASSES_MAX || thread.class_count == 0 ||
        pilgrim_cursor_segment_calls(cursor) < CALLS_MIN)
        return PILGRIM_OK;
    enum pilgrim_status status = read_values(r, cursor, thread.class_count, &known, error);
    if (status != PILGRIM_OK || !known)
        return status;
    struct repeats_memo *m = memo_of(r, thread.structure, thread.class_count);
    if (!memo_fits(m, r, pilgrim_cursor_tables(cursor), &thread)) {
        forget(m);
        status = fill(r, m, cursor, &thread, error);
    }
    *found = m->repeats;
    *count = m->count;
    return status;
}
