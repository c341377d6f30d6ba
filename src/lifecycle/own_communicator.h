/* SPDX-License-Identifier: BSD-3-Clause */
/* Pilgrim's own duplicate of MPI_COMM_WORLD. */
#ifndef PILGRIM_OWN_COMMUNICATOR_H
#define PILGRIM_OWN_COMMUNICATOR_H

#include <stdbool.h>

/* Makes capture.comm. Collective over MPI_COMM_WORLD. If other ranks do not take part, because they were started
 * without Pilgrim, it waits as long as the program lives, and says so after some seconds. False: MPI cannot do it. */
bool own_communicator_make(void);

#endif
