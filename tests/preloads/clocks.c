/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload for tests only: libpilgrim.so has a CLOCK_MONOTONIC that goes FAKE_CLOCK_PPM millionths too fast (too slow,
 * if that is negative) since the system was started, as if it ran on a host of its own. Everyone else gets the true
 * time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time);

static int (*real)(clockid_t, struct timespec *);
static const char *ppm;

__attribute__((constructor)) static void begin(void)
{
    ppm = getenv("FAKE_CLOCK_PPM");
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    Dl_info info;
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    if (result || clock != CLOCK_MONOTONIC || !ppm || !dladdr(__builtin_return_address(0), &info) || !info.dli_fname ||
        !strstr(info.dli_fname, "libpilgrim"))
        return result;
    int64_t ns = (int64_t)time->tv_sec * SECOND_NS + time->tv_nsec;
    ns += (int64_t)((__int128)ns * atol(ppm) / 1000000);
    time->tv_sec = ns / SECOND_NS;
    time->tv_nsec = ns % SECOND_NS;
    return 0;
}
