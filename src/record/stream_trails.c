/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of trails; see stream_trails.h.
 *
 * There are two ways to a trail. A slot has the latest few of a call site and a frame; a call is compared with the two
 * latest. All trails are in sets, by a hash of their words. Most paths to a call site differ in the values of the
 * words, but not in their places. So the words at the places of a trail in the slot tell the set of the one that a call
 * has.
 *
 * Where frames vary their size there is no end of trails, and most of them never come again. So while
 * there is no room only every fourth replaces another one. */
#include "record/stream_trails.h"

#include <stdlib.h>
#include <string.h>

enum { COMPARED = 2, LEFT_OUT = 3, SETS_FIRST = 16 };

struct trail_of_class {
    struct stream_class *class;
    struct path_trail *trail; /* NULL: none */
    uint64_t hash;
};

struct trail_ways {
    struct trail_of_class ways[TRAIL_WAYS]; /* the latest first */
};

struct trails {
    struct trail_ways slots[TRAIL_SLOTS]; /* borrowed from the sets */
    struct trail_ways *sets;
    size_t set_count; /* a power of 2 */
    bool crowded;     /* the last trail that was added found no room */
    unsigned left_out;
};

const struct path_trail no_trail = {.frame = &no_trail, .end = no_trail.words};

static uint64_t hash_of(const void *site, const void *frame)
{
    return ((uintptr_t)site ^ (uint64_t)(uintptr_t)frame << 20) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static struct trail_ways *slot_of(struct trails *t, uint64_t hash)
{
    return &t->slots[hash % TRAIL_SLOTS];
}

/* Returns the hash by which a trail of the shape of T is in the sets, if it has the words at FRAME. BASE: hash_of. */
static uint64_t words_hash(const struct path_trail *t, const void *frame, uint64_t base)
{
    return t->shape ? base ^ path_words_hash(t, frame) : base;
}

static void set_trail(struct stream_class *class, const struct path_trail *trail)
{
    class->head.trail = trail;
    if (class->twin)
        class->twin->head.trail = trail;
}

/* Puts IT first in W, in place of way I. */
static void put_first(struct trail_ways *w, size_t i, struct trail_of_class it)
{
    memmove(w->ways + 1, w->ways, i * sizeof it);
    w->ways[0] = it;
}

/* The call in progress has the trail IT, which is in a set. */
static struct stream_class *use(struct trail_ways *slot, struct trail_of_class it)
{
    size_t i = 0;
    while (i < TRAIL_WAYS - 1 && slot->ways[i].trail != it.trail)
        i++;
    put_first(slot, i, it);
    set_trail(it.class, it.trail);
    return it.class;
}

static bool is_of(const struct trail_of_class *it, const struct class_key *key, const void *frame)
{
    return class_is(&it->class->head, key->function, key->site, key->fortran) && path_trail_matches(it->trail, frame);
}

/* Returns the trail with HASH that a call of KEY with FRAME has. NULL: none is known. */
static struct trail_of_class *find_in_set(const struct trails *t, uint64_t hash, const struct class_key *key,
                                          const void *frame)
{
    struct trail_ways *set = &t->sets[hash & (t->set_count - 1)];
    for (size_t i = 0; i < TRAIL_WAYS && set->ways[i].trail; i++)
        if (set->ways[i].hash == hash && is_of(&set->ways[i], key, frame))
            return &set->ways[i];
    return NULL;
}

struct stream_class *trails_find(struct stream *s, const struct class_key *key, const void *frame)
{
    struct trails *t = s->trails;
    if (!t)
        return NULL;
    const uint64_t base = hash_of(key->site, frame);
    struct trail_ways *slot = slot_of(t, base);
    for (size_t i = 0; i < COMPARED && slot->ways[i].trail; i++)
        if (is_of(&slot->ways[i], key, frame))
            return use(slot, slot->ways[i]);
    for (size_t i = 0; i < TRAIL_WAYS && slot->ways[i].trail; i++) {
        const struct path_trail *like = slot->ways[i].trail;
        bool again = like->began != frame;
        for (size_t k = 0; k < i; k++)
            again |= slot->ways[k].trail->shape == like->shape;
        const struct trail_of_class *it = again ? NULL : find_in_set(t, words_hash(like, frame, base), key, frame);
        if (it)
            return use(slot, *it);
    }
    return NULL;
}

/* Forgets IT, which is in a set. */
static void drop(struct stream *s, struct trail_of_class *it)
{
    if (!it->trail)
        return;
    struct trail_ways *slot = slot_of(s->trails, hash_of(it->class->head.key.site, it->trail->began));
    for (size_t i = 0; i < TRAIL_WAYS; i++)
        if (slot->ways[i].trail == it->trail) {
            memmove(slot->ways + i, slot->ways + i + 1, (TRAIL_WAYS - 1 - i) * sizeof *it);
            slot->ways[TRAIL_WAYS - 1] = (struct trail_of_class){0};
        }
    if (it->class->head.trail == it->trail)
        set_trail(it->class, &no_trail);
    s->trail_bytes -= path_trail_bytes_alike(it->trail);
    free(it->trail);
    it->trail = NULL;
}

/* Makes the sets twice as many, if there may be so many and there is memory. */
static void grow(struct trails *t)
{
    if (t->set_count >= TRAIL_SETS)
        return;
    struct trail_ways *sets = calloc(2 * t->set_count, sizeof *sets);
    if (!sets)
        return;
    for (size_t i = 0; i < t->set_count; i++)
        for (size_t k = TRAIL_WAYS; k-- > 0;)
            if (t->sets[i].ways[k].trail) /* there is room: not more trails come to a set than were in one */
                put_first(&sets[t->sets[i].ways[k].hash & (2 * t->set_count - 1)], TRAIL_WAYS - 1, t->sets[i].ways[k]);
    free(t->sets);
    t->sets = sets;
    t->set_count *= 2;
}

static struct trails *trails_new(void)
{
    struct trails *t = calloc(1, sizeof *t);
    if (t && !(t->sets = calloc(SETS_FIRST, sizeof *t->sets))) {
        free(t);
        return NULL;
    }
    if (t)
        t->set_count = SETS_FIRST;
    return t;
}

/* Puts trails that no call will have behind the others. */
static void put_ended_last(struct trail_ways *set)
{
    const struct trail_of_class *last = &set->ways[TRAIL_WAYS - 1];
    for (size_t i = 0; i < TRAIL_WAYS && last->trail && !path_trail_ended(last->trail); i++)
        if (path_trail_ended(set->ways[i].trail)) {
            const struct trail_of_class ended = set->ways[i];
            memmove(set->ways + i, set->ways + i + 1, (TRAIL_WAYS - 1 - i) * sizeof ended);
            set->ways[TRAIL_WAYS - 1] = ended;
        }
}

void trails_add(struct stream *s, struct stream_class *class, const struct path_walk *walk)
{
    struct trails *t = s->trails ? s->trails : (s->trails = trails_new());
    if (!t || (t->crowded && t->left_out++ % (LEFT_OUT + 1) != LEFT_OUT))
        return;
    struct path_trail *trail = path_trail_new(walk);
    if (!trail)
        return;
    const uint64_t base = hash_of(class->head.key.site, walk->frame);
    struct trail_of_class it = {class, trail, words_hash(trail, walk->frame, base)};
    const struct trail_of_class *known = find_in_set(t, it.hash, &class->head.key, walk->frame);
    if (known) { /* it has a shape of which the slot had none */
        free(trail);
        use(slot_of(t, base), *known);
        return;
    }
    if (t->sets[it.hash & (t->set_count - 1)].ways[TRAIL_WAYS - 1].trail)
        grow(t);
    struct trail_ways *set = &t->sets[it.hash & (t->set_count - 1)];
    put_ended_last(set);
    struct trail_of_class *last = &set->ways[TRAIL_WAYS - 1];
    t->crowded = last->trail && !path_trail_ended(last->trail);
    drop(s, last);
    s->trail_bytes += path_trail_bytes_alike(trail);
    put_first(set, TRAIL_WAYS - 1, it);
    use(slot_of(t, base), it);
}

void trails_forget(struct stream *s)
{
    for (size_t i = 0; s->trails && i < s->trails->set_count; i++)
        for (size_t k = 0; k < TRAIL_WAYS; k++)
            drop(s, &s->trails->sets[i].ways[k]);
}

void trails_free(struct stream *s)
{
    trails_forget(s);
    if (s->trails)
        free(s->trails->sets);
    free(s->trails);
    s->trails = NULL;
}
