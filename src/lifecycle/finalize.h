/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of recording, for the wrappers of MPI_Finalize; init.h has what is for those of other functions. */
#ifndef PILGRIM_FINALIZE_H
#define PILGRIM_FINALIZE_H

#include <stdint.h>

struct call;

/* Ends the call C of MPI_Finalize without a return value; AT: the end of its key; C NULL: it is not recorded. Gathers
 * and writes the trace; nothing is recorded after it. Before PMPI_Finalize, or in it. Collective over MPI_COMM_WORLD.
 */
void capture_end(struct call *c, uint8_t *at);

/* Has the recording ended inside PMPI_Finalize, when it has deleted the attributes that MPI_COMM_SELF gets from now on.
 * That is also the end where a tool that has hidden MPI_Init hides MPI_Finalize, too. */
void finalize_watch(void);

/* A function of the program has deleted an attribute and returns ERROR. In MPI_Finalize, MPI may not come back from an
 * error: the recording ends. */
void finalize_deletes(int error);

#endif
