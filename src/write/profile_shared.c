/* SPDX-License-Identifier: BSD-3-Clause */
#include "write/profile_shared.h"

#include <math.h>
#include <stdlib.h>

#include "base/try.h"

/* A distribution with less than this share of the run's time, and without a time of this share of what one rank has, is
 * slight. */
#define SLIGHT_SHARE (1.0 / 4096)

/* One that shares a mean which differs from its own by this ratio may not get more than this share of the run's time,
 * or so much less. */
#define OFF_RATIO 1.25
#define OFF_SHARE (1.0 / 16384)

struct place_key {
    uint64_t function; /* << 1 | fortran */
    uint64_t module, offset;
    uint64_t known; /* 0: the call site is not known */
};

static enum pilgrim_status find_places(const struct fragment *f, const struct profile_shared *s, uint32_t *place_count)
{
    struct intern keys = {0};
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; i < s->parts->class_count && status == PILGRIM_OK; i++) {
        struct place_key key = {0};
        struct cursor c;
        size_t length;
        const uint8_t *data = intern_get(&f->classes, i, &length);
        cursor_init(&c, data, length);
        key.function = cursor_varint(&c);
        key.known = cursor_varint(&c) > 0;
        if (key.known) {
            key.module = cursor_varint(&c);
            key.offset = cursor_varint(&c);
        }
        status = c.status == PILGRIM_OK ? intern_add(&keys, &key, sizeof key, &s->places[i]) : c.status;
    }
    *place_count = keys.count;
    intern_free(&keys);
    return status;
}

bool profile_is_slight(const struct profile_shared *s, const struct distribution *d)
{
    return distribution_total(d) < s->slight && (double)d->most < s->slight_longest;
}

/* True if D is too far off MEAN. */
static bool is_off(const struct profile_shared *s, const struct distribution *d, double mean)
{
    double count = (double)d->count, total = distribution_total(d), other = count * mean;
    return (other > OFF_RATIO * total || total > OFF_RATIO * other) && fabs(other - total) >= OFF_SHARE * s->parts->run;
}

struct shared_times *profile_shared_of(const struct profile_shared *s, uint32_t class, enum profile_kind kind,
                                       const struct distribution *d)
{
    struct shared_times *times = &s->by_place[s->places[class]][kind];
    return times->count > 1 && !is_off(s, d, times->mean) ? times : NULL;
}

/* Adds D to the times of its place, unless it is too far off the mean of all, which is known from the second PASS on.
 */
static void add(const struct profile_shared *s, uint32_t class, enum profile_kind kind, unsigned pass,
                const struct distribution *d)
{
    struct shared_times *times = &s->by_place[s->places[class]][kind];
    if (!profile_is_slight(s, d) || (pass > 0 && is_off(s, d, times->mean)))
        return;
    distribution_merge(&times->all, d);
    times->count++;
}

static void add_classes(const struct profile_shared *s, unsigned pass)
{
    for (uint32_t i = 0; i < s->parts->class_count; i++) {
        const struct class_parts *class = &s->parts->classes[i];
        for (uint32_t k = 0; k < class->part_count; k++)
            add(s, i, PROFILE_DURATIONS, pass, &class->durations[k]);
        for (uint32_t k = 0; k < class->gap_count; k++)
            add(s, i, PROFILE_GAPS, pass, &class->gaps[k].all);
    }
}

/* The first pass finds the mean of all slight distributions of a place, the second one that of those which are not too
 * far off it, the last one those that share. */
static void find_shared(const struct profile_shared *s, uint32_t place_count)
{
    enum { PASSES = 3 };
    for (unsigned pass = 0; pass < PASSES; pass++) {
        for (uint32_t i = 0; i < place_count; i++)
            for (unsigned k = 0; k < PROFILE_KINDS; k++) {
                struct shared_times *times = &s->by_place[i][k];
                if (times->count > 0)
                    times->mean = distribution_total(&times->all) / (double)times->all.count;
                distribution_init(&times->all);
                times->count = 0;
            }
        add_classes(s, pass);
    }
}

enum pilgrim_status profile_shared_make(const struct fragment *f, const struct profile_parts *parts,
                                        struct profile_shared *s)
{
    uint32_t place_count = 0;
    *s = (struct profile_shared){.parts = parts,
                                 .slight = SLIGHT_SHARE * parts->run,
                                 .slight_longest = SLIGHT_SHARE * parts->run / f->rank_count,
                                 .places = calloc((size_t)parts->class_count + 1, sizeof *s->places),
                                 .by_place = calloc((size_t)parts->class_count + 1, sizeof *s->by_place)};
    if (!s->places || !s->by_place)
        return PILGRIM_NOMEM;
    TRY(find_places(f, s, &place_count));
    find_shared(s, place_count);
    return PILGRIM_OK;
}

void profile_shared_free(struct profile_shared *s)
{
    free(s->places);
    free(s->by_place);
}
