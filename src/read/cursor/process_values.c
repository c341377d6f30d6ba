/* SPDX-License-Identifier: BSD-3-Clause */
/* The call of pilgrim_process of a rank, and the rank bases that it has; see process_values.h. */
#include "read/cursor/process_values.h"

#include <stdlib.h>
#include <string.h>

#include "read/table/trace_error.h"

static bool is_rank_bases(const struct pilgrim_value *ranks, const struct pilgrim_value *sizes)
{
    if (ranks->type != PILGRIM_ARRAY || sizes->type != PILGRIM_ARRAY || ranks->count != sizes->count)
        return false;
    for (size_t i = 0; i < ranks->count; i++)
        if (ranks->items[i].type != PILGRIM_INT || sizes->items[i].type != PILGRIM_INT)
            return false;
    return true;
}

/* Copies the rank bases from the VALUES of pilgrim_process. BASES are to be freed. */
static enum pilgrim_status copy_rank_bases(const struct stored_function *f, const struct call_values *values,
                                           struct stored_rank_bases *bases, const char **problem)
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
    if (!ranks || !sizes || !is_rank_bases(ranks, sizes)) {
        *problem = "no list of rank bases";
        return PILGRIM_DAMAGED;
    }
    bases->items = malloc(ranks->count * sizeof *bases->items + 1);
    if (!bases->items)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < ranks->count; i++)
        bases->items[i] = (struct stored_rank_base){.rank = ranks->items[i].integer, .size = sizes->items[i].integer};
    bases->count = ranks->count;
    return PILGRIM_OK;
}

const char in_no_group[] = "is in no group";

static const struct group_class *class_of_group(const struct shard *v, const struct stored_group *g,
                                                uint32_t class_index)
{
    return &v->group_classes[g->classes[class_index]];
}

static const struct stored_function *class_function(const struct shard *v, const struct group_class *row)
{
    return &v->functions[v->classes[row->class].function];
}

enum pilgrim_status rank_error(const struct shard *v, uint32_t rank, enum pilgrim_status status, const char *problem,
                               struct pilgrim_error *error)
{
    if (status == PILGRIM_NOMEM)
        return trace_no_memory(error);
    return trace_error(error, status, v->offset[SECTION_CALLS], "section calls at byte %llu: rank %u: %s",
                       (unsigned long long)v->offset[SECTION_CALLS], rank, problem);
}

enum pilgrim_status process_stream_find(const struct pilgrim_trace *trace, uint32_t rank, uint32_t *segment,
                                        const struct shard **v, struct stream_position *stream,
                                        struct pilgrim_error *error)
{
    *v = NULL;
    for (*segment = trace->segment_count; (*segment)-- > 0;) {
        shard_release(trace, *v);
        enum pilgrim_status status = segment_hold(trace, *segment, rank, v, error);
        if (status == PILGRIM_END)
            continue;
        if (status != PILGRIM_OK)
            return status;
        if (!process_find(*v, rank - (*v)->first_rank, stream))
            return rank_error(*v, rank, PILGRIM_DAMAGED, in_no_group, error);
        if (stream->group->sequence != 0)
            return PILGRIM_OK;
    }
    return PILGRIM_END;
}

/* Evaluates the call of pilgrim_process in STREAM. */
static enum pilgrim_status evaluate_process(const struct shard *v, const struct stream_position *stream,
                                            const struct caller *caller, struct arena *arena,
                                            const struct stored_function **f, struct call_values **values,
                                            const char **problem)
{
    struct value_group_position found;
    const struct stored_group *g = stream->group;
    uint32_t at = 0;
    while (at + 1 < g->class_count &&
           strcmp(class_function(v, class_of_group(v, g, at))->shown.name, PROCESS_FUNCTION) != 0)
        at++;
    const struct group_class *row = class_of_group(v, g, at);
    *f = class_function(v, row);
    *problem = in_no_group;
    if (!value_group_find(v, row, stream, &found))
        return PILGRIM_DAMAGED;
    *problem = "no list of rank bases";
    if (row->calls == 0 || strcmp((*f)->shown.name, PROCESS_FUNCTION) != 0)
        return PILGRIM_DAMAGED;
    const struct values_position position =
        values_find(v, found.value_group, rules_first(&v->rules, found.value_group->sequence), found.position);
    return signature_evaluate(v, &position, *f, caller, arena, values, problem);
}

/* As process_values. */
static enum pilgrim_status find_values(const struct pilgrim_trace *trace, uint32_t rank, struct arena *arena,
                                       const struct shard **v, const struct stored_function **f,
                                       struct call_values **values, struct pilgrim_error *error)
{
    const struct caller caller = {.rank = rank};
    struct stream_position stream;
    uint32_t segment;
    const char *problem = NULL;
    enum pilgrim_status status = process_stream_find(trace, rank, &segment, v, &stream, error);
    if (status != PILGRIM_OK)
        return status;
    status = evaluate_process(*v, &stream, &caller, arena, f, values, &problem);
    return status == PILGRIM_OK ? status : rank_error(*v, rank, status, problem, error);
}

enum pilgrim_status process_values(const struct pilgrim_trace *trace, uint32_t rank, struct arena *arena,
                                   const struct shard **shard, const struct pilgrim_function **function,
                                   const struct pilgrim_value **in, struct pilgrim_error *error)
{
    const struct stored_function *f;
    struct call_values *values;
    enum pilgrim_status status = find_values(trace, rank, arena, shard, &f, &values, error);
    if (status != PILGRIM_OK)
        return status;
    *function = &f->shown;
    *in = values->in;
    return PILGRIM_OK;
}

enum pilgrim_status rank_bases_read(const struct pilgrim_trace *trace, uint32_t rank, struct stored_rank_bases *bases,
                                    struct pilgrim_error *error)
{
    struct arena scratch = {0};
    const struct shard *v;
    const struct stored_function *f;
    struct call_values *values;
    const char *problem = NULL;
    *bases = (struct stored_rank_bases){0};
    enum pilgrim_status status = find_values(trace, rank, &scratch, &v, &f, &values, error);
    if (status == PILGRIM_OK) {
        status = copy_rank_bases(f, values, bases, &problem);
        if (status != PILGRIM_OK)
            rank_error(v, rank, status, problem, error);
    }
    shard_release(trace, v);
    arena_free(&scratch);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}
