/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for other programs without a copy, by Arrow's C data interface and C stream interface (the structs and their
 * meaning are facts of https://arrow.apache.org/docs/format/CDataInterface.html): arrays of Python's that are shared as
 * long as the consumer holds them.
 *
 * A field is (name, letter, is a value ever missing): "i" int32, "l" int64, "g" double, "u" text, as int32 into a
 * dictionary. A batch is (rows, columns); a column is (values, bits of validity or None, how many are missing, None or
 * the dictionary: (texts, offsets int32, UTF-8)). The consumer may be in any thread: all that touches Python takes the
 * GIL. */
#include "pilgrim_module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARROW_FLAG_NULLABLE 2

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* ---- schemas ---- */

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++)
        if (s->children[i]) {
            if (s->children[i]->release)
                s->children[i]->release(s->children[i]);
            free(s->children[i]);
        }
    if (s->dictionary) {
        if (s->dictionary->release)
            s->dictionary->release(s->dictionary);
        free(s->dictionary);
    }
    free(s->children);
    free((char *)(uintptr_t)s->name);
    s->release = NULL;
}

/* Fills in a schema; FORMAT is static. False: no memory, and nothing is to be released. */
static bool set_schema(struct ArrowSchema *s, const char *format, const char *name, int64_t children)
{
    *s = (struct ArrowSchema){.format = format, .release = release_schema};
    s->name = strdup(name);
    s->children = children > 0 ? calloc((size_t)children, sizeof *s->children) : NULL;
    for (; s->n_children < children && s->children; s->n_children++) {
        s->children[s->n_children] = calloc(1, sizeof **s->children);
        if (!s->children[s->n_children])
            break;
    }
    if (s->name && s->n_children == children)
        return true;
    release_schema(s);
    return false;
}

static bool set_field(struct ArrowSchema *s, PyObject *field)
{
    const char *name, *letter;
    int nullable;
    if (!PyArg_ParseTuple(field, "ssp", &name, &letter, &nullable))
        return false;
    const char *format = *letter == 'l' ? "l" : *letter == 'g' ? "g" : "i";
    if (!set_schema(s, format, name, 0)) {
        (void)PyErr_NoMemory();
        return false;
    }
    s->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    if (*letter != 'u')
        return true;
    s->dictionary = calloc(1, sizeof *s->dictionary);
    if (s->dictionary && set_schema(s->dictionary, "u", "", 0))
        return true;
    (void)PyErr_NoMemory();
    return false; /* what is around it releases it */
}

/* Fills in the schema of FIELDS, a list. False: an exception, and nothing is to be released. */
static bool make_schema(struct ArrowSchema *s, PyObject *fields)
{
    const Py_ssize_t count = PyList_GET_SIZE(fields);
    if (!set_schema(s, "+s", "", count)) {
        (void)PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (!set_field(s->children[i], PyList_GET_ITEM(fields, i))) {
            release_schema(s);
            return false;
        }
    return true;
}

static void schema_capsule_free(PyObject *capsule)
{
    struct ArrowSchema *s = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (s && s->release)
        s->release(s);
    free(s);
}

PyObject *arrow_schema(PyObject *module, PyObject *args)
{
    PyObject *fields;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &fields))
        return NULL;
    struct ArrowSchema *s = calloc(1, sizeof *s);
    if (!s)
        return PyErr_NoMemory();
    PyObject *capsule = make_schema(s, fields) ? PyCapsule_New(s, "arrow_schema", schema_capsule_free) : NULL;
    if (!capsule) {
        if (s->release)
            s->release(s);
        free(s);
    }
    return capsule;
}

/* ---- arrays ---- */

enum { BUFFERS_MAX = 3 };

/* What an array holds. */
struct arrow_held {
    const void *buffers[BUFFERS_MAX];
    Py_buffer views[BUFFERS_MAX];
    int view_count;
};

static void release_array(struct ArrowArray *a)
{
    struct arrow_held *held = a->private_data;
    for (int64_t i = 0; i < a->n_children; i++)
        if (a->children[i]) {
            if (a->children[i]->release) /* the consumer may have moved it */
                a->children[i]->release(a->children[i]);
            free(a->children[i]);
        }
    if (a->dictionary) {
        if (a->dictionary->release)
            a->dictionary->release(a->dictionary);
        free(a->dictionary);
    }
    if (held && held->view_count > 0 && Py_IsInitialized()) {
        const PyGILState_STATE state = PyGILState_Ensure();
        while (held->view_count > 0)
            PyBuffer_Release(&held->views[--held->view_count]);
        PyGILState_Release(state);
    }
    free(a->children);
    free(held);
    a->release = NULL;
}

static bool set_array(struct ArrowArray *a, int64_t length, int64_t buffers, int64_t children)
{
    *a = (struct ArrowArray){.length = length, .n_buffers = buffers, .release = release_array};
    struct arrow_held *held = calloc(1, sizeof *held);
    a->private_data = held;
    a->children = children > 0 ? calloc((size_t)children, sizeof *a->children) : NULL;
    for (; a->n_children < children && a->children; a->n_children++) {
        a->children[a->n_children] = calloc(1, sizeof **a->children);
        if (!a->children[a->n_children])
            break;
    }
    if (!held || a->n_children < children) {
        release_array(a);
        (void)PyErr_NoMemory();
        return false;
    }
    a->buffers = held->buffers;
    return true;
}

/* Shares the memory of OBJECT as buffer I of the array. */
static bool share(struct ArrowArray *a, int i, PyObject *object)
{
    struct arrow_held *held = a->private_data;
    Py_buffer *view = &held->views[held->view_count];
    if (PyObject_GetBuffer(object, view, PyBUF_CONTIG_RO) < 0)
        return false;
    held->view_count++;
    held->buffers[i] = view->buf;
    return true;
}

static bool set_dictionary(struct ArrowArray *a, PyObject *dictionary)
{
    PyObject *offsets, *bytes;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(dictionary, "nOO", &count, &offsets, &bytes))
        return false;
    a->dictionary = calloc(1, sizeof *a->dictionary);
    if (!a->dictionary) {
        (void)PyErr_NoMemory();
        return false;
    }
    return set_array(a->dictionary, count, BUFFERS_MAX, 0) && share(a->dictionary, 1, offsets) &&
           share(a->dictionary, 2, bytes);
}

static bool set_column(struct ArrowArray *a, PyObject *column, int64_t rows)
{
    PyObject *values, *valid, *dictionary;
    Py_ssize_t missing;
    if (!PyArg_ParseTuple(column, "OOnO", &values, &valid, &missing, &dictionary) || !set_array(a, rows, 2, 0))
        return false;
    a->null_count = missing;
    return (valid == Py_None || share(a, 0, valid)) && share(a, 1, values) &&
           (dictionary == Py_None || set_dictionary(a, dictionary));
}

/* Fills in a batch. False: an exception, and nothing is to be released. */
static bool make_batch(struct ArrowArray *a, PyObject *batch)
{
    PyObject *columns;
    Py_ssize_t rows;
    if (!PyArg_ParseTuple(batch, "nO!", &rows, &PyList_Type, &columns) ||
        !set_array(a, rows, 1, PyList_GET_SIZE(columns)))
        return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(columns); i++)
        if (!set_column(a->children[i], PyList_GET_ITEM(columns, i), rows)) {
            release_array(a);
            return false;
        }
    return true;
}

/* ---- streams ---- */

struct arrow_stream_state {
    PyObject *fields, *iterator;
    char message[512];
};

/* Keeps the text of the exception, and clears it. */
static int keep_exception(struct arrow_stream_state *state)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *bytes = text ? PyUnicode_AsUTF8(text) : NULL;
    PyOS_snprintf(state->message, sizeof state->message, "%s", bytes ? bytes : "it failed");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return EIO;
}

static int stream_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    struct arrow_stream_state *state = s->private_data;
    const PyGILState_STATE gil = PyGILState_Ensure();
    const int result = make_schema(out, state->fields) ? 0 : keep_exception(state);
    PyGILState_Release(gil);
    return result;
}

static int stream_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    struct arrow_stream_state *state = s->private_data;
    const PyGILState_STATE gil = PyGILState_Ensure();
    int result = 0;
    PyObject *batch = PyIter_Next(state->iterator);
    if (batch) {
        if (!make_batch(out, batch))
            result = keep_exception(state);
        Py_DECREF(batch);
    } else if (PyErr_Occurred()) {
        result = keep_exception(state);
    } else {
        *out = (struct ArrowArray){.release = NULL}; /* the end */
    }
    PyGILState_Release(gil);
    return result;
}

static const char *stream_error(struct ArrowArrayStream *s)
{
    return ((struct arrow_stream_state *)s->private_data)->message;
}

static void stream_release(struct ArrowArrayStream *s)
{
    struct arrow_stream_state *state = s->private_data;
    if (Py_IsInitialized()) {
        const PyGILState_STATE gil = PyGILState_Ensure();
        Py_XDECREF(state->fields);
        Py_XDECREF(state->iterator);
        PyGILState_Release(gil);
    }
    free(state);
    s->release = NULL;
}

static void stream_capsule_free(PyObject *capsule)
{
    struct ArrowArrayStream *s = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (s && s->release)
        s->release(s);
    free(s);
}

PyObject *arrow_stream(PyObject *module, PyObject *args)
{
    PyObject *fields, *iterator;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &fields, &iterator))
        return NULL;
    struct ArrowArrayStream *s = calloc(1, sizeof *s);
    struct arrow_stream_state *state = calloc(1, sizeof *state);
    if (!s || !state) {
        free(s);
        free(state);
        return PyErr_NoMemory();
    }
    state->fields = Py_NewRef(fields);
    state->iterator = Py_NewRef(iterator);
    *s = (struct ArrowArrayStream){.get_schema = stream_schema,
                                   .get_next = stream_next,
                                   .get_last_error = stream_error,
                                   .release = stream_release,
                                   .private_data = state};
    PyObject *capsule = PyCapsule_New(s, "arrow_array_stream", stream_capsule_free);
    if (!capsule) {
        s->release(s);
        free(s);
    }
    return capsule;
}
