/* SPDX-License-Identifier: BSD-3-Clause */
/* Transitions: which terminal follows which in a grammar's expansion, and how often. */
#ifndef PILGRIM_TRANSITIONS_H
#define PILGRIM_TRANSITIONS_H

#include "rules/rules.h"

struct transition {
    uint32_t other; /* the other terminal */
    uint64_t count;
};

/* The transitions of all terminals in one direction: those of terminal t are items[first[t]] to items[first[t + 1] -
 * 1]. Transitions from a terminal to itself are left out. */
struct transition_lists {
    uint32_t *first;
    struct transition *items;
};

struct transitions {
    struct transition_lists out, in;
    uint64_t *repeats;    /* by terminal: how often it follows itself */
    uint32_t start, last; /* the first and the last terminal of the sequence */
    uint64_t sequences;   /* 1, or how many sequences these are the transitions of */
};

/* Finds the transitions of R, one grammar that is not empty, over terminals below TERMINAL_COUNT. O(symbols).
 * errors: PILGRIM_NOMEM, *T is then empty */
enum pilgrim_status transitions_of(const struct rules *r, uint32_t terminal_count,
                                   struct transitions *t) PILGRIM_CHECKED;
/* Leaves out the last terminal, SEPARATOR, which stands once before each of several sequences, so that T has the
 * transitions in these. False: they do not have one first and one last terminal; T is as it was. */
bool transitions_separate(struct transitions *t, uint32_t separator);

void transitions_free(struct transitions *t);

#endif
