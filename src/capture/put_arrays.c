/* Arrays of values, and the requests. Integers are stored in one go: room for all of them, then plain stores. */
#include "capture/put.h"
#include "capture/thread.h"
#include "functions.h"

/* NULL and negative counts alike in all arrays: true where values follow, COUNT of them. */
static bool put_open(struct call *c, const void *v, int64_t *count)
{
    if (*count < 0)
        *count = 0;
    if (v)
        put_array(c, *count);
    else
        put_name(c, NAME_NULL);
    return v;
}

/* Room for an array of COUNT integers, its head written; NULL where there is nothing to store. */
static uint8_t *put_integers(struct call *c, const void *v, int64_t count)
{
    if (!v) {
        put_name(c, NAME_NULL);
        return NULL;
    }
    uint64_t n = count > 0 ? (uint64_t)count : 0;
    size_t bytes = n > KEY_MAX ? (size_t)KEY_MAX + 1 : n * (1 + SLOT_BYTES);
    uint8_t *at = put_counted(c, VALUE_ARRAY, n, bytes);
    return n ? at : NULL;
}

static inline uint8_t *store_tagged(uint8_t *at, enum value_tag tag, int64_t v)
{
    *at = (uint8_t)tag;
    return store_slot(at + 1, v);
}

void put_ints(struct call *c, const int *v, int64_t count)
{
    uint8_t *at = put_integers(c, v, count);
    for (int64_t i = 0; at && i < count; i++)
        at = store_tagged(at, VALUE_INT, v[i]);
}

void put_counts(struct call *c, const MPI_Count *v, int64_t count)
{
    uint8_t *at = put_integers(c, v, count);
    for (int64_t i = 0; at && i < count; i++)
        at = store_tagged(at, VALUE_INT, v[i]);
}

void put_aints(struct call *c, const MPI_Aint *v, int64_t count)
{
    uint8_t *at = put_integers(c, v, count);
    for (int64_t i = 0; at && i < count; i++)
        at = store_tagged(at, VALUE_INT, v[i]);
}

void put_bools(struct call *c, const int *v, int64_t count)
{
    uint8_t *at = put_integers(c, v, count);
    for (int64_t i = 0; at && i < count; i++)
        at = store_tagged(at, VALUE_BOOL, v[i] != 0);
}

void put_addresses(struct call *c, const MPI_Aint *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_address(c, v[i]);
}

void put_large_addresses(struct call *c, const MPI_Count *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_address(c, v[i]);
}

void put_enums(struct call *c, unsigned enumeration, const int *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_enum(c, enumeration, v[i]);
}

void put_ranks(struct call *c, const int *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_rank(c, v[i]);
}

void put_roots(struct call *c, const int *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_root(c, v[i]);
}

void put_weights(struct call *c, const int *v, int64_t count)
{
    if (v && v == MPI_UNWEIGHTED)
        put_name(c, NAME_MPI_UNWEIGHTED);
    else if (v && v == MPI_WEIGHTS_EMPTY)
        put_name(c, NAME_MPI_WEIGHTS_EMPTY);
    else
        put_ints(c, v, count);
}

void put_ranges(struct call *c, int (*v)[3], int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_ints(c, v[i], 3);
}

void put_datatypes(struct call *c, const MPI_Datatype *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_handle(c, KIND_DATATYPE, HANDLE(v[i]));
}

void put_new_datatypes(struct call *c, const MPI_Datatype *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_new(c, KIND_DATATYPE, HANDLE(v[i]));
}

void put_infos(struct call *c, const MPI_Info *v, int64_t count)
{
    if (put_open(c, v, &count))
        for (int64_t i = 0; i < count; i++)
            put_handle(c, KIND_INFO, HANDLE(v[i]));
}

/* ---- requests ---- */

void put_operation(struct call *c, const struct operation *operation)
{
    if (operation->null)
        put_name(c, NAME_MPI_REQUEST_NULL);
    else
        put_slots(c, VALUE_REQUEST, operation->class_number, operation->place);
}

void put_new_request(struct call *c, MPI_Request request, enum request_kind kind, bool persistent)
{
    struct thread *t = c->thread;
    /* Thread 0's classes keep their numbers. A call that is not recorded has no class. */
    int64_t class_number = c->recorded ? (int64_t)t->index << REQUEST_THREAD_SHIFT | (int64_t)t->class : -1;
    t->created = request_created(HANDLE(request), class_number, kind, persistent, &c->view);
    put_operation(c, &t->created);
}

void put_new_receive(struct call *c, MPI_Request request, enum request_kind kind, bool persistent, int64_t count, int source,
                     int tag)
{
    put_new_request(c, request, kind, persistent);
    if (c->recorded && count > 0 && source >= 0 && tag >= 0)
        request_posted(&c->thread->created, &(struct posting){.count = count, .source = source, .tag = tag});
}

/* Sets the call's operations. NULL counts as none. */
static void find_operations(struct call *c, const MPI_Request *requests, int64_t count)
{
    struct thread *t = c->thread;
    c->operations = NULL;
    c->operation_count = 0;
    if (!requests || count <= 0)
        return;
    if (!thread_reserve_operations(t, count)) {
        c->key->failed = true;
        return;
    }
    for (int64_t i = 0; i < count; i++)
        t->handles[i] = HANDLE(requests[i]);
    requests_find(t->handles, count, t->index, t->operations);
    requests_complete(t->operations, count, t->index, true);
    c->operations = t->operations;
    c->operation_count = count;
}

void put_request(struct call *c, MPI_Request request)
{
    find_operations(c, &request, 1);
    if (c->operation_count)
        put_operation(c, c->operations);
}

void put_requests(struct call *c, const MPI_Request *requests, int64_t count)
{
    find_operations(c, requests, count);
    if (put_open(c, requests, &count))
        for (int64_t i = 0; i < c->operation_count; i++)
            put_operation(c, &c->operations[i]);
}

/* What stands where OPERATION's handle was: that operation still, or null. */
static void put_after(struct call *c, const struct operation *operation, MPI_Request request)
{
    if (request == MPI_REQUEST_NULL)
        put_name(c, NAME_MPI_REQUEST_NULL);
    else
        put_operation(c, operation);
    if (!operation->null)
        request_finished(operation, HANDLE(request));
}

void put_request_after(struct call *c, MPI_Request request)
{
    if (c->operation_count)
        put_after(c, c->operations, request);
    else
        put_none(c, 1);
}

void put_requests_after(struct call *c, const MPI_Request *requests, int64_t count)
{
    if (count > c->operation_count)
        count = c->operation_count;
    if (put_open(c, requests, &count))
        for (int64_t i = 0; i < count; i++)
            put_after(c, &c->operations[i], requests[i]);
}

void put_requests_kept(struct call *c, const MPI_Request *requests, int64_t count)
{
    size_t start = c->key->length;
    put_requests(c, requests, count);
    if (!c->recorded)
        return;
    keep_in(&c->thread->keeper, stream_class_register(c->thread->stream, c->thread->class), c->key, start);
    c->kept = c->thread->keeper.own != 0;
}

void put_requests_noted(struct call *c, const MPI_Request *requests, int64_t count)
{
    size_t start = c->key->length;
    put_requests(c, requests, count);
    if (c->recorded)
        keep_in(&c->thread->keeper, NULL, c->key, start);
}

void put_requests_changed(struct call *c, const MPI_Request *requests, int64_t count)
{
    size_t start = c->key->length;
    put_requests_after(c, requests, count);
    if (c->recorded)
        keep_out(&c->thread->keeper, c->key, start, NULL);
}

void put_requests_completed(struct call *c, const MPI_Request *requests, int64_t count, uint8_t parameter, const int *places,
                            const int *place_count)
{
    size_t start = c->key->length;
    put_requests_after(c, requests, count);
    if (!c->recorded)
        return;
    struct keep_places completed = {.parameter = parameter, .places = places};
    if (c->ok && places)
        completed.count = place_count ? *place_count : 1;
    keep_out(&c->thread->keeper, c->key, start, &completed);
}

void call_requests_started(struct call *c)
{
    for (int64_t i = 0; i < c->operation_count; i++)
        if (!c->operations[i].null)
            request_set_active(&c->operations[i], true);
}
