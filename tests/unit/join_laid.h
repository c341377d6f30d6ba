/* SPDX-License-Identifier: BSD-3-Clause */
/* Templates of groups that are laid over each other, whether they pay or not. */
#ifndef TESTS_JOIN_LAID_H
#define TESTS_JOIN_LAID_H

#include <check.h>

#include "template/template.h"

/* Joins groups that are laid over each other, visiting at most WORK values. */
static void join_laid(const struct fragment *f, uint64_t work, struct fragment **joined)
{
    struct families found;
    *joined = NULL;
    ck_assert_int_eq(families_find(f, FAMILIES_LAID, &found), PILGRIM_OK);
    struct families laid = found;
    laid.count = found.laid;
    if (laid.count)
        ck_assert_int_eq(templates_join(f, &laid, work, joined), PILGRIM_OK);
    families_free(&found);
}

#endif
