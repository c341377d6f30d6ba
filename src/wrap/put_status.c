/* SPDX-License-Identifier: BSD-3-Clause */
/* Statuses; see put_status.h. What MPI leaves undefined is not read, because it would be noise in the trace:
 *
 *  - The status of a completed send, collective or one-sided operation is null.
 *  - MPI_ERROR is read only if the call returned MPI_ERR_IN_STATUS.
 *  - Of an operation that failed or is pending (MPI_ERR_PENDING) only the error is stored; the rest is null. But if
 *    a message was too long (MPI_ERR_TRUNCATE), it was matched, and the whole status is stored.
 *  - Of a file operation only the bytes are stored; the rest is null.
 *  - Of a null or inactive request, the empty status is stored as MPI filled it.
 *  - A receive that went as its call predicted, in a call whose array of requests is stored: the bytes of an element.
 *
 * The shadow follows the same rules with code of its own. */
#include "wrap/put_status.h"

#include "base/value_run.h"
#include "wrap/completed_inline.h"

/* Largest size of a status: its head, a rank base, and up to six values. */
enum { STATUS_BYTES = 2 + 7 * (1 + SLOT_BYTES) };

/* Stores the bytes, as MPI's function says. */
static __attribute__((noinline)) uint8_t *store_bytes_asked(uint8_t *at, const MPI_Status *status)
{
    MPI_Count bytes = 0;
    if (PMPI_Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS)
        return store_none(at, 1);
    return bytes == MPI_UNDEFINED ? store_name(at, NAME_MPI_UNDEFINED) : store_int(at, bytes);
}

/* Stores the bytes and the cancelled flag, as MPI's functions say. */
static __attribute__((noinline)) uint8_t *store_asked(uint8_t *at, const MPI_Status *status)
{
    int cancelled = 0;
    at = store_bytes_asked(at, status);
    if (PMPI_Test_cancelled(status, &cancelled) != MPI_SUCCESS)
        return store_none(at, 1);
    return store_bool(at, cancelled != 0);
}

static inline uint8_t *store_head(uint8_t *at, bool ignored, bool error)
{
    at[0] = VALUE_STATUS;
    at[1] = (uint8_t)((ignored ? STATUS_IGNORED : 0) | (error ? STATUS_ERROR : 0));
    return at + 2;
}

static inline uint8_t *store_tail(uint8_t *at, const MPI_Status *status)
{
    int64_t bytes;
    bool cancelled;
    if (!CALL_LIKELY(status_read(status, &bytes, &cancelled)))
        return store_asked(at, status);
    return store_bool(store_int(at, bytes), cancelled);
}

/* True if there is no status to read: the call passed on MPI_STATUS_IGNORE for lack of memory, and tracing is off
 * already. */
static inline bool missing(const MPI_Status *status)
{
    return !CALL_LIKELY(status != MPI_STATUS_IGNORE && status);
}

/* Stores the fields of a status. The source is relative to BASE; NULL: absolute. */
static inline uint8_t *store_fields(struct call *c, uint8_t *at, const struct rank_base *base, const MPI_Status *status)
{
    at = base ? store_rank_of(c, at, base, status->MPI_SOURCE) : store_enum(at, ENUM_RANK, status->MPI_SOURCE);
    return store_tail(store_enum(at, ENUM_TAG, status->MPI_TAG), status);
}

static inline uint8_t *store_whole(struct call *c, uint8_t *at, const struct rank_base *base, const MPI_Status *status,
                                   bool ignored)
{
    return store_fields(c, store_head(at, ignored, false), base, status);
}

uint8_t *store_status(struct call *c, uint8_t *at, const MPI_Status *status, bool ignored)
{
    return missing(status) ? store_none(at, 1) : store_whole(c, at, &c->base, status, ignored);
}

uint8_t *store_status_plain(struct call *c, uint8_t *at, const MPI_Status *status, bool ignored)
{
    return missing(status) ? store_none(at, 1) : store_whole(c, at, NULL, status, ignored);
}

uint8_t *store_status_io(uint8_t *at, const MPI_Status *status, bool ignored)
{
    if (missing(status))
        return store_none(at, 1);
    int64_t bytes;
    bool unset; /* MPI sets only the bytes */
    at = store_none(store_head(at, ignored, false), 2);
    at = CALL_LIKELY(status_read(status, &bytes, &unset)) ? store_int(at, bytes) : store_bytes_asked(at, status);
    return store_none(at, 1);
}

static bool is_receive(const struct operation *operation)
{
    return operation && !operation_is_null(operation) &&
           (operation_kind(operation) == REQUEST_RECV || operation_kind(operation) == REQUEST_PRECV);
}

/* Returns the bytes of a message that was not cancelled; 0: none, or unknown. */
static inline int64_t received_bytes(const MPI_Status *status)
{
    int64_t bytes;
    bool cancelled;
    if (CALL_LIKELY(status_read(status, &bytes, &cancelled)))
        return cancelled ? 0 : bytes;
    MPI_Count asked = 0;
    int flag = 0;
    if (PMPI_Get_elements_x(status, MPI_BYTE, &asked) != MPI_SUCCESS || asked < 0 ||
        PMPI_Test_cancelled(status, &flag) != MPI_SUCCESS || flag)
        return 0;
    return asked;
}

/* True if OPERATION is a receive of the call that came as it was posted. Not in long arrays: their statuses are alike
 * enough. */
static inline bool came_back_as_posted(const struct call *c, const struct operation *operation,
                                       const MPI_Status *status)
{
    return !c->dropped && c->operation_count < VALUE_SERIES_MIN &&
           came_as_posted(remembered_by(c, c->operation_count), operation, status);
}

/* Stores the fields of a receive's status. */
static __attribute__((noinline)) uint8_t *store_received(struct call *c, uint8_t *at, const struct operation *operation,
                                                         const MPI_Status *status)
{
    struct rank_base base = rank_base_numbered(operation->base);
    return store_fields(c, at, &base, status);
}

/* Stores the status of an operation that failed, in a call that returned MPI_ERR_IN_STATUS. */
static uint8_t *store_error(struct call *c, uint8_t *at, const struct operation *operation, const MPI_Status *status,
                            bool ignored)
{
    int class = MPI_SUCCESS;
    at = store_head(at, ignored, true);
    if (is_receive(operation) && PMPI_Error_class(status->MPI_ERROR, &class) == MPI_SUCCESS &&
        class == MPI_ERR_TRUNCATE)
        at = store_received(c, at, operation, status);
    else
        at = store_none(at, 4);
    return store_int(at, status->MPI_ERROR);
}

/* Marks the persistent OPERATION, number INDEX of the call, as inactive: it has completed. One that is not persistent
 * is gone by now. */
static inline void becomes_inactive(struct call *c, int64_t index, const struct operation *operation)
{
    if (operation_is_persistent(operation))
        request_set_active(&c->operations[index], false);
}

static __attribute__((noinline, cold)) uint8_t *store_failed(struct call *c, uint8_t *at, int64_t index,
                                                             const struct operation *operation,
                                                             const MPI_Status *status, bool ignored)
{
    at = store_error(c, at, operation, status, ignored);
    if (operation && status->MPI_ERROR != MPI_ERR_PENDING)
        becomes_inactive(c, index, operation);
    return at;
}

/* Stores the status of a completed receive: as the call that began it predicted it, if that holds. */
static __attribute__((noinline)) uint8_t *store_receive(struct call *c, uint8_t *at, int64_t index,
                                                        const struct operation *operation, const MPI_Status *status,
                                                        bool ignored)
{
    int64_t unit =
        came_back_as_posted(c, operation, status) ? unit_of(received_bytes(status), operation->posted.count) : 0;
    return unit ? store_posted(at, index, unit, ignored)
                : store_received(c, store_head(at, ignored, false), operation, status);
}

/* Stores the status of a completed OPERATION, number INDEX of the call, in any case. */
static __attribute__((noinline)) uint8_t *store_completed(struct call *c, uint8_t *at, int64_t index,
                                                          const struct operation *operation, const MPI_Status *status,
                                                          bool ignored)
{
    becomes_inactive(c, index, operation);
    switch (operation_kind(operation)) {
    case REQUEST_RECV:
    case REQUEST_PRECV:
        return store_receive(c, at, index, operation, status, ignored);
    case REQUEST_GREQ:
        return store_whole(c, at, NULL, status, ignored);
    case REQUEST_IO:
        return store_status_io(at, status, ignored);
    default:
        return store_none(at, 1);
    }
}

static __attribute__((noinline)) uint8_t *store_without_operation(struct call *c, uint8_t *at, const MPI_Status *status,
                                                                  bool ignored)
{
    return store_whole(c, at, NULL, status, ignored);
}

/* What is usual comes first, and calls a function last only, so that no registers are saved for it. */
static inline uint8_t *store_one(struct call *c, uint8_t *at, int64_t index, const MPI_Status *status, bool ignored)
{
    const struct operation *operation =
        (uint64_t)index < (uint64_t)c->operation_count ? found_operation(&c->operations[index]) : NULL;
    if (missing(status))
        return store_none(at, 1);
    if (!CALL_LIKELY(!c->thread->error_in_status) && status->MPI_ERROR != MPI_SUCCESS)
        return store_failed(c, at, index, operation, status, ignored);
    if (!operation || !operation->active) /* as for a null request */
        return store_without_operation(c, at, status, ignored);
    if (operation_is_persistent(operation))
        return store_completed(c, at, index, operation, status, ignored);
    if (operation_kind(operation) == REQUEST_SEND)
        return store_none(at, 1);
    if (operation_kind(operation) != REQUEST_RECV)
        return store_completed(c, at, index, operation, status, ignored);
    if (!came_back_as_posted(c, operation, status))
        return store_received(c, store_head(at, ignored, false), operation, status);
    int64_t bytes = 0;
    int64_t unit = status_read_plainly(status, &bytes) ? unit_of(bytes, operation->posted.count) : 0;
    return CALL_LIKELY(unit) ? store_posted(at, index, unit, ignored)
                             : store_completed(c, at, index, operation, status, ignored);
}

uint8_t *store_status_of(struct call *c, uint8_t *at, int64_t index, const MPI_Status *status, bool ignored)
{
    return store_one(c, at, index, status, ignored);
}

/* Begins an array of COUNT statuses. Returns where the first one goes, with room for all; NULL: out of memory. */
static inline uint8_t *statuses_begin(struct call *c, int64_t count)
{
    uint64_t n = (uint64_t)count;
    return put_counted(c, VALUE_ARRAY, n, n > KEY_MAX / STATUS_BYTES ? (size_t)KEY_MAX + 1 : n * STATUS_BYTES);
}

/* Stores the statuses of the operations INDICES[0] to INDICES[count - 1]; INDICES NULL: of operations 0 to COUNT -
 * 1. */
static void put_all(struct call *c, const MPI_Status *statuses, const int *indices, int64_t count, bool ignored)
{
    if (!statuses || statuses == MPI_STATUSES_IGNORE || count < 0)
        count = 0;
    uint8_t *at = statuses_begin(c, count);
    if (!at)
        return;
    struct run_writer run;
    run_begin(&run);
    for (int64_t i = 0; i < count; i++) {
        uint8_t *item = at;
        at = store_one(c, at, indices ? indices[i] : i, &statuses[i], ignored);
        if (count >= VALUE_SERIES_MIN)
            at = run_put(&run, item, at);
    }
    call_flush(c, at);
}

/* One loop for the statuses of most calls, without saving a place for those that are not usual. */
void put_statuses(struct call *c, const MPI_Status *statuses, int64_t count, bool ignored)
{
    bool usual = count == c->operation_count && count > 0 && count < VALUE_SERIES_MIN && !missing(statuses) &&
                 !c->thread->error_in_status && !c->dropped;
    size_t before = c->key->length;
    uint8_t *at = CALL_LIKELY(usual) ? statuses_begin(c, count) : NULL;
    const struct remembered by = remembered_by(c, count);
    for (int64_t i = 0; at && i < count; i++) {
        const struct operation *o = found_operation(&c->operations[i]);
        at = CALL_LIKELY(o) ? store_usual(by, at, i, o, &statuses[i], ignored) : NULL;
    }
    if (CALL_LIKELY(at)) {
        call_flush(c, at);
        return;
    }
    if (usual && !c->key->failed)
        c->key->length = before;
    put_all(c, statuses, NULL, count, ignored);
}

void put_statuses_some(struct call *c, const MPI_Status *statuses, const int *indices, int64_t count, bool ignored)
{
    put_all(c, statuses, indices, indices ? count : 0, ignored);
}
