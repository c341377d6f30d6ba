/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of collective operations; see collective_steps.h. */
#include "collective_steps.h"

uint64_t collective_bytes_to(const struct collective *c, size_t member)
{
    return c->to ? c->to[member] : c->to_each;
}

uint64_t collective_bytes_from(const struct collective *c, size_t member)
{
    return c->from ? c->from[member] : c->from_each;
}

static bool send(const struct collective *c, const struct collective_steps *s, size_t member)
{
    return s->message(s->context, true, member, collective_bytes_to(c, member));
}

static bool receive(const struct collective *c, const struct collective_steps *s, size_t member)
{
    return s->message(s->context, false, member, collective_bytes_from(c, member));
}

/* Between all pairs. UP_ONLY: only from lower ranks to higher ones. */
static bool pairs(const struct collective *c, const struct collective_steps *s, bool one_round, bool up_only)
{
    bool good = true;
    for (size_t k = 1; k < c->members && good; k++) {
        const size_t to = (c->own + k) % c->members, from = (c->own + c->members - k) % c->members;
        good = (up_only && to < c->own) || send(c, s, to);
        good = good && ((up_only && from > c->own) || receive(c, s, from));
        good = good && (one_round || s->round(s->context));
    }
    return good;
}

/* Each member hears of all others in as many rounds as the number of members has bits. */
static bool disseminate(const struct collective *c, const struct collective_steps *s)
{
    bool good = true;
    for (size_t k = 1; k < c->members && good; k *= 2)
        good = send(c, s, (c->own + k) % c->members) && receive(c, s, (c->own + c->members - k) % c->members) &&
               s->round(s->context);
    return good;
}

static bool scan(const struct collective *c, const struct collective_steps *s)
{
    bool good = true;
    for (size_t k = 1; k < c->members && good; k *= 2) {
        good = c->own + k >= c->members || send(c, s, c->own + k);
        good = good && (c->own < k || receive(c, s, c->own - k)) && s->round(s->context);
    }
    return good;
}

/* Between the root and each other member. */
static bool star(const struct collective *c, const struct collective_steps *s, bool from_root)
{
    bool good = true;
    if (c->own != c->root)
        return from_root ? receive(c, s, c->root) : send(c, s, c->root);
    for (size_t i = 0; i < c->members && good; i++)
        if (i != c->root)
            good = from_root ? send(c, s, i) : receive(c, s, i);
    return good;
}

/* A binomial tree. Members count from the root; the parent of one is it without its lowest bit. */
static bool tree(const struct collective *c, const struct collective_steps *s, bool from_root)
{
    const size_t own = (c->own + c->members - c->root) % c->members;
    size_t bit = 1;
    bool good = true;
    while (bit < c->members && !(own & bit))
        bit *= 2; /* its children are at the bits below */
    const size_t parent = ((own & ~bit) + c->root) % c->members;
    if (from_root && own)
        good = receive(c, s, parent) && s->round(s->context);
    for (size_t below = from_root ? bit / 2 : 1; below > 0 && below < bit && good;
         below = from_root ? below / 2 : 2 * below) {
        const size_t child = own + below;
        if (child < c->members)
            good = (from_root ? send(c, s, (child + c->root) % c->members)
                              : receive(c, s, (child + c->root) % c->members)) &&
                   s->round(s->context);
    }
    if (good && !from_root && own)
        good = send(c, s, parent) && s->round(s->context);
    return good;
}

bool collective_expand(const struct collective *c, bool one_round, const struct collective_steps *s)
{
    switch (c->kind) {
    case COLLECTIVE_BARRIER:
    case COLLECTIVE_CREATE:
    case COLLECTIVE_ALLREDUCE:
        return one_round ? pairs(c, s, true, false) : disseminate(c, s);
    case COLLECTIVE_BCAST:
        return one_round ? star(c, s, true) : tree(c, s, true);
    case COLLECTIVE_REDUCE:
        return one_round ? star(c, s, false) : tree(c, s, false);
    case COLLECTIVE_GATHER:
    case COLLECTIVE_GATHERV:
        return star(c, s, false) && (one_round || s->round(s->context));
    case COLLECTIVE_SCATTER:
    case COLLECTIVE_SCATTERV:
        return star(c, s, true) && (one_round || s->round(s->context));
    case COLLECTIVE_SCAN:
    case COLLECTIVE_EXSCAN:
        return one_round ? pairs(c, s, true, true) : scan(c, s);
    case COLLECTIVE_DESTROY:
        return true;
    default:
        return pairs(c, s, one_round, false);
    }
}
