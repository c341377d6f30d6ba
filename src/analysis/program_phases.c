/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes phases of the markers of a program; see program_tree.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/program_tree.h"

struct phase_maker {
    struct program_node *nodes;
    size_t count;
};

static bool has_marker(const struct program_node *node)
{
    for (size_t i = 0; i < node->size; i++)
        if (node[i].phases.count > 0)
            return true;
    return false;
}

/* Returns the calls of NODE if it is a marker, also one that a function has which does nothing else; NULL: it is none,
 * or not all of the THREADS come there in each iteration. */
static const struct program_node *marker_of(const struct program_node *node, size_t threads)
{
    const struct program_node *last = node;
    bool always = node->threads == threads;
    while (always && program_is_chained(last)) {
        always = last->counts.times >= last->around;
        last++;
    }
    always = always && last->counts.times >= last->around && last->counts.min > 0;
    return always && last->kind == PROGRAM_CALLS && last->phases.count > 0 ? last : NULL;
}

/* Copies NODE and all that is in it, DEEPER nodes deeper. */
static void copy_node(struct phase_maker *m, const struct program_node *node, size_t deeper)
{
    for (size_t i = 0; i < node->size; i++) {
        m->nodes[m->count] = node[i];
        m->nodes[m->count++].depth += deeper;
    }
}

/* Ends the phase that is node AT. */
static void end_phase(struct phase_maker *m, size_t at)
{
    m->nodes[at].size = m->count - at;
    for (size_t i = at + 1; i < m->count; i += m->nodes[i].size)
        m->nodes[at].ns += m->nodes[i].ns;
}

/* Copies the nodes from BEGIN to END, of a node that so many THREADS have, DEEPER nodes deeper, with phases. Recursion
 * is as deep as the tree. */
static void divide(struct phase_maker *m, const struct program_node *begin, const struct program_node *end,
                   size_t threads, size_t deeper)
{
    size_t phase = SIZE_MAX; /* the one that the node is in */
    for (const struct program_node *node = begin; node < end; node += node->size) {
        const struct program_node *marker = marker_of(node, threads);
        if (phase != SIZE_MAX && has_marker(node)) {
            end_phase(m, phase);
            phase = SIZE_MAX;
        }
        if (marker) {
            phase = m->count++;
            m->nodes[phase] = *node;
            m->nodes[phase].kind = PROGRAM_PHASE;
            m->nodes[phase].name = NULL;
            m->nodes[phase].depth += deeper;
            m->nodes[phase].ns = marker->ns;
            m->nodes[phase].gap_ns = marker->gap_ns;
            m->nodes[phase].phases = marker->phases;
            m->nodes[phase].counts = marker->counts;
            m->nodes[phase].around = marker->around;
        } else if (has_marker(node) && node->size > 1) {
            const size_t at = m->count++;
            m->nodes[at] = *node;
            m->nodes[at].depth += deeper;
            divide(m, node + 1, node + node->size, node->threads, deeper);
            m->nodes[at].size = m->count - at;
        } else {
            copy_node(m, node, deeper + (phase != SIZE_MAX));
        }
    }
    if (phase != SIZE_MAX)
        end_phase(m, phase);
}

bool program_divide(struct program *p)
{
    bool some = false;
    for (size_t i = 0; i < p->count && !some; i++)
        some = p->nodes[i].phases.count > 0;
    if (!some)
        return true;
    struct phase_maker m = {.nodes = malloc(p->count * sizeof *m.nodes)};
    if (!m.nodes)
        return false;
    divide(&m, p->nodes, p->nodes + p->count, p->thread_count, 0);
    free(p->nodes);
    p->nodes = m.nodes;
    p->count = m.count;
    return true;
}
