/* Cursors: one thread's calls in their order.
 *
 * The structure's sequence says which class comes next, that class's sequence of values which of its signatures. Values are
 * evaluated when they are first met and kept, as calls repeat; when what is kept grows beyond a bound, all of it goes. */
#include <stdlib.h>
#include <string.h>

#include "reader/cursor.h"

#define KEPT_BYTES_MAX (4u << 20)
#define SKIP_STEPS_MAX 1024   /* more calls are counted rather than passed one by one */

static enum pilgrim_status out_of_memory(struct pilgrim_error *error)
{
    return trace_error(error, PILGRIM_NOMEM, 0, "not enough memory");
}

/* ---- the rank's views ---- */

static bool is_views(const struct pilgrim_value *ranks, const struct pilgrim_value *sizes)
{
    if (ranks->type != PILGRIM_ARRAY || sizes->type != PILGRIM_ARRAY || ranks->count != sizes->count)
        return false;
    for (size_t i = 0; i < ranks->count; i++)
        if (ranks->items[i].type != PILGRIM_INT || sizes->items[i].type != PILGRIM_INT)
            return false;
    return true;
}

static enum pilgrim_status set_views(struct pilgrim_cursor *c, const struct function *f, const struct call_values *values,
                                     const char **problem)
{
    const struct pilgrim_value *ranks = NULL, *sizes = NULL;
    for (size_t i = 0; i < f->shown.parameter_count; i++) {
        if (f->shown.parameters[i].direction != PILGRIM_IN)
            continue;
        if (strcmp(f->shown.parameters[i].name, "views_rank") == 0)
            ranks = &values->in[i];
        if (strcmp(f->shown.parameters[i].name, "views_size") == 0)
            sizes = &values->in[i];
    }
    if (!ranks || !sizes || !is_views(ranks, sizes)) {
        *problem = "no list of the groups that ranks refer to";
        return PILGRIM_DAMAGED;
    }
    struct view *views = arena_take(&c->arena, ranks->count * sizeof *views + 1);
    if (!views)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < ranks->count; i++)
        views[i] = (struct view){.rank = ranks->items[i].integer, .size = sizes->items[i].integer};
    c->caller.views = views;
    c->caller.view_count = ranks->count;
    return PILGRIM_OK;
}

static enum pilgrim_status in_no_group(const char **problem)
{
    *problem = "is in none of the groups";
    return PILGRIM_DAMAGED;
}

static const struct row *group_row(const struct volume *v, const struct group *g, uint32_t place)
{
    return &v->rows[g->rows[place]];
}

static const struct function *row_function(const struct volume *v, const struct row *row)
{
    return &v->functions[v->classes[row->class].function];
}

/* The call of pilgrim_process in the process stream of CALLER's rank. PILGRIM_END: the stream has no calls */
static enum pilgrim_status evaluate_process(const struct volume *v, const struct caller *caller, struct arena *arena,
                                            const struct function **f, struct call_values **values,
                                            const char **problem)
{
    struct stream_place stream;
    struct part_place found;
    uint32_t at = 0;
    if (!process_place(v, caller->rank - v->first_rank, &stream))
        return in_no_group(problem);
    const struct group *g = stream.group;
    if (g->sequence == 0)
        return PILGRIM_END;
    while (at + 1 < g->row_count && strcmp(row_function(v, group_row(v, g, at))->shown.name, "pilgrim_process") != 0)
        at++;
    const struct row *row = group_row(v, g, at);
    *f = row_function(v, row);
    if (!part_place(v, row, &stream, &found))
        return in_no_group(problem);
    if (row->calls == 0 || strcmp((*f)->shown.name, "pilgrim_process") != 0) {
        *problem = "no list of the groups that ranks refer to";
        return PILGRIM_DAMAGED;
    }
    const struct values_place place =
        values_find(v, found.part, rules_first(&v->rules, found.part->sequence), found.position);
    return signature_evaluate(v, &place, *f, caller, arena, values, problem);
}

/* A stream without calls: the rank has no views. */
static enum pilgrim_status read_views(struct pilgrim_cursor *c, const char **problem)
{
    struct arena scratch = {0};
    const struct function *f;
    struct call_values *values;
    enum pilgrim_status status = evaluate_process(c->volume, &c->caller, &scratch, &f, &values, problem);
    if (status == PILGRIM_OK)
        status = set_views(c, f, values, problem);
    arena_free(&scratch);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

static enum pilgrim_status rank_error(const struct volume *v, uint32_t rank, enum pilgrim_status status,
                                      const char *problem, struct pilgrim_error *error)
{
    if (status == PILGRIM_NOMEM)
        return out_of_memory(error);
    return trace_error(error, status, v->offset[SECTION_CALLS], "section calls at byte %llu: rank %u: %s",
                       (unsigned long long)v->offset[SECTION_CALLS], rank, problem);
}

enum pilgrim_status process_values(const struct pilgrim_trace *trace, uint32_t rank, struct arena *arena,
                                   const struct pilgrim_function **function, const struct pilgrim_value **in,
                                   struct pilgrim_error *error)
{
    const struct volume *v = rank_volume(trace, rank);
    const struct caller caller = {.rank = rank};
    const struct function *f;
    struct call_values *values;
    const char *problem = NULL;
    enum pilgrim_status status = evaluate_process(v, &caller, arena, &f, &values, &problem);
    if (status == PILGRIM_END)
        return status;
    if (status != PILGRIM_OK)
        return rank_error(v, rank, status, problem, error);
    *function = &f->shown;
    *in = values->in;
    return PILGRIM_OK;
}

/* ---- open, close ---- */

/* Walks take memory by the depth of their grammars, which are shared: what all of them together take is bounded. */
static bool open_loops(struct pilgrim_cursor *c, const struct group *g)
{
    size_t count = g->loop_count;
    if (count == 0)
        return true;
    c->loops = calloc(count, sizeof *c->loops);
    c->nest = calloc(count, sizeof *c->nest);
    for (size_t i = 0; i < count && c->loops && c->nest; i++)
        c->loops[i].loop = &g->loops[i];
    c->loop_count = c->loops && c->nest ? count : 0;
    return c->loop_count == count;
}

static enum pilgrim_status open_classes(struct pilgrim_cursor *c, const struct stream_place *stream, const char **problem)
{
    const struct volume *v = c->volume;
    const struct group *g = stream->group;
    c->memory_left = v->call_budget;
    bool bounded = memory_fits(&c->memory_left, rules_cursor_bytes(&v->rules, g->sequence));
    c->sequence = g->sequence;
    c->class_count = g->row_count;
    c->classes = calloc(c->class_count + 1, sizeof *c->classes);
    if (!c->classes || !open_loops(c, g))
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < c->loop_count && bounded; i++) {
        c->classes[g->loops[i].place].loop = &c->loops[i];
        bounded = memory_fits(&c->memory_left, rules_cursor_bytes(&v->rules, g->loops[i].body));
    }
    for (uint32_t i = 0; i < c->class_count && bounded; i++) {
        const struct row *row = group_row(v, g, i);
        struct part_place found;
        if (!part_place(v, row, stream, &found))
            return in_no_group(problem);
        c->classes[i].class = &v->classes[row->class];
        c->classes[i].part = found.part;
        c->needs_registers |= found.part->needs_registers;
        c->has_posted |= found.part->has_posted;
        c->classes[i].position = found.position;
        bounded = memory_fits(&c->memory_left, rules_cursor_bytes(&v->rules, found.part->sequence));
    }
    if (!bounded) {
        *problem = memory_problem;
        return PILGRIM_LIMIT;
    }
    return rules_cursor_init(&c->structure, &v->rules, g->sequence);
}

/* STREAM: NULL where the thread is in no group. */
static enum pilgrim_status open_stream(const struct volume *v, uint32_t rank, uint32_t thread,
                                       const struct stream_place *stream, struct pilgrim_cursor **cursor,
                                       struct pilgrim_error *error)
{
    struct pilgrim_cursor *c = calloc(1, sizeof *c);
    if (!c)
        return out_of_memory(error);
    *c = (struct pilgrim_cursor){
        .volume = v, .rank = rank, .thread = thread, .caller.rank = rank, .generation = 1, .kept_limit = KEPT_BYTES_MAX,
        .registers.limit = v->call_budget, .begun.limit = v->call_budget};
    const char *problem = NULL;
    enum pilgrim_status status = stream ? read_views(c, &problem) : in_no_group(&problem);
    if (status == PILGRIM_OK)
        status = open_classes(c, stream, &problem);
    if (status != PILGRIM_OK) {
        pilgrim_cursor_close(c);
        return rank_error(v, rank, status, problem, error);
    }
    *cursor = c;
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                        struct pilgrim_cursor **cursor, struct pilgrim_error *error)
{
    struct stream_place stream;
    *cursor = NULL;
    if (thread >= pilgrim_thread_count(trace, rank))
        return trace_error(error, PILGRIM_INVALID, 0, "no thread %u of rank %u", thread, rank);
    const struct volume *v = rank_volume(trace, rank);
    bool found = thread_place(v, rank - v->first_rank, thread, &stream);
    return open_stream(v, rank, thread, found ? &stream : NULL, cursor, error);
}

enum pilgrim_status process_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, struct pilgrim_cursor **cursor,
                                        struct pilgrim_error *error)
{
    struct stream_place stream;
    *cursor = NULL;
    if (rank >= trace->rank_count)
        return trace_error(error, PILGRIM_INVALID, 0, "no rank %u", rank);
    const struct volume *v = rank_volume(trace, rank);
    bool found = process_place(v, rank - v->first_rank, &stream);
    return open_stream(v, rank, 0, found ? &stream : NULL, cursor, error);
}

void pilgrim_cursor_close(struct pilgrim_cursor *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->class_count && c->classes; i++)
        class_close(&c->classes[i]);
    for (size_t i = 0; i < c->loop_count; i++)
        loop_close(&c->loops[i]);
    rules_cursor_free(&c->structure);
    free(c->classes);
    free(c->loops);
    free(c->nest);
    registers_free(&c->registers);
    begun_free(&c->begun);
    arena_free(&c->once);
    arena_free(&c->arena);
    arena_free(&c->kept);
    free(c);
}

/* ---- calls ---- */

/* Drops what is kept if it has grown too large. */
static void limit_kept(struct pilgrim_cursor *c)
{
    if (c->kept.total <= c->kept_limit)
        return;
    arena_free(&c->kept);
    c->generation++;
}

static enum pilgrim_status call_error(const struct pilgrim_cursor *c, const struct class_state *state,
                                      enum pilgrim_status status, const char *problem, struct pilgrim_error *error)
{
    const struct volume *v = c->volume;
    if (status == PILGRIM_NOMEM)
        return out_of_memory(error);
    return trace_error(error, status, v->offset[SECTION_CALLS],
                       "section calls at byte %llu: rank %u thread %u call %llu, %s: %s",
                       (unsigned long long)v->offset[SECTION_CALLS], c->rank, c->thread, (unsigned long long)c->seq,
                       state ? state->class->shown.function->name : "loops", problem);
}

/* Values that were met before, and those that are met now and kept. */
static enum pilgrim_status kept_values(struct pilgrim_cursor *c, struct class_state *state, uint64_t number,
                                       struct call_values **values, const char **problem)
{
    const struct volume *v = c->volume;
    struct kept *kept = &state->kept[number % KEPT_NUMBERS_MAX];
    if (!kept->values || kept->generation != c->generation || kept->number != number) {
        const struct values_place place = values_find(v, state->part, number, state->position);
        limit_kept(c);
        enum pilgrim_status status = signature_evaluate(v, &place, &v->functions[state->class->function], &c->caller,
                                                        &c->kept, &kept->values, problem);
        if (status != PILGRIM_OK) {
            kept->values = NULL;
            return status;
        }
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

/* Values that are met now and not kept. REGISTERS: of the cursor, or NULL. */
static enum pilgrim_status values_once(struct pilgrim_cursor *c, struct class_state *state, const struct values_place *place,
                                       struct registers *registers, struct call_values **values, const char **problem)
{
    const struct volume *v = c->volume;
    struct caller caller = c->caller;
    caller.registers = registers;
    caller.begun = registers ? &c->begun : NULL;
    arena_free(&c->once);
    return signature_evaluate(v, place, &v->functions[state->class->function], &caller, &c->once, values, problem);
}

/* Whether the values at PLACE are other ones each time. */
static bool varies(const struct volume *v, const struct values_place *place)
{
    return place->signature && (place->signature->is_unzipped || v->shapes[place->signature->shape].needs_registers);
}

/* Whether calls of the class begin operations that others may ask for. */
static bool begins(const struct pilgrim_cursor *c, const struct class_state *state)
{
    return c->has_posted && c->volume->functions[state->class->function].begun.request != BEGUN_NOWHERE;
}

/* Signature NUMBER of a class, at PLACE if it varies. REGISTERS: of the cursor where this is the next call, else NULL. */
static enum pilgrim_status find_values(struct pilgrim_cursor *c, struct class_state *state, uint64_t number,
                                       const struct values_place *place, struct registers *registers,
                                       struct call_values **values, const char **problem)
{
    enum pilgrim_status status = state->loop || varies(c->volume, place)
                                     ? values_once(c, state, place, registers, values, problem)
                                     : kept_values(c, state, number, values, problem);
    if (status != PILGRIM_OK || !registers || !begins(c, state))
        return status;
    return begun_note(&c->begun, &c->volume->functions[state->class->function].begun, (*values)->in, (*values)->out);
}

/* Fills in CALL but for seq and times from signature NUMBER of a class. PLACE: where its values are if they are other ones each
 * time. */
static enum pilgrim_status make_call(struct pilgrim_cursor *c, struct class_state *state, uint64_t number,
                                     const struct values_place *place, struct registers *registers,
                                     struct pilgrim_call *call, struct pilgrim_error *error)
{
    const struct class *class = state->class;
    struct call_values *values = NULL;
    const char *problem = NULL;
    enum pilgrim_status status = find_values(c, state, number, place, registers, &values, &problem);
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
                                  .ret = values->ret};
    return PILGRIM_OK;
}

/* As loops_next; what is wrong stays. */
static enum pilgrim_status walk_loops(struct pilgrim_cursor *c, uint64_t limit, uint64_t *passed, uint64_t *place)
{
    *passed = 0;
    if (c->broken != PILGRIM_OK)
        return c->broken;
    const char *problem = NULL;
    enum pilgrim_status status = loops_next(c, limit, passed, place, &problem);
    note_problem(c, status, problem);
    return status;
}

/* The place of the next call. */
static enum pilgrim_status next_place(struct pilgrim_cursor *c, uint64_t *place, struct pilgrim_error *error)
{
    uint64_t passed;
    if (c->needs_registers && c->broken != PILGRIM_OK)
        return call_error(c, NULL, c->broken, c->problem, error);
    if (c->loop_count == 0)
        return rules_cursor_next(&c->structure, place) ? PILGRIM_OK : PILGRIM_END;
    enum pilgrim_status status = walk_loops(c, 0, &passed, place);
    return status == PILGRIM_OK || status == PILGRIM_END ? status : call_error(c, NULL, status, c->problem, error);
}

enum pilgrim_status pilgrim_cursor_next(struct pilgrim_cursor *c, struct pilgrim_call *call,
                                        struct pilgrim_error *error)
{
    uint64_t place_of_class, number;
    struct values_place place;
    const char *problem = NULL;
    if (c->passed)
        return trace_error(error, PILGRIM_INVALID, 0, "what calls have kept was passed over");
    enum pilgrim_status status = next_place(c, &place_of_class, error);
    if (status != PILGRIM_OK)
        return status;
    struct class_state *state = &c->classes[place_of_class];
    status = class_next(c, state, &number, &place, &problem);
    if (status != PILGRIM_OK) {
        note_problem(c, status, problem);
        return call_error(c, state, status, problem, error);
    }
    status = make_call(c, state, number, &place, &c->registers, call, error);
    call->seq = c->seq++;
    return status;
}

/* Whether calls of the class depend on others, or others on them. */
static bool depends(const struct pilgrim_cursor *c, const struct class_state *state)
{
    return state->part->needs_registers || begins(c, state);
}

/* Passes over a call of such a class. */
static enum pilgrim_status pass_keeping(struct pilgrim_cursor *c, struct class_state *state, struct pilgrim_error *error)
{
    uint64_t number;
    struct values_place place;
    struct call_values *values;
    const char *problem = NULL;
    enum pilgrim_status status = class_next(c, state, &number, &place, &problem);
    if (status == PILGRIM_OK && (begins(c, state) || varies(c->volume, &place)))
        status = find_values(c, state, number, &place, &c->registers, &values, &problem);
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
    uint64_t place;
    c->tells_loops = true;
    enum pilgrim_status status = next_place(c, &place, error);
    c->tells_loops = false;
    if (status != PILGRIM_OK)
        return status;
    *class_number = (size_t)place;
    *count = 0;
    if (c->classes[place].loop)
        return PILGRIM_OK;
    *count = 1 + rules_cursor_take_same(c->depth > 0 ? &c->nest[c->depth - 1]->body : &c->structure);
    c->passed |= c->needs_registers;
    c->classes[place].behind += *count;
    c->seq += *count;
    return PILGRIM_OK;
}

/* What is damaged is reported by the next call that is asked for. */
static enum pilgrim_status skip_keeping(struct pilgrim_cursor *c, uint64_t count)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (; count > 0 && status == PILGRIM_OK; count--) {
        uint64_t place;
        status = next_place(c, &place, NULL);
        if (status == PILGRIM_OK && depends(c, &c->classes[place])) {
            status = pass_keeping(c, &c->classes[place], NULL);
        } else if (status == PILGRIM_OK) {
            c->classes[place].behind++;
            c->seq++;
        }
    }
    return status == PILGRIM_NOMEM ? status : PILGRIM_OK;
}

/* Sets how far each class is behind after the first SEQ calls. */
static enum pilgrim_status count_behind(struct pilgrim_cursor *c, uint64_t seq)
{
    uint64_t work, *counts = malloc((c->class_count + 1) * sizeof *counts);
    if (!counts)
        return PILGRIM_NOMEM;
    enum pilgrim_status status = rules_count_terminals(&c->volume->rules, c->sequence, seq, counts, c->class_count, &work);
    for (size_t i = 0; i < c->class_count && status == PILGRIM_OK; i++)
        c->classes[i].behind = counts[i] - c->classes[i].taken;
    free(counts);
    return status;
}

/* What is damaged is reported by the next call that is asked for. */
static enum pilgrim_status skip_loops(struct pilgrim_cursor *c, uint64_t count)
{
    while (count > 0) {
        uint64_t place, passed;
        enum pilgrim_status status = walk_loops(c, count, &passed, &place);
        c->seq += passed;
        count -= passed;
        if (status == PILGRIM_NOMEM)
            return status;
        if (status != PILGRIM_OK)
            break;
        if (place == PLACE_NONE)
            continue;
        c->classes[place].behind++;
        c->seq++;
        count--;
    }
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_cursor_skip(struct pilgrim_cursor *c, uint64_t count)
{
    if (c->needs_registers && !c->passed)
        return skip_keeping(c, count);
    if (c->loop_count > 0)
        return skip_loops(c, count);
    uint64_t place, left = rules_length(&c->volume->rules, c->sequence) - c->seq;
    if (count > left)
        count = left;
    if (count > SKIP_STEPS_MAX) {
        enum pilgrim_status status = count_behind(c, c->seq + count);
        if (status == PILGRIM_OK)
            c->seq += rules_cursor_skip(&c->structure, count);
        return status;
    }
    for (; count > 0 && rules_cursor_next(&c->structure, &place); count--) {
        c->classes[place].behind++;
        c->seq++;
    }
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_signature(struct pilgrim_cursor *c, size_t class_number, uint64_t number,
                                      struct pilgrim_call *call, struct pilgrim_error *error)
{
    if (pilgrim_signature_run(c, class_number, number) == 0)
        return trace_error(error, PILGRIM_INVALID, 0, "no signature %llu of class %zu", (unsigned long long)number,
                           class_number);
    struct class_state *state = &c->classes[class_number];
    if (class_begin(c, state) != PILGRIM_OK)
        return out_of_memory(error);
    const struct values_place place = values_find(c->volume, state->part, number, state->position);
    return make_call(c, state, number, &place, NULL, call, error);
}

static bool has_signature(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    return class_number < c->class_count && number < c->classes[class_number].part->numbers;
}

uint64_t pilgrim_signature_run(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    if (!has_signature(c, class_number, number))
        return 0;
    const struct values_place place = values_find(c->volume, c->classes[class_number].part, number, 0);
    return place.signature->count - place.within;
}

bool pilgrim_signature_varies(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    return has_signature(c, class_number, number) &&
           values_find(c->volume, c->classes[class_number].part, number, 0).signature->is_unzipped;
}
