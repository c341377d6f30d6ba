/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that depend on earlier calls: keep, edited, completed, posted, begun, own, live, live of, live back
 * (docs/FORMAT.md, section 5). Without registers (pilgrim_signature) values are given as they are stored. */
#include "read/value/delta_values.h"

#include <string.h>

#include "base/value.h"
#include "read/value/begun.h"
#include "read/value/registers.h"

/* Without registers V is given as it is stored. */
void evaluate_keep(struct evaluation *e, struct pilgrim_value *v)
{
    v->id = (int64_t)cursor_varint(&e->tokens);
    if (!e->caller->registers) {
        evaluate_items(e, v, 1);
        return;
    }
    struct keeping *keeping = evaluation_take(e, sizeof *keeping);
    if (!keeping)
        return;
    *keeping = (struct keeping){.number = (uint32_t)v->id, .value = v, .before = e->keeping};
    e->keeping = keeping;
    evaluate(e, v);
}

void evaluate_keeping(struct evaluation *e)
{
    struct keeping *first = NULL, *next;
    for (struct keeping *k = e->keeping; k; k = next) {
        next = k->before;
        k->before = first;
        first = k;
    }
    for (; first && e->status == PILGRIM_OK; first = first->before) {
        enum pilgrim_status status = registers_set(e->caller->registers, first->number, first->value);
        if (status != PILGRIM_OK)
            evaluation_fail(e, status, e->shard->memory_problem);
    }
}

/* Makes V an array with a copy of the items of base BASE, and returns them. *STORED: V is to be given as it is stored.
 */
static struct pilgrim_value *copy_base(struct evaluation *e, uint64_t base, struct pilgrim_value *v, bool *stored)
{
    const struct registers *registers = e->caller->registers;
    const struct pilgrim_value *array = e->in_value;
    if (base > 0)
        array = registers ? registers_get(registers, (uint32_t)(base - 1)) : NULL;
    *stored = !registers && (base > 0 || (array && (array->type == PILGRIM_EDITED || array->type == PILGRIM_KEPT)));
    if (*stored)
        return NULL;
    if (!array || array->type != PILGRIM_ARRAY) {
        evaluation_fail(e, PILGRIM_DAMAGED, "changes of an array that does not exist");
        return NULL;
    }
    /* A register may be replaced while the values of this call are still in use. */
    size_t bytes = base > 0 ? value_copy_bytes(array) : sizeof *array + array->count * sizeof *array->items;
    void *at = evaluation_take(e, bytes);
    if (!at)
        return NULL;
    struct pilgrim_value *items = (struct pilgrim_value *)at + 1;
    if (base > 0)
        value_copy(at, array);
    else if (array->count > 0)
        memcpy(items, array->items, array->count * sizeof *items);
    v->type = PILGRIM_ARRAY;
    v->count = array->count;
    v->items = items;
    return items;
}

void evaluate_edited(struct evaluation *e, struct pilgrim_value *v)
{
    uint64_t base = cursor_varint(&e->tokens), count = cursor_varint(&e->tokens);
    int64_t last = -1;
    bool stored;
    struct pilgrim_value *items = copy_base(e, base, v, &stored);
    if (stored) {
        v->id = (int64_t)base;
        evaluate_items(e, v, (size_t)(2 * count));
    }
    for (uint64_t i = 0; !stored && i < count && e->status == PILGRIM_OK; i++) {
        struct pilgrim_value index, item;
        evaluate(e, &index);
        evaluate(e, &item);
        if (e->status == PILGRIM_OK && (index.integer <= last || (uint64_t)index.integer >= v->count))
            evaluation_fail(e, PILGRIM_DAMAGED, "changes of an array at indexes that do not increase or do not exist");
        if (e->status != PILGRIM_OK)
            break;
        last = index.integer;
        items[last] = item;
    }
}

/* ---- completed ---- */

void evaluate_completed(struct evaluation *e, struct pilgrim_value *v)
{
    uint64_t parameter = cursor_varint(&e->tokens);
    if (!e->caller->registers) {
        v->id = (int64_t)parameter;
        evaluate_items(e, v, 1);
        return;
    }
    bool stored;
    struct pilgrim_value *items = copy_base(e, 0, v, &stored);
    struct completing *completing = evaluation_take(e, sizeof *completing);
    if (!items || !completing)
        return;
    *completing = (struct completing){.array = v, .items = items, .parameter = parameter, .before = e->completing};
    v->type = PILGRIM_COMPLETED;
    e->completing = completing;
    evaluate(e, &completing->item);
}

/* Completes the item that INDEX names. */
static void complete_item(struct evaluation *e, const struct completing *c, const struct pilgrim_value *index)
{
    if (index->type == PILGRIM_NAME)
        return;
    if (index->type != PILGRIM_INT || index->integer < 0 || (uint64_t)index->integer >= c->array->count)
        evaluation_fail(e, PILGRIM_DAMAGED, "a completed array without the completed indexes");
    else
        c->items[index->integer] = c->item;
}

void evaluate_completions(struct evaluation *e, const struct pilgrim_value *out)
{
    for (const struct completing *c = e->completing; c && e->status == PILGRIM_OK; c = c->before) {
        static const struct pilgrim_value nothing;
        bool comes_out = c->parameter < e->function->parameter_count &&
                         (e->function->parameters[c->parameter].direction & PILGRIM_OUT);
        const struct pilgrim_value *indices = comes_out ? &out[c->parameter] : &nothing;
        if (indices->type != PILGRIM_ARRAY)
            complete_item(e, c, indices);
        for (size_t i = 0; indices->type == PILGRIM_ARRAY && i < indices->count && e->status == PILGRIM_OK; i++)
            complete_item(e, c, &indices->items[i]);
    }
    for (const struct completing *c = e->completing; c; c = c->before)
        c->array->type = PILGRIM_ARRAY;
}

/* ---- posted ---- */

static bool has_request(const struct pilgrim_value *v)
{
    if (v->type == PILGRIM_REQUEST)
        return true;
    if (v->type != PILGRIM_ARRAY)
        return false;
    for (size_t i = 0; i < v->count; i++)
        if (v->items[i].type == PILGRIM_REQUEST)
            return true;
    return false;
}

/* Returns the request of the call, or its array of requests. NULL: it has none. */
static const struct pilgrim_value *find_requests(struct evaluation *e)
{
    for (size_t i = 0; e->in && !e->requests && i < e->function->parameter_count; i++)
        if ((e->function->parameters[i].direction & PILGRIM_IN) && has_request(&e->in[i]))
            e->requests = &e->in[i];
    return e->in ? e->requests : NULL;
}

/* Records that the values depend on the state of a request. NULL: the evaluation has failed. */
static struct request_use *note_use(struct evaluation *e, enum request_use_kind kind, int64_t class_number,
                                    int64_t request_index)
{
    struct request_use *use = evaluation_take(e, sizeof *use);
    if (!use)
        return NULL;
    *use = (struct request_use){
        .kind = kind, .class_number = class_number, .request_index = request_index, .next = e->requests_used};
    return e->requests_used = use;
}

/* Returns the in-values of the call that began the request at index POSITION, or NULL. */
static const struct pilgrim_value *find_begun(struct evaluation *e, int64_t position)
{
    const struct pilgrim_value *requests = find_requests(e);
    bool one = requests && requests->type == PILGRIM_REQUEST;
    if (!requests || position < 0 || (uint64_t)position >= (one ? 1 : requests->count))
        return NULL;
    const struct pilgrim_value *request = one ? requests : &requests->items[position];
    if (request->type != PILGRIM_REQUEST)
        return NULL;
    struct request_use *use = note_use(e, USE_POSTED, request->id, request->offset);
    if (use)
        use->identity = begun_identity(e->caller->begun, request->id, request->offset);
    const struct pilgrim_value *items;
    enum pilgrim_status status = begun_get(e->caller->begun, request->id, request->offset, &items);
    if (status != PILGRIM_OK)
        evaluation_fail(e, status, e->shard->memory_problem);
    return status == PILGRIM_OK ? items : NULL;
}

void evaluate_posted(struct evaluation *e, struct pilgrim_value *v)
{
    v->ignored = cursor_u8(&e->tokens) & STATUS_IGNORED;
    const int64_t position = evaluation_slot(e), unit = evaluation_slot(e);
    if (!e->caller->registers) {
        v->id = position;
        v->offset = unit;
        return;
    }
    const struct pilgrim_value *begun = find_begun(e, position);
    if (!begun || begun->items[BEGUN_COUNT].type != PILGRIM_INT) {
        evaluation_fail(e, e->caller->begun->full ? PILGRIM_LIMIT : PILGRIM_DAMAGED,
                        "a status of a request that no call has posted");
        return;
    }
    /* Another call may begin the request while the values of this one are still in use. */
    void *at = evaluation_take(e, value_copy_bytes(begun));
    struct pilgrim_value *items = evaluation_take(e, 4 * sizeof *items);
    if (!at || !items)
        return;
    const struct pilgrim_value *copy = value_copy(at, begun);
    items[0] = copy->items[BEGUN_SOURCE];
    items[1] = copy->items[BEGUN_TAG];
    items[2] = (struct pilgrim_value){
        .type = PILGRIM_INT, .integer = (int64_t)((uint64_t)unit * (uint64_t)copy->items[BEGUN_COUNT].integer)};
    items[3] = (struct pilgrim_value){.type = PILGRIM_BOOL};
    v->type = PILGRIM_STATUS;
    v->items = items;
    v->count = 4;
}

/* ---- begun, own, live, live of, live back ---- */

static void set_request(struct evaluation *e, struct pilgrim_value *v, enum request_use_kind kind, int64_t rank,
                        int64_t request_index)
{
    if (request_index < 0) {
        evaluation_fail(e, PILGRIM_DAMAGED, "a request that is not live, or without a free index");
        return;
    }
    struct request_use *use = note_use(e, kind, v->id, request_index);
    if (!use)
        return;
    use->rank = rank;
    use->value = v;
    v->type = PILGRIM_REQUEST;
    v->offset = request_index;
}

/* Returns the own number of the class CLASS_INDEX; -1: not known. */
static int64_t own_number(const struct caller *caller, size_t class_index)
{
    return caller->own_numbers ? caller->own_numbers[class_index] : -1;
}

static void set_begun(struct evaluation *e, struct pilgrim_value *v)
{
    if (e->caller->registers)
        set_request(e, v, USE_BEGUN, 0, live_request_index(e->caller->live, v->id));
}

void evaluate_begun(struct evaluation *e, struct pilgrim_value *v)
{
    evaluate_number(e, &v->id);
    set_begun(e, v);
}

void evaluate_own(struct evaluation *e, struct pilgrim_value *v)
{
    v->id = own_number(e->caller, e->caller->class_index);
    set_begun(e, v);
}

static void set_live(struct evaluation *e, struct pilgrim_value *v)
{
    v->offset = evaluation_slot(e);
    if (e->caller->registers)
        set_request(e, v, USE_LIVE, v->offset, live_at(e->caller->live, v->id, v->offset));
}

void evaluate_live(struct evaluation *e, struct pilgrim_value *v)
{
    v->id = evaluation_slot(e);
    set_live(e, v);
}

void evaluate_live_of(struct evaluation *e, struct pilgrim_value *v, int64_t class_index)
{
    if (class_index < 0 || (uint64_t)class_index >= e->caller->class_count)
        evaluation_fail(e, PILGRIM_DAMAGED, "a request of a class that does not exist");
    else
        v->id = own_number(e->caller, (size_t)class_index);
    set_live(e, v);
}

bool uses_hold(const struct call_values *values, const struct caller *caller)
{
    bool same = true;
    for (const struct request_use *u = values->uses; u && same; u = u->next) {
        if (u->kind == USE_POSTED)
            same = u->identity && begun_identity(caller->begun, u->class_number, u->request_index) == u->identity;
        else if (u->kind == USE_LIVE)
            same = live_at(caller->live, u->class_number, u->rank) == u->request_index;
        else
            same = live_request_index(caller->live, u->class_number) == u->request_index;
    }
    return same;
}
