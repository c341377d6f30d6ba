/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps at the beginning and the end of recording, for the wrappers of the MPI functions that cause them. */
#ifndef PILGRIM_INIT_H
#define PILGRIM_INIT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_library.h"

/* After PMPI_Init or PMPI_Init_thread succeeded, before call_leave. Makes this thread number 0; sets the rank, rank
 * base 0, and the private communicator. Collective over MPI_COMM_WORLD. */
void capture_after_init(void);

/* The same if the call was not recorded. If tracing has failed in this process, it still takes part in what is
 * collective. */
void capture_after_unrecorded_init(void);

/* After PMPI_Session_init succeeded, before call_leave. A process that never calls MPI_Init writes a trace of its own
 * at its end. */
void capture_after_session_init(void);

/* Before PMPI_Finalize. Ends the call C of MPI_Finalize without a return value; AT: the end of its key; C NULL: it is
 * not recorded. Gathers and writes the trace; nothing is recorded after it. If MPI_COMM_SELF has attributes of the
 * program, all this is done inside PMPI_Finalize, when MPI has deleted them: C is needed until capture_finalized.
 * Collective over MPI_COMM_WORLD. */
struct call;
void capture_finalize(struct call *c, uint8_t *at);

/* After PMPI_Finalize. */
void capture_finalized(void);

/* Before the program sets an attribute of COMM. */
void capture_attribute(MPI_Comm comm);

/* Before PMPI_Abort. Ends recording without a trace. */
void capture_before_abort(int code);

/* True if this process has begun to record, and goes on. */
bool capture_has_begun(void);

/* Before MPI ends the job for the error CODE. TEXT: where, and what, as the rest of a sentence. */
void capture_before_error(int code, const char *text);

/* Before the program sets HANDLER for an object. */
void capture_error_handler(MPI_Errhandler handler);

#endif
