/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a signature for one rank: the tokens of its shape with the numbers from its columns (docs/FORMAT.md,
 * section 5). Opening has checked the shape. The file is long: it has a case for each of the 30 tokens. */
#include "read/value/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "read/table/columns.h"
#include "read/value/array_series.h"
#include "read/value/delta_values.h"
#include "read/value/unzipped.h"

void evaluation_fail(struct evaluation *e, enum pilgrim_status status, const char *problem)
{
    if (e->status == PILGRIM_OK) {
        e->status = status;
        e->problem = problem;
    }
}

bool evaluation_charge(struct evaluation *e, uint64_t bytes)
{
    if (bytes > e->budget) {
        evaluation_fail(e, PILGRIM_LIMIT, e->shard->memory_problem);
        return false;
    }
    e->budget -= bytes;
    return true;
}

void *evaluation_take(struct evaluation *e, size_t bytes)
{
    if (!evaluation_charge(e, bytes))
        return NULL;
    void *at = arena_take(e->arena, bytes + !bytes);
    if (!at)
        evaluation_fail(e, PILGRIM_NOMEM, "not enough memory");
    return at;
}

/* ---- slots ---- */

int64_t evaluation_column(struct evaluation *e, int64_t x)
{
    uint32_t number = reference_resolve(cursor_varint(&e->columns), &e->next_column);
    return column_value(e->shard, &e->shard->columns[number], e->at->position, x);
}

/* The next column as differences: a sequence. */
uint64_t evaluation_differences(struct evaluation *e)
{
    int64_t number = evaluation_column(e, e->caller->rank);
    if (is_differences(e->shard, number))
        return (uint64_t)number;
    evaluation_fail(e, PILGRIM_DAMAGED, "differences that are no sequence");
    return 0;
}

const char series_wrong_length[] = "differences that are not a sequence of the right length";

/* Returns the next slot. X: what its column is a function of, outside of vectors and series. */
static int64_t next_slot_of(struct evaluation *e, int64_t x)
{
    const struct stored_signature *signature = e->at->signature;
    if (e->in_series)
        return series_slot(e);
    if (e->at->unzipped)
        return (int64_t)e->at->unzipped->slots[e->slot++].value;
    if (!signature->is_vector && !signature->is_unzipped)
        return evaluation_column(e, x);
    uint64_t first = (uint64_t)evaluation_column(e, e->caller->rank);
    uint64_t sequence = evaluation_differences(e);
    if (signature->is_unzipped)
        evaluation_column(e, e->caller->rank); /* the factor */
    if (sequence == 0 || signature->is_unzipped)
        return (int64_t)first;
    if (rules_length(&e->shard->rules, sequence) != signature->count - 1) {
        evaluation_fail(e, PILGRIM_DAMAGED, series_wrong_length);
        return 0;
    }
    return (int64_t)(first + (uint64_t)rules_sum(&e->shard->rules, sequence, e->at->within));
}

int64_t evaluation_slot(struct evaluation *e)
{
    return next_slot_of(e, e->caller->rank);
}

/* ---- values ---- */

static void set_rank_base(struct evaluation *e, int64_t number)
{
    e->base = NULL;
    if (number >= 0 && (uint64_t)number < e->caller->base_count)
        e->base = &e->caller->bases[number];
}

/* Returns V mod SIZE, which is not negative. */
static int64_t modulo(int64_t v, int64_t size)
{
    if (v >= 0 && v < size)
        return v;
    v %= size;
    return v < 0 ? v + size : v;
}

/* An expression gives the recorded rank modulo the size only, so the relative rank nearest to 0 is computed again. */
void rank_set(struct pilgrim_value *rank, const struct stored_rank_base *base, int64_t stored)
{
    int64_t size = base->size, relative = modulo(stored, size), up = size - modulo(base->rank, size);
    rank->integer = relative >= up ? relative - up : relative + (size - up);
    rank->relative = relative > size / 2 ? relative - size : relative;
}

/* Records that the next slot goes to TO, unless it is a slot of a series. */
static void note_use(struct evaluation *e, enum slot_use_kind kind, void *to)
{
    if (e->uses && !e->in_series)
        e->uses[e->slot] = (struct slot_use){.kind = kind, .slot = (uint32_t)e->slot, .to = to, .base = e->base};
}

void evaluate_number(struct evaluation *e, int64_t *to)
{
    note_use(e, SLOT_NUMBER, to);
    *to = evaluation_slot(e);
}

static void set_rank(struct evaluation *e, struct pilgrim_value *v)
{
    if (!e->base || e->base->size <= 0) {
        evaluation_fail(e, PILGRIM_DAMAGED, "a rank of a group that does not exist");
        return;
    }
    note_use(e, SLOT_RANK, v);
    rank_set(v, e->base, next_slot_of(e, e->base->rank));
}

static void set_name(struct evaluation *e, struct pilgrim_value *v)
{
    const struct string *s = &e->shard->strings[cursor_varint(&e->tokens)];
    v->text = s->text;
    v->length = s->length;
}

static void set_text(struct evaluation *e, struct pilgrim_value *v)
{
    v->length = (size_t)cursor_varint(&e->tokens);
    const uint8_t *from = cursor_take(&e->tokens, v->length);
    char *text = evaluation_take(e, v->length + 1);
    if (!text)
        return;
    memcpy(text, from, v->length);
    text[v->length] = 0;
    v->text = text;
}

const char truth_problem[] = "a truth value that is neither 0 nor 1";

static void set_truth(struct evaluation *e, struct pilgrim_value *v)
{
    note_use(e, SLOT_TRUTH, &v->integer);
    v->integer = evaluation_slot(e);
    if (v->integer != 0 && v->integer != 1)
        evaluation_fail(e, PILGRIM_DAMAGED, truth_problem);
}

const char text_problem[] = "a text that does not exist";

bool text_set(const struct shard *v, struct pilgrim_value *text, int64_t base, int64_t text_number)
{
    uint64_t number = (uint64_t)base + (uint64_t)text_number;
    if (base < 0 || text_number < 0 || number >= v->string_count)
        return false;
    text->text = v->strings[number].text;
    text->length = v->strings[number].length;
    return true;
}

static void set_numbered_text(struct evaluation *e, struct pilgrim_value *v)
{
    int64_t base = evaluation_slot(e);
    note_use(e, SLOT_TEXT, v);
    int64_t text_number = evaluation_slot(e);
    if (e->status == PILGRIM_OK && !text_set(e->shard, v, base, text_number))
        evaluation_fail(e, PILGRIM_DAMAGED, text_problem);
}

static void set_real(struct evaluation *e, struct pilgrim_value *v)
{
    note_use(e, SLOT_NUMBER, &v->real);
    int64_t bits = evaluation_slot(e);
    memcpy(&v->real, &bits, sizeof v->real);
}

static void set_next_rank_base(struct evaluation *e)
{
    note_use(e, SLOT_RANK_BASE, NULL);
    set_rank_base(e, evaluation_slot(e));
}

void evaluate_items(struct evaluation *e, struct pilgrim_value *v, size_t count)
{
    struct pilgrim_value *items = evaluation_take(e, count * sizeof *items);
    v->items = items;
    v->count = items ? count : 0;
    for (size_t i = 0; i < v->count && e->status == PILGRIM_OK; i++)
        evaluate(e, &items[i]);
}

static void evaluate_status(struct evaluation *e, struct pilgrim_value *v)
{
    uint8_t bits = cursor_u8(&e->tokens);
    v->ignored = bits & STATUS_IGNORED;
    evaluate_items(e, v, bits & STATUS_ERROR ? 5 : 4);
}

/* Recursive: values are nested at most VALUE_NESTING_MAX deep. */
void evaluate(struct evaluation *e, struct pilgrim_value *v)
{
    static const uint8_t types[VALUE_TAG_COUNT] = {
        [VALUE_NONE] = PILGRIM_NONE,           [VALUE_NAME] = PILGRIM_NAME,       [VALUE_INT] = PILGRIM_INT,
        [VALUE_BOOL] = PILGRIM_BOOL,           [VALUE_REAL] = PILGRIM_REAL,       [VALUE_RANK] = PILGRIM_RANK,
        [VALUE_OBJECT] = PILGRIM_OBJECT,       [VALUE_REQUEST] = PILGRIM_REQUEST, [VALUE_HEAP] = PILGRIM_HEAP,
        [VALUE_STACK] = PILGRIM_STACK,         [VALUE_STATIC] = PILGRIM_STATIC,   [VALUE_DEVICE] = PILGRIM_DEVICE,
        [VALUE_STRING] = PILGRIM_STRING,       [VALUE_ARRAY] = PILGRIM_ARRAY,     [VALUE_FLAGS] = PILGRIM_FLAGS,
        [VALUE_STATUS] = PILGRIM_STATUS,       [VALUE_SYMBOL] = PILGRIM_SYMBOL,   [VALUE_FUNCTION] = PILGRIM_FUNCTION,
        [VALUE_SERIES] = PILGRIM_ARRAY,        [VALUE_REGISTER] = PILGRIM_KEPT,   [VALUE_EDITED] = PILGRIM_EDITED,
        [VALUE_COMPLETED] = PILGRIM_COMPLETED, [VALUE_POSTED] = PILGRIM_POSTED,   [VALUE_TIME] = PILGRIM_TIME,
        [VALUE_BEGUN] = PILGRIM_BEGUN,         [VALUE_LIVE] = PILGRIM_LIVE,       [VALUE_TEXT] = PILGRIM_STRING,
        [VALUE_OWN] = PILGRIM_BEGUN,           [VALUE_LIVE_OF] = PILGRIM_LIVE,    [VALUE_LIVE_BACK] = PILGRIM_LIVE,
    };
    uint8_t tag = cursor_u8(&e->tokens);
    *v = (struct pilgrim_value){.type = (enum pilgrim_value_type)types[tag]};
    switch (tag) {
    case VALUE_NAME:
        set_name(e, v);
        break;
    case VALUE_INT:
        evaluate_number(e, &v->integer);
        break;
    case VALUE_BOOL:
        set_truth(e, v);
        break;
    case VALUE_REAL:
        set_real(e, v);
        break;
    case VALUE_RANK:
        set_rank(e, v);
        break;
    case VALUE_RANK_BASE:
        set_next_rank_base(e);
        evaluate(e, v);
        break;
    case VALUE_OBJECT:
        set_name(e, v);
        evaluate_number(e, &v->id);
        break;
    case VALUE_DEVICE:
        evaluate_number(e, &v->device);
        evaluate_number(e, &v->id);
        evaluate_number(e, &v->offset);
        break;
    case VALUE_REQUEST:
    case VALUE_HEAP:
    case VALUE_STATIC:
        evaluate_number(e, &v->id);
        evaluate_number(e, &v->offset);
        break;
    case VALUE_STACK:
    case VALUE_FUNCTION:
        evaluate_number(e, &v->id);
        break;
    case VALUE_STRING:
    case VALUE_SYMBOL:
        set_text(e, v);
        break;
    case VALUE_TEXT:
        set_numbered_text(e, v);
        break;
    case VALUE_ARRAY:
    case VALUE_FLAGS:
        evaluate_items(e, v, (size_t)cursor_varint(&e->tokens));
        break;
    case VALUE_STATUS:
        evaluate_status(e, v);
        break;
    case VALUE_SERIES:
        evaluate_series(e, v);
        break;
    case VALUE_REGISTER:
        evaluate_keep(e, v);
        break;
    case VALUE_EDITED:
        evaluate_edited(e, v);
        break;
    case VALUE_COMPLETED:
        evaluate_completed(e, v);
        break;
    case VALUE_POSTED:
        evaluate_posted(e, v);
        break;
    case VALUE_BEGUN:
        evaluate_begun(e, v);
        break;
    case VALUE_OWN:
        evaluate_own(e, v);
        break;
    case VALUE_LIVE_OF:
        evaluate_live_of(e, v, evaluation_slot(e));
        break;
    case VALUE_LIVE_BACK:
        evaluate_live_of(e, v, (int64_t)((uint64_t)e->caller->class_index - (uint64_t)evaluation_slot(e)));
        break;
    case VALUE_LIVE:
        evaluate_live(e, v);
        break;
    default: /* VALUE_NONE, VALUE_TIME */
        break;
    }
}

/* ---- signatures ---- */

static void evaluate_parameters(struct evaluation *e, const struct stored_function *f, enum pilgrim_direction direction,
                                const struct pilgrim_value *in, struct pilgrim_value *values)
{
    for (size_t i = 0; i < f->shown.parameter_count; i++) {
        const enum pilgrim_direction has = f->shown.parameters[i].direction;
        e->in_value = in && has == PILGRIM_INOUT ? &in[i] : NULL;
        if ((has & direction) && e->status == PILGRIM_OK)
            evaluate(e, &values[i]);
        else
            values[i] = (struct pilgrim_value){0};
    }
}

struct values_position values_find(const struct shard *v, const struct stored_value_group *part, uint64_t number,
                                   uint64_t position)
{
    uint32_t low = 0, high = part->count - 1;
    if (!part->first)
        return (struct values_position){
            .signature = &v->signatures[part->signatures[number]], .index = (uint32_t)number, .position = position};
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (part->first[middle] <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return (struct values_position){.signature = &v->signatures[part->signatures[low]],
                                    .index = low,
                                    .within = number - part->first[low],
                                    .position = position};
}

struct evaluation evaluation_begin(const struct shard *v, const struct values_position *at, const struct caller *caller,
                                   struct arena *arena)
{
    const struct shape *shape = &v->shapes[at->signature->shape];
    const struct bytes *content = &v->content[SECTION_CALLS];
    const uint8_t *columns = at->signature->columns;
    struct evaluation e = {.shard = v,
                           .at = at,
                           .caller = caller,
                           .arena = arena,
                           .budget = v->call_budget,
                           .next_column = at->signature->next_column};
    cursor_init(&e.tokens, shape->tokens, shape->length);
    cursor_init(&e.columns, columns, (size_t)(content->data + content->length - columns));
    set_rank_base(&e, 0);
    return e;
}

enum pilgrim_status signature_int(const struct shard *v, const struct values_position *at, const struct caller *caller,
                                  int64_t *number, const char **problem)
{
    struct evaluation e = evaluation_begin(v, at, caller, NULL);
    *number = evaluation_slot(&e);
    *problem = e.problem;
    return e.status;
}

enum pilgrim_status evaluate_call(struct evaluation *e, const struct stored_function *f, struct call_values **values,
                                  const char **problem)
{
    size_t count = f->shown.parameter_count;
    struct call_values *made = evaluation_take(e, sizeof *made);
    e->function = &f->shown;
    if (made) {
        made->identity = 0;
        made->other = NULL;
        made->in = evaluation_take(e, count * sizeof *made->in);
        made->out = evaluation_take(e, count * sizeof *made->out);
    }
    if (e->status == PILGRIM_OK) {
        evaluate_parameters(e, f, PILGRIM_IN, NULL, made->in);
        e->in = made->in;
        evaluate_parameters(e, f, PILGRIM_OUT, made->in, made->out);
        e->in = NULL;
        evaluate_completions(e, made->out);
    }
    if (e->status == PILGRIM_OK)
        evaluate(e, &made->ret);
    evaluate_keeping(e);
    if (made)
        made->uses = e->requests_used;
    *values = made;
    *problem = e->problem;
    return e->status;
}

enum pilgrim_status signature_evaluate(const struct shard *v, const struct values_position *at,
                                       const struct stored_function *f, const struct caller *caller,
                                       struct arena *arena, struct call_values **values, const char **problem)
{
    struct evaluation e = evaluation_begin(v, at, caller, arena);
    return evaluate_call(&e, f, values, problem);
}
