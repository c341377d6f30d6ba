/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values as RFC 4180 has them, but for the line ends, which are those of the system; and the views that
 * are printed so. Names and strings from a trace have no control characters (pilgrim_printable). */
#ifndef DECODER_CSV_H
#define DECODER_CSV_H

#include <pilgrim/reader.h>

#include "output.h"
#include "analysis/profile.h"
#include "analysis/source_lines.h"

/* A line that is being printed. Cells follow each other; csv_end ends it. */
struct csv {
    struct output *out;
    bool begun; /* a cell was printed */
};

void csv_text(struct csv *c, const char *text, size_t length);
void csv_name(struct csv *c, const char *name); /* NULL: an empty cell */
void csv_uint(struct csv *c, uint64_t v);
void csv_int(struct csv *c, int64_t v);
void csv_ns(struct csv *c, double ns); /* rounded */
void csv_share(struct csv *c, double share);
void csv_empty(struct csv *c, unsigned count);                    /* so many empty cells */
void csv_frame(struct csv *c, const struct pilgrim_frame *frame); /* MODULE+0xOFFSET; NULL: an empty cell */
void csv_end(struct csv *c);

/* ---- views ---- */

void csv_properties(struct output *o, const struct pilgrim_trace *trace);

/* A line for each call site of the profile. FUNCTION: only functions that match this glob; NULL: all. */
void csv_profile(struct output *o, const struct call_profile *p, const char *function, struct source_lines *lines);

/* What each chosen rank did with its time. errors: as pilgrim_rank_profile */
enum pilgrim_status csv_rank_times(struct output *o, const struct pilgrim_trace *trace,
                                   bool (*choose)(const void *context, uint32_t rank), const void *context,
                                   struct pilgrim_error *error);

void csv_communicator_head(struct output *o);
void csv_communicator(struct output *o, uint32_t rank, const struct pilgrim_communicator *communicator);

void csv_location_head(struct output *o);
void csv_location(struct output *o, const struct pilgrim_system *system, uint32_t rank);

#endif
