/* SPDX-License-Identifier: BSD-3-Clause */
/* Lays one tree of elements over another: the items of two blocks that match are joined along their longest common
 * subsequence, by weight; then the blocks among them, in the same way.
 *
 * Calls match if they are of one class. Blocks match if half of the classes of one are in the other; their weight is
 * the number of classes that both have. A loop of which nothing is left but an inner loop, or a call, is one loop, or a
 * call that comes several times. It is taken apart again, so that it is laid over both. */
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "template/elements.h"

enum { WEIGHT_CALL = 4, CELLS_MAX = 1 << 22 };

static bool has_key(const struct element *block, uint32_t key)
{
    return block->keys[key / 64] >> key % 64 & 1;
}

/* True if some group has A as often as the new group has B. */
static bool same_times(const struct elements *t, const struct element *a, const struct element *b)
{
    for (uint32_t i = 0; i < t->group_count; i++)
        if (a->times[i] == b->times[0])
            return true;
    return false;
}

/* True if E could be item C of BLOCK, without what else is in it. */
static bool is_inner(const struct elements *t, const struct element *block, const struct element *c,
                     const struct element *e)
{
    if (!c->keys || !e->keys)
        return !c->keys && !e->keys && c->key == e->key;
    return element_alike(t, c, e) && element_common_keys(t, c, e) == element_common_keys(t, block, e);
}

/* A loop in whose body nothing is left but another loop, or a call, is one with the product of both numbers of times.
 * Returns the inner number, if E that comes TIMES times may be such a product of BLOCK and an item of it, as group
 * GROUP has them; otherwise 0. */
static uint64_t inner_times(const struct elements *t, const struct element *block, uint32_t group,
                            const struct element *e, uint64_t times)
{
    uint64_t outer = block->times[group];
    if (outer < 2 || times % outer || (e->keys && times == outer) || *t->work < block->count)
        return 0;
    *t->work -= block->count;
    for (uint32_t i = 0; i < block->count; i++)
        if (block->items[i]->times[group] == times / outer && is_inner(t, block, block->items[i], e))
            return times / outer;
    return 0;
}

/* The same for A, in the tree, and B, of the new group. *OF_NEW: B is the product. Returns 0 if neither is one that
 * each group has. */
static uint64_t product(const struct elements *t, const struct element *a, const struct element *b, bool *of_new)
{
    uint64_t inner = 0;
    for (uint32_t i = 0; i < t->group_count && !inner; i++)
        inner = a->keys && b->times[0] ? inner_times(t, a, i, b, b->times[0]) : 0;
    *of_new = inner > 0;
    for (uint32_t i = 0; i < t->group_count && !inner; i++)
        inner = b->keys && a->times[i] ? inner_times(t, b, 0, a, a->times[i]) : 0;
    for (uint32_t i = 0; i < t->group_count && !*of_new && inner; i++)
        inner = a->times[i] % inner ? 0 : inner;
    return inner;
}

/* Returns how much it is worth to join A with B, of the new group; 0: they do not match. */
static uint32_t weight(const struct elements *t, const struct element *a, const struct element *b)
{
    bool of_new;
    if (!a->keys && !b->keys)
        return a->key == b->key ? WEIGHT_CALL + same_times(t, a, b) : 0;
    if (!a->keys || !b->keys) {
        const struct element *block = a->keys ? a : b, *call = a->keys ? b : a;
        return has_key(block, call->key) && product(t, a, b, &of_new) ? WEIGHT_CALL - 1 : 0;
    }
    return element_alike(t, a, b) ? WEIGHT_CALL * element_common_keys(t, a, b) + same_times(t, a, b) : 0;
}

/* Makes E, with COUNT numbers of times, a block in which it comes INNER times. */
static enum pilgrim_status wrap(struct elements *t, bool scratch, uint32_t count, struct element *e, uint64_t inner)
{
    struct element *item = element_new(t, scratch, e->key), *block = element_new(t, scratch, ELEMENT_BLOCK);
    if (!item || !block || !(block->items = arena_take(scratch ? &t->scratch : &t->memory, sizeof(void *))))
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        item->times[i] = e->times[i] ? inner : 0;
        block->times[i] = e->times[i] / inner;
    }
    item->items = e->items;
    item->count = e->count;
    if (e->keys)
        memcpy(item->keys, e->keys, t->words * sizeof *e->keys);
    block->items[block->count++] = item;
    element_note_keys(t, block, item);
    *e = *block;
    return PILGRIM_OK;
}

/* Joins B, of the new group, with A, which it matches. */
static enum pilgrim_status join_pair(struct elements *t, struct element *a, struct element *b, bool *fits)
{
    bool of_new;
    uint64_t inner =
        (!a->keys && !b->keys) || (a->keys && b->keys && same_times(t, a, b)) ? 0 : product(t, a, b, &of_new);
    *fits = inner || !a->keys == !b->keys; /* there may be no work left to find the product again */
    if (!*fits)
        return PILGRIM_OK;
    if (inner && of_new)
        TRY(wrap(t, true, 1, b, inner));
    else if (inner)
        TRY(wrap(t, false, t->group_count, a, inner));
    a->times[t->group_count] = b->times[0];
    return a->keys ? elements_align(t, a, b, fits) : PILGRIM_OK;
}

/* Sets *E to a copy of B, of the new group, which only this group has. */
static enum pilgrim_status adopt(struct elements *t, const struct element *b, struct element **e, bool *fits)
{
    *fits = t->left > 0;
    if (!*fits)
        return PILGRIM_OK;
    t->left--;
    struct element *copy = *e = element_new(t, false, b->key);
    if (!copy || !(copy->items = arena_take(&t->memory, ((size_t)b->count + 1) * sizeof(void *))))
        return PILGRIM_NOMEM;
    if (b->keys)
        memcpy(copy->keys, b->keys, t->words * sizeof *b->keys);
    copy->times[t->group_count] = b->times[0];
    for (; *fits && copy->count < b->count; copy->count++)
        TRY(adopt(t, b->items[copy->count], &copy->items[copy->count], fits));
    return PILGRIM_OK;
}

enum step { STEP_JOIN, STEP_FIRST, STEP_SECOND };

/* Where the items of two blocks are compared. */
struct comparing {
    uint8_t *steps; /* for each pair of beginnings of A's and B's items, which step leads there on the best way */
    uint32_t *before, *row; /* what the best ways to the pairs of one beginning of A's items are worth */
    uint32_t *keys;         /* of B's items */
};

/* Fills the row of the beginning of A's items that ends with item I. Most pairs are two different calls, which the keys
 * alone tell. */
static void find_row(const struct elements *t, const struct element *a, const struct element *b, uint32_t i,
                     struct comparing *c)
{
    const struct element *item = a->items[i];
    const uint32_t *before = c->before, *keys = c->keys, key = item->key;
    uint8_t *steps = &c->steps[((size_t)i + 1) * ((size_t)b->count + 1)];
    uint32_t *row = c->row, best = row[0] = 0;
    steps[0] = STEP_FIRST;
    for (uint32_t k = 0; k < b->count; k++) {
        enum step step = best > before[k + 1] ? STEP_SECOND : STEP_FIRST;
        best = best > before[k + 1] ? best : before[k + 1];
        if (keys[k] == key || keys[k] == ELEMENT_BLOCK || key == ELEMENT_BLOCK) {
            uint32_t gain = weight(t, item, b->items[k]);
            if (gain && before[k] + gain > best) {
                best = before[k] + gain;
                step = STEP_JOIN;
            }
        }
        row[k + 1] = best;
        steps[k + 1] = (uint8_t)step;
    }
}

static void find_steps(const struct elements *t, const struct element *a, const struct element *b, struct comparing *c)
{
    for (uint32_t k = 0; k <= b->count; k++) {
        c->before[k] = 0;
        c->steps[k] = STEP_SECOND;
    }
    for (uint32_t k = 0; k < b->count; k++)
        c->keys[k] = b->items[k]->key;
    for (uint32_t i = 0; i < a->count; i++) {
        find_row(t, a, b, i, c);
        uint32_t *row = c->row;
        c->row = c->before;
        c->before = row;
    }
}

/* Two blocks whose items are being joined. */
struct joining {
    struct element *a, *b;
    const uint8_t *steps;
    struct element **list; /* with room for the items of both; filled from its end */
    uint32_t first;        /* of the items in it */
};

static enum pilgrim_status join_items(struct elements *t, struct joining *j, bool *fits)
{
    uint32_t i = j->a->count, k = j->b->count;
    j->first = i + k;
    while (i || k) {
        enum step step = j->steps[(size_t)i * ((size_t)j->b->count + 1) + k];
        struct element *item = i ? j->a->items[i - 1] : NULL;
        if (step == STEP_JOIN)
            TRY(join_pair(t, item, j->b->items[k - 1], fits));
        else if (step == STEP_SECOND)
            TRY(adopt(t, j->b->items[k - 1], &item, fits));
        if (!*fits)
            return PILGRIM_OK;
        j->list[--j->first] = item;
        i -= step != STEP_SECOND;
        k -= step != STEP_FIRST;
    }
    return PILGRIM_OK;
}

enum pilgrim_status elements_align(struct elements *t, struct element *into, struct element *from, bool *fits)
{
    uint64_t cells = ((uint64_t)into->count + 1) * ((uint64_t)from->count + 1);
    *fits = cells <= CELLS_MAX && cells <= *t->work;
    if (!*fits)
        return PILGRIM_OK;
    *t->work -= cells;
    uint32_t total = into->count + from->count;
    size_t width = (size_t)from->count + 1;
    uint8_t *steps = malloc(cells);
    uint32_t *rows = malloc(3 * width * sizeof *rows);
    struct joining j = {.a = into, .b = from, .steps = steps, .list = malloc((total + (size_t)1) * sizeof(void *))};
    enum pilgrim_status status = steps && rows && j.list ? PILGRIM_OK : PILGRIM_NOMEM;
    if (status == PILGRIM_OK) {
        struct comparing c = {.steps = steps, .before = rows, .row = rows + width, .keys = rows + 2 * width};
        find_steps(t, into, from, &c);
        status = join_items(t, &j, fits);
    }
    if (status == PILGRIM_OK && *fits) {
        into->items = arena_take(&t->memory, (total - j.first + (size_t)1) * sizeof(void *));
        into->count = total - j.first;
        if (into->items)
            memcpy(into->items, j.list + j.first, into->count * sizeof(void *));
        else
            status = PILGRIM_NOMEM;
        element_note_keys(t, into, from);
    }
    free(steps);
    free(rows);
    free(j.list);
    return status;
}
