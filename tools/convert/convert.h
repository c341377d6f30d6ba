/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trace is converted to: a format is a table of functions, which are called in this order: begin; for each
 * thread that has calls, thread, then call for each of them in its order; end. They return false if they are short of
 * memory, or have set `failure`. Times are on the axis that all processes have in common. */
#ifndef CONVERT_CONVERT_H
#define CONVERT_CONVERT_H

#include <pilgrim/analysis.h>

#include "../../decoder/output.h"
#include "call_places.h"
#include "flows.h"
#include "mpi_records.h"

struct convert_result;

struct convert {
    const struct pilgrim_trace *trace;
    const struct pilgrim_system *system; /* NULL: not known */
    const struct flows *flows;           /* of a format that has no records */
    const struct mpi_records *records;   /* of a format that has them */
    struct output *out;
    struct pilgrim_calls *calls; /* the stream that gave the call */
    const char *anchor;          /* as the format has it */
    const char *folder;          /* of a format that writes one: it is there, and empty */
    const char *beside;          /* files for a while may be beside this path */
    struct output *told;         /* by --jobs, not the first process: what `join` is to know */
    char failure[200];           /* set by the format: the output cannot be written, and why */
    char unsaid[400];            /* set by the format: what it cannot say, for the user */
    const char *columns;         /* of a table: their names, with commas between them; NULL: the usual ones */
    bool arguments;              /* all arguments of calls are wanted */
    unsigned jobs;               /* processes that convert */
    bool drawn;                  /* the times are not those of the run: they are drawn from statistics */
    void *state;                 /* of the format; freed by `end`, which is called whatever happens */
};

struct convert_call {
    const struct pilgrim_call *call;
    const struct call_place *place;
    struct pilgrim_volume volume;
    const struct message_end *flows; /* messages that it begins or ends */
    size_t flow_count;
    const struct mpi_record *records;
    size_t record_count;
};

/* What a format wants besides calls. */
enum convert_wants {
    CONVERT_FLOWS,
    CONVERT_RECORDS,
    CONVERT_WHOLE_RECORDS, /* only messages with both sides, and collective operations with all members */
    CONVERT_CALLS
};

/* How a format is written by several processes, each of which converts ranks that follow each other, by the functions
 * `thread` and `call`. The first one has called `begin`, and will call `end`. */
struct convert_parts {
    /* Another process than the first will convert the ranks from FIRST on. NULL: nothing is to be done */
    bool (*begin)(struct convert *c, uint32_t first);
    /* The process has converted its ranks, which are below END; 0: not all of them. NULL: nothing is to be done */
    bool (*end)(struct convert *c, uint32_t end);
    /* In the first process: what another one has told, in the order of ranks. NULL: it tells nothing */
    bool (*join)(struct convert *c, const unsigned char *told, size_t length);
    bool no_arguments; /* with --arguments, one process writes it */
};

struct convert_format {
    const char *name, *suffix;
    bool (*begin)(struct convert *c);
    bool (*thread)(struct convert *c, uint32_t rank, uint32_t thread);
    bool (*call)(struct convert *c, const struct convert_call *call);
    bool (*end)(struct convert *c);
    /* In place of the four: all calls that fit the selection. */
    enum pilgrim_status (*convert)(struct convert *c, const struct pilgrim_selection *selection,
                                   struct convert_result *result, struct pilgrim_error *error);
    /* Before the calls: each function at each place, also such as have no call that is wanted. NULL: nobody asks */
    void (*place)(struct convert *c, const struct pilgrim_class *class_, const struct call_place *place);
    const struct convert_parts *parts; /* NULL: one process writes it, whatever --jobs says */
    const char *lacks;                 /* not NULL: this build cannot write it, and why */
    enum convert_wants what;
    const char *anchor; /* of a format that writes a folder: the file in it by which it is known */
    bool folder;        /* it writes a folder, not a file */
    bool untimed;       /* it takes calls without times, too, and no drawn times */
};

extern const struct convert_format convert_arrow, convert_chrome, convert_csv, convert_goal, convert_otf2,
    convert_perfetto, convert_ti;

/* Writes the name of a rank and its host, "rank 3 on node1", and that of a thread, "thread 0". */
enum { CONVERT_NAME_MAX = 320 };
void convert_rank_name(const struct convert *c, uint32_t rank, char name[CONVERT_NAME_MAX]);
void convert_thread_name(uint32_t thread, char name[CONVERT_NAME_MAX]);

/* Writes TEXT, which may have any bytes, without what could command a terminal. */
void convert_printable(const char *text, char name[CONVERT_NAME_MAX]);

/* Gives what a viewer shows of each call to TELL, as names and values: its number, its communicator, its peer in that,
 * its tag, the bytes that it moves, its error; with convert.arguments: all arguments. A text ends with a NUL, and has
 * no character that could command a terminal. */
struct convert_teller {
    bool (*number)(void *context, const char *name, int64_t value);
    bool (*text)(void *context, const char *name, const char *value);
    void *context;
};
bool convert_tell(const struct convert *c, const struct convert_call *call, const struct convert_teller *tell);

/* Returns what a call is called: its function, or the text of a marker. TEXT is room for it, which may be used. */
enum { CONVERT_MARKER_MAX = 1024 };
const char *convert_call_name(const struct pilgrim_call *call, char text[CONVERT_MARKER_MAX]);
bool convert_is_marker(const struct pilgrim_call *call);
const char *convert_function_name(const struct pilgrim_function *function, char text[CONVERT_MARKER_MAX]);
#define CONVERT_MARKER "pilgrim_marker"

#endif
