/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the machine (--system) as lines, or as one JSON object. A line stands for all nodes of a class in all copies
 * of the class around it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "machine.h"
#include "print.h"

enum { NAMES_SHOWN = 120 }; /* characters of names in a line for people */

/* The classes that a line is nested in, from the innermost out to the machine. */
struct scope {
    const struct scope *outer; /* NULL: the machine itself */
    const char *kind;
    uint32_t copies; /* in each copy of the outer scope */
};

struct printer {
    struct output *out;
    const struct machine *machine;
    bool json;
};

/* ---- parts of a line ---- */

static unsigned depth_of(const struct scope *scope)
{
    unsigned depth = 0;
    for (; scope->outer; scope = scope->outer)
        depth++;
    return depth;
}

/* Begins a line, or an object. FIRST: it is the first in the class around it. */
static void begin(struct printer *p, const struct scope *scope, bool first)
{
    struct output *o = p->out;
    if (p->json) {
        out_text(o, !scope->outer ? "" : first ? ",\"children\":[" : ",");
        out_text(o, "{\"class\":");
        out_json_string(o, scope->kind, strlen(scope->kind));
        out_json_field(o, "copies", scope->copies);
        return;
    }
    for (unsigned depth = depth_of(scope); depth > 0; depth--)
        out_text(o, "  ");
    if (scope->outer) {
        out_uint(o, scope->copies);
        out_text(o, " x ");
    }
    out_json_escaped(o, scope->kind, strlen(scope->kind));
}

/* Ends the description of a line; its members, if there are any, follow. */
static void describe_end(struct printer *p)
{
    if (!p->json)
        out_char(p->out, '\n');
}

static void end(struct printer *p, bool members)
{
    if (p->json)
        out_text(p->out, members ? "]}" : "}");
}

/* ---- names ---- */

static bool print_names(struct printer *p, const uint32_t *nodes, size_t count)
{
    const char **names = malloc((count + 1) * sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = p->machine->nodes[nodes[i]].name;
    char *folded = names ? fold_names(names, count) : NULL;
    free(names);
    if (!folded)
        return false;
    size_t length = strlen(folded);
    if (p->json) {
        out_text(p->out, ",\"names\":");
        out_json_string(p->out, folded, length);
    } else if (length) {
        out_char(p->out, ' ');
        out_json_escaped(p->out, folded, length < NAMES_SHOWN ? length : NAMES_SHOWN);
        out_text(p->out, length < NAMES_SHOWN ? "" : "...");
    }
    free(folded);
    return true;
}

/* ---- ranks: a sum of one term a scope, if they form one ---- */

struct term {
    const char *kind;
    uint64_t copies;
    int64_t stride; /* of the rank, between neighbouring copies */
};

/* The ranks of a line, in the tree's order. */
struct ranks {
    const uint32_t *ranks;
    size_t count;
    struct term *terms; /* outermost first; one for each scope but the machine */
    size_t term_count;
    bool regular;
};

static bool ranks_regular(const struct ranks *r)
{
    for (size_t i = 0; i < r->count; i++) {
        int64_t rank = r->ranks[0];
        size_t index = i;
        for (size_t t = r->term_count; t-- > 0; index /= r->terms[t].copies)
            rank += (int64_t)(index % r->terms[t].copies) * r->terms[t].stride;
        if (rank != r->ranks[i])
            return false;
    }
    return true;
}

/* Fits a sum to COUNT ranks; `regular` says if it gives all of them. TERMS has room for a term of each scope. */
static struct ranks ranks_fit(const uint32_t *ranks, size_t count, const struct scope *scope, struct term *terms)
{
    struct ranks r = {.ranks = ranks, .count = count, .terms = terms, .term_count = depth_of(scope)};
    size_t apart = 1;
    for (size_t t = r.term_count; t-- > 0; scope = scope->outer) {
        int64_t stride = scope->copies > 1 ? (int64_t)ranks[apart] - ranks[0] : 0;
        terms[t] = (struct term){scope->kind, scope->copies, stride};
        apart *= scope->copies;
    }
    r.regular = ranks_regular(&r);
    return r;
}

/* Drops terms of one copy. Joins two neighbouring terms where the next outer copy goes on where the inner copies end.
 */
static void ranks_simplify(struct ranks *r)
{
    size_t count = 0;
    for (size_t t = 0; t < r->term_count; t++) {
        struct term term = r->terms[t];
        if (term.copies == 1)
            continue;
        if (count && r->terms[count - 1].stride == term.stride * (int64_t)term.copies)
            term.copies *= r->terms[--count].copies;
        r->terms[count++] = term;
    }
    r->term_count = count;
}

static void limits(const uint32_t *ranks, size_t count, uint32_t *lowest, uint32_t *highest)
{
    *lowest = *highest = ranks[0];
    for (size_t i = 1; i < count; i++) {
        *lowest = ranks[i] < *lowest ? ranks[i] : *lowest;
        *highest = ranks[i] > *highest ? ranks[i] : *highest;
    }
}

static void print_range(struct output *o, const char *what, int64_t lowest, int64_t highest)
{
    out_text(o, what);
    out_text(o, lowest == highest ? " " : "s ");
    out_int(o, lowest);
    if (lowest != highest) {
        out_char(o, '-');
        out_int(o, highest);
    }
}

/* Prints a sum: "(16 + host + 4 x process)". */
static void print_sum(struct output *o, const struct ranks *r)
{
    const char *between = " (";
    if (r->ranks[0]) {
        out_text(o, between);
        out_uint(o, r->ranks[0]);
        between = " + ";
    }
    for (size_t t = 0; t < r->term_count; t++, between = " + ") {
        out_text(o, between);
        if (r->terms[t].stride != 1) {
            out_int(o, r->terms[t].stride);
            out_text(o, " x ");
        }
        out_json_escaped(o, r->terms[t].kind, strlen(r->terms[t].kind));
    }
    out_char(o, ')');
}

static void text_ranks(struct output *o, struct ranks *r)
{
    uint32_t lowest, highest;
    limits(r->ranks, r->count, &lowest, &highest);
    print_range(o, ", rank", lowest, highest);
    ranks_simplify(r);
    if (!r->regular)
        out_text(o, " (irregular)");
    else if (r->term_count > 1 || (r->term_count == 1 && r->terms[0].stride != 1))
        print_sum(o, r);
}

static void json_ranks(struct output *o, const struct ranks *r)
{
    out_json_field(o, "rank", r->ranks[0]);
    if (!r->regular) {
        out_text(o, ",\"strides\":null");
        return;
    }
    for (size_t t = 0; t < r->term_count; t++) {
        out_text(o, t ? "," : ",\"strides\":[");
        out_int(o, r->terms[t].stride);
    }
    out_char(o, ']');
}

static bool print_ranks(struct printer *p, const uint32_t *ranks, size_t count, const struct scope *scope)
{
    struct term *terms = malloc(depth_of(scope) * sizeof *terms);
    if (!terms)
        return false;
    struct ranks r = ranks_fit(ranks, count, scope, terms);
    if (p->json)
        json_ranks(p->out, &r);
    else
        text_ranks(p->out, &r);
    free(terms);
    return true;
}

/* Prints the lowest and the highest process number. */
static void print_pids(struct printer *p, const uint32_t *ranks, size_t count)
{
    int64_t lowest = INT64_MAX, highest = -1;
    for (size_t i = 0; i < count; i++) {
        struct pilgrim_location l;
        if (pilgrim_system_location(p->machine->system, ranks[i], &l) != PILGRIM_OK || l.pid < 0)
            continue;
        lowest = l.pid < lowest ? l.pid : lowest;
        highest = l.pid > highest ? l.pid : highest;
    }
    if (highest < 0)
        return;
    if (p->json) {
        out_json_field(p->out, "pid_min", lowest);
        out_json_field(p->out, "pid_max", highest);
    } else {
        print_range(p->out, ", pid", lowest, highest);
    }
}

/* ---- the tree ---- */

static void print_threads(struct printer *p, const struct scope *outer, uint32_t threads)
{
    struct scope scope = {outer, "thread", threads};
    begin(p, &scope, true);
    describe_end(p);
    end(p, false);
}

/* Prints the processes on COUNT nodes that have MEMBER's number of threads. */
static bool print_processes(struct printer *p, const struct scope *outer, const uint32_t *nodes, size_t count,
                            const struct machine_member *member, bool first)
{
    const struct machine *m = p->machine;
    struct scope scope = {outer, "process", member->count};
    uint32_t *ranks = malloc(count * member->count * sizeof *ranks);
    size_t found = 0;
    if (!ranks)
        return false;
    for (size_t i = 0; i < count; i++)
        for (uint32_t process = 0, rank; process < machine_processes(m, nodes[i]); process++)
            if (machine_threads(m, m->nodes[nodes[i]].host, process, &rank) == member->what)
                ranks[found++] = rank;
    begin(p, &scope, first);
    bool good = print_ranks(p, ranks, found, &scope);
    print_pids(p, ranks, found);
    describe_end(p);
    if (member->what)
        print_threads(p, &scope, member->what);
    end(p, member->what);
    free(ranks);
    return good;
}

static bool print_members(struct printer *p, const struct scope *scope, const uint32_t *nodes, size_t count);

/* Prints the children of COUNT nodes that are of MEMBER's class. */
static bool print_children(struct printer *p, const struct scope *outer, const uint32_t *nodes, size_t count,
                           const struct machine_member *member, bool first)
{
    const struct machine *m = p->machine;
    uint32_t *children = malloc(count * member->count * sizeof *children);
    size_t found = 0;
    if (!children)
        return false;
    for (size_t i = 0; i < count; i++)
        for (uint32_t child = m->nodes[nodes[i]].first; child; child = m->nodes[child].next)
            if (m->nodes[child].class == member->what)
                children[found++] = child;
    struct scope scope = {outer, m->nodes[children[0]].kind, member->count};
    begin(p, &scope, first);
    bool good = print_names(p, children, found);
    describe_end(p);
    good = good && print_members(p, &scope, children, found);
    end(p, true);
    free(children);
    return good;
}

/* Prints what is in COUNT nodes of one class. */
static bool print_members(struct printer *p, const struct scope *scope, const uint32_t *nodes, size_t count)
{
    const struct machine_class *class = &p->machine->classes[p->machine->nodes[nodes[0]].class];
    bool good = true;
    for (size_t i = 0; i < class->child_count && good; i++)
        good = print_children(p, scope, nodes, count, &class->children[i], i == 0);
    for (size_t i = 0; i < class->process_count && good; i++)
        good = print_processes(p, scope, nodes, count, &class->processes[i], i == 0 && !class->child_count);
    return good;
}

enum pilgrim_status machine_print(struct output *o, const struct pilgrim_trace *trace,
                                  const struct pilgrim_system *system, bool json)
{
    static const uint32_t whole = 0;
    struct machine m;
    struct printer p = {o, &m, json};
    struct scope scope = {NULL, "machine", 1};
    enum pilgrim_status status = machine_build(&m, trace, system);
    if (status == PILGRIM_OK) {
        begin(&p, &scope, true);
        describe_end(&p);
        status = print_members(&p, &scope, &whole, 1) ? PILGRIM_OK : PILGRIM_NOMEM;
        end(&p, true);
        out_text(o, json ? "\n" : "");
    }
    machine_free(&m);
    return status;
}
