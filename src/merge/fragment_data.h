/* The inside of a fragment: tables by content, and the groups over them. Shared by the files of this folder.
 *
 * Invariant: every number refers to a table of the same fragment. Groups are found again by their key in
 * `group_keys`, value groups by theirs in `part_keys`: number in the key table = place in the array. */
#ifndef PILGRIM_FRAGMENT_DATA_H
#define PILGRIM_FRAGMENT_DATA_H

#include "base/intern.h"
#include "sequence/column.h"
#include "merge/fragment.h"
#include "merge/shares.h"
#include "read/prove.h"
#include "record/statistics.h"

/* Signatures of a part that follow each other: one, or COUNT of them as a vector (sequence/slots.h), or an unzipped one. */
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
struct part {
    uint32_t group;
    uint32_t place;           /* of the class in the group's list */
    uint32_t sequence;
    uint32_t entry_count;
    struct entry *entries;
    uint32_t slot_count;      /* of all entries, one after the other */
    uint32_t *slots;          /* the column of each */
    uint32_t column_count;
    struct column *columns;
    struct column members;    /* places in the structure group */
    struct bytes statistics;  /* of its calls' times, by entry, packed (record/statistics.h); empty: times were not kept */
};

/* The value groups of one class of a structure group, in order of first appearance. */
struct part_list {
    uint32_t *parts;
    uint32_t count;
    uint32_t capacity;
};

/* What a group's members call: classes, the last of them loops (docs/FORMAT.md, section 4, "Loops"). */
struct class_list {
    uint32_t count;
    uint32_t loop_count;
    uint32_t *classes;
    uint32_t *bodies;         /* of the loops: sequences */
};

/* The body of the class at PLACE; NULL: it is no loop. */
static inline const uint32_t *class_body(const struct class_list *l, uint32_t place)
{
    return place < l->count - l->loop_count ? NULL : &l->bodies[place - (l->count - l->loop_count)];
}

/* One structure group. */
struct group {
    bool process;             /* of process streams */
    uint32_t sequence;
    struct class_list list;
    struct column members;    /* process streams: ranks; threads: counted through from the fragment's first; from 0 */
    uint64_t member_count;
    struct part_list *lists;  /* for each class */
};

struct fragment {
    uint32_t first_rank;
    uint32_t rank_count;
    uint64_t thread_total;
    struct repeats thread_counts; /* for each rank */
    uint64_t calls;
    uint64_t plain_bytes;
    struct intern strings;
    struct intern properties; /* varint key string, varint value string */
    struct intern functions;  /* declarations, as in the file */
    struct intern modules;    /* as in the file */
    struct intern classes;    /* varint function << 1 | fortran, count of frames, each: index module, varint offset */
    struct intern shapes;     /* as in the file */
    struct intern sequences;  /* serialised rules */
    struct intern lists;      /* of differences (sequence/slots.h) */
    struct intern group_keys; /* u8 process; varints: sequence, count of loops, classes, bodies */
    struct intern part_keys;  /* varint group, place, sequence, then entries */
    struct shares shares;     /* of its ranks */
    struct group *groups;
    struct part *parts;
    uint32_t group_capacity;
    uint32_t part_capacity;
    struct bytes volumes;     /* of the ranks after those: bound, not to be merged any more */
    uint32_t volume_ranks;
    bool volume_times;
    struct bytes times;       /* sections, which stand behind all volumes */
    size_t weight;            /* of what it holds, in bytes of transport, when it was last asked for; 0: never */
    size_t joined;            /* the weight of the fragment that was merged into it last */
    struct proof doubt;       /* fragment_doubt */
};

/* The group or part of that description, added without members, slots and columns if new. Arrays are copied.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status fragment_group(struct fragment *f, bool process, uint32_t sequence, const struct class_list *list,
                                   uint32_t *group) PILGRIM_CHECKED;
enum pilgrim_status fragment_part(struct fragment *f, uint32_t group, uint32_t place, uint32_t sequence,
                                  const struct entry *entries, uint32_t entry_count, uint32_t *part) PILGRIM_CHECKED;

/* Slots that the entries of a part have together. errors: PILGRIM_DAMAGED, PILGRIM_LIMIT */
enum pilgrim_status fragment_slots(const struct fragment *f, const struct entry *entries, uint32_t entry_count,
                                   uint32_t *slots) PILGRIM_CHECKED;

/* The members of FROM, a part of equal entries, behind those of TO; PLACE_OFFSET is added to their places. */
enum pilgrim_status part_join(struct part *to, const struct part *from, uint64_t place_offset) PILGRIM_CHECKED;

/* From now on slots with different LABELS, one for each slot, have different columns. errors: PILGRIM_NOMEM */
enum pilgrim_status part_split(struct part *p, uint32_t *labels) PILGRIM_CHECKED;

/* Adds S, whose signatures are P's entries. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status part_add_statistics(struct part *p, const struct statistics *s) PILGRIM_CHECKED;

/* The content of the profile section (docs/FORMAT.md, section 6), appended to OUT.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED */
enum pilgrim_status profile_write(const struct fragment *f, struct bytes *out) PILGRIM_CHECKED;

/* What a fragment may hold before it is bound, as packed; and before it is if the last merge gained little. Smaller volumes share
 * less; larger ones keep a process longer. */
#define VOLUME_BYTES (8u << 20)
#define VOLUME_BYTES_ALONE (1u << 18)

/* What F holds as a volume, appended to OUT; ANOTHER: it begins another round. errors: as fragment_write */
enum pilgrim_status fragment_write_volume(struct fragment *f, bool with_times, bool another,
                                          struct bytes *out) PILGRIM_CHECKED;

/* Of fragment_pack, what merging may make smaller. */
void fragment_pack_content(const struct fragment *f, struct bytes *out);

void part_free(struct part *p);

/* Adds FROM's properties to those of INTO. errors: PILGRIM_NOMEM */
enum pilgrim_status fragment_copy_properties(struct fragment *into, const struct fragment *from) PILGRIM_CHECKED;

/* Interns TEXT among the strings; what B holds, and empties B. */
enum pilgrim_status intern_text(struct fragment *f, const char *text, uint32_t *number) PILGRIM_CHECKED;
enum pilgrim_status intern_bytes(struct intern *t, struct bytes *b, uint32_t *number) PILGRIM_CHECKED;

/* A copy of BYTES bytes, to be freed; NULL: no memory. */
void *copy_of(const void *data, size_t bytes);

#endif
