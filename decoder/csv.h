/* SPDX-License-Identifier: BSD-3-Clause */
/* The views that are printed as comma-separated values. */
#ifndef DECODER_CSV_H
#define DECODER_CSV_H

#include <pilgrim/reader.h>

#include "csv_cells.h"
#include "analysis/profile.h"
#include "analysis/source_lines.h"

void csv_properties(struct output *o, const struct pilgrim_trace *trace);

/* A line for each call site of the profile. FUNCTION: only functions that match this glob; NULL: all. */
void csv_profile(struct output *o, const struct call_profile *p, const char *function, struct source_lines *lines);

/* What each chosen rank did with its time. errors: as pilgrim_rank_profile */
enum pilgrim_status csv_rank_times(struct output *o, const struct pilgrim_trace *trace,
                                   bool (*choose)(const void *context, uint32_t rank), const void *context,
                                   struct pilgrim_error *error);

void csv_communicator_head(struct output *o);
void csv_communicator(struct output *o, uint32_t rank, const struct pilgrim_communicator *communicator,
                      const char *name);

void csv_location_head(struct output *o);
void csv_location(struct output *o, const struct pilgrim_system *system, uint32_t rank);

#endif
