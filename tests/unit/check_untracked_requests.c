/* SPDX-License-Identifier: BSD-3-Clause */
/* What is recorded of untracked requests: those that began while recording was paused or filtered. */
#include "objects/untracked_requests.h"

#include <check.h>
#include <stdlib.h>

enum { PAIR = 3 };

static bool take(uint64_t handle, enum request_kind kind)
{
    enum request_kind got;
    uint32_t base;
    if (!untracked_request_take(handle, &got, &base))
        return false;
    ck_assert_int_eq(got, kind);
    ck_assert_uint_eq(base, PAIR);
    return true;
}

START_TEST(a_receive_is_known_once)
{
    ck_assert(!take(0, REQUEST_RECV));
    ck_assert(!take(100, REQUEST_RECV));
    untracked_request_begun(100, REQUEST_RECV, PAIR);
    ck_assert(!take(101, REQUEST_RECV));
    ck_assert(take(100, REQUEST_RECV));
    ck_assert(!take(100, REQUEST_RECV));
}
END_TEST

START_TEST(the_newest_of_a_handle_counts)
{
    untracked_request_begun(100, REQUEST_RECV, PAIR);
    untracked_request_begun(100, REQUEST_IO, PAIR);
    ck_assert(take(100, REQUEST_IO));
    untracked_request_begun(100, REQUEST_GREQ, PAIR);
    untracked_request_begun(100, REQUEST_SEND, PAIR); /* it has no status */
    ck_assert(!take(100, REQUEST_GREQ));
}
END_TEST

START_TEST(old_ones_give_way)
{
    enum { COUNT = 10000 };
    int known = 0;
    for (uint64_t i = 1; i <= COUNT; i++)
        untracked_request_begun(i, REQUEST_RECV, PAIR);
    for (uint64_t i = 1; i <= COUNT; i++)
        known += take(i, REQUEST_RECV);
    ck_assert_int_gt(known, 100);
    ck_assert_int_lt(known, COUNT / 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("unseen");
    TCase *c = tcase_create("unseen");
    tcase_add_test(c, a_receive_is_known_once);
    tcase_add_test(c, the_newest_of_a_handle_counts);
    tcase_add_test(c, old_ones_give_way);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
