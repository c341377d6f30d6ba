/* SPDX-License-Identifier: BSD-3-Clause */
/* Two fragments of neighbouring ranks become one, in time proportional to what they hold, not to the ranks that they
 * stand for. */
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "merge/fragment_data.h"
#include "merge/shape.h"

/* From the numbers of the fragment that is used up to those of the other. */
struct number_map {
    uint32_t *strings, *functions, *modules, *classes, *shapes, *sequences; /* lists are known by their hashes */
};

static enum pilgrim_status map_modules(struct fragment *into, const struct fragment *from, struct number_map *m)
{
    for (uint32_t i = 0; i < from->modules.count; i++) {
        struct cursor c;
        struct bytes b = {0};
        size_t length;
        const uint8_t *data = intern_get(&from->modules, i, &length);
        cursor_init(&c, data, length);
        bytes_put_varint(&b, m->strings[cursor_index(&c, from->strings.count)]);
        bytes_put(&b, data + c.position, cursor_left(&c));
        TRY(intern_bytes(&into->modules, &b, &m->modules[i]));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status map_classes(struct fragment *into, const struct fragment *from, struct number_map *m)
{
    for (uint32_t i = 0; i < from->classes.count; i++) {
        struct cursor c;
        struct bytes b = {0};
        size_t length;
        const uint8_t *data = intern_get(&from->classes, i, &length);
        cursor_init(&c, data, length);
        size_t function = cursor_index(&c, (size_t)from->functions.count << 1);
        bytes_put_varint(&b, (uint64_t)m->functions[function >> 1] << 1 | (function & 1));
        size_t frames = cursor_index(&c, SITE_FRAMES_MAX + 1);
        bytes_put_varint(&b, frames);
        for (size_t k = 0; k < frames; k++) {
            bytes_put_varint(&b, m->modules[cursor_index(&c, from->modules.count)]);
            bytes_put_varint(&b, cursor_varint(&c));
        }
        TRY(intern_bytes(&into->classes, &b, &m->classes[i]));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status map_tables(struct fragment *into, const struct fragment *from, struct number_map *m)
{
    size_t length;
    for (uint32_t i = 0; i < from->strings.count; i++) {
        const uint8_t *data = intern_get(&from->strings, i, &length);
        TRY(intern_add(&into->strings, data, length, &m->strings[i]));
    }
    for (uint32_t i = 0; i < from->sequences.count; i++) {
        const uint8_t *data = intern_get(&from->sequences, i, &length);
        TRY(intern_add(&into->sequences, data, length, &m->sequences[i]));
    }
    for (uint32_t i = 0; i < from->stored_deltas.count; i++) {
        uint32_t ignored;
        const uint8_t *data = intern_get(&from->stored_deltas, i, &length);
        TRY(intern_add(&into->stored_deltas, data, length, &ignored));
    }
    for (uint32_t i = 0; i < from->functions.count; i++) {
        const uint8_t *data = intern_get(&from->functions, i, &length);
        TRY(intern_add(&into->functions, data, length, &m->functions[i]));
    }
    TRY(map_modules(into, from, m));
    TRY(map_classes(into, from, m));
    for (uint32_t i = 0; i < from->shapes.count; i++) {
        struct bytes b = {0};
        const uint8_t *data = intern_get(&from->shapes, i, &length);
        enum pilgrim_status status = shape_rewrite(data, length, m->strings, from->strings.count, &b);
        if (status != PILGRIM_OK) {
            bytes_free(&b);
            return status;
        }
        TRY(intern_bytes(&into->shapes, &b, &m->shapes[i]));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status merge_value_group(struct fragment *into, uint32_t group, struct value_group *p,
                                             const struct number_map *m, uint64_t first_member)
{
    uint32_t number;
    for (uint32_t i = 0; i < p->entry_count; i++)
        p->entries[i].shape = m->shapes[p->entries[i].shape];
    TRY(fragment_value_group(into, group, p->class_index, m->sequences[p->sequence], p->entries, p->entry_count,
                             &number));
    return value_group_join(&into->value_groups[number], p, first_member);
}

static enum pilgrim_status merge_group(struct fragment *into, struct fragment *from, const struct structure_group *g,
                                       const struct number_map *m)
{
    struct class_list list = {.count = g->classes.count, .loop_count = g->classes.loop_count};
    list.classes = malloc(((size_t)list.count + list.loop_count) * sizeof *list.classes + 1);
    if (!list.classes)
        return PILGRIM_NOMEM;
    list.bodies = list.classes + list.count;
    for (uint32_t i = 0; i < list.count; i++)
        list.classes[i] = m->classes[g->classes.classes[i]];
    for (uint32_t i = 0; i < list.loop_count; i++)
        list.bodies[i] = m->sequences[g->classes.bodies[i]];
    uint32_t number;
    enum pilgrim_status status = fragment_group(into, g->process, m->sequences[g->sequence], &list, &number);
    free(list.classes);
    if (status != PILGRIM_OK)
        return status;
    uint64_t first_member = into->groups[number].member_count;
    for (uint32_t i = 0; i < g->classes.count; i++)
        for (uint32_t k = 0; k < g->value_groups[i].count; k++)
            TRY(merge_value_group(into, number, &from->value_groups[g->value_groups[i].value_groups[k]], m,
                                  first_member));
    into->groups[number].member_count += g->member_count;
    uint64_t member_offset = g->process ? into->rank_count : into->thread_total;
    return column_join(&into->groups[number].members, &g->members, (int64_t)member_offset);
}

static enum pilgrim_status merge_content(struct fragment *into, struct fragment *from)
{
    size_t total = (size_t)from->strings.count + from->functions.count + from->modules.count + from->classes.count +
                   from->shapes.count + from->sequences.count;
    uint32_t *numbers = malloc(total * sizeof *numbers + 1);
    if (!numbers)
        return PILGRIM_NOMEM;
    struct number_map m = {.strings = numbers};
    m.functions = m.strings + from->strings.count;
    m.modules = m.functions + from->functions.count;
    m.classes = m.modules + from->modules.count;
    m.shapes = m.classes + from->classes.count;
    m.sequences = m.shapes + from->shapes.count;
    enum pilgrim_status status = map_tables(into, from, &m);
    for (uint32_t i = 0; status == PILGRIM_OK && i < from->group_keys.count; i++)
        status = merge_group(into, from, &from->groups[i], &m);
    if (status == PILGRIM_OK)
        status = shares_merge(&into->shares, &from->shares, m.classes);
    free(numbers);
    if (status == PILGRIM_OK)
        status = nested_runs_join(&into->thread_counts, &from->thread_counts);
    into->rank_count += from->rank_count;
    into->thread_total += from->thread_total;
    return status;
}

enum pilgrim_status fragment_merge(struct fragment *into, struct fragment *from)
{
    if (from->first_rank != into->first_rank + fragment_ranks(into))
        return PILGRIM_INVALID;
    /* The ranks of INTO's shards lie between those that it holds and those that FROM holds. */
    if (into->shard_ranks && from->rank_count) {
        enum pilgrim_status status = fragment_finalise_now(from, into->shard_times);
        if (*from->doubt.problem)
            into->doubt = from->doubt;
        TRY(status);
    }
    if (from->rank_count) {
        TRY(merge_content(into, from));
        into->joined = from->weight;
    }
    TRY(fragment_copy_properties(into, from));
    if (from->shard_ranks)
        into->shard_times = from->shard_times;
    bytes_put(&into->shards, from->shards.data, from->shards.length);
    into->shard_ranks += from->shard_ranks;
    into->calls += from->calls;
    into->plain_bytes += from->plain_bytes;
    bytes_put(&into->times, from->times.data, from->times.length);
    TRY(bytes_status(&into->times));
    return bytes_status(&into->shards);
}
