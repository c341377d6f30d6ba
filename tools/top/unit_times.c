/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of units; see unit_times.h. */
#include "unit_times.h"

#include "record/statistics.h"

#define NS_A_SECOND 1e9

/* Adds the times of the class at C. False: they are damaged. */
static bool add_class(struct cursor *c, double *in, double *outside)
{
    struct statistics s;
    double durations = 0, gaps = 0;
    bool good = statistics_unpack(c, &s) == PILGRIM_OK;
    if (good)
        statistics_totals(&s, &durations, &gaps);
    statistics_free(&s);
    *in += durations / NS_A_SECOND;
    *outside += gaps / NS_A_SECOND;
    return good;
}

void unit_take_times(struct unit *u)
{
    struct cursor c;
    double in = 0, outside = 0;
    bool good = u->thread && u->thread->statistics.length;
    if (!good)
        return;
    cursor_init(&c, u->thread->statistics.data, u->thread->statistics.length);
    for (size_t left = cursor_count(&c, 2); good && left; left--)
        good = add_class(&c, &in, &outside);
    if (!good || c.status != PILGRIM_OK)
        return;
    u->mpi_seconds = in + (u->state == UNIT_IN_CALL && u->seconds > 0 ? u->seconds : 0);
    u->other_seconds = outside;
}
