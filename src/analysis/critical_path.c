/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways through the run; see critical_path.h. */
#include "analysis/critical_path.h"

#include <stdlib.h>
#include <string.h>

struct way_node *path_hold(struct way_node *node)
{
    if (node)
        node->references++;
    return node;
}

void path_release(struct way_tree *tree, struct way_node *node)
{
    while (node && --node->references == 0) {
        struct way_node *parent = node->parent;
        free(node->sums);
        free(node);
        tree->nodes--;
        node = parent;
    }
}

/* Adds the sums of NODE's parent, which nothing else refers to, to its own. */
static bool absorb(struct way_tree *tree, struct way_node *node)
{
    struct way_node *parent = node->parent;
    size_t i = 0, k = 0, count = 0;
    if (parent->count) {
        struct way_sum *sums = malloc((node->count + parent->count) * sizeof *sums);
        if (!sums)
            return false;
        while (i < node->count || k < parent->count) {
            const bool mine = k == parent->count || (i < node->count && node->sums[i].key <= parent->sums[k].key);
            const struct way_sum next = mine ? node->sums[i++] : parent->sums[k++];
            if (count && sums[count - 1].key == next.key)
                sums[count - 1].ns += next.ns;
            else
                sums[count++] = next;
        }
        free(node->sums);
        node->sums = sums;
        node->capacity = node->count + parent->count;
        node->count = count;
    }
    node->parent = parent->parent;
    free(parent->sums);
    free(parent);
    tree->nodes--;
    return true;
}

bool path_join(struct way_tree *tree, struct way_node *tip)
{
    for (struct way_node *node = tip; node && node->turn != tree->turn; node = node->parent) {
        node->turn = tree->turn;
        while (node->parent && node->parent->references == 1)
            if (!absorb(tree, node))
                return false;
    }
    return true;
}

static struct way_sum *place_of(const struct way_node *node, uint64_t key)
{
    size_t low = 0, high = node->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (node->sums[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return node->sums + low;
}

static bool add_sum(struct way_node *node, uint64_t key, uint64_t ns)
{
    struct way_sum *at = node->count ? place_of(node, key) : NULL;
    if (at && at < node->sums + node->count && at->key == key) {
        at->ns += ns;
        return true;
    }
    const size_t index = at ? (size_t)(at - node->sums) : 0;
    if (node->count == node->capacity) {
        const size_t capacity = node->capacity ? 2 * node->capacity : 4;
        struct way_sum *sums = realloc(node->sums, capacity * sizeof *sums);
        if (!sums)
            return false;
        node->sums = sums;
        node->capacity = capacity;
    }
    memmove(&node->sums[index + 1], &node->sums[index], (node->count - index) * sizeof *node->sums);
    node->sums[index] = (struct way_sum){.key = key, .ns = ns};
    node->count++;
    return true;
}

bool path_add(struct way_tree *tree, struct way_node **tip, uint64_t key, uint64_t ns)
{
    if (!*tip || (*tip)->references > 1) {
        struct way_node *node = calloc(1, sizeof *node);
        if (!node)
            return false;
        tree->nodes++;
        node->references = 1;
        node->turn = tree->turn;
        node->parent = *tip; /* with the reference that was the tip's */
        *tip = node;
    }
    while ((*tip)->parent && (*tip)->parent->references == 1)
        if (!absorb(tree, *tip))
            return false;
    return add_sum(*tip, key, ns);
}
