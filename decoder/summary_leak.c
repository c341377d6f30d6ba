/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds which calls began the requests that were never completed; see summary.h. */
#include "summary.h"

#include <stdlib.h>

#include "decode_errors.h"
#include "analysis/counted_calls.h"
#include "analysis/key_table.h"

/* The requests of one class on a rank. */
struct leak_class {
    uint64_t begun, ended;
    const struct pilgrim_class *class; /* of the call that began the last one */
};

struct leak_search {
    struct summary *s;
    struct leak_class *classes;
    size_t count;
    struct key_table numbers; /* of classes, by their id */
};

/* Returns the requests of class ID. NULL: no memory. */
static struct leak_class *class_of(struct leak_search *l, int64_t id)
{
    const uint64_t *number = key_table_put(&l->numbers, (struct key){{(uint64_t)id}}, l->count);
    if (!number || *number < l->count)
        return number ? &l->classes[*number] : NULL;
    struct leak_class *grown = realloc(l->classes, (l->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    l->classes = grown;
    grown[l->count] = (struct leak_class){0};
    return &grown[l->count++];
}

/* Counts requests that a call gives, or takes and does not give back, CALLS times. False: no memory. */
static bool count(struct leak_search *l, const struct pilgrim_call *call, const struct pilgrim_value *in,
                  const struct pilgrim_value *out, uint64_t calls)
{
    if (out->type == PILGRIM_ARRAY) {
        for (size_t i = 0; i < out->count; i++)
            if (!count(l, call, in && in->type == PILGRIM_ARRAY && i < in->count ? &in->items[i] : NULL, &out->items[i],
                       calls))
                return false;
        return true;
    }
    const bool ended = in && in->type == PILGRIM_REQUEST && out->type == PILGRIM_NAME;
    if (!ended && (in || out->type != PILGRIM_REQUEST))
        return true;
    struct leak_class *found = class_of(l, ended ? in->id : out->id);
    if (!found)
        return false;
    if (ended) {
        found->ended += calls;
        return true;
    }
    struct class_copy *copy = copy_class(&l->s->classes, call->class_);
    if (!copy)
        return false;
    found->begun += calls;
    found->class = &copy->class;
    return true;
}

static enum pilgrim_status count_calls(struct leak_search *l, struct counted_calls *c, struct pilgrim_error *error)
{
    struct pilgrim_call call;
    uint64_t calls;
    enum pilgrim_status status;
    while ((status = counted_calls_next(c, 0, &call, &calls, error)) == PILGRIM_OK)
        for (size_t i = 0; i < call.function->parameter_count; i++) {
            const enum pilgrim_direction direction = call.function->parameters[i].direction;
            if (direction != PILGRIM_IN &&
                !count(l, &call, direction == PILGRIM_INOUT ? &call.in[i] : NULL, &call.out[i], calls))
                return no_memory(error);
        }
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

enum pilgrim_status summary_find_leak(struct summary *s, struct pilgrim_error *error)
{
    struct leak_search l = {.s = s};
    struct counted_calls *c = counted_calls_new(s->trace);
    enum pilgrim_status status = c ? PILGRIM_OK : no_memory(error);
    const uint32_t rank = s->pending_rank, threads = pilgrim_thread_count(s->trace, rank);
    for (uint32_t thread = 0; thread < threads && status == PILGRIM_OK; thread++) {
        status = counted_calls_begin(c, rank, thread, COUNTED, error);
        if (status == PILGRIM_OK)
            status = count_calls(&l, c, error);
    }
    for (size_t i = 0; i < l.count; i++) {
        const uint64_t left = l.classes[i].begun > l.classes[i].ended ? l.classes[i].begun - l.classes[i].ended : 0;
        if (left > s->leak) {
            s->leak = left;
            s->leak_class = l.classes[i].class;
        }
    }
    counted_calls_free(c);
    key_table_clear(&l.numbers);
    free(l.classes);
    return status;
}
