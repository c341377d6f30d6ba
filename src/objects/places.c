/* Places of operations; see places.h. */
#include "objects/places.h"

#include <stdbool.h>
#include <stdlib.h>

enum { WORDS = PLACES_NEAR / 64 };

struct places *places_new(void)
{
    struct places *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->full = ~UINT64_C(1);
    p->taken = &p->first;
    return p;
}

void places_free(struct places *p)
{
    if (!p)
        return;
    if (p->taken != &p->first)
        free(p->taken);
    pool_free(&p->beyond);
    free(p);
}

/* From one word, which is full, to all of them. False: no memory. */
static bool grow(struct places *p)
{
    uint64_t *taken = calloc(WORDS, sizeof *taken);
    if (!taken)
        return false;
    taken[0] = p->first;
    p->taken = taken;
    p->full = 1;
    return true;
}

int64_t places_take_far(struct places *p)
{
    if (p->taken == &p->first)
        return grow(p) ? places_take(p) : -1;
    int64_t place = pool_take(&p->beyond);
    return place < 0 ? -1 : place + PLACES_NEAR;
}

void places_give_far(struct places *p, int64_t place)
{
    pool_give(&p->beyond, place - PLACES_NEAR);
}
