/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops without trips, one after another; see idle.h. */
#include "template/idle.h"

/* What a group meets in an element: elements that it lacks, before its first call, and after its last call. */
struct idle {
    bool call; /* there is a call; otherwise FIRST, LAST and MOST are one number */
    uint64_t first, last, most;
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static struct idle behind(struct idle a, struct idle b)
{
    if (!b.call) {
        a.last += b.last;
        a.first = a.call ? a.first : a.last;
    } else {
        uint64_t between = a.last + b.first;
        a.first = a.call ? a.first : between;
        a.last = b.last;
        a.most = larger(a.most, larger(b.most, between));
        a.call = true;
    }
    a.most = larger(a.most, a.last);
    return a;
}

static struct idle of_element(const struct element *e, uint32_t group, bool once)
{
    uint64_t times = once ? 1 : e->times[group];
    struct idle one = {.call = !e->keys};
    if (!times)
        return (struct idle){false, 1, 1, 1};
    for (uint32_t i = 0; i < e->count; i++)
        one = behind(one, of_element(e->items[i], group, false));
    if (!one.call) {
        one.most = one.first > UINT32_MAX / times ? UINT32_MAX : one.first * times;
        return (struct idle){false, one.most, one.most, one.most};
    }
    if (times > 1)
        one.most = larger(one.most, one.last + one.first);
    return one;
}

uint64_t idle_most(const struct element *block, uint32_t group_count)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < group_count; i++)
        most = larger(most, of_element(block, i, true).most);
    return most;
}
