/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of elements from grammars; see elements.h. */
#include "template/elements.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/try.h"
#include "rules/rules.h"

struct element *element_new(struct elements *t, bool scratch, uint32_t key)
{
    struct arena *memory = scratch ? &t->scratch : &t->memory;
    size_t times = scratch ? 1 : t->room, count = times + (key == ELEMENT_BLOCK ? t->words : 0);
    struct element *e = arena_take(memory, sizeof *e);
    uint64_t *numbers = arena_take(memory, count * sizeof *numbers);
    if (!e || !numbers)
        return NULL;
    memset(numbers, 0, count * sizeof *numbers);
    *e = (struct element){.key = key, .times = numbers, .keys = key == ELEMENT_BLOCK ? numbers + times : NULL};
    return e;
}

void element_note_keys(const struct elements *t, struct element *block, const struct element *e)
{
    for (uint32_t i = 0; e->keys && i < t->words; i++)
        block->keys[i] |= e->keys[i];
    if (!e->keys)
        block->keys[e->key / 64] |= UINT64_C(1) << e->key % 64;
}

/* A tree while it is made. */
struct planting {
    struct elements *t;
    const struct rules *rules;
    const uint32_t *keys;
    uint32_t left;  /* so many elements may follow */
    bool too_large; /* it has more elements, or more levels */
};

/* The items of a block while it is made. */
struct item_list {
    struct element **items;
    uint32_t count;
    uint32_t capacity;
};

static enum pilgrim_status add_item(struct item_list *l, struct element *e, uint64_t times)
{
    struct element *last = l->count ? l->items[l->count - 1] : NULL;
    if (!e)
        return PILGRIM_NOMEM;
    if (last && e->key != ELEMENT_BLOCK && last->key == e->key) {
        last->times[0] += times;
        return PILGRIM_OK;
    }
    e->times[0] = times;
    if (l->count == l->capacity) {
        uint32_t capacity = 2 * l->capacity + 8;
        struct element **items = realloc(l->items, capacity * sizeof(void *));
        if (!items)
            return PILGRIM_NOMEM;
        l->items = items;
        l->capacity = capacity;
    }
    l->items[l->count++] = e;
    return PILGRIM_OK;
}

static enum pilgrim_status plant_block(struct planting *p, uint32_t rule, uint32_t depth, struct element *block);

/* Appends the symbols of RULE. Rules that come once are dissolved; the others become blocks. */
static enum pilgrim_status plant_symbols(struct planting *p, uint32_t rule, uint32_t depth, struct item_list *l)
{
    for (uint32_t i = p->rules->first[rule]; i < p->rules->first[rule + 1]; i++) {
        const struct rules_symbol *s = &p->rules->symbols[i];
        if (!p->left || depth == ELEMENTS_DEPTH_MAX)
            p->too_large = true;
        if (p->too_large)
            return PILGRIM_OK;
        if (s->is_rule && s->exponent == 1) {
            TRY(plant_symbols(p, (uint32_t)s->value, depth + 1, l));
            continue;
        }
        p->left--;
        struct element *e = element_new(p->t, true, s->is_rule ? ELEMENT_BLOCK : p->keys[s->value]);
        if (e && s->is_rule)
            TRY(plant_block(p, (uint32_t)s->value, depth + 1, e));
        TRY(add_item(l, e, s->exponent));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status plant_block(struct planting *p, uint32_t rule, uint32_t depth, struct element *block)
{
    struct item_list l = {0};
    enum pilgrim_status status = plant_symbols(p, rule, depth, &l);
    block->items = arena_take(&p->t->scratch, (l.count + 1) * sizeof(void *));
    block->count = l.count;
    if (status == PILGRIM_OK && !block->items)
        status = PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < l.count; i++) {
        block->items[i] = l.items[i];
        element_note_keys(p->t, block, l.items[i]);
    }
    free(l.items);
    return status;
}

uint32_t element_common_keys(const struct elements *t, const struct element *a, const struct element *b)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < t->words; i++)
        size += (uint32_t)__builtin_popcountll(a->keys[i] & b->keys[i]);
    return size;
}

bool element_alike(const struct elements *t, const struct element *a, const struct element *b)
{
    uint32_t x = element_common_keys(t, a, a), y = element_common_keys(t, b, b);
    return 2 * element_common_keys(t, a, b) >= (x < y ? x : y);
}

/* The first group is laid over a block without items. */
static enum pilgrim_status join(struct elements *t, struct element *tree, bool *added)
{
    if (t->root && !element_alike(t, t->root, tree))
        return PILGRIM_OK;
    if (!t->root && !(t->root = element_new(t, false, ELEMENT_BLOCK)))
        return PILGRIM_NOMEM;
    TRY(elements_align(t, t->root, tree, added));
    t->failed = !*added;
    if (*added)
        t->root->times[t->group_count++] = 1;
    return PILGRIM_OK;
}

enum pilgrim_status elements_add(struct elements *t, const void *data, size_t length, const uint32_t *keys, bool *added)
{
    struct rules rules;
    struct cursor in;
    *added = false;
    if (t->group_count == t->room || t->failed)
        return PILGRIM_OK;
    cursor_init(&in, data, length);
    TRY(rules_parse(&in, UINT32_MAX, &rules));
    struct planting p = {.t = t, .rules = &rules, .keys = keys, .left = ELEMENTS_MAX};
    struct element *tree = element_new(t, true, ELEMENT_BLOCK);
    enum pilgrim_status status = tree ? plant_block(&p, 0, 0, tree) : PILGRIM_NOMEM;
    rules_free(&rules);
    if (status == PILGRIM_OK && !p.too_large)
        status = join(t, tree, added);
    arena_clear(&t->scratch);
    return status;
}

void elements_free(struct elements *t)
{
    arena_free(&t->memory);
    arena_free(&t->scratch);
}
