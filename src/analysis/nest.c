/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds loops from transitions between classes; see nest.h.
 *
 * The search goes through regions, from the whole program inwards. The strongly connected components of a region are
 * its loops (Tarjan, "Depth-first search and linear graph algorithms", 1972). They come out in the reverse of an order
 * in which the region can be walked.
 *
 * Loops that begin with the same call are one component: "((A B)* C)*" has the same transitions as "(A B [C])*". The
 * inner one is taken for a loop of its own and is counted both ways; the counts decide how it is shown (is_flat).
 *
 * One file: the search and the counting work on the same nodes and loops. */
#include "analysis/nest.h"

#include <stdlib.h>
#include <string.h>

#define NONE        UINT32_MAX
#define DEPTH_MAX   64 /* loops nested deeper are not searched */
#define SOURCES_MAX 64 /* a call with more transitions back to it is not searched for an inner loop */
/* A loop that begins like the loop around it is shown as one with it if it has fewer than FLAT_BELOW iterations a time
 * in the mean, or more than FLAT_ABOVE. */
#define FLAT_BELOW 2
#define FLAT_ABOVE 6

struct nest_node {
    uint32_t class;
    uint32_t *next; /* the nodes that come behind it, without itself */
    uint32_t next_count, next_capacity;
    uint32_t latest; /* the node that came behind it last */
    uint32_t loop;   /* the innermost loop that it is in */
    uint32_t member; /* the next node of that loop's `members` */
    struct nest_counts runs;
};

struct nest_loop {
    uint32_t parent, header, depth;
    uint32_t size;            /* how many nodes it has */
    uint32_t members;         /* the first of them, linked by `member`; NONE ends the list */
    uint32_t first;           /* the first element of its region */
    uint32_t inner;           /* the loop in it that has the same header; NONE: there is none */
    bool is_inner;            /* it is its parent's `inner` */
    uint64_t iteration, flat; /* since it was entered last: its iterations, and those of `inner` */
    struct nest_counts trips, flat_trips;
};

struct nest {
    uint32_t *node_of; /* by class */
    struct nest_node *nodes;
    uint32_t node_count, node_capacity;
    struct nest_loop *loops; /* loop 0 is the program */
    uint32_t loop_count;
    uint32_t *following; /* by element (a node, or node_count + a loop): the next element of its region */
    uint32_t last;       /* the last node; NONE: there is none yet */
    uint64_t run;        /* how often it was called so far, one call behind the other */
    uint32_t active;     /* the innermost loop that `last` is in */
    bool failed, ended;
};

static bool grow(void **at, uint32_t *capacity, size_t size)
{
    uint32_t wanted = *capacity * 2 + 8;
    void *grown = realloc(*at, wanted * size);
    if (!grown)
        return false;
    *at = grown;
    *capacity = wanted;
    return true;
}

struct nest *nest_new(size_t class_count)
{
    struct nest *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->last = NONE;
    n->node_of = malloc((class_count + 1) * sizeof *n->node_of);
    if (!n->node_of) {
        free(n);
        return NULL;
    }
    memset(n->node_of, 0xff, (class_count + 1) * sizeof *n->node_of);
    return n;
}

void nest_free(struct nest *n)
{
    if (!n)
        return;
    for (uint32_t i = 0; i < n->node_count; i++)
        free(n->nodes[i].next);
    free(n->nodes);
    free(n->node_of);
    free(n->loops);
    free(n->following);
    free(n);
}

/* ---- transitions ---- */

static bool add_node(struct nest *n, size_t class)
{
    void *nodes = n->nodes;
    if (n->node_count == n->node_capacity && !grow(&nodes, &n->node_capacity, sizeof *n->nodes))
        return false;
    n->nodes = nodes;
    n->nodes[n->node_count] = (struct nest_node){.class = (uint32_t) class, .latest = NONE};
    n->node_of[class] = n->node_count++;
    return true;
}

static bool add_transition(struct nest_node *from, uint32_t to)
{
    void *next = from->next;
    for (uint32_t i = 0; i < from->next_count; i++)
        if (from->next[i] == to)
            return true;
    if (from->next_count == from->next_capacity && !grow(&next, &from->next_capacity, sizeof *from->next))
        return false;
    from->next = next;
    from->next[from->next_count++] = to;
    return true;
}

void nest_see(struct nest *n, size_t class, uint64_t count)
{
    (void)count;
    if (n->failed)
        return;
    if (n->node_of[class] == NONE && !add_node(n, class)) {
        n->failed = true;
        return;
    }
    uint32_t last = n->last, node = n->node_of[class];
    n->last = node;
    if (last == NONE || last == node || n->nodes[last].latest == node)
        return;
    n->nodes[last].latest = node;
    n->failed = !add_transition(&n->nodes[last], node);
}

/* ---- regions ---- */

struct node_visit {
    uint32_t node, position;
};

/* The state of the search; arrays are indexed by node. */
struct region_search {
    struct nest *n;
    uint32_t *before_first, *before; /* the nodes that come before each node */
    uint32_t *region;                /* the number + 1 of the region in which each node was searched last */
    uint32_t *index, *low;           /* as Tarjan names them; index 0: not met yet */
    uint32_t *pending;               /* nodes that were met and are in no component yet */
    uint32_t pending_count;
    bool *is_pending;
    bool *in_inner;  /* nodes whose transitions back to the header belong to the loop inside */
    uint32_t *queue; /* the nodes in in_inner, without the header */
    uint32_t queue_count;
    struct node_visit *stack;
    uint32_t met;
};

static int descending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Prepares the search. Sorts the `next` of each node so that nodes that were met first come out first. */
static bool search_new(struct region_search *s, struct nest *n)
{
    size_t count = (size_t)n->node_count + 1, edges = 0;
    for (uint32_t i = 0; i < n->node_count; i++)
        edges += n->nodes[i].next_count;
    *s = (struct region_search){.n = n,
                                .before_first = calloc(count + 1, sizeof *s->before_first),
                                .before = calloc(edges + 1, sizeof *s->before),
                                .region = calloc(count, sizeof *s->region),
                                .index = calloc(count, sizeof *s->index),
                                .low = calloc(count, sizeof *s->low),
                                .pending = calloc(count, sizeof *s->pending),
                                .is_pending = calloc(count, sizeof *s->is_pending),
                                .in_inner = calloc(count, sizeof *s->in_inner),
                                .queue = calloc(count, sizeof *s->queue),
                                .stack = calloc(count, sizeof *s->stack)};
    if (!s->before_first || !s->before || !s->region || !s->index || !s->low || !s->pending || !s->is_pending ||
        !s->in_inner || !s->queue || !s->stack)
        return false;
    for (uint32_t i = 0; i < n->node_count; i++) {
        struct nest_node *node = &n->nodes[i];
        if (node->next_count > 1)
            qsort(node->next, node->next_count, sizeof *node->next, descending);
        for (uint32_t k = 0; k < node->next_count; k++)
            s->before_first[node->next[k] + 2]++;
    }
    for (size_t i = 2; i <= count; i++)
        s->before_first[i] += s->before_first[i - 1];
    for (uint32_t i = 0; i < n->node_count; i++)
        for (uint32_t k = 0; k < n->nodes[i].next_count; k++)
            s->before[s->before_first[n->nodes[i].next[k] + 1]++] = i;
    return true;
}

static void search_free(struct region_search *s)
{
    void *const parts[] = {s->before_first, s->before,     s->region,   s->index, s->low,
                           s->pending,      s->is_pending, s->in_inner, s->queue, s->stack};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

/* ---- a loop that begins like the one around it ---- */

/* Marks in s->in_inner the header, and the nodes of the region that lead to SOURCE without passing the header; returns
 * how many there are. The queue holds them, but for the header. */
static uint32_t natural_loop(struct region_search *s, uint32_t region, uint32_t header, uint32_t source)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->queue_count; i++)
        s->in_inner[s->queue[i]] = false;
    s->in_inner[header] = s->in_inner[source] = true;
    s->queue[count++] = source;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = s->queue[i];
        for (uint32_t k = s->before_first[node]; node != header && k < s->before_first[node + 1]; k++) {
            uint32_t before = s->before[k];
            if (s->region[before] != region + 1 || s->in_inner[before])
                continue;
            s->in_inner[before] = true;
            s->queue[count++] = before;
        }
    }
    s->queue_count = count;
    return count + (source != header);
}

/* The nodes that lead back to a header. */
struct back_edges {
    uint32_t node[SOURCES_MAX];
    uint32_t size[SOURCES_MAX];   /* how many nodes the loop of each has */
    uint64_t inside[SOURCES_MAX]; /* a bit for each node here that is in that loop */
    uint32_t count;
};

static bool find_back_edges(struct region_search *s, uint32_t region, struct back_edges *found)
{
    uint32_t header = s->n->loops[region].header;
    found->count = 0;
    for (uint32_t k = s->before_first[header]; k < s->before_first[header + 1]; k++) {
        if (s->region[s->before[k]] != region + 1)
            continue;
        if (found->count == SOURCES_MAX)
            return false;
        found->node[found->count++] = s->before[k];
    }
    for (uint32_t i = 0; i < found->count && found->count > 1; i++) {
        found->size[i] = natural_loop(s, region, header, found->node[i]);
        found->inside[i] = 0;
        for (uint32_t k = 0; k < found->count; k++)
            found->inside[i] |= (uint64_t)s->in_inner[found->node[k]] << k;
    }
    return found->count > 1;
}

/* True if the loop of each other source is around that of source I, or inside it. */
static bool is_nested(const struct back_edges *found, uint32_t i)
{
    for (uint32_t k = 0; k < found->count; k++)
        if (!(found->inside[k] >> i & 1) && !(found->inside[i] >> k & 1))
            return false;
    return true;
}

/* Marks in s->in_inner the largest loop inside REGION that has its header. False if there is none, or if some loop with
 * that header is neither inside it nor around it. */
static bool find_inner(struct region_search *s, uint32_t region)
{
    const struct nest_loop *loop = &s->n->loops[region];
    struct back_edges found;
    uint32_t best = NONE;
    if (!find_back_edges(s, region, &found))
        return false;
    for (uint32_t i = 0; i < found.count; i++)
        if (found.size[i] < loop->size && (best == NONE || found.size[i] > found.size[best]) && is_nested(&found, i))
            best = i;
    if (best != NONE)
        natural_loop(s, region, loop->header, found.node[best]);
    return best != NONE;
}

/* ---- components ---- */

static void put_element(struct nest *n, uint32_t region, uint32_t element)
{
    n->following[element] = n->loops[region].first;
    n->loops[region].first = element;
}

/* Ends the component that NODE was the first node of: it is a single call, or a loop. There are fewer loops than nodes.
 */
static void end_component(struct region_search *s, uint32_t region, uint32_t node)
{
    struct nest *n = s->n;
    uint32_t begin = s->pending_count, header = NONE;
    do
        begin--;
    while (s->pending[begin] != node);
    uint32_t size = s->pending_count - begin, number = size > 1 ? n->loop_count++ : region;
    for (uint32_t i = begin; i < s->pending_count; i++) {
        s->is_pending[s->pending[i]] = false;
        n->nodes[s->pending[i]].loop = number;
        header = s->pending[i] < header ? s->pending[i] : header;
    }
    s->pending_count = begin;
    if (size == 1) {
        put_element(n, region, node);
        return;
    }
    uint32_t members = NONE;
    for (uint32_t i = 0; i < size; i++) {
        n->nodes[s->pending[begin + i]].member = members;
        members = s->pending[begin + i];
    }
    bool is_inner = region > 0 && header == n->loops[region].header;
    n->loops[number] = (struct nest_loop){.parent = region,
                                          .header = header,
                                          .depth = n->loops[region].depth + 1,
                                          .size = size,
                                          .members = members,
                                          .first = NONE,
                                          .inner = NONE,
                                          .is_inner = is_inner};
    if (is_inner)
        n->loops[region].inner = number;
    put_element(n, region, n->node_count + number);
}

static void meet(struct region_search *s, uint32_t node, uint32_t *depth)
{
    s->index[node] = s->low[node] = ++s->met;
    s->pending[s->pending_count++] = node;
    s->is_pending[node] = true;
    s->stack[(*depth)++] = (struct node_visit){.node = node};
}

static void search_components(struct region_search *s, uint32_t region, bool has_inner)
{
    struct nest *n = s->n;
    uint32_t header = n->loops[region].header, depth = 0;
    s->met = 0;
    meet(s, header, &depth);
    while (depth > 0) {
        struct node_visit *top = &s->stack[depth - 1];
        struct nest_node *node = &n->nodes[top->node];
        if (top->position < node->next_count) {
            uint32_t next = node->next[top->position++];
            bool back = region > 0 && next == header && !(has_inner && s->in_inner[top->node]);
            if (s->region[next] != region + 1 || back)
                continue;
            if (s->index[next] == 0)
                meet(s, next, &depth);
            else if (s->is_pending[next] && s->index[next] < s->low[top->node])
                s->low[top->node] = s->index[next];
            continue;
        }
        if (s->low[top->node] == s->index[top->node])
            end_component(s, region, top->node);
        if (--depth > 0 && s->low[top->node] < s->low[s->stack[depth - 1].node])
            s->low[s->stack[depth - 1].node] = s->low[top->node];
    }
}

static void search_region(struct region_search *s, uint32_t region)
{
    struct nest *n = s->n;
    for (uint32_t i = n->loops[region].members; i != NONE; i = n->nodes[i].member) {
        s->region[i] = region + 1;
        s->index[i] = 0;
    }
    if (n->loops[region].depth < DEPTH_MAX) {
        search_components(s, region, region > 0 && find_inner(s, region));
        return;
    }
    for (uint32_t i = n->loops[region].members; i != NONE; i = n->nodes[i].member)
        put_element(n, region, i);
}

bool nest_build(struct nest *n)
{
    struct region_search s;
    size_t room = (size_t)n->node_count + 1; /* loops have two nodes or more, and are disjoint or nested */
    n->loops = calloc(room, sizeof *n->loops);
    n->following = calloc(2 * room, sizeof *n->following);
    bool good = search_new(&s, n) && n->loops && n->following && !n->failed;
    if (good) {
        n->loops[0] =
            (struct nest_loop){.parent = NONE, .size = n->node_count, .members = NONE, .first = NONE, .inner = NONE};
        n->loop_count = 1;
        for (uint32_t i = 0; i < n->node_count; i++) {
            n->nodes[i].member = n->loops[0].members;
            n->loops[0].members = i;
        }
    }
    for (uint32_t region = 0; good && n->node_count > 0 && region < n->loop_count; region++)
        search_region(&s, region);
    search_free(&s);
    n->failed = !good;
    n->last = NONE;
    return good;
}

/* ---- counting ---- */

static void note(struct nest_counts *c, uint64_t count)
{
    c->min = c->times == 0 || count < c->min ? count : c->min;
    c->max = count > c->max ? count : c->max;
    c->total += count;
    c->times++;
}

static void leave(struct nest *n)
{
    struct nest_loop *loop = &n->loops[n->active];
    note(&loop->trips, loop->iteration);
    if (loop->inner != NONE)
        note(&loop->flat_trips, loop->flat);
    if (loop->is_inner)
        n->loops[loop->parent].flat += loop->iteration;
    n->active = loop->parent;
}

static bool is_around(const struct nest *n, uint32_t outer, uint32_t loop)
{
    while (n->loops[loop].depth > n->loops[outer].depth)
        loop = n->loops[loop].parent;
    return loop == outer;
}

/* Enters the loops from the active one down to LOOP. */
static void enter(struct nest *n, uint32_t loop)
{
    uint32_t chain[DEPTH_MAX + 1], count = 0;
    for (; loop != n->active; loop = n->loops[loop].parent)
        chain[count++] = loop;
    while (count > 0) {
        n->active = chain[--count];
        n->loops[n->active].iteration = 1;
        n->loops[n->active].flat = 0;
    }
}

void nest_count(struct nest *n, size_t class, uint64_t count)
{
    uint32_t node = n->node_of[class];
    if (node == n->last) {
        n->run += count;
        return;
    }
    if (n->last != NONE)
        note(&n->nodes[n->last].runs, n->run);
    n->last = node;
    n->run = count;
    uint32_t loop = n->nodes[node].loop;
    while (!is_around(n, n->active, loop))
        leave(n);
    if (n->active > 0 && n->loops[n->active].header == node)
        n->loops[n->active].iteration++;
    if (n->active != loop)
        enter(n, loop);
}

size_t nest_size(const struct nest *n)
{
    return (size_t)n->node_count + n->loop_count;
}

struct nest_mark {
    uint32_t last, active;
    uint64_t run;
    struct nest_counts *runs; /* by node */
    struct nest_loop loops[];
};

struct nest_mark *nest_mark(const struct nest *n)
{
    const size_t loops = sizeof(struct nest_mark) + n->loop_count * sizeof *n->loops;
    struct nest_mark *mark = malloc(loops + n->node_count * sizeof *mark->runs);
    if (!mark)
        return NULL;
    mark->last = n->last;
    mark->active = n->active;
    mark->run = n->run;
    mark->runs = (struct nest_counts *)(void *)((char *)mark + loops);
    memcpy(mark->loops, n->loops, n->loop_count * sizeof *mark->loops);
    for (uint32_t i = 0; i < n->node_count; i++)
        mark->runs[i] = n->nodes[i].runs;
    return mark;
}

static void repeat(uint64_t *value, uint64_t before, uint64_t times)
{
    *value += (*value - before) * times;
}

static void repeat_counts(struct nest_counts *counts, const struct nest_counts *before, uint64_t times)
{
    repeat(&counts->times, before->times, times);
    repeat(&counts->total, before->total, times);
}

bool nest_repeat(struct nest *n, const struct nest_mark *mark, uint64_t times)
{
    if (mark->last != n->last || mark->active != n->active)
        return false;
    repeat(&n->run, mark->run, times);
    for (uint32_t i = 0; i < n->node_count; i++)
        repeat_counts(&n->nodes[i].runs, &mark->runs[i], times);
    for (uint32_t i = 0; i < n->loop_count; i++) {
        struct nest_loop *loop = &n->loops[i];
        const struct nest_loop *before = &mark->loops[i];
        repeat(&loop->iteration, before->iteration, times);
        repeat(&loop->flat, before->flat, times);
        repeat_counts(&loop->trips, &before->trips, times);
        repeat_counts(&loop->flat_trips, &before->flat_trips, times);
    }
    return true;
}

/* ---- items ---- */

struct item_writer {
    const struct nest *n;
    struct nest_item *items;
    size_t count;
};

/* True if LOOP is shown as one with its inner loop, which begins like it. What else LOOP has is then shown as part of
 * the iterations. That is not so if the inner loop has the same number of iterations each time. It is so if the rest
 * comes in most iterations, or if it comes seldom and is the smaller part. */
static bool is_flat(const struct nest *n, uint32_t loop)
{
    if (n->loops[loop].inner == NONE)
        return false;
    const struct nest_loop *inner = &n->loops[n->loops[loop].inner];
    uint64_t iterations = inner->trips.total, times = inner->trips.times;
    if (inner->inner != NONE || inner->trips.min == inner->trips.max)
        return false;
    return iterations < FLAT_BELOW * times ||
           (iterations > FLAT_ABOVE * times && n->loops[loop].size - inner->size < inner->size);
}

unsigned nest_places(const struct nest *n, struct nest_place *places, unsigned max)
{
    unsigned count = 0;
    if (n->last != NONE && n->run > 1 && max)
        places[count++] = (struct nest_place){n->nodes[n->last].class, n->run};
    uint64_t inside = 0; /* iterations of the loop inside, which is shown as one with this one */
    for (uint32_t i = n->active; i > 0 && count < max; i = n->loops[i].parent) {
        const struct nest_loop *loop = &n->loops[i];
        if (loop->is_inner && is_flat(n, loop->parent)) {
            inside = loop->iteration;
            continue;
        }
        uint64_t iteration = is_flat(n, i) ? loop->flat + inside : loop->iteration;
        places[count++] = (struct nest_place){n->nodes[loop->header].class, iteration};
        inside = 0;
    }
    return count;
}

uint64_t nest_iteration(const struct nest *n, const struct nest *whole, uint32_t region)
{
    uint64_t inside = 0; /* as above */
    for (uint32_t i = n->active; i > 0; i = n->loops[i].parent) {
        const struct nest_loop *loop = &n->loops[i];
        if (loop->is_inner && is_flat(whole, loop->parent)) {
            inside = loop->iteration;
            continue;
        }
        if (i == region)
            return is_flat(whole, i) ? loop->flat + inside : loop->iteration;
        inside = 0;
    }
    return 0;
}

uint64_t nest_iterations_before(const struct nest *n, const struct nest *whole, uint32_t region)
{
    if (region >= n->loop_count)
        return 0;
    return is_flat(whole, region) ? n->loops[region].flat_trips.total : n->loops[region].trips.total;
}

uint64_t nest_run(const struct nest *n, size_t class)
{
    return n->last != NONE && n->nodes[n->last].class == class ? n->run : 0;
}

uint64_t nest_before_run(const struct nest *n, size_t class)
{
    return n->nodes[n->node_of[class]].runs.total;
}

/* Writes the elements of REGION, which is item AT. Recursion is as deep as loops are nested. */
static void write_region(struct item_writer *w, uint32_t region, size_t at, uint32_t depth)
{
    const struct nest *n = w->n;
    for (uint32_t e = n->loops[region].first; e != NONE; e = n->following[e]) {
        if (e < n->node_count) {
            const struct nest_node *node = &n->nodes[e];
            w->items[w->count++] =
                (struct nest_item){.class = node->class, .depth = depth, .loop = at, .counts = node->runs};
            continue;
        }
        uint32_t inside = e - n->node_count;
        if (n->loops[inside].is_inner && is_flat(n, region)) {
            write_region(w, inside, at, depth);
            continue;
        }
        size_t item = w->count++;
        w->items[item] =
            (struct nest_item){.is_loop = true,
                               .region = inside,
                               .depth = depth,
                               .loop = at,
                               .counts = is_flat(n, inside) ? n->loops[inside].flat_trips : n->loops[inside].trips};
        write_region(w, inside, item, depth + 1);
    }
}

size_t nest_behind(const struct nest_item *items, size_t count, size_t i)
{
    size_t behind = i + 1;
    while (behind < count && items[behind].depth > items[i].depth)
        behind++;
    return behind;
}

/* The items from the one itself to BEHIND are in an item. Calls in it are followed by calls from LEAST to MOST. */
struct item_reach {
    size_t behind, least, most;
};

static void widen(struct item_reach *to, const struct item_reach *by)
{
    to->behind = by->behind > to->behind ? by->behind : to->behind;
    to->least = by->least < to->least ? by->least : to->least;
    to->most = by->most > to->most ? by->most : to->most;
}

/* Sets leads_on in all items. False: no memory. */
static bool find_leads(const struct item_writer *w)
{
    const struct nest *n = w->n;
    size_t *item_of = calloc((size_t)n->node_count + 1, sizeof *item_of); /* by node */
    struct item_reach *reach = calloc(w->count + 1, sizeof *reach);
    bool good = item_of && reach;
    for (size_t i = 0; good && i < w->count; i++) {
        reach[i] = (struct item_reach){.behind = i + 1, .least = SIZE_MAX};
        if (!w->items[i].is_loop)
            item_of[n->node_of[w->items[i].class]] = i;
    }
    for (size_t i = w->count; good && i-- > 0;) { /* what is in a loop stands behind it */
        struct nest_item *item = &w->items[i];
        const struct nest_node *node = item->is_loop ? NULL : &n->nodes[n->node_of[item->class]];
        for (uint32_t k = 0; node && k < node->next_count; k++) {
            size_t to = item_of[node->next[k]];
            widen(&reach[i], &(struct item_reach){.least = to, .most = to});
        }
        size_t behind = reach[i].behind;
        item->leads_on = behind < w->count && w->items[behind].loop == item->loop && reach[i].least >= i &&
                         reach[i].most < reach[behind].behind;
        if (item->loop != NEST_NONE)
            widen(&reach[item->loop], &reach[i]);
    }
    free(item_of);
    free(reach);
    return good;
}

bool nest_items(struct nest *n, struct nest_item **items, size_t *count)
{
    if (n->last != NONE && !n->ended) {
        note(&n->nodes[n->last].runs, n->run);
        while (n->active > 0)
            leave(n);
    }
    n->ended = true;
    struct item_writer w = {.n = n, .items = calloc((size_t)n->node_count + n->loop_count + 1, sizeof *w.items)};
    *items = w.items;
    if (!w.items)
        return false;
    write_region(&w, 0, NEST_NONE, 0);
    *count = w.count;
    return find_leads(&w);
}
