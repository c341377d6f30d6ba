/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table with chains; see replay_objects.h. */
#include "replay_objects.h"

#include <stdlib.h>
#include <string.h>

#include "replay_scratch.h"

static const char *const kinds[] = {"request", "comm", "datatype",   "group",  "op",      "win",
                                    "file",    "info", "errhandler", "keyval", "message", "session"};

const char *object_kind(const char *text)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], text) == 0)
            return kinds[i];
    return NULL;
}

static size_t bucket_of(const struct replay_objects *objects, const char *kind, int64_t id, int64_t offset)
{
    uint64_t h = (uint64_t)(uintptr_t)kind ^ (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) ^
                 (uint64_t)offset * UINT64_C(0xc2b2ae3d27d4eb4f);
    h ^= h >> 29;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 32) & (objects->bucket_count - 1);
}

struct replay_object *object_find(const struct replay_objects *objects, const char *kind, int64_t id, int64_t offset,
                                  uint32_t owner)
{
    struct replay_object *found = NULL;
    if (!objects->bucket_count)
        return NULL;
    for (struct replay_object *o = objects->buckets[bucket_of(objects, kind, id, offset)]; o; o = o->next) {
        if (o->kind != kind || o->id != id || o->offset != offset)
            continue;
        if (o->owner == owner)
            return o;
        if (o->ready)
            found = o;
    }
    return found;
}

static int grow(struct replay_objects *objects)
{
    struct replay_objects larger = {.bucket_count = objects->bucket_count ? objects->bucket_count * 2 : 64};
    larger.buckets = calloc(larger.bucket_count, sizeof(struct replay_object *));
    if (!larger.buckets)
        return 0;
    for (size_t i = 0; i < objects->bucket_count; i++)
        for (struct replay_object *o = objects->buckets[i], *next; o; o = next) {
            size_t to = bucket_of(&larger, o->kind, o->id, o->offset);
            next = o->next;
            o->next = larger.buckets[to];
            larger.buckets[to] = o;
        }
    free(objects->buckets);
    objects->buckets = larger.buckets;
    objects->bucket_count = larger.bucket_count;
    return 1;
}

struct replay_object *object_make(struct replay_objects *objects, const char *kind, int64_t id, int64_t offset,
                                  uint32_t owner)
{
    struct replay_object *o = object_find(objects, kind, id, offset, owner);
    if (o && o->owner == owner)
        return o;
    if (objects->count >= objects->bucket_count && !grow(objects))
        return NULL;
    o = objects->unused;
    if (o)
        objects->unused = o->next;
    else
        o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    struct replay_object **bucket = &objects->buckets[bucket_of(objects, kind, id, offset)];
    *o = (struct replay_object){
        .next = *bucket, .kind = kind, .id = id, .offset = offset, .owner = owner, .made = o->made};
    *bucket = o;
    objects->count++;
    return o;
}

void object_drop(struct replay_objects *objects, struct replay_object *o)
{
    struct replay_object **at = &objects->buckets[bucket_of(objects, o->kind, o->id, o->offset)];
    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    scratch_free(o->memory);
    free(o->persistent);
    o->memory = NULL;
    o->persistent = NULL;
    o->made++;
    o->next = objects->unused;
    objects->unused = o;
    objects->count--;
}

static void list_free(struct replay_object *o)
{
    for (struct replay_object *next; o; o = next) {
        next = o->next;
        scratch_free(o->memory);
        free(o->persistent);
        free(o);
    }
}

void objects_free(struct replay_objects *objects)
{
    for (size_t i = 0; i < objects->bucket_count; i++)
        list_free(objects->buckets[i]);
    list_free(objects->unused);
    free(objects->buckets);
    *objects = (struct replay_objects){.bucket_count = 0};
}
