/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of several structure groups in one order, and their values. */
#ifndef PILGRIM_MEMBERS_H
#define PILGRIM_MEMBERS_H

#include "merge/fragment_data.h"
#include "template/families.h"

/* The members of a family, in the order of the new group. */
struct family_members {
    uint32_t *group;  /* by member: which group of the family it comes from; its members come in their order */
    uint64_t *number; /* its number among the fragment's threads */
    uint64_t count;
};

/* Errors: PILGRIM_NOMEM. The caller frees *M in any case. */
enum pilgrim_status members_find(const struct fragment *f, const struct group_family *family,
                                 struct family_members *m) PILGRIM_CHECKED;
void members_free(struct family_members *m);

/* Returns how many values members_join_class visits at most, for all classes of the family. */
uint64_t members_work(const struct fragment *f, const struct group_family *family);

/* What becomes of the value groups of one class of a family: INTO is the new fragment, GROUP the new group there. */
struct class_source {
    const struct fragment *from;
    const struct group_family *family;
    const struct family_members *members;
    uint32_t *const *class_of;     /* by group of the family, then by class index: the new class index */
    const uint32_t *class_indices; /* by group of the family: the class's index there, or UINT32_MAX */
    struct fragment *into;
    uint32_t group;
    uint32_t class_index;
};

/* Adds the value groups of the class. Members of groups that lack it are in one that is empty.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status members_join_class(const struct class_source *s) PILGRIM_CHECKED;

/* Adds LOOP at CLASS_INDEX of group GROUP of INTO. SHAPE: that of an int. errors: as members_join_class */
enum pilgrim_status members_add_loop(struct fragment *into, uint32_t group, uint32_t class_index,
                                     const struct family_members *m, uint32_t groups, const struct template_loop *loop,
                                     uint32_t shape) PILGRIM_CHECKED;

/* Finds or adds a sequence of FROM in INTO. errors: PILGRIM_NOMEM */
enum pilgrim_status members_copy_sequence(struct fragment *into, const struct fragment *from, uint32_t sequence,
                                          uint32_t *number) PILGRIM_CHECKED;

#endif
