/* Statuses. What MPI leaves undefined is not read, or it would be noise in the trace:
 *  - the status of a completed send, collective or one-sided operation is null;
 *  - MPI_ERROR is read only in the statuses of a call that returned MPI_ERR_IN_STATUS;
 *  - of an operation that failed or is pending (MPI_ERR_PENDING) only its error is recorded, the rest is null, save
 *    for a receive whose message was too long (MPI_ERR_TRUNCATE): it was matched, so all of its status is there;
 *  - of a file operation source and tag are null;
 *  - of a null or inactive request, the empty status as MPI filled it.
 *  - of a receive that went as its call said when it was posted, in a call whose array of requests is there: how often its count.
 * The shadow follows the same rules with code of its own. */
#include "capture/put.h"
#include "capture/thread.h"
#include "functions.h"

/* Readers tell a bounded number of requests apart (docs/FORMAT.md, section 5): those with a place below this, in each class. */
enum { POSTED_PLACES = 4096 };

static void put_head(struct call *c, bool ignored, bool error)
{
    uint8_t *at = put_room(c, 2);
    if (at) {
        at[0] = VALUE_STATUS;
        at[1] = (uint8_t)((ignored ? STATUS_IGNORED : 0) | (error ? STATUS_ERROR : 0));
    }
}

static void put_tail(struct call *c, const MPI_Status *status)
{
    MPI_Count bytes = 0;
    int cancelled = 0;
    if (PMPI_Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS)
        put_none(c, 1);
    else if (bytes == MPI_UNDEFINED)
        put_name(c, NAME_MPI_UNDEFINED);
    else
        put_int(c, bytes);
    if (PMPI_Test_cancelled(status, &cancelled) != MPI_SUCCESS)
        put_none(c, 1);
    else
        put_bool(c, cancelled);
}

/* Of a call that took MPI_STATUS_IGNORE for lack of memory there is none to read; tracing is off already. */
static bool missing(struct call *c, const MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE && status)
        return false;
    put_none(c, 1);
    return true;
}

static void put_fields(struct call *c, const struct view *view, const MPI_Status *status)
{
    if (view)
        put_rank_of(c, view, status->MPI_SOURCE);
    else
        put_root(c, status->MPI_SOURCE);
    put_enum(c, ENUM_TAG, status->MPI_TAG);
    put_tail(c, status);
}

/* Source of VIEW; NULL: absolute. */
static void put_whole(struct call *c, const struct view *view, const MPI_Status *status, bool ignored)
{
    if (missing(c, status))
        return;
    put_head(c, ignored, false);
    put_fields(c, view, status);
}

void put_status(struct call *c, const MPI_Status *status, bool ignored)
{
    put_whole(c, &c->view, status, ignored);
}

void put_status_plain(struct call *c, const MPI_Status *status, bool ignored)
{
    put_whole(c, NULL, status, ignored);
}

void put_status_io(struct call *c, const MPI_Status *status, bool ignored)
{
    if (missing(c, status))
        return;
    put_head(c, ignored, false);
    put_none(c, 2);
    put_tail(c, status);
}

static bool is_receive(const struct operation *operation)
{
    return operation && !operation->null && (operation->kind == REQUEST_RECV || operation->kind == REQUEST_PRECV);
}

/* The status of OPERATION, number INDEX of the call's, as its own call foretold it. false: it did not, nothing is put. */
static bool put_posted(struct call *c, int64_t index, const struct operation *operation, const MPI_Status *status, bool ignored)
{
    const struct posting *posted = &operation->posted;
    MPI_Count bytes = 0;
    int cancelled = 0;
    if (!c->kept || posted->count == 0 || operation->place >= POSTED_PLACES ||
        operation->class_number >> REQUEST_THREAD_SHIFT != (int64_t)c->thread->index ||
        status->MPI_SOURCE != posted->source || status->MPI_TAG != posted->tag)
        return false;
    if (PMPI_Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes <= 0 || bytes % posted->count != 0 ||
        PMPI_Test_cancelled(status, &cancelled) != MPI_SUCCESS || cancelled)
        return false;
    uint8_t *at = put_room(c, 2 + 2 * SLOT_BYTES);
    if (at) {
        at[0] = VALUE_POSTED;
        at[1] = ignored ? STATUS_IGNORED : 0;
        store_slot(store_slot(at + 2, index), bytes / posted->count);
    }
    return true;
}

/* An operation that failed in a call that returned MPI_ERR_IN_STATUS. */
static void put_error(struct call *c, const struct operation *operation, const MPI_Status *status, bool ignored)
{
    int class = MPI_SUCCESS;
    put_head(c, ignored, true);
    if (is_receive(operation) && PMPI_Error_class(status->MPI_ERROR, &class) == MPI_SUCCESS &&
        class == MPI_ERR_TRUNCATE)
        put_fields(c, &operation->view, status);
    else
        put_none(c, 4);
    put_int(c, status->MPI_ERROR);
}

/* INDEX: of OPERATION in the call. */
static void put_of(struct call *c, int64_t index, const struct operation *operation, const MPI_Status *status, bool ignored)
{
    if (missing(c, status))
        return;
    if (c->thread->error_in_status && status->MPI_ERROR != MPI_SUCCESS) {
        put_error(c, operation, status, ignored);
        if (operation && operation->persistent && status->MPI_ERROR != MPI_ERR_PENDING)
            request_set_active(operation, false);
        return;
    }
    if (!operation || operation->null || !operation->active) {
        put_whole(c, NULL, status, ignored);
        return;
    }
    switch (operation->kind) {
    case REQUEST_RECV:
    case REQUEST_PRECV:
        if (!put_posted(c, index, operation, status, ignored))
            put_whole(c, &operation->view, status, ignored);
        break;
    case REQUEST_GREQ:
        put_whole(c, NULL, status, ignored);
        break;
    case REQUEST_IO:
        put_status_io(c, status, ignored);
        break;
    default:
        put_none(c, 1);
        break;
    }
    /* A request that is not persistent is gone by now. */
    if (operation->persistent)
        request_set_active(operation, false);
}

void put_status_of(struct call *c, int64_t index, const MPI_Status *status, bool ignored)
{
    put_of(c, index, index >= 0 && index < c->operation_count ? &c->operations[index] : NULL, status, ignored);
}

void put_statuses(struct call *c, const MPI_Status *statuses, int64_t count, bool ignored)
{
    if (!statuses || statuses == MPI_STATUSES_IGNORE)
        count = 0;
    put_array(c, count);
    for (int64_t i = 0; i < count; i++)
        put_status_of(c, i, &statuses[i], ignored);
}

void put_statuses_some(struct call *c, const MPI_Status *statuses, const int *indices, int64_t count, bool ignored)
{
    if (!statuses || statuses == MPI_STATUSES_IGNORE || !indices)
        count = 0;
    put_array(c, count);
    for (int64_t i = 0; i < count; i++)
        put_status_of(c, indices[i], &statuses[i], ignored);
}
