/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the traces of processes that only have sessions: each wrote one of its own. */
#ifndef PILGRIM_JOIN_TRACES_H
#define PILGRIM_JOIN_TRACES_H

#include <stdbool.h>

/* True if the file PATH begins as a trace does. */
bool is_trace(const char *path);

/* Writes one trace of those at PATHS, which end with NULL, to OUTPUT. Its ranks are those that the launcher gave the
 * processes, or else in the order of PATHS. Some processes may be missing. False after a message. */
bool join_traces(char **paths, const char *output);

#endif
