/* SPDX-License-Identifier: BSD-3-Clause */
/* The shadow's requests and statuses. The rules for what is defined are those of put_status.c, in code of its own. */
#include <inttypes.h>
#include <stdlib.h>

#include "process/capture.h"
#include "shadow/shadow_text.h"
#include "process/thread.h"
#include "functions.h"

static void print_request(struct shadow *s, const struct operation *o, MPI_Request request)
{
    if (operation_is_null(o) || request == MPI_REQUEST_NULL) {
        shadow_name(s, "MPI_REQUEST_NULL");
    } else {
        shadow_value_begin(s);
        text_print(&s->text, "\"request:%" PRId64 ".%" PRId64 "\"", operation_class(o), (int64_t)o->request_index);
        shadow_value_end(s);
    }
    shadow_raw(s, HANDLE(request));
}

/* Copies the operations behind REQUESTS as they are now. */
static void find(struct shadow *s, const MPI_Request *requests, int64_t count)
{
    s->operation_count = 0;
    if (!requests || count <= 0)
        return;
    if (count > s->operation_capacity) {
        struct operation *grown = realloc(s->operations, (size_t)count * sizeof *grown);
        if (!grown) {
            s->text.failed = true;
            return;
        }
        s->operations = grown;
        s->operation_capacity = count;
    }
    const struct finding *finding = &s->thread->finding;
    if (count > finding->count || !finding->found) { /* the recorder is out of memory */
        s->text.failed = true;
        return;
    }
    for (int64_t i = 0; i < count; i++)
        s->operations[i] = *found_operation(&finding->found[i]);
    s->operation_count = count;
}

void shadow_request(struct shadow *s, MPI_Request request)
{
    find(s, &request, 1);
    if (s->operation_count)
        print_request(s, &s->operations[0], request);
}

static void print_requests(struct shadow *s, const MPI_Request *requests)
{
    if (!requests) {
        shadow_name(s, "NULL");
        return;
    }
    shadow_open(s);
    for (int64_t i = 0; i < s->operation_count; i++)
        print_request(s, &s->operations[i], requests[i]);
    shadow_close(s);
}

void shadow_requests(struct shadow *s, const MPI_Request *requests, int64_t count)
{
    find(s, requests, count);
    print_requests(s, requests);
}

void shadow_new_request(struct shadow *s, MPI_Request request)
{
    print_request(s, s->thread->created, request);
}

void shadow_request_after(struct shadow *s, MPI_Request request)
{
    if (s->operation_count)
        print_request(s, &s->operations[0], request);
    else
        shadow_null(s);
}

void shadow_requests_after(struct shadow *s, const MPI_Request *requests, int64_t count)
{
    if (count < s->operation_count)
        s->operation_count = count < 0 ? 0 : count;
    print_requests(s, requests);
}

/* ---- statuses ---- */

static void print_field(struct shadow *s, const char *name, int value, unsigned enumeration)
{
    const struct enumeration *e = &enumerations[enumeration];
    for (unsigned i = 0; i < e->count; i++)
        if (e->constants[i].value == value) {
            text_print(&s->text, "\"%s\":\"%s\",", name, vocabulary.names[e->constants[i].name]);
            return;
        }
    text_print(&s->text, "\"%s\":%d,", name, value);
}

static void print_end(struct shadow *s, bool ignored)
{
    text_print(&s->text, "\"ignored\":%s}", ignored ? "true" : "false");
    shadow_value_end(s);
}

static void print_bytes(struct shadow *s, const MPI_Status *status)
{
    MPI_Count bytes = 0;
    text_print(&s->text, "\"bytes\":");
    if (PMPI_Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS)
        text_print(&s->text, "null");
    else if (bytes == MPI_UNDEFINED)
        text_print(&s->text, "\"MPI_UNDEFINED\"");
    else
        text_integer(&s->text, bytes);
}

static void print_counts(struct shadow *s, const MPI_Status *status)
{
    int cancelled = 0;
    print_bytes(s, status);
    if (PMPI_Test_cancelled(status, &cancelled) != MPI_SUCCESS)
        text_print(&s->text, ",\"cancelled\":null,");
    else
        text_print(&s->text, ",\"cancelled\":%s,", cancelled ? "true" : "false");
}

void shadow_status(struct shadow *s, const MPI_Status *status, bool ignored)
{
    if (!status || status == MPI_STATUS_IGNORE) {
        shadow_null(s);
        return;
    }
    shadow_value_begin(s);
    bytes_put_u8(&s->text, '{');
    print_field(s, "source", status->MPI_SOURCE, ENUM_RANK);
    print_field(s, "tag", status->MPI_TAG, ENUM_TAG);
    print_counts(s, status);
    print_end(s, ignored);
}

void shadow_status_io(struct shadow *s, const MPI_Status *status, bool ignored)
{
    if (!status || status == MPI_STATUS_IGNORE) {
        shadow_null(s);
        return;
    }
    shadow_value_begin(s);
    text_print(&s->text, "{\"source\":null,\"tag\":null,");
    print_bytes(s, status);
    text_print(&s->text, ",\"cancelled\":null,");
    print_end(s, ignored);
}

/* Prints the status of an operation that failed. It is complete only for a receive whose message was too long. */
static void print_failed(struct shadow *s, const MPI_Status *status, bool receive, bool ignored)
{
    int class = MPI_SUCCESS;
    PMPI_Error_class(status->MPI_ERROR, &class);
    shadow_value_begin(s);
    bytes_put_u8(&s->text, '{');
    if (receive && class == MPI_ERR_TRUNCATE) {
        print_field(s, "source", status->MPI_SOURCE, ENUM_RANK);
        print_field(s, "tag", status->MPI_TAG, ENUM_TAG);
        print_counts(s, status);
    } else {
        text_print(&s->text, "\"source\":null,\"tag\":null,\"bytes\":null,\"cancelled\":null,");
    }
    text_print(&s->text, "\"error\":%d,", status->MPI_ERROR);
    print_end(s, ignored);
}

void shadow_status_of(struct shadow *s, int64_t index, const MPI_Status *status, bool ignored)
{
    static const struct operation none = {.what = (int64_t)REQUEST_NULL * (1 << OPERATION_CLASS_SHIFT)};
    const struct operation *o = index >= 0 && index < s->operation_count ? &s->operations[index] : &none;
    bool empty = operation_is_null(o) || !o->active;
    bool receive = operation_kind(o) == REQUEST_RECV || operation_kind(o) == REQUEST_PRECV;
    if (s->thread->error_in_status && status && status != MPI_STATUS_IGNORE && status->MPI_ERROR != MPI_SUCCESS)
        print_failed(s, status, !operation_is_null(o) && receive, ignored);
    else if (empty || receive || operation_kind(o) == REQUEST_GREQ)
        shadow_status(s, status, ignored);
    else if (operation_kind(o) == REQUEST_IO)
        shadow_status_io(s, status, ignored);
    else
        shadow_null(s);
}

void shadow_statuses(struct shadow *s, const MPI_Status *statuses, int64_t count, bool ignored)
{
    bool there = statuses && statuses != MPI_STATUSES_IGNORE;
    shadow_open(s);
    for (int64_t i = 0; there && i < count; i++)
        shadow_status_of(s, i, &statuses[i], ignored);
    shadow_close(s);
}

void shadow_statuses_some(struct shadow *s, const MPI_Status *statuses, const int *indices, int64_t count, bool ignored)
{
    bool there = statuses && statuses != MPI_STATUSES_IGNORE && indices;
    shadow_open(s);
    for (int64_t i = 0; there && i < count; i++)
        shadow_status_of(s, indices[i], &statuses[i], ignored);
    shadow_close(s);
}
