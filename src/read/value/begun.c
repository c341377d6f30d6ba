/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call began a request, and which requests are live; see begun.h. */
#include "read/value/begun.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "read/value/registers.h"

struct begun_call {
    int64_t class_number, request_index;
    struct pilgrim_value *items;
    size_t capacity; /* bytes allocated for ITEMS */
    uint64_t identity;
    const struct begun_parameters *parameters; /* of the call */
    const struct pilgrim_value
        *in; /* in-values of the call, which are copied to ITEMS when they are asked for; NULL: they have been */
};

enum { CAPACITY_MIN = 16 };

static uint32_t hash_request(int64_t class_number, int64_t request_index)
{
    return hash_more(hash_word((uint64_t)class_number), (uint64_t)request_index);
}

/* Returns the slot of the request, or the free slot where it belongs. The index has slots. */
static struct hash_slot *find_slot(const struct begun *b, int64_t class_number, int64_t request_index)
{
    struct hash_slot *slot = hash_index_first(&b->index, hash_request(class_number, request_index));
    for (; slot->number; slot = hash_index_next(&b->index, slot)) {
        const struct begun_call *call = &b->calls[slot->number - 1];
        if (call->class_number == class_number && call->request_index == request_index)
            break;
    }
    return slot;
}

/* Returns the call that began the request. NULL: unknown. */
static struct begun_call *find(const struct begun *b, int64_t class_number, int64_t request_index)
{
    const struct hash_slot *slot = b->index.count ? find_slot(b, class_number, request_index) : NULL;
    return slot && slot->number ? &b->calls[slot->number - 1] : NULL;
}

uint64_t begun_identity(const struct begun *b, int64_t class_number, int64_t request_index)
{
    const struct begun_call *call = find(b, class_number, request_index);
    return call ? call->identity : 0;
}

/* Allocates one more call. */
static enum pilgrim_status reserve(struct begun *b)
{
    uint32_t capacity = b->capacity ? 2 * b->capacity : CAPACITY_MIN;
    uint64_t more = (capacity - b->capacity) * (sizeof *b->calls + 2 * sizeof *b->index.slots);
    if (b->index.count + 1 >= POSTED_CALLS_LIMIT)
        return PILGRIM_LIMIT;
    if (b->index.count < b->capacity)
        return hash_index_reserve(&b->index) ? PILGRIM_OK : PILGRIM_NOMEM;
    if (more > b->limit - b->bytes)
        return PILGRIM_LIMIT;
    struct begun_call *calls = realloc(b->calls, capacity * sizeof *calls);
    if (!calls)
        return PILGRIM_NOMEM;
    b->calls = calls;
    b->capacity = capacity;
    b->bytes += more;
    return hash_index_reserve(&b->index) ? PILGRIM_OK : PILGRIM_NOMEM;
}

/* Copies ITEMS into CALL. */
static enum pilgrim_status set_items(struct begun *b, struct begun_call *call, const struct pilgrim_value *items)
{
    size_t bytes = value_copy_bytes(items);
    if (bytes > call->capacity) {
        if (bytes - call->capacity > b->limit - b->bytes)
            return PILGRIM_LIMIT;
        void *room = malloc(bytes);
        if (!room)
            return PILGRIM_NOMEM;
        free(call->items);
        call->items = room;
        b->bytes += bytes - call->capacity;
        call->capacity = bytes;
    }
    value_copy(call->items, items);
    return PILGRIM_OK;
}

/* Sets the items of the call that began REQUEST. */
static enum pilgrim_status set(struct begun *b, const struct pilgrim_value *request, const struct pilgrim_value *items,
                               uint64_t identity)
{
    struct begun_call *call = find(b, request->id, request->offset);
    bool is_new = !call;
    if (is_new) {
        TRY(reserve(b));
        call = &b->calls[b->index.count];
        *call = (struct begun_call){.class_number = request->id, .request_index = request->offset};
    }
    call->identity = 0;
    TRY(set_items(b, call, items));
    call->identity = identity;
    call->in = NULL;
    if (is_new)
        hash_index_put(&b->index, find_slot(b, call->class_number, call->request_index),
                       hash_request(call->class_number, call->request_index), b->index.count + 1);
    return PILGRIM_OK;
}

/* Makes the items of CALL unknown: another call has begun the request. Three empty values fit into the memory of the
 * old ones. */
static void forget(struct begun_call *call)
{
    struct pilgrim_value items[BEGUN_ITEMS] = {{0}},
                         array = {.type = PILGRIM_ARRAY, .items = items, .count = BEGUN_ITEMS};
    call->identity = 0;
    call->in = NULL;
    value_copy(call->items, &array);
}

static bool has_all(const struct begun_parameters *p)
{
    for (size_t i = 0; i < BEGUN_ITEMS; i++)
        if (p->items[i] == BEGUN_NOWHERE)
            return false;
    return true;
}

enum pilgrim_status begun_note(struct begun *b, const struct begun_parameters *p, const struct pilgrim_value *in,
                               const struct pilgrim_value *out, uint64_t identity)
{
    const struct pilgrim_value *request = &out[p->request];
    struct pilgrim_value items[BEGUN_ITEMS] = {{0}},
                         array = {.type = PILGRIM_ARRAY, .items = items, .count = BEGUN_ITEMS};
    if (request->type != PILGRIM_REQUEST || request->offset >= POSTED_INDEX_LIMIT)
        return PILGRIM_OK;
    struct begun_call *call = find(b, request->id, request->offset);
    bool all = has_all(p), known = call;
    if (known && all && identity) {
        call->parameters = p;
        call->in = in;
        call->identity = identity;
        return PILGRIM_OK;
    }
    for (size_t i = 0; all && i < BEGUN_ITEMS; i++)
        items[i] = in[p->items[i]];
    enum pilgrim_status status = all || known ? set(b, request, &array, identity) : PILGRIM_OK;
    if (status != PILGRIM_LIMIT)
        return status;
    b->full = true;
    if (known)
        forget(call);
    return PILGRIM_OK;
}

/* Copies the borrowed in-values to the items. */
static enum pilgrim_status settle(struct begun *b, struct begun_call *call)
{
    struct pilgrim_value items[BEGUN_ITEMS] = {{0}},
                         array = {.type = PILGRIM_ARRAY, .items = items, .count = BEGUN_ITEMS};
    for (size_t i = 0; i < BEGUN_ITEMS; i++)
        items[i] = call->in[call->parameters->items[i]];
    enum pilgrim_status status = set_items(b, call, &array);
    if (status == PILGRIM_OK)
        call->in = NULL;
    return status;
}

void begun_settle(struct begun *b)
{
    for (uint32_t i = 0; i < b->index.count; i++)
        if (b->calls[i].in && settle(b, &b->calls[i]) != PILGRIM_OK) {
            b->full = true;
            forget(&b->calls[i]);
        }
}

enum pilgrim_status begun_get(struct begun *b, int64_t class_number, int64_t request_index,
                              const struct pilgrim_value **items)
{
    struct begun_call *call = find(b, class_number, request_index);
    enum pilgrim_status status = call && call->in ? settle(b, call) : PILGRIM_OK;
    *items = call ? call->items : NULL;
    return status;
}

static void follow_end(struct live_requests *l, const struct pilgrim_value *in, const struct pilgrim_value *out)
{
    if (in->type == PILGRIM_REQUEST && out->type == PILGRIM_NAME)
        live_end(l, in->id, in->offset);
}

enum pilgrim_status begun_follow(struct live_requests *l, const struct begun_parameters *p,
                                 const struct pilgrim_value *in, const struct pilgrim_value *out)
{
    if (p->ended != BEGUN_NOWHERE) {
        const struct pilgrim_value *before = &in[p->ended], *after = &out[p->ended];
        follow_end(l, before, after);
        if (before->type == PILGRIM_ARRAY && after->type == PILGRIM_ARRAY)
            for (size_t i = 0; i < before->count && i < after->count; i++)
                follow_end(l, &before->items[i], &after->items[i]);
    }
    if (p->request == BEGUN_NOWHERE || out[p->request].type != PILGRIM_REQUEST)
        return PILGRIM_OK;
    return live_begin(l, out[p->request].id, out[p->request].offset);
}

void begun_free(struct begun *b)
{
    for (uint32_t i = 0; i < b->index.count; i++)
        free(b->calls[i].items);
    free(b->calls);
    hash_index_free(&b->index);
    *b = (struct begun){.limit = b->limit};
}
