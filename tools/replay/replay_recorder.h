/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder of a replay: pilgrim-run starts it, and --verify.
 *
 * With it, MPI_Init and MPI_Finalize are made where the trace has them. MPI was initialised before that, and is
 * finalized behind it: what the recorder finds behind these two names is of this file. */
#ifndef REPLAY_RECORDER_H
#define REPLAY_RECORDER_H

#include <stdbool.h>

#include "pilgrim/reader.h"
#include "replay_options.h"

/* True if this process is recorded by Pilgrim. */
bool recorder_is_there(void);

/* Returns what stands for a call site; see pilgrim_runtime_site. Only if there is a recorder. */
const void *recorder_site(const struct pilgrim_frame *site);

/* The thread's next calls are recorded as made there. */
void recorder_call_at(const void *site, bool fortran);

/* Initialise and finalize MPI, unseen by a recorder of Pilgrim. THREADS: MPI_THREAD_MULTIPLE is asked for.
 * provided: MPI's thread level */
void recorder_mpi_init(int *argc, char ***argv, bool threads, int *provided);
void recorder_mpi_finalize(void);

/* Performs MPI_Init, MPI_Init_thread or MPI_Finalize for the recorder. Nothing happens if there is none, or for another
 * function. */
void recorder_begin_or_end(const struct pilgrim_call *call);

/* --verify: starts this program anew, with a recorder. Returns if there is one, or, after a line, if it cannot. */
bool recorder_start(const struct replay_options *options, char **argv);

/* Compares what was recorded with the trace, on rank 0, behind MPI_Finalize. NOT_REPLAYED: names of functions with
 * commas between them. Returns the program's exit status. */
int recorder_compare(const struct replay_options *options, int rank, const char *not_replayed);

/* Removes what recorder_start made. */
void recorder_end(void);

#endif
