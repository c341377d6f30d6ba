/* SPDX-License-Identifier: BSD-3-Clause */
/* One shard of an opened trace: the tables of docs/FORMAT.md, read and checked. All of src/read uses these structures.
 *
 * Ranks and groups are numbered within the shard here; cursors use the numbers of the trace. file/shards.h has the
 * list of a trace's shards.
 *
 * Invariant: the parser has checked all that is in here, so a cursor needs no bounds checks. Every number refers to an
 * entry of its table. Shapes are well formed and hold the values of their calls. Columns are as long as their value
 * groups. Sequences have only terminals of their lists, and agree in their lengths. A cursor itself checks what depends
 * on the values of a rank (rank bases, truth values, the sequences of long signatures), and that each member is in a
 * group.
 *
 * Only lists and small sets are expanded. A shard does not change after it is read, so any number of cursors may share
 * it. */
#ifndef PILGRIM_SHARD_H
#define PILGRIM_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/trace_format.h"
#include "read/table/request_parameters.h"
#include "rules/rules_walk.h"
#include "timing/profile_model.h"
#include "pilgrim/reader.h"

#define LENGTH_ANY  UINT64_MAX       /* of a column: it fits every number of members */
#define LENGTH_NONE (UINT64_MAX - 1) /* of a signature or a group class: it fits no number of members */
#define COUNT_NONE  UINT64_MAX

/* ---- definitions ---- */

struct string {
    const char *text; /* NUL-terminated */
    size_t length;
};

struct stored_function {
    struct pilgrim_function shown; /* what the API gives out */
    uint32_t value_count;          /* values of a call: in, out, return value */
    bool is_loop;
    struct begun_parameters begun;
};

struct stored_module {
    const char *name;
    const uint8_t *build_id; /* points into the content of the definitions */
    size_t build_id_length;
    const char *python; /* a function in Python; NULL: machine code */
};

/* A function of a module, from START on. */
struct module_symbol {
    uint32_t module;
    uint64_t start;
    const char *name; /* points into the content of the definitions */
};

/* A return address. Old sections have no such table. */
struct stored_address {
    const struct stored_module *module;
    const struct module_symbol *symbol; /* that it is in; NULL: unknown */
    uint64_t offset;
    uint32_t youngest; /* the address that was last added directly inside of it, + 1; 0: none */
};

/* A frame of a path. Paths share their outer frames. */
struct stored_frame {
    struct pilgrim_frame shown;
    uint32_t depth;   /* frames from this one to the outermost, both included */
    uint32_t address; /* its number; not in an old section */
};

struct class
{
    struct pilgrim_class shown;
    uint32_t function;
    uint8_t dropped, added; /* frames of the path of the class before that are not on this one's, and new ones */
};

struct shape {
    const uint8_t *tokens; /* points into the content of the definitions */
    uint32_t length;
    uint32_t value_count;
    uint32_t slot_count;   /* without the slots of array series */
    uint32_t column_count; /* columns of a signature that stands for one call */
    bool has_series;
    bool has_rank_base;   /* some rank is counted in another group than MPI_COMM_WORLD */
    bool has_edited;      /* has a token keep or edited */
    bool needs_registers; /* its values depend, or may depend, on earlier calls, for one of these reasons: */
    bool has_registers;   /* - it stores an array in a register or changes one from a register */
    bool has_posted;      /* - it has a status that the call predicted which began the operation */
    bool follows;         /* - it has a request that depends on which requests are live */
    bool has_live;        /* one of those requests is named by its age */
    bool has_own;         /* the class of one of them is found by the own numbers of classes */
};

/* ---- calls ---- */

struct stored_column {
    enum expression_kind kind;
    uint64_t sequence; /* EXPRESSION_SUMS: the differences */
    bool rises;        /* no value is less than the one before; set only if the column does not need x */
    bool increases;    /* every value is greater than the one before; set only if the column does not need x */
    uint64_t length;
    int64_t constant; /* c, or the first value */
    union {
        uint64_t modulus;
        const int64_t *list;
    };
};

/* A signature stands for the values of one call, or is long: a vector stands for COUNT calls, one after another; an
 * unzipped signature stands for other values each time. */
struct stored_signature {
    uint32_t shape;
    bool is_vector, is_unzipped;
    uint64_t count;
    const uint8_t *columns; /* points into the content of the calls: for each slot of the shape one reference, in a
                               vector two, in an unzipped signature three */
    uint32_t next_column;   /* what a reference of 0 means there */
    uint64_t length;        /* of those columns */
};

/* One of several sets that together hold each number below a limit once: the members of groups, or of value groups. */
struct member_set {
    const struct stored_column *column; /* its values increase; NULL: the set is that of a label */
    uint32_t number;                    /* of the group or value group */
    uint64_t size;                      /* members */
};

struct indexed_member {
    uint64_t value;
    uint64_t index; /* in its set */
    const struct member_set *set;
};

/* Finds the set that a number is in (member_index.h). */
struct member_index {
    struct member_set *sets;
    size_t count;
    uint64_t total;             /* members of all sets */
    struct indexed_member *few; /* all members of the small sets and of those of labels, sorted by value */
    struct member_set *many;    /* the other sets */
    size_t few_count, many_count;
};

/* A value group. Its sequence is made of numbers; a number stands for the values of one call. A signature has one
 * number for each call that it stands for. */
struct stored_value_group {
    uint64_t sequence;
    uint32_t *signatures;
    uint64_t *first; /* the first number of each signature; NULL: signature i has the number i alone */
    uint32_t count;  /* signatures */
    bool has_unzipped;
    bool needs_registers; /* the shape of some signature does; likewise the next two */
    bool has_posted;
    bool follows;
    uint64_t call_count_limit; /* numbers are below this */
};

/* A class of a structure group, and the values that it is called with. */
struct group_class {
    uint32_t class;
    uint32_t partition; /* 0: all members are in one value group; else the partition's number + 1 */
    struct stored_value_group *value_groups;
    uint64_t calls;   /* of each member; COUNT_NONE: value groups differ, so the class needs a group with loops */
    uint64_t members; /* that the structure group must have; or LENGTH_ANY, LENGTH_NONE */
};

/* A loop of a structure group. */
struct stored_loop {
    uint32_t class_index; /* of the loop's class in the group */
    bool has_loops;       /* the body has loops */
    uint64_t body;        /* a sequence of class indexes, not empty; its loops have lower class indexes than this one */
    uint64_t calls;       /* in the body, without the calls of inner loops */
};

struct stored_group {
    uint64_t sequence;
    bool is_process;
    const struct stored_column *members;
    uint32_t *classes; /* numbers of group classes */
    uint32_t class_count;
    uint32_t loop_count;
    struct stored_loop *loops; /* by class index */
    uint64_t calls;            /* of each member, without the calls of loops */
    uint32_t **statistics;     /* version 5: [class index][value group]: the number of the first duration; one more
                                  entry for the end. NULL for a loop */
    const uint8_t ***leaves;   /* profile: [class index][value group][signature]: which of the class's distributions;
                                  NULL if the class has one */
};

/* ---- times ---- */

/* Statistics of many times; docs/FORMAT.md, "Statistics of version 5". All zero if there are no times. */
struct stored_distribution {
    uint64_t *counts;                     /* times in each bucket, from the first to the last that is not empty */
    uint32_t low, high;                   /* ranks of the shortest and the longest time, in the shard */
    uint8_t first, buckets;               /* the first bucket that is not empty, and the number of counts */
    uint8_t mean_bucket;                  /* bucket of the mean - first */
    uint8_t deviation_bucket;             /* last bucket - bucket of the deviation */
    uint8_t least, most, mean, deviation; /* their positions in their buckets */
};

/* A distribution of a profile; docs/FORMAT.md, "The profile". */
struct profile_times {
    uint64_t count;
    uint32_t high_rank; /* of the longest time, in the shard; or PILGRIM_RANK_UNKNOWN */
    uint16_t mean;      /* a figure, as the next three */
    uint16_t least, most, deviation;
    bool brief;             /* the shortest time, the deviation and the histogram are unknown */
    bool shared;            /* others of its place have the same mean and longest time */
    uint8_t first, buckets; /* of the histogram; 0 buckets if BRIEF */
    uint8_t *shares;
};

struct stored_profile_gaps {
    struct profile_times all;
    const uint32_t *before; /* classes of the calls before; the first entry of a class has none */
    size_t before_count;
};

/* The times of a rank or of several, in a table of shares. */
struct profile_share {
    uint16_t mean, most; /* codes (timing/share_code_inline.h) */
    uint32_t at;         /* the rank with the most time, counted from the first rank of the block */
};

struct stored_profile_class {
    const struct profile_times *durations;
    size_t part_count; /* distributions of durations; 0: nothing is known of the class */
    const struct stored_profile_gaps *gaps;
    size_t gap_count;
    struct profile_times first;          /* gaps before the first calls of threads */
    const struct profile_share *by_rank; /* durations, by block; NULL: unknown */
    const struct profile_share *gaps_by_rank;
};

/* Blocks of consecutive ranks. */
struct profile_blocks {
    uint32_t *first; /* first rank of each block, in the shard; one more entry for the end */
    size_t count;    /* 0: nothing is known by rank */
};

struct stored_profile {
    struct stored_profile_class *classes;                       /* by class number */
    struct profile_blocks blocks;                               /* of ACTIVITIES */
    const struct profile_share *activities[PROFILE_ACTIVITIES]; /* NULL: no time */
    struct profile_blocks class_blocks;
};

#define PREDECESSOR_NONE UINT32_MAX       /* there was no call before */
#define PREDECESSOR_ANY  (UINT32_MAX - 1) /* the call before is not told apart */

/* ---- the shard ---- */

struct shard {
    size_t number;                    /* in the trace */
    uint32_t first_rank, first_group; /* ranks and groups of the shards before, in this segment */
    uint64_t call_budget;             /* bytes that the values of one call may take */
    uint64_t count_budget;            /* entries of a loop that may be counted one by one */
    const char *memory_problem;       /* if more than call_budget is needed */
    struct arena arena;
    struct bytes content[SECTION_TYPE_COUNT]; /* sections that the tables point into */
    uint64_t offset[SECTION_TYPE_COUNT];      /* of each section in the file */
    struct string *strings;
    uint32_t (*properties)[2];
    struct stored_function *functions;
    struct stored_module *modules;
    struct module_symbol *symbols;
    struct stored_address *addresses;
    struct stored_frame *frames; /* of an old section: those of callers only */
    struct class *classes;
    struct shape *shapes;
    size_t string_count, property_count, function_count, module_count, symbol_count, address_count, frame_count;
    size_t class_count, shape_count;
    struct rules rules;
    struct stored_column *columns;
    struct stored_signature *signatures;
    struct member_index *partitions;
    struct group_class *group_classes;
    struct stored_group *groups;
    size_t column_count, signature_count, partition_count, group_class_count, group_count;
    bool begins_segment;
    uint32_t rank_count;
    const struct stored_column *threads; /* the number of threads of all ranks before each rank */
    struct member_index processes, thread_groups;
    struct stored_distribution *distributions; /* version 5: of gaps, then of durations */
    uint32_t gap_count, duration_count;
    uint32_t *first_gap;            /* first gap of each duration's calls; one more entry for the end */
    uint32_t *predecessors;         /* of each gap: a class index, or PREDECESSOR_... */
    bool timed;                     /* the shard has statistics of version 5 */
    struct stored_profile *profile; /* NULL: the shard has none */
};

#endif
