/* SPDX-License-Identifier: BSD-3-Clause */
/* Brings together the calls of a collective operation: the k-th of each process on one communicator, window or file;
 * see match_data.h. */
#include <stdlib.h>

#include "analysis/match_data.h"

static struct match_key key_of(const struct match_collective *c)
{
    return (struct match_key){{c->identity, c->sub, c->number}};
}

static struct match_collective *find(struct match *m, struct match_comm *comm, struct match_container *container)
{
    const uint64_t sub = container ? container->sub : 0;
    const uint64_t number = container ? container->operations++ : comm->collectives++;
    const struct match_comm *members = container ? &container->comm : comm;
    const struct match_key key = {{members->identity, sub, number}};
    struct match_collective *found = match_map_find(&m->collectives, key);
    if (found)
        return found;
    found = calloc(1, sizeof *found);
    if (!found)
        return NULL;
    *found = (struct match_collective){
        .identity = members->identity, .sub = sub, .number = number, .expected = members->members};
    if (match_map_put(&m->collectives, key, found))
        return found;
    free(found);
    return NULL;
}

static void free_collective(struct match *m, struct match_collective *c)
{
    for (struct match_entry *entry = c->entries, *next; entry; entry = next) {
        next = entry->next;
        match_call_drop(m, entry->begun);
        match_call_drop(m, entry->ended);
        free(entry);
    }
    free(c);
}

/* True if two processes called different functions, or named different roots. */
static bool differ(const struct match *m, const struct match_entry *a, const struct match_entry *b)
{
    const struct pilgrim_class *x = match_site(m, a->begun->site), *y = match_site(m, b->begun->site);
    if (a->pattern != b->pattern || (a->root >= 0 && b->root >= 0 && a->root != b->root))
        return true;
    return a->begun->site != b->begun->site && x && y && !match_same_function(x, y);
}

static bool give(struct match *m, struct match_collective *c)
{
    bool good = true;
    match_map_take(&m->collectives, key_of(c));
    m->totals->collectives++;
    m->totals->collectives_missing += c->entered < c->expected;
    m->totals->collectives_differ += c->differs;
    m->in_flight -= c->entered;
    for (const struct match_entry *entry = c->entries; entry; entry = entry->next)
        m->processes[entry->begun->rank].outstanding--;
    if (m->events->collective)
        good = m->events->collective(m->events->context, c);
    for (const struct match_entry *entry = c->entries; entry && good; entry = entry->next)
        good = !entry->ended || match_call_closed(m, entry->ended);
    free_collective(m, c);
    return good;
}

bool match_enter(struct match *m, struct match_comm *comm, struct match_container *container, struct match_entry *entry,
                 struct match_collective **collective)
{
    struct match_collective *c = find(m, comm, container);
    if (!c) {
        match_call_drop(m, entry->begun);
        free(entry);
        return false;
    }
    entry->next = NULL;
    entry->number = ++m->process->begun;
    if (c->last)
        c->last->next = entry;
    else
        c->entries = entry;
    c->last = entry;
    c->entered++;
    c->differs |= differ(m, c->entries, entry);
    c->failed |= entry->error != NULL;
    m->process->outstanding++;
    if (++m->in_flight > m->totals->in_flight_most)
        m->totals->in_flight_most = m->in_flight;
    *collective = c;
    return true;
}

bool match_left(struct match *m, struct match_collective *c, struct match_entry *entry, struct match_call *call)
{
    entry->ended = call;
    if (call)
        call->open++;
    c->ended++;
    return c->entered < c->expected || c->ended < c->entered || give(m, c);
}

bool match_flush_collectives(struct match *m)
{
    bool good = true;
    for (size_t i = 0; i < m->collectives.capacity;) {
        struct match_collective *c = m->collectives.slots[i].value;
        if (!c) {
            i++;
            continue;
        }
        if (good)
            good = give(m, c); /* another one may take its place */
        else {
            match_map_take(&m->collectives, key_of(c));
            free_collective(m, c);
        }
    }
    match_map_free(&m->collectives);
    return good;
}
