/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for MPI in the library's own exchanges: by polling, ever more rarely, as there may be more processes than
 * processors, and no longer than until a given time, as the other side may hang or be gone. */
#ifndef PILGRIM_WAITING_H
#define PILGRIM_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_library.h"

#define WAITING_SECOND_NS INT64_C(1000000000)

/* Where those below in the tree wait for those above, not all give up at once: so much apart from level to level, so
 * that who gives up first can tell the others. */
#define WAITING_LEVEL_NS (WAITING_SECOND_NS / 50)

/* CLOCK_MONOTONIC. */
int64_t waiting_now_ns(void);

/* Whether REQUEST, of a receive if RECEIVES, is complete before END_NS. If not it is left to itself: its buffer may
 * still be written to or read, as long as the process lives. */
bool waiting_for(MPI_Request *request, bool receives, int64_t end_ns);

/* Whether there is a message over capture.comm that was sent long ago: not all that comes in at once is seen at once.
 */
bool waiting_has_sent(int rank, int tag);

#endif
