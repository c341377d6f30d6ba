/* SPDX-License-Identifier: BSD-3-Clause */
/* The second cursor; see replay_order.h. */
#include "replay_order.h"

#include <stdlib.h>
#include <string.h>

#include "replay_step.h"

enum { WILDCARDS_MAX = 1 << 20 };

struct replay_wildcard {
    uint64_t seq; /* of the call that began the receive */
    bool done;
    int64_t source, tag;
};

bool order_wildcard(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_NAME && strncmp(v->text, "MPI_ANY_", 8) == 0;
}

static struct replay_wildcard *wildcard_at(struct replay_order *o, uint64_t number)
{
    return &o->wildcards[number % o->room];
}

static bool add(struct replay_order *o, uint64_t seq)
{
    if (o->count == o->room) {
        uint64_t room = o->room ? o->room * 2 : 64;
        struct replay_wildcard *larger = room <= WILDCARDS_MAX ? calloc(room, sizeof *larger) : NULL;
        if (!larger)
            return false;
        for (uint64_t i = o->first; i < o->first + o->count; i++)
            larger[i % room] = *wildcard_at(o, i);
        free(o->wildcards);
        o->wildcards = larger;
        o->room = room;
    }
    *wildcard_at(o, o->first + o->count++) = (struct replay_wildcard){.seq = seq};
    return true;
}

/* A request has ended, with this status. */
static void resolve(struct replay_order *o, const struct pilgrim_value *request, const struct pilgrim_value *status)
{
    if (request->type != PILGRIM_REQUEST || status->type != PILGRIM_STATUS || status->count < 2)
        return;
    struct replay_object *p = object_find(&o->pending, object_kind("request"), request->id, request->offset, 0);
    if (!p)
        return;
    if (p->slot >= o->first && status->items[0].type != PILGRIM_NONE) {
        struct replay_wildcard *w = wildcard_at(o, p->slot);
        struct replay_step none = {0};
        w->done = true;
        w->source = step_number(&none, &status->items[0]);
        w->tag = step_number(&none, &status->items[1]);
    }
    object_drop(&o->pending, p);
}

static const struct pilgrim_value *item(const struct pilgrim_value *array, size_t i)
{
    static const struct pilgrim_value none = {.type = PILGRIM_NONE};
    return array->type == PILGRIM_ARRAY && i < array->count ? &array->items[i] : &none;
}

/* Looks for the ends of requests in a call. */
static void see_ends(struct replay_order *o, const struct pilgrim_call *call)
{
    const struct pilgrim_function *f = call->function;
    int one = step_find(f, "request"), many = step_find(f, "array_of_requests");
    int status = step_find(f, "status"), statuses = step_find(f, "array_of_statuses");
    int index = step_find(f, "index"), indices = step_find(f, "array_of_indices");
    if (one >= 0 && status >= 0)
        resolve(o, &call->in[one], &call->out[status]);
    if (many < 0)
        return;
    if (index >= 0 && status >= 0 && call->out[index].type == PILGRIM_INT && call->out[index].integer >= 0)
        resolve(o, item(&call->in[many], (size_t)call->out[index].integer), &call->out[status]);
    if (indices >= 0 && statuses >= 0)
        for (size_t i = 0; call->out[indices].type == PILGRIM_ARRAY && i < call->out[indices].count; i++)
            resolve(o, item(&call->in[many], (size_t)call->out[indices].items[i].integer),
                    item(&call->out[statuses], i));
    else if (statuses >= 0)
        for (size_t i = 0; call->in[many].type == PILGRIM_ARRAY && i < call->in[many].count; i++)
            resolve(o, item(&call->in[many], i), item(&call->out[statuses], i));
}

/* Returns true if the call begins a receive with a wildcard, other than a persistent one. */
static bool begins(const struct pilgrim_call *call, int request)
{
    const struct pilgrim_function *f = call->function;
    if (request < 0 || f->parameters[request].direction != PILGRIM_OUT || strstr(f->name, "_init"))
        return false;
    int source = step_find(f, "source"), tag = step_find(f, "recvtag");
    if (tag < 0)
        tag = step_find(f, "tag");
    return source >= 0 && tag >= 0 && (order_wildcard(&call->in[source]) || order_wildcard(&call->in[tag]));
}

/* Moves the second cursor behind the next call. */
static void look(struct replay_order *o)
{
    struct pilgrim_call call;
    if (pilgrim_cursor_next(o->ahead, &call, NULL) != PILGRIM_OK) {
        o->ended = true;
        return;
    }
    see_ends(o, &call);
    int request = step_find(call.function, "request");
    if (!begins(&call, request) || call.out[request].type != PILGRIM_REQUEST)
        return;
    uint64_t number = o->first + o->count;
    struct replay_object *p =
        object_make(&o->pending, object_kind("request"), call.out[request].id, call.out[request].offset, 0);
    if (!p || !add(o, call.seq)) {
        o->ended = true;
        return;
    }
    p->slot = number;
}

bool order_received(struct replay_order *o, uint64_t seq, int64_t *source, int64_t *tag)
{
    if (!o->ahead && pilgrim_cursor_open(o->trace, o->rank, o->thread, &o->ahead, NULL) != PILGRIM_OK)
        return false;
    while (!o->ended && !(o->count && wildcard_at(o, o->first)->seq >= seq && wildcard_at(o, o->first)->done)) {
        if (o->count && wildcard_at(o, o->first)->seq < seq) {
            o->first++;
            o->count--;
        } else
            look(o);
    }
    while (o->count && wildcard_at(o, o->first)->seq < seq) {
        o->first++;
        o->count--;
    }
    if (!o->count || wildcard_at(o, o->first)->seq != seq || !wildcard_at(o, o->first)->done)
        return false;
    *source = wildcard_at(o, o->first)->source;
    *tag = wildcard_at(o, o->first)->tag;
    return true;
}

void order_close(struct replay_order *o)
{
    pilgrim_cursor_close(o->ahead);
    free(o->wildcards);
    o->ahead = NULL;
    o->wildcards = NULL;
}
