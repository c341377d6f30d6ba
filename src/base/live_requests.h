/* SPDX-License-Identifier: BSD-3-Clause */
/* The requests of a thread that its calls say are live: for each class those that began and have not ended, by age.
 * Recorder and reader keep this by the same rules (docs/FORMAT.md, section 5: live), so a request need not be named by
 * its place.
 *
 * Only the thread's own recorded calls count: what else happens to a request is not known here, and said with its full
 * name. */
#ifndef PILGRIM_LIVE_REQUESTS_H
#define PILGRIM_LIVE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "pilgrim/status.h"

enum {
    LIVE_INDICES = 1024,    /* places from here on are not followed, ... */
    LIVE_MAX = 1 << 16,     /* ... nor are more requests, ... */
    LIVE_CLASSES = 1 << 16, /* ... nor more classes */
    LIVE_SPARE = 8,
    LIVE_RECENT = 8
};

struct live_class {
    int64_t number;
    uint32_t first, count, capacity;   /* in `order` */
    uint32_t near;                     /* where the next one that is looked for may be, from `first` on */
    uint16_t *order;                   /* places, the oldest one's first */
    uint32_t full;                     /* a bit for each word of `taken` in which no place is free */
    uint64_t taken[LIVE_INDICES / 64]; /* places, a bit each */
};

/* All zero is without requests. */
struct live_requests {
    struct live_class **classes;
    uint32_t capacity;                    /* of CLASSES */
    struct hash_index index;              /* of those that there are: place in CLASSES + 1 */
    uint32_t count;                       /* requests */
    size_t bytes;                         /* that all of this takes */
    struct live_class *spare[LIVE_SPARE]; /* memory for classes; by live_restart */
    uint32_t spare_count;
    struct live_class *recent[LIVE_RECENT]; /* those that were looked for last, by the low bits of their numbers */
};

/* The place that the next request of CLASS_NUMBER has: the smallest that is free; -1: there is none. */
int64_t live_request_index(struct live_requests *l, int64_t class_number);

/* The request has begun. One with that name that is live begins anew, as the youngest.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status live_begin(struct live_requests *l, int64_t class_number, int64_t request_index);

/* The request has ended, if it was live. */
void live_end(struct live_requests *l, int64_t class_number, int64_t request_index);

/* How many of its class that are live began before the request; -1: it is not live. */
int64_t live_rank(struct live_requests *l, int64_t class_number, int64_t request_index);

/* The place of the live request before which RANK others began; -1: there is none. */
int64_t live_at(struct live_requests *l, int64_t class_number, int64_t rank);

/* As if L were new, but memory for a few classes is kept. Needs none. */
void live_restart(struct live_requests *l);

void live_free(struct live_requests *l);

/* ---- the same where it is simple: of a class that was looked for of late ---- */

/* NULL: it is to be looked for. */
static inline struct live_class *live_recent(const struct live_requests *l, int64_t class_number)
{
    struct live_class *c = l->recent[(uint64_t)class_number % LIVE_RECENT];
    return c && c->number == class_number ? c : NULL;
}

/* The smallest place that is free; LIVE_INDICES: there is none. */
static inline int64_t live_first_index(const struct live_class *c)
{
    unsigned word = (unsigned)__builtin_ctz(~c->full);
    return word * 64 < LIVE_INDICES ? (int64_t)word * 64 + __builtin_ctzll(~c->taken[word]) : LIVE_INDICES;
}

static inline void live_take_index(struct live_class *c, uint32_t request_index)
{
    uint64_t *taken = &c->taken[request_index / 64];
    *taken |= UINT64_C(1) << (request_index % 64);
    if (*taken == UINT64_MAX)
        c->full |= UINT32_C(1) << (request_index / 64);
}

static inline void live_free_index(struct live_class *c, uint32_t request_index)
{
    c->taken[request_index / 64] &= ~(UINT64_C(1) << (request_index % 64));
    c->full &= ~(UINT32_C(1) << (request_index / 64));
}

/* If the request has the place that live_request_index says, live_begin. False: nothing has been done. */
static inline bool live_begin_quickly(struct live_requests *l, int64_t class_number, int64_t request_index)
{
    struct live_class *c = live_recent(l, class_number);
    if (!c || request_index != live_first_index(c) || c->first + c->count == c->capacity || l->count == LIVE_MAX)
        return false;
    c->order[c->first + c->count++] = (uint16_t)request_index;
    live_take_index(c, (uint32_t)request_index);
    l->count++;
    return true;
}

/* live_rank of the oldest one of its class, which live_end is mostly called for then. -1: it is another one. */
static inline int64_t live_rank_quickly(const struct live_requests *l, int64_t class_number, int64_t request_index)
{
    const struct live_class *c = live_recent(l, class_number);
    return c && c->count && c->order[c->first] == request_index ? 0 : -1;
}

/* live_end of the oldest one. False: it is another one, and nothing has been done. */
static inline bool live_end_quickly(struct live_requests *l, int64_t class_number, int64_t request_index)
{
    struct live_class *c = live_recent(l, class_number);
    if (!c || !c->count || c->order[c->first] != request_index)
        return false;
    live_free_index(c, (uint32_t)request_index);
    c->near = 0;
    l->count--;
    c->first = --c->count ? c->first + 1 : 0;
    return true;
}

#endif
