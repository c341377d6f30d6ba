/* SPDX-License-Identifier: BSD-3-Clause */
/* The index of a grammar's digrams; see digram.h. */
#include "grammar/digram.h"

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 29;
    return h;
}

static uint32_t hash_digram(const struct symbol *symbols, uint32_t s)
{
    const struct symbol *a = &symbols[s];
    const struct symbol *b = &symbols[a->next];
    uint64_t h = mix(((uint64_t)a->value << 32 | b->value) * 0x9e3779b97f4a7c15u);
    h = mix(h + a->exponent * 0xbf58476d1ce4e5b9u);
    h = mix(h + b->exponent * 0x94d049bb133111ebu);
    return (uint32_t)(h >> 32);
}

static bool equal_symbols(const struct symbol *a, const struct symbol *b)
{
    return a->value == b->value && a->exponent == b->exponent;
}

static bool equal_digrams(const struct symbol *symbols, uint32_t s, uint32_t t)
{
    return equal_symbols(&symbols[s], &symbols[t]) &&
           equal_symbols(&symbols[symbols[s].next], &symbols[symbols[t].next]);
}

/* Returns the slot of S's digram, or the free slot where it belongs. The index must have slots. */
static struct hash_slot *find_slot(const struct hash_index *x, const struct symbol *symbols, uint32_t s, uint32_t hash)
{
    struct hash_slot *slot = hash_index_first(x, hash);
    while (slot->number != SYMBOL_NONE && !equal_digrams(symbols, slot->number, s))
        slot = hash_index_next(x, slot);
    return slot;
}

uint32_t digram_find(const struct hash_index *x, const struct symbol *symbols, uint32_t s)
{
    return x->count ? find_slot(x, symbols, s, hash_digram(symbols, s))->number : SYMBOL_NONE;
}

uint32_t digram_intern(struct hash_index *x, const struct symbol *symbols, uint32_t s)
{
    if (!hash_index_reserve(x) && !x->slots)
        return s;
    uint32_t hash = hash_digram(symbols, s);
    struct hash_slot *slot = find_slot(x, symbols, s, hash);
    if (slot->number != SYMBOL_NONE)
        return slot->number;
    if (x->count < x->mask) /* one slot stays free, to end searches */
        hash_index_put(x, slot, hash, s);
    return s;
}

void digram_remove(struct hash_index *x, const struct symbol *symbols, uint32_t s)
{
    struct hash_slot *slot = x->count ? find_slot(x, symbols, s, hash_digram(symbols, s)) : NULL;
    if (slot && slot->number == s)
        hash_index_remove(x, slot);
}

void digram_move(struct hash_index *x, const struct symbol *symbols, uint32_t s, uint32_t t)
{
    struct hash_slot *slot = x->count ? find_slot(x, symbols, s, hash_digram(symbols, s)) : NULL;
    if (slot && slot->number == s)
        slot->number = t;
}
