/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the trees of groups of ranks: statements of the same function and call site are one, and are in the order that
 * both have (a longest common subsequence, weighted by what is common inside of loops). */
#include <stdlib.h>
#include <string.h>

#include "generate.h"

enum { CHILDREN_MAX = 3000 };

static uint64_t pairs_left = UINT64_C(400000000);

static uint64_t common(const struct node *a, const struct node *b);

/* Sets BEST[i * (width) + k] to what children of A from I on, and of B from K on, have in common; ONE to that of two
 * children. False: there are too many. */
static bool align(const struct node *a, const struct node *b, uint64_t **best, uint64_t **one)
{
    size_t width = b->child_count + 1;
    uint64_t pairs = (uint64_t)a->child_count * b->child_count;
    *best = *one = NULL;
    if (a->child_count > CHILDREN_MAX || b->child_count > CHILDREN_MAX || pairs > pairs_left)
        return false;
    pairs_left -= pairs;
    *best = calloc((a->child_count + 1) * width, sizeof **best);
    *one = calloc((a->child_count + 1) * width, sizeof **one);
    if (!*best || !*one)
        generate_fail("not enough memory");
    for (size_t i = a->child_count; i-- > 0;)
        for (size_t k = b->child_count; k-- > 0;) {
            size_t at = i * width + k;
            uint64_t most = (*best)[at + 1] > (*best)[at + width] ? (*best)[at + 1] : (*best)[at + width];
            (*one)[at] = common(a->children[i], b->children[k]);
            if ((*one)[at] && (*one)[at] + (*best)[at + width + 1] > most)
                most = (*one)[at] + (*best)[at + width + 1];
            (*best)[at] = most;
        }
    return true;
}

/* Returns how much two nodes have in common; 0: they are not one. Recursion is as deep as the trees. */
static uint64_t common(const struct node *a, const struct node *b)
{
    if (a->kind != b->kind)
        return 0;
    if (a->kind == NODE_CALL)
        return a->name != b->name ? 0 : a->place == b->place ? 4 : 0;
    uint64_t *best, *one, found = 0;
    size_t smaller = a->size < b->size ? a->size : b->size;
    if (align(a, b, &best, &one))
        found = best[0];
    free(best);
    free(one);
    return found > 2 * (uint64_t)(smaller - 1) ? found + 1 : 0;
}

static void add_child(struct node *to, struct node *child)
{
    to->children = generate_grow(to->children, to->child_count, sizeof *to->children);
    to->children[to->child_count++] = child;
}

static void join_children(struct node *a, struct node *b, uint32_t ranks)
{
    uint64_t *best, *one;
    struct node made = {0};
    bool aligned = align(a, b, &best, &one);
    for (size_t i = 0, k = 0; i < a->child_count || k < b->child_count;) {
        size_t width = b->child_count + 1, at = i * width + k;
        if (!aligned)
            add_child(&made, i < a->child_count ? a->children[i++] : b->children[k++]);
        else if (i < a->child_count && k < b->child_count && one[at] && best[at] == one[at] + best[at + width + 1])
            add_child(&made, program_join_nodes(a->children[i++], b->children[k++], ranks));
        else if (i < a->child_count && best[at] == best[at + width])
            add_child(&made, a->children[i++]);
        else
            add_child(&made, b->children[k++]);
    }
    a->children = made.children;
    a->child_count = made.child_count;
    a->size = 1;
    for (size_t i = 0; i < a->child_count; i++)
        a->size += a->children[i]->size;
    free(best);
    free(one);
}

struct node *program_join_nodes(struct node *a, struct node *b, uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (!a->ranks[rank])
            a->ranks[rank] = b->ranks[rank];
    double count = a->gap_count + b->gap_count;
    if (count > 0)
        a->gap_ns = (a->gap_ns * a->gap_count + b->gap_ns * b->gap_count) / count;
    a->gap_count = count;
    join_children(a, b, ranks);
    return a;
}
