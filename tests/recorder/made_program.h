/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs of calls: phases of loops over some two dozen kinds of calls, whose arguments are constant, count up,
 * repeat with a period, or are drawn from few or many values. A program follows from its seed, a thread's calls from
 * the program, its rank and its number: whoever walks them again gets the same ones, so they are their own log.
 *
 * Knows nothing of how calls are recorded but for keys (base/value.h). */
#ifndef PILGRIM_MADE_PROGRAM_H
#define PILGRIM_MADE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/descriptor.h"

enum {
    KINDS = 24,
    PARAMETERS = 4,
    PHASES_MAX = 10,
    BODY_MAX = 8,
    RANKS_MAX = 4,
    THREADS_MAX = 2,
    ROUNDS_MAX = 3,
    VIEWS = 2,
    NAMES = 6,
    FUNCTION_OF_PROCESS = KINDS, /* after those of the kinds */
    FUNCTIONS
};

extern const struct function_descriptor made_functions[FUNCTIONS];
extern const char *const made_names[NAMES];

struct element {
    unsigned kind;
    unsigned trips; /* how often it is called in a row; 0: another number each time */
};

struct phase {
    uint64_t behaviour; /* seed of what arguments do; of an earlier phase: they do it again */
    uint64_t iterations;
    unsigned body_count;
    bool random; /* the elements come at random */
    struct element body[BODY_MAX];
};

struct program {
    uint64_t seed;
    uint32_t ranks, threads, rounds;
    unsigned phase_count;
    struct phase phases[PHASES_MAX];
};

void program_make(struct program *p, uint64_t seed);

/* Which rank of how many a rank is in a view. */
void program_view(const struct program *p, uint32_t rank, unsigned view, int64_t *own, int64_t *size);

/* Where a thread is. */
struct walk {
    const struct program *program;
    uint32_t rank, thread;
    uint64_t dice; /* of the thread's own draws */
    unsigned phase, element;
    uint64_t iteration, trips_left;
    bool begun;
    uint64_t met[KINDS]; /* calls of each kind in this phase */
    uint64_t calls;      /* so far */
};

struct made_call {
    unsigned kind;
    bool failed_poll;
    struct bytes key;
};

void walk_begin(struct walk *w, const struct program *p, uint32_t rank, uint32_t thread);

/* The thread's next call in *CALL, whose key is used again; false: there are no more. */
bool walk_next(struct walk *w, struct made_call *call);

/* Whether a call behind which W is is the last one of its round; the last round has no such call. */
bool walk_ends_round(const struct walk *w);

#endif
