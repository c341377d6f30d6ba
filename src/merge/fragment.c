/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a fragment. Everything is stored once by content (base/intern.h); what differs between the members of a
 * group is in columns. fragment_streams.c adds streams, fragment_merge.c merges two fragments. */
#define _GNU_SOURCE 1 /* memmem */
#include "merge/fragment.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "merge/fragment_data.h"
#include "merge/shape.h"
#include "merge/value_group.h"

struct fragment *fragment_new(uint32_t first_rank)
{
    struct fragment *f = calloc(1, sizeof *f);
    if (f)
        f->first_rank = first_rank;
    return f;
}

void value_group_free(struct value_group *p)
{
    for (uint32_t i = 0; i < p->column_count; i++)
        column_free(&p->columns[i]);
    free(p->columns);
    free(p->slots);
    free(p->entries);
    column_free(&p->members);
    bytes_free(&p->statistics);
}

static void group_free(struct structure_group *g)
{
    for (uint32_t i = 0; g->value_groups && i < g->classes.count; i++)
        free(g->value_groups[i].value_groups);
    free(g->value_groups);
    free(g->classes.classes);
    free(g->classes.bodies);
    column_free(&g->members);
}

void fragment_free_groups(struct fragment *f)
{
    for (uint32_t i = 0; i < f->value_group_keys.count; i++)
        value_group_free(&f->value_groups[i]);
    for (uint32_t i = 0; i < f->group_keys.count; i++)
        group_free(&f->groups[i]);
    free(f->value_groups);
    free(f->groups);
    intern_free(&f->sequences);
    intern_free(&f->group_keys);
    intern_free(&f->value_group_keys);
}

static void free_content(struct fragment *f)
{
    fragment_free_groups(f);
    nested_runs_free(&f->thread_counts);
    shares_free(&f->shares);
    struct intern *tables[] = {&f->strings, &f->properties, &f->functions,    &f->modules,
                               &f->classes, &f->shapes,     &f->stored_deltas};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        intern_free(tables[i]);
}

void fragment_free(struct fragment *f)
{
    if (!f)
        return;
    free_content(f);
    bytes_free(&f->shards);
    bytes_free(&f->times);
    free(f);
}

/* Returns the packed size of what merging could still make smaller. Shares do not count: they grow with the number of
 * ranks, up to a bound. */
static size_t content_bytes(const struct fragment *f)
{
    struct bytes packed = {0};
    fragment_pack_content(f, &packed);
    size_t length = packed.length;
    bytes_free(&packed);
    return length;
}

enum pilgrim_status fragment_finalise_now(struct fragment *f, bool with_times)
{
    struct bytes shards = {0};
    struct fragment kept = {0};
    enum pilgrim_status status = fragment_write_shard(f, with_times, false, &shards);
    if (status == PILGRIM_OK)
        status = fragment_copy_properties(&kept, f);
    bytes_put(&shards, f->shards.data, f->shards.length);
    if (status == PILGRIM_OK)
        status = bytes_status(&shards);
    if (status != PILGRIM_OK) {
        free_content(&kept);
        bytes_free(&shards);
        return status;
    }
    free_content(f);
    bytes_free(&f->shards);
    *f = (struct fragment){.first_rank = f->first_rank,
                           .calls = f->calls,
                           .plain_bytes = f->plain_bytes,
                           .strings = kept.strings,
                           .properties = kept.properties,
                           .shards = shards,
                           .shard_ranks = f->shard_ranks + f->rank_count,
                           .shard_times = with_times,
                           .call_times = f->call_times,
                           .times = f->times,
                           .failed_proof = f->failed_proof};
    return PILGRIM_OK;
}

enum pilgrim_status fragment_finalise(struct fragment *f, bool with_times, bool *finalised)
{
    f->weight = content_bytes(f);
    /* If two fragments have nothing in common, the joined one weighs twice as much as the second. */
    bool alone = f->joined && f->weight > f->joined + f->joined / 2;
    *finalised = f->rank_count && f->weight > (alone ? SHARD_BYTES_ALONE : SHARD_BYTES);
    return *finalised ? fragment_finalise_now(f, with_times) : PILGRIM_OK;
}

void fragment_has_call_times(struct fragment *f)
{
    f->call_times = true;
}

struct bytes *fragment_times(struct fragment *f)
{
    return &f->times;
}

const char *fragment_problem(const struct fragment *f)
{
    return f->failed_proof.problem;
}

uint64_t fragment_calls(const struct fragment *f)
{
    return f->calls;
}

uint64_t fragment_plain_bytes(const struct fragment *f)
{
    return f->plain_bytes;
}

uint32_t fragment_ranks(const struct fragment *f)
{
    return f->rank_count + f->shard_ranks;
}

enum pilgrim_status intern_bytes(struct intern *t, struct bytes *b, uint32_t *number)
{
    enum pilgrim_status status = bytes_status(b);
    if (status == PILGRIM_OK)
        status = intern_add(t, b->data, b->length, number);
    bytes_free(b);
    return status;
}

enum pilgrim_status intern_text(struct fragment *f, const char *text, uint32_t *number)
{
    return intern_add(&f->strings, text, strlen(text), number);
}

enum pilgrim_status fragment_set_property(struct fragment *f, const char *key, const char *value)
{
    uint32_t k, v, ignored;
    TRY(intern_text(f, key, &k));
    TRY(intern_text(f, value, &v));
    struct bytes b = {0};
    bytes_put_varint(&b, k);
    bytes_put_varint(&b, v);
    return intern_bytes(&f->properties, &b, &ignored);
}

/* Finds key and value of property NUMBER. The texts have no 0 byte at their ends. */
static void property_at(const struct fragment *f, uint32_t number, const uint8_t *texts[2], size_t lengths[2])
{
    struct cursor c;
    size_t length;
    const uint8_t *data = intern_get(&f->properties, number, &length);
    cursor_init(&c, data, length);
    for (unsigned i = 0; i < 2; i++)
        texts[i] = intern_get(&f->strings, (uint32_t)cursor_index(&c, f->strings.count), &lengths[i]);
}

enum pilgrim_status fragment_copy_properties(struct fragment *into, const struct fragment *from)
{
    for (uint32_t i = 0; i < from->properties.count; i++) {
        const uint8_t *texts[2];
        size_t lengths[2];
        struct bytes b = {0};
        uint32_t number;
        property_at(from, i, texts, lengths);
        for (unsigned k = 0; k < 2; k++) {
            TRY(intern_add(&into->strings, texts[k], lengths[k], &number));
            bytes_put_varint(&b, number);
        }
        TRY(intern_bytes(&into->properties, &b, &number));
    }
    return PILGRIM_OK;
}

/* True if TEXT, texts separated by ", ", has VALUE as one of them. */
static bool text_lists(const struct bytes *text, const uint8_t *value, size_t length)
{
    const uint8_t *found = text->length ? memmem(text->data, text->length, value, length) : NULL;
    while (found && ((found > text->data && found[-1] != ' ') ||
                     (found + length < text->data + text->length && found[length] != ',')))
        found = memmem(found + 1, (size_t)(text->data + text->length - found) - 1, value, length);
    return found;
}

void fragment_list_properties(const struct fragment *f, const char *key, struct bytes *text)
{
    for (uint32_t i = 0; i < f->properties.count; i++) {
        const uint8_t *texts[2];
        size_t lengths[2];
        property_at(f, i, texts, lengths);
        if (lengths[0] != strlen(key) || memcmp(texts[0], key, lengths[0]) != 0 ||
            text_lists(text, texts[1], lengths[1]))
            continue;
        bytes_put(text, ", ", text->length ? 2 : 0);
        bytes_put(text, texts[1], lengths[1]);
    }
}

void *copy_of(const void *data, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    if (copy && bytes)
        memcpy(copy, data, bytes);
    return copy;
}

/* Makes room for one more element of SIZE bytes after COUNT elements. */
static enum pilgrim_status grow(void **array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return PILGRIM_OK;
    uint32_t larger = *capacity * 2 + 4;
    void *grown = realloc(*array, larger * size);
    if (!grown)
        return PILGRIM_NOMEM;
    *array = grown;
    *capacity = larger;
    return PILGRIM_OK;
}

enum pilgrim_status fragment_group(struct fragment *f, bool process, uint32_t sequence, const struct class_list *list,
                                   uint32_t *group)
{
    void *groups = f->groups;
    uint32_t count = f->group_keys.count;
    TRY(grow(&groups, count, &f->group_capacity, sizeof *f->groups));
    f->groups = groups;
    struct structure_group g = {.process = process, .sequence = sequence, .classes = *list};
    g.classes.classes = copy_of(list->classes, list->count * sizeof *list->classes);
    g.classes.bodies = copy_of(list->bodies, list->loop_count * sizeof *list->bodies);
    g.value_groups = calloc(list->count + (size_t)1, sizeof *g.value_groups);
    struct bytes key = {0};
    bytes_put_u8(&key, process);
    bytes_put_varint(&key, sequence);
    bytes_put_varint(&key, list->loop_count);
    for (uint32_t i = 0; i < list->count; i++)
        bytes_put_varint(&key, list->classes[i]);
    for (uint32_t i = 0; i < list->loop_count; i++)
        bytes_put_varint(&key, list->bodies[i]);
    enum pilgrim_status status = intern_bytes(&f->group_keys, &key, group);
    bool added = status == PILGRIM_OK && f->group_keys.count > count;
    if (added)
        f->groups[count] = g;
    if (!g.classes.classes || !g.classes.bodies || !g.value_groups)
        status = PILGRIM_NOMEM;
    if (!added)
        group_free(&g);
    return status;
}

enum pilgrim_status fragment_slots(const struct fragment *f, const struct signature_entry *entries,
                                   uint32_t entry_count, uint32_t *slots)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < entry_count; i++) {
        size_t length;
        uint32_t of_shape;
        bool has_series;
        const uint8_t *shape = intern_get(&f->shapes, entries[i].shape, &length);
        TRY(shape_slots(shape, length, &of_shape, &has_series));
        total += (uint64_t)of_shape * entry_columns(&entries[i]);
    }
    *slots = (uint32_t)total;
    return total > UINT32_MAX ? PILGRIM_LIMIT : PILGRIM_OK;
}

enum pilgrim_status fragment_value_group(struct fragment *f, uint32_t group, uint32_t class_index, uint32_t sequence,
                                         const struct signature_entry *entries, uint32_t entry_count,
                                         uint32_t *value_group)
{
    uint32_t count = f->value_group_keys.count;
    void *value_groups = f->value_groups;
    TRY(grow(&value_groups, count, &f->value_group_capacity, sizeof *f->value_groups));
    f->value_groups = value_groups;
    struct value_group_list *list = &f->groups[group].value_groups[class_index];
    void *members = list->value_groups;
    TRY(grow(&members, list->count, &list->capacity, sizeof *list->value_groups));
    list->value_groups = members;
    uint8_t room[256];
    struct bytes key = {.data = room, .capacity = sizeof room, .borrowed = true};
    bytes_put_varint(&key, group);
    bytes_put_varint(&key, class_index);
    bytes_put_varint(&key, sequence);
    for (uint32_t i = 0; i < entry_count; i++) {
        bytes_put_varint(&key, entries[i].shape);
        bytes_put_varint(&key, entries[i].count);
    }
    TRY(intern_bytes(&f->value_group_keys, &key, value_group));
    if (f->value_group_keys.count == count)
        return PILGRIM_OK;
    f->value_groups[count] = (struct value_group){
        .group = group, .class_index = class_index, .sequence = sequence, .entry_count = entry_count};
    list->value_groups[list->count++] = count;
    f->value_groups[count].entries = copy_of(entries, entry_count * sizeof *entries);
    return f->value_groups[count].entries ? PILGRIM_OK : PILGRIM_NOMEM;
}
