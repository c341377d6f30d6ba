/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns columns into expressions; see expressions.h. */
#include "write/expressions.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/try.h"
#include "rules/block.h"
#include "sequence/slots.h"

/* A kind that the file does not have: a delta sequence for each member. Its numbers in the file are known only when the
 * rulebook is finished; then it is written as CONSTANT or LIST. */
enum { EXPRESSION_REFERENCES = EXPRESSION_KIND_COUNT };

/* A column may become a block if it has PACKED_MIN values. The block is chosen if it is shorter than the list by at
 * least 1/PACKED_PART of itself. */
enum { PACKED_MIN = 64, PACKED_PART = 16 };

/* Coding predicts the numbers of a list better than the rules and symbols of a sequence, by so many bytes a column. */
enum { LIST_ADVANTAGE = 24 };

struct expression {
    int64_t constant; /* c, or the first value */
    int64_t n;
    uint32_t kind;
    uint32_t number; /* SUMS: of the sequence in the rulebook; LIST, REFERENCES: in their tables */
};

struct stored_deltas {
    UT_hash_handle hh;
    int64_t hash;
    uint32_t sequence; /* of the rulebook; for texts: TEXTS + the first one's number in the file's strings */
};

/* Marks the number of a text, which is not in the rulebook. */
#define TEXTS (UINT32_C(1) << 31)

void expressions_free(struct expressions *e)
{
    struct stored_deltas *list, *next;
    HASH_ITER(hh, e->stored_deltas, list, next)
    {
        HASH_DEL(e->stored_deltas, list);
        free(list);
    }
    intern_free(&e->choices);
    intern_free(&e->chosen);
    intern_free(&e->values);
    intern_free(&e->references);
    compressor_free(&e->compressor);
    free(e->votes);
}

static enum pilgrim_status intern_expression(struct intern *t, const struct expression *x, uint32_t *number)
{
    return intern_add(t, x, sizeof *x, number);
}

static struct expression expression_of(enum expression_kind kind, int64_t constant, int64_t n)
{
    struct expression x;
    memset(&x, 0, sizeof x);
    x.kind = kind;
    x.constant = constant;
    x.n = n;
    return x;
}

/* ---- sequences ---- */

/* Turns COUNT items into symbols; blocks of the nested runs become rules. The caller frees *SYMBOLS. */
static enum pilgrim_status items_symbols(struct rulebook *rulebook, const struct nested_run *items, size_t count,
                                         struct rulebook_symbol **symbols, size_t *symbol_count)
{
    *symbol_count = 0;
    *symbols = malloc(count * sizeof **symbols + 1);
    if (!*symbols)
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < count; i++) {
        struct rulebook_symbol *s = &(*symbols)[(*symbol_count)++];
        if (!(items[i].exponent & NESTED_RUN_BEGIN)) {
            *s = (struct rulebook_symbol){.value = zigzag(items[i].value), .exponent = items[i].exponent};
            continue;
        }
        struct rulebook_symbol *body;
        size_t size = (size_t)items[i].value, body_count;
        uint32_t rule = 0;
        enum pilgrim_status status = items_symbols(rulebook, &items[i + 1], size, &body, &body_count);
        if (status == PILGRIM_OK)
            status = rulebook_rule(rulebook, body, body_count, &rule);
        free(body);
        TRY(status);
        i += size + 1;
        *s = (struct rulebook_symbol){.value = rule, .exponent = items[i].exponent & ~NESTED_RUN_END, .is_rule = true};
    }
    return PILGRIM_OK;
}

static enum pilgrim_status nested_runs_sequence(struct rulebook *rulebook, const struct nested_runs *r,
                                                uint32_t *sequence)
{
    struct nested_runs closed;
    struct rulebook_symbol *symbols = NULL;
    size_t count;
    enum pilgrim_status status = nested_runs_copy(&closed, r);
    if (status == PILGRIM_OK)
        status = nested_runs_close(&closed);
    if (status == PILGRIM_OK)
        status = items_symbols(rulebook, closed.items, closed.count, &symbols, &count);
    if (status == PILGRIM_OK)
        status = rulebook_sequence(rulebook, symbols, count, false, sequence);
    free(symbols);
    nested_runs_free(&closed);
    return status;
}

enum pilgrim_status expressions_sequence(struct expressions *e, int64_t first, const struct nested_runs *differences,
                                         uint32_t *number)
{
    struct expression x = expression_of(EXPRESSION_SUMS, first, 0);
    TRY(nested_runs_sequence(e->rulebook, differences, &x.number));
    return intern_expression(&e->chosen, &x, number);
}

/* ---- delta sequences ---- */

static enum pilgrim_status stored_deltas_sequence(struct expressions *e, const uint8_t *data, size_t length,
                                                  uint32_t *sequence)
{
    struct nested_runs r = {0};
    struct cursor in;
    cursor_init(&in, data, length);
    uint32_t texts = stored_deltas_text_count(data, length);
    if (texts) {
        *sequence = TEXTS + e->next_text;
        e->next_text += texts;
        return texts < TEXTS - 1 && e->next_text < TEXTS - 1 ? PILGRIM_OK : PILGRIM_LIMIT;
    }
    if (cursor_u8(&in) == STORED_DELTAS_GRAMMAR)
        return rulebook_serialised(e->rulebook, data + 1, length - 1, false, sequence);
    enum pilgrim_status status = nested_runs_unpack(&in, &r);
    if (status == PILGRIM_OK)
        status = nested_runs_sequence(e->rulebook, &r, sequence);
    nested_runs_free(&r);
    return status;
}

enum pilgrim_status expressions_stored_deltas(struct expressions *e, const uint8_t *data, size_t length)
{
    struct stored_deltas *list, *same_hash;
    uint32_t sequence;
    TRY(stored_deltas_sequence(e, data, length, &sequence));
    list = malloc(sizeof *list);
    if (!list)
        return PILGRIM_NOMEM;
    list->hash = stored_deltas_hash(data, length);
    list->sequence = sequence;
    HASH_FIND(hh, e->stored_deltas, &list->hash, sizeof list->hash, same_hash);
    if (!same_hash)
        HASH_ADD(hh, e->stored_deltas, hash, sizeof list->hash, list);
    if (same_hash || !list->hh.tbl) {
        free(list);
        return same_hash ? PILGRIM_LIMIT : PILGRIM_NOMEM;
    }
    return PILGRIM_OK;
}

/* Collects the numbers of the delta sequences that a column names. */
struct naming {
    const struct expressions *e;
    struct bytes numbers;
};

static enum pilgrim_status name_stored_deltas(void *context, int64_t hash)
{
    struct naming *n = context;
    struct stored_deltas *list = NULL;
    uint32_t sequence = UINT32_MAX; /* stands for hash 0: all differences are 0 */
    if (hash) {
        HASH_FIND(hh, n->e->stored_deltas, &hash, sizeof hash, list);
        if (!list)
            return PILGRIM_DAMAGED;
        sequence = list->sequence;
    }
    bytes_put_u32(&n->numbers, sequence);
    return PILGRIM_OK;
}

static enum pilgrim_status add_stored_deltas(struct expressions *e, const struct column *c, struct expression *x)
{
    struct naming n = {.e = e};
    int64_t constant, ignored;
    bool same = column_is(c, EXPRESSION_CONSTANT, &constant, &ignored);
    enum pilgrim_status status = same ? name_stored_deltas(&n, constant) : column_visit(c, name_stored_deltas, &n);
    if (status == PILGRIM_OK)
        status = bytes_status(&n.numbers);
    if (status == PILGRIM_OK)
        status = intern_add(&e->references, n.numbers.data, n.numbers.length, &x->number);
    x->kind = EXPRESSION_REFERENCES;
    bytes_free(&n.numbers);
    return status;
}

/* ---- columns ---- */

/* A column of one member can be given by every function and says little about which one is meant. A longer column has
 * as many votes as this many short ones. */
enum { VOTES_OF_MANY = 64 };

enum pilgrim_status expressions_vote(struct expressions *e, const struct column *c)
{
    for (enum expression_kind kind = EXPRESSION_CONSTANT; kind <= EXPRESSION_MODULO && !c->is_stored_deltas; kind++) {
        int64_t constant, n;
        uint32_t choice;
        if (!column_is(c, kind, &constant, &n))
            continue;
        struct expression x = expression_of(kind, constant, n);
        TRY(intern_expression(&e->choices, &x, &choice));
        if (choice >= e->vote_capacity) {
            uint32_t capacity = choice * 2 + 64;
            uint32_t *votes = realloc(e->votes, capacity * sizeof *votes);
            if (!votes)
                return PILGRIM_NOMEM;
            memset(votes + e->vote_capacity, 0, (capacity - e->vote_capacity) * sizeof *votes);
            e->votes = votes;
            e->vote_capacity = capacity;
        }
        e->votes[choice] += c->length > 1 ? VOTES_OF_MANY : 1;
    }
    return PILGRIM_OK;
}

static size_t svarint_size(int64_t value)
{
    size_t size = 1;
    for (uint64_t code = zigzag(value); code >= 128; code >>= 7)
        size++;
    return size;
}

/* Chooses the expression with most votes, then the shortest, then the first kind. A constant gives way only to one that
 * some column of several members could have. *FOUND is false if no function of the rank gives the values. */
static enum pilgrim_status choose(struct expressions *e, const struct column *c, struct expression *best, bool *found)
{
    uint32_t best_votes = 0;
    *found = false;
    enum expression_kind last = e->constants ? EXPRESSION_CONSTANT : EXPRESSION_MODULO;
    for (enum expression_kind kind = EXPRESSION_CONSTANT; kind <= last; kind++) {
        int64_t constant, n;
        uint32_t choice;
        if (!column_is(c, kind, &constant, &n))
            continue;
        struct expression x = expression_of(kind, constant, n);
        TRY(intern_expression(&e->choices, &x, &choice));
        uint32_t votes = choice < e->vote_capacity ? e->votes[choice] : 0;
        bool shorter = svarint_size(constant) < svarint_size(best->constant);
        if (*found && votes < VOTES_OF_MANY && best->kind == EXPRESSION_CONSTANT)
            continue;
        if (*found && (votes < best_votes || (votes == best_votes && !shorter)))
            continue;
        *best = x;
        best_votes = votes;
        *found = true;
    }
    return PILGRIM_OK;
}

/* The values of a column as the file has them in a list, with the least and the largest. */
struct values {
    struct bytes list;
    int64_t low, high;
    int64_t last;
    size_t size; /* of their differences, which are what is coded */
};

static enum pilgrim_status put_value(void *context, int64_t value)
{
    struct values *v = context;
    bytes_put_svarint(&v->list, value);
    v->size += svarint_size((int64_t)((uint64_t)value - (uint64_t)v->last));
    v->last = value;
    v->low = value < v->low ? value : v->low;
    v->high = value > v->high ? value : v->high;
    return PILGRIM_OK;
}

#define NO_SEQUENCE (SIZE_MAX / 2)

/* Estimates the bytes of the column's differences as symbols of a sequence. NO_SEQUENCE: one of them does not fit a
 * terminal. */
static size_t sequence_size(const struct nested_runs *r)
{
    size_t size = 3;
    struct nested_run item;
    for (size_t at = 0; nested_runs_next(r, &at, &item);) {
        uint64_t code = zigzag(item.value);
        bool mark = item.exponent & (NESTED_RUN_BEGIN | NESTED_RUN_END);
        if (!mark && code >= UINT64_C(1) << 62)
            return NO_SEQUENCE;
        size += mark ? 2 : svarint_size((int64_t)(code << 1)) + (item.exponent > 1) + (item.exponent > 64);
    }
    return size;
}

/* True if the column's differences would become a block (rules/block.h) that is shorter than the compressed list V. */
static bool packs_well(struct expressions *e, const struct column *c, const struct values *v)
{
    uint64_t width = 1;
    while (width < BLOCK_WIDTH_MAX && ((uint64_t)v->high - (uint64_t)v->low) >> width != 0)
        width++;
    if (c->length < PACKED_MIN)
        return false;
    size_t packed = (size_t)(c->length / 8 * width);
    return packed + packed / PACKED_PART < compressed_length(&e->compressor, v->list.data, v->list.length);
}

/* Writes a column that is no function of the rank: as a sequence of differences or as a list, whichever is shorter. */
static enum pilgrim_status add_values(struct expressions *e, const struct column *c, struct expression *x)
{
    size_t size = sequence_size(&c->differences);
    struct values v = {.low = INT64_MAX, .high = INT64_MIN};
    enum pilgrim_status status = PILGRIM_OK;
    /* A list takes at least a byte for each value, so it is not tried if that alone is longer. */
    if (size + LIST_ADVANTAGE > c->length) {
        bytes_put_varint(&v.list, c->length);
        v.size = v.list.length;
        v.last = c->first;
        status = column_visit(c, put_value, &v);
        if (status == PILGRIM_OK)
            status = bytes_status(&v.list);
    }
    if (status == PILGRIM_OK && v.list.length && v.size <= size + LIST_ADVANTAGE &&
        (size == NO_SEQUENCE || !packs_well(e, c, &v))) {
        x->kind = EXPRESSION_LIST;
        status = intern_add(&e->values, v.list.data, v.list.length, &x->number);
    } else if (status == PILGRIM_OK) {
        *x = expression_of(EXPRESSION_SUMS, c->first, 0);
        status = nested_runs_sequence(e->rulebook, &c->differences, &x->number);
    }
    bytes_free(&v.list);
    return status;
}

enum pilgrim_status expressions_add(struct expressions *e, const struct column *c, uint32_t *number)
{
    struct expression x = expression_of(EXPRESSION_CONSTANT, 0, 0);
    bool found = c->is_stored_deltas;
    if (c->is_stored_deltas)
        TRY(add_stored_deltas(e, c, &x));
    else if (!e->plain)
        TRY(choose(e, c, &x, &found));
    if (!found)
        TRY(add_values(e, c, &x));
    return intern_expression(&e->chosen, &x, number);
}

/* ---- the file's table ---- */

static void write_references(const struct expressions *e, const struct expression *x, struct bytes *out)
{
    size_t length;
    struct cursor in;
    const uint8_t *numbers = intern_get(&e->references, x->number, &length);
    size_t count = length / sizeof(uint32_t);
    cursor_init(&in, numbers, length);
    bytes_put_varint(out, count > 1 ? EXPRESSION_LIST : EXPRESSION_CONSTANT);
    if (count > 1)
        bytes_put_varint(out, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t sequence = cursor_u32(&in);
        if (sequence == UINT32_MAX)
            bytes_put_svarint(out, 0);
        else
            bytes_put_svarint(out, sequence & TEXTS ? (int64_t)(sequence & ~TEXTS)
                                                    : (int64_t)rulebook_reference(e->rulebook, sequence));
    }
}

static void write_expression(const struct expressions *e, const struct expression *x, struct bytes *out)
{
    size_t length;
    const uint8_t *values;
    if (x->kind == EXPRESSION_REFERENCES) {
        write_references(e, x, out);
        return;
    }
    bytes_put_varint(out, x->kind);
    if (x->kind == EXPRESSION_LIST) {
        values = intern_get(&e->values, x->number, &length);
        bytes_put(out, values, length);
        return;
    }
    bytes_put_svarint(out, x->constant);
    if (x->kind == EXPRESSION_MODULO)
        bytes_put_varint(out, (uint64_t)x->n);
    if (x->kind == EXPRESSION_SUMS)
        bytes_put_varint(out, rulebook_reference(e->rulebook, x->number));
}

void expressions_write(const struct expressions *e, struct bytes *out)
{
    bytes_put_varint(out, e->chosen.count);
    for (uint32_t i = 0; i < e->chosen.count; i++) {
        struct expression x;
        size_t length;
        memcpy(&x, intern_get(&e->chosen, i, &length), sizeof x);
        write_expression(e, &x, out);
    }
}
