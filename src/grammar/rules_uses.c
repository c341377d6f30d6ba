/* The rules that an expansion is made of, and its terminals; see rules.h. */
#include <stdlib.h>
#include <string.h>

#include "grammar/rules.h"

/* A heap with the highest rule on top. */
struct heap {
    struct rules_use *entries;
    size_t count, capacity;
};

/* Makes room for one more entry. */
static bool grow_uses(struct rules_use **entries, size_t count, size_t *capacity)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity * 2 + 16;
    struct rules_use *grown = realloc(*entries, wanted * sizeof *grown);
    if (!grown)
        return false;
    *entries = grown;
    *capacity = wanted;
    return true;
}

static bool heap_push(struct heap *h, struct rules_use use)
{
    if (!grow_uses(&h->entries, h->count, &h->capacity))
        return false;
    size_t i = h->count++;
    for (; i > 0 && h->entries[(i - 1) / 2].rule < use.rule; i = (i - 1) / 2)
        h->entries[i] = h->entries[(i - 1) / 2];
    h->entries[i] = use;
    return true;
}

static struct rules_use heap_pop(struct heap *h)
{
    struct rules_use top = h->entries[0], last = h->entries[--h->count];
    size_t i = 0;
    for (size_t child = 1; child < h->count; child = 2 * i + 1) {
        child += child + 1 < h->count && h->entries[child + 1].rule > h->entries[child].rule;
        if (h->entries[child].rule <= last.rule)
            break;
        h->entries[i] = h->entries[child];
        i = child;
    }
    h->entries[i] = last;
    return top;
}

/* The next rule with all its uses, and pushes those that it stands for. */
static bool next_use(const struct rules *r, struct heap *h, struct rules_use *use)
{
    *use = heap_pop(h);
    while (h->count > 0 && h->entries[0].rule == use->rule)
        use->times += heap_pop(h).times;
    for (uint32_t s = r->first[use->rule]; s < r->first[use->rule + 1]; s++) {
        const struct rules_symbol *symbol = &r->symbols[s];
        if (symbol->is_rule && !heap_push(h, (struct rules_use){(uint32_t)symbol->value, symbol->exponent * use->times}))
            return false;
    }
    return true;
}

/* No count exceeds the expansion's length, since no rule expands to nothing. */
enum pilgrim_status rules_uses(const struct rules *r, uint64_t sequence, struct rules_use **uses, size_t *count)
{
    struct heap h = {0};
    size_t capacity = 0;
    *uses = NULL;
    *count = 0;
    bool good = !rules_is_expansion(sequence) || heap_push(&h, (struct rules_use){rules_start(sequence), 1});
    while (good && h.count > 0)
        good = grow_uses(uses, *count, &capacity) && next_use(r, &h, &(*uses)[(*count)++]);
    free(h.entries);
    if (good)
        return PILGRIM_OK;
    free(*uses);
    *uses = NULL;
    return PILGRIM_NOMEM;
}

/* Adds a rule's own terminals. Each symbol adds to a range of them: that is noted at its ends. Returns how many symbols. */
static uint64_t note_terminals(const struct rules *r, const struct rules_use *use, uint64_t *counts)
{
    uint32_t first = r->first[use->rule], end = r->first[use->rule + 1];
    for (uint32_t s = first; s < end; s++) {
        const struct rules_symbol *symbol = &r->symbols[s];
        if (symbol->is_rule)
            continue;
        uint64_t times = use->times * (symbol->is_ramp ? 1 : symbol->exponent);
        counts[symbol->value] += times;
        counts[symbol->value + (symbol->is_ramp ? symbol->exponent : 1)] -= times;
    }
    return end - first;
}

enum pilgrim_status rules_count_terminals(const struct rules *r, uint64_t sequence, uint64_t *counts, size_t terminal_count,
                                          uint64_t *work)
{
    struct rules_use *uses;
    size_t use_count;
    *work = 0;
    memset(counts, 0, (terminal_count + 1) * sizeof *counts);
    if (sequence % 2) {
        counts[sequence / 2] = 1;
        return PILGRIM_OK;
    }
    enum pilgrim_status status = rules_uses(r, sequence, &uses, &use_count);
    if (status != PILGRIM_OK)
        return status;
    for (size_t i = 0; i < use_count; i++)
        *work += note_terminals(r, &uses[i], counts);
    free(uses);
    for (size_t i = 1; i <= terminal_count; i++)
        counts[i] += counts[i - 1];
    return PILGRIM_OK;
}
