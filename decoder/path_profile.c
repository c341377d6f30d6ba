/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a tree of functions out of a profile; see path_profile.h. Functions with equal names that are called by the
 * same function are one, wherever they are called from: a stranger asks first which function the time goes to. */
#include "path_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/call_paths.h"
#include "csv.h"
#include "analysis/selection.h"
#include "decode_errors.h"
#include "print.h"

enum { NAME_WIDTH = 48, NAME_WIDTH_MAX = 96, COLUMN_MAX = 48 };

/* A function, or an MPI function that it calls. */
struct path_node {
    const char *name;
    bool is_call;
    struct path_node *parent, *children, *next; /* children: linked by `next`, sorted at the end */
    struct path_node *all;                      /* the node that was made before */
    uint64_t calls, own_calls;                  /* of MPI, by all that it calls, and by itself */
    double ns, own_ns;
    double shared_ns, own_shared_ns; /* of these: calls whose mean is that of calls in other nodes, too */
    struct messages_count sent;
};

/* A row whose times are those of all paths of its call site, and the node that it is in. */
struct shared_row {
    const struct profile_row *row;
    struct path_node *leaf;
};

struct path_tree {
    struct path_node root;
    struct path_node *last; /* made last */
    struct shared_row *shared;
    size_t shared_count;
};

/* ---- the tree ---- */

static struct path_node *find_child(struct path_tree *t, struct path_node *parent, const char *name, bool is_call)
{
    for (struct path_node *n = parent->children; n; n = n->next)
        if (n->is_call == is_call && strcmp(n->name, name) == 0)
            return n;
    struct path_node *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    *n = (struct path_node){
        .name = name, .is_call = is_call, .parent = parent, .next = parent->children, .all = t->last};
    parent->children = n;
    return t->last = n;
}

static bool add_row(struct path_tree *t, const struct profile_row *row, const struct function_path *path,
                    uint64_t depth)
{
    struct path_node *n = &t->root;
    for (size_t i = 0; i < path->count && i < depth && n; i++)
        if (i == 0 || !call_path_repeats(path->functions[i].name, path->functions[i - 1].name))
            n = find_child(t, n, path->functions[i].name, false);
    if (n) {
        n->own_calls += row->calls;
        n->own_ns += row->durations.total_ns;
        n = find_child(t, n, row->class->function->name, true);
    }
    if (!n)
        return false;
    if (row->durations.shared)
        t->shared[t->shared_count++] = (struct shared_row){row, n};
    for (; n; n = n->parent) {
        n->calls += row->calls;
        n->ns += row->durations.total_ns;
        n->sent.messages += row->sent.messages;
        n->sent.bytes += row->sent.bytes;
    }
    return true;
}

/* ---- times that paths share ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Compares what rows share their times by: the function and the call site. */
static int compare_shared(const void *x, const void *y)
{
    const struct pilgrim_class *a = ((const struct shared_row *)x)->row->class,
                               *b = ((const struct shared_row *)y)->row->class;
    const int function = strcmp(a->function->name, b->function->name);
    if (function || !a->site || !b->site)
        return function ? function : compare_numbers(a->site != NULL, b->site != NULL);
    const int module = strcmp(a->site->module, b->site->module);
    return module ? module : compare_numbers(a->site->offset, b->site->offset);
}

static size_t depth_of(const struct path_node *n)
{
    size_t depth = 0;
    while ((n = n->parent))
        depth++;
    return depth;
}

/* Returns the innermost node that both are in. */
static const struct path_node *common_node(const struct path_node *a, const struct path_node *b)
{
    size_t depth_a = depth_of(a), depth_b = depth_of(b);
    for (; depth_a > depth_b; depth_a--)
        a = a->parent;
    for (; depth_b > depth_a; depth_b--)
        b = b->parent;
    for (; a != b; a = a->parent)
        b = b->parent;
    return a;
}

/* Counts in each node the time of rows that share it with rows elsewhere. What all rows took that share is right. */
static void add_shared(struct path_tree *t)
{
    struct shared_row *rows = t->shared;
    if (t->shared_count)
        qsort(rows, t->shared_count, sizeof *rows, compare_shared);
    for (size_t i = 0, end; i < t->shared_count; i = end) {
        const struct path_node *common = rows[i].leaf;
        for (end = i + 1; end < t->shared_count && compare_shared(&rows[i], &rows[end]) == 0; end++)
            common = common_node(common, rows[end].leaf);
        for (size_t k = i; k < end; k++)
            for (struct path_node *n = rows[k].leaf; n != common; n = n->parent) {
                n->shared_ns += rows[k].row->durations.total_ns;
                if (n == rows[k].leaf)
                    n->parent->own_shared_ns += rows[k].row->durations.total_ns;
            }
    }
}

/* ---- the order ---- */

/* True if A comes before B: by time, then calls, then name. */
static bool is_before(const struct path_node *a, const struct path_node *b)
{
    if (a->ns != b->ns)
        return a->ns > b->ns;
    return a->calls != b->calls ? a->calls > b->calls : strcmp(a->name, b->name) < 0;
}

/* Sorts a list by merging. */
static struct path_node *sort_list(struct path_node *list)
{
    struct path_node *middle = list, *sorted = NULL, **end = &sorted;
    if (!list || !list->next)
        return list;
    for (struct path_node *n = list->next; n && n->next; n = n->next->next)
        middle = middle->next;
    struct path_node *b = sort_list(middle->next);
    middle->next = NULL;
    struct path_node *a = sort_list(list);
    while (a && b) {
        struct path_node **first = is_before(b, a) ? &b : &a;
        *end = *first;
        end = &(*first)->next;
        *first = *end;
    }
    *end = a ? a : b;
    return sorted;
}

static bool make_tree(struct path_tree *t, const struct call_profile *p, const struct path_options *options,
                      struct call_paths *paths)
{
    t->shared = malloc((p->row_count + 1) * sizeof *t->shared);
    if (!t->shared)
        return false;
    for (size_t i = 0; i < p->row_count; i++) {
        const struct profile_row *row = &p->rows[i];
        if (options->function && !selection_function_fits(options->function, row->class->function->name))
            continue;
        const struct function_path *path = call_paths_find(paths, row->class);
        if (!path || !add_row(t, row, path, options->depth))
            return false;
    }
    add_shared(t);
    t->root.children = sort_list(t->root.children);
    for (struct path_node *n = t->last; n; n = n->all)
        n->children = sort_list(n->children);
    return true;
}

/* Returns the node behind N: its first child, else the next one that is not in it. NULL: there is none. */
static const struct path_node *node_behind(const struct path_node *n)
{
    if (n->children)
        return n->children;
    while (n && !n->next)
        n = n->parent;
    return n ? n->next : NULL;
}

/* ---- text ---- */

static void out_cell(struct output *o, const char *text, size_t width)
{
    for (size_t length = strlen(text); length < width; length++)
        out_char(o, ' ');
    out_text(o, text);
}

/* True if what is shared would show in a time that is printed with three digits. */
static bool is_marked(double ns, double shared_ns)
{
    return 200 * shared_ns > ns;
}

static void out_ns(struct output *o, double ns, double shared_ns)
{
    char text[OUT_DURATION_MAX + 1] = "~";
    if (ns > 0)
        put_duration(text + is_marked(ns, shared_ns), ns);
    out_cell(o, ns > 0 ? text : "", 8);
}

static void out_row(struct output *o, const struct call_profile *p, const struct path_node *n)
{
    char text[COLUMN_MAX];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n->calls);
    out_cell(o, text, 11);
    if (p->timed) {
        double share = p->run_ns > 0 ? n->ns / p->run_ns : 0;
        out_ns(o, n->ns, n->shared_ns);
        out_ns(o, n->is_call ? n->ns : n->own_ns, n->is_call ? n->shared_ns : n->own_shared_ns);
        snprintf(text, sizeof text, share < 0.9995 ? "%.1f%%" : "%.0f%%", 100 * share);
        out_cell(o, share > 0 && share < 0.0005 ? "<0.1%" : text, 7);
    }
    if (n->sent.messages > 0) {
        snprintf(text, sizeof text, " %9llu %11llu", (unsigned long long)n->sent.messages,
                 (unsigned long long)n->sent.bytes);
        out_text(o, text);
    }
    out_char(o, '\n');
}

/* True if N is shown on one line with its only child: a function that calls one function, and no MPI. */
static bool is_chained(const struct path_node *n)
{
    return n->children && !n->children->next && !n->children->is_call;
}

/* Returns how far the line of N is indented: nodes that are on the line of their only child do not count. */
static size_t indentation(const struct path_node *n)
{
    size_t around = 0;
    for (const struct path_node *up = n->parent; up && up->parent; up = up->parent)
        around += !is_chained(up);
    return 2 * around;
}

/* Returns how many functions stand on N's line behind it. */
static size_t chain_length(const struct path_node *n)
{
    size_t length = 0;
    for (; is_chained(n); n = n->children)
        length++;
    return length;
}

/* True if the LEFT-th function from the end of a line with LENGTH of them behind the first is shown. */
static bool is_shown(size_t left, size_t length)
{
    return left <= CHAIN_SHOWN / 2 || length - left + 1 < CHAIN_SHOWN / 2;
}

/* Returns the width of the column of names. */
static size_t name_width(const struct path_tree *t)
{
    size_t widest = NAME_WIDTH;
    for (const struct path_node *n = t->root.children; n; n = node_behind(n)) {
        size_t width = indentation(n) + strlen(n->name), left = chain_length(n), length = left;
        for (; left > 0; left--, n = n->children)
            if (is_shown(left, length))
                width += strlen(" > ") + strlen(n->children->name);
        widest = width > widest && width <= NAME_WIDTH_MAX ? width : widest;
    }
    return widest;
}

static void tree_text(struct output *o, const struct call_profile *p, const struct path_tree *t)
{
    size_t width = name_width(t);
    profile_text_summary(o, p);
    for (const struct path_node *n = t->last; n; n = n->all) {
        if (!is_marked(n->ns, n->shared_ns))
            continue;
        out_text(o, "~: of slight calls the trace has one mean for all paths of a call site\n\n");
        break;
    }
    out_cell(o, "calls", width + 11);
    if (p->timed)
        out_text(o, "   total     own  share");
    out_text(o, p->sent.messages > 0 ? "  messages       bytes\n" : "\n");
    for (const struct path_node *n = t->root.children; n && !o->error; n = node_behind(n)) {
        uint64_t start = out_position(o);
        for (size_t i = indentation(n); i > 0; i--)
            out_char(o, ' ');
        out_name(o, n->name);
        size_t length = chain_length(n), left = length;
        for (; left > 0; left--, n = n->children) {
            if (is_shown(left, length)) {
                out_text(o, " > ");
                out_name(o, n->children->name);
            } else if (is_shown(left + 1, length)) {
                out_text(o, " > ...");
            }
        }
        while (out_position(o) - start < width)
            out_char(o, ' ');
        out_row(o, p, n);
    }
}

/* ---- JSON, and lines for tools that draw flame graphs ---- */

/* Prints the names of the functions around N and its own, the outermost first. Recursion is as deep as the path. */
static void out_path(struct output *o, const struct path_node *n, const char *separator,
                     void (*put)(struct output *, const char *))
{
    if (!n->parent)
        return;
    out_path(o, n->parent, separator, put);
    if (n->parent->parent)
        out_text(o, separator);
    put(o, n->name);
}

/* Returns the names of the functions around N and its own, the outermost first; to be freed. NULL: no memory. */
static char *joined_names(const struct path_node *n)
{
    static const char separator[] = " > ";
    size_t length = 1;
    for (const struct path_node *up = n; up->parent; up = up->parent)
        length += strlen(up->name) + strlen(separator);
    char *names = calloc(1, length), *at = names ? names + length - 1 : NULL;
    for (const struct path_node *up = n; at && up->parent; up = up->parent) {
        const size_t count = strlen(up->name);
        memcpy(at -= count, up->name, count);
        if (up->parent->parent)
            memcpy(at -= strlen(separator), separator, strlen(separator));
    }
    if (names)
        memmove(names, at, strlen(at) + 1);
    return names;
}

static void put_json(struct output *o, const char *name)
{
    out_json_string(o, name, strlen(name));
}

static void json_shared(struct output *o, const char *name, double ns)
{
    if (ns > 0)
        out_json_field(o, name, ns < 0x1p63 ? (int64_t)(ns + 0.5) : INT64_MAX);
}

static void tree_json(struct output *o, const struct call_profile *p, const struct path_tree *t)
{
    profile_json_summary(o, p);
    for (const struct path_node *n = t->root.children; n && !o->error; n = node_behind(n)) {
        out_text(o, "{\"functions\":[");
        out_path(o, n->is_call ? n->parent : n, ",", put_json);
        out_char(o, ']');
        if (n->is_call) {
            out_text(o, ",\"func\":");
            put_json(o, n->name);
        }
        out_text(o, ",\"calls\":");
        out_uint(o, n->calls);
        if (!n->is_call) {
            out_text(o, ",\"own_calls\":");
            out_uint(o, n->own_calls);
        }
        if (p->timed) {
            out_text(o, ",\"total\":");
            out_uint(o, n->ns < 0x1p64 ? (uint64_t)(n->ns + 0.5) : UINT64_MAX);
        }
        if (p->timed && !n->is_call) {
            out_text(o, ",\"own\":");
            out_uint(o, n->own_ns < 0x1p64 ? (uint64_t)(n->own_ns + 0.5) : UINT64_MAX);
        }
        json_shared(o, "shared", n->shared_ns);
        json_shared(o, "own_shared", n->own_shared_ns);
        out_text(o, ",\"messages\":");
        out_uint(o, n->sent.messages);
        out_text(o, ",\"bytes\":");
        out_uint(o, n->sent.bytes);
        out_text(o, "}\n");
    }
}

static void csv_shared(struct csv *c, double ns)
{
    if (ns > 0)
        csv_ns(c, ns);
    else
        csv_empty(c, 1);
}

/* Prints a line for each function, and for each MPI function that it calls. The functions around it are one cell, the
 * outermost first, with " > " between them. */
static void tree_csv(struct output *o, const struct call_profile *p, const struct path_tree *t)
{
    struct csv c = {.out = o};
    out_text(o, "functions,func,calls,own_calls,total,own,messages,bytes,shared,own_shared\n");
    for (const struct path_node *n = t->root.children; n && !o->error; n = node_behind(n)) {
        const struct path_node *function = n->is_call ? n->parent : n;
        char *names = joined_names(function);
        csv_name(&c, names);
        free(names);
        csv_name(&c, n->is_call ? n->name : NULL);
        csv_uint(&c, n->calls);
        if (n->is_call)
            csv_empty(&c, 1);
        else
            csv_uint(&c, n->own_calls);
        if (p->timed)
            csv_ns(&c, n->ns);
        else
            csv_empty(&c, 1);
        if (p->timed && !n->is_call)
            csv_ns(&c, n->own_ns);
        else
            csv_empty(&c, 1);
        csv_uint(&c, n->sent.messages);
        csv_uint(&c, n->sent.bytes);
        csv_shared(&c, n->shared_ns);
        csv_shared(&c, n->own_shared_ns);
        csv_end(&c);
    }
}

/* Prints a name without what separates names and lines. */
static void put_folded(struct output *o, const char *name)
{
    for (const char *end; (end = strchr(name, ';')); name = end + 1) {
        out_json_escaped(o, name, (size_t)(end - name));
        out_char(o, ':');
    }
    out_name(o, name);
}

/* Prints a line for each MPI function and path: microseconds, or calls if there are no times. They are rounded so that
 * the sum of all is right. */
static void tree_folded(struct output *o, const struct call_profile *p, const struct path_tree *t)
{
    double sum = 0;
    uint64_t printed = 0;
    for (const struct path_node *n = t->root.children; n && !o->error; n = node_behind(n)) {
        if (!n->is_call)
            continue;
        sum += p->timed ? n->ns / 1000 : (double)n->calls;
        uint64_t until = sum < 0x1p63 ? (uint64_t)(sum + 0.5) : UINT64_MAX, value = until - printed;
        printed = until;
        if (value == 0)
            continue;
        out_path(o, n, ";", put_folded);
        out_char(o, ' ');
        out_uint(o, value);
        out_char(o, '\n');
    }
}

enum pilgrim_status path_profile_print(struct output *o, const struct call_profile *p,
                                       const struct path_options *options, struct source_lines *lines,
                                       struct pilgrim_error *error)
{
    static void (*const printers[])(struct output *, const struct call_profile *, const struct path_tree *) = {
        [PATH_TEXT] = tree_text, [PATH_JSON] = tree_json, [PATH_CSV] = tree_csv, [PATH_FOLDED] = tree_folded};
    struct path_tree tree = {0};
    struct call_paths *paths = call_paths_new(lines);
    bool good = paths && make_tree(&tree, p, options, paths);
    if (good)
        printers[options->format](o, p, &tree);
    for (struct path_node *n = tree.last, *next; n; n = next) {
        next = n->all;
        free(n);
    }
    free(tree.shared);
    call_paths_free(paths);
    return good ? PILGRIM_OK : no_memory(error);
}
