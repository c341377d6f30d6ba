/* SPDX-License-Identifier: BSD-3-Clause */
/* All messages of a trace as columns: 64-bit numbers, which for texts are those of texts. */
#include <stdlib.h>
#include <string.h>

#include "pilgrim_module.h"

#include "analysis/analysis_errors.h"
#include "analysis/match.h"
#include "analysis/source_lines.h"
#include "analysis/value_text.h"

enum { SIDE_COLUMNS = 7, FIRST_SEND = 5, FIRST_RECEIVE = FIRST_SEND + SIDE_COLUMNS };

/* Of a side: thread, seq, func, site, done, start, end. */
static const struct message_column {
    const char *name;
    bool text;
} message_columns[] = {{"from", false},
                       {"to", false},
                       {"comm", true},
                       {"tag", false},
                       {"bytes", false},
                       {"send_thread", false},
                       {"send_seq", false},
                       {"send_func", true},
                       {"send_site", true},
                       {"send_done", false},
                       {"send_start", false},
                       {"send_end", false},
                       {"receive_thread", false},
                       {"receive_seq", false},
                       {"receive_func", true},
                       {"receive_site", true},
                       {"receive_done", false},
                       {"receive_start", false},
                       {"receive_end", false},
                       {"unmatched", true}};

enum { MESSAGE_COLUMNS = sizeof message_columns / sizeof *message_columns };

/* What was found so far. */
struct found_messages {
    int64_t *rows; /* MESSAGE_COLUMNS each */
    size_t count, capacity;
    struct text_set texts; /* of all columns */
    struct match *match;
    struct source_lines *lines;
    int64_t *sites; /* by the number of a call site, that of its text + 1; 0: not yet looked up */
    size_t site_count;
};

static int64_t text_number(struct found_messages *f, const char *text)
{
    return text_set_number(&f->texts, text, strlen(text));
}

static int64_t site_text(struct found_messages *f, const struct pilgrim_frame *frame)
{
    const char *line = frame ? source_lines_find(f->lines, frame) : "?";
    if (line)
        return text_number(f, line);
    const size_t size = strlen(frame->module) + 32;
    char *text = malloc(size);
    if (!text)
        return -1;
    snprintf(text, size, "%s+0x%llx", frame->module, (unsigned long long)frame->offset);
    const int64_t number = text_number(f, text);
    free(text);
    return number;
}

/* Returns the number of the text of a call site; negative: no memory. */
static int64_t site_number(struct found_messages *f, uint32_t site)
{
    if (site >= f->site_count) {
        const size_t count = 2 * (size_t)site + 64;
        int64_t *sites = realloc(f->sites, count * sizeof *sites);
        if (!sites)
            return -1;
        memset(sites + f->site_count, 0, (count - f->site_count) * sizeof *sites);
        f->sites = sites;
        f->site_count = count;
    }
    if (!f->sites[site])
        f->sites[site] = site_text(f, match_site(f->match, site)->site) + 1;
    return f->sites[site] - 1;
}

static int64_t number_or_missing(bool is_known, uint64_t number)
{
    return is_known && number <= INT64_MAX ? (int64_t)number : PILGRIM_MISSING;
}

static bool put_side(struct found_messages *f, int64_t *at, const struct match_operation *op)
{
    for (int i = 0; i < SIDE_COLUMNS; i++)
        at[i] = i == 2 || i == 3 ? -1 : PILGRIM_MISSING;
    if (!op)
        return true;
    const struct match_call *begun = op->begun, *ended = op->ended;
    at[0] = begun->thread;
    at[1] = (int64_t)begun->seq;
    at[2] = text_number(f, match_site(f->match, begun->site)->function->name);
    at[3] = site_number(f, begun->site);
    at[4] = number_or_missing(ended != NULL, ended ? ended->seq : 0);
    at[5] = number_or_missing(begun->timed, begun->enter_ns);
    at[6] = number_or_missing(ended && ended->timed, ended ? ended->leave_ns : 0);
    return at[2] >= 0 && at[3] >= 0;
}

static int64_t comm_text(struct found_messages *f, int64_t comm)
{
    char text[32];
    if (comm >= 0)
        snprintf(text, sizeof text, "comm:%lld", (long long)comm);
    else
        snprintf(text, sizeof text, "%s",
                 comm == MATCH_WORLD  ? "MPI_COMM_WORLD"
                 : comm == MATCH_SELF ? "MPI_COMM_SELF"
                                      : "?");
    return text_number(f, text);
}

static int64_t rank_of(const struct match_operation *op, const struct match_operation *other)
{
    const int64_t rank = op ? (int64_t)op->begun->rank : other->any_source ? -1 : other->peer;
    return rank >= 0 ? rank : PILGRIM_MISSING;
}

/* Takes a message, or a side without the other. false: no memory */
static bool take_message(void *context, const struct match_operation *send, const struct match_operation *receive)
{
    struct found_messages *f = context;
    const struct match_operation *one = send ? send : receive;
    const bool sized = send && send->bytes != UINT64_MAX;
    const uint64_t bytes = sized ? send->bytes : receive ? receive->bytes : UINT64_MAX;
    if (f->count == f->capacity) {
        const size_t capacity = f->capacity ? 2 * f->capacity : 1024;
        int64_t *rows = realloc(f->rows, capacity * MESSAGE_COLUMNS * sizeof *rows);
        if (!rows)
            return false;
        f->rows = rows;
        f->capacity = capacity;
    }
    int64_t *row = &f->rows[f->count * MESSAGE_COLUMNS];
    row[0] = rank_of(send, receive);
    row[1] = rank_of(receive, send);
    row[2] = comm_text(f, one->comm);
    row[3] = one->any_tag ? PILGRIM_MISSING : one->tag;
    row[4] = number_or_missing(bytes != UINT64_MAX, bytes);
    row[MESSAGE_COLUMNS - 1] = send && receive ? -1 : text_number(f, match_reason_text(one->reason));
    const bool good = put_side(f, &row[FIRST_SEND], send) && put_side(f, &row[FIRST_RECEIVE], receive) && row[2] >= 0;
    f->count += good;
    return good;
}

static enum pilgrim_status find_messages(struct found_messages *f, const struct pilgrim_trace *trace,
                                         struct pilgrim_error *error)
{
    const struct match_events events = {.context = f, .message = take_message};
    struct match_totals totals;
    f->match = match_new(trace);
    f->lines = source_lines_new("", NULL);
    if (!f->match || !f->lines)
        return no_memory(error);
    source_lines_ran_in(f->lines, pilgrim_property(trace, "folder"));
    source_lines_use_trace(f->lines, trace, pilgrim_frame_function);
    return match_trace(f->match, &events, true, &totals, error);
}

static void free_messages(struct found_messages *f)
{
    match_free(f->match);
    source_lines_free(f->lines);
    text_set_free(&f->texts);
    free(f->sites);
    free(f->rows);
}

static PyObject *column_bytes(const struct found_messages *f, size_t column)
{
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(f->count * sizeof(int64_t)));
    char *at = bytes ? PyByteArray_AS_STRING(bytes) : NULL;
    for (size_t i = 0; bytes && i < f->count; i++)
        memcpy(at + i * sizeof(int64_t), &f->rows[i * MESSAGE_COLUMNS + column], sizeof(int64_t));
    return bytes;
}

/* A list of (name, is it a text, numbers), and the list of texts. */
static PyObject *result_of(const struct found_messages *f)
{
    PyObject *columns = PyList_New(0), *texts = PyList_New(0);
    for (size_t i = 0; columns && i < MESSAGE_COLUMNS; i++) {
        PyObject *column = Py_BuildValue("(sON)", message_columns[i].name, message_columns[i].text ? Py_True : Py_False,
                                         column_bytes(f, i));
        if (!column || PyList_Append(columns, column) < 0)
            Py_CLEAR(columns);
        Py_XDECREF(column);
    }
    for (size_t i = 0; texts && i < f->texts.count; i++) {
        PyObject *text = text_new(f->texts.entries[i].text);
        if (!text || PyList_Append(texts, text) < 0)
            Py_CLEAR(texts);
        Py_XDECREF(text);
    }
    if (columns && texts)
        return Py_BuildValue("(NN)", columns, texts);
    Py_XDECREF(columns);
    Py_XDECREF(texts);
    return NULL;
}

PyObject *trace_messages(PyObject *self, PyObject *none)
{
    struct trace_object *t = (struct trace_object *)self;
    struct found_messages f = {.count = 0};
    struct pilgrim_error error = {.status = PILGRIM_OK};
    enum pilgrim_status status;
    (void)none;
    if (!trace_use_begin(t))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = find_messages(&f, t->trace, &error);
    Py_END_ALLOW_THREADS;
    PyObject *result = status == PILGRIM_OK ? result_of(&f) : failure_raise(&error, status, t->path);
    free_messages(&f);
    trace_use_end(t);
    return result;
}
