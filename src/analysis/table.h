/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of pilgrim/tables.h, for tools that have a finder of source lines. */
#ifndef ANALYSIS_TABLE_H
#define ANALYSIS_TABLE_H

#include "analysis/source_lines.h"
#include "pilgrim/tables.h"

/* As pilgrim_table_make. LINES: for call sites of the selection, borrowed, may be NULL. After an error of the trace the
 * table has what was counted before: *TABLE is not NULL, and is to be freed. */
enum pilgrim_status table_make(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                               unsigned keys, struct source_lines *lines, struct pilgrim_table **table,
                               struct pilgrim_error *error) PILGRIM_CHECKED;

/* The same; with PILGRIM_KEY_RANK so many neighbouring ranks as BLOCK says share a row, which has the first of them. */
enum pilgrim_status table_make_blocks(const struct pilgrim_trace *trace, unsigned keys, uint32_t block,
                                      struct source_lines *lines, struct pilgrim_table **table,
                                      struct pilgrim_error *error) PILGRIM_CHECKED;

/* True if FUNCTION is one of those that stand apart: MPI_Init, MPI_Init_thread, MPI_Finalize. */
bool table_stands_apart(const char *function);

/* Returns the number of rows. */
size_t table_rows(const struct pilgrim_table *table);

/* Returns how many threads, ranks and calls were chosen, and the time that all of these threads ran, ns; 0: not known.
 */
struct table_extent {
    uint64_t ranks, threads, calls;
    double run_ns;
};
struct table_extent table_extent(const struct pilgrim_table *table);

#endif
