/* Cursors: one thread's calls in their order.
 *
 * The structure grammar says which class comes next, that class's value grammar which of its signatures. A signature is
 * evaluated when it is first met and kept, as calls repeat; when what is kept grows beyond a bound, all of it goes. */
#include <stdlib.h>
#include <string.h>

#include "reader/trace.h"

#define KEPT_BYTES_MAX (4u << 20)

struct kept {
    struct call_values *values;
    uint32_t generation; /* is there if this is the cursor's */
};

struct class_state {
    const struct group_class *group_class;
    const struct part *part;
    uint64_t position;
    struct rules_cursor values; /* begun with the class's first call */
    uint64_t behind;            /* calls that `values` has not passed over yet */
    struct kept *kept;          /* of each signature; likewise */
};

struct pilgrim_cursor {
    const struct pilgrim_trace *trace;
    uint32_t rank, thread;
    uint64_t seq;
    struct caller caller;
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
    if (strcmp(f->shown.name, "pilgrim_process") != 0 || !ranks || !sizes || !is_views(ranks, sizes)) {
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

/* The first terminal of a grammar that is not empty. */
static uint32_t first_terminal(const struct rules *r)
{
    const struct rules_symbol *s = &r->symbols[r->first[0]];
    while (s->is_rule)
        s = &r->symbols[r->first[s->value]];
    return s->value;
}

static const struct function *class_function(const struct pilgrim_trace *t, const struct group_class *class)
{
    return &t->functions[t->classes[class->class].function];
}

/* Reads the call of pilgrim_process in the rank's process stream. A stream without calls: the rank has no views. */
static enum pilgrim_status read_views(struct pilgrim_cursor *c, const char **problem)
{
    const struct pilgrim_trace *t = c->trace;
    uint64_t place, position, size;
    uint32_t number, at = 0;
    const struct group *g = stream_group(t, c->rank, &place);
    if (pilgrim_grammar_length(&t->sequences[g->sequence]) == 0)
        return PILGRIM_OK;
    while (at + 1 < g->class_count && strcmp(class_function(t, &g->classes[at])->shown.name, "pilgrim_process") != 0)
        at++;
    const struct group_class *class = &g->classes[at];
    const struct part *part = place_part(t, g, class, place, &number, &position, &size);
    const struct rules *values = &t->sequences[part->sequence].rules;
    if (values->length[0] == 0) {
        *problem = "no list of the groups that ranks refer to";
        return PILGRIM_DAMAGED;
    }
    uint32_t signature = part->signatures[first_terminal(values)];
    const struct function *f = class_function(t, class);
    struct arena scratch = {0};
    struct call_values *evaluated;
    enum pilgrim_status status =
        signature_evaluate(t, &t->signatures[signature], f, position, &c->caller, &scratch, &evaluated, problem);
    if (status == PILGRIM_OK)
        status = set_views(c, f, evaluated, problem);
    arena_free(&scratch);
    return status;
}

/* ---- open, close ---- */

static enum pilgrim_status open_classes(struct pilgrim_cursor *c, uint64_t stream)
{
    const struct pilgrim_trace *t = c->trace;
    uint64_t place, size;
    uint32_t number;
    const struct group *g = stream_group(t, stream, &place);
    c->class_count = g->class_count;
    c->classes = calloc(c->class_count + 1, sizeof *c->classes);
    if (!c->classes)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < c->class_count; i++) {
        struct class_state *state = &c->classes[i];
        state->group_class = &g->classes[i];
        state->part = place_part(t, g, state->group_class, place, &number, &state->position, &size);
    }
    return rules_cursor_init(&c->structure, &t->sequences[g->sequence].rules);
}

static enum pilgrim_status open_stream(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, uint64_t stream,
                                       struct pilgrim_cursor **cursor, struct pilgrim_error *error)
{
    struct pilgrim_cursor *c = calloc(1, sizeof *c);
    if (!c)
        return out_of_memory(error);
    *c = (struct pilgrim_cursor){
        .trace = trace, .rank = rank, .thread = thread, .caller.rank = rank, .generation = 1, .kept_limit = KEPT_BYTES_MAX};
    const char *problem = NULL;
    enum pilgrim_status status = read_views(c, &problem);
    if (status == PILGRIM_OK)
        status = open_classes(c, stream);
    if (status != PILGRIM_OK) {
        pilgrim_cursor_close(c);
        if (status == PILGRIM_NOMEM)
            return out_of_memory(error);
        return trace_error(error, status, trace->offset[SECTION_VALUES], "section values at byte %llu: rank %u: %s",
                           (unsigned long long)trace->offset[SECTION_VALUES], rank, problem);
    }
    *cursor = c;
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                        struct pilgrim_cursor **cursor, struct pilgrim_error *error)
{
    *cursor = NULL;
    if (thread >= pilgrim_thread_count(trace, rank))
        return trace_error(error, PILGRIM_INVALID, 0, "no thread %u of rank %u", thread, rank);
    return open_stream(trace, rank, thread, stream_number(trace, rank, thread), cursor, error);
}

enum pilgrim_status process_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, struct pilgrim_cursor **cursor,
                                        struct pilgrim_error *error)
{
    *cursor = NULL;
    if (rank >= trace->rank_count)
        return trace_error(error, PILGRIM_INVALID, 0, "no rank %u", rank);
    return open_stream(trace, rank, 0, rank, cursor, error);
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

static enum pilgrim_status class_begin(struct pilgrim_cursor *c, struct class_state *state)
{
    if (!state->kept) {
        size_t bytes = (state->part->signature_count + (size_t)1) * sizeof *state->kept;
        state->kept = arena_take(&c->arena, bytes);
        if (!state->kept)
            return PILGRIM_NOMEM;
        memset(state->kept, 0, bytes);
    }
    if (!state->values.rules)
        return rules_cursor_init(&state->values, &c->trace->sequences[state->part->sequence].rules);
    return PILGRIM_OK;
}

/* Fills in CALL but for seq and times from signature NUMBER of a class. */
static enum pilgrim_status make_call(struct pilgrim_cursor *c, struct class_state *state, uint32_t number,
                                     struct pilgrim_call *call, struct pilgrim_error *error)
{
    const struct pilgrim_trace *t = c->trace;
    struct kept *kept = &state->kept[number];
    const struct class *class = &t->classes[state->group_class->class];
    if (!kept->values || kept->generation != c->generation) {
        const char *problem = NULL;
        limit_kept(c);
        enum pilgrim_status status =
            signature_evaluate(t, &t->signatures[state->part->signatures[number]], &t->functions[class->function],
                               state->position, &c->caller, &c->kept, &kept->values, &problem);
        if (status != PILGRIM_OK)
            kept->values = NULL;
        if (status == PILGRIM_NOMEM)
            return out_of_memory(error);
        if (status != PILGRIM_OK)
            return trace_error(error, status, t->offset[SECTION_VALUES],
                               "section values at byte %llu: rank %u thread %u call %llu, %s: %s",
                               (unsigned long long)t->offset[SECTION_VALUES], c->rank, c->thread,
                               (unsigned long long)c->seq, class->shown.function->name, problem);
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
    uint32_t place, number;
    if (!rules_cursor_next(&c->structure, &place))
        return PILGRIM_END;
    struct class_state *state = &c->classes[place];
    if (class_begin(c, state) != PILGRIM_OK)
        return out_of_memory(error);
    if (state->behind) {
        rules_cursor_skip(&state->values, state->behind);
        state->behind = 0;
    }
    /* Checked when the trace was opened: there are as many values as calls. */
    rules_cursor_next(&state->values, &number);
    enum pilgrim_status status = make_call(c, state, number, call, error);
    call->seq = c->seq++;
    return status;
}

enum pilgrim_status pilgrim_cursor_skip(struct pilgrim_cursor *c, uint64_t count)
{
    uint32_t place;
    for (; count > 0 && rules_cursor_next(&c->structure, &place); count--) {
        c->classes[place].behind++;
        c->seq++;
    }
    return PILGRIM_OK;
}

enum pilgrim_status pilgrim_signature(struct pilgrim_cursor *c, size_t class_number, size_t number,
                                      struct pilgrim_call *call, struct pilgrim_error *error)
{
    if (class_number >= c->class_count || number >= c->classes[class_number].part->signature_count)
        return trace_error(error, PILGRIM_INVALID, 0, "no signature %zu of class %zu", number, class_number);
    struct class_state *state = &c->classes[class_number];
    if (class_begin(c, state) != PILGRIM_OK)
        return out_of_memory(error);
    return make_call(c, state, (uint32_t)number, call, error);
}
