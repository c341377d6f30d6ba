/* A signature's values for one rank: its shape's tokens, with the numbers that its columns give; docs/FORMAT.md,
 * section 5. The shape was checked when the trace was opened. */
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "reader/evaluation.h"

/* A slot of a series: its value in the last value that has it, and what comes after that. */
struct series_slot {
    uint64_t value;
    bool is_sequence; /* else it does not change */
    struct rules_cursor differences;
};

/* One of the shapes of a series' values. */
struct series_shape {
    size_t tokens; /* where it begins */
    size_t slot;   /* its first one */
    bool met;
};

void evaluation_fail(struct evaluation *e, enum pilgrim_status status, const char *problem)
{
    if (e->status == PILGRIM_OK) {
        e->status = status;
        e->problem = problem;
    }
}

static bool charge(struct evaluation *e, uint64_t bytes)
{
    if (bytes > e->budget) {
        evaluation_fail(e, PILGRIM_LIMIT, "values that need more memory than a file of its length may take");
        return false;
    }
    e->budget -= bytes;
    return true;
}

void *evaluation_take(struct evaluation *e, size_t bytes)
{
    if (!charge(e, bytes))
        return NULL;
    void *at = arena_take(e->arena, bytes + !bytes);
    if (!at)
        evaluation_fail(e, PILGRIM_NOMEM, "not enough memory");
    return at;
}

/* ---- slots ---- */

static int64_t column_next(struct evaluation *e, int64_t x)
{
    uint32_t number = reference_resolve(cursor_varint(&e->columns), &e->next_column);
    return column_value(e->volume, &e->volume->columns[number], e->place->position, x);
}

/* The next column as differences: a sequence. */
static uint64_t differences_next(struct evaluation *e)
{
    int64_t number = column_next(e, e->caller->rank);
    if (is_differences(e->volume, number))
        return (uint64_t)number;
    evaluation_fail(e, PILGRIM_DAMAGED, "differences that are no sequence");
    return 0;
}

static const char wrong_length[] = "differences that are not a sequence of the right length";

/* The difference that comes next. */
static uint64_t difference_next(struct evaluation *e, struct rules_cursor *differences)
{
    uint64_t code = 0;
    if (!rules_cursor_next(differences, &code))
        evaluation_fail(e, PILGRIM_DAMAGED, wrong_length);
    return (uint64_t)unzigzag(code);
}

static int64_t slot_next(struct evaluation *e)
{
    struct series_slot *slot = &e->slots[e->slot++];
    if (slot->is_sequence && !e->first)
        slot->value += difference_next(e, &slot->differences);
    return (int64_t)slot->value;
}

/* X: what the slot's column is a function of, outside of vectors and series. */
static int64_t next_slot_of(struct evaluation *e, int64_t x)
{
    const struct signature *signature = e->place->signature;
    if (e->in_series)
        return slot_next(e);
    if (e->place->unzipped)
        return (int64_t)e->place->unzipped->slots[e->slot++].value;
    if (!signature->is_vector && !signature->is_unzipped)
        return column_next(e, x);
    uint64_t first = (uint64_t)column_next(e, e->caller->rank);
    uint64_t sequence = differences_next(e);
    if (signature->is_unzipped)
        column_next(e, e->caller->rank); /* the factor */
    if (sequence == 0 || signature->is_unzipped)
        return (int64_t)first;
    if (rules_length(&e->volume->rules, sequence) != signature->count - 1) {
        evaluation_fail(e, PILGRIM_DAMAGED, wrong_length);
        return 0;
    }
    return (int64_t)(first + (uint64_t)rules_sum(&e->volume->rules, sequence, e->place->within));
}

int64_t evaluation_slot(struct evaluation *e)
{
    return next_slot_of(e, e->caller->rank);
}

/* ---- values ---- */

static void set_view(struct evaluation *e, int64_t number)
{
    e->view = NULL;
    if (number >= 0 && (uint64_t)number < e->caller->view_count)
        e->view = &e->caller->views[number];
}

/* V mod SIZE, not negative. */
static int64_t modulo(__int128 v, int64_t size)
{
    v %= size;
    return (int64_t)(v < 0 ? v + size : v);
}

/* Expressions agree with what was recorded modulo the size only, so the nearest way from the caller is found anew. */
static void set_rank(struct evaluation *e, struct pilgrim_value *v)
{
    if (!e->view || e->view->size <= 0) {
        evaluation_fail(e, PILGRIM_DAMAGED, "a rank of a group that does not exist");
        return;
    }
    int64_t size = e->view->size, relative = modulo(next_slot_of(e, e->view->rank), size);
    v->integer = modulo((__int128)relative + e->view->rank, size);
    v->relative = relative > size / 2 ? relative - size : relative;
}

static void set_name(struct evaluation *e, struct pilgrim_value *v)
{
    const struct string *s = &e->volume->strings[cursor_varint(&e->tokens)];
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

static bool truth(struct evaluation *e)
{
    int64_t bit = evaluation_slot(e);
    if (bit != 0 && bit != 1)
        evaluation_fail(e, PILGRIM_DAMAGED, "a truth value that is neither 0 nor 1");
    return bit != 0;
}

void evaluate_items(struct evaluation *e, struct pilgrim_value *v, size_t count)
{
    struct pilgrim_value *items = evaluation_take(e, count * sizeof *items);
    v->items = items;
    v->count = items ? count : 0;
    for (size_t i = 0; i < v->count && e->status == PILGRIM_OK; i++)
        evaluate(e, &items[i]);
}

static void evaluate_series(struct evaluation *e, struct pilgrim_value *v);

static void evaluate_status(struct evaluation *e, struct pilgrim_value *v)
{
    uint8_t bits = cursor_u8(&e->tokens);
    v->ignored = bits & STATUS_IGNORED;
    evaluate_items(e, v, bits & STATUS_ERROR ? 5 : 4);
}

/* Values are nested at most NESTING_MAX deep: so is this. */
void evaluate(struct evaluation *e, struct pilgrim_value *v)
{
    static const uint8_t types[VALUE_TAG_COUNT] = {
        [VALUE_NONE] = PILGRIM_NONE,       [VALUE_NAME] = PILGRIM_NAME,     [VALUE_INT] = PILGRIM_INT,
        [VALUE_BOOL] = PILGRIM_BOOL,       [VALUE_REAL] = PILGRIM_REAL,     [VALUE_RANK] = PILGRIM_RANK,
        [VALUE_OBJECT] = PILGRIM_OBJECT,   [VALUE_REQUEST] = PILGRIM_REQUEST, [VALUE_HEAP] = PILGRIM_HEAP,
        [VALUE_STACK] = PILGRIM_STACK,     [VALUE_STATIC] = PILGRIM_STATIC, [VALUE_DEVICE] = PILGRIM_DEVICE,
        [VALUE_STRING] = PILGRIM_STRING,   [VALUE_ARRAY] = PILGRIM_ARRAY,   [VALUE_FLAGS] = PILGRIM_FLAGS,
        [VALUE_STATUS] = PILGRIM_STATUS,   [VALUE_SYMBOL] = PILGRIM_SYMBOL, [VALUE_FUNCTION] = PILGRIM_FUNCTION,
        [VALUE_SERIES] = PILGRIM_ARRAY,    [VALUE_KEEP] = PILGRIM_KEPT,     [VALUE_EDITED] = PILGRIM_EDITED,
        [VALUE_COMPLETED] = PILGRIM_COMPLETED, [VALUE_POSTED] = PILGRIM_POSTED,
    };
    uint8_t tag = cursor_u8(&e->tokens);
    *v = (struct pilgrim_value){.type = (enum pilgrim_value_type)types[tag]};
    int64_t bits;
    switch (tag) {
    case VALUE_NAME:
        set_name(e, v);
        break;
    case VALUE_INT:
        v->integer = evaluation_slot(e);
        break;
    case VALUE_BOOL:
        v->integer = truth(e);
        break;
    case VALUE_REAL:
        bits = evaluation_slot(e);
        memcpy(&v->real, &bits, sizeof v->real);
        break;
    case VALUE_RANK:
        set_rank(e, v);
        break;
    case VALUE_VIEW:
        set_view(e, evaluation_slot(e));
        evaluate(e, v);
        break;
    case VALUE_OBJECT:
        set_name(e, v);
        v->id = evaluation_slot(e);
        break;
    case VALUE_DEVICE:
        v->device = evaluation_slot(e);
        v->id = evaluation_slot(e);
        v->offset = evaluation_slot(e);
        break;
    case VALUE_REQUEST:
    case VALUE_HEAP:
    case VALUE_STATIC:
        v->id = evaluation_slot(e);
        v->offset = evaluation_slot(e);
        break;
    case VALUE_STACK:
    case VALUE_FUNCTION:
        v->id = evaluation_slot(e);
        break;
    case VALUE_STRING:
    case VALUE_SYMBOL:
        set_text(e, v);
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
    case VALUE_KEEP:
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
    default: /* VALUE_NONE */
        break;
    }
}

/* ---- series ---- */

/* What a series is evaluated with. */
struct series {
    size_t shape_count;
    struct series_shape *shapes;
    struct rules_cursor places; /* differences between the numbers of the shapes */
    struct series_slot *slots;
    size_t slot_count, slot_capacity;
};

static void open_cursor(struct evaluation *e, struct rules_cursor *cursor, uint64_t sequence)
{
    const struct rules *rules = &e->volume->rules;
    if (charge(e, rules_cursor_bytes(rules, sequence)) && rules_cursor_init(cursor, rules, sequence) != PILGRIM_OK)
        evaluation_fail(e, PILGRIM_NOMEM, "not enough memory");
}

static void open_slot(struct evaluation *e, struct series *s)
{
    if (s->slot_count == s->slot_capacity) {
        size_t capacity = 2 * s->slot_capacity + 4;
        struct series_slot *slots = realloc(s->slots, capacity * sizeof *slots);
        if (!slots) {
            evaluation_fail(e, PILGRIM_NOMEM, "not enough memory");
            return;
        }
        s->slots = slots;
        s->slot_capacity = capacity;
    }
    struct series_slot *slot = &s->slots[s->slot_count++];
    *slot = (struct series_slot){.value = (uint64_t)column_next(e, e->caller->rank)};
    uint64_t sequence = differences_next(e);
    slot->is_sequence = sequence != 0;
    open_cursor(e, &slot->differences, sequence);
}

/* Passes over a value's tokens and opens its slots. */
static void open_value(struct evaluation *e, struct series *s)
{
    for (uint64_t left = 1; left > 0 && e->status == PILGRIM_OK; left--) {
        uint8_t tag = cursor_u8(&e->tokens);
        for (unsigned i = 0; i < value_slots(tag) && e->status == PILGRIM_OK; i++)
            open_slot(e, s);
        if (tag == VALUE_NAME || tag == VALUE_OBJECT)
            cursor_varint(&e->tokens);
        else if (tag == VALUE_STRING || tag == VALUE_SYMBOL)
            cursor_take(&e->tokens, (size_t)cursor_varint(&e->tokens));
        else if (tag == VALUE_ARRAY || tag == VALUE_FLAGS)
            left += cursor_varint(&e->tokens);
        else if (tag == VALUE_STATUS)
            left += cursor_u8(&e->tokens) & STATUS_ERROR ? 5 : 4;
        else if (tag == VALUE_VIEW)
            left++;
    }
}

static void open_series(struct evaluation *e, struct series *s)
{
    s->shapes = evaluation_take(e, s->shape_count * sizeof *s->shapes);
    if (s->shapes && s->shape_count > 1)
        open_cursor(e, &s->places, differences_next(e));
    for (size_t i = 0; i < s->shape_count && e->status == PILGRIM_OK; i++) {
        s->shapes[i] = (struct series_shape){.tokens = e->tokens.position, .slot = s->slot_count};
        open_value(e, s);
    }
}

/* Also checks that all sequences have come to their end. */
static void close_series(struct evaluation *e, struct series *s)
{
    uint64_t more = rules_cursor_skip(&s->places, 1);
    for (size_t i = 0; i < s->slot_count; i++) {
        more += rules_cursor_skip(&s->slots[i].differences, 1);
        rules_cursor_free(&s->slots[i].differences);
    }
    rules_cursor_free(&s->places);
    free(s->slots);
    if (more > 0)
        evaluation_fail(e, PILGRIM_DAMAGED, wrong_length);
}

/* Values of a series are evaluated one after another, each slot going along its sequence. */
static void evaluate_series(struct evaluation *e, struct pilgrim_value *v)
{
    size_t count = (size_t)cursor_varint(&e->tokens);
    struct series s = {.shape_count = (size_t)cursor_varint(&e->tokens)};
    struct pilgrim_value *items = evaluation_take(e, count * sizeof *items);
    uint64_t number = 0;
    if (items)
        open_series(e, &s);
    size_t end = e->tokens.position;
    v->items = items;
    v->count = items ? count : 0;
    e->slots = s.slots;
    e->in_series = true;
    for (size_t i = 0; i < v->count && e->status == PILGRIM_OK; i++) {
        if (i > 0 && s.shape_count > 1)
            number += difference_next(e, &s.places);
        if (number >= s.shape_count) {
            evaluation_fail(e, PILGRIM_DAMAGED, "a value of a series with a shape that does not exist");
            break;
        }
        struct series_shape *shape = &s.shapes[number];
        e->tokens.position = shape->tokens;
        e->slot = shape->slot;
        e->first = !shape->met;
        shape->met = true;
        evaluate(e, &items[i]);
    }
    e->in_series = false;
    e->tokens.position = end;
    close_series(e, &s);
}

/* ---- signatures ---- */

static void evaluate_parameters(struct evaluation *e, const struct function *f, enum pilgrim_direction direction,
                                const struct pilgrim_value *in, struct pilgrim_value *values)
{
    for (size_t i = 0; i < f->shown.parameter_count; i++) {
        values[i] = (struct pilgrim_value){0};
        e->in_value = in && f->shown.parameters[i].direction == PILGRIM_INOUT ? &in[i] : NULL;
        if ((f->shown.parameters[i].direction & direction) && e->status == PILGRIM_OK)
            evaluate(e, &values[i]);
    }
}

struct values_place values_find(const struct volume *v, const struct part *part, uint64_t number, uint64_t position)
{
    uint32_t low = 0, high = part->count - 1;
    if (!part->first)
        return (struct values_place){.signature = &v->signatures[part->signatures[number]],
                                     .index = (uint32_t)number,
                                     .position = position};
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (part->first[middle] <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return (struct values_place){.signature = &v->signatures[part->signatures[low]],
                                 .index = low,
                                 .within = number - part->first[low],
                                 .position = position};
}

/* Before the first token of the values at PLACE. */
static struct evaluation evaluation_begin(const struct volume *v, const struct values_place *place,
                                          const struct caller *caller, struct arena *arena)
{
    const struct shape *shape = &v->shapes[place->signature->shape];
    const struct bytes *content = &v->content[SECTION_CALLS];
    const uint8_t *columns = place->signature->columns;
    struct evaluation e = {.volume = v,
                           .place = place,
                           .caller = caller,
                           .arena = arena,
                           .budget = v->call_budget,
                           .next_column = place->signature->next_column};
    cursor_init(&e.tokens, shape->tokens, shape->length);
    cursor_init(&e.columns, columns, (size_t)(content->data + content->length - columns));
    set_view(&e, 0);
    return e;
}

enum pilgrim_status signature_int(const struct volume *v, const struct values_place *place, const struct caller *caller,
                                  int64_t *number, const char **problem)
{
    struct evaluation e = evaluation_begin(v, place, caller, NULL);
    *number = evaluation_slot(&e);
    *problem = e.problem;
    return e.status;
}

enum pilgrim_status signature_evaluate(const struct volume *v, const struct values_place *place,
                                       const struct function *f, const struct caller *caller, struct arena *arena,
                                       struct call_values **values, const char **problem)
{
    size_t count = f->shown.parameter_count;
    struct evaluation e = evaluation_begin(v, place, caller, arena);
    struct call_values *made = evaluation_take(&e, sizeof *made);
    e.function = &f->shown;
    if (made) {
        made->in = evaluation_take(&e, count * sizeof *made->in);
        made->out = evaluation_take(&e, count * sizeof *made->out);
    }
    if (e.status == PILGRIM_OK) {
        evaluate_parameters(&e, f, PILGRIM_IN, NULL, made->in);
        e.in = made->in;
        evaluate_parameters(&e, f, PILGRIM_OUT, made->in, made->out);
        e.in = NULL;
        evaluate_completions(&e, made->out);
    }
    if (e.status == PILGRIM_OK)
        evaluate(&e, &made->ret);
    evaluate_keeping(&e);
    *values = made;
    *problem = e.problem;
    return e.status;
}
