/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python module pilgrim._pilgrim: traces that are open, and what fails. */
#include "pilgrim_module.h"

#include <string.h>

#include "analysis/source_lines.h"

/* ---- failures ---- */

PyObject *failure_new(const struct pilgrim_error *error, enum pilgrim_status status, PyObject *path)
{
    PyObject *module = PyImport_ImportModule("pilgrim._errors");
    PyObject *made = NULL;
    const char *message = error && error->status != PILGRIM_OK ? error->message : pilgrim_status_text(status);
    PyObject *text = text_new(message);
    if (module && text)
        made = PyObject_CallMethod(module, "make", "iOKO", (int)status, text,
                                   (unsigned long long)(error ? error->offset : 0), path ? path : Py_None);
    Py_XDECREF(text);
    Py_XDECREF(module);
    return made;
}

PyObject *failure_raise(const struct pilgrim_error *error, enum pilgrim_status status, PyObject *path)
{
    PyObject *made = failure_new(error, status, path);
    if (made) {
        PyErr_SetObject((PyObject *)Py_TYPE(made), made);
        Py_DECREF(made);
    }
    return NULL;
}

PyObject *text_new(const char *text)
{
    if (!text)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
}

PyObject *frame_text(const struct pilgrim_frame *frame)
{
    char offset[32];
    snprintf(offset, sizeof offset, "+0x%llx", (unsigned long long)frame->offset);
    PyObject *module = text_new(frame->module);
    PyObject *text = module ? PyUnicode_FromFormat("%U%s", module, offset) : NULL;
    Py_XDECREF(module);
    return text;
}

/* ---- selections ---- */

static bool add_criterion(struct pilgrim_selection *selection, PyObject *pair, PyObject *path)
{
    struct pilgrim_error error = {.status = PILGRIM_OK};
    const char *name, *value;
    if (!PyArg_ParseTuple(pair, "sz", &name, &value))
        return false;
    const enum pilgrim_status status = pilgrim_selection_add(selection, name, value, &error);
    if (status != PILGRIM_OK)
        (void)failure_raise(&error, status, path);
    return status == PILGRIM_OK;
}

struct pilgrim_selection *selection_from(PyObject *pairs, PyObject *path)
{
    struct pilgrim_selection *selection;
    PyObject *list = PySequence_Fast(pairs, "a selection is a sequence of pairs");
    if (!list)
        return NULL;
    if (pilgrim_selection_new(&selection) != PILGRIM_OK) {
        Py_DECREF(list);
        (void)PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); i++)
        if (!add_criterion(selection, PySequence_Fast_GET_ITEM(list, i), path)) {
            pilgrim_selection_free(selection);
            selection = NULL;
            break;
        }
    Py_DECREF(list);
    return selection;
}

/* ---- traces ---- */

bool trace_use_begin(struct trace_object *t)
{
    if (!t->trace || t->closing) {
        PyErr_SetString(PyExc_ValueError, "the trace is closed");
        return false;
    }
    t->users++;
    return true;
}

static void close_now(struct trace_object *t)
{
    struct pilgrim_trace *trace = t->trace;
    t->trace = NULL;
    if (trace)
        pilgrim_close(trace);
}

void trace_use_end(struct trace_object *t)
{
    if (--t->users == 0 && t->closing)
        close_now(t);
}

static void trace_dealloc(PyObject *self)
{
    struct trace_object *t = (struct trace_object *)self;
    close_now(t);
    Py_XDECREF(t->path);
    PyMem_Free(t->file);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *trace_close(PyObject *self, PyObject *none)
{
    struct trace_object *t = (struct trace_object *)self;
    (void)none;
    t->closing = true;
    if (t->users == 0)
        close_now(t);
    Py_RETURN_NONE;
}

static PyObject *trace_closed(PyObject *self, void *closure)
{
    const struct trace_object *t = (struct trace_object *)self;
    (void)closure;
    return PyBool_FromLong(!t->trace || t->closing);
}

/* What is missing: None, or an exception that says it. */
static PyObject *trace_damage(PyObject *self, void *closure)
{
    const struct trace_object *t = (struct trace_object *)self;
    (void)closure;
    if (t->damage.status == PILGRIM_OK)
        Py_RETURN_NONE;
    return failure_new(&t->damage, t->damage.status, t->path);
}

static PyObject *trace_path(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *path = ((struct trace_object *)self)->path;
    Py_INCREF(path);
    return path;
}

struct source_lines *trace_lines(const struct trace_object *t)
{
    struct source_lines *lines = source_lines_new(t->file, NULL);
    if (lines) {
        source_lines_ran_in(lines, pilgrim_property(t->trace, "folder"));
        source_lines_use_trace(lines, t->trace, pilgrim_frame_function);
    }
    return lines;
}

/* By rank, the calls of each thread. */
static PyObject *trace_calls(PyObject *self, PyObject *none)
{
    struct trace_object *t = (struct trace_object *)self;
    (void)none;
    if (!trace_use_begin(t))
        return NULL;
    const uint32_t ranks = pilgrim_rank_count(t->trace);
    PyObject *list = PyList_New(ranks);
    for (uint32_t rank = 0; list && rank < ranks; rank++) {
        const uint32_t threads = pilgrim_thread_count(t->trace, rank);
        PyObject *counts = PyList_New(threads);
        for (uint32_t thread = 0; counts && thread < threads; thread++) {
            PyObject *count = PyLong_FromUnsignedLongLong(pilgrim_call_count(t->trace, rank, thread));
            if (!count)
                Py_CLEAR(counts);
            else
                PyList_SET_ITEM(counts, thread, count);
        }
        if (!counts)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, rank, counts);
    }
    trace_use_end(t);
    return list;
}

static PyObject *trace_properties(PyObject *self, PyObject *none)
{
    struct trace_object *t = (struct trace_object *)self;
    const char *key, *value;
    (void)none;
    if (!trace_use_begin(t))
        return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && pilgrim_property_at(t->trace, i, &key, &value); i++) {
        PyObject *pair = Py_BuildValue("(NN)", text_new(key), text_new(value));
        if (!pair || PyList_Append(list, pair) < 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    trace_use_end(t);
    return list;
}

static PyMethodDef trace_methods[] = {
    {"close", trace_close, METH_NOARGS, "Close the trace as soon as nobody reads it."},
    {"calls", trace_calls, METH_NOARGS, "A list by rank of lists by thread of numbers of calls."},
    {"properties", trace_properties, METH_NOARGS, "Pairs of texts."},
    {"columns", trace_columns, METH_VARARGS, "columns(names, selection, by_time): a stream of columns."},
    {"view", trace_view, METH_VARARGS, "view(name, selection, options): lines of JSON, as bytes."},
    {"diff", trace_diff, METH_VARARGS, "diff(other, names of what is ignored): JSON, as bytes."},
    {"messages", trace_messages, METH_NOARGS, "All messages as columns: bytes, and texts."},
    {"table", trace_table, METH_VARARGS, "table(selection, keys): a list of dictionaries."},
    {"sites", trace_sites, METH_NOARGS, "From MODULE+0xOFFSET to FILE:LINE."},
    {"machine", trace_machine, METH_NOARGS, "Hosts, and where ranks ran."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef trace_members[] = {
    {"closed", trace_closed, NULL, "True if the trace was closed.", NULL},
    {"damage", trace_damage, NULL, "What is missing: an exception; None: nothing.", NULL},
    {"path", trace_path, NULL, "The path that was opened.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject trace_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pilgrim._pilgrim.Trace",
    .tp_basicsize = sizeof(struct trace_object),
    .tp_dealloc = trace_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = trace_methods,
    .tp_getset = trace_members,
};

/* Sets PATH and FILE of a new trace. */
static bool set_path(struct trace_object *t, PyObject *path)
{
    PyObject *bytes;
    if (!PyUnicode_FSDecoder(path, &t->path) || !PyUnicode_FSConverter(path, &bytes))
        return false;
    t->file = PyMem_Malloc((size_t)PyBytes_GET_SIZE(bytes) + 1);
    if (t->file)
        memcpy(t->file, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes) + 1);
    else
        (void)PyErr_NoMemory();
    Py_DECREF(bytes);
    return t->file != NULL;
}

static PyObject *open_trace(PyObject *module, PyObject *args)
{
    PyObject *path;
    unsigned long long memory;
    enum pilgrim_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "OK", &path, &memory))
        return NULL;
    struct trace_object *t = (struct trace_object *)trace_type.tp_alloc(&trace_type, 0);
    if (!t || !set_path(t, path)) {
        Py_XDECREF(t);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = pilgrim_open_limited(t->file, memory, &t->trace, &t->damage);
    Py_END_ALLOW_THREADS;
    if (status != PILGRIM_OK) {
        (void)failure_raise(&t->damage, status, t->path);
        Py_DECREF(t);
        return NULL;
    }
    return (PyObject *)t;
}

/* ---- the module ---- */

static PyMethodDef functions[] = {
    {"open", open_trace, METH_VARARGS, "open(path, memory in bytes): a trace."},
    {"arrow_stream", arrow_stream, METH_VARARGS, "arrow_stream(fields, iterator): a capsule of Arrow's C stream."},
    {"arrow_schema", arrow_schema, METH_VARARGS, "arrow_schema(fields): a capsule of Arrow's C schema."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "pilgrim._pilgrim",
                                        .m_doc = "Pilgrim's reader, for pilgrim/__init__.py.", .m_size = -1,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__pilgrim(void);

PyMODINIT_FUNC PyInit__pilgrim(void)
{
    if (PyType_Ready(&trace_type) < 0 || PyType_Ready(&columns_type) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddStringConstant(module, "version", pilgrim_version_text()) < 0)
        Py_CLEAR(module);
    return module;
}
