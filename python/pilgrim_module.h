/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the Python module pilgrim._pilgrim share. All functions here need the GIL. Objects in C stay below
 * what users see: pilgrim/__init__.py makes that of them. */
#ifndef PYTHON_PILGRIM_MODULE_H
#define PYTHON_PILGRIM_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if PY_VERSION_HEX < 0x030A0000
static inline PyObject *Py_NewRef(PyObject *object)
{
    Py_INCREF(object);
    return object;
}
#endif

#include <pilgrim/columns.h>
#include <pilgrim/tables.h>

/* An open trace. It is closed when nobody uses it any more. */
struct trace_object {
    PyObject_HEAD struct pilgrim_trace *trace; /* NULL: closed */
    PyObject *path;                            /* str */
    char *file;                                /* the path as the file system has it */
    struct pilgrim_error damage;               /* what is missing; its status is PILGRIM_OK if nothing is */
    size_t users;                              /* columns and functions that read it */
    bool closing;                              /* it is closed as soon as there are none */
};

extern PyTypeObject trace_type, columns_type;

/* Begin and end a use of the trace. _begin: false, and an exception, if it is closed. */
bool trace_use_begin(struct trace_object *t);
void trace_use_end(struct trace_object *t);

/* Return a new exception for a failure (pilgrim/_errors.py), NULL with another exception; and raise it. PATH: str, of
 * the trace. */
PyObject *failure_new(const struct pilgrim_error *error, enum pilgrim_status status, PyObject *path);
PyObject *failure_raise(const struct pilgrim_error *error, enum pilgrim_status status, PyObject *path);

/* Makes a selection from a sequence of pairs (criterion, value or None); to be freed. NULL, and an exception: one is
 * wrong. */
struct pilgrim_selection *selection_from(PyObject *pairs, PyObject *path);

/* "MODULE+0xOFFSET" */
PyObject *frame_text(const struct pilgrim_frame *frame);

/* Text of a trace, in which bytes that are no UTF-8 are replaced. NULL becomes None. */
PyObject *text_new(const char *text);

/* Returns a finder of source lines of the trace; NULL: no memory. */
struct source_lines;
struct source_lines *trace_lines(const struct trace_object *t);

/* Methods of a trace, by file. */
PyObject *trace_columns(PyObject *self, PyObject *args);  /* columns_object.c */
PyObject *trace_view(PyObject *self, PyObject *args);     /* views.c */
PyObject *trace_diff(PyObject *self, PyObject *args);     /* views.c */
PyObject *trace_messages(PyObject *self, PyObject *args); /* message_columns.c */
PyObject *trace_table(PyObject *self, PyObject *args);    /* table_rows.c */
PyObject *trace_sites(PyObject *self, PyObject *none);    /* site_places.c */
PyObject *trace_machine(PyObject *self, PyObject *args);  /* machine_rows.c */

/* Functions of the module. */
PyObject *arrow_stream(PyObject *module, PyObject *args); /* arrow_stream.c */
PyObject *arrow_schema(PyObject *module, PyObject *args);

#endif
