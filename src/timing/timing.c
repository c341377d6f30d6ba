/* Aggregated durations, and their two-byte floats; see timing.h. */
#include "timing/timing.h"

void timing_init(struct timing *t)
{
    *t = (struct timing){.min = UINT64_MAX};
}

void timing_merge(struct timing *into, const struct timing *from)
{
    into->count += from->count;
    into->total += from->total;
    if (from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
}

struct timing timing_ns(const struct timing *ticks, struct clock_rate rate)
{
    struct timing t = *ticks;
    t.total = clock_ns(rate, t.total);
    t.max = clock_ns(rate, t.max);
    if (t.count)
        t.min = clock_ns(rate, t.min);
    return t;
}

uint16_t timing_code(uint64_t ns)
{
    if (ns < 128)
        return (uint16_t)ns;
    unsigned exponent = 56 - (unsigned)__builtin_clzll(ns); /* ns >> exponent is 128..255 */
    return (uint16_t)((exponent + 1) << 7 | ((unsigned)(ns >> exponent) & 127));
}

uint64_t timing_decode(uint16_t code)
{
    if (code < 128)
        return code;
    return (uint64_t)(128 + (code & 127)) << ((code >> 7) - 1);
}
