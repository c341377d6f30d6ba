/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream of columns of calls (pilgrim/columns.h) that fills arrays of Python's. */
#include <string.h>

#include "pilgrim_module.h"

struct columns_object {
    PyObject_HEAD struct trace_object *trace;
    struct pilgrim_columns *columns; /* NULL: closed */
    struct pilgrim_selection *selection;
    size_t count;
    bool busy; /* a thread is filling arrays */
};

static void close_columns(struct columns_object *c)
{
    struct pilgrim_columns *columns = c->columns;
    c->columns = NULL;
    if (columns) {
        pilgrim_columns_close(columns);
        trace_use_end(c->trace);
    }
    pilgrim_selection_free(c->selection);
    c->selection = NULL;
}

static void columns_dealloc(PyObject *self)
{
    struct columns_object *c = (struct columns_object *)self;
    close_columns(c);
    Py_XDECREF(c->trace);
    Py_TYPE(self)->tp_free(self);
}

/* ---- opening ---- */

static enum pilgrim_status open_columns(struct columns_object *c, const char **names, Py_ssize_t count, int by_time,
                                        struct pilgrim_error *error)
{
    enum pilgrim_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = pilgrim_columns_open(c->trace->trace, c->selection, by_time ? PILGRIM_BY_TIME : PILGRIM_BY_RANK, names,
                                  (size_t)count, &c->columns, error);
    Py_END_ALLOW_THREADS;
    return status;
}

/* Sets NAMES to the texts of LIST, which are borrowed from it. */
static bool names_of(PyObject *list, const char **names)
{
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); i++) {
        names[i] = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(list, i));
        if (!names[i])
            return false;
    }
    return true;
}

PyObject *trace_columns(PyObject *self, PyObject *args)
{
    struct trace_object *t = (struct trace_object *)self;
    struct pilgrim_error error = {.status = PILGRIM_OK};
    PyObject *names, *pairs;
    int by_time;
    if (!PyArg_ParseTuple(args, "OOp", &names, &pairs, &by_time) || !trace_use_begin(t))
        return NULL;
    PyObject *list = PySequence_Fast(names, "names of columns are a sequence of texts");
    const Py_ssize_t count = list ? PySequence_Fast_GET_SIZE(list) : 0;
    const char **texts = list ? PyMem_Calloc((size_t)count + 1, sizeof *texts) : NULL;
    struct columns_object *c = NULL;
    if (list && !texts)
        (void)PyErr_NoMemory();
    if (texts && names_of(list, texts))
        c = (struct columns_object *)columns_type.tp_alloc(&columns_type, 0);
    if (c) {
        c->trace = (struct trace_object *)Py_NewRef(t);
        c->count = (size_t)count;
        c->selection = selection_from(pairs, t->path);
        const enum pilgrim_status status = c->selection ? open_columns(c, texts, count, by_time, &error) : PILGRIM_OK;
        if (status != PILGRIM_OK)
            (void)failure_raise(&error, status, t->path);
        if (!c->columns)
            Py_CLEAR(c);
    }
    PyMem_Free(texts);
    Py_XDECREF(list);
    if (!c)
        trace_use_end(t);
    return (PyObject *)c;
}

/* ---- filling ---- */

/* The types by column: "i" int32, "l" int64, "t" text. */
static PyObject *columns_types(PyObject *self, PyObject *none)
{
    const struct columns_object *c = (struct columns_object *)self;
    static const char letters[] = "ilt";
    (void)none;
    PyObject *list = PyList_New(0);
    enum pilgrim_column_type type;
    for (size_t i = 0; list && pilgrim_columns_at(c->columns, i, &type); i++) {
        PyObject *letter = PyUnicode_FromStringAndSize(&letters[type], 1);
        if (!letter || PyList_Append(list, letter) < 0)
            Py_CLEAR(list);
        Py_XDECREF(letter);
    }
    return list;
}

static enum pilgrim_status fill_arrays(struct columns_object *c, void *const *arrays, size_t rows, size_t *filled,
                                       struct pilgrim_error *error)
{
    enum pilgrim_status status;
    c->busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = pilgrim_columns_fill(c->columns, arrays, rows, filled, error);
    Py_END_ALLOW_THREADS;
    c->busy = false;
    return status;
}

/* Takes the buffers of LIST, *COUNT of them so far. */
static bool take_buffers(const struct columns_object *c, PyObject *list, size_t rows, Py_buffer *buffers, void **arrays,
                         size_t *count)
{
    enum pilgrim_column_type type = PILGRIM_COLUMN_INT32;
    for (*count = 0; *count < c->count; ++*count) {
        Py_buffer *b = &buffers[*count];
        if (PyObject_GetBuffer(PySequence_Fast_GET_ITEM(list, (Py_ssize_t)*count), b, PyBUF_CONTIG) < 0)
            return false;
        (void)pilgrim_columns_at(c->columns, *count, &type);
        const size_t size = type == PILGRIM_COLUMN_INT64 ? sizeof(int64_t) : sizeof(int32_t);
        if ((size_t)b->itemsize != size || (size_t)b->len / size < rows) {
            PyErr_SetString(PyExc_ValueError, "an array is too short, or of another type");
            ++*count;
            return false;
        }
        arrays[*count] = b->buf;
    }
    return true;
}

/* fill(arrays, rows): how many rows were filled, and None, True at the end, or an exception that says what is wrong
 * behind them. */
static PyObject *columns_fill(PyObject *self, PyObject *args)
{
    struct columns_object *c = (struct columns_object *)self;
    struct pilgrim_error error = {.status = PILGRIM_OK};
    PyObject *sequence, *result = NULL;
    Py_ssize_t rows;
    size_t filled = 0, taken = 0;
    if (!PyArg_ParseTuple(args, "On", &sequence, &rows))
        return NULL;
    if (!c->columns || c->busy) {
        PyErr_SetString(PyExc_RuntimeError, c->busy ? "another thread reads these calls" : "the calls are closed");
        return NULL;
    }
    PyObject *list = PySequence_Fast(sequence, "arrays are a sequence");
    Py_buffer *buffers = PyMem_Calloc(c->count + 1, sizeof *buffers);
    void **arrays = PyMem_Calloc(c->count + 1, sizeof *arrays);
    if (!buffers || !arrays)
        (void)PyErr_NoMemory();
    else if (list && ((size_t)PySequence_Fast_GET_SIZE(list) != c->count || rows <= 0))
        PyErr_SetString(PyExc_ValueError, "one array is wanted for each column, and one row at least");
    else if (list && take_buffers(c, list, (size_t)rows, buffers, arrays, &taken)) {
        const enum pilgrim_status status = fill_arrays(c, arrays, (size_t)rows, &filled, &error);
        PyObject *what = status == PILGRIM_OK    ? Py_NewRef(Py_None)
                         : status == PILGRIM_END ? Py_NewRef(Py_True)
                                                 : failure_new(&error, status, c->trace->path);
        result = what ? Py_BuildValue("(nN)", (Py_ssize_t)filled, what) : NULL;
    }
    for (size_t i = 0; i < taken; i++)
        PyBuffer_Release(&buffers[i]);
    PyMem_Free(arrays);
    PyMem_Free(buffers);
    Py_XDECREF(list);
    return result;
}

/* texts(column, first): those from number FIRST on. */
static PyObject *columns_texts(PyObject *self, PyObject *args)
{
    const struct columns_object *c = (struct columns_object *)self;
    Py_ssize_t column, first;
    size_t length = 0;
    if (!PyArg_ParseTuple(args, "nn", &column, &first))
        return NULL;
    if (!c->columns || c->busy || column < 0 || first < 0) {
        PyErr_SetString(PyExc_RuntimeError, "there are no texts to be had");
        return NULL;
    }
    PyObject *list = PyList_New(0);
    const size_t count = pilgrim_columns_texts(c->columns, (size_t)column);
    for (size_t i = (size_t)first; list && i < count; i++) {
        const char *text = pilgrim_columns_text(c->columns, (size_t)column, (int64_t)i, &length);
        PyObject *object = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "backslashreplace");
        if (!object || PyList_Append(list, object) < 0)
            Py_CLEAR(list);
        Py_XDECREF(object);
    }
    return list;
}

static PyObject *columns_close(PyObject *self, PyObject *none)
{
    struct columns_object *c = (struct columns_object *)self;
    (void)none;
    if (c->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread reads these calls");
        return NULL;
    }
    close_columns(c);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"types", columns_types, METH_NOARGS, "The types of the columns."},
                                {"fill", columns_fill, METH_VARARGS, "fill(arrays, rows)"},
                                {"texts", columns_texts, METH_VARARGS, "texts(column, first)"},
                                {"close", columns_close, METH_NOARGS, "Give back what is open."},
                                {NULL, NULL, 0, NULL}};

PyTypeObject columns_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pilgrim._pilgrim.Columns",
    .tp_basicsize = sizeof(struct columns_object),
    .tp_dealloc = columns_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = methods,
};
