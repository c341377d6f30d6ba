/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what calls move; see volume.h. A table says which parameters of a function have the counts and datatypes. */
#include "analysis/volume.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_values.h"
#include "analysis/type_sizes.h"

enum { PART_MEMOS = 1024, RULE_MEMOS = 64, RULE_NAME = 40 };

/* What calls of one identity move. */
struct part_memo {
    uint64_t identity; /* 0: the entry is empty */
    uint64_t changes;  /* as messages_changes when it was made */
    struct volume_parts parts;
};

struct volume_rule;

/* The rule of a function that was looked up. */
struct rule_memo {
    char function[RULE_NAME];
    const struct volume_rule *rule;
};

struct volumes {
    const struct pilgrim_trace *trace;
    struct messages *messages;
    bool members;                  /* those of all communicators are known */
    struct key_table file_request; /* 1: the request is of an operation on a file; its status tells nothing new */
    struct messages_count seen;
    bool tried; /* to learn the members of all communicators */
    struct volume_parts parts;
    struct part_memo part_memos[PART_MEMOS];
    struct rule_memo rule_memos[RULE_MEMOS];
};

struct volumes *volumes_new(const struct pilgrim_trace *trace)
{
    struct volumes *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->trace = trace;
    v->messages = messages_new(trace);
    if (!v->messages) {
        free(v);
        return NULL;
    }
    return v;
}

void volumes_free(struct volumes *v)
{
    if (!v)
        return;
    messages_free(v->messages);
    key_table_clear(&v->file_request);
    free(v);
}

enum pilgrim_status volumes_begin_thread(struct volumes *v, uint32_t rank, uint32_t thread, struct pilgrim_error *error)
{
    key_table_clear(&v->file_request);
    return messages_begin(v->messages, rank, thread, error);
}

struct messages *volumes_messages(struct volumes *v)
{
    return v->messages;
}

enum pilgrim_status volumes_begin(struct volumes *v, uint32_t rank, uint32_t thread, struct pilgrim_error *error)
{
    if (!v->members) {
        enum pilgrim_status status = messages_know_members(v->messages, error);
        if (status != PILGRIM_OK)
            return status;
        v->members = true;
    }
    return volumes_begin_thread(v, rank, thread, error);
}

static struct key request_key(const struct pilgrim_value *request)
{
    return (struct key){{(uint64_t)request->id, (uint64_t)request->offset}};
}

enum pilgrim_status volumes_see(struct volumes *v, const struct pilgrim_call *call, struct pilgrim_error *error)
{
    const char *name = call->function->name; /* compared up to where most others differ, for speed */
    const bool file = name[0] == 'M' && name[1] == 'P' && name[2] == 'I' && name[3] == '_' && name[4] == 'F' &&
                      strncmp(name, "MPI_File_i", 10) == 0;
    if (messages_see(v->messages, call, &v->seen) != PILGRIM_OK)
        return no_memory(error);
    if (!file && !v->file_request.entries)
        return PILGRIM_OK;
    const struct pilgrim_value *request = call_out(call, "request");
    if (request->type != PILGRIM_REQUEST)
        return PILGRIM_OK;
    uint64_t *known = key_table_put(&v->file_request, request_key(request), file);
    if (!known)
        return no_memory(error);
    *known = file;
    return PILGRIM_OK;
}

/* ---- parameters ---- */

/* How parameters of a function give bytes. */
enum volume_how {
    NOTHING,
    ONE,      /* count x datatype */
    EACH,     /* as often as the communicator has processes */
    SUM,      /* the sum of counts x datatype */
    SUM_EACH, /* the sum of counts x datatypes */
    UNCLEAR   /* it follows from something else */
};

struct volume_side {
    enum volume_how how;
    const char *count, *type;
};

#define SEND(how)                                                                                                      \
    {                                                                                                                  \
        how, "sendcount", "sendtype"                                                                                   \
    }
#define RECV(how)                                                                                                      \
    {                                                                                                                  \
        how, "recvcount", "recvtype"                                                                                   \
    }
#define BOTH(how)                                                                                                      \
    {                                                                                                                  \
        how, "count", "datatype"                                                                                       \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        NOTHING, NULL, NULL                                                                                            \
    }

/* ROOT: 1: only the root sends, the others receive; 2: only the root receives. */
static const struct volume_rule {
    const char *function; /* without MPI_, _c, and the I of one that does not block */
    struct volume_side sent, received;
    int root;
} rules[] = {
    {"Allgather", SEND(ONE), RECV(EACH), 0},
    {"Allgatherv", SEND(ONE), {SUM, "recvcounts", "recvtype"}, 0},
    {"Allreduce", BOTH(ONE), BOTH(ONE), 0},
    {"Alltoall", SEND(EACH), RECV(EACH), 0},
    {"Alltoallv", {SUM, "sendcounts", "sendtype"}, {SUM, "recvcounts", "recvtype"}, 0},
    {"Alltoallw", {SUM_EACH, "sendcounts", "sendtypes"}, {SUM_EACH, "recvcounts", "recvtypes"}, 0},
    {"Bcast", BOTH(ONE), BOTH(ONE), 1},
    {"Exscan", BOTH(ONE), BOTH(ONE), 0},
    {"File_read", NONE, BOTH(ONE), 0},
    {"File_read_all", NONE, BOTH(ONE), 0},
    {"File_read_all_begin", NONE, BOTH(ONE), 0},
    {"File_read_at", NONE, BOTH(ONE), 0},
    {"File_read_at_all", NONE, BOTH(ONE), 0},
    {"File_read_at_all_begin", NONE, BOTH(ONE), 0},
    {"File_read_ordered", NONE, BOTH(ONE), 0},
    {"File_read_ordered_begin", NONE, BOTH(ONE), 0},
    {"File_read_shared", NONE, BOTH(ONE), 0},
    {"File_write", BOTH(ONE), NONE, 0},
    {"File_write_all", BOTH(ONE), NONE, 0},
    {"File_write_all_begin", BOTH(ONE), NONE, 0},
    {"File_write_at", BOTH(ONE), NONE, 0},
    {"File_write_at_all", BOTH(ONE), NONE, 0},
    {"File_write_at_all_begin", BOTH(ONE), NONE, 0},
    {"File_write_ordered", BOTH(ONE), NONE, 0},
    {"File_write_ordered_begin", BOTH(ONE), NONE, 0},
    {"File_write_shared", BOTH(ONE), NONE, 0},
    {"Gather", SEND(ONE), RECV(EACH), 2},
    {"Gatherv", SEND(ONE), {SUM, "recvcounts", "recvtype"}, 2},
    {"Neighbor_allgather", SEND(ONE), {UNCLEAR, NULL, NULL}, 0},
    {"Neighbor_allgatherv", SEND(ONE), {SUM, "recvcounts", "recvtype"}, 0},
    {"Neighbor_alltoall", {UNCLEAR, NULL, NULL}, {UNCLEAR, NULL, NULL}, 0},
    {"Neighbor_alltoallv", {SUM, "sendcounts", "sendtype"}, {SUM, "recvcounts", "recvtype"}, 0},
    {"Neighbor_alltoallw", {SUM_EACH, "sendcounts", "sendtypes"}, {SUM_EACH, "recvcounts", "recvtypes"}, 0},
    {"Reduce", BOTH(ONE), BOTH(ONE), 2},
    {"Reduce_scatter", {SUM, "recvcounts", "datatype"}, {UNCLEAR, NULL, NULL}, 0},
    {"Reduce_scatter_block", {EACH, "recvcount", "datatype"}, {ONE, "recvcount", "datatype"}, 0},
    {"Scan", BOTH(ONE), BOTH(ONE), 0},
    {"Scatter", SEND(EACH), RECV(ONE), 1},
    {"Scatterv", {SUM, "sendcounts", "sendtype"}, RECV(ONE), 1},
};

/* Functions whose statuses tell what was received. */
static const char *const receives[] = {"Imrecv",  "Mrecv",   "Recv",    "Sendrecv", "Sendrecv_replace",
                                       "Test",    "Testall", "Testany", "Testsome", "Wait",
                                       "Waitall", "Waitany", "Waitsome"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* True if NAME, of LENGTH bytes, is WANTED, or is so but for an I at the beginning (of a file's function: behind
 * "File_"). */
static bool is_function(const char *name, size_t length, const char *wanted)
{
    size_t prefix = strncmp(wanted, "File_", 5) == 0 ? 5 : 0, rest = strlen(wanted);
    if (length == rest)
        return memcmp(name, wanted, length) == 0;
    if (length != rest + 1 || memcmp(name, wanted, prefix) != 0)
        return false;
    if (prefix)
        return name[5] == 'i' && memcmp(name + 6, wanted + 5, rest - 5) == 0;
    return name[0] == 'I' && name[1] == (wanted[0] | 0x20) && memcmp(name + 2, wanted + 1, rest - 1) == 0;
}

/* Returns the name without MPI_ and _c. */
static const char *short_name(const struct pilgrim_call *call, size_t *length)
{
    const char *name = call->function->name;
    name += strncmp(name, "MPI_", 4) == 0 ? 4 : 0;
    *length = strlen(name);
    if (*length > 2 && strcmp(name + *length - 2, "_c") == 0)
        *length -= 2;
    return name;
}

static uint64_t sum_of(struct volumes *v, const struct pilgrim_value *counts, const struct pilgrim_value *types,
                       bool each)
{
    uint64_t sum = 0, size = each ? 0 : messages_type_size(v->messages, types);
    if (counts->type != PILGRIM_ARRAY || (each && (types->type != PILGRIM_ARRAY || types->count != counts->count)))
        return TYPE_SIZE_UNKNOWN;
    for (size_t i = 0; i < counts->count && sum != TYPE_SIZE_UNKNOWN; i++) {
        uint64_t count, bytes = TYPE_SIZE_UNKNOWN;
        if (value_count(&counts->items[i], &count) && count == 0)
            continue;
        if (value_count(&counts->items[i], &count))
            bytes = type_size_times(count, each ? messages_type_size(v->messages, &types->items[i]) : size);
        sum = bytes == TYPE_SIZE_UNKNOWN || sum + bytes > INT64_MAX ? TYPE_SIZE_UNKNOWN : sum + bytes;
    }
    return sum;
}

/* Returns the bytes of a side; what is not significant on this rank has none. */
static uint64_t bytes_of_side(struct volumes *v, const struct pilgrim_call *call, const struct volume_side *side)
{
    if (side->how == NOTHING || side->how == UNCLEAR)
        return side->how == NOTHING ? 0 : TYPE_SIZE_UNKNOWN;
    const struct pilgrim_value *count = call_in(call, side->count), *type = call_in(call, side->type);
    uint64_t number;
    if (count->type == PILGRIM_NONE || type->type == PILGRIM_NONE)
        return 0;
    if (side->how == SUM || side->how == SUM_EACH)
        return sum_of(v, count, type, side->how == SUM_EACH);
    if (!value_count(count, &number))
        return TYPE_SIZE_UNKNOWN;
    uint64_t bytes = number ? type_size_times(number, messages_type_size(v->messages, type)) : 0;
    return side->how == EACH && bytes ? type_size_times(bytes, messages_size(v->messages, call_in(call, "comm")))
                                      : bytes;
}

static void add(struct pilgrim_volume *volume, uint64_t *to, uint64_t bytes)
{
    if (bytes == TYPE_SIZE_UNKNOWN)
        volume->known = false;
    else
        *to += bytes;
}

/* True if ROOT, of the communicator of CALL, is the process that made the call. */
static bool is_own(const struct volumes *v, const struct pilgrim_call *call, const struct pilgrim_value *root)
{
    if (root->type != PILGRIM_RANK && root->type != PILGRIM_INT)
        return value_is_name(root, "MPI_ROOT");
    const struct group_member member = messages_member(v->messages, call_in(call, "comm"), root->integer);
    return messages_world_rank(v->messages, &member) == call->rank;
}

static void add_rule(struct volumes *v, const struct pilgrim_call *call, const struct volume_rule *rule,
                     struct pilgrim_volume *volume)
{
    const struct pilgrim_value *root = call_in(call, "root");
    bool is_root = rule->root && is_own(v, call, root);
    bool in_place = value_is_name(call_in(call, "sendbuf"), "MPI_IN_PLACE");
    bool same_parameters = rule->sent.count == rule->received.count; /* then in place changes nothing */
    struct volume_side sent = rule->sent, received = rule->received;
    if (value_is_name(call_in(call, "recvbuf"), "MPI_IN_PLACE"))
        received.how = NOTHING;
    if (in_place && !same_parameters && rule->root)
        sent.how = NOTHING;
    else if (in_place && !same_parameters) {
        sent = received;
        if (rule->sent.how == ONE)
            sent.how = received.how == EACH ? ONE : UNCLEAR;
    }
    if (rule->root != 1 || is_root)
        add(volume, &volume->sent, bytes_of_side(v, call, &sent));
    if (rule->root == 0 || (rule->root == 1 && (!is_root || !same_parameters)) || (rule->root == 2 && is_root))
        add(volume, &volume->received, bytes_of_side(v, call, &received));
}

static void add_status(const struct volumes *v, const struct pilgrim_value *status, const struct pilgrim_value *request,
                       struct pilgrim_volume *volume)
{
    uint64_t bytes;
    if (status->type != PILGRIM_STATUS || status->count < 3 || !value_count(&status->items[2], &bytes))
        return;
    const uint64_t *file =
        request && request->type == PILGRIM_REQUEST ? key_table_find(&v->file_request, request_key(request)) : NULL;
    volume->received += file && *file ? 0 : bytes;
}

/* Adds what the statuses of CALL say. Those of an array are of the requests with the same index, or with the indices
 * that came out. */
static void add_statuses(const struct volumes *v, const struct pilgrim_call *call, struct pilgrim_volume *volume)
{
    const struct pilgrim_value *one = call_in(call, "request"), *many = call_in(call, "array_of_requests");
    const struct pilgrim_value *statuses = call_out(call, "array_of_statuses"), *index = call_out(call, "index"),
                               *indices = call_out(call, "array_of_indices");
    if (index->type == PILGRIM_INT && many->type == PILGRIM_ARRAY && index->integer >= 0 &&
        (uint64_t)index->integer < many->count)
        one = &many->items[index->integer];
    add_status(v, call_out(call, "status"), one, volume);
    for (size_t i = 0; statuses->type == PILGRIM_ARRAY && i < statuses->count; i++) {
        uint64_t at = i;
        if (indices->type == PILGRIM_ARRAY && (i >= indices->count || !value_count(&indices->items[i], &at)))
            continue;
        bool has = many->type == PILGRIM_ARRAY && at < many->count;
        add_status(v, &statuses->items[i], has ? &many->items[at] : NULL, volume);
    }
}

/* True if what a call moves depends on who is in its communicator, or on how many they are. */
static bool asks_members(const struct volume_rule *rule)
{
    return rule->root || rule->sent.how == EACH || rule->received.how == EACH;
}

/* Looks through the rules for that of a function by its short name; NULL: it has none. */
static const struct volume_rule *find_rule(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(rules); i++)
        if (is_function(name, length, rules[i].function))
            return &rules[i];
    return NULL;
}

bool volumes_by_communicator(const struct pilgrim_call *call, bool *has_root)
{
    size_t length;
    const char *name = short_name(call, &length);
    const struct volume_rule *rule = find_rule(name, length);
    *has_root = rule && rule->root;
    return rule && asks_members(rule);
}

/* Returns the rule of the call's function; NULL: it has none. */
static const struct volume_rule *rule_of(struct volumes *v, const struct pilgrim_call *call)
{
    const char *function = call->function->name;
    size_t length, whole = strlen(function);
    const char *name = short_name(call, &length);
    struct rule_memo *memo = &v->rule_memos[(whole * 31 + (unsigned char)function[whole / 2] * 7u +
                                             (unsigned char)function[whole ? whole - 1 : 0]) %
                                            RULE_MEMOS];
    if (whole > 0 && strcmp(memo->function, function) == 0)
        return memo->rule;
    const struct volume_rule *rule = find_rule(name, length);
    if (whole < RULE_NAME) {
        memcpy(memo->function, function, whole + 1);
        memo->rule = rule;
    }
    return rule;
}

struct pilgrim_volume volumes_of(struct volumes *v, const struct pilgrim_call *call)
{
    struct pilgrim_volume volume = {.known = true};
    size_t count, length;
    const struct messages_transfer *transfers = messages_transfers(v->messages, &count);
    const char *name = short_name(call, &length);
    for (size_t i = 0; i < count; i++) {
        volume.messages++;
        volume.known &= transfers[i].sized;
        *(transfers[i].kind == MESSAGES_GET ? &volume.received : &volume.sent) += transfers[i].bytes;
    }
    if (!call_succeeded(call))
        return volume;
    const struct volume_rule *rule = rule_of(v, call);
    if (rule) {
        add_rule(v, call, rule, &volume);
        return volume;
    }
    for (size_t i = 0; i < COUNT(receives); i++)
        if (strlen(receives[i]) == length && memcmp(name, receives[i], length) == 0)
            add_statuses(v, call, &volume);
    return volume;
}

/* ---- by kind ---- */

static void find_parts(struct volumes *v, const struct pilgrim_call *call, struct volume_parts *p)
{
    struct pilgrim_volume volume = {.known = true};
    struct pilgrim_error error;
    size_t count;
    const struct messages_transfer *transfers = messages_transfers(v->messages, &count);
    *p = (struct volume_parts){.messages = v->seen.messages, .message_bytes = v->seen.bytes};
    p->failed = pilgrim_call_failed(call);
    for (size_t i = 0; i < count; i++) {
        if (transfers[i].kind == MESSAGES_SEND)
            p->unsized += !transfers[i].sized;
        else
            p->window_bytes += transfers[i].bytes;
    }
    const struct volume_rule *rule = call_succeeded(call) ? rule_of(v, call) : NULL;
    if (!rule)
        return;
    if (!v->members && !v->tried && asks_members(rule) && call_in(call, "comm")->type == PILGRIM_OBJECT) {
        v->tried = true; /* without them, some bytes are missing */
        v->members = messages_know_members(v->messages, &error) == PILGRIM_OK;
    }
    add_rule(v, call, rule, &volume);
    p->file = strncmp(rule->function, "File_", 5) == 0;
    p->collective = !p->file;
    *(p->file ? &p->file_bytes : &p->collective_bytes) = volume.sent + (p->file ? volume.received : 0);
    p->size = volume.sent > volume.received ? volume.sent : volume.received;
}

const struct volume_parts *volumes_parts(struct volumes *v, const struct pilgrim_call *call)
{
    struct part_memo *memo = &v->part_memos[call->identity % PART_MEMOS];
    const uint64_t changes = messages_changes(v->messages);
    if (call->identity && memo->identity == call->identity && memo->changes == changes)
        return &memo->parts;
    if (!call->identity) {
        find_parts(v, call, &v->parts);
        return &v->parts;
    }
    find_parts(v, call, &memo->parts);
    memo->identity = call->identity;
    memo->changes = changes;
    return &memo->parts;
}

/* ---- peers ---- */

static bool is_peer(const struct volumes *v, const struct pilgrim_value *of, const struct pilgrim_value *rank,
                    bool (*choose)(const void *context, uint32_t rank), const void *context)
{
    if ((rank->type != PILGRIM_RANK && rank->type != PILGRIM_INT) || of->type == PILGRIM_NONE)
        return false;
    const struct group_member member = messages_member(v->messages, of, rank->integer);
    int64_t world = messages_world_rank(v->messages, &member);
    return world >= 0 && choose(context, (uint32_t)world);
}

bool volumes_peer(const struct volumes *v, const struct pilgrim_call *call,
                  bool (*choose)(const void *context, uint32_t rank), const void *context)
{
    static const char *const names[] = {"dest", "source", "root"};
    const struct pilgrim_value *comm = call_in(call, "comm"), *status = call_out(call, "status");
    for (size_t i = 0; i < COUNT(names); i++)
        if (is_peer(v, comm, call_in(call, names[i]), choose, context))
            return true;
    if (status->type == PILGRIM_STATUS && status->count > 0 && is_peer(v, comm, &status->items[0], choose, context))
        return true;
    return is_peer(v, call_in(call, "win"), call_in(call, "target_rank"), choose, context);
}
