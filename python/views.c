/* SPDX-License-Identifier: BSD-3-Clause */
/* What pilgrim-decode, pilgrim-waits and pilgrim-diff print as JSON, as bytes: both say the same. */
#define _GNU_SOURCE 1
#include "pilgrim_module.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../decoder/endings_print.h"
#include "../decoder/matrix.h"
#include "../decoder/print.h"
#include "../decoder/summary.h"
#include "../tools/diff/diff_traces.h"
#include "../tools/waits/waits_report.h"
#include "analysis/analysis_errors.h"
#include "analysis/object_names.h"
#include "analysis/profile.h"
#include "analysis/selection.h"
#include "analysis/selector.h"
#include "analysis/thread_loops.h"

/* Functions here work on memory of their own, but for static buffers of the printers: one at a time. */
static PyThread_type_lock printing;

struct view_job {
    const struct pilgrim_trace *trace;
    const char *path;
    const struct pilgrim_selection *selection;
    int option;
    struct source_lines *lines;
    struct output *o;
    struct pilgrim_error *error;
};

static bool wants_rank(const void *job, uint32_t rank)
{
    return selection_has_number(((const struct view_job *)job)->selection, SELECT_RANK, rank);
}

static bool wants_thread(const void *job, uint32_t thread)
{
    return selection_has_number(((const struct view_job *)job)->selection, SELECT_THREAD, thread);
}

/* ---- views ---- */

static enum pilgrim_status view_loops(const struct view_job *j)
{
    struct loops_list *loops = loops_list_new(j->trace, selection_has(j->selection, SELECT_RANK));
    const struct loops_options options = {
        .depth = UINT64_MAX, .json = true, .paths = !pilgrim_property(j->trace, "stack")};
    enum pilgrim_status status = loops ? PILGRIM_OK : no_memory(j->error);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(j->trace) && status == PILGRIM_OK; rank++)
        for (uint32_t thread = 0; thread < pilgrim_thread_count(j->trace, rank) && status == PILGRIM_OK; thread++)
            if (wants_rank(j, rank) && wants_thread(j, thread))
                status = loops_list_add(loops, rank, thread, j->error);
    if (status == PILGRIM_OK)
        status = loops_print(j->o, loops, j->lines, &options, j->error);
    loops_list_free(loops);
    return status;
}

static enum pilgrim_status view_waits(const struct view_job *j)
{
    struct report waits = {
        .o = j->o, .lines = j->lines, .format = REPORT_JSON, .by_loop = j->option == 1, .each = j->option == 2};
    const char *why;
    for (int i = 0; i < SELECT_CRITERIA; i++)
        if (selection_has(j->selection, (enum criterion_name)i))
            waits.selection = j->selection;
    if ((j->option || waits.selection) && waits_is_profile(j->trace)) {
        *j->error = (struct pilgrim_error){
            .status = PILGRIM_INVALID,
            .message = "it has a profile (PILGRIM_TIMING=aggregate), which does not say what single calls did; run the "
                       "program again with PILGRIM_TIMING=exact"};
        return PILGRIM_INVALID;
    }
    const enum pilgrim_status status = waits_of_trace(&waits, j->trace, &why, j->error);
    if (!why)
        return status;
    *j->error = (struct pilgrim_error){.status = PILGRIM_INVALID};
    snprintf(j->error->message, sizeof j->error->message, "%s", why);
    return PILGRIM_INVALID;
}

static enum pilgrim_status view_endings(const struct view_job *j)
{
    endings_print(j->o, j->trace, j->lines, true);
    return PILGRIM_OK;
}

static enum pilgrim_status view_summary(const struct view_job *j)
{
    struct summary summary;
    const enum pilgrim_status status = summary_make(&summary, j->trace, j->error);
    if (status == PILGRIM_OK)
        summary_json(j->o, &summary, j->path, j->path, j->lines);
    summary_free(&summary);
    return status;
}

static enum pilgrim_status view_ranks(const struct view_job *j)
{
    return rank_times_print(j->o, j->trace, true, wants_rank, j, j->error);
}

static enum pilgrim_status view_matrix(const struct view_job *j)
{
    struct selector *selector = selector_new(j->trace, j->selection, j->lines);
    const struct matrix_options options = {.format = MATRIX_CSV,
                                           .windows = j->option == 1,
                                           .rank = wants_rank,
                                           .thread = wants_thread,
                                           .context = j,
                                           .selector = selector};
    uint64_t unsized;
    if (!selector)
        return no_memory(j->error);
    const enum pilgrim_status status = matrix_print(j->o, j->trace, &options, &unsized, j->error);
    selector_free(selector);
    return status;
}

static enum pilgrim_status view_communicators(const struct view_job *j)
{
    struct object_names *names = object_names_new(j->trace);
    enum pilgrim_status status = names ? PILGRIM_OK : no_memory(j->error);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(j->trace) && status == PILGRIM_OK; rank++) {
        struct pilgrim_communicators *list;
        const char *name;
        struct pilgrim_communicator c;
        if (!wants_rank(j, rank))
            continue;
        status = pilgrim_communicators_open(j->trace, rank, &list, j->error);
        while (status == PILGRIM_OK && (status = pilgrim_communicators_next(list, &c, j->error)) == PILGRIM_OK) {
            if (object_names_next(names, rank, c.name, &name))
                communicator_json(j->o, rank, &c, name);
            else
                status = no_memory(j->error);
        }
        pilgrim_communicators_close(list);
        status = status == PILGRIM_END ? PILGRIM_OK : status;
    }
    object_names_free(names);
    return status;
}

static const struct trace_view_kind {
    const char *name;
    enum pilgrim_status (*print)(const struct view_job *j);
    bool lines; /* it looks for source lines */
} views[] = {
    {"loops", view_loops, true},
    {"waits", view_waits, true},
    {"endings", view_endings, true},
    {"summary", view_summary, true},
    {"ranks", view_ranks, false},
    {"matrix", view_matrix, true},
    {"communicators", view_communicators, false},
};

/* ---- printing into memory ---- */

static bool lock_exists(void)
{
    if (!printing)
        printing = PyThread_allocate_lock();
    if (!printing)
        (void)PyErr_NoMemory();
    return printing != NULL;
}

/* Returns an output to a file in memory, or NULL with an exception. */
static struct output *output_open(void)
{
    struct output *o = PyMem_RawCalloc(1, sizeof *o);
    if (!o) {
        (void)PyErr_NoMemory();
        return NULL;
    }
    o->descriptor = memfd_create("pilgrim", MFD_CLOEXEC);
    if (o->descriptor >= 0)
        return o;
    (void)PyErr_SetFromErrno(PyExc_OSError);
    PyMem_RawFree(o);
    return NULL;
}

static void output_close(struct output *o)
{
    close(o->descriptor);
    PyMem_RawFree(o);
}

static PyObject *output_bytes(struct output *o)
{
    if (o->error) {
        errno = o->error;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)o->flushed);
    size_t at = 0;
    while (bytes && at < o->flushed) {
        const ssize_t n = pread(o->descriptor, PyBytes_AS_STRING(bytes) + at, o->flushed - at, (off_t)at);
        if (n <= 0) {
            Py_CLEAR(bytes);
            (void)PyErr_SetFromErrno(PyExc_OSError);
        } else {
            at += (size_t)n;
        }
    }
    return bytes;
}

static const struct trace_view_kind *view_named(const char *name)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (strcmp(views[i].name, name) == 0)
            return &views[i];
    PyErr_Format(PyExc_ValueError, "no view is called %s", name);
    return NULL;
}

PyObject *trace_view(PyObject *self, PyObject *args)
{
    struct trace_object *t = (struct trace_object *)self;
    struct pilgrim_error error = {.status = PILGRIM_OK};
    enum pilgrim_status status = PILGRIM_OK;
    const char *name;
    PyObject *pairs, *bytes = NULL;
    int option;
    if (!PyArg_ParseTuple(args, "sOi", &name, &pairs, &option) || !lock_exists())
        return NULL;
    const struct trace_view_kind *view = view_named(name);
    struct output *o = view ? output_open() : NULL;
    if (!o)
        return NULL;
    if (!trace_use_begin(t)) {
        output_close(o);
        return NULL;
    }
    struct pilgrim_selection *selection = selection_from(pairs, t->path);
    if (selection) {
        struct view_job j = {
            .trace = t->trace, .path = t->file, .selection = selection, .option = option, .o = o, .error = &error};
        Py_BEGIN_ALLOW_THREADS;
        PyThread_acquire_lock(printing, WAIT_LOCK);
        j.lines = view->lines ? trace_lines(t) : NULL;
        status = pilgrim_selection_check(selection, t->trace, &error);
        if (status == PILGRIM_OK)
            status = view->print(&j);
        out_flush(o);
        source_lines_free(j.lines);
        PyThread_release_lock(printing);
        Py_END_ALLOW_THREADS;
        bytes = status == PILGRIM_OK ? output_bytes(o) : failure_raise(&error, status, t->path);
    }
    pilgrim_selection_free(selection);
    trace_use_end(t);
    output_close(o);
    return bytes;
}

/* What "ignore" names; "structure" is pilgrim-diff's --structure. */
static const struct {
    const char *name;
    unsigned bits;
} left_out[] = {{"times", IGNORE_TIMES},     {"sizes", IGNORE_SIZES},     {"tags", IGNORE_TAGS},
                {"peers", IGNORE_PEERS},     {"hosts", IGNORE_HOSTS},     {"polls", IGNORE_POLLS},
                {"buffers", IGNORE_BUFFERS}, {"objects", IGNORE_OBJECTS}, {"texts", IGNORE_TEXTS},
                {"results", IGNORE_RESULTS}, {"sites", IGNORE_SITES},     {"structure", IGNORE_VALUES | IGNORE_TIMES}};

static bool add_left_out(const char *name, unsigned *bits)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(left_out[i].name, name) == 0) {
            *bits |= left_out[i].bits;
            return true;
        }
    PyErr_Format(PyExc_ValueError,
                 "'%s' cannot be ignored; these can: times, sizes, tags, peers, hosts, polls, buffers, objects, texts, "
                 "results, sites",
                 name);
    return false;
}

static bool take_left_out(PyObject *names, unsigned *bits)
{
    PyObject *list = PySequence_Fast(names, "what is ignored is a sequence of texts");
    bool good = list != NULL;
    for (Py_ssize_t i = 0; good && i < PySequence_Fast_GET_SIZE(list); i++) {
        const char *name = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(list, i));
        good = name && add_left_out(name, bits);
    }
    Py_XDECREF(list);
    return good;
}

PyObject *trace_diff(PyObject *self, PyObject *args)
{
    struct trace_object *t = (struct trace_object *)self, *other;
    struct pilgrim_error error = {.status = PILGRIM_OK};
    struct diff_options options = {.json = true, .memory = PILGRIM_MEMORY_DEFAULT};
    const char *wrong;
    int found;
    PyObject *names, *bytes;
    if (!PyArg_ParseTuple(args, "O!O", &trace_type, &other, &names) || !take_left_out(names, &options.ignored) ||
        !lock_exists())
        return NULL;
    struct output *o = output_open();
    if (!o)
        return NULL;
    options.paths[0] = t->file;
    options.paths[1] = other->file;
    options.all = true;
    Py_BEGIN_ALLOW_THREADS;
    PyThread_acquire_lock(printing, WAIT_LOCK);
    found = diff_traces(&options, o, &wrong, &error);
    PyThread_release_lock(printing);
    Py_END_ALLOW_THREADS;
    if (found == EXIT_WRONG)
        bytes = failure_raise(&error, error.status, wrong == other->file ? other->path : t->path);
    else
        bytes = output_bytes(o);
    output_close(o);
    return bytes;
}
