/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a trace: its text, and what it shows. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <pilgrim/reader.h>

#include "../../decoder/output.h"
#include "analysis/source_lines.h"

struct html_page {
    const struct pilgrim_trace *trace;
    const char *path, *file;    /* of the trace: as the user gave it, and as it was opened */
    struct source_lines *lines; /* may be NULL */
    struct output *out;
};

/* Views longer than this are left out, and the page says so: a browser would not show them well. */
enum { REPORT_VIEW_MAX = 4 << 20 };

/* Prints each view as an element <script type="application/json" id="data-NAME">, whose text has no "<". After an error
 * of the trace the views that are left are printed too, and each has what was found before the error. errors:
 * PILGRIM_NOMEM, as pilgrim_cursor_next, PILGRIM_IO if there is no room for a temporary file */
enum pilgrim_status report_views(struct html_page *r, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
