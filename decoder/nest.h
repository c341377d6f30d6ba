/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of a program, found in the order of its calls.
 *
 * What is known is which class of calls comes behind which. Classes that lead back to each other are a loop; the one
 * that was met first begins its iterations; without the steps back to that one, the same holds inside. */
#ifndef DECODER_NEST_H
#define DECODER_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often something happened, each time that it did. */
struct nest_counts {
    uint64_t times;
    uint64_t total, min, max;
};

/* A loop: each time it is entered, its iterations. A class: each time it is come to, how often it is called there, one
 * call behind the other. */
struct nest_item {
    bool is_loop;
    uint32_t class; /* unless it is a loop */
    uint32_t depth; /* loops around it */
    size_t loop;    /* the item that the innermost of them is; NEST_NONE: there is none */
    struct nest_counts counts;
};

#define NEST_NONE SIZE_MAX

struct nest;

/* CLASS_COUNT: classes are numbers below that. NULL: no memory. Memory grows with the classes, and the pairs of them
 * that come one behind the other, not with the calls. */
struct nest *nest_new(size_t class_count);
void nest_free(struct nest *n);

/* All calls in their order, COUNT of a class at once, twice: first by nest_see, then, after nest_build, by nest_count.
 */
void nest_see(struct nest *n, size_t class, uint64_t count);
bool nest_build(struct nest *n); /* false: no memory */
void nest_count(struct nest *n, size_t class, uint64_t count);

/* Then the items: each loop, and behind it what is in it, in an order in which a iteration comes to them. *ITEMS is the
 * caller's, to be freed. false: no memory. */
bool nest_items(struct nest *n, struct nest_item **items, size_t *count);

#endif
