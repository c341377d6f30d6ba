/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes what is simulated of threads; see simulated.h. */
#include "simulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNSAID_MAX = 48 };

/* Messages of a non-blocking collective operation that has begun. */
struct simulated_pending {
    struct simulated_pending *next;
    uint64_t number; /* of the operation */
    size_t count, capacity;
    struct simulated_message *messages;
};

/* Calls that could not be told. */
struct simulated_unsaid {
    char name[64];
    uint64_t count;
};

struct simulated {
    const struct simulated_sink *sink;
    uint32_t rank;
    uint64_t last_ns, compute_ns; /* the end of the call before; what is computed and not yet told */
    bool begun;
    struct simulated_pending *pending;
    struct simulated_message *round; /* messages of the round that is made */
    size_t round_count, round_capacity;
    uint64_t *to, *from;
    size_t sizes;
    struct simulated_unsaid unsaid[UNSAID_MAX];
    size_t unsaid_count;
};

/* Context of collective_expand. */
struct simulated_expansion {
    struct simulated *s;
    struct convert *c;
    const struct mpi_record *record;
    struct simulated_pending *pending; /* NULL: it blocks */
};

struct simulated *simulated_new(const struct simulated_sink *sink)
{
    struct simulated *s = calloc(1, sizeof *s);
    if (s)
        s->sink = sink;
    return s;
}

static void drop_pending(struct simulated *s)
{
    while (s->pending) {
        struct simulated_pending *next = s->pending->next;
        free(s->pending->messages);
        free(s->pending);
        s->pending = next;
    }
}

void simulated_free(struct simulated *s)
{
    if (!s)
        return;
    drop_pending(s);
    free(s->round);
    free(s->to);
    free(s->from);
    free(s);
}

bool simulated_thread(struct simulated *s, struct convert *c, uint32_t rank)
{
    if (!simulated_end_thread(s, c))
        return false;
    s->rank = rank;
    s->last_ns = 0;
    return true;
}

static bool tell_compute(struct simulated *s, struct convert *c)
{
    const uint64_t ns = s->compute_ns;
    s->compute_ns = 0;
    return !ns || s->sink->compute(c, ns);
}

bool simulated_end_thread(struct simulated *s, struct convert *c)
{
    const bool good = tell_compute(s, c);
    s->begun = false;
    drop_pending(s);
    return good;
}

/* ---- what cannot be told ---- */

static void cannot_tell(struct simulated *s, const char *name, uint64_t count)
{
    size_t i = 0;
    while (i < s->unsaid_count && strcmp(s->unsaid[i].name, name) != 0)
        i++;
    if (i == UNSAID_MAX || strlen(name) >= sizeof s->unsaid[i].name)
        return;
    if (i == s->unsaid_count)
        strcpy(s->unsaid[s->unsaid_count++].name, name);
    s->unsaid[i].count += count;
}

void simulated_unsaid(const struct simulated *s, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < s->unsaid_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s %llu", i ? ", " : "", s->unsaid[i].name,
                                 (unsigned long long)s->unsaid[i].count);
}

void simulated_tell(const struct simulated *s, struct output *told)
{
    out_bytes(told, (const char *)&s->unsaid_count, sizeof s->unsaid_count);
    out_bytes(told, (const char *)s->unsaid, s->unsaid_count * sizeof *s->unsaid);
}

size_t simulated_join(struct simulated *s, const unsigned char *told)
{
    size_t count, at = sizeof count;
    struct simulated_unsaid unsaid;
    memcpy(&count, told, sizeof count);
    for (size_t i = 0; i < count; i++, at += sizeof unsaid) {
        memcpy(&unsaid, told + at, sizeof unsaid);
        cannot_tell(s, unsaid.name, unsaid.count);
    }
    return at;
}

/* ---- messages ---- */

static struct simulated_message message_of(const struct mpi_record *r, bool send)
{
    return (struct simulated_message){.send = send, .peer = (uint32_t)r->world, .number = r->group, .bytes = r->bytes};
}

static bool put_blocking(struct simulated *s, struct convert *c, const struct simulated_message *m)
{
    return s->sink->blocking ? s->sink->blocking(c, m) : s->sink->begin(c, m) && s->sink->wait(c, m);
}

static bool is_blocking(const struct simulated *s, const struct mpi_record *r)
{
    return (r->kind == RECORD_SEND || r->kind == RECORD_RECEIVED) && r->world != s->rank;
}

/* A call that sends and receives, such as MPI_Sendrecv, does both at once. */
static bool put_blocking_ones(struct simulated *s, struct convert *c, const struct convert_call *call)
{
    const bool buffered = strncmp(call->call->function->name, "MPI_Bsend", 9) == 0;
    size_t count = 0;
    bool good = true;
    for (size_t i = 0; i < call->record_count; i++)
        count += is_blocking(s, &call->records[i]);
    for (int wait = 0; wait < 2 && good; wait++)
        for (size_t i = 0; i < call->record_count && good; i++) {
            if (!is_blocking(s, &call->records[i]))
                continue;
            const struct simulated_message m = message_of(&call->records[i], call->records[i].kind == RECORD_SEND);
            if (count == 1 && !buffered)
                good = wait || put_blocking(s, c, &m);
            else
                good = !wait ? s->sink->begin(c, &m) : buffered || s->sink->wait(c, &m);
        }
    return good;
}

/* ---- collective operations ---- */

static bool add_message(struct simulated_message **list, size_t *count, size_t *capacity,
                        const struct simulated_message *m)
{
    if (*count == *capacity) {
        const size_t more = *capacity ? 2 * *capacity : 16;
        struct simulated_message *grown = realloc(*list, more * sizeof *grown);
        if (!grown)
            return false;
        *list = grown;
        *capacity = more;
    }
    (*list)[(*count)++] = *m;
    return true;
}

static bool expand_message(void *context, bool send, size_t member, uint64_t bytes)
{
    const struct simulated_expansion *e = context;
    struct simulated *s = e->s;
    const struct simulated_message m = {
        .send = send,
        .peer = comm_table_world_rank(&e->c->records->comms, e->record->comm, member, s->rank),
        .number = e->record->group,
        .bytes = bytes};
    if (m.peer == s->rank)
        return true; /* only in a damaged trace */
    if (!s->sink->begin(e->c, &m))
        return false;
    return e->pending ? add_message(&e->pending->messages, &e->pending->count, &e->pending->capacity, &m)
                      : add_message(&s->round, &s->round_count, &s->round_capacity, &m);
}

static bool expand_round(void *context)
{
    const struct simulated_expansion *e = context;
    bool good = true;
    for (size_t i = 0; i < e->s->round_count && good; i++)
        good = e->s->sink->wait(e->c, &e->s->round[i]);
    e->s->round_count = 0;
    return good;
}

/* Sets the bytes to or from each member to counts of a datatype. What the call does not say is shared evenly. */
static void read_sizes(const struct convert *c, const struct pilgrim_call *call, const char *counts, const char *types,
                       size_t members, uint64_t total, uint64_t *sizes)
{
    const struct pilgrim_value *count = pilgrim_call_in(call, counts), *type = pilgrim_call_in(call, types);
    struct pilgrim_error ignored;
    uint64_t size = UINT64_MAX;
    for (size_t i = 0; i < members; i++)
        sizes[i] = total / members;
    if (count->type != PILGRIM_ARRAY || count->count != members)
        return;
    if (type->type != PILGRIM_ARRAY && pilgrim_calls_datatype_size(c->calls, type, &size, &ignored) != PILGRIM_OK)
        size = UINT64_MAX;
    for (size_t i = 0; i < members; i++) {
        const bool each = type->type == PILGRIM_ARRAY && i < type->count;
        if (each && pilgrim_calls_datatype_size(c->calls, &type->items[i], &size, &ignored) != PILGRIM_OK)
            size = UINT64_MAX;
        if (count->items[i].type == PILGRIM_INT && count->items[i].integer >= 0 && size < INT32_MAX)
            sizes[i] = (uint64_t)count->items[i].integer * size;
    }
}

static bool room_for_sizes(struct simulated *s, size_t members)
{
    if (members <= s->sizes)
        return true;
    uint64_t *to = realloc(s->to, members * sizeof *to);
    s->to = to ? to : s->to;
    uint64_t *from = realloc(s->from, members * sizeof *from);
    s->from = from ? from : s->from;
    if (!to || !from)
        return false;
    s->sizes = members;
    return true;
}

static void set_sizes(struct simulated *s, const struct convert *c, const struct convert_call *call,
                      struct collective *o)
{
    const struct pilgrim_call *made = call->call;
    const uint64_t sent = call->volume.sent, received = call->volume.received, most = sent > received ? sent : received;
    const bool in_place = pilgrim_call_in(made, "sendcounts")->type != PILGRIM_ARRAY;
    switch (o->kind) {
    case COLLECTIVE_GATHER:
        o->to_each = sent;
        o->from_each = received / o->members;
        break;
    case COLLECTIVE_SCATTER:
        o->to_each = sent / o->members;
        o->from_each = received;
        break;
    case COLLECTIVE_ALLGATHER:
        o->to_each = sent;
        o->from_each = received / o->members;
        break;
    case COLLECTIVE_ALLTOALL:
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        o->to_each = sent / o->members;
        o->from_each = o->kind == COLLECTIVE_ALLTOALL ? received / o->members : o->to_each;
        break;
    case COLLECTIVE_GATHERV:
    case COLLECTIVE_ALLGATHERV:
        read_sizes(c, made, "recvcounts", "recvtype", o->members, received, s->from);
        o->to_each = sent;
        o->from = s->from;
        break;
    case COLLECTIVE_SCATTERV:
        read_sizes(c, made, "sendcounts", "sendtype", o->members, sent, s->to);
        o->to = s->to;
        o->from_each = received;
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        read_sizes(c, made, "recvcounts", "datatype", o->members, sent, s->to);
        o->to = s->to;
        o->from_each = s->to[o->own];
        break;
    case COLLECTIVE_ALLTOALLV:
    case COLLECTIVE_ALLTOALLW:
        read_sizes(c, made, "recvcounts", o->kind == COLLECTIVE_ALLTOALLV ? "recvtype" : "recvtypes", o->members,
                   received, s->from);
        read_sizes(c, made, in_place ? "recvcounts" : "sendcounts",
                   o->kind == COLLECTIVE_ALLTOALLV ? in_place ? "recvtype" : "sendtype"
                   : in_place                      ? "recvtypes"
                                                   : "sendtypes",
                   o->members, sent, s->to);
        o->to = s->to;
        o->from = s->from;
        break;
    default:
        o->to_each = o->from_each = most;
    }
}

static bool put_collective(struct simulated *s, struct convert *c, const struct convert_call *call,
                           const struct mpi_record *r)
{
    const struct comm_table *comms = &c->records->comms;
    const int64_t own = comm_table_rank(comms, r->comm, s->rank);
    const bool blocking = r->kind == RECORD_COLLECTIVE;
    bool said = false;
    struct collective o = {.kind = r->collective,
                           .members = comm_table_size(comms, r->comm),
                           .own = (size_t)own,
                           .root = r->peer > 0 ? (size_t)r->peer : 0};
    struct simulated_expansion e = {s, c, r, NULL};
    if (own < 0 || o.own >= o.members || o.root >= o.members)
        return true; /* only in a damaged trace */
    if (!room_for_sizes(s, o.members))
        return false;
    set_sizes(s, c, call, &o);
    if (blocking && r->comm == COMM_TABLE_WORLD && s->sink->collective && !s->sink->collective(c, &o, &said))
        return false;
    if (said)
        return true;
    if (!blocking) {
        e.pending = calloc(1, sizeof *e.pending);
        if (!e.pending)
            return false;
        *e.pending = (struct simulated_pending){.next = s->pending, .number = r->bytes};
        s->pending = e.pending;
    }
    const struct collective_steps steps = {&e, expand_message, expand_round};
    return collective_expand(&o, !blocking, &steps);
}

static bool end_collective(struct simulated *s, struct convert *c, const struct mpi_record *r)
{
    bool good = true;
    for (struct simulated_pending **at = &s->pending; *at; at = &(*at)->next) {
        struct simulated_pending *found = *at;
        if (found->number != r->bytes)
            continue;
        for (size_t i = 0; i < found->count && good; i++)
            good = s->sink->wait(c, &found->messages[i]);
        *at = found->next;
        free(found->messages);
        free(found);
        break;
    }
    return good;
}

/* ---- calls ---- */

static bool put_record(struct simulated *s, struct convert *c, const struct convert_call *call,
                       const struct mpi_record *r)
{
    const bool send = r->kind == RECORD_ISEND || r->kind == RECORD_ISEND_ENDED;
    const struct simulated_message m = message_of(r, send);
    switch ((enum record_kind)r->kind) {
    case RECORD_ISEND:
    case RECORD_RECEIVE_POSTED:
        return r->world == s->rank || s->sink->begin(c, &m);
    case RECORD_ISEND_ENDED:
    case RECORD_IRECV_ENDED:
        return r->world == s->rank || s->sink->wait(c, &m);
    case RECORD_COLLECTIVE:
    case RECORD_COLLECTIVE_BEGUN:
        return put_collective(s, c, call, r);
    case RECORD_COLLECTIVE_ENDED:
        return end_collective(s, c, r);
    default:
        return true;
    }
}

/* True if the time that a call without records takes is work of the process: it does not wait for a message. */
static bool is_work(const char *name)
{
    return !function_communicates(name) && strncmp(name, "MPI_Init", 8) != 0 && strcmp(name, "MPI_Finalize") != 0;
}

static bool has_actions(const struct convert_call *call)
{
    for (size_t i = 0; i < call->record_count; i++)
        if (call->records[i].kind != RECORD_TEST && call->records[i].kind != RECORD_COMM_MADE &&
            call->records[i].kind != RECORD_COMM_FREED)
            return true;
    return false;
}

bool simulated_call(struct simulated *s, struct convert *c, const struct convert_call *call)
{
    const struct pilgrim_call *made = call->call;
    const char *name = made->function->name;
    const uint64_t start = s->begun && made->start_ns < s->last_ns ? s->last_ns : made->start_ns,
                   end = made->end_ns > start ? made->end_ns : start;
    bool good = true;
    s->compute_ns += s->begun ? start - s->last_ns : 0;
    s->begun = true;
    s->last_ns = end;
    if (!has_actions(call)) {
        if (is_work(name))
            s->compute_ns += end - start;
        if (function_is_unsaid(name) && made->ret.type != PILGRIM_NONE && !pilgrim_call_failed(made))
            cannot_tell(s, name, 1);
        return true;
    }
    good = tell_compute(s, c) && put_blocking_ones(s, c, call);
    for (size_t i = 0; i < call->record_count && good; i++)
        good = put_record(s, c, call, &call->records[i]);
    return good;
}
