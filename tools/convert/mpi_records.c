/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what calls do; see mpi_records.h. The matching of the analysis says it; which calls are selected is known only
 * afterwards, so that groups of records that are not whole are taken out in the end. */
#include "mpi_records.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/call_values.h"
#include "collective_kinds.h"
#include "mpi_records_data.h"

static struct mpi_record_list *list_of(const struct mpi_records *r, uint32_t rank, uint32_t thread)
{
    return &r->threads[r->first[rank] + thread];
}

static bool add(struct records_reading *v, uint32_t rank, uint32_t thread, const struct mpi_record *record)
{
    struct mpi_record_list *list = list_of(v->r, rank, thread);
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        struct mpi_record *records = realloc(list->records, capacity * sizeof *records);
        if (!records)
            return false;
        list->records = records;
        list->capacity = capacity;
    }
    list->records[list->count++] = *record;
    return true;
}

static bool add_to(struct records_reading *v, const struct match_call *call, struct mpi_record record,
                   enum record_kind kind)
{
    record.kind = (uint8_t)kind;
    record.seq = call->seq;
    return add(v, call->rank, call->thread, &record);
}

static bool know_comms(struct records_reading *v)
{
    if (!v->comms_read && !comm_table_read(&v->r->comms, v->match, v->r->ranks))
        return false;
    v->comms_read = true;
    return true;
}

static const char *function_of(const struct records_reading *v, uint32_t site)
{
    const struct pilgrim_class *class = match_site(v->match, site);
    return class ? class->function->name : "";
}

static bool is_function(const char *name, const char *function)
{
    const size_t length = strlen(function);
    return strncmp(name, function, length) == 0 && (!name[length] || strcmp(name + length, "_c") == 0);
}

/* ---- messages ---- */

/* True if the times of the calls are lost, so that the records cannot be written. */
static bool lost(const struct records_reading *v, const struct match_operation *op)
{
    return !v->wanted.untimed && (!op->begun->timed || (op->ended && !op->ended->timed));
}

static bool add_send(struct records_reading *v, const struct match_operation *op, const struct mpi_record *record)
{
    if (op->ended == op->begun || !op->begun->returned)
        return add_to(v, op->begun, *record, RECORD_SEND);
    return add_to(v, op->begun, *record, RECORD_ISEND) &&
           (!op->ended || add_to(v, op->ended, *record, RECORD_ISEND_ENDED));
}

static bool add_receive(struct records_reading *v, const struct match_operation *op, const struct mpi_record *record)
{
    if (!op->ended && !op->begun->returned)
        return true; /* it waits in MPI_Recv */
    if (op->ended && (op->ended == op->begun || is_function(function_of(v, op->ended->site), "MPI_Mrecv")))
        return op->cancelled || add_to(v, op->ended, *record, RECORD_RECEIVED);
    return add_to(v, op->begun, *record, RECORD_RECEIVE_POSTED) &&
           (!op->ended || add_to(v, op->ended, *record, op->cancelled ? RECORD_CANCELLED : RECORD_IRECV_ENDED));
}

/* Returns the bytes of a message. What one side does not know the other one does; no more are received than were sent,
 * whatever a status says. */
static uint64_t bytes_of(const struct match_operation *op, const struct match_operation *partner)
{
    uint64_t bytes = op->bytes;
    if (partner && partner->bytes < bytes && (!op->send || bytes == UINT64_MAX))
        bytes = partner->bytes;
    return bytes != UINT64_MAX ? bytes : 0;
}

static bool add_operation(struct records_reading *v, const struct match_operation *op,
                          const struct match_operation *partner, uint64_t group)
{
    if (!op || !op->begun || lost(v, op) || (partner && partner->begun && lost(v, partner)))
        return true;
    const uint32_t comm = comm_table_find(&v->r->comms, op->identity);
    const int64_t peer = comm_table_rank(&v->r->comms, comm, op->peer);
    const bool got_nothing = !op->send && (!op->ended || op->cancelled);
    if (!v->wanted.whole && (comm == COMM_TABLE_NONE || (peer < 0 && !got_nothing))) {
        v->r->left_out++;
        return true;
    }
    const struct mpi_record record = {.group = group,
                                      .request = op->number,
                                      .bytes = bytes_of(op, partner),
                                      .tag = op->tag,
                                      .peer = peer,
                                      .world = op->peer,
                                      .comm = comm};
    return op->send ? add_send(v, op, &record) : add_receive(v, op, &record);
}

static bool has_both(const struct match_operation *send, const struct match_operation *receive)
{
    return send && receive && send->begun && receive->begun && !receive->cancelled && send->peer >= 0 &&
           receive->peer >= 0 && (receive->begun->returned || receive->ended);
}

static bool take_message(void *context, const struct match_operation *send, const struct match_operation *receive)
{
    struct records_reading *v = context;
    const uint64_t group = ++v->r->groups;
    if (v->wanted.whole && !has_both(send, receive)) {
        v->r->left_out++;
        return true;
    }
    return know_comms(v) && add_operation(v, send, receive, group) && add_operation(v, receive, send, group);
}

static bool take_test(void *context, const struct pilgrim_call *call, uint64_t number)
{
    const struct mpi_record record = {.seq = call->seq, .request = number, .kind = RECORD_TEST};
    struct records_reading *v = context;
    return (!v->wanted.untimed && !call->timed) || add(v, call->rank, call->thread, &record);
}

/* ---- collective operations ---- */

static bool add_entry(struct records_reading *v, const struct match_entry *entry, struct mpi_record record)
{
    const bool timed = v->wanted.untimed || (entry->begun->timed && (!entry->ended || entry->ended->timed));
    if (!timed)
        return true;
    if (entry->begun == entry->ended)
        return add_to(v, entry->begun, record, RECORD_COLLECTIVE);
    if (!entry->nonblocking)
        return true; /* it waits there */
    record.bytes = v->r->nonblocking++;
    return add_to(v, entry->begun, record, RECORD_COLLECTIVE_BEGUN) &&
           (!entry->ended || add_to(v, entry->ended, record, RECORD_COLLECTIVE_ENDED));
}

/* True if all members have entered the operation and ended it, and it is one that a format which needs all of it can
 * say: of one group of processes. */
static bool is_whole(const struct records_reading *v, const struct match_collective *collective, uint32_t comm)
{
    for (const struct match_entry *entry = collective->entries; entry; entry = entry->next)
        if (!entry->begun || !entry->begun->returned || !entry->ended)
            return false;
    return collective->entered == collective->expected && !collective->differs &&
           !comm_table_is_inter(&v->r->comms, comm);
}

static bool take_collective(void *context, const struct match_collective *collective)
{
    struct records_reading *v = context;
    if (!know_comms(v))
        return false;
    const uint32_t comm = comm_table_find(&v->r->comms, collective->identity);
    const uint64_t group = ++v->r->groups;
    const bool left_out = v->wanted.whole && !is_whole(v, collective, comm);
    bool good = true;
    for (const struct match_entry *entry = collective->entries; entry && good; entry = entry->next) {
        const char *name = function_of(v, entry->site);
        const bool prepares = (entry->begun == entry->ended && entry->nonblocking) ||
                              (v->wanted.whole && strstr(name, "_init")); /* whose start does not say its counts */
        const int kind = prepares ? -1 : collective_kind_of(name, entry->nonblocking);
        if (kind < 0)
            continue;
        v->r->left_out += comm == COMM_TABLE_NONE || left_out;
        if (comm == COMM_TABLE_NONE || left_out)
            continue;
        const struct mpi_record record = {.group = v->wanted.whole ? group : ++v->r->groups,
                                          .request = entry->number,
                                          .tag = entry->bytes <= INT64_MAX ? (int64_t)entry->bytes : -1,
                                          .peer = entry->root,
                                          .comm = comm,
                                          .collective = (uint8_t)kind};
        good = add_entry(v, entry, record);
        if (good && entry->ended && (is_function(name, "MPI_Comm_free") || is_function(name, "MPI_Comm_disconnect")) &&
            comm >= COMM_TABLE_FIRST)
            good = add_to(v, entry->ended, record, RECORD_COMM_FREED);
    }
    return good;
}

/* ---- communicators ---- */

static bool take_made(struct records_reading *v, const struct match_seen *seen, const struct pilgrim_value *made)
{
    const uint32_t comm = comm_table_find(&v->r->comms, match_seen_comm(v->match, made));
    if (comm == COMM_TABLE_NONE || comm < COMM_TABLE_FIRST || (!v->wanted.untimed && !seen->call->timed))
        return true;
    const struct mpi_record record = {
        .seq = seen->call->seq, .group = ++v->r->groups, .comm = comm, .kind = RECORD_COMM_MADE};
    return add(v, seen->rank, seen->thread, &record);
}

static bool name_comm(struct records_reading *v, const struct match_seen *seen)
{
    const struct pilgrim_value *name = call_in(seen->call, "comm_name");
    const uint32_t comm = comm_table_find(&v->r->comms, match_seen_comm(v->match, call_in(seen->call, "comm")));
    return name->type != PILGRIM_STRING || !name->text || comm_table_name(&v->r->comms, comm, name->text);
}

static bool take_comms(struct records_reading *v, const struct match_seen *seen)
{
    const struct pilgrim_call *call = seen->call;
    bool good = true;
    for (size_t i = 0; i < call->function->parameter_count && good; i++)
        if (call->function->parameters[i].direction == PILGRIM_OUT && call->out[i].type == PILGRIM_OBJECT &&
            strcmp(call->out[i].text, "comm") == 0)
            good = take_made(v, seen, &call->out[i]);
    return good;
}

/* ---- windows and files ---- */

bool records_add(struct records_reading *v, const struct match_seen *seen, struct mpi_record record,
                 enum record_kind kind)
{
    record.kind = (uint8_t)kind;
    record.seq = seen->call->seq;
    if (!record.group)
        record.group = ++v->r->groups;
    return add(v, seen->rank, seen->thread, &record);
}

bool records_passes_over(const struct records_reading *v, const struct pilgrim_call *call)
{
    return !call_succeeded(call) || (!v->wanted.untimed && !call->timed);
}

struct record_operation *records_operation(struct records_reading *v, uint32_t rank)
{
    struct record_operation *op = calloc(1, sizeof *op);
    if (!op)
        return NULL;
    op->number = ++v->numbers[rank];
    op->group = ++v->r->groups;
    op->references = 1;
    return op;
}

void records_operation_drop(struct record_operation *op)
{
    if (op && --op->references == 0)
        free(op);
}

static bool keep_operation(struct records_reading *v, struct match_key key, struct record_operation *op)
{
    records_operation_drop(match_map_take(&v->requests, key));
    if (!match_map_put(&v->requests, key, op))
        return false;
    op->references++;
    return true;
}

/* The numbers of requests are not negative. */
static struct match_key request_key(uint32_t rank, const struct pilgrim_value *request)
{
    return (struct match_key){{rank, (uint64_t)request->id, (uint64_t)request->offset}};
}

static struct match_key split_key(uint32_t rank, uint32_t file)
{
    return (struct match_key){{rank, UINT64_MAX, file}};
}

bool records_request(struct records_reading *v, uint32_t rank, const struct pilgrim_value *name,
                     struct record_operation *op)
{
    return name->type != PILGRIM_REQUEST || keep_operation(v, request_key(rank, name), op);
}

bool records_split(struct records_reading *v, uint32_t rank, uint32_t file, struct record_operation *op)
{
    return keep_operation(v, split_key(rank, file), op);
}

struct record_operation *records_split_take(struct records_reading *v, uint32_t rank, uint32_t file)
{
    return match_map_take(&v->requests, split_key(rank, file));
}

bool records_container(struct records_reading *v, struct container_table *table, const struct pilgrim_value *name,
                       uint32_t *index)
{
    uint64_t sub;
    const uint64_t identity = match_seen_container(v->match, name, &sub);
    const uint32_t comm = comm_table_find(&v->r->comms, identity);
    *index = UINT32_MAX;
    return comm == COMM_TABLE_NONE || container_table_find(table, identity, sub, comm, index);
}

/* A request of a window or file has ended, or has not: STATUS is NULL. */
static bool take_request(void *context, const struct pilgrim_call *call, const struct pilgrim_value *request,
                         const struct pilgrim_value *status)
{
    struct records_reading *v = context;
    const struct match_key key = request_key(call->rank, request);
    struct record_operation *op = match_map_find(&v->requests, key);
    if (!op)
        return true;
    struct mpi_record record = {.seq = call->seq, .group = op->group, .request = op->number, .comm = op->container};
    bool good = true;
    if (!status) {
        record.kind = RECORD_TRANSFER_TESTED;
        return !op->file || (!v->wanted.untimed && !call->timed) || add(v, call->rank, call->thread, &record);
    }
    record.kind = op->file ? RECORD_TRANSFER_ENDED : RECORD_REMOTE_ENDED_HERE;
    record.bytes = op->bytes;
    if (op->file && status->type == PILGRIM_STATUS && status->count >= 4 && status->items[2].type == PILGRIM_INT &&
        status->items[2].integer >= 0)
        record.bytes = (uint64_t)status->items[2].integer;
    if (!op->ended && (v->wanted.untimed || call->timed))
        good = add(v, call->rank, call->thread, &record);
    op->ended = true;
    match_map_take(&v->requests, key);
    records_operation_drop(op);
    return good;
}

/* ---- calls ---- */

static bool take_nothing(struct records_reading *v, const struct match_seen *seen)
{
    (void)v, (void)seen;
    return true;
}

static bool take_group(struct records_reading *v, const struct match_seen *seen)
{
    return rank_groups_take(&v->r->groups_of_ranks, &v->r->comms, v->match, seen);
}

/* Returns what is to be done with calls of a function. */
static record_action *action_of(const struct records_reading *v, const struct pilgrim_function *function)
{
    if (is_function(function->name, "MPI_Comm_set_name"))
        return name_comm;
    if (!v->wanted.whole &&
        (strncmp(function->name, "MPI_Group_", 10) == 0 || is_function(function->name, "MPI_Comm_group") ||
         is_function(function->name, "MPI_Win_get_group")))
        return take_group;
    record_action *action = v->wanted.whole ? NULL : window_action(function->name);
    if (!action && !v->wanted.whole)
        action = file_action(function->name);
    if (action || !makes_communicator(function->name))
        return action ? action : take_nothing;
    for (size_t i = 0; i < function->parameter_count; i++)
        if (function->parameters[i].direction == PILGRIM_OUT && strstr(function->parameters[i].name, "comm"))
            return take_comms;
    return take_nothing;
}

static bool take_call(void *context, const struct match_seen *seen)
{
    struct records_reading *v = context;
    if (!know_comms(v))
        return false;
    if (seen->site >= v->action_count) {
        const size_t count = 2 * (size_t)seen->site + 64;
        record_action **actions = realloc(v->actions, count * sizeof *actions);
        if (!actions)
            return false;
        for (size_t i = v->action_count; i < count; i++)
            actions[i] = NULL;
        v->actions = actions;
        v->action_count = count;
    }
    if (!v->actions[seen->site])
        v->actions[seen->site] = action_of(v, seen->call->function);
    return v->actions[seen->site](v, seen);
}

/* ---- all ---- */

/* Asks only: what it asks for is whole without it. */
static bool is_test(const struct mpi_record *record)
{
    return record->kind == RECORD_TEST || record->kind == RECORD_TRANSFER_TESTED;
}

/* Sets the groups of tests to those of their requests; 0: there are no other records of it. */
static bool join_tests(struct mpi_records *r, uint32_t rank)
{
    uint64_t most = 0;
    for (size_t i = r->first[rank]; i < r->first[rank + 1]; i++)
        for (size_t k = 0; k < r->threads[i].count; k++)
            most = r->threads[i].records[k].request > most ? r->threads[i].records[k].request : most;
    uint64_t *groups = calloc(most + 1, sizeof *groups);
    if (!groups)
        return false;
    for (size_t i = r->first[rank]; i < r->first[rank + 1]; i++)
        for (size_t k = 0; k < r->threads[i].count; k++) {
            const struct mpi_record *record = &r->threads[i].records[k];
            if (record->kind == RECORD_ISEND || record->kind == RECORD_RECEIVE_POSTED ||
                record->kind == RECORD_COLLECTIVE_BEGUN)
                groups[record->request] = record->group;
        }
    for (size_t i = r->first[rank]; i < r->first[rank + 1]; i++)
        for (size_t k = 0; k < r->threads[i].count; k++)
            if (r->threads[i].records[k].kind == RECORD_TEST)
                r->threads[i].records[k].group = groups[r->threads[i].records[k].request];
    free(groups);
    return true;
}

/* Takes from LEFT, for each group, the records whose calls are converted. */
static enum pilgrim_status count_selected(const struct mpi_records *r, const struct pilgrim_trace *trace,
                                          const struct pilgrim_selection *selection, uint32_t *left,
                                          struct pilgrim_error *error)
{
    struct pilgrim_calls *calls;
    struct pilgrim_call call;
    uint32_t rank = UINT32_MAX, thread = 0;
    size_t at = 0, count;
    enum pilgrim_status status = pilgrim_calls_open(trace, selection, PILGRIM_BY_RANK, &calls, error);
    while (status == PILGRIM_OK && (status = pilgrim_calls_next(calls, &call, error)) == PILGRIM_OK) {
        if (call.rank != rank || call.thread != thread)
            at = 0;
        rank = call.rank;
        thread = call.thread;
        const struct mpi_record *found = mpi_records_of(r, &call, &at, &count);
        for (size_t i = 0; i < count; i++)
            left[found[i].group] -= !is_test(&found[i]);
    }
    pilgrim_calls_close(calls);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Leaves out groups of which one call is not converted. ALL: all calls are. */
static enum pilgrim_status keep_whole(struct mpi_records *r, const struct pilgrim_trace *trace,
                                      const struct pilgrim_selection *selection, bool all, struct pilgrim_error *error)
{
    uint32_t *left = calloc(r->groups + 1, sizeof *left);
    if (!left)
        return no_memory(error);
    for (size_t i = 0; i < r->first[r->ranks] && !all; i++)
        for (size_t k = 0; k < r->threads[i].count; k++)
            left[r->threads[i].records[k].group] += !is_test(&r->threads[i].records[k]);
    const enum pilgrim_status status = all ? PILGRIM_OK : count_selected(r, trace, selection, left, error);
    left[0] = 1;
    for (size_t i = 0; i < r->first[r->ranks]; i++) {
        struct mpi_record_list *list = &r->threads[i];
        size_t kept = 0;
        for (size_t k = 0; k < list->count; k++)
            if (!left[list->records[k].group])
                list->records[kept++] = list->records[k];
        list->count = kept;
    }
    free(left);
    return status;
}

static enum pilgrim_status sort(struct mpi_records *r, struct pilgrim_error *error)
{
    for (size_t i = 0; i < r->first[r->ranks]; i++)
        records_order(&r->threads[i]);
    for (uint32_t rank = 0; rank < r->ranks; rank++)
        if (!join_tests(r, rank))
            return no_memory(error);
    return PILGRIM_OK;
}

static void reading_free(struct records_reading *v)
{
    match_free(v->match);
    free(v->actions);
    free(v->numbers);
    window_records_free(v);
    for (size_t i = 0; i < v->requests.capacity; i++)
        records_operation_drop(v->requests.slots[i].value);
    match_map_free(&v->requests);
}

enum pilgrim_status mpi_records_read(struct mpi_records *r, const struct pilgrim_trace *trace,
                                     const struct pilgrim_selection *selection, const struct records_wanted *wanted,
                                     struct pilgrim_error *error)
{
    struct match_totals totals;
    size_t threads = 0;
    *r = (struct mpi_records){.ranks = pilgrim_rank_count(trace)};
    r->first = calloc(r->ranks + (size_t)1, sizeof *r->first);
    if (!r->first)
        return no_memory(error);
    for (uint32_t rank = 0; rank < r->ranks; rank++) {
        r->first[rank] = threads;
        threads += pilgrim_thread_count(trace, rank);
    }
    r->first[r->ranks] = threads;
    r->threads = calloc(threads + 1, sizeof *r->threads);
    struct records_reading v = {.r = r,
                                .match = match_new(trace),
                                .wanted = *wanted,
                                .numbers = calloc(r->ranks + (size_t)1, sizeof *v.numbers)};
    const struct match_events events = {.context = &v,
                                        .seen = take_call,
                                        .tested = take_test,
                                        .other_request = take_request,
                                        .message = take_message,
                                        .collective = take_collective};
    enum pilgrim_status status =
        r->threads && v.match && v.numbers ? match_trace(v.match, &events, false, &totals, error) : no_memory(error);
    reading_free(&v);
    if (status == PILGRIM_NOMEM)
        return status;
    /* of a damaged trace, the calls before the damage are converted */
    struct pilgrim_error found;
    enum pilgrim_status more = sort(r, &found);
    if (more == PILGRIM_OK)
        more = keep_whole(r, trace, selection, !selection && status == PILGRIM_OK, &found);
    if (more != PILGRIM_OK && (status == PILGRIM_OK || more == PILGRIM_NOMEM)) {
        *error = found;
        return more;
    }
    return status;
}

void mpi_records_free(struct mpi_records *r)
{
    for (size_t i = 0; r->threads && i < r->first[r->ranks]; i++)
        free(r->threads[i].records);
    free(r->threads);
    free(r->first);
    comm_table_free(&r->comms);
    container_table_free(&r->windows);
    container_table_free(&r->files);
    rank_groups_free(&r->groups_of_ranks);
    struct record_path *path, *next;
    HASH_ITER(hh, r->paths, path, next)
    {
        HASH_DEL(r->paths, path);
        free(path);
    }
    *r = (struct mpi_records){0};
}

const struct mpi_record *mpi_records_of(const struct mpi_records *r, const struct pilgrim_call *call, size_t *at,
                                        size_t *count)
{
    const struct mpi_record_list *list = list_of(r, call->rank, call->thread);
    while (*at < list->count && list->records[*at].seq < call->seq)
        ++*at;
    const size_t first = *at;
    while (*at < list->count && list->records[*at].seq == call->seq)
        ++*at;
    *count = *at - first;
    return *count ? list->records + first : NULL;
}

struct pilgrim_volume mpi_record_volume(const struct pilgrim_call *call, const struct pilgrim_volume *volume,
                                        const struct mpi_record *record)
{
    if (strncmp(call->function->name, "MPI_Start", 9) != 0 || record->tag < 0)
        return *volume;
    return (struct pilgrim_volume){.sent = (uint64_t)record->tag, .received = (uint64_t)record->tag, .known = true};
}
