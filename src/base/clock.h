/* The clock that calls are timed with: in ticks, whose length in ns is measured while the program runs.
 *
 * A tick is one of the processor's counter (TSC on x86-64, CNTVCT_EL0 on AArch64) where that runs at one rate on all processors, else
 * one ns of CLOCK_MONOTONIC. The counter is read without a fence: what it costs is what a timed call costs at least, and that
 * the reading may move by some ns among the instructions around it does not matter to a call. Its rate is CLOCK_MONOTONIC's between
 * the first pair of readings and one taken when the rate is asked for, so the longer the program runs the better it is
 * known; a machine that was suspended meanwhile has too short calls. */
#ifndef PILGRIM_CLOCK_H
#define PILGRIM_CLOCK_H

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

/* How many ns so many ticks are. */
struct clock_rate {
    uint64_t ns;
    uint64_t ticks; /* not 0 */
};

/* Before the first clock_now; what comes after the first call in a process changes nothing unless the first one said
 * CLOCK_OFF. Not by several threads at once. */
void clock_choose(enum clock_wish wish);

/* The trace's property "clock": "tsc" or "monotonic"; "off" without a clock. */
const char *clock_name(void);

/* The rate as it is known now. Where the first pair of readings is less than 100 us ago, waits until it is. Any thread. */
struct clock_rate clock_rate(void);

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

/* Ticks from START to END, two readings: 0 rather than negative, where a thread has changed to a processor that is behind. */
static inline uint64_t clock_ticks(uint64_t start, uint64_t end)
{
    uint64_t ticks;
    return __builtin_expect(__builtin_sub_overflow(end, start, &ticks), 0) ? 0 : ticks;
}

/* Rounded down; UINT64_MAX where it is more. */
static inline uint64_t clock_ns(struct clock_rate rate, uint64_t ticks)
{
    unsigned __int128 ns = (unsigned __int128)ticks * rate.ns / rate.ticks;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

#endif
