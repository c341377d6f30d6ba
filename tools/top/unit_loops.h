/* SPDX-License-Identifier: BSD-3-Clause */
/* Which loops a unit's call is in, or its last one, and in which iteration: loops as pilgrim-decode --loops finds them,
 * from the order of the calls. */
#ifndef PILGRIM_UNIT_LOOPS_H
#define PILGRIM_UNIT_LOOPS_H

#include "look.h"

/* Sets the loops of the units of LOOK where that does not take too long. A unit has none where they
 * are not known. */
void find_unit_loops(struct look *look);

#endif
