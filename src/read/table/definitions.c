/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the section of definitions: strings, properties, functions, modules, shapes (docs/FORMAT.md, sections 3 and 5).
 * Symbols and call classes are read in class_paths.c.
 *
 * Shapes stay bytes. They are checked here once, so later walks need no bounds checks. */
#include "read/table/definitions.h"

#include <string.h>

#include "base/value.h"
#include "read/table/class_paths.h"

#define PARAMETER_MARKS ",>&" /* in; out; in and out */

static void parse_strings(struct parser *p)
{
    struct shard *v = p->shard;
    size_t count = parser_count(p, 1, "more strings than bytes");
    v->strings = parser_take(p, count, sizeof *v->strings);
    for (size_t i = 0; i < count && parser_good(p); i++)
        v->strings[i] = parser_text(p);
    v->string_count = count;
}

static uint32_t parse_string_index(struct parser *p)
{
    return parser_index(p, p->shard->string_count, "a string that does not exist");
}

static void parse_properties(struct parser *p)
{
    struct shard *v = p->shard;
    size_t count = parser_count(p, 2, "more properties than bytes");
    v->properties = parser_take(p, count, sizeof *v->properties);
    for (size_t i = 0; i < count && parser_good(p); i++)
        for (unsigned k = 0; k < 2; k++)
            v->properties[i][k] = parse_string_index(p);
    v->property_count = count;
}

static size_t count_marks(const char *text)
{
    size_t count = 0;
    while (*(text += strcspn(text, PARAMETER_MARKS)))
        count++, text++;
    return count;
}

/* Reads a declaration: the name; for each parameter a mark and a name; a colon if the function returns anything but an
 * error code. The names are cut out of a copy. */
static void parse_function(struct parser *p, struct stored_function *f)
{
    static const enum pilgrim_direction directions[] = {PILGRIM_IN, PILGRIM_OUT, PILGRIM_INOUT};
    struct string declaration = parser_text(p);
    size_t count = count_marks(declaration.text), length = declaration.length;
    struct pilgrim_parameter *parameters = parser_take(p, count, sizeof *parameters);
    char *text = parser_take(p, length + 1, 1);
    if (!text || !parameters)
        return;
    memcpy(text, declaration.text, length);
    bool value = length > 0 && text[length - 1] == ':';
    text[length - value] = 0;
    f->shown = (struct pilgrim_function){
        .name = text, .parameters = parameters, .parameter_count = count, .returns_error_code = !value};
    f->value_count = 1;
    char *end = text + strcspn(text, PARAMETER_MARKS);
    bool named = end > text;
    for (size_t i = 0; i < count; i++) {
        parameters[i].direction = directions[strchr(PARAMETER_MARKS, *end) - PARAMETER_MARKS];
        f->value_count += (parameters[i].direction & PILGRIM_IN) + (parameters[i].direction >> 1);
        *end = 0;
        parameters[i].name = end + 1;
        end += 1 + strcspn(end + 1, PARAMETER_MARKS);
        named = named && end > parameters[i].name;
    }
    f->begun = begun_parameters(&f->shown);
    f->is_loop = strcmp(text, LOOP_FUNCTION) == 0;
    if (!named)
        parser_fail(p, "a function or a parameter without a name");
    if (f->is_loop && (count > 0 || !value))
        parser_fail(p, "a loop that is declared like a call");
}

static void parse_functions(struct parser *p)
{
    struct shard *v = p->shard;
    size_t count = parser_count(p, 1, "more functions than bytes");
    v->functions = parser_take(p, count, sizeof *v->functions);
    for (size_t i = 0; i < count && parser_good(p); i++)
        parse_function(p, &v->functions[i]);
    v->function_count = count;
}

/* OLD: there are no functions in Python. */
static void parse_modules(struct parser *p, bool old)
{
    struct shard *v = p->shard;
    size_t count = parser_count(p, 2, "more modules than bytes");
    v->modules = parser_take(p, count, sizeof *v->modules);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        uint32_t name = parse_string_index(p), python = 0;
        uint64_t length = cursor_varint(&p->in);
        const bool in_python = length == MODULE_IN_PYTHON;
        if (length > (old ? BUILD_ID_BYTES_MAX : MODULE_IN_PYTHON))
            parser_fail(p, "a build-id that is too long");
        else if (in_python)
            python = parse_string_index(p);
        const uint8_t *bytes = cursor_take(&p->in, in_python || !parser_good(p) ? 0 : (size_t)length);
        if (parser_good(p))
            v->modules[i] = (struct stored_module){v->strings[name].text, bytes, in_python ? 0 : (size_t)length,
                                                   in_python ? v->strings[python].text : NULL};
    }
    v->module_count = count;
}

/* ---- shapes ---- */

/* What surrounds a value; it decides which tokens may stand there. */
struct surroundings {
    unsigned depth;
    bool flags;
    bool series;
    bool parameter; /* a parameter begins here: keep, edited and completed may stand */
    bool is_kept;   /* follows keep: edited and completed may stand */
    bool is_index;  /* is the index of a changed item */
};

/* The values behind a token, and the items of the array that it stands for. */
struct stored_items {
    size_t count;
    size_t total;
};

static struct stored_items check_series(struct parser *p, const struct surroundings *in)
{
    uint64_t total = cursor_varint(&p->in);
    size_t shapes = parser_count(p, 1, "a series longer than its shape");
    if (in->series)
        parser_fail(p, "a series in a series");
    else if (total < 2 || shapes < 1 || shapes > total)
        parser_fail(p, "a series with a wrong number of values");
    return (struct stored_items){shapes, total < SHAPE_VALUES_LIMIT ? (size_t)total : SHAPE_VALUES_LIMIT};
}

/* Checks the operands of keep or edited. */
static struct stored_items check_register(struct parser *p, struct shape *shape, uint8_t tag,
                                          const struct surroundings *in)
{
    uint64_t number = cursor_varint(&p->in);
    size_t count = 1;
    if (tag == VALUE_EDITED)
        count = 2 * parser_count(p, 2, "more changes than bytes");
    if (!in->parameter && !(in->is_kept && tag == VALUE_EDITED))
        parser_fail(p, "keep or edited where no parameter begins");
    else if (number >= REGISTERS_MAX + (tag == VALUE_EDITED))
        parser_fail(p, "a register that does not exist");
    shape->has_registers |= tag == VALUE_REGISTER || number > 0;
    shape->needs_registers |= shape->has_registers;
    return (struct stored_items){count, count};
}

/* Checks the operands of completed. A cursor checks the parameter's value, which says which items are completed. */
static struct stored_items check_completed(struct parser *p, struct shape *shape, const struct surroundings *in)
{
    cursor_varint(&p->in);
    if (!in->parameter && !in->is_kept)
        parser_fail(p, "a completed value where no parameter begins");
    shape->needs_registers = shape->has_registers = true;
    return (struct stored_items){1, 1};
}

static void check_posted(struct parser *p, struct shape *shape, const struct surroundings *in)
{
    if (cursor_u8(&p->in) > STATUS_IGNORED)
        parser_fail(p, "a status with unknown bits");
    if (in->series)
        parser_fail(p, "a posted status in a series");
    shape->needs_registers = shape->has_posted = true;
}

static struct stored_items check_operand(struct parser *p, struct shape *shape, uint8_t tag,
                                         const struct surroundings *in)
{
    uint8_t bits;
    size_t count = 0;
    switch (tag) {
    case VALUE_NAME:
    case VALUE_OBJECT:
        parse_string_index(p);
        break;
    case VALUE_STRING:
    case VALUE_SYMBOL:
        cursor_take(&p->in, parser_count(p, 1, "a text longer than its shape"));
        break;
    case VALUE_ARRAY:
    case VALUE_FLAGS:
        count = parser_count(p, 1, "an array longer than its shape");
        break;
    case VALUE_STATUS:
        bits = cursor_u8(&p->in);
        if (bits > (STATUS_IGNORED | STATUS_ERROR))
            parser_fail(p, "a status with unknown bits");
        count = bits & STATUS_ERROR ? 5 : 4;
        break;
    case VALUE_RANK_BASE:
        count = 1;
        break;
    case VALUE_SERIES:
        return check_series(p, in);
    case VALUE_REGISTER:
    case VALUE_EDITED:
        return check_register(p, shape, tag, in);
    case VALUE_COMPLETED:
        return check_completed(p, shape, in);
    case VALUE_POSTED:
        check_posted(p, shape, in);
        break;
    case VALUE_BEGUN:
    case VALUE_LIVE:
    case VALUE_OWN:
    case VALUE_LIVE_OF:
    case VALUE_LIVE_BACK:
        shape->needs_registers = shape->follows = true;
        shape->has_live |= tag != VALUE_BEGUN && tag != VALUE_OWN;
        shape->has_own |= tag != VALUE_BEGUN && tag != VALUE_LIVE;
        break;
    default:
        if (tag == 0 || tag >= VALUE_TAG_COUNT)
            parser_fail(p, "a value of unknown kind");
    }
    return (struct stored_items){count, count};
}

/* Counts the slots and columns of a token. In a series a slot has two columns; the order of its shapes is one more. */
static void count_slots(struct shape *shape, uint8_t tag, size_t items, bool in_series)
{
    uint32_t slots = value_slots(tag);
    shape->slot_count += slots;
    shape->column_count += in_series ? 2 * slots : slots;
    shape->has_series |= tag == VALUE_SERIES;
    shape->has_rank_base |= tag == VALUE_RANK_BASE;
    shape->column_count += tag == VALUE_SERIES && items > 1;
    shape->has_edited |= tag == VALUE_REGISTER || tag == VALUE_EDITED;
}

/* Returns what surrounds value I of those behind a token. */
static struct surroundings inside(const struct surroundings *in, uint8_t tag, size_t i)
{
    return (struct surroundings){.depth = in->depth + 1,
                                 .flags = tag == VALUE_FLAGS,
                                 .series = in->series || tag == VALUE_SERIES,
                                 .is_kept = tag == VALUE_REGISTER,
                                 .is_index = tag == VALUE_EDITED && i % 2 == 0};
}

/* Checks a value with all values that follow it. Recursive; the depth is bounded. Returns how many values it stands for
 * at most. */
static uint64_t check_value(struct parser *p, struct shape *shape, struct surroundings in)
{
    if (in.depth > VALUE_NESTING_MAX) {
        parser_fail(p, "values nested too deeply");
        return 0;
    }
    uint8_t tag = cursor_u8(&p->in);
    const struct stored_items items = check_operand(p, shape, tag, &in);
    if (!parser_good(p)) {
        parser_fail(p, "a shape that is not complete");
        return 0;
    }
    if (in.flags && tag != VALUE_NAME && tag != VALUE_INT)
        parser_fail(p, "a flag that is neither a name nor a number");
    if (in.is_index && tag != VALUE_INT)
        parser_fail(p, "an index of a change that is no number");
    count_slots(shape, tag, items.count, in.series);
    uint64_t sum = 0, most = 0;
    for (size_t i = 0; i < items.count && parser_good(p); i++) {
        uint64_t one = check_value(p, shape, inside(&in, tag, i));
        sum += one;
        most = one > most ? one : most;
    }
    uint64_t values = 1 + (tag == VALUE_SERIES ? most * items.total : sum);
    if (values >= SHAPE_VALUES_LIMIT)
        parser_fail(p, "a shape of too many values");
    return values;
}

/* Checks a shape. Its tokens have a cursor of their own, so that none reaches beyond its end. */
static void check_shape(struct parser *p, struct shape *shape)
{
    struct parser tokens = {.shard = p->shard, .budget = p->budget};
    uint64_t values = 0;
    uint8_t last = 0; /* of the return value */
    cursor_init(&tokens.in, shape->tokens, shape->length);
    while (cursor_left(&tokens.in) > 0) {
        last = shape->tokens[tokens.in.position];
        values += check_value(&tokens, shape, (struct surroundings){.depth = 1, .parameter = true});
        shape->value_count++;
    }
    if (last == VALUE_REGISTER || last == VALUE_EDITED || last == VALUE_COMPLETED)
        parser_fail(&tokens, "keep or edited where no parameter begins");
    if (shape->has_series && shape->has_edited)
        parser_fail(&tokens, "a series beside keep or edited");
    if (values >= SHAPE_VALUES_LIMIT)
        parser_fail(&tokens, "a shape of too many values");
    if (!parser_good(&tokens))
        parser_fail_with(p, tokens.in.status, tokens.problem);
}

static void parse_shapes(struct parser *p)
{
    struct shard *v = p->shard;
    size_t count = parser_count(p, 1, "more shapes than bytes");
    v->shapes = parser_take(p, count, sizeof *v->shapes);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        size_t length = parser_count(p, 1, "a shape longer than the section");
        const uint8_t *tokens = cursor_take(&p->in, length);
        if (!tokens)
            return;
        v->shapes[i] = (struct shape){.tokens = tokens, .length = (uint32_t)length};
        check_shape(p, &v->shapes[i]);
    }
    v->shape_count = count;
}

static void parse_first_tables(struct parser *p, bool old)
{
    parse_strings(p);
    parse_properties(p);
    parse_functions(p);
    parse_modules(p, old);
}

void definitions_parse(struct parser *p)
{
    parse_first_tables(p, false);
    class_paths_parse(p);
    parse_shapes(p);
}

void definitions_parse_old(struct parser *p)
{
    parse_first_tables(p, true);
    class_paths_parse_old(p);
    parse_shapes(p);
}
