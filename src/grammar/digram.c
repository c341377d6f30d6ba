/* The index of a grammar's digrams; see digram.h.
 *
 * Deletion shifts later entries back, so there are no tombstones and no rebuilding but for growth. Slots keep
 * 32 bits of hash: a probe reads a symbol's (far away) memory only where those agree, growing reads none. */
#include "grammar/digram.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16u
#define LAST_CAPACITY 0x80000000u

void digram_index_clear(struct digram_index *x)
{
    if (x->capacity)
        memset(x->slots, 0, x->capacity * sizeof *x->slots);
    x->count = 0;
}

void digram_index_free(struct digram_index *x)
{
    free(x->slots);
    *x = (struct digram_index){0};
}

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

/* The slot of S's digram, or the empty one where it would go. */
static uint32_t probe(const struct digram_index *x, const struct symbol *symbols, uint32_t s, uint32_t hash)
{
    uint32_t mask = x->capacity - 1;
    uint32_t i = hash & mask;
    while (x->slots[i].symbol != SYMBOL_NONE) {
        if (x->slots[i].hash == hash && equal_digrams(symbols, x->slots[i].symbol, s))
            break;
        i = (i + 1) & mask;
    }
    return i;
}

uint32_t digram_find(const struct digram_index *x, const struct symbol *symbols, uint32_t s)
{
    if (x->capacity == 0)
        return SYMBOL_NONE;
    return x->slots[probe(x, symbols, s, hash_digram(symbols, s))].symbol;
}

static bool grow(struct digram_index *x)
{
    if (x->capacity == LAST_CAPACITY)
        return false;
    uint32_t capacity = x->capacity ? x->capacity * 2 : FIRST_CAPACITY;
    struct digram_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < x->capacity; i++) {
        if (x->slots[i].symbol == SYMBOL_NONE)
            continue;
        uint32_t j = x->slots[i].hash & (capacity - 1);
        while (slots[j].symbol != SYMBOL_NONE)
            j = (j + 1) & (capacity - 1);
        slots[j] = x->slots[i];
    }
    free(x->slots);
    x->slots = slots;
    x->capacity = capacity;
    return true;
}

uint32_t digram_intern(struct digram_index *x, const struct symbol *symbols, uint32_t s)
{
    uint32_t full = x->capacity - x->capacity / 4;
    if (x->count >= full && !grow(x) && x->capacity == 0)
        return s;
    uint32_t hash = hash_digram(symbols, s);
    struct digram_slot *slot = &x->slots[probe(x, symbols, s, hash)];
    if (slot->symbol != SYMBOL_NONE)
        return slot->symbol;
    if (x->count + 1 < x->capacity) { /* one slot stays empty: it ends a probe */
        *slot = (struct digram_slot){.hash = hash, .symbol = s};
        x->count++;
    }
    return s;
}

void digram_remove(struct digram_index *x, const struct symbol *symbols, uint32_t s)
{
    if (x->capacity == 0)
        return;
    uint32_t mask = x->capacity - 1;
    uint32_t hole = probe(x, symbols, s, hash_digram(symbols, s));
    if (x->slots[hole].symbol != s)
        return;
    /* An entry may move back into the hole if its home is not after it, seen from the entry. */
    for (uint32_t i = (hole + 1) & mask; x->slots[i].symbol != SYMBOL_NONE; i = (i + 1) & mask) {
        uint32_t home = x->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            x->slots[hole] = x->slots[i];
            hole = i;
        }
    }
    x->slots[hole].symbol = SYMBOL_NONE;
    x->count--;
}

void digram_move(struct digram_index *x, const struct symbol *symbols, uint32_t s, uint32_t t)
{
    if (x->capacity == 0)
        return;
    struct digram_slot *slot = &x->slots[probe(x, symbols, s, hash_digram(symbols, s))];
    if (slot->symbol == s)
        slot->symbol = t;
}
