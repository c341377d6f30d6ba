/* SPDX-License-Identifier: BSD-3-Clause */
/* What the wrappers of the functions that begin, end and steer tracing call besides call.h. */
#ifndef PILGRIM_INIT_H
#define PILGRIM_INIT_H

#include <stdbool.h>

/* After a successful PMPI_Init or PMPI_Init_thread, before call_leave: this thread becomes thread 0; rank, views,
 * private communicator. Collective over MPI_COMM_WORLD. */
void capture_after_init(void);

/* The same where it was not recorded: if tracing had failed before, this process takes part all the same in what all
 * do. */
void capture_after_unrecorded_init(void);

/* After a successful PMPI_Session_init, before call_leave. A process that never calls MPI_Init writes a trace of
 * its own when it ends. */
void capture_after_session_init(void);

/* Before PMPI_Finalize, whether call_begin returned true or not. MPI_Finalize itself must have been recorded by
 * then, without a return value: its call ends (call_leave and call_end) before the real function is called. Gathers,
 * writes the trace, and lets everything pass from here on. Collective over MPI_COMM_WORLD. */
void capture_before_finalize(void);

/* Before PMPI_Abort. */
void capture_before_abort(void);

#endif
