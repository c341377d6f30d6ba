/* The definitions: strings, properties, functions, call classes, shapes; docs/FORMAT.md, sections 3 and 5.
 *
 * Shapes stay bytes. They are checked here once, so that whoever walks them later need not look for their end. */
#include <string.h>

#include "base/value.h"
#include "reader/trace.h"

/* Tables are numbered with 32 bits; a content is below 4 GiB. */
static void parse_strings(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 1, "more strings than bytes");
    /* With a NUL for each, all of them together are not longer than what is left. */
    char *texts = parser_take(p, cursor_left(&p->in), 1);
    t->strings = parser_take(p, count, sizeof *t->strings);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        size_t length = parser_count(p, 1, "a string longer than the section");
        const uint8_t *from = cursor_take(&p->in, length);
        if (!from)
            return;
        if (memchr(from, 0, length))
            parser_fail(p, "a string with a byte 0");
        t->strings[i] = (struct string){.text = texts, .length = length};
        if (length)
            memcpy(texts, from, length);
        texts += length + 1;
    }
    t->string_count = count;
}

static uint32_t parse_string_index(struct parser *p)
{
    return parser_index(p, p->trace->string_count, "a string that does not exist");
}

static void parse_properties(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 2, "more properties than bytes");
    t->properties = parser_take(p, count, sizeof *t->properties);
    for (size_t i = 0; i < count && parser_good(p); i++)
        for (unsigned k = 0; k < 2; k++)
            t->properties[i][k] = parse_string_index(p);
    t->property_count = count;
}

static void parse_function(struct parser *p, struct function *f)
{
    const struct pilgrim_trace *t = p->trace;
    uint32_t name = parse_string_index(p);
    uint64_t word = cursor_varint(&p->in);
    if (word >> 1 > cursor_left(&p->in))
        parser_fail(p, "a function with more parameters than bytes");
    size_t count = (size_t)(word >> 1);
    struct pilgrim_parameter *parameters = parser_take(p, count, sizeof *parameters);
    uint32_t in_count = 0, out_count = 0;
    for (size_t i = 0; i < count && parser_good(p); i++) {
        uint64_t parameter = cursor_varint(&p->in);
        unsigned direction = parameter & 3;
        if (!parser_good(p) || direction == 0 || parameter >> 2 >= t->string_count) {
            parser_fail(p, "a parameter without a name or a direction");
            return;
        }
        parameters[i].name = t->strings[parameter >> 2].text;
        parameters[i].direction = (enum pilgrim_direction)direction;
        in_count += direction & 1;
        out_count += direction >> 1;
    }
    if (!parser_good(p)) {
        parser_fail(p, "a function that is not complete");
        return;
    }
    f->shown = (struct pilgrim_function){.name = t->strings[name].text,
                                         .parameters = parameters,
                                         .parameter_count = count,
                                         .returns_error_code = !(word & 1)};
    f->in_count = in_count;
    f->value_count = in_count + out_count + 1;
}

static void parse_functions(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 2, "more functions than bytes");
    t->functions = parser_take(p, count, sizeof *t->functions);
    for (size_t i = 0; i < count && parser_good(p); i++)
        parse_function(p, &t->functions[i]);
    t->function_count = count;
}

static void parse_classes(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 2, "more call classes than bytes");
    t->classes = parser_take(p, count, sizeof *t->classes);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        struct class *class = &t->classes[i];
        class->function = parser_index(p, t->function_count, "a function that does not exist");
        uint32_t module = parser_index(p, t->string_count + 1, "a module that does not exist");
        if (!parser_good(p))
            return;
        class->shown.function = &t->functions[class->function].shown;
        if (module) {
            class->shown.module = t->strings[module - 1].text;
            class->shown.offset = cursor_varint(&p->in);
        }
    }
    if (!parser_good(p))
        parser_fail(p, "a call class that is not complete");
    t->class_count = count;
}

/* ---- shapes ---- */

static void check_operand(struct parser *p, uint8_t tag, size_t *items)
{
    uint8_t bits;
    *items = 0;
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
        *items = parser_count(p, 1, "an array longer than its shape");
        break;
    case VALUE_STATUS:
        bits = cursor_u8(&p->in);
        if (bits > (STATUS_IGNORED | STATUS_ERROR))
            parser_fail(p, "a status with unknown bits");
        *items = bits & STATUS_ERROR ? 5 : 4;
        break;
    case VALUE_VIEW:
        *items = 1;
        break;
    default:
        if (tag == 0 || tag >= VALUE_TAG_COUNT)
            parser_fail(p, "a value of unknown kind");
    }
}

/* One value with all that belongs to it. The depth is bounded, so this may call itself. */
static void check_value(struct parser *p, struct shape *shape, unsigned depth, bool in_flags)
{
    if (depth > NESTING_MAX) {
        parser_fail(p, "values nested too deeply");
        return;
    }
    size_t items;
    uint8_t tag = cursor_u8(&p->in);
    check_operand(p, tag, &items);
    if (!parser_good(p)) {
        parser_fail(p, "a shape that is not complete");
        return;
    }
    if (in_flags && tag != VALUE_NAME && tag != VALUE_INT)
        parser_fail(p, "a flag that is neither a name nor a number");
    shape->slot_count += value_slots(tag);
    for (size_t i = 0; i < items && parser_good(p); i++)
        check_value(p, shape, depth + 1, tag == VALUE_FLAGS);
}

/* The shape's tokens have a cursor of their own, so that none reaches beyond its end. */
static void check_shape(struct parser *p, struct shape *shape)
{
    struct parser tokens = {.trace = p->trace};
    cursor_init(&tokens.in, shape->tokens, shape->length);
    while (cursor_left(&tokens.in) > 0) {
        check_value(&tokens, shape, 1, false);
        shape->value_count++;
    }
    if (!parser_good(&tokens))
        parser_fail_with(p, tokens.in.status, tokens.problem);
}

static void parse_shapes(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 1, "more shapes than bytes");
    t->shapes = parser_take(p, count, sizeof *t->shapes);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        size_t length = parser_count(p, 1, "a shape longer than the section");
        const uint8_t *tokens = cursor_take(&p->in, length);
        if (!tokens)
            return;
        t->shapes[i] = (struct shape){.tokens = tokens, .length = (uint32_t)length};
        check_shape(p, &t->shapes[i]);
    }
    t->shape_count = count;
}

void definitions_parse(struct parser *p)
{
    parse_strings(p);
    parse_properties(p);
    parse_functions(p);
    parse_classes(p);
    parse_shapes(p);
}
