/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for MPI in Pilgrim's own communication. It polls less and less often, because there may be more processes
 * than processors. Each wait ends at a given time, because the other side may hang or be gone. */
#ifndef PILGRIM_WAITING_H
#define PILGRIM_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_library.h"

#define WAITING_SECOND_NS INT64_C(1000000000)

/* Processes on different levels of the tree give up at different times, so much apart from level to level. So a process
 * that gives up first can tell the next one. */
#define WAITING_LEVEL_NS (WAITING_SECOND_NS / 50)

/* Returns the time of CLOCK_MONOTONIC in ns. */
int64_t waiting_now_ns(void);

/* Waits until REQUEST is complete; false if it is not by END_NS, or if MPI says that it failed. */
bool waiting_until(MPI_Request *request, int64_t end_ns);

/* The same, and gives up REQUEST if it is not complete. RECEIVES says that it is a receive. The request
 * is cancelled or freed then, but MPI may still use its buffer as long as the process lives. */
bool waiting_for(MPI_Request *request, bool receives, int64_t end_ns);

/* True if a message from RANK with TAG is waiting on capture.comm. Probes several times, because MPI may need more than
 * one probe to see a message that was sent long ago. */
bool waiting_has_sent(int rank, int tag);

#endif
