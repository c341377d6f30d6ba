/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of mapped memory in an ordered array; see mappings.h. Mappings are few and seldom change, so an insertion
 * that moves the tail of the array costs less than a tree. */
#include "objects/mappings.h"

#include <string.h>

#include "objects/pages.h"

/* Returns the index of the first range that ends after ADDRESS. */
static size_t first_after(const struct mappings *m, uintptr_t address)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(struct mappings *m, size_t at, struct memory_mapping range)
{
    enum { FIRST_CAPACITY = 128 };
    if (m->count == m->capacity) {
        size_t capacity = m->capacity ? 2 * m->capacity : FIRST_CAPACITY;
        size_t bytes = capacity * sizeof *m->ranges;
        struct memory_mapping *ranges =
            m->capacity ? pages_grow(m->ranges, m->capacity * sizeof *m->ranges, bytes) : pages_take(bytes);
        if (!ranges)
            return false;
        m->ranges = ranges;
        m->capacity = capacity;
    }
    memmove(&m->ranges[at + 1], &m->ranges[at], (m->count - at) * sizeof *m->ranges);
    m->ranges[at] = range;
    m->count++;
    return true;
}

bool mappings_add(struct mappings *m, uintptr_t start, uintptr_t end)
{
    return insert(m, first_after(m, start), (struct memory_mapping){start, end, start, m->made++, -1});
}

static bool id_in_use(const struct mappings *m, int64_t id)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->ranges[i].id == id)
            return true;
    return false;
}

bool mappings_cut(struct mappings *m, uintptr_t start, uintptr_t end, int64_t *id)
{
    return mappings_cut_old(m, start, end, m->made, id);
}

bool mappings_cut_old(struct mappings *m, uintptr_t start, uintptr_t end, uint64_t made, int64_t *id)
{
    size_t i = first_after(m, start);
    *id = -1;
    while (i < m->count && m->ranges[i].start < end && m->ranges[i].serial >= made)
        i++;
    if (start >= end || i == m->count || m->ranges[i].start >= end)
        return false;
    struct memory_mapping *r = &m->ranges[i];
    struct memory_mapping rest = *r;
    bool front = r->start<start, rear = r->end> end;
    rest.start = end;
    if (front) {
        r->end = start;
        if (rear)
            (void)insert(m, i + 1, rest);
    } else if (rear) {
        *r = rest;
    } else {
        memmove(r, r + 1, (m->count - i - 1) * sizeof *r);
        m->count--;
        if (rest.id >= 0 && !id_in_use(m, rest.id))
            *id = rest.id;
    }
    return true;
}

struct memory_mapping *mappings_find(struct mappings *m, uintptr_t address)
{
    size_t i = first_after(m, address);
    return i < m->count && m->ranges[i].start <= address ? &m->ranges[i] : NULL;
}

struct memory_mapping *mappings_of(struct mappings *m, uint64_t serial)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->ranges[i].serial == serial)
            return &m->ranges[i];
    return NULL;
}

void mappings_name(struct mappings *m, struct memory_mapping *range, int64_t id)
{
    uint64_t serial = range->serial;
    for (size_t i = 0; i < m->count; i++)
        if (m->ranges[i].serial == serial)
            m->ranges[i].id = id;
}
