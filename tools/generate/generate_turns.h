/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers by visit or by trip, which mostly repeat themselves, as tables and an index. */
#ifndef GENERATE_TURNS_H
#define GENERATE_TURNS_H

#include "generate.h"

/* What ranks do from visit to visit, or by the index of a loop. */
struct turns_row {
    uint32_t rank;          /* the first one that does so */
    int64_t *values;        /* of malloc */
    uint64_t count, period; /* the period of VALUES; COUNT: it does not repeat itself */
    uint64_t whole;         /* how many values there are, by the period */
};

/* Returns the least period of COUNT values that comes twice at least; COUNT: there is none. */
uint64_t turns_period(const int64_t *values, uint64_t count);

/* Returns an expression for COUNT rows, and frees their values. VARIANT is the row of each rank that HAS one. INDEX is
 * the variable that counts: "n" counts visits. */
const char *turns_text(const struct proxy *p, struct text *tables, const struct column_use *use, struct turns_row *rows,
                       size_t count, const int64_t *variant, const bool *has, const char *index);

#endif
