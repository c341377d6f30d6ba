/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of its time a unit has been in MPI. */
#ifndef PILGRIM_UNIT_TIMES_H
#define PILGRIM_UNIT_TIMES_H

#include "look.h"

/* Sets the time that U has spent in MPI and outside: as its thread's statistics have it, and the call that it is in. */
void unit_take_times(struct unit *u);

#endif
