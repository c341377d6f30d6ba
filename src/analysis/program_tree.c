/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes trees of functions, loops and calls; see program_tree.h.
 *
 * The path of a loop is what the paths of all calls in it have in common. Going through neighbours in their order,
 * those whose paths go on with the same function share a node. */
#include "analysis/program_tree.h"

#include <stdlib.h>
#include <string.h>

/* What is known of an item of the loops. */
struct item_path {
    const struct path_function *functions;
    size_t count;
    const char *site;
    size_t next; /* the item behind it and all that is in it */
};

struct program_maker {
    const struct shown_loops *loops;
    struct item_path *paths; /* by item */
    struct program_node *nodes;
    size_t count, capacity;
    uint64_t depth; /* of functions, at most */
    bool failed;
};

bool program_has_paths(const struct loops_list *loops)
{
    const struct shown_loops *s;
    for (size_t i = 0; (s = loops_list_shown(loops, i)); i++)
        for (size_t k = 0; k < s->count; k++)
            if (s->classes[k] && s->classes[k]->site && s->classes[k]->site->caller)
                return true;
    return false;
}

static bool same_function(const struct path_function *a, const struct path_function *b)
{
    return a->name == b->name && a->place == b->place && a->call == b->call;
}

/* Shortens TO to what it has in common with FROM. */
static void join_paths(struct item_path *to, const struct item_path *from)
{
    size_t count = 0;
    while (count < to->count && count < from->count && same_function(&to->functions[count], &from->functions[count]))
        count++;
    to->count = count;
}

/* Finds the paths of all items. A loop stands before what is in it. */
static bool find_paths(struct program_maker *m, struct call_paths *paths)
{
    const struct shown_loops *s = m->loops;
    for (size_t i = s->count; i-- > 0;) {
        const struct nest_item *item = &s->items[i];
        struct item_path *p = &m->paths[i];
        if (item->is_loop) {
            p->next = i + 1;
            while (p->next < s->count && s->items[p->next].depth > item->depth)
                p->next = m->paths[p->next].next;
        } else {
            const struct function_path *path = call_paths_find(paths, s->classes[i]);
            if (!path)
                return false;
            *p = (struct item_path){path->functions, path->count, path->site, i + 1};
        }
        if (item->loop == NEST_NONE)
            continue;
        struct item_path *around = &m->paths[item->loop];
        if (around->functions)
            join_paths(around, p);
        else
            *around = (struct item_path){.functions = p->functions, .count = p->count};
    }
    return true;
}

/* ---- nodes ---- */

const char *program_place_number(const char *place, bool *is_line)
{
    const char *line = strrchr(place, ':'), *offset = NULL; /* names of functions may have colons, too */
    *is_line = line && line[1] >= '0' && line[1] <= '9';
    for (const char *next = place; !*is_line && (next = strstr(next, "+0x")); next += 3)
        offset = next + 3;
    return *is_line ? line + 1 : offset;
}

/* Sets the place of NODE to TEXT, and the number at its end. */
static void set_place(struct program_node *node, const char *text)
{
    node->place = text;
    node->sites = 1;
    if (!text)
        return;
    bool is_line;
    const char *number = program_place_number(text, &is_line);
    if (number)
        node->place_first = strtoull(number, NULL, is_line ? 10 : 16);
    node->place_last = node->place_first;
}

static size_t add_node(struct program_maker *m, enum program_kind kind, size_t depth)
{
    if (m->count == m->capacity) {
        size_t capacity = 2 * m->capacity + 64;
        struct program_node *grown = realloc(m->nodes, capacity * sizeof *grown);
        if (!grown) {
            m->failed = true;
            return 0;
        }
        m->nodes = grown;
        m->capacity = capacity;
    }
    m->nodes[m->count] =
        (struct program_node){.kind = kind, .size = 1, .depth = depth, .threads = m->loops->thread_count};
    return m->count++;
}

/* Makes the counts of NODE those of several call sites. */
static void count_iterations(struct program_node *node)
{
    if (node->counts.times < node->around) {
        node->counts.times = node->around;
        node->counts.min = 0;
    }
}

/* Adds to the places of TO those of FROM. */
static void join_places(struct program_node *to, const struct program_node *from)
{
    if (from->place_first < to->place_first)
        to->place_first = from->place_first;
    if (from->place_last > to->place_last)
        to->place_last = from->place_last;
}

/* Adds the calls of item I, which can come AROUND times, to the node BEFORE, or as a node DEPTH nodes deep. */
static void add_calls(struct program_maker *m, size_t i, size_t before, size_t depth, uint64_t around)
{
    const struct shown_loops *s = m->loops;
    const struct nest_item *item = &s->items[i];
    struct program_node node = {.kind = PROGRAM_CALLS,
                                .size = 1,
                                .name = s->classes[i]->function->name,
                                .counts = item->counts,
                                .around = around,
                                .ns = s->ns[i],
                                .gap_ns = s->gap_ns[i],
                                .loop_first = item->number,
                                .loop_last = item->number_last};
    if (s->phases)
        node.phases = s->phases[i];
    set_place(&node, m->paths[i].site);
    struct program_node *to = before < m->count ? &m->nodes[before] : NULL;
    if (to && to->kind == PROGRAM_CALLS && !node.phases.count && strcmp(to->name, node.name) == 0) {
        if (to->counts.times != node.counts.times || !item[-1].leads_on) {
            count_iterations(to);
            count_iterations(&node);
        }
        to->counts.total += node.counts.total;
        to->counts.min += node.counts.min;
        to->counts.max += node.counts.max;
        to->ns += node.ns;
        to->gap_ns += node.gap_ns;
        to->sites++;
        to->loop_first = to->loop_last = 0;
        join_places(to, &node);
        return;
    }
    size_t at = add_node(m, PROGRAM_CALLS, depth);
    if (m->failed)
        return;
    node.depth = depth;
    node.threads = m->nodes[at].threads;
    m->nodes[at] = node;
}

void program_node_add(struct program_node *to, const struct program_node *from)
{
    struct program_node other = *from;
    if (to->kind == PROGRAM_CALLS && (to->sites > 1 || other.sites > 1 || to->place_first != other.place_first)) {
        count_iterations(to);
        count_iterations(&other);
    }
    join_places(to, &other);
    if (other.loop_first && (!to->loop_first || other.loop_first < to->loop_first))
        to->loop_first = other.loop_first;
    to->loop_last = other.loop_last > to->loop_last ? other.loop_last : to->loop_last;
    to->counts.times += other.counts.times;
    to->counts.total += other.counts.total;
    to->counts.min = other.counts.min < to->counts.min ? other.counts.min : to->counts.min;
    to->counts.max = other.counts.max > to->counts.max ? other.counts.max : to->counts.max;
    to->around += other.around;
    to->sites = other.sites > to->sites ? other.sites : to->sites;
    if (to->kind == PROGRAM_CALLS && to->sites > 1)
        to->loop_first = to->loop_last = 0;
    to->ns += other.ns;
    to->gap_ns += other.gap_ns;
    phase_texts_add(&to->phases, &other.phases);
}

bool program_is_chained(const struct program_node *node)
{
    return node->kind == PROGRAM_FUNCTION && node->size > 1 && node->size == node[1].size + 1;
}

static bool same_name(const struct program_node *a, const struct program_node *b)
{
    if (a->kind != b->kind || a->name == b->name)
        return a->kind == b->kind;
    return a->kind == PROGRAM_CALLS && strcmp(a->name, b->name) == 0; /* names of other functions are shared texts */
}

static bool same_place(const struct program_node *a, const struct program_node *b)
{
    return a->place == b->place && a->place_first == b->place_first && a->place_last == b->place_last;
}

bool program_node_same(const struct program_node *x, const struct program_node *y)
{
    return x->depth == y->depth && same_name(x, y) && (x->kind != PROGRAM_FUNCTION || same_place(x, y)) &&
           (phase_texts_equal(&x->phases, &y->phases) || same_place(x, y));
}

/* True if both come in the same part of the iterations around them. */
static bool same_share(const struct program_node *a, const struct program_node *b)
{
    return a->counts.times * b->around == b->counts.times * a->around;
}

bool program_is_repeated(const struct program_node *a, const struct program_node *b)
{
    if (!same_name(a, b) || a->size != b->size || !phase_texts_equal(&a->phases, &b->phases))
        return false;
    for (size_t i = 1; i < a->size; i++) {
        const struct program_node *x = &a[i], *y = &b[i];
        if (!same_name(x, y) || x->size != y->size || !same_place(x, y) || x->counts.min != y->counts.min ||
            x->counts.max != y->counts.max || !phase_texts_equal(&x->phases, &y->phases) ||
            a->threads - x->threads != b->threads - y->threads || !same_share(x, y))
            return false;
    }
    return true;
}

/* If the last node, at AT, and the function BEFORE it do the same, and are called on one line or make a single MPI
 * call, makes them one. */
static bool join_neighbours(struct program_maker *m, size_t before, size_t at)
{
    struct program_node *a = &m->nodes[before], *b = &m->nodes[at];
    if (!program_is_repeated(a, b) || !same_share(a, b))
        return false;
    for (const struct program_node *node = a; node->kind != PROGRAM_CALLS && !same_place(a, b); node++)
        if (!program_is_chained(node))
            return false;
    uint64_t sites = a->sites + b->sites;
    for (size_t i = 0; i < a->size; i++)
        program_node_add(&a[i], &b[i]);
    a->sites = sites;
    m->count = at;
    return true;
}

/* Returns in how many iterations the items from BEGIN to END come, if these come one behind the other, and not in each
 * of AROUND iterations; else 0. */
static uint64_t times_of(const struct shown_loops *s, size_t begin, size_t end, uint64_t around)
{
    uint64_t times = s->items[begin].counts.times;
    for (size_t i = begin, next; i < end; i = next) {
        next = nest_behind(s->items, end, i);
        if (s->items[i].counts.times != times || (next < end && !s->items[i].leads_on))
            return 0;
    }
    return times < around ? times : 0;
}

/* Adds up the calls of the items from BEGIN to END in NODE. */
static void sum_calls(const struct shown_loops *s, size_t begin, size_t end, struct program_node *node)
{
    for (size_t i = begin; i < end; i++) {
        node->counts.total += s->items[i].is_loop ? 0 : s->items[i].counts.total;
        node->ns += s->ns[i];
    }
}

/* Adds the nodes of the items from BEGIN to END, which are neighbours in a function that FUNCTIONS functions are
 * around, itself included, and NODES nodes; they can come AROUND times. Recursion is as deep as loops are nested and
 * paths are long. */
static void add_items(struct program_maker *m, size_t begin, size_t end, size_t functions, size_t nodes,
                      uint64_t around)
{
    const struct shown_loops *s = m->loops;
    size_t before = SIZE_MAX; /* the node that was added last here */
    for (size_t i = begin, next; i < end && !m->failed; i = next) {
        const struct item_path *p = &m->paths[i];
        next = p->next;
        if (p->count <= functions && !s->items[i].is_loop) {
            add_calls(m, i, before, nodes, around);
            before = m->count - 1;
            continue;
        }
        bool is_loop = p->count <= functions;
        size_t at = add_node(m, is_loop ? PROGRAM_LOOP : PROGRAM_FUNCTION, nodes);
        if (m->failed)
            return;
        if (is_loop) {
            const struct nest_item *item = &s->items[i];
            m->nodes[at].counts = item->counts;
            m->nodes[at].around = around;
            m->nodes[at].loop_first = item->number;
            m->nodes[at].loop_last = item->number_last;
            add_items(m, i + 1, next, functions, nodes + 1, item->counts.total);
        } else {
            while (next < end && m->paths[next].count > functions &&
                   same_function(&m->paths[next].functions[functions], &p->functions[functions]))
                next = m->paths[next].next;
            m->nodes[at].name = p->functions[functions].name;
            set_place(&m->nodes[at], p->functions[functions].place);
            uint64_t times = times_of(s, i, next, around);
            m->nodes[at].counts.times = times > 0 ? times : around;
            m->nodes[at].around = around;
            if (functions + 1 >= m->depth)
                sum_calls(s, i, next, &m->nodes[at]);
            else
                add_items(m, i, next, functions + 1, nodes + 1, m->nodes[at].counts.times);
        }
        m->nodes[at].size = m->count - at;
        if (is_loop || before == SIZE_MAX || !join_neighbours(m, before, at))
            before = at;
    }
}

/* Sums up the times of the calls in each node. */
static void sum_times(struct program_node *nodes, size_t count)
{
    for (size_t i = count; i-- > 0;)
        for (size_t k = i + 1; nodes[i].kind != PROGRAM_CALLS && k < i + nodes[i].size; k += nodes[k].size)
            nodes[i].ns += nodes[k].ns;
}

bool program_make(struct program *p, const struct shown_loops *s, struct call_paths *paths, uint64_t depth)
{
    struct program_maker m = {.loops = s, .depth = depth, .paths = calloc(s->count + 1, sizeof *m.paths)};
    bool good = m.paths && find_paths(&m, paths);
    if (good)
        add_items(&m, 0, s->count, 0, 0, s->thread_count);
    *p = (struct program){.nodes = m.nodes, .count = m.count, .calls_min = s->calls_min, .calls_max = s->calls_max};
    sum_times(m.nodes, m.count);
    free(m.paths);
    return good && !m.failed;
}
