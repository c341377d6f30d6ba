/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of pilgrim-generate share: memory, texts, and the program that is made.
 *
 * A call becomes a row: a form, which is C with holes, and a number for each hole. A statement of the program is a node
 * of a tree. It has, by rank, the sequence of what it did there: rows of a call, trips of a loop. */
#ifndef GENERATE_H
#define GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pilgrim/reader.h>

/* ---- memory and texts: all lives until the program ends ---- */

/* Returns zeroed memory; ends the program with a line if there is none. */
void *generate_alloc(size_t bytes);

/* Returns ARRAY, or a larger copy if it is full: COUNT is its capacity. Capacities are powers of two. */
void *generate_grow(void *array, size_t count, size_t element);

/* Prints "pilgrim-generate: ..." and ends the program with status 1. */
_Noreturn void generate_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct text {
    char *chars;
    size_t length, capacity;
};

void text_put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_bytes(struct text *t, const char *bytes, size_t length);
const char *text_of(struct text *t); /* "" while empty */
void text_free(struct text *t);
const char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns an expression without the parentheses around all of it. */
const char *text_bare(const char *text);

/* Returns the one copy of a text, so that pointers can be compared. */
const char *text_intern(const char *chars, size_t length);

/* Returns TEXT as it may stand in a comment: printable ASCII, without the end of the comment. */
const char *text_comment(const char *text);

/* ---- rows ---- */

enum {
    HOLE = 1,         /* a number, or a name */
    HOLE_REQUEST = 2, /* the number of a request */
    HOLE_TEXT = 4,    /* the number of a text */
    HOLE_REQUESTS = 3 /* an array of so many requests as the decimal number behind it says, up to ';' */
};

/* C with holes. */
struct form {
    const char *text; /* "": nothing is done */
    size_t holes;
};

struct filled_form {
    const struct form *form;
    const int64_t *numbers;
};

/* A program has at most so many threads. */
enum { GENERATE_THREADS_MAX = 4096 };

/* What comes out and is not looked at has so many rows of room for each type. */
enum { SCRATCH_ROWS = 6 };

/* Names (of constants) among numbers are above this. */
#define NAME_FIRST (INT64_MIN / 2)
#define NAME_LAST  (NAME_FIRST + 100000)

static inline bool number_is_name(int64_t n)
{
    return n >= NAME_FIRST && n < NAME_LAST;
}

/* ---- the program ---- */

/* What a node did in one rank. */
struct node_visits {
    uint64_t count;
    int64_t *first; /* the first STORED ones; later ones repeat the last PERIOD of these */
    uint64_t stored, capacity, period;
    uint32_t *border; /* while it may be periodic */
    bool listed;      /* all are stored */
};

void visits_add(struct node_visits *v, int64_t what);
int64_t visits_get(const struct node_visits *v, uint64_t k);

enum node_kind { NODE_CALL, NODE_LOOP };

/* A function of the program that a call came from. */
struct node_function {
    const char *name, *place; /* interned; the place: where the one before it calls it; NULL: it is the first */
    const void *call;         /* tells calls of one line apart */
};

struct node {
    enum node_kind kind;
    const char *name;                      /* of a call's function; interned */
    const char *place;                     /* "FILE:LINE", or NULL; interned */
    const struct node_function *functions; /* the outermost first; of a loop: those that all its calls have */
    size_t function_count;
    const char **parameters; /* names of the function's; NULL: not known yet */
    size_t parameter_count;
    struct node **children;
    size_t child_count;
    struct node_visits **ranks; /* NULL: the rank does not come here */
    double gap_ns;              /* mean before the call, weighted by */
    double gap_count;
    size_t size; /* of the tree below, itself included */
};

enum { OBJECT_KINDS = 11 };

struct object_kind {
    const char *word, *array, *type, *none;
    int64_t most; /* the highest number; -1: none is used */
    bool shared;  /* threads have some in common */
};

/* Requests that share places. */
struct request_class {
    const char *key;
    int64_t most, base;
    const char *completer; /* the request_key of the one MPI_Waitall that completes them, all that are under way each
                              time that it is called; "": there is none; NULL: not known yet; interned */
    bool chosen;           /* MPI chooses which of them and others end */
    bool left_out;         /* so are the calls that begin them: each is MPI_REQUEST_NULL */
};

struct generate_options {
    const char *path, *modules;
    bool keep_strings;
    uint32_t ranks; /* that the program is for; 0: those of the trace */
};

/* What is made of a trace. */
struct proxy {
    const struct generate_options *options;
    struct pilgrim_trace *trace;
    uint32_t rank_count;
    struct node *root;
    struct node **threads; /* the programs of the other threads, by number; NULL: none */
    uint32_t thread_count; /* the most that a process has */
    int64_t shared_count;  /* objects that threads share */
    bool requests_shared;  /* threads complete requests that others began */
    bool killed;           /* the run did not come to MPI_Finalize */
    const char *uncertain; /* what of the order between threads is not known */
    const char **names;    /* of constants */
    size_t name_count;
    struct object_kind *kinds;
    struct request_class *requests;
    size_t request_count;
    int64_t most_memory[4]; /* the highest number of an allocation: heap, static, stack, device; -1: none */
    uint64_t most_offset, most_bytes, most_elements;
    const char **files, **texts; /* texts: as C */
    size_t file_count, text_count;
    uint64_t left_out, calls;
    const char *first_left_out;
};

/* Returns the number of the row with that form and those numbers, which are copied. */
int64_t row_store(const struct form *form, const int64_t *numbers);

const struct filled_form *proxy_row(int64_t number);

/* ---- making it ---- */

/* Reads the calls of all ranks. Ends the program if the trace cannot be read. */
void proxy_read(struct proxy *p);

/* Joins what B does with A, which has other ranks. Returns A. */
struct node *program_join_nodes(struct node *a, struct node *b, uint32_t ranks);

/* The state of a rank while its calls are read. */
struct rank_state;
struct rank_state *rank_state_new(struct proxy *p, uint32_t rank, uint32_t thread);

/* True if the call asked in vain: such calls are left out, as the program asks until it finds something. */
bool call_is_failed_poll(const struct pilgrim_call *call);

/* Forgets what holds in one segment of the trace only. */
void rank_state_segment(struct rank_state *s);

/* Returns the number of the row for CALL; PLACE is its call site. */
int64_t call_row(struct rank_state *s, const struct pilgrim_call *call, const char *place);

/* ---- writing it ---- */

/* What numbers say, for other numbers of ranks. */
enum column_meaning {
    COLUMN_NUMBER,
    COLUMN_RANK,   /* a rank, or a place in a grid of ranks */
    COLUMN_SIZE,   /* a number of ranks */
    COLUMN_EXTENT, /* of a grid of ranks */
    COLUMN_TRIPS,  /* of a loop */
    COLUMN_FIXED,  /* nothing is known if ranks differ */
    COLUMN_LIST    /* an element for each rank */
};

/* Whose numbers they are. */
struct column_use {
    const struct node *node;
    const char *argument; /* "dest", or what else it is: "its trips" */
    bool is_number;       /* which buffer or object, by its number */
    enum column_meaning meaning;
    size_t element, elements; /* which of an array's */
};

/* Returns a C expression that has VALUES[i] in rank i, where HAS[i]. It may add a table to TABLES. */
const char *column_expression(const struct proxy *p, struct text *tables, const struct column_use *use,
                              const int64_t *values, const bool *has);

/* The same of the recorded ranks, without a table; NULL: there is none. */
const char *column_formula(const struct proxy *p, const int64_t *values, const bool *has);

/* The same for a condition, which is asked only where ALL[i]. NULL: it always holds. */
const char *column_condition(const struct proxy *p, struct text *tables, const struct column_use *use,
                             const bool *holds, const bool *all);

/* The same for another number of ranks. What does not generalise is told on stderr; the text is any then. */
const char *ranks_expression(const struct proxy *p, const struct column_use *use, const int64_t *values,
                             const bool *has);

/* The same without telling; NULL: it does not generalise. */
const char *ranks_formula(const struct proxy *p, const struct column_use *use, const int64_t *values, const bool *has);

const char *ranks_condition(const struct proxy *p, const struct column_use *use, const bool *wanted, const bool *all);

/* Says that something does not generalise, and why, if the program is for other ranks. */
void ranks_refuse(const struct proxy *p, const struct column_use *use, const char *why);

/* Returns true if something did not generalise. */
bool ranks_told(void);

/* Returns what the numbers of an argument say. */
enum column_meaning ranks_meaning(const char *function, const char *argument);

/* Keeps the extents of a grid of all ranks: those that the program ASKED for (NULL: all are its own), and was GIVEN. */
void ranks_learn_grid(const struct proxy *p, const struct pilgrim_value *asked, const struct pilgrim_value *given);

/* Returns an array of COUNT requests, from hole HOLE of FORM on, as those of a list that are under way, in its order,
 * and MPI_REQUEST_NULL behind them; NULL: they are not that in each visit of the node. It may add a table to TABLES. */
const char *requests_under_way(const struct proxy *p, struct text *tables, const struct node *node,
                               const struct form *form, size_t hole, size_t count);

/* Returns a CALL of the node that starts persistent requests so that it can be made even if some are under way still:
 * MPI chose others than it did when the trace was made. */
const char *requests_started(const struct proxy *p, const struct node *node, const struct form *form, const char *call);

/* A loop that is being written around a node. */
struct written_loop {
    const struct node *loop;
    const char *variable;
};

/* What a hole has, or a loop's trips: FORM and HOLE say which, FORM NULL: what the visits have; CHOICE: which of the
 * FORMS. */
struct series {
    const struct node *node;
    const struct form *form;
    size_t hole;
    bool request; /* numbers are those of requests */
    const struct form *const *forms;
    size_t form_count; /* 0: no choice */
    const struct written_loop *loops;
    size_t loop_count;
    bool null_fits; /* MPI_REQUEST_NULL fits any number */
    struct column_use use;
};

/* Returns a C expression for the series. *COUNTED becomes true if it needs `n`, the number of the node's visit in its
 * rank. */
const char *series_expression(const struct proxy *p, struct text *tables, const struct series *s, bool *counted);

/* Returns true if each rank has one number: VALUES, where HAS. */
bool series_by_rank(const struct proxy *p, const struct series *s, int64_t *values, bool *has);

/* Returns a number or name as C. */
const char *number_text(const struct proxy *p, int64_t number);

/* Adds TEXT's lines, each broken behind commas if it is long. */
void put_lines(struct text *out, unsigned indent, const char *text);

/* Returns one call for two that differ in one argument, ONE where the condition holds; NULL: they differ in more. */
const char *call_by_condition(const char *condition, const char *one, const char *other);

/* Adds lines that are indented already, by so much more. */
void put_indented(struct text *out, unsigned indent, const char *text);

/* The functions of the program. */
struct parts;
struct parts *parts_new(void);

/* Returns the name of the index of a loop that has DEPTH loops around. */
const char *index_name(size_t depth);

/* Returns the line that stands for computing before COUNT calls, of MEAN_NS each, until parts_fill makes C of it. */
const char *parts_gap(struct parts *p, double mean_ns, double count);
void parts_fill(const struct parts *p, struct text *text);

/* Makes one `if` of those that follow each other with the same condition, or contrary ones, in lines that are filled.
 */
void parts_join_ifs(struct text *text);

/* Returns a call of the function that has BODY, indented lines in which LOOPS loops are around. The function is called
 * as the program's own ORIGINAL, and added to FUNCTIONS if there is no equal one. Sets *BEFORE to a line that has to
 * stand before the call, or NULL. */
const char *parts_call(struct parts *p, struct text *functions, const char *original, const char *body, size_t loops,
                       const char **before);

/* The functions that threads besides the first run. */
struct thread_text {
    struct text text;
    const char *last_call; /* of the threads up to LAST, not yet in the text */
    uint32_t last;
};

/* Adds what thread NUMBER does, a call of a function; numbers go up. */
void thread_text_add(struct thread_text *t, uint32_t number, const char *call);
void thread_text_end(struct thread_text *t);

/* Returns the program OWN of thread NUMBER, in which numbers that go up by one from thread to thread are expressions of
 * `thread_number`. BEFORE and BEHIND: the programs of the threads beside it, or NULL. */
const char *thread_text_merged(const char *before, const char *own, const char *behind, uint32_t number);

/* Returns how many objects of a kind are given away for other threads to free, at most; 0: none. */
size_t threads_given_most(const char *kind);

/* Adds the functions that begin and end threads. */
void thread_text_write(const struct proxy *p, struct text *tables, struct thread_text *t, struct text *out);

/* Returns the text around the program: helpers and variables that BODY and TABLES mention. */
void write_frame(struct proxy *p, struct text *out, struct text *tables, struct text *functions, struct text *body);

/* Writes the program to stdout. */
void proxy_write(struct proxy *p);

#endif
