/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a tree of functions out of a profile; see path_profile.h. Functions with equal names that are called by the
 * same function are one, wherever they are called from: a stranger asks first which function the time goes to. */
#include "path_profile.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/call_paths.h"
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
    struct messages_count sent;
};

struct path_tree {
    struct path_node root;
    struct path_node *last; /* made last */
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
    for (; n; n = n->parent) {
        n->calls += row->calls;
        n->ns += row->durations.total_ns;
        n->sent.messages += row->sent.messages;
        n->sent.bytes += row->sent.bytes;
    }
    return true;
}

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
    for (size_t i = 0; i < p->row_count; i++) {
        const struct profile_row *row = &p->rows[i];
        if (options->function && fnmatch(options->function, row->class->function->name, 0) != 0)
            continue;
        const struct function_path *path = call_paths_find(paths, row->class);
        if (!path || !add_row(t, row, path, options->depth))
            return false;
    }
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

static void out_ns(struct output *o, double ns)
{
    char text[OUT_DURATION_MAX] = "";
    if (ns > 0)
        put_duration(text, ns);
    out_cell(o, text, 8);
}

static void out_row(struct output *o, const struct call_profile *p, const struct path_node *n)
{
    char text[COLUMN_MAX];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n->calls);
    out_cell(o, text, 11);
    if (p->timed) {
        double share = p->run_ns > 0 ? n->ns / p->run_ns : 0;
        out_ns(o, n->ns);
        out_ns(o, n->is_call ? n->ns : n->own_ns);
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

static void put_json(struct output *o, const char *name)
{
    out_json_string(o, name, strlen(name));
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
        out_text(o, ",\"messages\":");
        out_uint(o, n->sent.messages);
        out_text(o, ",\"bytes\":");
        out_uint(o, n->sent.bytes);
        out_text(o, "}\n");
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
        [PATH_TEXT] = tree_text, [PATH_JSON] = tree_json, [PATH_FOLDED] = tree_folded};
    struct path_tree tree = {0};
    struct call_paths *paths = call_paths_new(lines);
    bool good = paths && make_tree(&tree, p, options, paths);
    if (good)
        printers[options->format](o, p, &tree);
    for (struct path_node *n = tree.last, *next; n; n = next) {
        next = n->all;
        free(n);
    }
    call_paths_free(paths);
    return good ? PILGRIM_OK : no_memory(error);
}
