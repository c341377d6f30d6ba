/* SPDX-License-Identifier: BSD-3-Clause */
/* The live requests of a thread, for each request class in order of age: those that the thread's calls began and did
 * not end. Recorder and reader follow the same rules (docs/FORMAT.md, section 5: live). So a request can be named by
 * its age instead of its request index.
 *
 * Only the thread's own recorded calls count. A request that something else has changed is stored with its full name.
 *
 * Over half of the header is inline functions, for the hot path of requests. */
#ifndef PILGRIM_LIVE_REQUESTS_H
#define PILGRIM_LIVE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "pilgrim/status.h"

enum {
    LIVE_INDICES = 1024,    /* requests with a larger index are not tracked, ... */
    LIVE_MAX = 1 << 16,     /* ... nor are more requests at a time, ... */
    LIVE_CLASSES = 1 << 16, /* ... nor more classes */
    LIVE_SPARE = 8,
    LIVE_RECENT = 8
};

struct live_class {
    int64_t number;
    uint32_t first, count, capacity;   /* the used part of `order` */
    uint32_t near;                     /* guess where the next search ends, counted from `first` */
    uint16_t *order;                   /* request indices, the oldest request first */
    uint32_t full;                     /* a bit for each word of `taken`: no index in it is free */
    uint64_t taken[LIVE_INDICES / 64]; /* a bit for each request index */
};

/* A struct of zeros has no requests. */
struct live_requests {
    struct live_class **classes;
    uint32_t capacity;
    struct hash_index index;              /* from class numbers to positions in CLASSES + 1 */
    uint32_t count;                       /* live requests, of all classes */
    size_t bytes;                         /* memory of all of this */
    struct live_class *spare[LIVE_SPARE]; /* classes without requests, for reuse; filled by live_restart */
    uint32_t spare_count;
    struct live_class *recent[LIVE_RECENT]; /* the classes found last, by the low bits of their numbers */
};

/* Returns the request index that the next request of CLASS_NUMBER gets: the smallest free one; -1: none is free. */
int64_t live_request_index(struct live_requests *l, int64_t class_number);

/* Records that a request has begun. A live request with that name begins anew, as the youngest one. A request beyond
 * the limits above is ignored.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status live_begin(struct live_requests *l, int64_t class_number, int64_t request_index);

/* Records that a request has ended. Does nothing if it is not live. */
void live_end(struct live_requests *l, int64_t class_number, int64_t request_index);

/* Returns how many live requests of the class are older than the request; -1: it is not live. */
int64_t live_rank(struct live_requests *l, int64_t class_number, int64_t request_index);

/* Returns the index of the live request that is younger than RANK others of its class; -1: there is none. */
int64_t live_at(struct live_requests *l, int64_t class_number, int64_t rank);

/* Makes L empty and keeps memory for a few classes. Allocates nothing. */
void live_restart(struct live_requests *l);

void live_free(struct live_requests *l);

/* ---- fast paths, for a class that was found lately ---- */

/* Returns the class, or NULL if the caller has to search for it. */
static inline struct live_class *live_recent(const struct live_requests *l, int64_t class_number)
{
    struct live_class *c = l->recent[(uint64_t)class_number % LIVE_RECENT];
    return c && c->number == class_number ? c : NULL;
}

/* Returns the smallest free request index; LIVE_INDICES: none is free. */
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
    if (__builtin_expect(request_index < 64, 1))
        c->taken[0] &= ~(UINT64_C(1) << request_index);
    else
        c->taken[request_index / 64] &= ~(UINT64_C(1) << (request_index % 64));
    if (__builtin_expect(c->full != 0, 0))
        c->full &= ~(UINT32_C(1) << (request_index / 64));
}

/* live_take_first_index, if at most one of the first 64 indices is free. */
static inline bool live_take_first_beyond(struct live_class *c, uint32_t request_index)
{
    uint32_t number = request_index / 64;
    if (number != 0 && (number >= LIVE_INDICES / 64 || number != (unsigned)__builtin_ctz(~c->full)))
        return false;
    uint64_t taken = c->taken[number], first = ~taken & (taken + 1);
    if (first != UINT64_C(1) << (request_index % 64))
        return false;
    c->taken[number] = taken += first;
    if (__builtin_expect(taken == UINT64_MAX, 0))
        c->full |= UINT32_C(1) << number;
    return true;
}

/* Takes the index if it is the smallest free one. False: it is not, and nothing was done. */
static inline bool live_take_first_index(struct live_class *c, uint32_t request_index)
{
    uint64_t taken = c->taken[0], more = taken | (taken + 1);
    if (__builtin_expect(more == UINT64_MAX, 0))
        return live_take_first_beyond(c, request_index);
    if ((unsigned)__builtin_ctzll(~taken) != request_index)
        return false;
    c->taken[0] = more;
    return true;
}

/* Does live_begin for a request whose index is the one that live_request_index returns. False: it did nothing; call
 * live_begin. */
static inline bool live_begin_quickly(struct live_requests *l, int64_t class_number, int64_t request_index)
{
    struct live_class *c = live_recent(l, class_number);
    if (!c || c->first + c->count == c->capacity || l->count == LIVE_MAX ||
        !live_take_first_index(c, (uint32_t)request_index))
        return false;
    c->order[c->first + c->count++] = (uint16_t)request_index;
    l->count++;
    return true;
}

/* Returns 0 if the request is the oldest one of its class, as most are that end; -1: call live_rank. */
static inline int64_t live_rank_quickly(const struct live_requests *l, int64_t class_number, int64_t request_index)
{
    const struct live_class *c = live_recent(l, class_number);
    return c && c->count && c->order[c->first] == request_index ? 0 : -1;
}

/* Does live_end for the oldest request of a class. False: it did nothing; call live_end. */
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
