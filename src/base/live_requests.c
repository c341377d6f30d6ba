/* SPDX-License-Identifier: BSD-3-Clause */
/* Live requests; see live_requests.h. A class stores the indices of its live requests in a part of an array, the oldest
 * first. Most programs complete their requests in order, or the youngest one first; neither takes a search. */
#include "base/live_requests.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES_MIN = 16, ORDER_MIN = 8 };

static struct live_class *find_slowly(struct live_requests *l, int64_t number)
{
    if (!l->index.count)
        return NULL;
    struct hash_slot *slot = hash_index_first(&l->index, hash_word((uint64_t)number));
    while (slot->number && l->classes[slot->number - 1]->number != number)
        slot = hash_index_next(&l->index, slot);
    return slot->number ? l->recent[(uint64_t)number % LIVE_RECENT] = l->classes[slot->number - 1] : NULL;
}

static inline struct live_class *find(struct live_requests *l, int64_t number)
{
    struct live_class *c = live_recent(l, number);
    return c ? c : find_slowly(l, number);
}

/* Makes room for one more class. False: no memory. */
static bool reserve_class(struct live_requests *l)
{
    size_t before = hash_index_bytes(&l->index);
    if (!hash_index_reserve(&l->index))
        return false;
    l->bytes += hash_index_bytes(&l->index) - before;
    if (l->index.count < l->capacity)
        return true;
    uint32_t capacity = l->capacity ? 2 * l->capacity : CLASSES_MIN;
    struct live_class **classes = realloc(l->classes, capacity * sizeof *classes);
    if (!classes)
        return false;
    l->bytes += (capacity - l->capacity) * sizeof *classes;
    l->classes = classes;
    l->capacity = capacity;
    return true;
}

/* Returns a class without requests, or NULL if memory is short. */
static struct live_class *take_class(struct live_requests *l)
{
    return l->spare_count ? l->spare[--l->spare_count] : calloc(1, sizeof(struct live_class));
}

/* Adds the class NUMBER, which is new. Returns it, or NULL if memory is short. */
static struct live_class *add(struct live_requests *l, int64_t number)
{
    struct live_class *c = reserve_class(l) ? take_class(l) : NULL;
    if (!c)
        return NULL;
    uint32_t hash = hash_word((uint64_t)number);
    struct hash_slot *slot = hash_index_first(&l->index, hash);
    while (slot->number)
        slot = hash_index_next(&l->index, slot);
    c->number = number;
    l->classes[l->index.count] = l->recent[(uint64_t)number % LIVE_RECENT] = c;
    hash_index_put(&l->index, slot, hash, l->index.count + 1);
    l->bytes += sizeof *c + c->capacity * sizeof *c->order;
    return c;
}

static inline bool is_taken(const struct live_class *c, int64_t request_index)
{
    return request_index >= 0 && request_index < LIVE_INDICES &&
           c->taken[request_index / 64] >> (request_index % 64) & 1;
}

/* Returns the age rank of REQUEST_INDEX, which is taken. */
static inline uint32_t index_of(struct live_class *c, int64_t request_index)
{
    const uint16_t *order = c->order + c->first;
    uint32_t i = c->near;
    if (i >= c->count || order[i] != request_index)
        for (i = 0; order[i] != request_index;)
            i++;
    return i;
}

/* Makes room for one more request at the end. False: no memory. */
static bool reserve(struct live_requests *l, struct live_class *c)
{
    if (c->first + c->count < c->capacity)
        return true;
    if (c->first > c->count) {
        memcpy(c->order, c->order + c->first, c->count * sizeof *c->order);
        c->first = 0;
        return true;
    }
    uint32_t capacity = c->capacity ? 2 * c->capacity : ORDER_MIN;
    uint16_t *order = realloc(c->order, capacity * sizeof *order);
    if (!order)
        return false;
    l->bytes += (capacity - c->capacity) * sizeof *order;
    c->order = order;
    c->capacity = capacity;
    return true;
}

static void end(struct live_requests *l, struct live_class *c, int64_t request_index)
{
    uint32_t i = index_of(c, request_index);
    uint16_t *order = c->order + c->first;
    if (i == 0)
        c->first++;
    else
        memmove(order + i, order + i + 1, (c->count - i - 1) * sizeof *order);
    c->near = i;
    c->count--;
    l->count--;
    live_free_index(c, (uint32_t)request_index);
    if (c->count == 0)
        c->first = 0;
}

int64_t live_request_index(struct live_requests *l, int64_t class_number)
{
    const struct live_class *c = find(l, class_number);
    int64_t request_index = c ? live_first_index(c) : 0;
    return request_index < LIVE_INDICES ? request_index : -1;
}

enum pilgrim_status live_begin(struct live_requests *l, int64_t class_number, int64_t request_index)
{
    struct live_class *c = find(l, class_number);
    if (request_index < 0 || request_index >= LIVE_INDICES || (!c && l->index.count == LIVE_CLASSES))
        return PILGRIM_OK;
    if (c && is_taken(c, request_index))
        end(l, c, request_index);
    if (l->count == LIVE_MAX)
        return PILGRIM_OK;
    if (!c)
        c = add(l, class_number);
    if (!c || !reserve(l, c))
        return PILGRIM_NOMEM;
    c->order[c->first + c->count++] = (uint16_t)request_index;
    l->count++;
    live_take_index(c, (uint32_t)request_index);
    return PILGRIM_OK;
}

void live_end(struct live_requests *l, int64_t class_number, int64_t request_index)
{
    struct live_class *c = find(l, class_number);
    if (c && is_taken(c, request_index))
        end(l, c, request_index);
}

int64_t live_rank(struct live_requests *l, int64_t class_number, int64_t request_index)
{
    struct live_class *c = find(l, class_number);
    if (!c || !is_taken(c, request_index))
        return -1;
    uint32_t i = index_of(c, request_index);
    c->near = i + 1;
    return i;
}

int64_t live_at(struct live_requests *l, int64_t class_number, int64_t rank)
{
    const struct live_class *c = find(l, class_number);
    return c && rank >= 0 && rank < c->count ? c->order[c->first + (uint32_t)rank] : -1;
}

static void class_free(struct live_class *c)
{
    free(c->order);
    free(c);
}

void live_restart(struct live_requests *l)
{
    if (l->capacity > CLASSES_MIN) {
        live_free(l);
        return;
    }
    for (uint32_t i = 0; i < l->index.count; i++) {
        struct live_class *c = l->classes[i];
        if (c->capacity > ORDER_MIN || l->spare_count == LIVE_SPARE) {
            class_free(c);
            continue;
        }
        if (c->count)
            memset(c->taken, 0, sizeof c->taken);
        c->first = c->count = c->near = c->full = 0;
        l->spare[l->spare_count++] = c;
    }
    hash_index_clear(&l->index);
    l->count = 0;
    l->bytes = l->capacity * sizeof(struct live_class *) + hash_index_bytes(&l->index);
    memset(l->recent, 0, sizeof l->recent);
}

void live_free(struct live_requests *l)
{
    for (uint32_t i = 0; i < l->index.count; i++)
        class_free(l->classes[i]);
    for (uint32_t i = 0; i < l->spare_count; i++)
        class_free(l->spare[i]);
    free(l->classes);
    hash_index_free(&l->index);
    *l = (struct live_requests){0};
}
