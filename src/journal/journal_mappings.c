/* SPDX-License-Identifier: BSD-3-Clause */
/* What is mapped from the journal; see journal_mappings.h. It is in a list of arrays that only grows, so that a handler
 * of signals can read it at any moment. */
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS */
#include "journal/journal_mappings.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "journal/journal_file.h"

enum { PLACES = 64 };

/* It is free if `begin` is 0. */
struct mapping {
    _Atomic uintptr_t begin;
    atomic_size_t length;
};

static struct mappings {
    struct mapping places[PLACES];
    struct mappings *_Atomic next;
} first;

static atomic_bool damaged;

/* Returns the mapping that has the byte at ADDRESS. NULL: there is none. */
static struct mapping *find(uintptr_t address)
{
    for (struct mappings *m = &first; m; m = atomic_load(&m->next))
        for (size_t i = 0; i < PLACES; i++)
            if (address - atomic_load(&m->places[i].begin) < atomic_load(&m->places[i].length))
                return &m->places[i];
    return NULL;
}

static bool take_place(struct mappings *m, uintptr_t begin, size_t length)
{
    for (size_t i = 0; i < PLACES; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&m->places[i].begin, &none, begin)) {
            atomic_store(&m->places[i].length, length);
            return true;
        }
    }
    return false;
}

/* Returns the array behind M, which is made if there is none. NULL: out of memory. */
static struct mappings *next_of(struct mappings *m)
{
    struct mappings *next = atomic_load(&m->next), *none = NULL;
    if (next)
        return next;
    next = calloc(1, sizeof *next);
    if (!next || atomic_compare_exchange_strong(&m->next, &none, next))
        return next;
    free(next); /* another thread has made one meanwhile */
    return none;
}

bool journal_mapped(const void *begin, size_t length)
{
    struct mappings *m = &first;
    while (m && !take_place(m, (uintptr_t)begin, length))
        m = next_of(m);
    return m;
}

size_t journal_mapped_length(const void *begin)
{
    const struct mapping *m = find((uintptr_t)begin);
    return m ? atomic_load(&m->length) : 0;
}

size_t journal_unmapped(const void *begin)
{
    struct mapping *m = find((uintptr_t)begin);
    if (!m)
        return 0;
    size_t length = atomic_exchange(&m->length, 0);
    atomic_store(&m->begin, 0);
    return length;
}

bool journal_repair(const void *address)
{
    const struct mapping *m = find((uintptr_t)address);
    if (!m)
        return false;
    uintptr_t begin = atomic_load(&m->begin), gone = (uintptr_t)address & ~(uintptr_t)(JOURNAL_PAGE - 1);
    atomic_store(&damaged, true);
    return journal_map((void *)gone, begin + atomic_load(&m->length) - gone, /* NOLINT(performance-no-int-to-ptr) */
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void journal_note_damage(void)
{
    atomic_store(&damaged, true);
}

bool journal_damaged(void)
{
    return atomic_load_explicit(&damaged, memory_order_relaxed);
}
