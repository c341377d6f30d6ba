/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values as RFC 4180 has them, but for the line ends, which are those of the system. Names and strings
 * from a trace have no control characters (pilgrim_printable). */
#ifndef DECODER_CSV_CELLS_H
#define DECODER_CSV_CELLS_H

#include <pilgrim/reader.h>

#include "output.h"

/* A line that is being printed. Cells follow each other; csv_end ends it. */
struct csv {
    struct output *out;
    bool begun; /* a cell was printed */
};

void csv_text(struct csv *c, const char *text, size_t length);
void csv_name(struct csv *c, const char *name); /* NULL: an empty cell */
void csv_uint(struct csv *c, uint64_t v);
void csv_int(struct csv *c, int64_t v);
void csv_ns(struct csv *c, double ns);                   /* rounded */
void csv_real(struct csv *c, double number, int digits); /* with so many digits behind the point */
void csv_share(struct csv *c, double share);
void csv_empty(struct csv *c, unsigned count);                    /* so many empty cells */
void csv_frame(struct csv *c, const struct pilgrim_frame *frame); /* MODULE+0xOFFSET; NULL: an empty cell */
void csv_end(struct csv *c);

#endif
