/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls do to windows. An operation is complete at its origin when its request ends, or when a call says so; at
 * its target when the access ends, or is flushed. A group that starts or exposes an access is named as far as it is
 * known (rank_groups.h). */
#include <stdlib.h>
#include <string.h>

#include "analysis/call_values.h"
#include "mpi_records_data.h"

struct epoch {
    struct record_operation *first, *last;
    struct rank_group *access, *exposure; /* NULL: none, or not known */
};

static const char *short_name(const struct pilgrim_call *call)
{
    return call->function->name + strlen("MPI_");
}

static bool is_call(const struct pilgrim_call *call, const char *name)
{
    const size_t length = strlen(name);
    const char *called = short_name(call);
    return strncmp(called, name, length) == 0 && (!called[length] || strcmp(called + length, "_c") == 0);
}

static struct epoch *epoch_of(struct records_reading *v, uint32_t rank, uint32_t window)
{
    const struct match_key key = {{rank, window, 0}};
    struct epoch *epoch = match_map_find(&v->epochs, key);
    if (epoch)
        return epoch;
    epoch = calloc(1, sizeof *epoch);
    if (epoch && match_map_put(&v->epochs, key, epoch))
        return epoch;
    free(epoch);
    return NULL;
}

/* ---- operations ---- */

static uint64_t bytes_of(struct records_reading *v, const struct pilgrim_call *call, const char *count,
                         const char *type)
{
    const struct pilgrim_value one = {.type = PILGRIM_INT, .integer = 1};
    const uint64_t bytes = match_seen_bytes(v->match, count ? call_in(call, count) : &one, call_in(call, type));
    return bytes != UINT64_MAX ? bytes : 0;
}

/* Fills in what an operation sends to its target, and receives. */
static void measure(struct records_reading *v, const struct pilgrim_call *call, struct mpi_record *record)
{
    const bool single = call_in(call, "datatype")->type != PILGRIM_NONE,
               takes = call_in(call, "result_datatype")->type != PILGRIM_NONE,
               reads_only = value_is_name(call_in(call, "op"), "MPI_NO_OP");
    uint64_t sent = single ? bytes_of(v, call, NULL, "datatype") : 0, got = sent;
    if (!single) {
        sent = reads_only ? 0 : bytes_of(v, call, "origin_count", "origin_datatype");
        got = takes ? bytes_of(v, call, "result_count", "result_datatype") : 0;
    } else if (reads_only)
        sent = 0;
    record->bytes = sent;
    record->world = (int64_t)got;
}

static bool begin_operation(struct records_reading *v, const struct match_seen *seen)
{
    const struct pilgrim_call *call = seen->call;
    const struct pilgrim_value *target = call_in(call, "target_rank");
    uint32_t window;
    if (records_passes_over(v, call) || (target->type != PILGRIM_RANK && target->type != PILGRIM_INT) ||
        target->integer < 0)
        return true;
    if (!records_container(v, &v->r->windows, call_in(call, "win"), &window))
        return false;
    if (window == UINT32_MAX) {
        v->r->left_out++;
        return true;
    }
    const int kind = is_call(call, "Put") || is_call(call, "Rput")                 ? RECORD_PUT
                     : is_call(call, "Get") || is_call(call, "Rget")               ? RECORD_GET
                     : is_call(call, "Accumulate") || is_call(call, "Raccumulate") ? RECORD_ACCUMULATE
                     : is_call(call, "Compare_and_swap")                           ? RECORD_COMPARE_AND_SWAP
                                                                                   : RECORD_FETCH_AND_ACCUMULATE;
    struct record_operation *op = records_operation(v, seen->rank);
    struct epoch *epoch = epoch_of(v, seen->rank, window);
    if (!op || !epoch) {
        records_operation_drop(op);
        return false;
    }
    op->container = window;
    op->target = target->integer;
    if (epoch->last)
        epoch->last->next = op;
    else
        epoch->first = op;
    epoch->last = op;
    struct mpi_record record = {
        .group = op->group, .request = op->number, .peer = op->target, .tag = kind, .comm = window};
    measure(v, call, &record);
    return records_add(v, seen, record, RECORD_REMOTE) && records_request(v, seen->rank, call_out(call, "request"), op);
}

/* Operations are complete, at their target, too: on TARGET; -1: on all. */
static bool complete(struct records_reading *v, const struct match_seen *seen, uint32_t window, int64_t target,
                     bool remotely)
{
    struct epoch *epoch = epoch_of(v, seen->rank, window);
    struct record_operation **at = epoch ? &epoch->first : NULL, *last = NULL;
    bool good = epoch != NULL;
    while (good && *at) {
        struct record_operation *op = *at;
        if (target >= 0 && op->target != target) {
            last = op;
            at = &op->next;
            continue;
        }
        const struct mpi_record record = {.group = op->group, .request = op->number, .comm = window};
        good = op->ended || records_add(v, seen, record, RECORD_REMOTE_ENDED_HERE);
        op->ended = true;
        if (!remotely) {
            last = op;
            at = &op->next;
            continue;
        }
        good = good && records_add(v, seen, record, RECORD_REMOTE_ENDED);
        *at = op->next;
        records_operation_drop(op);
    }
    if (epoch && good)
        epoch->last = last;
    return good;
}

/* ---- windows, and what orders the operations on them ---- */

static bool make_window(struct records_reading *v, const struct match_seen *seen, uint32_t window)
{
    v->r->windows.entries[window].allocated =
        is_call(seen->call, "Win_allocate") || is_call(seen->call, "Win_allocate_shared");
    return records_add(v, seen, (struct mpi_record){.comm = window}, RECORD_WINDOW_MADE);
}

static bool name_window(struct records_reading *v, const struct match_seen *seen, uint32_t window)
{
    const struct pilgrim_value *name = call_in(seen->call, "win_name");
    struct container *entry = &v->r->windows.entries[window];
    if (entry->name || name->type != PILGRIM_STRING || !name->text)
        return true;
    return (entry->name = strdup(name->text)) != NULL;
}

/* Returns the rank that a call says, -1 if it says none: it means all. */
static int64_t rank_in(const struct pilgrim_call *call)
{
    const struct pilgrim_value *rank = call_in(call, "rank");
    return rank->type == PILGRIM_RANK || rank->type == PILGRIM_INT ? rank->integer : -1;
}

static bool lock(struct records_reading *v, const struct match_seen *seen, uint32_t window)
{
    const bool exclusive = value_is_name(call_in(seen->call, "lock_type"), "MPI_LOCK_EXCLUSIVE");
    const struct mpi_record record = {.comm = window, .peer = rank_in(seen->call), .tag = exclusive ? 0 : 1};
    return records_add(v, seen, record, RECORD_LOCK);
}

static bool unlock(struct records_reading *v, const struct match_seen *seen, uint32_t window)
{
    const struct mpi_record record = {.comm = window, .peer = rank_in(seen->call)};
    return complete(v, seen, window, record.peer, true) && records_add(v, seen, record, RECORD_UNLOCK);
}

static bool flush(struct records_reading *v, const struct match_seen *seen, uint32_t window)
{
    return complete(v, seen, window, rank_in(seen->call), strncmp(short_name(seen->call), "Win_flush_local", 15) != 0);
}

/* A call on a group of the window's processes. */
static bool synchronize(struct records_reading *v, const struct match_seen *seen, uint32_t window)
{
    const struct pilgrim_call *call = seen->call;
    const bool starts = is_call(call, "Win_start"), posts = is_call(call, "Win_post"),
               ends_access = is_call(call, "Win_complete");
    struct epoch *epoch = epoch_of(v, seen->rank, window);
    if (!epoch || (ends_access && !complete(v, seen, window, -1, true)))
        return false;
    if (is_call(call, "Win_test") && call_out(call, "flag")->integer == 0)
        return true;
    struct rank_group **group = starts || ends_access ? &epoch->access : &epoch->exposure;
    if (starts || posts)
        *group = rank_groups_find(&v->r->groups_of_ranks, seen->rank, call_in(call, "group"));
    struct rank_group *with = *group;
    if (!starts && !posts)
        *group = NULL;
    if (!with)
        return true; /* it is not known */
    const uint32_t number = rank_groups_use(&v->r->groups_of_ranks, with);
    const struct mpi_record record = {.comm = window, .tag = number, .peer = starts || posts};
    return records_add(v, seen, record, RECORD_WINDOW_GROUP);
}

static bool take_window(struct records_reading *v, const struct match_seen *seen)
{
    const struct pilgrim_call *call = seen->call;
    uint32_t window;
    if (records_passes_over(v, call))
        return true;
    const struct pilgrim_value *out = call_out(call, "win"), *in = call_in(call, "win");
    const bool makes = out->type == PILGRIM_OBJECT && in->type != PILGRIM_OBJECT;
    if (!records_container(v, &v->r->windows, makes ? out : in, &window))
        return false;
    if (window == UINT32_MAX)
        return true;
    const char *name = short_name(call) + strlen("Win_");
    if (makes)
        return make_window(v, seen, window);
    if (strcmp(name, "set_name") == 0)
        return name_window(v, seen, window);
    if (strcmp(name, "fence") == 0)
        return complete(v, seen, window, -1, true) &&
               records_add(v, seen, (struct mpi_record){.comm = window}, RECORD_FENCE);
    if (strcmp(name, "free") == 0)
        return records_add(v, seen, (struct mpi_record){.comm = window}, RECORD_WINDOW_FREED);
    if (strcmp(name, "lock") == 0 || strcmp(name, "lock_all") == 0)
        return lock(v, seen, window);
    if (strcmp(name, "unlock") == 0 || strcmp(name, "unlock_all") == 0)
        return unlock(v, seen, window);
    if (strncmp(name, "flush", 5) == 0)
        return flush(v, seen, window);
    if (strcmp(name, "sync") == 0) {
        const int64_t self = comm_table_rank(&v->r->comms, v->r->windows.entries[window].comm, seen->rank);
        return self < 0 || records_add(v, seen, (struct mpi_record){.comm = window, .peer = self}, RECORD_WINDOW_SYNC);
    }
    if (strcmp(name, "start") == 0 || strcmp(name, "post") == 0 || strcmp(name, "complete") == 0 ||
        strcmp(name, "wait") == 0 || strcmp(name, "test") == 0)
        return synchronize(v, seen, window);
    return true;
}

record_action *window_action(const char *function)
{
    static const char *const operations[] = {
        "MPI_Put",  "MPI_Get",  "MPI_Accumulate",  "MPI_Get_accumulate",  "MPI_Fetch_and_op", "MPI_Compare_and_swap",
        "MPI_Rput", "MPI_Rget", "MPI_Raccumulate", "MPI_Rget_accumulate",
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const size_t length = strlen(operations[i]);
        if (strncmp(function, operations[i], length) == 0 &&
            (!function[length] || strcmp(function + length, "_c") == 0))
            return begin_operation;
    }
    return strncmp(function, "MPI_Win_", 8) == 0 ? take_window : NULL;
}

void window_records_free(struct records_reading *v)
{
    for (size_t i = 0; i < v->epochs.capacity; i++) {
        struct epoch *epoch = v->epochs.slots[i].value;
        for (struct record_operation *op = epoch ? epoch->first : NULL, *next; op; op = next) {
            next = op->next;
            records_operation_drop(op);
        }
        free(epoch);
    }
    match_map_free(&v->epochs);
}
