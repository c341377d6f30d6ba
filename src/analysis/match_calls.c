/* SPDX-License-Identifier: BSD-3-Clause */
/* What each call does to messages and collective operations; see match_data.h.
 *
 * A call that has not returned (its process ended in it) has begun what it says, and ended nothing. A call that failed
 * has begun nothing; a completing call that failed has ended the requests that it set to MPI_REQUEST_NULL.
 *
 * The file is long because calls of all kinds share how requests begin, start again and end. */
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "analysis/match_data.h"
#include "analysis/type_sizes.h"

static const struct pilgrim_value nothing = {.type = PILGRIM_NONE};

struct match_call *match_record(struct match *m)
{
    if (!m->record) {
        m->record = match_record_take(m, SPARE_CALL);
        if (!m->record)
            return NULL;
        const struct pilgrim_call *call = m->call;
        *m->record = (struct match_call){.rank = m->process->rank,
                                         .thread = m->thread,
                                         .site = m->site,
                                         .references = 1, /* the examination's */
                                         .timed = call->timed,
                                         .returned = call->ret.type != PILGRIM_NONE,
                                         .seq = call->seq,
                                         .local_enter_ns = call->start_ns,
                                         .local_leave_ns = call->end_ns,
                                         .enter_ns = call->start_ns,
                                         .leave_ns = call->end_ns,
                                         .enter_error_ns = m->enter_error_ns,
                                         .leave_error_ns = m->leave_error_ns};
        if (call->timed) {
            m->record->enter_ns = match_on_axis(m, m->process, call->start_ns);
            m->record->leave_ns = match_on_axis(m, m->process, call->end_ns);
        }
    }
    m->record->references++;
    return m->record;
}

bool match_record_open(struct match *m, struct match_call **record)
{
    if (!(*record = match_record(m)))
        return false;
    (*record)->open++;
    m->ends = true;
    return true;
}

/* ---- operations ---- */

/* Returns true if RANK names a process, and sets *PEER to its rank in COMM; *ANY: it is MPI_ANY_SOURCE. */
static bool names_process(const struct pilgrim_value *rank, int64_t *peer, bool *any)
{
    *any = value_is_name(rank, "MPI_ANY_SOURCE");
    *peer = rank->integer;
    return *any || ((rank->type == PILGRIM_RANK || rank->type == PILGRIM_INT) && rank->integer >= 0);
}

/* Makes an operation of the call's values; *MADE stays NULL if it goes to MPI_PROC_NULL. false: no memory */
static bool make(struct match *m, bool send, const struct pilgrim_value *rank, const struct pilgrim_value *tag,
                 struct match_operation **made)
{
    int64_t peer;
    bool any;
    *made = NULL;
    if (!names_process(rank, &peer, &any))
        return true;
    struct match_operation *op = match_record_take(m, SPARE_OPERATION);
    if (!op)
        return false;
    const struct match_comm *comm = match_comm_of(m, role_in(m->role, m->call, P_COMM));
    op->send = send;
    op->buffered = m->role->buffered;
    op->synchronous = m->role->synchronous;
    op->any_source = any;
    op->any_tag = value_is_name(tag, "MPI_ANY_TAG");
    op->tag = tag->integer;
    op->comm = comm ? comm->number : MATCH_COMM_UNKNOWN;
    op->identity = comm ? comm->identity : 0;
    op->peer = comm && !any ? match_world_rank(m, comm, peer) : -1;
    op->bytes = op->capacity = UINT64_MAX;
    if (!op->identity)
        op->reason = MATCH_COMM;
    else if (!any && op->peer < 0)
        op->reason = MATCH_OTHER_WORLD;
    *made = op;
    return true;
}

static uint64_t bytes_of(struct match *m, enum match_parameter count, enum match_parameter type)
{
    return match_bytes(m, role_in(m->role, m->call, count), role_in(m->role, m->call, type));
}

/* Notes what is sent or received: where it is, if it is known to have no gaps. */
static void set_buffer(const struct match *m, struct match_operation *op, enum match_parameter type, uint64_t bytes)
{
    const struct pilgrim_value *datatype = role_in(m->role, m->call, type), *buf = role_in(m->role, m->call, P_BUF);
    op->type = datatype->type == PILGRIM_NAME ? type_size_name(datatype->text) : NULL;
    if (op->type && bytes != UINT64_MAX &&
        (buf->type == PILGRIM_HEAP || buf->type == PILGRIM_STATIC || buf->type == PILGRIM_DEVICE))
        op->buffer = (struct match_buffer){bytes, buf->type, buf->device, buf->id, buf->offset};
}

static bool make_send(struct match *m, struct match_operation **made)
{
    const bool exchange = m->role->act == ACT_EXCHANGE;
    const struct pilgrim_value *tag = role_in(m->role, m->call, exchange ? P_SENDTAG : P_TAG);
    if (!make(m, true, role_in(m->role, m->call, P_DEST), tag, made))
        return false;
    if (*made) {
        const bool own = exchange && m->role->index[P_SENDCOUNT] >= 0;
        (*made)->bytes = bytes_of(m, own ? P_SENDCOUNT : P_COUNT, own ? P_SENDTYPE : P_TYPE);
        (*made)->resolved = true;
        set_buffer(m, *made, own ? P_SENDTYPE : P_TYPE, (*made)->bytes);
    }
    return true;
}

static bool make_receive(struct match *m, struct match_operation **made)
{
    const bool exchange = m->role->act == ACT_EXCHANGE;
    const struct pilgrim_value *tag = role_in(m->role, m->call, exchange ? P_RECVTAG : P_TAG);
    if (!make(m, false, role_in(m->role, m->call, P_SOURCE), tag, made))
        return false;
    if (*made) {
        const bool own = exchange && m->role->index[P_RECVCOUNT] >= 0;
        (*made)->capacity = bytes_of(m, own ? P_RECVCOUNT : P_COUNT, own ? P_RECVTYPE : P_TYPE);
        set_buffer(m, *made, own ? P_RECVTYPE : P_TYPE, (*made)->capacity);
        (*made)->resolved = !(*made)->any_source && !(*made)->any_tag && !m->process->cancels;
    }
    return true;
}

/* Takes what a status says of a receive. */
static void read_status(struct match *m, struct match_operation *op, const struct pilgrim_value *status,
                        const struct match_comm *comm)
{
    if (status->type != PILGRIM_STATUS || status->count < 4) {
        op->resolved = !op->any_source && !op->any_tag;
        return;
    }
    const struct pilgrim_value *source = &status->items[0], *tag = &status->items[1];
    /* a probe's status says nothing of that: MPICH leaves there what was in it */
    op->cancelled = m->role->act != ACT_PROBE && status->items[3].type == PILGRIM_BOOL && status->items[3].integer == 1;
    op->resolved = true;
    if (op->cancelled)
        return;
    if (status->items[2].type == PILGRIM_INT && status->items[2].integer >= 0)
        op->bytes = (uint64_t)status->items[2].integer;
    if (op->any_tag && tag->type == PILGRIM_INT)
        op->tag = tag->integer;
    if (op->any_source && comm && (source->type == PILGRIM_RANK || source->type == PILGRIM_INT)) {
        op->peer = match_world_rank(m, comm, source->integer);
        if (op->peer < 0 && op->reason == MATCH_FOUND)
            op->reason = MATCH_OTHER_WORLD;
    }
    if (op->any_source && source->type != PILGRIM_RANK && source->type != PILGRIM_INT)
        op->resolved = false; /* it is not known who sent */
}

/* The call ends OP. FAILED: with an error. false: no memory */
static bool end_operation(struct match *m, struct match_operation *op, const struct pilgrim_value *status, bool failed)
{
    struct match_comm *comm = NULL;
    if (op->any_source && op->comm != MATCH_COMM_UNKNOWN) {
        const struct pilgrim_value name = {.type = PILGRIM_OBJECT, .text = "comm", .id = op->comm};
        comm = op->comm == MATCH_WORLD  ? &m->process->world
               : op->comm == MATCH_SELF ? &m->process->self
                                        : match_comm_of(m, &name);
    }
    if (!op->send)
        read_status(m, op, status, comm);
    if (!op->send && m->polled.since_ns)
        match_polls_note(m, op);
    op->failed = failed;
    op->ended = match_record(m);
    if (!op->ended)
        return false;
    op->ended->open++;
    op->ended->waits |= !op->send;
    op->over = true;
    m->ends = true;
    return true;
}

/* Posts OP, which begins with this call; BLOCKING: and ends with it. false: no memory */
static bool begin(struct match *m, struct match_operation *op, bool blocking, const struct pilgrim_value *status)
{
    const bool returned = m->call->ret.type != PILGRIM_NONE;
    op->begun = match_record(m);
    op->number = ++m->process->begun;
    if (!op->begun)
        return false;
    if (!op->send && m->events->polls)
        match_polls_note(m, op);
    if (blocking && !op->any_source && !op->any_tag)
        op->resolved = true;
    if (blocking && !returned)
        op->over = true; /* it will not end */
    if (!match_buffer_post(m, op) || (blocking && returned && !end_operation(m, op, status, !call_succeeded(m->call))))
        return false;
    return match_post(m, op);
}

/* ---- requests ---- */

static struct match_key request_key(const struct pilgrim_value *request)
{
    return (struct match_key){{(uint64_t)request->id, (uint64_t)request->offset, 0}};
}

static struct match_request *request_of(const struct match *m, const struct pilgrim_value *request)
{
    return request->type == PILGRIM_REQUEST ? match_map_find(&m->process->requests, request_key(request)) : NULL;
}

bool match_takes_number(const struct match_process *p, const struct match_role *role, const struct pilgrim_call *call)
{
    static const enum match_parameter made[] = {P_REQUEST, P_MADE, P_CONTAINER};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        const struct pilgrim_value *out = role_out(role, call, made[i]);
        if (role_in(role, call, made[i])->type == out->type)
            continue; /* it was there before */
        if (out->type == PILGRIM_REQUEST && match_map_find(&p->requests, request_key(out)))
            return true;
        if (out->type == PILGRIM_OBJECT && match_object_there(p, out))
            return true;
    }
    return false;
}

bool match_request_over(struct match *m, struct match_request *request)
{
    struct match_operation *both[] = {request->send, request->receive};
    request->send = request->receive = NULL;
    request->active = false;
    for (int i = 0; i < 2; i++)
        if (both[i]) {
            both[i]->over = true;
            if (!both[i]->any_source && !both[i]->any_tag && !both[i]->cancel_asked)
                both[i]->resolved = true; /* its end was not recorded */
            if (!match_over(m, both[i]))
                return false;
        }
    if (request->entry) {
        struct match_entry *entry = request->entry;
        request->entry = NULL;
        return match_left(m, request->collective, entry, NULL);
    }
    return true;
}

void match_request_free(struct match *m, struct match_request *request)
{
    if (request->again)
        match_operation_free(m, request->again);
    free(request->again_all);
    free(request->again_entry);
    match_record_drop(m, SPARE_REQUEST, request);
}

/* Takes a request away that has another operation now, or none. false: no memory */
static bool drop_request(struct match *m, const struct pilgrim_value *name)
{
    struct match_request *request = match_map_take(&m->process->requests, request_key(name));
    bool good = !request || match_request_over(m, request);
    if (request)
        match_request_free(m, request);
    return good;
}

/* Sets *MADE to a new request that the call has made; to NULL if it has made none. false: no memory */
static bool new_request(struct match *m, struct match_request **made)
{
    const struct pilgrim_value *name = role_out(m->role, m->call, P_REQUEST);
    *made = NULL;
    if (name->type != PILGRIM_REQUEST)
        return true;
    if (!drop_request(m, name))
        return false;
    struct match_request *request = match_record_take(m, SPARE_REQUEST);
    if (!request)
        return false;
    if (!match_map_put(&m->process->requests, request_key(name), request)) {
        free(request);
        return false;
    }
    *made = request;
    return true;
}

/* Begins an operation that a request will end. false: no memory */
static bool begin_request(struct match *m, struct match_request *request, struct match_operation *op)
{
    if (!request) { /* the call returned no request: it is not known when it ends */
        op->over = true;
        return begin(m, op, false, &nothing);
    }
    *(op->send ? &request->send : &request->receive) = op;
    request->active = true;
    op->buffer_posted = true;
    op->shared_request = op->send && !request->persistent;
    return begin(m, op, false, &nothing);
}

/* Ends what a request stands for. false: no memory */
static bool end_request(struct match *m, const struct pilgrim_value *name, const struct pilgrim_value *status,
                        bool failed)
{
    struct match_request *request = request_of(m, name);
    if (!request) {
        const bool receive = status->type == PILGRIM_STATUS && status->count >= 4 &&
                             (status->items[0].type == PILGRIM_RANK || status->items[0].type == PILGRIM_INT);
        m->totals->paused |= name->type == PILGRIM_REQUEST && name->id == -1;
        m->totals->unmatched[MATCH_PAUSED] += name->type == PILGRIM_REQUEST && name->id == -1 && receive;
        return name->type != PILGRIM_REQUEST || !m->events->other_request ||
               m->events->other_request(m->events->context, m->call, name, status);
    }
    struct match_operation *both[] = {request->send, request->receive};
    struct match_entry *entry = request->entry;
    struct match_collective *collective = request->collective;
    request->send = request->receive = NULL;
    request->entry = NULL;
    request->active = false;
    if (!request->persistent) {
        match_map_take(&m->process->requests, request_key(name));
        match_request_free(m, request);
    }
    for (int i = 0; i < 2; i++)
        if (both[i] && !(end_operation(m, both[i], status, failed) && match_over(m, both[i])))
            return false;
    if (!entry)
        return true;
    struct match_call *record = match_record(m);
    if (!record)
        return false;
    record->waits = m->ends = true;
    return match_left(m, collective, entry, record);
}

/* ---- functions ---- */

static bool act_send(struct match *m)
{
    struct match_operation *op;
    struct match_request *request;
    const bool nonblocking = m->role->index[P_REQUEST] >= 0;
    if (!make_send(m, &op))
        return false;
    if (!nonblocking)
        return !op || begin(m, op, true, &nothing);
    if (!new_request(m, &request)) {
        free(op);
        return false;
    }
    return !op || begin_request(m, request, op);
}

static bool act_receive(struct match *m)
{
    struct match_operation *op;
    struct match_request *request;
    const bool nonblocking = m->role->index[P_REQUEST] >= 0;
    if (!make_receive(m, &op))
        return false;
    if (!nonblocking)
        return !op || begin(m, op, true, role_out(m->role, m->call, P_STATUS));
    if (!new_request(m, &request)) {
        free(op);
        return false;
    }
    return !op || begin_request(m, request, op);
}

static bool act_exchange(struct match *m)
{
    struct match_operation *send, *receive;
    struct match_request *request = NULL;
    const bool nonblocking = m->role->index[P_REQUEST] >= 0;
    if (!make_send(m, &send))
        return false;
    if (!make_receive(m, &receive) || (nonblocking && !new_request(m, &request))) {
        free(send);
        return false;
    }
    if (nonblocking)
        return (!send || begin_request(m, request, send)) && (!receive || begin_request(m, request, receive));
    return (!send || begin(m, send, true, &nothing)) &&
           (!receive || begin(m, receive, true, role_out(m->role, m->call, P_STATUS)));
}

/* Keeps what each start of a persistent or partitioned operation begins. */
static bool act_prepare(struct match *m)
{
    struct match_operation *op;
    struct match_request *request;
    const struct pilgrim_value *partitions = role_in(m->role, m->call, P_PARTITIONS);
    if (!(m->role->act == ACT_SEND ? make_send(m, &op) : make_receive(m, &op)))
        return false;
    if (!new_request(m, &request) || !request) {
        free(op);
        return m->role->index[P_REQUEST] < 0 || role_out(m->role, m->call, P_REQUEST)->type != PILGRIM_REQUEST;
    }
    if (!match_made_add(m, MADE_REQUEST, role_out(m->role, m->call, P_REQUEST))) {
        free(op);
        return false;
    }
    request->persistent = true;
    request->partitioned = partitions->type != PILGRIM_NONE;
    request->again = op;
    if (!op || !request->partitioned)
        return true;
    uint64_t *bytes = op->send ? &op->bytes : &op->capacity, count;
    *bytes =
        value_count(partitions, &count) && (!count || *bytes <= (UINT64_MAX - 1) / count) ? *bytes * count : UINT64_MAX;
    if (op->peer < 0)
        return true;
    const uint64_t mine = m->process->rank, other = (uint64_t)op->peer;
    const struct match_key key = {
        {op->identity, op->send ? mine << 32 | other : other << 32 | mine, (uint64_t)op->tag & UINT32_MAX}};
    struct match_pairs *pairs = match_map_find(&m->pairs, key);
    if (!pairs) {
        pairs = calloc(1, sizeof *pairs);
        if (!pairs || !match_map_put(&m->pairs, key, pairs)) {
            free(pairs);
            return false;
        }
    }
    op->part = ++pairs->made[op->send];
    return true;
}

static bool start(struct match *m, const struct pilgrim_value *name)
{
    struct match_request *request = request_of(m, name);
    if (!request || !request->persistent)
        return true;
    if (request->active && !match_request_over(m, request)) /* its end was not seen */
        return false;
    if (request->again_all) {
        struct match_entry *entry = malloc(sizeof *entry);
        if (!entry)
            return false;
        *entry = *request->again_entry;
        if (!(entry->begun = match_record(m))) {
            free(entry);
            return false;
        }
        request->active = true;
        request->entry = entry;
        return match_enter(m, NULL, request->again_all, entry, &request->collective);
    }
    if (!request->again)
        return true; /* to MPI_PROC_NULL */
    struct match_operation *op = match_record_take(m, SPARE_OPERATION);
    if (!op)
        return false;
    *op = *request->again;
    return begin_request(m, request, op);
}

static bool act_start(struct match *m)
{
    const struct pilgrim_value *one = role_in(m->role, m->call, P_REQUEST),
                               *list = role_in(m->role, m->call, P_REQUESTS);
    bool good = one->type == PILGRIM_NONE || start(m, one);
    for (size_t i = 0; list->type == PILGRIM_ARRAY && i < list->count && good; i++)
        good = start(m, &list->items[i]);
    return good;
}

static const struct pilgrim_value *item(const struct pilgrim_value *array, uint64_t i)
{
    return array->type == PILGRIM_ARRAY && i < array->count ? &array->items[i] : &nothing;
}

/* Ends those of a list of requests that the call has ended. */
static bool end_list(struct match *m, const struct pilgrim_value *list)
{
    const struct match_role *role = m->role;
    const struct pilgrim_value *statuses = role_out(role, m->call, P_STATUSES),
                               *after = role_out(role, m->call, P_REQUESTS);
    const bool failed = !call_succeeded(m->call);
    bool good = true;
    if (role->index[P_INDICES] >= 0) {
        const struct pilgrim_value *indices = role_out(role, m->call, P_INDICES);
        uint64_t index;
        for (size_t k = 0; indices->type == PILGRIM_ARRAY && k < indices->count && good; k++)
            good = !value_count(&indices->items[k], &index) ||
                   end_request(m, item(list, index), item(statuses, k), failed);
        return good;
    }
    if (role->index[P_INDEX] >= 0) {
        uint64_t index;
        return !value_count(role_out(role, m->call, P_INDEX), &index) ||
               end_request(m, item(list, index), role_out(role, m->call, P_STATUS), failed);
    }
    for (size_t i = 0; list->type == PILGRIM_ARRAY && i < list->count && good; i++)
        if (!failed || item(after, i)->type == PILGRIM_NAME)
            good = end_request(m, &list->items[i], item(statuses, i), failed);
    return good;
}

/* Calls TELL for what the request NAME stands for. */
static bool tell_request(struct match *m, const struct pilgrim_value *name,
                         bool (*tell)(void *context, const struct pilgrim_call *call, uint64_t number))
{
    const struct match_request *request = request_of(m, name);
    if (!request && name->type == PILGRIM_REQUEST && m->events->other_request)
        return m->events->other_request(m->events->context, m->call, name, NULL);
    if (!request || !request->active)
        return true;
    const uint64_t numbers[] = {request->send ? request->send->number : 0,
                                request->receive ? request->receive->number : 0,
                                request->entry ? request->entry->number : 0};
    bool good = true;
    for (int i = 0; i < 3 && good; i++)
        good = !numbers[i] || tell(m->events->context, m->call, numbers[i]);
    return good;
}

/* Calls TELL, which may be NULL, for the requests that go into the call. */
static bool tell_requests(struct match *m,
                          bool (*tell)(void *context, const struct pilgrim_call *call, uint64_t number))
{
    const struct pilgrim_value *list = role_in(m->role, m->call, P_REQUESTS);
    if (!tell)
        return true;
    bool good = tell_request(m, role_in(m->role, m->call, P_REQUEST), tell);
    for (size_t i = 0; list->type == PILGRIM_ARRAY && i < list->count && good; i++)
        good = tell_request(m, &list->items[i], tell);
    return good;
}

static bool act_wait(struct match *m)
{
    const struct pilgrim_value *flag = role_out(m->role, m->call, P_FLAG), *one = role_in(m->role, m->call, P_REQUEST);
    bool done = true;
    if (m->role->index[P_FLAG] >= 0 && !value_truth(flag, &done))
        return true;
    if (!done) /* the call asked for requests, and none of them had ended */
        return tell_requests(m, m->events->tested);
    if (m->role->index[P_REQUESTS] >= 0)
        return end_list(m, role_in(m->role, m->call, P_REQUESTS));
    if (!call_succeeded(m->call) && role_out(m->role, m->call, P_REQUEST)->type != PILGRIM_NAME)
        return true;
    return end_request(m, one, role_out(m->role, m->call, P_STATUS), !call_succeeded(m->call));
}

static bool act_free(struct match *m)
{
    const struct pilgrim_value *name = role_in(m->role, m->call, P_REQUEST);
    struct match_request *request = request_of(m, name);
    match_made_take(m, MADE_REQUEST, name);
    if (!request)
        return true;
    if (request->send)
        request->send->freed = true;
    if (request->receive)
        request->receive->freed = true;
    return drop_request(m, name);
}

static bool act_cancel(struct match *m)
{
    const struct match_request *request = request_of(m, role_in(m->role, m->call, P_REQUEST));
    if (request && request->receive)
        request->receive->cancel_asked = true;
    return true;
}

/* A probe that takes its message receives it: it is known which one. */
static bool act_probe(struct match *m)
{
    struct match_operation *op;
    const struct pilgrim_value *message = role_out(m->role, m->call, P_MESSAGE);
    if (message->type != PILGRIM_OBJECT) /* none was there, or MPI_MESSAGE_NO_PROC */
        return true;
    if (!make_receive(m, &op) || !op)
        return op != NULL || role_in(m->role, m->call, P_SOURCE)->type == PILGRIM_NAME;
    read_status(m, op, role_out(m->role, m->call, P_STATUS), match_comm_of(m, role_in(m->role, m->call, P_COMM)));
    if (op->any_source && !op->resolved)
        op->freed = true;
    struct match_operation *before = match_object_take(m, KIND_MESSAGE, message);
    if (before) {
        before->over = true;
        if (!match_over(m, before))
            return false;
    }
    return match_object_set(m, KIND_MESSAGE, message, op) && begin(m, op, false, &nothing);
}

static bool act_take(struct match *m)
{
    struct match_request *request;
    struct match_operation *op = match_object_take(m, KIND_MESSAGE, role_in(m->role, m->call, P_MESSAGE));
    if (m->role->index[P_REQUEST] < 0) {
        if (!op)
            return true;
        op->capacity = bytes_of(m, P_COUNT, P_TYPE);
        if (m->call->ret.type == PILGRIM_NONE)
            op->over = true;
        else if (!end_operation(m, op, role_out(m->role, m->call, P_STATUS), !call_succeeded(m->call)))
            return false;
        return match_over(m, op);
    }
    if (!new_request(m, &request))
        return false;
    if (!op)
        return true;
    op->capacity = bytes_of(m, P_COUNT, P_TYPE);
    if (request) {
        request->receive = op;
        request->active = true;
        return true;
    }
    op->over = true;
    return match_over(m, op);
}

/* ---- collective functions ---- */

/* Returns the class of the error with which the call failed; NULL: it did not fail, or has not returned. */
static const char *error_of(const struct match *m)
{
    if (m->call->ret.type == PILGRIM_NONE || call_succeeded(m->call))
        return NULL;
    const char *name = pilgrim_error_name(m->trace, m->call->ret.integer);
    return name ? name : "an error";
}

/* True if a call that failed with the class NAME found it in its own arguments, before it did anything with others. */
static bool is_of_arguments(const char *name)
{
    static const char *const classes[] = {"BUFFER",     "COUNT",   "TYPE",       "TAG",      "COMM",
                                          "RANK",       "ROOT",    "GROUP",      "OP",       "DIMS",
                                          "TOPOLOGY",   "ARG",     "REQUEST",    "WIN",      "BASE",
                                          "SIZE",       "DISP",    "INFO",       "INFO_KEY", "INFO_VALUE",
                                          "INFO_NOKEY", "KEYVAL",  "LOCKTYPE",   "ASSERT",   "FILE",
                                          "AMODE",      "SESSION", "ERRHANDLER", "NAME",     "VALUE_TOO_LARGE"};
    static const char before[] = "MPI_ERR_";
    bool found = false;
    for (size_t i = 0; name && strncmp(name, before, sizeof before - 1) == 0 && i < sizeof classes / sizeof *classes;
         i++)
        found |= strcmp(name + sizeof before - 1, classes[i]) == 0;
    return found;
}

/* True if the call is its process's part in a collective operation. One that found its arguments wrong is not; one that
 * failed for another reason is, as other processes have their part without an error. */
static bool takes_part(const struct match *m)
{
    return !is_of_arguments(error_of(m));
}

static uint64_t sum_of(struct match *m, enum match_parameter counts, enum match_parameter type)
{
    const struct pilgrim_value *list = role_in(m->role, m->call, counts);
    uint64_t sum = 0, one;
    for (size_t i = 0; list->type == PILGRIM_ARRAY && i < list->count; i++)
        sum += value_count(&list->items[i], &one) && one < UINT32_MAX ? one : 0;
    const uint64_t size = match_type_size(m, role_in(m->role, m->call, type));
    return list->type != PILGRIM_ARRAY || size == UINT64_MAX || (size && sum > (UINT64_MAX - 1) / size) ? UINT64_MAX
                                                                                                        : sum * size;
}

/* Returns the bytes that a side of a collective call has; UINT64_MAX: not known, or not said. */
static uint64_t side_bytes(struct match *m, enum match_parameter count, enum match_parameter counts,
                           enum match_parameter type)
{
    if (m->role->index[counts] >= 0)
        return sum_of(m, counts, m->role->index[type] >= 0 ? type : P_TYPE);
    if (m->role->index[count] >= 0)
        return bytes_of(m, count, m->role->index[type] >= 0 ? type : P_TYPE);
    return bytes_of(m, P_COUNT, P_TYPE);
}

static int64_t root_of(const struct match *m)
{
    const struct pilgrim_value *root = role_in(m->role, m->call, P_ROOT);
    if (m->role->index[P_ROOT] < 0)
        return -1;
    if (value_is_name(root, "MPI_ROOT"))
        return -2;
    return root->type == PILGRIM_RANK || root->type == PILGRIM_INT ? root->integer : -3;
}

static struct match_entry *make_entry(struct match *m, const struct match_comm *comm)
{
    struct match_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    const uint64_t sent = side_bytes(m, P_SENDCOUNT, P_SENDCOUNTS, P_SENDTYPE),
                   received = side_bytes(m, P_RECVCOUNT, P_RECVCOUNTS, P_RECVTYPE);
    entry->pattern = m->role->pattern;
    entry->site = m->site;
    entry->comm = comm->number;
    entry->comm_rank = comm->rank;
    entry->root = root_of(m);
    if (entry->pattern == MATCH_NEIGHBORS && comm->topology) {
        entry->sources = match_topology_sources(comm->topology);
        entry->source_count = comm->topology->sources;
    }
    entry->sends = sent > 0;
    entry->receives = received > 0;
    entry->bytes = sent == UINT64_MAX || received > sent ? received : sent;
    entry->nonblocking = m->role->index[P_REQUEST] >= 0;
    entry->finalize = m->role->finalize;
    entry->error = error_of(m);
    return entry;
}

/* Enters a collective operation of COMM, or of CONTAINER. */
static bool enter(struct match *m, struct match_comm *comm, struct match_container *container)
{
    struct match_collective *collective;
    struct match_request *request = NULL;
    if (!comm || !comm->identity || !comm->members)
        return true;
    if (m->role->index[P_REQUEST] >= 0 && !new_request(m, &request))
        return false;
    struct match_entry *entry = make_entry(m, comm);
    if (!entry || !(entry->begun = match_record(m))) {
        free(entry);
        return false;
    }
    if (!match_enter(m, comm, container, entry, &collective))
        return false;
    if (request) {
        request->entry = entry;
        request->collective = collective;
        request->active = true;
        return true;
    }
    if (entry->nonblocking || m->call->ret.type == PILGRIM_NONE)
        return match_left(m, collective, entry, NULL);
    struct match_call *record = match_record(m);
    if (!record)
        return false;
    record->waits = m->ends = true;
    return match_left(m, collective, entry, record);
}

/* A persistent collective operation: making it is one of the communicator's, each start is one of its own. */
static bool act_prepare_all(struct match *m, struct match_comm *comm)
{
    struct match_request *request;
    struct match_collective *collective;
    if (!comm || !comm->identity || !comm->members)
        return true;
    struct match_entry *entry = make_entry(m, comm), *again = entry ? malloc(sizeof *again) : NULL;
    struct match_container *container = calloc(1, sizeof *container);
    if (!entry || !again || !container || !new_request(m, &request) || !(entry->begun = match_record(m))) {
        free(entry);
        free(again);
        free(container);
        return false;
    }
    *again = *entry;
    again->begun = NULL;
    entry->pattern = MATCH_OTHER;
    *container = (struct match_container){.comm = *comm, .sub = ++comm->made};
    if (request) {
        if (!match_made_add(m, MADE_REQUEST, role_out(m->role, m->call, P_REQUEST)))
            return false;
        request->persistent = true;
        request->again_all = container;
        request->again_entry = again;
    } else {
        free(container);
        free(again);
    }
    struct match_call *record = match_record(m);
    if (!record)
        return false;
    record->waits = m->ends = true;
    return match_enter(m, comm, NULL, entry, &collective) && match_left(m, collective, entry, record);
}

static bool act_collective(struct match *m)
{
    struct match_comm *comm =
        m->role->finalize || m->role->init ? &m->process->world : match_comm_of(m, role_in(m->role, m->call, P_COMM));
    if (m->role->finalize && !match_made_tell(m))
        return false;
    return m->role->persistent ? act_prepare_all(m, comm) : enter(m, comm, NULL);
}

static bool act_comm(struct match *m)
{
    /* the communicator is looked up before another one may take its number */
    const struct pilgrim_value *name = role_out(m->role, m->call, P_MADE);
    struct match_comm *comm = m->role->act == ACT_COMM ? match_comm_of(m, role_in(m->role, m->call, P_COMM)) : NULL;
    const struct match_topology *parent = comm ? comm->topology : NULL;
    if (m->role->act == ACT_COMM && !enter(m, comm, NULL))
        return false;
    if (!call_succeeded(m->call))
        return true;
    if (!match_made_add(m, MADE_COMM, name) || !match_comm_made(m, name))
        return false;
    struct match_comm *made = name->type == PILGRIM_OBJECT ? match_comm_of(m, name) : NULL;
    return !made || match_topology_made(&m->topologies, m->call, parent, made->rank, &made->topology);
}

static bool act_comm_end(struct match *m)
{
    const struct pilgrim_value *name = role_in(m->role, m->call, P_COMM);
    if (!enter(m, match_comm_of(m, name), NULL))
        return false;
    if (call_succeeded(m->call)) {
        match_made_take(m, MADE_COMM, name);
        match_comm_freed(m, name);
    }
    return true;
}

static enum match_kind container_kind(const struct pilgrim_value *name)
{
    return name->type == PILGRIM_OBJECT && strcmp(name->text, "file") == 0 ? KIND_FILE : KIND_CONTAINER;
}

static bool act_container(struct match *m)
{
    const struct pilgrim_value *name = role_out(m->role, m->call, P_CONTAINER);
    struct match_comm *comm = match_comm_of(m, role_in(m->role, m->call, P_COMM));
    if (!enter(m, comm, NULL))
        return false;
    if (!call_succeeded(m->call) && m->call->ret.type != PILGRIM_NONE) {
        if (comm)
            comm->made++;
        return true;
    }
    if (!match_made_add(m, container_kind(name) == KIND_FILE ? MADE_FILE : MADE_WINDOW, name))
        return false;
    if (!comm || name->type != PILGRIM_OBJECT)
        return true;
    struct match_container *container = calloc(1, sizeof *container);
    if (!container)
        return false;
    *container = (struct match_container){.comm = *comm, .sub = ++comm->made};
    if (match_object_set(m, container_kind(name), name, container))
        return true;
    free(container);
    return false;
}

static bool act_container_call(struct match *m)
{
    const struct pilgrim_value *name = role_in(m->role, m->call, P_CONTAINER);
    struct match_container *container = match_object(m, container_kind(name), name);
    const bool failed = error_of(m) != NULL;
    if (!failed && strcmp(m->role->name, "MPI_Win_free") == 0)
        match_made_take(m, MADE_WINDOW, name);
    if (!failed && strcmp(m->role->name, "MPI_File_close") == 0)
        match_made_take(m, MADE_FILE, name);
    if (!container)
        return true;
    return enter(m, &container->comm, container) &&
           (m->role->sync == SYNC_NONE || failed || match_window_sync(m, name));
}

/* Partitions are ready. The last call that marks some counts. */
static bool act_ready(struct match *m)
{
    const struct match_request *request = request_of(m, role_in(m->role, m->call, P_REQUEST));
    if (!request || !request->send)
        return true;
    match_call_drop(m, request->send->ready);
    request->send->ready = match_record(m);
    return request->send->ready != NULL;
}

/* Notes that a datatype is made or freed. Those that MPI lends, which nobody may free, are not noted. */
static bool type_made(struct match *m)
{
    if (m->role->act == ACT_TYPE_END)
        match_made_take(m, MADE_TYPE, role_in(m->role, m->call, P_TYPE));
    return m->role->act != ACT_TYPE || strstr(m->role->name, "_f90_") || strstr(m->role->name, "_match_") ||
           strstr(m->role->name, "_get_") || match_made_add(m, MADE_TYPE, role_out(m->role, m->call, P_MADE));
}

bool match_act(struct match *m)
{
    const struct match_role *role = m->role;
    const bool returned = m->call->ret.type != PILGRIM_NONE, good = !returned || call_succeeded(m->call);
    switch (role->act) {
    case ACT_NONE:
        return true;
    case ACT_CANCEL:
        return act_cancel(m);
    case ACT_PAUSE:
        return match_pause(m);
    case ACT_SEND:
        return !good || (role->persistent ? !returned || act_prepare(m) : act_send(m));
    case ACT_RECEIVE:
        if (!good && role->index[P_REQUEST] >= 0)
            return true;
        return role->persistent ? !returned || act_prepare(m) : act_receive(m);
    case ACT_EXCHANGE:
        return act_exchange(m);
    case ACT_PROBE:
        return !good || !returned || act_probe(m);
    case ACT_LOOK:
        match_polls_look(m);
        return true;
    case ACT_TAKE:
        return act_take(m);
    case ACT_START:
        return !good || act_start(m);
    case ACT_WAIT:
        return returned ? act_wait(m) : tell_requests(m, m->events->awaited);
    case ACT_FREE:
        return !good || !returned || act_free(m);
    case ACT_COLLECTIVE:
        return !takes_part(m) || act_collective(m);
    case ACT_COMM:
    case ACT_COMM_ALONE:
        return !takes_part(m) || act_comm(m);
    case ACT_COMM_END:
        return !takes_part(m) || act_comm_end(m);
    case ACT_CONTAINER:
        return !takes_part(m) || act_container(m);
    case ACT_CONTAINER_CALL:
        return !takes_part(m) || act_container_call(m);
    case ACT_GROUP:
        return !good || !returned || match_group_made(m);
    case ACT_EPOCH:
        return !good || match_window_sync(m, role_in(m->role, m->call, P_CONTAINER));
    case ACT_REMOTE:
        return !good || match_window_remote(m);
    case ACT_READY:
        return !good || act_ready(m);
    default:
        return !good || !returned || (type_made(m) && match_type_act(m));
    }
}
