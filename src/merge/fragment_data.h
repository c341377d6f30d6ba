/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a fragment: tables by content, and the groups over them. Shared by the files of this folder.
 *
 * Invariant: every number refers to a table of the same fragment. Groups are found again by their key in
 * `group_keys`, value groups by theirs in `value_group_keys`: number in the key table = place in the array. */
#ifndef PILGRIM_FRAGMENT_DATA_H
#define PILGRIM_FRAGMENT_DATA_H

#include "base/intern.h"
#include "sequence/column.h"
#include "merge/fragment.h"
#include "merge/shares.h"
#include "read/file/prove.h"
#include "record/statistics.h"

/* Signatures of a part that follow each other: one, or COUNT of them as a vector (sequence/slots.h), or an unzipped
 * one. */
struct entry {
    uint32_t shape;
    uint32_t count; /* 0: it is unzipped */
};

/* Slots that there are for each of the shape's. */
static inline uint32_t entry_columns(const struct entry *e)
{
    return e->count == 1 ? 1 : e->count ? 2 : 3;
}

/* One value group: members that agree in one class's sequence and shapes.
 * Slots that were equal for every member share a column. */
struct value_group {
    uint32_t group;
    uint32_t class_index; /* of the class in the group's list */
    uint32_t sequence;
    uint32_t entry_count;
    struct entry *entries;
    uint32_t slot_count; /* of all entries, one after the other */
    uint32_t *slots;     /* the column of each */
    uint32_t column_count;
    struct column *columns;
    struct column members; /* places in the structure group */
    struct bytes
        statistics; /* of its calls' times, by entry, packed (record/statistics.h); empty: times were not kept */
};

/* The value groups of one class of a structure group, in order of first appearance. */
struct value_group_list {
    uint32_t *value_groups;
    uint32_t count;
    uint32_t capacity;
};

/* What a group's members call: classes, the last of them loops (docs/FORMAT.md, section 4, "Loops"). */
struct class_list {
    uint32_t count;
    uint32_t loop_count;
    uint32_t *classes;
    uint32_t *bodies; /* of the loops: sequences */
};

/* The body of the class at CLASS_INDEX; NULL: it is no loop. */
static inline const uint32_t *class_body(const struct class_list *l, uint32_t class_index)
{
    return class_index < l->count - l->loop_count ? NULL : &l->bodies[class_index - (l->count - l->loop_count)];
}

/* One structure group. */
struct structure_group {
    bool process; /* of process streams */
    uint32_t sequence;
    struct class_list classes;
    struct column members; /* process streams: ranks; threads: counted through from the fragment's first; from 0 */
    uint64_t member_count;
    struct value_group_list *value_groups; /* for each class */
};

struct fragment {
    uint32_t first_rank;
    uint32_t rank_count;
    uint64_t thread_total;
    struct nested_runs thread_counts; /* for each rank */
    uint64_t calls;
    uint64_t plain_bytes;
    struct intern strings;
    struct intern properties; /* varint key string, varint value string */
    struct intern functions;  /* declarations, as in the file */
    struct intern modules;    /* as in the file */
    struct intern classes;    /* varint function << 1 | fortran, count of frames, each: index module, varint offset */
    struct intern shapes;     /* as in the file */
    struct intern sequences;  /* serialised rules */
    struct intern stored_deltas;    /* of differences (sequence/slots.h) */
    struct intern group_keys;       /* u8 process; varints: sequence, count of loops, classes, bodies */
    struct intern value_group_keys; /* varint group, place, sequence, then entries */
    struct shares shares;           /* of its ranks */
    struct structure_group *groups;
    struct value_group *value_groups;
    uint32_t group_capacity;
    uint32_t value_group_capacity;
    struct bytes shards; /* of the ranks after those: finalised, not to be merged any more */
    uint32_t shard_ranks;
    bool shard_times;
    struct bytes times; /* sections, which stand behind all shards */
    size_t weight;      /* of what it holds, in bytes of transport, when it was last asked for; 0: never */
    size_t joined;      /* the weight of the fragment that was merged into it last */
    struct proof doubt; /* fragment_doubt */
};

/* The group or part of that description, added without members, slots and columns if new. Arrays are copied.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status fragment_group(struct fragment *f, bool process, uint32_t sequence, const struct class_list *list,
                                   uint32_t *group) PILGRIM_CHECKED;
enum pilgrim_status fragment_value_group(struct fragment *f, uint32_t group, uint32_t class_index, uint32_t sequence,
                                         const struct entry *entries, uint32_t entry_count,
                                         uint32_t *value_group) PILGRIM_CHECKED;

/* Slots that the entries of a part have together. errors: PILGRIM_DAMAGED, PILGRIM_LIMIT */
enum pilgrim_status fragment_slots(const struct fragment *f, const struct entry *entries, uint32_t entry_count,
                                   uint32_t *slots) PILGRIM_CHECKED;

/* The members of FROM, a part of equal entries, behind those of TO; MEMBER_OFFSET is added to their places. */
enum pilgrim_status value_group_join(struct value_group *to, const struct value_group *from,
                                     uint64_t member_offset) PILGRIM_CHECKED;

/* From now on slots with different LABELS, one for each slot, have different columns. errors: PILGRIM_NOMEM */
enum pilgrim_status value_group_split(struct value_group *p, uint32_t *labels) PILGRIM_CHECKED;

/* Adds S, whose signatures are P's entries. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status value_group_add_statistics(struct value_group *p, const struct statistics *s) PILGRIM_CHECKED;

/* The content of the profile section (docs/FORMAT.md, section 6), appended to OUT.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status profile_write(const struct fragment *f, struct bytes *out) PILGRIM_CHECKED;

/* What a fragment may hold before it is finalised, as packed; and before it is if the last merge gained little. Smaller
 * shards share less; larger ones keep a process longer. */
#define SHARD_BYTES       (8u << 20)
#define SHARD_BYTES_ALONE (1u << 18)

/* What F holds as a shard, appended to OUT; ANOTHER: it begins another segment. errors: as fragment_write */
enum pilgrim_status fragment_write_shard(struct fragment *f, bool with_times, bool another,
                                         struct bytes *out) PILGRIM_CHECKED;

/* Of fragment_pack, what merging may make smaller. */
void fragment_pack_content(const struct fragment *f, struct bytes *out);

void value_group_free(struct value_group *p);

/* Adds FROM's properties to those of INTO. errors: PILGRIM_NOMEM */
enum pilgrim_status fragment_copy_properties(struct fragment *into, const struct fragment *from) PILGRIM_CHECKED;

/* Interns TEXT among the strings; what B holds, and empties B. */
enum pilgrim_status intern_text(struct fragment *f, const char *text, uint32_t *number) PILGRIM_CHECKED;
enum pilgrim_status intern_bytes(struct intern *t, struct bytes *b, uint32_t *number) PILGRIM_CHECKED;

/* A copy of BYTES bytes, to be freed; NULL: no memory. */
void *copy_of(const void *data, size_t bytes);

#endif
