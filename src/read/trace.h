/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of an opened trace: the tables of docs/FORMAT.md, checked, for each of its shards. Shared by the files of
 * this folder. Here ranks are counted within a shard, but for cursors; where the shards are is in shards.h.
 *
 * Invariant: whatever is in here has been checked, so that cursors look nothing up out of bounds: every number refers
 * to an entry of its table, shapes are well formed and hold the values of their calls, columns are as long as their
 * value groups, sequences hold only terminals of their lists and agree in their lengths. What depends on a rank's own
 * values (rank bases, truth values, the sequences of vectors) is checked when a cursor meets it, and so is whether each
 * member is in a group.
 *
 * Nothing in here is expanded but lists and small sets. It does not change once it is read, so any number of cursors
 * may share it. */
#ifndef PILGRIM_TRACE_H
#define PILGRIM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/live.h"
#include "base/site.h"
#include "format/trace_format.h"
#include "rules/rules.h"
#include "pilgrim/reader.h"
#include "read/begun.h"
#include "read/registers.h"
#include "timing/profile_model.h"

#define LENGTH_ANY  UINT64_MAX       /* of columns: fits every set of members */
#define LENGTH_NONE (UINT64_MAX - 1) /* of signatures and rows: fits none */
#define COUNT_NONE  UINT64_MAX

struct string {
    const char *text; /* NUL-terminated */
    size_t length;
};

struct stored_function {
    struct pilgrim_function shown;
    uint32_t value_count;
    bool is_loop;
    struct begun_parameters begun;
};

struct stored_module {
    const char *name;
    const uint8_t *build_id; /* in the content of the definitions */
    size_t build_id_length;
};

struct caller_frame {
    struct pilgrim_frame shown;
    uint32_t depth; /* callers up to the outermost, this one too */
};

struct class
{
    struct pilgrim_class shown;
    struct pilgrim_frame site;
    uint32_t function;
};

struct shape {
    const uint8_t *tokens; /* in the content of the definitions */
    uint32_t length;
    uint32_t value_count;
    uint32_t slot_count;   /* but for those of series themselves */
    uint32_t column_count; /* that a signature which is no vector has */
    bool has_series;
    bool has_edited;      /* or kept */
    bool needs_registers; /* its values depend on the calls before, or may: */
    bool has_registers;   /* it keeps something, or is based on something kept, */
    bool has_posted;      /* on those that began operations, */
    bool follows;         /* on which requests are live: */
    bool has_live;        /* one of them is named by its age */
};

struct stored_column {
    enum expression_kind kind;
    uint64_t sequence;     /* EXPRESSION_SUMS: the differences */
    bool rises, increases; /* from value to value: does not fall, increases. Only where x is not needed */
    uint64_t length;
    int64_t constant; /* c; the first value */
    union {
        uint64_t modulus;
        const int64_t *list;
    };
};

/* A call's values; those of COUNT calls, one after another; or, unzipped, other ones each time. */
struct stored_signature {
    uint32_t shape;
    bool is_vector, is_unzipped;
    uint64_t count;
    const uint8_t *columns; /* in the content of the calls: a reference for each slot of the shape; in a vector two, if
                               unzipped three */
    uint32_t next_column;   /* what a reference of 0 means there */
    uint64_t length;        /* of those columns */
};

/* One of some sets that together hold each of the numbers below a limit once: members of groups, of parts. */
struct member_set {
    const struct stored_column *column; /* increases */
    uint32_t number;                    /* of the group or part */
};

struct indexed_member {
    uint64_t value;
    uint64_t index; /* in its set */
    const struct member_set *set;
};

struct member_index {
    struct member_set *sets;
    size_t count;
    uint64_t total;             /* members of all sets */
    struct indexed_member *few; /* all members of small sets, in order */
    struct member_set *many;    /* the other sets */
    size_t few_count, many_count;
};

/* A value group. Its signatures have numbers, which its sequence is made of: one for each call's values. */
struct stored_value_group {
    uint64_t sequence;
    uint32_t *signatures;
    uint64_t *first; /* number of each signature's first values; NULL where that is its place */
    uint32_t count;  /* signatures */
    bool has_unzipped;
    bool needs_registers; /* some signature does */
    bool has_posted;      /* idem */
    bool follows;         /* idem */
    uint64_t call_count_limit;
};

/* A class in a group, and with which values it is called. */
struct group_class {
    uint32_t class;
    uint32_t partition; /* 0: one part, else its number + 1 */
    struct stored_value_group *value_groups;
    uint64_t calls;   /* of a member; COUNT_NONE: not the same in all parts, so no group can have it */
    uint64_t members; /* that a group must have; LENGTH_ANY, LENGTH_NONE */
};

/* A row of a group that is a loop. */
struct stored_loop {
    uint32_t class_index; /* among the rows */
    bool has_loops;       /* in its body */
    uint64_t body;        /* a sequence, not empty, of places; of loops it has those only that stand before this one */
    uint64_t calls;       /* in the body, without those of loops */
};

struct stored_group {
    uint64_t sequence;
    bool is_process;
    const struct stored_column *members;
    uint32_t *classes;
    uint32_t class_count;
    uint32_t loop_count;
    struct stored_loop *loops; /* in the order of their places */
    uint64_t calls;            /* of a member, without those of loops */
    uint32_t **statistics;   /* of each row that is no loop, of each part: the number of its first duration; and of what
                                is behind the last */
    const uint8_t ***leaves; /* of each row whose class has several distributions of durations, of each part, of each of
                                its signatures: which one */
};

/* What is known of many times; docs/FORMAT.md, "Statistics of version 5". Of an empty one all is 0. */
struct stored_distribution {
    uint64_t *counts;                     /* of the buckets from the first to the last that is not empty */
    uint32_t low, high;                   /* ranks of the shortest and of the longest, in the shard */
    uint8_t first, buckets;               /* the first bucket that is not empty, and how many counts there are */
    uint8_t mean_bucket;                  /* that of the mean - first */
    uint8_t deviation_bucket;             /* the last bucket - that of the deviation */
    uint8_t least, most, mean, deviation; /* their places in their buckets */
};

/* A distribution of a profile; docs/FORMAT.md, "The profile". */
struct profile_times {
    uint64_t count;
    uint32_t high_rank; /* of the longest, in the shard; PILGRIM_RANK_UNKNOWN */
    uint16_t mean;      /* figures */
    uint16_t least, most, deviation;
    bool brief;             /* neither the shortest, nor the deviation, nor the histogram is known */
    uint8_t first, buckets; /* of the histogram; none if it is brief */
    uint8_t *shares;
};

struct stored_profile_gaps {
    struct profile_times all;
    const uint32_t *before; /* classes; of the first part none */
    size_t before_count;
};

/* The times of a rank or of some, in a row of shares. */
struct profile_share {
    uint16_t mean, most; /* codes (timing/share_code.h) */
    uint32_t at;         /* the rank with the most, in the block */
};

struct stored_profile_class {
    const struct profile_times *durations; /* parts; none: nothing is known */
    size_t part_count;
    const struct stored_profile_gaps *gaps;
    size_t gap_count;
    struct profile_times first;          /* gaps before threads' first calls */
    const struct profile_share *by_rank; /* durations of each block; NULL: not known */
    const struct profile_share *gaps_by_rank;
};

/* Ranks that follow each other. */
struct profile_blocks {
    uint32_t *first; /* of each, by its number in the shard; and what is behind the last */
    size_t count;    /* 0: nothing is known of ranks */
};

struct stored_profile {
    struct stored_profile_class *classes;                       /* by number */
    struct profile_blocks blocks;                               /* of activities */
    const struct profile_share *activities[PROFILE_ACTIVITIES]; /* NULL: no time */
    struct profile_blocks class_blocks;
};

#define PREDECESSOR_NONE UINT32_MAX       /* there was no call before */
#define PREDECESSOR_ANY  (UINT32_MAX - 1) /* whatever call was before */

/* What opening may still take. */
struct budget {
    uint64_t bytes;
    uint64_t steps;
};

struct shard {
    size_t number;                    /* among all of the trace */
    uint32_t first_rank, first_group; /* how many the shards before have in this segment */
    uint64_t call_budget;             /* bytes that one call's values may take */
    struct arena arena;
    struct bytes content[SECTION_TYPE_COUNT]; /* of the sections that are not taken apart wholly */
    uint64_t offset[SECTION_TYPE_COUNT];      /* of the sections in the file */
    struct string *strings;
    uint32_t (*properties)[2];
    struct stored_function *functions;
    struct stored_module *modules;
    struct caller_frame *callers;
    struct class *classes;
    struct shape *shapes;
    size_t string_count, property_count, function_count, module_count, caller_count, class_count, shape_count;
    struct rules rules;
    struct stored_column *columns;
    struct stored_signature *signatures;
    struct member_index *partitions;
    struct group_class *group_classes;
    struct stored_group *groups;
    size_t column_count, signature_count, partition_count, group_class_count, group_count;
    bool begins_segment;
    uint32_t rank_count;
    const struct stored_column *threads; /* how many the ranks before have */
    struct member_index processes, thread_groups;
    struct stored_distribution *distributions; /* of gaps, then of durations */
    uint32_t gap_count, duration_count;
    uint32_t *first_gap;            /* of each duration's calls; and what is behind the last one's */
    uint32_t *predecessors;         /* of each gap: a row of the group, or PREDECESSOR_... */
    bool timed;                     /* all this is there */
    struct stored_profile *profile; /* NULL: there is none */
};

/* ---- tables (parser.c) ---- */

/* Reads one section's content into a shard. The first problem sticks, like the status of `in`. */
struct parser {
    struct cursor in;
    struct shard *shard;
    struct budget *budget;
    const char *problem; /* a constant, or NULL */
};

/* COUNT zeroed entries of SIZE bytes that live as long as the shard; NULL: the parser's status says why. */
void *parser_take(struct parser *p, size_t count, size_t size);

/* Takes memory into account that something else has taken. false: it is too much. */
bool parser_charge(struct parser *p, uint64_t bytes);

/* The content is damaged: PROBLEM, a constant. Only the first one is kept. */
void parser_fail(struct parser *p, const char *problem);
void parser_fail_with(struct parser *p, enum pilgrim_status status, const char *problem);

bool parser_good(const struct parser *p);

/* A count of entries of MINIMUM bytes or more, an index below LIMIT; WHAT says what is wrong with it, if it is. */
size_t parser_count(struct parser *p, size_t minimum, const char *what);
uint32_t parser_index(struct parser *p, size_t limit, const char *what);

/* Takes STEPS into account. false: opening would take too long. */
bool parser_work(struct parser *p, uint64_t steps);

/* A sequence as rules.h has it. */
uint64_t parser_sequence(struct parser *p);

/* The index, below LIMIT, that the reference CODE stands for; *NEXT: what a code of 0 means. */
uint32_t parser_resolve(struct parser *p, uint64_t code, size_t limit, uint32_t *next, const char *what);
uint32_t parser_reference(struct parser *p, size_t limit, uint32_t *next, const char *what);

/* The same without checks. */
static inline uint32_t reference_resolve(uint64_t code, uint32_t *next)
{
    uint32_t number = code ? (uint32_t)(code - 1) : *next;
    if (number >= *next)
        *next = number + 1;
    return number;
}

/* ---- sections ---- */

void definitions_parse(struct parser *p);
void calls_parse(struct parser *p);
void statistics_parse(struct parser *p); /* distributions.c */
void profile_parse(struct parser *p);    /* profile.c */

/* ---- columns (columns.c) ---- */

void columns_parse(struct parser *p);

/* The value for the member at POSITION; see docs/FORMAT.md, "Columns", for X. */
int64_t column_value(const struct shard *v, const struct stored_column *c, uint64_t position, int64_t x);

/* An increasing column: how many values, the last one, and where VALUE is (false: nowhere). */
uint64_t column_size(const struct stored_column *c);
int64_t column_last(const struct shard *v, const struct stored_column *c);
bool column_find(const struct shard *v, const struct stored_column *c, int64_t value, uint64_t *position);

/* ---- sets (member_index.c) ---- */

/* Checks that the sets of C are of increasing columns and hold TOTAL numbers, all below that, and makes ready for
 * member_index_find. WHAT says what is wrong if they do not. */
void member_index_parse(struct parser *p, struct member_index *c, uint64_t total, const char *what);

/* The set that holds VALUE, NULL if there is none, and its place there. */
const struct member_set *member_index_find(const struct shard *v, const struct member_index *c, uint64_t value,
                                           uint64_t *index);

/* ---- where things are (streams.c) ---- */

/* A stream: a rank's process stream, or one of its threads. */
struct stream_position {
    const struct stored_group *group;
    uint64_t member; /* among its members */
};

uint64_t thread_count(const struct shard *v, uint32_t rank);

/* false: it is in no group, which is damage. THREAD is below thread_count. */
bool process_find(const struct shard *v, uint32_t rank, struct stream_position *at);
bool thread_find(const struct shard *v, uint32_t rank, uint32_t thread, struct stream_position *at);

/* Where a member is in the value groups of a class. */
struct value_group_position {
    const struct stored_value_group *value_group;
    uint32_t number;
    uint64_t position;
    uint64_t size;
};

/* false: it is in none, which is damage. */
bool value_group_find(const struct shard *v, const struct group_class *class, const struct stream_position *member,
                      struct value_group_position *at);

bool class_is_loop(const struct shard *v, uint32_t class);

/* The calls in SEGMENT of a thread whose group has loops (loop_counts.c). false: the thread is damaged. */
bool loops_call_count(const struct pilgrim_trace *trace, uint32_t segment, uint32_t rank, uint32_t thread,
                      uint64_t *count);

/* ---- unzipped signatures (unzipped.c) ---- */

/* One slot: first, first + factor x (the first difference), ... */
struct unzipped_slot {
    uint64_t first, factor;
    uint64_t value;    /* the one that is current */
    uint64_t sequence; /* of differences; 0: there are none but 0 */
    struct rules_cursor differences;
};

struct slot_use;

/* The values of an unzipped signature for one member, one call's after another's. All zero: it is not open. */
struct unzipped_values {
    const struct shard *shard;
    struct unzipped_slot *slots;
    uint32_t slot_count;
    uint64_t met; /* how many calls' values have been passed, the current ones included; 0: none are current */
    bool tried;   /* to make these, which a call finds where the one before had them: */
    struct call_values *values; /* NULL: that cannot be done */
    struct slot_use *uses;      /* where to put the slots that change */
    uint32_t use_count;
    const struct request_use *requests; /* those that begin with each call */
    struct arena arena;                 /* of these */
};

/* Before the first call's values of signature S, which is unzipped, for the member at POSITION, of rank RANK. Memory
 * comes off *BUDGET, bytes. *U is to be freed, also after an error. errors: PILGRIM_NOMEM; PILGRIM_DAMAGED and
 * PILGRIM_LIMIT with *PROBLEM set to a constant */
enum pilgrim_status unzipped_open(const struct shard *v, const struct stored_signature *s, uint64_t position,
                                  uint32_t rank, uint64_t *budget, struct unzipped_values *u,
                                  const char **problem) PILGRIM_CHECKED;
void unzipped_free(struct unzipped_values *u);

/* Passes to the next call's values, in O(slots); over COUNT, in a time that depends on the grammars' size.
 * errors: PILGRIM_DAMAGED with *PROBLEM set to a constant: there are fewer */
enum pilgrim_status unzipped_next(struct unzipped_values *u, const char **problem) PILGRIM_CHECKED;
enum pilgrim_status unzipped_skip(struct unzipped_values *u, uint64_t count, const char **problem) PILGRIM_CHECKED;

/* Whether the number of a column is a sequence of differences. */
bool is_differences(const struct shard *v, int64_t number);

/* ---- values (evaluate.c) ---- */

struct stored_rank_base {
    int64_t rank;
    int64_t size;
};

/* Who asks. */
struct caller {
    uint32_t rank; /* in the trace */
    const struct stored_rank_base *bases;
    size_t base_count;
    struct registers *registers; /* of the thread; NULL: what depends on the calls before is given as it is stored */
    struct begun *begun;         /* of the thread; NULL: likewise */
    struct live_requests *live;  /* idem */
};

/* What a call's values take from what is known of requests when it is made: the same values follow from the same. */
enum request_use_kind { USE_BEGUN, USE_LIVE, USE_POSTED };

struct request_use {
    enum request_use_kind kind;
    int64_t class_number, request_index;
    int64_t rank;                /* USE_LIVE */
    uint64_t identity;           /* USE_POSTED: of the call that began it */
    struct pilgrim_value *value; /* USE_BEGUN, USE_LIVE: the request */
    struct request_use *next;
};

/* A call's values, as pilgrim_call has them. */
struct call_values {
    struct pilgrim_value *in;
    struct pilgrim_value *out;
    struct pilgrim_value ret;
    uint64_t identity;              /* as pilgrim_call has it */
    const struct request_use *uses; /* of what is known of requests */
    struct call_values *other;      /* of the same signature, where more is kept than one */
};

/* Which values, and whose. */
struct values_position {
    const struct stored_signature *signature;
    uint32_t index;                   /* of the signature, in its part */
    uint64_t within;                  /* a vector: which of its values */
    uint64_t position;                /* of the member */
    struct unzipped_values *unzipped; /* of an unzipped one: its current values; NULL: the first ones */
};

/* The values with number NUMBER, below part->numbers. */
struct values_position values_find(const struct shard *v, const struct stored_value_group *value_group, uint64_t number,
                                   uint64_t position);

/* The values at AT, of a function F, for CALLER; all memory from ARENA. What they keep is put into its registers.
 * errors: PILGRIM_NOMEM; PILGRIM_DAMAGED and PILGRIM_LIMIT with *PROBLEM set to a constant */
enum pilgrim_status signature_evaluate(const struct shard *v, const struct values_position *at,
                                       const struct stored_function *f, const struct caller *caller,
                                       struct arena *arena, struct call_values **values, const char **problem);

/* As signature_evaluate, where AT has unzipped values, in memory that these keep, and that comes off *BUDGET, bytes:
 * evaluated once, and then only what changes is put there. *VALUES is NULL if that cannot be done. (unzipped_values.c)
 */
enum pilgrim_status unzipped_values(const struct values_position *at, const struct stored_function *f,
                                    const struct caller *caller, uint64_t *budget, struct call_values **values,
                                    const char **problem) PILGRIM_CHECKED;

/* Whether what is known of requests is what VALUES were made of. (delta_values.c) */
bool uses_hold(const struct call_values *values, const struct caller *caller);

/* The number that a signature, whose shape is one int, has at AT. errors: PILGRIM_DAMAGED with *PROBLEM set to a
 * constant */
enum pilgrim_status signature_int(const struct shard *v, const struct values_position *at, const struct caller *caller,
                                  int64_t *number, const char **problem);

/* A cursor over the process stream of RANK that counts (cursor_open.c); as pilgrim_cursor_open. */
enum pilgrim_status process_cursor_open(const struct pilgrim_trace *trace, uint32_t rank,
                                        struct pilgrim_cursor **cursor, struct pilgrim_error *error) PILGRIM_CHECKED;

/* The call of pilgrim_process of RANK, which is there, in the last segment whose process stream has calls; all memory
 * from ARENA. What it gives is borrowed from *SHARD too, which is to be released, also after an error. PILGRIM_END: no
 * process stream has calls. errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED */
enum pilgrim_status process_values(const struct pilgrim_trace *trace, uint32_t rank, struct arena *arena,
                                   const struct shard **shard, const struct pilgrim_function **function,
                                   const struct pilgrim_value **in, struct pilgrim_error *error) PILGRIM_CHECKED;

/* ---- errors (trace_error.c) ---- */

/* Fills in ERROR (NULL is legal) and returns STATUS. */
enum pilgrim_status trace_error(struct pilgrim_error *error, enum pilgrim_status status, uint64_t offset,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));
enum pilgrim_status trace_no_memory(struct pilgrim_error *error); /* PILGRIM_NOMEM */
enum pilgrim_status trace_null(struct pilgrim_error *error);      /* PILGRIM_INVALID: an argument is NULL */

/* ---- opening what is in memory (load.c); a file: shards.h ---- */

/* As pilgrim_open, from DATA (borrowed for the time of the call). */
enum pilgrim_status trace_load(const void *data, size_t length, struct pilgrim_trace **trace,
                               struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
