/* Cursors: one thread's calls in their order.
 *
 * The structure's sequence says which class comes next, that class's sequence of values which of its signatures. Values are
 * evaluated when they are first met and kept, as calls repeat; when what is kept grows beyond a bound, all of it goes. */
#include <stdlib.h>
#include <string.h>

#include "reader/trace.h"

#define KEPT_BYTES_MAX (4u << 20)
#define KEPT_NUMBERS_MAX 4096 /* of a class */
#define SKIP_STEPS_MAX 1024   /* more calls are counted rather than passed one by one */

struct kept {
    struct call_values *values;
    uint64_t number;     /* of those values; numbers that are a multiple of KEPT_NUMBERS_MAX apart share a place */
    uint32_t generation; /* is there if this is the cursor's */
};

struct class_state {
    const struct class *class;
    const struct part *part;
    uint64_t position;
    struct rules_cursor values; /* begun with the class's first call */
    uint64_t taken;             /* calls that `values` has passed over ... */
    uint64_t behind;            /* ... and has not yet */
    struct kept *kept;          /* likewise */
};

struct pilgrim_cursor {
    const struct volume *volume;
    uint32_t rank, thread; /* in the trace */
    uint64_t seq;
    struct caller caller;
    uint64_t sequence; /* of the classes */
    struct rules_cursor structure;
    struct class_state *classes;
    size_t class_count;
    struct arena arena; /* of what lives as long as the cursor */
    struct arena kept;
    uint32_t generation;
    size_t kept_limit;
};

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

/* The first terminal of a sequence that has one. */
static uint64_t first_terminal(const struct rules *r, uint64_t sequence)
{
    if (!rules_is_expansion(sequence))
        return sequence / 2;
    const struct rules_symbol *s = &r->symbols[r->first[rules_start(sequence)]];
    while (s->is_rule)
        s = &r->symbols[r->first[s->value]];
    return s->value;
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
        values_find(v, found.part, first_terminal(&v->rules, found.part->sequence), found.position);
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
static bool fits(uint64_t *left, uint64_t bytes)
{
    if (bytes > *left)
        return false;
    *left -= bytes;
    return true;
}

static enum pilgrim_status open_classes(struct pilgrim_cursor *c, const struct stream_place *stream, const char **problem)
{
    const struct volume *v = c->volume;
    const struct group *g = stream->group;
    uint64_t left = v->call_budget;
    bool bounded = fits(&left, rules_cursor_bytes(&v->rules, g->sequence));
    c->sequence = g->sequence;
    c->class_count = g->row_count;
    c->classes = calloc(c->class_count + 1, sizeof *c->classes);
    if (!c->classes)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < c->class_count && bounded; i++) {
        const struct row *row = group_row(v, g, i);
        struct part_place found;
        if (!part_place(v, row, stream, &found))
            return in_no_group(problem);
        c->classes[i].class = &v->classes[row->class];
        c->classes[i].part = found.part;
        c->classes[i].position = found.position;
        bounded = fits(&left, rules_cursor_bytes(&v->rules, found.part->sequence));
    }
    if (!bounded) {
        *problem = "needs more memory than a file of its length may take";
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
        .volume = v, .rank = rank, .thread = thread, .caller.rank = rank, .generation = 1, .kept_limit = KEPT_BYTES_MAX};
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
        rules_cursor_free(&c->classes[i].values);
    rules_cursor_free(&c->structure);
    free(c->classes);
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

static size_t kept_places(const struct class_state *state)
{
    uint64_t numbers = state->part->numbers;
    return numbers < KEPT_NUMBERS_MAX ? (size_t)numbers : KEPT_NUMBERS_MAX;
}

static enum pilgrim_status class_begin(struct pilgrim_cursor *c, struct class_state *state)
{
    if (!state->kept) {
        size_t bytes = (kept_places(state) + 1) * sizeof *state->kept;
        state->kept = arena_take(&c->arena, bytes);
        if (!state->kept)
            return PILGRIM_NOMEM;
        memset(state->kept, 0, bytes);
    }
    if (!state->values.rules)
        return rules_cursor_init(&state->values, &c->volume->rules, state->part->sequence);
    return PILGRIM_OK;
}

/* Fills in CALL but for seq and times from signature NUMBER of a class. */
static enum pilgrim_status make_call(struct pilgrim_cursor *c, struct class_state *state, uint64_t number,
                                     struct pilgrim_call *call, struct pilgrim_error *error)
{
    const struct volume *v = c->volume;
    struct kept *kept = &state->kept[number % KEPT_NUMBERS_MAX];
    const struct class *class = state->class;
    if (!kept->values || kept->generation != c->generation || kept->number != number) {
        const char *problem = NULL;
        const struct values_place place = values_find(v, state->part, number, state->position);
        limit_kept(c);
        enum pilgrim_status status = signature_evaluate(v, &place, &v->functions[class->function], &c->caller, &c->kept,
                                                        &kept->values, &problem);
        if (status != PILGRIM_OK)
            kept->values = NULL;
        if (status == PILGRIM_NOMEM)
            return out_of_memory(error);
        if (status != PILGRIM_OK)
            return trace_error(error, status, v->offset[SECTION_CALLS],
                               "section calls at byte %llu: rank %u thread %u call %llu, %s: %s",
                               (unsigned long long)v->offset[SECTION_CALLS], c->rank, c->thread,
                               (unsigned long long)c->seq, class->shown.function->name, problem);
        kept->number = number;
        kept->generation = c->generation;
    }
    *call = (struct pilgrim_call){.rank = c->rank,
                                  .thread = c->thread,
                                  .class_ = &class->shown,
                                  .function = class->shown.function,
                                  .in = kept->values->in,
                                  .out = kept->values->out,
                                  .ret = kept->values->ret};
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_cursor_next(struct pilgrim_cursor *c, struct pilgrim_call *call,
                                        struct pilgrim_error *error)
{
    uint64_t place, number;
    if (!rules_cursor_next(&c->structure, &place))
        return PILGRIM_END;
    struct class_state *state = &c->classes[place];
    if (class_begin(c, state) != PILGRIM_OK)
        return out_of_memory(error);
    if (state->behind) {
        state->taken += rules_cursor_skip(&state->values, state->behind);
        state->behind = 0;
    }
    /* Checked when the trace was opened: there are as many values as calls. */
    rules_cursor_next(&state->values, &number);
    state->taken++;
    enum pilgrim_status status = make_call(c, state, number, call, error);
    call->seq = c->seq++;
    return status;
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

enum pilgrim_status pilgrim_cursor_skip(struct pilgrim_cursor *c, uint64_t count)
{
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
    return make_call(c, state, number, call, error);
}

uint64_t pilgrim_signature_run(const struct pilgrim_cursor *c, size_t class_number, uint64_t number)
{
    if (class_number >= c->class_count || number >= c->classes[class_number].part->numbers)
        return 0;
    const struct values_place place = values_find(c->volume, c->classes[class_number].part, number, 0);
    return place.signature->count - place.within;
}
