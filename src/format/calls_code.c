/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks through the content of a calls section, for encoding and decoding; see calls_code.h.
 *
 * A number is taken out of the content (0, when decoding), turned into what is coded, coded, turned back, and put into
 * the content (when decoding). So both directions are one code.
 *
 * The file has more than 600 lines: it is one walk, in which most numbers need what was noted of those before. */
#include "format/calls_code.h"

#include <stdlib.h>

#include "format/mixed_coder.h"
#include "format/slot_places.h"
#include "format/trace_format.h"

/* The fields of docs/FORMAT.md, in its order. */
enum field {
    FIELD_COUNT,
    FIELD_RULE,
    FIELD_SYMBOL,
    FIELD_EARLIER,
    FIELD_TERMINAL,
    FIELD_EXPONENT,
    FIELD_BLOCK,
    FIELD_BYTE,
    FIELD_EXPRESSION,
    FIELD_CONSTANT,
    FIELD_LENGTH,
    FIELD_SHAPE,
    FIELD_SERIES,
    FIELD_COLUMN,
    FIELD_PARTS,
    FIELD_MEMBERS,
    FIELD_CLASS,
    FIELD_PARTITION,
    FIELD_VALUES,
    FIELD_SIGNATURES,
    FIELD_SIGNATURE,
    FIELD_CALLS,
    FIELD_CLASSES,
    FIELD_GROUP_CLASS,
    FIELD_BODY,
    FIELD_OTHER,
    FIELDS
};

/* Tables that references are to. */
enum table {
    TABLE_SHAPES,
    TABLE_COLUMNS,
    TABLE_SIGNATURES,
    TABLE_PARTITIONS,
    TABLE_CLASSES,
    TABLE_GROUP_CLASSES,
    TABLES
};

enum {
    KINDS_MIN = EXPRESSION_KIND_COUNT,  /* kinds of numbers that a field has, at least */
    KIND_FIRST = EXPRESSION_KIND_COUNT, /* of a constant: the first one of a list */
    LISTS = 4096,                       /* longer lists are not remembered */
    PLACE_BITS = 12                     /* there are 2^12 places for slots */
};

enum { OF_VALUE_GROUP, OF_THREADS, OF_GROUP, LABELS }; /* kinds of FIELD_MEMBERS */

/* What is remembered of the numbers of a field and kind. */
struct recent {
    uint64_t last, before; /* the last two that were coded */
    uint64_t base;         /* what the next one is measured from */
};

/* The places of a shape's slots, up to its first array series. */
struct shape_places {
    uint64_t *items;
    size_t count;
};

struct calls_coder {
    const struct calls_known *known;
    struct mixed_coder *mixed;
    struct cursor in;  /* encoding: the content */
    struct bytes *out; /* decoding: the content ... */
    size_t end;        /* ... and how long it may get */
    bool failed;
    uint8_t type;          /* of the section: says which form it has */
    size_t kinds;          /* of numbers, in each field */
    struct recent *recent; /* by field, then by kind */
    uint64_t next[TABLES]; /* one more than the largest index so far */
    uint64_t last_values;  /* the last sequence of a value group */
    uint64_t rule_end;     /* the last terminal of the last rule */
    uint64_t last_rule;    /* the largest sequence of differences that is a rule's expansion */
    /* Each entry of these takes a byte of the content or more. One more may be begun where the content ends. */
    uint64_t *value_groups; /* by partition: how many */
    bool *loops;            /* by group class */
    uint64_t *columns;      /* references of all signatures */
    uint64_t *listed;       /* what the numbers of all lists are coded as */
    size_t partitions, group_classes, column_count, listed_count;
    size_t lists[LISTS]; /* by length: where the last list begins in `listed`, + 1; 0: there was none */
    struct {
        size_t first, count;
    } * signature;                    /* by shape: where those of its last signature are in `columns` */
    uint64_t *all_places;             /* of the slots of all shapes */
    struct shape_places *places;      /* by shape */
    uint64_t last_column;             /* the largest column that a signature names, + 1 */
    uint64_t placed[1 << PLACE_BITS]; /* by place: the last column there, + 1 */
    uint8_t hits[1 << PLACE_BITS];    /* by place: which of the last columns were as expected; the latest is bit 0 */
};

/* ---- numbers ---- */

static bool good(const struct calls_coder *c)
{
    return !c->failed && (c->out ? c->out->length <= c->end && !c->out->failed : c->in.status == PILGRIM_OK);
}

/* Returns the next number of the content; 0 when decoding. */
static uint64_t take(struct calls_coder *c)
{
    return c->out ? 0 : cursor_varint(&c->in);
}

static void put(struct calls_coder *c, uint64_t v)
{
    if (c->out)
        bytes_put_varint(c->out, v);
}

static uint64_t code(struct calls_coder *c, enum field field, uint64_t kind, uint64_t a, uint64_t b, uint64_t third,
                     uint64_t v)
{
    if (!good(c))
        return 0;
    return mixed_number(c->mixed, &(struct mixed_context){field, kind, a, b, third}, v);
}

static struct recent *recent_of(struct calls_coder *c, enum field field, uint64_t kind)
{
    return &c->recent[field * c->kinds + kind];
}

static uint64_t remember(struct recent *r, uint64_t coded)
{
    r->before = r->last;
    r->last = coded;
    return coded;
}

/* Codes a number between others of its kind. B: what else it depends on. */
static uint64_t plain_behind(struct calls_coder *c, enum field field, uint64_t kind, uint64_t b)
{
    struct recent *r = recent_of(c, field, kind);
    uint64_t v = remember(r, code(c, field, kind, r->last, b, 0, take(c)));
    put(c, v);
    return v;
}

static uint64_t plain(struct calls_coder *c, enum field field, uint64_t kind)
{
    return plain_behind(c, field, kind, recent_of(c, field, kind)->before);
}

static uint8_t byte(struct calls_coder *c, enum field field, uint64_t kind, uint64_t a, uint64_t b, uint64_t third)
{
    uint64_t v = code(c, field, kind, a, b, third, c->out ? 0 : cursor_u8(&c->in));
    c->failed |= v > UINT8_MAX;
    if (c->out)
        bytes_put_u8(c->out, (uint8_t)v);
    return (uint8_t)v;
}

/* What a number V is coded as that is measured from the base. */
static uint64_t measured(const struct recent *r, uint64_t v)
{
    return zigzag((int64_t)(v - r->base));
}

/* Remembers CODED, makes the number that it stands for the base, and returns it. */
static uint64_t number_of(struct recent *r, uint64_t coded)
{
    remember(r, coded);
    return r->base += (uint64_t)unzigzag(coded);
}

/* Codes an svarint by its difference from the last one of its kind. */
static void difference(struct calls_coder *c, enum field field, uint64_t kind)
{
    struct recent *r = recent_of(c, field, kind);
    uint64_t coded = measured(r, (uint64_t)unzigzag(take(c)));
    coded = code(c, field, kind, r->last, r->before, 0, coded);
    put(c, zigzag((int64_t)number_of(r, coded)));
}

/* Codes a reference, and FLAGS bits behind it, by its difference from the last index of its kind + 1. Returns the
 * index. *FLAG: those bits. */
static uint64_t flagged_reference(struct calls_coder *c, enum field field, uint64_t kind, enum table table,
                                  unsigned flags, uint64_t *flag)
{
    struct recent *r = recent_of(c, field, kind);
    const uint64_t next = c->next[table], v = take(c), reference = v >> flags, mask = (UINT64_C(1) << flags) - 1;
    uint64_t coded = reference ? 1 + zigzag((int64_t)(reference - 1 - r->base)) : 0;
    c->failed |= reference > UINT32_MAX;
    coded = code(c, field, 2 * kind + (next == r->base), r->last, r->base, r->before, coded << flags | (v & mask));
    *flag = coded & mask;
    coded >>= flags;
    uint64_t index = coded ? r->base + (uint64_t)unzigzag(coded - 1) : next;
    if (index >= UINT32_MAX) {
        c->failed = true;
        return 0;
    }
    remember(r, coded);
    r->base = index + 1;
    c->next[table] = index < next ? next : index + 1;
    put(c, (coded ? index + 1 : 0) << flags | *flag);
    return index;
}

static uint64_t reference(struct calls_coder *c, enum field field, uint64_t kind, enum table table)
{
    uint64_t ignored;
    return flagged_reference(c, field, kind, table, 0, &ignored);
}

/* ---- rules ---- */

static void block(struct calls_coder *c)
{
    uint64_t count = plain(c, FIELD_BLOCK, 0);
    unsigned width = byte(c, FIELD_BLOCK, 1, 0, 0, 0) >> BLOCK_FORM_BITS;
    plain(c, FIELD_BLOCK, 2);
    c->failed |= count > BLOCK_COUNT_MAX;
    uint8_t last[3] = {0};
    for (uint64_t i = 0; good(c) && i < (count * width + 7) / 8; i++) {
        uint8_t v = byte(c, FIELD_BYTE, 0, last[0], last[1], last[2]);
        last[2] = last[1];
        last[1] = last[0];
        last[0] = v;
    }
}

/* Where a rule is. */
struct rule_place {
    uint64_t flags[2];       /* of the last symbols, the latest one first */
    uint64_t terminal;       /* the last one */
    uint64_t other;          /* another one that the next may be near */
    uint64_t measured_other; /* a bit for each terminal so far, the latest one lowest: it was near the other one */
    uint64_t steps[2];       /* the distances of the last terminals, the latest one first */
};

/* A terminal behind a jump this long is where another part of the rule goes on. */
#define JUMP_MIN 32

/* How much nearer the other one must be. */
#define OTHER_GAIN_MIN 16

/* Codes TERMINAL by its distance from the last one, or from the other one, whichever it is near. So both parts of a
 * rule that changes between two ranges of terminals, as calls and loops are, go on where they were. */
static uint64_t terminal(struct calls_coder *c, struct rule_place *at, bool is_first, uint64_t flag, uint64_t value)
{
    uint64_t step = zigzag((int64_t)(value - at->terminal)), other = 0, kind = flag;
    if (c->type == SECTION_CODED_CALLS) {
        const uint64_t from_other = zigzag((int64_t)(value - at->other));
        other = from_other < step && (is_first || step - from_other > OTHER_GAIN_MIN);
        other = code(c, FIELD_OTHER, is_first, at->measured_other % 16, at->steps[0], at->terminal, other);
        c->failed |= other > 1;
        at->measured_other = at->measured_other << 1 | other;
        kind |= (other | (uint64_t)is_first << 1) << STORED_SYMBOL_BITS;
        step = other ? from_other : step;
    }
    const uint64_t last = at->terminal, from = other ? at->other : last;
    step = code(c, FIELD_TERMINAL, kind, at->steps[0], from, at->steps[1], step);
    if (other || step > JUMP_MIN)
        at->other = last;
    at->steps[1] = at->steps[0];
    at->steps[0] = step;
    return at->terminal = from + (uint64_t)unzigzag(step);
}

static void exponent(struct calls_coder *c, uint64_t flag, struct rule_place *at)
{
    struct recent *r = recent_of(c, FIELD_EXPONENT, 0);
    uint64_t v = code(c, FIELD_EXPONENT, flag & STORED_IS_RULE, r->last, at->steps[0], r->before, take(c));
    remember(r, v);
    put(c, v);
    if ((v & 1) && !(flag & STORED_IS_RULE))
        at->terminal += (v >> 1) + 1; /* where the ramp ends */
}

/* Codes the rule NUMBER: its symbols by their distance from the rule, or from a terminal before. */
static void rule(struct calls_coder *c, uint64_t number)
{
    const uint64_t symbols = plain(c, FIELD_RULE, 0), mask = (1 << STORED_SYMBOL_BITS) - 1;
    struct rule_place at = {.other = c->rule_end};
    if (symbols == 0)
        block(c);
    for (uint64_t i = 0; i < symbols && good(c); i++) {
        const uint64_t v = take(c);
        uint64_t flag =
            code(c, FIELD_SYMBOL, 0, at.flags[0], at.flags[1], recent_of(c, FIELD_EXPONENT, 0)->last, v & mask);
        c->failed |= flag > mask;
        if (flag & STORED_IS_RULE) {
            struct recent *r = recent_of(c, FIELD_EARLIER, 0);
            uint64_t distance = number - 1 - (v >> STORED_SYMBOL_BITS);
            distance = code(c, FIELD_EARLIER, 0, r->last, at.flags[0], r->before, distance);
            remember(r, distance);
            put(c, (number - 1 - distance) << STORED_SYMBOL_BITS | flag);
        } else {
            put(c, terminal(c, &at, i == 0, flag, v >> STORED_SYMBOL_BITS) << STORED_SYMBOL_BITS | flag);
        }
        if (flag & STORED_HAS_EXPONENT)
            exponent(c, flag, &at);
        at.flags[1] = at.flags[0];
        at.flags[0] = flag;
    }
    if (symbols)
        c->rule_end = at.terminal;
}

/* ---- columns, signatures, partitions ---- */

/* Codes a list by the last one of its length. */
static void list(struct calls_coder *c)
{
    struct recent *r = recent_of(c, FIELD_CONSTANT, EXPRESSION_LIST);
    const uint64_t count = plain(c, FIELD_LENGTH, EXPRESSION_LIST);
    const size_t before = count < LISTS ? c->lists[count] : 0, first = c->listed_count;
    bool same = false;
    for (uint64_t i = 0; i < count && good(c); i++) {
        uint64_t expected = before ? c->listed[before - 1 + i] : 0, coded = measured(r, (uint64_t)unzigzag(take(c)));
        coded =
            code(c, FIELD_CONSTANT, i ? EXPRESSION_LIST : KIND_FIRST, expected << 1 | same, r->last, r->before, coded);
        put(c, zigzag((int64_t)number_of(r, coded)));
        c->listed[c->listed_count++] = coded;
        same = coded == expected;
    }
    if (count < LISTS && good(c))
        c->lists[count] = first + 1;
}

/* Codes a delta sequence: mostly the next rule's. */
static void differences(struct calls_coder *c)
{
    struct recent *r = recent_of(c, FIELD_LENGTH, EXPRESSION_SUMS);
    const uint64_t v = take(c), next = c->last_rule + 2;
    uint64_t coded = v == next ? 0 : 1 + measured(r, v);
    coded = code(c, FIELD_LENGTH, EXPRESSION_SUMS, r->last, r->before, 0, coded);
    remember(r, coded);
    r->base = coded ? r->base + (uint64_t)unzigzag(coded - 1) : next;
    if (r->base % 2 == 0 && r->base > c->last_rule)
        c->last_rule = r->base;
    put(c, r->base);
}

static void column(struct calls_coder *c, uint64_t number)
{
    (void)number;
    uint64_t kind = plain(c, FIELD_EXPRESSION, 0);
    c->failed |= kind >= EXPRESSION_KIND_COUNT;
    if (!good(c))
        return;
    if (kind == EXPRESSION_LIST && c->type != SECTION_CODED_CALLS_7) {
        list(c);
        return;
    }
    if (kind == EXPRESSION_LIST) {
        for (uint64_t left = plain(c, FIELD_LENGTH, kind); left > 0 && good(c); left--)
            difference(c, FIELD_CONSTANT, kind);
        return;
    }
    difference(c, FIELD_CONSTANT, kind);
    if (kind == EXPRESSION_SUMS && c->type != SECTION_CODED_CALLS_7)
        differences(c);
    else if (kind == EXPRESSION_MODULO || kind == EXPRESSION_SUMS)
        plain(c, FIELD_LENGTH, kind);
}

/* Codes the columns of a signature by the last one of its shape. */
static void old_columns(struct calls_coder *c, uint64_t shape, uint64_t count)
{
    const size_t before = c->signature[shape].first, of_before = c->signature[shape].count;
    uint64_t same = 0, last[2] = {0};
    for (uint64_t i = 0; i < count && good(c); i++) {
        uint64_t expected = i < of_before ? c->columns[before + i] + 1 : 0;
        uint64_t v = code(c, FIELD_COLUMN, shape << 32 | i, expected << 2 | (same & 3), last[0], last[1], take(c));
        put(c, v);
        c->columns[c->column_count++] = v;
        same = same << 1 | (v + 1 == expected);
        last[1] = last[0];
        last[0] = v;
    }
}

/* Codes a number that names a column. EXPECTED: the column, or 0; STEP: by how much it was missed the last time in this
 * signature. Sets *HIT. */
static uint64_t column_number(struct calls_coder *c, const struct mixed_context *x, uint64_t expected, uint64_t step,
                              bool *hit)
{
    enum { AS_EXPECTED, ANOTHER, MISSED_AGAIN, OTHERS };
    uint64_t v = take(c);
    uint64_t coded = !v                             ? ANOTHER
                     : v == expected                ? AS_EXPECTED
                     : step && v == expected + step ? MISSED_AGAIN
                                                    : OTHERS + v;
    c->failed |= v > UINT32_MAX;
    coded = code(c, x->field, x->kind, x->a, x->b, x->c, coded);
    *hit = coded == AS_EXPECTED;
    v = coded == AS_EXPECTED    ? expected
        : coded == ANOTHER      ? 0
        : coded == MISSED_AGAIN ? expected + step
                                : coded - OTHERS;
    c->failed |= v > UINT32_MAX;
    put(c, v);
    return v;
}

/* Codes the columns of a signature: each by the column that stood there in the last signature of its shape; or, if
 * there is none, in a signature of another shape. */
static void columns(struct calls_coder *c, uint64_t shape, bool is_long, uint64_t count)
{
    enum { BY_PLACE = 1, BY_SHAPE };
    const size_t before = c->signature[shape].first, of_before = c->signature[shape].count;
    const struct shape_places *places = &c->places[shape];
    uint64_t hits = 0, last = 0, step = 0;
    for (uint64_t i = 0; i < count && good(c); i++) {
        const uint64_t place = !is_long && i < places->count ? places->items[i] : mixed_hash(mixed_hash(2, shape), i);
        const uint64_t q = place >> (64 - PLACE_BITS), by_shape = i < of_before ? c->columns[before + i] : 0;
        const uint64_t expected = by_shape ? by_shape : c->placed[q], source = by_shape ? BY_SHAPE : expected > 0;
        const struct mixed_context x = {FIELD_COLUMN, source << 2 | (hits & 3), q << 3 | (c->hits[q] & 7), expected,
                                        last};
        bool hit;
        const uint64_t v = column_number(c, &x, expected, step, &hit);
        step = v && expected && v != expected ? v - expected : step;
        last = v ? v : c->last_column + 1;
        c->last_column = last > c->last_column ? last : c->last_column;
        c->columns[c->column_count++] = c->placed[q] = last;
        c->hits[q] = (uint8_t)(c->hits[q] << 1 | hit);
        hits = hits << 1 | hit;
    }
}

static void signature(struct calls_coder *c, uint64_t number)
{
    (void)number;
    uint64_t is_long, shape = flagged_reference(c, FIELD_SHAPE, 0, TABLE_SHAPES, 1, &is_long);
    c->failed |= shape >= c->known->shape_count;
    if (!good(c))
        return;
    uint64_t count = c->known->shapes[shape].columns;
    if (is_long)
        count *= plain(c, FIELD_SERIES, 0) ? 2 : 3;
    const size_t first = c->column_count;
    if (c->type == SECTION_CODED_CALLS_7)
        old_columns(c, shape, count);
    else
        columns(c, shape, is_long, count);
    c->signature[shape].first = first;
    c->signature[shape].count = c->column_count - first;
}

static void partition(struct calls_coder *c, uint64_t number)
{
    (void)number;
    uint64_t parts = plain(c, FIELD_PARTS, 0);
    const bool has_labels = parts == 0;
    if (has_labels)
        parts = plain(c, FIELD_PARTS, 1);
    for (uint64_t i = 0; i < (has_labels ? 1 : parts) && good(c); i++)
        reference(c, FIELD_MEMBERS, has_labels ? LABELS : OF_VALUE_GROUP, TABLE_COLUMNS);
    if (good(c))
        c->value_groups[c->partitions++] = parts;
}

/* ---- group classes, groups ---- */

/* Codes what says which partition a group class of the function KIND has, and returns it. */
static uint64_t partition_of(struct calls_coder *c, uint64_t kind)
{
    struct recent *r = recent_of(c, FIELD_PARTITION, 0);
    if (c->type == SECTION_CODED_CALLS_7)
        return plain(c, FIELD_PARTITION, kind);
    uint64_t v = take(c), coded = v < 2 ? v : 2 + measured(r, v - 2);
    coded = code(c, FIELD_PARTITION, kind, r->last, r->before, 0, coded);
    remember(r, coded);
    v = coded < 2 ? coded : 2 + r->base + (uint64_t)unzigzag(coded - 2);
    if (v > 0)
        r->base = v > 1 ? v - 2 : c->next[TABLE_PARTITIONS];
    put(c, v);
    return v;
}

/* Returns how many value groups the group class has whose partition is coded as V. */
static uint64_t parts_of(struct calls_coder *c, uint64_t v)
{
    if (v == 0)
        return 1;
    uint64_t index = v > 1 ? v - 2 : c->next[TABLE_PARTITIONS];
    if (index >= c->partitions) {
        c->failed = true;
        return 0;
    }
    if (index >= c->next[TABLE_PARTITIONS])
        c->next[TABLE_PARTITIONS] = index + 1;
    return c->value_groups[index];
}

static void group_class(struct calls_coder *c, uint64_t number)
{
    (void)number;
    uint64_t class = reference(c, FIELD_CLASS, 0, TABLE_CLASSES);
    c->failed |= class >= c->known->class_count;
    if (!good(c))
        return;
    const uint64_t kind = c->known->classes[class].function;
    c->loops[c->group_classes++] = c->known->classes[class].is_loop;
    for (uint64_t parts = parts_of(c, partition_of(c, kind)); parts > 0 && good(c); parts--) {
        uint64_t values = c->last_values = plain_behind(c, FIELD_VALUES, kind, c->last_values);
        for (uint64_t left = plain_behind(c, FIELD_SIGNATURES, kind, values); left > 0 && good(c); left--)
            reference(c, FIELD_SIGNATURE, kind, TABLE_SIGNATURES);
    }
}

static void body(struct calls_coder *c)
{
    struct recent *r = recent_of(c, FIELD_BODY, 0);
    if (c->type == SECTION_CODED_CALLS_7) {
        plain(c, FIELD_BODY, 0);
        return;
    }
    put(c, number_of(r, code(c, FIELD_BODY, 0, r->last, r->before, 0, measured(r, take(c)))));
}

static void group(struct calls_coder *c, uint64_t number)
{
    (void)number;
    plain(c, FIELD_CALLS, 0);
    for (uint64_t left = plain(c, FIELD_CLASSES, 0); left > 0 && good(c); left--) {
        uint64_t class = reference(c, FIELD_GROUP_CLASS, 0, TABLE_GROUP_CLASSES);
        c->failed |= class >= c->group_classes;
        if (good(c) && c->loops[class])
            body(c);
    }
    reference(c, FIELD_MEMBERS, OF_GROUP, TABLE_COLUMNS);
}

/* ---- the section ---- */

/* Codes a table: the count of its entries, and each ENTRY. KIND: of the count. */
static void entries(struct calls_coder *c, uint64_t kind, void (*entry)(struct calls_coder *c, uint64_t number))
{
    uint64_t count = plain(c, FIELD_COUNT, kind);
    for (uint64_t i = 0; i < count && good(c); i++)
        entry(c, i);
}

static void walk(struct calls_coder *c)
{
    static void (*const tables[])(struct calls_coder *, uint64_t) = {rule,      column,      signature,
                                                                     partition, group_class, group};
    enum { TABLE_COUNT = sizeof tables / sizeof *tables, PARTITION = 3 };
    for (unsigned i = 0; i < TABLE_COUNT; i++) {
        entries(c, i, tables[i]);
        if (i == PARTITION) {
            plain(c, FIELD_COUNT, TABLE_COUNT); /* ranks */
            reference(c, FIELD_MEMBERS, OF_THREADS, TABLE_COLUMNS);
        }
    }
}

static size_t kinds_of(const struct calls_known *known)
{
    return known->function_count > KINDS_MIN ? known->function_count : KINDS_MIN;
}

static uint64_t slot_count(const struct calls_known *known)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < known->shape_count; i++)
        sum += known->shapes[i].columns;
    return sum;
}

uint64_t calls_code_memory(const struct calls_known *known, size_t length)
{
    const struct calls_coder *c = NULL;
    return sizeof *c + sizeof *c->mixed + (uint64_t)FIELDS * kinds_of(known) * sizeof *c->recent +
           (uint64_t)known->shape_count * (sizeof *c->signature + sizeof *c->places) +
           slot_count(known) * sizeof *c->all_places +
           (uint64_t)length * (sizeof *c->value_groups + sizeof *c->columns + sizeof *c->listed + sizeof *c->loops);
}

/* Allocates what the walk needs. False: there is not enough memory. */
static bool begin(struct calls_coder *c, size_t raw)
{
    const size_t shapes = c->known->shape_count;
    c->mixed = malloc(sizeof *c->mixed);
    c->recent = calloc(FIELDS * c->kinds, sizeof *c->recent);
    c->value_groups = malloc((raw + 1) * sizeof *c->value_groups);
    c->loops = malloc((raw + 1) * sizeof *c->loops);
    c->columns = malloc((raw + 1) * sizeof *c->columns);
    c->listed = malloc((raw + 1) * sizeof *c->listed);
    c->signature = calloc(shapes + 1, sizeof *c->signature);
    c->places = calloc(shapes + 1, sizeof *c->places);
    c->all_places = malloc((slot_count(c->known) + 1) * sizeof *c->all_places);
    return c->mixed && c->recent && c->value_groups && c->loops && c->columns && c->listed && c->signature &&
           c->places && c->all_places;
}

static void find_places(struct calls_coder *c)
{
    uint64_t *next = c->all_places;
    for (size_t i = 0; i < c->known->shape_count; i++) {
        c->places[i].items = next;
        c->places[i].count =
            slot_places(c->known->shapes[i].tokens, c->known->shapes[i].length, next, c->known->shapes[i].columns);
        next += c->places[i].count;
    }
}

static void end(struct calls_coder *c)
{
    free(c->mixed);
    free(c->recent);
    free(c->value_groups);
    free(c->loops);
    free(c->columns);
    free(c->listed);
    free(c->signature);
    free(c->places);
    free(c->all_places);
}

static enum pilgrim_status run(struct calls_coder *c, const struct calls_known *known, size_t raw,
                               struct range_encoder *out, struct range_decoder *in)
{
    c->known = known;
    c->kinds = kinds_of(known);
    const bool there = begin(c, raw);
    if (there) {
        find_places(c);
        mixed_init(c->mixed, c->type != SECTION_CODED_CALLS, out, in);
        walk(c);
    }
    end(c);
    return !there ? PILGRIM_NOMEM : good(c) ? PILGRIM_OK : PILGRIM_DAMAGED;
}

enum pilgrim_status calls_encode(const struct calls_known *known, const struct bytes *content, struct bytes *out)
{
    struct calls_coder c = {.type = SECTION_CODED_CALLS};
    struct range_encoder encoder;
    if (content->length > CODED_CALLS_MAX)
        return PILGRIM_DAMAGED;
    encoder_init(&encoder, out);
    cursor_init(&c.in, content->data, content->length);
    enum pilgrim_status status = run(&c, known, content->length, &encoder, NULL);
    encoder_end(&encoder);
    if (status == PILGRIM_OK && cursor_left(&c.in) > 0)
        status = PILGRIM_DAMAGED;
    return status == PILGRIM_OK ? bytes_status(out) : status;
}

enum pilgrim_status calls_decode(const struct calls_known *known, uint8_t type, const uint8_t *stored, size_t length,
                                 size_t raw, struct bytes *content)
{
    struct range_decoder decoder;
    struct calls_coder c = {.out = content, .end = content->length + raw, .type = type};
    if (raw > CODED_CALLS_MAX)
        return PILGRIM_DAMAGED;
    decoder_init(&decoder, stored, length);
    enum pilgrim_status status = run(&c, known, raw, NULL, &decoder);
    if (status != PILGRIM_OK || content->failed)
        return content->failed ? PILGRIM_NOMEM : status;
    return content->length == c.end && decoder.position == length ? PILGRIM_OK : PILGRIM_DAMAGED;
}
