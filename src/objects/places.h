/* Places of one call class's operations: always the smallest free one first.
 *
 * A pool (pool.h) whose first places cost a few instructions: two words of bits lead to each of them. Used by one thread at a time. */
#ifndef PILGRIM_PLACES_H
#define PILGRIM_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/pool.h"

enum { PLACES_NEAR = 64 * 64 }; /* places that are reached that way */

struct places {
    uint64_t full;      /* a bit for each word of `taken` that is full, or not there yet */
    uint64_t *taken;    /* a bit for each place */
    uint64_t first;     /* the first word, as long as it is the only one */
    struct pool beyond; /* places from PLACES_NEAR on */
};

/* NULL: no memory. */
struct places *places_new(void);

void places_free(struct places *p); /* NULL is legal */

/* The rest of the next two. */
int64_t places_take_far(struct places *p);
void places_give_far(struct places *p, int64_t place);

/* Whether there is one below PLACES_NEAR; and that one, the smallest. */
static inline bool places_any_near(const struct places *p)
{
    return p->full != UINT64_MAX;
}

static inline int64_t places_take_near(struct places *p)
{
    unsigned word = (unsigned)__builtin_ctzll(~p->full);
    uint64_t free = ~p->taken[word];
    p->taken[word] = ~(free & (free - 1));
    if (__builtin_expect(!(free & (free - 1)), 0))
        p->full |= UINT64_C(1) << word;
    return (int64_t)(word * UINT64_C(64) + (uint64_t)__builtin_ctzll(free));
}

/* Returns the smallest place that is not taken and takes it; -1: no memory. */
static inline int64_t places_take(struct places *p)
{
    return __builtin_expect(places_any_near(p), 1) ? places_take_near(p) : places_take_far(p);
}

/* Gives back a PLACE that is taken, below PLACES_NEAR. */
static inline void places_give_near(struct places *p, int64_t place)
{
    uint64_t at = (uint64_t)place;
    p->taken[at / 64] &= ~(UINT64_C(1) << at % 64);
    p->full &= ~(UINT64_C(1) << at / 64);
}

/* Gives back a PLACE that is taken. */
static inline void places_give(struct places *p, int64_t place)
{
    if (__builtin_expect(place >= PLACES_NEAR, 0))
        places_give_far(p, place);
    else
        places_give_near(p, place);
}

#endif
