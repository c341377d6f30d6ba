/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by tests with random input: random numbers, and an assertion for inner loops. */
#ifndef PILGRIM_TESTS_RANDOM_H
#define PILGRIM_TESTS_RANDOM_H

#include <check.h>
#include <stdint.h>

/* An assertion for inner loops. Check's own assertions write a message to a file each time, even if they hold. */
#define EXPECT(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg(__VA_ARGS__);                                                                                 \
    } while (0)

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * limit >> 32);
}

#endif
