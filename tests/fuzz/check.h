/* SPDX-License-Identifier: BSD-3-Clause */
/* The assertions of Check that tests/unit/hostile_trace.h uses, for the fuzzers: a wrong one ends the process. */
#ifndef TESTS_FUZZ_CHECK_H
#define TESTS_FUZZ_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define ck_assert_msg(condition, ...)                                                                                  \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not %s: ", __FILE__, __LINE__, #condition);                                        \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)
#define ck_assert(condition)     ck_assert_msg(condition, "\n")
#define ck_assert_int_eq(a, b)   ck_assert((a) == (b))
#define ck_assert_int_ne(a, b)   ck_assert((a) != (b))
#define ck_assert_uint_eq(a, b)  ck_assert((a) == (b))
#define ck_assert_uint_le(a, b)  ck_assert((a) <= (b))
#define ck_assert_uint_ge(a, b)  ck_assert((a) >= (b))
#define ck_assert_uint_gt(a, b)  ck_assert((a) > (b))
#define ck_assert_ptr_nonnull(a) ck_assert((a) != NULL)
#define ck_assert_ptr_null(a)    ck_assert((a) == NULL)

#endif
