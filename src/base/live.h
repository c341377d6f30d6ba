/* The requests of a thread that its calls say are live: for each class those that began and have not ended, by age. Recorder and reader keep
 * this by the same rules (docs/FORMAT.md, section 5: live), so a request need not be named by its place.
 *
 * Only the thread's own recorded calls count: what else happens to a request is not known here, and said with its full name. */
#ifndef PILGRIM_LIVE_H
#define PILGRIM_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "pilgrim/status.h"

enum {
    LIVE_PLACES = 1024,   /* places from here on are not followed, ... */
    LIVE_MAX = 1 << 16,   /* ... nor are more requests, ... */
    LIVE_CLASSES = 1 << 16, /* ... nor more classes */
    LIVE_SPARE = 8
};

struct live_class;

/* All zero is without requests. */
struct live_requests {
    struct live_class **classes; /* a hash table, open; by number */
    uint32_t capacity, class_count;
    uint32_t count;              /* requests */
    size_t bytes;                /* that all of this takes */
    struct live_class *last;     /* the one that was looked for last; NULL: none */
    struct live_class *spare[LIVE_SPARE]; /* memory for classes; by live_restart */
    uint32_t spare_count;
};

/* The place that the next request of CLASS_NUMBER has: the smallest that is free; -1: there is none. */
int64_t live_place(struct live_requests *l, int64_t class_number);

/* The request has begun. One with that name that is live begins anew, as the youngest.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status live_begin(struct live_requests *l, int64_t class_number, int64_t place);

/* The request has ended, if it was live. */
void live_end(struct live_requests *l, int64_t class_number, int64_t place);

/* How many of its class that are live began before the request; -1: it is not live. */
int64_t live_rank(struct live_requests *l, int64_t class_number, int64_t place);

/* The place of the live request before which RANK others began; -1: there is none. */
int64_t live_at(struct live_requests *l, int64_t class_number, int64_t rank);

/* As if L were new, but memory for a few classes is kept. Needs none. */
void live_restart(struct live_requests *l);

void live_free(struct live_requests *l);

#endif
