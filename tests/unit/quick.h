/* SPDX-License-Identifier: BSD-3-Clause */
/* Included in front of each unit test. An assertion that holds would write its place to a file, which takes longer than
 * most of what is tested; without that, Check names the last place before a crash less closely. */
#ifndef PILGRIM_TESTS_QUICK_H
#define PILGRIM_TESTS_QUICK_H

#define _GNU_SOURCE 1 /* it comes before that of the test */
#include <check.h>

#define _mark_point(file, line) ((void)0)

#endif
