/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a trace into the tree of a program: that of --loops, in which each call site comes once. Each rank's calls are
 * then parsed by it: a call that stands further on is reached by going on, one that stands before by another trip of
 * the innermost loop around both. A call that is not reached in a trip comes 0 times in it. So any sequence of calls
 * has its place in the tree, whatever loops were found; the outermost loop is the program. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/call_paths.h"
#include "analysis/class_copies.h"
#include "analysis/source_lines.h"
#include "analysis/thread_loops.h"
#include "generate_state.h"
#include "generate_threads.h"

enum { NODES_MAX = 100000, RANKS_MAX = 100000, RANKS_LEAST = 4, FRAMES_MAX = 64, KNOWN_CLASSES = 4096 };

#define CALLS_MAX   UINT64_C(4000000000)
#define RECORDS_MAX UINT64_C(2000000000)

struct program_reader {
    struct proxy *p;
    struct source_lines *lines;
    struct call_paths *paths;
    struct class_copies copies;
    size_t node_count;
    uint64_t records;
};

/* ---- trees ---- */

/* The place of a class in a tree. */
struct class_place {
    const struct class_copy *copy;
    struct node *call;
    struct node *chain[FRAMES_MAX]; /* the loops around, from the program to the one of the call alone */
    size_t index[FRAMES_MAX];       /* of the next in its parent's children */
    size_t depth;
    bool repeats; /* it mostly comes several times, one directly behind the other */
};

struct tree {
    struct node *root;
    struct class_place *leaves;
    size_t leaf_count;
};

static struct node *new_node(struct program_reader *r, enum node_kind kind)
{
    if (++r->node_count > NODES_MAX)
        generate_fail("the trace is too irregular: the program would have more than %d statements", NODES_MAX);
    struct node *n = generate_alloc(sizeof *n);
    n->kind = kind;
    n->ranks = generate_alloc(r->p->rank_count * sizeof *n->ranks);
    return n;
}

static void add_child(struct node *to, struct node *child)
{
    to->children = generate_grow(to->children, to->child_count, sizeof *to->children);
    to->children[to->child_count++] = child;
}

static const char *intern(const char *text)
{
    return text ? text_intern(text, strlen(text)) : NULL;
}

static void set_functions(struct node *call, const struct function_path *path)
{
    struct node_function *functions = generate_alloc((path->count + 1) * sizeof *functions);
    for (size_t i = 0; i < path->count; i++)
        functions[i] = (struct node_function){intern(path->functions[i].name), intern(path->functions[i].place),
                                              path->functions[i].call};
    call->functions = functions;
    call->function_count = path->count;
}

/* Makes the tree of threads that have equal loops. */
static struct tree make_tree(struct program_reader *r, const struct shown_loops *s)
{
    struct tree tree = {.root = new_node(r, NODE_LOOP),
                        .leaves = generate_alloc((s->count + 1) * sizeof(struct class_place))};
    struct node *around[FRAMES_MAX] = {tree.root};
    for (size_t i = 0; i < s->count; i++) {
        const struct nest_item *item = &s->items[i];
        if (item->depth + 3 >= FRAMES_MAX)
            generate_fail("the trace's loops are nested too deeply");
        struct node *loop = new_node(r, NODE_LOOP), *parent = around[item->depth];
        add_child(parent, loop);
        around[item->depth + 1] = loop;
        struct class_place *leaf = &tree.leaves[tree.leaf_count];
        for (size_t d = 0; d <= item->depth + 1; d++) {
            leaf->chain[d] = around[d];
            leaf->index[d] = around[d]->child_count - 1;
        }
        if (item->is_loop)
            continue;
        const struct class_copy *copy = copy_class(&r->copies, s->classes[i]);
        const struct function_path *path = copy ? call_paths_find(r->paths, &copy->class) : NULL;
        if (!path)
            generate_fail("not enough memory");
        struct node *call = new_node(r, NODE_CALL);
        add_child(loop, call);
        leaf->index[item->depth + 1] = 0;
        leaf->depth = item->depth + 2;
        leaf->repeats = (double)item->counts.total >= 1.5 * (double)item->counts.times;
        leaf->call = call;
        leaf->copy = copy;
        tree.leaf_count++;
        call->name = intern(copy->class.function->name);
        call->place = intern(path->site);
        set_functions(call, path);
        call->gap_count = (double)item->counts.total;
        call->gap_ns = item->counts.total ? s->gap_ns[i] / (double)item->counts.total : 0;
    }
    return tree;
}

/* ---- parsing ---- */

struct frame {
    struct node *loop;
    int64_t trips;
    size_t next; /* the child behind the last one that was reached in this trip */
};

struct rank_walk {
    struct program_reader *r;
    const struct tree *tree;
    struct rank_state *state;
    uint32_t rank;
    struct frame frames[FRAMES_MAX];
    size_t depth;
    struct {
        const struct pilgrim_class *class;
        const struct class_place *leaf;
    } known[KNOWN_CLASSES]; /* in this segment */
    uint32_t segment;
};

static void record(struct rank_walk *w, struct node *n, int64_t what)
{
    struct node_visits **v = &n->ranks[w->rank];
    if (++w->r->records > RECORDS_MAX)
        generate_fail("the trace is too irregular");
    if (!*v)
        *v = generate_alloc(sizeof **v);
    visits_add(*v, what);
}

/* Passes over the children before child I in this trip. */
static void pass_children(struct rank_walk *w, struct frame *f, size_t i)
{
    for (; f->next < i; f->next++)
        record(w, f->loop->children[f->next], 0);
}

static void close_frames(struct rank_walk *w, size_t depth)
{
    while (w->depth > depth) {
        struct frame *f = &w->frames[--w->depth];
        if (f->loop->children[0]->kind == NODE_LOOP)
            pass_children(w, f, f->loop->child_count);
        record(w, f->loop, f->trips);
    }
}

static void reach(struct rank_walk *w, const struct class_place *leaf)
{
    size_t d = 0;
    while (d + 1 < w->depth && d + 1 < leaf->depth && w->frames[d + 1].loop == leaf->chain[d + 1])
        d++;
    /* the same call once more: another trip of its own loop, or of the loop around that, but for the program itself */
    if (d + 1 == leaf->depth && leaf->depth > 2 && !leaf->repeats)
        d--;
    struct frame *f = &w->frames[d];
    bool again = d + 1 == leaf->depth || f->next > leaf->index[d];
    close_frames(w, d + 1);
    if (again) {
        if (f->loop->children[0]->kind == NODE_LOOP)
            pass_children(w, f, f->loop->child_count);
        f->trips++;
        f->next = 0;
    }
    for (; d + 1 < leaf->depth; d++) {
        pass_children(w, &w->frames[d], leaf->index[d]);
        w->frames[d].next = leaf->index[d] + 1;
        w->frames[d + 1] = (struct frame){.loop = leaf->chain[d + 1], .trips = 1};
        w->depth = d + 2;
    }
}

static const struct class_place *leaf_of(struct rank_walk *w, const struct pilgrim_class *class)
{
    size_t at = ((uintptr_t) class >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 52;
    if (w->known[at % KNOWN_CLASSES].class == class)
        return w->known[at % KNOWN_CLASSES].leaf;
    const struct class_copy *copy = copy_class(&w->r->copies, class);
    for (size_t i = 0; i < w->tree->leaf_count; i++)
        if (w->tree->leaves[i].copy == copy) {
            w->known[at % KNOWN_CLASSES].class = class;
            return w->known[at % KNOWN_CLASSES].leaf = &w->tree->leaves[i];
        }
    generate_fail("rank %" PRIu32 ": a call is in none of its loops", w->rank);
}

static void name_parameters(struct node *call, const struct pilgrim_function *function)
{
    if (call->parameters)
        return;
    call->parameter_count = function->parameter_count;
    call->parameters = generate_alloc((function->parameter_count + 1) * sizeof *call->parameters);
    for (size_t i = 0; i < function->parameter_count; i++)
        call->parameters[i] = text_intern(function->parameters[i].name, strlen(function->parameters[i].name));
}

/* Makes a row of the call, and puts it in its place in the tree. */
static void take_call(struct rank_walk *w, const struct pilgrim_call *call, const struct class_place *leaf)
{
    reach(w, leaf);
    w->state->top = leaf->index[0];
    name_parameters(leaf->call, call->function);
    record(w, leaf->call, call_row(w->state, call, leaf->call->place));
    w->r->p->calls++;
}

/* Goes through all calls of the thread but failed polls. SCAN: they are noted there; NULL: they are read. */
static void walk_calls(struct rank_walk *w, uint32_t thread, struct request_scan *scan)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    struct pilgrim_error error;
    enum pilgrim_status status = pilgrim_cursor_open(w->r->p->trace, w->rank, thread, &cursor, &error);
    if (status != PILGRIM_OK)
        generate_fail("rank %" PRIu32 ": %s", w->rank, error.message);
    memset(w->known, 0, sizeof w->known);
    w->segment = 0;
    while ((status = pilgrim_cursor_next(cursor, &call, &error)) == PILGRIM_OK) {
        if (pilgrim_cursor_segment(cursor) != w->segment) {
            memset(w->known, 0, sizeof w->known);
            w->segment = pilgrim_cursor_segment(cursor);
            rank_state_segment(w->state);
        }
        if (call_is_failed_poll(&call))
            continue;
        const struct class_place *leaf = leaf_of(w, call.class_);
        if (scan)
            requests_note(scan, &call, leaf->call->place);
        else
            take_call(w, &call, leaf);
    }
    if (status != PILGRIM_END)
        generate_fail("rank %" PRIu32 ": %s", w->rank, error.message);
    pilgrim_cursor_close(cursor);
}

/* Returns the state of the rank's thread behind its last call. */
static struct rank_state *read_rank(struct program_reader *r, const struct tree *tree, uint32_t rank, uint32_t thread)
{
    struct rank_walk *w = generate_alloc(sizeof *w);
    *w =
        (struct rank_walk){.r = r, .tree = tree, .state = rank_state_new(r->p, rank, thread), .rank = rank, .depth = 1};
    w->frames[0] = (struct frame){.loop = tree->root, .trips = 1};
    if (!r->p->requests_shared) {
        struct request_scan *scan = requests_new();
        walk_calls(w, thread, scan);
        requests_name(scan, w->state);
    }
    walk_calls(w, thread, NULL);
    close_frames(w, 0);
    return w->state;
}

static size_t set_sizes(struct node *n)
{
    n->size = 1;
    for (size_t i = 0; i < n->child_count; i++)
        n->size += set_sizes(n->children[i]);
    return n->size;
}

static void check_size(struct proxy *p)
{
    uint64_t calls = 0;
    if (p->rank_count > RANKS_MAX)
        generate_fail("the trace has more than %d ranks", RANKS_MAX);
    for (uint32_t rank = 0; rank < p->rank_count; rank++) {
        for (uint32_t thread = 0; thread < pilgrim_thread_count(p->trace, rank); thread++) {
            uint64_t own = pilgrim_call_count(p->trace, rank, thread);
            calls = own > CALLS_MAX ? CALLS_MAX + 1 : calls + own;
            if (calls > CALLS_MAX)
                generate_fail("the trace has more than %" PRIu64 " calls", CALLS_MAX);
        }
    }
}

/* Returns what the threads of that number do in all ranks; NULL: nothing. */
static struct node *read_threads(struct program_reader *r, uint32_t thread)
{
    struct proxy *p = r->p;
    struct loops_list *loops = loops_list_new(p->trace, false);
    const struct shown_loops *s;
    struct pilgrim_error error;
    struct node *root = NULL;
    if (!loops)
        generate_fail("not enough memory");
    for (uint32_t rank = 0; rank < p->rank_count; rank++)
        if (pilgrim_thread_count(p->trace, rank) > thread && loops_list_add(loops, rank, thread, &error) != PILGRIM_OK)
            generate_fail("rank %" PRIu32 ": %s", rank, error.message);
    for (size_t i = 0; (s = loops_list_shown(loops, i)); i++) {
        struct tree tree = make_tree(r, s);
        struct rank_state **states = generate_alloc((s->thread_count + 1) * sizeof *states);
        if (!s->count)
            continue;
        for (size_t k = 0; k < s->thread_count; k++)
            states[k] = read_rank(r, &tree, s->threads[k].rank, thread);
        if (p->shared_count)
            threads_place(p, tree.root, states, s->thread_count);
        set_sizes(tree.root);
        root = root ? program_join_nodes(root, tree.root, p->rank_count) : tree.root;
    }
    loops_list_free(loops);
    return root;
}

void proxy_read(struct proxy *p)
{
    struct program_reader r = {.p = p, .lines = source_lines_new(p->options->path, p->options->modules)};
    if (!r.lines || !(r.paths = call_paths_new(r.lines)))
        generate_fail("not enough memory");
    if (p->options->ranks && p->rank_count < RANKS_LEAST)
        generate_fail("%s: %" PRIu32 " ranks: --ranks needs a trace of %d or more", p->options->path, p->rank_count,
                      RANKS_LEAST);
    source_lines_ran_in(r.lines, pilgrim_property(p->trace, "folder"));
    source_lines_use_trace(r.lines, p->trace, pilgrim_frame_function);
    check_size(p);
    p->killed = pilgrim_property(p->trace, "endings") != NULL;
    threads_scan(p);
    p->root = read_threads(&r, 0);
    p->threads = generate_alloc((p->thread_count + 1) * sizeof(struct node *));
    for (uint32_t thread = 1; thread < p->thread_count; thread++)
        p->threads[thread] = read_threads(&r, thread);
    if (!p->root)
        generate_fail("the trace has no calls");
    int64_t base = 0;
    for (size_t i = 0; i < p->request_count; i++) {
        p->requests[i].base = base;
        base += p->requests[i].most + 1;
    }
    call_paths_free(r.paths);
    class_copies_free(&r.copies);
    source_lines_free(r.lines);
}
