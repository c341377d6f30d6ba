/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the loops of a program from the order of its calls (--loops).
 *
 * Known is only which call class comes behind which. Classes that lead back to each other form a loop. The one that was
 * met first begins an iteration. Without the transitions back to that one, the same rule finds the loops inside. */
#ifndef ANALYSIS_NEST_H
#define ANALYSIS_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of something that happened several times: how many times, and the sum, least and greatest count of a time. */
struct nest_counts {
    uint64_t times;
    uint64_t total, min, max;
};

/* A loop or a class. Counts of a loop: the iterations each time that it is entered. Counts of a class: the calls each
 * time that it is reached, one directly behind the other. */
struct nest_item {
    bool is_loop;
    uint32_t class;  /* valid if it is not a loop */
    uint32_t depth;  /* how many loops are around it */
    size_t loop;     /* the item of the innermost loop around it; NEST_NONE: there is none */
    uint32_t region; /* a loop: its number, for nest_iteration */
    struct nest_counts counts;
    /* The number of a loop, of which a class is one if its calls come one directly behind the other; 0: it is none. Of
     * several threads the least and the greatest. thread_loops.h sets it. */
    uint32_t number, number_last;
    bool leads_on; /* behind it nothing comes but the item behind it, in the same loop */
};

#define NEST_NONE SIZE_MAX

struct nest;

/* Returns a finder of loops in sequences of classes, which are numbers below CLASS_COUNT. Memory grows with the
 * classes, and with the pairs of classes that follow each other, not with the calls. NULL: no memory. */
struct nest *nest_new(size_t class_count);
void nest_free(struct nest *n);

/* Take all calls in their order, COUNT of a class at once. Each call is taken twice: first by nest_see, then, after
 * nest_build, by nest_count. */
void nest_see(struct nest *n, size_t class, uint64_t count);
bool nest_build(struct nest *n); /* finds the loops; false: no memory */
void nest_count(struct nest *n, size_t class, uint64_t count);

/* Returns how many numbers the counting keeps, about. */
size_t nest_size(const struct nest *n);

/* Where the counting was at some moment; to be freed with free(). NULL: no memory. */
struct nest_mark;
struct nest_mark *nest_mark(const struct nest *n);

/* Counts what was counted since MARK, TIMES times more. False, and nothing is counted, if N is not where it was then.
 * What came before MARK must have been the same, or the trips of a loop that was entered before it are wrong, and runs
 * of calls that began before it. */
bool nest_repeat(struct nest *n, const struct nest_mark *mark, uint64_t times);

/* A loop around the last call that was counted; also calls of one class one directly behind the other. */
struct nest_place {
    uint32_t class; /* begins an iteration */
    uint64_t iteration;
};

/* Sets PLACES to the innermost loops, MAX at most, the innermost first. Returns how many there are. */
unsigned nest_places(const struct nest *n, struct nest_place *places, unsigned max);

/* Returns the iteration, from 1, of the loop with the number REGION that the last call is in, since that loop was
 * entered; 0: it is not in the loop. WHOLE has counted all calls and given its items; N has seen the same. */
uint64_t nest_iteration(const struct nest *n, const struct nest *whole, uint32_t region);

/* Returns how many iterations of that loop came before it was entered last. */
uint64_t nest_iterations_before(const struct nest *n, const struct nest *whole, uint32_t region);

/* Returns how many calls of CLASS came one directly behind the other, up to the last call; 0: that is of another class.
 */
uint64_t nest_run(const struct nest *n, size_t class);

/* Returns how many calls of CLASS came before those that come one behind the other now. CLASS was called. */
uint64_t nest_before_run(const struct nest *n, size_t class);

/* Sets *ITEMS to the items, at the end: each loop, and behind it what is in it, in an order in which an iteration
 * reaches them. *ITEMS is the caller's, to be freed. false: no memory. */
bool nest_items(struct nest *n, struct nest_item **items, size_t *count);

/* Returns the item behind item I and what is in it, be it in the same loop or not; COUNT: there is none. */
size_t nest_behind(const struct nest_item *items, size_t count, size_t i);

#endif
