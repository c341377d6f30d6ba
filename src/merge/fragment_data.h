/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a fragment: tables by content, and the groups over them. The files of this folder and of src/write
 * share it.
 *
 * Invariant: every number refers to a table of the same fragment. `group_keys` finds a structure group by its key,
 * `value_group_keys` a value group. The number of the key is the index in `groups` or `value_groups`. */
#ifndef PILGRIM_FRAGMENT_DATA_H
#define PILGRIM_FRAGMENT_DATA_H

#include "base/intern.h"
#include "sequence/column.h"
#include "merge/fragment.h"
#include "merge/shares.h"
#include "read/file/prove.h"
#include "record/statistics.h"

/* An entry of a value group: one signature, a signature series (sequence/slots.h), or an unzipped signature. */
struct signature_entry {
    uint32_t shape;
    uint32_t count; /* signatures in the series; 1: a single one; 0: an unzipped one */
};

/* Returns how many slots the entry has for each slot of its shape. */
static inline uint32_t entry_columns(const struct signature_entry *e)
{
    return e->count == 1 ? 1 : e->count ? 2 : 3;
}

/* A value group: members whose calls of one class have equal value grammars and shapes. Slots that are equal for every
 * member share a column. */
struct value_group {
    uint32_t group;
    uint32_t class_index; /* in the group's class list */
    uint32_t sequence;
    uint32_t entry_count;
    struct signature_entry *entries;
    uint32_t slot_count; /* of all entries, one after the other */
    uint32_t *slots;     /* index in COLUMNS for each slot */
    uint32_t column_count;
    struct column *columns;
    struct column members;   /* member numbers in the structure group */
    struct bytes statistics; /* times of its calls, by entry, packed (record/statistics.h); empty: not recorded */
};

/* The value groups of one group class, in order of first appearance. */
struct value_group_list {
    uint32_t *value_groups;
    uint32_t count;
    uint32_t capacity;
};

/* The class list of a structure group. Its last LOOP_COUNT classes are loops (docs/FORMAT.md, section 4, "Loops"). */
struct class_list {
    uint32_t count;
    uint32_t loop_count;
    uint32_t *classes;
    uint32_t *bodies; /* of the loops: numbers of sequences */
};

/* Returns the body of the class at CLASS_INDEX, or NULL if it is not a loop. */
static inline const uint32_t *class_body(const struct class_list *l, uint32_t class_index)
{
    return class_index < l->count - l->loop_count ? NULL : &l->bodies[class_index - (l->count - l->loop_count)];
}

/* A structure group: streams with equal structure grammars and class lists. */
struct structure_group {
    bool process; /* it consists of process streams */
    uint32_t sequence;
    struct class_list classes;
    struct column members; /* process streams: ranks; threads: numbers of threads in the fragment; both count from 0 */
    uint64_t member_count;
    struct value_group_list *value_groups; /* by class index */
};

struct fragment {
    uint32_t first_rank;
    uint32_t rank_count;
    uint64_t thread_total;
    struct nested_runs thread_counts; /* by rank */
    uint64_t calls;
    uint64_t plain_bytes;
    struct intern strings;
    struct intern properties;       /* varint key string, varint value string */
    struct intern functions;        /* declarations, as in the file */
    struct intern modules;          /* as in the file */
    struct intern classes;          /* varint function << 1 | fortran, frame count; for each frame: module, offset */
    struct intern shapes;           /* as in the file */
    struct intern sequences;        /* serialised rules */
    struct intern stored_deltas;    /* delta sequences and texts (sequence/slots.h) */
    struct intern group_keys;       /* u8 process; varints: sequence, loop count, classes, bodies */
    struct intern value_group_keys; /* varints: group, class index, sequence, then the entries */
    struct shares shares;           /* of its ranks */
    struct structure_group *groups;
    struct value_group *value_groups;
    uint32_t group_capacity;
    uint32_t value_group_capacity;
    struct bytes shards; /* finalised: of the ranks after the first RANK_COUNT ones; merging only appends them */
    uint32_t shard_ranks;
    bool shard_times;
    bool call_times;    /* there are times of each call, which name calls by class index: these must not change */
    struct bytes times; /* whole sections, which follow all shards */
    size_t weight;      /* of its content, in packed bytes, when last measured; 0: never measured */
    size_t joined;      /* the weight of the fragment that the last merge added */
    struct proof failed_proof; /* what fragment_problem returns */
};

/* Finds or adds the structure group, or the value group, of this description. A new one has no members, slots or
 * columns yet. The arrays are copied. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status fragment_group(struct fragment *f, bool process, uint32_t sequence, const struct class_list *list,
                                   uint32_t *group) PILGRIM_CHECKED;
enum pilgrim_status fragment_value_group(struct fragment *f, uint32_t group, uint32_t class_index, uint32_t sequence,
                                         const struct signature_entry *entries, uint32_t entry_count,
                                         uint32_t *value_group) PILGRIM_CHECKED;

/* Finds or adds the class that stands for loops. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status fragment_loop_class(struct fragment *f, uint32_t *number) PILGRIM_CHECKED;

/* Frees the groups of F, their value groups, and the tables that only these need. */
void fragment_free_groups(struct fragment *f);

/* Counts the slots of all ENTRIES of a value group. errors: PILGRIM_DAMAGED, PILGRIM_LIMIT */
enum pilgrim_status fragment_slots(const struct fragment *f, const struct signature_entry *entries,
                                   uint32_t entry_count, uint32_t *slots) PILGRIM_CHECKED;

/* Limits for the packed size of a fragment, beyond which it is finalised: always, and if the last merge gained little.
 * Smaller shards share less; larger ones take a process longer to write. */
#define SHARD_BYTES       (8u << 20)
#define SHARD_BYTES_ALONE (1u << 21)

/* Appends the content of F to OUT as a shard; in write/trace_writer.c. ANOTHER: it begins another segment. errors:
 * PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED (the shard could not be read; F is unchanged) */
enum pilgrim_status fragment_write_shard(struct fragment *f, bool with_times, bool another,
                                         struct bytes *out) PILGRIM_CHECKED;

/* Packs only what a merge may make smaller: neither shares nor shards. */
void fragment_pack_content(const struct fragment *f, struct bytes *out);

/* Adds FROM's properties to those of INTO. errors: PILGRIM_NOMEM */
enum pilgrim_status fragment_copy_properties(struct fragment *into, const struct fragment *from) PILGRIM_CHECKED;

/* Intern a text among F's strings, and the bytes of B in a table. intern_bytes frees B. errors: PILGRIM_NOMEM,
 * PILGRIM_LIMIT */
enum pilgrim_status intern_text(struct fragment *f, const char *text, uint32_t *number) PILGRIM_CHECKED;
enum pilgrim_status intern_bytes(struct intern *t, struct bytes *b, uint32_t *number) PILGRIM_CHECKED;

/* Returns a copy of BYTES bytes, for the caller to free, or NULL if memory is short. */
void *copy_of(const void *data, size_t bytes);

#endif
