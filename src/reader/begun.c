/* Requests and what began them; see begun.h. */
#include "reader/begun.h"

#include <stdlib.h>
#include <string.h>

#include "reader/registers.h"

struct begun_call {
    int64_t class_number, place;
    struct pilgrim_value *items; /* NULL: the entry is free */
    size_t capacity;             /* bytes there */
    uint64_t identity;
    const struct begun_parameters *parameters; /* of the call; and its in-values, of which ... */
    const struct pilgrim_value *in;            /* ... those will be the items when they are asked for; NULL: they are */
};

enum { CAPACITY_MIN = 16 };

struct begun_parameters begun_parameters(const struct pilgrim_function *f)
{
    static const char *const names[BEGUN_ITEMS] = {"source", "tag", "count"};
    struct begun_parameters p = {.items = {BEGUN_NOWHERE, BEGUN_NOWHERE, BEGUN_NOWHERE}, .request = BEGUN_NOWHERE, .ended = BEGUN_NOWHERE};
    for (size_t i = f->parameter_count; i-- > 0;) {
        const struct pilgrim_parameter *parameter = &f->parameters[i];
        for (size_t k = 0; k < BEGUN_ITEMS; k++)
            if (strcmp(parameter->name, names[k]) == 0)
                p.items[k] = parameter->direction & PILGRIM_IN ? (uint32_t)i : BEGUN_NOWHERE;
        if (p.request == BEGUN_NOWHERE && parameter->direction == PILGRIM_OUT && strcmp(parameter->name, "request") == 0)
            p.request = (uint32_t)i;
        if (p.ended == BEGUN_NOWHERE && parameter->direction == PILGRIM_INOUT &&
            (strcmp(parameter->name, "request") == 0 || strcmp(parameter->name, "array_of_requests") == 0))
            p.ended = (uint32_t)i;
    }
    return p;
}

/* Where CLASS.PLACE is in a table with a free entry, or would be. */
static struct begun_call *find(const struct begun *b, int64_t class_number, int64_t place)
{
    uint64_t hash = ((uint64_t)class_number * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)place) * UINT64_C(0xff51afd7ed558ccd);
    uint32_t at = (uint32_t)(hash >> 32) & (b->capacity - 1);
    while (b->calls[at].items && (b->calls[at].class_number != class_number || b->calls[at].place != place))
        at = (at + 1) & (b->capacity - 1);
    return &b->calls[at];
}

uint64_t begun_identity(const struct begun *b, int64_t class_number, int64_t place)
{
    return b->capacity ? find(b, class_number, place)->identity : 0;
}

/* Makes room for one more. */
static enum pilgrim_status grow(struct begun *b)
{
    if (b->count + 1 >= BEGUN_MAX)
        return PILGRIM_LIMIT;
    if (2 * (b->count + 1) <= b->capacity)
        return PILGRIM_OK;
    struct begun larger = *b;
    larger.capacity = b->capacity ? 2 * b->capacity : CAPACITY_MIN;
    uint64_t more = (larger.capacity - b->capacity) * sizeof *larger.calls;
    if (more > b->limit - b->bytes)
        return PILGRIM_LIMIT;
    larger.calls = calloc(larger.capacity, sizeof *larger.calls);
    if (!larger.calls)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < b->capacity; i++)
        if (b->calls[i].items)
            *find(&larger, b->calls[i].class_number, b->calls[i].place) = b->calls[i];
    free(b->calls);
    larger.bytes += more;
    *b = larger;
    return PILGRIM_OK;
}

/* Puts a copy of ITEMS into CALL. */
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

/* Puts ITEMS where CLASS.PLACE of REQUEST is. */
static enum pilgrim_status set(struct begun *b, const struct pilgrim_value *request, const struct pilgrim_value *items,
                               uint64_t identity)
{
    bool is_new = !b->capacity || !find(b, request->id, request->offset)->items;
    enum pilgrim_status status = is_new ? grow(b) : PILGRIM_OK;
    if (status != PILGRIM_OK)
        return status;
    struct begun_call *call = find(b, request->id, request->offset);
    call->identity = 0;
    status = set_items(b, call, items);
    if (status != PILGRIM_OK)
        return status;
    call->class_number = request->id;
    call->place = request->offset;
    call->identity = identity;
    call->in = NULL;
    b->count += is_new;
    return PILGRIM_OK;
}

/* What began it before did not begin this one: three values that are nothing fit where there were others. */
static void forget(struct begun_call *call)
{
    struct pilgrim_value items[BEGUN_ITEMS] = {{0}}, array = {.type = PILGRIM_ARRAY, .items = items, .count = BEGUN_ITEMS};
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
    struct pilgrim_value items[BEGUN_ITEMS] = {{0}}, array = {.type = PILGRIM_ARRAY, .items = items, .count = BEGUN_ITEMS};
    if (request->type != PILGRIM_REQUEST || request->offset >= BEGUN_PLACES)
        return PILGRIM_OK;
    struct begun_call *call = b->capacity ? find(b, request->id, request->offset) : NULL;
    bool all = has_all(p), known = call && call->items;
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

/* Makes items of what was borrowed. */
static enum pilgrim_status settle(struct begun *b, struct begun_call *call)
{
    struct pilgrim_value items[BEGUN_ITEMS] = {{0}}, array = {.type = PILGRIM_ARRAY, .items = items, .count = BEGUN_ITEMS};
    for (size_t i = 0; i < BEGUN_ITEMS; i++)
        items[i] = call->in[call->parameters->items[i]];
    enum pilgrim_status status = set_items(b, call, &array);
    if (status == PILGRIM_OK)
        call->in = NULL;
    return status;
}

void begun_settle(struct begun *b)
{
    for (uint32_t i = 0; i < b->capacity; i++)
        if (b->calls[i].in && settle(b, &b->calls[i]) != PILGRIM_OK) {
            b->full = true;
            forget(&b->calls[i]);
        }
}

enum pilgrim_status begun_get(struct begun *b, int64_t class_number, int64_t place, const struct pilgrim_value **items)
{
    struct begun_call *call = b->capacity ? find(b, class_number, place) : NULL;
    enum pilgrim_status status = call && call->in ? settle(b, call) : PILGRIM_OK;
    *items = call ? call->items : NULL;
    return status;
}

static void follow_end(struct live_requests *l, const struct pilgrim_value *in, const struct pilgrim_value *out)
{
    if (in->type == PILGRIM_REQUEST && out->type == PILGRIM_NAME)
        live_end(l, in->id, in->offset);
}

enum pilgrim_status begun_follow(struct live_requests *l, const struct begun_parameters *p, const struct pilgrim_value *in,
                                 const struct pilgrim_value *out)
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
    for (uint32_t i = 0; i < b->capacity; i++)
        free(b->calls[i].items);
    free(b->calls);
    *b = (struct begun){.limit = b->limit};
}
