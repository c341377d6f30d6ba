/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways through the run, one for each thread: what led to where the thread is now.
 *
 * A thread's way grows with what the thread does. Where the thread waited for another one, its way from then on is the
 * other one's up to the call that it waited for. So ways have beginnings in common; they are a tree whose nodes hold
 * sums, and a node that only one other one follows is joined with it. At the end the way of the thread that ended last
 * is the critical path, found while reading forward: memory holds a node for each fork, not for each call. */
#ifndef ANALYSIS_CRITICAL_PATH_H
#define ANALYSIS_CRITICAL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct way_sum {
    uint64_t key;
    uint64_t ns;
};

struct way_node {
    struct way_node *parent;
    uint32_t references; /* of nodes that follow it, and of whoever holds it */
    uint32_t turn;       /* of path_join that has seen it */
    size_t count, capacity;
    struct way_sum *sums; /* sorted by key */
};

/* All zero: no ways. */
struct way_tree {
    size_t nodes, nodes_last; /* now, and after the last path_join */
    uint32_t turn;
};

/* Adds NS of KEY to the way *TIP, which one reference belongs to; NULL: it is new. false: no memory */
bool path_add(struct way_tree *tree, struct way_node **tip, uint64_t key, uint64_t ns);

/* Holds a way as it is now; later additions to it go to a new node. NULL is legal. */
struct way_node *path_hold(struct way_node *node);
void path_release(struct way_tree *tree, struct way_node *node);

/* Joins what only one node follows, from TIP on; nodes that were seen in this turn are passed over. false: no memory */
bool path_join(struct way_tree *tree, struct way_node *tip);

#endif
