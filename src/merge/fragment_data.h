/* The inside of a fragment: tables by content, and the groups over them. Shared by fragment.c, fragment_pack.c and
 * trace_writer.c.
 *
 * Invariant: every number refers to a table of the same fragment. Groups are found again by their key in
 * `group_keys`, value groups by theirs in `part_keys`: number in the key table = place in the array. */
#ifndef PILGRIM_FRAGMENT_DATA_H
#define PILGRIM_FRAGMENT_DATA_H

#include "base/intern.h"
#include "merge/column.h"
#include "merge/fragment.h"
#include "timing/timing.h"

/* One value group: members that agree in one class's sequence and shapes. */
struct part {
    uint32_t group;
    uint32_t place;           /* of the class in the group's list */
    uint32_t sequence;
    uint32_t signature_count;
    uint32_t *shapes;         /* of the signatures */
    uint32_t column_count;    /* slots of all signatures, one after the other */
    struct column *columns;
    struct column members;    /* places in the structure group */
    struct column ranks;      /* world ranks of the members */
};

/* The value groups of one class of a structure group, in order of first appearance. */
struct part_list {
    uint32_t *parts;
    uint32_t count;
    uint32_t capacity;
};

/* One structure group. */
struct group {
    bool process;             /* of process streams */
    uint32_t sequence;
    uint32_t class_count;
    uint32_t *classes;
    struct column members;    /* process streams: ranks; threads: counted through from the fragment's first; from 0 */
    uint64_t member_count;
    struct timing *timings;   /* for each class */
    struct part_list *lists;  /* for each class */
};

struct fragment {
    uint32_t first_rank;
    uint32_t rank_count;
    uint64_t thread_total;
    struct column thread_counts; /* for each rank */
    uint64_t calls;
    uint64_t plain_bytes;
    struct intern strings;
    struct intern properties; /* varint key string, varint value string */
    struct intern functions;  /* declarations, as in the file */
    struct intern modules;    /* as in the file */
    struct intern classes;    /* varint function << 1 | fortran, count of frames, each: index module, varint offset */
    struct intern shapes;     /* as in the file */
    struct intern sequences;  /* serialised rules */
    struct intern group_keys; /* u8 process, varint sequence, classes as varints */
    struct intern part_keys;  /* varint group, place, sequence, then shapes */
    struct group *groups;
    struct part *parts;
    uint32_t group_capacity;
    uint32_t part_capacity;
};

/* The group or part of that description, added without members if new. SHAPE arrays are copied.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status fragment_group(struct fragment *f, bool process, uint32_t sequence, const uint32_t *classes,
                                   uint32_t class_count, uint32_t *group) PILGRIM_CHECKED;
enum pilgrim_status fragment_part(struct fragment *f, uint32_t group, uint32_t place, uint32_t sequence,
                                  const uint32_t *shapes, uint32_t signature_count, uint32_t *part) PILGRIM_CHECKED;

#endif
