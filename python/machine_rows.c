/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that a program ran on: hosts, and where ranks ran. */
#include "pilgrim_module.h"

/* (name, ((kind, name), ...), processes); the name is None where the trace does not say it. */
static PyObject *host_of(const struct pilgrim_system *system, uint32_t number)
{
    struct pilgrim_host host;
    if (pilgrim_system_host(system, number, &host) != PILGRIM_OK)
        Py_RETURN_NONE;
    PyObject *levels = PyTuple_New((Py_ssize_t)host.level_count);
    for (size_t i = 0; levels && i < host.level_count; i++) {
        PyObject *level = Py_BuildValue("(NN)", text_new(host.levels[i].kind), text_new(host.levels[i].name));
        if (level)
            PyTuple_SET_ITEM(levels, (Py_ssize_t)i, level);
        else
            Py_CLEAR(levels);
    }
    return levels ? Py_BuildValue("(NNI)", text_new(host.name), levels, (unsigned)host.processes) : NULL;
}

/* (host, process, threads, pid, is the clock known, its offset, error of that). The pid is -1 if it is not known. */
static PyObject *place_of(const struct trace_object *t, const struct pilgrim_system *system, uint32_t rank)
{
    struct pilgrim_location l = {.pid = -1};
    struct pilgrim_clock clock;
    struct pilgrim_error error;
    if (pilgrim_system_location(system, rank, &l) != PILGRIM_OK ||
        pilgrim_clock_of(t->trace, rank, &clock, &error) != PILGRIM_OK)
        clock.point_count = 0;
    const bool is_known = clock.point_count > 0;
    return Py_BuildValue("(IIILOLK)", (unsigned)l.host, (unsigned)l.process, (unsigned)l.threads, (long long)l.pid,
                         is_known ? Py_True : Py_False, is_known ? (long long)clock.points[0].offset_ns : 0LL,
                         is_known ? (unsigned long long)clock.points[0].error_ns : 0ULL);
}

static PyObject *list_of(const struct trace_object *t, const struct pilgrim_system *system, bool hosts)
{
    const uint32_t count = hosts ? pilgrim_system_hosts(system) : pilgrim_rank_count(t->trace);
    PyObject *list = PyList_New(count);
    for (uint32_t i = 0; list && i < count; i++) {
        PyObject *item = hosts ? host_of(system, i) : place_of(t, system, i);
        if (item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

PyObject *trace_machine(PyObject *self, PyObject *none)
{
    struct trace_object *t = (struct trace_object *)self;
    struct pilgrim_error error = {.status = PILGRIM_OK};
    struct pilgrim_system *system;
    enum pilgrim_status status;
    PyObject *result = NULL;
    (void)none;
    if (!trace_use_begin(t))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = pilgrim_system_open(t->trace, &system, &error);
    Py_END_ALLOW_THREADS;
    if (status == PILGRIM_OK) {
        PyObject *hosts = list_of(t, system, true), *ranks = hosts ? list_of(t, system, false) : NULL;
        result = ranks ? Py_BuildValue("(NN)", hosts, ranks) : NULL;
        if (!ranks)
            Py_XDECREF(hosts);
        pilgrim_system_close(system);
    } else {
        (void)failure_raise(&error, status, t->path);
    }
    trace_use_end(t);
    return result;
}
