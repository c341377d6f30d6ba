/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks through the content of a definitions section, for learning, encoding and decoding; see definitions_code.h.
 *
 * A number is taken out of the content (0, when decoding), turned into what is coded, coded, turned back, and put into
 * the content (when decoding). So all directions are one code, as in calls_code.c. */
#include "format/definitions_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/site.h"
#include "base/try.h"
#include "base/value.h"
#include "format/dictionary.h"
#include "format/mixed_coder.h"
#include "format/slot_places.h"
#include "format/trace_format.h"

/* The fields of docs/FORMAT.md, in its order. */
enum definitions_field {
    FIELD_COUNT,
    FIELD_WORD,
    FIELD_BYTE,
    FIELD_PROPERTY,
    FIELD_MODULE,
    FIELD_SYMBOL,
    FIELD_START,
    FIELD_FUNCTION,
    FIELD_PATH,
    FIELD_FRAME,
    FIELD_KIND,
    FIELD_OFFSET,
    FIELD_TAG,
    FIELD_OPERAND
};

enum {
    BYTES_REMEMBERED = 5, /* of a text */
    KINDS = 3,            /* of addresses */
    PLACE_BITS = 12,      /* there are 2^12 places for tokens */
    ITEMS_MAX = 4096,     /* of an array, that are remembered */
    BITS_OF_BYTE = 8
};

/* Entry i has what is known of class i, of address i, and of function i - 1. */
struct definitions_entry {
    uint64_t class_function;
    uint64_t called;        /* at the address: a function's number + 1; 0: it is not a call site */
    uint64_t of_function;   /* the last address of a call of it, + 1; entry 0 has the last one of other addresses */
    uint8_t dropped, added; /* frames of the class */
    uint8_t kind;           /* of the address; all that are in a symbol are one */
    bool has_elder;
    bool has_child; /* another address was added directly inside of this one */
};

struct definitions_coder {
    struct mixed_coder *mixed;
    struct cursor in;   /* learning and encoding: the content ... */
    struct bytes *out;  /* decoding: the content; otherwise NULL */
    struct bytes shape; /* decoding: one that is not in the content yet */
    struct bytes *to;   /* `out` or `shape` */
    size_t end;         /* how long the content may get */
    bool failed;
    /* texts */
    struct intern lines; /* of the dictionary, from the last one back */
    uint64_t line;       /* the last one that was a text */
    bool was_line;       /* of the text before */
    uint64_t function_count;
    struct definitions_entry *entries; /* those of all tables; each takes a byte of the content or more */
    size_t class_count, address_count;
    /* shapes */
    uint64_t before[1 << PLACE_BITS]; /* the last token of each place */
    uint64_t items[ITEMS_MAX];        /* tokens of the first array of this shape */
    size_t item_count;
    bool has_array;
    uint64_t operands[VALUE_TAG_COUNT][VALUE_OPERANDS_MAX]; /* the last ones */
};

/* ---- numbers ---- */

static bool good(const struct definitions_coder *c)
{
    return !c->failed && (c->out ? c->out->length + c->shape.length <= c->end && !c->out->failed && !c->shape.failed
                                 : c->in.status == PILGRIM_OK);
}

/* Returns the next number of the content; 0 when decoding. */
static uint64_t take(struct definitions_coder *c)
{
    return c->out ? 0 : cursor_varint(&c->in);
}

static void put(struct definitions_coder *c, uint64_t v)
{
    if (c->out)
        bytes_put_varint(c->to, v);
}

static uint64_t code(struct definitions_coder *c, enum definitions_field field, uint64_t kind, uint64_t a, uint64_t b,
                     uint64_t third, uint64_t v)
{
    if (!good(c))
        return 0;
    return mixed_number(c->mixed, &(struct mixed_context){field, kind, a, b, third}, v);
}

/* Codes a number as itself. */
static uint64_t itself(struct definitions_coder *c, enum definitions_field field, uint64_t kind, uint64_t a, uint64_t b,
                       uint64_t third)
{
    uint64_t v = code(c, field, kind, a, b, third, take(c));
    put(c, v);
    return v;
}

/* Codes a number by its difference from BASE, and returns it. */
static uint64_t difference(struct definitions_coder *c, enum definitions_field field, uint64_t kind, uint64_t base)
{
    uint64_t v = base + (uint64_t)unzigzag(code(c, field, kind, 0, 0, 0, zigzag((int64_t)(take(c) - base))));
    put(c, v);
    return v;
}

static uint8_t byte(struct definitions_coder *c, enum definitions_field field, uint64_t kind, uint64_t a, uint64_t b,
                    uint64_t third)
{
    uint64_t v = code(c, field, kind, a, b, third, c->out ? 0 : cursor_u8(&c->in));
    c->failed |= v > UINT8_MAX;
    if (c->out)
        bytes_put_u8(c->to, (uint8_t)v);
    return (uint8_t)v;
}

static uint64_t count_of(struct definitions_coder *c, uint64_t kind)
{
    return itself(c, FIELD_COUNT, kind, 0, 0, 0);
}

/* ---- texts ---- */

/* Codes LENGTH bytes, or those up to a 0 byte, which is one of them. */
static void spelled(struct definitions_coder *c, uint64_t length, bool ends_with_0)
{
    uint64_t last[BYTES_REMEMBERED] = {0};
    for (uint64_t i = 0; (ends_with_0 || i < length) && good(c); i++) {
        uint8_t v =
            byte(c, FIELD_BYTE, last[0], last[1], last[1] << 8 | last[2], last[2] << 16 | last[3] << 8 | last[4]);
        if (ends_with_0 && v == 0)
            return;
        memmove(last + 1, last, (BYTES_REMEMBERED - 1) * sizeof *last);
        last[0] = v;
    }
}

/* Returns 1 + what a text that is to come is coded as, if it is a line of the dictionary. Otherwise, and when decoding,
 * returns 0. */
static uint64_t line_to_come(struct definitions_coder *c)
{
    uint32_t number;
    if (c->out || c->in.status != PILGRIM_OK)
        return 0;
    const uint8_t *at = c->in.data + c->in.position;
    const size_t left = cursor_left(&c->in);
    const uint8_t *end = left ? memchr(at, 0, left) : NULL;
    if (!end || !intern_find(&c->lines, at, (size_t)(end - at), &number))
        return 0;
    return 1 + zigzag((int64_t)(number - c->line));
}

static void text(struct definitions_coder *c, uint64_t kind)
{
    uint64_t coded = code(c, FIELD_WORD, kind, c->was_line, 0, 0, line_to_come(c));
    c->was_line = coded != 0;
    if (!good(c))
        return;
    if (coded == 0) {
        spelled(c, 0, true);
        return;
    }
    size_t length;
    c->line += (uint64_t)unzigzag(coded - 1);
    if (c->line >= c->lines.count) {
        c->failed = true;
        return;
    }
    const uint8_t *line = intern_get(&c->lines, (uint32_t)c->line, &length);
    if (c->out)
        bytes_put(c->out, line, length + 1);
    else
        cursor_take(&c->in, length + 1);
}

static uint64_t texts(struct definitions_coder *c, uint64_t kind)
{
    uint64_t count = count_of(c, kind);
    for (uint64_t i = 0; i < count && good(c); i++)
        text(c, kind);
    return count;
}

/* ---- strings, properties, functions, modules, symbols ---- */

enum count_kind { STRINGS, FUNCTIONS, SYMBOLS, PROPERTIES, MODULES, CLASSES, SHAPES };

static void properties(struct definitions_coder *c)
{
    uint64_t count = count_of(c, PROPERTIES), next = 0;
    for (uint64_t i = 0; i < count && good(c); i++) {
        uint64_t key = difference(c, FIELD_PROPERTY, 0, next), value = difference(c, FIELD_PROPERTY, 1, next);
        next = 1 + (key > value ? key : value);
    }
}

static void modules(struct definitions_coder *c)
{
    uint64_t count = count_of(c, MODULES);
    for (uint64_t i = 0; i < count && good(c); i++) {
        itself(c, FIELD_MODULE, 0, 0, 0, 0);
        uint64_t length = itself(c, FIELD_MODULE, 1, 0, 0, 0);
        if (length == MODULE_IN_PYTHON) {
            itself(c, FIELD_MODULE, 2, 0, 0, 0);
            continue;
        }
        for (uint64_t k = 0; k < length && good(c); k++) {
            uint64_t v = mixed_bits(c->mixed, BITS_OF_BYTE, c->out ? 0 : cursor_u8(&c->in));
            if (c->out)
                bytes_put_u8(c->out, (uint8_t)v);
        }
    }
}

static void symbols(struct definitions_coder *c)
{
    uint64_t count = count_of(c, SYMBOLS), module = 0;
    for (uint64_t i = 0; i < count && good(c); i++)
        module = difference(c, FIELD_SYMBOL, 0, module);
    for (uint64_t i = 0; i < count && good(c); i++)
        itself(c, FIELD_START, 0, 0, 0, 0);
    for (uint64_t i = 0; i < count && good(c); i++)
        text(c, SYMBOLS);
}

/* ---- classes ---- */

static void class_functions(struct definitions_coder *c, uint64_t count)
{
    uint64_t next = 0, last[3] = {0};
    for (uint64_t i = 0; i < count && good(c); i++) {
        const uint64_t v = take(c);
        uint64_t coded = (v >> 1 == next ? 0 : 1 + (v >> 1)) << 1 | (v & 1);
        coded = code(c, FIELD_FUNCTION, 0, last[0], last[0] << 32 | last[1], last[2], coded);
        const uint64_t function = coded >> 1 ? (coded >> 1) - 1 : next;
        put(c, function << 1 | (coded & 1));
        c->failed |= function >= c->function_count;
        if (!good(c))
            return;
        if (function >= next)
            next = function + 1;
        c->entries[c->class_count++].class_function = function;
        last[2] = last[1];
        last[1] = last[0];
        last[0] = function + 1;
    }
}

static void class_paths(struct definitions_coder *c)
{
    uint64_t depth = 0, before = 0, dropped = 0, added = 0;
    for (size_t i = 0; i < c->class_count && good(c); i++) {
        const uint64_t both = c->entries[i].class_function << 32 | before, last[2] = {dropped, added};
        dropped = itself(c, FIELD_PATH, 0, last[0] << 8 | last[1], both, depth);
        added = itself(c, FIELD_PATH, 1, dropped, both, last[0] << 8 | last[1]);
        c->failed |= dropped > depth || added > SITE_FRAMES_MAX || depth - dropped + added > SITE_FRAMES_MAX;
        if (!good(c))
            return;
        c->entries[i].dropped = (uint8_t)dropped;
        c->entries[i].added = (uint8_t)added;
        depth += added - dropped;
        before = c->entries[i].class_function;
    }
}

/* What the frames so far say of the next one. */
struct frames {
    size_t path[SITE_FRAMES_MAX]; /* addresses */
    size_t depth;
    uint64_t number;  /* of the last frame's address */
    uint64_t last[2]; /* what the last two were coded as */
    bool has_outermost;
};

/* Codes the next frame. FUNCTION: that it calls, + 1, or 0. */
static void frame(struct definitions_coder *c, struct frames *f, uint64_t function)
{
    const uint64_t v = take(c), next = f->number + 1, of_function = c->entries[function].of_function;
    uint64_t coded = v == 0 ? 0 : v - 1 == next ? 1 : v == of_function ? 2 : 3 + zigzag((int64_t)(v - 1 - next));
    coded = code(c, FIELD_FRAME, 0, f->last[0] << 2 | (uint64_t)(function != 0) << 1 | (next < c->address_count),
                 function << 8 | (f->last[0] < UINT8_MAX ? f->last[0] : UINT8_MAX), f->last[1], coded);
    const uint64_t number = coded == 0   ? c->address_count
                            : coded == 1 ? next
                            : coded == 2 ? of_function - 1
                                         : next + (uint64_t)unzigzag(coded - 3);
    put(c, coded ? number + 1 : 0);
    c->failed |= number >= c->address_count + !coded;
    if (!good(c))
        return;
    bool *elder = f->depth ? &c->entries[f->path[f->depth - 1]].has_child : &f->has_outermost;
    if (coded == 0) {
        c->entries[c->address_count].called = function;
        c->entries[c->address_count++].has_elder = *elder;
    }
    *elder = true;
    f->number = number;
    f->last[1] = f->last[0];
    f->last[0] = coded;
    f->path[f->depth++] = (size_t)number;
    c->entries[function].of_function = number + 1;
}

static void class_frames(struct definitions_coder *c)
{
    struct frames f = {0};
    for (size_t i = 0; i < c->class_count && good(c); i++) {
        f.depth -= c->entries[i].dropped;
        for (unsigned left = c->entries[i].added; left > 0 && good(c); left--)
            frame(c, &f, left == 1 ? c->entries[i].class_function + 1 : 0);
    }
}

static void addresses(struct definitions_coder *c)
{
    uint64_t last = 0, offsets[KINDS][2] = {{0}};
    for (size_t i = 0; i < c->address_count && good(c); i++) {
        struct definitions_entry *e = &c->entries[i];
        last = itself(c, FIELD_KIND, e->has_elder, last, e->called, 0);
        if (last == ADDRESS_IN_MODULE)
            itself(c, FIELD_KIND, KINDS - 1, 0, 0, 0);
        e->kind = last < ADDRESS_IN_SYMBOL ? (uint8_t)last : ADDRESS_IN_SYMBOL;
    }
    for (size_t i = 0; i < c->address_count && good(c); i++) {
        const struct definitions_entry *e = &c->entries[i];
        uint64_t *of_kind = offsets[e->kind], v = itself(c, FIELD_OFFSET, e->kind, e->called, of_kind[0], of_kind[1]);
        of_kind[1] = of_kind[0];
        of_kind[0] = v;
    }
}

static void classes(struct definitions_coder *c)
{
    class_functions(c, count_of(c, CLASSES));
    class_paths(c);
    class_frames(c);
    addresses(c);
}

/* ---- shapes ---- */

/* Where a value stands in its shape. */
struct value_place {
    uint64_t path, parent; /* a hash of where it is; the tag of the value that it follows, or 0 */
    unsigned depth;
    uint64_t index;   /* among those that follow the same one */
    uint64_t last[2]; /* the tokens of the two before it there */
};

static uint64_t value(struct definitions_coder *c, const struct value_place *p);

static void values_inside(struct definitions_coder *c, const struct value_place *p, uint64_t tag, uint64_t count)
{
    struct value_place inside = {.parent = tag, .depth = p->depth + 1};
    const bool first = tag == VALUE_ARRAY && p->depth == 0 && !c->has_array;
    for (; inside.index < count && good(c); inside.index++) {
        inside.path = mixed_hash(p->path, inside.index);
        uint64_t token = value(c, &inside);
        if (first && inside.index < ITEMS_MAX) {
            c->items[inside.index] = token;
            c->item_count = inside.index + 1;
        }
        inside.last[1] = inside.last[0];
        inside.last[0] = token;
    }
    c->has_array |= first;
}

/* Codes a value and those that follow it. Returns a hash of its token; 0 if the shape ends instead. */
static uint64_t value(struct definitions_coder *c, const struct value_place *p)
{
    uint64_t *before = &c->before[p->path >> (64 - PLACE_BITS)];
    const bool is_item = p->depth == 1 && c->has_array && p->index < c->item_count;
    const uint64_t item = is_item ? c->items[p->index] : 0;
    uint64_t tag = c->out || cursor_left(&c->in) == 0 ? 0 : cursor_u8(&c->in), operands[VALUE_OPERANDS_MAX] = {0};
    tag = code(c, FIELD_TAG, p->parent << 1 | (p->depth == 0), mixed_hash(*before, p->last[0]),
               mixed_hash(item, p->last[0]), mixed_hash(mixed_hash(*before, item), p->last[1]), tag);
    if (tag == 0 && p->depth == 0)
        return 0;
    c->failed |= tag == 0 || tag >= VALUE_TAG_COUNT || p->depth >= VALUE_NESTING_MAX;
    if (!good(c))
        return 0;
    if (c->out)
        bytes_put_u8(c->to, (uint8_t)tag);
    uint64_t token = mixed_hash(0, tag);
    for (unsigned i = 0; i < token_operands(tag); i++) {
        const uint64_t third = mixed_hash(mixed_hash(token, p->last[0]), p->parent), last = c->operands[tag][i];
        operands[i] = tag == VALUE_STATUS || tag == VALUE_POSTED
                          ? byte(c, FIELD_OPERAND, tag << 2 | i, *before, last, third)
                          : itself(c, FIELD_OPERAND, tag << 2 | i, *before, last, third);
        c->operands[tag][i] = operands[i];
        token = mixed_hash(token, operands[i]);
    }
    *before = token;
    if (tag == VALUE_STRING || tag == VALUE_SYMBOL)
        spelled(c, operands[0], false);
    values_inside(c, p, tag, value_following((uint8_t)tag, operands));
    return token;
}

/* Codes the values of a shape, without its length. */
static void shape(struct definitions_coder *c)
{
    struct value_place p = {0};
    c->has_array = false;
    c->item_count = 0;
    do {
        p.path = mixed_hash(1, p.index);
        uint64_t token = value(c, &p);
        p.last[1] = p.last[0];
        p.last[0] = token;
        p.index++;
    } while (p.last[0] != 0 && good(c));
}

static void shapes(struct definitions_coder *c)
{
    uint64_t count = count_of(c, SHAPES);
    for (uint64_t i = 0; i < count && good(c); i++) {
        if (c->out) {
            c->to = &c->shape;
            shape(c);
            c->to = c->out;
            put(c, c->shape.length);
            bytes_put(c->out, c->shape.data, c->shape.length);
            c->shape.length = 0;
            continue;
        }
        struct cursor all = c->in;
        const size_t length = (size_t)cursor_varint(&all);
        const uint8_t *data = cursor_take(&all, length);
        if (all.status != PILGRIM_OK) {
            c->failed = true;
            return;
        }
        cursor_init(&c->in, data, length);
        shape(c);
        c->failed |= c->in.status != PILGRIM_OK || cursor_left(&c->in) > 0;
        c->in = all;
    }
}

/* ---- the section ---- */

/* Codes a content, from its beginning. IN is it, or OUT gets it, up to END bytes in all. */
static void walk(struct definitions_coder *c, struct cursor in, struct bytes *out, size_t end)
{
    c->in = in;
    c->out = c->to = out;
    c->end = end;
    c->line = c->class_count = c->address_count = 0;
    c->was_line = false;
    memset(c->before, 0, sizeof c->before);
    memset(c->operands, 0, sizeof c->operands);
    texts(c, STRINGS);
    properties(c);
    c->function_count = texts(c, FUNCTIONS);
    modules(c);
    symbols(c);
    classes(c);
    shapes(c);
}

/* Numbers the lines of the dictionary. */
static enum pilgrim_status add_lines(struct intern *lines)
{
    uint32_t ignored;
    for (size_t end = dictionary_length, at; end > 0; end = at) {
        for (at = end - 1; at > 0 && dictionary[at - 1] != 0; at--)
            ;
        TRY(intern_add(lines, dictionary + at, end - 1 - at, &ignored));
    }
    return PILGRIM_OK;
}

static size_t entry_count(size_t length)
{
    const size_t least = definitions_example_length > definitions_example_10_length ? definitions_example_length
                                                                                    : definitions_example_10_length;
    return (length > least ? length : least) + 2;
}

uint64_t definitions_code_memory(size_t length)
{
    const struct definitions_coder *c = NULL;
    return sizeof *c + sizeof *c->mixed + (uint64_t)entry_count(length) * sizeof *c->entries +
           4 * (uint64_t)dictionary_length;
}

static enum pilgrim_status run(uint8_t type, size_t length, const struct bytes *content, struct range_encoder *encoder,
                               struct range_decoder *decoder, struct bytes *out)
{
    struct definitions_coder *c = calloc(1, sizeof *c);
    struct cursor in;
    if (!c)
        return PILGRIM_NOMEM;
    c->mixed = malloc(sizeof *c->mixed);
    c->entries = calloc(entry_count(length), sizeof *c->entries);
    enum pilgrim_status status = c->mixed && c->entries ? add_lines(&c->lines) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK) {
        const bool of_10 = type == SECTION_CODED_DEFINITIONS_10;
        mixed_init(c->mixed, of_10, NULL, NULL);
        cursor_init(&in, of_10 ? definitions_example_10 : definitions_example,
                    of_10 ? definitions_example_10_length : definitions_example_length);
        walk(c, in, NULL, 0);
        memset(c->entries, 0, entry_count(length) * sizeof *c->entries);
        c->mixed->out = encoder;
        c->mixed->in = decoder;
        cursor_init(&in, content ? content->data : NULL, content ? length : 0);
        walk(c, in, out, out ? out->length + length : 0);
        status = c->shape.failed || (out && out->failed)            ? PILGRIM_NOMEM
                 : !good(c) || (content && cursor_left(&c->in) > 0) ? PILGRIM_DAMAGED
                 : out && out->length != c->end                     ? PILGRIM_DAMAGED
                                                                    : PILGRIM_OK;
    }
    bytes_free(&c->shape);
    intern_free(&c->lines);
    free(c->mixed);
    free(c->entries);
    free(c);
    return status;
}

enum pilgrim_status definitions_encode(const struct bytes *content, struct bytes *out)
{
    struct range_encoder encoder;
    if (content->length > CODED_DEFINITIONS_MAX)
        return PILGRIM_DAMAGED;
    encoder_init(&encoder, out);
    enum pilgrim_status status = run(SECTION_CODED_DEFINITIONS, content->length, content, &encoder, NULL, NULL);
    encoder_end(&encoder);
    return status == PILGRIM_OK ? bytes_status(out) : status;
}

enum pilgrim_status definitions_decode(uint8_t type, const uint8_t *stored, size_t length, size_t raw,
                                       struct bytes *content)
{
    struct range_decoder decoder;
    if (raw > CODED_DEFINITIONS_MAX)
        return PILGRIM_DAMAGED;
    decoder_init(&decoder, stored, length);
    enum pilgrim_status status = run(type, raw, NULL, NULL, &decoder, content);
    return status == PILGRIM_OK && decoder.position != length ? PILGRIM_DAMAGED : status;
}
