/* Recording one thread. The structure grammar's terminals are classes, each class's value grammar's are its
 * signatures (signature/signature.h). Classes and signatures remember their successors: in a loop nothing is hashed.
 *
 * Polls that fail have a class of their own beside the one of those that do not, its twin, so that a run of them is one symbol with
 * an exponent whatever came of the last one. Which of the two a call belongs to is known when it ends; it is looked up
 * when it begins, so either of them may be found then. */
#include "merge/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/rules.h"
#include "merge/stream_data.h"

enum { PLAIN_CALL_BYTES = 18 }; /* function 2, start 8, end 8; the values come on top */

struct stream *stream_new(const struct vocabulary *vocabulary, site_resolver *resolve)
{
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->vocabulary = vocabulary;
    s->resolve = resolve;
    return s;
}

static void class_free(struct stream_class *class)
{
    signatures_free(&class->signatures);
    free(class->frames);
    free(class);
}

void stream_free(struct stream *s)
{
    if (!s)
        return;
    HASH_CLEAR(hh, s->table);
    for (uint32_t i = 0; i < s->class_count; i++)
        class_free(s->classes[i]);
    free(s->classes);
    intern_free(&s->chunks);
    sequence_free(&s->structure);
    free(s);
}

/* False: no memory. */
static bool class_resolve(struct stream_class *class, site_resolver *resolve)
{
    struct code_frame frames[SITE_FRAMES_MAX];
    size_t count = class->key.site ? resolve(class->key.site, frames) : 0;
    if (!count)
        return true;
    class->frames = malloc(count * sizeof *frames);
    if (!class->frames)
        return false;
    memcpy(class->frames, frames, count * sizeof *frames);
    class->frame_count = (uint32_t)count;
    return true;
}

/* A class of stream S with KEY, without a place and in no table. */
static struct stream_class *class_new(struct stream *s, const struct class_key *key)
{
    if (s->class_count == s->class_capacity) {
        uint32_t capacity = s->class_capacity * 2 + 16;
        struct stream_class **classes = realloc(s->classes, capacity * sizeof *classes);
        if (!classes)
            return NULL;
        s->classes = classes;
        s->class_capacity = capacity;
    }
    struct stream_class *class = calloc(1, sizeof *class);
    if (!class)
        return NULL;
    class->key = *key;
    class->number = s->class_count;
    timing_init(&class->timing);
    return class;
}

static struct stream_class *class_add(struct stream *s, const struct class_key *key)
{
    struct stream_class *class = class_new(s, key);
    if (!class)
        return NULL;
    if (class_resolve(class, s->resolve))
        HASH_ADD(hh, s->table, key, sizeof class->key, class);
    if (!class->hh.tbl) {
        class_free(class);
        return NULL;
    }
    s->classes[s->class_count++] = class;
    return class;
}

/* The class beside CLASS whose calls are what CLASS's are not: failed polls, or others. NULL: no memory. */
static struct stream_class *class_add_twin(struct stream *s, struct stream_class *class)
{
    struct stream_class *twin = class_new(s, &class->key);
    if (!twin)
        return NULL;
    if (class->frame_count) {
        twin->frames = malloc(class->frame_count * sizeof *twin->frames);
        if (!twin->frames) {
            class_free(twin);
            return NULL;
        }
        memcpy(twin->frames, class->frames, class->frame_count * sizeof *twin->frames);
        twin->frame_count = class->frame_count;
    }
    twin->failed_poll = !class->failed_poll;
    twin->twin = class;
    class->twin = twin;
    s->classes[s->class_count++] = twin;
    return twin;
}

void stream_set_locator(struct stream *s, site_locator *locate)
{
    s->locate = locate;
}

static bool class_is(const struct stream_class *class, uint32_t function, const void *site, bool fortran)
{
    return class && class->key.site == site && class->key.function == function && class->key.fortran == fortran;
}

/* The class that did not follow last time, or whose site is a stack, which is never at a return address. NULL: no memory. */
static __attribute__((noinline)) struct stream_class *class_search(struct stream *s, uint32_t function, const void *site,
                                                                       bool fortran)
{
    struct stream_class *class = s->last ? s->last->successor : NULL;
    struct class_key key = {.site = site, .function = function, .fortran = fortran};
    if (s->locate && site) {
        key.site = s->locate(site);
        if (!key.site)
            return NULL;
        if (class_is(class, function, key.site, fortran))
            return class;
    }
    HASH_FIND(hh, s->table, &key, sizeof key, class);
    return class ? class : class_add(s, &key);
}

enum pilgrim_status stream_class(struct stream *s, uint32_t function, const void *site, bool fortran, uint32_t *number)
{
    struct stream_class *class = s->last ? s->last->successor : NULL;
    if (!class_is(class, function, site, fortran))
        class = class_search(s, function, site, fortran);
    if (!class)
        return PILGRIM_NOMEM;
    *number = class->number;
    return PILGRIM_OK;
}

static bool class_moved(const struct stream *s, const struct stream_class *class)
{
    struct code_frame frames[SITE_FRAMES_MAX];
    size_t count = s->resolve(class->key.site, frames);
    if (count != class->frame_count)
        return true;
    for (size_t i = 0; i < count; i++)
        if (frames[i].module != class->frames[i].module || frames[i].offset != class->frames[i].offset)
            return true;
    return false;
}

void stream_forget_moved(struct stream *s)
{
    for (uint32_t i = 0; i < s->class_count; i++) {
        struct stream_class *class = s->classes[i];
        if (!class->hh.tbl || !class->key.site || !class_moved(s, class))
            continue;
        HASH_DELETE(hh, s->table, class);
        class->hh.tbl = NULL;
        class->key.site = class; /* no return address: it is not found again */
        if (class->twin)
            class->twin->key.site = class;
    }
}

/* CLASS or the one beside it, for a call that is a failed poll or is none. Its first call says what a class is. NULL: no memory. */
static struct stream_class *class_of_call(struct stream *s, struct stream_class *class, bool failed_poll)
{
    if (class->failed_poll == failed_poll)
        return class;
    if (class->twin)
        return class->twin;
    if (class->timing.count)
        return class_add_twin(s, class);
    class->failed_poll = failed_poll;
    return class;
}

enum pilgrim_status stream_append(struct stream *s, uint32_t number, bool failed_poll, const void *key, size_t length,
                                  uint64_t duration_ns)
{
    struct stream_class *class = class_of_call(s, s->classes[number], failed_poll);
    if (!class)
        return PILGRIM_NOMEM;
    enum pilgrim_status status = signature_append(&class->signatures, &s->chunks, key, length);
    if (status == PILGRIM_OK)
        status = sequence_append(&s->structure, &s->chunks, class->number);
    if (status != PILGRIM_OK)
        return status;
    if (s->last)
        s->last->successor = class;
    s->last = class;
    timing_append(&class->timing, duration_ns);
    s->calls++;
    s->key_bytes += length;
    return PILGRIM_OK;
}

uint32_t *stream_class_register(struct stream *s, uint32_t number)
{
    struct stream_class *class = s->classes[number];
    return class->twin && class->twin->number < number ? &class->twin->kept : &class->kept;
}

uint64_t stream_calls(const struct stream *s)
{
    return s->calls;
}

uint64_t stream_plain_bytes(const struct stream *s)
{
    return s->calls * PLAIN_CALL_BYTES + s->key_bytes;
}

size_t stream_memory_bytes(const struct stream *s)
{
    size_t total = sizeof *s + sequence_memory_bytes(&s->structure) + s->class_capacity * sizeof(struct stream_class *) +
                   intern_memory_bytes(&s->chunks);
    for (uint32_t i = 0; i < s->class_count; i++)
        total += sizeof(struct stream_class) + s->classes[i]->frame_count * sizeof(struct code_frame) +
                 signatures_memory_bytes(&s->classes[i]->signatures);
    return total;
}
