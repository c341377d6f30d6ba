/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the programs of threads that are much alike; see program_tree.h.
 *
 * Ranks at the border of a domain lack messages, and rank 0 does something more. Children of two nodes are aligned so
 * that as many nodes as possible are common (a longest common subsequence, weighted by what is common inside). */
#include <stdlib.h>
#include <string.h>

#include "analysis/program_tree.h"

enum {
    ALIGNED_MAX = 32,   /* a program is aligned with so many others */
    CHILDREN_MAX = 2000 /* nodes with more children are not aligned */
};

/* All that is aligned together, in pairs of nodes: some seconds at most. */
#define PAIRS_MAX UINT64_C(300000000)

/* ---- sets of threads ---- */

/* Returns a new set, which lives as long as LIST. NULL: no memory. */
static const struct thread_set *new_set(struct program_list *list, struct thread_set set)
{
    if (list->set_count == list->set_capacity) {
        size_t capacity = 2 * list->set_capacity + 16;
        struct thread_set **grown = realloc(list->sets, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        list->sets = grown;
        list->set_capacity = capacity;
    }
    struct thread_set *made = malloc(sizeof *made);
    if (!made)
        return NULL;
    *made = set;
    return list->sets[list->set_count++] = made;
}

/* Adds FROM to the set *TO. The nodes of two programs have few different sets, so most unions are the one before.
 * False: no memory. */
static bool add_set(struct program_list *list, const struct thread_set **to, const struct thread_set *from)
{
    const struct thread_set *last = list->set_count ? list->sets[list->set_count - 1] : NULL;
    if (!last || last->a != *to || last->b != from)
        last = new_set(list, (struct thread_set){.a = *to, .b = from});
    *to = last;
    return last;
}

static int compare_shown(const void *x, const void *y)
{
    const struct shown_thread *a = x, *b = y;
    return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank)
                              : (a->thread > b->thread) - (a->thread < b->thread);
}

struct shown_thread *program_threads(const struct thread_set *set, size_t *count)
{
    size_t left = 1, room = 16, capacity = 16;
    const struct thread_set **stack = malloc(room * sizeof *stack);
    struct shown_thread *threads = malloc(capacity * sizeof *threads);
    bool good = stack && threads;
    *count = 0;
    if (good)
        stack[0] = set;
    while (good && left > 0) {
        const struct thread_set *s = stack[--left];
        if (s->loops) {
            while (capacity < *count + s->loops->thread_count)
                capacity *= 2;
            struct shown_thread *grown = realloc(threads, capacity * sizeof *threads);
            good = grown;
            threads = grown ? grown : threads;
            if (good)
                memcpy(threads + *count, s->loops->threads, s->loops->thread_count * sizeof *threads);
            *count += s->loops->thread_count;
            continue;
        }
        if (left + 2 > room) {
            const struct thread_set **grown = realloc(stack, 2 * room * sizeof *stack);
            good = grown;
            stack = grown ? grown : stack;
            room *= 2;
        }
        if (good) {
            stack[left++] = s->a;
            stack[left++] = s->b;
        }
    }
    free(stack);
    if (good && *count > 0)
        qsort(threads, *count, sizeof *threads, compare_shown);
    if (!good)
        free(threads);
    return good ? threads : NULL;
}

/* ---- nodes ---- */

/* The nodes that are made of two lists. */
struct union_maker {
    struct program_list *list;
    struct program_node *nodes;
    size_t count;
    bool failed;
};

/* Children of two nodes, and what is common. */
struct alignment {
    const struct program_node **a, **b;
    size_t a_count, b_count;
    size_t *common; /* by i * (b_count + 1) + k: of the children of A from i on, and of B from k on */
    size_t *weight; /* likewise: of child i and child k, if they are one; 0: they are not */
};

static const struct program_node **list_children(const struct program_node *begin, const struct program_node *end,
                                                 size_t *count)
{
    *count = 0;
    for (const struct program_node *n = begin; n < end; n += n->size)
        ++*count;
    const struct program_node **list = malloc((*count + 1) * sizeof *list);
    size_t i = 0;
    for (const struct program_node *n = begin; n < end && list; n += n->size)
        list[i++] = n;
    return list;
}

static void alignment_free(struct alignment *l)
{
    free(l->a);
    free(l->b);
    free(l->common);
    free(l->weight);
}

static size_t common_nodes(const struct program_node *a, const struct program_node *b);

/* Aligns the nodes in A with those in B. False: no memory, or there are too many. *L is to be freed. */
static bool align(struct alignment *l, const struct program_node *a, const struct program_node *a_end,
                  const struct program_node *b, const struct program_node *b_end)
{
    *l = (struct alignment){0};
    l->a = list_children(a, a_end, &l->a_count);
    l->b = list_children(b, b_end, &l->b_count);
    if (!l->a || !l->b || l->a_count > CHILDREN_MAX || l->b_count > CHILDREN_MAX)
        return false;
    size_t width = l->b_count + 1;
    l->common = calloc((l->a_count + 1) * width, sizeof *l->common);
    l->weight = calloc((l->a_count + 1) * width, sizeof *l->weight);
    if (!l->common || !l->weight)
        return false;
    for (size_t i = l->a_count; i-- > 0;) {
        for (size_t k = l->b_count; k-- > 0;) {
            size_t at = i * width + k, best = l->common[at + 1];
            if (l->common[at + width] > best)
                best = l->common[at + width];
            l->weight[at] = common_nodes(l->a[i], l->b[k]);
            if (l->weight[at] > 0 && l->weight[at] + l->common[at + width + 1] > best)
                best = l->weight[at] + l->common[at + width + 1];
            l->common[at] = best;
        }
    }
    return true;
}

/* Returns how many nodes A and B have in common; 0: they are not the same node. Two loops are one if they have more in
 * common than not. Recursion is as deep as the trees. */
static size_t common_nodes(const struct program_node *a, const struct program_node *b)
{
    if (!program_node_same(a, b))
        return 0;
    if (a->size == 1 || b->size == 1)
        return 1;
    struct alignment l;
    size_t common = align(&l, a + 1, a + a->size, b + 1, b + b->size) ? 1 + l.common[0] : 0;
    alignment_free(&l);
    return a->kind == PROGRAM_LOOP && 2 * common <= (a->size < b->size ? a->size : b->size) ? 0 : common;
}

static void copy_node(struct union_maker *u, const struct program_node *node)
{
    memcpy(&u->nodes[u->count], node, node->size * sizeof *node);
    u->count += node->size;
}

/* Adds what A and B have, in an order that both keep. Recursion is as deep as the trees. */
static void unite(struct union_maker *u, const struct program_node *a, const struct program_node *a_end,
                  const struct program_node *b, const struct program_node *b_end)
{
    struct alignment l = {0};
    u->failed = u->failed || !align(&l, a, a_end, b, b_end);
    for (size_t i = 0, k = 0; !u->failed && (i < l.a_count || k < l.b_count);) {
        size_t width = l.b_count + 1, at = i * width + k;
        if (i < l.a_count && k < l.b_count && l.weight[at] > 0 &&
            l.common[at] == l.weight[at] + l.common[at + width + 1]) {
            size_t made = u->count++;
            u->nodes[made] = *l.a[i];
            program_node_add(&u->nodes[made], l.b[k]);
            u->nodes[made].threads += l.b[k]->threads;
            u->failed = !add_set(u->list, &u->nodes[made].set, l.b[k]->set);
            unite(u, l.a[i] + 1, l.a[i] + l.a[i]->size, l.b[k] + 1, l.b[k] + l.b[k]->size);
            u->nodes[made].size = u->count - made;
            i++;
            k++;
        } else if (i < l.a_count && l.common[at] == l.common[at + width]) {
            copy_node(u, l.a[i++]);
        } else {
            copy_node(u, l.b[k++]);
        }
    }
    alignment_free(&l);
}

/* ---- programs ---- */

static bool is_same(const struct program *a, const struct program *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = program_node_same(&a->nodes[i], &b->nodes[i]);
    return same;
}

static bool add_threads(struct program *p, const struct shown_thread *threads, size_t count)
{
    struct shown_thread *grown = realloc(p->threads, (p->thread_count + count + 1) * sizeof *grown);
    if (!grown)
        return false;
    p->threads = grown;
    if (count > 0)
        memcpy(grown + p->thread_count, threads, count * sizeof *grown);
    p->thread_count += count;
    return true;
}

/* Adds what P has beside its nodes to WHOLE. False: no memory. */
static bool add_program(struct program_list *list, struct program *whole, const struct program *p)
{
    whole->calls_min = p->calls_min < whole->calls_min ? p->calls_min : whole->calls_min;
    whole->calls_max = p->calls_max > whole->calls_max ? p->calls_max : whole->calls_max;
    whole->number = p->number < whole->number ? p->number : whole->number;
    return add_set(list, &whole->set, p->set) && add_threads(whole, p->threads, p->thread_count);
}

/* Adds the nodes of P to those of WHOLE if these are the same. *GOOD becomes false if there is no memory. */
static bool join_same(struct program_list *list, struct program *whole, const struct program *p, bool *good)
{
    if (!is_same(whole, p))
        return false;
    for (size_t i = 0; i < p->count; i++) {
        program_node_add(&whole->nodes[i], &p->nodes[i]);
        whole->nodes[i].threads += p->nodes[i].threads;
        *good = add_set(list, &whole->nodes[i].set, p->nodes[i].set) && *good;
    }
    return true;
}

/* Adds the nodes of P to those of WHOLE if two thirds of the larger one are common, or if WHOLE has all of P, which is
 * more than half of it. *PAIRS is what may still be aligned. False: it did not, or there is no memory. */
static bool join_alike(struct program_list *list, struct program *whole, const struct program *p, uint64_t *pairs)
{
    struct union_maker u = {.list = list};
    size_t larger = whole->count > p->count ? whole->count : p->count;
    uint64_t wanted = (uint64_t)whole->count * p->count;
    if (2 * p->count <= whole->count || wanted > *pairs)
        return false;
    *pairs -= wanted;
    u.nodes = malloc((whole->count + p->count) * sizeof *u.nodes);
    if (!u.nodes)
        return false;
    unite(&u, whole->nodes, whole->nodes + whole->count, p->nodes, p->nodes + p->count);
    size_t common = whole->count + p->count - u.count;
    if (u.failed || (3 * common < 2 * larger && u.count > whole->count)) {
        free(u.nodes);
        return false;
    }
    free(whole->nodes);
    whole->nodes = u.nodes;
    whole->count = u.count;
    return true;
}

/* Compares by size, the largest first; those of one size are in the order of their first threads. */
static int compare_sizes(const void *x, const void *y)
{
    const struct program *a = x, *b = y;
    return a->count != b->count ? (a->count < b->count) - (a->count > b->count)
                                : (a->number > b->number) - (a->number < b->number);
}

static int compare_numbers(const void *x, const void *y)
{
    const struct program *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

static void program_free(struct program *p)
{
    free(p->nodes);
    free(p->threads);
    *p = (struct program){0};
}

/* Returns which of the first COUNT programs P was joined with; COUNT: none. *GOOD: as join_same. */
static size_t join_one(struct program_list *list, size_t count, const struct program *p, uint64_t *pairs, bool *good)
{
    for (size_t i = 0; i < count; i++)
        if (join_same(list, &list->programs[i], p, good))
            return i;
    for (size_t i = 0; i < count && i < ALIGNED_MAX; i++)
        if (join_alike(list, &list->programs[i], p, pairs))
            return i;
    return count;
}

/* Joins programs that are much alike. False: no memory. */
static bool join_all(struct program_list *list)
{
    uint64_t pairs = PAIRS_MAX;
    size_t kept = 0;
    bool good = true;
    qsort(list->programs, list->count, sizeof *list->programs, compare_sizes);
    for (size_t i = 0; i < list->count; i++) {
        struct program *p = &list->programs[i];
        size_t joined = join_one(list, kept, p, &pairs, &good);
        if (joined < kept) {
            good = add_program(list, &list->programs[joined], p) && good;
            program_free(p);
        } else if (kept++ != i) {
            list->programs[kept - 1] = *p;
            *p = (struct program){0};
        }
    }
    list->count = kept;
    qsort(list->programs, list->count, sizeof *list->programs, compare_numbers);
    return good;
}

bool program_list_make(struct program_list *list, const struct loops_list *loops, struct call_paths *paths,
                       uint64_t depth)
{
    const struct shown_loops *s;
    size_t count = 0;
    while (loops_list_shown(loops, count))
        count++;
    *list = (struct program_list){.programs = calloc(count + 1, sizeof *list->programs)};
    bool good = list->programs;
    for (size_t i = 0; good && (s = loops_list_shown(loops, i)); i++) {
        struct program *p = &list->programs[list->count++];
        good = program_make(p, s, paths, depth) && add_threads(p, s->threads, s->thread_count);
        p->number = i;
        const struct thread_set *set = good ? new_set(list, (struct thread_set){.loops = s}) : NULL;
        good = set;
        p->set = set;
        for (size_t k = 0; good && k < p->count; k++)
            p->nodes[k].set = set;
    }
    good = good && (count == 0 || join_all(list));
    for (size_t i = 0; good && i < list->count; i++)
        good = program_divide(&list->programs[i]);
    return good;
}

void program_list_free(struct program_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        program_free(&list->programs[i]);
    for (size_t i = 0; i < list->set_count; i++)
        free(list->sets[i]);
    free(list->sets);
    free(list->programs);
}
