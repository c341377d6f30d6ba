/* SPDX-License-Identifier: BSD-3-Clause */
/* The own numbers of the classes of a group (docs/FORMAT.md, section 5): for each member, how many classes it has calls
 * of before the class, with the number of its thread. Requests are named with them. */
#ifndef PILGRIM_OWN_NUMBERS_H
#define PILGRIM_OWN_NUMBERS_H

#include "merge/fragment_data.h"

/* Which threads of their ranks the threads of a fragment are. */
struct thread_numbers {
    uint32_t *numbers; /* by thread of the fragment; NULL: all are the first ones */
};

struct own_numbers {
    uint64_t width;    /* 1: all members have the same numbers; else the number of members; 0: not counted */
    int64_t *bases;    /* by member: the number of its first class */
    uint32_t *numbers; /* by class, then by member: its number - its base */
    uint32_t count;    /* of classes */
};

/* WORK: how many numbers may still be counted; if they are not enough, PILGRIM_LIMIT. errors: PILGRIM_NOMEM,
 * PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status thread_numbers_find(const struct fragment *f, uint64_t *work,
                                        struct thread_numbers *t) PILGRIM_CHECKED;

/* Counts the numbers of group G. If that is more than *WORK, width is 0. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED; *N
 * must be freed even then */
enum pilgrim_status own_numbers_count(const struct fragment *f, const struct structure_group *g,
                                      const struct thread_numbers *t, uint64_t *work,
                                      struct own_numbers *n) PILGRIM_CHECKED;

/* Returns the own number of class CLASS_INDEX for MEMBER. */
static inline int64_t own_number(const struct own_numbers *n, uint32_t class_index, uint64_t member)
{
    const uint64_t m = n->width == 1 ? 0 : member;
    return n->bases[m] + n->numbers[class_index * n->width + m];
}

/* Sets *EQUAL to whether column C of value group P, of group G, has for each member the own number of the class
 * CLASS_INDEX. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status own_numbers_equal(const struct own_numbers *n, const struct structure_group *g,
                                      const struct value_group *p, const struct column *c, uint32_t class_index,
                                      bool *equal) PILGRIM_CHECKED;

/* Sets *CLASS_INDEX to a class whose own numbers column C of P has; UINT32_MAX: there is none. Otherwise as
 * own_numbers_equal. */
enum pilgrim_status own_numbers_find(const struct own_numbers *n, const struct structure_group *g,
                                     const struct value_group *p, const struct column *c,
                                     uint32_t *class_index) PILGRIM_CHECKED;

/* Makes *DISTANCES, which is empty, a column of CLASS_INDEX less the indices of the classes whose own numbers C has,
 * each for its member; its length is 0 if that is not possible. *DISTANCES must be freed in any case. errors: as
 * own_numbers_equal */
enum pilgrim_status own_numbers_distances(const struct own_numbers *n, const struct structure_group *g,
                                          const struct value_group *p, const struct column *c, uint32_t class_index,
                                          struct column *distances) PILGRIM_CHECKED;

void own_numbers_free(struct own_numbers *n);

#endif
