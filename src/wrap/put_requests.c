/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests and arrays of requests: finds the operations behind the handles, stores their names, and ends those that
 * completed; see put_requests.h. */
#include "wrap/put_requests.h"

#include "base/value_run.h"
#include "wrap/completed_inline.h"

enum {
    ITEM_BYTES = 1 + 2 * SLOT_BYTES,
    /* A request alone that is not the oldest of its class is named by age only if its index is below this: with more
     * in flight, the index may be more regular than the age. */
    ALONE = 64
};

static inline uint8_t *store_operation(uint8_t *at, struct operation_name name)
{
    if (name.class_number == REQUEST_NULL)
        return store_name(at, NAME_MPI_REQUEST_NULL);
    *at = VALUE_REQUEST;
    return store_slot(store_slot(at + 1, name.class_number), name.request_index);
}

/* Stores the oldest live operation of a class. */
static inline uint8_t *store_oldest(uint8_t *at, int64_t class_number)
{
    *at = VALUE_LIVE;
    return store_slot(store_slot(at + 1, class_number), 0);
}

/* Stores an operation by its age, if the reader knows it from earlier calls and it is the oldest of its class, or its
 * index is below LIMIT; else by its name. Arrays that are stored as changes do not use this: names change less than
 * ages. */
static inline uint8_t *store_live(struct call *c, uint8_t *at, struct operation_name name, int64_t limit)
{
    if (name.class_number == REQUEST_NULL || c->dropped)
        return store_operation(at, name);
    int64_t rank = live_rank_quickly(&c->thread->live, name.class_number, name.request_index);
    if (!CALL_LIKELY(rank >= 0)) {
        rank = name.request_index < limit ? live_rank(&c->thread->live, name.class_number, name.request_index) : -1;
        if (rank < 0)
            return store_operation(at, name);
    }
    *at = VALUE_LIVE;
    return store_slot(store_slot(at + 1, name.class_number), rank);
}

__attribute__((noinline)) void end_slowly(struct call *c, int64_t i, struct operation_name name)
{
    struct thread *t = c->thread;
    if (!c->dropped)
        live_end(&t->live, name.class_number, name.request_index);
    request_finish(t->requests, &t->finding, i);
}

/* Does that if it is easy, while requests_end_quickly; the caller calls requests_ended then. False: it did nothing. */
CALL_INLINE bool end_quickly(struct thread *t, struct thread_requests *r, struct found_operation_bits *found)
{
    struct operation *o = found_operation(found);
    if (!CALL_LIKELY(found_is_own(found)) || !CALL_LIKELY(end_easily(t, r, o, operation_name(o))))
        return false;
    found_end(found);
    return true;
}

static inline void end_operation(struct call *c, int64_t i, struct operation_name name)
{
    struct thread *t = c->thread;
    if (CALL_LIKELY(requests_end_quickly()) && CALL_LIKELY(!c->dropped) &&
        CALL_LIKELY(end_quickly(t, t->requests, &t->finding.found[i])))
        requests_ended(t->requests, 1);
    else
        end_slowly(c, i, name);
}

/* ---- one request ---- */

/* Stores the request that the call begins, in any case. */
static __attribute__((noinline)) uint8_t *store_begun_slowly(struct call *c, uint8_t *at, struct operation_name name)
{
    struct live_requests *live = &c->thread->live;
    if (name.class_number == REQUEST_NULL || c->dropped)
        return store_operation(at, name);
    bool predicted = live_request_index(live, name.class_number) == name.request_index;
    if (live_begin(live, name.class_number, name.request_index) != PILGRIM_OK)
        c->key->failed = true;
    if (!predicted)
        return store_operation(at, name);
    *at = VALUE_BEGUN;
    return store_slot(at + 1, name.class_number);
}

/* Returns the class number of an operation that the call begins. For thread 0 it is the number of the class itself. */
static inline int64_t class_begun(const struct call *c)
{
    const struct thread *t = c->thread;
    return !c->dropped ? (int64_t)t->index << REQUEST_THREAD_SHIFT | (int64_t)t->class->number : REQUEST_UNKNOWN;
}

static __attribute__((noinline)) uint8_t *store_created_slowly(struct call *c, uint8_t *at, MPI_Request request,
                                                               unsigned traits, struct posting posted)
{
    struct thread *t = c->thread;
    t->created = request_created_slowly(t->requests, HANDLE(request), class_begun(c), traits, &c->base, &posted);
    return store_begun_slowly(c, at, operation_name(t->created));
}

/* POSTED: its count is 0 if the call does not predict the status. Calls the slow functions last only, so that the quick
 * path saves no registers. */
CALL_INLINE uint8_t *store_created(struct call *c, uint8_t *at, MPI_Request request, unsigned traits,
                                   struct posting posted)
{
    struct thread *t = c->thread;
    if (!CALL_LIKELY(!c->dropped))
        return store_created_slowly(c, at, request, traits, posted);
    int64_t class_number = class_begun(c);
    const struct operation *o =
        request_created_quickly(t->requests, HANDLE(request), class_number, traits, &c->base, &posted);
    if (!CALL_LIKELY(o))
        return store_created_slowly(c, at, request, traits, posted);
    t->created = o;
    if (!CALL_LIKELY(live_begin_quickly(&t->live, class_number, o->request_index)))
        return store_begun_slowly(c, at, operation_name(o));
    *at = VALUE_BEGUN;
    return store_slot(at + 1, class_number);
}

uint8_t *store_new_operation(struct call *c, uint8_t *at, MPI_Request request, unsigned traits)
{
    return store_created(c, at, request, traits, (struct posting){0});
}

uint8_t *store_new_receiving(struct call *c, uint8_t *at, MPI_Request request, unsigned traits, int64_t count,
                             int source, int tag)
{
    bool known = !c->dropped && source >= 0 && tag >= 0 && count > 0 && count <= UINT32_MAX;
    const struct posting posted = {
        .count = known ? (uint32_t)count : 0, .segment = c->thread->segment, .source = source, .tag = tag};
    return store_created(c, at, request, traits, posted);
}

/* Sets the operations of the call, which are or will be the COUNT first ones in the thread's `finding`. */
static inline void found_by(struct call *c, int64_t count)
{
    struct thread *t = c->thread;
    c->operations = t->finding.found;
    c->operation_count = t->finding.count = count;
    t->finding.call = thread_calls(t);
}

/* Makes room for COUNT operations of the call. False: out of memory; the call has no operations then. */
static inline bool reserve(struct call *c, int64_t count)
{
    struct thread *t = c->thread;
    if (!CALL_LIKELY(count <= t->finding.capacity) && !thread_reserve_operations(t, count)) {
        c->key->failed = true;
        return false;
    }
    found_by(c, count);
    return true;
}

uint8_t *store_request(struct call *c, uint8_t *at, MPI_Request request)
{
    struct thread *t = c->thread;
    if (!reserve(c, 1))
        return at;
    return store_live(c, at, operation_name(request_find(t->requests, &t->finding, HANDLE(request))), ALONE);
}

/* Stores what an inout request is after the call: the same operation, or null. */
uint8_t *store_request_after(struct call *c, uint8_t *at, MPI_Request request)
{
    if (!c->operation_count)
        return store_none(at, 1);
    if (request != MPI_REQUEST_NULL)
        return store_live(c, at, operation_name(found_operation(&c->operations[0])), ALONE);
    end_operation(c, 0, operation_name(found_operation(&c->operations[0])));
    return store_name(at, NAME_MPI_REQUEST_NULL);
}

/* ---- arrays ---- */

/* Finds the operations of the call. NULL counts as an empty array. */
static void find_operations(struct call *c, const MPI_Request *requests, int64_t count)
{
    struct thread *t = c->thread;
    if (!requests || count <= 0 || !reserve(c, count))
        return;
    for (int64_t i = 0; i < count; i++)
        t->finding.handles[i] = HANDLE(requests[i]);
    requests_find(t->requests, &t->finding, count);
}

/* Stores the head of an array of COUNT requests, with room for them. The caller ends with call_flush. NULL: out of
 * memory. */
CALL_INLINE uint8_t *items_begin(struct call *c, int64_t count)
{
    uint64_t n = (uint64_t)count;
    return put_counted(c, VALUE_ARRAY, n, n > KEY_MAX / ITEM_BYTES ? (size_t)KEY_MAX + 1 : n * ITEM_BYTES);
}

static void put_found(struct call *c, const MPI_Request *requests)
{
    if (!requests) {
        put_name(c, NAME_NULL);
        return;
    }
    const struct found_operation_bits *operations = c->operations;
    int64_t count = c->operation_count;
    uint8_t *at = items_begin(c, count);
    if (!at)
        return;
    struct run_writer run;
    run_begin(&run);
    for (int64_t i = 0; i < count; i++) {
        uint8_t *item = at;
        at = store_live(c, at, operation_name(found_operation(&operations[i])), LIVE_INDICES);
        if (count >= VALUE_SERIES_MIN)
            at = run_put(&run, item, at);
    }
    call_flush(c, at);
}

/* Finds and stores each request in turn, while there is one thread and the array is too short for a run. NULL: another
 * case; what was stored does not count. */
CALL_INLINE uint8_t *store_requests_quickly(struct call *c, uint8_t *at, const MPI_Request *requests, int64_t count)
{
    struct thread *t = c->thread;
    struct thread_requests *r = t->requests;
    bool quick = !objects_threads && !c->dropped && requests && count > 0 && count < VALUE_SERIES_MIN;
    if (!CALL_LIKELY(quick) || !CALL_LIKELY(call_has_room(c, at, ARRAY_HEAD_BYTES + (size_t)count * ITEM_BYTES)) ||
        !reserve(c, count))
        return NULL;
    at = store_array_head(at, (uint32_t)count);
    uint32_t search = requests_search_begin(r);
    uint64_t *handles = t->finding.handles;
    struct found_operation_bits *found = t->finding.found;
    for (int64_t i = 0; i < count; i++) {
        uint64_t handle = handles[i] = HANDLE(requests[i]);
        if (handle == request_null_handle) {
            found[i] = found_only(&request_null);
            at = store_name(at, NAME_MPI_REQUEST_NULL);
            continue;
        }
        struct operation *o = requests_search_next(r, handle, search);
        if (!CALL_LIKELY(o))
            return NULL;
        found_set_alone(&found[i], o, true);
        at = CALL_LIKELY(live_rank_quickly(&t->live, operation_class(o), o->request_index) == 0)
                 ? store_oldest(at, operation_class(o))
                 : store_live(c, at, operation_name(o), LIVE_INDICES);
    }
    t->finding.search = r->search;
    return at;
}

uint8_t *store_requests(struct call *c, uint8_t *at, const MPI_Request *requests, int64_t count)
{
    uint8_t *end = store_requests_quickly(c, at, requests, count);
    if (CALL_LIKELY(end))
        return end;
    call_flush(c, at);
    find_operations(c, requests, count);
    put_found(c, requests);
    return call_resume(c);
}

/* Stores an output array. Returns where the next value goes. */
static __attribute__((noinline)) uint8_t *store_items_after(struct call *c, uint8_t *at, const MPI_Request *requests,
                                                            int64_t count)
{
    struct run_writer run;
    run_begin(&run);
    for (int64_t i = 0; i < count; i++) {
        uint8_t *item = at;
        at = requests[i] == MPI_REQUEST_NULL
                 ? store_name(at, NAME_MPI_REQUEST_NULL)
                 : store_live(c, at, operation_name(found_operation(&c->operations[i])), LIVE_INDICES);
        if (count >= VALUE_SERIES_MIN)
            at = run_put(&run, item, at);
    }
    return at;
}

/* Ends the call's first COUNT operations as long as each is easy. Returns how many of them it has looked at. */
CALL_INLINE int64_t end_easy_ones(struct call *c, int64_t count)
{
    struct thread *t = c->thread;
    struct thread_requests *r = t->requests;
    struct found_operation_bits *found = t->finding.found;
    int64_t i = 0;
    if (!CALL_LIKELY(requests_end_quickly()) || !CALL_LIKELY(!c->dropped))
        return 0;
    while (i < count && CALL_LIKELY(end_quickly(t, r, &found[i])))
        i++;
    requests_ended(r, (size_t)i);
    return i;
}

void put_requests_after(struct call *c, const MPI_Request *requests, int64_t count)
{
    if (!requests) {
        put_name(c, NAME_NULL);
        return;
    }
    count = count > c->operation_count ? c->operation_count : count > 0 ? count : 0;
    uint8_t *at = items_begin(c, count), *nulls = NULL;
    if (at) {
        nulls = store_nulls(at, requests, count);
        call_flush(c, nulls ? nulls : store_items_after(c, at, requests, count));
    }
    for (int64_t i = nulls ? end_easy_ones(c, count) : 0; i < count; i++)
        if (requests[i] == MPI_REQUEST_NULL)
            end_operation(c, i, operation_name(found_operation(&c->operations[i])));
}

/* ---- arrays that are stored as changes (request_array_delta.h) ---- */

/* Finds the operations behind REQUESTS, and puts their names in IN. False: the slower requests_find must look for
 * them. */
static inline bool find_same_requests(struct call *c, const MPI_Request *requests, struct operation_array *in)
{
    struct thread *t = c->thread;
    struct thread_requests *r = t->requests;
    struct finding *f = &t->finding;
    uint32_t search = requests_search_begin(r);
    for (uint32_t i = 0; i < in->count; i++) {
        uint64_t handle = f->handles[i] = HANDLE(requests[i]);
        if (handle == request_null_handle) {
            f->found[i] = found_only(&request_null);
            in->items[i] = (struct operation_name){.class_number = REQUEST_NULL};
            in->null[i / 64] |= UINT64_C(1) << i % 64;
        } else {
            struct operation *o = requests_search_next(r, handle, search);
            if (!CALL_LIKELY(o))
                return false;
            found_set(&f->found[i], o, r, true);
            in->items[i] = operation_name(o);
        }
    }
    return true;
}

/* True if the first 64 of COUNT requests, or all, have these handles. */
static inline bool same_handles(const uint64_t *handles, const MPI_Request *requests, int64_t count)
{
    uint64_t differences = 0;
    for (int64_t i = 0; i < 64 && i < count; i++)
        differences |= handles[i] ^ HANDLE(requests[i]);
    return !differences;
}

/* True if REQUESTS are as the last call with an array left them, and nothing happened since. Then its operations are
 * those of C. */
static inline bool find_again(struct call *c, const MPI_Request *requests, int64_t count)
{
    struct thread *t = c->thread;
    struct request_array_delta *k = &t->request_delta;
    struct finding *f = &t->finding;
    bool same = array_delta_under_way(k) && requests_unchanged(t->requests, k->search) && count == k->in.count;
    if (!same || c->dropped || !requests || !f->handles)
        return false;
    for (uint32_t word = 0; word < array_delta_words(k->in.count); word++)
        for (uint64_t over = k->over[word]; over; over &= over - 1) {
            const uint32_t index = 64 * word + (uint32_t)__builtin_ctzll(over);
            f->handles[index] = request_null_handle;
            f->found[index] = found_only(&request_null);
        }
    for (int64_t i = 0; i < count; i += 64)
        if (!same_handles(f->handles + i, requests + i, count - i))
            return false;
    found_by(c, count);
    return true;
}

/* Finds the operations of an input array. True: the request delta has the array, and the caller stores it from there.
 * False: it is stored already, as are all of more than MOST requests. */
static bool put_same_requests(struct call *c, const MPI_Request *requests, int64_t count, int64_t most)
{
    if (c->thread->outer) /* the registers are those of the thread, and a call of its own may be using them */
        most = 0;
    struct request_array_delta *k = &c->thread->request_delta;
    if (count <= most && find_again(c, requests, count)) {
        (void)array_delta_again(k);
        return true;
    }
    struct operation_array *in = array_delta_begin(k, !c->dropped && requests && count <= most ? count : 0);
    if (in && CALL_LIKELY(!objects_threads && reserve(c, count)) && CALL_LIKELY(find_same_requests(c, requests, in)))
        return true;
    find_operations(c, requests, count);
    in = array_delta_begin(k, in && c->operation_count == count ? count : 0); /* anew: some bits are set */
    if (!in) {
        put_found(c, requests);
        return false;
    }
    const struct found_operation_bits *operations = c->operations;
    for (uint32_t i = 0; i < in->count; i++) {
        in->items[i] = operation_name(found_operation(&operations[i]));
        in->null[i / 64] |= (uint64_t)(in->items[i].class_number == REQUEST_NULL) << i % 64;
    }
    return true;
}

void put_requests_again(struct call *c, const MPI_Request *requests, int64_t count)
{
    struct thread *t = c->thread;
    call_settle_path(c);
    if (put_same_requests(c, requests, count, ARRAY_DELTA_MAX))
        (void)array_delta_in(&t->request_delta, stream_class_register(t->stream, t->class->number), c->key);
}

void put_requests_noted(struct call *c, const MPI_Request *requests, int64_t count)
{
    /* A series takes less than a long array without a register. */
    if (put_same_requests(c, requests, count, VALUE_SERIES_MIN - 1))
        (void)array_delta_in(&c->thread->request_delta, NULL, c->key);
}

/* Stores an output array. The requests that became null have ended. */
static void put_changed(struct call *c, const MPI_Request *requests, int64_t count,
                        const struct completed_indices *completed)
{
    struct thread *t = c->thread;
    if (c->dropped || !array_delta_under_way(&t->request_delta)) {
        put_requests_after(c, requests, count);
        return;
    }
    struct request_array_delta *k = &t->request_delta;
    const uint64_t *handles = t->finding.handles;
    for (uint32_t word = 0; word < array_delta_words(k->in.count); word++) {
        const uint32_t first = 64 * word;
        if (handles && same_handles(handles + first, requests + first, count - first))
            continue;
        for (uint64_t live = array_delta_live(k, word); live; live &= live - 1)
            if (requests[first + (uint32_t)__builtin_ctzll(live)] == MPI_REQUEST_NULL)
                k->over[word] |= live & -live;
    }
    array_delta_out(k, c->key, completed);
    array_delta_commit(k); /* a predicted call stores its array, too; if recording fails, it ends */
    for (uint32_t word = 0; word < array_delta_words(k->in.count); word++)
        for (uint64_t over = k->over[word]; over; over &= over - 1) {
            const uint32_t index = 64 * word + (uint32_t)__builtin_ctzll(over);
            end_operation(c, index, k->in.items[index]);
        }
    if (!objects_threads)
        k->search = t->requests->search;
}

void put_requests_changed(struct call *c, const MPI_Request *requests, int64_t count)
{
    put_changed(c, requests, count, NULL);
}

void put_requests_completed(struct call *c, const MPI_Request *requests, int64_t count, uint8_t parameter,
                            const int *indices, const int *index_count)
{
    struct completed_indices completed = {.parameter = parameter, .indices = indices};
    if (c->ok && indices)
        completed.count = index_count ? *index_count : 1;
    put_changed(c, requests, count, &completed);
}

void call_requests_started(struct call *c)
{
    for (int64_t i = 0; i < c->operation_count; i++)
        request_set_active(&c->operations[i], true);
}
