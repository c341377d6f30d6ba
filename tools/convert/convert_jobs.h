/* SPDX-License-Identifier: BSD-3-Clause */
/* Several processes convert the ranks: each of them some that follow each other. What they write is put together in
 * the order of ranks, so that it is the same as that of one process. */
#ifndef CONVERT_CONVERT_JOBS_H
#define CONVERT_CONVERT_JOBS_H

#include "convert.h"
#include "convert_run.h"

enum { CONVERT_JOBS_MOST = 1024 };

/* Converts the ranks from FIRST to below END. *LACKS: nothing fitted there, which *ERROR says; PILGRIM_INVALID. */
typedef enum pilgrim_status convert_ranks(void *context, uint32_t first, uint32_t end, struct convert_result *result,
                                          bool *lacks, struct pilgrim_error *error);

/* Converts all ranks by so many processes, of which this one is the first: FORMAT has `parts`, and has begun. RESULT is
 * added to. errors: as RANKS, and PILGRIM_NOMEM if a process ended too early; c->failure: a file cannot be written */
enum pilgrim_status convert_jobs(struct convert *c, const struct convert_format *format, unsigned jobs,
                                 convert_ranks *ranks, void *context, struct convert_result *result,
                                 struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
