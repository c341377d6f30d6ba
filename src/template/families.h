/* SPDX-License-Identifier: BSD-3-Clause */
/* Which structure groups of a fragment are alike enough to become one. */
#ifndef PILGRIM_FAMILIES_H
#define PILGRIM_FAMILIES_H

#include "merge/fragment_data.h"
#include "template/structure.h"

struct group_family {
    uint32_t *groups; /* of the fragment, in the order in which they are in the structure */
    uint32_t count;   /* at least 2 */
    struct structure structure;
};

struct families {
    struct group_family *items;
    uint32_t count;
    uint32_t laid;      /* the first families: their groups are laid over each other; those of others stand beside
                         * each other (beside.h) */
    uint64_t shared;    /* classes that groups beside each other need no more, as another has them */
    uint32_t *of_group; /* by group of the fragment: 1 + its family; 0: none */
    uint32_t *keys;     /* of the classes of all groups, one group after the other ... */
    size_t *first_key;  /* ... which begins here; two groups have equal keys where they have the same class */
};

/* How the groups of a family are joined. */
enum family_kind {
    FAMILIES_LAID,      /* they are laid over each other, or stand beside each other */
    FAMILIES_ONE_FOREST /* they are read with one loop forest (one_forest.h); LAID is then COUNT */
};

/* Finds the families of F. The caller frees *FAMILIES, also after an error. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED,
 * PILGRIM_LIMIT */
enum pilgrim_status families_find(const struct fragment *f, enum family_kind kind,
                                  struct families *families) PILGRIM_CHECKED;
void families_free(struct families *families);

#endif
