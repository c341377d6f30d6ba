/* How a cursor begins, and how it comes into another round: the rank's views, the stream's classes and loops. */
#include <stdlib.h>
#include <string.h>

#include "read/cursor.h"

#define KEPT_BYTES_MAX (4u << 20)
#define IN_PLACE_BYTES_MAX (2u << 20)

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

struct views {
    struct view *views;
    size_t count;
};

/* VIEWS are to be freed. */
static enum pilgrim_status copy_views(const struct function *f, const struct call_values *values, struct views *views,
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
    views->views = malloc(ranks->count * sizeof *views->views + 1);
    if (!views->views)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < ranks->count; i++)
        views->views[i] = (struct view){.rank = ranks->items[i].integer, .size = sizes->items[i].integer};
    views->count = ranks->count;
    return PILGRIM_OK;
}

static const char in_no_group[] = "is in none of the groups";

static const struct row *group_row(const struct volume *v, const struct group *g, uint32_t place)
{
    return &v->rows[g->rows[place]];
}

static const struct function *row_function(const struct volume *v, const struct row *row)
{
    return &v->functions[v->classes[row->class].function];
}

static enum pilgrim_status rank_error(const struct volume *v, uint32_t rank, enum pilgrim_status status,
                                      const char *problem, struct pilgrim_error *error)
{
    if (status == PILGRIM_NOMEM)
        return trace_no_memory(error);
    return trace_error(error, status, v->offset[SECTION_CALLS], "section calls at byte %llu: rank %u: %s",
                       (unsigned long long)v->offset[SECTION_CALLS], rank, problem);
}

/* The round whose process stream of RANK counts, its volume and the stream; the volume is to be released, also after an error.
 * PILGRIM_END: none has calls */
static enum pilgrim_status find_process(const struct pilgrim_trace *trace, uint32_t rank, uint32_t *round,
                                        const struct volume **v, struct stream_place *stream, struct pilgrim_error *error)
{
    *v = NULL;
    for (*round = trace->round_count; (*round)-- > 0;) {
        volume_release(trace, *v);
        enum pilgrim_status status = round_hold(trace, *round, rank, v, error);
        if (status == PILGRIM_END)
            continue;
        if (status != PILGRIM_OK)
            return status;
        if (!process_place(*v, rank - (*v)->first_rank, stream))
            return rank_error(*v, rank, PILGRIM_DAMAGED, in_no_group, error);
        if (stream->group->sequence != 0)
            return PILGRIM_OK;
    }
    return PILGRIM_END;
}

/* The call of pilgrim_process in STREAM. */
static enum pilgrim_status evaluate_process(const struct volume *v, const struct stream_place *stream,
                                            const struct caller *caller, struct arena *arena, const struct function **f,
                                            struct call_values **values, const char **problem)
{
    struct part_place found;
    const struct group *g = stream->group;
    uint32_t at = 0;
    while (at + 1 < g->row_count && strcmp(row_function(v, group_row(v, g, at))->shown.name, "pilgrim_process") != 0)
        at++;
    const struct row *row = group_row(v, g, at);
    *f = row_function(v, row);
    *problem = in_no_group;
    if (!part_place(v, row, stream, &found))
        return PILGRIM_DAMAGED;
    *problem = "no list of the groups that ranks refer to";
    if (row->calls == 0 || strcmp((*f)->shown.name, "pilgrim_process") != 0)
        return PILGRIM_DAMAGED;
    const struct values_place place =
        values_find(v, found.part, rules_first(&v->rules, found.part->sequence), found.position);
    return signature_evaluate(v, &place, *f, caller, arena, values, problem);
}

/* As process_values. */
static enum pilgrim_status find_values(const struct pilgrim_trace *trace, uint32_t rank, struct arena *arena,
                                       const struct volume **v, const struct function **f, struct call_values **values,
                                       struct pilgrim_error *error)
{
    const struct caller caller = {.rank = rank};
    struct stream_place stream;
    uint32_t round;
    const char *problem = NULL;
    enum pilgrim_status status = find_process(trace, rank, &round, v, &stream, error);
    if (status != PILGRIM_OK)
        return status;
    status = evaluate_process(*v, &stream, &caller, arena, f, values, &problem);
    return status == PILGRIM_OK ? status : rank_error(*v, rank, status, problem, error);
}

enum pilgrim_status process_values(const struct pilgrim_trace *trace, uint32_t rank, struct arena *arena,
                                   const struct volume **volume, const struct pilgrim_function **function,
                                   const struct pilgrim_value **in, struct pilgrim_error *error)
{
    const struct function *f;
    struct call_values *values;
    enum pilgrim_status status = find_values(trace, rank, arena, volume, &f, &values, error);
    if (status != PILGRIM_OK)
        return status;
    *function = &f->shown;
    *in = values->in;
    return PILGRIM_OK;
}

/* A rank without process streams has none. */
static enum pilgrim_status read_views(const struct pilgrim_trace *trace, uint32_t rank, struct views *views,
                                      struct pilgrim_error *error)
{
    struct arena scratch = {0};
    const struct volume *v;
    const struct function *f;
    struct call_values *values;
    const char *problem = NULL;
    *views = (struct views){0};
    enum pilgrim_status status = find_values(trace, rank, &scratch, &v, &f, &values, error);
    if (status == PILGRIM_OK) {
        status = copy_views(f, values, views, &problem);
        if (status != PILGRIM_OK)
            rank_error(v, rank, status, problem, error);
    }
    volume_release(trace, v);
    arena_free(&scratch);
    return status == PILGRIM_END ? PILGRIM_OK : status;
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

static enum pilgrim_status open_classes(struct pilgrim_cursor *c, const char **problem)
{
    const struct volume *v = c->volume;
    const struct group *g = c->stream.group;
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
        *problem = in_no_group;
        if (!part_place(v, row, &c->stream, &found))
            return PILGRIM_DAMAGED;
        c->classes[i].class = &v->classes[row->class];
        c->classes[i].part = found.part;
        c->needs_registers |= found.part->needs_registers;
        c->has_posted |= found.part->has_posted;
        c->follows |= found.part->follows;
        c->classes[i].position = found.position;
        bounded = memory_fits(&c->memory_left, rules_cursor_bytes(&v->rules, found.part->sequence));
    }
    if (!bounded) {
        *problem = memory_problem;
        return PILGRIM_LIMIT;
    }
    return rules_cursor_init(&c->structure, &v->rules, g->sequence);
}

/* A cursor over STREAM of V, in ROUND. Takes V, which is held, also where it fails. */
static enum pilgrim_status open_stream(const struct pilgrim_trace *trace, const struct volume *v, uint32_t round, uint32_t rank,
                                       uint32_t thread, const struct stream_place *stream, struct pilgrim_cursor **cursor,
                                       struct pilgrim_error *error)
{
    struct pilgrim_cursor *c = calloc(1, sizeof *c);
    if (!c) {
        volume_release(trace, v);
        return trace_no_memory(error);
    }
    *c = (struct pilgrim_cursor){
        .trace = trace, .volume = v, .stream = *stream, .rank = rank, .thread = thread, .round = round, .caller.rank = rank,
        .generation = 1, .kept_limit = KEPT_BYTES_MAX, .in_place_left = IN_PLACE_BYTES_MAX,
        .registers.limit = v->call_budget, .begun.limit = v->call_budget};
    const char *problem = NULL;
    enum pilgrim_status status = open_classes(c, &problem);
    if (status != PILGRIM_OK) {
        rank_error(v, rank, status, problem, error);
        pilgrim_cursor_close(c);
        return status;
    }
    *cursor = c;
    return PILGRIM_OK;
}

enum pilgrim_status round_cursor_open(const struct pilgrim_trace *trace, uint32_t round, uint32_t rank, uint32_t thread,
                                      struct pilgrim_cursor **cursor, struct pilgrim_error *error)
{
    const struct volume *v;
    struct stream_place stream;
    enum pilgrim_status status = round_hold(trace, round, rank, &v, error);
    if (status != PILGRIM_OK)
        return status;
    if (thread_place(v, rank - v->first_rank, thread, &stream))
        return open_stream(trace, v, round, rank, thread, &stream, cursor, error);
    rank_error(v, rank, PILGRIM_DAMAGED, in_no_group, error);
    volume_release(trace, v);
    return PILGRIM_DAMAGED;
}

/* The first round from ROUND on in which the thread has calls, or the number of rounds. */
static uint32_t round_with(const struct pilgrim_trace *trace, uint32_t round, uint32_t rank, uint32_t thread)
{
    while (round < trace->round_count && round_is_silent(trace, round, rank, thread))
        round++;
    return round;
}

/* That, or the first one that it is in. */
static uint32_t first_round(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    uint32_t round = round_with(trace, 0, rank, thread);
    if (round < trace->round_count)
        return round;
    for (round = 0; thread >= round_threads(trace, round, rank);)
        round++;
    return round;
}

static void set_views(struct pilgrim_cursor *c, const struct views *views)
{
    c->views = views->views;
    c->caller.views = views->views;
    c->caller.view_count = views->count;
}

enum pilgrim_status pilgrim_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                        struct pilgrim_cursor **cursor, struct pilgrim_error *error)
{
    struct views views;
    if (cursor)
        *cursor = NULL;
    if (!trace || !cursor)
        return trace_null(error);
    if (thread >= pilgrim_thread_count(trace, rank))
        return trace_error(error, PILGRIM_INVALID, 0, "no thread %u of rank %u", thread, rank);
    enum pilgrim_status status = read_views(trace, rank, &views, error);
    if (status == PILGRIM_OK)
        status = round_cursor_open(trace, first_round(trace, rank, thread), rank, thread, cursor, error);
    if (status == PILGRIM_OK)
        set_views(*cursor, &views);
    else
        free(views.views);
    if (status == PILGRIM_OK)
        call_times_begin(&(*cursor)->times, trace, rank, thread);
    return status;
}

enum pilgrim_status process_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, struct pilgrim_cursor **cursor,
                                        struct pilgrim_error *error)
{
    const struct volume *v;
    struct stream_place stream;
    struct views views;
    uint32_t round;
    *cursor = NULL;
    if (rank >= trace->rank_count)
        return trace_error(error, PILGRIM_INVALID, 0, "no rank %u", rank);
    enum pilgrim_status status = read_views(trace, rank, &views, error);
    if (status != PILGRIM_OK)
        return status;
    status = find_process(trace, rank, &round, &v, &stream, error);
    if (status == PILGRIM_OK || status == PILGRIM_END) /* where none has calls, the first one is as good */
        status = open_stream(trace, v, round + (status == PILGRIM_END), rank, 0, &stream, cursor, error);
    else
        volume_release(trace, v);
    if (status != PILGRIM_OK) {
        free(views.views);
        return status;
    }
    (*cursor)->is_process = true;
    set_views(*cursor, &views);
    return PILGRIM_OK;
}

enum pilgrim_status cursor_next_round(struct pilgrim_cursor *c, struct pilgrim_error *error)
{
    struct pilgrim_cursor *next, last;
    uint32_t round = c->is_process ? c->trace->round_count : round_with(c->trace, c->round + 1, c->rank, c->thread);
    if (round == c->trace->round_count)
        return PILGRIM_END;
    enum pilgrim_status status = round_cursor_open(c->trace, round, c->rank, c->thread, &next, error);
    if (status != PILGRIM_OK)
        return status;
    const struct views views = {c->views, c->caller.view_count};
    set_views(next, &views);
    c->views = NULL;
    next->seq = next->first_seq = c->seq;
    next->identities = c->identities;
    next->tells_loops = c->tells_loops;
    next->times = c->times;
    c->times = (struct call_times){0};
    call_times_leave_round(&next->times);
    last = *c;
    *c = *next;
    *next = last;
    pilgrim_cursor_close(next);
    return PILGRIM_OK;
}

uint32_t pilgrim_cursor_round(const struct pilgrim_cursor *c)
{
    return c ? c->round : 0;
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
    live_free(&c->live);
    call_times_free(&c->times);
    arena_free(&c->once);
    arena_free(&c->arena);
    arena_free(&c->kept);
    free(c->views);
    volume_release(c->trace, c->volume);
    free(c);
}
