/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of trails; see stream_trails.h. A slot has a few ways, the latest first. Where frames vary their size there
 * is no end of trails, and most of them never come again. So of the trails for which a slot has no room only every
 * fourth replaces another one. */
#include "record/stream_trails.h"

#include <stdlib.h>
#include <string.h>

enum { LEFT_OUT = 3 };

const struct path_trail no_trail = {.frame = &no_trail, .end = no_trail.words};

static struct trail_slot *slot_of(struct stream *s, const void *site, const void *frame)
{
    uint64_t hash = ((uintptr_t)site ^ (uint64_t)(uintptr_t)frame << 20) * UINT64_C(0x9e3779b97f4a7c15);
    return &s->trails[(hash >> 32) % TRAIL_SLOTS];
}

static void set_trail(struct stream_class *class, const struct path_trail *trail)
{
    class->head.trail = trail;
    if (class->twin)
        class->twin->head.trail = trail;
}

/* Puts IT first in SLOT, in place of way I. */
static void put_first(struct trail_slot *slot, size_t i, struct trail_of_class it)
{
    memmove(slot->ways + 1, slot->ways, i * sizeof it);
    slot->ways[0] = it;
    set_trail(it.class, it.trail);
}

static void drop(struct stream *s, struct trail_of_class *it)
{
    if (!it->trail)
        return;
    if (it->class->head.trail == it->trail)
        set_trail(it->class, &no_trail);
    s->trail_bytes -= path_trail_bytes_alike(it->trail);
    free(it->trail);
    it->trail = NULL;
}

struct stream_class *trails_find(struct stream *s, const struct class_key *key, const void *frame)
{
    struct trail_slot *slot = s->trails ? slot_of(s, key->site, frame) : NULL;
    for (size_t i = 0; slot && i < TRAIL_WAYS && slot->ways[i].trail; i++) {
        struct trail_of_class it = slot->ways[i];
        if (class_is(&it.class->head, key->function, key->site, key->fortran) && path_trail_matches(it.trail, frame)) {
            put_first(slot, i, it);
            return it.class;
        }
    }
    return NULL;
}

void trails_add(struct stream *s, struct stream_class *class, const struct path_walk *walk)
{
    if (!s->trails)
        s->trails = calloc(TRAIL_SLOTS, sizeof *s->trails);
    if (!s->trails)
        return;
    struct trail_slot *slot = slot_of(s, class->head.key.site, walk->frame);
    struct trail_of_class *last = &slot->ways[TRAIL_WAYS - 1];
    for (size_t i = 0; i < TRAIL_WAYS && last->trail && !path_trail_ended(last->trail); i++)
        if (path_trail_ended(slot->ways[i].trail)) {
            const struct trail_of_class ended = slot->ways[i];
            memmove(slot->ways + i, slot->ways + i + 1, (TRAIL_WAYS - 1 - i) * sizeof ended);
            *last = ended;
        }
    if (last->trail && !path_trail_ended(last->trail) && s->trails_left_out++ % (LEFT_OUT + 1) != LEFT_OUT)
        return;
    struct path_trail *trail = path_trail_new(walk);
    if (!trail)
        return;
    drop(s, last);
    s->trail_bytes += path_trail_bytes_alike(trail);
    put_first(slot, TRAIL_WAYS - 1, (struct trail_of_class){class, trail});
}

void trails_forget(struct stream *s)
{
    for (size_t i = 0; s->trails && i < TRAIL_SLOTS; i++)
        for (size_t j = 0; j < TRAIL_WAYS; j++)
            drop(s, &s->trails[i].ways[j]);
}
