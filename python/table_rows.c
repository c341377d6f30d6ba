/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of tables of calls (pilgrim/tables.h) as dictionaries. */
#include "pilgrim_module.h"

#include "analysis/source_lines.h"

/* Sets an item to a value that is given away; false, and an exception, if that fails. */
static bool put(PyObject *row, const char *name, PyObject *value)
{
    const bool good = value && PyDict_SetItemString(row, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

static PyObject *count_or_none(bool is_known, uint64_t count)
{
    return is_known ? PyLong_FromUnsignedLongLong(count) : Py_NewRef(Py_None);
}

static PyObject *real_or_none(bool is_known, double value)
{
    return is_known ? PyFloat_FromDouble(value) : Py_NewRef(Py_None);
}

static PyObject *site_of(const struct pilgrim_table_row *r, struct source_lines *lines)
{
    const struct pilgrim_frame *site = r->class_ ? r->class_->site : NULL;
    const char *line = site ? source_lines_find(lines, site) : NULL;
    if (!site || line)
        return text_new(line);
    return frame_text(site);
}

static bool put_keys(PyObject *row, const struct pilgrim_table_row *r, unsigned keys, struct source_lines *lines)
{
    bool good = true;
    if (keys & (PILGRIM_KEY_SITE | PILGRIM_KEY_FUNCTION))
        good = good && put(row, "func", text_new(r->function));
    if (keys & PILGRIM_KEY_SITE)
        good = good && put(row, "site", site_of(r, lines));
    if (keys & PILGRIM_KEY_RANK)
        good = good && put(row, "rank", count_or_none(r->rank >= 0, (uint64_t)r->rank));
    if (keys & PILGRIM_KEY_PHASE)
        good = good && put(row, "phase", text_new(r->phase));
    if (keys & PILGRIM_KEY_COMMUNICATOR)
        good = good && put(row, "comm", text_new(r->communicator)) &&
               put(row, "comm_name", text_new(r->communicator_name));
    if (keys & PILGRIM_KEY_DATATYPE)
        good = good && put(row, "datatype", text_new(r->datatype)) &&
               put(row, "datatype_name", text_new(r->datatype_name));
    if (keys & PILGRIM_KEY_SIZE)
        good = good && put(row, "size_min", count_or_none(!r->apart, r->size_least)) &&
               put(row, "size_max", count_or_none(!r->apart, r->size_most));
    if (keys & PILGRIM_KEY_PEER)
        good = good && put(row, "peer", count_or_none(r->peer >= 0, (uint64_t)r->peer));
    return good;
}

static bool put_amounts(PyObject *row, const struct pilgrim_table_row *r)
{
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {{"ranks", r->ranks},
                  {"failed", r->sum.failed},
                  {"messages", r->sum.messages},
                  {"message_bytes", r->sum.message_bytes},
                  {"unsized", r->sum.unsized},
                  {"collective_bytes", r->sum.collective_bytes},
                  {"window_bytes", r->sum.window_bytes},
                  {"file_bytes", r->sum.file_bytes}};
    const bool timed = r->timed, ranked = timed && r->times.most_rank != PILGRIM_RANK_UNKNOWN;
    bool good = put(row, "calls", PyLong_FromUnsignedLongLong(r->sum.calls)) &&
                put(row, "time", real_or_none(timed, r->sum.ns)) && put(row, "share", real_or_none(timed, r->share)) &&
                put(row, "time_min", real_or_none(timed, r->times.least)) &&
                put(row, "time_mean", real_or_none(timed, r->times.mean)) &&
                put(row, "time_max", real_or_none(timed, r->times.most)) &&
                put(row, "time_max_rank", count_or_none(ranked, r->times.most_rank)) &&
                put(row, "imbalance", real_or_none(timed, r->times.imbalance));
    for (size_t i = 0; good && i < sizeof counts / sizeof *counts; i++)
        good = put(row, counts[i].name, PyLong_FromUnsignedLongLong(counts[i].count));
    return good;
}

static PyObject *rows_of(const struct pilgrim_table *table, unsigned keys, struct source_lines *lines)
{
    struct pilgrim_table_row r;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && pilgrim_table_at(table, i, &r); i++) {
        PyObject *row = PyDict_New();
        if (!row || !put_keys(row, &r, keys, lines) || !put_amounts(row, &r) || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

PyObject *trace_table(PyObject *self, PyObject *args)
{
    struct trace_object *t = (struct trace_object *)self;
    struct pilgrim_error error = {.status = PILGRIM_OK};
    struct pilgrim_table *table = NULL;
    PyObject *pairs, *rows = NULL;
    unsigned keys;
    if (!PyArg_ParseTuple(args, "OI", &pairs, &keys) || !trace_use_begin(t))
        return NULL;
    struct pilgrim_selection *selection = selection_from(pairs, t->path);
    struct source_lines *lines = trace_lines(t);
    if (!lines)
        (void)PyErr_NoMemory();
    if (selection && lines) {
        enum pilgrim_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = pilgrim_table_make(t->trace, selection, keys, &table, &error);
        Py_END_ALLOW_THREADS;
        rows = status == PILGRIM_OK ? rows_of(table, keys, lines) : failure_raise(&error, status, t->path);
        pilgrim_table_free(table);
    }
    source_lines_free(lines);
    pilgrim_selection_free(selection);
    trace_use_end(t);
    return rows;
}
