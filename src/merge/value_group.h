/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be done with a value group: begin it with one member, join two, split columns. */
#ifndef PILGRIM_VALUE_GROUP_H
#define PILGRIM_VALUE_GROUP_H

#include "merge/fragment_data.h"
#include "sequence/slots.h"

/* The rank bases of a process, by their number. */
struct rank_bases {
    struct rank *items;
    size_t count;
};

/* Returns what the rank means to the values of SLOT, for a process with rank number RANK. */
struct rank fragment_slot_rank(const struct rank_bases *bases, const struct slot *slot, uint32_t rank);

/* Adds the first member to P, which has only its entries so far. The member is number MEMBER of the group and belongs
 * to RANK. errors: PILGRIM_NOMEM */
enum pilgrim_status value_group_begin(struct value_group *p, const struct rank_bases *bases, uint32_t rank,
                                      uint64_t member, const struct slots *slots) PILGRIM_CHECKED;

/* Appends the members of FROM, a value group with equal entries, to those of TO. Adds MEMBER_OFFSET to their numbers.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status value_group_join(struct value_group *to, const struct value_group *from,
                                     uint64_t member_offset) PILGRIM_CHECKED;

/* Splits columns so that slots with different LABELS have different columns. LABELS has one label for each slot.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status value_group_split(struct value_group *p, uint32_t *labels) PILGRIM_CHECKED;

/* Adds the statistics S, whose signature numbers are P's entries. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status value_group_add_statistics(struct value_group *p, const struct statistics *s) PILGRIM_CHECKED;

void value_group_free(struct value_group *p);

#endif
