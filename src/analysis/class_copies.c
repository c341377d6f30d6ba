/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of call classes, in a hash table by function and call site; see class_copies.h. */
#include "analysis/class_copies.h"

#include <stdlib.h>
#include <string.h>

static void class_copy_free(struct class_copy *k)
{
    for (const struct pilgrim_frame *f = k->frames; f; f = f->caller) {
        free((char *)(uintptr_t)f->module);
        free((unsigned char *)(uintptr_t)f->build_id);
    }
    free((char *)(uintptr_t)k->function.name);
    free(k->frames);
    free(k);
}

void class_copies_free(struct class_copies *copies)
{
    for (size_t i = 0; i < CLASS_COPY_BUCKETS; i++) {
        for (struct class_copy *k = copies->buckets[i], *next; k; k = next) {
            next = k->next;
            class_copy_free(k);
        }
    }
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = mix(hash, (uint8_t)*text);
    return mix(hash, 0);
}

/* Returns the frame behind F that tells classes apart. */
static const struct pilgrim_frame *next_frame(const struct class_copies *copies, const struct pilgrim_frame *f)
{
    return copies->sites_only ? NULL : f->caller;
}

static uint64_t class_hash(const struct class_copies *copies, const struct pilgrim_class *class)
{
    uint64_t hash = mix_text(0, class->function->name);
    for (const struct pilgrim_frame *f = class->site; f; f = next_frame(copies, f))
        hash = mix(mix_text(hash, f->module), f->offset);
    return hash;
}

static bool same_class(const struct class_copies *copies, const struct pilgrim_class *a, const struct pilgrim_class *b)
{
    if (strcmp(a->function->name, b->function->name) != 0)
        return false;
    const struct pilgrim_frame *f = a->site, *g = b->site;
    for (; f && g; f = next_frame(copies, f), g = next_frame(copies, g))
        if (f->offset != g->offset || strcmp(f->module, g->module) != 0)
            return false;
    return !f && !g;
}

static bool copy_frames(const struct class_copies *copies, struct class_copy *k, const struct pilgrim_frame *from)
{
    size_t count = 0;
    for (const struct pilgrim_frame *f = from; f; f = next_frame(copies, f))
        count++;
    k->frames = count > 0 ? calloc(count, sizeof *k->frames) : NULL;
    if (count > 0 && !k->frames)
        return false;
    for (struct pilgrim_frame *to = k->frames; from; from = next_frame(copies, from), to++) {
        unsigned char *build_id = malloc(from->build_id_length + 1);
        if (build_id && from->build_id_length > 0)
            memcpy(build_id, from->build_id, from->build_id_length);
        *to = (struct pilgrim_frame){strdup(from->module), build_id, from->build_id_length, from->offset,
                                     next_frame(copies, from) ? to + 1 : NULL};
        if (!to->module || !build_id) {
            to->caller = NULL;
            return false;
        }
    }
    return true;
}

struct class_copy *copy_class(struct class_copies *copies, const struct pilgrim_class *class)
{
    uint64_t hash = class_hash(copies, class);
    struct class_copy **bucket = &copies->buckets[hash % CLASS_COPY_BUCKETS];
    for (struct class_copy *k = *bucket; k; k = k->next)
        if (k->hash == hash && same_class(copies, &k->class, class))
            return k;
    struct class_copy *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->function.name = strdup(class->function->name);
    if (!k->function.name || !copy_frames(copies, k, class->site)) {
        class_copy_free(k);
        return NULL;
    }
    k->hash = hash;
    k->class = (struct pilgrim_class){.function = &k->function, .site = k->frames, .fortran = class->fortran};
    k->next = *bucket;
    return *bucket = k;
}
