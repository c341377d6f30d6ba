/* Aggregated durations, and their two-byte floats; see timing.h. */
#include "timing/timing.h"

void timing_init(struct timing *t)
{
    *t = (struct timing){.min_ns = UINT64_MAX};
}

void timing_append(struct timing *t, uint64_t duration_ns)
{
    t->count++;
    t->total_ns += duration_ns;
    if (duration_ns < t->min_ns)
        t->min_ns = duration_ns;
    if (duration_ns > t->max_ns)
        t->max_ns = duration_ns;
}

void timing_merge(struct timing *into, const struct timing *from)
{
    into->count += from->count;
    into->total_ns += from->total_ns;
    if (from->min_ns < into->min_ns)
        into->min_ns = from->min_ns;
    if (from->max_ns > into->max_ns)
        into->max_ns = from->max_ns;
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
