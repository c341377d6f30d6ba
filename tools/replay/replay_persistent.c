/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent receives with wildcards; see replay_persistent.h. */
#include "replay_persistent.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "replay_thread.h"

/* A handle that the call passed. The program may free the object before the request. */
struct used {
    const struct replay_object *object; /* NULL: it is predefined */
    uint64_t made;
};

struct replay_persistent {
    void *buffer;
    int count, source, tag;  /* as the program gave them */
    int now_source, now_tag; /* as they are passed now */
    MPI_Datatype datatype;
    MPI_Comm comm;
    struct used uses[2];
};

static struct replay_object *find(struct replay_thread *t, const struct pilgrim_value *v)
{
    const char *kind = v->type == PILGRIM_REQUEST ? "request" : v->type == PILGRIM_OBJECT ? v->text : "";
    int64_t offset = v->type == PILGRIM_REQUEST ? v->offset : 0;
    kind = object_kind(kind);
    return kind ? object_find(&t->replay->objects, kind, v->id, offset, t->number) : NULL;
}

static struct used use(struct replay_thread *t, const struct pilgrim_value *v)
{
    const struct replay_object *o = find(t, v);
    return (struct used){o, o ? o->made : 0};
}

static bool is_there(const struct used *u)
{
    return !u->object || u->object->made == u->made; /* dropped objects are kept, for others */
}

void persistent_made(struct replay_step *s)
{
    const struct pilgrim_call *call = s->call;
    const struct pilgrim_function *f = call->function;
    static const char *const names[] = {"buf", "count", "datatype", "source", "tag", "comm", "request"};
    enum { BUFFER, COUNT, DATATYPE, SOURCE, TAG, COMM, REQUEST, PARAMETERS };
    size_t at[PARAMETERS];
    if (strncmp(f->name, "MPI_Recv_init", 13) != 0)
        return;
    for (size_t i = 0; i < PARAMETERS; i++) {
        int found = step_find(f, names[i]);
        if (found < 0)
            return;
        at[i] = (size_t)found;
    }
    if (step_integer(s, at[COUNT]) > INT_MAX ||
        !(order_wildcard(&call->in[at[SOURCE]]) || order_wildcard(&call->in[at[TAG]])))
        return;
    struct replay_persistent *p = malloc(sizeof *p);
    if (!p)
        return;
    *p = (struct replay_persistent){
        .buffer = step_buffer(s, at[BUFFER]),
        .count = (int)step_integer(s, at[COUNT]),
        .source = (int)step_integer(s, at[SOURCE]),
        .tag = (int)step_integer(s, at[TAG]),
    };
    p->now_source = p->source;
    p->now_tag = p->tag;
    memcpy(&p->datatype, step_handle(s, at[DATATYPE], 0), sizeof p->datatype);
    memcpy(&p->comm, step_handle(s, at[COMM], 0), sizeof p->comm);
    pool_lock(s->thread->replay);
    p->uses[0] = use(s->thread, &call->in[at[DATATYPE]]);
    p->uses[1] = use(s->thread, &call->in[at[COMM]]);
    struct replay_object *o = find(s->thread, &call->out[at[REQUEST]]);
    if (o) {
        free(o->persistent);
        o->persistent = p;
    } else
        free(p);
    pool_unlock(s->thread->replay);
}

/* Makes the request again with SOURCE and TAG, without the recorder. MPI's handles of freed requests are given again,
 * so that for the recorder it stays the same one. */
static void make_again(struct replay_object *o, int source, int tag)
{
    struct replay_persistent *p = o->persistent;
    MPI_Request request;
    if ((source == p->now_source && tag == p->now_tag) || !is_there(&p->uses[0]) || !is_there(&p->uses[1]))
        return;
    memcpy(&request, &o->slot, sizeof request);
    if (PMPI_Request_free(&request) != MPI_SUCCESS ||
        PMPI_Recv_init(p->buffer, p->count, p->datatype, source, tag, p->comm, &request) != MPI_SUCCESS)
        replay_fail("a persistent receive could not be made again");
    memcpy(&o->slot, &request, sizeof request);
    p->now_source = source;
    p->now_tag = tag;
}

void persistent_start(struct replay_step *s)
{
    struct replay_thread *t = s->thread;
    for (size_t i = 0; i < order_started(s->call); i++) {
        pool_lock(t->replay);
        struct replay_object *o = find(t, order_started_request(s->call, i));
        pool_unlock(t->replay);
        if (!o || !o->persistent)
            continue;
        int64_t source, tag;
        struct replay_persistent *p = o->persistent;
        if (order_received(&t->order, s->call->seq, i, &source, &tag))
            make_again(o, p->source < 0 ? (int)source : p->source, p->tag < 0 ? (int)tag : p->tag);
        else {
            t->counts.free_wildcards++;
            make_again(o, p->source, p->tag);
        }
    }
}
