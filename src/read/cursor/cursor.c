/* SPDX-License-Identifier: BSD-3-Clause */
/* Cursors: the calls of one thread in their order.
 *
 * The structure grammar says which class is called next; the value grammar of the class says with which signature.
 * Calls repeat, so values are evaluated once and cached. If the cache exceeds a limit all of it is dropped.
 *
 * The file is long because walking, skipping and evaluating share the errors, registers and requests of the cursor. */
#include "read/cursor/cursor.h"

#include <stdlib.h>

#include "read/cursor/class_values.h"
#include "read/cursor/cursor_open.h"
#include "read/cursor/loop_counts.h"
#include "read/cursor/loop_walk.h"
#include "read/table/columns.h"
#include "read/table/trace_error.h"
#include "read/value/delta_values.h"
#include "read/value/uniform.h"
#include "read/value/unzipped_values.h"
#include "rules/rules_uses.h"

#define CACHED_OTHERS_MAX 16   /* values of one signature that are cached */
#define SKIP_STEPS_MAX    1024 /* more calls are skipped by counting, fewer one by one */

/* ---- calls ---- */

/* Drops the cache if it has grown too large. */
static void limit_cached(struct pilgrim_cursor *c)
{
    if (c->cached.total <= cursor_cached_limit())
        return;
    begun_settle(&c->begun);
    arena_free(&c->cached);
    c->generation++;
}

static enum pilgrim_status call_error(const struct pilgrim_cursor *c, const struct class_state *state,
                                      enum pilgrim_status status, const char *problem, struct pilgrim_error *error)
{
    const struct shard *v = c->shard;
    if (status == PILGRIM_NOMEM)
        return trace_no_memory(error);
    return trace_error(error, status, v->offset[SECTION_CALLS],
                       "section calls at byte %llu: rank %u thread %u call %llu, %s: %s",
                       (unsigned long long)v->offset[SECTION_CALLS], c->rank, c->thread, (unsigned long long)c->seq,
                       state ? state->class->shown.function->name : "loops", problem);
}

/* Returns values from the cache, or evaluates and caches them. */
static enum pilgrim_status cached_values(struct pilgrim_cursor *c, struct class_state *state, uint64_t number,
                                         struct call_values **values, const char **problem)
{
    const struct shard *v = c->shard;
    struct value_cache *kept = &state->cache[number % CACHED_NUMBERS_MAX];
    if (!kept->values || kept->generation != c->generation || kept->number != number) {
        const struct values_position at = values_find(v, state->value_group, number, state->position);
        limit_cached(c);
        enum pilgrim_status status = signature_evaluate(v, &at, &v->functions[state->class->function], &c->caller,
                                                        &c->cached, &kept->values, problem);
        if (status != PILGRIM_OK) {
            kept->values = NULL;
            return status;
        }
        kept->values->identity = ++c->identities;
        kept->number = number;
        kept->generation = c->generation;
    }
    *values = kept->values;
    return PILGRIM_OK;
}

static void note_problem(struct pilgrim_cursor *c, enum pilgrim_status status, const char *problem)
{
    if (status != PILGRIM_DAMAGED && status != PILGRIM_LIMIT)
        return;
    c->broken = status;
    c->problem = problem;
}

/* Returns the caller of a call of the class. REGISTERS: of the cursor, or NULL. */
static struct caller caller_of(struct pilgrim_cursor *c, const struct class_state *state, struct registers *registers)
{
    struct caller caller = c->caller;
    caller.registers = registers;
    caller.begun = registers ? &c->begun : NULL;
    caller.live = registers ? &c->live : NULL;
    caller.own_numbers = c->own_numbers;
    caller.class_count = c->class_count;
    caller.class_index = (size_t)(state - c->classes);
    return caller;
}

/* Evaluates values without caching them. REGISTERS: of the cursor, or NULL. */
static enum pilgrim_status values_once(struct pilgrim_cursor *c, struct class_state *state,
                                       const struct values_position *at, struct registers *registers,
                                       struct call_values **values, const char **problem)
{
    const struct shard *v = c->shard;
    const struct caller caller = caller_of(c, state, registers);
    const struct stored_function *f = &v->functions[state->class->function];
    if (at->unzipped) {
        enum pilgrim_status status = unzipped_values(at, f, &caller, &c->unzipped_budget, values, problem);
        if (status != PILGRIM_OK || *values)
            return status;
    }
    arena_clear(&c->once);
    return signature_evaluate(v, at, f, &caller, &c->once, values, problem);
}

/* True if the values at AT differ from call to call. */
static bool varies(const struct shard *v, const struct values_position *at)
{
    return at->signature && (at->signature->is_unzipped || v->shapes[at->signature->shape].needs_registers);
}

/* True if calls of the class begin operations that posted statuses may refer to. */
static bool begins(const struct pilgrim_cursor *c, const struct class_state *state)
{
    return c->has_posted && c->shard->functions[state->class->function].begun.request != BEGUN_NOWHERE;
}

/* True if the values at AT depend on the signature and the state of requests alone. */
static bool follow(const struct shard *v, const struct values_position *at)
{
    const struct shape *shape = at->signature ? &v->shapes[at->signature->shape] : NULL;
    return shape && shape->needs_registers && !shape->has_registers && !at->signature->is_unzipped;
}

/* True if calls of the class begin or complete requests whose state matters. */
static bool tells_live(const struct pilgrim_cursor *c, const struct class_state *state)
{
    const struct begun_parameters *p = &c->shard->functions[state->class->function].begun;
    return c->follows && (p->request != BEGUN_NOWHERE || p->ended != BEGUN_NOWHERE);
}

/* Returns values that depend on the state of requests: from the cache if the state is the same, else evaluated, and
 * cached unless there are too many. */
static enum pilgrim_status following_values(struct pilgrim_cursor *c, struct class_state *state, uint64_t number,
                                            const struct values_position *at, struct call_values **values,
                                            const char **problem)
{
    struct value_cache *kept = &state->cache[number % CACHED_NUMBERS_MAX];
    const struct caller caller = caller_of(c, state, &c->registers);
    limit_cached(c);
    if (kept->generation != c->generation || kept->number != number || !kept->values)
        *kept = (struct value_cache){.number = number, .generation = c->generation};
    for (*values = kept->values; *values; *values = (*values)->other)
        if (uses_hold(*values, &caller))
            return PILGRIM_OK;
    if (kept->fickle)
        return values_once(c, state, at, &c->registers, values, problem);
    enum pilgrim_status status = signature_evaluate(c->shard, at, &c->shard->functions[state->class->function], &caller,
                                                    &c->cached, values, problem);
    if (status != PILGRIM_OK)
        return status;
    (*values)->other = kept->values;
    if (!uses_hold(*values, &caller)) { /* they do not hold even now, so they never will: do not cache them */
        (*values)->identity = 0;
        kept->fickle = true;
        return PILGRIM_OK;
    }
    (*values)->identity = ++c->identities;
    kept->values = *values;
    kept->fickle = ++kept->others == CACHED_OTHERS_MAX;
    return PILGRIM_OK;
}

/* Records which requests the call begins and completes. */
static enum pilgrim_status note_requests(struct pilgrim_cursor *c, const struct class_state *state,
                                         const struct call_values *values, const char **problem)
{
    const struct begun_parameters *p = &c->shard->functions[state->class->function].begun;
    enum pilgrim_status status = PILGRIM_OK;
    if (begins(c, state))
        status = begun_note(&c->begun, p, values->in, values->out, values->identity);
    if (status == PILGRIM_OK && tells_live(c, state))
        status = begun_follow(&c->live, p, values->in, values->out);
    if (status == PILGRIM_OK && c->live.bytes > c->begun.limit) {
        *problem = c->shard->memory_problem;
        return PILGRIM_LIMIT;
    }
    return status;
}

/* Gets the values of signature NUMBER of a class. AT: where they are if they differ from call to call. REGISTERS: those
 * of the cursor if this is the next call, else NULL. */
static enum pilgrim_status find_values(struct pilgrim_cursor *c, struct class_state *state, uint64_t number,
                                       const struct values_position *at, struct registers *registers,
                                       struct call_values **values, const char **problem)
{
    enum pilgrim_status status;
    if (registers && follow(c->shard, at))
        status = following_values(c, state, number, at, values, problem);
    else if (state->loop || varies(c->shard, at))
        status = values_once(c, state, at, registers, values, problem);
    else
        status = cached_values(c, state, number, values, problem);
    return status == PILGRIM_OK && registers ? note_requests(c, state, *values, problem) : status;
}

/* Fills in CALL without seq and times, from signature NUMBER of a class. AT: where its values are if they differ from
 * call to call. */
static enum pilgrim_status make_call(struct pilgrim_cursor *c, struct class_state *state, uint64_t number,
                                     const struct values_position *at, struct registers *registers,
                                     struct pilgrim_call *call, struct pilgrim_error *error)
{
    const struct class *class = state->class;
    struct call_values *values = NULL;
    const char *problem = NULL;
    enum pilgrim_status status = find_values(c, state, number, at, registers, &values, &problem);
    if (status != PILGRIM_OK && registers && c->needs_registers)
        note_problem(c, status, problem);
    if (status != PILGRIM_OK)
        return call_error(c, state, status, problem, error);
    *call = (struct pilgrim_call){.rank = c->rank,
                                  .thread = c->thread,
                                  .class_ = &class->shown,
                                  .function = class->shown.function,
                                  .in = values->in,
                                  .out = values->out,
                                  .ret = values->ret,
                                  .identity = values->identity};
    return PILGRIM_OK;
}

/* As loops_next. An error stays: the walk does not go on. */
static enum pilgrim_status walk_loops(struct pilgrim_cursor *c, uint64_t limit, uint64_t *passed, uint64_t *class_index)
{
    *passed = 0;
    if (c->broken != PILGRIM_OK)
        return c->broken;
    const char *problem = NULL;
    enum pilgrim_status status = loops_next(c, limit, passed, class_index, &problem);
    note_problem(c, status, problem);
    return status;
}

/* Gets the class index of the next call in this segment. */
static enum pilgrim_status next_in_segment(struct pilgrim_cursor *c, uint64_t *class_index, struct pilgrim_error *error)
{
    uint64_t passed;
    if (c->needs_registers && c->broken != PILGRIM_OK)
        return call_error(c, NULL, c->broken, c->problem, error);
    if (c->loop_count == 0)
        return rules_cursor_next(&c->structure, class_index) ? PILGRIM_OK : PILGRIM_END;
    enum pilgrim_status status = walk_loops(c, 0, &passed, class_index);
    return status == PILGRIM_OK || status == PILGRIM_END ? status : call_error(c, NULL, status, c->problem, error);
}

enum pilgrim_status cursor_pass_in_segment(struct pilgrim_cursor *c, uint64_t *class_index)
{
    enum pilgrim_status status = next_in_segment(c, class_index, NULL);
    if (status != PILGRIM_OK)
        return status;
    c->classes[*class_index].behind++;
    c->seq++;
    return PILGRIM_OK;
}

/* The same, in this segment or a later one. */
static enum pilgrim_status next_class_index(struct pilgrim_cursor *c, uint64_t *class_index,
                                            struct pilgrim_error *error)
{
    enum pilgrim_status status = next_in_segment(c, class_index, error);
    while (status == PILGRIM_END && (status = cursor_next_segment(c, error)) == PILGRIM_OK)
        status = next_in_segment(c, class_index, error);
    return status;
}

enum pilgrim_status pilgrim_cursor_next(struct pilgrim_cursor *c, struct pilgrim_call *call,
                                        struct pilgrim_error *error)
{
    uint64_t class_index, number;
    struct values_position at;
    const char *problem = NULL;
    if (!c || !call)
        return trace_null(error);
    if (c->passed)
        return trace_error(error, PILGRIM_INVALID, 0, "the cursor has passed calls that store values for later ones");
    enum pilgrim_status status = next_class_index(c, &class_index, error);
    if (status == PILGRIM_END)
        call_times_end(c);
    if (status != PILGRIM_OK)
        return status;
    struct class_state *state = &c->classes[class_index];
    status = class_next(c, state, &number, &at, &problem);
    if (status != PILGRIM_OK) {
        note_problem(c, status, problem);
        return call_error(c, state, status, problem, error);
    }
    status = make_call(c, state, number, &at, &c->registers, call, error);
    call->seq = c->seq++;
    if (status == PILGRIM_OK)
        call_times_put(c, (uint32_t)class_index, call);
    return status;
}

/* True if calls of the class depend on other calls, or other calls on them. */
static bool depends(const struct pilgrim_cursor *c, const struct class_state *state)
{
    return state->value_group->needs_registers || begins(c, state) || tells_live(c, state);
}

/* Passes a call of such a class. */
static enum pilgrim_status pass_keeping(struct pilgrim_cursor *c, struct class_state *state,
                                        struct pilgrim_error *error)
{
    uint64_t number;
    struct values_position at;
    struct call_values *values;
    const char *problem = NULL;
    enum pilgrim_status status = class_next(c, state, &number, &at, &problem);
    if (status == PILGRIM_OK && (begins(c, state) || tells_live(c, state) || varies(c->shard, &at)))
        status = find_values(c, state, number, &at, &c->registers, &values, &problem);
    if (status != PILGRIM_OK) {
        note_problem(c, status, problem);
        return call_error(c, state, status, problem, error);
    }
    c->seq++;
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_cursor_pass(struct pilgrim_cursor *c, size_t *class_number, uint64_t *count,
                                        struct pilgrim_error *error)
{
    uint64_t class_index;
    if (!c || !class_number || !count)
        return trace_null(error);
    c->tells_loops = true;
    enum pilgrim_status status = next_class_index(c, &class_index, error);
    c->tells_loops = false;
    if (status != PILGRIM_OK)
        return status;
    *class_number = (size_t)class_index;
    *count = 0;
    if (c->classes[class_index].loop)
        return PILGRIM_OK;
    *count = 1 + rules_cursor_take_same(c->depth > 0 ? &c->nest[c->depth - 1]->body : &c->structure);
    c->passed |= c->needs_registers;
    c->classes[class_index].behind += *count;
    c->seq += *count;
    return PILGRIM_OK;
}

/* Skips calls one by one, and evaluates those that others depend on. The next call that is asked for reports damage. */
static enum pilgrim_status skip_keeping(struct pilgrim_cursor *c, uint64_t count)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (; count > 0 && status == PILGRIM_OK; count--) {
        uint64_t class_index;
        status = next_in_segment(c, &class_index, NULL);
        if (status == PILGRIM_OK && depends(c, &c->classes[class_index])) {
            status = pass_keeping(c, &c->classes[class_index], NULL);
        } else if (status == PILGRIM_OK) {
            c->classes[class_index].behind++;
            c->seq++;
        }
    }
    return status == PILGRIM_NOMEM ? status : PILGRIM_OK;
}

/* Sets `behind` of each class after the first SEQ calls of the segment. */
static enum pilgrim_status count_behind(struct pilgrim_cursor *c, uint64_t seq)
{
    uint64_t work, *counts = malloc((c->class_count + 1) * sizeof *counts);
    if (!counts)
        return PILGRIM_NOMEM;
    enum pilgrim_status status =
        rules_count_terminals(&c->shard->rules, c->sequence, seq, counts, c->class_count, &work);
    for (size_t i = 0; i < c->class_count && status == PILGRIM_OK; i++)
        c->classes[i].behind = counts[i] - c->classes[i].taken;
    free(counts);
    return status;
}

/* What is damaged is reported by the next call that is asked for. */
static enum pilgrim_status skip_loops(struct pilgrim_cursor *c, uint64_t count)
{
    while (count > 0) {
        uint64_t class_index, passed;
        enum pilgrim_status status = walk_loops(c, count, &passed, &class_index);
        c->seq += passed;
        count -= passed;
        if (status == PILGRIM_NOMEM)
            return status;
        if (status != PILGRIM_OK)
            break;
        if (class_index == PLACE_NONE)
            continue;
        c->classes[class_index].behind++;
        c->seq++;
        count--;
    }
    return PILGRIM_OK;
}

/* Skips calls by counting the classes among them. Values of the classes are not looked at. */
static enum pilgrim_status skip_counting(struct pilgrim_cursor *c, uint64_t count)
{
    uint64_t class_index, passed = c->seq - c->first_seq, left = rules_length(&c->shard->rules, c->sequence) - passed;
    if (count > left)
        count = left;
    if (count > SKIP_STEPS_MAX) {
        enum pilgrim_status status = count_behind(c, passed + count);
        if (status == PILGRIM_OK)
            c->seq += rules_cursor_skip(&c->structure, count);
        return status;
    }
    for (; count > 0 && rules_cursor_next(&c->structure, &class_index); count--) {
        c->classes[class_index].behind++;
        c->seq++;
    }
    return PILGRIM_OK;
}

enum pilgrim_status cursor_skip_in_segment(struct pilgrim_cursor *c, uint64_t count)
{
    if (c->needs_registers && !c->passed)
        return skip_keeping(c, count);
    return c->loop_count > 0 ? skip_loops(c, count) : skip_counting(c, count);
}

/* False: the thread is damaged. */
static bool count_calls(const struct pilgrim_cursor *c, uint64_t *calls)
{
    *calls = c->stream.group->calls;
    return c->loop_count == 0 || loops_call_count(c->trace, c->segment, c->rank, c->thread, calls);
}

/* Skips the rest of this segment at once, if *COUNT is more and another segment follows: registers and requests do not
 * outlast a segment. Does so only if the thread has registers or requests to follow. */
static bool pass_segment(struct pilgrim_cursor *c, uint64_t *count)
{
    uint64_t calls, seq = c->seq;
    if (!c->needs_registers || c->passed || c->broken != PILGRIM_OK || *count <= SKIP_STEPS_MAX ||
        c->trace->segment_count == 1 || !count_calls(c, &calls) || *count < c->first_seq + calls - seq)
        return false;
    c->seq = c->first_seq + calls;
    if (cursor_next_segment(c, NULL) != PILGRIM_OK) {
        c->seq = seq;
        return false;
    }
    *count -= c->seq - seq;
    return true;
}

enum pilgrim_status pilgrim_cursor_skip(struct pilgrim_cursor *c, uint64_t count)
{
    enum pilgrim_status status = PILGRIM_OK;
    if (!c)
        return PILGRIM_INVALID;
    while (status == PILGRIM_OK && count > 0) {
        if (pass_segment(c, &count))
            continue;
        uint64_t before = c->seq;
        status = cursor_skip_in_segment(c, count);
        count -= c->seq - before;
        if (status != PILGRIM_OK || count == 0 || c->broken != PILGRIM_OK)
            break;
        status = cursor_next_segment(c, NULL);
    }
    return status == PILGRIM_NOMEM ? status : PILGRIM_OK;
}

enum pilgrim_status pilgrim_cursor_skip_repeats(struct pilgrim_cursor *c, uint64_t count)
{
    if (!c)
        return PILGRIM_INVALID;
    if (c->needs_registers && c->loop_count == 0 && c->broken == PILGRIM_OK) {
        const uint64_t before = c->seq;
        const enum pilgrim_status status = skip_counting(c, count);
        if (status != PILGRIM_OK)
            return status;
        count -= c->seq - before;
    }
    return pilgrim_cursor_skip(c, count);
}

uint64_t pilgrim_cursor_segment_calls(const struct pilgrim_cursor *c)
{
    uint64_t calls;
    return c && count_calls(c, &calls) ? calls : 0;
}

enum pilgrim_status pilgrim_cursor_next_segment(struct pilgrim_cursor *c, struct pilgrim_error *error)
{
    uint64_t calls;
    if (!c)
        return trace_null(error);
    if (!count_calls(c, &calls))
        return call_error(c, NULL, PILGRIM_DAMAGED, "trips that cannot be counted", error);
    uint64_t seq = c->seq;
    c->seq = c->first_seq + calls;
    enum pilgrim_status status = cursor_next_segment(c, error);
    if (status != PILGRIM_OK)
        c->seq = seq;
    return status;
}

enum pilgrim_status pilgrim_signature(struct pilgrim_cursor *c, size_t class_number, uint64_t number,
                                      struct pilgrim_call *call, struct pilgrim_error *error)
{
    if (!c || !call)
        return trace_null(error);
    if (pilgrim_signature_run(c, class_number, number) == 0)
        return trace_error(error, PILGRIM_INVALID, 0, "no signature %llu of class %zu", (unsigned long long)number,
                           class_number);
    struct class_state *state = &c->classes[class_number];
    if (class_begin(c, state) != PILGRIM_OK)
        return trace_no_memory(error);
    const struct values_position at = values_find(c->shard, state->value_group, number, state->position);
    return make_call(c, state, number, &at, NULL, call, error);
}

static bool has_signature(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    return c && class_number < c->class_count && number < c->classes[class_number].value_group->call_count_limit;
}

uint64_t pilgrim_signature_run(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    if (!has_signature(c, class_number, number))
        return 0;
    const struct values_position at = values_find(c->shard, c->classes[class_number].value_group, number, 0);
    return at.signature->count - at.within;
}

bool pilgrim_signature_varies(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    return has_signature(c, class_number, number) &&
           values_find(c->shard, c->classes[class_number].value_group, number, 0).signature->is_unzipped;
}

/* True if signature NUMBER may be the same on all threads of its value group: no class of a request is found by own
 * numbers, or these are the same on all of them. */
static bool has_one_class(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    const struct class_state *state = &c->classes[class_number];
    const struct stored_column *threads = c->shard->threads;
    const uint32_t ranks = c->shard->rank_count;
    return !c->shard->shapes[values_find(c->shard, state->value_group, number, 0).signature->shape].has_own ||
           state->value_group_size == 1 ||
           (c->loop_count == 0 && threads->increases && column_value(c->shard, threads, ranks, 0) == ranks);
}

bool pilgrim_signature_uniform(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    return has_signature(c, class_number, number) && has_one_class(c, class_number, number) &&
           signature_is_uniform(c->shard,
                                values_find(c->shard, c->classes[class_number].value_group, number, 0).signature);
}

bool pilgrim_signature_uniform_apart(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    return has_signature(c, class_number, number) && has_one_class(c, class_number, number) &&
           signature_is_uniform_apart(c->shard,
                                      values_find(c->shard, c->classes[class_number].value_group, number, 0).signature);
}
