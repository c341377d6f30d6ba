/* A signature's values for one rank: its shape's tokens, with the numbers that its columns give; docs/FORMAT.md,
 * section 5. The shape was checked when the trace was opened. */
#include <string.h>

#include "base/value.h"
#include "reader/trace.h"

struct evaluation {
    const struct pilgrim_trace *trace;
    const struct caller *caller;
    struct arena *arena;
    struct cursor tokens;
    struct cursor columns; /* of the slots that are still to come */
    uint64_t position;
    const struct view *view; /* NULL: there is none */
    enum pilgrim_status status;
    const char *problem;
};

static void fail(struct evaluation *e, enum pilgrim_status status, const char *problem)
{
    if (e->status == PILGRIM_OK) {
        e->status = status;
        e->problem = problem;
    }
}

static void *take(struct evaluation *e, size_t bytes)
{
    void *at = arena_take(e->arena, bytes + !bytes);
    if (!at)
        fail(e, PILGRIM_NOMEM, "not enough memory");
    return at;
}

/* ---- columns ---- */

static int64_t piece_value(const struct column *c, uint64_t position)
{
    size_t low = 0, high = c->count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (c->pieces[middle].start <= position)
            low = middle;
        else
            high = middle - 1;
    }
    const struct piece *piece = &c->pieces[low];
    return (int64_t)((uint64_t)piece->first + (uint64_t)piece->step * (position - piece->start));
}

static int64_t next_slot(struct evaluation *e)
{
    const struct column *c = &e->trace->columns[cursor_varint(&e->columns)];
    switch (c->kind) {
    case COLUMN_CONSTANT:
        return c->constant;
    case COLUMN_RANK:
        return (int64_t)((uint64_t)e->caller->rank + (uint64_t)c->constant);
    case COLUMN_PIECES:
        return piece_value(c, e->position);
    default:
        return c->list[e->position];
    }
}

/* ---- values ---- */

static void set_view(struct evaluation *e, int64_t number)
{
    e->view = NULL;
    if (number >= 0 && (uint64_t)number < e->caller->view_count)
        e->view = &e->caller->views[number];
}

static int64_t absolute_rank(struct evaluation *e, int64_t relative)
{
    if (!e->view || e->view->size <= 0) {
        fail(e, PILGRIM_DAMAGED, "a rank of a group that does not exist");
        return 0;
    }
    __int128 sum = ((__int128)relative + e->view->rank) % e->view->size;
    return (int64_t)(sum < 0 ? sum + e->view->size : sum);
}

static void set_name(struct evaluation *e, struct pilgrim_value *v)
{
    const struct string *s = &e->trace->strings[cursor_varint(&e->tokens)];
    v->text = s->text;
    v->length = s->length;
}

static void set_text(struct evaluation *e, struct pilgrim_value *v)
{
    v->length = (size_t)cursor_varint(&e->tokens);
    const uint8_t *from = cursor_take(&e->tokens, v->length);
    char *text = take(e, v->length + 1);
    if (!text)
        return;
    memcpy(text, from, v->length);
    text[v->length] = 0;
    v->text = text;
}

static bool truth(struct evaluation *e)
{
    int64_t bit = next_slot(e);
    if (bit != 0 && bit != 1)
        fail(e, PILGRIM_DAMAGED, "a truth value that is neither 0 nor 1");
    return bit != 0;
}

static void evaluate(struct evaluation *e, struct pilgrim_value *v);

static void evaluate_items(struct evaluation *e, struct pilgrim_value *v, size_t count)
{
    struct pilgrim_value *items = take(e, count * sizeof *items);
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

/* Values are nested at most NESTING_MAX deep: so is this. */
static void evaluate(struct evaluation *e, struct pilgrim_value *v)
{
    static const uint8_t types[VALUE_TAG_COUNT] = {
        [VALUE_NONE] = PILGRIM_NONE,       [VALUE_NAME] = PILGRIM_NAME,     [VALUE_INT] = PILGRIM_INT,
        [VALUE_BOOL] = PILGRIM_BOOL,       [VALUE_REAL] = PILGRIM_REAL,     [VALUE_RANK] = PILGRIM_RANK,
        [VALUE_OBJECT] = PILGRIM_OBJECT,   [VALUE_REQUEST] = PILGRIM_REQUEST, [VALUE_HEAP] = PILGRIM_HEAP,
        [VALUE_STACK] = PILGRIM_STACK,     [VALUE_STATIC] = PILGRIM_STATIC, [VALUE_DEVICE] = PILGRIM_DEVICE,
        [VALUE_STRING] = PILGRIM_STRING,   [VALUE_ARRAY] = PILGRIM_ARRAY,   [VALUE_FLAGS] = PILGRIM_FLAGS,
        [VALUE_STATUS] = PILGRIM_STATUS,   [VALUE_SYMBOL] = PILGRIM_SYMBOL, [VALUE_FUNCTION] = PILGRIM_FUNCTION,
    };
    uint8_t tag = cursor_u8(&e->tokens);
    *v = (struct pilgrim_value){.type = (enum pilgrim_value_type)types[tag]};
    int64_t bits;
    switch (tag) {
    case VALUE_NAME:
        set_name(e, v);
        break;
    case VALUE_INT:
        v->integer = next_slot(e);
        break;
    case VALUE_BOOL:
        v->integer = truth(e);
        break;
    case VALUE_REAL:
        bits = next_slot(e);
        memcpy(&v->real, &bits, sizeof v->real);
        break;
    case VALUE_RANK:
        v->relative = next_slot(e);
        v->integer = absolute_rank(e, v->relative);
        break;
    case VALUE_VIEW:
        set_view(e, next_slot(e));
        evaluate(e, v);
        break;
    case VALUE_OBJECT:
        set_name(e, v);
        v->id = next_slot(e);
        break;
    case VALUE_DEVICE:
        v->device = next_slot(e);
        v->id = next_slot(e);
        v->offset = next_slot(e);
        break;
    case VALUE_REQUEST:
    case VALUE_HEAP:
    case VALUE_STATIC:
        v->id = next_slot(e);
        v->offset = next_slot(e);
        break;
    case VALUE_STACK:
    case VALUE_FUNCTION:
        v->id = next_slot(e);
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
    default: /* VALUE_NONE */
        break;
    }
}

static void evaluate_parameters(struct evaluation *e, const struct function *f, enum pilgrim_direction direction,
                                struct pilgrim_value *values)
{
    for (size_t i = 0; i < f->shown.parameter_count; i++) {
        values[i] = (struct pilgrim_value){0};
        if ((f->shown.parameters[i].direction & direction) && e->status == PILGRIM_OK)
            evaluate(e, &values[i]);
    }
}

enum pilgrim_status signature_evaluate(const struct pilgrim_trace *t, const struct signature *signature,
                                       const struct function *f, uint64_t position, const struct caller *caller,
                                       struct arena *arena, struct call_values **values, const char **problem)
{
    const struct shape *shape = &t->shapes[signature->shape];
    size_t count = f->shown.parameter_count;
    struct evaluation e = {
        .trace = t, .caller = caller, .arena = arena, .position = position};
    const struct bytes *content = &t->content[SECTION_VALUES];
    cursor_init(&e.tokens, shape->tokens, shape->length);
    cursor_init(&e.columns, signature->columns, (size_t)(content->data + content->length - signature->columns));
    set_view(&e, 0);
    struct call_values *v = take(&e, sizeof *v);
    if (v) {
        v->in = take(&e, count * sizeof *v->in);
        v->out = take(&e, count * sizeof *v->out);
    }
    if (e.status == PILGRIM_OK) {
        evaluate_parameters(&e, f, PILGRIM_IN, v->in);
        evaluate_parameters(&e, f, PILGRIM_OUT, v->out);
    }
    if (e.status == PILGRIM_OK)
        evaluate(&e, &v->ret);
    *values = v;
    *problem = e.problem;
    return e.status;
}
