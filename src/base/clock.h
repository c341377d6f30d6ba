/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock that times calls. It counts ticks; the length of a tick in ns is measured while the program runs.
 *
 * A tick is one step of the processor's counter (TSC on x86-64, CNTVCT_EL0 on AArch64) if the counter runs at one rate
 * on all processors; otherwise it is one ns of CLOCK_MONOTONIC. The counter is read without a fence, to keep a timed
 * call cheap. A reading may therefore move by some ns among the instructions around it, which is harmless for the
 * duration of a call.
 *
 * All threads share one conversion from ticks to ns, so a moment has the same time for every caller. The first rate is
 * that of CLOCK_MONOTONIC between the first pair of readings and a second pair. Ticks after clock_settle use the rate
 * measured up to clock_settle, which is more precise. If the machine was suspended meanwhile, durations are too
 * short. */
#ifndef PILGRIM_CLOCK_H
#define PILGRIM_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum clock_wish {
    CLOCK_OFF,  /* clock_now gives 0 */
    CLOCK_AUTO, /* the counter if processor and kernel say that it is usable, else CLOCK_MONOTONIC */
    CLOCK_TSC,  /* the counter if it is readable, else CLOCK_MONOTONIC */
    CLOCK_MONOTONIC_NS
};

enum clock_source { CLOCK_SOURCE_NONE, CLOCK_SOURCE_COUNTER, CLOCK_SOURCE_MONOTONIC };

/* Set by clock_choose; CLOCK_SOURCE_NONE before. Read only. */
extern enum clock_source clock_source __attribute__((visibility("hidden")));

/* Chooses the clock. Call it before the first clock_now, from one thread. Later calls have no effect unless all earlier
 * ones said CLOCK_OFF. */
void clock_choose(enum clock_wish wish);

/* Returns the trace's property "clock": "tsc", "monotonic", or "off" if there is no clock. */
const char *clock_name(void);

/* The slow path of clock_now: every source but the counter. */
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

/* Returns the current time in ticks, or 0 if there is no clock. Any thread may call it. */
static inline uint64_t clock_now(void)
{
    return __builtin_expect(clock_source == CLOCK_SOURCE_COUNTER, 1) ? clock_counter() : clock_now_slowly();
}

/* The largest time: below 2^62 ns, which is 146 years. */
#define CLOCK_TIME_MAX_NS ((UINT64_C(1) << 62) - 1)

/* One conversion: a reading at or after TICKS means the time NS + (reading - TICKS) x RATE / 2^CLOCK_RATE_BITS. */
struct clock_scale {
    uint64_t ticks, ns, rate;
};

enum { CLOCK_RATE_BITS = 48, CLOCK_SCALES_MAX = 2 };

/* Read only through clock_time_ns and clock_piece_of. */
extern struct clock_scale clock_scales[CLOCK_SCALES_MAX] __attribute__((visibility("hidden")));
extern atomic_uint clock_scale_count __attribute__((visibility("hidden")));

/* Measures the rate more precisely, once MPI is initialised, for the ticks that follow. Only the first call has an
 * effect. If no time was converted before, all ticks get this rate. */
void clock_settle(void);

/* The slow path of the first clock_time_ns: waits until the first pair of readings is 1 ms old, then sets the first
 * rate. */
void clock_begin_scale(void);

static inline uint64_t clock_scaled(const struct clock_scale *s, uint64_t ticks)
{
    if (ticks < s->ticks)
        return s->ns;
    unsigned __int128 ns = ((unsigned __int128)(ticks - s->ticks) * s->rate >> CLOCK_RATE_BITS) + s->ns;
    return ns > CLOCK_TIME_MAX_NS ? CLOCK_TIME_MAX_NS : (uint64_t)ns;
}

/* Returns the time of a reading in ns since clock_choose, that is, since the library was loaded. The time is at most
 * CLOCK_TIME_MAX_NS, and 0 for earlier readings. A larger reading never has a smaller time. Without a clock the
 * readings come from elsewhere and are ns already. Any thread may call it. */
static inline uint64_t clock_time_ns(uint64_t ticks)
{
    unsigned count = atomic_load_explicit(&clock_scale_count, memory_order_acquire);
    if (__builtin_expect(!count, 0)) {
        clock_begin_scale();
        count = 1;
    }
    return clock_scaled(&clock_scales[count > 1 && ticks >= clock_scales[1].ticks], ticks);
}

/* A reading of the clock, and CLOCK_MONOTONIC at that moment, in ns. *RATE is the length of a tick as in clock_scale;
 * 0: there is no clock. For who must tell ticks from outside of the process. */
void clock_anchor(uint64_t *ticks, uint64_t *monotonic_ns, uint64_t *rate);

/* A part of the conversion that takes one multiplication, for readings from TICKS on that are less than LENGTH later.
 */
struct clock_piece {
    uint64_t ticks, length, ns, factor;
};

/* Returns the piece that FIRST is in; of no length if there is none, as where a tick takes a ns or more. */
static inline struct clock_piece clock_piece_of(uint64_t first)
{
    (void)clock_time_ns(first); /* makes sure that there is a scale */
    unsigned count = atomic_load_explicit(&clock_scale_count, memory_order_acquire);
    unsigned i = count > 1 && first >= clock_scales[1].ticks;
    const struct clock_scale *s = &clock_scales[i];
    uint64_t length = CLOCK_TIME_MAX_NS - s->ns; /* in ticks: less time */
    if (first < s->ticks || s->rate >> CLOCK_RATE_BITS)
        length = 0;
    else if (count > i + 1 && clock_scales[i + 1].ticks - s->ticks < length)
        length = clock_scales[i + 1].ticks - s->ticks;
    return (struct clock_piece){s->ticks, length, s->ns, s->rate << (64 - CLOCK_RATE_BITS)};
}

/* True if reading TICKS, which is no smaller than the first one, is in P. clock_piece_ns is then its time. */
static inline bool clock_piece_has(const struct clock_piece *p, uint64_t ticks)
{
    return ticks - p->ticks < p->length;
}

static inline uint64_t clock_piece_ns(const struct clock_piece *p, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)(ticks - p->ticks) * p->factor >> 64) + p->ns;
}

#endif
