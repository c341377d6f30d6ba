/* SPDX-License-Identifier: BSD-3-Clause */
/* The program of threads as a tree of functions, loops and MPI calls: the loops of thread_loops.h, joined with the call
 * paths of their calls. */
#ifndef ANALYSIS_PROGRAM_TREE_H
#define ANALYSIS_PROGRAM_TREE_H

#include "analysis/call_paths.h"
#include "analysis/thread_loops.h"

enum program_kind { PROGRAM_FUNCTION, PROGRAM_LOOP, PROGRAM_CALLS, PROGRAM_PHASE };

/* Threads: those of two sets, or those of LOOPS. */
struct thread_set {
    const struct thread_set *a, *b;
    const struct shown_loops *loops; /* NULL: of the two sets */
};

/* A node. Behind it stand the nodes below it, in the order in which an iteration reaches them.
 * A function: what neighbours have in common that were called through the same call in the function around it.
 * Neighbours that do the same are one if their lines are, or if they make only one MPI call. It comes in a part of the
 * iterations if all that it does comes in the same ones, else in all. Calls: those of one MPI function that stand next
 * to each other in one function, at one call site or several.
 * A phase: a marker that all threads around it have in each iteration, and what stands behind it, up to what has the
 * next marker. */
struct program_node {
    enum program_kind kind;
    size_t size;                  /* how many nodes it has, itself included */
    size_t depth;                 /* how many nodes are around it */
    size_t threads;               /* how many of the program's threads have it ... */
    const struct thread_set *set; /* ... and which */
    const char *name;             /* of the function */
    /* Functions and calls: where it is called from. Several call sites that differ in the number at the end of their
     * text are first to last. NULL: unknown, or the first function. */
    const char *place;
    uint64_t place_first, place_last;
    uint64_t loop_first,
        loop_last;             /* of a loop the least and greatest number that a thread has for it; calls: 0: none */
    uint64_t sites;            /* how many places, at most on a thread */
    struct nest_counts counts; /* as nest_item; of several call sites: the calls each time that they could come */
    uint64_t around;           /* how many iterations the loop around it has; no loop: how many threads there are */
    double ns, gap_ns; /* the sum over all calls in it, and over the gaps before them; of a phase: before its marker */
    struct phase_texts phases; /* of calls and phases: the texts of markers */
};

/* A program that one or more threads have. */
struct program {
    struct program_node *nodes;
    size_t count;
    uint64_t calls_min, calls_max; /* of one thread */
    struct shown_thread *threads;
    size_t thread_count;
    const struct thread_set *set; /* these threads, too */
    size_t number;                /* of the first of its loops in the list */
};

struct program_list {
    struct program *programs;
    size_t count;
    struct thread_set **sets;
    size_t set_count, set_capacity;
};

/* Makes the programs of LOOPS. DEPTH: so many functions of a path are shown at most; the last one has no nodes then,
 * and its counts are those of the calls in it. Programs that differ only in how often calls and loops come, and at how
 * many sites, are one; also if they have two thirds in common, or one lacks less than half of the other. False: no
 * memory. *LIST is to be freed in any case, before PATHS and LOOPS. */
bool program_list_make(struct program_list *list, const struct loops_list *loops, struct call_paths *paths,
                       uint64_t depth);
void program_list_free(struct program_list *list);

/* Makes the program of the threads of LOOPS, without its list of threads, and without phases. DEPTH: as
 * program_list_make. False: no memory; P->nodes is to be freed in any case. */
bool program_make(struct program *p, const struct shown_loops *loops, struct call_paths *paths, uint64_t depth);

/* Makes phases of the markers of a program. False: no memory. */
bool program_divide(struct program *p);

/* Returns the threads of SET, sorted by rank and number; *COUNT of them. NULL: no memory. The caller frees them. */
struct shown_thread *program_threads(const struct thread_set *set, size_t *count);

/* Returns where the number begins at the end of PLACE: the line of "FILE:LINE", or the offset of "NAME+0xOFFSET"; NULL:
 * there is none. */
const char *program_place_number(const char *place, bool *is_line);

/* True if nodes of two programs are the same, but for their figures and what is in them. */
bool program_node_same(const struct program_node *a, const struct program_node *b);

/* Adds the figures of a node that does the same as TO. */
void program_node_add(struct program_node *to, const struct program_node *from);

/* True if NODE is a function, and all that it does is one function, one loop, or calls of one MPI function. */
bool program_is_chained(const struct program_node *node);

/* True if two functions have the same name, and do the same as often, whatever it takes. */
bool program_is_repeated(const struct program_node *a, const struct program_node *b);

/* True if the calls of LOOPS have more than their call sites. */
bool program_has_paths(const struct loops_list *loops);

#endif
