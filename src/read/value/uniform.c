/* SPDX-License-Identifier: BSD-3-Clause */
/* Signatures that are the same for all members; see uniform.h. */
#include "read/value/uniform.h"

#include "base/value.h"
#include "read/table/parser.h"

/* The tokens and columns of a signature that are still to come. */
struct uniform_walk {
    const struct shard *shard;
    struct cursor tokens, columns;
    uint32_t next_column;
    unsigned columns_per_slot;
    bool apart; /* ranks and places in memory may differ */
};

static struct uniform_walk begin(const struct shard *v, const struct stored_signature *signature)
{
    const struct shape *shape = &v->shapes[signature->shape];
    const struct bytes *content = &v->content[SECTION_CALLS];
    struct uniform_walk w = {
        .shard = v, .next_column = signature->next_column, .columns_per_slot = signature->is_vector ? 2 : 1};
    cursor_init(&w.tokens, shape->tokens, shape->length);
    cursor_init(&w.columns, signature->columns, (size_t)(content->data + content->length - signature->columns));
    return w;
}

/* Passes the columns of COUNT slots; true if all members have the same there. */
static bool slots_are_constant(struct uniform_walk *w, unsigned count)
{
    bool constant = true;
    for (unsigned i = 0; i < count * w->columns_per_slot; i++) {
        const uint32_t number = reference_resolve(cursor_varint(&w->columns), &w->next_column);
        constant = constant && w->shard->columns[number].kind == EXPRESSION_CONSTANT;
    }
    return constant;
}

/* Passes what follows TAG, but for slots and values. Returns how many values follow it. */
static size_t pass_operands(struct uniform_walk *w, uint8_t tag)
{
    switch (tag) {
    case VALUE_NAME:
    case VALUE_OBJECT:
        cursor_varint(&w->tokens);
        return 0;
    case VALUE_STRING:
    case VALUE_SYMBOL:
        cursor_take(&w->tokens, (size_t)cursor_varint(&w->tokens));
        return 0;
    case VALUE_ARRAY:
    case VALUE_FLAGS:
        return (size_t)cursor_varint(&w->tokens);
    case VALUE_STATUS:
        return cursor_u8(&w->tokens) & STATUS_ERROR ? 5 : 4;
    case VALUE_RANK_BASE:
        return 1;
    case VALUE_REGISTER:
    case VALUE_COMPLETED:
        cursor_varint(&w->tokens);
        return 1;
    case VALUE_EDITED:
        cursor_varint(&w->tokens);
        return 2 * (size_t)cursor_varint(&w->tokens);
    case VALUE_POSTED:
        cursor_u8(&w->tokens);
        return 0;
    default:
        return 0;
    }
}

static bool may_differ(uint8_t tag)
{
    return tag == VALUE_RANK || tag == VALUE_HEAP || tag == VALUE_STACK || tag == VALUE_STATIC || tag == VALUE_DEVICE;
}

/* Passes a value. Recursive: values are nested at most VALUE_NESTING_MAX deep. */
static bool value_is_uniform(struct uniform_walk *w)
{
    const uint8_t tag = cursor_u8(&w->tokens);
    const size_t values = pass_operands(w, tag);
    bool uniform = slots_are_constant(w, value_slots(tag)) || (w->apart && may_differ(tag));
    for (size_t i = 0; i < values && uniform; i++)
        uniform = value_is_uniform(w);
    return uniform;
}

bool signature_is_uniform(const struct shard *v, const struct stored_signature *signature)
{
    const struct shape *shape = &v->shapes[signature->shape];
    if (signature->is_vector || signature->is_unzipped || shape->has_series || shape->has_rank_base)
        return false;
    struct uniform_walk w = begin(v, signature);
    return slots_are_constant(&w, shape->column_count);
}

bool signature_is_uniform_apart(const struct shard *v, const struct stored_signature *signature)
{
    if (signature->is_unzipped || v->shapes[signature->shape].has_series)
        return false;
    struct uniform_walk w = begin(v, signature);
    w.apart = true;
    while (cursor_left(&w.tokens) > 0)
        if (!value_is_uniform(&w))
            return false;
    return true;
}
