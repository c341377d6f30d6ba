/* Which clock, and its rate; see clock.h. Nothing is kept but the first pair of readings, so rates may be asked for by any thread. */
#include "base/clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <sys/prctl.h>
#endif

enum { PAIR_TRIES = 8, BASE_NS_MIN = 100000 };

/* The two clocks at one moment. */
struct pair {
    uint64_t ticks;
    uint64_t ns;
};

enum clock_source clock_source = CLOCK_SOURCE_NONE;

static struct pair first;

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

/* One reading of the counter before and one after that of the other clock: of several such triples the one that took least, as in
 * the others the thread may have been interrupted. */
static struct pair read_pair(void)
{
    struct pair best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < PAIR_TRIES; i++) {
        uint64_t before = clock_counter(), ns = monotonic_ns(), took = clock_ticks(before, clock_counter());
        if (i == 0 || took < least) {
            least = took;
            best = (struct pair){.ticks = before + took / 2, .ns = ns};
        }
    }
    return best;
}

/* ---- choice ---- */

#if defined __x86_64__

static const char kernel_name[] = "tsc";

/* Where it cannot, reading it is a signal. */
static bool counter_readable(void)
{
    int mode;
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

/* Whether the kernel has the counter among its clocks. It strikes it out if it finds it unsteady. */
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
    if (counter)
        first = read_pair();
    clock_source = counter ? CLOCK_SOURCE_COUNTER : CLOCK_SOURCE_MONOTONIC;
}

const char *clock_name(void)
{
    static const char *const names[] = {
        [CLOCK_SOURCE_NONE] = "off", [CLOCK_SOURCE_COUNTER] = "tsc", [CLOCK_SOURCE_MONOTONIC] = "monotonic"};
    return names[clock_source];
}

/* ---- rate ---- */

struct clock_rate clock_rate(void)
{
    struct clock_rate rate = {.ns = 1, .ticks = 1};
    if (clock_source != CLOCK_SOURCE_COUNTER)
        return rate;
    struct pair now;
    do
        now = read_pair();
    while (now.ns - first.ns < BASE_NS_MIN);
    if (now.ticks > first.ticks)
        rate = (struct clock_rate){.ns = now.ns - first.ns, .ticks = now.ticks - first.ticks};
    return rate;
}
