/* SPDX-License-Identifier: BSD-3-Clause */
/* The second cursor; see replay_order.h. */
#include "replay_order.h"

#include <stdlib.h>
#include <string.h>

#include "replay_step.h"

enum { WILDCARDS_MAX = 1 << 20 };

struct replay_wildcard {
    uint64_t seq; /* of the call that began the receive */
    size_t place; /* among the requests that the call began */
    bool done;    /* it has ended */
    bool known;   /* and got a message, */
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

static bool add(struct replay_order *o, uint64_t seq, size_t place)
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
    *wildcard_at(o, o->first + o->count++) = (struct replay_wildcard){.seq = seq, .place = place};
    return true;
}

static struct replay_object *named(const struct replay_objects *objects, const struct pilgrim_value *request)
{
    return request->type == PILGRIM_REQUEST
               ? object_find(objects, object_kind("request"), request->id, request->offset, 0)
               : NULL;
}

static struct replay_object *name(struct replay_objects *objects, const struct pilgrim_value *request)
{
    return object_make(objects, object_kind("request"), request->id, request->offset, 0);
}

/* A request has ended, with this status. */
static void resolve(struct replay_order *o, const struct pilgrim_value *request, const struct pilgrim_value *status)
{
    struct replay_object *p = named(&o->pending, request);
    if (!p)
        return;
    if (p->slot >= o->first)
        wildcard_at(o, p->slot)->done = true;
    if (p->slot >= o->first && status->type == PILGRIM_STATUS && status->count >= 2 &&
        status->items[0].type != PILGRIM_NONE) {
        struct replay_wildcard *w = wildcard_at(o, p->slot);
        struct replay_step none = {0};
        w->known = true;
        w->source = step_number(&none, &status->items[0]);
        w->tag = step_number(&none, &status->items[1]);
    }
    object_drop(&o->pending, p);
}

static const struct pilgrim_value none_there = {.type = PILGRIM_NONE};

static const struct pilgrim_value *item(const struct pilgrim_value *array, size_t i)
{
    return array->type == PILGRIM_ARRAY && i < array->count ? &array->items[i] : &none_there;
}

/* True if the call asked if something had ended, and it had not. */
static bool is_in_vain(const struct pilgrim_call *call)
{
    int flag = step_find(call->function, "flag");
    return flag >= 0 && call->out[flag].type == PILGRIM_BOOL && call->out[flag].integer == 0;
}

/* Looks for the ends of requests in a call. */
static void see_ends(struct replay_order *o, const struct pilgrim_call *call)
{
    const struct pilgrim_function *f = call->function;
    if (is_in_vain(call))
        return;
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

/* Returns true if the call makes a request for a receive with a wildcard. */
static bool is_wild(const struct pilgrim_call *call, int request)
{
    const struct pilgrim_function *f = call->function;
    if (request < 0 || f->parameters[request].direction != PILGRIM_OUT || call->out[request].type != PILGRIM_REQUEST)
        return false;
    int source = step_find(f, "source"), tag = step_find(f, "recvtag");
    if (tag < 0)
        tag = step_find(f, "tag");
    return source >= 0 && tag >= 0 && (order_wildcard(&call->in[source]) || order_wildcard(&call->in[tag]));
}

/* REQUEST begins to wait for a message, in call number SEQ. */
static void begin(struct replay_order *o, uint64_t seq, size_t place, const struct pilgrim_value *request)
{
    uint64_t number = o->first + o->count;
    struct replay_object *p = name(&o->pending, request);
    if (!p || !add(o, seq, place))
        o->ended = true;
    else
        p->slot = number;
}

/* Looks for receives that begin, and for what becomes of persistent ones. */
static void see_begins(struct replay_order *o, const struct pilgrim_call *call)
{
    const struct pilgrim_function *f = call->function;
    int request = step_find(f, "request");
    if (is_wild(call, request)) {
        if (!strstr(f->name, "_init"))
            begin(o, call->seq, 0, &call->out[request]);
        else if (!name(&o->persistent, &call->out[request]))
            o->ended = true;
    } else if (strcmp(f->name, "MPI_Request_free") == 0) {
        struct replay_object *p = named(&o->persistent, &call->in[request]);
        resolve(o, &call->in[request], &none_there); /* nobody learns what it gets */
        if (p)
            object_drop(&o->persistent, p);
    }
    for (size_t i = 0; i < order_started(call); i++)
        if (named(&o->persistent, order_started_request(call, i)))
            begin(o, call->seq, i, order_started_request(call, i));
}

/* Moves the second cursor behind the next call. */
static void look(struct replay_order *o)
{
    struct pilgrim_call call;
    if (pilgrim_cursor_next(o->ahead, &call, NULL) != PILGRIM_OK) {
        o->ended = true;
        return;
    }
    o->seen = call.seq;
    see_ends(o, &call);
    see_begins(o, &call);
}

size_t order_started(const struct pilgrim_call *call)
{
    int many = -1;
    if (strcmp(call->function->name, "MPI_Start") == 0)
        return step_find(call->function, "request") >= 0;
    if (strcmp(call->function->name, "MPI_Startall") == 0)
        many = step_find(call->function, "array_of_requests");
    return many >= 0 && call->in[many].type == PILGRIM_ARRAY ? call->in[many].count : 0;
}

const struct pilgrim_value *order_started_request(const struct pilgrim_call *call, size_t i)
{
    int one = step_find(call->function, "request");
    return one >= 0 ? &call->in[one] : item(&call->in[step_find(call->function, "array_of_requests")], i);
}

/* Forgets the receives of calls before SEQ. Returns the one of SEQ at PLACE, or NULL. */
static const struct replay_wildcard *go_to(struct replay_order *o, uint64_t seq, size_t place)
{
    for (; o->count && wildcard_at(o, o->first)->seq < seq; o->count--)
        o->first++;
    for (uint64_t i = o->first; i < o->first + o->count && wildcard_at(o, i)->seq == seq; i++)
        if (wildcard_at(o, i)->place == place)
            return wildcard_at(o, i);
    return NULL;
}

bool order_received(struct replay_order *o, uint64_t seq, size_t place, int64_t *source, int64_t *tag)
{
    if (!o->ahead && pilgrim_cursor_open(o->trace, o->rank, o->thread, &o->ahead, NULL) != PILGRIM_OK)
        return false;
    const struct replay_wildcard *w = go_to(o, seq, place);
    for (; !o->ended && (w ? !w->done : o->seen < seq); w = go_to(o, seq, place))
        look(o);
    if (!w || !w->known)
        return false;
    *source = w->source;
    *tag = w->tag;
    return true;
}

void order_close(struct replay_order *o)
{
    pilgrim_cursor_close(o->ahead);
    free(o->wildcards);
    objects_free(&o->pending);
    objects_free(&o->persistent);
    o->ahead = NULL;
    o->wildcards = NULL;
}
