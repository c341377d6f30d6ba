/* The inside of an opened trace: the tables of docs/FORMAT.md, checked. Shared by the files of this folder.
 *
 * Invariant: whatever is in here has been checked, so that cursors look nothing up out of bounds: every number refers
 * to an entry of its table, shapes are well formed and hold the values of their calls, columns are as long as their value
 * groups, sequences hold only terminals of their lists and agree in their lengths. What depends on a rank's own values
 * (views, truth values) is checked when a cursor meets it.
 *
 * Nothing in here is expanded: what the file has as runs stays runs. It does not change once it is open, so any
 * number of cursors may share it. */
#ifndef PILGRIM_TRACE_H
#define PILGRIM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/trace_file.h"
#include "grammar/rules.h"
#include "pilgrim/reader.h"

#define NESTING_MAX 32          /* of values */
#define FRAMES_MAX 64           /* of a call class */
#define BUILD_ID_MAX 32         /* bytes */
#define LENGTH_ANY UINT64_MAX   /* of columns: fits every value group */
#define LENGTH_NONE (UINT64_MAX - 1) /* of signatures: fits no value group */

struct string {
    const char *text; /* NUL-terminated */
    size_t length;
};

struct function {
    struct pilgrim_function shown;
    uint32_t value_count;
};

struct module {
    const char *name;
    const uint8_t *build_id; /* in the content of the definitions */
    size_t build_id_length;
};

struct caller_frame {
    struct pilgrim_frame shown;
    uint32_t depth; /* callers up to the outermost, this one too */
};

struct class {
    struct pilgrim_class shown;
    struct pilgrim_frame site;
    uint32_t function;
};

struct shape {
    const uint8_t *tokens; /* in the content of the definitions */
    uint32_t length;
    uint32_t value_count;
    uint32_t slot_count;
};

struct run {
    uint64_t end;    /* places up to here, not included */
    uint64_t before; /* groups: earlier places of the same value; threads: the sum over all earlier places */
    uint32_t value;
};

struct runs {
    struct run *entries;
    size_t count;
    uint64_t length;
};

struct pilgrim_grammar {
    struct rules rules;
    uint32_t terminal_limit; /* the largest terminal + 1 */
    uint64_t *counts;        /* of each terminal below that; only where it is a structure sequence */
};

struct piece {
    uint64_t start;
    int64_t first;
    int64_t step;
};

enum column_kind { COLUMN_CONSTANT = 0, COLUMN_RANK = 1, COLUMN_PIECES = 2, COLUMN_LIST = 3, COLUMN_KIND_COUNT = 4 };

struct column {
    enum column_kind kind;
    size_t count; /* of pieces */
    uint64_t length;
    union {
        int64_t constant;
        const struct piece *pieces;
        const int64_t *list;
    };
};

struct signature {
    uint32_t shape;
    const uint8_t *columns; /* in the content of the values: a varint for each slot of the shape */
    uint64_t length;        /* of those columns */
};

/* Which member of a structure group is in which value group. */
struct partition {
    struct runs runs;
    uint64_t *sizes;
    uint32_t parts;
};

struct part {
    uint32_t sequence;
    uint32_t signature_count;
    uint32_t *signatures;
};

struct group_class {
    uint32_t class;
    uint32_t partition; /* 0: one part, else its number + 1 */
    struct part *parts;
    uint64_t mean_ns, min_ns, max_ns;
};

struct group {
    uint32_t sequence;
    uint32_t class_count;
    struct group_class *classes;
    uint64_t members;
};

struct pilgrim_trace {
    struct arena arena;
    uint64_t budget;           /* bytes that may still be taken */
    struct bytes content[SECTION_TYPE_COUNT]; /* of the sections that are not taken apart wholly */
    uint64_t offset[SECTION_TYPE_COUNT]; /* of the sections in the file */
    struct string *strings;
    uint32_t (*properties)[2];
    struct function *functions;
    struct module *modules;
    struct caller_frame *callers;
    struct class *classes;
    struct shape *shapes;
    size_t string_count, property_count, function_count, module_count, caller_count, class_count, shape_count;
    uint32_t rank_count;
    struct runs threads;       /* of each rank */
    struct runs members;       /* the group of each stream */
    struct pilgrim_grammar *sequences;
    struct group *groups;
    size_t sequence_count, group_count;
    struct column *columns;
    struct signature *signatures;
    struct partition *partitions;
    size_t column_count, signature_count, partition_count;
    bool timed;
};

/* ---- tables (parser.c) ---- */

/* Reads one section's content into the trace. The first problem sticks, like the status of `in`. */
struct parser {
    struct cursor in;
    struct pilgrim_trace *trace;
    const char *problem; /* a constant, or NULL */
};

/* COUNT zeroed entries of SIZE bytes that live as long as the trace; NULL: the parser's status says why. */
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

/* Runs of length LENGTH with values below LIMIT; `before` is not set. */
void parser_runs(struct parser *p, uint64_t length, uint64_t limit, struct runs *runs);

/* The run that holds place I < runs->length. */
const struct run *runs_find(const struct runs *runs, uint64_t i);
uint64_t runs_start(const struct runs *runs, const struct run *run);

/* Sets `before` to the earlier places of the same value, and adds up in TOTALS how many each value has. */
void runs_rank(struct runs *runs, uint64_t *totals);

/* ---- sections ---- */

void definitions_parse(struct parser *p);
void structure_parse(struct parser *p);
void values_parse(struct parser *p);
void times_parse(struct parser *p);

/* ---- where things are (streams.c) ---- */

/* Number of a stream: of RANK's process stream, or of one of its threads (THREAD < pilgrim_thread_count). */
uint64_t stream_number(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread);

/* A stream's group, and its place among the members. */
const struct group *stream_group(const struct pilgrim_trace *t, uint64_t stream, uint64_t *place);

/* The value group of the member at PLACE: its number in *NUMBER, the member's position in it, and its size. */
const struct part *place_part(const struct pilgrim_trace *t, const struct group *g, const struct group_class *c,
                              uint64_t place, uint32_t *number, uint64_t *position, uint64_t *size);

/* ---- values (evaluate.c) ---- */

struct view {
    int64_t rank;
    int64_t size;
};

/* Who asks. */
struct caller {
    uint32_t rank;
    const struct view *views;
    size_t view_count;
};

/* A call's values, as pilgrim_call has them. */
struct call_values {
    struct pilgrim_value *in;
    struct pilgrim_value *out;
    struct pilgrim_value ret;
};

/* The values of SIGNATURE, of a function F, for the member at POSITION that is CALLER; all memory from ARENA.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED with *PROBLEM set to a constant */
enum pilgrim_status signature_evaluate(const struct pilgrim_trace *t, const struct signature *signature,
                                       const struct function *f, uint64_t position, const struct caller *caller,
                                       struct arena *arena, struct call_values **values, const char **problem);

/* A cursor over RANK's process stream (cursor.c); as pilgrim_cursor_open. */
enum pilgrim_status process_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, struct pilgrim_cursor **cursor,
                                        struct pilgrim_error *error) PILGRIM_CHECKED;

/* ---- errors (trace_error.c) ---- */

/* Fills in ERROR (NULL is legal) and returns STATUS. */
enum pilgrim_status trace_error(struct pilgrim_error *error, enum pilgrim_status status, uint64_t offset,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- opening what is in memory (load.c) ---- */

/* As pilgrim_open, from DATA (borrowed for the time of the call). */
enum pilgrim_status trace_load(const void *data, size_t length, struct pilgrim_trace **trace,
                               struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
