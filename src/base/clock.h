/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock that calls are timed with: in ticks, whose length in ns is measured while the program runs.
 *
 * A tick is one of the processor's counter (TSC on x86-64, CNTVCT_EL0 on AArch64) where that runs at one rate on all
 * processors, else one ns of CLOCK_MONOTONIC. The counter is read without a fence: what it costs is what a timed call
 * costs at least, and that the reading may move by some ns among the instructions around it does not matter to a call.
 *
 * What ticks are in ns is settled for all threads, so that a moment has one time, whoever asks, and whenever: by
 * CLOCK_MONOTONIC's rate between the first pair of readings and a second one, and, for ticks from then on, by that up
 * to clock_settle, which is better known. A machine that was suspended meanwhile has too short calls. */
#ifndef PILGRIM_CLOCK_H
#define PILGRIM_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum clock_wish {
    CLOCK_OFF,  /* clock_now gives 0 */
    CLOCK_AUTO, /* the counter where processor and kernel say that it can be used, else CLOCK_MONOTONIC */
    CLOCK_TSC,  /* the counter wherever it can be read, else CLOCK_MONOTONIC */
    CLOCK_MONOTONIC_NS
};

enum clock_source { CLOCK_SOURCE_NONE, CLOCK_SOURCE_COUNTER, CLOCK_SOURCE_MONOTONIC };

/* Set by clock_choose, none before. To be read only. */
extern enum clock_source clock_source __attribute__((visibility("hidden")));

/* Before the first clock_now; what comes after the first call in a process changes nothing unless the first one said
 * CLOCK_OFF. Not by several threads at once. */
void clock_choose(enum clock_wish wish);

/* The trace's property "clock": "tsc" or "monotonic"; "off" without a clock. */
const char *clock_name(void);

/* Behind clock_now, for all but the counter. */
uint64_t clock_now_slowly(void);

static inline uint64_t clock_counter(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* Any thread. */
static inline uint64_t clock_now(void)
{
    return __builtin_expect(clock_source == CLOCK_SOURCE_COUNTER, 1) ? clock_counter() : clock_now_slowly();
}

/* Times are below 2^62 ns, 146 years. */
#define CLOCK_TIME_MAX_NS ((UINT64_C(1) << 62) - 1)

/* From TICKS on the time is NS + (ticks - TICKS) x RATE / 2^CLOCK_RATE_BITS. */
struct clock_scale {
    uint64_t ticks, ns, rate;
};

enum { CLOCK_RATE_BITS = 48, CLOCK_SCALES_MAX = 2 };

/* To be read through clock_time_ns only. */
extern struct clock_scale clock_scales[CLOCK_SCALES_MAX] __attribute__((visibility("hidden")));
extern atomic_uint clock_scale_count __attribute__((visibility("hidden")));

/* Measures the rate better, now that MPI is initialised, for the ticks that are still to come. Once; where no time was
 * asked for so far it is the rate for all. */
void clock_settle(void);

/* Behind clock_time_ns, the first time: waits until the first pair of readings is 1 ms ago. */
void clock_begin_scale(void);

static inline uint64_t clock_scaled(const struct clock_scale *s, uint64_t ticks)
{
    if (ticks < s->ticks)
        return s->ns;
    unsigned __int128 ns = ((unsigned __int128)(ticks - s->ticks) * s->rate >> CLOCK_RATE_BITS) + s->ns;
    return ns > CLOCK_TIME_MAX_NS ? CLOCK_TIME_MAX_NS : (uint64_t)ns;
}

/* The time at a reading of the clock: ns since the clock was chosen, which is when the library was loaded, at most
 * CLOCK_TIME_MAX_NS; 0 for readings before that. Without a clock ticks, which somebody else has made, are ns. Larger
 * ticks have no smaller time. Any thread. */
static inline uint64_t clock_time_ns(uint64_t ticks)
{
    unsigned count = atomic_load_explicit(&clock_scale_count, memory_order_acquire);
    if (__builtin_expect(!count, 0)) {
        clock_begin_scale();
        count = 1;
    }
    return clock_scaled(&clock_scales[count > 1 && ticks >= clock_scales[1].ticks], ticks);
}

/* Whether the time at any reading from FIRST to LAST is that of clock_scaled_small by *SCALE. */
static inline bool clock_has_scale(uint64_t first, uint64_t last, struct clock_scale *scale)
{
    (void)clock_time_ns(first); /* there is a scale */
    unsigned count = atomic_load_explicit(&clock_scale_count, memory_order_acquire);
    *scale = clock_scales[count > 1 && first >= clock_scales[1].ticks];
    bool changes = count > 1 && first < clock_scales[1].ticks && last >= clock_scales[1].ticks;
    return !changes && first >= scale->ticks && clock_scaled(scale, last) < CLOCK_TIME_MAX_NS;
}

static inline uint64_t clock_scaled_small(const struct clock_scale *s, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)(ticks - s->ticks) * s->rate >> CLOCK_RATE_BITS) + s->ns;
}

#endif
