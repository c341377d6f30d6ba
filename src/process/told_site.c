/* SPDX-License-Identifier: BSD-3-Clause */
/* Told call sites; see told_site.h. A site is known by a text of all its frames. What was told once is never freed. */
#include "process/told_site.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/shared_set.h"

#define TOLD (UINT64_C(1) << 63) /* no address of a program has this bit */

struct told_path {
    struct shared_item item; /* must be first */
    struct bytes text;
    size_t count;
    struct code_frame frames[SITE_FRAMES_MAX];
    struct code_module modules[SITE_FRAMES_MAX];
};

_Thread_local struct told_call told_now __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shared_set paths; /* added to under the lock */

static void put_text(struct bytes *text, const char *part)
{
    bytes_put(text, part ? part : "", strlen(part ? part : "") + 1);
}

/* Puts all that tells SITE from another one into TEXT. */
static void describe(const struct pilgrim_frame *site, struct bytes *text)
{
    size_t depth = 0;
    for (const struct pilgrim_frame *f = site; f && depth < SITE_FRAMES_MAX; f = f->caller, depth++) {
        put_text(text, f->module);
        put_text(text, f->python);
        bytes_put_u8(text, f->python != NULL);
        bytes_put_varint(text, f->offset);
        bytes_put_varint(text, f->build_id_length);
        bytes_put(text, f->build_id, f->build_id_length);
    }
}

static bool is_text(const struct shared_item *item, const void *key)
{
    const struct bytes *a = &((const struct told_path *)item)->text, *b = key;
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

/* Copies the frames. False: no memory. */
static bool copy_frames(struct told_path *p, const struct pilgrim_frame *site)
{
    for (const struct pilgrim_frame *f = site; f && p->count < SITE_FRAMES_MAX; f = f->caller) {
        struct code_module *m = &p->modules[p->count];
        size_t length = f->build_id_length < SITE_BUILD_ID_BYTES ? f->build_id_length : SITE_BUILD_ID_BYTES;
        m->name = strdup(f->module);
        m->python = f->python ? strdup(f->python) : NULL;
        memcpy(m->build_id, f->build_id, length);
        m->build_id_length = (uint32_t)length;
        p->frames[p->count++] = (struct code_frame){m, f->offset};
        if (!m->name || (f->python && !m->python))
            return false;
    }
    return true;
}

static void path_free(struct told_path *p)
{
    for (size_t i = 0; p && i < p->count; i++) {
        free((char *)(uintptr_t)p->modules[i].name);
        free((char *)(uintptr_t)p->modules[i].python);
    }
    if (p)
        bytes_free(&p->text);
    free(p);
}

/* Takes TEXT. NULL: no memory. */
static struct told_path *path_new(const struct pilgrim_frame *site, struct bytes *text, uint64_t hash)
{
    struct told_path *p = calloc(1, sizeof *p);
    if (p) {
        p->item.hash = hash;
        p->text = *text;
        *text = (struct bytes){0};
    }
    if (p && copy_frames(p, site))
        return p;
    path_free(p);
    return NULL;
}

const void *told_site(const struct pilgrim_frame *site)
{
    struct bytes text = {0};
    if (!site)
        return NULL;
    describe(site, &text);
    const uint64_t hash = text.failed ? 0 : XXH3_64bits(text.data, text.length);
    pthread_mutex_lock(&lock);
    struct told_path *p = text.failed ? NULL : (struct told_path *)shared_set_find(&paths, hash, is_text, &text);
    if (!p && !text.failed) {
        p = path_new(site, &text, hash);
        if (p && !shared_set_add(&paths, &p->item)) {
            path_free(p);
            p = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    bytes_free(&text);
    return p ? (const void *)((uintptr_t)p | TOLD) : NULL;
}

size_t told_frames(const void *site, struct code_frame *frames)
{
    if (!((uintptr_t)site & TOLD))
        return 0;
    const struct told_path *p = (const struct told_path *)((uintptr_t)site & ~TOLD);
    memcpy(frames, p->frames, p->count * sizeof *frames);
    return p->count;
}
