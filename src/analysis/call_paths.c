/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes paths of functions; see call_paths.h. Frames are looked up once: many paths share them. */
#include "analysis/call_paths.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/key_table.h"

/* A frame: the functions that it is in, the outermost first. */
struct path_frame {
    struct path_frame *next;
    const char *module;
    const char *python; /* as in pilgrim_frame */
    uint64_t offset;
    size_t count;
    struct {
        const char *name, *place; /* the place: where execution is in it */
    } functions[];
};

struct path_entry {
    struct path_entry *next;
    struct function_path path;
    struct path_function functions[];
};

struct path_text {
    struct path_text *next;
    char text[];
};

enum { BUCKETS = 4096 };

struct call_paths {
    struct source_lines *lines;
    struct path_text *texts[BUCKETS];
    struct path_frame *frames[BUCKETS];
    struct path_entry *entries;
    struct key_table by_class; /* pointers to entries, by pointers to classes */
};

struct call_paths *call_paths_new(struct source_lines *lines)
{
    struct call_paths *paths = calloc(1, sizeof *paths);
    if (paths)
        paths->lines = lines;
    return paths;
}

void call_paths_free(struct call_paths *paths)
{
    if (!paths)
        return;
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct path_text *t = paths->texts[i], *next; t; t = next) {
            next = t->next;
            free(t);
        }
        for (struct path_frame *f = paths->frames[i], *next; f; f = next) {
            next = f->next;
            free(f);
        }
    }
    for (struct path_entry *e = paths->entries, *next; e; e = next) {
        next = e->next;
        free(e);
    }
    key_table_clear(&paths->by_class);
    free(paths);
}

static size_t bucket_of(const char *text, uint64_t number)
{
    uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return (size_t)((hash ^ hash >> 32) % BUCKETS);
}

/* Returns the copy of TEXT that all equal texts share. NULL: no memory. */
static const char *share_text(struct call_paths *paths, const char *text)
{
    struct path_text **bucket = &paths->texts[bucket_of(text, 0)];
    for (struct path_text *t = *bucket; t; t = t->next)
        if (strcmp(t->text, text) == 0)
            return t->text;
    size_t size = strlen(text) + 1;
    struct path_text *t = malloc(sizeof *t + size);
    if (!t)
        return NULL;
    memcpy(t->text, text, size);
    t->next = *bucket;
    *bucket = t;
    return t->text;
}

bool call_path_repeats(const char *name, const char *around)
{
    return name[0] == '[' && strcmp(name, around) == 0;
}

static struct path_frame *make_frame(struct call_paths *paths, const struct pilgrim_frame *frame)
{
    struct source_function found[SOURCE_FUNCTIONS_MAX];
    size_t count = source_lines_functions(paths->lines, frame, found);
    if (count == 0) {
        count = 1;
        snprintf(found->name, sizeof found->name, "[%.200s]", frame->module);
        snprintf(found->place, sizeof found->place, "%.200s+0x%llx", frame->module, (unsigned long long)frame->offset);
    }
    struct path_frame *f = calloc(1, sizeof *f + count * sizeof *f->functions);
    if (!f)
        return NULL;
    f->offset = frame->offset;
    f->count = count;
    f->module = share_text(paths, frame->module);
    f->python = frame->python ? share_text(paths, frame->python) : NULL;
    bool good = f->module && !f->python == !frame->python;
    for (size_t i = 0; i < count && good; i++) {
        f->functions[i].name = share_text(paths, found[count - 1 - i].name);
        f->functions[i].place = share_text(paths, found[count - 1 - i].place);
        good = f->functions[i].name && f->functions[i].place;
    }
    if (good)
        return f;
    free(f);
    return NULL;
}

static bool same_python(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const struct path_frame *find_frame(struct call_paths *paths, const struct pilgrim_frame *frame)
{
    struct path_frame **bucket = &paths->frames[bucket_of(frame->module, frame->offset)];
    for (const struct path_frame *f = *bucket; f; f = f->next)
        if (f->offset == frame->offset && strcmp(f->module, frame->module) == 0 &&
            same_python(f->python, frame->python))
            return f;
    struct path_frame *f = make_frame(paths, frame);
    if (!f)
        return NULL;
    f->next = *bucket;
    return *bucket = f;
}

/* Of a longer path only so many frames are taken, the innermost. Recursive walks are this deep, whatever a trace says.
 */
enum { FRAMES_MAX = 1024 };

/* Returns the path of a call from SITE. NULL: no memory. Frames come with the
 * innermost first, so the functions are written from behind. */
static struct path_entry *make_entry(struct call_paths *paths, const struct pilgrim_frame *site)
{
    size_t count = 0, frames = 0;
    for (const struct pilgrim_frame *f = site; f && frames < FRAMES_MAX;
         f = source_lines_caller(paths->lines, f), frames++) {
        const struct path_frame *frame = find_frame(paths, f);
        if (!frame)
            return NULL;
        count += frame->count;
    }
    struct path_entry *e = calloc(1, sizeof *e + count * sizeof *e->functions);
    if (!e)
        return NULL;
    e->path.functions = e->functions;
    e->path.count = count;
    const char **place = &e->path.site;
    for (const struct pilgrim_frame *f = site; frames > 0; f = f->caller, frames--) {
        const struct path_frame *frame = find_frame(paths, f);
        const void *call = frames > 1 ? find_frame(paths, f->caller) : NULL;
        for (size_t i = frame->count; i-- > 0;) {
            *place = frame->functions[i].place;
            e->functions[count - 1].call = call;
            e->functions[--count].name = frame->functions[i].name;
            place = &e->functions[count].place;
        }
    }
    return e;
}

const struct function_path *call_paths_find(struct call_paths *paths, const struct pilgrim_class *class)
{
    struct key key = {{(uintptr_t) class}};
    const uint64_t *known = key_table_find(&paths->by_class, key);
    if (known)
        return &((const struct path_entry *)(uintptr_t)*known)->path;
    struct path_entry *e = make_entry(paths, class->site);
    if (!e)
        return NULL;
    e->next = paths->entries;
    paths->entries = e;
    return key_table_put(&paths->by_class, key, (uintptr_t)e) ? &e->path : NULL;
}
