/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges two fragments of neighbouring ranks, in time proportional to their content, not to the number of their ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "merge/fragment_data.h"
#include "merge/shape.h"
#include "merge/value_group.h"
#include "sequence/slots.h"

/* Maps the numbers of the fragment that is merged to those of the other fragment. */
struct number_map {
    uint32_t *strings, *functions, *modules, *classes, *shapes,
        *sequences; /* delta sequences need none: they are named by hashes */
    bool *used;     /* NULL: everything; else of each sequence, shape and stored deltas, in this order */
};

static bool sequence_used(const struct number_map *m, uint32_t i)
{
    return !m->used || m->used[i];
}

static bool shape_used(const struct number_map *m, const struct fragment *from, uint32_t i)
{
    return !m->used || m->used[from->sequences.count + i];
}

static bool deltas_used(const struct number_map *m, const struct fragment *from, uint32_t i)
{
    return !m->used || m->used[from->sequences.count + from->shapes.count + i];
}

static enum pilgrim_status map_modules(struct fragment *into, const struct fragment *from, struct number_map *m)
{
    for (uint32_t i = 0; i < from->modules.count; i++) {
        struct cursor c;
        struct bytes b = {0};
        size_t length;
        const uint8_t *data = intern_get(&from->modules, i, &length);
        cursor_init(&c, data, length);
        bytes_put_varint(&b, m->strings[cursor_index(&c, from->strings.count)]);
        const uint64_t id_length = cursor_varint(&c);
        bytes_put_varint(&b, id_length);
        if (id_length == MODULE_IN_PYTHON)
            bytes_put_varint(&b, m->strings[cursor_index(&c, from->strings.count)]);
        else
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
        if (!sequence_used(m, i))
            continue;
        const uint8_t *data = intern_get(&from->sequences, i, &length);
        TRY(intern_add(&into->sequences, data, length, &m->sequences[i]));
    }
    for (uint32_t i = 0; i < from->stored_deltas.count; i++) {
        uint32_t ignored;
        if (!deltas_used(m, from, i))
            continue;
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
        if (!shape_used(m, from, i))
            continue;
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

/* Gives M its tables, which take one allocation. The caller frees m->strings. errors: PILGRIM_NOMEM */
static enum pilgrim_status make_map(const struct fragment *from, struct number_map *m)
{
    size_t total = (size_t)from->strings.count + from->functions.count + from->modules.count + from->classes.count +
                   from->shapes.count + from->sequences.count;
    uint32_t *numbers = malloc(total * sizeof *numbers + 1);
    if (!numbers)
        return PILGRIM_NOMEM;
    *m = (struct number_map){.strings = numbers};
    m->functions = m->strings + from->strings.count;
    m->modules = m->functions + from->functions.count;
    m->classes = m->modules + from->modules.count;
    m->shapes = m->classes + from->classes.count;
    m->sequences = m->shapes + from->shapes.count;
    return PILGRIM_OK;
}

static enum pilgrim_status merge_content(struct fragment *into, struct fragment *from)
{
    struct number_map m;
    TRY(make_map(from, &m));
    enum pilgrim_status status = map_tables(into, from, &m);
    for (uint32_t i = 0; status == PILGRIM_OK && i < from->group_keys.count; i++)
        status = merge_group(into, from, &from->groups[i], &m);
    if (status == PILGRIM_OK)
        status = shares_merge(&into->shares, &from->shares, m.classes);
    free(m.strings);
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
    /* INTO's shards are of ranks between INTO's first RANK_COUNT ranks and FROM's ranks, so FROM cannot join the
     * former. */
    if (into->shard_ranks && from->rank_count) {
        enum pilgrim_status status = fragment_finalise_now(from, into->shard_times);
        if (*from->failed_proof.problem)
            into->failed_proof = from->failed_proof;
        TRY(status);
    }
    if (from->rank_count) {
        TRY(merge_content(into, from));
        into->joined = from->weight;
    }
    TRY(fragment_copy_properties(into, from));
    if (from->shard_ranks)
        into->shard_times = from->shard_times;
    into->call_times |= from->call_times;
    bytes_put(&into->shards, from->shards.data, from->shards.length);
    into->shard_ranks += from->shard_ranks;
    into->calls += from->calls;
    into->plain_bytes += from->plain_bytes;
    bytes_put(&into->times, from->times.data, from->times.length);
    TRY(bytes_status(&into->times));
    return bytes_status(&into->shards);
}

/* ---- without process streams ---- */

static enum pilgrim_status note_hash(void *hashes, int64_t hash)
{
    uint32_t ignored;
    return intern_add(hashes, &hash, sizeof hash, &ignored);
}

/* Marks what value group P uses; the stored deltas by their hashes. */
static enum pilgrim_status mark_value_group(const struct fragment *f, const struct value_group *p, bool *used,
                                            struct intern *hashes)
{
    used[p->sequence] = true;
    for (uint32_t i = 0; i < p->entry_count; i++)
        used[f->sequences.count + p->entries[i].shape] = true;
    for (uint32_t i = 0; i < p->column_count; i++)
        if (p->columns[i].is_stored_deltas)
            TRY(column_visit(&p->columns[i], note_hash, hashes));
    return PILGRIM_OK;
}

static enum pilgrim_status mark_group(const struct fragment *f, const struct structure_group *g, bool *used,
                                      struct intern *hashes)
{
    used[g->sequence] = true;
    for (uint32_t i = 0; i < g->classes.loop_count; i++)
        used[g->classes.bodies[i]] = true;
    for (uint32_t i = 0; i < g->classes.count; i++)
        for (uint32_t k = 0; k < g->value_groups[i].count; k++)
            TRY(mark_value_group(f, &f->value_groups[g->value_groups[i].value_groups[k]], used, hashes));
    return PILGRIM_OK;
}

/* Marks what the threads of F use. */
static enum pilgrim_status mark_used(const struct fragment *f, bool *used)
{
    struct intern hashes = {0};
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; status == PILGRIM_OK && i < f->group_keys.count; i++)
        if (!f->groups[i].process)
            status = mark_group(f, &f->groups[i], used, &hashes);
    for (uint32_t i = 0; status == PILGRIM_OK && i < f->stored_deltas.count; i++) {
        size_t length;
        uint32_t before = hashes.count, number;
        const uint8_t *data = intern_get(&f->stored_deltas, i, &length);
        int64_t hash = stored_deltas_hash(data, length);
        status = intern_add(&hashes, &hash, sizeof hash, &number);
        used[f->sequences.count + f->shapes.count + i] = status == PILGRIM_OK && number < before;
    }
    intern_free(&hashes);
    return status;
}

/* Moves the threads of FROM to INTO, whose only rank has none yet. */
static enum pilgrim_status move_threads(struct fragment *into, struct fragment *from, struct number_map *m)
{
    TRY(mark_used(from, m->used));
    TRY(map_tables(into, from, m));
    for (uint32_t i = 0; i < from->group_keys.count; i++)
        if (!from->groups[i].process)
            TRY(merge_group(into, from, &from->groups[i], m));
    shares_free(&into->shares);
    TRY(shares_merge(&into->shares, &from->shares, m->classes));
    nested_runs_free(&into->thread_counts);
    TRY(nested_runs_copy(&into->thread_counts, &from->thread_counts));
    into->thread_total = from->thread_total;
    into->calls = from->calls;
    into->plain_bytes = from->plain_bytes;
    into->call_times = from->call_times;
    TRY(fragment_copy_properties(into, from));
    into->times = from->times;
    from->times = (struct bytes){0};
    return PILGRIM_OK;
}

enum pilgrim_status fragment_drop_process(struct fragment **f)
{
    static const struct vocabulary nothing;
    struct fragment *from = *f, *into = fragment_new(from->first_rank);
    struct stream *process = stream_new(&nothing, NULL);
    struct number_map m = {0};
    enum pilgrim_status status = from->rank_count == 1 && !from->shard_ranks ? PILGRIM_OK : PILGRIM_INVALID;
    if (status == PILGRIM_OK)
        status = into && process ? fragment_add_rank(into, process, NULL, 0) : PILGRIM_NOMEM;
    stream_free(process);
    if (status == PILGRIM_OK)
        status = make_map(from, &m);
    m.used = calloc((size_t)from->sequences.count + from->shapes.count + from->stored_deltas.count + 1, 1);
    if (status == PILGRIM_OK)
        status = m.used ? move_threads(into, from, &m) : PILGRIM_NOMEM;
    free(m.used);
    free(m.strings);
    fragment_free(from);
    *f = into;
    return status;
}
