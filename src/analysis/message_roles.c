/* SPDX-License-Identifier: BSD-3-Clause */
/* The roles of MPI functions for messages: which ones send, prepare, start, or make and free what others refer to. */
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "analysis/messages_data.h"
#include "analysis/type_sizes.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const uint64_t no_target = UINT64_MAX;

static bool bind(struct messages *m, enum bound_kind kind, const struct pilgrim_value *name, struct bound what)
{
    m->acts = true;
    return bindings_set(&m->bindings, kind, name, what) &&
           (!m->looking || bindings_share(&m->bindings, kind, name, what));
}

static void unbind(struct messages *m, enum bound_kind kind, const struct pilgrim_value *name)
{
    m->acts = true;
    bindings_end(&m->bindings, kind, name);
}

uint64_t messages_size_of(void *context, const struct pilgrim_value *datatype)
{
    const struct messages *m = context;
    if (datatype->type == PILGRIM_NAME)
        return type_size_predefined(datatype->text);
    const struct bound *found = bindings_find(&m->bindings, BOUND_DATATYPE, datatype);
    return found ? found->a : TYPE_SIZE_UNKNOWN;
}

struct type_extent messages_extent_of(void *context, const struct pilgrim_value *datatype)
{
    const struct messages *m = context;
    if (datatype->type == PILGRIM_NAME)
        return type_extent_predefined(datatype->text);
    const struct bound *found = bindings_find(&m->bindings, BOUND_DATATYPE, datatype);
    return found && found->b ? m->extents[found->b - 1] : (struct type_extent){0};
}

/* Sets *NUMBER to that of an extent, from 1. False: no memory. */
static bool extent_number(struct messages *m, const struct type_extent *e, uint64_t *number)
{
    const struct key key = {
        {(uint64_t)e->lower, (uint64_t)e->upper, (uint64_t)e->alignment << 2 | (uint64_t)e->empty << 1 | e->set}};
    *number = 0;
    if (!e->known)
        return true;
    const uint64_t *known = key_table_put(&m->extent_numbers, key, m->extent_count);
    struct type_extent *extents = messages_roomy(m->extents, m->extent_count, &m->extent_capacity, sizeof *extents);
    m->extents = extents ? extents : m->extents;
    if (!known || !extents)
        return false;
    if (*known == m->extent_count)
        m->extents[m->extent_count++] = *e;
    *number = *known + 1;
    return true;
}

/* ---- transfers ---- */

/* Sets *NUMBER to the number of TARGET, a new one if it has none. False: no memory. */
static bool target_number(struct messages *m, struct group_member target, uint64_t *number)
{
    const struct key key = {{target.group, target.side, (uint64_t)target.rank}};
    const uint64_t *known = key_table_put(&m->target_numbers, key, m->target_count);
    struct group_member *targets = messages_roomy(m->targets, m->target_count, &m->target_capacity, sizeof *targets);
    m->targets = targets ? targets : m->targets;
    if (!known || !targets)
        return false;
    *number = *known;
    if (*known == m->target_count)
        m->targets[m->target_count++] = target;
    return true;
}

/* Sets *NUMBER to the target that the argument RANK names in GROUP; to no_target if it names none (MPI_PROC_NULL).
 * False: no memory. */
static bool target_of(struct messages *m, struct bound group, const struct pilgrim_value *rank, uint64_t *number)
{
    *number = no_target;
    if (rank->type != PILGRIM_RANK && rank->type != PILGRIM_INT)
        return true;
    return target_number(m, messages_group_member(m, group, rank->integer), number);
}

static bool add_transfer(struct messages *m, enum messages_kind kind, uint64_t target, uint64_t bytes)
{
    if (target == no_target)
        return true;
    struct messages_transfer *transfers =
        messages_roomy(m->transfers, m->seen_first + m->seen_count, &m->transfer_capacity, sizeof *transfers);
    if (!transfers)
        return false;
    m->transfers = transfers;
    bool sized = bytes != TYPE_SIZE_UNKNOWN;
    m->transfers[m->seen_first + m->seen_count++] = (struct messages_transfer){
        .kind = kind, .target = (uint32_t)target, .sized = sized, .bytes = sized ? bytes : 0};
    return true;
}

/* ---- functions ---- */

struct role;
typedef bool (*role_function)(struct messages *m, const struct role *role, const struct pilgrim_call *call);

/* What a function does, and the parameter that it does it to. */
struct role {
    const char *function; /* without MPI_ and _c */
    role_function act;    /* false: no memory */
    const char *name;
};

/* Returns the bytes of a buffer: the value of parameter COUNT times the size of that of DATATYPE. */
static uint64_t bytes_of(struct messages *m, const struct pilgrim_call *call, const char *count, const char *datatype)
{
    uint64_t elements;
    if (!value_count(call_in(call, count), &elements))
        return TYPE_SIZE_UNKNOWN;
    return type_size_times(elements, messages_size_of(m, call_in(call, datatype)));
}

static bool destination(struct messages *m, const struct pilgrim_call *call, uint64_t *target)
{
    return target_of(m, messages_group(m, BOUND_COMM, call_in(call, "comm")), call_in(call, "dest"), target);
}

static bool send(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    uint64_t target;
    (void)role;
    return destination(m, call, &target) &&
           add_transfer(m, MESSAGES_SEND, target, bytes_of(m, call, "count", "datatype"));
}

static bool exchange(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    uint64_t target;
    (void)role;
    return destination(m, call, &target) &&
           add_transfer(m, MESSAGES_SEND, target, bytes_of(m, call, "sendcount", "sendtype"));
}

/* Binds a persistent or partitioned request to what each start of it sends: target and bytes. */
static bool prepare(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    struct bound message = {no_target, bytes_of(m, call, "count", "datatype")};
    const struct pilgrim_value *partitions = call_in(call, "partitions");
    uint64_t count;
    if (partitions->type != PILGRIM_NONE)
        message.b = value_count(partitions, &count) ? type_size_times(message.b, count) : TYPE_SIZE_UNKNOWN;
    return destination(m, call, &message.a) && bind(m, BOUND_REQUEST, call_out(call, role->name), message);
}

static bool start_one(struct messages *m, const struct pilgrim_value *request)
{
    const struct bound *message = bindings_find(&m->bindings, BOUND_REQUEST, request);
    return !message || add_transfer(m, MESSAGES_SEND, message->a, message->b);
}

static bool start(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    const struct pilgrim_value *v = call_in(call, role->name);
    bool good = v->type == PILGRIM_ARRAY || start_one(m, v);
    for (size_t i = 0; v->type == PILGRIM_ARRAY && i < v->count && good; i++)
        good = start_one(m, &v->items[i]);
    return good;
}

static bool window_target(struct messages *m, const struct pilgrim_call *call, uint64_t *target)
{
    return target_of(m, messages_group(m, BOUND_WIN, call_in(call, "win")), call_in(call, "target_rank"), target);
}

/* Adds what goes from the origin to the target. */
static bool put(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    uint64_t target;
    (void)role;
    return window_target(m, call, &target) &&
           add_transfer(m, MESSAGES_PUT, target, bytes_of(m, call, "origin_count", "origin_datatype"));
}

static bool get(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    uint64_t target;
    (void)role;
    return window_target(m, call, &target) &&
           add_transfer(m, MESSAGES_GET, target, bytes_of(m, call, "origin_count", "origin_datatype"));
}

static bool put_and_get(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    uint64_t target;
    return put(m, role, call) && window_target(m, call, &target) &&
           add_transfer(m, MESSAGES_GET, target, bytes_of(m, call, "result_count", "result_datatype"));
}

/* Adds one element to the target and one back. */
static bool fetch(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    uint64_t target, bytes = messages_size_of(m, call_in(call, "datatype"));
    (void)role;
    return window_target(m, call, &target) && add_transfer(m, MESSAGES_PUT, target, bytes) &&
           add_transfer(m, MESSAGES_GET, target, bytes);
}

static bool make_type(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    const struct type_extent extent = type_extent_made(call, messages_extent_of, m);
    struct bound made = {type_size_made(call, messages_size_of, m), 0};
    return extent_number(m, &extent, &made.b) && bind(m, BOUND_DATATYPE, call_out(call, role->name), made);
}

/* Binds a datatype to the size that MPI returned; its extent stays. */
static bool ask_size(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    const struct pilgrim_value *type = call_in(call, "datatype");
    const struct bound *found = bindings_find(&m->bindings, BOUND_DATATYPE, type);
    struct bound size = {0, found ? found->b : 0};
    return !value_count(call_out(call, role->name), &size.a) || bind(m, BOUND_DATATYPE, type, size);
}

static bool end_type(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    unbind(m, BOUND_DATATYPE, call_in(call, role->name));
    return true;
}

static bool new_communicator(struct messages *m, const struct role *role, const struct pilgrim_call *call,
                             struct bound parent, bool same)
{
    const struct pilgrim_value *name = call_out(call, role->name);
    struct bound group;
    m->acts = true;
    return messages_created(m, name, parent, same, &group) && bind(m, BOUND_COMM, name, group);
}

static bool duplicate(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    return new_communicator(m, role, call, messages_group(m, BOUND_COMM, call_in(call, "comm")), true);
}

static bool create(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    return new_communicator(m, role, call, messages_group(m, BOUND_COMM, call_in(call, "comm")), false);
}

static bool create_inter(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    return new_communicator(m, role, call, messages_group(m, BOUND_COMM, call_in(call, "local_comm")), false);
}

static bool end_communicator(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    unbind(m, BOUND_COMM, call_in(call, role->name));
    return true;
}

static bool make_window(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    return bind(m, BOUND_WIN, call_out(call, role->name), messages_group(m, BOUND_COMM, call_in(call, "comm")));
}

static bool end_window(struct messages *m, const struct role *role, const struct pilgrim_call *call)
{
    unbind(m, BOUND_WIN, call_in(call, role->name));
    return true;
}

static const struct role roles[] = {
    {"Accumulate", put, NULL},
    {"Bsend", send, NULL},
    {"Bsend_init", prepare, "request"},
    {"Cart_create", create, "comm_cart"},
    {"Cart_sub", create, "newcomm"},
    {"Comm_accept", create, "newcomm"},
    {"Comm_connect", create, "newcomm"},
    {"Comm_create", create, "newcomm"},
    {"Comm_create_from_group", create, "newcomm"},
    {"Comm_create_group", create, "newcomm"},
    {"Comm_disconnect", end_communicator, "comm"},
    {"Comm_dup", duplicate, "newcomm"},
    {"Comm_dup_with_info", duplicate, "newcomm"},
    {"Comm_free", end_communicator, "comm"},
    {"Comm_idup", duplicate, "newcomm"},
    {"Comm_idup_with_info", duplicate, "newcomm"},
    {"Comm_join", create_inter, "intercomm"},
    {"Comm_shrink", create, "newcomm"},
    {"Comm_spawn", create, "intercomm"},
    {"Comm_spawn_multiple", create, "intercomm"},
    {"Comm_split", create, "newcomm"},
    {"Comm_split_type", create, "newcomm"},
    {"Compare_and_swap", fetch, NULL},
    {"Dist_graph_create", create, "comm_dist_graph"},
    {"Dist_graph_create_adjacent", create, "comm_dist_graph"},
    {"Fetch_and_op", fetch, NULL},
    {"Get", get, NULL},
    {"Get_accumulate", put_and_get, NULL},
    {"Graph_create", create, "comm_graph"},
    {"Ibsend", send, NULL},
    {"Intercomm_create", create_inter, "newintercomm"},
    {"Intercomm_create_from_groups", create_inter, "newintercomm"},
    {"Intercomm_merge", create, "newintracomm"},
    {"Irsend", send, NULL},
    {"Isend", send, NULL},
    {"Isendrecv", exchange, NULL},
    {"Isendrecv_replace", send, NULL},
    {"Issend", send, NULL},
    {"Psend_init", prepare, "request"},
    {"Put", put, NULL},
    {"Raccumulate", put, NULL},
    {"Rget", get, NULL},
    {"Rget_accumulate", put_and_get, NULL},
    {"Rput", put, NULL},
    {"Rsend", send, NULL},
    {"Rsend_init", prepare, "request"},
    {"Send", send, NULL},
    {"Send_init", prepare, "request"},
    {"Sendrecv", exchange, NULL},
    {"Sendrecv_replace", send, NULL},
    {"Ssend", send, NULL},
    {"Ssend_init", prepare, "request"},
    {"Start", start, "request"},
    {"Startall", start, "array_of_requests"},
    {"Type_contiguous", make_type, "newtype"},
    {"Type_create_darray", make_type, "newtype"},
    {"Type_create_f90_complex", make_type, "newtype"},
    {"Type_create_f90_integer", make_type, "newtype"},
    {"Type_create_f90_real", make_type, "newtype"},
    {"Type_create_hindexed", make_type, "newtype"},
    {"Type_create_hindexed_block", make_type, "newtype"},
    {"Type_create_hvector", make_type, "newtype"},
    {"Type_create_indexed_block", make_type, "newtype"},
    {"Type_create_resized", make_type, "newtype"},
    {"Type_create_struct", make_type, "newtype"},
    {"Type_create_subarray", make_type, "newtype"},
    {"Type_dup", make_type, "newtype"},
    {"Type_free", end_type, "datatype"},
    {"Type_get_value_index", make_type, "pair_type"},
    {"Type_hindexed", make_type, "newtype"},
    {"Type_hvector", make_type, "newtype"},
    {"Type_indexed", make_type, "newtype"},
    {"Type_match_size", make_type, "datatype"},
    {"Type_size", ask_size, "size"},
    {"Type_size_x", ask_size, "size"},
    {"Type_struct", make_type, "newtype"},
    {"Type_vector", make_type, "newtype"},
    {"Win_allocate", make_window, "win"},
    {"Win_allocate_shared", make_window, "win"},
    {"Win_create", make_window, "win"},
    {"Win_create_dynamic", make_window, "win"},
    {"Win_free", end_window, "win"},
};

struct wanted {
    const char *name;
    size_t length;
};

static int compare_role(const void *wanted, const void *entry)
{
    const struct wanted *w = wanted;
    const char *name = ((const struct role *)entry)->function;
    int order = strncmp(w->name, name, w->length);
    return order ? order : name[w->length] ? -1 : 0;
}

/* Returns the role of FUNCTION; NULL if it neither sends nor makes anything that matters. */
static const struct role *role_of(const char *function)
{
    const char *name = call_short_name(function);
    if (!name)
        return NULL;
    struct wanted wanted = {name, strlen(name)};
    if (wanted.length > 2 && strcmp(wanted.name + wanted.length - 2, "_c") == 0)
        wanted.length -= 2;
    return bsearch(&wanted, roles, COUNT(roles), sizeof *roles, compare_role);
}

bool messages_act(struct messages *m, const struct pilgrim_call *call)
{
    const struct role *role = role_of(call->function->name);
    return !role || !call_succeeded(call) || role->act(m, role, call);
}
