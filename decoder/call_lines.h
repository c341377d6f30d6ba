/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints calls, one a line. In most programs a call repeats one of an earlier iteration. So the part of a line that
 * follows from a call's values is cached, up to a bound, and printed again for calls with the same values. */
#ifndef DECODER_CALL_LINES_H
#define DECODER_CALL_LINES_H

#include <pilgrim/reader.h>

#include "analysis/in_flight.h"
#include "output.h"
#include "analysis/source_lines.h"

struct call_lines;

enum call_format { CALLS_TEXT, CALLS_JSON, CALLS_CSV };

/* Returns a printer to OUT, with at most FRAMES of each call path. SOURCES finds source
 * lines, in text and CSV; NULL: none are printed. OUT and SOURCES are borrowed until call_lines_free. NULL: no memory
 */
struct call_lines *call_lines_new(struct output *out, enum call_format format, uint64_t frames,
                                  struct source_lines *sources);

/* How lines for people are printed. Without: as they are, with numbers for names. */
struct call_lines_style {
    const struct pilgrim_trace *trace; /* for the names of communicators and error codes; NULL: they are not wanted */
    uint64_t columns;                  /* of a line, at most: arguments are cut; 0: as many as it takes */
    bool is_short, color;              /* as struct text_style */
};

/* errors: PILGRIM_NOMEM */
enum pilgrim_status call_lines_set(struct call_lines *l, const struct call_lines_style *style);
void call_lines_free(struct call_lines *l); /* NULL is legal */

/* The next calls come from another cursor: of THREAD of RANK. errors: PILGRIM_NOMEM */
enum pilgrim_status call_lines_begin(struct call_lines *l, uint32_t rank, uint32_t thread);

/* The next call had not returned. */
void call_lines_in_flight(struct call_lines *l, const struct in_flight *call);

/* Prints the line of CALL. CSV has the columns of csv_call_head (print.h). */
void call_lines_print(struct call_lines *l, const struct pilgrim_call *call);

#endif
