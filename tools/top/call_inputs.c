/* SPDX-License-Identifier: BSD-3-Clause */
/* What the inputs of a call say; see call_inputs.h. */
#include "call_inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/value.h"
#include "key_values.h"
#include "record/class_signature.h"
#include "record/stream_inline.h"

/* ---- what functions do ---- */

size_t function_name_length(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && !strcmp(name + length - 2, "_c") ? length - 2 : length;
}

unsigned call_role(const struct function_descriptor *f)
{
    enum {
        RECV = ROLE_RECEIVES,
        SEND = ROLE_SENDS,
        NOW = ROLE_BLOCKS,
        ALL = ROLE_COLLECTIVE | ROLE_BLOCKS,
        WAIT = ROLE_WAITS | ROLE_BLOCKS,
        NEAR = ALL | ROLE_NEIGHBORS,
        MAKE = ALL | ROLE_MAKES,
        HELD = ALL | ROLE_CONTAINER
    };
    static const struct {
        const char *name; /* without MPI_ */
        unsigned role;
    } roles[] = {{"Recv", RECV | NOW},
                 {"Probe", RECV | NOW},
                 {"Mprobe", RECV | NOW},
                 {"Send", SEND | NOW},
                 {"Ssend", SEND | NOW},
                 {"Rsend", SEND | NOW},
                 {"Sendrecv", RECV | SEND | NOW},
                 {"Sendrecv_replace", RECV | SEND | NOW},
                 {"Irecv", RECV},
                 {"Recv_init", RECV},
                 {"Isend", SEND},
                 {"Issend", SEND},
                 {"Irsend", SEND},
                 {"Send_init", SEND},
                 {"Ssend_init", SEND},
                 {"Rsend_init", SEND},
                 {"Wait", WAIT},
                 {"Waitall", WAIT},
                 {"Waitany", WAIT},
                 {"Waitsome", WAIT},
                 {"Barrier", ALL},
                 {"Bcast", ALL},
                 {"Gather", ALL},
                 {"Gatherv", ALL},
                 {"Scatter", ALL},
                 {"Scatterv", ALL},
                 {"Allgather", ALL},
                 {"Allgatherv", ALL},
                 {"Alltoall", ALL},
                 {"Alltoallv", ALL},
                 {"Alltoallw", ALL},
                 {"Reduce", ALL},
                 {"Allreduce", ALL},
                 {"Reduce_scatter", ALL},
                 {"Reduce_scatter_block", ALL},
                 {"Scan", ALL},
                 {"Exscan", ALL},
                 {"Comm_dup", ALL},
                 {"Comm_dup_with_info", ALL},
                 {"Comm_create", ALL},
                 {"Comm_split", ALL},
                 {"Comm_split_type", ALL},
                 {"Cart_create", ALL},
                 {"Graph_create", ALL},
                 {"Cart_sub", ALL},
                 {"Comm_disconnect", ALL},
                 {"Comm_free", ALL},
                 {"Comm_spawn", ALL},
                 {"Comm_spawn_multiple", ALL},
                 {"Dist_graph_create", ALL},
                 {"Dist_graph_create_adjacent", ALL},
                 {"Neighbor_allgather", NEAR},
                 {"Neighbor_allgatherv", NEAR},
                 {"Neighbor_alltoall", NEAR},
                 {"Neighbor_alltoallv", NEAR},
                 {"Neighbor_alltoallw", NEAR},
                 {"File_open", MAKE},
                 {"Win_allocate", MAKE},
                 {"Win_allocate_shared", MAKE},
                 {"Win_create", MAKE},
                 {"Win_create_dynamic", MAKE},
                 {"Win_fence", HELD},
                 {"Win_free", HELD},
                 {"File_close", HELD},
                 {"File_preallocate", HELD},
                 {"File_read_all", HELD},
                 {"File_read_at_all", HELD},
                 {"File_read_ordered", HELD},
                 {"File_set_size", HELD},
                 {"File_set_view", HELD},
                 {"File_sync", HELD},
                 {"File_write_all", HELD},
                 {"File_write_at_all", HELD},
                 {"File_write_ordered", HELD}};
    enum { PREFIX = 4 };
    size_t length = function_name_length(f->name);
    if (length < PREFIX || strncmp(f->name, "MPI_", PREFIX) != 0)
        return 0;
    length -= PREFIX;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strlen(roles[i].name) == length && !strncmp(roles[i].name, f->name + PREFIX, length))
            return roles[i].role;
    return 0;
}

/* ---- values ---- */

/* Takes the value of each input of F from KEY. */
struct inputs {
    const struct function_descriptor *f;
    struct key_reader r;
    unsigned next;
};

static struct inputs inputs_of(const struct function_descriptor *f, const struct bytes *key)
{
    struct inputs in = {.f = f};
    key_reader_init(&in.r, key);
    return in;
}

/* Returns the name of the next input, and its value; NULL: there is none. */
static const char *inputs_next(struct inputs *in, struct key_value *v)
{
    while (in->next < in->f->parameter_count) {
        const struct parameter_descriptor *p = &in->f->parameters[in->next++];
        if (p->direction & DIRECTION_IN)
            return key_next(&in->r, v) ? p->name : NULL;
    }
    return NULL;
}

/* Sets RANK to the rank that V is, RELATIVE to the rank of this process in the communicator, which has SIZE. False: V
 * is none. */
static bool rank_of(const struct look_process *p, const struct key_value *v, int64_t *rank, int64_t *relative,
                    int64_t *size)
{
    if (v->tag != VALUE_RANK || v->base >= p->facts.base_count)
        return false;
    const struct journal_rank_base *base = &p->facts.bases[v->base];
    if (base->size <= 0 || base->rank < 0 || base->rank >= base->size)
        return false;
    *relative = v->slots[0] % base->size;
    *rank = (*relative + base->rank + base->size) % base->size;
    *relative = *rank - base->rank;
    *size = base->size;
    return true;
}

static void print_value(const struct look_process *p, const struct key_value *v, char text[ARGUMENT_TEXT])
{
    const struct vocabulary *names = &p->journal->vocabulary;
    const char *name = v->operand < names->name_count ? names->names[v->operand] : "?";
    if (v->tag == VALUE_NAME)
        snprintf(text, ARGUMENT_TEXT, "%s", name);
    else if (v->tag == VALUE_OBJECT)
        snprintf(text, ARGUMENT_TEXT, "%s:%" PRId64, name, v->slots[0]);
    else if (v->tag == VALUE_INT || v->tag == VALUE_BOOL)
        snprintf(text, ARGUMENT_TEXT, "%" PRId64, v->slots[0]);
    else
        snprintf(text, ARGUMENT_TEXT, "?");
}

/* ---- requests ---- */

const struct class_site *request_class(const struct look_process *p, int64_t class)
{
    uint64_t thread = (uint64_t) class >> VALUE_THREAD_SHIFT,
             number = (uint64_t) class & ((1u << VALUE_THREAD_SHIFT) - 1);
    for (size_t i = 0; i < p->read->thread_count; i++)
        if (p->read->threads[i].number == thread)
            return number < p->classes[i].count ? &p->classes[i].items[number] : NULL;
    return NULL;
}

static void add_request(struct unit *u, int64_t class, uint64_t count)
{
    for (unsigned i = 0; i < u->request_kinds; i++)
        if (u->requests[i].class == class) {
            u->requests[i].count += count;
            return;
        }
    if (u->request_kinds == REQUEST_KINDS_MAX) {
        u->other_requests += count;
        return;
    }
    u->requests[u->request_kinds++] =
        (struct request_kind){.class = class, .begun = request_class(u->process, class), .count = count};
}

/* Adds the requests that V names: one, or an array. */
static void take_requests(struct unit *u, const struct key_value *v)
{
    struct cursor c = v->items;
    struct key_value item = *v;
    uint64_t run = 0; /* values of a run that are not stored */
    if (v->tag == VALUE_EDITED || v->tag == VALUE_COMPLETED)
        u->hidden_requests = true; /* the change to an earlier array */
    /* The name of a request that was begun before the log was. */
    const bool begun_anew = u->thread->log.epoch;
    u->hidden_requests |= begun_anew && v->tag == VALUE_REQUEST;
    if (v->tag == VALUE_LIVE || v->tag == VALUE_REQUEST)
        add_request(u, v->slots[0], 1);
    while (v->tag == VALUE_ARRAY && cursor_left(&c) && key_token(&c, &item)) {
        if (item.tag == VALUE_SERIES)
            run = item.operand > 2 ? item.operand - 2 : 0;
        u->hidden_requests |= begun_anew && item.tag == VALUE_REQUEST;
        if (item.tag == VALUE_LIVE || item.tag == VALUE_REQUEST) {
            add_request(u, item.slots[0], 1 + run);
            run = 0;
        }
    }
}

/* ---- arguments ---- */

/* True if the parameter NAME says what a call is about. */
static bool is_telling(const char *name)
{
    static const char *const names[] = {
        "source",    "dest",      "root",         "tag",           "sendtag", "recvtag",  "count",       "sendcount",
        "recvcount", "comm",      "local_comm",   "peer_comm",     "win",     "fh",       "target_rank", "target_count",
        "comm_old",  "port_name", "local_leader", "remote_leader", "command", "filename", "assert"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static void take_argument(struct unit *u, const char *name, const struct key_value *v)
{
    struct call_argument *a = &u->arguments[u->argument_count];
    bool world = value_is_name(v, &u->process->journal->vocabulary, "MPI_COMM_WORLD");
    if (u->argument_count == ARGUMENTS_MAX || world || v->tag == VALUE_NONE)
        return; /* most calls are on MPI_COMM_WORLD */
    a->name = name;
    a->is_number = v->tag == VALUE_INT;
    if (!rank_of(u->process, v, &a->rank, &a->relative, &a->size))
        print_value(u->process, v, a->text);
    u->argument_count++;
}

void unit_take_inputs(struct unit *u)
{
    struct key_value v;
    struct inputs in = inputs_of(u->function, &u->thread->in_flight.key);
    for (const char *name; (name = inputs_next(&in, &v));) {
        if (is_telling(name))
            take_argument(u, name, &v);
        else if (call_role(u->function) & ROLE_WAITS && strstr(name, "request"))
            take_requests(u, &v);
    }
}

/* ---- waiting ---- */

void call_collective(const struct look_process *p, const struct function_descriptor *f, const struct bytes *key,
                     uint64_t *comm, int64_t *root)
{
    struct key_value v;
    struct inputs in = inputs_of(f, key);
    int64_t relative, size;
    *comm = COMM_UNKNOWN;
    *root = -1;
    for (const char *name; (name = inputs_next(&in, &v));) {
        if (!strcmp(name, "comm") || !strcmp(name, "comm_old"))
            *comm = process_comms_identity(&p->comms, &v, &p->journal->vocabulary);
        if (!strcmp(name, "root") && !rank_of(p, &v, root, &relative, &size))
            *root = v.tag == VALUE_INT ? v.slots[0] : -1;
    }
}

static bool is_container(const char *name)
{
    return !strcmp(name, "win") || !strcmp(name, "fh");
}

/* Sets V to the window or file that comes out of a call of F with KEY. False: none does. */
static bool container_made(const struct function_descriptor *f, const struct bytes *key, struct key_value *v)
{
    struct key_reader r;
    key_reader_init(&r, key);
    for (unsigned out = 0; out < 2; out++)
        for (unsigned i = 0; i < f->parameter_count; i++)
            if (f->parameters[i].direction & (out ? DIRECTION_OUT : DIRECTION_IN)) {
                if (!key_next(&r, v))
                    return false;
                if (out && is_container(f->parameters[i].name))
                    return v->tag == VALUE_OBJECT;
            }
    return false;
}

uint64_t call_container_comm(const struct look_process *p, const struct function_descriptor *f, const struct bytes *key,
                             const struct stream *s)
{
    struct key_value held, made;
    struct inputs in = inputs_of(f, key);
    const char *name = inputs_next(&in, &held);
    while (name && !is_container(name))
        name = inputs_next(&in, &held);
    uint64_t found = COMM_UNKNOWN;
    for (uint64_t i = 0; name && held.tag == VALUE_OBJECT && i < s->class_count; i++) {
        const struct stream_class *c = s->classes[i];
        const struct function_descriptor *maker = &s->vocabulary->functions[c->head.key.function];
        for (uint32_t k = 0; call_role(maker) & ROLE_MAKES && k < c->signatures.count; k++) {
            const struct class_signature *signature = c->signatures.by_terminal[k];
            const struct bytes of = {.data = (uint8_t *)(uintptr_t)signature->key, .length = signature->length};
            uint64_t comm;
            int64_t root;
            if (signature->varying) /* it may be any one */
                return COMM_UNKNOWN;
            if (!container_made(maker, &of, &made) || made.operand != held.operand || made.slots[0] != held.slots[0])
                continue;
            call_collective(p, maker, &of, &comm, &root);
            if (found != COMM_UNKNOWN && comm != found)
                return COMM_UNKNOWN;
            found = comm;
        }
    }
    return found;
}

/* What a call says of its messages, as stored. */
struct envelope {
    struct key_value source, dest, send_tag, receive_tag;
    uint64_t comm, count;
};

static void read_envelope(const struct look_process *p, const struct function_descriptor *f, const struct bytes *key,
                          struct envelope *e)
{
    struct key_value v;
    struct inputs in = inputs_of(f, key);
    *e = (struct envelope){.comm = COMM_UNKNOWN};
    for (const char *name; (name = inputs_next(&in, &v));) {
        if (!strcmp(name, "source"))
            e->source = v;
        else if (!strcmp(name, "dest"))
            e->dest = v;
        else if (!strcmp(name, "tag"))
            e->send_tag = e->receive_tag = v;
        else if (!strcmp(name, "sendtag"))
            e->send_tag = v;
        else if (!strcmp(name, "recvtag"))
            e->receive_tag = v;
        else if (!strcmp(name, "comm"))
            e->comm = process_comms_identity(&p->comms, &v, &p->journal->vocabulary);
        else if (strstr(name, "count") && v.tag == VALUE_INT && v.slots[0] > 0 && (uint64_t)v.slots[0] > e->count)
            e->count = (uint64_t)v.slots[0];
    }
}

/* Appends the message with PEER and TAG. False: the values do not say which it is. */
static bool add_pending(const struct look *look, const struct look_process *p, const struct envelope *e, bool sends,
                        struct pending *pending, int *count)
{
    const struct vocabulary *names = &p->journal->vocabulary;
    const struct key_value *peer = sends ? &e->dest : &e->source, *tag = sends ? &e->send_tag : &e->receive_tag;
    int64_t rank, relative, size;
    struct pending m = {.sends = sends, .comm = e->comm, .count = e->count, .peer = PENDING_ANYONE};
    if (value_is_name(peer, names, "MPI_PROC_NULL"))
        return true;
    m.any_tag = value_is_name(tag, names, "MPI_ANY_TAG");
    if (!m.any_tag && tag->tag != VALUE_INT)
        return false;
    m.tag = tag->slots[0];
    if (!value_is_name(peer, names, "MPI_ANY_SOURCE")) {
        if (!rank_of(p, peer, &rank, &relative, &size))
            return false;
        m.peer = look_world_rank(look, e->comm, rank);
        if (m.peer < 0)
            return false;
    }
    pending[(*count)++] = m;
    return true;
}

int call_pending(const struct look *look, const struct look_process *p, const struct function_descriptor *f,
                 const struct bytes *key, struct pending pending[PENDING_MAX])
{
    unsigned role = call_role(f);
    struct envelope e;
    int count = 0;
    read_envelope(p, f, key, &e);
    bool good = e.comm != COMM_UNKNOWN;
    if (role & ROLE_RECEIVES)
        good = good && add_pending(look, p, &e, false, pending, &count);
    if (role & ROLE_SENDS)
        good = good && add_pending(look, p, &e, true, pending, &count);
    return good ? count : -1;
}
