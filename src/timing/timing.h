/* How long calls took, aggregated: count, total, shortest, longest. While they are recorded in ticks of the clock (base/clock.h),
 * in a fragment in ns.
 *
 * In the file each figure is a short float in two bytes (docs/FORMAT.md, "Times"): relative error below 1 in 128, a
 * size that does not depend on the clock. */
#ifndef PILGRIM_TIMING_H
#define PILGRIM_TIMING_H

#include <stdint.h>

#include "base/clock.h"

struct timing {
    uint64_t count;
    uint64_t min; /* UINT64_MAX while count is 0 */
    uint64_t total;
    uint64_t max;
};

void timing_init(struct timing *t);
void timing_merge(struct timing *into, const struct timing *from);

static inline void timing_append(struct timing *t, uint64_t duration)
{
    t->count++;
    t->total += duration;
    if (duration < t->min)
        t->min = duration;
    if (duration > t->max)
        t->max = duration;
}

/* What is in ticks, in ns. */
struct timing timing_ns(const struct timing *ticks, struct clock_rate rate);

/* A duration as it is stored: below 7424, rounded down; and back, the smallest duration of that code. */
uint16_t timing_code(uint64_t ns);
uint64_t timing_decode(uint16_t code);

#endif
