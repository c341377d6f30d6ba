/* SPDX-License-Identifier: BSD-3-Clause */
/* Where call sites are: from "MODULE+0xOFFSET", as tools print sites for other programs, to "FILE:LINE". */
#include <string.h>

#include "pilgrim_module.h"

#include "analysis/source_lines.h"

static bool put_site(PyObject *places, struct source_lines *lines, const struct pilgrim_frame *frame)
{
    PyObject *key = frame_text(frame);
    bool good = key != NULL;
    if (good && !PyDict_Contains(places, key)) {
        const char *line = source_lines_find(lines, frame);
        PyObject *place = line ? text_new(line) : Py_NewRef(key);
        good = place && PyDict_SetItem(places, key, place) == 0;
        Py_XDECREF(place);
    }
    Py_XDECREF(key);
    return good && !PyErr_Occurred();
}

/* Puts the sites of all classes of a thread. */
static bool put_thread(PyObject *places, struct source_lines *lines, const struct pilgrim_trace *trace, uint32_t rank,
                       uint32_t thread)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_thread_info info;
    struct pilgrim_class_info class;
    bool good = true;
    if (pilgrim_cursor_open(trace, rank, thread, &cursor, NULL) != PILGRIM_OK)
        return true; /* a thread that is damaged has none */
    do {
        pilgrim_thread_info(cursor, &info);
        for (size_t i = 0; good && i < info.class_count; i++)
            if (pilgrim_class_info(cursor, i, &class) == PILGRIM_OK && class.body == 0 && class.class_->site)
                good = put_site(places, lines, class.class_->site);
    } while (good && pilgrim_cursor_next_segment(cursor, NULL) == PILGRIM_OK);
    pilgrim_cursor_close(cursor);
    return good;
}

/* True if another thread of the same structure group was seen before: it has the same classes. SEEN: a set. */
static bool is_seen(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, PyObject *seen)
{
    uint32_t group;
    if (pilgrim_segment_count(trace) > 1 || pilgrim_thread_group(trace, rank, thread, &group, NULL) != PILGRIM_OK)
        return false;
    PyObject *number = PyLong_FromUnsignedLong(group);
    const bool found = number && PySet_Contains(seen, number) == 1;
    if (number && !found && PySet_Add(seen, number) < 0)
        PyErr_Clear();
    Py_XDECREF(number);
    return found;
}

PyObject *trace_sites(PyObject *self, PyObject *none)
{
    struct trace_object *t = (struct trace_object *)self;
    (void)none;
    if (!trace_use_begin(t))
        return NULL;
    PyObject *places = PyDict_New(), *seen = PySet_New(NULL);
    struct source_lines *lines = trace_lines(t);
    bool good = places && seen && lines;
    for (uint32_t rank = 0; good && rank < pilgrim_rank_count(t->trace); rank++)
        for (uint32_t thread = 0; good && thread < pilgrim_thread_count(t->trace, rank); thread++)
            if (!is_seen(t->trace, rank, thread, seen))
                good = put_thread(places, lines, t->trace, rank, thread);
    source_lines_free(lines);
    Py_XDECREF(seen);
    if (!good) {
        Py_CLEAR(places);
        if (!PyErr_Occurred())
            (void)PyErr_NoMemory();
    }
    trace_use_end(t);
    return places;
}
