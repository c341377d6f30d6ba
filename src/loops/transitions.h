/* SPDX-License-Identifier: BSD-3-Clause */
/* Which terminal follows which other one in a grammar's expansion, and how often. */
#ifndef PILGRIM_TRANSITIONS_H
#define PILGRIM_TRANSITIONS_H

#include "rules/rules.h"

struct transition {
    uint32_t other; /* terminal */
    uint64_t count;
};

/* Of terminal t in one direction: items[first[t]] to items[first[t + 1] - 1]. */
struct transition_lists {
    uint32_t *first;
    struct transition *items;
};

struct transitions {
    struct transition_lists out, in;
    uint64_t *repeats;    /* of each terminal: how often it follows itself */
    uint32_t start, last; /* the first and the last terminal of all */
};

/* Of R, one grammar over terminals below TERMINAL_COUNT, not empty; O(symbols). errors: PILGRIM_NOMEM, *T is then empty
 */
enum pilgrim_status transitions_of(const struct rules *r, uint32_t terminal_count,
                                   struct transitions *t) PILGRIM_CHECKED;
void transitions_free(struct transitions *t);

#endif
