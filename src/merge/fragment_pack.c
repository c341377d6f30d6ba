/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs fragments for other processes of the same run.
 *
 * The same library has sent what arrives. It is still read through a cursor with bounds checks: a broken message must
 * not crash the program. */
#include <stdlib.h>

#include "base/try.h"
#include "merge/fragment_data.h"

static void pack_table(const struct intern *t, struct bytes *out)
{
    bytes_put_varint(out, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        size_t length;
        const uint8_t *data = intern_get(t, i, &length);
        bytes_put_varint(out, length);
        bytes_put(out, data, length);
    }
}

static enum pilgrim_status unpack_table(struct cursor *in, struct intern *t)
{
    size_t count = cursor_count(in, 1);
    for (size_t i = 0; i < count; i++) {
        size_t length = cursor_count(in, 1);
        const uint8_t *data = cursor_take(in, length);
        uint32_t number;
        if (in->status != PILGRIM_OK)
            return PILGRIM_DAMAGED;
        TRY(intern_add(t, data, length, &number));
        if (number != i)
            return PILGRIM_DAMAGED;
    }
    return in->status;
}

static void pack_numbers(const uint32_t *numbers, uint32_t count, struct bytes *out)
{
    bytes_put_varint(out, count);
    for (uint32_t i = 0; i < count; i++)
        bytes_put_varint(out, numbers[i]);
}

/* Reads *COUNT numbers below LIMIT. The caller frees *NUMBERS. */
static enum pilgrim_status unpack_numbers(struct cursor *in, uint32_t limit, uint32_t **numbers, uint32_t *count)
{
    *count = (uint32_t)cursor_count(in, 1);
    *numbers = malloc(*count * sizeof **numbers + 1);
    if (!*numbers)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < *count; i++)
        (*numbers)[i] = (uint32_t)cursor_index(in, limit);
    return in->status;
}

static void pack_value_group(const struct value_group *p, struct bytes *out)
{
    bytes_put_varint(out, p->group);
    bytes_put_varint(out, p->class_index);
    bytes_put_varint(out, p->sequence);
    bytes_put_varint(out, p->entry_count);
    for (uint32_t i = 0; i < p->entry_count; i++) {
        bytes_put_varint(out, p->entries[i].shape);
        bytes_put_varint(out, p->entries[i].count);
    }
    pack_numbers(p->slots, p->slot_count, out);
    bytes_put_varint(out, p->column_count);
    for (uint32_t i = 0; i < p->column_count; i++)
        column_pack(&p->columns[i], out);
    column_pack(&p->members, out);
    bytes_put_varint(out, p->statistics.length);
    bytes_put(out, p->statistics.data, p->statistics.length);
}

static void pack_group(const struct structure_group *g, struct bytes *out)
{
    bytes_put_u8(out, g->process);
    bytes_put_varint(out, g->sequence);
    pack_numbers(g->classes.classes, g->classes.count, out);
    pack_numbers(g->classes.bodies, g->classes.loop_count, out);
    column_pack(&g->members, out);
    bytes_put_varint(out, g->member_count);
}

static const struct intern *content_table(const struct fragment *f, unsigned i)
{
    const struct intern *tables[] = {&f->strings, &f->properties, &f->functions, &f->modules,
                                     &f->classes, &f->shapes,     &f->sequences, &f->stored_deltas};
    return i < sizeof tables / sizeof tables[0] ? tables[i] : NULL;
}

void fragment_pack_content(const struct fragment *f, struct bytes *out)
{
    bytes_put_varint(out, f->first_rank);
    bytes_put_varint(out, f->rank_count);
    bytes_put_varint(out, f->thread_total);
    nested_runs_pack(&f->thread_counts, out);
    bytes_put_varint(out, f->calls);
    bytes_put_varint(out, f->plain_bytes);
    bytes_put_u8(out, f->call_times);
    for (unsigned i = 0; content_table(f, i); i++)
        pack_table(content_table(f, i), out);
    bytes_put_varint(out, f->group_keys.count);
    for (uint32_t i = 0; i < f->group_keys.count; i++)
        pack_group(&f->groups[i], out);
    bytes_put_varint(out, f->value_group_keys.count);
    for (uint32_t i = 0; i < f->value_group_keys.count; i++)
        pack_value_group(&f->value_groups[i], out);
}

void fragment_pack(const struct fragment *f, struct bytes *out)
{
    fragment_pack_content(f, out);
    shares_pack(&f->shares, out);
    bytes_put_varint(out, f->shard_ranks);
    bytes_put_u8(out, f->shard_times);
    bytes_put_varint(out, f->shards.length);
    bytes_put(out, f->shards.data, f->shards.length);
}

static enum pilgrim_status unpack_group(struct cursor *in, struct fragment *f, uint32_t expected)
{
    bool process = cursor_u8(in);
    uint32_t sequence = (uint32_t)cursor_index(in, f->sequences.count);
    struct class_list list = {0};
    uint32_t number;
    enum pilgrim_status status = unpack_numbers(in, f->classes.count, &list.classes, &list.count);
    if (status == PILGRIM_OK)
        status = unpack_numbers(in, f->sequences.count, &list.bodies, &list.loop_count);
    if (status == PILGRIM_OK && list.loop_count > list.count)
        status = PILGRIM_DAMAGED;
    if (status == PILGRIM_OK)
        status = fragment_group(f, process, sequence, &list, &number);
    free(list.classes);
    free(list.bodies);
    if (status != PILGRIM_OK)
        return status;
    if (number != expected)
        return PILGRIM_DAMAGED;
    struct structure_group *g = &f->groups[number];
    TRY(column_unpack(in, &g->members));
    g->member_count = cursor_varint(in);
    return in->status;
}

/* The caller frees *ENTRIES. */
static enum pilgrim_status unpack_entries(struct cursor *in, const struct fragment *f, struct signature_entry **entries,
                                          uint32_t *count)
{
    *count = (uint32_t)cursor_count(in, 2);
    *entries = malloc(*count * sizeof **entries + 1);
    if (!*entries)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < *count; i++) {
        (*entries)[i].shape = (uint32_t)cursor_index(in, f->shapes.count);
        (*entries)[i].count = (uint32_t)cursor_index(in, UINT32_MAX);
    }
    return in->status;
}

static enum pilgrim_status unpack_columns(struct cursor *in, const struct fragment *f, struct value_group *p)
{
    uint32_t slots, count;
    TRY(fragment_slots(f, p->entries, p->entry_count, &slots));
    TRY(unpack_numbers(in, UINT32_MAX, &p->slots, &p->slot_count));
    count = (uint32_t)cursor_count(in, 3);
    p->columns = calloc((size_t)count + 1, sizeof *p->columns);
    if (!p->columns)
        return PILGRIM_NOMEM;
    while (p->column_count < count)
        TRY(column_unpack(in, &p->columns[p->column_count++]));
    for (uint32_t i = 0; i < p->slot_count; i++)
        if (p->slots[i] >= count)
            return PILGRIM_DAMAGED;
    if (slots != p->slot_count)
        return PILGRIM_DAMAGED;
    TRY(column_unpack(in, &p->members));
    size_t length = cursor_count(in, 1);
    bytes_put(&p->statistics, cursor_take(in, length), length);
    return bytes_status(&p->statistics);
}

static enum pilgrim_status unpack_value_group(struct cursor *in, struct fragment *f, uint32_t expected)
{
    uint32_t group = (uint32_t)cursor_index(in, f->group_keys.count);
    if (in->status != PILGRIM_OK)
        return in->status;
    uint32_t class_index = (uint32_t)cursor_index(in, f->groups[group].classes.count);
    uint32_t sequence = (uint32_t)cursor_index(in, f->sequences.count);
    struct signature_entry *entries;
    uint32_t count, number;
    enum pilgrim_status status = unpack_entries(in, f, &entries, &count);
    if (status == PILGRIM_OK)
        status = fragment_value_group(f, group, class_index, sequence, entries, count, &number);
    free(entries);
    if (status != PILGRIM_OK)
        return status;
    return number == expected ? unpack_columns(in, f, &f->value_groups[number]) : PILGRIM_DAMAGED;
}

static enum pilgrim_status unpack(struct cursor *in, struct fragment *f)
{
    f->rank_count = (uint32_t)cursor_varint(in);
    f->thread_total = cursor_varint(in);
    TRY(nested_runs_unpack(in, &f->thread_counts));
    f->calls = cursor_varint(in);
    f->plain_bytes = cursor_varint(in);
    f->call_times = cursor_u8(in);
    struct intern *tables[] = {&f->strings, &f->properties, &f->functions, &f->modules,
                               &f->classes, &f->shapes,     &f->sequences, &f->stored_deltas};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        TRY(unpack_table(in, tables[i]));
    size_t groups = cursor_count(in, 1);
    for (size_t i = 0; i < groups; i++)
        TRY(unpack_group(in, f, (uint32_t)i));
    size_t value_groups = cursor_count(in, 1);
    for (size_t i = 0; i < value_groups; i++)
        TRY(unpack_value_group(in, f, (uint32_t)i));
    f->weight = in->position;
    TRY(shares_unpack(in, f->rank_count, f->classes.count, &f->shares));
    f->shard_ranks = (uint32_t)cursor_varint(in);
    f->shard_times = cursor_u8(in);
    size_t length = cursor_count(in, 1);
    bytes_put(&f->shards, cursor_take(in, length), length);
    TRY(bytes_status(&f->shards));
    return in->status == PILGRIM_OK && cursor_left(in) == 0 ? PILGRIM_OK : PILGRIM_DAMAGED;
}

enum pilgrim_status fragment_unpack(const void *data, size_t length, struct fragment **f)
{
    struct cursor in;
    cursor_init(&in, data, length);
    *f = fragment_new((uint32_t)cursor_varint(&in));
    if (!*f)
        return PILGRIM_NOMEM;
    enum pilgrim_status status = unpack(&in, *f);
    if (status != PILGRIM_OK) {
        fragment_free(*f);
        *f = NULL;
    }
    return status;
}

enum pilgrim_status fragment_copy(const struct fragment *f, uint32_t first_rank, struct fragment **copy)
{
    struct bytes packed = {0};
    *copy = NULL;
    fragment_pack(f, &packed);
    enum pilgrim_status status = bytes_status(&packed);
    if (status == PILGRIM_OK)
        status = fragment_unpack(packed.data, packed.length, copy);
    bytes_free(&packed);
    if (status == PILGRIM_OK)
        (*copy)->first_rank = first_rank;
    return status;
}
