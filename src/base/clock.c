/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of the clock, and its rate; see clock.h. */
#include "base/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <sys/prctl.h>
#endif

enum { PAIR_TRIES = 8, RATE_NS_MIN = 1000000 };

/* Readings of both clocks at one moment. */
struct clock_pair {
    uint64_t ticks;
    uint64_t ns;
};

struct clock_rate {
    uint64_t ns;
    uint64_t ticks; /* not 0 */
};

enum clock_source clock_source = CLOCK_SOURCE_NONE;

static struct clock_pair first;

/* An entry is written under the lock, before the count includes it, and never changes afterwards. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct clock_scale clock_scales[CLOCK_SCALES_MAX] = {{.rate = UINT64_C(1) << CLOCK_RATE_BITS}};
atomic_uint clock_scale_count;
static bool settled;

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_slowly(void)
{
    return clock_source == CLOCK_SOURCE_MONOTONIC ? monotonic_ns() : 0;
}

/* Reads the counter, CLOCK_MONOTONIC, and the counter again, several times. Returns the fastest of these triples,
 * because an interrupt may have come in between in the others. */
static struct clock_pair read_pair(void)
{
    struct clock_pair best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < PAIR_TRIES; i++) {
        uint64_t before = clock_counter(), ns = monotonic_ns(), after = clock_counter(),
                 took = after > before ? after - before : 0;
        if (i == 0 || took < least) {
            least = took;
            best = (struct clock_pair){.ticks = before + took / 2, .ns = ns};
        }
    }
    return best;
}

/* ---- choice ---- */

#if defined __x86_64__

static const char kernel_name[] = "tsc";

/* Reading the counter raises a signal if the process may not read it. */
static bool counter_readable(void)
{
    int mode = 0; /* valgrind does not know that prctl sets it */
    return prctl(PR_GET_TSC, &mode) || mode == PR_TSC_ENABLE;
}

static bool counter_invariant(void)
{
    unsigned a, b, c, d;
    const unsigned invariant = 1u << 8;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & invariant;
}

#else

static const char kernel_name[] = "arch_sys_counter";

#ifdef __aarch64__
enum { COUNTER = true };
#else
enum { COUNTER = false };
#endif

static bool counter_readable(void)
{
    return COUNTER;
}

static bool counter_invariant(void)
{
    return COUNTER;
}

#endif

/* True if the kernel lists the counter as a clock source. It removes a counter that it finds unsteady. */
static bool counter_listed(void)
{
    char text[256];
    int file = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    char *rest, *name = strtok_r(text, " \n", &rest);
    while (name && strcmp(name, kernel_name))
        name = strtok_r(NULL, " \n", &rest);
    return name;
}

static bool counter_wanted(enum clock_wish wish)
{
    return wish == CLOCK_TSC || (wish == CLOCK_AUTO && counter_invariant() && counter_listed());
}

void clock_choose(enum clock_wish wish)
{
    if (clock_source != CLOCK_SOURCE_NONE || wish == CLOCK_OFF)
        return;
    bool counter = counter_readable() && counter_wanted(wish);
    first = counter ? read_pair() : (struct clock_pair){.ns = monotonic_ns()};
    if (!counter)
        first.ticks = first.ns;
    clock_source = counter ? CLOCK_SOURCE_COUNTER : CLOCK_SOURCE_MONOTONIC;
}

const char *clock_name(void)
{
    static const char *const names[] = {
        [CLOCK_SOURCE_NONE] = "off", [CLOCK_SOURCE_COUNTER] = "tsc", [CLOCK_SOURCE_MONOTONIC] = "monotonic"};
    return names[clock_source];
}

/* ---- rate ---- */

/* Measures the rate from the first pair of readings until now, and waits until that is long enough. *TICKS: the counter
 * now. */
static struct clock_rate measure(uint64_t *ticks)
{
    struct clock_pair now;
    do
        now = read_pair();
    while (now.ns - first.ns < RATE_NS_MIN);
    *ticks = now.ticks;
    if (now.ticks > first.ticks)
        return (struct clock_rate){.ns = now.ns - first.ns, .ticks = now.ticks - first.ticks};
    return (struct clock_rate){.ns = 1, .ticks = 1};
}

/* ---- times ---- */

static void add_scale(uint64_t ticks, uint64_t ns, struct clock_rate rate)
{
    unsigned count = atomic_load_explicit(&clock_scale_count, memory_order_relaxed);
    unsigned __int128 scaled = ((unsigned __int128)rate.ns << CLOCK_RATE_BITS) / rate.ticks;
    clock_scales[count] =
        (struct clock_scale){.ticks = ticks, .ns = ns, .rate = scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled};
    atomic_store_explicit(&clock_scale_count, count + 1, memory_order_release);
}

/* Adds the first scale. The caller holds the lock. */
static void add_first(void)
{
    uint64_t now;
    add_scale(first.ticks, 0,
              clock_source == CLOCK_SOURCE_COUNTER ? measure(&now) : (struct clock_rate){.ns = 1, .ticks = 1});
}

void clock_begin_scale(void)
{
    if (clock_source == CLOCK_SOURCE_NONE)
        return; /* readings are ns already */
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&clock_scale_count, memory_order_relaxed))
        add_first();
    pthread_mutex_unlock(&lock);
}

void clock_settle(void)
{
    uint64_t now;
    if (clock_source == CLOCK_SOURCE_NONE)
        return;
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&clock_scale_count, memory_order_relaxed)) {
        add_first();
    } else if (!settled && clock_source == CLOCK_SOURCE_COUNTER) {
        struct clock_rate rate = measure(&now);
        if (now > first.ticks)
            add_scale(now, clock_scaled(&clock_scales[0], now), rate);
    }
    settled = true;
    pthread_mutex_unlock(&lock);
}

void clock_anchor(uint64_t *ticks, uint64_t *monotonic, uint64_t *rate)
{
    struct clock_pair now = {0};
    *rate = 0;
    if (clock_source != CLOCK_SOURCE_NONE) {
        (void)clock_time_ns(0); /* makes sure that there is a scale */
        unsigned count = atomic_load_explicit(&clock_scale_count, memory_order_acquire);
        now = read_pair();
        if (clock_source == CLOCK_SOURCE_MONOTONIC)
            now.ticks = now.ns;
        *rate = clock_scales[count - 1].rate;
    }
    *ticks = now.ticks;
    *monotonic = now.ns;
}
