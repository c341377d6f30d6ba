/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects and requests as arguments, and what calls do to them; see replay_step.h.
 *
 * A handle is known by the object's symbolic name. What the trace says that a call made, has the name from then on;
 * what the trace says that it freed, is forgotten, whatever MPI did. */
#include <mpi.h>
#include <string.h>

#include "replay_actions.h"
#include "replay_thread.h"

/* Returns the object that a value names, or NULL. */
static struct replay_object *find(struct replay_thread *t, const struct pilgrim_value *v)
{
    const char *kind = object_kind(v->type == PILGRIM_REQUEST ? "request" : v->text);
    int64_t offset = v->type == PILGRIM_REQUEST ? v->offset : 0;
    return kind ? object_find(&t->replay->objects, kind, v->id, offset, t->number) : NULL;
}

/* The same; waits for another thread that has to make it. */
static struct replay_object *find_made(struct replay_thread *t, const struct pilgrim_value *v)
{
    pool_lock(t->replay);
    struct replay_object *o = find(t, v);
    while (!o && pool_wait(t->replay, 0))
        o = find(t, v);
    pool_unlock(t->replay);
    return o;
}

/* True if the name of an object that is there may be given out again: the call returns the same handle. */
static bool gives_again(const struct replay_step *s, const char *kind)
{
    if (strcmp(kind, "datatype") == 0)
        return strncmp(s->call->function->name, "MPI_Type_", 9) != 0;
    return strcmp(kind, "group") == 0 || strcmp(kind, "errhandler") == 0;
}

static bool is_object(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_OBJECT || v->type == PILGRIM_REQUEST;
}

static struct replay_object *make(struct replay_step *s, const struct pilgrim_value *v)
{
    struct replay_process *r = s->thread->replay;
    const char *kind = object_kind(v->type == PILGRIM_REQUEST ? "request" : v->text);
    if (!kind)
        return NULL;
    int64_t offset = v->type == PILGRIM_REQUEST ? v->offset : 0;
    const uint32_t own = s->thread->number;
    pool_lock(r);
    struct replay_object *o = object_find(&r->objects, kind, v->id, offset, own);
    /* Another thread ended it in the trace, and has not come so far here. */
    while (o && o->owner == own && r->thread_count > 1 && !gives_again(s, kind) && pool_wait(r, 0))
        o = object_find(&r->objects, kind, v->id, offset, own);
    if (!o || o->owner != own)
        o = object_make(&r->objects, kind, v->id, offset, own);
    else if (v->type == PILGRIM_OBJECT)
        o->references++; /* MPICH gives one group from several calls, each of which is freed */
    pool_unlock(r);
    return o;
}

void *step_handle(struct replay_step *s, size_t i, int is_new)
{
    const struct pilgrim_value *v = is_new ? &s->call->out[i] : &s->call->in[i];
    s->slots[i] = 0;
    if (is_object(v)) {
        struct replay_object *o = is_new ? make(s, v) : find_made(s->thread, v);
        if (!o) {
            s->problem = "an object or request was never made here";
            return &s->slots[i];
        }
        if (is_new)
            return &o->slot;
        s->slots[i] = o->slot;
    } else if (v->type == PILGRIM_NAME && !is_new)
        s->slots[i] = (uint64_t)step_number(s, v);
    return &s->slots[i];
}

void *step_handles(struct replay_step *s, size_t i, size_t element, int is_new)
{
    const struct pilgrim_value *v = is_new ? &s->call->out[i] : &s->call->in[i];
    if (v->type != PILGRIM_ARRAY)
        return is_new ? step_room(s, i, element) : NULL;
    char *array = step_room(s, i, element);
    if (is_new)
        return array;
    s->rooms[i] = array = scratch_alloc(&s->thread->scratch, (v->count + 1) * element);
    s->has_arrays = true;
    for (size_t j = 0; array && j < v->count && !s->problem; j++) {
        uint64_t bits = 0;
        if (is_object(&v->items[j])) {
            struct replay_object *o = find_made(s->thread, &v->items[j]);
            if (!o)
                s->problem = "an object was never made here";
            else
                bits = o->slot;
        } else if (v->items[j].type == PILGRIM_NAME)
            bits = (uint64_t)step_number(s, &v->items[j]);
        memcpy(array + j * element, &bits, element);
    }
    if (!array)
        s->problem = "no memory";
    return array;
}

/* True if request J is passed: all are, or the chosen ones. */
static bool passed(const struct replay_step *s, size_t j)
{
    const struct pilgrim_value *chosen = s->chosen;
    if (!chosen)
        return true;
    if (chosen->type != PILGRIM_ARRAY)
        return chosen->integer == (int64_t)j;
    for (size_t k = 0; k < chosen->count; k++)
        if (chosen->items[k].integer == (int64_t)j)
            return true;
    return false;
}

void *step_requests(struct replay_step *s, size_t i)
{
    const struct pilgrim_value *v = &s->call->in[i];
    if (v->type != PILGRIM_ARRAY)
        return NULL;
    MPI_Request *requests = scratch_alloc(&s->thread->scratch, (v->count + 1) * sizeof *requests);
    s->rooms[i] = requests;
    if (!requests) {
        s->problem = "no memory";
        return NULL;
    }
    for (size_t j = 0; j < v->count; j++) {
        requests[j] = MPI_REQUEST_NULL;
        if (v->items[j].type != PILGRIM_REQUEST || !passed(s, j))
            continue;
        struct replay_object *o = v->items[j].id < 0 ? NULL : find_made(s->thread, &v->items[j]);
        if (o)
            memcpy(&requests[j], &o->slot, sizeof requests[j]);
    }
    return requests;
}

uint64_t step_object(struct replay_step *s, const struct pilgrim_value *v)
{
    const struct replay_object *o = is_object(v) ? find_made(s->thread, v) : NULL;
    return o ? o->slot : 0;
}

bool step_dynamic(struct replay_step *s, size_t win)
{
    const struct pilgrim_value *v = &s->call->in[win];
    struct replay_object *o = is_object(v) ? find_made(s->thread, v) : NULL;
    return o && o->dynamic;
}

/* Returns true if MPI_Request_get_status ends persistent requests, which the standard forbids. */
static bool asking_ends(void)
{
    static _Atomic int answer; /* 0: not known; 1: no; 2: yes */
    if (!answer) {
        MPI_Comm alone;
        MPI_Request request;
        int flag = 0, index = MPI_UNDEFINED;
        PMPI_Comm_dup(MPI_COMM_SELF, &alone);
        PMPI_Recv_init(NULL, 0, MPI_INT, 0, 0, alone, &request);
        PMPI_Start(&request);
        PMPI_Send(NULL, 0, MPI_INT, 0, 0, alone);
        while (!flag)
            PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        PMPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
        PMPI_Request_free(&request);
        PMPI_Comm_free(&alone);
        answer = index == MPI_UNDEFINED ? 2 : 1;
    }
    return answer == 2;
}

/* Returns true if several requests ended in the call. */
static bool chose_several(const struct replay_step *s, size_t requests)
{
    return s->chosen->type == PILGRIM_ARRAY && s->chosen->count > 1 && s->call->in[requests].type == PILGRIM_ARRAY;
}

/* Returns true if request J is persistent: it ended and is still there. */
static bool is_persistent(const struct replay_step *s, size_t requests, size_t j)
{
    const struct pilgrim_value *out = &s->call->out[requests];
    return out->type == PILGRIM_ARRAY && j < out->count && out->items[j].type == PILGRIM_REQUEST;
}

void step_await_chosen(struct replay_step *s, size_t requests)
{
    const struct pilgrim_value *v = &s->call->in[requests], *chosen = s->chosen;
    for (size_t k = 0; chose_several(s, requests) && k < chosen->count; k++) {
        int64_t j = chosen->items[k].integer;
        struct replay_object *o =
            j >= 0 && (size_t)j < v->count && v->items[j].type == PILGRIM_REQUEST && v->items[j].id >= 0
                ? find_made(s->thread, &v->items[j])
                : NULL;
        MPI_Request request = MPI_REQUEST_NULL;
        int flag = !o;
        if (o && is_persistent(s, requests, (size_t)j) && asking_ends())
            continue;
        if (o)
            memcpy(&request, &o->slot, sizeof request);
        while (!flag && PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
        }
    }
}

bool step_end_chosen(struct replay_step *s, size_t requests)
{
    const size_t count = s->call->in[requests].count;
    if (!chose_several(s, requests) || !s->rooms[requests] || !asking_ends())
        return false;
    int index = 0;
    size_t more = 0;
    while (PMPI_Waitany((int)count, s->rooms[requests], &index, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           index != MPI_UNDEFINED)
        more++;
    return more;
}

/* ---- after the call ---- */

static void keep(struct replay_object *o, const void *handle, size_t bytes)
{
    o->slot = 0;
    memcpy(&o->slot, handle, bytes);
}

/* An object that went in and came out as a name (MPI_COMM_NULL) has been given up. */
static void give_up(struct replay_process *r, struct replay_object *o)
{
    if (o->references)
        o->references--;
    else
        object_drop(&r->objects, o);
}

/* A handle that went in and out. */
static void learn_inout(struct replay_step *s, size_t i)
{
    const struct pilgrim_value *in = &s->call->in[i], *out = &s->call->out[i];
    if (!is_object(in))
        return;
    struct replay_object *o = find(s->thread, in);
    if (!o)
        return;
    if (out->type == PILGRIM_NAME)
        give_up(s->thread->replay, o);
    else if (is_object(out))
        o->slot = s->slots[i];
}

/* Another request than the recorded one may have ended (--order=free). Then both change names. A request that the trace
 * says has ended, and that no other one stands for, is waited for. */
static void learn_requests(struct replay_step *s, size_t i)
{
    const struct pilgrim_value *in = &s->call->in[i], *out = &s->call->out[i];
    const MPI_Request *requests = s->rooms[i], null = MPI_REQUEST_NULL;
    if (in->type != PILGRIM_ARRAY || out->type != PILGRIM_ARRAY || !requests)
        return;
    struct replay_thread *t = s->thread;
    for (size_t j = 0; j < in->count; j++) {
        struct replay_object *o = in->items[j].type == PILGRIM_REQUEST && passed(s, j) ? find(t, &in->items[j]) : NULL;
        if (o)
            keep(o, &requests[j], sizeof requests[j]);
    }
    size_t spare = 0;
    for (size_t j = 0; j < in->count && j < out->count; j++) {
        struct replay_object *o = in->items[j].type == PILGRIM_REQUEST ? find(t, &in->items[j]) : NULL;
        if (!o || out->items[j].type != PILGRIM_NAME)
            continue;
        for (; memcmp(&o->slot, &null, sizeof null) && spare < in->count; spare++) {
            const struct pilgrim_value *v = &in->items[spare];
            struct replay_object *other = v->type == PILGRIM_REQUEST ? find(t, v) : NULL;
            if (!other || other == o || out->items[spare].type == PILGRIM_NAME ||
                memcmp(&other->slot, &null, sizeof null))
                continue;
            uint64_t slot = o->slot;
            o->slot = other->slot;
            other->slot = slot;
        }
        if (memcmp(&o->slot, &null, sizeof null)) {
            MPI_Request request;
            memcpy(&request, &o->slot, sizeof request);
            pool_unlock(t->replay);
            PMPI_Wait(&request, MPI_STATUS_IGNORE);
            pool_lock(t->replay);
        }
        object_drop(&t->replay->objects, o);
    }
}

/* Handles that came out in an array. */
static void learn_array(struct replay_step *s, size_t i)
{
    const struct pilgrim_value *out = &s->call->out[i];
    for (size_t j = 0; s->rooms[i] && j < out->count; j++) {
        const struct pilgrim_value *v = &out->items[j];
        const char *kind = v->type == PILGRIM_OBJECT ? object_kind(v->text) : NULL;
        struct replay_objects *objects = &s->thread->replay->objects;
        struct replay_object *o = kind ? object_find(objects, kind, v->id, 0, s->thread->number) : NULL;
        if (o)
            o->references++;
        else if (kind)
            o = object_make(objects, kind, v->id, 0, s->thread->number);
        if (o)
            o->ready = true;
        if (o && strcmp(kind, "datatype") == 0)
            keep(o, (MPI_Datatype *)s->rooms[i] + j, sizeof(MPI_Datatype));
    }
}

/* Returns the number of the window that the call makes or asks, or -1. */
static int64_t window_of(const struct pilgrim_call *call)
{
    int at = step_find(call->function, "win");
    if (at < 0)
        return -1;
    const struct pilgrim_value *v =
        call->function->parameters[at].direction == PILGRIM_OUT ? &call->out[at] : &call->in[at];
    return v->type == PILGRIM_OBJECT ? v->id : -1;
}

/* Returns how much memory MPI gave. */
static int64_t given_bytes(struct replay_step *s)
{
    const int at = step_find(s->call->function, "size");
    MPI_Aint bytes = 0;
    if (at < 0)
        return 0;
    if (s->call->function->parameters[at].direction != PILGRIM_OUT)
        return step_integer(s, (size_t)at);
    if (s->rooms[at])
        memcpy(&bytes, s->rooms[at], sizeof bytes);
    return bytes;
}

/* Others may use what the call made. */
static void make_ready(struct replay_step *s, size_t i)
{
    struct replay_object *o = is_object(&s->call->out[i]) ? find(s->thread, &s->call->out[i]) : NULL;
    if (o)
        o->ready = true;
}

/* True of what calls use that come later: no request. */
static bool is_lasting(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_OBJECT || v->type == PILGRIM_HEAP ||
           (v->type == PILGRIM_ARRAY && v->count && v->items[0].type == PILGRIM_OBJECT);
}

static void learn(struct replay_step *s, bool ok)
{
    struct replay_process *r = s->thread->replay;
    const struct pilgrim_function *f = s->call->function;
    for (size_t i = 0; i < f->parameter_count && i < REPLAY_PARAMETERS_MAX; i++) {
        const struct pilgrim_value *in = &s->call->in[i], *out = &s->call->out[i];
        if (f->parameters[i].direction != PILGRIM_IN)
            r->objects_epoch += is_lasting(in) || is_lasting(out);
        if (f->parameters[i].direction == PILGRIM_INOUT && in->type == PILGRIM_ARRAY)
            learn_requests(s, i);
        else if (f->parameters[i].direction == PILGRIM_INOUT)
            learn_inout(s, i);
        else if (f->parameters[i].direction != PILGRIM_OUT)
            continue;
        else if (out->type == PILGRIM_ARRAY)
            learn_array(s, i);
        else if (is_object(out) && ok && strcmp(f->name, "MPI_Win_create_dynamic") == 0) {
            struct replay_object *o = find(s->thread, out);
            if (o)
                o->dynamic = true;
        } else if (is_object(out) && !ok) {
            struct replay_object *o = find(s->thread, out);
            if (o)
                object_drop(&r->objects, o);
        } else if (out->type == PILGRIM_REQUEST && s->has_arrays) {
            struct replay_object *o = find(s->thread, out);
            if (o && !o->memory)
                o->memory = scratch_take(&s->thread->scratch);
        } else if (out->type == PILGRIM_HEAP && s->action->flags & REPLAY_GIVES_MEMORY && s->rooms[i]) {
            char *given;
            memcpy(&given, s->rooms[i], sizeof given);
            arena_bind(&r->arenas, out->id, out->offset, given, given_bytes(s), window_of(s->call));
        }
        if (ok && r->thread_count > 1 && f->parameters[i].direction == PILGRIM_OUT)
            make_ready(s, i);
    }
    if (s->action->flags & REPLAY_FREES_WINDOW && s->call->in[0].type == PILGRIM_OBJECT)
        arena_forget_window(&r->arenas, s->call->in[0].id);
    r->objects_epoch += (s->action->flags & REPLAY_FREES_MEMORY) != 0;
    if (s->action->flags & REPLAY_FREES_MEMORY && s->call->in[0].type == PILGRIM_HEAP)
        arena_forget(&r->arenas, s->call->in[0].id);
}

void step_learn(struct replay_step *s, bool ok)
{
    struct replay_process *r = s->thread->replay;
    pool_lock(r);
    learn(s, ok);
    pool_changed(r);
    pool_unlock(r);
}
