/* The definitions: strings, properties, functions, modules, callers, call classes, shapes; docs/FORMAT.md, sections 3 and 5.
 *
 * Shapes stay bytes. They are checked here once, so that whoever walks them later need not look for their end. */
#include <string.h>

#include "base/value.h"
#include "reader/trace.h"

#define PARAMETER_MARKS ",>&" /* in, out, in and out */

/* A text up to its 0 byte, without it; borrowed from the content. */
static struct string parse_text(struct parser *p)
{
    const char *from = (const char *)p->in.data + p->in.position;
    const char *end = parser_good(p) ? memchr(from, 0, cursor_left(&p->in)) : NULL;
    if (!end) {
        parser_fail(p, "a text without an end");
        return (struct string){.text = ""};
    }
    cursor_take(&p->in, (size_t)(end - from) + 1);
    return (struct string){.text = from, .length = (size_t)(end - from)};
}

static void parse_strings(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 1, "more strings than bytes");
    t->strings = parser_take(p, count, sizeof *t->strings);
    for (size_t i = 0; i < count && parser_good(p); i++)
        t->strings[i] = parse_text(p);
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

static size_t count_marks(const char *text)
{
    size_t count = 0;
    while (*(text += strcspn(text, PARAMETER_MARKS)))
        count++, text++;
    return count;
}

/* NAME, a mark and a name for each parameter, and a colon if what it returns is no error code. The text is cut up in a
 * copy. */
static void parse_function(struct parser *p, struct function *f)
{
    static const enum pilgrim_direction directions[] = {PILGRIM_IN, PILGRIM_OUT, PILGRIM_INOUT};
    struct string declaration = parse_text(p);
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
    if (!named)
        parser_fail(p, "a function or a parameter without a name");
}

static void parse_functions(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 1, "more functions than bytes");
    t->functions = parser_take(p, count, sizeof *t->functions);
    for (size_t i = 0; i < count && parser_good(p); i++)
        parse_function(p, &t->functions[i]);
    t->function_count = count;
}

static void parse_modules(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 2, "more modules than bytes");
    t->modules = parser_take(p, count, sizeof *t->modules);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        uint32_t name = parse_string_index(p);
        size_t length = parser_count(p, 1, "a build-id longer than the section");
        const uint8_t *bytes = cursor_take(&p->in, length);
        if (length > BUILD_ID_MAX)
            parser_fail(p, "a build-id that is too long");
        if (parser_good(p))
            t->modules[i] = (struct module){t->strings[name].text, bytes, length};
    }
    t->module_count = count;
}

/* The frame of MODULE; its offset follows, as the difference to *OFFSET. */
static struct pilgrim_frame parse_frame(struct parser *p, size_t module, uint64_t *offset)
{
    const struct module *m = &p->trace->modules[module];
    *offset += (uint64_t)cursor_svarint(&p->in);
    return (struct pilgrim_frame){
        .module = m->name, .build_id = m->build_id, .build_id_length = m->build_id_length, .offset = *offset};
}

/* A caller refers to one before it, so there are no cycles. */
static void parse_callers(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 3, "more callers than bytes");
    uint64_t offset = 0;
    t->callers = parser_take(p, count, sizeof *t->callers);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        struct caller_frame *c = &t->callers[i];
        uint32_t module = parser_index(p, t->module_count, "a module that does not exist");
        if (!parser_good(p))
            return;
        c->shown = parse_frame(p, module, &offset);
        uint32_t caller = parser_index(p, i + 1, "a caller that does not come before");
        if (!parser_good(p))
            return;
        c->shown.caller = caller ? &t->callers[caller - 1].shown : NULL;
        c->depth = 1 + (caller ? t->callers[caller - 1].depth : 0);
        if (c->depth >= FRAMES_MAX)
            parser_fail(p, "too many callers, one after the other");
    }
    t->caller_count = count;
}

/* Nothing, or module and offset, and a caller if the number is even. */
static void parse_site(struct parser *p, struct class *class, uint64_t *offset)
{
    struct pilgrim_trace *t = p->trace;
    uint32_t module = parser_index(p, 2 * t->module_count + 1, "a module that does not exist");
    if (!parser_good(p) || !module)
        return;
    class->site = parse_frame(p, (module - 1) / 2, offset);
    class->shown.site = &class->site;
    if (module % 2)
        return;
    uint32_t caller = parser_index(p, t->caller_count, "a caller that does not exist");
    if (parser_good(p))
        class->site.caller = &t->callers[caller].shown;
}

static void parse_classes(struct parser *p)
{
    struct pilgrim_trace *t = p->trace;
    size_t count = parser_count(p, 2, "more call classes than bytes");
    uint64_t offset = 0;
    t->classes = parser_take(p, count, sizeof *t->classes);
    for (size_t i = 0; i < count && parser_good(p); i++) {
        struct class *class = &t->classes[i];
        uint32_t function = parser_index(p, 2 * t->function_count, "a function that does not exist");
        if (!parser_good(p))
            return;
        class->function = function >> 1;
        class->shown.function = &t->functions[class->function].shown;
        class->shown.fortran = function & 1;
        parse_site(p, class, &offset);
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
    parse_modules(p);
    parse_callers(p);
    parse_classes(p);
    parse_shapes(p);
}
