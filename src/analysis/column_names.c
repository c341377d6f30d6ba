/* SPDX-License-Identifier: BSD-3-Clause */
/* What columns are of; see column_names.h. */
#include "analysis/column_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"

static const struct column_name {
    const char *name;
    enum column_source source;
    enum pilgrim_column_type type;
} names[] = {
    {"rank", COLUMN_RANK, PILGRIM_COLUMN_INT32},      {"thread", COLUMN_THREAD, PILGRIM_COLUMN_INT32},
    {"seq", COLUMN_SEQ, PILGRIM_COLUMN_INT64},        {"start", COLUMN_START, PILGRIM_COLUMN_INT64},
    {"end", COLUMN_END, PILGRIM_COLUMN_INT64},        {"bytes", COLUMN_BYTES, PILGRIM_COLUMN_INT64},
    {"func", COLUMN_FUNC, PILGRIM_COLUMN_TEXT},       {"site", COLUMN_SITE, PILGRIM_COLUMN_TEXT},
    {"comm", COLUMN_COMM, PILGRIM_COLUMN_TEXT},       {"peer", COLUMN_PEER, PILGRIM_COLUMN_INT64},
    {"tag", COLUMN_TAG, PILGRIM_COLUMN_INT64},        {"count", COLUMN_COUNT, PILGRIM_COLUMN_INT64},
    {"ret", COLUMN_RET, PILGRIM_COLUMN_INT64},        {"datatype", COLUMN_DATATYPE, PILGRIM_COLUMN_TEXT},
    {"request", COLUMN_REQUEST, PILGRIM_COLUMN_TEXT},
};

/* Arguments that are numbers in the standard, sorted. Those that are mostly named constants (amode, assert, op) are
 * not here. */
static const char *const numbers[] = {
    "address",
    "argc",
    "blocklength",
    "buflen",
    "color",
    "commute",
    "count",
    "dest",
    "direction",
    "disp",
    "disp_unit",
    "displacement",
    "errorclass",
    "errorcode",
    "extent",
    "flag",
    "high",
    "incount",
    "indegree",
    "index",
    "insize",
    "key",
    "lb",
    "len",
    "local_leader",
    "logical_size",
    "maxindegree",
    "maxneighbors",
    "maxoutdegree",
    "maxprocs",
    "n",
    "namelen",
    "ndims",
    "nedges",
    "newrank",
    "nkeys",
    "nneighbors",
    "nnodes",
    "offset",
    "origin_count",
    "outcount",
    "outdegree",
    "outsize",
    "p",
    "partition",
    "partition_high",
    "partition_low",
    "partitions",
    "position",
    "r",
    "rank",
    "recvcount",
    "recvtag",
    "remote_leader",
    "reorder",
    "resultlen",
    "root",
    "sendcount",
    "sendtag",
    "size",
    "source",
    "stride",
    "tag",
    "target_count",
    "target_disp",
    "target_rank",
    "true_extent",
    "true_lb",
    "valuelen",
};

static int compare_names(const void *name, const void *item)
{
    return strcmp(name, *(const char *const *)item);
}

static bool is_number(const char *name)
{
    return bsearch(name, numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, compare_names) != NULL;
}

enum pilgrim_status column_kind_of(const char *name, struct column_kind *kind, struct pilgrim_error *error)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) {
            *kind = (struct column_kind){.source = names[i].source, .type = names[i].type};
            return PILGRIM_OK;
        }
    *kind = (struct column_kind){.source = COLUMN_ARGUMENT};
    const size_t length = strcspn(name, ":");
    kind->argument = strndup(name, length);
    if (!kind->argument)
        return no_memory(error);
    kind->type = is_number(kind->argument) ? PILGRIM_COLUMN_INT64 : PILGRIM_COLUMN_TEXT;
    for (const char *end = name + length; *end;) {
        const size_t n = 1 + strcspn(end + 1, ":");
        if (n == 4 && strncmp(end, ":int", n) == 0)
            kind->type = PILGRIM_COLUMN_INT64;
        else if (n == 5 && strncmp(end, ":text", n) == 0)
            kind->type = PILGRIM_COLUMN_TEXT;
        else if (n == 4 && strncmp(end, ":out", n) == 0)
            kind->out = true;
        else {
            *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
            snprintf(error->message, sizeof error->message,
                     "column \"%.60s\": behind an argument's name there may be :int, :text and :out", name);
            return PILGRIM_INVALID;
        }
        end += n;
    }
    return PILGRIM_OK;
}

/* ---- which arguments there are ---- */

static bool has_argument(const struct pilgrim_function *function, const char *name)
{
    for (size_t i = 0; i < function->parameter_count; i++)
        if (strcmp(function->parameters[i].name, name) == 0)
            return true;
    return false;
}

/* Sets those of FOUND that a class of the cursor's segment has. */
static void look(const struct pilgrim_cursor *cursor, const struct column_kind *kinds, size_t count, bool *found)
{
    struct pilgrim_thread_info info = {0};
    struct pilgrim_class_info class;
    pilgrim_thread_info(cursor, &info);
    for (size_t i = 0; i < info.class_count; i++)
        if (pilgrim_class_info(cursor, i, &class) == PILGRIM_OK && class.body == 0)
            for (size_t k = 0; k < count; k++)
                found[k] = found[k] || has_argument(class.class_->function, kinds[k].argument);
}

static bool all_found(const bool *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!found[i])
            return false;
    return true;
}

/* Looks through the threads until all are found. */
static enum pilgrim_status look_at_all(const struct pilgrim_trace *trace, const struct column_kind *kinds, size_t count,
                                       bool *found, struct pilgrim_error *error)
{
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(trace, rank); thread++) {
            struct pilgrim_cursor *cursor;
            if (all_found(found, count))
                return PILGRIM_OK;
            if (pilgrim_cursor_open(trace, rank, thread, &cursor, error) != PILGRIM_OK)
                return PILGRIM_OK; /* reading the calls says what is wrong */
            do
                look(cursor, kinds, count, found);
            while (pilgrim_cursor_next_segment(cursor, error) == PILGRIM_OK);
            pilgrim_cursor_close(cursor);
        }
    for (size_t i = 0; i < count; i++)
        if (!found[i]) {
            *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
            snprintf(error->message, sizeof error->message,
                     "no column is called \"%.60s\", and no function of the trace has such an argument",
                     kinds[i].argument);
            return PILGRIM_INVALID;
        }
    return PILGRIM_OK;
}

enum pilgrim_status column_arguments_check(const struct pilgrim_trace *trace, const struct column_kind *kinds,
                                           size_t count, struct pilgrim_error *error)
{
    bool *found = calloc(count + 1, sizeof *found);
    if (!found)
        return no_memory(error);
    for (size_t i = 0; i < count; i++)
        found[i] = kinds[i].source != COLUMN_ARGUMENT;
    struct column_kind *asked = calloc(count + 1, sizeof *asked);
    for (size_t i = 0; asked && i < count; i++) {
        asked[i] = kinds[i];
        if (!asked[i].argument)
            asked[i].argument = (char[]){""};
    }
    const enum pilgrim_status status = asked ? look_at_all(trace, asked, count, found, error) : no_memory(error);
    free(asked);
    free(found);
    return status;
}

/* ---- values ---- */

enum { NAMES_MAX = 5 };

/* The arguments that a column is of: the first that the call has. */
static const char *const comms[NAMES_MAX] = {"comm"};
static const char *const peers[NAMES_MAX] = {"dest", "target_rank", "source"};
static const char *const tags[NAMES_MAX] = {"tag", "sendtag"};
static const char *const requests[NAMES_MAX] = {"request", "array_of_requests"};
static const char *const counts[NAMES_MAX] = {"count", "sendcount", "origin_count", "incount", "recvcount"};
static const char *const datatypes[NAMES_MAX] = {"datatype", "sendtype", "origin_datatype", "datatype", "recvtype"};

static const struct pilgrim_value none = {.type = PILGRIM_NONE};

/* What goes into the call as argument NAME; what comes out if nothing goes in. */
static const struct pilgrim_value *value_named(const struct pilgrim_call *call, const char *name)
{
    const struct pilgrim_value *value = pilgrim_call_in(call, name);
    return value->type != PILGRIM_NONE ? value : pilgrim_call_out(call, name);
}

/* Sets *I to the first of LIST that the call has, NAMES_MAX if it has none, and returns its value. */
static const struct pilgrim_value *first_of(const struct pilgrim_call *call, const char *const list[NAMES_MAX],
                                            size_t *i)
{
    for (*i = 0; *i < NAMES_MAX && list[*i]; ++*i) {
        const struct pilgrim_value *value = value_named(call, list[*i]);
        if (value->type != PILGRIM_NONE)
            return value;
    }
    *i = NAMES_MAX;
    return &none;
}

const struct pilgrim_value *column_kind_value(const struct column_kind *kind, const struct pilgrim_call *call)
{
    size_t i;
    const struct pilgrim_value *value;
    switch (kind->source) {
    case COLUMN_COMM:
        return first_of(call, comms, &i);
    case COLUMN_PEER:
        return first_of(call, peers, &i);
    case COLUMN_TAG:
        return first_of(call, tags, &i);
    case COLUMN_COUNT:
        return first_of(call, counts, &i);
    case COLUMN_DATATYPE:
        (void)first_of(call, counts, &i);
        return i < NAMES_MAX ? pilgrim_call_in(call, datatypes[i]) : first_of(call, datatypes, &i);
    case COLUMN_REQUEST:
        return first_of(call, requests, &i);
    case COLUMN_RET:
        return &call->ret;
    case COLUMN_ARGUMENT:
        value = kind->out ? pilgrim_call_out(call, kind->argument) : value_named(call, kind->argument);
        return value ? value : &none;
    default:
        return &none;
    }
}

int64_t column_number(const struct column_kind *kind, const struct pilgrim_call *call)
{
    const struct pilgrim_value *value = column_kind_value(kind, call);
    const bool peer = kind->source == COLUMN_PEER, tag = kind->source == COLUMN_TAG;
    if (value->type == PILGRIM_NAME &&
        ((peer && strcmp(value->text, "MPI_ANY_SOURCE") == 0) || (tag && strcmp(value->text, "MPI_ANY_TAG") == 0))) {
        const struct pilgrim_value *status = pilgrim_call_out(call, "status");
        if (status->type == PILGRIM_STATUS && status->count >= 2)
            value = &status->items[tag];
    }
    switch (value->type) {
    case PILGRIM_INT:
    case PILGRIM_BOOL:
    case PILGRIM_RANK:
        return value->integer;
    default:
        return PILGRIM_MISSING;
    }
}
