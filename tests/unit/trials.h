/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of a random or exhaustive test to do. */
#ifndef PILGRIM_TESTS_TRIALS_H
#define PILGRIM_TESTS_TRIALS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define TRIALS_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define TRIALS_SANITIZED 1
#endif
#endif
#ifndef TRIALS_SANITIZED
#define TRIALS_SANITIZED 0
#endif

/* Returns how many of N trials to do: a thirtieth; with LONG=1 a quarter, but under the sanitizers, which take up to
 * twenty times as long, a sixtieth; with LONG=all all. */
static inline unsigned trials(unsigned n)
{
    const char *text = getenv("LONG");
    const bool all = text && !strcmp(text, "all"), few = !text || !*text;
    const unsigned parts = all ? 1 : TRIALS_SANITIZED ? 60 : few ? 30 : 4;
    return (n + parts - 1) / parts;
}

/* Returns N; without LONG=1 a sixth. */
static inline unsigned few_trials(unsigned n)
{
    const char *text = getenv("LONG");
    return text && *text ? n : n / 6;
}

#endif
